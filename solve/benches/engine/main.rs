//! Benchmarks of the engine: the traces of the Cortex and Symbiosis prototypes, where present, and counting threads of
//! growing length. `cargo bench -p solve --bench engine -- FOLDER` writes the plots to the folder; further arguments
//! select rows by name. Times are CPU time (also for z3) of the whole way from the graph to the replayed answer; z3
//! gets the formulas that the Cortex prototype wrote, or the integer encoding of the papers for the same question.
//! `HEDDLE_SECONDS` and `HEDDLE_Z3_SECONDS` are the limits.

#![allow(clippy::print_stdout)]

mod ask;
mod growth;
mod measure;
mod plot;
mod traces;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some((folder, wanted)) = arguments.split_first() else {
        println!("usage: engine FOLDER [ROW…]");
        return;
    };
    traces::table(wanted);
    if wanted.is_empty() || wanted.iter().any(|name| name == "growth") {
        growth::table(folder);
    }
}
