//! The place of a deadlock: the blocked events of the threads that wait for each other, or of all remaining threads.

use events::{EventId, Outcome, Stuck, ThreadId, cycle_from};

use crate::failure::Wrong;

/// The events at which threads are blocked, in the order of the threads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standstill {
    pub events: Vec<EventId>,
    /// By event, its thread.
    pub threads: Vec<ThreadId>,
    /// They wait for each other in a cycle; otherwise all remaining threads wait.
    pub circular: bool,
}

impl Standstill {
    /// All deadlocks of an execution: each cycle, or, without a cycle, all waiting threads. Empty if there is no
    /// deadlock.
    pub fn all(outcome: &Outcome) -> Vec<Standstill> {
        if outcome.deadlock.is_none() {
            return Vec::new();
        }
        let mut found: Vec<Standstill> = Vec::new();
        for first in &outcome.stuck {
            if let Some(circle) = cycle_from(&outcome.stuck, first) {
                let standstill = Standstill::of(outcome, &circle, true);
                if !found.contains(&standstill) {
                    found.push(standstill);
                }
            }
        }
        if found.is_empty() {
            let everyone: Vec<ThreadId> = outcome.stuck.iter().map(|stuck| stuck.thread).collect();
            found.push(Standstill::of(outcome, &everyone, false));
        }
        found
    }

    fn of(outcome: &Outcome, threads: &[ThreadId], circular: bool) -> Standstill {
        let stuck: Vec<&Stuck> = outcome.stuck.iter().filter(|stuck| threads.contains(&stuck.thread)).collect();
        Standstill {
            events: stuck.iter().map(|stuck| stuck.event).collect(),
            threads: stuck.iter().map(|stuck| stuck.thread).collect(),
            circular,
        }
    }

    pub fn wrong(&self) -> Wrong {
        Wrong::Deadlock(self.threads.clone())
    }
}
