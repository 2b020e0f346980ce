//! Explains a natively recorded failure. The record holds only the decisions of each thread, so an interleaving is
//! searched in which every thread takes its recorded decisions and the same failure happens. That one is then explained
//! like any other.

use std::rc::Rc;
use std::sync::Arc;

use report::{Command, Found, Search, Stopped, Unexplained};
use run::{ProcessEnd, RecordedRun, ThreadRecord};
use vm::{Effort, FailureKind, Outcome};

use crate::answer::Answer;
use crate::candidate::Candidate;
use crate::context::Context;
use crate::error::Error;
use crate::established::Established;
use crate::explain::Request;
use crate::explain::order_recorded::{self, Recorded};
use crate::explain::program::Subject;
use crate::program::{Loaded, RecordedFiles, Settings};
use crate::search::{Plan, Searched, Tried};

/// Functions that read external input.
const READERS: &[&str] = &[
    "read",
    "fread",
    "fgets",
    "getline",
    "getdelim",
    "getchar",
    "getc",
    "fgetc",
    "scanf",
    "fscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc23_scanf",
    "__isoc23_fscanf",
];

/// Bounds for tried orders, and for the visible steps of all of them.
const ATTEMPTS: u64 = 20_000;
const STEPS: u64 = 6_000_000;

/// The result for a recorded run.
pub enum OfRecorded {
    Explained(Box<Answer>),
    /// It is proven that no interleaving explains the record.
    Unexplained(Box<Unexplained>),
    /// No order was found, which proves nothing; the reason that the search ended.
    NotFound(Stopped),
}

/// The settings of a recorded run: the user's, completed by the record's.
pub fn recorded_settings(mut settings: Settings, run: &RecordedRun) -> Settings {
    if settings.arguments.is_empty() {
        settings.arguments = arguments(run);
    }
    if let (true, Some(stdin)) = (settings.stdin.is_empty(), stdin(run)) {
        settings.stdin = stdin.to_vec();
    }
    settings.files.recorded = Arc::new(files(run));
    // The end of the run is known, so exit statuses count as failures only if it exited with one.
    match run.end {
        ProcessEnd::Exited { .. } => settings.properties.add(FailureKind::Exit),
        _ => settings.properties.remove(FailureKind::Exit),
    }
    settings
}

/// Explains the failure of a recorded run, which the user calls `name`, with [`recorded_settings`].
pub fn recorded(
    name: &str,
    run: &RecordedRun,
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
    context: &Context<'_>,
) -> Result<OfRecorded, Error> {
    let readings = run.threads.iter().map(|thread| (thread.name.clone(), readings(thread))).collect();
    let options = vm::Options { readings: Rc::new(readings), ..settings.options(false) };
    // The last third of the time is kept for the explanation.
    let searching = context.budget.but_a_third();
    let until = searching.deadline();
    let effort = Effort { seed: context.seed, attempts: request.runs.unwrap_or(ATTEMPTS), steps: STEPS, until };
    context.observer.stage("looking for an order of the recorded paths");
    let recorded = Recorded {
        name,
        loaded,
        run,
        options: &options,
        context: context.within(&searching),
        is_told_alike: is_told_alike(run, settings),
    };
    let found = match recorded.find(effort)? {
        order_recorded::Found::Order(found) => found,
        order_recorded::Found::None(why) => return Ok(OfRecorded::Unexplained(why)),
        order_recorded::Found::Unknown => return Ok(OfRecorded::NotFound(searching.over().unwrap_or(Stopped::Work))),
    };
    let Outcome::Failed(failure) = found.outcome else { return Err(Error::bug("a failing run does not fail")) };
    let candidate =
        Candidate { found: Found::Recorded, failure: *failure, segments: found.segments, choices: found.choices };
    let searched = Searched {
        failing: Some(candidate),
        tried: Tried { executions: 1, steps: found.steps, threads: found.threads, ..Tried::default() },
        ..Searched::default()
    };
    let plan =
        Plan { search: Search::Replay, runs: Some(1), work: None, time: None, gives_up: false, keep_going: false };
    let subject = Subject { command: Command::Explain, loaded, settings, request, context, beside: None };
    let mut established = Established::new(Command::Explain, loaded, *context, None);
    subject.tell(&plan, searched, &mut established).map(|answer| OfRecorded::Explained(Box::new(answer)))
}

/// The arguments in the record, without the program's name.
fn arguments(run: &RecordedRun) -> Vec<Vec<u8>> {
    let main = run.threads.first().and_then(|thread| thread.inputs.iter().find(|input| input.name == run::ARGUMENTS));
    main.map_or(&[][..], |input| input.buffers.as_slice()).iter().skip(1).cloned().collect()
}

/// The program's stdin, if it was recorded.
fn stdin(run: &RecordedRun) -> Option<&[u8]> {
    let inputs = &run.threads.first()?.inputs;
    let kept = inputs.iter().find(|input| input.name == run::STDIN)?;
    kept.buffers.first().map(Vec::as_slice)
}

/// The recorded contents of the files that the program opened.
fn files(run: &RecordedRun) -> RecordedFiles {
    let kept =
        run.threads.first().into_iter().flat_map(|thread| &thread.inputs).filter(|input| input.name == run::FILE);
    let mut files = RecordedFiles::new();
    for file in kept {
        if let [name, contents] = &file.buffers[..]
            && let Ok(name) = String::from_utf8(name.clone())
        {
            files.entry(name).or_insert((file.result >= 0).then(|| contents.clone()));
        }
    }
    files
}

/// The input functions by which the program read data that is not in its record and cannot be given to the machine.
pub fn unrecorded_readers<'a>(run: &'a RecordedRun, settings: &Settings) -> Vec<&'a str> {
    if !settings.stdin.is_empty() || stdin(run).is_some() {
        return Vec::new();
    }
    let inputs = run.threads.iter().flat_map(|thread| &thread.inputs);
    let mut asked: Vec<&str> = inputs.map(|input| input.name.as_str()).filter(|name| READERS.contains(name)).collect();
    asked.sort_unstable();
    asked.dedup();
    asked
}

/// Whether the machine has the program's arguments, stdin and clock readings, and the record is complete.
fn is_told_alike(run: &RecordedRun, settings: &Settings) -> bool {
    let stdin = stdin(run);
    // A read without an open is of stdin.
    let reads = |name: &str| READERS.contains(&name) && stdin.is_some();
    let known = |input: &run::Input| {
        let name = input.name.as_str();
        [run::ARGUMENTS, run::STDIN, run::FILE].contains(&name) || reads(name) || reading(input).is_some()
    };
    // The user may have given other inputs.
    let given = settings.arguments == arguments(run) && stdin.is_none_or(|stdin| settings.stdin == stdin);
    let whole = run.cut.is_none() && run.threads.iter().all(|thread| thread.notes.is_empty());
    given && whole && run.threads.iter().flat_map(|thread| &thread.inputs).all(known)
}

/// The clock readings of a thread, in nanoseconds.
fn readings(thread: &ThreadRecord) -> Vec<i64> {
    thread.inputs.iter().filter_map(reading).collect()
}

/// The clock reading of an input record, if it is one.
fn reading(input: &run::Input) -> Option<i64> {
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, i64::from_le_bytes);
    let timespec = |buffer: &Vec<u8>| match buffer.split_at_checked(8) {
        Some((seconds, rest)) if rest.len() == 8 => number(seconds) * 1_000_000_000 + number(rest),
        _ => 0,
    };
    match input.name.as_str() {
        "_ZNSt6chrono3_V212steady_clock3nowEv" | "_ZNSt6chrono3_V212system_clock3nowEv" => Some(input.result),
        "clock_gettime" => input.buffers.first().map(timespec),
        "time" => Some(input.result.saturating_mul(1_000_000_000)),
        _ => None,
    }
}
