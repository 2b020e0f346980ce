//! What a deadlock is made of: who waits for what, and who took it.

use events::{Effect, EventGraph, EventId, Kind, Obstacle};

use crate::failure::Replayed;

/// The locks that are held and waited for, each before what waits for it, and whatever else is waited for. Nothing for
/// an execution that is in no deadlock.
pub fn stuck_operations(graph: &EventGraph, failing: &Replayed) -> Vec<EventId> {
    if failing.outcome.deadlock.is_none() {
        return Vec::new();
    }
    let mut operations = Vec::new();
    for stuck in &failing.outcome.stuck {
        if let Obstacle::Mutex { mutex, holder } = stuck.waits_for {
            let steps = failing.execution.steps.iter().zip(&failing.outcome.effects).rev();
            let takes = |event: EventId| {
                let event = &graph.events[event.index()];
                event.thread == holder
                    && matches!(event.kind, Kind::Lock { .. } | Kind::TryLock { .. } | Kind::Wake { .. })
            };
            let is_it = |effect: &Effect| matches!(effect, Effect::Synchronised { mutex: taken } if *taken == mutex);
            let taken =
                steps.map(|(step, effect)| (step.event, effect)).find(|(event, effect)| takes(*event) && is_it(effect));
            operations.extend(taken.map(|(event, _)| event));
        }
        operations.push(stuck.event);
    }
    let mut seen = std::collections::BTreeSet::new();
    operations.retain(|&event| seen.insert(event));
    operations
}
