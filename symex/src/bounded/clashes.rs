//! Which accesses must not meet, as the machine has it: of different threads, one of them writes, and not both are atomic.
//!
//! Freeing a block writes to all of it. Here that is a write to the cell which tells whether the block has ended, and every
//! access that looks there first reads it. Atomic sections protect from each other and from nothing else.

use std::collections::HashMap;

use events::{Clash, EventGraph, EventId, Kind, ObjectId, ThreadId, Touch};

use vm::SiteFrame;

use crate::bounded::state::Rest;
use crate::bounded::unroll::Unrolled;
use crate::bounded::walk::{Role, Walk};

/// An access that races are looked for with.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    pub event: EventId,
    /// The begin of the block that makes it one step with what it needs.
    pub gate: Option<EventId>,
    pub atomic: bool,
    pub frees: bool,
    /// It stands in a section of the program's own that nobody interrupts.
    pub sectioned: bool,
}

/// Two accesses that must not meet, in an order in which the machine sees that they do.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub clash: Clash,
    pub first: EventId,
    pub second: EventId,
    /// Whether they cannot come the other way round.
    pub ordered: bool,
}

impl Walk<'_> {
    /// Remembers the accesses that an instruction made since there were so many events.
    pub fn note_touches(&mut self, rest: &Rest, since: usize, atomic: bool, frees: bool) {
        let events = &self.builder.graph().events;
        let mut gate = None;
        for (number, made) in events.iter().enumerate().skip(since) {
            let event = EventId(number as u32);
            match &made.kind {
                Kind::AtomicBegin if self.origins[number].role == Role::Part => gate = Some(event),
                Kind::Access(_) => {
                    let sectioned = rest.atomic > 0;
                    self.touched.push(Touched { event, gate, atomic, frees, sectioned });
                }
                _ => {}
            }
        }
    }
}

impl Unrolled {
    /// Where both accesses stand, for those who tell pairs apart by it: the calls of each, and whether it writes.
    pub fn ends(&self, meeting: &Meeting) -> [(&[SiteFrame], bool); 2] {
        [meeting.first, meeting.second].map(|event| (self.frames(event), writes(&self.graph, event)))
    }

    /// All pairs of accesses that must not meet.
    pub fn meetings(&self) -> Vec<Meeting> {
        let graph = &self.graph;
        let mut meetings = Vec::new();
        let mut by_object: HashMap<Option<ObjectId>, Vec<(ThreadId, &Touched)>> = HashMap::new();
        for touched in &self.touched {
            let thread = graph.events[touched.event.index()].thread;
            by_object.entry(object(graph, touched.event)).or_default().push((thread, touched));
        }
        let mut add = |(thread, one): (ThreadId, &Touched), (theirs, other): (ThreadId, &Touched)| {
            if thread != theirs {
                meetings.extend(meeting(graph, one, other));
            }
        };
        let anywhere = by_object.remove(&None).unwrap_or_default();
        let mut objects: Vec<_> = by_object.into_iter().collect();
        objects.sort_unstable_by_key(|(object, _)| *object);
        for (_, touches) in &objects {
            for (position, &one) in touches.iter().enumerate() {
                touches[position + 1..].iter().chain(&anywhere).for_each(|&other| add(one, other));
            }
        }
        for (position, &one) in anywhere.iter().enumerate() {
            anywhere[position + 1..].iter().for_each(|&other| add(one, other));
        }
        meetings
    }
}

/// The object that is touched, where that is certain.
fn object(graph: &EventGraph, event: EventId) -> Option<ObjectId> {
    let Kind::Access(access) = &graph.events[event.index()].kind else { return None };
    graph.terms.as_bits(access.address.object).map(|number| ObjectId(number as u32))
}

fn writes(graph: &EventGraph, event: EventId) -> bool {
    matches!(&graph.events[event.index()].kind, Kind::Access(access) if access.new.is_some())
}

fn meeting(graph: &EventGraph, one: &Touched, other: &Touched) -> Option<Meeting> {
    // What is freed twice is another failure.
    if (one.atomic && other.atomic)
        || (one.frees && other.frees)
        || !(writes(graph, one.event) || writes(graph, other.event))
    {
        return None;
    }
    // What was freed cannot be accessed, and who is outside of a section cannot go while somebody is inside.
    let (first, second) = match (one.frees, other.frees) {
        (true, false) => (other, one),
        (false, false) if other.sectioned => (other, one),
        _ => (one, other),
    };
    // Two cannot be inside of blocks at once. Whoever is has seen that the block of memory has not ended.
    let confined = |touched: &Touched| touched.sectioned || touched.gate.is_some();
    let (mut at, mut there) = (first.event, second.event);
    if confined(first) && confined(second) {
        match (first.gate, second.gate) {
            (_, Some(gate)) => there = gate,
            (Some(gate), None) => at = gate,
            (None, None) => return None,
        }
    }
    let clash = Clash { one: touch(graph, at, first.event)?, other: touch(graph, there, second.event)? };
    let ordered = second.frees || first.sectioned;
    Some(Meeting { clash, first: first.event, second: second.event, ordered })
}

/// What the thread does that stands before the event and is about to do the access.
fn touch(graph: &EventGraph, event: EventId, access: EventId) -> Option<Touch> {
    let info = &graph.events[access.index()];
    let Kind::Access(access) = &info.kind else { return None };
    Some(Touch { event, guard: info.guard, address: access.address, bytes: access.bytes })
}
