//! Why a use case has no answer.

use std::fmt;

use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// A contradiction in heddle itself.
    #[error("{0} (this is a bug in heddle)")]
    Bug(String),
    /// All kinds of failures are excluded.
    #[error("--property leaves no kind of failure to search for")]
    NoKind,
    #[error("{file}:{line}: {message}")]
    BadTrace { file: String, line: u32, message: String },
    #[error("the traces of some threads are missing")]
    MissingTraces,
    #[error("no trace in {folder} has a failing condition")]
    NoAssertion { folder: String },
    #[error("{folder} has no complete run {wanted}")]
    NoSuchRun { folder: String, wanted: String, known: Vec<String> },
    /// An unknown option in a schedule's header.
    #[error("the schedule has the unknown option `{0}`")]
    UnknownOption(String),
    /// A schedule that does not fit its program or traces.
    #[error("{schedule} does not fit {of}: {why}")]
    Misfit { schedule: String, of: ScheduleOf, why: String },
    #[error("the replay ended with `{ended}`, but `{recorded}` was recorded")]
    EndsDifferently { of: ScheduleOf, ended: String, recorded: String },
    /// The traces differ from those of the schedule.
    #[error("{schedule} no longer fits the traces in {folder}: {why}")]
    ChangedTraces { schedule: String, folder: String, asserting: Option<String>, why: String },
    /// The encoder does not cover the graph.
    #[error("{0}")]
    NotEncoded(String),
    /// The observer refused an answer, and knows the reason.
    #[error("the answer was refused")]
    Refused,
}

/// The program or the traces of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleOf {
    Program,
    Traces,
}

impl fmt::Display for ScheduleOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ScheduleOf::Program => "the program",
            ScheduleOf::Traces => "its traces",
        })
    }
}

impl Error {
    pub(crate) fn bug(message: impl ToString) -> Error {
        Error::Bug(message.to_string())
    }
}
