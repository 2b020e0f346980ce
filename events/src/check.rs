//! Well-formedness of a graph: the preconditions of `replay`, `encode` and all other consumers. All errors are
//! collected.
//!
//! Beside sorts, ranges and scopes, a well-formed graph has this shape:
//! - a thread begins with `Start`, under the guard true, and ends with `Exit`; neither occurs anywhere else;
//! - a `Wake` directly follows its `Sleep`, under the same guard, and every sleep has one; only the end of an atomic
//!   block may stand between the two;
//! - `AtomicBegin` and `AtomicEnd` alternate in a thread's list; no event between them can block, except a sleep as the
//!   last event of the block. A block lasts from its begin to its end in the list, whatever their guards are;
//! - an `Assume` or `Assert` may name any symbol that some event defines. All other terms name inputs and symbols that
//!   the same thread defined earlier; an access may also name its own `old` in `enabled`, `new` and `writes`.

use std::collections::HashSet;
use std::fmt;

use formula::{Op, Sort, Term};
use thiserror::Error;

use crate::graph::{Access, Address, Event, EventGraph, EventId, Kind, ObjectId, ThreadId};
use crate::scope::{Scope, Scopes, defined};

/// A defect of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphError {
    pub at: Part,
    pub problem: Problem,
}

/// A part of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Graph,
    Input(usize),
    Object(ObjectId),
    Thread(ThreadId),
    Event(EventId),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    #[error("there is no thread")]
    NoThread,
    #[error("two threads are called {0}")]
    SameName(String),
    #[error("an input is a symbol, each a different one")]
    BadInput,
    #[error("a term belongs to other terms than those of the graph")]
    ForeignTerm,
    #[error("the {what} is {found:?}, not {expected:?}")]
    Sort { what: &'static str, expected: Sort, found: Sort },
    #[error("the {0} is not a symbol of its own")]
    NoSymbol(&'static str),
    #[error("the {0} names something that is not known there")]
    NotInScope(&'static str),
    #[error("an initial value is a constant or made of inputs, a whole number of bytes wide, and lies in its object")]
    BadInitial,
    #[error("two initial values overlap")]
    OverlappingInitials,
    #[error("an access is 1 to 16 bytes wide, not {0}")]
    AccessWidth(u32),
    #[error("there is no object {0}")]
    NoObject(u128),
    #[error("the access leaves its object")]
    OutOfBounds,
    #[error("there is no thread {0}")]
    NoSuchThread(u32),
    #[error("there is no event {0}")]
    NoSuchEvent(u32),
    #[error("nobody forks the main thread")]
    ForkOfMain,
    #[error("the event stands in {0} places of the threads' lists, not in one place of its own thread's")]
    Listed(usize),
    #[error("a thread begins with a start under the guard true, and has no other")]
    Start,
    #[error("a thread ends with an exit, and has no other")]
    Exit,
    #[error("a wake directly follows its sleep, under the same guard")]
    Wake,
    #[error("a sleep is directly followed by its wake")]
    Sleep,
    #[error("the begin and the end of atomic blocks alternate")]
    Atomic,
    #[error("an await names reads and try-locks that stand before it in its thread")]
    Await,
    #[error("what can block is not inside an atomic block")]
    BlocksInside,
}

impl std::error::Error for GraphError {}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Part::Graph => write!(f, "{}", self.problem),
            Part::Input(position) => write!(f, "input {position}: {}", self.problem),
            Part::Object(object) => write!(f, "object {}: {}", object.0, self.problem),
            Part::Thread(thread) => write!(f, "thread number {}: {}", thread.0, self.problem),
            Part::Event(event) => write!(f, "event {}: {}", event.0, self.problem),
        }
    }
}

/// Returns all errors.
pub fn check(graph: &EventGraph) -> Result<(), Vec<GraphError>> {
    let mut checker = Checker { graph, scopes: Scopes::new(graph), errors: Vec::new() };
    checker.inputs();
    checker.objects();
    checker.listings();
    for (number, event) in graph.events.iter().enumerate() {
        checker.event_alone(EventId(number as u32), event);
    }
    for number in 0..graph.threads.len() {
        checker.thread(ThreadId(number as u32));
    }
    if checker.errors.is_empty() { Ok(()) } else { Err(checker.errors) }
}

struct Checker<'g> {
    graph: &'g EventGraph,
    scopes: Scopes,
    errors: Vec<GraphError>,
}

impl Checker<'_> {
    fn report(&mut self, at: Part, problem: Problem) {
        self.errors.push(GraphError { at, problem });
    }

    fn inputs(&mut self) {
        let mut seen = HashSet::new();
        for (position, &input) in self.graph.inputs.iter().enumerate() {
            let terms = &self.graph.terms;
            let defined = input.index() < terms.len() && self.scopes.definition(self.graph, input).is_some();
            let symbol = input.index() < terms.len() && matches!(terms.op(input), Op::Symbol(_));
            if !symbol || defined || !seen.insert(input) {
                self.report(Part::Input(position), Problem::BadInput);
            }
        }
    }

    fn objects(&mut self) {
        let graph = self.graph;
        for (number, object) in graph.objects.iter().enumerate() {
            let at = Part::Object(ObjectId(number as u32));
            let mut ranges = Vec::new();
            for initial in &object.initial {
                let sort = (initial.value.index() < graph.terms.len()).then(|| graph.terms.sort(initial.value));
                match sort {
                    Some(Sort::Bits(width))
                        if width % 8 == 0
                            && u64::from(initial.offset) + u64::from(width / 8) <= u64::from(object.bytes)
                            && self.scopes.of(initial.value) == Scope::Always =>
                    {
                        ranges.push((initial.offset, initial.offset + width / 8));
                    }
                    _ => self.report(at, Problem::BadInitial),
                }
            }
            ranges.sort_unstable();
            if ranges.windows(2).any(|pair| pair[1].0 < pair[0].1) {
                self.report(at, Problem::OverlappingInitials);
            }
        }
    }

    /// Each event occurs once, in the list of its own thread, and thread names are unique.
    fn listings(&mut self) {
        let graph = self.graph;
        if graph.threads.is_empty() {
            self.report(Part::Graph, Problem::NoThread);
        }
        let mut names = HashSet::new();
        let mut listed = vec![0_usize; graph.events.len()];
        let mut elsewhere = vec![false; graph.events.len()];
        for (number, thread) in graph.threads.iter().enumerate() {
            let thread_id = ThreadId(number as u32);
            if !names.insert(&thread.name) {
                self.report(Part::Thread(thread_id), Problem::SameName(thread.name.to_string()));
            }
            for &event in &thread.events {
                match graph.events.get(event.index()) {
                    Some(found) => {
                        listed[event.index()] += 1;
                        elsewhere[event.index()] |= found.thread != thread_id;
                    }
                    None => self.report(Part::Thread(thread_id), Problem::NoSuchEvent(event.0)),
                }
            }
        }
        for (number, &count) in listed.iter().enumerate() {
            if count != 1 || elsewhere[number] {
                self.report(Part::Event(EventId(number as u32)), Problem::Listed(count));
            }
        }
    }

    /// Checks that do not need the neighbouring events.
    fn event_alone(&mut self, id: EventId, event: &Event) {
        let at = Part::Event(id);
        if event.terms().iter().any(|term| term.index() >= self.graph.terms.len()) {
            return self.report(at, Problem::ForeignTerm);
        }
        self.sort(at, "guard", event.guard, Sort::Bool);
        match &event.kind {
            Kind::Access(access) => self.access_alone(at, access),
            Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } => self.address(at, mutex, None),
            Kind::TryLock { mutex, taken, .. } => {
                self.address(at, mutex, None);
                self.sort(at, "result", *taken, Sort::Bool);
            }
            Kind::Sleep { condition, mutex, .. } => {
                self.address(at, condition, None);
                self.address(at, mutex, None);
            }
            Kind::Wake { timed_out: Some(timed_out), .. } => self.sort(at, "result", *timed_out, Sort::Bool),
            Kind::Signal { condition } | Kind::Broadcast { condition } => self.address(at, condition, None),
            Kind::Assume { condition } | Kind::Assert { condition } => {
                self.sort(at, "condition", *condition, Sort::Bool);
                if self.scopes.of(*condition) == Scope::Nowhere {
                    self.report(at, Problem::NotInScope("condition"));
                }
            }
            Kind::Fork { child } | Kind::Join { child } if child.index() >= self.graph.threads.len() => {
                self.report(at, Problem::NoSuchThread(child.0));
            }
            Kind::Fork { child: ThreadId(0) } => self.report(at, Problem::ForkOfMain),
            _ => {}
        }
        if let Some(symbol) = defined(&event.kind) {
            let definition = self.scopes.definition(self.graph, symbol);
            if definition.is_none_or(|definition| definition.event != id) {
                self.report(at, Problem::NoSymbol("result"));
            }
        }
    }

    fn access_alone(&mut self, at: Part, access: &Access) {
        if !(1..=16).contains(&access.bytes) {
            return self.report(at, Problem::AccessWidth(access.bytes));
        }
        let width = Sort::Bits(8 * access.bytes);
        self.address(at, &access.address, Some(access.bytes));
        self.sort(at, "enabling condition", access.enabled, Sort::Bool);
        self.sort(at, "writing condition", access.writes, Sort::Bool);
        for (what, term) in [("value that is read", access.old), ("value that is written", access.new)] {
            if let Some(term) = term {
                self.sort(at, what, term, width);
            }
        }
    }

    fn sort(&mut self, at: Part, what: &'static str, term: Term, expected: Sort) {
        let found = self.graph.terms.sort(term);
        if found != expected {
            self.report(at, Problem::Sort { what, expected, found });
        }
    }

    /// If the width of the access is given, also checks that a constant address lies within its object.
    fn address(&mut self, at: Part, address: &Address, bytes: Option<u32>) {
        self.sort(at, "object of an address", address.object, Sort::Bits(32));
        self.sort(at, "offset of an address", address.offset, Sort::Bits(32));
        let Some(object) = self.graph.terms.as_bits(address.object) else { return };
        let found = usize::try_from(object).ok().and_then(|object| self.graph.objects.get(object));
        match (found, self.graph.terms.as_bits(address.offset), bytes) {
            (None, ..) => self.report(at, Problem::NoObject(object)),
            (Some(found), Some(offset), Some(bytes)) if offset + u128::from(bytes) > u128::from(found.bytes) => {
                self.report(at, Problem::OutOfBounds);
            }
            _ => {}
        }
    }

    /// The order of a thread's events, and the scope of their terms.
    fn thread(&mut self, thread: ThreadId) {
        let graph = self.graph;
        let found = |&id: &EventId| graph.events.get(id.index()).map(|event| (id, event));
        let events: Vec<(EventId, &Event)> = graph.threads[thread.index()].events.iter().filter_map(found).collect();
        self.ends(thread, &events);
        let mut inside = false;
        for (position, &(id, event)) in events.iter().enumerate() {
            if event.terms().iter().any(|term| term.index() >= graph.terms.len()) {
                continue;
            }
            let at = Part::Event(id);
            self.in_scope(at, event, thread, position as u32);
            match &event.kind {
                Kind::Sleep { .. } => {
                    let ends = events.get(position + 1).is_some_and(|(_, next)| matches!(next.kind, Kind::AtomicEnd));
                    let next = events.get(position + 1 + usize::from(ends));
                    if !next.is_some_and(|(_, next)| matches!(next.kind, Kind::Wake { sleep, .. } if sleep == id)) {
                        self.report(at, Problem::Sleep);
                    }
                }
                Kind::Wake { sleep, .. } => {
                    let ends = |(_, event): &(EventId, &Event)| matches!(event.kind, Kind::AtomicEnd);
                    let previous = events[..position].iter().rev().find(|event| !ends(event)).copied();
                    let right = |(id, previous): (EventId, &Event)| {
                        id == *sleep && matches!(previous.kind, Kind::Sleep { .. }) && previous.guard == event.guard
                    };
                    if !previous.is_some_and(right) {
                        self.report(at, Problem::Wake);
                    }
                }
                Kind::AtomicBegin | Kind::AtomicEnd => {
                    if inside == matches!(event.kind, Kind::AtomicBegin) {
                        self.report(at, Problem::Atomic);
                    }
                    inside = matches!(event.kind, Kind::AtomicBegin);
                }
                _ => {}
            }
            if let Kind::Await { round } = &event.kind {
                let looks = |(_, event): &(EventId, &Event)| match &event.kind {
                    Kind::Access(access) => access.old.is_some(),
                    kind => matches!(kind, Kind::TryLock { .. }),
                };
                let before: HashSet<EventId> =
                    events[..position].iter().filter(|event| looks(event)).map(|(id, _)| *id).collect();
                if !round.iter().all(|looked| before.contains(looked)) {
                    self.report(at, Problem::Await);
                }
            }
            let ends_inside = matches!(event.kind, Kind::Sleep { .. })
                && events.get(position + 1).is_some_and(|(_, next)| matches!(next.kind, Kind::AtomicEnd));
            if inside && !ends_inside && self.can_block(&event.kind) {
                self.report(at, Problem::BlocksInside);
            }
        }
        if inside {
            self.report(Part::Thread(thread), Problem::Atomic);
        }
    }

    fn ends(&mut self, thread: ThreadId, events: &[(EventId, &Event)]) {
        let starts = events.iter().filter(|(_, event)| matches!(event.kind, Kind::Start)).count();
        let first = events
            .first()
            .is_some_and(|(_, event)| matches!(event.kind, Kind::Start) && event.guard == self.graph.terms.truth());
        if !first || starts != 1 {
            self.report(Part::Thread(thread), Problem::Start);
        }
        let exits = events.iter().filter(|(_, event)| matches!(event.kind, Kind::Exit)).count();
        let last = events.last().is_some_and(|(_, event)| matches!(event.kind, Kind::Exit));
        if !last || exits != 1 {
            self.report(Part::Thread(thread), Problem::Exit);
        }
    }

    fn can_block(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Lock { .. } | Kind::Join { .. } | Kind::Sleep { .. } | Kind::Wake { .. } | Kind::Await { .. } => true,
            Kind::Access(access) => access.enabled != self.graph.terms.truth(),
            _ => false,
        }
    }

    fn in_scope(&mut self, at: Part, event: &Event, thread: ThreadId, position: u32) {
        let mut known = |what, term, position| {
            if !self.scopes.known(term, thread, position) {
                self.errors.push(GraphError { at, problem: Problem::NotInScope(what) });
            }
        };
        known("guard", event.guard, position);
        let mut addresses: Vec<&Address> = Vec::new();
        match &event.kind {
            Kind::Access(access) => {
                addresses.push(&access.address);
                known("enabling condition", access.enabled, position + 1);
                known("writing condition", access.writes, position + 1);
                if let Some(new) = access.new {
                    known("value that is written", new, position + 1);
                }
            }
            Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } | Kind::TryLock { mutex, .. } => {
                addresses.push(mutex);
            }
            Kind::Sleep { condition, mutex, .. } => addresses.extend([condition, mutex]),
            Kind::Signal { condition } | Kind::Broadcast { condition } => addresses.push(condition),
            _ => {}
        }
        for address in addresses {
            known("address", address.object, position);
            known("address", address.offset, position);
        }
    }
}
