//! A failing execution of an event graph, with names for its terms.

use std::collections::{BTreeSet, HashMap};

use events::{Access, Address, Effect, EventGraph, EventId, Execution, Extent, Kind, Label, Outcome};
use vm::FailureKind;

use super::condition::Names;
use super::flow;
use crate::model::{Event, EventKind, Finding, Found, PathFile, Place, Subject, Traced, Where};

/// Information about a failing execution besides the execution.
#[derive(Clone, Debug)]
pub struct Circumstances {
    pub subject: Subject,
    pub extent: Extent,
    pub paths: Vec<PathFile>,
    pub context_switches_before: Option<usize>,
    /// `None` if a schedule was given.
    pub found: Option<Found>,
}

impl Finding {
    /// `None` if no assertion failed. The outcome is that of replaying the execution on the graph; `texts` are the
    /// numbers that stand for strings.
    pub fn of_graph(
        graph: &EventGraph,
        execution: &Execution,
        outcome: &Outcome,
        texts: &HashMap<u128, String>,
        circumstances: Circumstances,
    ) -> Option<Finding> {
        let Circumstances { subject, extent, paths, context_switches_before, found } = circumstances;
        let assertion = *outcome.failed.first()?;
        let names = Names::new(graph, texts);
        let failed = execution.steps.iter().position(|step| step.event == assertion)?;
        let mut events = Vec::with_capacity(execution.steps.len());
        for (id, (step, effect)) in execution.steps.iter().zip(&outcome.effects).enumerate() {
            events.push(event(graph, &names, id, graph.events.get(step.event.index())?, effect)?);
        }
        let flow = flow::flow(graph, execution, &outcome.effects, failed);
        let followed: BTreeSet<&String> = flow.relevant.iter().map(|&position| &events[position].object).collect();
        let followed = followed.into_iter().filter(|name| !name.is_empty()).cloned().collect();
        let Kind::Assert { condition } = graph.events[assertion.index()].kind else { return None };
        let values = flow.read.iter().map(|&position| (&events[position].object, &events[position].value));
        let values = values.map(|(name, value)| (name.clone(), value.clone())).collect();
        let (relevant, lost) = (flow.relevant, flow.lost);
        Some(Finding {
            kind: FailureKind::Assertion,
            at: events[failed].at.clone(),
            condition: names.condition(condition),
            asserted_at: None,
            related: Vec::new(),
            stuck: Vec::new(),
            inputs: Vec::new(),
            context_switches: context_switches(&events),
            context_switches_before,
            explanation: None,
            explanation_missing: None,
            found,
            replayed: 0,
            schedule: None,
            traced: Some(Traced { values, subject, extent, paths, relevant, lost, failed, followed }),
            events,
        })
    }
}

/// The number of context switches.
pub fn context_switches(events: &[Event]) -> usize {
    events.windows(2).filter(|pair| pair[0].thread() != pair[1].thread()).count()
}

/// Accesses to objects that several threads access.
pub fn shared_accesses(graph: &EventGraph) -> usize {
    let mut touched: HashMap<u128, BTreeSet<u32>> = HashMap::new();
    let accesses = || {
        graph.events.iter().filter_map(|event| match &event.kind {
            Kind::Access(access) => Some((graph.terms.as_bits(access.address.object)?, event.thread.0)),
            _ => None,
        })
    };
    for (object, thread) in accesses() {
        touched.entry(object).or_default().insert(thread);
    }
    accesses().filter(|(object, _)| touched[object].len() > 1).count()
}

/// An event of the graph with its effect.
pub(crate) fn told(graph: &EventGraph, id: EventId, effect: &Effect) -> Option<Event> {
    let texts = HashMap::new();
    event(graph, &Names::new(graph, &texts), id.index(), graph.events.get(id.index())?, effect)
}

/// The graph's name of the object at an address, if it is constant.
pub(crate) fn object_name(graph: &EventGraph, address: &Address) -> Option<String> {
    let index = graph.terms.as_bits(address.object)?;
    Some(graph.objects.get(index as usize)?.name.clone())
}

pub(super) fn event(
    graph: &EventGraph,
    names: &Names<'_>,
    id: usize,
    event: &events::Event,
    effect: &Effect,
) -> Option<Event> {
    let named = |address: &Address| object_name(graph, address).unwrap_or_default();
    let child = |child: &events::ThreadId| graph.threads.get(child.index()).map(|thread| thread.name.to_string());
    let (kind, object, value) = match &event.kind {
        Kind::Start => (EventKind::Start, String::new(), String::new()),
        Kind::Exit => (EventKind::Exit, String::new(), String::new()),
        Kind::Fork { child: forked } => (EventKind::Fork, child(forked)?, String::new()),
        Kind::Join { child: joined } => (EventKind::Join, child(joined)?, String::new()),
        Kind::Access(access) => (access_kind(access), named(&access.address), access_value(names, access, effect)),
        Kind::Lock { mutex, .. } => (EventKind::Lock, named(mutex), String::new()),
        Kind::TryLock { mutex, .. } => {
            let taken = matches!(effect, Effect::Synchronised { .. });
            (EventKind::TryLock, named(mutex), taken.to_string())
        }
        Kind::Unlock { mutex, .. } => (EventKind::Unlock, named(mutex), String::new()),
        Kind::Sleep { condition, .. } => (EventKind::Wait, named(condition), String::new()),
        Kind::Wake { sleep, .. } => match &graph.events.get(sleep.index())?.kind {
            Kind::Sleep { condition, .. } => (EventKind::Wake, named(condition), String::new()),
            _ => (EventKind::Wake, String::new(), String::new()),
        },
        Kind::Signal { condition } => (EventKind::Signal, named(condition), woken(effect)),
        Kind::Broadcast { condition } => (EventKind::Broadcast, named(condition), woken(effect)),
        Kind::AtomicBegin => (EventKind::AtomicBegin, String::new(), String::new()),
        Kind::AtomicEnd => (EventKind::AtomicEnd, String::new(), String::new()),
        Kind::Assume { condition } => (EventKind::Branch, String::new(), names.condition(*condition)),
        Kind::Assert { condition } => (EventKind::Assert, String::new(), names.condition(*condition)),
        Kind::Await { .. } => (EventKind::Await, String::new(), String::new()),
        Kind::Cut => (EventKind::Cut, String::new(), String::new()),
        Kind::End => (EventKind::End, String::new(), String::new()),
    };
    let thread = graph.threads.get(event.thread.index())?.name.clone();
    let at = Where::at(thread, event.place.clone().map(Place::from));
    Some(Event { id: Some(id), kind, object, value, at })
}

fn access_kind(access: &Access) -> EventKind {
    match access.label {
        Label::Read => EventKind::Read,
        Label::Write => EventKind::Write,
        Label::Rmw => EventKind::Rmw,
        Label::SemWait => EventKind::SemWait,
        Label::SemTryWait => EventKind::SemTryWait,
        Label::SemPost => EventKind::SemPost,
        Label::ReadLock => EventKind::ReadLock,
        Label::TryReadLock => EventKind::TryReadLock,
        Label::WriteLock => EventKind::WriteLock,
        Label::TryWriteLock => EventKind::TryWriteLock,
        Label::RwUnlock => EventKind::RwUnlock,
        Label::BarrierArrive => EventKind::BarrierArrive,
        Label::BarrierLeave => EventKind::BarrierLeave,
        Label::Once => EventKind::Once,
        Label::Spin => EventKind::Spin,
    }
}

fn access_value(names: &Names<'_>, access: &Access, effect: &Effect) -> String {
    let Effect::Accessed { read, written, .. } = *effect else { return String::new() };
    written.or(read).map_or(String::new(), |word| names.value(access.bytes, word))
}

/// The number of threads that a signal or broadcast woke.
fn woken(effect: &Effect) -> String {
    match effect {
        Effect::Notified { woken, .. } => woken.to_string(),
        _ => String::new(),
    }
}
