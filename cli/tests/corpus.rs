//! Every program of the corpus behaves as its `expect.toml` says; every failure is replayed a hundred times.
//!
//! One test per program, created at start, so that a failure names its program.

mod command;
mod programs;

use std::fs;
use std::path::Path;

use command::{heddle, heddle_with_input};
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Outcome, Program, corpus};

/// Programs that must not fail are tried this often, unless they say otherwise.
const RUNS: u64 = 200;

/// The work within which a search without further options finds every failure: less than a second in a release build.
const WORK: &str = "5000000";

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for (folder, program) in corpus() {
        let name = program.file.clone();
        if program.exhaustive {
            let (program, folder) = (program.clone(), folder.clone());
            trials.push(Trial::test(format!("{name} under every schedule"), move || check_all(&folder, &program)));
        }
        if program.outcome == Outcome::Failure {
            let (program, folder) = (program.clone(), folder.clone());
            trials.push(Trial::test(format!("{name} without options"), move || check_default(&folder, &program)));
        }
        trials.push(Trial::test(name, move || check(&folder, &program)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(folder: &Path, program: &Program) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let schedule = scratch.path().join("failing.schedule");
    let schedule = schedule.to_str().ok_or("the temporary folder's name is text")?;
    let output = scratch.path().join("output");
    let runs = program.runs.unwrap_or(RUNS).to_string();
    let search = ["--strategy", "pct", "--depth", "3", "--runs", &runs, "--schedule", schedule];
    let answer = run(folder, program, &search, &output);
    match program.outcome {
        Outcome::Pass => {
            expect(&answer, 0)?;
            check_output(program, &output, "the undisturbed run")?;
            if program.output.is_some() {
                for seed in ["1", "2"] {
                    let other = ["--strategy", "random", "--runs", "1", "--seed", seed];
                    expect(&run(folder, program, &other, &output), 0)?;
                    check_output(program, &output, seed)?;
                }
            }
            Ok(())
        }
        Outcome::Failure => {
            check_failure(program, &answer)?;
            replay(folder, schedule, &answer.json())
        }
    }
}

/// A search without strategy and number of runs finds the failure.
fn check_default(folder: &Path, program: &Program) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let schedule = scratch.path().join("failing.schedule").display().to_string();
    let output = scratch.path().join("output");
    check_failure(program, &run(folder, program, &["--work", WORK, "--schedule", &schedule], &output))
}

/// Every schedule is tried: none fails, or one fails as expected.
fn check_all(folder: &Path, program: &Program) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let schedule = scratch.path().join("failing.schedule").display().to_string();
    let output = scratch.path().join("output");
    let answer = run(folder, program, &["--strategy", "exhaustive", "--schedule", &schedule], &output);
    match program.outcome {
        Outcome::Failure => check_failure(program, &answer),
        Outcome::Pass => {
            expect(&answer, 0)?;
            if answer.json()["bounds"]["complete"] != true {
                return Err(format!("not every schedule was tried\n{}", answer.stdout).into());
            }
            check_output(program, &output, "of the exploration")
        }
    }
}

fn check_failure(program: &Program, answer: &command::Answer) -> Result<(), Failed> {
    expect(answer, 1)?;
    let found = answer.json();
    let kind = found["failure"]["kind"].as_str().map(str::to_owned);
    if kind != program.kind {
        return Err(format!("it fails with {kind:?} instead of {:?}\n{}", program.kind, answer.stdout).into());
    }
    let line = found["failure"]["at"]["line"].as_u64();
    if program.line.is_some() && line != program.line {
        return Err(format!("it fails at line {line:?} instead of {:?}\n{}", program.line, answer.stdout).into());
    }
    if found["failing"]["replayed"] != true || !found["schedule"].is_string() {
        return Err(format!("the schedule was not replayed or not named\n{}", answer.stdout).into());
    }
    Ok(())
}

fn run(folder: &Path, program: &Program, search: &[&str], output: &Path) -> command::Answer {
    let mut arguments: Vec<String> = vec!["run".into(), program.file.clone()];
    arguments.extend([program.standard(), "-pthread", "--format", "json", "--program-output"].map(str::to_owned));
    arguments.push(output.display().to_string());
    arguments.extend(search.iter().map(|&argument| argument.to_owned()));
    arguments.extend(program.flags.iter().chain(&program.options).cloned());
    if !program.property.is_empty() {
        arguments.extend(["--property".to_owned(), program.properties()]);
    }
    arguments.push("--".into());
    arguments.extend(program.args.iter().cloned());
    heddle_with_input(folder, &arguments, program.stdin.as_bytes())
}

fn check_output(program: &Program, file: &Path, which: &str) -> Result<(), Failed> {
    let Some(expected) = &program.output else { return Ok(()) };
    let found = String::from_utf8_lossy(&fs::read(file)?).into_owned();
    if found == *expected {
        return Ok(());
    }
    Err(format!("the output ({which}) is\n{found}\ninstead of\n{expected}").into())
}

fn replay(folder: &Path, schedule: &str, found: &serde_json::Value) -> Result<(), Failed> {
    let answer = heddle(folder, &["replay", schedule, "--times", "100", "--format", "json"]);
    expect(&answer, 1)?;
    let replayed = answer.json();
    if replayed["failure"] != found["failure"] || replayed["failing"]["events"] != found["failing"]["events"] {
        return Err(format!("the replay shows something else\n{}\n{found}", answer.stdout).into());
    }
    Ok(())
}

fn expect(answer: &command::Answer, status: i32) -> Result<(), Failed> {
    if answer.status == status {
        return Ok(());
    }
    let (got, stdout, stderr) = (answer.status, &answer.stdout, &answer.stderr);
    Err(format!("exit status {got} instead of {status}\n{stdout}\n{stderr}").into())
}
