//! `heddle replay`: builds the program that a schedule belongs to, and runs the schedule again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use report::{Bounds, Command, Report, Search, Stats, Target, Timing, Unsupported, Verdict};
use run::Schedule;
use vm::{Execution, Outcome};

use crate::args::{General, ReplayArgs};
use crate::exit::{ExitStatus, Problem};
use crate::explain;
use crate::files::{self, Limit};
use crate::pipeline::{self, Loaded, Settings, fingerprint_of_bytes};
use crate::run::unsupported_reached;
use crate::schedule_file::{self, Recorded};
use crate::stored_flags;
use crate::terminal;

pub fn replay(general: &General, args: &ReplayArgs) -> anyhow::Result<ExitStatus> {
    let started = Instant::now();
    let (_, schedule) = pipeline::read_schedule(&args.schedule)?;
    if explain::is_of_traces(&schedule.header) {
        let output = general.output.as_ref().map(std::path::absolute).transpose()?;
        let general = General { output, ..general.clone() };
        go_to_the_sources(&schedule, &args.schedule)?;
        refuse_outputs(&general, &None, &schedule)?;
        return explain::replay(&general, args, &schedule);
    }
    let mut recorded =
        schedule_file::recorded(&schedule.header).with_context(|| args.schedule.display().to_string())?;
    // Paths that the user gave hold where the user is; those in the schedule where the sources are.
    let mut general = general.clone();
    general.output = general.output.map(std::path::absolute).transpose()?;
    let program_output = args.program_output.as_ref().map(std::path::absolute).transpose()?;
    read_missing_input(&mut recorded, &args.schedule)?;
    go_to_the_sources(&schedule, &args.schedule)?;
    if !args.trust_flags {
        stored_flags::check(&schedule.header.flags).with_context(|| args.schedule.display().to_string())?;
    }
    refuse_outputs(&general, &program_output, &schedule)?;

    let files: Vec<PathBuf> = schedule.header.sources.iter().map(PathBuf::from).collect();
    let loaded =
        pipeline::load(&general, &files, &schedule.header.flags).map_err(|error| match changed(&recorded) {
            Some(changed) => error.context(format!("{changed} since {} was written", args.schedule.display())),
            None => error,
        })?;
    check_fingerprint(&loaded, &schedule, &recorded, &args.schedule)?;

    let replay_started = Instant::now();
    let settings = Settings { name: loaded.program.name.clone(), ..recorded.settings.clone() };
    let execution = replay_times(&loaded, &settings, &schedule, &recorded, args)?;
    let seconds = Timing {
        frontend: loaded.seconds,
        search: replay_started.elapsed().as_secs_f64(),
        total: started.elapsed().as_secs_f64(),
        ..Timing::default()
    };
    terminal::show_program_output(&general, program_output.as_ref(), &terminal::joined(&execution.output))?;
    let report = report(&loaded, &settings, &execution, args, seconds);
    pipeline::deliver(&general, &report)?;
    match (report.verdict, report.unsupported.first()) {
        (Verdict::Failure, _) => Ok(ExitStatus::Failure),
        (Verdict::NoneFound, _) => Ok(ExitStatus::NothingFound),
        (Verdict::Inconclusive, Some(unsupported)) => Err(unsupported_reached(unsupported)),
        (Verdict::Inconclusive, None) => Ok(ExitStatus::Inconclusive),
    }
}

/// Input that was too long for the schedule is given again.
fn read_missing_input(recorded: &mut Recorded, schedule: &Path) -> anyhow::Result<()> {
    let Some(fingerprint) = &recorded.stdin_fingerprint else { return Ok(()) };
    let stdin = terminal::read_stdin()?;
    if fingerprint_of_bytes(&stdin) != *fingerprint {
        let message = if stdin.is_empty() { "needs the program's input" } else { "was made with another input" };
        return Err(Problem::error(
            format!("{} {message}", schedule.display()),
            "give it on stdin, as in the run that found the failure: heddle replay SCHEDULE < INPUT",
        ));
    }
    recorded.settings.stdin = stdin;
    Ok(())
}

/// The sources of the schedule are inputs too.
fn refuse_outputs(general: &General, program_output: &Option<PathBuf>, schedule: &Schedule) -> anyhow::Result<()> {
    let sources: Vec<PathBuf> = schedule.header.sources.iter().map(PathBuf::from).collect();
    files::refuse_inputs(&files::named(general, &None, program_output), &sources)
}

/// Sources are named from the current folder, or else from the schedule's, or from the one in which heddle kept it.
fn go_to_the_sources(schedule: &Schedule, file: &Path) -> anyhow::Result<()> {
    let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let above = fs::canonicalize(beside).ok().filter(|folder| folder.ends_with(files::kept::FOLDER));
    let above = above.as_deref().and_then(Path::parent);
    let missing = |folder: &Path| schedule.header.sources.iter().find(|source| !folder.join(source).is_file()).cloned();
    let Some(here) = missing(Path::new(".")) else { return Ok(()) };
    if let Some(folder) = [Some(beside), above].into_iter().flatten().find(|folder| missing(folder).is_none()) {
        return std::env::set_current_dir(folder).with_context(|| format!("cannot go to {}", folder.display()));
    }
    if Path::new(&here).exists() {
        return Err(Problem::error(
            format!("{} belongs to {here}, which is not a regular file", file.display()),
            "a schedule names the source files of its program",
        ));
    }
    Err(Problem::error(
        format!("{} belongs to {here}, which is neither here nor beside the schedule", file.display()),
        "replay it in the folder in which it was found",
    ))
}

/// The files that are no longer what they were, in words.
fn changed(recorded: &Recorded) -> Option<String> {
    let is_other = |(file, fingerprint): &&(String, String)| match files::read_named(Path::new(file), Limit::Source) {
        Ok(bytes) => fingerprint_of_bytes(&bytes) != *fingerprint,
        Err(_) => true,
    };
    let files: Vec<&str> = recorded.contents.iter().filter(is_other).map(|(file, _)| file.as_str()).collect();
    match files.as_slice() {
        [] => None,
        [file] => Some(format!("{file} has changed")),
        [files @ .., last] => Some(format!("{} and {last} have changed", files.join(", "))),
    }
}

fn check_fingerprint(loaded: &Loaded, schedule: &Schedule, recorded: &Recorded, file: &Path) -> anyhow::Result<()> {
    if loaded.fingerprint == schedule.header.fingerprint {
        return Ok(());
    }
    let why = changed(recorded).unwrap_or_else(|| "it was made with another compiler or another heddle".to_owned());
    Err(Problem::error(
        format!("{} no longer fits {}: {why}", file.display(), loaded.title()),
        format!("look for the failure again: heddle run {}", run_arguments(schedule)),
    ))
}

/// The sources and flags, for copying into a shell.
fn run_arguments(schedule: &Schedule) -> String {
    let words = schedule.header.sources.iter().chain(&schedule.header.flags).map(String::as_str);
    shlex::try_join(words).unwrap_or_default()
}

/// The first execution, with events, after making sure that all others are like it and that it ends as recorded.
fn replay_times(
    loaded: &Loaded,
    settings: &Settings,
    schedule: &Schedule,
    recorded: &Recorded,
    args: &ReplayArgs,
) -> anyhow::Result<Execution> {
    let again = |events| {
        vm::replay(&loaded.code, &settings.options(events), schedule).map_err(|divergence| {
            Problem::error(
                format!("{} does not fit the program: {divergence}", args.schedule.display()),
                "was it edited, or does the program read files that have changed?",
            )
        })
    };
    let first = again(true)?;
    let ended = pipeline::outcome(&loaded.program, &first.outcome);
    if !is_same_outcome(&ended, &schedule.header.outcome, changed(recorded).is_some()) {
        return Err(Problem::error(
            format!("the replay ended with `{ended}`, but `{}` was recorded", schedule.header.outcome),
            "was the schedule edited, or does the program read files that have changed?",
        ));
    }
    for _ in 1..args.times {
        let next = again(false)?;
        if next.outcome != first.outcome || next.output != first.output || next.steps != first.steps {
            return Err(Problem::bug("two replays of one schedule differ"));
        }
    }
    Ok(first)
}

/// A program keeps its fingerprint when only comments move its lines; then the place may be another.
fn is_same_outcome(ended: &str, recorded: &str, moved: bool) -> bool {
    let without_place = |outcome: &str| {
        let mut words: Vec<String> = outcome.split(' ').map(str::to_owned).collect();
        if words.len() == 4 && words[2] == "thread" {
            words.remove(1);
        }
        words
    };
    ended == recorded || (moved && without_place(ended) == without_place(recorded))
}

fn report(loaded: &Loaded, settings: &Settings, execution: &Execution, args: &ReplayArgs, seconds: Timing) -> Report {
    let finding = pipeline::finding(loaded, settings, execution).map(|mut finding| {
        finding.replayed = args.times;
        finding.schedule = Some((args.schedule.display().to_string(), pipeline::replay_command(&args.schedule)));
        finding
    });
    let verdict = match &execution.outcome {
        Outcome::Failed(_) => Verdict::Failure,
        Outcome::Passed { .. } | Outcome::Unasked(_) => Verdict::NoneFound,
        Outcome::Unsupported { .. } | Outcome::StepLimit { .. } | Outcome::Excluded { .. } => Verdict::Inconclusive,
    };
    let bounds = Bounds {
        executions: u64::from(args.times),
        cut: u64::from(matches!(execution.outcome, Outcome::StepLimit { .. })),
        excluded: u64::from(matches!(execution.outcome, Outcome::Excluded { .. })),
        ..Bounds::new(Search::Replay, settings.options(false).step_limit)
    };
    let target = Target::Program { name: loaded.title(), bounds };
    Report {
        finding,
        unsupported: match &execution.outcome {
            Outcome::Unsupported { what, site } => vec![Unsupported::new(&loaded.program, what, site)],
            _ => Vec::new(),
        },
        stats: Stats {
            threads: execution.threads,
            events: execution.events.len(),
            steps: execution.steps * u64::from(args.times),
            seconds,
            ..Stats::default()
        },
        ..Report::new(Command::Replay, target, verdict)
    }
}
