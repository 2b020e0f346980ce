//! A folder of traces: finds its trace files, and reports a folder without any.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use analysis::{Selection, TraceFile, TraceFiles, Unreadable, parse_name};

use crate::exit::{Problem, TRACES_HELP};
use crate::files::{self, Limit};

/// Where synthesised traces lie, below the others.
const SYNTHESISED: &str = "sts";

/// All traces in a folder.
pub fn read(folder: &Path, asserting: Option<&str>) -> anyhow::Result<TraceFiles> {
    let title = folder.display().to_string();
    let metadata =
        fs::metadata(folder).map_err(|error| Problem::error(format!("cannot read {title}: {error}"), TRACES_HELP))?;
    if !metadata.is_dir() {
        let help = format!("{TRACES_HELP}; `heddle run` searches for failing schedules of programs");
        return Err(Problem::error(format!("{title} is a file, not a folder of traces"), help));
    }
    let symbolic = folder.join("symbolic");
    let root = if symbolic.is_dir() { symbolic } else { folder.to_owned() };
    let mut found = Found::default();
    read_files(&root, false, &mut found)?;
    if root.join(SYNTHESISED).is_dir() {
        read_files(&root.join(SYNTHESISED), true, &mut found)?;
    }
    let Found { files, backups, unreadable } = found;
    if files.is_empty() && unreadable.is_empty() {
        return Err(Problem::error(format!("there are no traces in {title}"), other_folders(folder)));
    }
    let asserting = asserting_thread(&title, &files, asserting)?;
    Ok(TraceFiles { title, files, asserting, backups, unreadable })
}

/// The program's name, derived from the folder's name.
pub fn program(traces: &TraceFiles) -> String {
    let path = fs::canonicalize(&traces.title).unwrap_or_else(|_| PathBuf::from(&traces.title));
    let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let own = named(&path).filter(|name| name != "symbolic");
    own.or_else(|| path.parent().and_then(named)).unwrap_or_else(|| "traces".to_owned())
}

/// The files that a schedule names.
pub fn selection(paths: &[String], asserting: Option<String>) -> anyhow::Result<Selection> {
    let mut files = Vec::new();
    for path in paths {
        let file = read_file(Path::new(path))?;
        let not_a_trace = || Problem::error(format!("{path} is not a trace"), TRACES_HELP);
        let not_text =
            |Unreadable { line, .. }| Problem::error(format!("{path}:{line}: this is not text"), TRACES_HELP);
        files.push(file.ok_or_else(not_a_trace)?.map_err(not_text)?);
    }
    Ok(Selection { files, asserting })
}

/// The files in a folder and in its subfolder of synthesised traces.
#[derive(Default)]
struct Found {
    files: Vec<TraceFile>,
    backups: Vec<PathBuf>,
    unreadable: Vec<Unreadable>,
}

fn read_files(folder: &Path, synthesised: bool, found: &mut Found) -> anyhow::Result<()> {
    let unreadable = |error| Problem::error(format!("cannot read {}: {error}", folder.display()), TRACES_HELP);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    for path in paths.into_iter().filter(|path| path.is_file()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match read_file(&path)? {
            Some(Ok(file)) => found.files.push(TraceFile { synthesised, ..file }),
            Some(Err(unreadable)) => found.unreadable.push(unreadable),
            None if analysis::is_backup(&name) => found.backups.push(path),
            None => {}
        }
    }
    Ok(())
}

/// `None` for a file that is no trace by its name; of one that is no text, where.
fn read_file(path: &Path) -> anyhow::Result<Option<Result<TraceFile, Unreadable>>> {
    let Some((tid, thread, run)) = path.file_name().and_then(|name| parse_name(name.to_str()?)) else {
        return Ok(None);
    };
    let bytes = files::read_named(path, Limit::Trace)
        .map_err(|error| Problem::error(format!("cannot read {}: {error}", path.display()), TRACES_HELP))?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
            return Ok(Some(Err(Unreadable { path: path.to_owned(), line })));
        }
    };
    let synthesised = path.parent().is_some_and(|parent| parent.ends_with(SYNTHESISED));
    Ok(Some(Ok(TraceFile { path: path.to_owned(), text, thread, tid, run, synthesised })))
}

/// Where traces could be instead.
fn other_folders(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("symbolic").is_dir())
        .map(|entry| entry.path().display().to_string())
        .collect();
    names.sort();
    match names.is_empty() {
        true => TRACES_HELP.to_owned(),
        false => format!("name one of its programs: {}", names.join(", ")),
    }
}

/// The asserting thread as the traces call it. Names of heddle, such as 0.2 for 2, are understood too.
fn asserting_thread(title: &str, files: &[TraceFile], named: Option<&str>) -> anyhow::Result<Option<String>> {
    let marks = files.iter().any(|file| file.run.is_some());
    let tids: BTreeSet<&str> = files.iter().map(|file| file.tid.as_str()).collect();
    let tids = tids.into_iter().collect::<Vec<_>>().join(", ");
    match named {
        None if marks => Ok(None),
        None => Err(Problem::error(
            format!("the traces in {title} do not say which thread's last condition is the failure"),
            format!("name it with --asserting T; there are: {tids}"),
        )),
        Some(_) if marks => Err(Problem::error(
            format!("the traces in {title} mark their asserting thread themselves"),
            "omit --asserting",
        )),
        Some(named) => {
            let plain = named.strip_prefix('T').unwrap_or(named);
            let candidates = [Some(plain), plain.strip_prefix("0.")];
            let known = candidates.into_iter().flatten().find(|tid| files.iter().any(|file| file.tid == *tid));
            known.map(|tid| Some(tid.to_owned())).ok_or_else(|| {
                Problem::error(
                    format!("there is no trace of thread {named} in {title}"),
                    format!("--asserting takes one of: {tids}"),
                )
            })
        }
    }
}
