//! One program's lines, one for each method.

use std::path::Path;
use std::time::Duration;

use diagnose::{Found, Method, Paths, context_switches, nearest};
use solve::Budget;

use crate::corpus::{Program, programs};
use crate::paper::Paper;

/// The headings of the columns.
pub fn heading() -> String {
    format!(
        "\
# The nearest passing execution

Ours / the paper's (its time is that of solving on its machine; its failing schedules are others than ours). OP: operations at
the ends of data flows that differ; DF: data flows lost; BS: segments broken; CTX: context switches lost; each with
respect to our failing schedule after its context switches were reduced. *proven*: none is nearer, by this method's
measure; otherwise what is proven of the least loss. CPU seconds of encoding, solving and replay; release build. A
method that has no answer for sure after {} s of wall time gives its best.

| program | operations | switches | method | s | OP | DF | BS | CTX | proven | segments free | conflicts |
|---|---:|---:|---|---:|---:|---:|---:|---:|---|---:|---:|
",
        limit()
    )
}

const METHODS: [(Method, &str); 3] =
    [(Method::Optimal, "ms"), (Method::Lexicographic, "lx"), (Method::Progressive, "pl")];

/// Wall seconds that a method gets.
fn limit() -> u64 {
    std::env::var("HEDDLE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60)
}

pub fn lines(row: &str, paper: &Paper, root: &Path) -> Vec<String> {
    let programs = programs(row, root);
    if programs.is_empty() {
        let cell = |method: &str, column: &str| paper.cell(row, &format!("{method}_{column}")).to_owned();
        let theirs = METHODS.map(|(_, short)| format!("{} s", cell(short, "s"))).join(", ");
        return vec![format!("| {row} | | | no trace | (the paper: {theirs}) | | | | | | | |")];
    }
    programs.iter().flat_map(|program| METHODS.map(|method| line(row, program, method, paper))).collect()
}

fn line(row: &str, program: &Program, (method, short): (Method, &str), paper: &Paper) -> String {
    let theirs = |column: &str| paper.cell(row, &format!("{short}_{column}")).to_owned();
    let name = if program.note.is_empty() { row.to_owned() } else { format!("{row} ({})", program.note) };
    let kinds = diagnose::operations(&program.graph, &[]);
    let steps = &program.failing.execution.steps;
    let operations = steps.iter().filter(|step| kinds[step.event.index()]).count();
    let switches = context_switches(&program.graph, &program.failing.execution);
    let head = format!("| {name} | {operations} | {switches} | {}", method.name());
    let budget = Budget { time: Some(Duration::from_secs(limit())), ..Budget::default() };
    let started = cpu_seconds();
    let mut last = "no paths".to_owned();
    for other in &program.others {
        let paths = Paths { graph: &other.paths.graph, synthetic: &other.paths.unlocks, twins: &other.twins };
        match nearest(&program.graph, &program.failing, paths, method, &budget) {
            Ok(Found::Nearest(nearest)) => {
                let seconds = cpu_seconds() - started;
                let lost = nearest.distance;
                let proven = match nearest.optimal {
                    true => "yes".to_owned(),
                    false if method == Method::Progressive => "held fast".to_owned(),
                    false => format!("≥ {:?}", nearest.lower),
                };
                return format!(
                    "{head} | {seconds:.3} / {} | {} / {} | {} / {} | {} / {} | {} / {} | {proven} | {} of {} | {} |",
                    theirs("s"),
                    lost.operations,
                    theirs("OP"),
                    lost.data_flows,
                    theirs("DF"),
                    lost.broken_segments,
                    theirs("BS"),
                    lost.context_switches,
                    theirs("CTX"),
                    nearest.free_segments,
                    nearest.segments,
                    nearest.conflicts,
                );
            }
            Ok(Found::Never) => last = format!("never on {}", other.name),
            Ok(Found::Unknown(reason)) => last = format!("{reason:?}"),
            Err(error) => last = error.to_string(),
        }
    }
    format!("{head} | {:.3} / {} | {last} | | | | | | |", cpu_seconds() - started, theirs("s"))
}

/// The CPU time of this process, which has one thread; unlike wall time it does not depend on the load.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds: Option<f64> = text.split_whitespace().next().and_then(|word| word.parse().ok());
    nanoseconds.unwrap_or_default() / 1e9
}
