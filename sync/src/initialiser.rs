//! Whether an initialiser has finished when a thread passes.
//!
//! A claim counts the writes of the initialiser as in a run without preemptions. In another order heap blocks have
//! other addresses and are not counted, so a smaller count is only a suspicion: the initialising thread is then
//! followed further to decide.

use vm::memory::ObjectKind;
use vm::{Machine, Readiness};

use crate::monitor::Monitor;
use crate::observe::{self, Taken, What};
use crate::regions::Layout;
use crate::tracker::{Event, Tracker};

/// The number of steps for which the thread is followed.
const STEPS: u32 = 20_000;

/// Passes an event to the monitor; returns the violation if it breaks the claim. The machine and the tracker have
/// executed its step.
pub fn take(
    monitor: &mut Monitor,
    event: Event,
    machine: &Machine,
    tracker: &Tracker,
    layout: &Layout,
) -> Result<(), String> {
    decided(monitor, event, |monitor, worker| goes_on(monitor, machine, tracker, layout, worker))
}

/// As [`take`], along the events of a run from this one on.
pub fn take_of_run(monitor: &mut Monitor, event: Event, events: &[Event]) -> Result<(), String> {
    decided(monitor, event, |monitor, worker| {
        let mut own =
            events.iter().take_while(|event| !matches!(event, Event::Exit { thread, .. } if *thread == worker));
        own.any(|event| match *event {
            Event::Access { thread, at, writes, .. } => {
                writes && thread == worker && !monitor.claim.flags.contains(&at)
            }
            _ => false,
        })
    })
}

/// Asks whether the initialiser is still running if its count of writes is too small.
fn decided(monitor: &mut Monitor, event: Event, goes_on: impl FnOnce(&Monitor, usize) -> bool) -> Result<(), String> {
    let taken = monitor.take(event);
    let suspect = monitor.initialiser().filter(|_| taken.is_err() && matches!(event, Event::Exit { .. }));
    match suspect {
        Some(worker) if !goes_on(monitor, worker) => {
            monitor.has_ended();
            Ok(())
        }
        _ => taken,
    }
}

/// Whether it is a variable of a function.
fn is_local(machine: &Machine, at: u64) -> bool {
    let memory = &machine.shared.memory;
    memory.resolve(at).is_some_and(|(object, _)| memory.object(object).kind == ObjectKind::Local)
}

/// Whether the thread still writes data for other threads before it leaves.
fn goes_on(monitor: &Monitor, machine: &Machine, tracker: &Tracker, layout: &Layout, worker: usize) -> bool {
    let (mut machine, mut tracker) = (machine.clone(), tracker.clone());
    let mut events = Vec::new();
    for _ in 0..STEPS {
        if tracker.region(worker).is_none() {
            return false;
        }
        if machine.readiness(worker) == Readiness::Blocked {
            break;
        }
        let (step, taken) = observe::step(&mut machine, worker, 0);
        if let What::Memory { at, writes: true, .. } = step.what
            && !monitor.claim.flags.contains(&at)
            && !is_local(&machine, at)
        {
            return true;
        }
        if !matches!(taken, Taken::On) {
            break;
        }
        tracker.step(layout, &step, &mut events);
    }
    // A thread that does not reach the end has not finished.
    true
}
