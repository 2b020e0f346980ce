//! Facts that several modules read off a graph.

use events::{EventGraph, EventId, Kind, ThreadId};
use formula::Term;

/// Whether the event's thread gets past it only if it happens.
pub fn is_unconditional(graph: &EventGraph, event: EventId) -> bool {
    graph.terms.as_bool(graph.events[event.index()].guard) == Some(true)
}

/// Whether two events belong to the same thread.
pub fn same_thread(graph: &EventGraph, one: EventId, other: EventId) -> bool {
    thread_of(graph, one) == thread_of(graph, other)
}

pub fn thread_of(graph: &EventGraph, event: EventId) -> ThreadId {
    graph.events[event.index()].thread
}

/// The symbol that an event defines.
pub fn defined(kind: &Kind) -> Option<Term> {
    match kind {
        Kind::Access(access) => access.old,
        Kind::TryLock { taken, .. } => Some(*taken),
        Kind::Wake { timed_out, .. } => *timed_out,
        _ => None,
    }
}
