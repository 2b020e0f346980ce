//! The interface of solvers, implemented by the engine, the portfolio and the SMT-LIB processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use formula::{Assignment, Term, Terms};

/// Answers questions about one formula, which it owns and which can only be strengthened.
pub trait Solver {
    fn name(&self) -> &str;

    /// The arena for assumptions and further assertions.
    fn terms(&mut self) -> &mut Terms;

    /// Asserts a boolean term.
    fn assert(&mut self, term: Term);

    /// Searches for an assignment that satisfies the formula and all assumptions.
    fn solve(&mut self, assumptions: &[Term], budget: &Budget) -> Verdict;

    /// The number of conflicts of all questions so far; zero for solvers that do not count them.
    fn conflicts(&self) -> u64 {
        0
    }
}

#[derive(Clone, Debug)]
pub enum Verdict {
    Satisfiable(Assignment),
    Unsatisfiable {
        /// An unsat core of the assumptions, in the order in which they were given.
        core: Vec<Term>,
    },
    Unknown(Reason),
}

/// The limits of a search. There are none by default.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Per call. Solvers that do not count conflicts ignore it.
    pub conflicts: Option<u64>,
    pub time: Option<Duration>,
    /// For all calls with this budget together.
    pub deadline: Option<Instant>,
    /// Ends the search soon after it becomes true.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// Whether the deadline has passed or a stop was requested. Loops outside of a solver check it.
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The end of a part that begins now.
    pub fn ends(&self) -> Option<Instant> {
        let own = self.time.and_then(|time| Instant::now().checked_add(time));
        [own, self.deadline].into_iter().flatten().min()
    }

    /// This budget for a part with this end.
    pub fn until(&self, end: Option<Instant>) -> Budget {
        let time = end.map(|end| end.saturating_duration_since(Instant::now()));
        Budget { time, ..self.clone() }
    }

    /// This budget for the first of this many parts of one question: its time, and the time until the deadline, are
    /// divided among them.
    pub fn part(&self, parts: u32) -> Budget {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = [self.time, left].into_iter().flatten().min().map(|time| time / parts.max(1));
        Budget { time, ..self.clone() }
    }

    /// The reason for ending a loop when the budget is over.
    pub fn reason(&self) -> Reason {
        if self.is_stopped() { Reason::Interrupted } else { Reason::Time }
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Conflicts,
    Time,
    Interrupted,
    /// The question is too large.
    Size,
    /// The solver failed: a process died, or its answer was malformed.
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_of_everything_and_time_of_each_part() {
        let now = Instant::now();
        let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3600));
        let endless = Budget::default();
        assert!(!endless.is_over() && endless.ends().is_none() && endless.part(2).time.is_none());
        let timed = Budget { time: Some(hour), ..Budget::default() };
        assert!(!timed.is_over() && timed.ends() > Some(now + hour - second));
        assert_eq!(timed.part(4).time, Some(hour / 4));
        let late = Budget { deadline: Some(now), time: Some(hour), ..Budget::default() };
        assert!(late.is_over() && late.ends() == Some(now) && late.reason() == Reason::Time);
        assert_eq!(late.part(1).time, Some(Duration::ZERO));
        let stopped = Budget { stop: Some(Arc::new(AtomicBool::new(true))), ..Budget::default() };
        assert!(stopped.is_over() && stopped.reason() == Reason::Interrupted);
    }
}
