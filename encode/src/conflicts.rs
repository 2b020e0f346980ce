//! The inter-thread orderings of an execution, of which a cause can consist.
//!
//! Two events conflict if they access the same byte and one of them writes it, if one releases a mutex that the other
//! acquires next (or finds locked), or if one sleeps on a condition that the other signals. Only immediate conflicts
//! are listed: orderings that follow from them and program order are left out, and so are those that fork and join
//! imply.

use std::collections::{BTreeMap, BTreeSet};

use events::{Choice, Effect, EventGraph, EventId, Execution, Kind, Location, ThreadId};

use crate::address::constant;
use crate::graph::thread_of;
use crate::static_order::StaticOrder;

/// Pairs of events of different threads, the first of which happened before the second, in the order of the second. The
/// effects are those that replay returns for the execution's steps, one for each.
pub fn candidates(graph: &EventGraph, execution: &Execution, effects: &[Effect]) -> Vec<(EventId, EventId)> {
    let order = StaticOrder::new(graph);
    let mut history = History::default();
    let mut pairs = Vec::new();
    let known = execution.steps.iter().filter(|step| step.event.index() < graph.events.len());
    for (step, effect) in known.zip(effects) {
        let event = step.event;
        let mut found = BTreeSet::new();
        let mut touch = |thing: Thing, writes: bool| found.extend(history.touch(graph, thing, event, writes));
        match *effect {
            Effect::Accessed { location, written, .. } => {
                let Kind::Access(access) = &graph.events[event.index()].kind else { continue };
                for byte in 0..access.bytes {
                    let location = Location { offset: location.offset.saturating_add(byte), ..location };
                    touch(Thing::Byte(location), written.is_some());
                }
            }
            // Acquiring or releasing a mutex writes it; a try-lock that fails only reads it.
            Effect::Synchronised { mutex } => touch(Thing::Mutex(mutex), true),
            Effect::Refused { mutex } => touch(Thing::Mutex(mutex), false),
            Effect::Notified { condition, .. } => touch(Thing::Condition(condition), true),
            Effect::Nothing | Effect::Judged { .. } => {}
        }
        if let Kind::Sleep { condition, .. } = graph.events[event.index()].kind
            && let Some((object, offset)) = constant(&graph.terms, condition)
        {
            touch(Thing::Condition(Location { object, offset }), false);
        }
        if let Choice::Wakes(sleep) = step.choice {
            found.insert(sleep);
        }
        let settled = |&earlier: &EventId| order.is_before(graph, earlier, event);
        pairs.extend(found.into_iter().filter(|earlier| !settled(earlier)).map(|earlier| (earlier, event)));
    }
    pairs
}

/// All pairs of conflicting events of different threads, the first of which happened before the second, not only
/// immediate ones. One such pair can replace a chain of immediate conflicts through other events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflicts {
    /// One event observes the other: data, a mutex, a signal.
    pub telling: BTreeSet<(EventId, EventId)>,
    /// Both write, and neither reads.
    pub writes: BTreeSet<(EventId, EventId)>,
}

impl Conflicts {
    /// A superset of [`candidates`]; none if there are more than `limit`.
    pub fn new(graph: &EventGraph, execution: &Execution, effects: &[Effect], limit: usize) -> Option<Conflicts> {
        let order = StaticOrder::new(graph);
        let mut conflicts = Conflicts::default();
        let mut past: BTreeMap<Thing, Vec<(EventId, Touch)>> = BTreeMap::new();
        for (step, effect) in execution.steps.iter().zip(effects) {
            let event = step.event;
            for (thing, touch) in touches(graph, event, effect) {
                let past = past.entry(thing).or_default();
                for &(earlier, before) in past.iter() {
                    let apart = thread_of(graph, earlier) == thread_of(graph, event);
                    if apart || order.is_before(graph, earlier, event) {
                        continue;
                    }
                    match before.against(touch) {
                        Some(true) => conflicts.telling.insert((earlier, event)),
                        Some(false) => conflicts.writes.insert((earlier, event)),
                        None => false,
                    };
                }
                past.push((event, touch));
                if conflicts.telling.len() + conflicts.writes.len() > limit {
                    return None;
                }
            }
            if let Choice::Wakes(sleep) = step.choice {
                conflicts.telling.insert((sleep, event));
            }
        }
        let Conflicts { telling, writes } = &mut conflicts;
        writes.retain(|pair| !telling.contains(pair));
        Some(conflicts)
    }
}

/// The kind of an access to a byte, a mutex or a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    Looks,
    Writes,
    LooksAndWrites,
    /// Acquires a mutex.
    Takes,
    Leaves,
    IsRefused,
}

impl Touch {
    /// None if the two commute; otherwise whether one of them observes the other.
    fn against(self, later: Touch) -> Option<bool> {
        match (self, later) {
            (Touch::Looks, Touch::Looks) | (Touch::IsRefused, Touch::IsRefused) => None,
            (Touch::Writes, Touch::Writes) => Some(false),
            // The order of critical sections is expressed by release and acquire.
            (Touch::Takes, Touch::Takes | Touch::Leaves) | (Touch::Leaves, Touch::Leaves) => None,
            _ => Some(true),
        }
    }
}

fn touches(graph: &EventGraph, event: EventId, effect: &Effect) -> Vec<(Thing, Touch)> {
    let kind = &graph.events[event.index()].kind;
    let mut found = Vec::new();
    match (*effect, kind) {
        (Effect::Accessed { location, read, written }, Kind::Access(access)) => {
            let touch = match (read, written) {
                (Some(_), Some(_)) => Touch::LooksAndWrites,
                (None, Some(_)) => Touch::Writes,
                _ => Touch::Looks,
            };
            for byte in 0..access.bytes {
                let location = Location { offset: location.offset.saturating_add(byte), ..location };
                found.push((Thing::Byte(location), touch));
            }
        }
        (Effect::Synchronised { mutex }, Kind::Unlock { .. } | Kind::Sleep { .. }) => {
            found.push((Thing::Mutex(mutex), Touch::Leaves));
        }
        (Effect::Synchronised { mutex }, _) => found.push((Thing::Mutex(mutex), Touch::Takes)),
        (Effect::Refused { mutex }, _) => found.push((Thing::Mutex(mutex), Touch::IsRefused)),
        (Effect::Notified { condition, .. }, _) => found.push((Thing::Condition(condition), Touch::Writes)),
        _ => {}
    }
    if let Kind::Sleep { condition, .. } = kind
        && let Some((object, offset)) = constant(&graph.terms, *condition)
    {
        found.push((Thing::Condition(Location { object, offset }), Touch::Looks));
    }
    found
}

/// The resources over which events can conflict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Byte(Location),
    Mutex(Location),
    Condition(Location),
}

/// The last accesses of each resource.
#[derive(Default)]
struct History {
    things: BTreeMap<Thing, Last>,
}

#[derive(Default)]
struct Last {
    write: Option<EventId>,
    /// The last read of each thread since that write.
    reads: BTreeMap<ThreadId, EventId>,
}

impl History {
    /// The immediate predecessors: the events with which a reordering would change a value read or a final state.
    fn touch(&mut self, graph: &EventGraph, thing: Thing, event: EventId, writes: bool) -> Vec<EventId> {
        let thread = thread_of(graph, event);
        let last = self.things.entry(thing).or_default();
        let mut found = Vec::new();
        if writes {
            found.extend(last.reads.values());
            if found.is_empty() {
                found.extend(last.write);
            }
            *last = Last { write: Some(event), reads: BTreeMap::new() };
        } else {
            if !last.reads.contains_key(&thread) {
                found.extend(last.write);
            }
            last.reads.insert(thread, event);
        }
        found.retain(|&earlier| thread_of(graph, earlier) != thread);
        found
    }
}
