//! `heddle explore`: failures hidden in passing runs, recorded natively or made in the virtual machine.

use std::fs;
use std::path::{Path, PathBuf};

use ::run::RecordedRun;
use analysis::explain::{self, Method, Part, recorded_settings};
use analysis::explore::{self, NamedRun, Request};
use analysis::{Budget, Loaded};

use crate::args::{self, ExploreArgs, General};
use crate::exit::{ExitStatus, Problem};
use crate::explain::{load_module, program_of_traces, read_run, read_traces};
use crate::files::{self, kept};
use crate::load;
use crate::publisher::Publisher;
use crate::run;
use crate::supervise;
use crate::terminal;

pub fn explore(general: &General, args: &ExploreArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    match args.program.files.as_slice() {
        [path] if is_traces(path) => explore_traces(general, args, path, budget),
        [path] if path.is_dir() || path.extension().is_some_and(|ending| ending == "run") => {
            explore_runs(general, args, path, budget)
        }
        _ => explore_program(general, args, budget),
    }
}

fn explore_program(general: &General, args: &ExploreArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let flags = run::flags(general, &args.program)?;
    let loaded = load::program(general, &args.program.files, &flags)?;
    let program_output = &args.surroundings.program_output;
    files::refuse_inputs(&files::named(general, &args.schedule, program_output), &loaded.files())?;
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
    supervise::stage("reading the traces");
    let traces = read_traces(path, args.asserting.as_deref())?;
    let name = program_of_traces(&traces);
    let publisher = Publisher::new(general, args.schedule.as_deref(), &name, None);
    let answer = publisher.work(budget, |context| explore::traces(traces, &request(args), context))?;
    publisher.deliver(answer)
}

fn explore_runs(general: &General, args: &ExploreArgs, path: &Path, budget: &Budget) -> anyhow::Result<ExitStatus> {
    supervise::stage("reading the runs");
    let Given { loaded, runs, skipped } = given(general, path)?;
    let settings = run::settings(&args.surroundings, &loaded)?;
    // One input for all threads: runs with another one belong to another question.
    let first = recorded_settings(settings.clone(), &runs[0].run);
    let (runs, others): (Vec<NamedRun>, Vec<NamedRun>) =
        runs.into_iter().partition(|named| recorded_settings(settings.clone(), &named.run) == first);
    let mut skipped = skipped;
    if !others.is_empty() {
        skipped.push(format!("{} with other arguments or another stdin", runs_counted(others.len())));
    }
    let output = args.surroundings.program_output.as_ref();
    let name = runs[0].name.split('.').next().unwrap_or("run").to_owned();
    let publisher = Publisher::new(general, args.schedule.as_deref(), &name, output);
    let mut answer = publisher.work(budget, |context| explore::runs(&loaded, &first, runs, &request(args), context))?;
    if let Some(explored) = &mut answer.report.explored {
        explored.skipped = skipped;
    }
    publisher.deliver(answer)
}

fn runs_counted(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

/// Passing runs of one program.
struct Given {
    loaded: Loaded,
    runs: Vec<NamedRun>,
    /// Runs that are not used, and why.
    skipped: Vec<String>,
}

/// The passing runs in a folder, of the version of the program that most of them belong to.
fn given(general: &General, path: &Path) -> anyhow::Result<Given> {
    let title = path.display();
    let help = "a folder of runs is what `heddle record --runs N -- COMMAND` keeps in .heddle/runs";
    let mut skipped = Vec::new();
    let mut passing: Vec<(PathBuf, RecordedRun)> = Vec::new();
    let mut failed = 0;
    for file in run_files(path)? {
        match read_run(general, &file) {
            Ok(run) if run.end.is_failure() => failed += 1,
            Ok(run) if run.cut.is_some() => skipped.push(format!("{}: its record ends early", file.display())),
            Ok(run) => passing.push((file, run)),
            Err(error) => skipped.push(error.to_string()),
        }
    }
    if failed > 0 {
        skipped.push(format!("{} failed: `heddle explain {title}` says why", runs_counted(failed)));
    }
    let versions: Vec<&str> = passing.iter().map(|(_, run)| run.module.as_str()).collect();
    let most = versions.iter().max_by_key(|module| versions.iter().filter(|other| other == module).count());
    let Some(module) = most.map(|&module| module.to_owned()) else {
        for reason in &skipped {
            terminal::note(general, &format!("not used: {reason}"));
        }
        return Err(Problem::error(format!("there is no passing run in {title}"), help));
    };
    let (used, others): (Vec<_>, Vec<_>) = passing.into_iter().partition(|(_, run)| run.module == module);
    for (file, _) in &others {
        skipped.push(format!("{}: it is of another version of the program", file.display()));
    }
    let (file, run) = &used[0];
    let loaded = load_module(general, file, run)?;
    let name = |file: &Path| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let runs = used.into_iter().map(|(file, run)| NamedRun { name: name(&file), run, count: 1, schedule: None });
    Ok(Given { loaded, runs: runs.collect(), skipped })
}

/// A run itself, or all runs in a folder in the order of their names.
fn run_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let below = path.join("runs");
    let is_kept = path.file_name().is_some_and(|name| name == kept::FOLDER) && below.is_dir();
    let folder = if is_kept { below } else { path.to_owned() };
    let unreadable = |error| Problem::error(format!("cannot read {}: {error}", folder.display()), "");
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|ending| ending == "run") {
            found.push(file);
        }
    }
    found.sort();
    if found.is_empty() {
        let help = "a folder of runs is what `heddle record --runs N -- COMMAND` keeps in .heddle/runs";
        return Err(Problem::error(format!("there are no runs in {}", folder.display()), help));
    }
    Ok(found)
}

fn request(args: &ExploreArgs) -> Request {
    Request {
        window: args.window,
        flips: args.flips,
        paths: args.paths,
        explain: explain::Request {
            only: args.only.map(|part| match part {
                args::Part::Schedule => Part::Schedule,
                args::Part::Cause => Part::Cause,
                args::Part::Alternate => Part::Alternate,
            }),
            alternate: Method::Progressive,
            all_alternates: false,
            conflicts: None,
            runs: None,
            simulates: true,
        },
    }
}
