//! Stateful exploration, and exploration within a bound on preemptions.
//!
//! With reduction, a state stores its sleep set. At the next visit, only those of its steps that are awake now are
//! explored, and the intersection is stored: P. Godefroid, "Partial-Order Methods for the Verification of Concurrent
//! Systems", chapter on sleep sets and state-space caching. An invisible step is taken alone; if it leads to a visited
//! state, all other steps are explored too, so that no thread is postponed for ever in a cycle (the ignoring problem).
//!
//! Within a bound on preemptions there are no sleep sets: whether a step may be postponed depends on the cost. Instead,
//! with reduction, a thread continues before it accesses bytes that no other thread contests ([`Contested`]); a
//! preemption after them costs as much as before them, or less. A state that was left with fewer preemptions is not
//! explored again with more.

use std::collections::HashMap;

use crate::explore::contested::Contested;
use crate::explore::fingerprint::{Fingerprinter, StateId};
use crate::explore::path::Path;
use crate::explore::{Search, Transition};
use crate::machine::Machine;
use crate::readiness::Readiness;

/// A step as a state remembers it.
type Key = (u32, u64);

struct Node {
    machine: Machine,
    transitions: Vec<Transition>,
    done: Vec<bool>,
    /// The steps that were taken at this visit.
    tried: Vec<usize>,
    /// Only this thread's step is needed.
    alone: Option<usize>,
    sleep: Vec<Transition>,
    /// The thread that took the last step, and how often threads were interrupted so far.
    last: Option<usize>,
    preemptions: u32,
}

/// The number of uncontested steps that a thread takes at once.
const AT_ONCE: usize = 1_000;

pub fn search(
    machine: Machine,
    search: &mut Search<'_, '_>,
    hashing: bool,
    bound: Option<u32>,
    contested: Option<&mut Contested>,
) {
    let mut explorer = Explorer {
        reduction: search.settings.reduction && bound.is_none(),
        hashing,
        bound,
        contested,
        visited: HashMap::new(),
        fewest: HashMap::new(),
        fingerprinter: Fingerprinter::new(machine.code.clone(), search.settings.printed),
        nodes: Vec::new(),
        path: Path::default(),
        search,
    };
    explorer.arrive(machine, Vec::new(), None, 0, None);
    while !explorer.nodes.is_empty() {
        let way =
            explorer.nodes.iter().map(|node| (node.transitions.len(), node.done.iter().filter(|done| **done).count()));
        if explorer.search.is_over(way) {
            return;
        }
        explorer.advance();
    }
    explorer.search.result.share = 1.0;
}

struct Explorer<'a, 'b, 'p> {
    reduction: bool,
    hashing: bool,
    bound: Option<u32>,
    contested: Option<&'a mut Contested>,
    visited: HashMap<StateId, Box<[Key]>>,
    /// Within a bound: the fewest preemptions with which a state was left.
    fewest: HashMap<StateId, u32>,
    fingerprinter: Fingerprinter,
    nodes: Vec<Node>,
    path: Path,
    search: &'a mut Search<'b, 'p>,
}

impl Explorer<'_, '_, '_> {
    fn advance(&mut self) {
        let Some(node) = self.nodes.last_mut() else { return };
        let next = (0..node.transitions.len()).find(|&index| {
            let transition = &node.transitions[index];
            !node.done[index]
                && node.alone.is_none_or(|thread| thread == transition.thread)
                && !node.sleep.iter().any(|other| other.is(transition))
        });
        let Some(index) = next else {
            self.nodes.pop();
            self.path.pop();
            return;
        };
        node.done[index] = true;
        let transition = node.transitions[index].clone();
        let interrupts = node.last.is_some_and(|last| {
            last != transition.thread
                && node.machine.readiness(last) != Readiness::Blocked
                && !node.machine.shared.turn.yielded
        });
        let preemptions = node.preemptions + u32::from(interrupts);
        if self.bound.is_some_and(|bound| preemptions > bound) {
            self.search.bounded = true;
            return;
        }
        let sleep = self.asleep_after(index);
        let Some(node) = self.nodes.last() else { return };
        let mut machine = node.machine.clone();
        if let Some(node) = self.nodes.last_mut() {
            node.tried.push(index);
        }
        let from = machine.thread(transition.thread).steps;
        if let Some(contested) = &mut self.contested {
            contested.uses(&machine, transition.thread);
        }
        let goes_on = self.search.take(&mut machine, &transition, &self.path);
        self.path.push(&transition, from, &machine);
        if goes_on && self.goes_on_alone(&mut machine, transition.thread) {
            self.arrive(machine, sleep, Some(transition.thread), preemptions, Some(&transition));
        } else {
            self.path.pop();
        }
    }

    /// Lets a thread continue as long as its accesses are uncontested; returns whether the execution goes on from
    /// there.
    fn goes_on_alone(&mut self, machine: &mut Machine, thread: usize) -> bool {
        let touches = self.search.nothing.clone();
        let next = Transition { thread, choice: None, touches };
        for _ in 0..AT_ONCE {
            let Some(contested) = &mut self.contested else { break };
            let is_ready = machine.readiness(thread) == Readiness::Ready { alternatives: 1 };
            if !is_ready || machine.shared.turn.yielded || !contested.is_alone(machine, thread) {
                break;
            }
            contested.uses(machine, thread);
            let from = machine.thread(thread).steps;
            let goes_on = self.search.take(machine, &next, &self.path);
            self.path.extend(from, machine);
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// The sleep set after a step: the steps that slept or were tried before it, and are independent of it.
    fn asleep_after(&self, index: usize) -> Vec<Transition> {
        let Some(node) = self.nodes.last().filter(|_| self.reduction) else { return Vec::new() };
        let taken = &node.transitions[index];
        // Steps of an earlier visit do not count: they were tried with another sleep set.
        let tried = node.tried.iter().map(|&other| &node.transitions[other]);
        node.sleep
            .iter()
            .chain(tried)
            .filter(|other| other.thread != taken.thread && !other.touches.conflicts(&taken.touches))
            .cloned()
            .collect()
    }

    fn arrive(
        &mut self,
        machine: Machine,
        sleep: Vec<Transition>,
        last: Option<usize>,
        preemptions: u32,
        by: Option<&Transition>,
    ) {
        let transitions = self.search.transitions(&machine);
        let mut done = vec![false; transitions.len()];
        if self.hashing {
            let id = self.fingerprinter.fingerprint(&machine, self.bound.map(|_| last));
            if self.bound.is_some() {
                match self.fewest.get_mut(&id) {
                    Some(fewest) if *fewest <= preemptions => {
                        self.search.result.redundant += 1;
                        self.path.pop();
                        return;
                    }
                    Some(fewest) => {
                        *fewest = preemptions;
                        self.visited.remove(&id);
                    }
                    None => {
                        self.fewest.insert(id, preemptions);
                    }
                }
            }
            let asleep: Box<[Key]> = sleep.iter().map(key).collect();
            match self.visited.get_mut(&id) {
                None => {
                    self.visited.insert(id, asleep);
                    self.search.result.states += 1;
                }
                Some(known) => {
                    // Steps that slept at every visit so far still have to be explored if they are awake now.
                    let owed: Vec<Key> = known.iter().copied().filter(|known| !asleep.contains(known)).collect();
                    *known = known.iter().copied().filter(|known| asleep.contains(known)).collect();
                    // A step that was taken alone from the last node closed a cycle, or reached a known state.
                    if let Some(node) = self.nodes.last_mut() {
                        node.alone = None;
                    }
                    if owed.is_empty() {
                        self.search.result.redundant += 1;
                        self.path.pop();
                        return;
                    }
                    for (done, transition) in done.iter_mut().zip(&transitions) {
                        *done = !owed.contains(&key(transition));
                    }
                }
            }
        }
        if transitions.is_empty() {
            self.path.pop();
            self.search.at_rest(&machine, by.map(|by| (by, &self.path)));
            return;
        }
        let awake = |transition: &&Transition| !sleep.iter().any(|other| other.is(transition));
        let alone = (self.reduction && done.iter().all(|done| !done))
            .then(|| transitions.iter().filter(awake).find(|transition| transition.touches.is_empty()))
            .flatten()
            .map(|transition| transition.thread);
        self.nodes.push(Node { machine, transitions, done, tried: Vec::new(), alone, sleep, last, preemptions });
    }
}

fn key(transition: &Transition) -> Key {
    (transition.thread as u32, transition.choice.unwrap_or(u64::MAX))
}
