//! A native record is what the program did: under the true order of its shared operations, which a build with hooks
//! numbers, the VM takes exactly the recorded branches and has the same outcome. The same order is an execution of the
//! event graph of the recorded paths with the same outcome, and satisfies its formula.
//!
//! Every program of the corpus runs natively under several seeds of perturbation; `HEDDLE_CASES` is their number.

#![allow(clippy::print_stdout)]

mod command;
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use command::heddle;
use encode::{Failure as Sought, Goal, Question, encode};
use events::{Extent, Kind};
use frontend_llvm::{Inputs, load};
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Program, corpus};
use run::{ProcessEnd, RecordedRun, Schedule, ThreadEnd, ThreadName, ThreadRecord, read_run};
use solve::{Budget, Mode, Portfolio, Solver, Verdict};
use symex::bounded::{Bounds, Reason, map_schedule, unroll_along};
use vm::{Code, FailureKind, Outcome, follow};

/// The number of native runs of each program.
const RUNS: u64 = 2;

/// The time after which a native run counts as a hang, in seconds.
const PATIENCE: &str = "5";

/// Programs that cannot be run natively.
const WITHOUT_NATIVE_MEANING: &[(&str, &str)] = &[
    ("fibonacci-verifier.c", "its functions of the verifier have no native version"),
    ("fibonacci-verifier-fixed.c", "its functions of the verifier have no native version"),
    ("nondet-withdrawal.c", "its functions of the verifier have no native version"),
    ("nondet-withdrawal-fixed.c", "its functions of the verifier have no native version"),
    ("reorder-verifier.c", "its functions of the verifier have no native version"),
    ("reorder-verifier-fixed.c", "its functions of the verifier have no native version"),
    ("verifier-interface.c", "its functions of the verifier have no native version"),
];

/// Programs that the VM loses.
const LOST: &[(&str, &str)] = &[
    (
        "document-server.cpp",
        "the VM leaves the record after thousands of operations, at a place that is not understood",
    ),
    (
        "document-server-fixed.cpp",
        "the VM leaves the record after thousands of operations, at a place that is not understood",
    ),
    (
        "file-streams.cpp",
        "where a recorded module uses the library's own streams, the models' locale has no facet for their buffers",
    ),
];

fn main() {
    let arguments = Arguments::from_args();
    let runs = std::env::var("HEDDLE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(RUNS);
    let trials = corpus()
        .into_iter()
        .filter(|(_, program)| !WITHOUT_NATIVE_MEANING.iter().any(|(name, _)| *name == program.file))
        .filter(|(_, program)| !LOST.iter().any(|(name, _)| *name == program.file))
        .map(|(folder, program)| Trial::test(program.file.clone(), move || check(&folder, &program, runs)))
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(folder: &Path, program: &Program, runs: u64) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let binary = scratch.path().join("program");
    build(folder, program, &binary)?;
    let module = load(&Inputs { files: vec![binary.clone()], ..Inputs::default() })?;
    let code = Rc::new(Code::new(&module.program));
    for seed in 1..=runs {
        let out = scratch.path().join(format!("seed-{seed}"));
        let recorded = record(folder, program, &binary, &out, seed)?;
        compare(&code, folder, program, &binary, &recorded).map_err(|why| format!("seed {seed}: {why}"))?;
    }
    Ok(())
}

fn build(folder: &Path, program: &Program, binary: &Path) -> Result<(), Failed> {
    let compiler = if program.is_cpp() { "c++" } else { "cc" };
    let mut arguments: Vec<String> =
        [compiler, program.standard(), "-O1", "-pthread", "-fheddle-hooks"].map(str::to_owned).into();
    arguments.extend(program.flags.iter().cloned());
    arguments.extend([program.file.clone(), "-o".to_owned(), binary.display().to_string(), "-lm".to_owned()]);
    let answer = heddle(folder, &arguments);
    if answer.status != 0 || !answer.stderr.is_empty() {
        return Err(format!("it does not build\n{}", answer.stderr).into());
    }
    Ok(())
}

/// One native run under a seed.
fn record(folder: &Path, program: &Program, binary: &Path, out: &Path, seed: u64) -> Result<RecordedRun, Failed> {
    let stdin = out.with_extension("stdin");
    fs::write(&stdin, &program.stdin)?;
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["record", "--timeout", PATIENCE, "--out"])
        .arg(out)
        .arg("--")
        .arg(binary)
        .args(&program.args)
        .current_dir(folder)
        .env("HEDDLE_SEQUENCE", "1")
        .env("HEDDLE_PERTURB", seed.to_string())
        .stdin(fs::File::open(&stdin)?)
        .stdout(Stdio::null())
        .output()?;
    let file = fs::read_dir(out)
        .ok()
        .and_then(|files| {
            files.flatten().map(|file| file.path()).find(|path| path.extension().is_some_and(|e| e == "run"))
        })
        .ok_or_else(|| format!("seed {seed}: nothing was recorded\n{}", String::from_utf8_lossy(&output.stderr)))?;
    let read = read_run(&fs::read(file)?)?;
    match read.damage {
        Some(damage) => Err(damage.into()),
        None => Ok(read.run),
    }
}

/// The threads in the order of their tickets.
fn order(run: &RecordedRun) -> Vec<ThreadName> {
    let mut tickets: Vec<(u64, &ThreadName)> =
        run.threads.iter().flat_map(|thread| thread.order.iter().map(|&number| (number, &thread.name))).collect();
    tickets.sort();
    tickets.into_iter().map(|(_, name)| name.clone()).collect()
}

/// The thread takes the same branches and calls the same functions in the VM.
fn same_decisions(thread: &ThreadRecord, other: &ThreadRecord) -> Result<(), String> {
    // While a process dies, other threads may still end normally.
    let whole = matches!(thread.end, ThreadEnd::Returned | ThreadEnd::Exited) && other.end == thread.end;
    let common = if whole { thread.bits.len().max(other.bits.len()) } else { thread.bits.len().min(other.bits.len()) };
    if let Some(at) = (0..common).find(|&at| thread.bits.get(at) != other.bits.get(at)) {
        let [native, other] = [around(&thread.bits, at), around(&other.bits, at)];
        let name = &thread.name;
        return Err(format!(
            "thread {name} decides differently at its bit {at} of {common}: native {native}, VM {other}"
        ));
    }
    let calls = thread.callees.len().min(other.callees.len());
    if thread.callees[..calls] != other.callees[..calls] || whole && thread.callees.len() != other.callees.len() {
        return Err(format!("thread {} calls {:?} and {:?}", thread.name, thread.callees, other.callees));
    }
    Ok(())
}

fn compare(
    code: &Rc<Code>,
    folder: &Path,
    program: &Program,
    binary: &Path,
    native: &RecordedRun,
) -> Result<(), String> {
    let folder: PathBuf = folder.to_owned();
    let options = vm::Options {
        arguments: std::iter::once(binary.display().to_string())
            .chain(program.args.iter().cloned())
            .map(String::into_bytes)
            .collect(),
        stdin: program.stdin.clone().into_bytes(),
        variables: std::env::vars().collect(),
        files: Rc::new(move |path| fs::read(folder.join(path)).ok()),
        record: true,
        tickets: true,
        readings: Rc::new(native.threads.iter().map(|thread| (thread.name.clone(), readings(thread))).collect()),
        ..vm::Options::default()
    };
    let order = order(native);
    let execution = follow(code, &options, &order).map_err(|divergence| {
        // The path may have diverged before that ticket.
        let ticket = divergence.expected.number().expect("a ticket");
        let until = &order[..ticket - 1];
        let followed = follow(code, &options, until).ok().and_then(|execution| execution.recorded);
        let differs = followed.and_then(|run| run.threads.iter().find_map(|thread| difference(native, thread)));
        format!("{divergence}; {}; {}; {}", native.end, differs.unwrap_or_default(), last_of(until))
    })?;
    let Some(followed) = &execution.recorded else {
        // A loop that ran natively for seconds exceeds the VM's step limit.
        if matches!((&native.end, &execution.outcome), (ProcessEnd::Hang, Outcome::StepLimit { .. })) {
            println!("{}: its order is not compared with a formula, because it went round for too long", program.file);
            return Ok(());
        }
        return Err(format!("the VM came to no end: {:?}", execution.outcome));
    };
    // The VM detects a memory error where the native run may go on for a while.
    let stopped_early = matches!(&execution.outcome, Outcome::Failed(failure) if failure.kind == FailureKind::Memory);
    for thread in &native.threads {
        match followed.thread(&thread.name) {
            Some(other) => same_decisions(thread, other)
                .map_err(|differs| format!("{differs}; {} and {:?}", native.end, execution.outcome))?,
            None if stopped_early => {}
            None => return Err(format!("thread {} was not born", thread.name)),
        }
    }
    let agrees = match (&native.end, &execution.outcome) {
        (_, _) if stopped_early => true,
        (ProcessEnd::Exited { status }, Outcome::Passed { status: other }) => status == other,
        (ProcessEnd::Assertion { at, .. }, Outcome::Failed(failure)) => {
            failure.kind == FailureKind::Assertion
                && failure.asserted_at.as_ref().is_none_or(|(_, line)| *line == at.line)
        }
        (ProcessEnd::Hang, Outcome::Failed(failure)) => {
            matches!(failure.kind, FailureKind::Deadlock | FailureKind::Hang)
        }
        (ProcessEnd::Abort { .. } | ProcessEnd::Signal { .. }, Outcome::Failed(_)) => true,
        _ => false,
    };
    if !agrees {
        return Err(format!("it ends with {} and with {:?}", native.end, execution.outcome));
    }
    // The native steps after such an error are not on any path of the program.
    let paths = if stopped_early { followed } else { native };
    satisfies(code, &options, paths, &execution)
}

/// Whether the order of the run is an execution of the graph of its paths that ends alike, and satisfies the formula.
fn satisfies(
    code: &Rc<Code>,
    options: &vm::Options,
    paths: &RecordedRun,
    execution: &vm::Execution,
) -> Result<(), String> {
    let failure = match &execution.outcome {
        Outcome::Failed(failure) => Some(failure),
        _ => None,
    };
    let properties = failure.iter().map(|failure| failure.kind).collect();
    let sought = vm::Options { properties, ..options.clone() };
    let bounds = Bounds { steps: 20_000_000, ..Bounds::default() };
    let mut unrolled = unroll_along(code, &sought, &bounds, paths).map_err(|error| error.to_string())?;
    let schedule = Schedule {
        header: run::Header::default(),
        segments: execution.segments.clone(),
        choices: execution.choices.clone(),
    };
    let cuts = || -> Vec<&Reason> {
        let reasons = unrolled.cuts.iter().map(|cut| &cut.reason);
        reasons.filter(|reason| **reason != Reason::Record).collect()
    };
    let told = |what: String| format!("{what}; {} idle rounds, cuts {:?}", unrolled.idle_rounds, cuts());
    let ordered =
        map_schedule(code, options, &unrolled, &schedule).map_err(|divergence| told(divergence.to_string()))?;
    let outcome = events::replay(&unrolled.graph, &ordered, Extent::Prefix)
        .map_err(|violation| told(format!("the order is none of the graph: {violation}")))?;
    let last = ordered.steps.last().map(|step| step.event);
    let goal = match (failure.map(|failure| failure.kind), &outcome.failed[..], &outcome.deadlock, last) {
        (Some(FailureKind::Deadlock | FailureKind::Hang), [], Some(_), _) => Goal::Failure(Sought::Deadlock),
        (Some(kind), &[failed], _, _) if unrolled.wrongs.get(&failed).is_some_and(|wrong| wrong.kind == kind) => {
            Goal::Failure(Sought::Assertion(failed))
        }
        (None, [], _, Some(end)) if outcome.complete => {
            // The formula has no other end than a failure.
            if let Kind::End = unrolled.graph.events[end.index()].kind {
                let condition = unrolled.graph.terms.falsehood();
                unrolled.graph.events[end.index()].kind = Kind::Assert { condition };
                Goal::Failure(Sought::Assertion(end))
            } else {
                Goal::Passes
            }
        }
        _ => return Err(told(format!("in the graph it comes to {outcome:?} instead of {:?}", execution.outcome))),
    };
    let mut question = Question::new(goal, Extent::Prefix);
    question.orders = ordered.steps.windows(2).map(|pair| (pair[0].event, pair[1].event)).collect();
    let encoding = encode(&unrolled.graph, &question).map_err(|error| error.to_string())?;
    match Portfolio::new(encoding.formula, &Mode::ALL, 1).solve(&[], &Budget::default()) {
        Verdict::Satisfiable(_) => Ok(()),
        other => Err(told(format!("the true order does not satisfy the formula: {other:?}"))),
    }
}

fn around(bits: &run::Bits, at: usize) -> String {
    (at.saturating_sub(12)..at + 12).filter_map(|at| bits.get(at)).map(|bit| if bit { '1' } else { '0' }).collect()
}

/// The last tickets of an order, for people.
fn last_of(order: &[ThreadName]) -> String {
    let names: Vec<String> = order.iter().map(ToString::to_string).collect();
    names[names.len().saturating_sub(40)..].join(" ")
}

/// Where a thread decided otherwise than the native one of its name.
fn difference(native: &RecordedRun, thread: &ThreadRecord) -> Option<String> {
    let other = native.thread(&thread.name)?;
    let common = thread.bits.len().min(other.bits.len());
    let at = (0..common).find(|&at| thread.bits.get(at) != other.bits.get(at))?;
    let (native, followed) = (around(&other.bits, at), around(&thread.bits, at));
    Some(format!("thread {} decides differently at its bit {at}: native {native}, VM {followed}", thread.name))
}

/// A thread's readings of the clock, in nanoseconds.
fn readings(thread: &ThreadRecord) -> Vec<i64> {
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, i64::from_le_bytes);
    let timespec = |buffer: &Vec<u8>| match &buffer[..] {
        bytes if bytes.len() == 16 => number(&bytes[..8]) * 1_000_000_000 + number(&bytes[8..]),
        _ => 0,
    };
    thread
        .inputs
        .iter()
        .filter_map(|input| match input.name.as_str() {
            "_ZNSt6chrono3_V212steady_clock3nowEv" | "_ZNSt6chrono3_V212system_clock3nowEv" => Some(input.result),
            "clock_gettime" => input.buffers.first().map(timespec),
            "time" => Some(input.result * 1_000_000_000),
            _ => None,
        })
        .collect()
}
