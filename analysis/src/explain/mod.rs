//! Explains failures of programs that can be run, of natively recorded runs, and of recorded traces.

mod subject;
mod passing_run;
mod explain_run;
pub(crate) mod program;
mod order_recorded;
mod recorded;
pub(crate) mod traces;

pub use diagnose::Method;
pub use program::program;
pub use recorded::{OfRecorded, recorded, recorded_settings, unrecorded_readers};
pub use traces::traces;

/// The default conflict limit of one question. It bounds the time and does not depend on the machine.
const CONFLICTS: u64 = 50_000;

/// The parts of an explanation, and their limits.
#[derive(Clone, Debug)]
pub struct Request {
    /// The last part.
    pub only: Option<Part>,
    /// How the passing execution is searched for.
    pub alternate: Method,
    /// Every passing execution that a swapped pair makes, not only the first.
    pub all_alternates: bool,
    /// The solver's conflict limit for each question of the diagnosis.
    pub conflicts: Option<u64>,
    /// The limit on runs; of a recorded run, on orders.
    pub runs: Option<u64>,
    /// Whether runs are tried before the solver.
    pub simulates: bool,
    /// The work limit of the search for a failing run, as [`vm::explore::work`] counts it. The solver is not used for it then.
    pub work: Option<u64>,
}

/// How far an explanation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Schedule,
    Cause,
    Alternate,
}

impl Default for Request {
    /// The nearest passing execution, from the failure outwards.
    fn default() -> Request {
        Request {
            only: None,
            alternate: Method::Progressive,
            all_alternates: false,
            conflicts: None,
            runs: None,
            simulates: true,
            work: None,
        }
    }
}

impl Request {
    fn method(&self) -> Method {
        if self.all_alternates { Method::Pair } else { self.alternate }
    }
}
