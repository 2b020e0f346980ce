//! A semaphore: its word is the count.

use ir::{Code, Primitive};

use super::engine::{Act, Arithmetic, Change, Engine, Patience};
use super::{Object, Operation, Performed};

/// The largest count.
pub const MOST: u32 = i32::MAX as u32;
/// Posts to a semaphore that holds less never meet the limit.
pub const NEARLY_FULL: u32 = 1 << 30;

pub struct Semaphore;

impl Object for Semaphore {
    const NOUN: &'static str = "semaphore";
    const BEGINS_WITH_NUMBER: bool = true;

    fn operation(primitive: Primitive) -> Option<Operation> {
        Some(match primitive {
            Primitive::SemInit => Operation::init(),
            Primitive::SemDestroy => Operation::destroy(),
            Primitive::SemWait => Operation::waits("waited for", "sem-wait"),
            Primitive::SemTryWait | Primitive::SemTimedWait => Operation::of("waited for", "sem-wait"),
            Primitive::SemPost => Operation::of("posted", "sem-post"),
            Primitive::SemValue => Operation::of("read", "sem-value"),
            _ => return None,
        })
    }

    fn perform<E: Engine>(engine: &mut E, primitive: Primitive) -> Performed<E> {
        match primitive {
            Primitive::SemWait => wait(engine, Patience::Waits),
            Primitive::SemTryWait => wait(engine, Patience::Tries),
            Primitive::SemTimedWait => wait(engine, Patience::Timed),
            Primitive::SemPost => post(engine),
            _ => engine.access(Act::Read, look).map(Some),
        }
    }

    /// Two posts commute, unless one of them fails.
    fn commutes(primitive: Primitive, word: impl FnOnce() -> u32) -> bool {
        primitive == Primitive::SemPost && !(NEARLY_FULL..=MOST).contains(&word())
    }
}

fn wait<E: Engine>(engine: &mut E, patience: Patience) -> Performed<E> {
    let taken = if patience == Patience::Waits {
        engine.access(Act::SemWait, take)?;
        engine.truth(true)
    } else {
        let count = engine.access(Act::SemTryWait, try_take)?;
        let zero = engine.word(0);
        engine.differ(count, zero)
    };
    engine.acquire(taken, true);
    Ok(Some(engine.taken(patience, taken)))
}

fn post<E: Engine>(engine: &mut E) -> Performed<E> {
    engine.release();
    if !engine.comes_near(MOST) {
        engine.access(Act::SemPost, add)?;
        return Ok(Some(engine.code(Code::Ok)));
    }
    let count = engine.access(Act::SemPost, add_below_limit)?;
    let most = engine.word(MOST);
    let fits = engine.differ(count, most);
    Ok(Some(engine.either(fits, Code::Ok, Code::Invalid)))
}

/// Waits for a unit and takes it.
pub fn take<A: Arithmetic>(words: &mut A, count: A::Word) -> Change<A> {
    let (zero, one) = (words.word(0), words.word(1));
    Change { enabled: words.differ(count, zero), new: words.minus(count, one), writes: words.truth(true) }
}

/// Takes a unit if there is one.
pub fn try_take<A: Arithmetic>(words: &mut A, count: A::Word) -> Change<A> {
    let (zero, one) = (words.word(0), words.word(1));
    Change { enabled: words.truth(true), new: words.minus(count, one), writes: words.differ(count, zero) }
}

/// Adds a unit.
pub fn add<A: Arithmetic>(words: &mut A, count: A::Word) -> Change<A> {
    let one = words.word(1);
    Change { enabled: words.truth(true), new: words.plus(count, one), writes: words.truth(true) }
}

/// Adds a unit, unless that would be too many.
pub fn add_below_limit<A: Arithmetic>(words: &mut A, count: A::Word) -> Change<A> {
    let (most, one) = (words.word(MOST), words.word(1));
    Change { enabled: words.truth(true), new: words.plus(count, one), writes: words.differ(count, most) }
}

fn look<A: Arithmetic>(words: &mut A, count: A::Word) -> Change<A> {
    Change { enabled: words.truth(true), new: count, writes: words.truth(false) }
}
