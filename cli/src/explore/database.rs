//! The path database of `.heddle`: its runs and those imported from other machines, each distinct one once with its
//! count. Modules of imported runs are copied beside those of local runs.

use std::fs;
use std::path::{Path, PathBuf};

use analysis::explore::NamedRun;
use store::{RunId, Store, StoreError};

use crate::args::General;
use crate::exit::Problem;
use crate::explore::given::{Given, counted, failed, no_passing_run};
use crate::files::{self, Limit, kept};
use crate::recorded_run;

/// Whether a path is the folder that heddle keeps, or that of the runs in it.
pub fn is_kept(path: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    path.is_dir() && [kept::FOLDER, kept::RUNS].iter().any(|kept| real(path) == real(Path::new(kept)))
        || path == Path::new(kept::FOLDER)
}

/// The passing runs of the version of the program that most runs belong to.
pub fn given(general: &General, path: &Path, imports: &[PathBuf]) -> anyhow::Result<Given> {
    kept::make()?;
    let mut store = Store::open(Path::new(kept::FOLDER)).map_err(refused)?;
    let mut skipped = Vec::new();
    let runs = Path::new(kept::RUNS);
    for folder in imports {
        if !folder.is_dir() {
            return Err(Problem::error(
                format!("{} is not a folder", folder.display()),
                "--import takes a folder of runs",
            ));
        }
        let below = folder.join("runs");
        for folder in [folder.as_path(), below.as_path()].into_iter().filter(|folder| folder.is_dir()) {
            skipped.extend(merge(&mut store, folder)?);
            copy_modules(folder, runs)?;
        }
    }
    if runs.is_dir() {
        skipped.extend(merge(&mut store, runs)?);
    }
    let mut versions = Vec::new();
    for program in &store.programs().map_err(refused)? {
        versions.push(passing_runs(&store, &program.identity, &mut skipped)?);
    }
    let count = |version: &Version| version.runs.iter().map(|run| run.count).sum::<u64>();
    versions.sort_by_key(|version| (count(version), version.newest));
    let Version { runs: passing, failing, .. } = versions.pop().unwrap_or_default();
    let others: u64 = versions.iter().map(count).sum();
    if others > 0 {
        skipped.push(format!("{} of another version of the program", counted(others)));
    }
    skipped.extend(failed(failing, path));
    let Some(first) = passing.first() else { return Err(no_passing_run(general, path, &skipped)) };
    let loaded = recorded_run::load(general, &runs.join(&first.name), &first.run)?;
    Ok(Given { loaded, runs: passing, skipped })
}

/// The stored runs of one version of the program.
#[derive(Default)]
struct Version {
    /// The distinct passing runs.
    runs: Vec<NamedRun>,
    /// The newest of them.
    newest: Option<RunId>,
    failing: u64,
}

fn passing_runs(store: &Store, identity: &str, skipped: &mut Vec<String>) -> anyhow::Result<Version> {
    let mut version = Version::default();
    for stored in store.distinct_runs(identity).map_err(refused)? {
        let stored = stored.map_err(refused)?;
        if stored.failed {
            version.failing += stored.count;
            continue;
        }
        match ::run::read_run(&stored.bytes) {
            Ok(read) if read.run.cut.is_some() => skipped.push(format!("{}: its record ends early", stored.name)),
            Ok(read) => {
                version.newest = version.newest.max(Some(stored.id));
                let (name, count) = (stored.name, stored.count);
                version.runs.push(NamedRun { name, run: read.run, count, schedule: None });
            }
            Err(error) => skipped.push(format!("{}: {error}", stored.name)),
        }
    }
    Ok(version)
}

fn merge(store: &mut Store, folder: &Path) -> anyhow::Result<Vec<String>> {
    let imported = store.import(folder).map_err(refused)?;
    Ok(imported.skipped.into_iter().map(|skipped| format!("{}: {}", skipped.file.display(), skipped.why)).collect())
}

fn refused(error: StoreError) -> anyhow::Error {
    Problem::error(
        error.to_string(),
        "`heddle clean` removes the files in .heddle; a folder of runs elsewhere can be explored as it is",
    )
}

/// Modules that runs of a folder belong to and that are not here yet. Only their own files are copied.
fn copy_modules(folder: &Path, runs: &Path) -> anyhow::Result<()> {
    let Ok(entries) = fs::read_dir(folder.join("modules")) else { return Ok(()) };
    for entry in entries.flatten() {
        let Some(identity) = entry.file_name().to_str().filter(|name| ::run::is_identity(name)).map(str::to_owned)
        else {
            continue;
        };
        let copy = runs.join("modules").join(&identity);
        if copy.exists() {
            continue;
        }
        let made = fs::create_dir_all(&copy);
        made.map_err(|error| Problem::error(format!("cannot make the folder {}: {error}", copy.display()), ""))?;
        for (name, limit) in [("module.bc", Limit::Run), ("tables", Limit::Run)] {
            let from = entry.path().join(name);
            let bytes = files::read_given(&from, limit)
                .map_err(|error| Problem::error(format!("cannot read {}: {error}", from.display()), ""))?;
            files::write(&copy.join(name), &bytes)?;
        }
    }
    Ok(())
}
