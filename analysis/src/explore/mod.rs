//! Failures hidden in passing runs (Cortex): of recorded runs of a program, or of runs in the virtual machine.
//!
//! Distinct passing runs of one input become one graph with everything near to them. A failing execution with the fewest
//! flipped decisions is looked for, performed in the machine, and explained beside the recorded run that is nearest to it.

mod distinct;
mod near_run;
mod traces;

use std::time::Duration;

use predict::{Explored, Limits, Region};
use report::{Bounds, Command, Found, Report, Search, Stats, Target, Timing, Verdict};
use run::{RecordedRun, Schedule};
use symex::bounded::Bounds as Unrolling;
use vm::strategy::{Pos, Random, Strategy, Undisturbed};
use vm::{Execution, FailureKind, Outcome};

use crate::answer::{Answer, Context};
use crate::check::{Confirmed, confirmed};
use crate::error::Error;
use crate::established::Established;
use crate::explain;
use crate::explain::program::Subject;
use crate::program::{Loaded, Settings};
use crate::search::{self, Candidate, Plan, Searched};

pub use distinct::{Distinct, NamedRun};
pub use traces::traces;

/// How the search goes.
#[derive(Clone, Debug)]
pub struct Request {
    /// Only so many decisions before the failure may flip.
    pub window: Option<u32>,
    /// At most so many decisions may flip.
    pub flips: Option<u32>,
    /// Of the stored paths that continue a flipped decision, only so many are used, the shortest first.
    pub paths: Option<usize>,
    /// How what is found is explained.
    pub explain: explain::Request,
}

/// Rounds of loops that no record leads.
const UNROLL: u32 = 2;

/// Instructions of each thread that are followed.
const STEPS: u64 = 50_000_000;

/// Runs in the machine that a program is explored from.
const RUNS: u64 = 12;

/// How long an order of a recorded run is looked for.
const ORDERING: Duration = Duration::from_secs(5);

/// Explores from runs of the program in the machine.
pub fn program(
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
    context: &Context<'_>,
) -> Result<Answer, Error> {
    context.observer.stage("running the program");
    let options = vm::Options { record: true, ..settings.options(false) };
    let mut searched = Searched::default();
    let mut runs = Vec::new();
    for number in 0..=RUNS {
        let seed = context.seed.wrapping_add(number.saturating_sub(1));
        let mut strategy: Box<dyn Strategy> = match number {
            0 => Box::new(Undisturbed::new()),
            odd if odd % 2 == 1 => Box::new(Random::new(seed)),
            _ => Box::new(Pos::new(seed)),
        };
        let mut execution = vm::execute(&loaded.code, &options, strategy.as_mut());
        let found = if number == 0 { Found::Undisturbed } else { Found::Seed(seed) };
        if let (Outcome::Passed { status: 0 }, Some(run)) = (&execution.outcome, execution.recorded.take()) {
            let name = if number == 0 { "the run without preemptions".to_owned() } else { format!("seed {seed}") };
            let (segments, choices) = (execution.segments.clone(), execution.choices.clone());
            let schedule = Schedule { header: run::Header::default(), segments, choices };
            runs.push(NamedRun { name, run, count: 1, schedule: Some(schedule) });
        }
        searched.take(loaded, found, execution);
        if searched.one_run || context.budget.is_over() {
            break;
        }
    }
    let distinct = Distinct::of(runs, request.paths);
    if distinct.runs.is_empty() {
        let explored = report::Explored { runs: distinct.all, distinct: distinct.runs.len(), ..Default::default() };
        return tell(loaded, settings, request, context, Said { searched, explored, beside: None });
    }
    explored(loaded, settings, &distinct, request, context, searched)
}

/// Explores from recorded runs, all with the settings' input.
pub fn runs(
    loaded: &Loaded,
    settings: &Settings,
    runs: Vec<NamedRun>,
    request: &Request,
    context: &Context<'_>,
) -> Result<Answer, Error> {
    let distinct = Distinct::of(runs, request.paths);
    explored(loaded, settings, &distinct, request, context, Searched::default())
}

fn explored(
    loaded: &Loaded,
    settings: &Settings,
    distinct: &Distinct,
    request: &Request,
    context: &Context<'_>,
    mut searched: Searched,
) -> Result<Answer, Error> {
    context.observer.stage("looking for failures near the recorded runs");
    let options = settings.options(false);
    // What is found late cannot be explained any more.
    let budget = context.budget.but_a_third().of_solver(None);
    let records: Vec<RecordedRun> = distinct.runs.iter().map(|run| run.run.clone()).collect();
    let wants = |kind| options.properties.contains(&kind);
    let region = Region {
        code: &loaded.code,
        options: &options,
        runs: &records,
        bounds: Unrolling { unroll: UNROLL, steps: STEPS, ..Unrolling::default() },
        depths: &predict::DEPTHS,
        limits: Limits { window: request.window, flips: request.flips, conflicts: None },
        deadlocks: wants(FailureKind::Deadlock) || wants(FailureKind::Hang),
        budget: &budget,
    };
    let mut orders = near_run::Orders::new(loaded, &options, &distinct.runs, context, ORDERING);
    let found = region.explore(&mut |near, run| near.ordered(&loaded.code, &options, orders.of(run)?));
    let Explored { found, tries, reached, open, .. } = found.map_err(Error::bug)?;
    let mut explored = report::Explored {
        runs: distinct.all,
        distinct: distinct.runs.len(),
        tries,
        decisions: reached.decisions,
        free: reached.free,
        ..Default::default()
    };
    searched.stopped = open.as_ref().map(|reason| context.budget.why(reason));
    // A run that failed is told only where nothing was predicted from those that passed.
    let Some((near, predicted)) = found else {
        return tell(loaded, settings, request, context, Said { searched, explored, beside: None });
    };
    let failing = &predicted.failing;
    explored.tries += 1;
    let Some(confirmed) = confirmed(loaded, settings, &near.unrolled, &failing.replayed.execution)? else {
        return tell(loaded, settings, request, context, Said { searched, explored, beside: None });
    };
    let Confirmed { performed, failure, .. } = confirmed;
    explored.flips = near_run::flips(loaded, &near, failing, &performed.threads);
    explored.minimal = predicted.is_minimal;
    explored.nearest_run = Some(distinct.runs[failing.run as usize].name.clone());
    explored.synthesised = near_run::synthesised(loaded, settings, &performed.execution, &records);
    let beside = if explored.flips.is_empty() { None } else { orders.of(failing.run).cloned() };
    let Execution { segments, choices, .. } = performed.execution;
    let found = Found::Near { flips: explored.flips.len() };
    searched.failing = Some(Candidate { found, failure, segments, choices });
    searched.stopped = None;
    tell(loaded, settings, request, context, Said { searched, explored, beside })
}

/// What is said of a search.
struct Said {
    searched: Searched,
    explored: report::Explored,
    /// A passing order of the nearest run, where its paths are not those of the failing execution.
    beside: Option<Schedule>,
}

fn tell(
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
    context: &Context<'_>,
    said: Said,
) -> Result<Answer, Error> {
    let Said { mut searched, explored, beside } = said;
    if searched.failing.is_some() {
        let plan =
            Plan { search: Search::Near, runs: Some(1), work: None, time: None, gives_up: false, keep_going: false };
        let subject =
            Subject { command: Command::Explore, loaded, settings, request: &request.explain, context, beside };
        let mut established = Established::new(Command::Explore, loaded, *context, None);
        let mut answer = subject.tell(&plan, searched, &mut established)?;
        answer.report.explored = Some(explored);
        return Ok(answer);
    }
    let verdict = match searched.stopped {
        _ if !searched.unsupported.is_empty() => Verdict::Inconclusive,
        Some(_) => Verdict::Inconclusive,
        None if explored.distinct == 0 && !searched.has_ended() => Verdict::Inconclusive,
        None => Verdict::NoneFound,
    };
    let total = context.budget.started.elapsed().as_secs_f64();
    let seconds = Timing { frontend: loaded.seconds, search: total - loaded.seconds, total, ..Timing::default() };
    let bounds = Bounds {
        executions: explored.runs,
        stopped: searched.stopped,
        ..Bounds::new(Search::Near, settings.options(false).step_limit)
    };
    let report = Report {
        unsupported: loaded.unsupported(&searched.unsupported, context.all_unsupported),
        caveats: search::caveats(loaded, settings, &mut searched, verdict),
        stats: Stats { threads: searched.threads, steps: searched.steps, seconds, ..Stats::default() },
        explored: Some(explored),
        ..Report::new(Command::Explore, Target::Program { name: loaded.title(), bounds }, verdict)
    };
    Ok(Answer { output: searched.output(), ..Answer::new(report) })
}
