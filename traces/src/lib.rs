//! Imports traces of the Cortex and Symbiosis prototypes as event graphs. Files are given as names and texts.
//!
//! One file is one thread on one path (`trace`). A run takes one path of each thread; all stored paths together are a
//! tree per thread (`paths`), in which an execution chooses a branch at each fork (`assemble`).
//!
//! Every variable is an object of four bytes with the initial value zero, and every monitor is a mutex and a condition
//! variable at one address. Integers have 32 bits and wrap; division truncates; each distinct string is a number that
//! occurs nowhere else. The failure is an assertion of the passing direction of the marked thread's last condition. The
//! threads of a trace run to their ends, as in the papers; failures that leave other threads unfinished are a separate
//! question.

mod name;
mod notes;
mod expression;
mod trace;
mod paths;
mod assemble;
mod profile;
mod folder;

use std::collections::{BTreeMap, BTreeSet};

use events::EventGraph;
use run::ThreadName;
use thiserror::Error;

use name::{FileName, parse_file_name};
use paths::Path;
use trace::{Dialect, Marker, parse_trace};

pub use folder::{Decision, Folder, Merged, PathId, StoredPath, is_backup, read_folder};
pub use notes::{Note, NoteKind};
pub use profile::Profile;

/// A defect of the files, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {message}")]
pub struct ImportError {
    pub file: String,
    /// From 1.
    pub line: u32,
    pub message: String,
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The thread whose last condition is the failure, named as in the traces, such as `0` or `1.2`. Traces that name
    /// their run mark it themselves.
    pub asserting: Option<String>,
}

/// All files of a program.
#[derive(Clone, Debug)]
pub struct Traces {
    paths: Vec<Path>,
    runs: Vec<Run>,
}

/// A run with a trace of every thread that it forks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// As in the files; empty if they have no ids.
    pub id: String,
    /// The thread with the assertion.
    pub asserting: Option<ThreadName>,
    pub threads: usize,
    /// Event lines and branch lines of the files, and one exit per thread.
    pub events: usize,
    /// Indices of paths.
    members: Vec<usize>,
}

/// Reads all traces among the files; others are skipped. A trace that cannot be read is an error; [`read_folder`] would
/// skip it.
pub fn import(files: &[(String, String)], options: &Options) -> Result<Traces, ImportError> {
    let mut named: Vec<(FileName, &str, &str)> = Vec::new();
    for (file, text) in files {
        if let Some(name) = parse_file_name(file) {
            named.push((name, file, text));
        }
    }
    named.sort();
    let whole = |file: &str, message: String| ImportError { file: file.to_owned(), line: 1, message };
    let Some(&(ref first, first_file, _)) = named.first() else {
        let file = files.first().map_or("", |(file, _)| file);
        return Err(whole(file, "there is no trace: traces are files such as T0 or T0_1234_5678".to_owned()));
    };
    let marks = first.run.is_some();
    let asserting = asserting_thread(options, marks).map_err(|message| whole(first_file, message))?;
    let mut paths: Vec<Path> = Vec::new();
    for (position, (name, file, text)) in named.iter().enumerate() {
        if name.run.is_some() != marks {
            return Err(whole(file, "some files name their run and some do not".to_owned()));
        }
        let before = position.checked_sub(1).map(|before| &named[before]);
        if before.is_some_and(|(before, ..)| before == name) {
            return Err(whole(file, "there are two files of this name".to_owned()));
        }
        let same = |(before, ..): &&(FileName, &str, &str)| {
            let run = |name: &FileName| name.run.as_ref().map(|(run, _)| run.clone());
            !name.synthesised && !before.synthesised && before.thread == name.thread && run(before) == run(name)
        };
        if before.filter(same).is_some() {
            return Err(whole(file, "the run has another trace of this thread".to_owned()));
        }
        let dialect = match marks {
            true => Dialect::Cortex,
            false => Dialect::Symbiosis { asserting: asserting.as_ref() == Some(&name.thread) },
        };
        let trace = parse_trace(file, text, &name.thread, dialect)?;
        paths.push(Path::new(name.clone(), (*file).to_owned(), trace));
    }
    if let Some(thread) = asserting.filter(|thread| !paths.iter().any(|path| path.name.thread == *thread)) {
        return Err(whole(first_file, format!("there is no trace of the asserting thread {thread}")));
    }
    if let Some((index, line, message)) = paths::missing_foreign_reads(&paths) {
        return Err(ImportError { file: paths[index].file.clone(), line, message });
    }
    let runs = complete_runs(&paths);
    Ok(Traces { paths, runs })
}

fn asserting_thread(options: &Options, marks: bool) -> Result<Option<ThreadName>, String> {
    match (&options.asserting, marks) {
        (None, true) => Ok(None),
        (None, false) => Err("the traces do not mark the asserting thread: name it".to_owned()),
        (Some(_), true) => Err("the traces mark the asserting thread themselves".to_owned()),
        (Some(thread), false) => {
            let name = thread.strip_prefix('T').unwrap_or(thread);
            name::thread_name(name).map(Some).ok_or_else(|| format!("`{thread}` is not the name of a thread"))
        }
    }
}

/// By run: the indices of its recorded paths.
fn members_of_runs(paths: &[Path]) -> BTreeMap<&str, Vec<usize>> {
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, path) in paths.iter().enumerate().filter(|(_, path)| !path.name.synthesised) {
        members.entry(path.run()).or_default().push(index);
    }
    members
}

/// The runs all of whose files are present.
fn complete_runs(paths: &[Path]) -> Vec<Run> {
    let members = members_of_runs(paths);
    let complete = |members: &[usize]| {
        let present: BTreeSet<&ThreadName> = members.iter().map(|&index| &paths[index].name.thread).collect();
        let needed = members.iter().flat_map(|&index| paths[index].needs.iter());
        present.contains(&ThreadName::main()) && needed.into_iter().all(|thread| present.contains(thread))
    };
    let run = |(id, members): (&str, Vec<usize>)| {
        let marked = members.iter().find(|&&index| paths[index].asserts());
        Run {
            id: id.to_owned(),
            asserting: marked.map(|&index| paths[index].name.thread.clone()),
            threads: members.len(),
            events: members.iter().map(|&index| paths[index].trace.lines + 1).sum(),
            members,
        }
    };
    members.into_iter().filter(|(_, members)| complete(members)).map(run).collect()
}

impl Traces {
    /// The complete runs, in the order of their ids.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The repairs of the traces, by file.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.paths.iter().flat_map(|path| &path.trace.notes)
    }

    /// The number of stored paths, recorded and synthesised.
    pub fn paths(&self) -> usize {
        self.paths.len()
    }

    /// The events of one run.
    pub fn graph_of_run(&self, run: &Run) -> EventGraph {
        let chosen: Vec<&Path> = run.members.iter().filter_map(|&index| self.paths.get(index)).collect();
        assemble::assemble(&chosen)
    }

    /// All stored paths of each thread, of which an execution takes one each. Of the synthesised paths of the asserting
    /// thread only those are included that end with the assertion of a complete run: same place, same direction. Paths
    /// that fork or join a thread without a stored path are left out.
    pub fn merged(&self) -> EventGraph {
        let chosen: Vec<&Path> = usable_paths(&self.paths).into_iter().map(|index| &self.paths[index]).collect();
        assemble::assemble(&chosen)
    }
}

/// The indices of the paths in the merged graph.
fn usable_paths(paths: &[Path]) -> Vec<usize> {
    let recorded = |path: &&Path| !path.name.synthesised;
    let known: Vec<_> = paths.iter().filter(recorded).filter_map(Path::assertion).collect();
    let counts = |path: &Path| {
        !path.name.synthesised
            || path.trace.marker != Some(Marker::Passing)
            || known.is_empty()
            || path.assertion().is_some_and(|assertion| known.contains(&assertion))
    };
    let mut chosen: Vec<usize> = (0..paths.len()).filter(|&index| counts(&paths[index])).collect();
    loop {
        let present: BTreeSet<&ThreadName> = chosen.iter().map(|&index| &paths[index].name.thread).collect();
        let before = chosen.len();
        chosen.retain(|&index| paths[index].needs.iter().all(|thread| present.contains(thread)));
        if chosen.len() == before {
            return chosen;
        }
    }
}
