//! The nearest passing executions of the trace corpus, beside the tables of the MaxSMT paper: `make tables-nearest`. With an
//! argument that is a folder, the table also goes into a dated file there; other arguments pick rows by name.

#![allow(clippy::print_stdout)]

mod corpus;
mod paper;
mod row;

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let results: Option<PathBuf> = arguments.iter().map(PathBuf::from).find(|path| path.is_dir());
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !Path::new(argument).is_dir()).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let mut text = String::from(row::HEADING);
    println!("{}", row::HEADING.trim_end());
    if !root.join("traces").is_dir() {
        println!("The traces are not here, so this table has no rows.");
        return;
    }
    let paper = paper::Paper::read(&root.join("targets/maxsmt.tsv"));
    for name in paper.rows() {
        if wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            for line in row::lines(name, &paper, &root) {
                println!("{line}");
                let _ = writeln!(text, "{line}");
            }
        }
    }
    if let Some(folder) = results.filter(|_| wanted.is_empty()) {
        let file = folder.join(format!("{}-nearest.md", today()));
        match std::fs::write(&file, text) {
            Ok(()) => println!("\nwritten to {}", file.display()),
            Err(error) => println!("\ncannot write {}: {error}", file.display()),
        }
    }
}

/// The date as files are named.
fn today() -> String {
    let output = std::process::Command::new("date").arg("+%Y-%m-%d").output();
    output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default().trim().to_owned()
}
