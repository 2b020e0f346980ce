//! Data races: two accesses to the same byte, at least one a write and at least one plain, that are unordered by
//! happens-before.
//!
//! Happens-before is tracked with vector clocks, as in FastTrack (Flanagan and Freund, PLDI 2009). Deviations: byte by
//! byte and with all reads rather than the last. Every atomic access both acquires and releases, whatever its memory
//! order: so fences cause no false alarm, and races that only a relaxed access leaves open are missed.

use std::collections::HashMap;

use crate::memory::{ObjectId, Trail};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Clock(Vec<u64>);

impl Clock {
    fn of(&self, thread: usize) -> u64 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    fn tick(&mut self, thread: usize) {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        self.0[thread] += 1;
    }
}

#[derive(Clone, Debug)]
struct Seen {
    thread: usize,
    time: u64,
    atomic: bool,
    writes: bool,
    trail: Trail,
}

/// One access to memory.
pub struct Accessed {
    pub thread: usize,
    pub object: ObjectId,
    pub offset: u64,
    pub size: u64,
    pub writes: bool,
    pub atomic: bool,
    pub trail: Trail,
}

/// The earlier access of a race.
pub struct Race {
    pub first_writes: bool,
    pub first: Trail,
}

#[derive(Clone, Debug, Default)]
pub struct Races {
    threads: Vec<Clock>,
    /// The clock released by a lock, a condition variable, an atomic location or an ended thread, by address or handle.
    handed: HashMap<u64, Clock>,
    bytes: HashMap<(ObjectId, u64), Vec<Seen>>,
}

impl Races {
    fn clock(&mut self, thread: usize) -> &mut Clock {
        while self.threads.len() <= thread {
            let mut clock = Clock::default();
            clock.tick(self.threads.len());
            self.threads.push(clock);
        }
        &mut self.threads[thread]
    }

    /// The thread's steps so far happen before those of the next thread that acquires this.
    pub fn release(&mut self, thread: usize, what: u64) {
        let clock = self.clock(thread).clone();
        self.handed.entry(what).or_default().join(&clock);
        self.clock(thread).tick(thread);
    }

    pub fn acquire(&mut self, thread: usize, what: u64) {
        if let Some(handed) = self.handed.get(&what).cloned() {
            self.clock(thread).join(&handed);
        }
    }

    pub fn fork(&mut self, parent: usize, child: usize) {
        let clock = self.clock(parent).clone();
        self.clock(child).join(&clock);
        self.clock(parent).tick(parent);
    }

    pub fn join(&mut self, thread: usize, ended: usize) {
        let clock = self.clock(ended).clone();
        self.clock(thread).join(&clock);
    }

    /// Notes an access; the race that it completes, if any.
    pub fn access(&mut self, accessed: &Accessed) -> Option<Race> {
        let clock = self.clock(accessed.thread).clone();
        let mut race = None;
        for byte in accessed.offset..accessed.offset + accessed.size {
            let seen = self.bytes.entry((accessed.object, byte)).or_default();
            let conflict = seen.iter().find(|other| {
                other.thread != accessed.thread
                    && (other.writes || accessed.writes)
                    && !(other.atomic && accessed.atomic)
                    && other.time > clock.of(other.thread)
            });
            if let (None, Some(other)) = (&race, conflict) {
                race = Some(Race { first_writes: other.writes, first: other.trail.clone() });
            }
            if accessed.writes {
                // Accesses that happen before this write cannot race with accesses after it. (An atomic write does not
                // hide a plain one: a later atomic access may race with that.)
                let hides = |other: &Seen| !accessed.atomic || other.atomic;
                seen.retain(|other| other.time > clock.of(other.thread) || !hides(other));
            }
            seen.retain(|other| other.thread != accessed.thread || other.writes != accessed.writes);
            seen.push(Seen {
                thread: accessed.thread,
                time: clock.of(accessed.thread),
                atomic: accessed.atomic,
                writes: accessed.writes,
                trail: accessed.trail.clone(),
            });
        }
        race
    }

    /// A new object lies where another was.
    pub fn forget(&mut self, object: ObjectId, size: u64) {
        for byte in 0..size {
            self.bytes.remove(&(object, byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(thread: usize, writes: bool, atomic: bool) -> Accessed {
        let trail = Trail { thread: thread as u32, frames: [].into() };
        Accessed { thread, object: ObjectId(0), offset: 0, size: 4, writes, atomic, trail }
    }

    #[test]
    fn unordered_conflicts_are_races() {
        let mut races = Races::default();
        races.fork(0, 1);
        races.fork(0, 2);
        assert!(races.access(&access(1, false, false)).is_none());
        assert!(races.access(&access(2, false, false)).is_none());
        assert!(races.access(&access(2, true, false)).is_some());
    }

    #[test]
    fn locks_and_joins_order() {
        let mut races = Races::default();
        races.fork(0, 1);
        races.fork(0, 2);
        assert!(races.access(&access(1, true, false)).is_none());
        races.release(1, 77);
        races.acquire(2, 77);
        assert!(races.access(&access(2, true, false)).is_none());
        races.join(0, 2);
        assert!(races.access(&access(0, false, false)).is_none());
    }

    #[test]
    fn atomics_race_with_plain_accesses_only() {
        let mut races = Races::default();
        races.fork(0, 1);
        assert!(races.access(&access(1, true, true)).is_none());
        assert!(races.access(&access(0, true, true)).is_none());
        assert!(races.access(&access(1, true, false)).is_some());
    }
}
