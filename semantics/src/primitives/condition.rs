//! A condition variable: the threads that sleep on it. In an engine that computes with numbers, the word is their number.

use ir::{Code, Primitive};

use super::engine::{Arithmetic, Engine, Sleep};
use super::{Object, Operation, Performed};
use crate::messages;

pub struct Condition;

impl Object for Condition {
    const NOUN: &'static str = "condition";

    fn operation(primitive: Primitive) -> Option<Operation> {
        Some(match primitive {
            Primitive::CondInit => Operation::init(),
            Primitive::CondDestroy => Operation::destroy(),
            Primitive::CondWait => Operation::waits("waited for", "wait"),
            Primitive::CondTimedWait => Operation::waits("waited for", "wait"),
            Primitive::MonitorWait => Operation::waits("waited for", "wait"),
            Primitive::CondSignal => Operation::of("signalled", "signal"),
            Primitive::CondBroadcast => Operation::of("signalled", "broadcast"),
            Primitive::FutexWake => Operation { by_address: true, ..Operation::of("signalled", "signal") },
            Primitive::FutexWakeAll => Operation { by_address: true, ..Operation::of("signalled", "broadcast") },
            _ => return None,
        })
    }

    fn perform<E: Engine>(engine: &mut E, primitive: Primitive) -> Performed<E> {
        match primitive {
            Primitive::CondWait => wait(engine, Sleep { timed: false, whole: false }),
            Primitive::CondTimedWait => wait(engine, Sleep { timed: true, whole: false }),
            Primitive::MonitorWait => wait(engine, Sleep { timed: false, whole: true }),
            Primitive::CondSignal | Primitive::FutexWake => signal(engine, false),
            _ => signal(engine, true),
        }
    }

    fn is_busy<A: Arithmetic>(words: &mut A, sleepers: A::Word, _: u32) -> A::Truth {
        let nobody = words.word(0);
        words.differ(sleepers, nobody)
    }
}

/// Falling asleep releases the mutex; then comes a signal, a time-out or a spurious wake-up; then the mutex again. Only the
/// wait of a monitor can be interrupted.
fn wait<E: Engine>(engine: &mut E, sleep: Sleep) -> Performed<E> {
    let interrupted = engine.first(|engine| {
        let holds = engine.holds_mutex()?;
        engine.demand(holds, messages::UNHELD_WAIT)?;
        if sleep.whole {
            let interrupted = engine.was_interrupted();
            if engine.decide(interrupted)? {
                return Ok(engine.word(1));
            }
        }
        engine.fall_asleep(sleep)?;
        Ok(engine.word(0))
    })?;
    let one = engine.word(1);
    let interrupted = engine.equal(interrupted, one);
    if engine.decide(interrupted)? {
        return Ok(Some(engine.code(Code::Interrupted)));
    }
    engine.wake_up(sleep).map(Some)
}

fn signal<E: Engine>(engine: &mut E, all: bool) -> Performed<E> {
    engine.release();
    engine.wake(all)?;
    Ok(None)
}

/// The number of sleepers after a signal, or after a broadcast.
pub fn fewer<A: Arithmetic>(words: &mut A, sleepers: A::Word, all: bool) -> A::Word {
    let (nobody, one) = (words.word(0), words.word(1));
    let (none, less) = (words.equal(sleepers, nobody), words.minus(sleepers, one));
    if all { nobody } else { words.choose(none, nobody, less) }
}
