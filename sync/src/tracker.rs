//! Follows threads into regions and out of them, step by step.
//!
//! A thread enters with its first access to a place of the construct and leaves with the step after which it is no longer
//! inside. What it does privately before that access or after that step can always come later or earlier, so the narrowest
//! reading loses no order.

use crate::observe::{Step, What};
use crate::regions::{Layout, Region, RegionId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Enter { thread: usize, region: RegionId },
    /// Inside a region: a place of the construct is read or written.
    Access { thread: usize, region: RegionId, at: u64, writes: bool },
    /// It has to wait inside.
    Wait { thread: usize, region: RegionId },
    Exit { thread: usize, region: RegionId },
}

#[derive(Clone, Debug, Default)]
pub struct Tracker {
    /// By thread: the region that it is in, and the call that holds it.
    inside: Vec<Option<(RegionId, u64)>>,
}

impl Tracker {
    pub fn region(&self, thread: usize) -> Option<RegionId> {
        self.inside.get(thread).copied().flatten().map(|(region, _)| region)
    }

    /// Regions by thread, for telling states apart.
    pub fn regions(&self) -> impl Iterator<Item = Option<RegionId>> + '_ {
        self.inside.iter().map(|inside| inside.map(|(region, _)| region))
    }

    pub fn step(&mut self, layout: &Layout, step: &Step, events: &mut Vec<Event>) {
        let &Step { thread, what, .. } = step;
        if self.inside.len() <= thread {
            self.inside.resize(thread + 1, None);
        }
        if layout.touches(what) {
            if self.inside[thread].is_none()
                && let Some((region, serial)) = layout.region(&step.calls)
            {
                self.inside[thread] = Some((region, serial));
                events.push(Event::Enter { thread, region });
            }
            if let (Some((region, _)), What::Memory { at, writes, .. }) = (self.inside[thread], what) {
                events.push(Event::Access { thread, region, at, writes });
            }
        }
        if let (Some((region, _)), true) = (self.inside[thread], step.waits.is_some()) {
            events.push(Event::Wait { thread, region });
        }
        if let Some((region, serial)) = self.inside[thread]
            && !stays(layout, region, serial, step)
        {
            self.inside[thread] = None;
            events.push(Event::Exit { thread, region });
        }
    }
}

fn stays(layout: &Layout, region: RegionId, serial: u64, step: &Step) -> bool {
    let Some(call) = step.after.iter().find(|call| call.serial == serial) else { return false };
    match &layout.regions[region] {
        Region::Call(_) => true,
        // A stretch goes on while the thread stands on its lines.
        Region::Stretch { positions, .. } => {
            matches!(step.then, What::Nothing) || step.waits.is_some() || positions.contains(&call.position)
        }
    }
}
