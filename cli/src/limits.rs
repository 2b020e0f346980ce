//! The budget of this process: a thread watches its clock and its memory, and Ctrl-C ends it.

use std::thread;
use std::time::{Duration, Instant};

use analysis::Budget;
use report::Stopped;

use crate::worker;

/// The interval between two checks of clock and memory.
const LOOK: Duration = Duration::from_millis(20);

/// Stages end at this share of the memory, so that some is left for the answer.
const SHARE: f64 = 0.88;

/// The total limits of a command.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Whether the user has named the time.
    pub is_named: bool,
    /// Bytes that the parent of this process allows.
    pub memory: Option<u64>,
}

/// A budget within the limits, which is watched from now on.
pub fn budget(started: Instant, limits: Limits) -> Budget {
    let budget = Budget::new(started, limits.time, limits.is_named);
    let watched = budget.clone();
    thread::spawn(move || watch(&watched, limits.memory));
    let interrupted = budget.clone();
    // With a parent, the parent handles repeated interrupts. Without one the second interrupt ends the process. Without
    // a handler Ctrl-C just ends the process, which is acceptable.
    let _ = ctrlc::set_handler(move || {
        let again = interrupted.over() == Some(Stopped::Interrupted);
        interrupted.end(Stopped::Interrupted);
        if again && worker::orders_of_parent().is_none() {
            std::process::exit(130);
        }
    });
    budget
}

fn watch(budget: &Budget, memory: Option<u64>) {
    let own = std::process::id();
    while !budget.was_ended() {
        if budget.deadline().is_some_and(|deadline| Instant::now() >= deadline) {
            budget.end(Stopped::Time);
        }
        if memory.is_some_and(|most| worker::resident(own) as f64 > most as f64 * SHARE) {
            budget.end(Stopped::Memory);
        }
        thread::sleep(LOOK);
    }
}
