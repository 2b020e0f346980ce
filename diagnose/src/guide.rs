//! A whole run that follows an order as far as the graph lets it: the machine does the steps in the order that is
//! wished for, passes over those that cannot happen yet, and comes back to them.

use std::collections::HashMap;

use events::{Choice, EventId, Execution, Extent, Machine, Plan, Status, Step, ThreadId};
use formula::Value;

use crate::failure::Replayed;

/// The run, if there is one that goes to the end of all threads. Steps that nobody wished for come last, one thread
/// after the other.
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

/// The step that is wished for most of those that can happen. Whoever would read what its path does not allow waits, as
/// long as others can go on.
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
