//! `heddle run`: many schedules, until one fails.

use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use report::{Bounds, Caveats, Command, Range, Report, Search, Stats, Stopped, Target, Timing, Verdict};
use vm::explore::Hashing;

use crate::args::{General, ProgramArgs, RunArgs, StrategyName, Surroundings};
use crate::budget::Budget;
use crate::caveats;
use crate::compile_commands;
use crate::exit::{ExitStatus, Problem};
use crate::files;
use crate::pipeline::{self, Loaded, Settings};
use crate::properties::Properties;
use crate::schedule_file;
use crate::search::{self, Plan, Searched};
use crate::stored_flags;
use crate::supervise;
use crate::terminal;

/// How long a failure is looked for when the user names no bound.
const TIME: Duration = Duration::from_secs(5);

/// The depth of PCT when the user does not say.
const DEPTH: u32 = 3;

pub fn run(general: &General, args: &RunArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let started = budget.started;
    let plan = plan(general, args, budget);
    let flags = flags(general, &args.program)?;
    let loaded = pipeline::load(general, &args.program.files, &flags)?;
    let outputs = files::named(general, &args.schedule, &args.surroundings.program_output);
    files::refuse_inputs(&outputs, &loaded.files())?;
    let settings = settings(&args.surroundings, &loaded)?;

    supervise::stage("looking for a failing schedule");
    let search_started = Instant::now();
    let mut searched = search::search(&loaded, &settings, &plan);
    let search_seconds = search_started.elapsed().as_secs_f64();

    let mut finding = None;
    if let Some(candidate) = searched.failing.take() {
        let schedule = pipeline::schedule_of(&loaded, &settings, &candidate);
        let replayed = pipeline::confirm(&loaded, &settings, &schedule, &candidate.failure)?;
        let text = pipeline::text_of(&loaded, schedule, &replayed)?;
        let file = schedule_file::write(args.schedule.as_deref(), &loaded.program.name, &text)?;
        finding = pipeline::finding(&loaded, &settings, &replayed).map(|mut finding| {
            finding.found = Some(candidate.found);
            finding.replayed = 1;
            finding.schedule = Some((file.display().to_string(), pipeline::replay_command(&file)));
            finding
        });
        searched.threads = searched.threads.max(replayed.threads);
        searched.passing_output = Some(terminal::joined(&replayed.output));
    }
    for (count, candidate) in searched.counts.iter_mut().skip(1).zip(&searched.others) {
        let schedule = pipeline::schedule_of(&loaded, &settings, candidate);
        let replayed = pipeline::confirm(&loaded, &settings, &schedule, &candidate.failure)?;
        let text = pipeline::text_of(&loaded, schedule, &replayed)?;
        count.schedule = Some(schedule_file::write(None, &loaded.program.name, &text)?.display().to_string());
    }
    if let Some(output) = searched.passing_output.as_ref().or(searched.unfinished_output.as_ref()) {
        terminal::show_program_output(general, args.surroundings.program_output.as_ref(), output)?;
    }

    let events = finding.as_ref().map_or(0, |finding| finding.events.len());
    let (frontend, search, total) = (loaded.seconds, search_seconds, started.elapsed().as_secs_f64());
    let seconds = Timing { frontend, search, total, ..Timing::default() };
    let stats = Stats { threads: searched.threads, events, steps: searched.steps, seconds, ..Stats::default() };
    let verdict = match &finding {
        Some(_) => Verdict::Failure,
        None if is_inconclusive(args, &searched) => Verdict::Inconclusive,
        None => Verdict::NoneFound,
    };
    let target = Target::Program { name: loaded.title(), bounds: bounds(&settings, plan, &searched) };
    let report = Report {
        finding,
        counts: if args.keep_going { std::mem::take(&mut searched.counts) } else { Vec::new() },
        unsupported: unsupported(general, &loaded, &searched),
        caveats: caveats(&loaded, &settings, &mut searched, verdict),
        stats,
        ..Report::new(Command::Run, target, verdict)
    };
    pipeline::deliver(general, &report)?;
    conclude(&report)
}

/// Flags on the command line stand for themselves; without any, the build system is asked.
pub fn flags(general: &General, program: &ProgramArgs) -> anyhow::Result<Vec<String>> {
    let mut flags = Vec::new();
    if program.flags.is_empty() || program.compile_commands.is_some() {
        let found = compile_commands::flags_for(&program.files, program.compile_commands.as_deref())?;
        let from = found.database.map_or(String::new(), |database| database.display().to_string());
        if !found.flags.is_empty() {
            terminal::detail(general, &format!("flags from {from}: {}", found.flags.join(" ")));
        }
        if !found.refused.is_empty() {
            let refused: Vec<String> = found.refused.iter().map(|flag| stored_flags::shown(flag)).collect();
            let what = "not passed on, for they may run other code or write files";
            terminal::note(general, &format!("flags in {from} that are {what}: {}", refused.join(" ")));
        }
        flags = found.flags;
    }
    flags.extend(program.flags.iter().cloned());
    Ok(flags)
}

fn plan(general: &General, args: &RunArgs, budget: &Budget) -> Plan {
    let search = match args.strategy() {
        StrategyName::Portfolio => Search::Portfolio { explored: 0 },
        StrategyName::Random => Search::Random,
        StrategyName::Pct => Search::Pct { depth: args.depth.unwrap_or(DEPTH) },
        StrategyName::Exhaustive => Search::Exhaustive {
            reduction: !args.no_reduction && args.preemptions.is_none(),
            hashing: match (args.hashing, args.no_hashing) {
                (true, _) => Hashing::On,
                (false, true) => Hashing::Off,
                (false, false) => Hashing::WhenLong,
            },
            preemptions: args.preemptions,
        },
    };
    let jobs = general.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    Plan {
        search,
        first_seed: general.seed,
        runs: args.runs,
        work: args.work,
        time: (args.runs.is_none() && args.work.is_none()).then_some(TIME),
        gives_up: args.runs.is_none() && general.time.is_none(),
        jobs,
        budget: budget.clone(),
        keep_going: args.keep_going,
        progress: terminal::shows_progress(general),
    }
}

pub fn settings(given: &Surroundings, loaded: &Loaded) -> anyhow::Result<Settings> {
    Ok(Settings {
        name: loaded.program.name.clone(),
        arguments: given.arguments.iter().map(|argument| argument.clone().into_bytes()).collect(),
        stdin: input(loaded)?,
        variables: given.env.clone(),
        steps: given.steps,
        reuse: given.reuse,
        spurious: given.spurious,
        properties: Properties::asked(&given.properties.property)?,
    })
}

/// What the program can read from stdin.
pub fn input(loaded: &Loaded) -> anyhow::Result<Vec<u8>> {
    if reads_input(&loaded.program) { terminal::read_stdin() } else { Ok(Vec::new()) }
}

/// Whether the program can read at all. Where it cannot, waiting for the end of stdin would be waiting for nothing.
fn reads_input(program: &ir::Program) -> bool {
    let mut instrs = program.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instrs);
    instrs.any(|instr| matches!(instr.op, ir::Op::Primitive { primitive: ir::Primitive::FileRead, .. }))
}

/// Without a failure: whether what was promised was not done. A limit that the user set is no broken promise.
fn is_inconclusive(args: &RunArgs, searched: &Searched) -> bool {
    let promised = match args.strategy() {
        StrategyName::Exhaustive => {
            searched.stopped.is_some() || (searched.cut > 0 && args.surroundings.steps.is_none())
        }
        StrategyName::Portfolio | StrategyName::Random | StrategyName::Pct => match searched.stopped {
            Some(Stopped::Interrupted | Stopped::Memory | Stopped::Crashed) => true,
            Some(_) => args.runs.is_some(),
            None => false,
        },
    };
    promised || !searched.has_ended() || !searched.unsupported.is_empty()
}

pub fn bounds(settings: &Settings, plan: Plan, searched: &Searched) -> Bounds {
    let last = plan.first_seed.wrapping_add(searched.seeded.saturating_sub(1));
    let search = match plan.search {
        Search::Portfolio { .. } => Search::Portfolio { explored: searched.explored },
        other => other,
    };
    Bounds {
        complete: searched.complete,
        executions: searched.executions,
        undisturbed: searched.undisturbed,
        seeds: (searched.seeded > 0).then_some(Range { first: plan.first_seed, last }),
        cut: searched.cut,
        excluded: searched.excluded,
        stopped: searched.stopped,
        states: searched.states,
        left_out: searched.left_out.clone(),
        ..Bounds::new(search, settings.options(false).step_limit)
    }
}

/// What the verdict leaves open.
pub fn caveats(loaded: &Loaded, settings: &Settings, searched: &mut Searched, verdict: Verdict) -> Caveats {
    let passes = verdict == Verdict::NoneFound;
    Caveats {
        unasked: std::mem::take(&mut searched.unasked),
        one_run: searched.one_run,
        ..caveats::caveats(loaded, settings, passes)
    }
}

pub fn unsupported(general: &General, loaded: &Loaded, searched: &Searched) -> Vec<report::Unsupported> {
    let reached = searched.unsupported.iter().cloned();
    let mut unsupported: Vec<report::Unsupported> =
        reached.map(|reached| pipeline::with_other_places(loaded, reached)).collect();
    if general.verbose {
        let known = |place: &&report::Unsupported| searched.unsupported.iter().any(|reached| reached.at == place.at);
        unsupported.extend(loaded.unsupported.iter().filter(|place| !known(place)).cloned());
    }
    unsupported
}

pub fn conclude(report: &Report) -> anyhow::Result<ExitStatus> {
    match report.verdict {
        Verdict::Failure => Ok(ExitStatus::Failure),
        Verdict::NoneFound => Ok(ExitStatus::NothingFound),
        Verdict::Inconclusive => match report.unsupported.iter().find(|unsupported| unsupported.reached) {
            Some(unsupported) => Err(unsupported_reached(unsupported)),
            None => Ok(ExitStatus::Inconclusive),
        },
    }
}

pub fn unsupported_reached(unsupported: &report::Unsupported) -> anyhow::Error {
    let place = pipeline::in_words(unsupported.function.as_deref(), unsupported.at.as_ref());
    Problem::error(
        format!("the program reached something that heddle does not support{place}: {}", unsupported.what),
        unsupported_help(&unsupported.what),
    )
}

fn unsupported_help(what: &str) -> String {
    let all = "-v lists all such places in the program; what cannot be reached does no harm";
    if what.starts_with("OpenMP") {
        return "threads of pthread.h, threads.h and the C++ library are supported; without -fopenmp the pragmas have no effect"
            .to_owned();
    }
    match what.strip_prefix("no model for the function ") {
        Some(function) => {
            format!("a definition of {function} in a file of your own, named beside the others, is used instead; {all}")
        }
        None => all.to_owned(),
    }
}
