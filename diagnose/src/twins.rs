//! Matches the events of two graphs that are the same operation: other paths of a program are mostly equal.

use std::collections::HashMap;

use events::{EventGraph, EventId, Execution, Kind, Label, Place};
use formula::Terms;

/// By event of the failing execution's graph, the matching event on the other paths, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twins(Vec<Option<EventId>>);

impl Twins {
    pub fn new(twins: Vec<Option<EventId>>) -> Twins {
        Twins(twins)
    }

    /// Both executions are of this graph.
    pub fn same(graph: &EventGraph) -> Twins {
        Twins((0..graph.events.len() as u32).map(|event| Some(EventId(event))).collect())
    }

    /// Matches the events that happened with those of another graph's straight paths. They match if their threads have
    /// the same name, they do the same operation on the same object at the same place of the source, and they have the
    /// same number among all such events of the thread.
    pub fn by_name(graph: &EventGraph, execution: &Execution, other: &EventGraph) -> Twins {
        let mut there: HashMap<(usize, Name<'_>, u32), EventId> = HashMap::new();
        let events = other.threads.iter().flat_map(|thread| thread.events.iter().copied());
        numbered(other, events, |thread, name, number, event| {
            if let Some(thread) = graph.threads.iter().position(|own| own.name == other.threads[thread].name) {
                there.insert((thread, name, number), event);
            }
        });
        let mut twins = vec![None; graph.events.len()];
        let events = execution.steps.iter().map(|step| step.event);
        numbered(graph, events, |thread, name, number, event| {
            twins[event.index()] = there.get(&(thread, name, number)).copied();
        });
        Twins(twins)
    }

    pub fn of(&self, event: EventId) -> Option<EventId> {
        self.0.get(event.index()).copied().flatten()
    }

    /// The twins of all, if all have one.
    pub fn of_all(&self, events: &[EventId]) -> Option<Vec<EventId>> {
        events.iter().map(|&event| self.of(event)).collect()
    }
}

/// The identification of an operation within its thread, except for its number of occurrences.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Name<'a> {
    kind: &'static str,
    label: Option<Label>,
    object: Option<&'a str>,
    place: Option<&'a Place>,
}

/// Calls `found` with the thread, the operation, and its number of occurrences so far, including this one.
fn numbered<'a>(
    graph: &'a EventGraph,
    events: impl Iterator<Item = EventId>,
    mut found: impl FnMut(usize, Name<'a>, u32, EventId),
) {
    let mut counts: HashMap<(usize, Name<'a>), u32> = HashMap::new();
    for event in events {
        let (thread, name) = (graph.events[event.index()].thread.index(), name(graph, event));
        let number = counts.entry((thread, name.clone())).or_default();
        *number += 1;
        found(thread, name, *number, event);
    }
}

fn name(graph: &EventGraph, event: EventId) -> Name<'_> {
    let event = &graph.events[event.index()];
    let object = |terms: &Terms, address: &events::Address| {
        let number = terms.as_bits(address.object)?;
        graph.objects.get(number as usize).map(|object| object.name.as_str())
    };
    let terms = &graph.terms;
    let (kind, label, object) = match &event.kind {
        Kind::Start => ("start", None, None),
        Kind::Exit => ("exit", None, None),
        Kind::Fork { .. } => ("fork", None, None),
        Kind::Join { .. } => ("join", None, None),
        Kind::Access(access) => ("access", Some(access.label), object(terms, &access.address)),
        Kind::Lock { mutex, .. } => ("lock", None, object(terms, mutex)),
        Kind::Unlock { mutex, .. } => ("unlock", None, object(terms, mutex)),
        Kind::TryLock { mutex, .. } => ("trylock", None, object(terms, mutex)),
        Kind::Sleep { condition, .. } => ("sleep", None, object(terms, condition)),
        Kind::Wake { .. } => ("wake", None, None),
        Kind::Signal { condition } => ("signal", None, object(terms, condition)),
        Kind::Broadcast { condition } => ("broadcast", None, object(terms, condition)),
        Kind::AtomicBegin => ("atomic", None, None),
        Kind::AtomicEnd => ("atomicend", None, None),
        Kind::Assume { .. } => ("assume", None, None),
        Kind::Assert { .. } => ("assert", None, None),
        Kind::Await { .. } => ("await", None, None),
        Kind::Cut => ("cut", None, None),
        Kind::End => ("end", None, None),
    };
    Name { kind, label, object, place: event.place.as_ref() }
}
