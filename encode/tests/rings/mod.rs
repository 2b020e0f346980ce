//! Random graphs of threads that share a ring buffer of numbers: indices that wrap around, addresses that depend on
//! them, products and quotients, and an initialisation that zeroes the ring byte by byte.

use events::{Address, Builder, EventGraph, ThreadId};
use formula::Term;
use run::ThreadName;

use crate::crowded::Dice;

const ROOM: u128 = 3;
/// The width of an index and of a number in bytes.
const WORD: u32 = 2;

struct Ring {
    builder: Builder,
    dice: Dice,
    head: Address,
    tail: Address,
    numbers: Address,
}

/// Two threads beside the main one, which reads the ring at the end.
pub fn ring(seed: u64) -> EventGraph {
    let mut builder = Builder::new();
    let main = builder.thread(ThreadName::main());
    let threads = [1, 2].map(|number| builder.thread(ThreadName::main().child(number)));
    let object = builder.object("ring", WORD * (2 + ROOM as u32));
    let [head, tail, numbers] = [0, WORD, 2 * WORD].map(|offset| builder.address(object, offset));
    let mut ring = Ring { builder, dice: Dice(seed), head, tail, numbers };
    for byte in 0..WORD * (1 + ring.dice.below(2 + ROOM as usize) as u32) {
        let (address, zero) = (ring.builder.address(object, byte), ring.builder.constant(1, 0));
        ring.builder.write(main, address, zero);
    }
    for thread in threads {
        ring.builder.fork(main, thread);
    }
    for thread in threads {
        for _ in 0..1 + ring.dice.below(2) {
            if ring.dice.below(3) < 2 { ring.put(thread) } else { ring.take(thread) }
        }
    }
    if ring.dice.below(2) == 0 {
        for thread in threads {
            ring.builder.join(main, thread);
        }
        ring.take(main);
    }
    ring.builder.finish()
}

impl Ring {
    fn constant(&mut self, below: usize) -> Term {
        let number = self.dice.below(below) as u128;
        self.builder.constant(WORD, number)
    }

    /// The address of the element at an index.
    fn place(&mut self, index: Term) -> Address {
        let terms = self.builder.terms();
        let width = terms.bits(32, u128::from(WORD));
        let index = terms.zero_extend(index, 32);
        let offset = terms.mul(index, width);
        Address { offset: terms.add(offset, self.numbers.offset), ..self.numbers }
    }

    /// Reads an index and increments it.
    fn advance(&mut self, thread: ThreadId, index: Address) -> Term {
        let old = self.builder.read(thread, index, WORD);
        let (one, room) = (self.builder.constant(WORD, 1), self.builder.constant(WORD, ROOM));
        let terms = self.builder.terms();
        let next = terms.add(old, one);
        let next = terms.urem(next, room);
        self.builder.write(thread, index, next);
        old
    }

    fn put(&mut self, thread: ThreadId) {
        let index = self.advance(thread, self.tail);
        let place = self.place(index);
        let (factor, added) = (self.constant(5), self.constant(3));
        let terms = self.builder.terms();
        let product = terms.mul(index, factor);
        let number = terms.add(product, added);
        self.builder.write(thread, place, number);
    }

    fn take(&mut self, thread: ThreadId) {
        let index = self.advance(thread, self.head);
        let place = self.place(index);
        let number = self.builder.read(thread, place, WORD);
        let (expected, divides) = (self.constant(6), self.dice.below(2) == 0);
        let three = self.builder.constant(WORD, 3);
        let terms = self.builder.terms();
        let rest = terms.udiv(number, three);
        let condition = terms.ne(if divides { rest } else { number }, expected);
        if self.dice.below(4) == 0 {
            self.builder.assume(thread, condition);
        } else {
            self.builder.assert(thread, condition);
        }
    }
}
