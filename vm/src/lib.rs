//! Runs programs: concretely, under a schedule that is given or a strategy that chooses.

pub mod outcome;

pub use outcome::{Event, Execution, Failure, FailureKind, Outcome, Site, SiteFrame, Waiting};
