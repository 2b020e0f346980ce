//! The results of the search near recorded runs beside its finding.

use run::ThreadName;

use super::{Given, Place, Stopped};

/// How failures near recorded runs were searched for.
// Many fields: a report is flat, so that each renderer picks the parts that its format shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// The number of passing runs, and of those that differ in a decision.
    pub runs: u64,
    pub distinct: usize,
    /// Questions for a failing execution, and candidates that were replayed.
    pub tries: u64,
    /// The threads of the failing execution on paths that no run has recorded.
    pub synthesised: usize,
    /// The decisions of the nearest run that are flipped in the failing execution.
    pub flips: Vec<Flip>,
    /// No failing execution has fewer flips.
    pub minimal: bool,
    pub nearest_run: Option<String>,
    /// The number of decisions that can be flipped.
    pub decisions: usize,
    /// The bound on the decisions of a path before it joins a recorded one, if there was one.
    pub free: Option<u32>,
    /// Only this many decisions before the failure were allowed to flip.
    pub window: Option<u32>,
    /// The input was free within these bounds.
    pub varied: Option<Given>,
    /// All different failures were searched for, not only one.
    pub all: bool,
    /// Why the search for more of them ended early.
    pub stopped: Option<Stopped>,
    /// Runs that were not used, with the reasons.
    pub skipped: Vec<String>,
}

/// A flipped decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    pub thread: ThreadName,
    pub at: Option<Place>,
    pub recorded: String,
    pub now: String,
}
