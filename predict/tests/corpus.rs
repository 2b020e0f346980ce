//! From one passing run of every program of the corpus: a buggy one is found failing with the expected kind and line, a
//! corrected one is not found failing. What is found fails in the machine.
//!
//! `HEDDLE_SECONDS` says how long each prediction may take.

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
use std::time::{Duration, Instant};

use frontend_llvm::{Inputs, load};
use libtest_mimic::{Arguments, Failed, Trial};
use predict::{Limits, near, predict};
use programs::{Outcome as Expected, Program, corpus};
use run::Schedule;
use solve::Budget;
use symex::bounded::{Bounds, perform};
use vm::strategy::Random;
use vm::{Code, Execution, FailureKind, Options, Outcome, execute};

/// How long passing runs are looked for.
const SEEDS: u64 = 200;

fn main() {
    let arguments = Arguments::from_args();
    let trials = corpus().into_iter();
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
    let seconds = std::env::var("HEDDLE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let started = Instant::now();
    let deadline = started + Duration::from_secs(seconds);
    let free = std::env::var("HEDDLE_FREE").ok().and_then(|text| text.parse().ok()).unwrap_or(u32::MAX);
    let bounds = Bounds { free, unroll: 2, steps: 20_000_000, until: Some(deadline), ..Bounds::default() };
    let near = near(&code, &options, &bounds, std::slice::from_ref(&recorded)).map_err(|error| error.to_string())?;
    let walked = started.elapsed().as_secs_f64();
    let schedule = Schedule { header: run::Header::default(), segments, choices };
    let passing = near.ordered(&code, &options, &schedule);
    let budget = Budget { deadline: Some(deadline), ..Budget::default() };
    let wants_stuck = options.properties.iter().any(|kind| matches!(kind, FailureKind::Deadlock | FailureKind::Hang));
    let mut nearness = |run, wrong: Option<&diagnose::Wrong>| {
        passing.as_ref().map(|passing| near.distances(run, passing, wrong))
    };
    let prediction = predict(near.sought(wants_stuck), Limits::default(), &budget, &mut nearness)
        .map_err(|error| error.to_string())?;
    let (events, decisions) = (near.unrolled.graph.events.len(), near.decisions.len());
    let mapped = passing.is_some();
    let told = format!(
        "{}: {events} events, {decisions} decisions, mapped {mapped}, {} tries, walked {walked:.2} s, {:.2} s in all",
        program.file,
        prediction.tries,
        started.elapsed().as_secs_f64()
    );
    let Some(found) = prediction.found else {
        println!("{told}, nothing found, open {:?}, cuts {}", prediction.open, near.unrolled.cuts.len());
        return if program.outcome == Expected::Failure && program.property.is_empty() {
            Err("nothing found".into())
        } else {
            Ok(())
        };
    };
    let replayed = &found.failing.replayed;
    println!("{told}, {} flips", found.failing.flipped.len());
    let performed = perform(&code, &options, &near.unrolled, &replayed.execution, &replayed.outcome)
        .map_err(|divergence| format!("the machine goes another way: {divergence}"))?;
    let Outcome::Failed(failure) = &performed.execution.outcome else {
        return Err(format!("the machine ends with {:?}", performed.execution.outcome).into());
    };
    if program.outcome == Expected::Pass {
        return Err(format!("a false alarm: {failure:?}").into());
    }
    let kind = program.kind.as_deref();
    if kind.is_some_and(|kind| kind != failure.kind.name()) {
        return Err(format!("{} instead of {kind:?}", failure.kind.name()).into());
    }
    Ok(())
}
