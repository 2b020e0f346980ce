//! The programs of the corpus and of a paper's tables, as described by their `expect.toml` files.

#![allow(dead_code)] // Every test file is a program of its own and uses what it needs.

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::command::repository;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    #[serde(rename = "about")]
    _about: String,
    /// For programs that stand for rows of the Cortex paper: whether the failure depends on the schedule alone, or on
    /// the path too.
    #[serde(default, rename = "depends")]
    _depends: Option<Dependence>,
    program: Vec<Program>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Dependence {
    Schedule,
    Path,
}

// Many fields: one for each key of `expect.toml`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    pub file: String,
    pub outcome: Outcome,
    pub kind: Option<String>,
    pub line: Option<u64>,
    pub runs: Option<u64>,
    #[serde(default)]
    pub exhaustive: bool,
    #[serde(default)]
    pub property: Vec<String>,
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub stdin: String,
    pub output: Option<String>,
    pub explained: Option<Explained>,
}

/// The expected explanation of a failing program.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explained {
    /// Lines of the program that must be among the operations to understand, or in the cause.
    pub lines: Vec<u64>,
    /// The largest number of operations.
    pub operations: u64,
    /// The first seed of the search, where another failing run is explained with other operations.
    pub seed: Option<u64>,
    /// The outcome of the alternate when it is run: it passes, unless this says otherwise.
    pub outcome: Option<String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Failure,
    Pass,
}

impl Program {
    pub fn is_cpp(&self) -> bool {
        self.file.ends_with(".cpp")
    }

    /// The kinds of failures as a value of `--property`: the default and additional ones.
    pub fn properties(&self) -> String {
        let words: Vec<String> = self.property.iter().map(|kind| format!("+{kind}")).collect();
        words.join(",")
    }

    /// The end of a command line that explains it: its flags, the kinds of failures, the seed, and its own arguments.
    pub fn explained_with(&self) -> Vec<String> {
        let mut arguments: Vec<String> = self.flags.iter().chain(&self.options).cloned().collect();
        if !self.property.is_empty() {
            arguments.extend(["--property".to_owned(), self.properties()]);
        }
        if let Some(seed) = self.explained.as_ref().and_then(|explained| explained.seed) {
            arguments.extend(["--seed".to_owned(), seed.to_string()]);
        }
        arguments.push("--".into());
        arguments.extend(self.args.iter().cloned());
        arguments
    }

    /// The language that it is written in, as a flag.
    pub fn standard(&self) -> &'static str {
        if self.is_cpp() { "-std=c++17" } else { "-std=c17" }
    }
}

/// Every program of the corpus with its folder, in the order of their names.
pub fn corpus() -> Vec<(PathBuf, Program)> {
    programs_below("corpus")
}

/// Every program of the folders in this one.
pub fn programs_below(folder: &str) -> Vec<(PathBuf, Program)> {
    let all = repository().join(folder);
    let mut folders: Vec<PathBuf> =
        fs::read_dir(&all).expect("the folder is there").map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    let mut programs = Vec::new();
    for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
        let file = folder.join("expect.toml");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let expectations: Expectations =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        programs.extend(expectations.program.into_iter().map(|program| (folder.clone(), program)));
    }
    assert!(!programs.is_empty(), "{folder} is empty");
    programs
}
