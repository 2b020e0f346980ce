//! The nearest passing executions of the trace corpus, compared with the tables of the MaxSMT paper: the part of `make
//! tables-nearest` about traces. Arguments select rows by name.

#![allow(clippy::print_stdout)]

mod corpus;
mod paper;
mod row;

use std::path::Path;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    println!("{}", row::heading().trim_end());
    if !root.join("traces").is_dir() {
        println!("The traces are not here, so this table has no rows.");
        return;
    }
    let paper = paper::Paper::read(&root.join("targets/maxsmt.tsv"));
    for name in paper.rows() {
        if wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            for line in row::lines(name, &paper, &root) {
                println!("{line}");
            }
        }
    }
}
