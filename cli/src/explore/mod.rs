//! `heddle explore`: failures hidden in passing runs, recorded natively or run in the virtual machine.

mod given;
mod database;
mod runs;

use std::fs;
use std::path::{Path, PathBuf};

use analysis::Budget;
use analysis::explain::{self, Part};
use analysis::explore::{self, Request};
use frontend_llvm::predicate::FLAG;

use crate::args::{self, ExploreArgs, General};
use crate::clashes;
use crate::exit::{ExitStatus, Problem};
use crate::files;
use crate::load;
use crate::publisher::Publisher;
use crate::run;
use crate::trace_folder;
use crate::worker;

use runs::{explore_runs, explore_with_predicates};

pub fn explore(general: &General, args: &ExploreArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let files = args.program.files.as_slice();
    if !args.predicate.is_empty() {
        return explore_predicates(general, args, budget);
    }
    if !args.import.is_empty() {
        return match files {
            [] => explore_runs(general, args, Path::new(files::kept::FOLDER), budget),
            [path] if database::is_kept(path) => explore_runs(general, args, path, budget),
            _ => {
                let help = "explore that folder by itself, or import it too";
                Err(Problem::error("--import merges runs into .heddle and explores from all runs there", help))
            }
        };
    }
    match files {
        [path] if is_traces(path) => explore_traces(general, args, path, budget),
        [path] if path.is_dir() || path.extension().is_some_and(|ending| ending == "run") => {
            explore_runs(general, args, path, budget)
        }
        _ => explore_program(general, args, budget),
    }
}

/// Predicates are compiled into the program: its sources are named, alone or behind a folder of runs.
fn explore_predicates(general: &General, args: &ExploreArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let is_recorded = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|ending| ending == "run");
    let (recorded, sources): (Vec<PathBuf>, Vec<PathBuf>) = args.program.files.iter().cloned().partition(is_recorded);
    let kept = Path::new(files::kept::FOLDER);
    let runs = match recorded.as_slice() {
        [] if args.import.is_empty() => None,
        [] => Some(kept),
        [path] if !is_traces(path) && (args.import.is_empty() || database::is_kept(path)) => Some(path.as_path()),
        _ => {
            let help = "name one folder of runs, or a run, followed by the program's sources";
            return Err(Problem::error("--predicate takes recorded runs of one program", help));
        }
    };
    match runs {
        _ if sources.is_empty() => {
            let help = "name the program's source files too, with its compiler flags: heddle explore .heddle/runs FILE.c \
                        --predicate 'FILE.c:LINE: CONDITION'";
            Err(Problem::error("--predicate is compiled into the program, which needs its sources", help))
        }
        Some(path) => explore_with_predicates(general, args, path, &sources, budget),
        None => explore_program(general, args, budget),
    }
}

fn explore_program(general: &General, args: &ExploreArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let mut flags = run::flags(general, &args.program)?;
    flags.extend(args.predicate.iter().map(|predicate| format!("{FLAG}{predicate}")));
    let loaded = load::program(general, &args.program.files, &flags)?;
    let program_output = &args.surroundings.program_output;
    clashes::refuse_inputs(&clashes::named(general, &args.schedule, program_output), &loaded.files())?;
    let settings = run::settings(&args.surroundings, &loaded)?;
    let publisher = Publisher::new(general, args.schedule.as_deref(), &loaded.program.name, program_output.as_ref());
    let answer = publisher.work(budget, |context| explore::program(&loaded, &settings, &request(args), context))?;
    publisher.deliver(answer)
}

/// Whether a folder holds traces and no runs.
fn is_traces(path: &Path) -> bool {
    let entries = || fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_trace = |file: &PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| analysis::parse_name(name).is_some())
    };
    path.is_dir() && (path.join("symbolic").is_dir() || entries().any(|file| is_trace(&file)))
}

fn explore_traces(general: &General, args: &ExploreArgs, path: &Path, budget: &Budget) -> anyhow::Result<ExitStatus> {
    worker::stage("reading the traces");
    let traces = trace_folder::read(path, args.asserting.as_deref())?;
    let name = trace_folder::program(&traces);
    let publisher = Publisher::new(general, args.schedule.as_deref(), &name, None);
    let answer = publisher.work(budget, |context| explore::traces(traces, &request(args), context))?;
    publisher.deliver(answer)
}

fn request(args: &ExploreArgs) -> Request {
    Request {
        window: args.window,
        flips: args.flips,
        paths: args.paths,
        vary_input: args.vary_input,
        all: args.all,
        explain: explain::Request {
            only: args.only.map(|part| match part {
                args::Part::Schedule => Part::Schedule,
                args::Part::Cause => Part::Cause,
                args::Part::Alternate => Part::Alternate,
            }),
            ..explain::Request::default()
        },
    }
}
