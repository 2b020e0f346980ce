//! The end of threads as others see it: joining and detaching. A thread that was joined or detached is claimed; it cannot be
//! claimed again.

use ir::{Code, Primitive};

use super::engine::{Arithmetic, Patience};

/// What these scripts need of an engine.
pub trait Threads: Arithmetic {
    type Stop;

    /// The thread that the first argument is the handle of.
    fn thread(&mut self) -> Result<Option<usize>, Self::Stop>;
    fn is_caller(&mut self, thread: usize) -> bool;
    /// Whether it was joined or detached.
    fn is_claimed(&mut self, thread: usize) -> Result<bool, Self::Stop>;
    /// Waits for the end of a thread, claims it and stores its result; returns whether it did.
    fn join(&mut self, thread: usize, patience: Patience) -> Result<Self::Truth, Self::Stop>;
    fn detach(&mut self, thread: usize) -> Result<(), Self::Stop>;
    /// Wakes a thread that can be interrupted, or notes that it was.
    fn interrupt(&mut self, thread: usize) -> Result<(), Self::Stop>;
}

pub type Performed<E> = Result<Option<<E as Arithmetic>::Word>, <E as Threads>::Stop>;

/// The operations on a thread by its handle; `None` for all others.
pub fn perform<E: Threads>(engine: &mut E, primitive: Primitive) -> Option<Performed<E>> {
    Some(match primitive {
        Primitive::ThreadJoin => join(engine, Patience::Waits),
        Primitive::ThreadTryJoin => join(engine, Patience::Tries),
        Primitive::ThreadTimedJoin => join(engine, Patience::Timed),
        Primitive::ThreadDetach => detach(engine),
        Primitive::ThreadInterrupt => interrupt(engine),
        _ => return None,
    })
}

fn join<E: Threads>(engine: &mut E, patience: Patience) -> Performed<E> {
    let Some(thread) = engine.thread()? else { return Ok(Some(engine.code(Code::Invalid))) };
    if engine.is_caller(thread) {
        return Ok(Some(engine.code(Code::Deadlock)));
    }
    if engine.is_claimed(thread)? {
        return Ok(Some(engine.code(Code::Invalid)));
    }
    let joined = engine.join(thread, patience)?;
    // If another thread has joined it while this one waited, the handle is invalid.
    let otherwise = if patience == Patience::Waits { Code::Invalid } else { patience.refusal() };
    Ok(Some(engine.either(joined, Code::Ok, otherwise)))
}

fn detach<E: Threads>(engine: &mut E) -> Performed<E> {
    let Some(thread) = engine.thread()? else { return Ok(Some(engine.code(Code::Invalid))) };
    if engine.is_claimed(thread)? {
        return Ok(Some(engine.code(Code::Invalid)));
    }
    engine.detach(thread)?;
    Ok(Some(engine.code(Code::Ok)))
}

fn interrupt<E: Threads>(engine: &mut E) -> Performed<E> {
    let Some(thread) = engine.thread()? else { return Ok(Some(engine.code(Code::Invalid))) };
    engine.interrupt(thread)?;
    Ok(Some(engine.code(Code::Ok)))
}
