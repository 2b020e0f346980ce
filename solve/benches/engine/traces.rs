//! The table of the trace corpus.

use std::path::{Path, PathBuf};

use encode::Goal;
use events::{EventGraph, Extent, Simulation, Sought};
use traces::{Options, Traces, import};

use crate::ask::{Answer, FAILS, ask, cause, encoded};
use crate::measure::{Input, Z3, measure, peak_megabytes, seconds, z3};

/// A row: its name, its folder, its asserting thread if the traces do not mark it, and the formula of the Cortex
/// prototype.
const ROWS: &[(&str, &str, Option<&str>, Option<&str>)] = &[
    ("critical", "critical/symbolic", None, Some("critical")),
    ("exMCR", "exMCR/symbolic", None, Some("exMCR")),
    ("airline", "airline/symbolic", None, Some("airline")),
    ("piper", "piper/symbolic", None, Some("piper")),
    ("ticketorder", "ticketorder/symbolic", None, Some("ticketorder")),
    ("account", "account/symbolic", None, Some("account")),
    ("loader", "loader/symbolic", None, Some("loader")),
    ("bufwriter k5", "bufwriter/derived_prefix/k5", None, Some("bufwriter_k5")),
    ("bufwriter k10", "bufwriter/derived_prefix/k10", None, None),
    ("bufwriter k20", "bufwriter/derived_prefix/k20", None, None),
    ("bufwriter k40", "bufwriter/derived_prefix/k40", None, None),
    ("bufwriter k80", "bufwriter/derived_prefix/k80", None, None),
    ("bufwriter runs", "bufwriter/symbolic", None, None),
    ("symbiosis twostage", "symbiosis_java/twostage/symbolic", Some("3"), Some("symbiosis_twostage")),
    ("symbiosis bank", "symbiosis_java/bank/symbolic", Some("0"), Some("symbiosis_bank")),
    ("symbiosis cache4j", "symbiosis_java/cache4j/symbolic", Some("2"), Some("symbiosis_cache4j")),
    ("symbiosis airline", "symbiosis_java/airline/symbolic", Some("0"), Some("symbiosis_airline")),
];

/// With more events than this z3's formula does not fit into memory.
const Z3_EVENTS: usize = 600;

pub fn table(wanted: &[String]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    println!("The engine on the trace corpus (CPU seconds; release build)\n");
    if !root.join("traces").is_dir() {
        println!("The traces are not here, so this table has no rows.\n");
        return;
    }
    println!(
        "| program | events | simulation | failing schedule | wall, 2 jobs | mode | z3 | ratio \
         | passing schedule | z3 | ratio | with the lock | z3 | ratio | cause | CPU | peak MB |"
    );
    println!("|---|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|");
    for &(name, folder, asserting, baseline) in ROWS {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            continue;
        }
        let options = Options { asserting: asserting.map(str::to_owned) };
        match import(&files(&root.join("traces").join(folder)), &options) {
            Ok(traces) => {
                for (name, graph) in graphs(name, &traces) {
                    let baseline = baseline.map(|file| root.join("baseline").join(format!("{file}.smt2.xz")));
                    row(&name, &graph, baseline);
                }
            }
            Err(error) => println!("| {name} | {error} |"),
        }
    }
    println!();
}

fn files(folder: &Path) -> Vec<(String, String)> {
    fn read(folder: &Path, prefix: &str, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                read(&entry.path(), &format!("{name}/"), found);
            } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
                found.push((name, text));
            }
        }
    }
    let mut found = Vec::new();
    read(folder, "", &mut found);
    found.sort();
    found
}

/// One run that can fail, or all runs of bufwriter, or all stored paths if no run can fail.
fn graphs(name: &str, traces: &Traces) -> Vec<(String, EventGraph)> {
    let runs = traces.runs().iter().map(|run| (run.events, traces.graph_of_run(run)));
    if name == "bufwriter runs" {
        return runs.map(|(events, graph)| (format!("bufwriter, {events} events"), graph)).collect();
    }
    let failing = runs.map(|(_, graph)| graph).find(|graph| ask(graph, FAILS, 1).execution.is_some());
    match failing {
        Some(graph) => vec![(name.to_owned(), graph)],
        None => vec![(format!("{name}, all paths"), traces.merged())],
    }
}

fn row(name: &str, graph: &EventGraph, baseline: Option<PathBuf>) {
    let (found, simulation) = measure(|| simulated(graph));
    let simulation = if found { seconds(simulation.cpu) } else { "–".to_owned() };
    let failing = ask(graph, FAILS, 1);
    let both = ask(graph, FAILS, 2);
    let theirs = match baseline {
        Some(path) => z3(Input::Compressed(&path.to_string_lossy())),
        None => z3_on(graph, FAILS),
    };
    let passing = ask(graph, Goal::Passes, 1);
    let theirs_passing = z3_on(graph, Goal::Passes);
    let locked = encode::locked(graph);
    let fixed = ask(&locked, FAILS, 1);
    let theirs_fixed = z3_on(&locked, FAILS);
    let (cause, cause_cpu) = match failing.execution.as_ref().and_then(|execution| cause(graph, execution)) {
        Some((pairs, core, cost)) => {
            let word = if core.is_minimal() { "minimal".to_owned() } else { format!("{} kept", core.kept.len()) };
            (format!("{} of {pairs}, {word}, {} questions", core.literals.len(), core.questions), seconds(cost.cpu))
        }
        None => ("–".to_owned(), "–".to_owned()),
    };
    println!(
        "| {name} | {} | {simulation} | {} | {} | {:?} | {} | {} | {} | {} | {} | {cause} | {cause_cpu} | {} |",
        graph.events.len(),
        answer(&failing),
        seconds(both.cost.wall),
        failing.mode,
        pair(&theirs, &failing),
        answer(&passing),
        pair(&theirs_passing, &passing),
        answer(&fixed),
        pair(&theirs_fixed, &fixed),
        peak_megabytes(),
    );
}

fn answer(answer: &Answer) -> String {
    match answer.verdict {
        "yes" => seconds(answer.cost.cpu),
        verdict => format!("{verdict}, {}", seconds(answer.cost.cpu)),
    }
}

fn pair(theirs: &Option<Z3>, ours: &Answer) -> String {
    match theirs {
        Some(theirs) => {
            let differs = match (theirs.answer.as_deref(), ours.verdict) {
                (Some("sat"), "no") | (Some("unsat"), "yes") => " DIFFERS",
                _ => "",
            };
            format!("{}{differs} | {}", theirs.text(), theirs.ratio(ours.cost.cpu))
        }
        None => "– | –".to_owned(),
    }
}

fn z3_on(graph: &EventGraph, goal: Goal) -> Option<Z3> {
    if graph.events.len() > Z3_EVENTS {
        return None;
    }
    z3(Input::Script(&format!("{}(check-sat)\n", encoded(graph, goal)?.formula.smtlib(formula::Naming::Declared))))
}

/// Whether simulation already finds a failing order.
fn simulated(graph: &EventGraph) -> bool {
    let simulation = Simulation { sought: Sought::AnyAssertion, extent: Extent::Whole, seed: 1, rounds: 100 };
    simulation.run(graph).is_ok_and(|found| found.is_some())
}
