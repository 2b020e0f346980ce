//! Converts an execution into a schedule: which thread runs up to which of its events, in order.

use std::collections::HashMap;

use events::{Choice, EventGraph, Execution, ThreadId};
use run::{Header, Schedule, Segment};

/// A thread's steps are its events that happen, counted from 1. A wake-up is encoded as the id of the event with which
/// the thread fell asleep, a time-out as 1, and a spurious wake-up as 2. Events that the graph does not have are
/// skipped.
pub fn schedule(graph: &EventGraph, execution: &Execution, header: Header) -> Schedule {
    let mut counts: HashMap<ThreadId, u64> = HashMap::new();
    let mut segments: Vec<Segment> = Vec::new();
    let mut choices = Vec::new();
    let mut running = None;
    for step in &execution.steps {
        let Some(event) = graph.events.get(step.event.index()) else { continue };
        let Some(thread) = graph.threads.get(event.thread.index()) else { continue };
        let count = counts.entry(event.thread).or_default();
        *count += 1;
        let value = match step.choice {
            Choice::Only => None,
            Choice::Wakes(sleep) => Some(u64::from(sleep.0)),
            Choice::TimedOut => Some(1),
            Choice::Spurious => Some(2),
        };
        if let Some(value) = value {
            choices.push(run::Choice { thread: thread.name.clone(), step: *count, value });
        }
        let place = event.place.as_ref().map(|place| format!("{}:{}", place.file, place.line)).unwrap_or_default();
        match segments.last_mut() {
            Some(segment) if running == Some(event.thread) => {
                segment.until = *count;
                segment.note = place;
            }
            _ => segments.push(Segment { thread: thread.name.clone(), until: *count, note: place }),
        }
        running = Some(event.thread);
    }
    Schedule { header, segments, choices }
}
