//! Finds failures hidden in recorded traces: the stored paths of all runs are one graph, whose executions take one path
//! of each thread. Traces have no program, so only stored paths can be taken.

use std::collections::HashMap;

use diagnose::Replayed;
use events::{EventGraph, Extent, Place};
use predict::{Limits, Predicted, Prediction, Stored, StoredPaths, predict};
use report::{Command, Finding, Flip, Found, PathBounds, Report, Stats, Stopped, Subject, Target, Timing, Verdict};
use run::ThreadName;
use traces::{Folder, Options, PathId, read_folder};

use crate::answer::Answer;
use crate::context::Context;
use crate::error::Error;
use crate::explain::traces::finding;
use crate::explain::traces::search::Hit;
use crate::explore::Request;
use crate::trace_files::TraceFiles;

/// Explores from all complete runs of a folder.
pub fn traces(folder: TraceFiles, request: &Request, context: &Context<'_>) -> Result<Answer, Error> {
    context.observer.stage("reading the traces");
    let (folder, stored) = usable(folder)?;
    let imported = context.budget.started.elapsed().as_secs_f64();
    context.observer.stage("looking for failures near the recorded runs");
    let merged = stored.merged();
    let paths = paths(&stored, &merged.paths);
    let numbers: HashMap<PathId, usize> = paths.iter().enumerate().map(|(number, (id, _))| (*id, number)).collect();
    let runs: Vec<Vec<usize>> = stored
        .runs()
        .iter()
        .map(|run| stored.paths_of_run(run).iter().filter_map(|path| numbers.get(&path.id).copied()).collect())
        .collect();
    let list: Vec<Stored<Place>> = paths.iter().map(|(_, path)| path.clone()).collect();
    let all = StoredPaths::new(&list, &runs);
    let mut explored = report::Explored {
        runs: runs.len() as u64,
        distinct: distinct(&runs),
        decisions: all.names.len(),
        skipped: notes(&folder, &stored),
        ..Default::default()
    };
    let (predicted, stopped) = predicted(&merged.graph, &all, request, context, &mut explored.tries)?;
    let hit = predicted.map(|(predicted, extent)| {
        let run = predicted.failing.run as usize;
        explored.minimal = predicted.is_minimal;
        explored.nearest_run = Some(format!("run {}", stored.runs()[run].id));
        explored.flips = predicted.failing.flipped.iter().map(|&flip| told(&stored, &paths, all.names[flip])).collect();
        let Replayed { execution, outcome } = predicted.failing.replayed;
        let found = Found::Near { flips: explored.flips.len() };
        Hit { subject: Subject::Merged, graph: merged.graph.clone(), execution, outcome, extent, found }
    });
    explored.tries += u64::from(hit.is_some());
    let report = |finding: Option<Finding>, explored: &report::Explored, stopped: Option<Stopped>| {
        let verdict = match (&finding, stopped) {
            (Some(_), _) => Verdict::Failure,
            (None, None) => Verdict::NoneFound,
            (None, Some(_)) => Verdict::Inconclusive,
        };
        let bounds = PathBounds {
            complete: verdict == Verdict::NoneFound,
            runs: stored.runs().len(),
            incomplete_runs: folder.recorded_runs().saturating_sub(stored.runs().len()),
            paths: paths.len(),
            attempts: Vec::new(),
            stopped,
        };
        let total = context.budget.started.elapsed().as_secs_f64();
        let seconds = Timing { import: imported, total, ..Timing::default() };
        let graph = &merged.graph;
        let (threads, events) = (graph.threads.len(), graph.events.len());
        let shared_accesses = report::shared_accesses(graph);
        let stats = Stats { threads, events, shared_accesses, seconds, ..Stats::default() };
        let target = Target::Traces { folder: folder.title.clone(), bounds };
        let explored = Some(explored.clone());
        Report { finding, stats, explored, ..Report::new(Command::Explore, target, verdict) }
    };
    let established = |finding: &Finding, text: &str| {
        let answer =
            Answer { schedule: Some(text.to_owned()), ..Answer::new(report(Some(finding.clone()), &explored, None)) };
        context.observer.established(&answer).map_err(|_| Error::Refused)
    };
    let found = hit.map(|hit| finding(&folder, &request.explain, context.budget, hit, &established)).transpose()?;
    let (finding, schedule) = found.unzip();
    if let Some(traced) = finding.as_ref().and_then(|finding| finding.traced.as_ref()) {
        explored.synthesised = traced.paths.iter().filter(|path| path.synthesised).count();
    }
    Ok(Answer { schedule, ..Answer::new(report(finding, &explored, stopped)) })
}

/// A failing execution near a run with its extent, and why the answer may be incomplete.
type Nearest = (Option<(Predicted, Extent)>, Option<Stopped>);

/// Looks for a failing execution of whole paths first, then for one that leaves other threads unfinished.
fn predicted(
    graph: &EventGraph,
    paths: &StoredPaths,
    request: &Request,
    context: &Context<'_>,
    all_tries: &mut u64,
) -> Result<Nearest, Error> {
    let limits = Limits { window: request.window, flips: request.flips, conflicts: None };
    let budget = context.budget.but_a_third().of_solver(None);
    for extent in [Extent::Whole, Extent::Prefix] {
        let Prediction { found, tries, open } =
            predict(paths.sought(graph, extent), limits, &budget, &mut |_, _| None).map_err(Error::bug)?;
        *all_tries += tries;
        let stopped = open.as_ref().map(|reason| context.budget.why(reason));
        if found.is_some() || stopped.is_some() {
            return Ok((found.map(|found| (found, extent)), stopped));
        }
    }
    Ok((None, None))
}

/// The files that can be used: damaged ones and backups cost their run and no more.
fn usable(mut folder: TraceFiles) -> Result<(TraceFiles, Folder), Error> {
    let named: Vec<(String, Vec<u8>)> =
        folder.files.iter().map(|file| (file.short_name(), file.text.clone().into_bytes())).collect();
    let stored = read_folder(&named, &Options { asserting: folder.asserting.clone() }).map_err(|error| {
        let file = folder.files.iter().find(|file| file.short_name() == error.file);
        let file = file.map_or(error.file.clone(), |file| file.path.display().to_string());
        Error::BadTrace { file, line: error.line, message: error.message.clone() }
    })?;
    let used: Vec<String> = stored.paths().map(|path| path.file.to_owned()).collect();
    folder.files.retain(|file| used.contains(&file.short_name()));
    Ok((folder, stored))
}

/// Files that were left out or put right.
fn notes(folder: &TraceFiles, stored: &Folder) -> Vec<String> {
    let backups = folder.backups.iter().map(|path| format!("{}: a backup", path.display()));
    let unreadable =
        folder.unreadable.iter().map(|file| format!("{}:{}: this is not text", file.path.display(), file.line));
    stored.notes.iter().map(ToString::to_string).chain(backups).chain(unreadable).collect()
}

/// The paths of the merged graph.
fn paths(stored: &Folder, taken: &[(PathId, formula::Term)]) -> Vec<(PathId, Stored<Place>)> {
    let mut threads: Vec<ThreadName> = Vec::new();
    let mut number_of = |thread: &ThreadName| match threads.iter().position(|known| known == thread) {
        Some(number) => number,
        None => {
            threads.push(thread.clone());
            threads.len() - 1
        }
    };
    let by_id: HashMap<PathId, _> = stored.paths().map(|path| (path.id, path)).collect();
    let mut paths = Vec::new();
    for &(id, taken) in taken {
        let Some(path) = by_id.get(&id) else { continue };
        let counted = path.decisions.len() - usize::from(path.asserts);
        let nowhere = Place { file: String::new(), line: 0 };
        let decisions = path.decisions[..counted].iter();
        let decisions =
            decisions.map(|decision| (decision.place.clone().unwrap_or(nowhere.clone()), decision.taken)).collect();
        paths.push((id, Stored { thread: number_of(path.thread), taken, decisions }));
    }
    paths
}

fn distinct(runs: &[Vec<usize>]) -> usize {
    let mut runs = runs.to_vec();
    runs.sort();
    runs.dedup();
    runs.len()
}

/// A flipped decision of a run's path, for the report.
fn told(stored: &Folder, paths: &[(PathId, Stored<Place>)], (_, path, position): (u32, usize, usize)) -> Flip {
    let (id, path) = &paths[path];
    let thread = stored.paths().find(|path| path.id == *id).map_or_else(ThreadName::main, |path| path.thread.clone());
    let (place, taken) = &path.decisions[position];
    let side = |taken: bool| if taken { "taken" } else { "not taken" }.to_owned();
    let at = (place.line != 0).then(|| place.clone().into());
    Flip { thread, at, recorded: side(*taken), now: side(!*taken) }
}
