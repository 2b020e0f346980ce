//! Contested bytes: those that several threads access, one of which writes, without a common lock.
//!
//! A search with a bound on preemptions need not preempt a thread before a step that only accesses other bytes: the
//! step commutes with all steps of other threads before the thread resumes, so it may be taken before them. The same
//! holds for bytes that are always protected by the same lock: while the thread owns it, no other accesses them.
//! Contested bytes are learnt from the steps of the search. If it has learnt new ones, the search is repeated; at the
//! end, no step accessed bytes that were wrongly taken for uncontested. Proof: suppose an execution within the bound
//! does, and take its first such step: all preemptions omitted before it commute, so the search takes that step too.
//!
//! Bytes are equal if they have the same address, in any execution: blocks that share one by accident are contested
//! unnecessarily. Accesses of a thread while no other is alive are ordered before and after everything else, and do not
//! count.

use std::collections::HashMap;

use ir::Primitive;

use crate::explore::touches::Touches;
use crate::idle::Awaits;
use crate::machine::Machine;
use crate::sync::Sync;
use crate::world::Pending;

/// The size of a group of bytes.
const GROUP: u64 = 8;

/// Larger blocks always count as contested.
const LARGEST: u64 = 1 << 20;

#[derive(Clone, Debug)]
struct Use {
    thread: u32,
    by_others: bool,
    written: bool,
    /// Locks that were held at every use so far, so that no other thread could hold them.
    locks: Vec<u64>,
}

impl Use {
    fn is_contested(&self) -> bool {
        self.by_others && self.written && self.locks.is_empty()
    }
}

#[derive(Clone, Debug, Default)]
pub struct Contested {
    uses: HashMap<u64, Use>,
    /// There were steps with unknown accesses.
    everything: bool,
    grown: bool,
}

impl Contested {
    /// Records the accesses of a thread's pending step.
    pub fn uses(&mut self, machine: &Machine, thread: usize) {
        if self.everything {
            return;
        }
        let status = &machine.shared.status;
        let is_alive = |other: usize| other != thread && !status[other].finished && !status[other].crashed;
        if !(0..machine.thread_count()).any(is_alive) {
            return;
        }
        let is_inside = machine.shared.turn.inside == Some(thread) || status[thread].atomic_depth > 0;
        let awaits_anything =
            |other: usize| matches!(&status[other].pending, Some(Pending::Spin { awaits: Awaits::ChangeAfter(_), .. }));
        let bytes = Touches::of(machine, thread).bytes();
        let ends =
            matches!(&status[thread].pending, Some(Pending::Primitive { primitive: Primitive::ProcessExit, .. }));
        let Some(bytes) = bytes.filter(|_| !is_inside && !(0..machine.thread_count()).any(awaits_anything)) else {
            // The end of the process comes after all other steps.
            if !ends {
                self.grown |= !std::mem::replace(&mut self.everything, true);
            }
            return;
        };
        if takes_away(machine, thread, &bytes) {
            self.grown |= !std::mem::replace(&mut self.everything, true);
            return;
        }
        let locks = locks_of(machine, thread as u32);
        for (from, to, writes) in bytes {
            self.note(thread as u32, from, to, writes, &locks);
        }
        // Threads that wait for a value read it all the time.
        for other in (0..machine.thread_count()).filter(|&other| other != thread) {
            if let Some(Pending::Spin { awaits: Awaits::Values(values), .. }) = &status[other].pending {
                for &(at, size, _) in values.iter() {
                    self.note(other as u32, at, at.saturating_add(u64::from(size)), false, &[]);
                }
            }
        }
    }

    fn note(&mut self, thread: u32, from: u64, to: u64, writes: bool, locks: &[u64]) {
        if to.saturating_sub(from) > LARGEST {
            self.grown |= !std::mem::replace(&mut self.everything, true);
            return;
        }
        for group in from / GROUP..=to.saturating_sub(1).max(from) / GROUP {
            let new = || Use { thread, by_others: false, written: false, locks: locks.to_vec() };
            let known = self.uses.entry(group).or_insert_with(new);
            let before = known.is_contested();
            known.by_others |= known.thread != thread;
            known.written |= writes;
            known.locks.retain(|lock| locks.contains(lock));
            self.grown |= known.is_contested() && !before;
        }
    }

    /// Whether no other thread contests the accesses of a thread's pending step.
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

    /// Whether any bytes became contested since the last call.
    pub fn has_grown(&mut self) -> bool {
        std::mem::take(&mut self.grown)
    }
}

/// The locks that a thread holds alone.
fn locks_of(machine: &Machine, thread: u32) -> Vec<u64> {
    let held = machine.shared.syncs.iter().filter(|(_, sync)| sync.sole_holder() == Some(thread));
    held.map(|(address, _)| address).collect()
}

/// Whether a step may release another thread's lock: it unlocks, destroys or frees it.
fn takes_away(machine: &Machine, thread: usize, bytes: &[(u64, u64, bool)]) -> bool {
    use Primitive::{
        MutexLock, MutexTimedLock, MutexTryLock, RwRead, RwTimedRead, RwTimedWrite, RwTryRead, RwTryWrite, RwWrite,
    };
    let asks = matches!(
        &machine.shared.status[thread].pending,
        Some(Pending::Primitive {
            primitive: MutexLock
                | MutexTimedLock
                | MutexTryLock
                | RwRead
                | RwTimedRead
                | RwTimedWrite
                | RwTryRead
                | RwTryWrite
                | RwWrite,
            ..
        })
    );
    let is_met = |address: u64| bytes.iter().any(|&(from, to, writes)| writes && from <= address && address < to);
    let of_other = |sync: &Sync| sync.sole_holder().is_some_and(|holder| holder as usize != thread);
    !asks && machine.shared.syncs.iter().any(|(address, sync)| of_other(sync) && is_met(address))
}
