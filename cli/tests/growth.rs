//! The programs of the measurements by size, at the smallest sizes: bounded checking agrees with exploration.

mod command;

use command::{Answer, heddle, repository};

/// The behaviour of a program at a size.
#[derive(Clone, Copy)]
enum Expected {
    Fails(&'static str),
    Passes,
}
use Expected::{Fails, Passes};

#[test]
fn fibbench() {
    for size in 1..=3 {
        agree("fibbench", size, Fails("assertion"));
    }
}

#[test]
fn reorder() {
    for size in 1..=3 {
        agree("reorder", size, Fails("assertion"));
    }
}

#[test]
fn philosophers() {
    for size in 2..=4 {
        agree("philosophers", size, Fails("deadlock"));
    }
}

#[test]
fn buffer() {
    agree("buffer", 2, Passes);
    agree("buffer", 3, Fails("assertion"));
}

/// Both engines and both versions of a program. The corrected one never fails.
fn agree(program: &str, size: usize, expected: Expected) {
    let size = format!("-DN={size}");
    for (version, expected) in [(None, expected), (Some("-DCORRECT"), Passes)] {
        let flags: Vec<&str> = [size.as_str()].into_iter().chain(version).collect();
        // A given bound is completed, whatever time it takes.
        judge(program, &flags, &["check", "--unroll", "4"], expected);
        judge(program, &flags, &["run", "--strategy", "exhaustive"], expected);
    }
    if let Fails(_) = expected {
        judge(program, &[&size], &["check", "--all", "--unroll", "4"], expected);
    }
}

fn judge(program: &str, flags: &[&str], command: &[&str], expected: Expected) {
    let what = format!("{program} {flags:?} {command:?}");
    match expected {
        Fails(kind) => {
            let found = ask(program, flags, command).expect_status(1).json();
            assert_eq!(found["failure"]["kind"], kind, "{what}: {found}");
        }
        Passes => {
            let found = ask(program, flags, command).expect_status(0).json();
            assert_eq!(found["bounds"]["complete"], true, "{what}: {found}");
        }
    }
}

fn ask(program: &str, flags: &[&str], command: &[&str]) -> Answer {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let schedule = scratch.path().join("failing.schedule").display().to_string();
    let source = format!("{program}.c");
    let mut arguments = command.to_vec();
    arguments.extend([source.as_str(), "-std=c17", "-Wall", "-Wextra", "-pthread"]);
    arguments.extend(flags);
    arguments.extend(["--format", "json", "--schedule", &schedule]);
    heddle(&repository().join("bench/programs/growth"), &arguments)
}
