//! Files of traces: grouped by run, and their combined graph.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use events::{EventGraph, Kind, Label};
use report::PathFile;
use run::ThreadName;
use traces::{ImportError, Note, NoteKind, Options, Traces, import};

use crate::error::Error;

/// The prefix of names of synthesised traces.
const SYNTHESISED: &str = "sts";

#[derive(Clone, Debug)]
pub struct TraceFile {
    /// Where it lies, from where the user is.
    pub path: PathBuf,
    pub text: String,
    pub thread: ThreadName,
    /// The thread, as in the traces.
    pub tid: String,
    /// The run, as in the traces; the Symbiosis dialect has no runs.
    pub run: Option<String>,
    pub synthesised: bool,
}

impl TraceFile {
    /// The file without its folders, except the one that marks synthesised traces.
    pub(crate) fn short_name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        if self.synthesised { format!("{SYNTHESISED}/{name}") } else { name.into_owned() }
    }
}

/// All traces of a folder.
pub struct TraceFiles {
    /// As the user named it.
    pub title: String,
    pub files: Vec<TraceFile>,
    /// The asserting thread, as the traces call it, where they do not mark it themselves.
    pub asserting: Option<String>,
    /// Backup files by name, which are not among the others.
    pub backups: Vec<PathBuf>,
    /// Traces that are not text, which are not among the others.
    pub unreadable: Vec<Unreadable>,
}

#[derive(Clone, Debug)]
pub struct Unreadable {
    pub path: PathBuf,
    /// From 1.
    pub line: u32,
}

/// One path of each thread.
pub struct Selection {
    pub files: Vec<TraceFile>,
    pub asserting: Option<String>,
}

impl TraceFiles {
    /// All of them, or an error for one that cannot be read.
    pub(crate) fn import(&self) -> Result<Traces, Error> {
        if let Some(Unreadable { path, line }) = self.unreadable.first() {
            let (file, message) = (path.display().to_string(), "this is not text".to_owned());
            return Err(Error::BadTrace { file, line: *line, message });
        }
        let named: Vec<(String, String)> =
            self.files.iter().map(|file| (file.path.display().to_string(), file.text.clone())).collect();
        // Folders above the traces may be called anything.
        let short: Vec<(String, String)> =
            self.files.iter().map(|file| (file.short_name(), file.text.clone())).collect();
        import(&short, &Options { asserting: self.asserting.clone() }).map_err(|error| {
            let position = short.iter().position(|(name, _)| *name == error.file);
            let file = position.map_or(error.file.clone(), |position| named[position].0.clone());
            bad_trace(file, &error)
        })
    }

    /// The omissions and repairs during reading, with the user's file names.
    pub(crate) fn notes(&self, traces: &Traces) -> Vec<String> {
        let backups = self.backups.iter().map(|path| (path.display().to_string(), None, NoteKind::Backup));
        let named = |short: &str| self.files.iter().find(|file| file.short_name() == short);
        let repaired = traces.notes().map(|note| {
            let file = named(&note.file).map_or(note.file.clone(), |file| file.path.display().to_string());
            (file, note.line, note.kind.clone())
        });
        backups.chain(repaired).map(|(file, line, kind)| Note { file, line, kind }.to_string()).collect()
    }

    /// The number of runs with a file among the recorded ones.
    pub(crate) fn recorded_runs(&self) -> usize {
        let runs: BTreeSet<&Option<String>> =
            self.files.iter().filter(|file| !file.synthesised).map(|file| &file.run).collect();
        runs.len()
    }

    pub(crate) fn run(&self, id: &str) -> Selection {
        let belongs = |file: &&TraceFile| !file.synthesised && file.run.as_deref().unwrap_or("") == id;
        Selection { files: self.files.iter().filter(belongs).cloned().collect(), asserting: self.asserting.clone() }
    }
}

impl Selection {
    /// The files, as a report names them.
    pub(crate) fn paths(&self) -> Vec<PathFile> {
        let of_file = |file: &TraceFile| PathFile {
            thread: file.thread.clone(),
            file: file.short_name(),
            synthesised: file.synthesised,
        };
        self.files.iter().map(of_file).collect()
    }

    /// The graph of these paths: one straight line of events per thread.
    pub(crate) fn graph(&self) -> Result<EventGraph, Error> {
        // Paths of several runs, and synthesised ones, become the paths of one run.
        let name = |(index, file): (usize, &TraceFile)| match file.run {
            Some(_) => format!("T{}_0_{index}", file.tid),
            None => format!("T{}", file.tid),
        };
        let named: Vec<(String, String)> =
            self.files.iter().enumerate().map(|file| (name(file), file.1.text.clone())).collect();
        let traces = import(&named, &Options { asserting: self.asserting.clone() }).map_err(|error| {
            let position = named.iter().position(|(name, _)| *name == error.file);
            let file = position.map_or(error.file.clone(), |position| self.files[position].path.display().to_string());
            bad_trace(file, &error)
        })?;
        match traces.runs().first() {
            Some(run) => Ok(traces.graph_of_run(run)),
            None => Err(Error::MissingTraces),
        }
    }

    /// The numbers that stand for strings in the graph of these paths.
    pub(crate) fn texts(&self, graph: &EventGraph) -> HashMap<u128, String> {
        let mut texts = HashMap::new();
        for thread in &graph.threads {
            let Some(file) = self.files.iter().find(|file| file.thread == thread.name) else { continue };
            let is_value = |line: &&str| line.len() > 1 && line.starts_with('$') && line.ends_with('$');
            let values = file.text.lines().filter(is_value).map(|line| &line[1..line.len() - 1]);
            let written = thread.events.iter().filter_map(|event| match &graph.events[event.index()].kind {
                Kind::Access(access) if access.label == Label::Write => access.new,
                _ => None,
            });
            for (value, term) in values.zip(written) {
                let is_number = value.parse::<i64>().is_ok();
                let is_expression = ["(", "R-", "CONST_"].iter().any(|begin| value.starts_with(begin));
                if let (false, false, Some(word)) = (is_number, is_expression, graph.terms.as_bits(term)) {
                    texts.insert(word, value.to_owned());
                }
            }
        }
        texts
    }
}

fn bad_trace(file: String, error: &ImportError) -> Error {
    Error::BadTrace { file, line: error.line, message: error.message.clone() }
}

/// `T<tid>_<run>_<path>` or `T<tid>`: the thread as the traces and as heddle call it, and the run.
pub fn parse_name(name: &str) -> Option<(String, ThreadName, Option<String>)> {
    let mut parts = name.strip_prefix('T')?.split('_');
    let tid = parts.next()?;
    let thread = if tid == "0" { ThreadName::main() } else { format!("0.{tid}").parse().ok()? };
    let is_hash = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let run = match (parts.next(), parts.next(), parts.next()) {
        (None, ..) => None,
        (Some(run), Some(path), None) if is_hash(run) && is_hash(path) => Some(run.to_owned()),
        _ => return None,
    };
    Some((tid.to_owned(), thread, run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_thread_and_run() {
        let (tid, thread, run) = parse_name("T1.2_-17_44").expect("it is a trace");
        assert_eq!((tid.as_str(), thread.to_string().as_str(), run.as_deref()), ("1.2", "0.1.2", Some("-17")));
        let (tid, thread, run) = parse_name("T0").expect("it is a trace");
        assert_eq!((tid.as_str(), thread, run), ("0", ThreadName::main(), None));
        for other in ["T1.traceBB", "T", "README", "T1_2", "T1_x_2", "t0"] {
            assert!(parse_name(other).is_none(), "{other}");
        }
    }
}
