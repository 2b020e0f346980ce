//! Follows threads into regions and out of them, step by step.
//!
//! A thread enters with its first access to a place of the construct and leaves with the step after which it is no longer
//! inside. What it does privately before that access or after that step can always come later or earlier, so the narrowest
//! reading loses no order.

use crate::observe::{Call, What};
use crate::regions::{Layout, Region, RegionId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Enter { thread: usize, region: RegionId },
    /// Inside a region: a place of the construct is read or written.
    Access { thread: usize, region: RegionId, at: u64, writes: bool },
    Exit { thread: usize, region: RegionId },
}

#[derive(Clone, Debug, Default)]
pub struct Tracker {
    /// By thread: the region that it is in, and the call that holds it.
    inside: Vec<Option<(RegionId, u64)>>,
}

/// A step, as the tracker must know it.
pub struct Step<'a> {
    pub thread: usize,
    pub what: What,
    pub calls: &'a [Call],
    pub after: &'a [Call],
    /// What the thread will do next.
    pub then: What,
    pub waits: bool,
}

impl Tracker {
    pub fn region(&self, thread: usize) -> Option<RegionId> {
        self.inside.get(thread).copied().flatten().map(|(region, _)| region)
    }

    /// Regions by thread, for telling states apart.
    pub fn regions(&self) -> impl Iterator<Item = Option<RegionId>> + '_ {
        self.inside.iter().map(|inside| inside.map(|(region, _)| region))
    }

    pub fn step(&mut self, layout: &Layout, step: &Step<'_>, events: &mut Vec<Event>) {
        let Step { thread, what, calls, after, then, waits } = *step;
        if self.inside.len() <= thread {
            self.inside.resize(thread + 1, None);
        }
        if layout.touches(what) {
            let here = layout.region(calls);
            if self.inside[thread].is_none()
                && let Some((region, serial)) = here
            {
                self.inside[thread] = Some((region, serial));
                events.push(Event::Enter { thread, region });
            }
            if let (Some((region, _)), What::Memory { at, writes, .. }) = (self.inside[thread], what) {
                events.push(Event::Access { thread, region, at, writes });
            }
        }
        if let Some((region, serial)) = self.inside[thread]
            && !self.stays(layout, region, serial, after, then, waits)
        {
            self.inside[thread] = None;
            events.push(Event::Exit { thread, region });
        }
    }

    fn stays(
        &self,
        layout: &Layout,
        region: RegionId,
        serial: u64,
        after: &[Call],
        then: What,
        waits: bool,
    ) -> bool {
        let Some(call) = after.iter().find(|call| call.serial == serial) else { return false };
        match &layout.regions[region] {
            Region::Call(_) => true,
            // A stretch goes on while its own positions touch its own places.
            Region::Stretch { function, positions } => {
                call.function == *function
                    && (waits || matches!(then, What::Nothing) || layout.touches(then))
                    && (waits || positions.contains(&call.position) || matches!(then, What::Nothing))
            }
        }
    }
}
