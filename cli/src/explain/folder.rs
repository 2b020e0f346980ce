//! A folder of traces as files: which of them are traces, which belong to one run, and what to say when they do not.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use events::{EventGraph, Kind, Label};
use run::ThreadName;
use traces::{ImportError, Options, Traces, import};

use crate::exit::Problem;
use crate::files::{self, Limit};

const HELP: &str =
    "TRACES is a folder with `symbolic/` below it, or one that holds files such as T0_1234_5678 or T0 itself";

/// Where synthesised traces lie, below the others.
const SYNTHESISED: &str = "sts";

#[derive(Clone, Debug)]
pub struct TraceFile {
    /// Where it lies, from where the user is.
    pub path: PathBuf,
    pub text: String,
    pub thread: ThreadName,
    /// What the traces call the thread.
    pub tid: String,
    /// What the traces call the run; the Symbiosis dialect has no runs.
    pub run: Option<String>,
    pub synthesised: bool,
}

impl TraceFile {
    /// The file without its folders, but for the one that says that it was synthesised.
    pub fn short_name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        if self.synthesised { format!("{SYNTHESISED}/{name}") } else { name.into_owned() }
    }
}

pub struct Folder {
    /// As the user named it.
    pub title: String,
    pub files: Vec<TraceFile>,
    /// The asserting thread, as the traces call it, where they do not mark it themselves.
    pub asserting: Option<String>,
}

/// One path of each thread.
pub struct Selection {
    pub files: Vec<TraceFile>,
    pub asserting: Option<String>,
}

impl Folder {
    pub fn read(folder: &Path, asserting: Option<&str>) -> anyhow::Result<Folder> {
        let title = folder.display().to_string();
        let metadata =
            fs::metadata(folder).map_err(|error| Problem::error(format!("cannot read {title}: {error}"), HELP))?;
        if !metadata.is_dir() {
            let help = format!("{HELP}; `heddle run` looks for failing schedules of programs");
            return Err(Problem::error(format!("{title} is no folder of traces: it is a file"), help));
        }
        let symbolic = folder.join("symbolic");
        let root = if symbolic.is_dir() { symbolic } else { folder.to_owned() };
        let mut files = read_files(&root, false)?;
        if root.join(SYNTHESISED).is_dir() {
            files.extend(read_files(&root.join(SYNTHESISED), true)?);
        }
        if files.is_empty() {
            return Err(Problem::error(format!("there are no traces in {title}"), other_folders(folder)));
        }
        let asserting = asserting_thread(&title, &files, asserting)?;
        Ok(Folder { title, files, asserting })
    }

    /// The name of the program, as far as a folder tells.
    pub fn program(&self) -> String {
        let path = fs::canonicalize(&self.title).unwrap_or_else(|_| PathBuf::from(&self.title));
        let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let own = named(&path).filter(|name| name != "symbolic");
        own.or_else(|| path.parent().and_then(named)).unwrap_or_else(|| "traces".to_owned())
    }

    pub fn import(&self) -> anyhow::Result<Traces> {
        let named: Vec<(String, String)> =
            self.files.iter().map(|file| (file.path.display().to_string(), file.text.clone())).collect();
        // Folders above the traces may be called anything.
        let short: Vec<(String, String)> =
            self.files.iter().map(|file| (file.short_name(), file.text.clone())).collect();
        import(&short, &Options { asserting: self.asserting.clone() }).map_err(|error| {
            let position = short.iter().position(|(name, _)| *name == error.file);
            let file = position.map_or(error.file.clone(), |position| named[position].0.clone());
            bad_trace(&file, &error)
        })
    }

    /// How many runs have a file among the recorded ones.
    pub fn recorded_runs(&self) -> usize {
        let runs: BTreeSet<&Option<String>> =
            self.files.iter().filter(|file| !file.synthesised).map(|file| &file.run).collect();
        runs.len()
    }

    pub fn run(&self, id: &str) -> Selection {
        let belongs = |file: &&TraceFile| !file.synthesised && file.run.as_deref().unwrap_or("") == id;
        Selection { files: self.files.iter().filter(belongs).cloned().collect(), asserting: self.asserting.clone() }
    }
}

impl Selection {
    /// The files that a schedule names.
    pub fn read(paths: &[String], asserting: Option<String>) -> anyhow::Result<Selection> {
        let mut files = Vec::new();
        for path in paths {
            let file = read_file(Path::new(path))?;
            let not_a_trace = || Problem::error(format!("{path} is no trace"), HELP);
            files.push(file.ok_or_else(not_a_trace)?);
        }
        Ok(Selection { files, asserting })
    }

    /// What these paths do together: one straight line of events per thread.
    pub fn graph(&self) -> anyhow::Result<EventGraph> {
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
            bad_trace(&file, &error)
        })?;
        match traces.runs().first() {
            Some(run) => Ok(traces.graph_of_run(run)),
            None => Err(Problem::error("the traces of some threads are missing", HELP)),
        }
    }

    /// The numbers that stand for strings in the graph of these paths.
    pub fn texts(&self, graph: &EventGraph) -> HashMap<u128, String> {
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

fn bad_trace(file: &str, error: &ImportError) -> anyhow::Error {
    Problem::error(
        format!("{file}:{}: {}", error.line, error.message),
        "a trace is used whole or not at all: record it again, or take it away",
    )
}

fn read_files(folder: &Path, synthesised: bool) -> anyhow::Result<Vec<TraceFile>> {
    let unreadable = |error| Problem::error(format!("cannot read {}: {error}", folder.display()), HELP);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        files.extend(read_file(path)?.map(|file| TraceFile { synthesised, ..file }));
    }
    Ok(files)
}

/// `None` for a file that is no trace by its name.
fn read_file(path: &Path) -> anyhow::Result<Option<TraceFile>> {
    let Some((tid, thread, run)) = path.file_name().and_then(|name| parse_name(name.to_str()?)) else {
        return Ok(None);
    };
    let bytes = files::read_named(path, Limit::Trace)
        .map_err(|error| Problem::error(format!("cannot read {}: {error}", path.display()), HELP))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Problem::error(format!("{}:{line}: this is not text", path.display()), HELP)
    })?;
    let synthesised = path.parent().is_some_and(|parent| parent.ends_with(SYNTHESISED));
    Ok(Some(TraceFile { path: path.to_owned(), text, thread, tid, run, synthesised }))
}

/// `T<tid>_<run>_<path>` or `T<tid>`: the thread as the traces and as heddle call it, and the run.
fn parse_name(name: &str) -> Option<(String, ThreadName, Option<String>)> {
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

/// Where traces could be instead.
fn other_folders(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("symbolic").is_dir())
        .map(|entry| entry.path().display().to_string())
        .collect();
    names.sort();
    match names.is_empty() {
        true => HELP.to_owned(),
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
            "leave --asserting away",
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
