//! What might have come after a failure. A prefix ends where it fails, and what others had not done by then has no place in
//! its order. Here they go on, as far as they can, so that those orders are decided too.

use std::collections::HashSet;

use events::{EventId, Extent, Machine, Outcome, Plan, Status, Step, ThreadId};

use crate::failure::{Replayed, Wrong};

/// The execution with what the threads can still do, one after the other; failures on the way change nothing. Threads that
/// wait for each other go on waiting. Of the outcome only effects and stuck threads are those of the longer execution.
pub fn extended(plan: &Plan<'_>, failing: &Replayed, wrong: &Wrong) -> Replayed {
    let mut halted: HashSet<ThreadId> = match wrong {
        Wrong::Deadlock(threads) => threads.iter().copied().collect(),
        Wrong::Assertion(_) => HashSet::new(),
    };
    let mut execution = failing.execution.clone();
    let mut effects = failing.outcome.effects.clone();
    let mut stuck = failing.outcome.stuck.clone();
    if let Ok(mut machine) = Machine::new(plan, &execution.inputs, Extent::Whole)
        && execution.steps.iter().all(|&step| machine.step(step).is_ok())
    {
        let mut running = None;
        while let Some((thread, event)) = next(&machine, &halted, running) {
            let step = machine.choices(event).first().map(|&choice| Step { event, choice });
            match step.map(|step| (step, machine.step(step))) {
                Some((step, Ok(effect))) => {
                    execution.steps.push(step);
                    effects.push(effect);
                    running = Some(thread);
                }
                _ => {
                    halted.insert(thread);
                }
            }
        }
        if let Wrong::Assertion(_) = wrong {
            stuck.clear();
        }
        for thread in machine.threads() {
            match machine.status(thread) {
                Status::Blocked(other) if stuck.iter().all(|stuck| stuck.thread != thread) => stuck.push(other),
                _ => {}
            }
        }
    }
    Replayed { execution, outcome: Outcome { effects, stuck, ..failing.outcome.clone() } }
}

/// Whoever ran last first, and those last who would read what an assumption excludes.
fn next(machine: &Machine<'_>, halted: &HashSet<ThreadId>, running: Option<ThreadId>) -> Option<(ThreadId, EventId)> {
    let ready = |thread: ThreadId| match machine.status(thread) {
        Status::Ready(event) if !halted.contains(&thread) => Some((thread, event)),
        _ => None,
    };
    let free = |thread: &ThreadId| machine.inside().is_none_or(|inside| inside == *thread);
    let all: Vec<(ThreadId, EventId)> =
        running.into_iter().chain(machine.threads()).filter(free).filter_map(ready).collect();
    all.iter().find(|(thread, _)| !machine.dooms(*thread)).or(all.first()).copied()
}
