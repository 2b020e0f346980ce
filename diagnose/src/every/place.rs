//! Where a deadlock stands: the events of those who wait for each other, or of all who are left.

use events::{EventId, Outcome, Stuck, ThreadId, cycle_from};

use crate::failure::Wrong;

/// The events before which threads are stuck, in the order of the threads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standstill {
    pub events: Vec<EventId>,
    /// By event, whose it is.
    pub threads: Vec<ThreadId>,
    /// They wait for each other in a circle; otherwise everyone who is left waits.
    pub circular: bool,
}

impl Standstill {
    /// All that an execution has come to: each circle, or, where there is none, all that wait. Nothing if it is in no
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
