//! Idle loops: iterations without side effects that return to the loop's header with equal live values.
//!
//! Such a thread repeats itself until another thread changes a value that it reads, so it counts as waiting: a spin
//! loop on a flag neither starves the others nor hides that the flag is never set. A failed compare-exchange or
//! try-lock and a store of the current value are no side effects.

use std::rc::Rc;

use semantics::code::Header;
use semantics::concrete::Word;

/// The change that ends the waiting of an idle loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Awaits {
    /// One of these places holds another value: (address, bytes, value).
    Values(Rc<[(u64, u32, Word)]>),
    /// Any change after that many.
    ChangeAfter(u64),
}

/// A loop, within one call.
type LoopId = (u64, u32);

/// The state with which a thread's idle loops are detected.
#[derive(Clone, Debug, Default)]
pub struct IdleWatch {
    /// The number of its side effects.
    own_changes: u64,
    /// The number of its reads of shared state.
    reads: u64,
    reads_seen: u64,
    /// The number of its sleeps, and whether it slept in the last idle iteration.
    sleeps: u64,
    has_slept: bool,
    visits: u64,
    round: Round,
    loops: Rc<Vec<Visit>>,
}

/// The shared values read since the last iteration of a loop began.
#[derive(Clone, Debug, Default)]
struct Round {
    began: Option<LoopId>,
    values: Rc<Vec<(u64, u32, Word)>>,
    /// There were more reads than `values` can hold.
    more: bool,
}

#[derive(Clone, Debug)]
struct Visit {
    id: LoopId,
    own_changes: u64,
    sleeps: u64,
    /// All changes at that time: a later one may have come after the reads of this round.
    changes: u64,
    live: Vec<Word>,
}

/// How many loops a thread remembers; nests are seldom deeper.
const REMEMBERED_LOOPS: usize = 12;
/// Loops without shared reads are compared only once in this many visits.
const PRIVATE_LOOP_VISITS: u64 = 256;
/// An idle loop that reads more places than this waits for any change.
const LONGEST_ROUND: usize = 32;

impl IdleWatch {
    /// The thread had a side effect.
    #[inline]
    pub fn changed(&mut self) {
        self.own_changes += 1;
    }

    /// The thread read shared state other than memory.
    pub fn looked(&mut self) {
        self.reads += 1;
        self.round.more = true;
    }

    /// The thread sleeps. That only advances the time.
    pub fn slept(&mut self) {
        self.sleeps += 1;
    }

    /// Whether the thread slept in the last idle iteration.
    pub fn has_slept(&self) -> bool {
        self.has_slept
    }

    /// The thread read a place that another thread may write.
    pub fn read(&mut self, at: u64, size: u32, value: Word) {
        self.reads += 1;
        if self.round.values.len() < LONGEST_ROUND {
            Rc::make_mut(&mut self.round.values).push((at, size, value));
        } else {
            self.round.more = true;
        }
    }

    /// Loops, by header, that need not wait although their iteration had no side effect, because others have made
    /// changes since it began. They may return to the header once more and wait then.
    pub fn disturbed(&self, changes: u64) -> impl Iterator<Item = u32> {
        let may_wait = |visit: &&Visit| visit.own_changes == self.own_changes;
        self.loops.iter().filter(may_wait).filter(move |visit| visit.changes != changes).map(|visit| visit.id.1)
    }

    /// A loop begins an iteration. If the last one was idle, returns the change to wait for. `changes` counts the side
    /// effects of all threads.
    #[inline]
    pub fn begin_round(&mut self, frame: u64, header: &Header, registers: &[Word], changes: u64) -> Option<Awaits> {
        self.visits += 1;
        let id = (frame, header.position);
        let looks_at_nothing = self.reads == self.reads_seen && self.round.began == Some(id);
        if looks_at_nothing && !self.visits.is_multiple_of(PRIVATE_LOOP_VISITS) {
            return None;
        }
        self.compare(id, header, registers, changes)
    }

    fn compare(&mut self, id: LoopId, header: &Header, registers: &[Word], changes: u64) -> Option<Awaits> {
        self.reads_seen = self.reads;
        let round = std::mem::replace(&mut self.round, Round { began: Some(id), ..Round::default() });
        let (own_changes, sleeps) = (self.own_changes, self.sleeps);
        let live = || header.live.iter().map(|&register| registers[register as usize]);
        let loops = Rc::make_mut(&mut self.loops);
        // Loops that began inside of the last round begin anew in this one: where a nest waits does not depend on the past.
        if let Some(index) = loops.iter().position(|visit| visit.id == id) {
            loops.truncate(index + 1);
        }
        let Some(visit) = loops.last_mut().filter(|visit| visit.id == id) else {
            if loops.len() >= REMEMBERED_LOOPS {
                loops.remove(0);
            }
            loops.push(Visit { id, own_changes, sleeps, changes, live: live().collect() });
            return None;
        };
        let since = std::mem::replace(&mut visit.changes, changes);
        self.has_slept = std::mem::replace(&mut visit.sleeps, sleeps) != sleeps;
        if visit.own_changes != own_changes || !visit.live.iter().copied().eq(live()) {
            visit.own_changes = own_changes;
            visit.live.clear();
            visit.live.extend(live());
            return None;
        }
        // A nested loop has begun iterations of its own since: its earlier reads are forgotten.
        if round.began == Some(id) && !round.more {
            Some(Awaits::Values(round.values.as_slice().into()))
        } else {
            Some(Awaits::ChangeAfter(since))
        }
    }
}
