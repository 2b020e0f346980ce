//! Small random graphs for tests, in which threads release mutexes that they do not own: handed over to another thread,
//! or named by a symbolic address. The same seed always gives the same graph.
//!
//! No event fails and no event is an assumption, so that deadlocks can be decided by trying every continuation.

use events::{Address, Builder, EventGraph, Kind, ObjectId, ThreadId};
use formula::Term;
use run::ThreadName;

use crate::random::Random;

/// A well-formed graph of 2 to 4 threads with about `size` events, not counting starts and exits.
pub fn random_handed(seed: u64, size: usize) -> EventGraph {
    let mut random = Random::new(seed);
    let threads = 2 + random.below(3);
    let mut builder = Builder::new();
    let [mutexes, data, permits] =
        [("mutexes", 3), ("data", 2), ("permits", 1)].map(|(name, bytes)| builder.object(name, bytes));
    let mut name = ThreadName::main();
    for number in 0..threads {
        builder.thread(name);
        name = ThreadName::main().child(number as u32 + 1);
    }
    let strict = random.chance(50);
    let mut generator = Generator { random, builder, mutexes, data, permits, strict, threads };
    let forks = 1 + generator.random.below(threads - 1);
    for number in 0..threads {
        generator.thread(ThreadId(number as u32), forks, size / threads + 1);
    }
    generator.builder.finish()
}

struct Generator {
    random: Random,
    builder: Builder,
    mutexes: ObjectId,
    data: ObjectId,
    permits: ObjectId,
    /// The first mutex is released by its owner alone.
    strict: bool,
    threads: usize,
}

impl Generator {
    fn thread(&mut self, thread: ThreadId, forks: usize, size: usize) {
        let mut known: Vec<Term> = Vec::new();
        let truth = self.builder.terms().truth();
        let late = self.random.below(size + 1);
        for number in 0..size {
            if thread.0 == 0 && (number == 0 || number == late) {
                let children = if number == 0 { 1..forks + 1 } else { forks + 1..self.threads };
                for child in children {
                    self.builder.fork(thread, ThreadId(child as u32));
                }
            }
            if let (Some(&condition), true) = (known.last(), self.random.chance(30)) {
                self.builder.set_guard(condition);
                self.operation(thread, &known);
                self.builder.set_guard(truth);
            } else if self.random.chance(20) {
                let at = self.place(self.data, 2);
                let found = self.builder.read(thread, at, 1);
                let zero = self.builder.constant(1, 0);
                known.push(self.builder.terms().eq(found, zero));
            } else {
                self.operation(thread, &known);
            }
        }
        // Mostly the main thread ends the process while others are still running.
        if self.random.chance(if thread.0 == 0 { 60 } else { 5 }) {
            self.builder.event(thread, Kind::End);
        }
    }

    fn place(&mut self, object: ObjectId, bytes: usize) -> Address {
        let offset = self.random.below(bytes) as u32;
        self.builder.address(object, offset)
    }

    /// A mutex that any thread may release.
    fn loose_mutex(&mut self, known: &[Term]) -> Address {
        let first = u32::from(self.strict);
        let offset = first + self.random.below(3 - first as usize) as u32;
        let mut mutex = self.builder.address(self.mutexes, offset);
        if let (Some(&condition), true) = (known.last(), self.random.chance(30)) {
            let other = self.builder.address(self.mutexes, 1);
            mutex.offset = self.builder.terms().ite(condition, mutex.offset, other.offset);
        }
        mutex
    }

    fn operation(&mut self, thread: ThreadId, known: &[Term]) {
        match self.random.below(20) {
            0..6 => {
                let mutex = self.loose_mutex(known);
                self.builder.lock(thread, mutex, false);
            }
            6..11 => {
                let mutex = self.loose_mutex(known);
                self.builder.foreign_unlock(thread, mutex);
            }
            11..13 if self.strict => {
                let (strict, other) = (self.builder.address(self.mutexes, 0), self.loose_mutex(known));
                self.builder.lock(thread, strict, false);
                self.builder.lock(thread, other, false);
                self.builder.unlock(thread, strict, false);
            }
            13..16 => {
                let (at, value) = (self.place(self.data, 2), self.random.below(2) as u128);
                let value = self.builder.constant(1, value);
                self.builder.write(thread, at, value);
            }
            16 => {
                let permits = self.builder.address(self.permits, 0);
                self.builder.sem_wait(thread, permits, 1);
            }
            17 => {
                let permits = self.builder.address(self.permits, 0);
                self.builder.sem_post(thread, permits, 1);
            }
            18 if self.threads > 1 => {
                let child = ThreadId(1 + self.random.below(self.threads - 1) as u32);
                self.builder.join(thread, child);
            }
            _ => {
                let mutex = self.loose_mutex(known);
                self.builder.try_lock(thread, mutex, false);
            }
        }
    }
}
