//! Recorded decisions without an order: for every program of the corpus, from the decisions of a run of the machine the
//! solver finds an order in which the same decisions lead to the same failure, and the program fails in it. The same
//! holds for orders found by trying. For generated programs whose threads pass shared texts to the library, the order
//! of a run is an execution of the graph of its decisions with the same outcome.
//!
//! `HEDDLE_CASES` is the number of generated programs, `HEDDLE_FIRST_SEED` the first seed.

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

use diagnose::{Ordered, Replayed, order, order_by_turns};
use encode::Failure as Sought;
use events::Extent;
use frontend_llvm::{Inputs, load};
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Program, corpus};
use run::{RecordedRun, Schedule, ThreadEnd, ThreadRecord};
use solve::Budget;
use symex::bounded::{Bounds, Unrolled, map_schedule, perform, unroll_along};
use vm::strategy::Random;
use vm::{Code, Execution, Failure, FailureKind, Options, Outcome, execute};

/// The number of seeds to search for failing runs, and the number of runs to use.
const SEEDS: u64 = 200;
const RUNS: usize = 2;

/// How many programs are generated.
const CASES: u64 = 500;

/// Programs with recorded paths through unsupported code, whose orders are found by trying.
const NOT_FOLLOWED: &[(&str, &str)] =
    &[("document-server.cpp", "the links of its lists are made in the library, on a path that is unsupported")];

fn main() {
    let arguments = Arguments::from_args();
    let trials = corpus()
        .into_iter()
        .filter(|(_, program)| !NOT_FOLLOWED.iter().any(|(name, _)| *name == program.file))
        .map(|(folder, program)| Trial::test(program.file.clone(), move || check(&folder, &program)));
    let texts =
        Trial::test("generated texts", || check_texts(number("HEDDLE_FIRST_SEED", 0), number("HEDDLE_CASES", CASES)));
    libtest_mimic::run(&arguments, trials.chain([texts]).collect()).exit();
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn check_texts(first: u64, cases: u64) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let (mut failing, mut wrong) = (0, Vec::new());
    for seed in first..first + cases {
        let source = generate::concurrent_c_with_texts(seed);
        let file = folder.path().join(format!("generated-{seed}.c"));
        std::fs::write(&file, &source)?;
        let inputs = Inputs { files: vec![file], flags: vec!["-w".into()], ..Inputs::default() };
        let loaded = load(&inputs).map_err(|error| error.to_string())?;
        let code = Rc::new(Code::new(&loaded.program));
        let options = Options { record: true, ..Options::default() };
        for run in 0..RUNS as u64 {
            let execution = execute(&code, &options, &mut Random::new(run));
            failing += u64::from(matches!(execution.outcome, Outcome::Failed(_)));
            if let Err(why) = check_text(&code, &options, &execution) {
                wrong.push(format!("{source}\nseed {seed}, run {run}: {why}"));
            }
        }
    }
    println!("{cases} generated programs from seed {first}, {RUNS} runs of each: {failing} fail");
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} are wrong:\n{}", wrong.len(), wrong.join("\n")).into()) }
}

/// Its order is an execution of the graph of its paths, and the solver finds a failing one if it fails.
fn check_text(code: &Rc<Code>, options: &Options, execution: &Execution) -> Result<(), String> {
    let Some(recorded) = &execution.recorded else { return Err("nothing was recorded".to_owned()) };
    let failure = match &execution.outcome {
        Outcome::Failed(failure) => Some(failure),
        _ => None,
    };
    let properties = failure.iter().map(|failure| failure.kind).collect();
    let sought = Options { properties, ..options.clone() };
    let bounds = Bounds { steps: 20_000_000, ..Bounds::default() };
    let unrolled = unroll_along(code, &sought, &bounds, recorded).map_err(|error| error.to_string())?;
    let (segments, choices) = (execution.segments.clone(), execution.choices.clone());
    let schedule = Schedule { header: run::Header::default(), segments, choices };
    let ordered = map_schedule(code, options, &unrolled, &schedule).map_err(|divergence| divergence.to_string())?;
    let outcome =
        events::replay(&unrolled.graph, &ordered, Extent::Prefix).map_err(|violation| violation.to_string())?;
    match (failure, &outcome.failed[..]) {
        (Some(failure), &[failed]) if unrolled.wrongs.get(&failed).is_some_and(|wrong| wrong.kind == failure.kind) => {
            check_run(code, options, failure, recorded)
        }
        (None, []) if outcome.complete => Ok(()),
        _ => Err(format!("in the graph it comes to {outcome:?} instead of {:?}", execution.outcome)),
    }
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
    options.properties.extend(program.property.iter().filter_map(|name| FailureKind::from_name(name)));
    let runs = (0..SEEDS).map(|seed| (seed, execute(&code, &options, &mut Random::new(seed))));
    let failing = runs.filter_map(|(seed, execution)| match execution {
        // A race is no end of a process.
        Execution { outcome: Outcome::Failed(failure), .. } if failure.kind == FailureKind::Race => None,
        Execution { outcome: Outcome::Failed(failure), recorded: Some(recorded), .. } => {
            Some((seed, failure, recorded))
        }
        _ => None,
    });
    for (seed, failure, recorded) in failing.take(RUNS) {
        check_run(&code, &options, &failure, &recorded).map_err(|why| format!("seed {seed}: {why}"))?;
    }
    Ok(())
}

fn check_run(code: &Rc<Code>, options: &Options, failure: &Failure, recorded: &RecordedRun) -> Result<(), String> {
    let bounds = Bounds { steps: 20_000_000, ..Bounds::default() };
    let options = Options { properties: vec![failure.kind], ..options.clone() };
    let unrolled = unroll_along(code, &options, &bounds, recorded).map_err(|error| error.to_string())?;
    let is_stuck = matches!(failure.kind, FailureKind::Deadlock | FailureKind::Hang);
    let sought = if is_stuck { Sought::Deadlock } else { Sought::AnyAssertion };
    let (ordered, _) = order(&unrolled.graph, sought, 1, &Budget::default()).map_err(|error| error.to_string())?;
    let replayed = match ordered {
        Ordered::Found(replayed) => replayed,
        other => {
            let cuts: Vec<String> = unrolled.cuts.iter().map(|cut| format!("{:?}", cut.reason)).collect();
            return Err(format!("{other:?} for {failure:?}, cuts {cuts:?}"));
        }
    };
    let tried = order_by_turns(&unrolled.graph, sought, &Budget::default()).map_err(|error| error.to_string())?;
    for replayed in std::iter::once(*replayed).chain(tried) {
        check_order(code, &options, failure, recorded, &unrolled, &replayed)?;
    }
    Ok(())
}

fn check_order(
    code: &Rc<Code>,
    options: &Options,
    failure: &Failure,
    recorded: &RecordedRun,
    unrolled: &Unrolled,
    replayed: &Replayed,
) -> Result<(), String> {
    let performed = perform(code, options, unrolled, &replayed.execution, &replayed.outcome)
        .map_err(|astray| format!("performed: {astray}"))?;
    match &performed.execution.outcome {
        // Which access to memory that is gone comes first is not recorded.
        Outcome::Failed(found) if found.kind == FailureKind::Memory && failure.kind == FailureKind::Memory => {}
        Outcome::Failed(found) if found.kind == failure.kind && found.condition == failure.condition => {}
        other => return Err(format!("{other:?} instead of {failure:?}")),
    }
    if unrolled.idle_rounds > 0 {
        return Ok(());
    }
    let Some(again) = performed.execution.recorded else { return Err("nothing was recorded".to_owned()) };
    match again.threads.iter().find(|thread| !is_led(thread, recorded)) {
        Some(thread) => Err(format!("thread {} decides otherwise", thread.name)),
        None => Ok(()),
    }
}

/// Whether a thread's decisions are a prefix of those recorded. The record of a stopped thread may end before its last
/// steps: a private read, and its consequences.
fn is_led(thread: &ThreadRecord, recorded: &RecordedRun) -> bool {
    let Some(record) = recorded.thread(&thread.name) else { return false };
    let same = thread.bits.iter().zip(record.bits.iter()).all(|(one, other)| one == other);
    let within = thread.bits.len() <= record.bits.len() || record.end == ThreadEnd::Stopped;
    same && within && record.callees.starts_with(&thread.callees)
}
