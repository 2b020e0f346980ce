//! Reads a whole folder of traces as far as possible: the complete runs, the stored paths of each thread, the profiles,
//! and notes on everything that was repaired or left out.
//!
//! [`import`](crate::import) refuses a folder with one bad file; the prototypes that wrote these folders left
//! truncated, duplicated and backup files in them, so here a bad file only costs its run. Only a folder without any
//! complete run is an error.

use std::collections::{BTreeMap, BTreeSet};

use events::{EventGraph, Place};
use formula::Term;
use run::ThreadName;

use crate::name::{FileName, parse_file_name};
use crate::notes::{Note, NoteKind};
use crate::paths::{Path, missing_foreign_reads};
use crate::profile::{Profile, parse_profile, parse_profile_name};
use crate::trace::{Action, Dialect, parse_trace};
use crate::{
    ImportError, Options, Run, Traces, assemble, asserting_thread, complete_runs, members_of_runs, usable_paths,
};

/// The endings of backup files.
const BACKUPS: [&str; 4] = ["~", ".bak", ".orig", ".swp"];

/// The contents of a folder of traces.
#[derive(Clone, Debug)]
pub struct Folder {
    traces: Traces,
    pub profiles: Vec<Profile>,
    /// By file and line.
    pub notes: Vec<Note>,
}

/// A stored path, recorded or synthesised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(pub u32);

#[derive(Clone, Debug)]
pub struct StoredPath<'a> {
    pub id: PathId,
    pub thread: &'a ThreadName,
    /// The run in which it was recorded, or from which it was derived; empty if the traces do not name their runs.
    pub run: &'a str,
    pub synthesised: bool,
    pub file: &'a str,
    /// Its branches, in order. The last one of the asserting thread is the assertion.
    pub decisions: Vec<Decision>,
    /// Whether its last decision is the assertion.
    pub asserts: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Of the last event before the branch.
    pub place: Option<Place>,
    /// Whether the jump was taken; conditions of traces without bits count as taken.
    pub taken: bool,
}

/// All stored paths in one guarded graph, of which an execution takes one path of each thread.
#[derive(Clone, Debug)]
pub struct Merged {
    pub graph: EventGraph,
    /// The paths in the graph, each with the term that is true if an execution takes it.
    pub paths: Vec<(PathId, Term)>,
}

impl Folder {
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    /// The complete runs, in the order of their ids.
    pub fn runs(&self) -> &[Run] {
        self.traces.runs()
    }

    pub fn graph_of_run(&self, run: &Run) -> EventGraph {
        self.traces.graph_of_run(run)
    }

    pub fn paths(&self) -> impl Iterator<Item = StoredPath<'_>> {
        self.traces.paths.iter().enumerate().map(|(index, path)| stored(index, path))
    }

    /// The path of each thread in a run, in the order of their names.
    pub fn paths_of_run(&self, run: &Run) -> Vec<StoredPath<'_>> {
        run.members.iter().filter_map(|&index| Some(stored(index, self.traces.paths.get(index)?))).collect()
    }

    /// As [`Traces::merged`], with the term for each path.
    pub fn merged(&self) -> Merged {
        let chosen = usable_paths(&self.traces.paths);
        let paths: Vec<&Path> = chosen.iter().map(|&index| &self.traces.paths[index]).collect();
        let (graph, taken) = assemble::assemble_paths(&paths);
        let ids = chosen.into_iter().map(|index| PathId(index as u32));
        Merged { graph, paths: ids.zip(taken).collect() }
    }
}

fn stored(index: usize, path: &Path) -> StoredPath<'_> {
    let branches = path.trace.items.iter().filter(|item| matches!(item.action, Action::Assume(_) | Action::Assert(_)));
    let bits = path.trace.bits.iter().copied().chain(std::iter::repeat(true));
    StoredPath {
        id: PathId(index as u32),
        thread: &path.name.thread,
        run: path.run(),
        synthesised: path.name.synthesised,
        file: &path.file,
        decisions: branches.zip(bits).map(|(item, taken)| Decision { place: item.place.clone(), taken }).collect(),
        asserts: path.asserts(),
    }
}

/// Whether the name of a file, without folders, is that of a backup copy.
pub fn is_backup(name: &str) -> bool {
    name.starts_with('.') || BACKUPS.iter().any(|end| name.ends_with(end))
}

/// Reads a folder, given its files with their relative paths. Files whose names are neither those of traces nor of
/// profiles are skipped.
pub fn read_folder(files: &[(String, Vec<u8>)], options: &Options) -> Result<Folder, ImportError> {
    let mut reading = Reading::default();
    reading.sort_out(files);
    let marks = reading.traces.iter().any(|(name, ..)| name.run.is_some());
    let first = reading.traces.first().map(|(_, file, _)| *file).or(files.first().map(|(file, _)| file.as_str()));
    let file = first.unwrap_or_default().to_owned();
    let whole = |message: String| ImportError { file: file.clone(), line: 1, message };
    if reading.traces.is_empty() {
        return Err(whole("there is no trace: traces are files such as T0 or T0_1234_5678".to_owned()));
    }
    let asserting = asserting_thread(options, marks).map_err(whole)?;
    reading.parse(marks, asserting.as_ref());
    reading.drop_unknown_reads();
    let ambiguous = reading.find_second_traces();
    let mut runs = complete_runs(&reading.paths);
    runs.retain(|run| !ambiguous.contains(&run.id));
    reading.note_incomplete(&runs, &ambiguous);
    reading.note_profiles();
    reading.notes.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    if let Some(thread) = asserting.filter(|thread| !reading.paths.iter().any(|path| path.name.thread == *thread)) {
        return Err(whole(format!("there is no trace of the asserting thread {thread}")));
    }
    if runs.is_empty() {
        // A damaged file is the likely reason, otherwise the first unusable run.
        let damaged = |note: &&Note| matches!(note.kind, NoteKind::Damaged { .. });
        let unusable =
            |note: &&Note| matches!(note.kind, NoteKind::SecondTrace { .. } | NoteKind::IncompleteRun { .. });
        let reason = reading.notes.iter().find(damaged).or_else(|| reading.notes.iter().find(unusable));
        return Err(match reason {
            Some(Note { file, line, kind }) => {
                let message = if let NoteKind::Damaged { message } = kind { message.clone() } else { kind.to_string() };
                ImportError { file: file.clone(), line: line.unwrap_or(1), message }
            }
            None => whole("no run is complete".to_owned()),
        });
    }
    let traces = Traces { paths: reading.paths, runs };
    Ok(Folder { traces, profiles: reading.profiles, notes: reading.notes })
}

/// The results so far.
#[derive(Default)]
struct Reading<'a> {
    traces: Vec<(FileName, &'a str, &'a [u8])>,
    paths: Vec<Path>,
    profiles: Vec<Profile>,
    notes: Vec<Note>,
}

impl<'a> Reading<'a> {
    fn note(&mut self, file: &str, line: Option<u32>, kind: NoteKind) {
        self.notes.push(Note { file: file.to_owned(), line, kind });
    }

    /// The text of a file; adds a note if it is not UTF-8.
    fn text(&mut self, file: &str, bytes: &'a [u8]) -> Option<&'a str> {
        let text = str::from_utf8(bytes);
        if let Err(error) = &text {
            let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
            self.note(file, Some(line), NoteKind::Damaged { message: "this is not text".to_owned() });
        }
        text.ok()
    }

    fn sort_out(&mut self, files: &'a [(String, Vec<u8>)]) {
        for (file, bytes) in files {
            let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
            if is_backup(name) {
                self.note(file, None, NoteKind::Backup);
            } else if let Some(name) = parse_file_name(file) {
                self.traces.push((name, file, bytes));
            } else if let Some((run, failed)) = parse_profile_name(file)
                && let Some(text) = self.text(file, bytes)
            {
                match parse_profile(file, text, run, failed) {
                    Ok(profile) => self.profiles.push(profile),
                    Err((line, message)) => self.note(file, Some(line), NoteKind::Damaged { message }),
                }
            }
        }
        self.traces.sort();
    }

    fn parse(&mut self, marks: bool, asserting: Option<&ThreadName>) {
        for (name, file, bytes) in std::mem::take(&mut self.traces) {
            if name.run.is_some() != marks {
                self.note(file, None, NoteKind::OtherDialect);
                continue;
            }
            let dialect = match marks {
                true => Dialect::Cortex,
                false => Dialect::Symbiosis { asserting: asserting == Some(&name.thread) },
            };
            let Some(text) = self.text(file, bytes) else { continue };
            match parse_trace(file, text, &name.thread, dialect) {
                Ok(trace) => {
                    self.notes.extend(trace.notes.iter().cloned());
                    self.paths.push(Path::new(name, file.to_owned(), trace));
                }
                Err(error) => self.note(file, Some(error.line), NoteKind::Damaged { message: error.message }),
            }
        }
    }

    /// Removes traces whose conditions name missing reads of other threads, until a fixpoint.
    fn drop_unknown_reads(&mut self) {
        while let Some((index, line, message)) = missing_foreign_reads(&self.paths) {
            let path = self.paths.remove(index);
            self.note(&path.file, Some(line), NoteKind::Damaged { message });
        }
    }

    /// The runs in which a thread has two traces.
    fn find_second_traces(&mut self) -> BTreeSet<String> {
        let mut first: BTreeSet<(String, ThreadName)> = BTreeSet::new();
        let mut ambiguous = BTreeSet::new();
        let mut notes = Vec::new();
        for path in self.paths.iter().filter(|path| !path.name.synthesised) {
            let (run, thread) = (path.run().to_owned(), path.name.thread.clone());
            if !first.insert((run.clone(), thread.clone())) {
                ambiguous.insert(run.clone());
                notes.push(Note { file: path.file.clone(), line: None, kind: NoteKind::SecondTrace { run, thread } });
            }
        }
        self.notes.append(&mut notes);
        ambiguous
    }

    fn note_incomplete(&mut self, runs: &[Run], ambiguous: &BTreeSet<String>) {
        let complete: BTreeSet<&str> = runs.iter().map(|run| run.id.as_str()).collect();
        let mut notes = Vec::new();
        for (id, members) in members_of_runs(&self.paths) {
            if complete.contains(id) || ambiguous.contains(id) {
                continue;
            }
            let present: BTreeSet<&ThreadName> = members.iter().map(|&index| &self.paths[index].name.thread).collect();
            let main = ThreadName::main();
            let needed = members.iter().flat_map(|&index| &self.paths[index].needs).chain([&main]);
            let missing: BTreeSet<&ThreadName> = needed.filter(|thread| !present.contains(thread)).collect();
            let missing = missing.into_iter().cloned().collect();
            let file = members.first().map_or(String::new(), |&index| self.paths[index].file.clone());
            notes.push(Note { file, line: None, kind: NoteKind::IncompleteRun { run: id.to_owned(), missing } });
        }
        self.notes.append(&mut notes);
    }

    fn note_profiles(&mut self) {
        let traced: BTreeSet<&str> = self.paths.iter().map(Path::run).collect();
        let silent: BTreeMap<String, String> = self
            .profiles
            .iter()
            .filter(|profile| !traced.contains(profile.run.as_str()))
            .map(|profile| (profile.run.clone(), profile.file.clone()))
            .collect();
        for (run, file) in silent {
            self.note(&file, None, NoteKind::NoTraces { run });
        }
    }
}
