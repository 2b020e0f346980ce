//! Our own programs for the rows of the Cortex paper without traces: each fails as its `expect.toml` says, and its
//! corrected version does not, under every schedule where that can be explored.

mod command;
mod programs;

use std::path::Path;

use command::{Answer, heddle};
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Outcome, Program, programs_below};

/// The work within which a search without further options finds the failures.
const WORK: &str = "20000000";

/// Corrected programs that have too many schedules are run this often.
const RUNS: &str = "100";

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for (folder, program) in programs_below("bench/programs/cortex") {
        let name = [std::slice::from_ref(&program.file), &program.flags].concat().join(" ");
        trials.push(Trial::test(name, move || check(&folder, &program)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(folder: &Path, program: &Program) -> Result<(), Failed> {
    match program.outcome {
        Outcome::Failure => {
            let found = expect(run(folder, program, &["--work", WORK]), 1)?.json();
            let (kind, line) = (found["failure"]["kind"].as_str(), found["failure"]["at"]["line"].as_u64());
            if (kind, line) != (program.kind.as_deref(), program.line) || found["failing"]["replayed"] != true {
                return Err(format!("it fails with {kind:?} at line {line:?}, or was not replayed").into());
            }
        }
        Outcome::Pass if program.exhaustive => {
            let tried = expect(run(folder, program, &["--strategy", "exhaustive", "--hashing"]), 0)?.json();
            if tried["bounds"]["complete"] != true {
                return Err("not every schedule was tried".into());
            }
        }
        Outcome::Pass => {
            expect(run(folder, program, &["--strategy", "pct", "--depth", "3", "--runs", RUNS]), 0)?;
        }
    }
    Ok(())
}

fn expect(answer: Answer, status: i32) -> Result<Answer, Failed> {
    if answer.status != status {
        return Err(format!("it ends with {}\n{}\n{}", answer.status, answer.stdout, answer.stderr).into());
    }
    Ok(answer)
}

fn run(folder: &Path, program: &Program, search: &[&str]) -> Answer {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let schedule = scratch.path().join("failing.schedule").display().to_string();
    let mut arguments = vec!["run", &program.file, "-std=c17", "-Wall", "-Wextra", "-pthread", "--format", "json"];
    arguments.extend(program.flags.iter().map(String::as_str));
    arguments.extend(["--schedule", &schedule]);
    arguments.extend(search);
    heddle(folder, &arguments)
}
