//! Generated C programs of many features (`generate::stranger_c`), run natively with a total order of their shared
//! operations: the outcome of such a run is among those of all schedules, and in the recorded order the VM has the same
//! outcome.
//!
//! Every third program is tried, so that a campaign of thousands stays short. `HEDDLE_CASES` is the number of programs,
//! `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stdout)]

mod command;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::rc::Rc;

use command::heddle;
use frontend_llvm::{Inputs, load};
use run::{ProcessEnd, RecordedRun, ThreadName, ThreadRecord, read_run};
use vm::explore::{Cut, Hashing, Settings, explore};
use vm::{Code, Execution, FailureKind, Options, Outcome, follow_and_end};

const CASES: u64 = 24;
/// One program in this many is tried.
const EVERY: u64 = 3;
/// Native runs of each, under different perturbations.
const RUNS: u64 = 2;
/// Estimated from above, as in the comparison of the engines.
const MOST_INTERLEAVINGS: u64 = 20_000;
/// Steps of an exploration.
const TRANSITIONS: u64 = 300_000;
/// The time limits of runs in seconds; the shorter one for programs that may deadlock.
const PATIENCE: [&str; 2] = ["20", "0.5"];

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// All that can become of a program.
struct Outcomes {
    /// Exit statuses with outputs.
    ends: BTreeSet<String>,
    /// Lines of assertions.
    lines: BTreeSet<u32>,
    kinds: BTreeSet<FailureKind>,
}

impl Outcomes {
    fn may_stop(&self) -> bool {
        self.kinds.contains(&FailureKind::Deadlock) || self.kinds.contains(&FailureKind::Hang)
    }

    fn hold(&self, end: &ProcessEnd, output: &[u8]) -> bool {
        match end {
            ProcessEnd::Exited { status } => self.ends.contains(&ended(*status, output)),
            ProcessEnd::Assertion { at, .. } => self.lines.contains(&at.line),
            ProcessEnd::Abort { .. } => self.kinds.contains(&FailureKind::Abort),
            ProcessEnd::Hang => self.may_stop(),
            _ => false,
        }
    }
}

/// Lines are put in order: not all orders of lines are tried.
fn ended(status: i32, output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    format!("status {status} output {lines:?}")
}

/// None if there are too many, or a construct is unsupported.
fn outcomes(code: &Rc<Code>) -> Option<Outcomes> {
    let settings = Settings { all: true, printed: true, hashing: Hashing::On, ..Settings::default() };
    let explored = explore(code, &Options::default(), &settings, &mut |so_far| so_far.transitions < TRANSITIONS);
    if explored.cuts.iter().any(|cut| !matches!(cut, Cut::Inputs)) {
        return None;
    }
    let failures = || explored.failures.iter().map(|found| &found.failure);
    Some(Outcomes {
        ends: explored.finals.keys().map(|end| ended(end.status, &end.output)).collect(),
        lines: failures().filter_map(|failure| failure.asserted_at.as_ref().map(|(_, line)| *line)).collect(),
        kinds: failures().map(|failure| failure.kind).collect(),
    })
}

#[derive(Default)]
struct Seen {
    programs: u64,
    runs: u64,
    followed: u64,
    left: Vec<String>,
    wrong: Vec<String>,
}

fn judge(seed: u64, seen: &mut Seen) -> Result<(), String> {
    let source = generate::stranger_c(seed, MOST_INTERLEAVINGS).source;
    let folder = command::folder(&[("program.c", &source)]);
    let built = heddle(
        folder.path(),
        &["cc", "-std=gnu17", "-w", "-O1", "-pthread", "-fheddle-hooks", "program.c", "-o", "program", "-latomic"],
    );
    if built.status != 0 {
        return Err(format!("it does not build: {}", built.stderr));
    }
    let binary = folder.path().join("program");
    let loaded =
        load(&Inputs { files: vec![binary.clone()], ..Inputs::default() }).map_err(|error| error.to_string())?;
    let code = Rc::new(Code::new(&loaded.program));
    let Some(outcomes) = outcomes(&code) else {
        seen.left.push(format!("not all schedules were tried (seed {seed})"));
        return Ok(());
    };
    // After misuse of memory anything can happen.
    if outcomes.kinds.contains(&FailureKind::Memory) {
        seen.left.push(format!("memory is misused (seed {seed})"));
        return Ok(());
    }
    for perturbation in 1..=RUNS {
        let (native, output) = record(folder.path(), &binary, perturbation, outcomes.may_stop())?;
        seen.runs += 1;
        if !outcomes.hold(&native.end, &output.stdout) {
            let text = String::from_utf8_lossy(&output.stdout);
            return Err(format!("natively {} with {text:?}, not among {:?}", native.end, outcomes.ends));
        }
        if native.end != ProcessEnd::Hang {
            agrees(&code, &binary, &native, &output.stdout)?;
            seen.followed += 1;
        }
    }
    Ok(())
}

/// One native run with a total order of its shared operations.
fn record(folder: &Path, binary: &Path, seed: u64, may_stop: bool) -> Result<(RecordedRun, Output), String> {
    let out = folder.join(format!("seed-{seed}"));
    let output = Command::new(command::binary())
        .args(["record", "--timeout", PATIENCE[usize::from(may_stop)], "--out"])
        .arg(&out)
        .arg("--")
        .arg(binary)
        .env("HEDDLE_SEQUENCE", "1")
        .env("HEDDLE_PERTURB", seed.to_string())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let files = fs::read_dir(&out).into_iter().flatten().flatten().map(|file| file.path());
    let file = files.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "run"));
    let nothing = || format!("nothing was recorded: {}", String::from_utf8_lossy(&output.stderr));
    let bytes = fs::read(file.ok_or_else(nothing)?).map_err(|error| error.to_string())?;
    let read = read_run(&bytes).map_err(|error| error.to_string())?;
    match read.damage {
        Some(damage) => Err(damage.to_string()),
        None => Ok((read.run, output)),
    }
}

/// Whether the VM, in the recorded order, ends as the native run did.
fn agrees(code: &Rc<Code>, binary: &Path, native: &RecordedRun, printed: &[u8]) -> Result<(), String> {
    let mut tickets: Vec<(u64, &ThreadName)> =
        native.threads.iter().flat_map(|thread| thread.order.iter().map(|&number| (number, &thread.name))).collect();
    tickets.sort();
    let order: Vec<ThreadName> = tickets.into_iter().map(|(_, name)| name.clone()).collect();
    let options = Options {
        arguments: vec![binary.display().to_string().into_bytes()],
        tickets: true,
        readings: Rc::new(native.threads.iter().map(|thread| (thread.name.clone(), readings(thread))).collect()),
        ..Options::default()
    };
    let mut others = Vec::new();
    // Steps after the last ticket are not ordered. One thread may end the process while another one fails, and a thread that
    // would fail right after its last recorded operation may be stopped before it does.
    let names = || std::iter::once(None).chain(native.threads.iter().map(|thread| Some(&thread.name)));
    for (late, first) in names().flat_map(|late| names().map(move |first| (late, first))) {
        let mut order = order.clone();
        if let Some(last) = late.and_then(|late| order.iter().rposition(|name| name == late)) {
            order.remove(last);
        }
        let followed = follow_and_end(code, &options, &order, first);
        match followed {
            Ok(execution) if ends_alike(native, printed, &execution) => return Ok(()),
            Ok(execution) => others.push(execution.outcome),
            Err(divergence) if late.is_none() => {
                return Err(format!("the recorded order is not followed: {divergence}; {}", native.end));
            }
            Err(_) => {}
        }
    }
    let text = String::from_utf8_lossy(printed);
    Err(format!("natively {} with {text:?}, in the VM {others:?}", native.end))
}

fn ends_alike(native: &RecordedRun, printed: &[u8], execution: &Execution) -> bool {
    let output: Vec<u8> = execution.output.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
    match (&native.end, &execution.outcome) {
        (ProcessEnd::Exited { status }, Outcome::Passed { status: other }) => {
            ended(*status, printed) == ended(*other, &output)
        }
        (ProcessEnd::Assertion { at, .. }, Outcome::Failed(failure)) => {
            failure.asserted_at.as_ref().is_some_and(|(_, line)| *line == at.line)
        }
        (ProcessEnd::Abort { .. }, Outcome::Failed(failure)) => failure.kind == FailureKind::Abort,
        _ => false,
    }
}

/// A thread's readings of the clock, in nanoseconds.
fn readings(thread: &ThreadRecord) -> Vec<i64> {
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, i64::from_le_bytes);
    let reading = |input: &run::Input| match input.name.as_str() {
        "clock_gettime" => {
            let buffer = input.buffers.first().filter(|buffer| buffer.len() == 16);
            Some(buffer.map_or(0, |bytes| number(&bytes[..8]) * 1_000_000_000 + number(&bytes[8..])))
        }
        "time" => Some(input.result.saturating_mul(1_000_000_000)),
        _ => None,
    };
    thread.inputs.iter().filter_map(reading).collect()
}

#[test]
fn native_runs_in_order_end_as_some_schedule_does() {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let mut seen = Seen::default();
    for seed in (first..first + cases).filter(|seed| seed % EVERY == 0) {
        seen.programs += 1;
        if let Err(why) = judge(seed, &mut seen) {
            println!("seed {seed}: {why}");
            seen.wrong.push(format!("seed {seed}: {why}"));
        }
    }
    let Seen { programs, runs, followed, left, wrong } = seen;
    println!(
        "{programs} strangers in order from seed {first}: {runs} native runs, {followed} of them followed by the VM, {} programs \
         without, {} disagree",
        left.len(),
        wrong.len()
    );
    left.iter().for_each(|what| println!("without native runs: {what}"));
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong.join("\n"));
}
