//! The goal of a search for an execution.

use crate::execution::{Extent, Outcome};
use crate::graph::EventId;

/// The goal of a search. A failing prefix fails with exactly one assertion; in a whole execution others may fail too.
/// In a deadlock no assertion has failed, and a passing execution is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sought {
    Assertion(EventId),
    AnyAssertion,
    Deadlock,
    Passes,
}

impl Sought {
    /// Whether the outcome is one that was searched for.
    pub fn met_by(self, outcome: &Outcome, extent: Extent) -> bool {
        let fails = match extent {
            Extent::Prefix => outcome.failed.len() == 1,
            Extent::Whole => !outcome.failed.is_empty(),
        };
        match self {
            Sought::Assertion(event) => fails && outcome.failed.contains(&event),
            Sought::AnyAssertion => fails,
            Sought::Deadlock => outcome.deadlock.is_some(),
            Sought::Passes => outcome.passes(),
        }
    }
}
