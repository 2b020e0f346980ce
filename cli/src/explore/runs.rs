//! Explores from recorded native runs: one file, a folder of them, or the runs kept in `.heddle`.

use std::fs;
use std::path::{Path, PathBuf};

use ::run::RecordedRun;
use analysis::explain::recorded_settings;
use analysis::explore::{self, Group, Inserted, NamedRun, Recorded};
use analysis::{Budget, Context, Loaded, Settings};
use frontend_llvm::predicate::{self, FLAG};

use crate::args::{ExploreArgs, General, ProgramArgs};
use crate::clashes;
use crate::exit::{ExitStatus, Problem};
use crate::explore::given::{Given, HELP, failed, no_passing_run};
use crate::explore::{database, request};
use crate::load;
use crate::publisher::Publisher;
use crate::recorded_run;
use crate::run;
use crate::worker;

pub fn explore_runs(general: &General, args: &ExploreArgs, path: &Path, budget: &Budget) -> anyhow::Result<ExitStatus> {
    worker::stage("reading the runs");
    let Given { loaded, runs, skipped } = given(general, args, path)?;
    let settings = run::settings(&args.surroundings, &loaded)?;
    let name = runs[0].name.split('.').next().unwrap_or("run").to_owned();
    let groups = groups(settings, runs, args.vary_input);
    let output = args.surroundings.program_output.as_ref();
    let publisher = Publisher::new(general, args.schedule.as_deref(), &name, output);
    let mut answer = publisher.work(budget, |context| explore::runs(&loaded, groups, &request(args), context))?;
    if let Some(explored) = &mut answer.report.explored {
        explored.skipped.splice(0..0, skipped);
    }
    publisher.deliver(answer)
}

/// Explores recorded runs of a program with predicates, which are compiled into its sources.
pub fn explore_with_predicates(
    general: &General,
    args: &ExploreArgs,
    path: &Path,
    sources: &[PathBuf],
    budget: &Budget,
) -> anyhow::Result<ExitStatus> {
    worker::stage("reading the runs");
    let Given { loaded: recorded, runs, mut skipped } = given(general, args, path)?;
    let program = ProgramArgs { files: sources.to_vec(), ..args.program.clone() };
    let mut flags = run::flags(general, &program)?;
    flags.extend(args.predicate.iter().map(|predicate| format!("{FLAG}{predicate}")));
    let (units, loaded) = load::units(general, sources, &flags)?;
    let inserted: Vec<Inserted> = units.inserted().iter().flat_map(|text| in_program(&loaded, text)).collect();
    let output = args.surroundings.program_output.as_ref();
    clashes::refuse_inputs(
        &clashes::named(general, &args.schedule, &args.surroundings.program_output),
        &loaded.files(),
    )?;
    let settings = run::settings(&args.surroundings, &loaded)?;
    let groups = groups(settings, runs, args.vary_input);
    let publisher = Publisher::new(general, args.schedule.as_deref(), &loaded.program.name, output);
    let recorded = Recorded { loaded: &recorded, inserted: &inserted };
    let explore =
        |context: &Context<'_>| explore::runs_with_predicates(&loaded, &recorded, groups, &request(args), context);
    let mut answer = publisher.work(budget, explore)?;
    if let Some(explored) = &mut answer.report.explored {
        skipped.append(&mut explored.skipped);
        explored.skipped = skipped;
    }
    publisher.deliver(answer)
}

fn given(general: &General, args: &ExploreArgs, path: &Path) -> anyhow::Result<Given> {
    match database::is_kept(path) {
        true => database::given(general, path, &args.import),
        false => read(general, path),
    }
}

/// The text of a predicate, by the names that the program has for its file.
fn in_program(loaded: &Loaded, text: &predicate::Inserted) -> Vec<Inserted> {
    let real = |file: &Path| fs::canonicalize(file).ok();
    let (line, columns) = (text.line as u32, text.columns as u32);
    let wanted = real(&text.file);
    let files = loaded.program.files.iter().filter(|file| wanted.is_some() && real(Path::new(file)) == wanted);
    files.map(|file| Inserted { file: file.clone(), line, columns }).collect()
}

/// Runs with one input belong to one question, those of the most frequent input first. Where inputs may vary there is one
/// question.
fn groups(settings: Settings, runs: Vec<NamedRun>, varies: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for run in runs {
        let own = recorded_settings(settings.clone(), &run.run);
        match groups.iter_mut().find(|group| varies || group.settings == own) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group { settings: own, runs: vec![run] }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.runs.iter().map(|run| run.count).sum::<u64>()));
    groups
}

/// The passing runs in a folder, of the version of the program that most of them belong to.
fn read(general: &General, path: &Path) -> anyhow::Result<Given> {
    let mut skipped = Vec::new();
    let mut passing: Vec<(PathBuf, RecordedRun)> = Vec::new();
    let mut failing = 0;
    for file in run_files(path)? {
        match recorded_run::read(general, &file) {
            Ok(run) if run.end.is_failure() => failing += 1,
            Ok(run) if run.cut.is_some() => skipped.push(format!("{}: its record ends early", file.display())),
            Ok(run) => passing.push((file, run)),
            Err(error) => skipped.push(error.to_string()),
        }
    }
    skipped.extend(failed(failing, path));
    let versions: Vec<&str> = passing.iter().map(|(_, run)| run.module.as_str()).collect();
    let most = versions.iter().max_by_key(|module| versions.iter().filter(|other| other == module).count());
    let Some(module) = most.map(|&module| module.to_owned()) else {
        return Err(no_passing_run(general, path, &skipped));
    };
    let (used, others): (Vec<_>, Vec<_>) = passing.into_iter().partition(|(_, run)| run.module == module);
    for (file, _) in &others {
        skipped.push(format!("{}: it is of another version of the program", file.display()));
    }
    let (file, run) = &used[0];
    let loaded = recorded_run::load(general, file, run)?;
    let name = |file: &Path| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let runs = used.into_iter().map(|(file, run)| NamedRun { name: name(&file), run, count: 1, schedule: None });
    Ok(Given { loaded, runs: runs.collect(), skipped })
}

/// A run itself, or all runs in a folder in the order of their names.
fn run_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |error| Problem::error(format!("cannot read {}: {error}", path.display()), "");
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|ending| ending == "run") {
            found.push(file);
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(Problem::error(format!("there are no runs in {}", path.display()), HELP));
    }
    Ok(found)
}
