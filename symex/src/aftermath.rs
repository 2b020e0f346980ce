//! What the other threads would have done had the failing one just stopped: their paths go on, so that orders can be
//! told in which they do more before the old point of failure than they had time for.

use vm::sync::Sync;
use vm::{Failure, FailureKind, Machine, Observer, Outcome, Readiness};

use crate::dual::Dual;
use crate::trace::Trace;

/// Threads that never come to an end go no further than this.
const MOST_STEPS: usize = 20_000;
const MOST_EVENTS: usize = 4_000;

/// Lets every other thread go on for as long as it can.
pub fn go_on(machine: &mut Machine<Dual>, trace: &mut Trace, failure: &Failure) {
    if !failure.is_stuck()
        && let Some(failed) = machine.find(&failure.site.thread)
    {
        machine.abandon(failed);
        release(machine, failed);
    }
    let mut steps = 0;
    let room = trace.builder.graph().events.len() + MOST_EVENTS;
    loop {
        let mut moved = false;
        for thread in 0..machine.thread_count() {
            while machine.readiness(thread) != Readiness::Blocked {
                if steps >= MOST_STEPS || trace.builder.graph().events.len() > room {
                    return;
                }
                steps += 1;
                moved = true;
                match trace.step(machine, thread, 0) {
                    None if machine.shared.yielded => break,
                    None => {}
                    Some(Outcome::Failed(failure) | Outcome::Unasked(failure)) if failure.kind != FailureKind::Exit => {
                        machine.abandon(thread);
                        release(machine, thread);
                    }
                    // The end of the process, or of what heddle can do.
                    Some(_) => return,
                }
            }
        }
        if !moved {
            return;
        }
    }
}

/// A thread that does nothing more lets go of its mutexes.
fn release(machine: &mut Machine<Dual>, thread: usize) {
    let held: Vec<u64> = machine
        .shared
        .syncs
        .iter()
        .filter(|(_, sync)| matches!(sync, Sync::Mutex(mutex) if mutex.owner == Some(thread as u32)))
        .map(|(at, _)| at)
        .collect();
    for at in held {
        if let Some(Sync::Mutex(mutex)) = machine.shared.syncs.get_mut(at) {
            mutex.owner = None;
            mutex.depth = 0;
        }
    }
}
