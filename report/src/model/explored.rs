//! What the search near recorded runs says beside its finding.

use run::ThreadName;

use super::{Given, Place, Stopped};

/// How failures were looked for near recorded runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// How many passing runs there were, and how many of them differ in a decision.
    pub runs: u64,
    pub distinct: usize,
    /// Questions for a failing execution, and candidates that were replayed.
    pub tries: u64,
    /// Of the failing execution, threads on paths that no run has recorded.
    pub synthesised: usize,
    /// The decisions of the nearest run that the failing execution takes otherwise.
    pub flips: Vec<Flip>,
    /// No failing execution has fewer flips.
    pub minimal: bool,
    pub nearest_run: Option<String>,
    /// Decisions of the runs that can go another way.
    pub decisions: usize,
    /// How many decisions a path may take of its own before it joins a recorded one, where that was bounded.
    pub free: Option<u32>,
    /// Only so many decisions before the failure were allowed to go another way.
    pub window: Option<u32>,
    /// The input was free within these bounds.
    pub varied: Option<Given>,
    /// All different failures were looked for, not only one.
    pub all: bool,
    /// Why the search for more of them ended early.
    pub stopped: Option<Stopped>,
    /// Runs that were not used, and why.
    pub skipped: Vec<String>,
}

/// A recorded decision that goes another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    pub thread: ThreadName,
    pub at: Option<Place>,
    pub recorded: String,
    pub now: String,
}
