//! From one passing run of every program of the corpus: a buggy one is found failing with the expected kind and line, a
//! corrected one is not found failing. Every failure is confirmed by the machine.

#![allow(clippy::print_stdout)]

mod command {
    use std::path::{Path, PathBuf};

    pub fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }
}
#[path = "../../cli/tests/programs/mod.rs"]
mod programs;

use std::path::Path;
use std::rc::Rc;

use frontend_llvm::{Inputs, load};
use libtest_mimic::{Arguments, Failed, Trial};
use predict::{Limits, Region};
use programs::{Outcome as Expected, Program, corpus};
use run::{ProcessEnd, Schedule};
use solve::Budget;
use symex::bounded::{Bounds, perform};
use vm::strategy::Random;
use vm::{Code, Execution, Options, Outcome, execute};

/// The number of seeds to search for passing runs.
const SEEDS: u64 = 200;

/// The numbers of free steps; for corrected programs, only the first.
const DEPTHS: [u32; 2] = [1, 64];

/// Harder questions are left open, so that the test does not depend on time.
const CONFLICTS: u64 = 5_000;

/// Programs that are not explored here, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("document-server.cpp", "what its library's lists may point to does not settle soon"),
    ("document-server-fixed.cpp", "what its library's lists may point to does not settle soon"),
    ("file-streams.cpp", "buffers of streams that two threads fill take minutes to unroll"),
    ("price-table.cpp", "the solver takes minutes"),
    ("price-table-fixed.cpp", "the solver takes minutes"),
    ("search-path.c", "the solver takes minutes"),
    ("search-path-fixed.c", "the solver takes minutes"),
];

/// Buggy programs without a prediction, with the reason.
const NOT_FOUND: &[(&str, &str)] = &[("treiber-stack.c", "it fails only where malloc gives freed addresses out again")];

fn main() {
    let arguments = Arguments::from_args();
    let is_left_out = |program: &Program| LEFT_OUT.iter().any(|(name, _)| *name == program.file);
    let trials = corpus().into_iter().filter(|(_, program)| !is_left_out(program));
    let trials = trials.map(|(folder, program)| Trial::test(program.file.clone(), move || check(&folder, &program)));
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn check(folder: &Path, program: &Program) -> Result<(), Failed> {
    let mut flags = vec![program.standard().to_owned(), "-pthread".to_owned()];
    flags.extend(program.flags.iter().cloned());
    let inputs = Inputs { files: vec![folder.join(&program.file)], flags, ..Inputs::default() };
    let loaded = load(&inputs).map_err(|error| error.to_string())?;
    let code = Rc::new(Code::new(&loaded.program));
    let given = std::iter::once(&program.file).chain(&program.args);
    let arguments = given.map(|argument| argument.clone().into_bytes()).collect();
    let mut options = Options { arguments, stdin: program.stdin.clone().into_bytes(), ..Options::default() };
    options.step_limit = 2_000_000;
    options.record = true;
    let runs = (0..SEEDS).map(|seed| execute(&code, &options, &mut Random::new(seed)));
    let passing = runs.filter(|execution| matches!(execution.outcome, Outcome::Passed { .. }));
    let Some(passing) = passing.into_iter().next() else {
        println!("{}: no passing run", program.file);
        return Ok(());
    };
    let Execution { recorded: Some(recorded), segments, choices, .. } = passing else {
        return Err("nothing was recorded".into());
    };
    let region = Region {
        code: &code,
        options: &options,
        runs: std::slice::from_ref(&recorded),
        bounds: Bounds { unroll: 2, steps: 20_000_000, ..Bounds::default() },
        depths: if program.outcome == Expected::Failure { &DEPTHS } else { &DEPTHS[..1] },
        limits: Limits { conflicts: Some(CONFLICTS), ..Limits::default() },
        deadlocks: true,
        known: &[],
        budget: &Budget::default(),
    };
    let schedule = Schedule { header: run::Header::default(), segments, choices };
    let explored = region.explore(&mut |near, _| near.ordered(&code, &options, &schedule), &mut Vec::new);
    let explored = explored.map_err(|error| error.to_string())?;
    let is_missed = NOT_FOUND.iter().any(|(name, _)| *name == program.file);
    let is_sought = program.outcome == Expected::Failure && program.property.is_empty() && !is_missed;
    let Some((near, found)) = explored.found else {
        return if is_sought { Err("nothing was found".into()) } else { Ok(()) };
    };
    let replayed = &found.failing.replayed;
    let performed = perform(&code, &options, &near.unrolled, &replayed.execution, &replayed.outcome)
        .map_err(|divergence| format!("the machine goes another way: {divergence}"))?;
    let Outcome::Failed(failure) = &performed.execution.outcome else {
        return Err(format!("the machine ends with {:?}", performed.execution.outcome).into());
    };
    if program.outcome == Expected::Pass {
        return Err(format!("a false alarm: {failure:?}").into());
    }
    // A requested race may show as the damage that it causes.
    let kind = program.kind.as_deref().filter(|_| program.property.is_empty());
    if kind.is_some_and(|kind| kind != failure.kind.name()) {
        return Err(format!("{} instead of {kind:?}", failure.kind.name()).into());
    }
    let line = performed.execution.recorded.and_then(|recorded| match recorded.end {
        ProcessEnd::Assertion { at, .. } => Some(at.line),
        ProcessEnd::Abort { at } | ProcessEnd::Signal { at, .. } => at.map(|at| at.line),
        _ => None,
    });
    match (line, program.line) {
        (Some(line), Some(expected)) if kind.is_some() && u64::from(line) != expected => {
            Err(format!("line {line} instead of {expected}").into())
        }
        _ => Ok(()),
    }
}
