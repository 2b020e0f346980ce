//! A mutex: a section that one thread is in. Sections belong to the theory of order, so taking and leaving one are steps of
//! their own. In an engine that computes with numbers, the word is the number of times that the holder has taken it.

use ir::{Code, MutexKind, Primitive};

use super::engine::{Arithmetic, Engine, Patience};
use super::{Object, Operation, Performed};
use crate::messages;

/// The kind of a mutex, by the number with which it is made.
pub fn kind(number: u32) -> MutexKind {
    match number & 3 {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorCheck,
        _ => MutexKind::Plain,
    }
}

pub struct Mutex;

impl Object for Mutex {
    const NOUN: &'static str = "mutex";
    const COUNTS: bool = false;

    fn operation(primitive: Primitive) -> Option<Operation> {
        Some(match primitive {
            Primitive::MutexInit => Operation::init(),
            Primitive::MutexDestroy => Operation::destroy(),
            Primitive::MutexLock => Operation::waits("locked", "lock"),
            Primitive::MutexTryLock => Operation::of("locked", "trylock"),
            Primitive::MutexTimedLock => Operation::of("locked", "lock"),
            Primitive::MutexUnlock => Operation::of("unlocked", "unlock"),
            _ => return None,
        })
    }

    fn perform<E: Engine>(engine: &mut E, primitive: Primitive) -> Performed<E> {
        match primitive {
            Primitive::MutexLock => lock(engine, Patience::Waits),
            Primitive::MutexTryLock => lock(engine, Patience::Tries),
            Primitive::MutexTimedLock => lock(engine, Patience::Timed),
            _ => unlock(engine),
        }
    }

    fn is_busy<A: Arithmetic>(words: &mut A, levels: A::Word, _: u32) -> A::Truth {
        let free = words.word(0);
        words.differ(levels, free)
    }
}

fn lock<E: Engine>(engine: &mut E, patience: Patience) -> Performed<E> {
    let kind = engine.mutex_kind()?;
    if kind == MutexKind::ErrorCheck && patience != Patience::Tries {
        let holds = engine.holds()?;
        if engine.decide(holds)? {
            engine.show();
            return Ok(Some(engine.code(Code::Deadlock)));
        }
    }
    let taken = engine.enter(kind, patience)?;
    engine.acquire(taken, true);
    Ok(Some(engine.taken(patience, taken)))
}

fn unlock<E: Engine>(engine: &mut E) -> Performed<E> {
    engine.show();
    let kind = engine.mutex_kind()?;
    if kind != MutexKind::Plain {
        let holds = engine.holds()?;
        if !engine.decide(holds)? {
            engine.pass_by()?;
            return Ok(Some(engine.code(Code::NotOwner)));
        }
    }
    engine.release();
    engine.leave(kind, messages::UNHELD_MUTEX)?;
    Ok(Some(engine.code(Code::Ok)))
}
