//! Every failing program of the corpus is explained by a passing order that was run, the relevant lines, and at most as
//! many operations as its `expect.toml` allows.

mod command;
mod programs;

use std::path::Path;

use command::heddle_with_input;
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Outcome, Program, corpus};
use serde_json::Value;

fn main() {
    let arguments = Arguments::from_args();
    let failing = corpus().into_iter().filter(|(_, program)| program.outcome == Outcome::Failure);
    let trials = failing.map(|(folder, program)| Trial::test(program.file.clone(), move || check(&folder, &program)));
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn check(folder: &Path, program: &Program) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let schedule = scratch.path().join("failing.schedule").display().to_string();
    let mut arguments: Vec<String> = vec!["explain".into(), program.file.clone()];
    arguments.extend([program.standard(), "-pthread", "--format", "json", "--schedule", &schedule].map(str::to_owned));
    arguments.extend(program.explained_with());
    let answer = heddle_with_input(folder, &arguments, program.stdin.as_bytes());
    if answer.status != 1 {
        return Err(format!("it ends with {}\n{}\n{}", answer.status, answer.stdout, answer.stderr).into());
    }
    let found = answer.json();
    let kind = found["failure"]["kind"].as_str().map(str::to_owned);
    if kind != program.kind || found["failing"]["replayed"] != true {
        return Err(format!("it fails with {kind:?}, or was not replayed\n{}", answer.stdout).into());
    }
    let switches = |key: &str| found["failing"][key].as_u64();
    if switches("context_switches") > switches("context_switches_before") {
        return Err(format!("more context switches than it was found with\n{}", answer.stdout).into());
    }
    explained(program, &found)
}

fn explained(program: &Program, found: &Value) -> Result<(), Failed> {
    let Some(expected) = &program.explained else {
        let is_race = program.kind.as_deref() == Some("race");
        return if is_race { Ok(()) } else { Err("its expect.toml does not say what explains it".into()) };
    };
    let outcome = found["alternate"]["outcome"].as_str().unwrap_or("none");
    let wanted = expected.outcome.as_deref().unwrap_or("passes");
    if outcome != wanted && outcome != "passes" {
        return Err(format!("the other order: {outcome} instead of {wanted}\n{found:#}").into());
    }
    let listed = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let causes = listed(&found["causes"]).into_iter().flat_map(|cause| listed(&cause["orders"]));
    let ordered = causes.flat_map(|order| [order["before"].clone(), order["after"].clone()]);
    let events = listed(&found["projection"]["operations"]).into_iter().chain(ordered);
    let lines: Vec<u64> = events.filter_map(|event| event["at"]["line"].as_u64()).collect();
    if let Some(missing) = expected.lines.iter().find(|line| !lines.contains(line)) {
        return Err(format!("line {missing} is not among {lines:?}").into());
    }
    let nothing = if outcome == "none" { 0 } else { u64::MAX };
    let count = found["projection"]["metrics"]["operations"].as_u64().unwrap_or(nothing);
    if count > expected.operations {
        return Err(format!("{count} operations instead of at most {}", expected.operations).into());
    }
    Ok(())
}
