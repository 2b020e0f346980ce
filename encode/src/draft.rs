//! The formula under construction: terms, theory section and assertions, to which every module adds.

use std::time::Instant;

use events::{EventGraph, EventId, Kind};
use formula::{Assertion, Family, Formula, Node, NodeInfo, Order, Sort, Term, Terms};

use crate::EncodeError;
use crate::question::Question;
use crate::value_sets::ValueSets;

/// Each event has the node with its own number; for a prefix, one more node for the end follows.
#[derive(Debug)]
pub struct Draft<'a> {
    pub graph: &'a EventGraph,
    pub question: &'a Question,
    pub terms: Terms,
    pub value_sets: ValueSets,
    pub order: Order,
    pub assertions: Vec<Assertion>,
}

impl<'a> Draft<'a> {
    pub fn new(graph: &'a EventGraph, question: &'a Question, value_sets: ValueSets) -> Draft<'a> {
        let terms = graph.terms.clone();
        Draft { graph, question, terms, value_sets, order: Order::default(), assertions: Vec::new() }
    }

    /// Fails after the deadline of the question.
    pub fn in_time(&self) -> Result<(), EncodeError> {
        match self.question.until {
            Some(until) if Instant::now() >= until => Err(EncodeError::Late),
            _ => Ok(()),
        }
    }

    pub fn assert(&mut self, family: Family, term: Term) {
        if self.terms.as_bool(term) != Some(true) {
            self.assertions.push(Assertion { term, family });
        }
    }

    pub fn assert_implies(&mut self, family: Family, condition: Term, conclusion: Term) {
        let term = self.terms.implies(condition, conclusion);
        self.assert(family, term);
    }

    /// A boolean symbol for the solver. It has no name, since the names of many would take much memory.
    pub fn literal(&mut self) -> Term {
        self.terms.symbol(String::new(), Sort::Bool)
    }

    pub fn before(&mut self, first: EventId, second: EventId) -> Term {
        self.terms.before(node(first), node(second))
    }

    /// Linear in size: each term excludes the disjunction of those before it.
    pub fn assert_at_most_one(&mut self, family: Family, terms: &[Term]) {
        let mut earlier = self.terms.falsehood();
        for &term in terms {
            let both = self.terms.and2(earlier, term);
            let never = self.terms.not(both);
            self.assert(family, never);
            // A literal for the disjunction, since nested disjunctions are flattened.
            let either = self.terms.or2(earlier, term);
            if self.terms.as_bool(earlier) == Some(false) || self.terms.as_bool(either).is_some() {
                earlier = either;
            } else {
                let named = self.literal();
                self.assert_implies(family, either, named);
                earlier = named;
            }
        }
    }

    pub fn node(&mut self, name: String, happens: Term) -> Node {
        let node = Node(self.order.nodes.len() as u32);
        self.order.nodes.push(NodeInfo { name, happens });
        node
    }

    pub fn finish(self) -> Formula {
        Formula { terms: self.terms, order: self.order, assertions: self.assertions }
    }
}

/// The node of an event.
pub fn node(event: EventId) -> Node {
    Node(event.0)
}

/// The name of an event in formulas.
pub fn name(graph: &EventGraph, id: EventId) -> String {
    let event = &graph.events[id.index()];
    let kind = match &event.kind {
        Kind::Start => "start",
        Kind::Exit => "exit",
        Kind::Fork { .. } => "fork",
        Kind::Join { .. } => "join",
        Kind::Access(access) if access.old.is_none() => "write",
        Kind::Access(access) if access.new.is_none() => "read",
        Kind::Access(_) => "update",
        Kind::Lock { .. } => "lock",
        Kind::Unlock { .. } => "unlock",
        Kind::TryLock { .. } => "trylock",
        Kind::Sleep { .. } => "sleep",
        Kind::Wake { .. } => "wake",
        Kind::Signal { .. } => "signal",
        Kind::Broadcast { .. } => "broadcast",
        Kind::AtomicBegin => "atomic",
        Kind::AtomicEnd => "atomicend",
        Kind::Assume { .. } => "assume",
        Kind::Assert { .. } => "assert",
        Kind::Await { .. } => "await",
        Kind::Cut => "cut",
        Kind::End => "end",
    };
    format!("{kind}_{}_{}", graph.threads[event.thread.index()].name, id.0)
}
