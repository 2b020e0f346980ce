//! The parts of a deadlock: the waiting threads, the acquisitions of the resources they wait for, and missed changes.

use std::collections::HashSet;

use events::{Deadlock, Effect, EventGraph, EventId, Hold, Kind, Location, Obstacle, ThreadId};
use formula::Term;

use crate::failure::Replayed;

/// The locks that are held and waited for, each before its waiting event, and other waits. Empty for an execution
/// without a deadlock.
pub fn stuck_operations(graph: &EventGraph, failing: &Replayed) -> Vec<EventId> {
    if failing.outcome.deadlock.is_none() {
        return Vec::new();
    }
    let cycle: &[ThreadId] = match &failing.outcome.deadlock {
        Some(Deadlock::Cycle(threads)) => threads,
        _ => &[],
    };
    let mut operations = Vec::new();
    for stuck in &failing.outcome.stuck {
        let acquired = acquisitions(graph, failing, &stuck.waits_for);
        operations.extend(acquired.into_iter().filter(|event| match &stuck.waits_for {
            // Among several readers, those that are blocked.
            Obstacle::Memory { .. } => {
                let stays = |thread| cycle.contains(&thread);
                stays(stuck.thread) && stays(graph.events[event.index()].thread)
            }
            _ => true,
        }));
        operations.push(stuck.event);
    }
    let mut seen = HashSet::new();
    operations.retain(|&event| seen.insert(event));
    operations
}

/// Where the holders of a lock, or of a once-control, acquired it.
pub fn acquisitions(graph: &EventGraph, failing: &Replayed, waits_for: &Obstacle) -> Vec<EventId> {
    let last = |holder: ThreadId, acquires: &dyn Fn(&Kind, &Effect) -> bool| {
        let mut steps = failing.execution.steps.iter().zip(&failing.outcome.effects).rev();
        let found = steps.find(|(step, effect)| {
            let event = &graph.events[step.event.index()];
            event.thread == holder && acquires(&event.kind, effect)
        });
        found.map(|(step, _)| step.event)
    };
    match waits_for {
        Obstacle::Mutex { mutex, holder } => {
            let acquires = |kind: &Kind, effect: &Effect| {
                matches!(kind, Kind::Lock { .. } | Kind::TryLock { .. } | Kind::Wake { .. })
                    && *effect == Effect::Synchronised { mutex: *mutex }
            };
            last(*holder, &acquires).into_iter().collect()
        }
        Obstacle::Memory { location, holders } => {
            let acquires = |kind: &Kind, effect: &Effect| {
                matches!(kind, Kind::Access(access) if access.hold() == Some(Hold::Acquire))
                    && matches!(effect, Effect::Accessed { location: at, written: Some(_), .. } if at == location)
            };
            holders.iter().filter_map(|&holder| last(holder, &acquires)).collect()
        }
        Obstacle::Exit { .. } | Obstacle::Signal { .. } | Obstacle::Repetition => Vec::new(),
    }
}

/// For threads that wait for a signal: the changes that they missed, with the writers.
pub fn overlooked(graph: &EventGraph, failing: &Replayed) -> Vec<EventId> {
    let waiting = failing.outcome.stuck.iter().filter(|stuck| matches!(stuck.waits_for, Obstacle::Signal { .. }));
    waiting.flat_map(|stuck| overtaken(graph, failing, stuck.thread)).collect()
}

/// The last read of a thread before it decided to wait whose value others changed afterwards, and the first such write.
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
