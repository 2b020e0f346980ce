//! Partial-order sampling (Yuan, Yang, Gu: "Partial order aware concurrency sampling", CAV 2018).
//!
//! Every pending step has a random priority, and the highest is executed. When a step is executed, the pending steps of
//! other threads that conflict with it get new priorities, so that the order of each conflicting pair is chosen anew.
//! Schedules that differ only in the order of independent steps count once: the sample is distributed over partial
//! orders, not over schedules.
//!
//! Deviation: the next step of a thread that yields (yield, sleep, idle loop) has a lower priority than those of all
//! that did not. Otherwise a polling loop, in which every iteration is a new step, would run for many iterations.

use super::{Random, Strategy, View};

/// Priorities below this are those of threads that yielded.
const GAVE_WAY: u64 = 1 << 32;

pub struct Pos {
    random: Random,
    /// Of each thread's pending step; `None`: it has none yet.
    priorities: Vec<Option<u64>>,
}

impl Pos {
    pub fn new(seed: u64) -> Pos {
        Pos { random: Random::new(seed), priorities: Vec::new() }
    }
}

impl Strategy for Pos {
    fn pick(&mut self, view: &View<'_>) -> usize {
        let needed = view.ready.iter().copied().chain(view.last).max().map_or(0, |highest| highest + 1);
        if self.priorities.len() < needed {
            self.priorities.resize(needed, None);
        }
        if let Some(last) = view.last {
            self.priorities[last] = view.yielded.then(|| self.random.below(GAVE_WAY));
        }
        for &thread in view.ready {
            if self.priorities[thread].is_none() {
                self.priorities[thread] = Some(GAVE_WAY + self.random.below(1 << 62));
            }
        }
        let best = view.ready.iter().copied().max_by_key(|&thread| self.priorities[thread]).unwrap_or(view.ready[0]);
        for &other in view.ready {
            if other != best && (view.conflicts)(best, other) {
                self.priorities[other] = None;
            }
        }
        best
    }

    fn alternative(&mut self, count: u64) -> u64 {
        self.random.below(count)
    }

    fn input(&mut self, bits: u32) -> u64 {
        self.random.any_input(bits)
    }
}
