//! `heddle replay`: builds the program of a schedule, and replays it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use analysis::replay::{self, Request};
use analysis::{Answer, Budget, Context, Loaded, Recorded, Settings, Silent, fingerprint_of_bytes, is_of_traces};
use anyhow::Context as _;
use run::Schedule;

use crate::args::{General, ReplayArgs};
use crate::clashes;
use crate::exit::{ExitStatus, Problem};
use crate::files::{self, Limit};
use crate::load;
use crate::publisher::{Publisher, replay_command};
use crate::stored_flags;
use crate::terminal;
use crate::trace_folder;

pub fn replay(general: &General, args: &ReplayArgs) -> anyhow::Result<ExitStatus> {
    let started = Instant::now();
    let schedule = read_schedule(&args.schedule)?;
    if is_of_traces(&schedule.header) {
        let output = general.output.as_ref().map(std::path::absolute).transpose()?;
        let general = General { output, ..general.clone() };
        go_to_the_sources(&schedule, &args.schedule)?;
        refuse_outputs(&general, &None, &schedule)?;
        return replay_traces(&general, args, &schedule, Instant::now());
    }
    let name = args.schedule.display().to_string();
    let mut recorded = analysis::recorded(&schedule.header).with_context(|| name.clone())?;
    // Paths from the user are relative to the current folder; those in the schedule to the sources.
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
    let loaded = load::program(&general, &files, &schedule.header.flags).map_err(|error| match changed(&recorded) {
        Some(changed) => error.context(format!("{changed} since {} was written", args.schedule.display())),
        None => error,
    })?;
    check_fingerprint(&loaded, &schedule, &recorded, &args.schedule)?;

    let settings = Settings {
        name: loaded.program.name.clone(),
        files: recorded.settings.files.with_system(load::read_program_file),
        ..recorded.settings.clone()
    };
    let request = Request { name: &name, schedule: &schedule, times: args.times, started };
    let mut answer = replay::program(&loaded, &settings, &request, changed(&recorded).is_some())?;
    if let Some(construct) = &recorded.construct {
        watch(&loaded, &settings, &schedule, construct, &mut answer);
    }
    deliver(&general, args, program_output.as_ref(), answer)
}

/// Replays a schedule that breaks a home-made construct. The program itself may pass; the construct's guarantee is checked.
fn watch(loaded: &Loaded, settings: &Settings, schedule: &Schedule, construct: &str, answer: &mut Answer) {
    let budget = Budget::new(Instant::now(), None, false);
    let context = Context { budget: &budget, observer: &Silent, seed: 1, jobs: 1, all_unsupported: false };
    let confirmed = sync::confirm(loaded, settings, schedule, construct, &context);
    let mut synced = report::Synced::default();
    synced.notes.push(match &confirmed.what {
        Some(what) => format!("{construct}: {what}"),
        None => format!("{construct}: this schedule does not break it"),
    });
    answer.report.verdict =
        if confirmed.what.is_some() { report::Verdict::Failure } else { report::Verdict::Inconclusive };
    if answer.report.finding.is_none() {
        answer.report.synced = Some(synced);
    }
}

/// The report shows the given schedule.
fn deliver(
    general: &General,
    args: &ReplayArgs,
    program_output: Option<&PathBuf>,
    mut answer: Answer,
) -> anyhow::Result<ExitStatus> {
    if let Some(finding) = &mut answer.report.finding {
        finding.schedule = Some((args.schedule.display().to_string(), replay_command(&args.schedule)));
    }
    Publisher::new(general, None, "", program_output).deliver(answer)
}

/// The user is already where the traces are named from.
fn replay_traces(
    general: &General,
    args: &ReplayArgs,
    schedule: &Schedule,
    started: Instant,
) -> anyhow::Result<ExitStatus> {
    let belonging = replay::belonging(&schedule.header)?;
    let selection = trace_folder::selection(&schedule.header.sources, belonging.asserting.clone())?;
    let name = args.schedule.display().to_string();
    let request = Request { name: &name, schedule, times: args.times, started };
    let answer = replay::traces(&selection, belonging, &request)?;
    deliver(general, args, None, answer)
}

/// Reads input that was too long for the schedule.
pub fn read_missing_input(recorded: &mut Recorded, schedule: &Path) -> anyhow::Result<()> {
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
    clashes::refuse_inputs(&clashes::named(general, &None, program_output), &sources)
}

/// Sources are relative to the current folder, or else to the schedule's, or to the one of heddle's folder.
pub fn go_to_the_sources(schedule: &Schedule, file: &Path) -> anyhow::Result<()> {
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

/// A message about files that have changed.
pub fn changed(recorded: &Recorded) -> Option<String> {
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

pub fn check_fingerprint(loaded: &Loaded, schedule: &Schedule, recorded: &Recorded, file: &Path) -> anyhow::Result<()> {
    if loaded.fingerprint == schedule.header.fingerprint {
        return Ok(());
    }
    let why =
        changed(recorded).unwrap_or_else(|| "it was made with another version of the compiler or of heddle".to_owned());
    Err(Problem::error(
        format!("{} no longer fits {}: {why}", file.display(), loaded.title()),
        format!("search for the failure again: heddle run {}", run_arguments(schedule)),
    ))
}

/// The sources and flags, for copying into a shell.
fn run_arguments(schedule: &Schedule) -> String {
    let words = schedule.header.sources.iter().chain(&schedule.header.flags).map(String::as_str);
    shlex::try_join(words).unwrap_or_default()
}

/// The schedule in a file.
pub fn read_schedule(file: &Path) -> anyhow::Result<Schedule> {
    let bytes = files::read_given(file, Limit::Schedule).with_context(|| format!("cannot read {}", file.display()))?;
    let help = "a schedule is the text file that `heddle run` writes when it has found a failure";
    let text = String::from_utf8(bytes)
        .map_err(|_| Problem::error(format!("{} is not a schedule: it is not text", file.display()), help))?;
    run::parse_schedule(&text)
        .map_err(|error| Problem::error(format!("{}:{}: {}", file.display(), error.line, error.message), help))
}
