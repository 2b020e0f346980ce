//! The static backward slice of a failure: the events whose values the failing condition depends on, through memory,
//! and the conditions of these events.

use std::collections::{BTreeMap, HashMap};

use events::{EventGraph, EventId, Kind, Obstacle};
use formula::Term;

use crate::failure::{Replayed, Wrong};
use crate::flows::Flow;

/// By event, its distance from the failure in the slice.
pub fn slice(graph: &EventGraph, failing: &Replayed, flows: &[Flow], wrong: &Wrong) -> BTreeMap<EventId, u32> {
    let mut definers: HashMap<Term, EventId> = HashMap::new();
    for step in &failing.execution.steps {
        if let Kind::Access(access) = &graph.events[step.event.index()].kind {
            definers.extend(access.old.map(|old| (old, step.event)));
        }
    }
    let mut sources: HashMap<EventId, Vec<EventId>> = HashMap::new();
    for flow in flows {
        sources.entry(flow.read).or_default().extend(flow.write);
    }
    let mut distances = BTreeMap::new();
    let mut open: Vec<EventId> = match wrong {
        Wrong::Assertion(assertion) => vec![*assertion],
        Wrong::Deadlock(_) => {
            let waits = failing.outcome.stuck.iter().filter(|stuck| !matches!(stuck.waits_for, Obstacle::Exit { .. }));
            waits.map(|stuck| stuck.event).collect()
        }
    };
    let mut distance = 0;
    while !open.is_empty() {
        let mut next = Vec::new();
        for event in open {
            if distances.contains_key(&event) {
                continue;
            }
            distances.insert(event, distance);
            let guard = graph.events[event.index()].guard;
            for term in terms(&graph.events[event.index()].kind).into_iter().chain([guard]) {
                next.extend(graph.terms.free_symbols(term).iter().filter_map(|symbol| definers.get(symbol)));
            }
            next.extend(sources.get(&event).into_iter().flatten());
        }
        open = next;
        distance += 1;
    }
    distances
}

/// The terms that an event's effect depends on, besides the value it reads.
pub(crate) fn terms(kind: &Kind) -> Vec<Term> {
    match kind {
        Kind::Access(access) => {
            let mut terms = vec![access.address.object, access.address.offset, access.writes];
            terms.extend(access.new);
            terms
        }
        Kind::Assert { condition } | Kind::Assume { condition } => vec![*condition],
        _ => Vec::new(),
    }
}
