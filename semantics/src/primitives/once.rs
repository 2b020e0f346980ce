//! A once-control: its word is 0 before the call, 1 during it and 2 afterwards.

use ir::Primitive;

use super::engine::{Act, Arithmetic, Change, Engine, Hold};
use super::{Object, Operation, Performed};

pub const NEW: u32 = 0;
pub const RUNNING: u32 = 1;
pub const DONE: u32 = 2;

pub struct Once;

impl Object for Once {
    const NOUN: &'static str = "once";

    fn operation(primitive: Primitive) -> Option<Operation> {
        Some(match primitive {
            Primitive::OnceBegin => Operation::waits("locked", "once"),
            Primitive::OnceEnd | Primitive::OnceCancel => Operation::of("locked", "once"),
            _ => return None,
        })
    }

    fn perform<E: Engine>(engine: &mut E, primitive: Primitive) -> Performed<E> {
        match primitive {
            Primitive::OnceBegin => begin(engine),
            Primitive::OnceEnd => end(engine, DONE),
            _ => end(engine, NEW),
        }
    }
}

/// Returns 1 to the thread that runs the function.
fn begin<E: Engine>(engine: &mut E) -> Performed<E> {
    let state = engine.access(Act::Once, run)?;
    let new = engine.word(NEW);
    let runs = engine.equal(state, new);
    engine.hold(runs, Hold::Runs);
    engine.acquire(runs, false);
    Ok(Some(engine.bit(runs)))
}

/// After an exception the next caller runs the function again.
fn end<E: Engine>(engine: &mut E, state: u32) -> Performed<E> {
    engine.release();
    let state = engine.word(state);
    engine.write(Act::Once, state)?;
    engine.let_go(Hold::Runs);
    Ok(None)
}

/// Waits while another thread runs the function; runs it if no thread has.
pub fn run<A: Arithmetic>(words: &mut A, state: A::Word) -> Change<A> {
    let (new, running) = (words.word(NEW), words.word(RUNNING));
    Change { enabled: words.differ(state, running), new: running, writes: words.equal(state, new) }
}
