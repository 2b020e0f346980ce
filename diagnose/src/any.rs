//! Any passing run from the solver, moved towards the failing one with little effort: a prefix of the failing order is
//! kept as long as the rest still passes.

use events::{Plan, Step};
use solve::Budget;

use crate::failure::Replayed;
use crate::guide::follow;

/// The limit of executed events.
const EFFORT: usize = 5_000_000;

/// The passing run with the longest common prefix with the failing one. `found` passes.
pub(crate) fn nearer(plan: &Plan<'_>, failing: &Replayed, found: Replayed, budget: &Budget) -> Replayed {
    let (begun, goal) = (&failing.execution.steps, &found.execution.steps);
    let thread = |step: &Step| plan.graph.events[step.event.index()].thread;
    let switches = (1..begun.len()).filter(|&position| thread(&begun[position - 1]) != thread(&begun[position]));
    let mut effort = EFFORT;
    for length in switches.collect::<Vec<_>>().into_iter().rev() {
        let Some(rest) = effort.checked_sub(goal.len()).filter(|_| !budget.is_over()) else { break };
        effort = rest;
        // Steps of the prefix are not repeated: `follow` uses the first occurrence of each event.
        let kept = &begun[..length];
        let done: std::collections::HashSet<_> = kept.iter().map(|step| step.event).collect();
        let wished: Vec<Step> =
            kept.iter().chain(goal.iter().filter(|step| !done.contains(&step.event))).copied().collect();
        if let Some(run) = follow(plan, &wished, &failing.execution.inputs).filter(|run| run.outcome.passes()) {
            return run;
        }
    }
    found
}
