//! What a deadlock is made of: who waits for what, who took it, and what those who wait have overlooked.

use std::collections::HashSet;

use events::{Effect, EventGraph, EventId, Kind, Location, Obstacle, ThreadId};
use formula::Term;

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
    let mut seen = HashSet::new();
    operations.retain(|&event| seen.insert(event));
    operations
}

/// Of those who wait for a signal: what they have overlooked, and who changed it.
pub fn overlooked(graph: &EventGraph, failing: &Replayed) -> Vec<EventId> {
    let waiting = failing.outcome.stuck.iter().filter(|stuck| matches!(stuck.waits_for, Obstacle::Signal { .. }));
    waiting.flat_map(|stuck| overtaken(graph, failing, stuck.thread)).collect()
}

/// What a thread looked at last before it decided to wait and others changed afterwards, and who did first.
fn overtaken(graph: &EventGraph, failing: &Replayed, thread: ThreadId) -> Vec<EventId> {
    let steps: Vec<(EventId, &Effect)> =
        failing.execution.steps.iter().map(|step| step.event).zip(&failing.outcome.effects).collect();
    let mut judged: HashSet<Term> = HashSet::new();
    let mut seen: HashSet<Location> = HashSet::new();
    for (position, (event, effect)) in steps.iter().enumerate().rev() {
        let own = &graph.events[event.index()];
        match (&own.kind, effect) {
            (Kind::Assume { condition }, _) if own.thread == thread => {
                judged.extend(graph.terms.free_symbols(*condition));
            }
            (Kind::Access(access), &&Effect::Accessed { location, .. })
                if own.thread == thread
                    && access.old.is_some_and(|old| judged.contains(&old))
                    && seen.insert(location) =>
            {
                let changes = |(other, effect): &&(EventId, &Effect)| {
                    let Effect::Accessed { location: place, written: Some(_), .. } = effect else { return false };
                    graph.events[other.index()].thread != thread && *place == location
                };
                if let Some(&(change, _)) = steps[position..].iter().find(changes) {
                    return vec![*event, change];
                }
            }
            _ => {}
        }
    }
    Vec::new()
}
