//! The input of a diagnosis: a replayed failing execution.

use std::collections::HashMap;

use events::{Deadlock, EventId, Execution, Outcome, ThreadId};

/// An execution with the outcome of its replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    pub execution: Execution,
    pub outcome: Outcome,
}

impl Replayed {
    /// By event that happened, its position.
    pub fn positions(&self) -> HashMap<EventId, usize> {
        self.execution.steps.iter().enumerate().map(|(position, step)| (step.event, position)).collect()
    }
}

/// The kind of failure, which defines when two executions fail alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    Assertion(EventId),
    /// The threads of the cycle, or all that wait, in their order.
    Deadlock(Vec<ThreadId>),
}

impl Wrong {
    /// `None` for an execution without failure.
    pub fn of(outcome: &Outcome) -> Option<Wrong> {
        if let Some(&assertion) = outcome.failed.first() {
            return Some(Wrong::Assertion(assertion));
        }
        let mut threads = match outcome.deadlock.as_ref()? {
            Deadlock::Cycle(threads) => threads.clone(),
            Deadlock::Everyone => outcome.stuck.iter().map(|stuck| stuck.thread).collect(),
        };
        threads.sort_unstable();
        Some(Wrong::Deadlock(threads))
    }
}
