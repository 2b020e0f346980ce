//! The run that the user expects: threads run until they must wait, and those that sleep wake in the order of their deadlines
//! when no other thread can go on.

use super::{Pct, Strategy, View};

/// One priority order without change points, in which sleeping counts as waiting.
pub struct Undisturbed(Pct);

impl Undisturbed {
    pub fn new() -> Undisturbed {
        Undisturbed(Pct::new(0, 1, 1))
    }
}

impl Default for Undisturbed {
    fn default() -> Undisturbed {
        Undisturbed::new()
    }
}

impl Strategy for Undisturbed {
    fn pick(&mut self, view: &View<'_>) -> usize {
        let sleeps = |thread: &usize| view.asleep.iter().any(|(asleep, _)| asleep == thread);
        let awake: Vec<usize> = view.ready.iter().copied().filter(|thread| !sleeps(thread)).collect();
        match view.asleep.iter().min_by_key(|(_, wakes_at)| wakes_at) {
            Some(&(first, _)) if awake.is_empty() => first,
            _ => self.0.pick(&View { ready: &awake, ..*view }),
        }
    }

    fn alternative(&mut self, count: u64) -> u64 {
        self.0.alternative(count)
    }

    fn input(&mut self, bits: u32) -> u64 {
        self.0.input(bits)
    }
}
