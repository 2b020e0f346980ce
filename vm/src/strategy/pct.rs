//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte: "A randomized scheduler with
//! probabilistic guarantees of finding bugs", ASPLOS 2010).
//!
//! Every thread has a random priority, the enabled one with the highest runs, and at `depth - 1` random points the
//! running thread falls below all others. A bug that needs `depth` ordering constraints is found with probability at
//! least 1 / (threads × length^(depth-1)) in each run.
//!
//! Deviations: a thread that yields (yield, sleep, idle loop) falls to the lowest priority half of the time (always
//! would hide its steps right after a wait that timed out). So does one that has run `PATIENCE` visible steps while
//! others were enabled; otherwise a polling loop would starve them for ever.

use super::{Random, Strategy, View};

/// The number of consecutive visible steps after which a thread must yield.
const PATIENCE: u64 = 1000;

pub struct Pct {
    random: Random,
    /// Higher goes first. New threads get a random place among those that have not been lowered.
    priorities: Vec<i64>,
    /// Visible steps at which the running thread falls, ascending, and the priority to which it falls.
    changes: Vec<(u64, i64)>,
    /// The next priority for a thread that falls: lower than all before.
    lowest: i64,
    in_a_row: u64,
}

impl Pct {
    /// `length` is the number of visible steps that a run is expected to take.
    pub fn new(seed: u64, depth: u32, length: u64) -> Pct {
        Pct::within(seed, depth, 0, length)
    }

    /// As [`Pct::new`], with all change points among `length` visible steps after the first `from`: before a second
    /// thread lives, a change has no effect.
    pub fn within(seed: u64, depth: u32, from: u64, length: u64) -> Pct {
        let mut random = Random::new(seed);
        // The points are not sorted, so a thread that falls later may end above or below one that fell earlier.
        let points = i64::from(depth.max(1)) - 1;
        let mut changes: Vec<(u64, i64)> =
            (1..=points).map(|point| (from + random.below(length.max(1)), -point)).collect();
        changes.sort_unstable();
        Pct { random, priorities: Vec::new(), changes, lowest: -points, in_a_row: 0 }
    }

    /// Lowers a thread below all others.
    fn give_way(&mut self, thread: usize) {
        self.lowest -= 1;
        self.priorities[thread] = self.lowest;
        self.in_a_row = 0;
    }
}

impl Strategy for Pct {
    fn pick(&mut self, view: &View<'_>) -> usize {
        let needed = view.ready.iter().copied().chain(view.last).max().map_or(0, |highest| highest + 1);
        while self.priorities.len() < needed {
            let priority = 1 + self.random.below(1 << 40) as i64;
            self.priorities.push(priority);
        }
        if let Some(last) = view.last {
            if let Some(&(_, priority)) = self.changes.first().filter(|(change, _)| view.taken > *change) {
                self.changes.remove(0);
                self.priorities[last] = priority;
            }
            let gives_way = view.yielded && self.random.below(2) == 0;
            if gives_way || self.in_a_row >= PATIENCE {
                self.give_way(last);
            }
        }
        let best = view.ready.iter().copied().max_by_key(|&thread| self.priorities[thread]).unwrap_or(view.ready[0]);
        self.in_a_row = if view.last == Some(best) { self.in_a_row + 1 } else { 0 };
        best
    }

    fn alternative(&mut self, count: u64) -> u64 {
        self.random.below(count)
    }

    fn input(&mut self, bits: u32) -> u64 {
        self.random.any_input(bits)
    }
}
