//! Explores around the distinct runs of one input, or of several inputs if inputs may vary.

use std::time::Duration;

use diagnose::Wrong;
use predict::{Explored, FailureSite, Limits, Near, Predicted, Region, near};
use report::{FailureCount, Found, Given, GivenArguments, GivenStdin, Stopped, Target};
use run::RecordedRun;
use symex::bounded::{Arguments, Bounds as Unrolling, Symbolic, UnrollError};
use vm::{Execution, FailureKind};

use crate::answer::Answer;
use crate::bounded::Asked;
use crate::bounded::confirm::{Confirmed, confirmed};
use crate::bounded::races;
use crate::candidate::Candidate;
use crate::context::Context;
use crate::error::Error;
use crate::explain::recorded_settings;
use crate::explore::tell::{Said, tell};
use crate::explore::{Distinct, ORDERING, Request};
use crate::explore::{near_run, trial};
use crate::program::{Loaded, Settings};
use crate::schedule::text_of;
use crate::search::Searched;

/// Rounds of loops that no record leads.
const UNROLL: u32 = 2;

/// The number of instructions of each thread that are followed.
const STEPS: u64 = 50_000_000;

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
    // The last third of the time is kept for the explanation.
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
        known: &[],
        budget: &budget,
    };
    let mut orders = near_run::Orders::new(loaded, &options, &distinct.runs, context, ORDERING);
    let mut explored = report::Explored {
        runs: distinct.all,
        distinct: distinct.runs.len(),
        window: request.window,
        varied: request.vary_input.then(|| varied(&symbolic)),
        ..Default::default()
    };
    let mut looking = Looking {
        loaded,
        settings,
        orders: &mut orders,
        context,
        explored: &mut explored,
        varies: request.vary_input,
        stopped: None,
    };
    // If races are requested, a race is preferred to the failures it causes.
    let mut found = match wants(FailureKind::Race) {
        true => looking.race(&region)?,
        false => None,
    };
    if found.is_none() {
        found = looking.failure(&region)?;
    }
    let others = match (&found, request.all) {
        (Some(first), true) => looking.others(&region, first)?,
        _ => Vec::new(),
    };
    let stopped = looking.stopped;
    // A failing run is reported only if no failure was predicted from passing ones.
    let Some(Hit { near, execution, run, flipped, is_minimal, confirmed, .. }) = found else {
        searched.stopped = stopped;
        return tell(loaded, settings, request, context, Said { searched, explored, beside: None });
    };
    let Confirmed { performed, failure, settings: given, .. } = confirmed;
    explored.flips = near_run::flips(loaded, &near, &execution, (run, &flipped), &performed.threads);
    explored.minimal = is_minimal;
    explored.nearest_run = Some(distinct.runs[run as usize].name.clone());
    explored.synthesised = near_run::synthesised(loaded, &given, &performed.execution, &records);
    let is_beside = !explored.flips.is_empty() && !request.vary_input;
    let beside = if is_beside { orders.of(run).cloned() } else { None };
    let main = FailureCount::new(&loaded.program, &failure);
    let Execution { segments, choices, .. } = performed.execution;
    let found = Found::Near { flips: explored.flips.len() };
    searched.failing = Some(Candidate { found, failure, segments, choices });
    searched.stopped = None;
    let mut answer = tell(loaded, &given, request, context, Said { searched, explored, beside })?;
    if request.all {
        list(loaded, &mut answer, main, others, stopped)?;
    }
    Ok(answer)
}

/// Lists all failures: the first, which is explained, and the others, each with its schedule.
fn list(
    loaded: &Loaded,
    answer: &mut Answer,
    main: FailureCount,
    others: Vec<Confirmed>,
    stopped: Option<Stopped>,
) -> Result<(), Error> {
    answer.report.counts.push(main);
    for other in others {
        answer.others.push((answer.report.counts.len(), text_of(loaded, other.schedule, &other.replayed)?));
        answer.report.counts.push(FailureCount::new(&loaded.program, &other.failure));
    }
    if let Some(explored) = &mut answer.report.explored {
        (explored.all, explored.stopped) = (true, stopped);
    }
    if let Target::Program { bounds, .. } = &mut answer.report.target {
        bounds.stopped = stopped;
    }
    Ok(())
}

/// The search of one group of runs.
struct Looking<'a, 'o> {
    loaded: &'a Loaded,
    settings: &'a Settings,
    orders: &'a mut near_run::Orders<'o>,
    context: &'a Context<'a>,
    explored: &'a mut report::Explored,
    /// Whether inputs are free. Then the graph does not say which of them a recorded order had.
    varies: bool,
    /// Why the last search ended early.
    stopped: Option<Stopped>,
}

impl Looking<'_, '_> {
    /// A failure other than a race, replayed.
    fn failure(&mut self, region: &Region<'_>) -> Result<Option<Hit>, Error> {
        let Looking { loaded, settings, ref mut orders, context, varies, .. } = *self;
        let mut passing = |near: &Near, run| match varies {
            true => None,
            false => near.ordered(&loaded.code, region.options, orders.of(run)?),
        };
        let near = region.explore(&mut passing, &mut || match varies {
            true => Vec::new(),
            false => trial::failing_runs(loaded, settings, context),
        });
        let Explored { found: predicted, tries, reached, open, .. } = near.map_err(Error::bug)?;
        self.explored.tries += tries;
        (self.explored.decisions, self.explored.free) = (reached.decisions, reached.free);
        self.stopped = open.as_ref().map(|reason| context.budget.why(reason));
        let Some((near, Predicted { failing, is_minimal })) = predicted else { return Ok(None) };
        self.explored.tries += 1;
        // An earlier race on the path would hide the failure.
        let others = races::left_aside(settings);
        let confirmed = confirmed(loaded, &others, &near.unrolled, &failing.replayed.execution)?;
        let (execution, run, flipped) = (failing.replayed.execution, failing.run, failing.flipped);
        let wrong = Some(failing.wrong);
        Ok(confirmed.map(|confirmed| Hit { near, execution, run, flipped, is_minimal, wrong, confirmed }))
    }

    /// All failures that differ from those before: assertions of other places, and one deadlock.
    fn others(&mut self, region: &Region<'_>, first: &Hit) -> Result<Vec<Confirmed>, Error> {
        let mut deadlocks = region.deadlocks;
        let mut known = Vec::new();
        let exclude = |hit: &Hit, known: &mut Vec<FailureSite>, deadlocks: &mut bool| match hit.assertion() {
            Some(site) => known.push(site),
            None => *deadlocks = false,
        };
        let count = |confirmed: &Confirmed| FailureCount::new(&self.loaded.program, &confirmed.failure);
        let mut counted = vec![count(&first.confirmed)];
        if first.confirmed.failure.kind != FailureKind::Race {
            exclude(first, &mut known, &mut deadlocks);
        }
        let mut others = Vec::new();
        loop {
            let said = format!("looking for failures near the recorded runs, {} found so far", counted.len());
            self.context.observer.stage(&said);
            let Some(hit) = self.failure(&Region { known: &known, deadlocks, ..*region })? else { return Ok(others) };
            exclude(&hit, &mut known, &mut deadlocks);
            let new = count(&hit.confirmed);
            if !counted.iter().any(|known| known.is_same(&new)) {
                counted.push(new);
                others.push(hit.confirmed);
            }
        }
    }

    /// A data race near the runs. Flips are not minimised for it.
    fn race(&mut self, region: &Region<'_>) -> Result<Option<Hit>, Error> {
        self.context.observer.stage("looking for races near the recorded runs");
        // The other half is for other failures.
        let budget = self.context.budget.within(self.context.budget.left().map_or(RACING, |left| left / 2));
        let context = Context { budget: &budget, ..*self.context };
        let bounds = Unrolling { free: RACE_FREE, until: budget.deadline(), ..region.bounds };
        let near = match near(region.code, region.options, &bounds, region.runs, region.known) {
            Ok(near) => near,
            Err(UnrollError::Late) => return Ok(None),
            Err(error) => return Err(Error::bug(error)),
        };
        let (symbolic, unroll) = (bounds.symbolic, bounds.unroll);
        let (loaded, settings) = (self.loaded, self.settings);
        let asked = Asked { loaded, settings, symbolic, unroll, all: false, effort: None, context };
        let found = races::ask(&asked, &near.unrolled)?;
        self.explored.tries += u64::from(found.iterations);
        let Some(confirmed) = found.found.into_iter().next() else { return Ok(None) };
        let Some(execution) = confirmed.execution.clone() else { return Ok(None) };
        let (run, flipped) = near.nearest(&execution);
        let is_minimal = flipped.is_empty();
        Ok(Some(Hit { near, execution, run, flipped, is_minimal, wrong: None, confirmed }))
    }
}

/// A failing execution near a run, as the machine went it.
struct Hit {
    near: Near,
    execution: events::Execution,
    /// The run that it is nearest to, and the decisions of it that it flips.
    run: u32,
    flipped: Vec<usize>,
    is_minimal: bool,
    /// `None` for a race.
    wrong: Option<Wrong>,
    confirmed: Confirmed,
}

/// The number of free steps of a path in the search for races.
const RACE_FREE: u32 = 1;

/// The default time of the search for races.
const RACING: Duration = Duration::from_secs(30);

impl Hit {
    /// The assertion that fails; `None` for a deadlock or a race.
    fn assertion(&self) -> Option<FailureSite> {
        match &self.wrong {
            Some(Wrong::Assertion(assertion)) => FailureSite::of(&self.near.unrolled, *assertion),
            _ => None,
        }
    }
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
