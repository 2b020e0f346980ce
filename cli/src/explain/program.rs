//! Why a program that can be run fails: a search finds a run that does, which is then followed, diagnosed, and told.

use std::time::Instant;

use report::{RunReport, Search, Stats, Timing, Verdict};
use vm::explore::Hashing;

use crate::args::{ExplainArgs, General, Part};
use crate::check;
use crate::exit::{ExitStatus, Problem};
use crate::explain::why;
use crate::explore;
use crate::pipeline::{self, Loaded, Settings};
use crate::run;
use crate::schedule_file;
use crate::search::{self, Plan, Searched};
use crate::terminal;

/// How many schedules are tried when nobody says.
const RUNS: u64 = 400;

/// Where chance finds nothing, every schedule is tried for so long.
const EXHAUSTIVE_SECONDS: u64 = 20;

/// Where that finds nothing, or nobody wants it, the solver is asked for so long.
const BOUNDED_SECONDS: u64 = 30;

pub fn explain(general: &General, args: &ExplainArgs) -> anyhow::Result<ExitStatus> {
    let started = Instant::now();
    let flags = run::flags(general, &args.program)?;
    let loaded = pipeline::load(general, &args.program.files, &flags)?;
    let settings = run::settings(&args.surroundings, &loaded)?;
    search::listen_for_interrupts();
    let (plan, searched) = find(general, args, &loaded, &settings, started)?;
    let subject = Subject { name: &loaded.program.name, loaded: &loaded, settings: &settings, started };
    tell(general, args, &subject, plan, searched)
}

/// What is explained.
pub struct Subject<'a> {
    /// What its schedule is called after.
    pub name: &'a str,
    pub loaded: &'a Loaded,
    pub settings: &'a Settings,
    pub started: Instant,
}

/// What was found, explained and delivered.
pub fn tell(
    general: &General,
    args: &ExplainArgs,
    subject: &Subject<'_>,
    plan: Plan,
    mut searched: Searched,
) -> anyhow::Result<ExitStatus> {
    let &Subject { name, loaded, settings, started } = subject;
    let found_after = started.elapsed().as_secs_f64();
    let mut finding = None;
    if let Some(candidate) = searched.failing.take() {
        let schedule = pipeline::schedule_of(loaded, settings, &candidate);
        let replayed = pipeline::confirm(loaded, settings, &schedule, &candidate.failure)?;
        let before = replayed.context_switches;
        let why = match args.only {
            Some(Part::Schedule) => None,
            _ => why::why(general, args, loaded, settings, &schedule, &candidate.failure)?,
        };
        let (schedule, replayed, explanation) = match why {
            Some(why) => (why.schedule, why.replayed, Some(why.explanation)),
            None => (schedule, replayed, None),
        };
        let text = pipeline::text_of(loaded, schedule, &replayed)?;
        let file = schedule_file::write(args.schedule.as_deref(), name, &text)?;
        finding = pipeline::finding(loaded, settings, &replayed).map(|mut finding| {
            finding.found = Some(candidate.found);
            finding.replayed = 1;
            finding.context_switches_before = Some(before);
            finding.explanation = explanation;
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
    };
    let stats = Stats { threads: searched.threads, events, steps: searched.steps, seconds };
    let verdict = match &finding {
        Some(_) => Verdict::Failure,
        None if searched.passing_output.is_none() || !searched.unsupported.is_empty() => Verdict::Inconclusive,
        None => Verdict::NoneFound,
    };
    let report = RunReport {
        command: "explain",
        program: loaded.title(),
        verdict,
        bounds: run::bounds(settings, plan, &searched),
        finding,
        counts: Vec::new(),
        unsupported: run::unsupported(general, loaded, &searched),
        checked: None,
        stats,
    };
    pipeline::deliver(general, &report)?;
    run::conclude(&report)
}

/// A failing run: by priorities with a few changes first, then one schedule after the other, then by the solver.
fn find(
    general: &General,
    args: &ExplainArgs,
    loaded: &Loaded,
    settings: &Settings,
    started: Instant,
) -> anyhow::Result<(Plan, Searched)> {
    let time = general.time.map(|seconds| {
        std::time::Duration::try_from_secs_f64(seconds)
            .map_err(|_| Problem::error(format!("--time {seconds} is no number of seconds"), "such as --time 60"))
    });
    let deadline = time.transpose()?.and_then(|time| started.checked_add(time));
    let jobs = general.jobs.or_else(|| std::thread::available_parallelism().ok());
    let plan = |search, deadline| Plan {
        search,
        first_seed: general.seed,
        runs: Some(args.runs.unwrap_or(RUNS)),
        gives_up: args.runs.is_none(),
        jobs: jobs.map_or(1, std::num::NonZeroUsize::get),
        deadline,
        keep_going: false,
        progress: terminal::shows_progress(general),
    };
    let within = |seconds| {
        let until = Instant::now() + std::time::Duration::from_secs(seconds);
        deadline.map_or(until, |deadline| deadline.min(until))
    };
    if args.no_simulation {
        let bounded = plan(Search::Bounded, deadline);
        let searched = solved(general, loaded, settings, within(BOUNDED_SECONDS))?;
        return Ok((bounded, searched));
    }
    let chance = plan(Search::Pct { depth: 3 }, deadline);
    let searched = search::search(loaded, settings, &chance);
    if searched.failing.is_some() || search::is_interrupted() || args.runs.is_some() {
        return Ok((chance, searched));
    }
    let every = Search::Exhaustive { reduction: true, hashing: Hashing::WhenLong, preemptions: None };
    let every = Plan { runs: None, ..plan(every, Some(within(EXHAUSTIVE_SECONDS))) };
    let explored = explore::explore(loaded, settings, &every);
    if explored.failing.is_some() || explored.complete {
        return Ok((every, explored));
    }
    let left = deadline.is_none_or(|deadline| Instant::now() < deadline);
    if left && !search::is_interrupted() && searched.unsupported.is_empty() {
        let solved = solved(general, loaded, settings, within(BOUNDED_SECONDS))?;
        if solved.failing.is_some() || solved.complete {
            return Ok((plan(Search::Bounded, deadline), solved));
        }
    }
    Ok((chance, searched))
}

/// What bounded checking finds.
fn solved(general: &General, loaded: &Loaded, settings: &Settings, deadline: Instant) -> anyhow::Result<Searched> {
    let check::Hunted { failing, complete, unsupported } = check::find(general, loaded, settings, deadline)?;
    Ok(Searched {
        passing_output: complete.then(Vec::new),
        unsupported: unsupported.into_iter().collect(),
        failing,
        complete,
        ..Searched::default()
    })
}
