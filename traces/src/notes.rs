//! Notes on repairs and omissions while a folder is read. Notes are data; callers present them to the user.

use std::fmt;

use run::ThreadName;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub file: String,
    /// From 1; none if the note is about the whole file.
    pub line: Option<u32>,
    pub kind: NoteKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// The thread leaves a monitor, or waits in it, without having entered it before. Only this operation is known to
    /// be in the section, so the monitor counts as entered just before it.
    AcquisitionMissing { monitor: String },
    /// The thread ends in a monitor. It leaves it at its end.
    EndsInside { monitor: String },
    /// The trace cannot be read and is left out.
    Damaged { message: String },
    /// By its name a backup copy of an editor or a tool. It is left out.
    Backup,
    /// Other traces name their run and this one does not, or the other way round. It is left out.
    OtherDialect,
    /// The run has another trace of this thread, so its path is ambiguous. The run is left out.
    SecondTrace { run: String, thread: ThreadName },
    /// Traces of threads that the run forks are missing. The run is left out; its paths are stored.
    IncompleteRun { run: String, missing: Vec<ThreadName> },
    /// There is a profile of the run, but no trace.
    NoTraces { run: String },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoteKind::AcquisitionMissing { monitor } => write!(
                f,
                "the thread is in monitor {monitor} without having entered it: it counts as entered just before this line"
            ),
            NoteKind::EndsInside { monitor } => {
                write!(
                    f,
                    "the thread enters monitor {monitor} here and ends inside of it: it counts as left at the end"
                )
            }
            NoteKind::Damaged { message } => write!(f, "{message}; this trace is left out"),
            NoteKind::Backup => f.write_str("left out: by its name this is a backup file"),
            NoteKind::OtherDialect => f.write_str("left out: some files name their run and some do not"),
            NoteKind::SecondTrace { run, thread } => {
                write!(f, "run {run} has another trace of thread {thread}; the run is left out")
            }
            NoteKind::IncompleteRun { run, missing } => {
                let missing = missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let run = if run.is_empty() { "the run".to_owned() } else { format!("run {run}") };
                write!(f, "{run} is left out: there is no trace of thread {missing}")
            }
            NoteKind::NoTraces { run } => write!(f, "run {run} has a profile and no traces"),
        }
    }
}
