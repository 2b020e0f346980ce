//! The questions of the tables about a graph, with the cost of their answers.

use std::time::Duration;

use encode::{Encoding, Failure, Goal, Question, encode};
use events::{EventGraph, Execution, Extent, replay};
use solve::{Budget, Core, CoreVerdict, Mode, Portfolio, Reason, Solver, Statistics, Verdict, minimal_core};

use crate::measure::{Cost, measure};

/// The limit of one question in seconds of wall time.
pub fn limit() -> u64 {
    std::env::var("HEDDLE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(120)
}

fn budget() -> Budget {
    Budget { time: Some(Duration::from_secs(limit())), ..Budget::default() }
}

pub const FAILS: Goal = Goal::Failure(Failure::AnyAssertion);

/// The modes of the portfolio, in order.
fn modes(goal: Goal) -> [Mode; 4] {
    match goal {
        Goal::Passes => [Mode::Sequence, Mode::Turns, Mode::Plain, Mode::Stale],
        _ => [Mode::Turns, Mode::Stale, Mode::Sequence, Mode::Plain],
    }
}

#[derive(Debug)]
pub struct Answer {
    pub verdict: &'static str,
    pub execution: Option<Execution>,
    pub cost: Cost,
    pub statistics: Statistics,
    pub mode: Mode,
}

/// The whole way from the graph to a replayed execution.
pub fn ask(graph: &EventGraph, goal: Goal, jobs: usize) -> Answer {
    let (answer, cost) = measure(|| {
        let Some(encoding) = encoded(graph, goal) else { return (None, "not encoded", None) };
        let mut solver = Portfolio::new(encoding.formula.clone(), &modes(goal), jobs);
        let verdict = solver.solve(&[], &budget());
        let kept = Some((solver.statistics(), solver.winner()));
        match verdict {
            Verdict::Satisfiable(assignment) => {
                let execution = encoding.decode(&assignment);
                let right = replay(graph, &execution, Extent::Whole)
                    .is_ok_and(|outcome| outcome.complete && outcome.passes() == (goal == Goal::Passes));
                (Some(execution), if right { "yes" } else { "NOT REPLAYED" }, kept)
            }
            Verdict::Unsatisfiable { .. } => (None, "no", kept),
            Verdict::Unknown(Reason::Failed(_)) => (None, "BROKEN", kept),
            Verdict::Unknown(_) => (None, "cut", kept),
        }
    });
    let (execution, verdict, kept) = answer;
    let (statistics, mode) = kept.unwrap_or_default();
    Answer { verdict, execution, cost, statistics, mode }
}

pub fn encoded(graph: &EventGraph, goal: Goal) -> Option<Encoding> {
    encode(graph, &Question::new(goal, Extent::Whole)).ok()
}

/// The minimal cause of a failing execution.
pub fn cause(graph: &EventGraph, failing: &Execution) -> Option<(usize, Core, Cost)> {
    let (result, cost) = measure(|| {
        let outcome = replay(graph, failing, Extent::Whole).ok()?;
        let pairs = encode::candidates(graph, failing, &outcome.effects);
        let Encoding { formula, legend } = encoded(graph, Goal::Passes)?;
        let mut solver = Portfolio::new(formula, &modes(Goal::Passes), 1);
        let orders: Vec<_> = pairs.iter().map(|&(a, b)| legend.order_literal(solver.terms(), a, b)).collect();
        match minimal_core(&mut solver, &orders, &budget()) {
            CoreVerdict::Core(core) => Some((pairs.len(), core)),
            _ => None,
        }
    });
    result.map(|(pairs, core)| (pairs, core, cost))
}
