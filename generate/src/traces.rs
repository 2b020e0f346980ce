//! Traces of threads that count together, in the format of the Cortex prototype: one file per thread with its events
//! and path conditions. The necessary and the possible number of lost updates are known, and so is the answer.

use crate::random::Random;

/// Which updates hold a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Locking {
    None,
    /// The counters with even numbers have a lock.
    Half,
    All,
}

/// The forbidden result of the main thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Miscount {
    /// At least this many updates are lost.
    Lost(usize),
    /// The count exceeds the number of updates by at least this many, which is impossible.
    Surplus(usize),
}

/// Threads that add one to counters, and a main thread that asks in the end whether enough was counted.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// Main included.
    pub threads: usize,
    /// The approximate number of events.
    pub events: usize,
    pub failure: Miscount,
    pub locking: Locking,
    pub seed: u64,
}

/// Names and texts of the files.
pub fn counting_traces(counting: &Counting) -> Vec<(String, String)> {
    let mut random = Random::new(counting.seed);
    let counters = (counting.events / 30).max(6);
    let locked = |counter: usize| match counting.locking {
        Locking::None => false,
        Locking::Half => counter.is_multiple_of(2),
        Locking::All => true,
    };
    let mut workers: Vec<Worker> = (1..counting.threads.max(2)).map(Worker::new).collect();
    let mut events = 4 * counting.threads + counters;
    let mut updates = 0;
    while events < counting.events {
        let counter = random.below(counters);
        let worker = random.below(workers.len());
        events += workers[worker].update(counter, locked(counter));
        updates += 1;
    }
    let mut files = vec![("T0_1_1".to_owned(), main_thread(workers.len(), counters, updates, counting.failure))];
    files.extend(workers.into_iter().map(|worker| (format!("T{}_1_1", worker.number), worker.text + "\n")));
    files
}

struct Worker {
    number: usize,
    text: String,
    /// By counter, how often it was updated.
    updates: Vec<usize>,
}

impl Worker {
    fn new(number: usize) -> Worker {
        Worker { number, text: format!("Count.java@10:S-start-{number}\n"), updates: Vec::new() }
    }

    /// Adds one update; returns its number of events.
    fn update(&mut self, counter: usize, locked: bool) -> usize {
        let number = self.number;
        if self.updates.len() <= counter {
            self.updates.resize(counter + 1, 0);
        }
        self.updates[counter] += 1;
        let nth = self.updates[counter];
        let (lock, unlock) = match locked {
            true => (
                format!("Count.java@12:S-lock_{counter:x}-{number}\n"),
                format!("Count.java@14:S-unlock_{counter:x}-{number}\n"),
            ),
            false => Default::default(),
        };
        self.text += &format!(
            "{lock}Count.java@13:R-count_{counter}-{number}-{nth}\nCount.java@13:W-count_{counter}-{number}-{nth}\n\
             $(R-count_{counter}-{number}-{nth} + CONST_1)$\n{unlock}"
        );
        if locked { 4 } else { 2 }
    }
}

fn main_thread(workers: usize, counters: usize, updates: usize, failure: Miscount) -> String {
    let mut text = "<assertThread_ok>\n".to_owned();
    for kind in ["fork", "join"] {
        for worker in 1..=workers {
            text += &format!("Count.java@20:S-{kind}_{worker}-0\n");
        }
    }
    let mut sum = "CONST_0".to_owned();
    for counter in 0..counters {
        text += &format!("Count.java@22:R-count_{counter}-0-1\n");
        sum = format!("({sum} + R-count_{counter}-0-1)");
    }
    let right = match failure {
        Miscount::Lost(lost) => format!("> CONST_{}", updates.saturating_sub(lost)),
        Miscount::Surplus(surplus) => format!("< CONST_{}", updates + surplus),
    };
    text + &format!("branch-0\n<pathjpf>\nT0:({sum} {right})\npathid-11\n")
}
