//! Random graphs are well-formed, and the results of brute force do not depend on whether states are merged.

use std::collections::{BTreeSet, HashMap};

use events::{
    Deadlock, Extent, Machine, Outcome, Plan, Sought, State, ThreadId, check, cycle_from, replay, zero_inputs,
};
use generate::{Answers, Enumeration, Merging, random_graph, random_handed};

fn answers(seed: u64, size: usize, extent: Extent, merging: Merging) -> Option<Answers> {
    let graph = random_graph(seed, size);
    let mut enumeration = Enumeration::new(&graph, extent, merging).unwrap();
    enumeration.step_limit = 30_000;
    enumeration.answers(&graph).ok()
}

#[test]
fn random_graphs_are_well_formed_and_small() {
    for seed in 0..3000 {
        let size = 1 + seed as usize % 14;
        let graph = random_graph(seed, size);
        if let Err(errors) = check(&graph) {
            panic!("seed {seed}: {}", errors[0]);
        }
        assert!((2..=4).contains(&graph.threads.len()), "seed {seed}");
        assert!(graph.events.len() <= size + 2 * graph.threads.len(), "seed {seed}");
    }
}

#[test]
fn merging_equal_states_changes_no_answer() {
    let mut compared = 0;
    for seed in 0..150 {
        for extent in [Extent::Prefix, Extent::Whole] {
            let Some(every) = answers(seed, 5, extent, Merging::Nothing) else { continue };
            compared += 1;
            assert_eq!(Some(every), answers(seed, 5, extent, Merging::States), "seed {seed} {extent:?}");
        }
    }
    assert!(compared > 180, "{compared}");
}

#[test]
fn what_is_found_replays() {
    let mut found = [0; 4];
    for seed in 0..200 {
        let graph = random_graph(seed, 10);
        for extent in [Extent::Prefix, Extent::Whole] {
            let enumeration = Enumeration::new(&graph, extent, Merging::States).unwrap();
            let answers = enumeration.answers(&graph).unwrap();
            let sought = answers.failures.iter().map(|&event| (0, Sought::Assertion(event)));
            let sought = sought.chain((!answers.failures.is_empty()).then_some((1, Sought::AnyAssertion)));
            let sought = sought.chain(answers.deadlock.then_some((2, Sought::Deadlock)));
            for (kind, sought) in sought.chain(answers.passes.then_some((3, Sought::Passes))) {
                let execution = enumeration.find(&graph, sought, &[]).unwrap().expect("it is among the answers");
                let outcome = replay(&graph, &execution, extent).unwrap();
                assert!(sought.met_by(&outcome, extent), "seed {seed}: {outcome:?}");
                found[kind] += 1;
            }
        }
    }
    assert!(found.iter().all(|&count| count > 20), "{found:?}");
}

/// The continuations of a state.
#[derive(Clone, Default)]
struct Future {
    /// Threads that take a step in some continuation.
    goes_on: BTreeSet<ThreadId>,
    /// Whether a deadlock is reported in some continuation.
    seen: bool,
}

#[derive(Default)]
struct Judge {
    known: HashMap<State, Future>,
    problems: Vec<String>,
    /// The number of states with threads that wait for each other, and of those in which they do so for ever.
    cycles: [u64; 2],
}

/// A cycle of owners and waiters, ignoring foreign unlocks.
fn plain_cycles(outcome: &Outcome) -> Vec<Vec<ThreadId>> {
    let mut stuck = outcome.stuck.clone();
    stuck.iter_mut().for_each(|stuck| stuck.certain = true);
    stuck.iter().filter_map(|first| cycle_from(&stuck, first)).collect()
}

impl Judge {
    fn look(&mut self, machine: &Machine<'_>) -> Future {
        if let Some(known) = self.known.get(machine.state()) {
            return known.clone();
        }
        let mut future = Future::default();
        for step in machine.steps() {
            let mut next = machine.clone();
            if next.step(step).is_err() {
                continue;
            }
            future.goes_on.insert(machine.plan().graph.events[step.event.index()].thread);
            let further = self.look(&next);
            future.goes_on.extend(further.goes_on);
            future.seen |= further.seen;
        }
        let outcome = machine.conclude().expect("nothing is assumed");
        future.seen |= outcome.deadlock.is_some();
        if let Some(Deadlock::Cycle(cycle)) = &outcome.deadlock
            && cycle.iter().any(|thread| future.goes_on.contains(thread))
        {
            self.problems.push(format!("{cycle:?} is called a deadlock and goes on"));
        }
        let cycles = plain_cycles(&outcome);
        let for_ever = |cycle: &Vec<ThreadId>| cycle.iter().all(|thread| !future.goes_on.contains(thread));
        self.cycles[0] += u64::from(!cycles.is_empty());
        if machine.ended().is_none() && cycles.iter().any(for_ever) {
            self.cycles[1] += 1;
            if !future.seen {
                self.problems.push(format!("{cycles:?} wait for ever, and it is never seen"));
            }
        }
        self.known.insert(machine.state().clone(), future.clone());
        future
    }
}

/// Threads are in a deadlock if they wait for each other in every continuation. Each deadlock is reported in some
/// continuation, and nothing else is reported as one.
#[test]
fn deadlocks_are_those_that_no_continuation_dissolves() {
    let number =
        |name: &str, otherwise| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (cases, first) = (number("HEDDLE_CASES", 300), number("HEDDLE_FIRST_SEED", 0));
    let (mut cycles, mut problems) = ([0; 2], Vec::new());
    for seed in first..first + cases {
        let graph = random_handed(seed, 4 + seed as usize % 9);
        let plan = Plan::new(&graph).unwrap_or_else(|errors| panic!("seed {seed}: {}", errors[0]));
        let machine = Machine::new(&plan, &zero_inputs(&graph), Extent::Prefix).unwrap();
        let mut judge = Judge::default();
        judge.look(&machine);
        cycles[0] += judge.cycles[0];
        cycles[1] += judge.cycles[1];
        problems.extend(judge.problems.first().map(|problem| format!("seed {seed}: {problem}\n{graph}")));
    }
    assert!(problems.is_empty(), "{} disagree:\n{}", problems.len(), problems[0]);
    assert!(cycles[0] > cycles[1] && cycles[1] > cases, "{cycles:?}");
}
