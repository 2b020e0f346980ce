//! What every solver can do: ours, and the SMT-LIB processes that it is held against.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use formula::{Assignment, Term, Terms};

/// Answers questions about one formula, which it owns and which can only become stronger.
pub trait Solver {
    fn name(&self) -> &str;

    /// For building assumptions and further assertions.
    fn terms(&mut self) -> &mut Terms;

    /// Demands a boolean term from now on.
    fn assert(&mut self, term: Term);

    /// Looks for an assignment under which the formula and all assumptions hold.
    fn solve(&mut self, assumptions: &[Term], budget: &Budget) -> Verdict;

    /// How many conflicts all questions took so far; solvers that do not count them have none.
    fn conflicts(&self) -> u64 {
        0
    }
}

#[derive(Clone, Debug)]
pub enum Verdict {
    Satisfiable(Assignment),
    Unsatisfiable {
        /// Assumptions that cannot hold together with the formula, in the order in which they were given.
        core: Vec<Term>,
    },
    Unknown(Reason),
}

/// What ends a search without an answer. Nothing does by default.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Of one call. Solvers that do not count conflicts ignore it.
    pub conflicts: Option<u64>,
    pub time: Option<Duration>,
    /// Ends the search soon after it becomes true.
    pub stop: Option<Arc<AtomicBool>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Conflicts,
    Time,
    Interrupted,
    /// The solver broke down: a process died, or its answer was not understood.
    Failed(String),
}
