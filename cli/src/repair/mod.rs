//! `heddle repair`: patches for a program that fails, each verified; written into the sources only if that is asked for.

mod compiler;
mod apply;
mod native;

use std::path::{Path, PathBuf};

use analysis::explain::recorded_settings;
use analysis::{Budget, Files, Loaded, Settings};
use anyhow::Context as _;
use repair::{Compiler, Request};

use crate::args::{General, ProgramArgs, RepairArgs};
use crate::exit::{ExitStatus, Problem};
use crate::explain::{load_module, read_run};
use crate::files;
use crate::load;
use crate::publisher::Publisher;
use crate::replay;
use crate::run;
use crate::stored_flags;
use crate::supervise;
use compiler::{Overlay, count_warnings, is_of_system};

/// How the library comes to the machine.
const INSTALL: &str = "apt-get install libclang1-22";

/// A program with everything that makes it again.
struct Subject {
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
    files::refuse_inputs(&files::named(general, &schedule, &program_output), &loaded.files())?;
    let folder = tempfile::tempdir().context("cannot make a folder for changed sources")?;
    let overlay = Overlay { units: &units, files: &files, flags: &flags, folder: folder.path() };
    refuse_bitcode(&files)?;
    let warnings = count_warnings(&units.warnings());
    let publisher = Publisher::new(general, schedule.as_deref(), &loaded.program.name, program_output.as_ref());
    let request = Request { most: args.most as usize, kinds: args.kinds.clone() };
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
        supervise::stage("running the program natively");
        best.cost = native::cost(&overlay, best, &args.surroundings.arguments);
    }
    if args.apply
        && let Some(repaired) = &mut answer.report.repaired
        && let Some(best) = repaired.repairs.iter().find(|repair| repair.is_verified())
    {
        supervise::stage("writing the patch");
        repaired.applied = apply::apply(best, &|file| overlay.read(file), args.force)?;
    }
    let unchangeable = answer.report.repaired.as_ref().and_then(|repaired| repaired.unchangeable.clone());
    let status = publisher.deliver(answer)?;
    match unchangeable {
        Some(why) => Err(Problem::error(why, "nothing was written")),
        None => Ok(status),
    }
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
    if let [file] = args.program.files.as_slice()
        && file.extension().is_some_and(|ending| ending == "run")
    {
        return of_run(general, args, file);
    }
    let flags = run::flags(general, &args.program)?;
    let files = args.program.files.clone();
    let (units, loaded) = load::units(general, &files, &flags)?;
    let settings = run::settings(&args.surroundings, &loaded)?;
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
    let settings = Settings {
        name,
        files: Files { system: load::read_program_file, ..recorded.settings.files.clone() },
        ..recorded.settings
    };
    Ok(Subject { units, files, flags, loaded, settings })
}

/// The sources of a recorded program, as its module names them, with the inputs of the run.
fn of_run(general: &General, args: &RepairArgs, file: &Path) -> anyhow::Result<Subject> {
    let run = read_run(general, file)?;
    let module = load_module(general, file, &run)?;
    let is_there = |name: &&String| !is_of_system(name) && is_source(Path::new(name)) && Path::new(name).is_file();
    let files: Vec<PathBuf> = module.program.files.iter().filter(is_there).map(PathBuf::from).collect();
    if files.is_empty() {
        return Err(Problem::error(
            format!("the sources of the program of {} are not there", file.display()),
            "run heddle repair where the program was built, or name its sources: heddle repair PROGRAM…",
        ));
    }
    let program = ProgramArgs { files: files.clone(), ..args.program.clone() };
    let flags = run::flags(general, &program)?;
    let (units, loaded) = load::units(general, &files, &flags)?;
    let settings = recorded_settings(run::settings(&args.surroundings, &loaded)?, &run);
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
            format!("{} is no source file, so there is nothing to patch", file.display()),
            "name the program's C and C++ files",
        )),
        None => Ok(()),
    }
}
