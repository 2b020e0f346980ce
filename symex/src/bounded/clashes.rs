//! Pairs of accesses that form a data race by the machine's definition: of different threads, at least one a write, not
//! both atomic.
//!
//! A free writes to all bytes of its block. Here it is a write to the cell that says whether the block has ended, and
//! every access that checks the cell reads it first. Atomic sections exclude only each other.

use std::collections::HashMap;

use events::{Clash, EventGraph, EventId, Kind, ObjectId, ThreadId, Touch};

use vm::SiteFrame;

use crate::bounded::state::Rest;
use crate::bounded::unroll::Unrolled;
use crate::bounded::walk::{Role, Walk};

/// An access that may be part of a data race.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    pub event: EventId,
    /// The begin of the atomic section that groups the access with its check of the block's life.
    pub gate: Option<EventId>,
    pub atomic: bool,
    pub frees: bool,
    /// It is in an atomic section of the program.
    pub sectioned: bool,
}

/// Two racing accesses, in an order in which the machine reports the race.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub clash: Clash,
    pub first: EventId,
    pub second: EventId,
    /// Whether the other order is impossible.
    pub ordered: bool,
}

impl Walk<'_> {
    /// Records the accesses that an instruction has added since event `since`.
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
    /// The two ends of a pair, by which pairs are distinguished: the calls of each access, and whether it writes.
    pub fn ends(&self, meeting: &Meeting) -> [(&[SiteFrame], bool); 2] {
        [meeting.first, meeting.second].map(|event| (self.frames(event), writes(&self.graph, event)))
    }

    /// All pairs of accesses that may race.
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

/// The accessed object, if its address is concrete.
fn object(graph: &EventGraph, event: EventId) -> Option<ObjectId> {
    let Kind::Access(access) = &graph.events[event.index()].kind else { return None };
    graph.terms.as_bits(access.address.object).map(|number| ObjectId(number as u32))
}

fn writes(graph: &EventGraph, event: EventId) -> bool {
    matches!(&graph.events[event.index()].kind, Kind::Access(access) if access.new.is_some())
}

fn meeting(graph: &EventGraph, one: &Touched, other: &Touched) -> Option<Meeting> {
    // A double free is reported as another failure.
    if (one.atomic && other.atomic)
        || (one.frees && other.frees)
        || !(writes(graph, one.event) || writes(graph, other.event))
    {
        return None;
    }
    // An access after the free fails for another reason, and a thread outside atomic sections cannot run while another
    // is inside one.
    let (first, second) = match (one.frees, other.frees) {
        (true, false) => (other, one),
        (false, false) if other.sectioned => (other, one),
        _ => (one, other),
    };
    // Two threads cannot both be in atomic sections. A thread in the section of its access has seen that the block is
    // alive.
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

/// The position of the thread just before `event`, about to do the access.
fn touch(graph: &EventGraph, event: EventId, access: EventId) -> Option<Touch> {
    let info = &graph.events[access.index()];
    let Kind::Access(access) = &info.kind else { return None };
    Some(Touch { event, guard: info.guard, address: access.address, bytes: access.bytes })
}
