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
const DEEPER: &[&str] = &["block-compressor.c", "key-value-store.c", "log-buffer.c", "search-path.c"];

/// They take the solver more than a few seconds.
const LARGE: &[&str] = &[
    "async-logger.c",
    "async-logger-fixed.c",
    "build-scheduler.c",
    "build-scheduler-fixed.c",
    "document-server.cpp",
    "document-server-fixed.cpp",
    "header-library.c",
    "lazy-singleton-fixed.cpp",
    "lru-cache-fixed.c",
    "print-spooler.cpp",
    "print-spooler-fixed.cpp",
    "route-table-fixed.cpp",
    "stock-check.cpp",
    "stock-check-fixed.cpp",
    "thread-pool.c",
    "thread-pool-fixed.c",
    "tree-scanner.c",
    "tree-scanner-fixed.c",
    "verifier-interface.c",
];

fn main() {
    let arguments = Arguments::from_args();
    let asked = |program: &Program| {
        let races = program.property.iter().any(|property| property == "race");
        // Addresses are never reused by checking.
        let reuses = program.options.iter().any(|option| option == "--reuse");
        !races && !reuses && !LARGE.contains(&program.file.as_str())
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
    let fails = program.outcome == Outcome::Failure && !DEEPER.contains(&file);
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
