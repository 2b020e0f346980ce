//! Explores near the distinct runs of one input, or of several where inputs may vary.

use std::time::Duration;

use predict::{Explored, Limits, Near, Predicted, Region, near};
use report::{Found, Given, GivenArguments, GivenStdin};
use run::RecordedRun;
use symex::bounded::{Arguments, Bounds as Unrolling, Symbolic, UnrollError};
use vm::{Execution, FailureKind};

use crate::answer::{Answer, Context};
use crate::check::bound::{Asked, Confirmed, confirmed};
use crate::check::races;
use crate::error::Error;
use crate::explain::recorded_settings;
use crate::explore::near_run;
use crate::explore::tell::{Said, tell};
use crate::explore::{Distinct, Request};
use crate::program::{Loaded, Settings};
use crate::search::{Candidate, Searched};

/// Rounds of loops that no record leads.
const UNROLL: u32 = 2;

/// Instructions of each thread that are followed.
const STEPS: u64 = 50_000_000;

/// How long an order of a recorded run is looked for.
const ORDERING: Duration = Duration::from_secs(5);

pub fn explored(
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
    let symbolic = if request.vary_input { free_input(settings, &records) } else { Symbolic::default() };
    let wants = |kind| options.properties.contains(&kind);
    let region = Region {
        code: &loaded.code,
        options: &options,
        runs: &records,
        bounds: Unrolling { unroll: UNROLL, steps: STEPS, symbolic, ..Unrolling::default() },
        depths: &predict::DEPTHS,
        limits: Limits { window: request.window, flips: request.flips, conflicts: None },
        deadlocks: wants(FailureKind::Deadlock) || wants(FailureKind::Hang),
        budget: &budget,
    };
    let mut orders = near_run::Orders::new(loaded, &options, &distinct.runs, context, ORDERING);
    // Where inputs are free, the graph does not say which of them a recorded order had.
    let mut explored = report::Explored {
        runs: distinct.all,
        distinct: distinct.runs.len(),
        window: request.window,
        varied: request.vary_input.then(|| varied(&symbolic)),
        ..Default::default()
    };
    // Who asks for races wants to see them and not what comes of them.
    let mut found = match wants(FailureKind::Race) {
        true => raced(loaded, settings, &region, context, &mut explored)?,
        false => None,
    };
    if found.is_none() {
        let near = region.explore(&mut |near, run| match request.vary_input {
            true => None,
            false => near.ordered(&loaded.code, &options, orders.of(run)?),
        });
        let Explored { found: predicted, tries, reached, open, .. } = near.map_err(Error::bug)?;
        explored.tries += tries;
        (explored.decisions, explored.free) = (reached.decisions, reached.free);
        searched.stopped = open.as_ref().map(|reason| context.budget.why(reason));
        if let Some((near, Predicted { failing, is_minimal })) = predicted {
            explored.tries += 1;
            // A race that comes first would hide what was found.
            let others = races::left_aside(settings);
            let confirmed = confirmed(loaded, &others, &near.unrolled, &failing.replayed.execution)?;
            let (execution, run, flipped) = (failing.replayed.execution, failing.run, failing.flipped);
            found = confirmed.map(|confirmed| Hit { near, execution, run, flipped, is_minimal, confirmed });
        }
    }
    // A run that failed is told only where nothing was predicted from those that passed.
    let Some(Hit { near, execution, run, flipped, is_minimal, confirmed }) = found else {
        return tell(loaded, settings, request, context, Said { searched, explored, beside: None });
    };
    let Confirmed { performed, failure, settings: given, .. } = confirmed;
    explored.flips = near_run::flips(loaded, &near, &execution, (run, &flipped), &performed.threads);
    explored.minimal = is_minimal;
    explored.nearest_run = Some(distinct.runs[run as usize].name.clone());
    explored.synthesised = near_run::synthesised(loaded, &given, &performed.execution, &records);
    let is_beside = !explored.flips.is_empty() && !request.vary_input;
    let beside = if is_beside { orders.of(run).cloned() } else { None };
    let Execution { segments, choices, .. } = performed.execution;
    let found = Found::Near { flips: explored.flips.len() };
    searched.failing = Some(Candidate { found, failure, segments, choices });
    searched.stopped = None;
    tell(loaded, &given, request, context, Said { searched, explored, beside })
}

/// A failing execution near a run, as the machine went it.
struct Hit {
    near: Near,
    execution: events::Execution,
    /// The run that it is nearest to, and the decisions of it that it flips.
    run: u32,
    flipped: Vec<usize>,
    is_minimal: bool,
    confirmed: Confirmed,
}

/// Free steps of paths on which races are looked for.
const RACE_FREE: u32 = 1;

/// How long races are looked for where no time is given.
const RACING: Duration = Duration::from_secs(30);

/// A data race near the runs. Flips are not minimised for it.
fn raced(
    loaded: &Loaded,
    settings: &Settings,
    region: &Region<'_>,
    context: &Context<'_>,
    explored: &mut report::Explored,
) -> Result<Option<Hit>, Error> {
    context.observer.stage("looking for races near the recorded runs");
    // The other half is for what else may fail.
    let budget = context.budget.within(context.budget.left().map_or(RACING, |left| left / 2));
    let context = &Context { budget: &budget, ..*context };
    let bounds = Unrolling { free: RACE_FREE, until: budget.deadline(), ..region.bounds };
    let near = match near(region.code, region.options, &bounds, region.runs) {
        Ok(near) => near,
        Err(UnrollError::Late) => return Ok(None),
        Err(error) => return Err(Error::bug(error)),
    };
    let (symbolic, unroll) = (bounds.symbolic, bounds.unroll);
    let asked = Asked { loaded, settings, symbolic, unroll, all: false, effort: None, context: *context };
    let found = races::ask(&asked, &near.unrolled)?;
    explored.tries += u64::from(found.iterations);
    let Some(confirmed) = found.found.into_iter().next() else { return Ok(None) };
    let Some(execution) = confirmed.execution.clone() else { return Ok(None) };
    let (run, flipped) = near.nearest(&execution);
    let is_minimal = flipped.is_empty();
    Ok(Some(Hit { near, execution, run, flipped, is_minimal, confirmed }))
}

/// Arguments and stdin of any value, no longer than those that were recorded.
fn free_input(settings: &Settings, runs: &[RecordedRun]) -> Symbolic {
    let given: Vec<Settings> = runs.iter().map(|run| recorded_settings(settings.clone(), run)).collect();
    let lengths = given.iter().flat_map(|given| &given.arguments).map(Vec::len);
    let count = given.iter().map(|given| given.arguments.len()).max().unwrap_or(0);
    let stdin = given.iter().map(|given| given.stdin.len()).max().unwrap_or(0);
    Symbolic {
        stdin: (stdin > 0).then_some(stdin as u32),
        arguments: (count > 0)
            .then(|| Arguments { count: count as u32, length: lengths.max().unwrap_or(0).max(1) as u32 }),
    }
}

fn varied(symbolic: &Symbolic) -> Given {
    Given {
        arguments: symbolic.arguments.map(|Arguments { count, length }| GivenArguments::Every { count, length }),
        stdin: symbolic.stdin.map(GivenStdin::Every),
        ..Given::default()
    }
}
