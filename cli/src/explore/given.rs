//! The passing runs that an exploration begins with, from files or from the database.

use std::path::Path;

use analysis::Loaded;
use analysis::explore::NamedRun;

use crate::args::General;
use crate::exit::Problem;
use crate::terminal;

pub const HELP: &str = "a folder of runs is what `heddle record --runs N -- COMMAND` keeps in .heddle/runs";

/// Passing runs of one program.
pub struct Given {
    pub loaded: Loaded,
    pub runs: Vec<NamedRun>,
    /// Runs that are not used, and why.
    pub skipped: Vec<String>,
}

pub fn counted(count: u64) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

/// That runs failed, which is for another command.
pub fn failed(count: u64, title: &Path) -> Option<String> {
    (count > 0).then(|| format!("{} failed: `heddle explain {}` explains it", counted(count), title.display()))
}

pub fn no_passing_run(general: &General, title: &Path, skipped: &[String]) -> anyhow::Error {
    for reason in skipped {
        terminal::note(general, &format!("not used: {reason}"));
    }
    Problem::error(format!("there is no passing run in {}", title.display()), HELP)
}
