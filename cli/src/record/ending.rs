//! The end of a run, combined from the process's own record and its wait status.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::sys::signal::Signal;
use run::{Place, ProcessEnd};

/// The wait status decides; the process's own record of the same end adds details.
///
/// A program may record a signal and then survive it.
pub fn combine(said: ProcessEnd, status: ExitStatus, timed_out: bool) -> ProcessEnd {
    let abort = Signal::SIGABRT as i32;
    let quit = Signal::SIGQUIT as i32;
    match (said, status.signal()) {
        _ if timed_out => ProcessEnd::Hang,
        (said @ (ProcessEnd::Assertion { .. } | ProcessEnd::Abort { .. }), Some(number)) if number == abort => said,
        (said @ ProcessEnd::Signal { .. }, Some(seen)) if matches!(said, ProcessEnd::Signal { number, .. } if number == seen) => {
            said
        }
        (_, Some(number)) if number == quit => ProcessEnd::Hang,
        (_, Some(number)) if number == abort => ProcessEnd::Abort { at: None },
        (_, Some(number)) => ProcessEnd::Signal { number, at: None },
        (_, None) => ProcessEnd::Exited { status: status.code().unwrap_or_default() },
    }
}

/// Puts a place where one is missing.
pub fn with_place(end: ProcessEnd, place: impl FnOnce() -> Option<Place>) -> ProcessEnd {
    match end {
        ProcessEnd::Signal { number, at: None } => ProcessEnd::Signal { number, at: place() },
        ProcessEnd::Abort { at: None } => ProcessEnd::Abort { at: place() },
        other => other,
    }
}

/// One word for the kind of an end.
pub fn kind(end: &ProcessEnd) -> &'static str {
    match end {
        ProcessEnd::Exited { .. } => "exit",
        ProcessEnd::Assertion { .. } => "assertion",
        ProcessEnd::Abort { .. } => "abort",
        ProcessEnd::Signal { .. } => "signal",
        ProcessEnd::Hang => "hang",
        ProcessEnd::Unknown => "unknown",
    }
}

pub fn place(end: &ProcessEnd) -> Option<&Place> {
    match end {
        ProcessEnd::Assertion { at, .. } => Some(at),
        ProcessEnd::Abort { at } | ProcessEnd::Signal { at, .. } => at.as_ref(),
        ProcessEnd::Exited { .. } | ProcessEnd::Hang | ProcessEnd::Unknown => None,
    }
}

pub fn in_words(end: &ProcessEnd) -> String {
    let words = match end {
        ProcessEnd::Exited { status: 0 } => "it passed".to_owned(),
        ProcessEnd::Exited { status } => format!("it exited with status {status}"),
        ProcessEnd::Assertion { condition, .. } => format!("assertion `{condition}` failed"),
        ProcessEnd::Abort { .. } => "it aborted".to_owned(),
        ProcessEnd::Signal { number, .. } => match Signal::try_from(*number) {
            Ok(signal) => format!("it was killed by {signal}"),
            Err(_) => format!("it was killed by signal {number}"),
        },
        ProcessEnd::Hang => "it hung (time-out)".to_owned(),
        ProcessEnd::Unknown => "its end is unknown".to_owned(),
    };
    place(end).map_or(words.clone(), |at| format!("{words}, at {}:{}", at.file, at.line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> Option<Place> {
        Some(Place { file: "a.c".into(), line })
    }

    #[test]
    fn what_was_seen_decides() {
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        let killed = ExitStatus::from_raw;
        let assertion = ProcessEnd::Assertion { at: at(3).expect("a place"), condition: "x".into() };
        let segv = ProcessEnd::Signal { number: 11, at: None };
        assert_eq!(combine(assertion.clone(), killed(6), false), assertion);
        assert_eq!(combine(assertion, exited(0), false), ProcessEnd::Exited { status: 0 });
        assert_eq!(combine(segv.clone(), killed(11), false), segv);
        assert_eq!(combine(segv.clone(), exited(4), false), ProcessEnd::Exited { status: 4 });
        assert_eq!(combine(segv, killed(9), false), ProcessEnd::Signal { number: 9, at: None });
        assert_eq!(combine(ProcessEnd::Unknown, killed(3), false), ProcessEnd::Hang);
        assert_eq!(combine(ProcessEnd::Unknown, killed(9), true), ProcessEnd::Hang);
        assert_eq!(combine(ProcessEnd::Unknown, killed(6), false), ProcessEnd::Abort { at: None });
    }

    #[test]
    fn ends_in_words() {
        let end = with_place(ProcessEnd::Signal { number: 11, at: None }, || at(7));
        assert_eq!(in_words(&end), "it was killed by SIGSEGV, at a.c:7");
        assert_eq!(in_words(&ProcessEnd::Exited { status: 3 }), "it exited with status 3");
    }
}
