//! The schedule with the fewest context switches for a known failure.
//!
//! A breadth-first search over states in which continuing with the same thread costs nothing and a switch costs one.
//! States include the last thread. The search ends at the first match, at the known length, at the limit of steps, or
//! at the end of the exploration's time.
//!
//! The queue of such a search is long, and a machine is large. So the queue stores the steps to a state, with shared
//! prefixes, and a machine only for the few first entries. The others execute their steps again from the start when it
//! is their turn.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Instant;

use semantics::code::Code;

use crate::deadlock::deadlock_anywhere;
use crate::explore::fingerprint::{Fingerprinter, StateId};
use crate::explore::path::Path;
use crate::explore::{Found, STEPS_PER_LOOK, Search, Transition};
use crate::machine::Machine;
use crate::outcome::{Failure, Outcome};
use crate::readiness::Readiness;
use crate::stuck::Scope;

/// Steps of the walk for one failure, and steps that are taken again.
const BUDGET: u64 = 200_000;
const AGAIN: u64 = 20 * BUDGET;

/// Entries of the queue that keep their machine.
const KEPT: usize = 1_000;

/// The steps that lead to a state, the last one first.
type Trail = Option<Rc<Taken>>;

struct Taken {
    before: Trail,
    transition: Transition,
}

impl Drop for Taken {
    /// One after the other: a long trail must not need as many calls.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(taken) = before {
            before = Rc::into_inner(taken).and_then(|mut taken| taken.before.take());
        }
    }
}

struct Place {
    /// Where it is missing, the trail leads to it.
    machine: Option<Machine>,
    trail: Trail,
    id: StateId,
    last: Option<usize>,
    switches: usize,
}

/// Replaces a failure's schedule by a shorter one, if the search finds one.
pub fn shorten(code: &Rc<Code>, start: &Machine, found: &mut Found, search: &mut Search<'_, '_>) {
    let known = found.segments.len().saturating_sub(1);
    let walk = Walk {
        start,
        fingerprinter: Fingerprinter::new(code.clone(), false),
        fewest: HashMap::new(),
        queue: VecDeque::new(),
        kept: 0,
        steps: 0,
        again: 0,
    };
    if let Some(shorter) = walk.search(&found.failure, known, search) {
        *found = shorter;
    }
}

struct Walk<'a> {
    start: &'a Machine,
    fingerprinter: Fingerprinter,
    /// By state: the fewest switches with which it was reached.
    fewest: HashMap<StateId, usize>,
    queue: VecDeque<Place>,
    /// Entries of the queue that have their machine.
    kept: usize,
    steps: u64,
    again: u64,
}

impl Walk<'_> {
    fn search(mut self, sought: &Failure, known: usize, search: &mut Search<'_, '_>) -> Option<Found> {
        self.reach(self.start.clone(), None, None, 0, 0);
        while let Some(place) = self.queue.pop_front() {
            self.kept -= usize::from(place.machine.is_some());
            if place.switches >= known || self.is_over(search) {
                return None;
            }
            if self.fewest.get(&place.id).is_some_and(|fewest| *fewest < place.switches) {
                continue;
            }
            let machine = place.machine.unwrap_or_else(|| self.taken_again(&place.trail));
            for transition in search.transitions(&machine) {
                self.steps += 1;
                let switches = place.switches + usize::from(place.last.is_some_and(|last| last != transition.thread));
                if switches >= known {
                    continue;
                }
                let mut next = machine.clone();
                let outcome = next.step(transition.thread, transition.choice.unwrap_or(0));
                let by_instruction = outcome.is_some();
                let failure = failure_after(&next, outcome);
                if let Some(failure) = &failure
                    && failure.is_alike(sought)
                {
                    let path = self.path(&place.trail);
                    let (segments, choices) = path.schedule(&next, &transition, by_instruction);
                    let shorter = Found { failure: failure.clone(), segments, choices };
                    return Some(shorter).filter(|shorter| shorter.segments.len() <= known);
                }
                if by_instruction || failure.is_some() {
                    continue;
                }
                let thread = transition.thread;
                let transition = Transition { touches: search.nothing.clone(), ..transition };
                let trail = Some(Rc::new(Taken { before: place.trail.clone(), transition }));
                self.reach(next, trail, Some(thread), switches, place.switches);
            }
        }
        None
    }

    /// Puts a state into the queue, unless it is known with as few switches.
    fn reach(&mut self, machine: Machine, trail: Trail, last: Option<usize>, switches: usize, before: usize) {
        let id = self.fingerprinter.fingerprint(&machine, Some(last));
        let fewest = self.fewest.entry(id).or_insert(usize::MAX);
        if *fewest <= switches {
            return;
        }
        *fewest = switches;
        // Entries at the front are taken next.
        let first = switches == before;
        let machine = (first || self.kept < KEPT).then_some(machine);
        self.kept += usize::from(machine.is_some());
        let place = Place { machine, trail, id, last, switches };
        if first { self.queue.push_front(place) } else { self.queue.push_back(place) }
    }

    fn is_over(&self, search: &mut Search<'_, '_>) -> bool {
        if self.steps > BUDGET || self.again > AGAIN {
            return true;
        }
        search.since_progress += 1;
        if search.since_progress < STEPS_PER_LOOK {
            return false;
        }
        search.since_progress = 0;
        let late = search.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        late || !(search.progress)(&search.result)
    }

    /// The machine at the end of a trail.
    fn taken_again(&mut self, trail: &Trail) -> Machine {
        let mut machine = self.start.clone();
        for taken in steps(trail) {
            self.again += 1;
            machine.step(taken.transition.thread, taken.transition.choice.unwrap_or(0));
        }
        machine
    }

    /// The trail with the step counts of its threads.
    fn path(&self, trail: &Trail) -> Path {
        let mut machine = self.start.clone();
        let mut path = Path::default();
        for taken in steps(trail) {
            let from = machine.thread(taken.transition.thread).steps;
            machine.step(taken.transition.thread, taken.transition.choice.unwrap_or(0));
            path.push(&taken.transition, from, &machine);
        }
        path
    }
}

/// From the first to the last.
fn steps(trail: &Trail) -> impl Iterator<Item = &Taken> {
    let backwards = std::iter::successors(trail.as_deref(), |taken| taken.before.as_deref());
    backwards.collect::<Vec<&Taken>>().into_iter().rev()
}

fn failure_after(machine: &Machine, outcome: Option<Outcome>) -> Option<Failure> {
    let stuck = || {
        deadlock_anywhere(machine).or_else(|| {
            let everyone = (0..machine.thread_count()).all(|thread| machine.readiness(thread) == Readiness::Blocked);
            (everyone && !machine.all_finished()).then(|| machine.stuck(Scope::Everyone)).flatten()
        })
    };
    match outcome.or_else(stuck) {
        Some(Outcome::Failed(failure)) => Some(*failure),
        _ => None,
    }
}
