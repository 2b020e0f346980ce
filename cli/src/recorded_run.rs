//! The file of a recorded run, and the module that lies beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use analysis::Loaded;
use run::RecordedRun;

use crate::args::General;
use crate::exit::Problem;
use crate::files::{self, Limit};
use crate::load;
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

pub fn read(general: &General, file: &Path) -> anyhow::Result<RecordedRun> {
    let bytes = files::read_given(file, Limit::Run)
        .map_err(|error| Problem::error(format!("cannot read {}: {error}", file.display()), ""))?;
    let read = run::read_run(&bytes).map_err(|error| {
        Problem::error(format!("{}: {error}", file.display()), "a run is a file that `heddle record` has kept")
    })?;
    if let Some(damage) = read.damage {
        terminal::note(general, &format!("{}: {damage}; the part before that is used", file.display()));
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
            "move a folder of runs as a whole",
        ));
    }
    load::program(general, &[module], &[])
}
