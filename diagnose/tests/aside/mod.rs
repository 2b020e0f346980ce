//! Whether a failure depends on the value of a read, by changing that value.

use std::collections::HashMap;

use diagnose::{Replayed, Wrong};
use events::{Effect, EventGraph, EventId, Execution, Extent, Kind, Reason, replay};
use formula::Term;

/// The read returns another value, and the rest follows in the same order. A thread that takes another branch stops
/// there. `None`: the rest cannot go on without it, which is inconclusive.
pub fn fails_all_the_same(graph: &EventGraph, failing: &Replayed, extent: Extent, read: EventId) -> Option<bool> {
    let position = failing.execution.steps.iter().position(|step| step.event == read)?;
    let Effect::Accessed { read: Some(found), .. } = failing.outcome.effects[position] else { return None };
    let Kind::Access(access) = &graph.events[read.index()].kind else { return None };
    let graph = told(graph, read, access.old?, !found, access.bytes * 8);
    let mut execution = failing.execution.clone();
    loop {
        let violation = match replay(&graph, &execution, extent) {
            Ok(outcome) => return Some(Wrong::of(&outcome) == Wrong::of(&failing.outcome)),
            Err(violation) => violation,
        };
        let leaves = match violation.reason {
            Reason::Assumption => violation.event?,
            // Another assertion fails first: its thread would have gone on.
            Reason::AfterFailure { assertion } if !failing.outcome.failed.contains(&assertion) => assertion,
            _ => return None,
        };
        execution = without(&graph, &execution, leaves);
    }
}

/// The value it reads is replaced for its uses; the value it writes stays.
fn told(graph: &EventGraph, read: EventId, symbol: Term, value: u128, width: u32) -> EventGraph {
    let mut graph = graph.clone();
    let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    let other = graph.terms.bits(width, value & mask);
    let map = HashMap::from([(symbol, other)]);
    for number in (0..graph.events.len()).filter(|&number| number != read.index()) {
        let mut event = graph.events[number].clone();
        for term in event.terms_mut() {
            *term = graph.terms.substitute(*term, &map);
        }
        graph.events[number] = event;
    }
    graph
}

/// The thread stops before this event.
fn without(graph: &EventGraph, execution: &Execution, event: EventId) -> Execution {
    let thread = graph.events[event.index()].thread;
    let mut stopped = false;
    let mut left = execution.clone();
    left.steps.retain(|step| {
        stopped |= step.event == event;
        !(stopped && graph.events[step.event.index()].thread == thread)
    });
    left
}
