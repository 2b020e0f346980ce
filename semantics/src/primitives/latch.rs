//! A counting latch: its word is the count. Threads wait until it is zero.

use ir::Primitive;

use super::engine::{Act, Arithmetic, Change, Engine};
use super::{Object, Operation, Performed};

pub struct Latch;

impl Object for Latch {
    const NOUN: &'static str = "latch";
    const BEGINS_WITH_NUMBER: bool = true;

    fn operation(primitive: Primitive) -> Option<Operation> {
        Some(match primitive {
            Primitive::LatchInit => Operation::init(),
            Primitive::LatchDown => Operation::of("counted down", "signal"),
            Primitive::LatchWait => Operation::waits("waited for", "wait"),
            _ => return None,
        })
    }

    fn perform<E: Engine>(engine: &mut E, primitive: Primitive) -> Performed<E> {
        if primitive == Primitive::LatchWait {
            engine.access(Act::Await, open)?;
            let always = engine.truth(true);
            engine.acquire(always, true);
            return Ok(None);
        }
        engine.release();
        let by = engine.number(1)?;
        let count = engine.access(Act::Update, |engine, count| down(engine, count, by))?;
        let fits = engine.at_most(by, count);
        engine.demand(fits, "latch counted down below zero")?;
        Ok(None)
    }
}

fn open<A: Arithmetic>(words: &mut A, count: A::Word) -> Change<A> {
    let zero = words.word(0);
    Change { enabled: words.equal(count, zero), new: count, writes: words.truth(false) }
}

fn down<A: Arithmetic>(words: &mut A, count: A::Word, by: A::Word) -> Change<A> {
    Change { enabled: words.truth(true), new: words.minus(count, by), writes: words.at_most(by, count) }
}
