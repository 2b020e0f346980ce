//! Which events are visible to other threads, decided from the graph alone, and how long a thread needs the values it
//! has read.

use formula::{Op, Term};

use crate::graph::{Access, Address, EventGraph, EventId, Kind, ThreadId};
use crate::scope::{Scope, Scopes};

#[derive(Clone, Debug)]
pub(crate) struct Contention {
    /// By event.
    noticed: Vec<bool>,
    uses: Uses,
}

/// By symbol: the thread that defines it, and the last position in that thread's list at which a term names it.
#[derive(Clone, Debug)]
pub(crate) struct Uses {
    pub symbols: Vec<Option<(ThreadId, u32)>>,
}

/// Memory that an access may touch; an unknown object or offset may be any.
#[derive(Clone, Copy, Debug)]
struct Range {
    thread: ThreadId,
    object: Option<u128>,
    offset: Option<u128>,
    bytes: u32,
    writes: bool,
}

impl Range {
    fn new(graph: &EventGraph, thread: ThreadId, access: &Access) -> Range {
        let Address { object, offset } = access.address;
        let (object, offset) = (graph.terms.as_bits(object), graph.terms.as_bits(offset));
        Range { thread, object, offset, bytes: access.bytes, writes: access.new.is_some() }
    }

    fn clashes(&self, other: &Range) -> bool {
        let apart =
            |one: Option<u128>, other: Option<u128>| matches!((one, other), (Some(one), Some(other)) if one != other);
        if self.thread == other.thread || !(self.writes || other.writes) || apart(self.object, other.object) {
            return false;
        }
        match (self.offset, other.offset) {
            (Some(one), Some(two)) => one < two + u128::from(other.bytes) && two < one + u128::from(self.bytes),
            _ => true,
        }
    }
}

impl Contention {
    pub fn new(graph: &EventGraph, scopes: &Scopes) -> Contention {
        let ranges: Vec<Option<Range>> = graph
            .events
            .iter()
            .map(|event| match &event.kind {
                Kind::Access(access) => Some(Range::new(graph, event.thread, access)),
                _ => None,
            })
            .collect();
        let mut distinct: Vec<Range> = Vec::new();
        for range in ranges.iter().flatten() {
            let same = |other: &Range| {
                (other.thread, other.object, other.offset, other.bytes, other.writes)
                    == (range.thread, range.object, range.offset, range.bytes, range.writes)
            };
            if !distinct.iter().any(same) {
                distinct.push(*range);
            }
        }
        let noticed = graph
            .events
            .iter()
            .zip(&ranges)
            .map(|(event, range)| match &event.kind {
                Kind::Access(access) => {
                    graph.terms.as_bool(access.enabled) != Some(true)
                        || range.is_some_and(|range| distinct.iter().any(|other| range.clashes(other)))
                }
                Kind::Lock { .. }
                | Kind::TryLock { .. }
                | Kind::Sleep { .. }
                | Kind::Wake { .. }
                | Kind::Signal { .. }
                | Kind::Broadcast { .. }
                | Kind::Join { .. }
                | Kind::AtomicBegin
                | Kind::Await { .. }
                | Kind::Cut
                | Kind::End => true,
                Kind::Start
                | Kind::Exit
                | Kind::Fork { .. }
                | Kind::Unlock { .. }
                | Kind::AtomicEnd
                | Kind::Assume { .. }
                | Kind::Assert { .. } => false,
            })
            .collect();
        Contention { noticed, uses: Uses::new(graph, scopes) }
    }

    /// Whether other threads can observe the event, or can influence whether it is enabled.
    pub fn is_noticed(&self, event: EventId) -> bool {
        self.noticed[event.index()]
    }

    pub fn uses(&self) -> &Uses {
        &self.uses
    }
}

impl Uses {
    fn new(graph: &EventGraph, scopes: &Scopes) -> Uses {
        let terms = &graph.terms;
        let mut last: Vec<Option<u32>> = vec![None; terms.len()];
        for thread in &graph.threads {
            for (position, event) in thread.events.iter().enumerate() {
                for term in graph.events[event.index()].terms() {
                    // Terms over symbols of several threads are evaluated at the end.
                    let position = if scopes.of(term) == Scope::Several { u32::MAX } else { position as u32 };
                    last[term.index()] = last[term.index()].max(Some(position));
                }
            }
        }
        let roots: Vec<Term> = graph.events.iter().flat_map(crate::graph::Event::terms).collect();
        let mut symbols = vec![None; terms.symbols().len()];
        for term in terms.reachable(&roots).into_iter().rev() {
            let used = last[term.index()];
            for operand in terms.op(term).operands() {
                last[operand.index()] = last[operand.index()].max(used);
            }
            if let Op::Symbol(symbol) = terms.op(term) {
                let thread = scopes.definition(graph, term).map(|definition| definition.thread);
                symbols[symbol.0 as usize] = thread.zip(used);
            }
        }
        Uses { symbols }
    }
}
