//! The exit status of the process, and the wording of errors.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::{self, ExitCode};

use analysis::{Error, ScheduleOf};
use report::Verdict;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// No failure was found within the stated bounds.
    NothingFound = 0,
    /// A failure was found and replayed.
    Failure = 1,
    /// Wrong usage, an unsupported construct that was reached, or an error of a tool.
    Error = 2,
    /// A budget ran out before there was an answer.
    Inconclusive = 3,
    /// The user interrupted the command, as a shell reports SIGINT.
    Interrupted = 130,
}

impl ExitStatus {
    const ALL: [ExitStatus; 5] = [
        ExitStatus::NothingFound,
        ExitStatus::Failure,
        ExitStatus::Error,
        ExitStatus::Inconclusive,
        ExitStatus::Interrupted,
    ];

    /// The status of an answer, unless an unsupported construct overrides it.
    pub fn of_verdict(verdict: Verdict) -> ExitStatus {
        match verdict {
            Verdict::Failure => ExitStatus::Failure,
            Verdict::NoneFound | Verdict::Repaired => ExitStatus::NothingFound,
            Verdict::Inconclusive => ExitStatus::Inconclusive,
        }
    }

    pub fn from_code(code: u8) -> Option<ExitStatus> {
        ExitStatus::ALL.into_iter().find(|status| *status as u8 == code)
    }

    /// The status of another heddle process, unless it died.
    pub fn of_process(status: process::ExitStatus) -> Option<ExitStatus> {
        ExitStatus::from_code(u8::try_from(status.code()?).ok()?)
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// How another process ended, as a shell would say it.
pub fn status_code(status: process::ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    u8::try_from(code & 0xff).unwrap_or(u8::MAX)
}

/// An error, and its remedies.
#[derive(Debug)]
pub struct Problem {
    pub message: String,
    pub help: String,
}

impl Problem {
    pub fn error(message: impl Into<String>, help: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Problem { message: message.into(), help: help.into() })
    }

    /// A contradiction in heddle itself.
    pub fn bug(message: impl Into<String>) -> anyhow::Error {
        Problem::error(format!("{} (this is a bug in heddle)", message.into()), BUG_HELP)
    }
}

pub const TRACES_HELP: &str =
    "TRACES is a folder with `symbolic/` below it, or one that holds files such as T0_1234_5678 or T0 itself";

const BUG_HELP: &str = "please report it, with the program, the command line and the schedule file";

/// The remedy for an error of a use case.
fn help(error: &Error) -> String {
    match error {
        Error::Bug(_) => BUG_HELP.to_owned(),
        Error::NoKind => "such as --property assertion,deadlock, --property no-exit or --property +race".to_owned(),
        Error::BadTrace { .. } => "a damaged trace is not used: record it again, or remove it".to_owned(),
        Error::MissingTraces => TRACES_HELP.to_owned(),
        Error::NoAssertion { .. } => "the trace of the asserting thread begins with <assertThread_ok> or \
                                      <assertThread_fail> and ends with its condition"
            .to_owned(),
        Error::NoSuchRun { known, .. } => format!("complete runs: {}", known.join(", ")),
        Error::UnknownOption(_) => "it was written by another version: replay it with that one".to_owned(),
        Error::Misfit { of, .. } => was_edited("it", *of),
        Error::EndsDifferently { of, .. } => was_edited("the schedule", *of),
        Error::ChangedTraces { folder, asserting, .. } => {
            let asserting = asserting.as_ref().map_or(String::new(), |thread| format!(" --asserting {thread}"));
            let quoted = shlex::try_quote(folder).map_or(folder.clone(), |quoted| quoted.into_owned());
            format!("search for the failure again: heddle explain {quoted}{asserting}")
        }
        Error::NotEncoded(_) => "--only schedule needs no diagnosis".to_owned(),
        Error::Refused => String::new(),
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

fn was_edited(what: &str, of: ScheduleOf) -> String {
    match of {
        ScheduleOf::Program => format!("was {what} edited, or does the program read files that have changed?"),
        ScheduleOf::Traces => format!("was {what} edited?"),
    }
}

/// `error: …` with its causes, and a `help:` line for each remedy.
pub fn describe(error: &anyhow::Error) -> String {
    let mut text = format!("error: {error:#}\n");
    for cause in error.chain() {
        let of_problem = cause.downcast_ref::<Problem>().map(|problem| problem.help.clone());
        let help = of_problem.or_else(|| cause.downcast_ref::<Error>().map(help)).unwrap_or_default();
        if !help.is_empty() {
            text.push_str(&format!("help: {help}\n"));
        }
    }
    text
}

/// A panic is always a defect of heddle. The hook ends the process, whichever thread panicked, since half an answer is
/// none. Where `analysis` guards the work, the rest of the answer is kept and reports the defect.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        if analysis::keep_panic(panic) {
            return;
        }
        let message = format!(
            "error: {panic}\nerror: this is a bug in heddle, not in your program\n\
             help: please report it, with the program and the command line\n"
        );
        crate::stderr::say(&message);
        process::exit(ExitStatus::Error as i32);
    }));
}
