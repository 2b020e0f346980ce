//! Every program of the corpus is checked within a small bound: failing ones fail in the expected way, and no failure
//! is found in the others. Programs that are too large are listed here.

mod command;
mod programs;

use std::path::Path;

use command::heddle_with_input;
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Outcome, Program, corpus};

/// The unrolling bound.
const ROUNDS: &str = "2";

/// Their failures need more iterations.
const DEEPER: &[(&str, &str)] = &[
    ("block-compressor.c", "a slot is filled again only after more than two blocks"),
    ("key-value-store.c", "the loops over the texts of keys go more than two rounds"),
    ("log-buffer.c", "the copy of a line goes more than two rounds"),
    ("search-path.c", "the copy of a folder goes more than two rounds"),
];

/// They take the solver more than a few seconds.
const LARGE: &[(&str, &str)] = &[
    ("async-logger.c", "lines are formatted and copied through a shared pointer to one of two buffers"),
    ("async-logger-fixed.c", "lines are formatted and copied through a shared pointer to one of two buffers"),
    ("build-scheduler.c", "the steps to run stand in an array whose index is shared"),
    ("build-scheduler-fixed.c", "the steps to run stand in an array whose index is shared"),
    ("document-server.cpp", "a thousand lines with containers that eight threads share"),
    ("document-server-fixed.cpp", "a thousand lines with containers that eight threads share"),
    ("file-streams.cpp", "buffers of streams that two threads fill, one after the other"),
    ("header-library.c", "computed indices into nested tables"),
    ("lazy-singleton-fixed.cpp", "a vector that is filled while others wait for it"),
    ("lru-cache-fixed.c", "lists on the heap whose links both threads change"),
    ("print-spooler.cpp", "a deque that three threads share"),
    ("print-spooler-fixed.cpp", "a deque that three threads share"),
    ("route-table-fixed.cpp", "a vector that two threads fill"),
    ("stock-check.cpp", "a map of strings, and exceptions"),
    ("stock-check-fixed.cpp", "a map of strings, and exceptions"),
    ("thread-pool.c", "tasks on the heap, called by pointers that are shared"),
    ("thread-pool-fixed.c", "tasks on the heap, called by pointers that are shared"),
    ("tree-scanner.c", "a shared index chooses the pointer that a tree is walked from"),
    ("tree-scanner-fixed.c", "a shared index chooses the pointer that a tree is walked from"),
    ("verifier-interface.c", "inputs of several types are unknown"),
];

fn main() {
    let arguments = Arguments::from_args();
    let asked = |program: &Program| {
        let races = program.property.iter().any(|property| property == "race");
        // Addresses are never reused by checking.
        let reuses = program.options.iter().any(|option| option == "--reuse");
        !races && !reuses && !LARGE.iter().any(|(name, _)| *name == program.file)
    };
    let programs = corpus().into_iter().filter(|(_, program)| asked(program));
    let trials = programs.map(|(folder, program)| Trial::test(program.file.clone(), move || check(&folder, &program)));
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn check(folder: &Path, program: &Program) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let schedule = scratch.path().join("failing.schedule").display().to_string();
    let mut arguments: Vec<String> = vec!["check".into(), program.file.clone(), "--unroll".into(), ROUNDS.into()];
    arguments.extend([program.standard(), "-pthread", "--format", "json", "--schedule", &schedule].map(str::to_owned));
    arguments.extend(program.flags.iter().chain(&program.options).cloned());
    if !program.property.is_empty() {
        arguments.extend(["--property".to_owned(), program.properties()]);
    }
    arguments.push("--".into());
    arguments.extend(program.args.iter().cloned());
    let answer = heddle_with_input(folder, &arguments, program.stdin.as_bytes());
    let file = program.file.as_str();
    let fails = program.outcome == Outcome::Failure && !DEEPER.iter().any(|(name, _)| *name == file);
    let expected = match fails {
        true => 1,
        false => 0,
    };
    if answer.status != expected {
        return Err(format!("it ends with {}\n{}\n{}", answer.status, answer.stdout, answer.stderr).into());
    }
    if expected == 1 {
        let found = answer.json();
        let kind = found["failure"]["kind"].as_str().map(str::to_owned);
        if kind != program.kind || found["failing"]["replayed"] != true {
            return Err(format!("it fails with {kind:?}, or was not replayed\n{}", answer.stdout).into());
        }
    }
    Ok(())
}
