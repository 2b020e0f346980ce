//! Counting threads of growing length: eight threads, several counters, one lost update or many, with and without
//! locks.

use events::EventGraph;
use generate::{Counting, Locking, Miscount, counting_traces};
use traces::{Options, import};

use crate::ask::{FAILS, ask, encoded};
use crate::measure::{Input, seconds, z3};
use crate::plot::{Series, plot};

const SIZES: [usize; 6] = [100, 300, 1_000, 3_000, 10_000, 30_000];

/// The names of the families, the kind of failure, and which updates hold a lock.
type Family = (&'static str, fn(usize) -> Miscount, Locking);

const FAMILIES: [Family; 8] = [
    ("one lost, no locks", |_| Miscount::Lost(1), Locking::None),
    ("one lost, half locked", |_| Miscount::Lost(1), Locking::Half),
    ("one lost, all locked (unsatisfiable)", |_| Miscount::Lost(1), Locking::All),
    ("n/20 lost, no locks", |events| Miscount::Lost(events / 20), Locking::None),
    ("n/20 lost, half locked", |events| Miscount::Lost(events / 20), Locking::Half),
    ("n/20 lost, all locked (unsatisfiable)", |events| Miscount::Lost(events / 20), Locking::All),
    ("one too many, no locks (unsatisfiable)", |_| Miscount::Surplus(1), Locking::None),
    ("n/20 too many, no locks (unsatisfiable)", |events| Miscount::Surplus(events / 20), Locking::None),
];

pub fn table(folder: &str) {
    println!("Growth: eight threads that count (CPU seconds; z3 on the integer encoding of the same question)\n");
    println!("| family | events | answer | ours | mode | variables | clauses | conflicts | z3 |");
    println!("|---|---:|---|---:|---|---:|---:|---:|---:|");
    let mut series = Vec::new();
    for (name, failure, locking) in FAMILIES {
        let mut ours = Series { name: name.to_owned(), dashed: false, points: Vec::new() };
        let mut theirs = Series { name: format!("z3: {name}"), dashed: true, points: Vec::new() };
        let mut z3_goes_on = true;
        for size in SIZES {
            let Some(graph) = graph(size, failure(size), locking) else { continue };
            let answer = ask(&graph, FAILS, 1);
            let other = if z3_goes_on && size <= 1_000 { z3_on(&graph) } else { None };
            z3_goes_on = other.as_ref().is_some_and(|z3| z3.answer.is_some());
            if answer.verdict != "cut" {
                ours.points.push((size as f64, answer.cost.cpu));
            }
            if let Some(z3) = other.as_ref().filter(|z3| z3.answer.is_some()) {
                theirs.points.push((size as f64, z3.cpu));
            }
            println!(
                "| {name} | {} | {} | {} | {:?} | {} | {} | {} | {} |",
                graph.events.len(),
                answer.verdict,
                seconds(answer.cost.cpu),
                answer.mode,
                answer.statistics.variables,
                answer.statistics.clauses,
                answer.statistics.conflicts,
                other.map_or("–".to_owned(), |z3| z3.text()),
            );
            if answer.verdict == "cut" {
                break;
            }
        }
        series.push(ours);
        series.push(theirs);
    }
    let path = std::path::Path::new(folder).join("engine-growth.svg");
    match std::fs::write(&path, plot("CPU seconds against events", &series)) {
        Ok(()) => println!("\nPlot: {}", path.file_name().unwrap_or_default().to_string_lossy()),
        Err(error) => println!("\nThe plot could not be written: {error}"),
    }
}

fn graph(events: usize, failure: Miscount, locking: Locking) -> Option<EventGraph> {
    let files = counting_traces(&Counting { threads: 8, events, failure, locking, seed: 1 });
    let traces = import(&files, &Options::default()).ok()?;
    traces.runs().first().map(|run| traces.graph_of_run(run))
}

fn z3_on(graph: &EventGraph) -> Option<crate::measure::Z3> {
    z3(Input::Script(&format!("{}(check-sat)\n", encoded(graph, FAILS)?.formula.smtlib(formula::Naming::Declared))))
}
