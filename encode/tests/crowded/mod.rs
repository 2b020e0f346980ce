//! Small random graphs with high contention: each has one theme and very few objects, so that interactions that are
//! rare in a mixture of everything occur in every other graph.

use events::{Address, Builder, EventGraph, EventId, Kind, ObjectId, ThreadId};
use formula::{Sort, Term};
use run::ThreadName;

/// Pseudo-random numbers.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 >> 29) ^ (self.0 >> 45);
        mixed as usize % limit
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

#[derive(Clone, Copy, Debug)]
enum Theme {
    Waits,
    Mutexes,
    Memory,
    Blocks,
    Forks,
    Counters,
}

/// 3 or 4 threads, and at most `size` events beside starts, exits and forks.
pub fn crowded(seed: u64, size: usize) -> EventGraph {
    let mut dice = Dice(seed ^ 0x5bd1_e995);
    dice.below(2);
    let themes = [
        Theme::Waits,
        Theme::Waits,
        Theme::Mutexes,
        Theme::Memory,
        Theme::Blocks,
        Theme::Forks,
        Theme::Counters,
        Theme::Counters,
    ];
    let theme = dice.pick(&themes);
    let mut builder = Builder::new();
    let [x, mutex, condition] = ["x", "mutex", "condition"].map(|name| builder.object(name, 2));
    let input = builder.input("input", Sort::Bool);
    let threads = 2 + dice.below(3);
    let mut name = ThreadName::main();
    for number in 0..threads {
        builder.thread(name);
        name = ThreadName::main().child(number as u32 + 1);
    }
    let known = vec![Vec::new(); threads];
    let mut crowd = Crowd {
        dice,
        builder,
        theme,
        x,
        mutex,
        condition,
        input,
        known,
        all: Vec::new(),
        inside: vec![false; threads],
    };
    for child in 1..threads {
        crowd.fork(child, threads);
    }
    // An update takes several events.
    let count = if let Theme::Counters = theme { 1 + size / 3 } else { size };
    for _ in 0..count {
        let thread = crowd.dice.below(threads);
        crowd.statement(ThreadId(thread as u32));
    }
    if let Theme::Counters = theme {
        crowd.compare_counters(threads);
    }
    for thread in 0..threads {
        if crowd.inside[thread] {
            crowd.builder.event(ThreadId(thread as u32), Kind::AtomicEnd);
        }
    }
    crowd.builder.finish()
}

struct Crowd {
    dice: Dice,
    builder: Builder,
    theme: Theme,
    x: ObjectId,
    mutex: ObjectId,
    condition: ObjectId,
    input: Term,
    /// Bytes that each thread has read, under any guard.
    known: Vec<Vec<Term>>,
    all: Vec<Term>,
    inside: Vec<bool>,
}

impl Crowd {
    fn fork(&mut self, child: usize, threads: usize) {
        let tangled = matches!(self.theme, Theme::Forks);
        for _ in 0..if tangled { 1 + self.dice.below(2) } else { 1 } {
            let parent = if tangled { self.dice.below(threads) } else { 0 };
            let guard = if tangled && self.dice.chance(40) { self.condition_of(parent) } else { self.truth() };
            self.builder.set_guard(guard);
            self.builder.fork(ThreadId(parent as u32), ThreadId(child as u32));
        }
        let truth = self.truth();
        self.builder.set_guard(truth);
    }

    fn truth(&mut self) -> Term {
        self.builder.terms().truth()
    }

    fn statement(&mut self, thread: ThreadId) {
        let truth = self.truth();
        let seldom = if let Theme::Counters = self.theme { 5 } else { 20 };
        if self.dice.chance(seldom) {
            let guard = self.condition_of(thread.index());
            self.builder.set_guard(guard);
        }
        match (self.theme, self.dice.below(10)) {
            (_, 0) => self.judge(thread),
            (_, 1) => self.memory(thread),
            (Theme::Waits, 2..5) => self.wait(thread),
            (Theme::Waits, 5..8) => self.signal(thread),
            (Theme::Waits | Theme::Mutexes, _) => self.mutex(thread),
            (Theme::Forks, 2..4) => {
                let child = self.dice.below(self.known.len());
                self.builder.join(thread, ThreadId(child as u32));
            }
            (Theme::Blocks, 2..6) => self.block(thread),
            (Theme::Counters, 2..) => self.update(thread),
            _ => self.memory(thread),
        }
        self.builder.set_guard(truth);
    }

    fn condition_of(&mut self, thread: usize) -> Term {
        let known = self.known[thread].clone();
        if known.is_empty() || self.dice.chance(25) {
            let input = self.input;
            return if self.dice.chance(50) { input } else { self.builder.terms().not(input) };
        }
        let (byte, value) = (self.dice.pick(&known), self.dice.below(3) as u128);
        let value = self.builder.constant(1, value);
        let terms = self.builder.terms();
        let equal = terms.eq(byte, value);
        if self.dice.chance(50) { equal } else { self.builder.terms().not(equal) }
    }

    fn judge(&mut self, thread: ThreadId) {
        let mut condition = self.condition_of(thread.index());
        if !self.all.is_empty() && self.dice.chance(20) {
            let foreign = self.dice.pick(&self.all);
            let value = self.builder.constant(1, 1);
            condition = self.builder.terms().ne(foreign, value);
        }
        match self.dice.below(8) {
            0 => drop(self.builder.assume(thread, condition)),
            1 if self.dice.chance(60) && !self.inside[thread.index()] => {
                let round = self.looks(thread);
                self.builder.event(thread, Kind::Await { round });
            }
            1 => drop(self.builder.event(thread, Kind::Cut)),
            2 if self.dice.chance(40) => drop(self.builder.event(thread, Kind::End)),
            2 => {
                let never = self.builder.terms().falsehood();
                self.builder.assert(thread, never);
            }
            _ => drop(self.builder.assert(thread, condition)),
        }
    }

    /// Some of the thread's earlier reads and try-locks.
    fn looks(&mut self, thread: ThreadId) -> Vec<EventId> {
        let graph = self.builder.graph();
        let looks = |event: &EventId| match &graph.events[event.index()].kind {
            Kind::Access(access) => access.old.is_some(),
            kind => matches!(kind, Kind::TryLock { .. }),
        };
        let all: Vec<EventId> = graph.threads[thread.index()].events.iter().copied().filter(looks).collect();
        all.into_iter().filter(|_| self.dice.chance(70)).collect()
    }

    /// One of two bytes, rarely at a symbolic address.
    fn place(&mut self, thread: ThreadId, object: ObjectId) -> Address {
        let offset = u32::from(self.dice.chance(30));
        let mut address = self.builder.address(object, offset);
        if self.dice.chance(15) {
            let condition = self.condition_of(thread.index());
            let other = self.builder.address(object, 1 - offset);
            address.offset = self.builder.terms().ite(condition, address.offset, other.offset);
        }
        address
    }

    fn memory(&mut self, thread: ThreadId) {
        let address = self.place(thread, self.x);
        let known = self.known[thread.index()].clone();
        let mut value = self.builder.constant(1, self.dice.below(3) as u128);
        if !known.is_empty() && self.dice.chance(40) {
            let byte = self.dice.pick(&known);
            value = self.builder.terms().add(byte, value);
        }
        let blocks = !self.inside[thread.index()];
        let read = match self.dice.below(10) {
            0..4 => self.builder.read(thread, address, 1),
            4..7 => {
                self.builder.write(thread, address, value);
                return;
            }
            7 => self.builder.rmw(thread, address, 1, |terms, old| terms.add(old, value)),
            8 if blocks => self.builder.spin(thread, address, 1, |terms, old| terms.eq(old, value)),
            _ => {
                let expected = self.builder.constant(1, 0);
                self.builder.compare_exchange(thread, address, expected, value)
            }
        };
        self.known[thread.index()].push(read);
        self.all.push(read);
    }

    fn mutex(&mut self, thread: ThreadId) {
        let mutex = self.place(thread, self.mutex);
        let recursive = self.dice.chance(30);
        match self.dice.below(9) {
            0..4 => drop(self.builder.lock(thread, mutex, recursive)),
            4..7 => {
                let foreign = self.dice.chance(50);
                self.builder.event(thread, Kind::Unlock { mutex, recursive, foreign });
            }
            7 => {
                self.builder.lock(thread, mutex, recursive);
                self.memory(thread);
                self.builder.unlock(thread, mutex, recursive);
            }
            _ => {
                let taken = self.builder.try_lock(thread, mutex, recursive);
                let (one, zero) = (self.builder.constant(1, 1), self.builder.constant(1, 0));
                let byte = self.builder.terms().ite(taken, one, zero);
                self.known[thread.index()].push(byte);
            }
        }
    }

    fn wait(&mut self, thread: ThreadId) {
        let (condition, mutex) = (self.place(thread, self.condition), self.place(thread, self.mutex));
        let held = self.dice.chance(60);
        if held {
            self.builder.lock(thread, mutex, false);
        }
        match self.dice.below(5) {
            0..3 => drop(self.builder.wait(thread, condition, mutex, false)),
            3 => drop(self.builder.wait(thread, condition, mutex, true)),
            _ => {
                let timed_out = self.builder.timed_wait(thread, condition, mutex, false);
                let (one, zero) = (self.builder.constant(1, 1), self.builder.constant(1, 0));
                let byte = self.builder.terms().ite(timed_out, one, zero);
                self.known[thread.index()].push(byte);
            }
        }
        if held || self.dice.chance(50) {
            self.builder.unlock(thread, mutex, false);
        }
    }

    /// Signals, sometimes several times while the waiting thread cannot get the mutex.
    fn signal(&mut self, thread: ThreadId) {
        let held = self.dice.chance(35).then(|| self.builder.address(self.mutex, 0));
        if let Some(mutex) = held {
            self.builder.lock(thread, mutex, false);
        }
        for _ in 0..if held.is_some() { 1 + self.dice.below(2) } else { 1 } {
            let condition = self.place(thread, self.condition);
            if self.dice.chance(65) {
                self.builder.signal(thread, condition);
            } else {
                self.builder.broadcast(thread, condition);
            }
        }
        if let Some(mutex) = held {
            self.builder.unlock(thread, mutex, false);
        }
    }

    /// Adds to a counter, or moves one into the other; mostly under the lock.
    fn update(&mut self, thread: ThreadId) {
        let mutex = self.builder.address(self.mutex, 0);
        let [one, other] = [0, 1].map(|offset| self.builder.address(self.x, offset));
        let amount = self.builder.constant(1, 1 + self.dice.below(2) as u128);
        if self.dice.chance(10) {
            self.builder.rmw(thread, one, 1, |terms, old| terms.add(old, amount));
            return;
        }
        let locked = self.dice.chance(80);
        if locked {
            self.builder.lock(thread, mutex, false);
        }
        let old = self.builder.read(thread, one, 1);
        match self.dice.below(4) {
            0 => {
                let moved = self.builder.read(thread, other, 1);
                let sum = self.builder.terms().add(old, moved);
                self.builder.write(thread, one, sum);
                let zero = self.builder.constant(1, 0);
                self.builder.write(thread, other, zero);
            }
            1 => {
                let less = self.builder.terms().sub(old, amount);
                self.builder.write(thread, one, less);
            }
            _ => {
                let more = self.builder.terms().add(old, amount);
                self.builder.write(thread, one, more);
            }
        }
        if locked && self.dice.chance(95) {
            self.builder.unlock(thread, mutex, false);
        }
    }

    /// The main thread reads the counters, mostly after joining all others.
    fn compare_counters(&mut self, threads: usize) {
        let main = ThreadId(0);
        for child in 1..threads {
            if self.dice.chance(75) {
                self.builder.join(main, ThreadId(child as u32));
            }
        }
        let mutex = self.builder.address(self.mutex, 0);
        let locked = self.dice.chance(50);
        if locked {
            self.builder.lock(main, mutex, false);
        }
        let [one, other] = [0, 1].map(|offset| self.builder.address(self.x, offset));
        let (one, other) = (self.builder.read(main, one, 1), self.builder.read(main, other, 1));
        if locked {
            self.builder.unlock(main, mutex, false);
        }
        let sum = self.builder.terms().add(one, other);
        let looked_at = if self.dice.chance(50) { one } else { sum };
        let value = self.builder.constant(1, self.dice.below(6) as u128);
        let equal = self.builder.terms().eq(looked_at, value);
        let condition = if self.dice.chance(50) { equal } else { self.builder.terms().not(equal) };
        self.builder.assert(main, condition);
    }

    fn block(&mut self, thread: ThreadId) {
        let inside = &mut self.inside[thread.index()];
        *inside = !*inside;
        let kind = if *inside { Kind::AtomicBegin } else { Kind::AtomicEnd };
        self.builder.event(thread, kind);
    }
}
