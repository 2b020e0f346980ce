//! Questions about an event graph.

use std::time::Instant;

use events::{Clash, EventId, Extent};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub goal: Goal,
    pub extent: Extent,
    /// Pairs of events that both happen, the first before the second.
    pub orders: Vec<(EventId, EventId)>,
    /// Pairs of nodes, the first ordered before the second, whether the events happen or not. Pairs of unconditional
    /// events become part of the static order, so constraints that they make redundant are not generated.
    pub held: Vec<(EventId, EventId)>,
    /// For a race, the candidate pairs of accesses.
    pub clashes: Vec<Clash>,
    /// The deadline for building the formula.
    pub until: Option<Instant>,
    /// With more reads-from candidates than this, there is no formula.
    pub sources: usize,
}

/// With more reads-from candidates than this, a formula does not fit into memory.
const MOST_SOURCES: usize = 5_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    Failure(Failure),
    /// A complete execution in which no assertion fails, whatever the extent is.
    Passes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// This one fails.
    Assertion(EventId),
    AnyAssertion,
    /// Threads wait for each other in a cycle, or all remaining threads wait. Only a prefix can end so.
    Deadlock,
    /// Both accesses of a candidate pair could be next, and no assertion has failed. Only a prefix can end so.
    Race,
}

impl Question {
    pub fn new(goal: Goal, extent: Extent) -> Question {
        let (orders, held, clashes) = (Vec::new(), Vec::new(), Vec::new());
        Question { goal, extent, orders, held, clashes, until: None, sources: MOST_SOURCES }
    }

    /// Lowers the limit of reads-from candidates.
    pub fn within(self, sources: usize) -> Question {
        Question { sources: sources.min(MOST_SOURCES), ..self }
    }

    /// Sets the deadline for building the formula.
    pub fn until(self, until: Option<Instant>) -> Question {
        Question { until, ..self }
    }

    /// Asks whether both accesses of any of these pairs can be next.
    pub fn race(clashes: Vec<Clash>) -> Question {
        Question { clashes, ..Question::new(Goal::Failure(Failure::Race), Extent::Prefix) }
    }

    /// Whether the execution may be a proper prefix.
    pub(crate) fn may_stop(&self) -> bool {
        self.goal != Goal::Passes && self.extent == Extent::Prefix
    }
}
