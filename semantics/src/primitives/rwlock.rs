//! A read/write lock: its word counts the readers; all bits are set while a writer holds it.

use ir::{Code, Primitive};

use super::engine::{Act, Arithmetic, Change, Engine, Hold, Patience};
use super::{Object, Operation, Performed};
use crate::messages;

/// The word while a writer holds the lock.
pub const WRITER: u32 = u32::MAX;

pub struct ReadWrite;

impl Object for ReadWrite {
    const NOUN: &'static str = "rwlock";
    const COUNTS: bool = false;

    fn operation(primitive: Primitive) -> Option<Operation> {
        Some(match primitive {
            Primitive::RwInit => Operation::init(),
            Primitive::RwDestroy => Operation::destroy(),
            Primitive::RwRead => Operation::waits("locked", "read-lock"),
            Primitive::RwTryRead | Primitive::RwTimedRead => Operation::of("locked", "read-lock"),
            Primitive::RwWrite => Operation::waits("locked", "write-lock"),
            Primitive::RwTryWrite | Primitive::RwTimedWrite => Operation::of("locked", "write-lock"),
            Primitive::RwUnlock => Operation::of("unlocked", "unlock"),
            _ => return None,
        })
    }

    fn perform<E: Engine>(engine: &mut E, primitive: Primitive) -> Performed<E> {
        match primitive {
            Primitive::RwRead => lock(engine, Hold::Shared, Patience::Waits),
            Primitive::RwTryRead => lock(engine, Hold::Shared, Patience::Tries),
            Primitive::RwTimedRead => lock(engine, Hold::Shared, Patience::Timed),
            Primitive::RwWrite => lock(engine, Hold::Alone, Patience::Waits),
            Primitive::RwTryWrite => lock(engine, Hold::Alone, Patience::Tries),
            Primitive::RwTimedWrite => lock(engine, Hold::Alone, Patience::Timed),
            _ => unlock(engine),
        }
    }

    fn is_busy<A: Arithmetic>(words: &mut A, word: A::Word, _: u32) -> A::Truth {
        let free = words.word(0);
        words.differ(word, free)
    }

    /// Two readers commute.
    fn commutes(primitive: Primitive, _: impl FnOnce() -> u32) -> bool {
        primitive == Primitive::RwRead
    }
}

fn lock<E: Engine>(engine: &mut E, how: Hold, patience: Patience) -> Performed<E> {
    // A writer that locks again would wait for itself.
    let writes = engine.holds_alone()?;
    if engine.decide(writes)? {
        engine.show();
        let code = if patience == Patience::Tries { Code::Busy } else { Code::Deadlock };
        return Ok(Some(engine.code(code)));
    }
    let taken = match (how, patience) {
        (Hold::Shared, Patience::Waits) => {
            engine.access(Act::ReadLock, read)?;
            engine.truth(true)
        }
        (Hold::Shared, _) => {
            let state = engine.access(Act::TryReadLock, try_read)?;
            let writer = engine.word(WRITER);
            engine.differ(state, writer)
        }
        (_, Patience::Waits) => {
            engine.access(Act::WriteLock, write)?;
            engine.truth(true)
        }
        _ => {
            let state = engine.access(Act::TryWriteLock, try_write)?;
            let free = engine.word(0);
            engine.equal(state, free)
        }
    };
    engine.hold(taken, how);
    engine.acquire(taken, true);
    Ok(Some(engine.taken(patience, taken)))
}

fn unlock<E: Engine>(engine: &mut E) -> Performed<E> {
    engine.show();
    let holds = engine.holds()?;
    engine.demand(holds, messages::UNHELD_RWLOCK)?;
    engine.release();
    engine.access(Act::RwUnlock, end)?;
    engine.let_go(Hold::Shared);
    Ok(Some(engine.code(Code::Ok)))
}

/// Waits until no writer holds it.
pub fn read<A: Arithmetic>(words: &mut A, state: A::Word) -> Change<A> {
    let (one, writer) = (words.word(1), words.word(WRITER));
    Change { enabled: words.differ(state, writer), new: words.plus(state, one), writes: words.truth(true) }
}

pub fn try_read<A: Arithmetic>(words: &mut A, state: A::Word) -> Change<A> {
    let (writer, one) = (words.word(WRITER), words.word(1));
    Change { enabled: words.truth(true), new: words.plus(state, one), writes: words.differ(state, writer) }
}

/// Waits until it is free.
pub fn write<A: Arithmetic>(words: &mut A, state: A::Word) -> Change<A> {
    let (free, writer) = (words.word(0), words.word(WRITER));
    Change { enabled: words.equal(state, free), new: writer, writes: words.truth(true) }
}

pub fn try_write<A: Arithmetic>(words: &mut A, state: A::Word) -> Change<A> {
    let (free, writer) = (words.word(0), words.word(WRITER));
    Change { enabled: words.truth(true), new: writer, writes: words.equal(state, free) }
}

/// Releases a writer's lock, or that of one reader. A free lock stays free.
pub fn end<A: Arithmetic>(words: &mut A, state: A::Word) -> Change<A> {
    let (free, one, writer) = (words.word(0), words.word(1), words.word(WRITER));
    let (written, fewer) = (words.equal(state, writer), words.minus(state, one));
    let new = words.choose(written, free, fewer);
    Change { enabled: words.truth(true), new, writes: words.differ(state, free) }
}
