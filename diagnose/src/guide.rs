//! A whole run that follows an order as far as the graph allows: the machine executes the steps in the given order,
//! skips those that are not enabled yet, and returns to them.

use std::collections::HashMap;

use events::{Choice, EventId, Execution, Extent, Machine, Plan, Status, Step, ThreadId};
use formula::Value;

use crate::failure::Replayed;

/// The run, if all threads can be completed. Steps that are not in the order come last, one thread after the other.
pub fn follow(plan: &Plan<'_>, wished: &[Step], inputs: &[Value]) -> Option<Replayed> {
    let ranks: HashMap<EventId, (usize, Choice)> =
        wished.iter().enumerate().map(|(rank, step)| (step.event, (rank, step.choice))).collect();
    let mut machine = Machine::new(plan, inputs, Extent::Whole).ok()?;
    let mut execution = Execution { steps: Vec::new(), inputs: inputs.to_vec() };
    let mut effects = Vec::new();
    let mut running = None;
    while let Some(event) = next(&machine, &ranks, running) {
        let choices = machine.choices(event);
        let wanted = ranks.get(&event).map(|&(_, choice)| choice).filter(|choice| choices.contains(choice));
        let choice = wanted.or_else(|| choices.first().copied())?;
        let step = Step { event, choice };
        effects.push(machine.step(step).ok()?);
        execution.steps.push(step);
        running = Some(plan.graph.events[event.index()].thread);
    }
    let mut outcome = machine.conclude().ok()?;
    outcome.effects = effects;
    Some(Replayed { execution, outcome })
}

/// The first enabled step of the order. A thread whose next read contradicts its path waits, as long as others are
/// enabled.
fn next(
    machine: &Machine<'_>,
    ranks: &HashMap<EventId, (usize, Choice)>,
    running: Option<ThreadId>,
) -> Option<EventId> {
    let mut ready: Vec<((usize, bool), ThreadId, EventId)> = Vec::new();
    for thread in machine.threads() {
        let Status::Ready(event) = machine.status(thread) else { continue };
        if machine.inside().is_none_or(|inside| inside == thread) {
            let rank = ranks.get(&event).map_or(usize::MAX, |&(rank, _)| rank);
            ready.push(((rank, running != Some(thread)), thread, event));
        }
    }
    ready.sort_unstable();
    let waits = |&&(_, thread, _): &&(_, ThreadId, EventId)| !machine.dooms(thread);
    ready.iter().find(waits).or(ready.first()).map(|&(_, _, event)| event)
}
