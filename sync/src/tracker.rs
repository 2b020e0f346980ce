//! Tracks which regions threads are in, step by step.
//!
//! A thread enters with its first access to a location of the construct and leaves with the step after which it is no
//! longer inside. Its private steps before that access or after that step commute with those of other threads, so this
//! narrowest interpretation loses no order.

use crate::observe::{Step, What};
use crate::regions::{Layout, Region, RegionId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Enter {
        thread: usize,
        region: RegionId,
    },
    /// Inside a region: a place of the construct is read or written.
    Access {
        thread: usize,
        region: RegionId,
        at: u64,
        writes: bool,
    },
    /// It has to wait inside.
    Wait {
        thread: usize,
        region: RegionId,
    },
    Exit {
        thread: usize,
        region: RegionId,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Tracker {
    inside: Vec<Option<Inside>>,
}

/// Where a thread is.
#[derive(Clone, Copy, Debug)]
struct Inside {
    region: RegionId,
    /// The call that holds the region.
    serial: u64,
    /// Where it entered, and whether it has written since.
    entered: u32,
    wrote: bool,
}

impl Tracker {
    pub fn region(&self, thread: usize) -> Option<RegionId> {
        self.inside.get(thread).copied().flatten().map(|inside| inside.region)
    }

    /// Regions by thread, for telling states apart, and whether the thread has written there.
    pub fn regions(&self) -> impl Iterator<Item = Option<(RegionId, bool)>> + '_ {
        self.inside.iter().map(|inside| inside.map(|inside| (inside.region, inside.wrote)))
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
                let entered = step.calls.iter().find(|call| call.serial == serial).map_or(0, |call| call.position);
                self.inside[thread] = Some(Inside { region, serial, entered, wrote: false });
                events.push(Event::Enter { thread, region });
            }
            if let (Some(inside), What::Memory { at, writes, .. }) = (&mut self.inside[thread], what) {
                inside.wrote |= writes;
                let region = inside.region;
                events.push(Event::Access { thread, region, at, writes });
            }
        }
        if let (Some(Inside { region, .. }), true) = (self.inside[thread], step.waits.is_some()) {
            events.push(Event::Wait { thread, region });
        }
        if let Some(inside) = self.inside[thread]
            && !stays(layout, inside, step)
        {
            self.inside[thread] = None;
            events.push(Event::Exit { thread, region: inside.region });
        }
    }
}

fn stays(layout: &Layout, inside: Inside, step: &Step) -> bool {
    let Some(call) = step.after.iter().find(|call| call.serial == inside.serial) else { return false };
    match &layout.regions[inside.region] {
        Region::Call(_) => true,
        // A range continues while the thread is on its lines.
        Region::Stretch { positions, .. } => {
            let own = step.after.first().is_some_and(|first| first.serial == inside.serial);
            let again = layout.repeats && own && inside.wrote && call.position == inside.entered;
            let pauses = matches!(step.then, What::Nothing) || step.waits.is_some();
            pauses || positions.contains(&call.position) && !again
        }
    }
}
