//! `heddle explain`: why a program fails, one that can be run (`program`) or one of which traces were recorded.
//!
//! Of traces, the way of the data: files become paths, paths a graph, a search finds an execution that fails, the execution loses the
//! context switches that it does not need, is told on the straight paths of its files, becomes a schedule, what replaying
//! that schedule shows is diagnosed, and all this becomes the report.

mod folder;
mod search;
mod paths;
mod schedule;
mod diagnosis;
mod replay;
mod program;
mod recorded;
mod native;
mod along;
mod subject;
mod passing_run;
mod explain_run;

use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;
use std::time::Instant;

use diagnose::Replayed;
use events::{EventGraph, Kind};
use indicatif::{ProgressBar, ProgressStyle};
use report::{Circumstances, Command, Finding, PathBounds, PathFile, Report, Stats, Stopped, Subject, Target, Verdict};
use traces::{Run, Traces};

use crate::args::{ExplainArgs, General, Part};
use crate::budget::Budget;
use crate::exit::{self, ExitStatus, Problem};
use crate::pipeline;
use crate::schedule_file;
use crate::supervise;
use crate::terminal;
use folder::{Folder, Selection};
use schedule::Belonging;
use search::{Hit, Plan, Search};

pub use native::run_natively;
pub use replay::replay;
pub use schedule::is_of_traces;

pub fn explain(general: &General, args: &ExplainArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    if let Some(run) = &args.failed_run {
        // How many runs there may be has been said of native ones.
        return recorded::explain(general, &ExplainArgs { runs: None, ..args.clone() }, run, budget);
    }
    if let [path] = args.program.files.as_slice()
        && let Some(run) = recorded::run_file(path)
    {
        return recorded::explain(general, args, &run, budget);
    }
    match args.program.files.as_slice() {
        [folder] if folder.is_dir() || (!folder.exists() && folder.extension().is_none()) => {
            explain_traces(general, args, folder, budget)
        }
        _ => program::explain(general, args, budget),
    }
}

fn explain_traces(general: &General, args: &ExplainArgs, folder: &Path, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let started = budget.started;
    supervise::stage("reading the traces");
    let folder = Folder::read(folder, args.asserting.as_deref())?;
    let traces = folder.import()?;
    let runs = runs(&folder, &traces, args.run.as_deref())?;
    let plan = plan(general, args, budget);
    let imported = started.elapsed().as_secs_f64();

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
    let stands = |finding: &Finding| pipeline::let_stand(general, &told(Some(finding.clone()), None));
    let finding = hit.map(|hit| finding(&folder, args, budget, hit, &stands)).transpose()?;
    let report = told(finding, search.stopped);
    pipeline::deliver(general, &report)?;
    Ok(ExitStatus::of_verdict(report.verdict))
}

fn stats(search: &Search<'_>, finding: Option<&Finding>, imported: f64, started: Instant) -> Stats {
    let (threads, events, shared_accesses) = search.sizes;
    let mut seconds = search.seconds.clone();
    let explanation = finding.and_then(|finding| finding.explanation.as_ref());
    seconds.import = imported;
    seconds.diagnose = explanation.map_or(0.0, |explanation| explanation.seconds);
    seconds.total = started.elapsed().as_secs_f64();
    let (solver, peak_bytes) = (search.solver, peak_bytes());
    Stats { threads, events, shared_accesses, solver, peak_bytes, seconds, ..Stats::default() }
}

/// The complete runs, or the one that was asked for.
fn runs<'t>(folder: &Folder, traces: &'t Traces, wanted: Option<&str>) -> anyhow::Result<Vec<&'t Run>> {
    let asserts = |graph: &EventGraph| graph.events.iter().any(|event| matches!(event.kind, Kind::Assert { .. }));
    let marked = traces.runs().iter().any(|run| run.asserting.is_some());
    if !marked && !asserts(&traces.merged()) {
        return Err(Problem::error(
            format!("nothing in {} says what the failure is", folder.title),
            "the trace of the asserting thread begins with <assertThread_ok> or <assertThread_fail> and ends with its condition",
        ));
    }
    let Some(wanted) = wanted else { return Ok(traces.runs().iter().collect()) };
    let run = traces.runs().iter().find(|run| run.id == wanted);
    run.map(|run| vec![run]).ok_or_else(|| {
        let known: Vec<&str> = traces.runs().iter().map(|run| run.id.as_str()).collect();
        Problem::error(
            format!("{} has no complete run {wanted}", folder.title),
            format!("complete runs: {}", known.join(", ")),
        )
    })
}

fn plan(general: &General, args: &ExplainArgs, budget: &Budget) -> Plan {
    Plan {
        seed: general.seed,
        jobs: general.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get),
        budget: budget.clone(),
        simulates: !args.no_simulation,
        one_run: args.run.is_some(),
        progress: progress_line(general),
    }
}

fn progress_line(general: &General) -> ProgressBar {
    if !terminal::shows_progress(general) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(search::TICK);
    match ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A failing execution as a schedule in a file, what its replay shows, and why it fails. `stands` is told of it before the
/// reason is looked for.
fn finding(
    folder: &Folder,
    args: &ExplainArgs,
    budget: &Budget,
    hit: Hit,
    stands: &dyn Fn(&Finding),
) -> anyhow::Result<Finding> {
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
        .map_err(|misfit| Problem::bug(format!("the schedule that was just made does not fit: {misfit}")))?;
    let replayed = events::replay(&graph, &again, extent)
        .map_err(|violation| Problem::bug(format!("the schedule that was just made is no execution: {violation}")))?;
    if again != failing.execution || replayed.failed != failing.outcome.failed {
        return Err(Problem::bug("a failing execution was replayed from its schedule and ended differently"));
    }
    let circumstances =
        Circumstances { subject, extent, paths: path_files(&selection), context_switches_before: Some(before), found };
    let texts = selection.texts(&graph);
    let mut finding = Finding::of_graph(&graph, &again, &replayed, &texts, circumstances)
        .ok_or_else(|| Problem::bug("the failing execution has no failing assertion"))?;
    let text = schedule::text(written, &finding)?;
    let file = schedule_file::write(args.schedule.as_deref(), &folder.program(), &text)?;
    finding.replayed = 1;
    finding.schedule = Some((file.display().to_string(), pipeline::replay_command(&file)));
    if args.only != Some(Part::Schedule) {
        stands(&finding);
        let failing = Replayed { execution: again, outcome: replayed };
        let told = exit::guarded(|| diagnosis::explanation(args, budget, &graph, &failing, &texts, merged));
        match told.and_then(|told| told.map_err(|error| format!("{error:#}"))) {
            Ok(explanation) => finding.explanation = Some(explanation),
            Err(reason) => finding.explanation_missing = Some(reason),
        }
    }
    Ok(finding)
}

/// The same failure with fewer context switches.
fn reduced(hit: Hit, budget: &Budget) -> anyhow::Result<Hit> {
    let Hit { subject, graph, execution, outcome, extent, found } = hit;
    let plan = events::Plan::new(&graph).map_err(|_| Problem::bug("a graph that was replayed is ill-formed"))?;
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

fn on_straight_paths(folder: &Folder, hit: Hit) -> anyhow::Result<Straightened> {
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
                return Err(Problem::bug(format!("merged paths fail with `{seen}`, the same paths with `{again}`")));
            }
            let Hit { graph, execution, outcome, .. } = hit;
            let paths::Straight { selection, graph: own, execution: order, outcome: end, events } = straight;
            let merged = diagnosis::Merged { graph, failing: Replayed { execution, outcome }, events };
            let failing = Replayed { execution: order, outcome: end };
            Ok(Straightened { selection, graph: own, failing, merged: Some(merged) })
        }
    }
}

fn path_files(selection: &Selection) -> Vec<PathFile> {
    let of_file = |file: &folder::TraceFile| PathFile {
        thread: file.thread.clone(),
        file: file.short_name(),
        synthesised: file.synthesised,
    };
    selection.files.iter().map(of_file).collect()
}

/// The most memory that this process has had, where the system says it.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string(Path::new("/proc/self/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
