//! The run without preemptions: threads run until they must wait, and sleeping ones wake in the order of their
//! deadlines when no other thread is enabled.

use super::{Pct, Strategy, View};

/// One priority order without change points, in which sleeping counts as waiting.
pub struct Undisturbed {
    priorities: Pct,
    contended_from: Option<u64>,
}

impl Undisturbed {
    pub fn new() -> Undisturbed {
        Undisturbed { priorities: Pct::new(0, 1, 1), contended_from: None }
    }

    /// The number of visible steps before two threads were enabled for the first time; `None` if they never were.
    pub fn contended_from(&self) -> Option<u64> {
        self.contended_from
    }
}

impl Default for Undisturbed {
    fn default() -> Undisturbed {
        Undisturbed::new()
    }
}

impl Strategy for Undisturbed {
    fn pick(&mut self, view: &View<'_>) -> usize {
        if view.ready.len() > 1 {
            self.contended_from.get_or_insert(view.taken);
        }
        let sleeps = |thread: &usize| view.asleep.iter().any(|(asleep, _)| asleep == thread);
        let awake: Vec<usize> = view.ready.iter().copied().filter(|thread| !sleeps(thread)).collect();
        match view.asleep.iter().min_by_key(|(_, wakes_at)| wakes_at) {
            Some(&(first, _)) if awake.is_empty() => first,
            _ => self.priorities.pick(&View { ready: &awake, ..*view }),
        }
    }

    fn alternative(&mut self, count: u64) -> u64 {
        self.priorities.alternative(count)
    }

    fn input(&mut self, bits: u32) -> u64 {
        self.priorities.input(bits)
    }
}
