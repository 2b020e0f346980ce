//! The cause of a long run's failure, by replay.
//!
//! The formula of a long run is quadratic in its length, and a proof that some orderings exclude passing has to count all
//! rounds of its loops. So the solver is not asked. An ordering is necessary if a passing run keeps all others: the two
//! events are swapped in the failing execution, and the graph's machine completes the run, as for alternates by pairs
//! (section 3.5 of the Symbiosis paper). Whether the necessary orderings exclude passing together is left open.

use events::Plan;
use solve::{Budget, Reason};

use crate::cause::{Cause, Causes, Order, Proof, immediate_stages};
use crate::failure::{Replayed, Wrong};
use crate::shown::Examples;

/// The sizes above which a run is long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Long {
    pub events: usize,
    /// Reads-from candidates of all reads together.
    pub sources: usize,
}

/// With 100,000 reads-from candidates, a formula has a million clauses, and a cause takes seconds.
impl Default for Long {
    fn default() -> Long {
        Long { events: 30_000, sources: 100_000 }
    }
}

/// The limit of replayed events.
const EFFORT: usize = 10_000_000;

/// An ordering is swapped in so many ways.
const WAYS: usize = 4;

/// More necessary orderings than this are not collected.
const ENOUGH: usize = 8;

/// The necessary orderings among the immediate conflicts, those near the failure first.
pub(crate) fn cause(plan: &Plan<'_>, failing: &Replayed, wrong: &Wrong, budget: &Budget) -> Causes {
    let stages = immediate_stages(plan.graph, failing, wrong);
    let candidates: &[Order] = stages.last().map_or(&[], Vec::as_slice);
    let near = stages.first().map_or(0, Vec::len);
    let examples = Examples { plan, failing };
    let mut orders = Vec::new();
    let mut effort = EFFORT;
    for (number, &order) in candidates.iter().enumerate() {
        // An ordering far from the failure is of interest only if no near one is necessary.
        let enough = if number < near { ENOUGH } else { 1 };
        let Some(rest) = effort.checked_sub(WAYS * failing.execution.steps.len()) else { break };
        if orders.len() >= enough || budget.is_over() {
            break;
        }
        effort = rest;
        let others: Vec<Order> = candidates.iter().copied().filter(|&other| other != order).collect();
        if examples.passes_without(order, &others) {
            orders.push(order);
        }
    }
    if orders.is_empty() {
        return Causes::Unknown(Reason::Size);
    }
    let positions = failing.positions();
    orders.sort_by_key(|(one, other)| [other, one].map(|event| positions.get(event).copied()));
    Causes::Found(Cause { orders, proof: Proof::Necessary, candidates: candidates.len(), questions: 0 })
}
