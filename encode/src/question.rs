//! What is asked of an event graph.

use std::time::Instant;

use events::{Clash, EventId, Extent};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub goal: Goal,
    pub extent: Extent,
    /// Each says that both happen, the first before the second.
    pub orders: Vec<(EventId, EventId)>,
    /// Each says that the first stands before the second, whether they happen or not. What is held between events that
    /// happen in any case is known before anything is written, and what it rules out is not written at all.
    pub held: Vec<(EventId, EventId)>,
    /// Of a race, the touches that must not meet.
    pub clashes: Vec<Clash>,
    /// Nobody needs the formula after this.
    pub until: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    Failure(Failure),
    /// A complete run in which no assertion fails, whatever the extent says.
    Passes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// This one fails.
    Assertion(EventId),
    AnyAssertion,
    /// Threads wait for each other in a circle, or all that are left wait. Only a prefix can end so.
    Deadlock,
    /// Two threads stand before touches that must not meet, and nothing has failed. Only a prefix can end so.
    Race,
}

impl Question {
    pub fn new(goal: Goal, extent: Extent) -> Question {
        Question { goal, extent, orders: Vec::new(), held: Vec::new(), clashes: Vec::new(), until: None }
    }

    /// This question, if its formula is written by then.
    pub fn until(self, until: Option<Instant>) -> Question {
        Question { until, ..self }
    }

    /// Whether any of these touches can meet.
    pub fn race(clashes: Vec<Clash>) -> Question {
        Question { clashes, ..Question::new(Goal::Failure(Failure::Race), Extent::Prefix) }
    }

    /// Whether the execution may end before every thread has.
    pub(crate) fn may_stop(&self) -> bool {
        self.goal != Goal::Passes && self.extent == Extent::Prefix
    }
}
