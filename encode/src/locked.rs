//! Adds the missing lock to a straight graph, so that each failing trace has an unsatisfiable variant for tests and
//! benchmarks.
//!
//! One mutex protects each update (a read, up to the write that depends on it, of the same variable), together with the
//! write that clears a variable the update consumed, and the reads that an assertion compares. Overlapping stretches
//! are merged; a stretch in which the thread waits is left unlocked. Where a recording was cut off between an update
//! and the write that clears a consumed variable, the lock is never released.

use std::collections::{HashMap, HashSet};

use events::{Address, Event, EventGraph, EventId, Kind, Object, Thread, ThreadId};
use formula::Term;

/// The graph with further events; existing events keep their ids.
pub fn locked(graph: &EventGraph) -> EventGraph {
    let mut locked = graph.clone();
    let object = locked.terms.bits(32, locked.objects.len() as u128);
    let offset = locked.terms.bits(32, 0);
    let mutex = Address { object, offset };
    locked.objects.push(Object { name: "lock around each update".to_owned(), bytes: 1, initial: Vec::new() });
    for (number, thread) in graph.threads.iter().enumerate() {
        let stretches = merged(stretches(graph, thread));
        let mut events = Vec::with_capacity(thread.events.len() + 2 * stretches.len());
        let mut stretches = stretches.into_iter().filter(|&stretch| is_plain(graph, thread, stretch)).peekable();
        for (position, &event) in thread.events.iter().enumerate() {
            if stretches.peek().is_some_and(|&(from, _)| from == position) {
                events.push(add(&mut locked, number, event, Kind::Lock { mutex, recursive: false }));
            }
            events.push(event);
            if stretches.next_if(|&(_, to)| to == position).is_some() && position + 1 < thread.events.len() {
                events.push(add(&mut locked, number, event, Kind::Unlock { mutex, recursive: false, foreign: false }));
            }
        }
        locked.threads[number].events = events;
    }
    locked
}

/// Adds an event at the same source place as another one.
fn add(graph: &mut EventGraph, thread: usize, beside: EventId, kind: Kind) -> EventId {
    let id = EventId(graph.events.len() as u32);
    let guard = graph.terms.truth();
    let place = graph.events[beside.index()].place.clone();
    graph.events.push(Event { thread: ThreadId(thread as u32), guard, kind, place });
    id
}

/// First and last position.
type Stretch = (usize, usize);

fn stretches(graph: &EventGraph, thread: &Thread) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    // By symbol of a read, its position and the variable.
    let mut reads: HashMap<Term, (usize, Address)> = HashMap::new();
    // Updates whose consumed variables have not been accessed since: variable, begin of the update.
    let mut consumed: Vec<(Address, usize)> = Vec::new();
    // Variables that were cleared after an update had consumed them.
    let mut taken: Vec<Address> = Vec::new();
    for (position, event) in thread.events.iter().enumerate() {
        match &graph.events[event.index()].kind {
            Kind::Access(access) => {
                for &(_, from) in consumed.iter().filter(|(address, _)| *address == access.address) {
                    if access.old.is_none() {
                        stretches.push((from, position));
                        taken.push(access.address);
                    }
                }
                consumed.retain(|(address, _)| *address != access.address);
                if let Some(new) = access.new {
                    let mentioned = mentioned(graph, &reads, new);
                    let same = mentioned.iter().filter(|(_, address)| *address == access.address);
                    if let Some(from) = same.map(|&(position, _)| position).min() {
                        let from = mentioned.iter().map(|&(position, _)| position).min().unwrap_or(from).min(from);
                        stretches.push((from, position));
                        let others = mentioned.iter().filter(|(_, address)| *address != access.address);
                        consumed.extend(others.map(|&(_, address)| (address, from)));
                    }
                }
                if let Some(old) = access.old {
                    reads.insert(old, (position, access.address));
                }
            }
            Kind::Assert { condition } => {
                let mentioned = mentioned(graph, &reads, *condition);
                let variables: HashSet<(Term, Term)> =
                    mentioned.iter().map(|(_, address)| (address.object, address.offset)).collect();
                let positions = || mentioned.iter().map(|&(position, _)| position);
                if let (true, Some(from), Some(to)) = (variables.len() > 1, positions().min(), positions().max()) {
                    stretches.push((from, to));
                }
            }
            _ => {}
        }
    }
    // The stretch up to the exit is the one without an unlock.
    let cut_off = consumed.iter().filter(|(address, _)| taken.contains(address));
    stretches.extend(cut_off.map(|&(_, from)| (from, thread.events.len() - 1)));
    stretches
}

/// The reads of the thread that a term depends on.
fn mentioned(graph: &EventGraph, reads: &HashMap<Term, (usize, Address)>, term: Term) -> Vec<(usize, Address)> {
    graph.terms.free_symbols(term).iter().filter_map(|symbol| reads.get(symbol).copied()).collect()
}

fn merged(mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    stretches.sort_unstable();
    let mut merged: Vec<Stretch> = Vec::new();
    for (from, to) in stretches {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// Whether no event in the stretch waits or lets another thread proceed, and all of them are unconditional.
fn is_plain(graph: &EventGraph, thread: &Thread, (from, to): Stretch) -> bool {
    thread.events[from..=to].iter().all(|event| {
        let event = &graph.events[event.index()];
        let local = match &event.kind {
            Kind::Access(access) => graph.terms.as_bool(access.enabled) == Some(true),
            Kind::Assume { .. } | Kind::Assert { .. } | Kind::Exit => true,
            _ => false,
        };
        local && graph.terms.as_bool(event.guard) == Some(true)
    })
}
