//! Fewer context switches for the same failure, as the reduction of the Symbiosis paper, in two steps.
//!
//! First the order is undone as far as it does not matter: events that touch something in common keep their order, and
//! among the orders that respect this one is built in which each thread goes on as long as it can. Every value stays the
//! same. Then stretches of a thread are moved to where the thread runs before or after, and a move stands if replay says
//! that the same assertion still fails. What is returned was replayed.

use std::collections::HashMap;

use events::{Address, Effect, EventGraph, EventId, Execution, Extent, Kind, Outcome, Plan, Step, ThreadId};

/// How many events moves may replay altogether.
const EFFORT: usize = 1_500_000;

/// An execution with what replaying it came to.
pub struct Replayed {
    pub execution: Execution,
    pub outcome: Outcome,
}

pub fn context_switches(graph: &EventGraph, execution: &Execution) -> usize {
    let thread = |step: &Step| graph.events[step.event.index()].thread;
    execution.steps.windows(2).filter(|pair| thread(&pair[0]) != thread(&pair[1])).count()
}

/// The replayed execution of a failure, with as few context switches as a little effort gives.
pub fn reduce(plan: &Plan<'_>, found: Replayed, extent: Extent) -> Replayed {
    let Some(&assertion) = found.outcome.failed.first() else { return found };
    let mut best = found;
    let relaxed = Execution { steps: relaxed(plan.graph, &best, extent), inputs: best.execution.inputs.clone() };
    keep_better(plan, &mut best, relaxed, extent, assertion);
    let mut effort = EFFORT;
    while let Some(better) = moved(plan, &best, extent, assertion, &mut effort) {
        best = better;
    }
    best
}

/// A candidate that fails alike with fewer switches is the best now.
fn keep_better(plan: &Plan<'_>, best: &mut Replayed, candidate: Execution, extent: Extent, assertion: EventId) {
    if context_switches(plan.graph, &candidate) >= context_switches(plan.graph, &best.execution) {
        return;
    }
    if let Ok(outcome) = plan.replay(&candidate, extent)
        && outcome.failed.first() == Some(&assertion)
    {
        *best = Replayed { execution: candidate, outcome };
    }
}

/// By position: the positions that must come before.
fn predecessors(graph: &EventGraph, found: &Replayed, extent: Extent) -> Vec<Vec<usize>> {
    let steps = &found.execution.steps;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    let mut last_of_thread: HashMap<ThreadId, usize> = HashMap::new();
    let mut forks: HashMap<ThreadId, usize> = HashMap::new();
    // By object: the last that changed it, and those who read it since.
    let mut objects: HashMap<u32, (Option<usize>, Vec<usize>)> = HashMap::new();
    for (position, (step, effect)) in steps.iter().zip(&found.outcome.effects).enumerate() {
        let event = &graph.events[step.event.index()];
        let needed = &mut before[position];
        match last_of_thread.insert(event.thread, position) {
            Some(previous) => needed.push(previous),
            None => needed.extend(forks.get(&event.thread)),
        }
        match event.kind {
            Kind::Fork { child } => {
                forks.insert(child, position);
            }
            Kind::Join { child } => needed.extend(last_of_thread.get(&child)),
            _ => {}
        }
        for (object, changes) in touched(graph, &event.kind, effect) {
            let (changed, read) = objects.entry(object).or_default();
            needed.extend(*changed);
            if changes {
                needed.append(read);
                *changed = Some(position);
            } else {
                read.push(position);
            }
        }
    }
    // A failure ends a prefix: everything comes before it.
    if let (Extent::Prefix, Some(last)) = (extent, steps.len().checked_sub(1)) {
        before[last] = (0..last).collect();
    }
    before
}

/// Objects, and whether the event changes them.
fn touched(graph: &EventGraph, kind: &Kind, effect: &Effect) -> Vec<(u32, bool)> {
    let changed = |address: &Address| Some((graph.terms.as_bits(address.object)? as u32, true));
    match (kind, effect) {
        (_, Effect::Accessed { location, written, .. }) => vec![(location.object, written.is_some())],
        (Kind::Sleep { condition, mutex, .. }, _) => [condition, mutex].into_iter().filter_map(changed).collect(),
        (Kind::Wake { sleep, .. }, _) => touched(graph, &graph.events[sleep.index()].kind, &Effect::Nothing),
        (Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } | Kind::TryLock { mutex, .. }, _) => {
            changed(mutex).into_iter().collect()
        }
        (Kind::Signal { condition } | Kind::Broadcast { condition }, _) => changed(condition).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// An equivalent order in which each thread goes on as long as it can, and the one that can go on longest follows.
fn relaxed(graph: &EventGraph, found: &Replayed, extent: Extent) -> Vec<Step> {
    let steps = &found.execution.steps;
    let before = predecessors(graph, found, extent);
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); graph.threads.len()];
    for (position, step) in steps.iter().enumerate() {
        own[graph.events[step.event.index()].thread.index()].push(position);
    }
    let mut done = vec![false; steps.len()];
    let mut next = vec![0; own.len()];
    let mut order = Vec::with_capacity(steps.len());
    while order.len() < steps.len() {
        // A stretch: the positions that the thread can do now one after the other.
        let stretch = |thread: usize, done: &mut [bool]| {
            let from = next[thread];
            let rest = &own[thread][from..];
            let mut length = 0;
            while let Some(&position) = rest.get(length).filter(|&&position| before[position].iter().all(|&p| done[p]))
            {
                done[position] = true;
                length += 1;
            }
            rest[..length].iter().for_each(|&position| done[position] = false);
            length
        };
        let lengths: Vec<usize> = (0..own.len()).map(|thread| stretch(thread, &mut done)).collect();
        let longest = (0..own.len()).rev().max_by_key(|&thread| lengths[thread]);
        let Some(thread) = longest.filter(|&thread| lengths[thread] > 0) else {
            // Cannot be: the original order is one of those that respect it.
            return steps.clone();
        };
        for &position in &own[thread][next[thread]..next[thread] + lengths[thread]] {
            done[position] = true;
            order.push(steps[position]);
        }
        next[thread] += lengths[thread];
    }
    order
}

/// The first move of a stretch to a neighbour of the same thread that saves a context switch and leaves the failure.
fn moved(plan: &Plan<'_>, best: &Replayed, extent: Extent, assertion: EventId, effort: &mut usize) -> Option<Replayed> {
    let stretches = stretches(plan.graph, &best.execution.steps);
    let before = stretches.len();
    for (index, (thread, _)) in stretches.iter().enumerate() {
        let Some(ahead) = stretches[index + 1..].iter().position(|(other, _)| other == thread) else { continue };
        let partner = index + 1 + ahead;
        for (from, to) in [(index, partner - 1), (partner, index + 1)] {
            *effort = effort.checked_sub(best.execution.steps.len())?;
            let mut order: Vec<&[Step]> = stretches.iter().map(|(_, steps)| *steps).collect();
            let stretch = order.remove(from);
            order.insert(to, stretch);
            let steps: Vec<Step> = order.concat();
            let execution = Execution { steps, inputs: best.execution.inputs.clone() };
            if context_switches(plan.graph, &execution) + 1 >= before {
                continue;
            }
            if let Ok(outcome) = plan.replay(&execution, extent)
                && outcome.failed.first() == Some(&assertion)
            {
                return Some(Replayed { execution, outcome });
            }
        }
    }
    None
}

/// Steps of one thread in a row.
fn stretches<'s>(graph: &EventGraph, steps: &'s [Step]) -> Vec<(ThreadId, &'s [Step])> {
    let thread = |step: &Step| graph.events[step.event.index()].thread;
    steps.chunk_by(|one, next| thread(one) == thread(next)).map(|steps| (thread(&steps[0]), steps)).collect()
}
