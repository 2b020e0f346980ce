//! The metrics of explanations of the trace corpus, compared with the papers: `make tables-explain`.

#![allow(clippy::print_stdout)]

mod corpus;
mod papers;
mod row;

use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    if !root.join("traces").is_dir() {
        println!("The traces are not here, so this table has no rows.");
        return;
    }
    let papers = papers::Papers::read(&root.join("targets"));
    println!("Explanations of the trace corpus (ours / the paper's; seconds are wall time; release build)\n");
    row::heading();
    for program in corpus::PROGRAMS {
        if arguments.is_empty() || arguments.iter().any(|wanted| program.name.contains(wanted.as_str())) {
            row::rows(program, &root, &papers);
        }
    }
    println!();
}
