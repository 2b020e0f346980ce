//! One budget for several questions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::solver::{Budget, Reason};

pub(super) struct Meter {
    deadline: Option<Instant>,
    /// The solver's conflict count at which it ends.
    conflicts: Option<u64>,
    stop: Option<Arc<AtomicBool>>,
}

impl Meter {
    /// `now` is the solver's conflict count.
    pub fn new(budget: &Budget, now: u64) -> Meter {
        Meter {
            deadline: budget.ends(),
            conflicts: budget.conflicts.map(|conflicts| now.saturating_add(conflicts)),
            stop: budget.stop.clone(),
        }
    }

    pub fn check(&self, now: u64) -> Result<(), Reason> {
        match () {
            () if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) => Err(Reason::Interrupted),
            () if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) => Err(Reason::Time),
            () if self.conflicts.is_some_and(|limit| now >= limit) => Err(Reason::Conflicts),
            () => Ok(()),
        }
    }

    /// The rest of the budget, at most the slice.
    pub fn budget(&self, now: u64, slice: Option<u64>) -> Result<Budget, Reason> {
        self.check(now)?;
        let left = self.conflicts.map(|limit| limit - now);
        Ok(Budget {
            conflicts: [left, slice].into_iter().flatten().min(),
            time: None,
            deadline: self.deadline,
            stop: self.stop.clone(),
        })
    }
}
