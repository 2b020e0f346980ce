//! What a diagnosis is made of.

use events::{Execution, Outcome};

/// How an alternate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// One pair of the cause swapped in the failing schedule.
    Pair,
    /// Whatever the solver found.
    Any,
    /// All differences count the same.
    Optimal,
    /// Data flows first, then broken segments, then context switches.
    Lexicographic,
    /// From the failure outwards.
    Progressive,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Pair => "pair",
            Method::Any => "any",
            Method::Optimal => "optimal",
            Method::Lexicographic => "lexicographic",
            Method::Progressive => "progressive",
        }
    }
}

/// What became of an alternate when it was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Confirmation {
    Passes,
    /// The old failure did not happen, another one did.
    FailsElsewhere,
    /// A thread went another way than the paths that were given.
    LeavesPaths,
}

/// An execution that does not fail, near to one that does.
#[derive(Clone, Debug)]
pub struct Alternate {
    pub method: Method,
    pub execution: Execution,
    pub outcome: Outcome,
    pub confirmation: Confirmation,
    /// Pairs that were swapped before one helped, that one included.
    pub pairs_tried: u32,
    /// Whether it is proven that none differs less; `None` for methods that do not ask.
    pub optimal: Option<bool>,
}
