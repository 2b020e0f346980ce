//! Values that threads will need to read: reads of a known location that are followed by an assumption about the value
//! read. A write after which the assumption would fail, and which no later write repairs, comes too early.

use std::collections::HashMap;

use formula::Term;

use crate::execution::Location;
use crate::graph::{Access, EventGraph, EventId, Kind, ThreadId};
use crate::machine::Machine;
use crate::scope::{Scope, Scopes};

/// Assumptions stand near the reads that they constrain.
const AHEAD: usize = 16;

/// The number of values remembered for a write.
const SEEN: usize = 16;

#[derive(Clone, Debug)]
pub(crate) struct FutureReads {
    /// By location: the reads there, by thread and position.
    needs: HashMap<(Location, u32), Vec<FutureRead>>,
    /// An unknown object, offset or value is none.
    writes: Vec<Write>,
    /// By event: the values that it was seen to write.
    seen: HashMap<EventId, Vec<u128>>,
}

#[derive(Clone, Debug)]
struct FutureRead {
    thread: ThreadId,
    position: u32,
    old: Term,
    /// Each condition with the guard under which it has to hold.
    conditions: Vec<(Term, Term)>,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    event: EventId,
    thread: ThreadId,
    position: u32,
    object: Option<u32>,
    offset: Option<u32>,
    value: Option<u128>,
}

impl FutureReads {
    pub fn new(graph: &EventGraph, scopes: &Scopes) -> FutureReads {
        let mut found = FutureReads { needs: HashMap::new(), writes: Vec::new(), seen: HashMap::new() };
        for (number, thread) in graph.threads.iter().enumerate() {
            let number = ThreadId(number as u32);
            for (position, &event) in thread.events.iter().enumerate() {
                let Kind::Access(access) = &graph.events[event.index()].kind else { continue };
                let object = graph.terms.as_bits(access.address.object).map(|word| word as u32);
                let offset = graph.terms.as_bits(access.address.offset).map(|word| word as u32);
                let position = position as u32;
                if let Some(new) = access.new {
                    let value = graph.terms.as_bits(new);
                    found.writes.push(Write { event, thread: number, position, object, offset, value });
                }
                let (Some(object), Some(offset)) = (object, offset) else { continue };
                if let Some(need) = FutureRead::new(graph, scopes, number, position, access) {
                    found.needs.entry((Location { object, offset }, access.bytes)).or_default().push(need);
                }
            }
        }
        found
    }

    /// Remembers a value that an event wrote.
    pub fn note(&mut self, event: EventId, word: u128) {
        let seen = self.seen.entry(event).or_default();
        if seen.len() < SEEN && !seen.contains(&word) {
            seen.push(word);
        }
    }

    /// The number of threads that, as far as is known, will not read a value they need because of the writes between
    /// two states.
    pub fn spoilt(
        &self,
        before: &Machine<'_>,
        after: &Machine<'_>,
        by: ThreadId,
        location: Location,
        bytes: u32,
    ) -> usize {
        let Some(needs) = self.needs.get(&(location, bytes)) else { return 0 };
        let (was, is) = (before.read(location, bytes), after.read(location, bytes));
        let mut count = 0;
        let mut last = None;
        for need in needs.iter().filter(|need| after.position(need.thread) <= need.position) {
            // Only the next such read of each thread counts.
            if last == Some(need.thread) {
                continue;
            }
            last = Some(need.thread);
            let could = need.thread == by || (was != is && need.holds(after, was));
            if could && !need.holds(after, is) && !self.is_mended(after, need, needs, location, is) {
                count += 1;
            }
        }
        count
    }

    /// Whether a later write may store a needed value. A thread that itself first needs such a write cannot make it.
    fn is_mended(
        &self,
        machine: &Machine<'_>,
        need: &FutureRead,
        all: &[FutureRead],
        location: Location,
        word: u128,
    ) -> bool {
        let is_kept = |write: &Write| {
            let mut ahead = all.iter().filter(|other| other.thread == write.thread);
            let first = ahead.find(|other| other.position >= machine.position(write.thread));
            first.is_some_and(|first| first.position < write.position && !first.holds(machine, word))
        };
        let later = |write: &&Write| {
            machine.position(write.thread) <= write.position
                && (write.thread != need.thread || write.position < need.position)
                && write.object.is_none_or(|object| object == location.object)
                && write.offset.is_none_or(|offset| offset == location.offset)
                && !is_kept(write)
        };
        self.writes.iter().filter(later).any(|write| match write.value {
            Some(value) => need.holds(machine, value),
            None => self.seen.get(&write.event).is_none_or(|seen| seen.iter().any(|&word| need.holds(machine, word))),
        })
    }
}

impl FutureRead {
    fn new(
        graph: &EventGraph,
        scopes: &Scopes,
        thread: ThreadId,
        position: u32,
        access: &Access,
    ) -> Option<FutureRead> {
        let old = access.old?;
        let events = &graph.threads[thread.index()].events[position as usize + 1..];
        // Whether the term depends on the value read; none if it depends on other symbols.
        let is_about = |term: Term| match scopes.of(term) {
            Scope::Always => Some(false),
            Scope::Thread { thread: own, last } if own == thread && last == position => {
                (graph.terms.free_symbols(term) == [old]).then_some(true)
            }
            _ => None,
        };
        let conditions: Vec<(Term, Term)> = events
            .iter()
            .take(AHEAD)
            .map(|event| &graph.events[event.index()])
            .filter_map(|event| match event.kind {
                Kind::Assume { condition } => Some((event.guard, condition)),
                _ => None,
            })
            .filter(|&(guard, condition)| {
                matches!((is_about(guard), is_about(condition)), (Some(one), Some(other)) if one || other)
            })
            .collect();
        (!conditions.is_empty()).then_some(FutureRead { thread, position, old, conditions })
    }

    fn holds(&self, machine: &Machine<'_>, word: u128) -> bool {
        let is = |term| machine.suppose(self.old, word, term);
        self.conditions.iter().all(|&(guard, condition)| !is(guard) || is(condition))
    }
}
