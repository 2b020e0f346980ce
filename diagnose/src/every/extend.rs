//! Extends an execution beyond its failure. A prefix ends at the failure, so it has no order for later events of other
//! threads. Here these continue as far as possible, so that their orderings are determined too.

use std::collections::HashSet;

use events::{EventId, Extent, Machine, Outcome, Plan, Status, Step, ThreadId};

use crate::failure::{Replayed, Wrong};

/// The execution with all steps that the threads can still do, one thread after the other; further failures are
/// ignored. Threads that wait for each other keep waiting. Only the effects and blocked threads of the outcome are
/// those of the longer execution.
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

/// The last running thread first, and last the threads whose next read contradicts an assumption.
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
