//! The budget of a use case, which all stages share: its deadline, and an early end because of the user, the time or
//! the memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use report::Stopped;

#[derive(Clone, Debug)]
pub struct Budget {
    pub started: Instant,
    deadline: Option<Instant>,
    /// Whether the user has named the time.
    is_named: bool,
    end: Arc<Ending>,
}

/// Why the work has to end.
#[derive(Debug, Default)]
struct Ending {
    /// A position in [`Stopped::CUTS`] plus one; 0 means no end.
    why: AtomicU8,
    /// The flag that solvers check.
    stop: Arc<AtomicBool>,
}

impl Budget {
    /// A time limit from `started` on; `is_named` says whether the user gave it.
    pub fn new(started: Instant, time: Option<Duration>, is_named: bool) -> Budget {
        let deadline = time.and_then(|time| started.checked_add(time));
        Budget { started, deadline, is_named, end: Arc::default() }
    }

    /// Ends all work on this budget. The first reason is kept.
    pub fn end(&self, why: Stopped) {
        let position = Stopped::CUTS.iter().position(|cut| *cut == why).unwrap_or_default() as u8;
        let _ = self.end.why.compare_exchange(0, position + 1, Ordering::Relaxed, Ordering::Relaxed);
        self.end.stop.store(true, Ordering::Relaxed);
    }

    /// Whether [`Budget::end`] was called.
    pub fn was_ended(&self) -> bool {
        self.end.why.load(Ordering::Relaxed) != 0
    }

    /// Why the work must end now, if it must.
    pub fn over(&self) -> Option<Stopped> {
        let why = usize::from(self.end.why.load(Ordering::Relaxed));
        let cut = why.checked_sub(1).and_then(|position| Stopped::CUTS.get(position)).copied();
        cut.or_else(|| self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stopped::Time))
    }

    pub fn is_over(&self) -> bool {
        self.over().is_some()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The remaining time; `None` without a limit.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The same, for a part with this limit.
    pub fn within(&self, most: Duration) -> Budget {
        let until = Instant::now().checked_add(most);
        let deadline = match (self.deadline, until) {
            (Some(deadline), Some(until)) => Some(deadline.min(until)),
            (deadline, until) => deadline.or(until),
        };
        Budget { deadline, ..self.clone() }
    }

    /// The same, for a part with this limit, unless the user gave a time.
    pub fn part(&self, most: Duration) -> Budget {
        if self.is_named { self.clone() } else { self.within(most) }
    }

    /// The same, for a part that leaves a third of the time to later parts.
    pub fn but_a_third(&self) -> Budget {
        self.left().map_or_else(|| self.clone(), |left| self.within(left - left / 3))
    }

    /// The budget of the next question to a solver.
    pub fn of_solver(&self, conflicts: Option<u64>) -> solve::Budget {
        solve::Budget { conflicts, time: None, deadline: self.deadline, stop: Some(Arc::clone(&self.end.stop)) }
    }

    /// In the solver's terms, why it ended.
    pub fn why(&self, reason: &solve::Reason) -> Stopped {
        match reason {
            solve::Reason::Failed(_) => Stopped::SolverFailed,
            solve::Reason::Interrupted => self.over().unwrap_or(Stopped::Interrupted),
            solve::Reason::Time | solve::Reason::Conflicts => Stopped::Time,
            solve::Reason::Size => Stopped::Memory,
        }
    }
}
