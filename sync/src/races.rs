//! Whether a construct orders the data that it hands over: unordered accesses of its threads.
//!
//! An event or a handshake hands data over. The invariants on passing do not cover the data, so runs are also checked
//! with vector clocks: locations that threads wait for and atomic ones order the accesses before a write and after a
//! read of its value, locks and threads as usual. A remaining conflict is one that the construct was meant to order.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ir::Primitive;

use crate::observe::{Step, What};

type Clock = BTreeMap<usize, u64>;

#[derive(Clone, Debug, Default)]
pub struct Races {
    /// Locations that create happens-before.
    sync: HashSet<u64>,
    participants: BTreeSet<usize>,
    clocks: HashMap<usize, Clock>,
    released: HashMap<u64, Clock>,
    written: HashMap<u64, (usize, u64)>,
    read: HashMap<u64, Clock>,
    births: usize,
}

impl Races {
    pub fn new(sync: HashSet<u64>, participants: BTreeSet<usize>) -> Races {
        Races { sync, participants, births: 1, ..Races::default() }
    }

    /// Takes a step; whether it conflicts with one that does not come before it.
    pub fn step(&mut self, step: &Step) -> Option<String> {
        let thread = step.thread;
        *self.clocks.entry(thread).or_default().entry(thread).or_default() += 1;
        match step.what {
            What::Nothing => None,
            What::Primitive { primitive: Primitive::ThreadCreate, .. } => {
                let clock = self.clocks[&thread].clone();
                join(self.clocks.entry(self.births).or_default(), &clock);
                self.births += 1;
                None
            }
            What::Primitive { primitive: Primitive::ThreadJoin, .. } => {
                let all: Vec<Clock> = self.clocks.values().cloned().collect();
                all.iter().for_each(|clock| join(self.clocks.entry(thread).or_default(), clock));
                None
            }
            What::Primitive { .. } => {
                step.what.places().for_each(|place| self.meet(thread, place));
                None
            }
            What::Memory { at, writes, atomic } if atomic || self.sync.contains(&at) => {
                let clock = self.clocks.entry(thread).or_default();
                if let Some(released) = self.released.get(&at) {
                    join(clock, released);
                }
                if writes {
                    let clock = clock.clone();
                    join(self.released.entry(at).or_default(), &clock);
                }
                None
            }
            What::Memory { at, writes, .. } => self.plain(thread, at, writes),
        }
    }

    fn meet(&mut self, thread: usize, place: u64) {
        let clock = self.clocks.entry(thread).or_default();
        let released = self.released.entry(place).or_default();
        join(clock, released);
        join(released, clock);
    }

    fn plain(&mut self, thread: usize, at: u64, writes: bool) -> Option<String> {
        let clock = self.clocks.entry(thread).or_default().clone();
        let now = clock.get(&thread).copied().unwrap_or(0);
        let knows = |other: usize, time: u64| other == thread || clock.get(&other).copied().unwrap_or(0) >= time;
        let of_ours = |other: usize| self.participants.contains(&other) && self.participants.contains(&thread);
        let mut found = None;
        if let Some(&(other, time)) = self.written.get(&at)
            && !knows(other, time)
            && of_ours(other)
        {
            found = Some("lets a thread pass before the data that it protects was written".to_owned());
        }
        if writes && found.is_none() {
            let read = self.read.get(&at);
            if read.into_iter().flatten().any(|(&other, &time)| !knows(other, time) && of_ours(other)) {
                found = Some("lets a thread pass before the data that it protects was read".to_owned());
            }
        }
        if writes {
            self.written.insert(at, (thread, now));
            self.read.remove(&at);
        } else {
            self.read.entry(at).or_default().insert(thread, now);
        }
        found
    }
}

fn join(into: &mut Clock, other: &Clock) {
    for (&thread, &time) in other {
        let known = into.entry(thread).or_default();
        *known = time.max(*known);
    }
}
