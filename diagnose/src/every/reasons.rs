//! Conditions that together exclude passing.

use std::collections::HashSet;

use events::{EventGraph, EventId, Step};
use formula::{Sort, Term, Value};

use crate::cause::Order;
use crate::failure::Replayed;

/// A set of conditions that together exclude passing, or, if that is not known, all conditions of an execution.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    pub orders: Vec<Order>,
    pub inputs: Vec<InputBit>,
    pub choices: Vec<Step>,
    /// The blocked events at the end.
    pub stands: Vec<EventId>,
}

/// The blocked events of a deadlock; for other failures it does not matter which threads had to wait at the end.
pub fn stuck_in(failing: &Replayed) -> HashSet<EventId> {
    let stuck = failing.outcome.stuck.iter().filter(|_| failing.outcome.deadlock.is_some());
    stuck.map(|stuck| stuck.event).collect()
}

/// One bit of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InputBit {
    /// In the graph's inputs.
    pub input: usize,
    pub bit: u32,
}

impl InputBit {
    /// All bits of all inputs, of each the most significant first.
    pub fn all(graph: &EventGraph) -> Vec<InputBit> {
        let width = |term: Term| match graph.terms.sort(term) {
            Sort::Bool => 1,
            Sort::Bits(width) => width,
        };
        let inputs = graph.inputs.iter().enumerate();
        inputs.flat_map(|(input, &term)| (0..width(term)).rev().map(move |bit| InputBit { input, bit })).collect()
    }

    /// That it is as in these values.
    pub fn literal(self, graph: &EventGraph, terms: &mut formula::Terms, values: &[Value]) -> Term {
        let input = graph.inputs[self.input];
        match values.get(self.input) {
            Some(Value::Bool(true)) => input,
            Some(Value::Bool(false)) => terms.not(input),
            Some(&Value::Bits { value, .. }) => {
                let found = terms.extract(input, self.bit, self.bit);
                let expected = terms.bits(1, value >> self.bit & 1);
                terms.eq(found, expected)
            }
            None => terms.truth(),
        }
    }
}
