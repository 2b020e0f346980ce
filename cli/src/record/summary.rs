//! The results of all runs, as text and as JSON.

use std::path::{Path, PathBuf};

use run::{ProcessEnd, RecordedRun};
use serde::Serialize;

use super::ending;
use super::program::Program;
use super::store::Mark;

/// A stored run.
pub struct Kept {
    pub mark: Mark,
    pub file: PathBuf,
    pub bytes: usize,
    pub decisions: usize,
    pub threads: usize,
    pub end: ProcessEnd,
}

impl Kept {
    pub fn new(run: &RecordedRun, mark: Mark, file: PathBuf, bytes: usize) -> Kept {
        let decisions = run.threads.iter().map(|thread| thread.bits.len() + thread.callees.len()).sum();
        Kept { mark, file, bytes, decisions, threads: run.threads.len(), end: run.end.clone() }
    }
}

pub struct Summary<'p> {
    program: &'p Program,
    folder: &'p Path,
    pub kept: Vec<Kept>,
    runs: u64,
    pub failed: u64,
    passed: u64,
    pub is_interrupted: bool,
    pub seconds: f64,
}

// Many fields: one object of the JSON report, whose schema is flat.
#[derive(Serialize)]
struct Document<'s> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    command: &'static str,
    program: String,
    module: &'s str,
    verdict: &'static str,
    runs: u64,
    passed: u64,
    failed: u64,
    folder: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure<'s>>,
    files: Vec<File<'s>>,
    stats: Stats,
}

#[derive(Serialize)]
struct Failure<'s> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<i32>,
    run: String,
}

#[derive(Serialize)]
struct At<'s> {
    file: &'s str,
    line: u32,
}

#[derive(Serialize)]
struct File<'s> {
    file: String,
    verdict: &'static str,
    end: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'s>>,
    bytes: usize,
    decisions: usize,
    threads: usize,
}

#[derive(Serialize)]
struct Stats {
    bytes: usize,
    decisions: usize,
    threads: usize,
    seconds: Seconds,
}

#[derive(Serialize)]
struct Seconds {
    total: f64,
}

impl<'p> Summary<'p> {
    pub fn new(program: &'p Program, folder: &'p Path) -> Summary<'p> {
        Summary {
            program,
            folder,
            kept: Vec::new(),
            runs: 0,
            failed: 0,
            passed: 0,
            is_interrupted: false,
            seconds: 0.0,
        }
    }

    /// Counts a run, whether or not it was kept.
    pub fn add(&mut self, kept: Option<Kept>, failed: bool, is_interrupted: bool) {
        self.runs += 1;
        self.is_interrupted |= is_interrupted;
        let interrupted = kept.as_ref().is_some_and(|kept| kept.mark == Mark::Interrupted);
        if failed {
            self.failed += 1;
        } else if !interrupted {
            self.passed += 1;
        }
        self.kept.extend(kept);
    }

    pub fn short(&self) -> String {
        format!("{} failed", self.failed)
    }

    fn file(&self, kept: &Kept) -> String {
        let name = kept.file.file_name().unwrap_or_default();
        self.folder.join(name).display().to_string()
    }

    fn first_failure(&self) -> Option<&Kept> {
        self.kept.iter().find(|kept| kept.mark == Mark::Failed)
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|kept| kept.bytes).sum()
    }

    fn decisions(&self) -> usize {
        self.kept.iter().map(|kept| kept.decisions).sum()
    }

    /// One line for one run.
    pub fn of_one(&self, kept: &Kept) -> String {
        let Kept { bytes, decisions, threads, .. } = kept;
        let what = format!(
            "{}, {}, {}",
            counted(*bytes, "byte"),
            counted(*decisions, "decision"),
            counted(*threads, "thread")
        );
        format!("{}: {} ({what})", self.file(kept), ending::in_words(&kept.end))
    }

    pub fn text(&self) -> String {
        let runs = counted(usize::try_from(self.runs).unwrap_or(usize::MAX), "run");
        let mut text = format!("{}: {runs}, {} passed, {} failed", self.program.name, self.passed, self.failed);
        if self.is_interrupted {
            text.push_str(", then interrupted");
        }
        text.push('\n');
        if let Some(first) = self.first_failure() {
            text.push_str(&format!("  first failure   {}\n", ending::in_words(&first.end)));
            text.push_str(&format!("  its run         {}\n", self.file(first)));
        }
        let sizes = format!("{}, {}", counted(self.bytes(), "byte"), counted(self.decisions(), "decision"));
        text.push_str(&format!(
            "  kept            {} in {} ({sizes})\n",
            counted(self.kept.len(), "run"),
            self.folder.display()
        ));
        text
    }

    pub fn json(&self) -> anyhow::Result<String> {
        let verdict = match (self.failed, self.is_interrupted) {
            (1.., _) => "failure",
            (0, true) => "inconclusive",
            (0, false) => "none-found",
        };
        let document = Document {
            schema: 1,
            tool: "heddle",
            version: env!("CARGO_PKG_VERSION"),
            command: "record",
            program: self.program.file.display().to_string(),
            module: &self.program.tables.identity,
            verdict,
            runs: self.runs,
            passed: self.passed,
            failed: self.failed,
            folder: self.folder.display().to_string(),
            failure: self.first_failure().map(|kept| self.failure(kept)),
            files: self.kept.iter().map(|kept| self.file_entry(kept)).collect(),
            stats: Stats {
                bytes: self.bytes(),
                decisions: self.decisions(),
                threads: self.kept.iter().map(|kept| kept.threads).max().unwrap_or_default(),
                seconds: Seconds { total: self.seconds },
            },
        };
        Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
    }

    fn failure<'s>(&self, kept: &'s Kept) -> Failure<'s> {
        let mut failure = Failure {
            kind: ending::kind(&kept.end),
            at: at(&kept.end),
            condition: None,
            signal: None,
            status: None,
            run: self.file(kept),
        };
        match &kept.end {
            ProcessEnd::Assertion { condition, .. } => failure.condition = Some(condition),
            ProcessEnd::Signal { number, .. } => failure.signal = Some(*number),
            ProcessEnd::Exited { status } => failure.status = Some(*status),
            ProcessEnd::Abort { .. } | ProcessEnd::Hang | ProcessEnd::Unknown => {}
        }
        failure
    }

    fn file_entry<'s>(&self, kept: &'s Kept) -> File<'s> {
        File {
            file: self.file(kept),
            verdict: kept.mark.word(),
            end: ending::kind(&kept.end),
            at: at(&kept.end),
            bytes: kept.bytes,
            decisions: kept.decisions,
            threads: kept.threads,
        }
    }
}

fn at(end: &ProcessEnd) -> Option<At<'_>> {
    ending::place(end).map(|place| At { file: &place.file, line: place.line })
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
