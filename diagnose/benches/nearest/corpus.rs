//! The trace corpus: the traces of each row of the paper, a failing execution of them, and the paths on which a passing
//! one is searched for.

use std::path::Path;

use diagnose::{Passing, Replayed, Twins, Wrong, fewer_switches, passing};
use encode::{Failure, Goal, Question, encode};
use events::{EventGraph, Execution, Extent, Plan, Simulation, Sought};
use solve::{Budget, Mode, Portfolio, Solver, Verdict};
use traces::{Options, Traces, import};

/// The row's name, a remark on the traces, their folder, and the asserting thread where they do not mark it.
const FOLDERS: &[(&str, &str, &str, Option<&str>)] = &[
    ("airline", "", "airline/symbolic", None),
    ("airline", "Symbiosis' traces", "symbiosis_java/airline/symbolic", Some("0")),
    ("bank", "", "symbiosis_java/bank/symbolic", Some("0")),
    ("cache4j-medium", "smaller than the paper's", "symbiosis_java/cache4j/symbolic", Some("2")),
    ("bufwriter", "k5", "bufwriter/derived_prefix/k5", None),
    ("bufwriter", "k20", "bufwriter/derived_prefix/k20", None),
    ("bufwriter", "k80", "bufwriter/derived_prefix/k80", None),
    ("bufwriter", "its smallest run", "bufwriter/symbolic", None),
    ("bufwriter", "its largest run", "bufwriter/symbolic", None),
    ("critical", "", "critical/symbolic", None),
    ("exmcr", "", "exMCR/symbolic", None),
    ("loader", "", "loader/symbolic", None),
    ("ticketorder", "", "ticketorder/symbolic", None),
];

pub struct Program {
    pub note: String,
    pub graph: EventGraph,
    pub failing: Replayed,
    /// Where a passing execution is searched for, in order.
    pub others: Vec<Other>,
}

pub struct Other {
    pub name: String,
    pub paths: Passing,
    pub twins: Twins,
}

/// The programs that are stored for a row.
pub fn programs(row: &str, root: &Path) -> Vec<Program> {
    let stored = FOLDERS.iter().filter(|(name, ..)| *name == row);
    stored
        .filter_map(|&(_, note, folder, asserting)| program(note, &root.join("traces").join(folder), asserting))
        .collect()
}

fn program(note: &str, folder: &Path, asserting: Option<&str>) -> Option<Program> {
    let options = Options { asserting: asserting.map(str::to_owned) };
    let traces = import(&files(folder), &options).ok()?;
    let mut runs: Vec<_> = traces.runs().iter().collect();
    runs.sort_by_key(|run| run.events);
    if note.contains("largest") {
        runs.reverse();
    }
    for run in runs {
        let graph = traces.graph_of_run(run);
        if let Some(failing) = failing(&graph) {
            let wrong = Wrong::of(&failing.outcome)?;
            let paths = passing(&graph, &failing, &wrong, &Budget::default());
            let own = Other { name: "the failing run's".to_owned(), paths, twins: Twins::same(&graph) };
            let mut others = vec![own];
            others.extend(complete_runs(&traces, &graph, &failing));
            return Some(Program { note: note.to_owned(), graph, failing, others });
        }
    }
    let graph = traces.merged();
    let failing = failing(&graph)?;
    let others = complete_runs(&traces, &graph, &failing);
    let note = format!("{note}{}other paths", if note.is_empty() { "" } else { ", " });
    Some(Program { note, graph, failing, others })
}

fn complete_runs(traces: &Traces, graph: &EventGraph, failing: &Replayed) -> Vec<Other> {
    let other = |run: &traces::Run| {
        let paths = traces.graph_of_run(run);
        let twins = Twins::by_name(graph, &failing.execution, &paths);
        let paths = Passing { graph: paths, dropped: Vec::new(), unlocks: Vec::new() };
        Other { name: format!("run {}", run.id), paths, twins }
    };
    traces.runs().iter().map(other).collect()
}

/// The same search as in `heddle explain`, with reduced context switches.
fn failing(graph: &EventGraph) -> Option<Replayed> {
    let simulation = Simulation { sought: Sought::AnyAssertion, extent: Extent::Whole, seed: 1, rounds: 48 };
    let execution = simulation.run(graph).ok()?.map(|found| found.execution).or_else(|| solved(graph))?;
    let plan = Plan::new(graph).ok()?;
    let outcome = plan.replay(&execution, Extent::Whole).ok()?;
    (!outcome.failed.is_empty())
        .then(|| fewer_switches(&plan, Replayed { execution, outcome }, Extent::Whole, &Budget::default()))
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
