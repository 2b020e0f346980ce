//! A particle search for an execution: many states advance in parallel, each choosing its threads' turns at random.
//! States without a successor are replaced by copies of live ones, so a wrong choice is abandoned even if it only shows
//! much later. If all states die, the search backtracks to an earlier generation, further each time.

use std::collections::HashSet;
use std::rc::Rc;

use crate::execution::Step;
use crate::graph::ThreadId;
use crate::machine::{Machine, Status};
use crate::order_search::{Search, Taken};

/// The number of events between two selections.
const STRIDE: usize = 12;

/// The initial number of states. Whenever the search is back at the beginning, this grows by half.
const SMALL: usize = 30;
const LARGE: usize = 200;

/// One in this many turns is taken although it spoils a value that another thread needs.
const RECKLESS: usize = 50;

#[derive(Clone)]
struct One<'p> {
    machine: Machine<'p>,
    turns: Option<Rc<Link>>,
    length: usize,
    /// A thread that is preferred whenever it is enabled: one that has many steps to do while others wait is seldom
    /// chosen by chance.
    favoured: Option<ThreadId>,
}

/// A turn, linked to the turns before it.
struct Link {
    before: Option<Rc<Link>>,
    steps: Vec<Step>,
}

enum Went<'p> {
    On(Box<One<'p>>),
    Found(Vec<Step>),
    Nowhere,
}

impl Search<'_> {
    pub(crate) fn particles<'p>(&mut self, start: &Machine<'p>) -> Option<Vec<Step>> {
        let first = One { machine: start.clone(), turns: None, length: 0, favoured: None };
        let mut kept: Vec<Vec<One<'p>>> = vec![vec![first]];
        let (mut size, mut farthest, mut back) = (SMALL, 0, 1);
        while !self.is_over() {
            let level = kept.len();
            let here = kept.last()?;
            let mut next: Vec<One<'p>> = Vec::with_capacity(size);
            let mut seen = HashSet::new();
            for number in 0..size {
                let one = here.get(number).unwrap_or_else(|| &here[self.random.below(here.len())]);
                match self.walk(one.clone(), level * STRIDE) {
                    Went::Found(steps) => return Some(steps),
                    Went::On(one) if seen.insert(one.machine.digest(self.contention.uses())) => next.push(*one),
                    Went::On(_) | Went::Nowhere => {}
                }
            }
            if !next.is_empty() {
                kept.push(next);
                continue;
            }
            if level > farthest {
                (farthest, back) = (level, 1);
            }
            back *= 2;
            if back >= level {
                (farthest, back, size) = (0, 1, (size + size / 2).min(LARGE));
                kept.truncate(1);
            } else {
                kept.truncate(level - back);
            }
        }
        None
    }

    /// Advances one state to the given number of events.
    fn walk<'p>(&mut self, mut one: One<'p>, length: usize) -> Went<'p> {
        if self.random.below(3) == 0 {
            let threads = one.machine.plan().graph.threads.len();
            one.favoured = (self.random.below(2) == 0).then(|| ThreadId(self.random.below(threads) as u32));
        }
        while one.length < length {
            let Some(taken) = self.any_turn(&one.machine, one.favoured) else { return Went::Nowhere };
            let Taken { machine, turn, .. } = taken;
            one.length += turn.steps.len();
            one.turns = Some(Rc::new(Link { before: one.turns.take(), steps: turn.steps }));
            one.machine = machine;
            if self.is_found(&one.machine) {
                return Went::Found(steps(one.turns.as_deref()));
            }
            if !one.machine.failed().is_empty() {
                return Went::Nowhere;
            }
        }
        Went::On(Box::new(one))
    }

    /// Some possible turn, preferably one that spoils no later read of another thread.
    fn any_turn<'p>(&mut self, machine: &Machine<'p>, favoured: Option<ThreadId>) -> Option<Taken<'p>> {
        // Looking for a turn has a cost even where no thread is enabled.
        self.left = self.left.saturating_sub(1);
        let ready = machine.threads().filter(|&thread| matches!(machine.status(thread), Status::Ready(_)));
        let mut threads: Vec<ThreadId> = ready.collect();
        let mut hindering = None;
        while !threads.is_empty() {
            let first = threads.iter().position(|&thread| Some(thread) == favoured);
            let thread = threads.swap_remove(first.unwrap_or_else(|| self.random.below(threads.len())));
            let choice = self.random.below(1 << 10);
            let Some(taken) = self.go(machine, thread, choice) else { continue };
            if self.signals.are_short(&taken.machine) {
                continue;
            }
            if self.hinders(machine, &taken) == 0 || self.random.below(RECKLESS) == 0 {
                return Some(taken);
            }
            hindering = hindering.or(Some(taken));
        }
        hindering
    }
}

fn steps(mut link: Option<&Link>) -> Vec<Step> {
    let mut turns = Vec::new();
    while let Some(Link { before, steps }) = link {
        turns.push(steps);
        link = before.as_deref();
    }
    turns.into_iter().rev().flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use generate::{Enumeration, Merging};

    use crate::execution::{Execution, Extent, zero_inputs};
    use crate::machine::Plan;
    use crate::order_search::Turns;
    use crate::replay::replay;
    use crate::sought::Sought;
    use crate::text::parse_graph;

    use super::*;

    #[test]
    fn what_the_particles_find_is_an_execution() {
        let (mut there, mut found) = (0, 0);
        for seed in 0..200 {
            let random = generate::random_graph(seed, 1 + seed as usize % 12);
            // The generator's graphs are of the library, whose types are not those of its tests.
            let graph = parse_graph(&random.to_string()).unwrap();
            let mut enumeration = Enumeration::new(&random, generate::Extent::Prefix, Merging::States).unwrap();
            enumeration.step_limit = 100_000;
            let Ok(answers) = enumeration.answers(&random) else { continue };
            let sought = [(!answers.failures.is_empty(), Sought::AnyAssertion), (answers.deadlock, Sought::Deadlock)];
            for (exists, sought) in sought {
                there += u32::from(exists);
                let (plan, inputs) = (Plan::new(&graph).unwrap(), zero_inputs(&graph));
                let start = Machine::new(&plan, &inputs, Extent::Prefix).unwrap();
                let turns = Turns { sought, seed, steps: 10_000, until: None };
                let Some(steps) = Search::new(&turns, &plan, turns.steps).particles(&start) else { continue };
                found += 1;
                let outcome = replay(&graph, &Execution { steps, inputs }, Extent::Prefix).unwrap();
                assert!(exists && sought.met_by(&outcome, Extent::Prefix), "seed {seed}: {outcome:?}");
            }
        }
        // Inputs are zero, and critical sections are not interrupted.
        assert!(found > there / 2, "{found} of {there}");
    }
}
