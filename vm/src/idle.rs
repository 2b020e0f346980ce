//! Idle loops: rounds that change nothing and come back to where they began with equal live values.
//!
//! Such a thread does the same again until somebody changes what it looks at, so it is treated as waiting: a loop that spins
//! on a flag neither starves the others nor hides that the flag is never set. A failed compare-exchange or try-lock and a
//! store of the value that is there already change nothing.

use std::rc::Rc;

use semantics::code::Header;
use semantics::concrete::Word;

/// What ends the waiting of an idle loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Awaits {
    /// One of these places holds another value: (address, bytes, value).
    Values(Rc<[(u64, u32, Word)]>),
    /// Any change after that many.
    ChangeAfter(u64),
}

/// A loop, within one call.
type LoopId = (u64, u32);

/// What a thread remembers to notice that it is idle.
#[derive(Clone, Debug, Default)]
pub struct IdleWatch {
    /// How often it changed something.
    own_changes: u64,
    /// How often it looked at something that others can change.
    reads: u64,
    reads_seen: u64,
    /// How often it slept, and whether it did in the round that was found idle last.
    sleeps: u64,
    has_slept: bool,
    visits: u64,
    round: Round,
    loops: Rc<Vec<Visit>>,
}

/// What was read of shared memory since a loop began its last round.
#[derive(Clone, Debug, Default)]
struct Round {
    began: Option<LoopId>,
    values: Rc<Vec<(u64, u32, Word)>>,
    /// It looked at more than `values` can tell.
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
/// Loops that look at nothing shared are compared this seldom.
const PRIVATE_LOOP_VISITS: u64 = 256;
/// An idle loop that reads more places than this waits for any change.
const LONGEST_ROUND: usize = 32;

impl IdleWatch {
    /// The thread changed something.
    #[inline]
    pub fn changed(&mut self) {
        self.own_changes += 1;
    }

    /// The thread looked at something, other than memory, that another thread may change.
    pub fn looked(&mut self) {
        self.reads += 1;
        self.round.more = true;
    }

    /// The thread sleeps. That changes nothing but the time.
    pub fn slept(&mut self) {
        self.sleeps += 1;
    }

    /// Whether the round slept that was found idle last.
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

    /// Loops, by where they begin, that may go on at once although their round changes nothing: others have changed something
    /// since it began. They may come to where they are once more and wait then.
    pub fn disturbed(&self, changes: u64) -> impl Iterator<Item = u32> {
        let may_wait = |visit: &&Visit| visit.own_changes == self.own_changes;
        self.loops.iter().filter(may_wait).filter(move |visit| visit.changes != changes).map(|visit| visit.id.1)
    }

    /// The loop begins a round. When the last one was idle: what the next one must wait for. `changes` counts what all
    /// threads changed.
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
        // A loop inside this one has begun rounds of its own since: what it read before them is forgotten.
        if round.began == Some(id) && !round.more {
            Some(Awaits::Values(round.values.as_slice().into()))
        } else {
            Some(Awaits::ChangeAfter(since))
        }
    }
}
