//! The programs of the trace corpus, and a failing execution of each.

use std::path::Path;

use diagnose::{Replayed, fewer_switches};
use encode::{Failure, Goal, Question, encode};
use events::{EventGraph, Execution, Extent, Plan, Simulation, Sought};
use solve::{Budget, Mode, Portfolio, Solver, Verdict};
use traces::{Options, Traces, import};

pub struct Program {
    pub name: &'static str,
    folder: &'static str,
    asserting: Option<&'static str>,
    /// Its name in the papers' tables.
    pub symbiosis: Option<&'static str>,
    pub cortex: Option<&'static str>,
    pub maxsmt: Option<&'static str>,
}

const fn program(name: &'static str, folder: &'static str) -> Program {
    Program { name, folder, asserting: None, symbiosis: None, cortex: None, maxsmt: None }
}

const fn of_cortex(name: &'static str, folder: &'static str, row: &'static str) -> Program {
    Program { cortex: Some(row), maxsmt: Some(row), ..program(name, folder) }
}

const fn of_symbiosis(name: &'static str, folder: &'static str, asserting: &'static str, row: &'static str) -> Program {
    Program { asserting: Some(asserting), symbiosis: Some(row), maxsmt: Some(row), ..program(name, folder) }
}

pub const PROGRAMS: &[Program] = &[
    of_cortex("airline", "airline/symbolic", "airline"),
    of_cortex("piper", "piper/symbolic", "piper"),
    of_cortex("account", "account/symbolic", "account"),
    of_cortex("critical", "critical/symbolic", "critical"),
    of_cortex("exMCR", "exMCR/symbolic", "exmcr"),
    of_cortex("ticketorder", "ticketorder/symbolic", "ticketorder"),
    of_cortex("loader", "loader/symbolic", "loader"),
    of_cortex("bufwriter k5", "bufwriter/derived_prefix/k5", "bufwriter"),
    of_cortex("bufwriter k10", "bufwriter/derived_prefix/k10", "bufwriter"),
    of_cortex("bufwriter k20", "bufwriter/derived_prefix/k20", "bufwriter"),
    of_cortex("bufwriter k40", "bufwriter/derived_prefix/k40", "bufwriter"),
    of_cortex("bufwriter k80", "bufwriter/derived_prefix/k80", "bufwriter"),
    of_cortex("bufwriter run", "bufwriter/symbolic", "bufwriter"),
    of_symbiosis("symbiosis twostage", "symbiosis_java/twostage/symbolic", "3", "twostage"),
    of_symbiosis("symbiosis bank", "symbiosis_java/bank/symbolic", "0", "bank"),
    of_symbiosis("symbiosis cache4j", "symbiosis_java/cache4j/symbolic", "2", "cache4j-small"),
    of_symbiosis("symbiosis airline", "symbiosis_java/airline/symbolic", "0", "airline"),
];

/// A failing execution.
pub struct Failing {
    pub name: String,
    pub graph: EventGraph,
    pub found: Replayed,
    /// No run fails alone: these are all stored paths.
    pub merged: bool,
}

impl Program {
    /// The first run that can fail, all runs of a program that has several sizes, or all stored paths.
    pub fn failing(&self, root: &Path) -> Vec<Failing> {
        let options = Options { asserting: self.asserting.map(str::to_owned) };
        let traces = match import(&files(&root.join("traces").join(self.folder)), &options) {
            Ok(traces) => traces,
            Err(error) => {
                println!("| {} | {error} |", self.name);
                return Vec::new();
            }
        };
        let mut all = Vec::new();
        for run in traces.runs() {
            let graph = traces.graph_of_run(run);
            let Some(found) = found(&graph) else { continue };
            let several = self.name.ends_with(" run");
            let name = if several { format!("bufwriter, {} events", run.events) } else { self.name.to_owned() };
            all.push(Failing { name, graph, found, merged: false });
            if !several {
                break;
            }
        }
        if all.is_empty() {
            all.extend(self.merged(&traces));
        }
        all
    }

    fn merged(&self, traces: &Traces) -> Option<Failing> {
        let graph = traces.merged();
        let found = found(&graph)?;
        Some(Failing { name: format!("{}, all paths", self.name), graph, found, merged: true })
    }
}

/// The same search as in `heddle explain`.
fn found(graph: &EventGraph) -> Option<Replayed> {
    let simulation = Simulation { sought: Sought::AnyAssertion, extent: Extent::Whole, seed: 1, rounds: 48 };
    let execution = simulation.run(graph).ok()?.map(|found| found.execution).or_else(|| solved(graph))?;
    let outcome = events::replay(graph, &execution, Extent::Whole).ok()?;
    (!outcome.failed.is_empty()).then_some(Replayed { execution, outcome })
}

fn solved(graph: &EventGraph) -> Option<Execution> {
    let question = Question::new(Goal::Failure(Failure::AnyAssertion), Extent::Whole);
    let encoding = encode(graph, &question).ok()?;
    let mut solver = Portfolio::new(encoding.formula.clone(), &Mode::ALL, 1);
    match solver.solve(&[], &Budget::default()) {
        Verdict::Satisfiable(assignment) => Some(encoding.decode(&assignment)),
        _ => None,
    }
}

/// The same failure with fewer context switches.
pub fn reduced(graph: &EventGraph, found: &Replayed) -> Option<Replayed> {
    let plan = Plan::new(graph).ok()?;
    Some(fewer_switches(&plan, found.clone(), Extent::Whole, &Budget::default()))
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
