//! The schedule with the fewest context switches that leads to a known failure.
//!
//! A breadth-first walk over states in which going on with the same thread costs nothing and switching costs one. A state
//! is told apart by the thread that ran last, too. The walk ends at the first match, at the length that is known already,
//! or when it has taken more steps than it may.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use semantics::code::Code;

use crate::explore::fingerprint::Fingerprinter;
use crate::explore::path::Path;
use crate::explore::{Found, Search, Transition, is_same};
use crate::machine::{Machine, Readiness};
use crate::outcome::{Failure, Outcome};
use crate::stuck::Scope;

/// Steps of the walk for one failure.
const BUDGET: u64 = 200_000;

struct Place {
    machine: Machine,
    path: Rc<Path>,
    last: Option<usize>,
    switches: usize,
}

/// Replaces a failure's schedule by a shorter one, if the walk finds one.
pub fn shorten(code: &Rc<Code>, start: &Machine, found: &mut Found, search: &mut Search<'_, '_>) {
    let known = found.segments.len().saturating_sub(1);
    let mut fingerprinter = Fingerprinter::new(code.clone(), false);
    let mut visited = HashSet::new();
    let mut steps = 0;
    let first = Place { machine: start.clone(), path: Rc::default(), last: None, switches: 0 };
    let mut queue = VecDeque::from([first]);
    while let Some(place) = queue.pop_front() {
        if place.switches >= known || steps > BUDGET {
            return;
        }
        let id = fingerprinter.fingerprint(&place.machine, Some((place.last, 0)));
        if !visited.insert(id) {
            continue;
        }
        for transition in search.transitions(&place.machine) {
            steps += 1;
            let switches = place.switches + usize::from(place.last.is_some_and(|last| last != transition.thread));
            if switches >= known {
                continue;
            }
            let mut machine = place.machine.clone();
            let from = machine.thread(transition.thread).steps;
            let outcome = machine.step(transition.thread, transition.choice.unwrap_or(0));
            let by_instruction = outcome.is_some();
            let failure = failure_after(&machine, &transition, outcome);
            if let Some(failure) = &failure
                && is_same(failure, &found.failure)
            {
                let (segments, choices) = place.path.schedule(&machine, &transition, by_instruction);
                if segments.len() <= known {
                    *found = Found { failure: failure.clone(), segments, choices };
                }
                return;
            }
            if by_instruction || failure.is_some() {
                continue;
            }
            let mut path = (*place.path).clone();
            path.push(&transition, from, &machine);
            let next = Place { machine, path: Rc::new(path), last: Some(transition.thread), switches };
            if switches == place.switches {
                queue.push_front(next);
            } else {
                queue.push_back(next);
            }
        }
    }
}

fn failure_after(machine: &Machine, transition: &Transition, outcome: Option<Outcome>) -> Option<Failure> {
    let stuck = || {
        let thread = transition.thread;
        let blocked = machine.readiness(thread) == Readiness::Blocked && !machine.shared.status[thread].finished;
        let circle = blocked.then(|| machine.stuck(Scope::CircleOf(thread))).flatten();
        circle.or_else(|| {
            let everyone = (0..machine.thread_count()).all(|thread| machine.readiness(thread) == Readiness::Blocked);
            (everyone && !machine.all_finished()).then(|| machine.stuck(Scope::Everyone)).flatten()
        })
    };
    match outcome.or_else(stuck) {
        Some(Outcome::Failed(failure)) => Some(*failure),
        _ => None,
    }
}
