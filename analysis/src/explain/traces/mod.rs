//! Explains failures of programs of which only traces exist.
//!
//! The flow of data: the paths become an event graph; a search finds a failing execution; unnecessary context switches
//! are removed from it; it is mapped to the straight paths of its files and becomes a schedule; the replay of the
//! schedule is diagnosed; the results become the report.

pub(crate) mod search;
mod paths;
mod diagnosis;

use std::time::Instant;

use ::traces::{Run, Traces};
use diagnose::Replayed;
use events::{EventGraph, Kind};
use report::{Circumstances, Command, Finding, PathBounds, Report, Stats, Stopped, Subject, Target, Verdict};

use crate::answer::Answer;
use crate::budget::Budget;
use crate::context::Context;
use crate::error::Error;
use crate::explain::{Part, Request};
use crate::guard::guarded;
use crate::schedule::traces::{self as schedule, Belonging};
use crate::trace_files::{Selection, TraceFiles};
use search::{Hit, Plan, Search};

/// More notes on a folder than that are only counted.
const NOTES: usize = 5;

/// Explains the failure of all traces in a folder, or of one run of them.
pub fn traces(
    folder: &TraceFiles,
    run: Option<&str>,
    request: &Request,
    context: &Context<'_>,
) -> Result<Answer, Error> {
    let started = context.budget.started;
    let traces = folder.import()?;
    say(&folder.notes(&traces), context);
    let runs = runs(folder, &traces, run)?;
    let imported = started.elapsed().as_secs_f64();
    let plan = Plan { context: *context, simulates: request.simulates, one_run: run.is_some() };
    let mut search = Search::new(&traces, runs, plan);
    let hit = search.run()?;
    let told = |finding: Option<Finding>, stopped: Option<Stopped>| {
        let verdict = match (&finding, stopped) {
            (Some(_), _) => Verdict::Failure,
            (None, None) => Verdict::NoneFound,
            (None, Some(_)) => Verdict::Inconclusive,
        };
        let bounds = PathBounds {
            complete: verdict == Verdict::NoneFound,
            runs: traces.runs().len(),
            incomplete_runs: folder.recorded_runs().saturating_sub(traces.runs().len()),
            paths: traces.paths(),
            attempts: search.attempts.clone(),
            stopped,
        };
        let stats = stats(&search, finding.as_ref(), imported, started);
        let target = Target::Traces { folder: folder.title.clone(), bounds };
        Report { finding, stats, ..Report::new(Command::Explain, target, verdict) }
    };
    let established = |finding: &Finding, text: &str| {
        let report = told(Some(finding.clone()), None);
        let answer = Answer { schedule: Some(text.to_owned()), ..Answer::new(report) };
        context.observer.established(&answer).map_err(|_| Error::Refused)
    };
    let found = hit.map(|hit| finding(folder, request, context.budget, hit, &established)).transpose()?;
    let (finding, schedule) = found.unzip();
    Ok(Answer { schedule, ..Answer::new(told(finding, search.stopped)) })
}

/// The first notes, and the number of the others.
fn say(notes: &[String], context: &Context<'_>) {
    notes.iter().take(NOTES).for_each(|note| context.observer.note(note));
    if let Some(more) = notes.len().checked_sub(NOTES).filter(|more| *more > 0) {
        context.observer.note(&format!("{more} more such notes on these traces"));
    }
}

fn stats(search: &Search<'_>, finding: Option<&Finding>, imported: f64, started: Instant) -> Stats {
    let (threads, events, shared_accesses) = search.sizes;
    let mut seconds = search.seconds.clone();
    let explanation = finding.and_then(|finding| finding.explanation.as_ref());
    seconds.import = imported;
    seconds.diagnose = explanation.map_or(0.0, |explanation| explanation.seconds);
    seconds.total = started.elapsed().as_secs_f64();
    Stats { threads, events, shared_accesses, solver: search.solver, seconds, ..Stats::default() }
}

/// The complete runs, or the requested one.
fn runs<'t>(folder: &TraceFiles, traces: &'t Traces, wanted: Option<&str>) -> Result<Vec<&'t Run>, Error> {
    let asserts = |graph: &EventGraph| graph.events.iter().any(|event| matches!(event.kind, Kind::Assert { .. }));
    let marked = traces.runs().iter().any(|run| run.asserting.is_some());
    if !marked && !asserts(&traces.merged()) {
        return Err(Error::NoAssertion { folder: folder.title.clone() });
    }
    let Some(wanted) = wanted else { return Ok(traces.runs().iter().collect()) };
    let run = traces.runs().iter().find(|run| run.id == wanted);
    run.map(|run| vec![run]).ok_or_else(|| Error::NoSuchRun {
        folder: folder.title.clone(),
        wanted: wanted.to_owned(),
        known: traces.runs().iter().map(|run| run.id.clone()).collect(),
    })
}

/// A failing execution, its replay, its diagnosis and the text of its schedule. `established` receives the execution
/// before the diagnosis begins.
pub(crate) fn finding(
    folder: &TraceFiles,
    request: &Request,
    budget: &Budget,
    hit: Hit,
    established: &dyn Fn(&Finding, &str) -> Result<(), Error>,
) -> Result<(Finding, String), Error> {
    let (subject, extent, found) = (hit.subject.clone(), hit.extent, Some(hit.found.clone()));
    let before = diagnose::context_switches(&hit.graph, &hit.execution);
    let Straightened { selection, graph, failing, merged } = on_straight_paths(folder, reduced(hit, budget)?)?;
    let belonging = Belonging {
        folder: folder.title.clone(),
        subject: subject.clone(),
        asserting: folder.asserting.clone(),
        extent,
        contents: schedule::contents(&selection),
    };
    let outcome = schedule::outcome(&graph, &failing.outcome.failed);
    let header = schedule::header(&belonging, &selection, outcome);
    let written = encode::schedule(&graph, &failing.execution, header);
    // The last word has the schedule as it will be read.
    let again = schedule::execution(&graph, &written)
        .map_err(|misfit| Error::bug(format!("the new schedule does not fit the traces: {misfit}")))?;
    let replayed = events::replay(&graph, &again, extent)
        .map_err(|violation| Error::bug(format!("the new schedule is not an execution: {violation}")))?;
    if again != failing.execution || replayed.failed != failing.outcome.failed {
        return Err(Error::bug("a failing execution was replayed from its schedule and ended differently"));
    }
    let circumstances =
        Circumstances { subject, extent, paths: selection.paths(), context_switches_before: Some(before), found };
    let texts = selection.texts(&graph);
    let mut finding = Finding::of_graph(&graph, &again, &replayed, &texts, circumstances)
        .ok_or_else(|| Error::bug("the failing execution has no failing assertion"))?;
    let text = schedule::text(written, &finding)?;
    finding.replayed = 1;
    if request.only != Some(Part::Schedule) {
        established(&finding, &text)?;
        let failing = Replayed { execution: again, outcome: replayed };
        let told = guarded(|| diagnosis::explanation(request, budget, &graph, &failing, &texts, merged));
        match told.and_then(|told| told.map_err(|error| error.to_string())) {
            Ok(explanation) => finding.explanation = Some(explanation),
            Err(reason) => finding.explanation_missing = Some(reason),
        }
    }
    Ok((finding, text))
}

/// The same failure with fewer context switches.
fn reduced(hit: Hit, budget: &Budget) -> Result<Hit, Error> {
    let Hit { subject, graph, execution, outcome, extent, found } = hit;
    let plan = events::Plan::new(&graph).map_err(|_| Error::bug("a graph that was replayed is ill-formed"))?;
    let failing = Replayed { execution, outcome };
    let Replayed { execution, outcome } = diagnose::fewer_switches(&plan, failing, extent, &budget.of_solver(None));
    Ok(Hit { subject, graph, execution, outcome, extent, found })
}

/// One file per thread, and the execution of exactly these.
struct Straightened {
    selection: Selection,
    graph: EventGraph,
    failing: Replayed,
    /// Where it comes from all stored paths.
    merged: Option<diagnosis::Merged>,
}

fn on_straight_paths(folder: &TraceFiles, hit: Hit) -> Result<Straightened, Error> {
    match &hit.subject {
        Subject::Run(id) => {
            let selection = folder.run(id);
            let Hit { graph, execution, outcome, .. } = hit;
            Ok(Straightened { selection, graph, failing: Replayed { execution, outcome }, merged: None })
        }
        Subject::Merged => {
            let straight = paths::straighten(folder, &hit.graph, &hit.execution, hit.extent)?;
            let seen = schedule::outcome(&hit.graph, &hit.outcome.failed);
            let again = schedule::outcome(&straight.graph, &straight.outcome.failed);
            if seen != again {
                return Err(Error::bug(format!("merged paths fail with `{seen}`, the same paths with `{again}`")));
            }
            let Hit { graph, execution, outcome, .. } = hit;
            let paths::Straight { selection, graph: own, execution: order, outcome: end, events } = straight;
            let merged = diagnosis::Merged { graph, failing: Replayed { execution, outcome }, events };
            let failing = Replayed { execution: order, outcome: end };
            Ok(Straightened { selection, graph: own, failing, merged: Some(merged) })
        }
    }
}
