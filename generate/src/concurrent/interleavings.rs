//! The number of interleavings of a set of threads, counted without running them: each thread is the sequence of its
//! operations along its longest path, and only creation, joining and plain locks block.

use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Any operation that other threads may observe.
    Plain,
    Lock(usize),
    Unlock(usize),
    Create(usize),
    Join(usize),
}

/// The number of maximal orders, or `limit` if there are at least that many. The last thread runs first.
pub fn count(threads: &[Vec<Step>], limit: u64) -> u64 {
    let start = vec![0; threads.len()];
    count_from(threads, &start, limit, &mut HashMap::new())
}

fn count_from(threads: &[Vec<Step>], at: &[usize], limit: u64, known: &mut HashMap<Vec<usize>, u64>) -> u64 {
    if let Some(count) = known.get(at) {
        return *count;
    }
    let mut total = 0u64;
    for thread in 0..threads.len() {
        if !is_enabled(threads, at, thread) {
            continue;
        }
        let mut next = at.to_vec();
        next[thread] += 1;
        total = total.saturating_add(count_from(threads, &next, limit, known)).min(limit);
    }
    // A state without successors ends one interleaving, whether it is complete or a deadlock.
    let total = total.max(1);
    known.insert(at.to_vec(), total);
    total
}

fn is_enabled(threads: &[Vec<Step>], at: &[usize], thread: usize) -> bool {
    let Some(step) = threads[thread].get(at[thread]) else { return false };
    let main = threads.len() - 1;
    let created = |other: usize| {
        let position = threads[main].iter().position(|step| *step == Step::Create(other));
        position.is_none_or(|position| at[main] > position)
    };
    if thread != main && !created(thread) {
        return false;
    }
    match step {
        Step::Lock(mutex) => !(0..threads.len()).any(|other| holds(&threads[other][..at[other]], *mutex)),
        Step::Join(other) => at[*other] == threads[*other].len(),
        _ => true,
    }
}

fn holds(done: &[Step], mutex: usize) -> bool {
    let last = done.iter().rev().find(|step| matches!(step, Step::Lock(m) | Step::Unlock(m) if *m == mutex));
    matches!(last, Some(Step::Lock(_)))
}

#[cfg(test)]
mod tests {
    use super::{Step, count};

    #[test]
    fn independent_operations_interleave_freely() {
        assert_eq!(count(&[vec![Step::Plain; 2], vec![Step::Plain; 2]], 1000), 6);
        assert_eq!(count(&[vec![Step::Plain; 3], vec![Step::Plain; 3], vec![Step::Plain; 3]], 100_000), 1680);
        assert_eq!(count(&[vec![Step::Plain; 3], vec![Step::Plain; 3], vec![Step::Plain; 3]], 1000), 1000);
    }

    #[test]
    fn locks_exclude_and_can_deadlock() {
        let section = vec![Step::Lock(0), Step::Plain, Step::Unlock(0)];
        assert_eq!(count(&[section.clone(), section], 1000), 2);
        let one = vec![Step::Lock(0), Step::Lock(1)];
        let two = vec![Step::Lock(1), Step::Lock(0)];
        // Both orders in which one thread acquires both locks leave the other blocked; two more block both.
        assert_eq!(count(&[one, two], 1000), 4);
    }

    #[test]
    fn joins_wait_for_the_end() {
        let main = vec![Step::Create(0), Step::Plain, Step::Join(0)];
        assert_eq!(count(&[vec![Step::Plain; 2], main], 1000), 3);
    }
}
