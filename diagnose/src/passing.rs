//! The graph in which a passing counterpart of a failing execution is searched for: the same paths, relaxed so that
//! they can pass.
//!
//! **Conditions.** The failing thread's branches led to the failure. From the first branch on that decides it, because
//! with the earlier branches it excludes that the assertion holds, its conditions are dropped; so are those after the
//! assertion. All other conditions stay, including those of other threads.
//!
//! **Locks.** A thread whose path ends while it holds a mutex would keep it forever. It gets a synthetic unlock at its
//! end, if it failed or was cut off by the failure. In a deadlock only threads that wait at the end of their path get
//! one: a mutex that a thread forgets to release is the cause.
//!
//! Events keep their numbers; new ones come after them.

use std::collections::{HashMap, HashSet};

use events::{Address, Effect, Event, EventGraph, EventId, Kind, Location, Step, ThreadId};
use formula::{Family, Formula, Sort, Term, Value};
use solve::{Budget, Engine, Solver, Verdict};

use crate::failure::{Replayed, Wrong};

#[derive(Clone, Debug)]
pub struct Passing {
    pub graph: EventGraph,
    /// Assumptions whose conditions were dropped.
    pub dropped: Vec<EventId>,
    /// Synthetic unlocks.
    pub unlocks: Vec<EventId>,
}

/// If the budget ends, only conditions that are known to decide are dropped.
pub fn passing(graph: &EventGraph, failing: &Replayed, wrong: &Wrong, budget: &Budget) -> Passing {
    let mut twin = Passing { graph: graph.clone(), dropped: Vec::new(), unlocks: Vec::new() };
    if let &Wrong::Assertion(assertion) = wrong {
        twin.dropped = deciding(graph, failing, assertion, budget);
        let truth = twin.graph.terms.truth();
        for event in &twin.dropped {
            twin.graph.events[event.index()].kind = Kind::Assume { condition: truth };
        }
    }
    for thread in 0..graph.threads.len() {
        let thread = ThreadId(thread as u32);
        let waits_at_its_end = || {
            let last = graph.threads[thread.index()].events.last();
            failing.outcome.stuck.iter().any(|stuck| stuck.thread == thread && Some(&stuck.event) == last)
        };
        if matches!(wrong, Wrong::Assertion(_)) || waits_at_its_end() {
            for held in held_at_the_end(graph, failing, thread) {
                let unlock = append_unlock(&mut twin.graph, thread, held);
                twin.unlocks.push(unlock);
            }
        }
    }
    twin
}

/// Assumptions of the failing thread that follow from its failure, and those after it.
fn deciding(graph: &EventGraph, failing: &Replayed, assertion: EventId, budget: &Budget) -> Vec<EventId> {
    let own = &graph.threads[graph.events[assertion.index()].thread.index()].events;
    let Kind::Assert { condition } = graph.events[assertion.index()].kind else { return Vec::new() };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut passed = false;
    for &event in own {
        passed |= event == assertion;
        match graph.events[event.index()].kind {
            Kind::Assume { condition } if passed => after.push((event, condition)),
            Kind::Assume { condition } => before.push((event, condition)),
            _ => {}
        }
    }
    let inputs = graph.inputs.iter().copied().zip(failing.execution.inputs.iter().copied()).collect();
    let conditions: Vec<Term> = before.iter().map(|&(_, condition)| condition).collect();
    let kept = undecided(graph, inputs, condition, &conditions, budget);
    before[kept..].iter().chain(&after).map(|&(event, _)| event).collect()
}

/// The number of conditions, from the first on, that are satisfiable together with the assertion.
fn undecided(
    graph: &EventGraph,
    inputs: Vec<(Term, Value)>,
    assertion: Term,
    conditions: &[Term],
    budget: &Budget,
) -> usize {
    let mut formula = Formula { terms: graph.terms.clone(), ..Formula::default() };
    let fixed: Vec<Term> = inputs.into_iter().map(|(input, value)| equal(&mut formula.terms, input, value)).collect();
    fixed.into_iter().chain([assertion]).for_each(|term| formula.assert(Family::Path, term));
    let mut engine = Engine::new(formula);
    let budget = Budget { conflicts: None, ..budget.clone() };
    let mut holds =
        |count: usize| !matches!(engine.solve(&conditions[..count], &budget), Verdict::Unsatisfiable { .. });
    if holds(conditions.len()) {
        return conditions.len();
    }
    // The fewest that exclude it are one more than that: `low` do not, `high` do.
    let (mut low, mut high) = (0, conditions.len());
    while high - low > 1 {
        let middle = low.midpoint(high);
        if holds(middle) { low = middle } else { high = middle }
    }
    if high == 1 && !holds(0) { 0 } else { low }
}

/// That a symbol has a value.
pub(crate) fn equal(terms: &mut formula::Terms, symbol: Term, value: Value) -> Term {
    match (terms.sort(symbol), value) {
        (Sort::Bits(width), Value::Bits { value, .. }) => {
            let value = terms.bits(width, value);
            terms.eq(symbol, value)
        }
        (_, Value::Bool(false)) => terms.not(symbol),
        _ => symbol,
    }
}

#[derive(Clone, Copy)]
struct Held {
    mutex: Address,
    recursive: bool,
}

/// The mutexes that a thread would hold after the last event of its path, from the execution and, beyond its end, from
/// the path. A mutex that is held several times is listed several times.
fn held_at_the_end(graph: &EventGraph, failing: &Replayed, thread: ThreadId) -> Vec<Held> {
    let is_own = |step: &Step| graph.events[step.event.index()].thread == thread;
    let mut held: HashMap<Location, Vec<Held>> = HashMap::new();
    let mut done = HashSet::new();
    let mut order: Vec<Location> = Vec::new();
    let mut change = |event: EventId, location: Location| {
        let levels = held.entry(location).or_default();
        match graph.events[event.index()].kind {
            Kind::Lock { mutex, recursive } | Kind::TryLock { mutex, recursive, .. } => {
                levels.push(Held { mutex, recursive });
            }
            Kind::Unlock { recursive, .. } if !recursive => levels.clear(),
            Kind::Unlock { .. } | Kind::Sleep { .. } => {
                levels.pop();
            }
            Kind::Wake { sleep, .. } => {
                if let Kind::Sleep { mutex, recursive, .. } = graph.events[sleep.index()].kind {
                    levels.push(Held { mutex, recursive });
                }
            }
            _ => {}
        }
        order.push(location);
    };
    for (step, effect) in failing.execution.steps.iter().zip(&failing.outcome.effects).filter(|(step, _)| is_own(step))
    {
        done.insert(step.event);
        if let Effect::Synchronised { mutex } = *effect {
            change(step.event, mutex);
        }
    }
    let constant = |address: &Address| {
        let word = |term| graph.terms.as_bits(term).map(|word| word as u32);
        Some(Location { object: word(address.object)?, offset: word(address.offset)? })
    };
    for &event in graph.threads[thread.index()].events.iter().filter(|event| !done.contains(*event)) {
        let mutex = match &graph.events[event.index()].kind {
            Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } | Kind::Sleep { mutex, .. } => constant(mutex),
            Kind::Wake { sleep, .. } => match &graph.events[sleep.index()].kind {
                Kind::Sleep { mutex, .. } => constant(mutex),
                _ => None,
            },
            _ => None,
        };
        if let Some(mutex) = mutex {
            change(event, mutex);
        }
    }
    let mut listed = Vec::new();
    // The last one acquired is released first.
    for location in order.into_iter().rev() {
        listed.extend(held.remove(&location).into_iter().flatten().rev());
    }
    listed
}

/// As the last that the thread does, but for its exit.
fn append_unlock(graph: &mut EventGraph, thread: ThreadId, held: Held) -> EventId {
    let id = EventId(graph.events.len() as u32);
    let guard = graph.terms.truth();
    let events = &graph.threads[thread.index()].events;
    let exits = events.last().is_some_and(|last| matches!(graph.events[last.index()].kind, Kind::Exit));
    let position = events.len() - usize::from(exits);
    let place = events[..position].last().and_then(|event| graph.events[event.index()].place.clone());
    let kind = Kind::Unlock { mutex: held.mutex, recursive: held.recursive, foreign: false };
    graph.events.push(Event { thread, guard, kind, place });
    graph.threads[thread.index()].events.insert(position, id);
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{Builder, Extent, Simulation, Sought, replay};

    /// One thread sets two numbers, the other holds a mutex, reads them, and continues only up to the failure.
    fn looked_at() -> (EventGraph, Vec<EventId>, Address) {
        let mut builder = Builder::new();
        let threads = ["0", "0.1"].map(|name| builder.thread(name.parse().expect("a thread")));
        let [x, y, mutex] = ["x", "y", "mutex"].map(|name| builder.object(name, 1));
        let [x, y, mutex] = [x, y, mutex].map(|object| builder.address(object, 0));
        builder.fork(threads[0], threads[1]);
        let one = builder.constant(1, 1);
        builder.write(threads[0], x, one);
        builder.write(threads[0], y, one);
        builder.lock(threads[1], mutex, false);
        let [x, y] = [x, y].map(|address| builder.read(threads[1], address, 1));
        let zero = builder.constant(1, 0);
        let terms = builder.terms();
        let (is_set, holds) = (terms.ne(y, zero), terms.eq(x, zero));
        let fails = terms.not(holds);
        let before = builder.assume(threads[1], is_set);
        let decides = builder.assume(threads[1], fails);
        let assertion = builder.assert(threads[1], holds);
        let after = builder.assume(threads[1], is_set);
        (builder.finish(), vec![before, decides, assertion, after], mutex)
    }

    #[test]
    fn conditions_are_dropped_from_the_branch_that_decides() {
        let (graph, events, mutex) = looked_at();
        let simulation = Simulation { sought: Sought::AnyAssertion, extent: Extent::Whole, seed: 1, rounds: 50 };
        let execution = simulation.run(&graph).expect("it is well-formed").expect("it can fail").execution;
        let outcome = replay(&graph, &execution, Extent::Whole).expect("it is an execution");
        let twin = passing(&graph, &Replayed { execution, outcome }, &Wrong::Assertion(events[2]), &Budget::default());
        assert_eq!(twin.dropped, [events[1], events[3]]);
        let [unlock] = twin.unlocks[..] else { panic!("one mutex is held: {:?}", twin.unlocks) };
        assert!(matches!(twin.graph.events[unlock.index()].kind, Kind::Unlock { mutex: held, .. } if held == mutex));
        let last = twin.graph.threads[1].events.iter().rev().nth(1);
        assert_eq!(last, Some(&unlock), "it comes just before the exit");
    }
}
