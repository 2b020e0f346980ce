//! Small random graphs like those of recorded failures: straight threads that read, compute and write a few variables,
//! partly under a mutex, with path conditions, and one assertion about values read.

use events::{Builder, EventGraph, ThreadId};
use formula::Term;
use run::ThreadName;

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 29) ^ (self.0 >> 45)) as usize % limit
    }
}

struct Writer {
    builder: Builder,
    dice: Dice,
    variables: Vec<events::ObjectId>,
    mutex: events::ObjectId,
    /// By thread.
    read: Vec<Vec<Term>>,
}

/// At most `size` operations, not counting forks and joins.
pub fn updates(seed: u64, size: usize) -> EventGraph {
    let mut dice = Dice(seed ^ 0x9e37_79b9);
    dice.below(2);
    let mut builder = Builder::new();
    let variables = (0..1 + dice.below(3)).map(|number| builder.object(format!("v{number}"), 1)).collect();
    let mutex = builder.object("mutex", 1);
    let threads = 2 + dice.below(3);
    let mut name = ThreadName::main();
    for number in 0..threads {
        builder.thread(name);
        name = ThreadName::main().child(number as u32 + 1);
    }
    let mut writer = Writer { builder, dice, variables, mutex, read: vec![Vec::new(); threads] };
    let asserting = writer.dice.below(threads);
    let joins = asserting == 0 && writer.dice.below(2) == 0;
    for number in (0..threads).rev() {
        let thread = ThreadId(number as u32);
        if number == 0 {
            for child in 1..threads as u32 {
                writer.builder.fork(thread, ThreadId(child));
            }
        }
        let mut left = 1 + writer.dice.below(2 * size / threads);
        while left > 0 {
            left = left.saturating_sub(writer.operation(thread));
        }
        if number == asserting {
            for child in (1..threads as u32).filter(|_| joins) {
                writer.builder.join(thread, ThreadId(child));
            }
            writer.assertion(thread);
            if writer.dice.below(3) == 0 {
                writer.operation(thread);
            }
        }
    }
    writer.builder.finish()
}

impl Writer {
    fn operation(&mut self, thread: ThreadId) -> usize {
        let variable = self.variables[self.dice.below(self.variables.len())];
        let address = self.builder.address(variable, 0);
        let mutex = self.builder.address(self.mutex, 0);
        let own = &self.read[thread.index()];
        match self.dice.below(9) {
            0 | 1 => {
                let old = self.builder.read(thread, address, 1);
                self.read[thread.index()].push(old);
                1
            }
            2 | 3 => {
                let value = self.builder.constant(1, self.dice.below(3) as u128);
                self.builder.write(thread, address, value);
                1
            }
            4 | 5 => {
                let one = self.builder.constant(1, 1);
                let old = self.builder.read(thread, address, 1);
                let new = self.builder.terms().add(old, one);
                self.builder.write(thread, address, new);
                self.read[thread.index()].push(old);
                2
            }
            6 => {
                self.builder.lock(thread, mutex, false);
                let old = self.builder.read(thread, address, 1);
                let one = self.builder.constant(1, 1);
                let new = self.builder.terms().add(old, one);
                self.builder.write(thread, address, new);
                self.builder.unlock(thread, mutex, false);
                self.read[thread.index()].push(old);
                4
            }
            7 if !own.is_empty() => {
                let value = own[self.dice.below(own.len())];
                self.builder.write(thread, address, value);
                1
            }
            8 if !own.is_empty() && self.dice.below(2) == 0 => {
                let limit = self.builder.constant(1, 1 + self.dice.below(3) as u128);
                let value = own[self.dice.below(own.len())];
                let condition = self.builder.terms().ult(value, limit);
                self.builder.assume(thread, condition);
                0
            }
            _ => 1,
        }
    }

    fn assertion(&mut self, thread: ThreadId) {
        let variable = self.variables[self.dice.below(self.variables.len())];
        let address = self.builder.address(variable, 0);
        let old = self.builder.read(thread, address, 1);
        let value = self.builder.constant(1, self.dice.below(4) as u128);
        let same = self.builder.terms().eq(old, value);
        let condition = if self.dice.below(2) == 0 { same } else { self.builder.terms().not(same) };
        self.builder.assert(thread, condition);
    }
}
