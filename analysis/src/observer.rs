//! Who is told what a use case does while it does it.

use crate::answer::Answer;

/// The caller's side of the work. Methods are called by the thread that called the use case, and return soon.
pub trait Observer {
    /// The stage that begins, in a few words.
    fn stage(&self, _stage: &str) {}

    /// How far the stage has come.
    fn progress(&self, _progress: Progress) {}

    /// Something about the input that the user should know and the answer does not say.
    fn note(&self, _text: &str) {}

    /// Something about the way to the answer that the answer does not say.
    fn detail(&self, _text: &str) {}

    /// An answer that holds from now on, though a better one may follow. If the work is cut, it is the last one that counts.
    fn established(&self, answer: &Answer) -> Result<(), Refused>;
}

/// The observer cannot take an answer. It keeps the reason, and the work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Counts that a progress line can show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Runs, of so many that were asked for, and executions that were explored beside them.
    Runs { made: u64, of: Option<u64>, explored: u64 },
    /// An exploration of every schedule, and the share of all schedules that it has probably seen.
    Exploration { executions: u64, share: f64 },
}

/// Looks at nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn established(&self, _answer: &Answer) -> Result<(), Refused> {
        Ok(())
    }
}
