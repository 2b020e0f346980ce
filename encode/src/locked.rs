//! A straight graph with the missing lock put in, so that there is an unsatisfiable twin to each failing trace.
//!
//! One mutex goes around each update (a read, up to the write that depends on it, of the same variable), together with
//! the write that takes away what the update consumed, and around the reads that an assertion compares. Stretches that
//! overlap become one; a stretch in which the thread waits for others is left as it is. Where a recording was cut off
//! between an update and the write that takes away what it consumed, the lock is never released.

use std::collections::{HashMap, HashSet};

use events::{Address, Event, EventGraph, EventId, Kind, Object, Thread, ThreadId};
use formula::Term;

/// The graph with further events; those that it had keep their numbers.
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

/// An event beside another, at the same place.
fn add(graph: &mut EventGraph, thread: usize, beside: EventId, kind: Kind) -> EventId {
    let id = EventId(graph.events.len() as u32);
    let guard = graph.terms.truth();
    let place = graph.events[beside.index()].place.clone();
    graph.events.push(Event { thread: ThreadId(thread as u32), guard, kind, place });
    id
}

/// First and last position of each.
type Stretch = (usize, usize);

fn stretches(graph: &EventGraph, thread: &Thread) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    // By symbol, the position of the read and the variable.
    let mut reads: HashMap<Term, (usize, Address)> = HashMap::new();
    // Updates whose consumed variables were not touched since: variable, begin of the update.
    let mut consumed: Vec<(Address, usize)> = Vec::new();
    // Variables that were taken away after an update had consumed them.
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
    // The stretch up to the exit is the one that is not released.
    let cut_off = consumed.iter().filter(|(address, _)| taken.contains(address));
    stretches.extend(cut_off.map(|&(_, from)| (from, thread.events.len() - 1)));
    stretches
}

/// The reads of the thread that a term is made of.
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

/// Whether nothing in it waits for others or releases what they wait for, and all of it always happens.
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
