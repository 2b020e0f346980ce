//! A run that was recorded natively: its file, and the module beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use analysis::explain::{OfRecorded, recorded, recorded_settings, unrecorded_readers};
use analysis::{Budget, Loaded, Settings};
use report::Command;
use run::RecordedRun;

use super::request;
use crate::args::{ExplainArgs, Format, General};
use crate::exit::{ExitStatus, Problem};
use crate::files::{self, Limit};
use crate::load;
use crate::publisher::Publisher;
use crate::repair;
use crate::run as runs;
use crate::stored_flags;
use crate::terminal;

/// The run file that is meant: the file itself, or the newest failing one of a folder.
pub fn run_file(path: &Path) -> Option<PathBuf> {
    let is_run = |path: &Path| path.extension().is_some_and(|ending| ending == "run");
    if path.is_file() {
        return is_run(path).then(|| path.to_owned());
    }
    let files = fs::read_dir(path).ok()?.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_run(path));
    let changed =
        |path: &PathBuf| fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let failed = |path: &Path| path.to_str().is_some_and(|name| name.ends_with(".failed.run"));
    let mut files: Vec<PathBuf> = files.collect();
    files.sort_by_key(|path| (failed(path), changed(path), path.clone()));
    // The folder that heddle keeps has its runs in a folder of their own.
    let below = || if path.file_name()? == files::kept::FOLDER { run_file(&path.join("runs")) } else { None };
    files.pop().or_else(below)
}

pub fn explain(general: &General, args: &ExplainArgs, file: &Path, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let run = read(general, file)?;
    if !run.end.is_failure() {
        return Err(Problem::error(
            format!("{} has not failed", file.display()),
            "`heddle record --until-failure -- COMMAND` keeps on until a run fails; --perturb SEED makes that likelier",
        ));
    }
    let loaded = load(general, file, &run)?;
    let settings = recorded_settings(runs::settings(&args.surroundings, &loaded)?, &run);
    let name = file.file_name().and_then(|name| name.to_str()).and_then(|name| name.split('.').next());
    let output = args.surroundings.program_output.as_ref();
    let publisher = Publisher::new(general, args.schedule.as_deref(), name.unwrap_or("run"), output);
    let title = file.display().to_string();
    let subject = args.repair.then(|| repair::recorded_subject(general, args, file)).transpose()?;
    let part = match (&subject, budget.left()) {
        (Some(_), Some(left)) => budget.within(left / 2),
        _ => budget.clone(),
    };
    let told = publisher.work(&part, |context| recorded(&title, &run, &loaded, &settings, &request(args), context))?;
    match told {
        OfRecorded::Explained(answer) => {
            let answer = match &subject {
                Some(subject) => repair::with_patch(subject, *answer, &publisher, budget)?,
                None => *answer,
            };
            return publisher.deliver(answer);
        }
        OfRecorded::Unexplained(why) => {
            let text = match general.format {
                Format::Json => report::json::unexplained(&why),
                _ => report::text::unexplained(&why),
            };
            terminal::answer(ExitStatus::Inconclusive, general.output.as_deref(), &text)?;
        }
        OfRecorded::NotFound(stopped) => {
            let what = "no order was found in which the threads decide as the record says and it ends like that; \
                        that is no proof that there is none";
            terminal::note(general, &format!("{title}: {what}"));
            if general.format == Format::Json {
                let reached = "looking for an order of the recorded paths";
                let text = report::json::nothing_established(Command::Explain.name(), stopped, reached);
                terminal::answer(ExitStatus::Inconclusive, general.output.as_deref(), &text)?;
            }
        }
    }
    ask_for_input(general, &run, &settings);
    Ok(ExitStatus::Inconclusive)
}

pub fn read(general: &General, file: &Path) -> anyhow::Result<RecordedRun> {
    let bytes = files::read_given(file, Limit::Run)
        .map_err(|error| Problem::error(format!("cannot read {}: {error}", file.display()), ""))?;
    let read = run::read_run(&bytes).map_err(|error| {
        Problem::error(format!("{}: {error}", file.display()), "a run is a file that `heddle record` has kept")
    })?;
    if let Some(damage) = read.damage {
        terminal::note(general, &format!("{}: {damage}; what comes before that is used", file.display()));
    }
    Ok(read.run)
}

/// The module that the run belongs to lies beside it.
pub fn load(general: &General, file: &Path, run: &RecordedRun) -> anyhow::Result<Loaded> {
    // The name becomes a part of a path, and the file may come from anywhere.
    if !run::is_identity(&run.module) {
        return Err(Problem::error(
            format!("{}: `{}` is not the identity of a module", file.display(), stored_flags::shown(&run.module)),
            "a run is a file that `heddle record` has kept",
        ));
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let module = folder.join("modules").join(&run.module).join("module.bc");
    if !module.is_file() {
        return Err(Problem::error(
            format!("the module of {} is not beside it: {} is missing", file.display(), module.display()),
            "a folder of runs is kept and moved as a whole",
        ));
    }
    load::program(general, &[module], &[])
}

/// Asks for input that the program read and that was not recorded.
fn ask_for_input(general: &General, run: &RecordedRun, settings: &Settings) {
    let asked = unrecorded_readers(run, settings);
    if !asked.is_empty() {
        let what = "the program was told something by";
        let how = "give it the same again: heddle explain RUN < FILE, with files where it finds them";
        terminal::note(general, &format!("{what} {}; {how}", asked.join(", ")));
    }
}
