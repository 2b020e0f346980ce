//! `heddle repair`: patches for a program that fails, each verified; written into the sources only if that is asked for.

mod compiler;
mod apply;
mod native;

use std::path::{Path, PathBuf};

use analysis::explain::{self, recorded_settings};
use analysis::{Answer, Budget, Loaded, Settings};
use anyhow::Context as _;
use repair::{Compiler, Request};

use crate::args::{ExplainArgs, Format, General, ProgramArgs, RepairArgs, Surroundings};
use crate::clashes;
use crate::exit::{ExitStatus, Problem};
use crate::load;
use crate::publisher::Publisher;
use crate::recorded_run;
use crate::replay;
use crate::run;
use crate::stored_flags;
use crate::worker;
use compiler::{Overlay, count_warnings, is_of_system};

/// How the library comes to the machine.
const INSTALL: &str = "apt-get install libclang1-22";

/// A program with everything that makes it again.
pub struct Subject {
    units: frontend_llvm::Units,
    files: Vec<PathBuf>,
    flags: Vec<String>,
    loaded: Loaded,
    settings: Settings,
}

pub fn repair(general: &General, args: &RepairArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let (schedule, program_output) = (absolute(&args.schedule)?, absolute(&args.surroundings.program_output)?);
    let general = &General { output: absolute(&general.output)?, ..general.clone() };
    repair::Clang::load().map_err(|error| Problem::error(error.to_string(), INSTALL))?;
    let Subject { units, files, flags, loaded, settings } = subject(general, args)?;
    clashes::refuse_inputs(&clashes::named(general, &schedule, &program_output), &loaded.files())?;
    let folder = tempfile::tempdir().context("cannot make a folder for changed sources")?;
    let overlay = Overlay { units: &units, files: &files, flags: &flags, folder: folder.path() };
    refuse_bitcode(&files)?;
    let warnings = count_warnings(&units.warnings());
    let publisher = Publisher::new(general, schedule.as_deref(), &loaded.program.name, program_output.as_ref());
    let request = Request { most: args.most as usize, kinds: args.kinds.clone(), work: args.work };
    let answer = publisher.work(budget, |context| {
        match repair::repair(&loaded, warnings, &settings, &request, &overlay, context) {
            Ok(answer) => Ok(Ok(answer)),
            Err(repair::Problem::Analysis(error)) => Err(error),
            Err(repair::Problem::Clang(error)) => Ok(Err(error)),
        }
    })?;
    let mut answer = answer.map_err(|error| Problem::error(error.to_string(), INSTALL))?;
    if args.native
        && let Some(repaired) = &mut answer.report.repaired
        && let Some(best) = repaired.repairs.iter_mut().find(|repair| repair.is_verified())
    {
        worker::stage("running the program natively");
        best.cost = native::cost(&overlay, best, &args.surroundings.arguments);
    }
    if args.apply
        && let Some(repaired) = &mut answer.report.repaired
        && let Some(best) = repaired.repairs.iter().find(|repair| repair.is_verified())
    {
        worker::stage("writing the patch");
        repaired.applied = apply::apply(&best.files, &|file| overlay.read(file), args.force)?;
    }
    let unchangeable = answer.report.repaired.as_ref().and_then(|repaired| repaired.unchangeable.clone());
    let status = publisher.deliver(answer)?;
    match unchangeable {
        Some(why) => Err(Problem::error(why, "nothing was written")),
        None => Ok(status),
    }
}

/// An explanation of a program, and below it the best patch. Each of both may take half of the time.
pub fn explain_and_repair(
    general: &General,
    args: &ExplainArgs,
    request: &explain::Request,
    budget: &Budget,
) -> anyhow::Result<ExitStatus> {
    let subject = to_be_patched(general, || of_program(general, &args.program, &args.surroundings))?;
    let Subject { loaded, settings, .. } = &subject;
    let program_output = &args.surroundings.program_output;
    clashes::refuse_inputs(&clashes::named(general, &args.schedule, program_output), &loaded.files())?;
    let publisher = Publisher::new(general, args.schedule.as_deref(), &loaded.program.name, program_output.as_ref());
    let half = budget.left().map_or_else(|| budget.clone(), |left| budget.within(left / 2));
    let answer = publisher.work(&half, |context| explain::program(loaded, settings, request, context))?;
    let answer = with_patch(&subject, answer, &publisher, budget)?;
    publisher.deliver(answer)
}

/// What a run that was recorded natively is patched from: the sources where its program was built.
pub fn recorded_subject(general: &General, args: &ExplainArgs, run: &Path) -> anyhow::Result<Subject> {
    to_be_patched(general, || of_run(general, &args.program, &args.surroundings, run))
}

fn to_be_patched(general: &General, subject: impl FnOnce() -> anyhow::Result<Subject>) -> anyhow::Result<Subject> {
    if general.format == Format::Dot {
        return Err(Problem::error("a patch cannot be drawn", "use --format text or --format json with --repair"));
    }
    repair::Clang::load().map_err(|error| Problem::error(error.to_string(), INSTALL))?;
    let subject = subject()?;
    refuse_bitcode(&subject.files)?;
    Ok(subject)
}

/// The answer of an explanation with the best patch for its failure.
pub fn with_patch(
    subject: &Subject,
    answer: Answer,
    publisher: &Publisher<'_>,
    budget: &Budget,
) -> anyhow::Result<Answer> {
    let Subject { units, files, flags, loaded, settings } = subject;
    let folder = tempfile::tempdir().context("cannot make a folder for changed sources")?;
    let overlay = Overlay { units, files, flags, folder: folder.path() };
    let warnings = count_warnings(&units.warnings());
    let request = Request { most: 1, ..Request::default() };
    let answer = publisher.work(budget, |context| {
        match repair::found(answer, loaded, warnings, settings, &request, &overlay, context) {
            Ok(answer) => Ok(Ok(answer)),
            Err(repair::Problem::Analysis(error)) => Err(error),
            Err(repair::Problem::Clang(error)) => Ok(Err(error)),
        }
    })?;
    answer.map_err(|error| Problem::error(error.to_string(), INSTALL))
}

fn absolute(file: &Option<PathBuf>) -> anyhow::Result<Option<PathBuf>> {
    Ok(file.as_ref().map(std::path::absolute).transpose()?)
}

fn subject(general: &General, args: &RepairArgs) -> anyhow::Result<Subject> {
    if let [file] = args.program.files.as_slice()
        && file.extension().is_some_and(|ending| ending == "schedule")
    {
        return of_schedule(general, args, file);
    }
    if let [path] = args.program.files.as_slice()
        && let Some(file) = recorded_run::run_file(path)
    {
        return of_run(general, &args.program, &args.surroundings, &file);
    }
    of_program(general, &args.program, &args.surroundings)
}

fn of_program(general: &General, program: &ProgramArgs, surroundings: &Surroundings) -> anyhow::Result<Subject> {
    let flags = run::flags(general, program)?;
    let files = program.files.clone();
    let (units, loaded) = load::units(general, &files, &flags)?;
    let settings = run::settings(surroundings, &loaded)?;
    Ok(Subject { units, files, flags, loaded, settings })
}

/// The program that a schedule belongs to, with the inputs of its run.
fn of_schedule(general: &General, args: &RepairArgs, file: &Path) -> anyhow::Result<Subject> {
    let schedule = replay::read_schedule(file)?;
    if analysis::is_of_traces(&schedule.header) {
        let help = "a patch needs the sources of a program: heddle repair PROGRAM…";
        return Err(Problem::error(format!("{} is a schedule of traces", file.display()), help));
    }
    let mut recorded = analysis::recorded(&schedule.header).with_context(|| file.display().to_string())?;
    replay::read_missing_input(&mut recorded, file)?;
    replay::go_to_the_sources(&schedule, file)?;
    let flags = schedule.header.flags.clone();
    if !args.trust_flags {
        stored_flags::check(&flags).with_context(|| file.display().to_string())?;
    }
    let files: Vec<PathBuf> = schedule.header.sources.iter().map(PathBuf::from).collect();
    let (units, loaded) = load::units(general, &files, &flags).map_err(|error| match replay::changed(&recorded) {
        Some(changed) => error.context(format!("{changed} since {} was written", file.display())),
        None => error,
    })?;
    replay::check_fingerprint(&loaded, &schedule, &recorded, file)?;
    let name = loaded.program.name.clone();
    let settings =
        Settings { name, files: recorded.settings.files.with_system(load::read_program_file), ..recorded.settings };
    Ok(Subject { units, files, flags, loaded, settings })
}

/// The sources of a recorded program, as its module names them, with the inputs of the run.
fn of_run(
    general: &General,
    program: &ProgramArgs,
    surroundings: &Surroundings,
    file: &Path,
) -> anyhow::Result<Subject> {
    let run = recorded_run::read(general, file)?;
    let module = recorded_run::load(general, file, &run)?;
    let is_there = |name: &&String| !is_of_system(name) && is_source(Path::new(name)) && Path::new(name).is_file();
    let files: Vec<PathBuf> = module.program.files.iter().filter(is_there).map(PathBuf::from).collect();
    if files.is_empty() {
        return Err(Problem::error(
            format!("the sources of the program of {} are not there", file.display()),
            "run heddle repair where the program was built, or name its sources: heddle repair PROGRAM…",
        ));
    }
    let program = ProgramArgs { files: files.clone(), ..program.clone() };
    let flags = run::flags(general, &program)?;
    let (units, loaded) = load::units(general, &files, &flags)?;
    let settings = recorded_settings(run::settings(surroundings, &loaded)?, &run);
    Ok(Subject { units, files, flags, loaded, settings })
}

fn is_source(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    matches!(ending, "c" | "i" | "cc" | "cp" | "cpp" | "cxx" | "c++" | "CPP" | "C" | "ii")
}

/// A patch is one of sources.
fn refuse_bitcode(files: &[PathBuf]) -> anyhow::Result<()> {
    match files.iter().find(|file| !is_source(file)) {
        Some(file) => Err(Problem::error(
            format!("{} is not a source file, so there is nothing to patch", file.display()),
            "name the program's C and C++ files",
        )),
        None => Ok(()),
    }
}
