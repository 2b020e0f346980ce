//! Small random graphs for tests: a few threads that use all that a graph can express, on few objects and with small
//! values, so that they interfere. The same seed always gives the same graph.
//!
//! Graphs never depend on a symbol whose event was skipped: a value read under a guard is used under that guard only.
//! Each graph uses a few themes out of all kinds of synchronisation, because a mixture of everything rarely interacts.

use events::{Address, Builder, EventGraph, EventId, Kind, ObjectId, ThreadId};
use formula::{Sort, Term};
use run::ThreadName;

use crate::random::Random;

/// A well-formed graph of 2 to 4 threads with at most `size` events, not counting starts and exits. All inputs are
/// booleans.
pub fn random_graph(seed: u64, size: usize) -> EventGraph {
    let mut random = Random::new(seed);
    let threads = (2 + random.below(3)).min(size.max(1) + 1);
    let generator = Generator::new(random, threads);
    generator.graph(threads, size)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Theme {
    Memory,
    CompareExchange,
    Semaphore,
    ReadWriteLock,
    Barrier,
    Spin,
    Await,
    Once,
    Mutex,
    RecursiveMutex,
    TryLock,
    LooseMutex,
    Wait,
    Atomic,
}

const THEMES: [Theme; 14] = [
    Theme::Memory,
    Theme::CompareExchange,
    Theme::Semaphore,
    Theme::ReadWriteLock,
    Theme::Barrier,
    Theme::Spin,
    Theme::Await,
    Theme::Once,
    Theme::Mutex,
    Theme::RecursiveMutex,
    Theme::TryLock,
    Theme::LooseMutex,
    Theme::Wait,
    Theme::Atomic,
];

struct Objects {
    mutexes: ObjectId,
    conditions: ObjectId,
    semaphore: ObjectId,
    read_write_lock: ObjectId,
    barrier: ObjectId,
    once: ObjectId,
}

struct Generator {
    random: Random,
    builder: Builder,
    themes: Vec<Theme>,
    /// Arrays of bytes.
    data: Vec<(ObjectId, u32)>,
    objects: Objects,
    /// All symbols read so far, by thread.
    read: Vec<(ThreadId, Term)>,
    /// Whether conditions name values that other threads read.
    judges_late: bool,
    threads: usize,
}

/// The values in a thread's scope.
struct Local {
    thread: ThreadId,
    left: usize,
    /// Bytes and booleans that its terms may name.
    bytes: Vec<Term>,
    bools: Vec<Term>,
    inside: bool,
}

impl Generator {
    fn new(mut random: Random, threads: usize) -> Generator {
        let mut builder = Builder::new();
        let data = (0..1 + random.below(2)).map(|number| {
            let bytes = 1 + random.below(3) as u32;
            (builder.object(format!("data{number}"), bytes), bytes)
        });
        let data: Vec<(ObjectId, u32)> = data.collect();
        let [mutexes, conditions] = ["mutexes", "conditions"].map(|name| builder.object(name, 2));
        let [semaphore, read_write_lock, barrier, once] =
            ["semaphore", "rwlock", "barrier", "once"].map(|name| builder.object(name, 1));
        let themes = (0..1 + random.below(3)).map(|_| random.pick(&THEMES)).collect();
        let judges_late = random.chance(3);
        Generator {
            random,
            builder,
            themes,
            data,
            objects: Objects { mutexes, conditions, semaphore, read_write_lock, barrier, once },
            read: Vec::new(),
            judges_late,
            threads,
        }
    }

    fn graph(mut self, threads: usize, size: usize) -> EventGraph {
        let inputs = [0, 0, 1, 1, 2][self.random.below(5)];
        let inputs: Vec<Term> =
            (0..inputs).map(|number| self.builder.input(format!("input{number}"), Sort::Bool)).collect();
        self.initial_values(&inputs);
        let mut name = ThreadName::main();
        for number in 0..threads {
            self.builder.thread(name);
            name = ThreadName::main().child(number as u32 + 1);
        }
        let forks = threads - 1;
        let mut shares = vec![0; threads];
        for _ in 0..size.saturating_sub(forks) {
            shares[self.random.below(threads)] += 1;
        }
        // Forks mostly come first; a late fork happens after events that the child then cannot run in parallel with.
        let late = self.random.below(4);
        for (number, share) in shares.iter().copied().enumerate() {
            let thread = ThreadId(number as u32);
            let mut local = Local { thread, left: share, bytes: Vec::new(), bools: inputs.clone(), inside: false };
            for child in (1..threads).filter(|_| number == 0) {
                if child == late && self.random.chance(50) {
                    self.operation(&mut local);
                }
                self.fork(&local, ThreadId(child as u32));
            }
            while local.left > 0 {
                self.statement(&mut local);
            }
        }
        self.builder.finish()
    }

    fn initial_values(&mut self, inputs: &[Term]) {
        for (object, bytes) in self.data.clone() {
            if self.random.chance(40) {
                let offset = self.random.below(bytes as usize) as u32;
                let mut value = self.builder.constant(1, self.random.below(3) as u128);
                if let (Some(&input), true) = (inputs.first(), self.random.chance(20)) {
                    let zero = self.builder.constant(1, 0);
                    value = self.builder.terms().ite(input, value, zero);
                }
                self.builder.initial(object, offset, value);
            }
        }
        let permits = self.random.below(3);
        if permits > 0 {
            let permits = self.builder.constant(1, permits as u128);
            self.builder.initial(self.objects.semaphore, 0, permits);
        }
    }

    fn fork(&mut self, local: &Local, child: ThreadId) {
        if let (Some(&condition), true) = (local.bools.first(), self.random.chance(10)) {
            self.builder.set_guard(condition);
        }
        self.builder.fork(local.thread, child);
        let truth = self.builder.terms().truth();
        self.builder.set_guard(truth);
    }

    /// An operation, possibly under a condition, possibly with an alternative.
    fn statement(&mut self, local: &mut Local) {
        if local.inside || !self.random.chance(22) {
            return self.operation(local);
        }
        let outer = self.builder.guard();
        let condition = self.condition(local);
        let otherwise = self.builder.terms().not(condition);
        for (condition, chance) in [(condition, 100), (otherwise, 30)] {
            if local.left == 0 || !self.random.chance(chance) {
                continue;
            }
            let guard = self.builder.terms().and2(outer, condition);
            self.builder.set_guard(guard);
            let known = (local.bytes.len(), local.bools.len());
            for _ in 0..1 + self.random.below(2) {
                if local.left > 0 {
                    self.operation(local);
                }
            }
            // A value read inside is merged with a default for use outside.
            let merged = local.bytes.get(known.0).copied().filter(|_| self.random.chance(40));
            local.bytes.truncate(known.0);
            local.bools.truncate(known.1);
            if let Some(byte) = merged {
                let default = self.builder.constant(1, 1);
                let byte = self.builder.terms().ite(guard, byte, default);
                local.bytes.push(byte);
            }
        }
        self.builder.set_guard(outer);
    }

    fn operation(&mut self, local: &mut Local) {
        if local.left == 0 {
            return;
        }
        match self.random.below(100) {
            0..12 => self.judgement(local),
            12..15 if !local.inside && self.threads > 1 => {
                let child = ThreadId(1 + self.random.below(self.threads - 1) as u32);
                if child != local.thread || self.random.chance(10) {
                    local.left -= 1;
                    self.builder.join(local.thread, child);
                }
            }
            15..45 => self.memory(local),
            _ => {
                let theme = self.random.pick(&self.themes.clone());
                self.themed(local, theme);
            }
        }
    }

    /// Mostly assertions, some assumptions, rarely a cut or the end of the process.
    fn judgement(&mut self, local: &mut Local) {
        local.left -= 1;
        let mut condition = self.condition(local);
        let foreign: Vec<Term> =
            self.read.iter().filter(|(thread, _)| *thread != local.thread).map(|(_, byte)| *byte).collect();
        if self.judges_late && !foreign.is_empty() {
            let (byte, value) = (self.random.pick(&foreign), self.random.below(3) as u128);
            let value = self.builder.constant(1, value);
            condition = self.builder.terms().ne(byte, value);
        }
        match self.random.below(10) {
            0..2 => self.builder.assume(local.thread, condition),
            roll @ 2..4 if !self.judges_late => {
                let outer = self.builder.guard();
                let guard = self.builder.terms().and2(outer, condition);
                self.builder.set_guard(guard);
                let kind = if roll == 2 { Kind::Cut } else { Kind::End };
                let last = self.builder.event(local.thread, kind);
                self.builder.set_guard(outer);
                last
            }
            _ => self.builder.assert(local.thread, condition),
        };
    }

    fn condition(&mut self, local: &Local) -> Term {
        let byte = (!local.bytes.is_empty()).then(|| self.random.pick(&local.bytes));
        let bool = (!local.bools.is_empty()).then(|| self.random.pick(&local.bools));
        let value = self.builder.constant(1, self.random.below(4) as u128);
        let roll = self.random.below(10);
        let terms = self.builder.terms();
        let condition = match (byte, bool) {
            (None, None) => terms.bool(roll > 0),
            (Some(byte), None) if roll < 4 => terms.eq(byte, value),
            (Some(byte), None) if roll < 8 => terms.ne(byte, value),
            (Some(byte), None) => terms.ult(byte, value),
            (None, Some(bool)) => bool,
            (Some(byte), Some(_)) if roll < 5 => terms.eq(byte, value),
            (Some(byte), Some(bool)) if roll < 7 => {
                let equal = terms.ne(byte, value);
                terms.or2(equal, bool)
            }
            (Some(_), Some(bool)) => bool,
        };
        if self.random.chance(35) { self.builder.terms().not(condition) } else { condition }
    }

    fn value(&mut self, local: &Local, bytes: u32) -> Term {
        let constant = self.builder.constant(bytes, self.random.below(4) as u128);
        if local.bytes.is_empty() || self.random.chance(40) {
            return constant;
        }
        let (one, other) = (self.random.pick(&local.bytes), self.random.pick(&local.bytes));
        let roll = self.random.below(4);
        let condition = (roll == 3).then(|| self.condition(local));
        let terms = self.builder.terms();
        let wide = |terms: &mut formula::Terms, term| terms.zero_extend(term, 8 * bytes);
        let (one, other) = (wide(terms, one), wide(terms, other));
        match (roll, condition) {
            (0, _) => one,
            (1, _) => terms.add(one, constant),
            (2, _) => terms.bit_xor(one, other),
            (_, Some(condition)) => terms.ite(condition, one, constant),
            _ => constant,
        }
    }

    /// An address in the arrays, for an access of this many bytes. It leaves its object only if its offset is symbolic.
    fn data_address(&mut self, local: &Local, bytes: u32) -> Option<Address> {
        let fitting: Vec<(ObjectId, u32)> = self.data.iter().copied().filter(|(_, length)| *length >= bytes).collect();
        if fitting.is_empty() {
            return None;
        }
        let (object, length) = self.random.pick(&fitting);
        let places = (length - bytes + 1) as usize;
        let mut address = self.builder.address(object, self.random.below(places) as u32);
        if self.random.chance(30) {
            let other = self.builder.address(object, self.random.below(places) as u32);
            let condition = self.condition(local);
            address.offset = self.builder.terms().ite(condition, address.offset, other.offset);
        } else if self.random.chance(8) && !local.bytes.is_empty() {
            let byte = self.random.pick(&local.bytes);
            let offset = self.builder.terms().zero_extend(byte, 32);
            // A constant address outside of its object would be ill-formed.
            if self.builder.terms().as_bits(offset).is_none() {
                address.offset = offset;
            }
        } else if self.random.chance(10) {
            let (other, length) = self.random.pick(&fitting);
            let places = (length - bytes + 1) as usize;
            let other = self.builder.address(other, self.random.below(places) as u32);
            let condition = self.condition(local);
            let terms = self.builder.terms();
            address.object = terms.ite(condition, address.object, other.object);
            address.offset = terms.ite(condition, address.offset, other.offset);
        }
        Some(address)
    }

    fn memory(&mut self, local: &mut Local) {
        let bytes = if self.random.chance(12) { 2 } else { 1 };
        let Some(address) = self.data_address(local, bytes) else { return };
        local.left -= 1;
        match self.random.below(10) {
            0..5 => {
                let old = self.builder.read(local.thread, address, bytes);
                self.learn(local, old, bytes);
            }
            5..9 => {
                let value = self.value(local, bytes);
                self.builder.write(local.thread, address, value);
            }
            _ => {
                let value = self.value(local, bytes);
                let old = self.builder.rmw(local.thread, address, bytes, |terms, old| terms.add(old, value));
                self.learn(local, old, bytes);
            }
        }
    }

    fn learn(&mut self, local: &mut Local, old: Term, bytes: u32) {
        let byte = if bytes == 1 { old } else { self.builder.terms().extract(old, 7, 0) };
        local.bytes.push(byte);
        self.read.push((local.thread, byte));
    }

    fn themed(&mut self, local: &mut Local, theme: Theme) {
        let thread = local.thread;
        match theme {
            Theme::Memory => self.memory(local),
            Theme::CompareExchange => {
                let Some(address) = self.data_address(local, 1) else { return };
                local.left -= 1;
                let (expected, desired) = (self.value(local, 1), self.value(local, 1));
                let old = self.builder.compare_exchange(thread, address, expected, desired);
                self.learn(local, old, 1);
            }
            Theme::Spin if !local.inside => {
                let Some(address) = self.data_address(local, 1) else { return };
                local.left -= 1;
                let (value, equal) = (self.value(local, 1), self.random.chance(60));
                let until = |terms: &mut formula::Terms, old| {
                    if equal { terms.eq(old, value) } else { terms.ne(old, value) }
                };
                let old = self.builder.spin(thread, address, 1, until);
                self.learn(local, old, 1);
            }
            Theme::Await if !local.inside && local.left > 2 => self.idle_round(local),
            Theme::Semaphore => self.semaphore(local),
            Theme::ReadWriteLock => self.read_write_lock(local),
            Theme::Barrier if !local.inside && local.left > 1 => {
                local.left -= 2;
                let barrier = self.builder.address(self.objects.barrier, 0);
                let parties = 2 + self.random.below(self.threads - 1) as u32;
                self.builder.barrier(thread, barrier, 1, parties);
            }
            Theme::Once if !local.inside && local.left > 1 => self.once(local),
            Theme::Mutex if !local.inside => self.section(local, false),
            Theme::RecursiveMutex if !local.inside => self.section(local, true),
            Theme::TryLock => self.try_lock(local),
            Theme::LooseMutex if !local.inside => {
                local.left -= 1;
                let (mutex, recursive) = (self.mutex(local), self.random.chance(30));
                if self.random.chance(50) {
                    self.builder.lock(thread, mutex, recursive);
                } else {
                    // Whether an unlock is marked as foreign only matters for deadlocks.
                    let foreign = self.random.chance(70);
                    self.builder.event(thread, Kind::Unlock { mutex, recursive, foreign });
                }
            }
            Theme::Wait => self.wait_or_signal(local),
            Theme::Atomic if !local.inside && local.left > 2 => {
                local.left -= 2;
                self.builder.event(thread, Kind::AtomicBegin);
                local.inside = true;
                for _ in 0..1 + self.random.below(3) {
                    self.operation(local);
                }
                local.inside = false;
                self.builder.event(thread, Kind::AtomicEnd);
            }
            _ => self.memory(local),
        }
    }

    /// The reads of a loop iteration, and an await for them.
    fn idle_round(&mut self, local: &mut Local) {
        let mut round = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let next = EventId(self.builder.graph().events.len() as u32);
            if self.random.chance(25) {
                let (mutex, recursive) = (self.mutex(local), self.random.chance(20));
                let taken = self.builder.try_lock(local.thread, mutex, recursive);
                local.bools.push(taken);
            } else {
                let Some(address) = self.data_address(local, 1) else { continue };
                let old = self.builder.read(local.thread, address, 1);
                self.learn(local, old, 1);
            }
            local.left -= 1;
            round.push(next);
        }
        local.left -= 1;
        let outer = self.builder.guard();
        let condition = self.condition(local);
        let guard = self.builder.terms().and2(outer, condition);
        self.builder.set_guard(guard);
        self.builder.event(local.thread, Kind::Await { round });
        self.builder.set_guard(outer);
    }

    fn semaphore(&mut self, local: &mut Local) {
        local.left -= 1;
        let semaphore = self.builder.address(self.objects.semaphore, 0);
        match self.random.below(10) {
            0..4 if !local.inside => {
                self.builder.sem_wait(local.thread, semaphore, 1);
            }
            4..6 => {
                let got = self.builder.sem_try_wait(local.thread, semaphore, 1);
                local.bools.push(got);
            }
            _ => {
                self.builder.sem_post(local.thread, semaphore, 1);
            }
        }
    }

    fn read_write_lock(&mut self, local: &mut Local) {
        local.left -= 1;
        let lock = self.builder.address(self.objects.read_write_lock, 0);
        let thread = local.thread;
        match self.random.below(12) {
            0..3 if !local.inside => {
                self.builder.read_lock(thread, lock, 1);
            }
            3..6 if !local.inside => {
                self.builder.write_lock(thread, lock, 1);
            }
            6 => {
                let got = self.builder.try_read_lock(thread, lock, 1);
                local.bools.push(got);
            }
            7 => {
                let got = self.builder.try_write_lock(thread, lock, 1);
                local.bools.push(got);
            }
            _ => {
                self.builder.rw_unlock(thread, lock, 1);
            }
        }
    }

    /// The first thread executes an operation and then marks it as done.
    fn once(&mut self, local: &mut Local) {
        local.left -= 2;
        let control = self.builder.address(self.objects.once, 0);
        let first = self.builder.once(local.thread, control, 1);
        let outer = self.builder.guard();
        let guard = self.builder.terms().and2(outer, first);
        self.builder.set_guard(guard);
        if local.left > 0 && self.random.chance(60) {
            let known = local.bytes.len();
            self.memory(local);
            local.bytes.truncate(known);
        }
        self.builder.once_done(local.thread, control, 1);
        self.builder.set_guard(outer);
    }

    fn mutex(&mut self, local: &Local) -> Address {
        let mut mutex = self.builder.address(self.objects.mutexes, self.random.below(2) as u32);
        if self.random.chance(12) {
            let other = self.builder.address(self.objects.mutexes, self.random.below(2) as u32);
            let condition = self.condition(local);
            mutex.offset = self.builder.terms().ite(condition, mutex.offset, other.offset);
        }
        mutex
    }

    /// A lock, an operation, and mostly the unlock.
    fn section(&mut self, local: &mut Local, recursive: bool) {
        local.left -= 1;
        let mutex = self.mutex(local);
        self.builder.lock(local.thread, mutex, recursive);
        let unlocks = local.left > 0 && self.random.chance(90);
        local.left -= usize::from(unlocks);
        for _ in 0..self.random.below(3) {
            self.operation(local);
        }
        if unlocks {
            self.builder.unlock(local.thread, mutex, recursive);
        }
    }

    fn try_lock(&mut self, local: &mut Local) {
        local.left -= 1;
        let (mutex, recursive) = (self.mutex(local), self.random.chance(20));
        let taken = self.builder.try_lock(local.thread, mutex, recursive);
        local.bools.push(taken);
        if local.left > 0 && self.random.chance(70) {
            local.left -= 1;
            let outer = self.builder.guard();
            let guard = self.builder.terms().and2(outer, taken);
            self.builder.set_guard(guard);
            let known = (local.bytes.len(), local.bools.len());
            if local.left > 0 && self.random.chance(50) {
                self.memory(local);
            }
            self.builder.unlock(local.thread, mutex, recursive);
            local.bytes.truncate(known.0);
            local.bools.truncate(known.1);
            self.builder.set_guard(outer);
        }
    }

    fn wait_or_signal(&mut self, local: &mut Local) {
        let condition = self.builder.address(self.objects.conditions, usize::from(self.random.chance(15)) as u32);
        let thread = local.thread;
        if local.inside || local.left < 2 || self.random.chance(45) {
            local.left -= 1;
            if self.random.chance(70) {
                self.builder.signal(thread, condition);
            } else {
                self.builder.broadcast(thread, condition);
            }
            return;
        }
        let mutex = self.builder.address(self.objects.mutexes, 0);
        let locks = local.left > 3 && self.random.chance(80);
        local.left -= if locks { 4 } else { 2 };
        let recursive = self.random.chance(15);
        if locks {
            self.builder.lock(thread, mutex, recursive);
        }
        let sleep = self.builder.event(thread, Kind::Sleep { condition, mutex, recursive });
        let timed_out = self.random.chance(30).then(|| {
            let name = format!("timed_out{}", self.builder.graph().events.len());
            self.builder.terms().symbol(name, Sort::Bool)
        });
        let spurious = self.random.chance(15);
        self.builder.event(thread, Kind::Wake { sleep, timed_out, spurious });
        local.bools.extend(timed_out);
        if locks {
            self.builder.unlock(thread, mutex, recursive);
        }
    }
}
