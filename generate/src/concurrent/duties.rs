//! The duties of threads that wait for each other: one waits and another wakes it, all meet at a barrier.

use super::shared::{Shared, Waiting};
use crate::random::Random;

/// An operation that a thread must do once.
#[derive(Clone, Copy, PartialEq)]
pub enum Duty {
    Await,
    Notify,
    Meet,
}

impl Duty {
    /// The duties of each of `threads` threads.
    pub fn deal(random: &mut Random, shared: &Shared, threads: usize) -> Vec<Vec<Duty>> {
        let mut duties = vec![Vec::new(); threads];
        match shared.waiting {
            Some(Waiting::Condition | Waiting::Signal) => {
                let waiter = random.below(threads);
                let notifier = (waiter + 1 + random.below(threads - 1)) % threads;
                duties[waiter].push(Duty::Await);
                // Occasionally no thread wakes the waiting one.
                if !random.chance(8) {
                    duties[notifier].push(Duty::Notify);
                }
                if threads > 2 && random.chance(30) {
                    let third = (0..threads).find(|index| *index != waiter && *index != notifier).unwrap_or(0);
                    duties[third].push(random.pick(&[Duty::Await, Duty::Notify]));
                }
            }
            Some(Waiting::Barrier { .. }) => {
                duties.iter_mut().take(shared.workers).for_each(|duties| duties.push(Duty::Meet));
            }
            Some(Waiting::Guard) | None => {}
        }
        duties
    }
}
