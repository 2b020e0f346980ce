//! What every program of the corpus decided in a run of the machine, without the order of its threads: the solver finds
//! an order in which the same decisions lead to the same failure, and the program fails in it. So it does in what is found by
//! trying orders of the graph.

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
use frontend_llvm::{Inputs, load};
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Program, corpus};
use run::{RecordedRun, ThreadEnd, ThreadRecord};
use solve::Budget;
use symex::bounded::{Bounds, Unrolled, perform, unroll_along};
use vm::strategy::Random;
use vm::{Code, Execution, Failure, FailureKind, Options, Outcome, execute};

/// How long failing runs are looked for, and how many are taken.
const SEEDS: u64 = 200;
const RUNS: usize = 2;

/// Programs whose recorded paths lead through what is not followed, so that their orders are found by trying: texts that
/// others change and that the C library walks through, blocks whose size others decide, and a lock upgrade in which the
/// machine sees the deadlock while a third thread could still go on.
const NOT_FOLLOWED: &[&str] = &[
    "async-logger.c",
    "document-server.cpp",
    "price-table.cpp",
    "escaping-name.cpp",
    "route-table.cpp",
    "subscriber-iterator.cpp",
    "rwlock-upgrade.c",
];

fn main() {
    let arguments = Arguments::from_args();
    let trials = corpus()
        .into_iter()
        .filter(|(_, program)| !NOT_FOLLOWED.contains(&program.file.as_str()))
        .map(|(folder, program)| Trial::test(program.file.clone(), move || check(&folder, &program)));
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
    options.properties.extend(program.property.iter().filter_map(|name| FailureKind::from_name(name)));
    let runs = (0..SEEDS).map(|seed| (seed, execute(&code, &options, &mut Random::new(seed))));
    let failing = runs.filter_map(|(seed, execution)| match execution {
        // A race is no end that a process comes to.
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
    let tried = order_by_turns(&unrolled.graph, sought).map_err(|error| error.to_string())?;
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

/// Whether a thread's decisions are the first of those that were recorded. Of one that was stopped the record may end before
/// what it did last: a read that nobody else sees, and what follows from it.
fn is_led(thread: &ThreadRecord, recorded: &RecordedRun) -> bool {
    let Some(record) = recorded.thread(&thread.name) else { return false };
    let same = thread.bits.iter().zip(record.bits.iter()).all(|(one, other)| one == other);
    let within = thread.bits.len() <= record.bits.len() || record.end == ThreadEnd::Stopped;
    same && within && record.callees.starts_with(&thread.callees)
}
