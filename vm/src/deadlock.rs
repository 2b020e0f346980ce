//! Deadlocks among some threads while others can go on.
//!
//! Threads that wait for each other in a cycle are in a deadlock unless a thread outside of the cycle releases one of
//! its mutexes, which it does not own. Whether one will depends on the rest of the execution, so a few orders are
//! tried. If one releases the mutex, the cycle is undecided: it is examined again after each further step. If none
//! does, each of them leads to a state in which no thread will release it. Either way a deadlock is found in some
//! execution exactly if there is one; only a cycle that is reported early may be one that another order would have
//! resolved.

use crate::machine::{Datum, Machine};
use crate::outcome::Outcome;
use crate::readiness::Readiness;
use crate::stuck::{self, Scope};
use crate::world::{Pending, Phase};

/// A deadlock among some threads, detected as soon as its last member blocks, or as soon as no thread can release its
/// mutexes any more.
pub(crate) fn deadlock_after(machine: &mut Machine, thread: usize) -> Option<Outcome> {
    // Inside of an atomic section the others cannot go on, whatever they wait for.
    if machine.shared.turn.inside.is_some() {
        return among(machine, &[thread]).0;
    }
    let is_woken = |other: usize| matches!(machine.shared.status[other].phase, Phase::Woken(_));
    let concerned = |&other: &usize| other == thread || machine.loose || is_woken(other);
    let threads: Vec<usize> = (0..machine.thread_count()).filter(concerned).collect();
    let (deadlock, loose) = among(machine, &threads);
    machine.loose = loose;
    deadlock
}

/// A deadlock among some threads, at any time.
pub(crate) fn deadlock_anywhere(machine: &Machine) -> Option<Outcome> {
    let threads: Vec<usize> = (0..machine.thread_count()).collect();
    among(machine, &threads).0
}

/// A deadlock through one of the threads, and whether there is a loose circle.
fn among(machine: &Machine, threads: &[usize]) -> (Option<Outcome>, bool) {
    let mut loose = false;
    for &thread in threads {
        if let Some(circle) = circle_after(machine, thread) {
            if !is_resolved(machine, thread) {
                return (Some(circle), loose);
            }
            loose = true;
        }
    }
    (None, loose)
}

/// The cycle of waiting threads that was closed when a thread blocked, by mutex owners.
pub(crate) fn circle_after<V: Datum>(machine: &Machine<V>, thread: usize) -> Option<Outcome> {
    stuck::is_in_circle(machine, thread).then(|| machine.stuck(Scope::CircleOf(thread))).flatten()
}

/// The number of strides of the other threads that are tried.
const LONGEST_RESOLUTION: usize = 10_000;

/// Whether an enabled thread releases a mutex of the cycle through this thread, although it does not own it. As many
/// orders are tried as there are such threads, each beginning with another one.
fn is_resolved(machine: &Machine, thread: usize) -> bool {
    let mutexes = stuck::releasable(machine, thread);
    let ready = (0..machine.thread_count()).filter(|&thread| machine.readiness(thread) != Readiness::Blocked);
    !mutexes.is_empty() && ready.into_iter().any(|first| releases(machine.clone(), first, &mutexes))
}

/// Whether one of the mutexes is released while a thread runs as far as it can, and then the others. The process ends
/// only when no other step is possible, and a thread that fails stops before its failure.
fn releases(mut machine: Machine, first: usize, mutexes: &[u64]) -> bool {
    let owners =
        |machine: &Machine| -> Vec<Option<u32>> { mutexes.iter().map(|&mutex| stuck::owner(machine, mutex)).collect() };
    let owned = owners(&machine);
    let mut parked = vec![false; machine.thread_count()];
    let mut current = first;
    for _ in 0..LONGEST_RESOLUTION {
        parked.resize(machine.thread_count(), false);
        let can_go = |&thread: &usize| !parked[thread] && machine.readiness(thread) != Readiness::Blocked;
        let Some(next) = Some(current).filter(can_go).or_else(|| (0..machine.thread_count()).find(can_go)) else {
            return false;
        };
        current = next;
        if ends_process(&machine, current) && machine.clone().stride(current, 0).is_some() {
            parked[current] = true;
            continue;
        }
        match machine.stride(current, 0) {
            Some(Outcome::Failed(_) | Outcome::Unasked(_) | Outcome::Excluded { .. }) => machine.abandon(current),
            Some(_) => return false,
            None => {}
        }
        if owners(&machine) != owned {
            return true;
        }
    }
    false
}

/// Whether a thread's next step may be the end of the process.
fn ends_process(machine: &Machine, thread: usize) -> bool {
    match &machine.shared.status[thread].pending {
        Some(Pending::Finish) => true,
        Some(Pending::Primitive { primitive, .. }) => *primitive == ir::Primitive::ProcessExit,
        _ => false,
    }
}
