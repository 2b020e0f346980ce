//! The observer of a running use case.

use crate::answer::Answer;

/// The caller's side of the work. Methods are called by the thread that called the use case, and return soon.
pub trait Observer {
    /// The stage that begins, in a few words.
    fn stage(&self, _stage: &str) {}

    /// The progress of the stage.
    fn progress(&self, _progress: Progress) {}

    /// A note on the input that is not part of the answer.
    fn note(&self, _text: &str) {}

    /// A detail of the search that is not part of the answer.
    fn detail(&self, _text: &str) {}

    /// An answer that is valid from now on, though a better one may follow. If the work is cut off, the last one
    /// counts.
    fn established(&self, answer: &Answer) -> Result<(), Refused>;
}

/// The observer refused an answer. It keeps the reason, and the work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Counts that a progress line can show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Completed runs, of the requested number, and executions explored beside them.
    Runs { made: u64, of: Option<u64>, explored: u64 },
    /// An exploration of every schedule, and the estimated share of explored schedules.
    Exploration { executions: u64, share: f64 },
}

/// Ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn established(&self, _answer: &Answer) -> Result<(), Refused> {
        Ok(())
    }
}
