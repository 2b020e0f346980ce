//! What the process says when it ends, and how problems are worded on the way.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use report::Verdict;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Nothing was found within the stated bounds.
    NothingFound = 0,
    /// A failure was found and replayed.
    Failure = 1,
    /// Usage, something unsupported was reached, or a tool failed.
    Error = 2,
    /// A budget ran out before there was an answer.
    Inconclusive = 3,
    /// The user did not want to wait for an answer, as a shell says it of SIGINT.
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

    /// Of an answer, if nothing unsupported stands in the way.
    pub fn of_verdict(verdict: Verdict) -> ExitStatus {
        match verdict {
            Verdict::Failure => ExitStatus::Failure,
            Verdict::NoneFound => ExitStatus::NothingFound,
            Verdict::Inconclusive => ExitStatus::Inconclusive,
        }
    }

    pub fn from_code(code: u8) -> Option<ExitStatus> {
        ExitStatus::ALL.into_iter().find(|status| *status as u8 == code)
    }

    /// What another heddle ended with, unless it died.
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

/// What went wrong, and what the user can do about it.
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
        Problem::error(
            format!("{} (this is a bug in heddle)", message.into()),
            "please report it, with the program, the command line and the schedule file",
        )
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// `error: …` with its causes, and a `help:` line for each thing that can be done.
pub fn describe(error: &anyhow::Error) -> String {
    let mut text = format!("error: {error:#}\n");
    for cause in error.chain() {
        match cause.downcast_ref::<Problem>() {
            Some(problem) if !problem.help.is_empty() => text.push_str(&format!("help: {}\n", problem.help)),
            _ => {}
        }
    }
    text
}

/// Whether [`guarded`] waits for a panic.
static GUARDED: AtomicBool = AtomicBool::new(false);

/// The first panic since then.
static CAUGHT: Mutex<Option<String>> = Mutex::new(None);

/// Does work that an answer can do without: a panic costs its result and nothing else. The error says where it happened.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let outer = GUARDED.swap(true, Ordering::SeqCst);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.store(outer, Ordering::SeqCst);
    let caught = CAUGHT.lock().unwrap_or_else(PoisonError::into_inner).take();
    result.map_err(|_| format!("{} (this is a bug in heddle)", caught.unwrap_or_else(|| "a panic".to_owned())))
}

/// A panic is never the user's fault. The hook ends the process, whichever thread panicked: half an answer is none. Where
/// [`guarded`] does the work, the rest of the answer stands, and it tells what happened.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        if GUARDED.load(Ordering::SeqCst) {
            let text = panic.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
            CAUGHT.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
            return;
        }
        let message = format!(
            "error: {panic}\nerror: this is a bug in heddle, not in your program\n\
             help: please report it, with the program and the command line\n"
        );
        crate::terminal::say(&message);
        process::exit(ExitStatus::Error as i32);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_costs_only_the_work_that_is_guarded() {
        assert_eq!(guarded(|| 7), Ok(7));
        let error = guarded(|| if std::hint::black_box(true) { panic!("no such event") } else { 7 });
        assert!(error.is_err_and(|error| error.ends_with("(this is a bug in heddle)")));
        assert_eq!(guarded(|| 8), Ok(8));
    }
}
