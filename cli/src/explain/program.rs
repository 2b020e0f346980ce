//! Why a program that can be run fails: a search finds a run that does, which is then followed, diagnosed, and told.

use std::time::Duration;

use report::{Command, Report, Search, Stats, Stopped, Target, Timing, Verdict};

use crate::args::{ExplainArgs, General, Part};
use crate::budget::Budget;
use crate::check;
use crate::established::Established;
use crate::exit::ExitStatus;
use crate::explain::explain_run;
use crate::files;
use crate::pipeline::{self, Loaded, Settings};
use crate::run;
use crate::schedule_file::Slot;
use crate::search::{self, Plan, Portfolio, Searched};
use crate::supervise;
use crate::terminal;

/// Runs by PCT before the portfolio.
const RUNS: u64 = 400;

/// The work of runs and exploration before the solver is asked.
const BEFORE_SOLVER: u64 = 20_000_000;

/// How long the solver is asked.
const BOUNDED: Duration = Duration::from_secs(30);

pub fn explain(general: &General, args: &ExplainArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let flags = run::flags(general, &args.program)?;
    let loaded = pipeline::load(general, &args.program.files, &flags)?;
    let outputs = files::named(general, &args.schedule, &args.surroundings.program_output);
    files::refuse_inputs(&outputs, &loaded.files())?;
    let settings = run::settings(&args.surroundings, &loaded)?;
    let subject = Subject { name: &loaded.program.name, loaded: &loaded, settings: &settings, budget };
    let mut established = subject.established(general, args);
    let (plan, searched) = find(general, args, &subject, &mut established)?;
    tell(general, args, &subject, plan, searched, established)
}

/// What is explained.
pub struct Subject<'a> {
    /// What its schedule is called after.
    pub name: &'a str,
    pub loaded: &'a Loaded,
    pub settings: &'a Settings,
    pub budget: &'a Budget,
}

impl<'a> Subject<'a> {
    pub fn established(&self, general: &'a General, args: &'a ExplainArgs) -> Established<'a> {
        let &Subject { name, loaded, budget, .. } = self;
        let slot = Slot::new(args.schedule.as_deref(), name);
        Established { general, command: Command::Explain, loaded, budget, checked: None, slot, is_made: false }
    }
}

/// What was found, explained and delivered.
pub fn tell(
    general: &General,
    args: &ExplainArgs,
    subject: &Subject<'_>,
    plan: Plan,
    mut searched: Searched,
    mut established: Established<'_>,
) -> anyhow::Result<ExitStatus> {
    let &Subject { loaded, settings, budget, .. } = subject;
    let started = budget.started;
    let found_after = started.elapsed().as_secs_f64();
    let mut finding = None;
    if let Some(candidate) = searched.failing.take() {
        let schedule = pipeline::schedule_of(loaded, settings, &candidate);
        let replayed = pipeline::confirm(loaded, settings, &schedule, &candidate.failure)?;
        let before = replayed.context_switches;
        established.failure(candidate.found.clone(), settings, &schedule, &replayed)?;
        supervise::stage("looking for the cause of the failure");
        let failure = &candidate.failure;
        let asked = explain_run::Asked { args, loaded, settings, schedule: &schedule, failure, budget };
        let why = if args.only == Some(Part::Schedule) { Ok(None) } else { explain_run::why(&asked) };
        let (why, explanation_missing) = match why {
            Ok(why) => (why, None),
            Err(reason) => (None, Some(reason)),
        };
        let (schedule, replayed, explanation) = match why {
            // Of two schedules that fail alike, the one with fewer switches is easier to follow.
            Some(why) if why.replayed.context_switches <= before => (why.schedule, why.replayed, Some(why.explanation)),
            why => (schedule, replayed, why.map(|why| why.explanation)),
        };
        let text = pipeline::text_of(loaded, schedule, &replayed)?;
        let file = established.slot.put(&text)?;
        if explanation.is_none() && args.only != Some(Part::Schedule) {
            searched.stopped = searched.stopped.or(budget.over());
        }
        finding = pipeline::finding(loaded, settings, &replayed).map(|mut finding| {
            finding.found = Some(candidate.found);
            finding.replayed = 1;
            finding.context_switches_before = Some(before);
            finding.explanation = explanation;
            finding.explanation_missing = explanation_missing;
            finding.schedule = Some((file.display().to_string(), pipeline::replay_command(&file)));
            finding
        });
        searched.threads = searched.threads.max(replayed.threads);
        searched.passing_output = Some(terminal::joined(&replayed.output));
    }
    if let Some(output) = searched.passing_output.as_ref().or(searched.unfinished_output.as_ref()) {
        terminal::show_program_output(general, args.surroundings.program_output.as_ref(), output)?;
    }
    let events = finding.as_ref().map_or(0, |finding| finding.events.len());
    let seconds = Timing {
        frontend: loaded.seconds,
        search: found_after - loaded.seconds,
        total: started.elapsed().as_secs_f64(),
        ..Timing::default()
    };
    let stats = Stats { threads: searched.threads, events, steps: searched.steps, seconds, ..Stats::default() };
    let verdict = match &finding {
        Some(_) => Verdict::Failure,
        None if budget.over() == Some(Stopped::Interrupted) => Verdict::Inconclusive,
        None if !searched.has_ended() || !searched.unsupported.is_empty() => Verdict::Inconclusive,
        None => Verdict::NoneFound,
    };
    let target = Target::Program { name: loaded.title(), bounds: run::bounds(settings, plan, &searched) };
    let report = Report {
        finding,
        unsupported: run::unsupported(general, loaded, &searched),
        caveats: run::caveats(loaded, settings, &mut searched, verdict),
        stats,
        ..Report::new(Command::Explain, target, verdict)
    };
    pipeline::deliver(general, &report)?;
    run::conclude(&report)
}

/// A failing run: by runs with few changes of priority first, whose failures are simple; then by runs and exploration in turns,
/// then by the solver, then by more runs and exploration.
fn find(
    general: &General,
    args: &ExplainArgs,
    subject: &Subject<'_>,
    established: &mut Established<'_>,
) -> anyhow::Result<(Plan, Searched)> {
    let &Subject { loaded, settings, budget, .. } = subject;
    // What is found late cannot be explained any more.
    let budget = &budget.but_a_third();
    let jobs = general.jobs.or_else(|| std::thread::available_parallelism().ok());
    let plan = |search, budget: &Budget| Plan {
        search,
        first_seed: general.seed,
        runs: args.runs,
        work: None,
        time: None,
        gives_up: args.runs.is_none(),
        jobs: jobs.map_or(1, std::num::NonZeroUsize::get),
        budget: budget.clone(),
        keep_going: false,
        progress: terminal::shows_progress(general),
    };
    supervise::stage("looking for a failing run");
    if args.no_simulation {
        let bounded = plan(Search::Bounded, budget);
        let searched = solved(general, settings, &budget.within(BOUNDED), established)?;
        return Ok((bounded, searched));
    }
    let chance = Plan { runs: Some(args.runs.unwrap_or(RUNS)), ..plan(Search::Pct { depth: 3 }, budget) };
    let searched = search::search(loaded, settings, &chance);
    let is_decided = searched.failing.is_some() || searched.one_run || searched.stopped == Some(Stopped::Unsupported);
    if is_decided || budget.is_over() || args.runs.is_some() {
        return Ok((chance, searched));
    }
    let plan_of_runs = plan(Search::Portfolio { explored: 0 }, budget);
    let mut portfolio = Portfolio::start(loaded, settings, &plan_of_runs);
    portfolio.advance(Some(BEFORE_SOLVER));
    if portfolio.is_open() {
        if portfolio.supports_all() {
            let solved = solved(general, settings, &budget.within(BOUNDED), established)?;
            if solved.failing.is_some() || solved.complete {
                return Ok((plan(Search::Bounded, budget), solved));
            }
        }
        supervise::stage("looking for a failing run");
        portfolio.advance(None);
    }
    let searched = portfolio.finish();
    Ok((plan_of_runs, searched))
}

/// What bounded checking finds.
fn solved(
    general: &General,
    settings: &Settings,
    budget: &Budget,
    established: &mut Established<'_>,
) -> anyhow::Result<Searched> {
    let check::Hunted { failing, complete, unsupported } = check::find(general, settings, budget, established)?;
    Ok(Searched {
        passing_output: complete.then(Vec::new),
        unsupported: unsupported.into_iter().collect(),
        failing,
        complete,
        ..Searched::default()
    })
}
