//! The bounds of a search, which limit the verdict.

use std::fmt;

use events::Extent;

use super::finding::Subject;
use super::stopped::Stopped;
use crate::named::named;

/// How schedules were chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// One schedule was given.
    Replay,
    Random,
    Pct {
        depth: u32,
    },
    Exhaustive {
        reduction: bool,
        hashing: vm::explore::Hashing,
        preemptions: Option<u32>,
    },
    /// All schedules at once, with loops unrolled up to a bound.
    Bounded,
    /// The executions near recorded runs.
    Near,
    /// Runs of several strategies, in turns with exploration.
    Portfolio {
        /// The executions that were explored.
        explored: u64,
    },
}

impl Search {
    pub fn name(&self) -> &'static str {
        match self {
            Search::Replay => "replay",
            Search::Random => "random",
            Search::Pct { .. } => "pct",
            Search::Exhaustive { .. } => "exhaustive",
            Search::Bounded => "bounded",
            Search::Near => "near",
            Search::Portfolio { .. } => "portfolio",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub first: u64,
    pub last: u64,
}

/// The schedules of a program that were tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Every schedule was tried.
    pub complete: bool,
    pub search: Search,
    /// All executions, including the one without preemptions.
    pub executions: u64,
    pub undisturbed: bool,
    /// The seeds that were used, if any.
    pub seeds: Option<Range>,
    /// The step limit of a run.
    pub step_limit: u64,
    /// Runs that were cut off at that limit.
    pub cut: u64,
    /// Runs in which an assumption did not hold.
    pub excluded: u64,
    /// Why the search ended early.
    pub stopped: Option<Stopped>,
    /// The number of distinct states, if they were counted.
    pub states: Option<u64>,
    /// Parts that an exhaustive search left out.
    pub left_out: Vec<LeftOut>,
}

impl Bounds {
    /// The bounds before the search.
    pub fn new(search: Search, step_limit: u64) -> Bounds {
        Bounds {
            complete: false,
            search,
            executions: 0,
            undisturbed: false,
            seeds: None,
            step_limit,
            cut: 0,
            excluded: 0,
            stopped: None,
            states: None,
            left_out: Vec::new(),
        }
    }

    /// The executions that were runs, and not part of an exploration.
    pub fn runs(&self) -> u64 {
        match self.search {
            Search::Portfolio { explored } => self.executions.saturating_sub(explored),
            _ => self.executions,
        }
    }
}

/// Executions that an exhaustive search left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// All executions after this many.
    Executions(u64),
    /// Schedules with more preemptions.
    Preemptions(u32),
    Inputs,
    Sleeps,
    /// Long executions.
    Long,
    /// Races that depend on the path to a state, where equal states are explored once.
    Pasts,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeftOut::Executions(count) => write!(out, "all after {count} executions"),
            LeftOut::Preemptions(count) => write!(out, "schedules with more than {count} preemptions"),
            LeftOut::Inputs => out.write_str("inputs other than 0 and 1"),
            LeftOut::Sleeps => out.write_str("more rounds of loops that sleep while they wait"),
            LeftOut::Long => out.write_str("long executions"),
            LeftOut::Pasts => out.write_str("races that depend on how a state was reached"),
        }
    }
}

/// The orders of stored paths that were tried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathBounds {
    /// Every order was excluded by the solver.
    pub complete: bool,
    /// Complete runs among the traces.
    pub runs: usize,
    /// Runs in which a thread is missing.
    pub incomplete_runs: usize,
    /// Stored paths of all threads.
    pub paths: usize,
    pub attempts: Vec<Attempt>,
    /// Why the search ended early.
    pub stopped: Option<Stopped>,
}

/// One question about one graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    pub subject: Subject,
    pub extent: Extent,
    /// Orders that were simulated; `None` if the solver was asked.
    pub simulated: Option<u64>,
    pub answer: Answer,
    pub seconds: f64,
}

named! {
    /// The answer to a question about one graph.
    pub enum Answer {
        Fails = "fails",
        /// Simulation without success.
        NothingFound = "nothing-found",
        /// The solver proved it impossible.
        Impossible = "impossible",
        Unknown = "unknown",
    }
}
