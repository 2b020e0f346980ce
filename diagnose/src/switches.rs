//! Reduces context switches for the same failure, as Algorithm 1 of the Symbiosis paper. Deviation: without a solver,
//! in two steps.
//!
//! First the order is relaxed to the partial order of dependent events, and among its linearisations one is built in
//! which each thread runs as long as possible. All values stay the same. Then stretches of a thread are moved next to
//! earlier or later ones of the thread, and a move is kept if replay gives the same failure. The result was replayed.

use std::collections::HashMap;

use events::{Address, Effect, EventGraph, Execution, Extent, Kind, Plan, Step, ThreadId};

use solve::Budget;

use crate::failure::{Replayed, Wrong};

/// The limit of events replayed for moves.
const EFFORT: usize = 10_000_000;

/// The remaining effort for moves.
struct Effort<'a> {
    events: usize,
    budget: &'a Budget,
}

impl Effort<'_> {
    /// `None` if the effort is used up.
    fn spend(&mut self, events: usize) -> Option<()> {
        self.events = self.events.checked_sub(events)?;
        (!self.budget.is_over()).then_some(())
    }
}

pub fn context_switches(graph: &EventGraph, execution: &Execution) -> usize {
    let thread = |step: &Step| graph.events[step.event.index()].thread;
    execution.steps.windows(2).filter(|pair| thread(&pair[0]) != thread(&pair[1])).count()
}

/// The replayed execution of a failure, with context switches reduced within a limited effort.
pub fn fewer_switches(plan: &Plan<'_>, found: Replayed, extent: Extent, budget: &Budget) -> Replayed {
    let Some(wrong) = Wrong::of(&found.outcome) else { return found };
    let mut best = straightened(plan, found, extent);
    let mut effort = Effort { events: EFFORT, budget };
    let mut first = 0;
    loop {
        match moved(plan, &best, extent, &wrong, first, &mut effort) {
            // All earlier moves were tried, except that of the neighbour.
            Some((better, index)) => (best, first) = (better, index.saturating_sub(1)),
            None if first > 0 => first = 0,
            None => return best,
        }
    }
}

/// An equivalent execution, except for the order of independent steps, with fewer context switches.
pub(crate) fn straightened(plan: &Plan<'_>, found: Replayed, extent: Extent) -> Replayed {
    let Some(wrong) = Wrong::of(&found.outcome) else { return found };
    let mut best = found;
    let relaxed = Execution { steps: relaxed(plan.graph, &best, extent), inputs: best.execution.inputs.clone() };
    keep_better(plan, &mut best, relaxed, extent, &wrong);
    best
}

/// A candidate that fails alike with fewer switches is the best now.
fn keep_better(plan: &Plan<'_>, best: &mut Replayed, candidate: Execution, extent: Extent, wrong: &Wrong) {
    if context_switches(plan.graph, &candidate) >= context_switches(plan.graph, &best.execution) {
        return;
    }
    if let Ok(outcome) = plan.replay(&candidate, extent)
        && Wrong::of(&outcome).as_ref() == Some(wrong)
    {
        *best = Replayed { execution: candidate, outcome };
    }
}

/// By position: the positions that must precede it.
fn predecessors(graph: &EventGraph, found: &Replayed, extent: Extent) -> Vec<Vec<usize>> {
    let steps = &found.execution.steps;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    let mut last_of_thread: HashMap<ThreadId, usize> = HashMap::new();
    let mut forks: HashMap<ThreadId, usize> = HashMap::new();
    // By object: the last write, and the reads since.
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
    // A failure ends a prefix: all steps come before it.
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

/// An equivalent order in which each thread runs as long as possible, followed by the one that can run longest.
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
            // Impossible: the original order is a linearisation.
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

/// The first move of a stretch, from this one on, next to where its thread runs later or earlier, that saves a context
/// switch and keeps the failure; and the stretch.
fn moved(
    plan: &Plan<'_>,
    best: &Replayed,
    extent: Extent,
    wrong: &Wrong,
    first: usize,
    effort: &mut Effort<'_>,
) -> Option<(Replayed, usize)> {
    let stretches = stretches(plan.graph, &best.execution.steps);
    let before = stretches.len();
    for (index, (thread, _)) in stretches.iter().enumerate().skip(first) {
        let Some(ahead) = stretches[index + 1..].iter().position(|(other, _)| other == thread) else { continue };
        let partner = index + 1 + ahead;
        for (from, to) in [(index, partner - 1), (partner, index + 1)] {
            effort.spend(best.execution.steps.len())?;
            let mut order: Vec<&[Step]> = stretches.iter().map(|(_, steps)| *steps).collect();
            let stretch = order.remove(from);
            order.insert(to, stretch);
            let steps: Vec<Step> = order.concat();
            let execution = Execution { steps, inputs: best.execution.inputs.clone() };
            if context_switches(plan.graph, &execution) + 1 >= before {
                continue;
            }
            if let Ok(outcome) = plan.replay(&execution, extent)
                && Wrong::of(&outcome).as_ref() == Some(wrong)
            {
                return Some((Replayed { execution, outcome }, index));
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

#[cfg(test)]
mod tests {
    use super::*;
    use events::{Builder, Choice};

    /// Two threads add one to a number, three times each, and both have to be seen.
    fn counters() -> EventGraph {
        let mut builder = Builder::new();
        let main = builder.thread("0".parse().expect("a thread"));
        let children = ["0.1", "0.2"].map(|name| builder.thread(name.parse().expect("a thread")));
        let number = builder.object("number", 4);
        let number = builder.address(number, 0);
        let one = builder.constant(4, 1);
        for child in children {
            builder.fork(main, child);
            for _ in 0..3 {
                let old = builder.read(child, number, 4);
                let new = builder.terms().add(old, one);
                builder.write(child, number, new);
            }
        }
        for child in children {
            builder.join(main, child);
        }
        let sum = builder.read(main, number, 4);
        let six = builder.constant(4, 6);
        let holds = builder.terms().eq(sum, six);
        builder.assert(main, holds);
        builder.finish()
    }

    #[test]
    fn threads_that_take_turns_all_the_time_need_four_switches() {
        let graph = counters();
        let events = |thread: usize| graph.threads[thread].events.clone();
        let (main, one, two) = (events(0), events(1), events(2));
        let mut order = main[..3].to_vec();
        order.extend(one.iter().zip(&two).flat_map(|(one, two)| [*one, *two]));
        order.extend(&main[3..]);
        let steps = order.into_iter().map(|event| Step { event, choice: Choice::Only }).collect();
        let execution = Execution { steps, inputs: Vec::new() };
        let plan = Plan::new(&graph).expect("it is well-formed");
        let outcome = plan.replay(&execution, Extent::Whole).expect("it is an execution");
        let before = context_switches(&graph, &execution);
        let failed = outcome.failed.clone();
        let reduced = fewer_switches(&plan, Replayed { execution, outcome }, Extent::Whole, &Budget::default());
        assert_eq!((before, context_switches(&graph, &reduced.execution)), (17, 4));
        assert_eq!(reduced.outcome.failed, failed);
        assert_eq!(plan.replay(&reduced.execution, Extent::Whole).as_ref(), Ok(&reduced.outcome));
    }
}
