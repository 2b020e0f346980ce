//! Why something fails: a program that can be run, a run that was recorded natively, or recorded traces.

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

/// Conflicts of one question, where the user says nothing. They bound the time and do not depend on the machine.
const CONFLICTS: u64 = 50_000;

/// What is explained, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where it ends.
    pub only: Option<Part>,
    /// How the passing execution is looked for.
    pub alternate: Method,
    /// Every passing execution that a swapped pair makes, not only the first.
    pub all_alternates: bool,
    /// How many conflicts each question of the diagnosis may cost the solver.
    pub conflicts: Option<u64>,
    /// How many runs are tried; of a recorded run, how many orders.
    pub runs: Option<u64>,
    /// Whether runs are tried before the solver is asked.
    pub simulates: bool,
    /// How much work a failing run is looked for, as [`vm::explore::work`] counts it. The solver is not asked for one then.
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
