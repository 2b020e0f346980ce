//! Which bytes several threads use while one of them changes them.
//!
//! A search within a bound of preemptions need not interrupt a thread before a step that touches other bytes only: the step
//! commutes with everything that others do before the thread goes on, so it may be taken before they begin. What is contested is
//! learnt from the steps that the search takes. When it has learnt something new, the search is made again; at the end, no step
//! that was taken met bytes that were taken for uncontested. Suppose an execution within the bound does, and take its first such
//! step: all that it omitted before commutes, so the search takes that step too.
//!
//! Bytes are the same if they have the same address, in whatever execution: blocks that share one by accident are contested once
//! too often. What a thread does while no other is alive is ordered before and after everything else, and does not count.

use std::collections::HashMap;

use crate::explore::touches::Touches;
use crate::idle::Awaits;
use crate::machine::Machine;
use crate::world::Pending;

/// Bytes are kept in groups of so many.
const GROUP: u64 = 8;

/// Blocks that are larger are contested without being looked at.
const LARGEST: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct Use {
    thread: u32,
    by_others: bool,
    written: bool,
}

impl Use {
    fn is_contested(self) -> bool {
        self.by_others && self.written
    }
}

#[derive(Clone, Debug, Default)]
pub struct Contested {
    uses: HashMap<u64, Use>,
    /// Steps were taken of which it is not known what they touch.
    everything: bool,
    grown: bool,
}

impl Contested {
    /// Notes what the pending step of a thread touches.
    pub fn uses(&mut self, machine: &Machine, thread: usize) {
        if self.everything {
            return;
        }
        let status = &machine.shared.status;
        let is_alive = |other: usize| other != thread && !status[other].finished && !status[other].crashed;
        if !(0..machine.thread_count()).any(is_alive) {
            return;
        }
        let is_inside = machine.shared.inside == Some(thread) || status[thread].atomic_depth > 0;
        let awaits_anything =
            |other: usize| matches!(&status[other].pending, Some(Pending::Spin { awaits: Awaits::ChangeAfter(_), .. }));
        let bytes = Touches::of(machine, thread).bytes();
        let ends =
            matches!(&status[thread].pending, Some(Pending::Primitive { primitive: ir::Primitive::ProcessExit, .. }));
        let Some(bytes) = bytes.filter(|_| !is_inside && !(0..machine.thread_count()).any(awaits_anything)) else {
            // The end of the process comes after whatever was done before it.
            if !ends {
                self.grown |= !std::mem::replace(&mut self.everything, true);
            }
            return;
        };
        for (from, to, writes) in bytes {
            self.note(thread as u32, from, to, writes);
        }
        // Those who wait for a value read it all the time.
        for other in (0..machine.thread_count()).filter(|&other| other != thread) {
            if let Some(Pending::Spin { awaits: Awaits::Values(values), .. }) = &status[other].pending {
                for &(at, size, _) in values.iter() {
                    self.note(other as u32, at, at.saturating_add(u64::from(size)), false);
                }
            }
        }
    }

    fn note(&mut self, thread: u32, from: u64, to: u64, writes: bool) {
        if to.saturating_sub(from) > LARGEST {
            self.grown |= !std::mem::replace(&mut self.everything, true);
            return;
        }
        for group in from / GROUP..=to.saturating_sub(1).max(from) / GROUP {
            let known = self.uses.entry(group).or_insert(Use { thread, by_others: false, written: false });
            let before = known.is_contested();
            known.by_others |= known.thread != thread;
            known.written |= writes;
            self.grown |= known.is_contested() && !before;
        }
    }

    /// Whether no other thread contests what the pending step of a thread touches.
    pub fn is_alone(&self, machine: &Machine, thread: usize) -> bool {
        if self.everything || matches!(machine.shared.status[thread].pending, Some(Pending::Spin { .. })) {
            return false;
        }
        let touches = Touches::of(machine, thread);
        let Some(bytes) = touches.bytes().filter(|_| touches.is_memory()) else { return false };
        let is_free = |group: u64| self.uses.get(&group).is_none_or(|known| !known.is_contested());
        bytes.iter().all(|&(from, to, _)| {
            to.saturating_sub(from) <= LARGEST && (from / GROUP..=to.saturating_sub(1).max(from) / GROUP).all(is_free)
        })
    }

    /// Whether something became contested since this was asked last.
    pub fn has_grown(&mut self) -> bool {
        std::mem::take(&mut self.grown)
    }
}
