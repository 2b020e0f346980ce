//! The virtual clock: one for the whole program, monotonic along the order of execution. In graphs it is a cell like
//! any other.
//!
//! Every reading advances it by a tick, so that a loop which waits for a time ends. A sleep reads the clock when it
//! begins and advances the clock to its deadline when it ends; sleeps of different threads may overlap. A wait that
//! timed out advances the clock to its deadline. Time passes in no other way.
//!
//! If no function reads the clock, its changes are invisible: the begin of a sleep is then no step, and its end is
//! independent of all other steps.

use std::collections::HashMap;

use ir::Primitive;
use run::ThreadName;
use semantics::concrete::Word;
use semantics::execute::Halt;

use crate::world::{Pending, Performed, Phase, Shared, Stop};

/// A second of 2020.
pub const START: i64 = 1_600_000_000_000_000_000;
/// How far a reading moves the clock.
pub const TICK: i64 = 1_000_000;
/// No sleep and no deadline moves the clock beyond this, so that sums do not overflow.
pub const LATEST: i64 = 1 << 62;
/// A longer sleep is treated as one of this length.
pub const LONGEST_SLEEP: i64 = 1 << 61;

/// The initial value: after recorded readings are used up, the clock continues after all of them.
pub fn start(readings: &HashMap<ThreadName, Vec<i64>>) -> i64 {
    readings.values().flatten().copied().fold(START, i64::max).min(LATEST)
}

/// When a sleep ends that begins now.
pub fn deadline(now: i64, length: i64) -> i64 {
    now.saturating_add(length.clamp(0, LONGEST_SLEEP))
}

pub fn perform(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    match primitive {
        Primitive::ThreadSleep => sleep(world, args),
        Primitive::ClockPass => {
            if world.code.reads_clock {
                world.gate(Pending::primitive(primitive, args))?;
            }
            pass(world, args[0] as u64 as i64);
            Ok(None)
        }
        _ => read(world, args),
    }
}

fn read(world: &mut Shared, args: &[Word]) -> Performed {
    let recorded = world.recorded_reading();
    if recorded.is_none() {
        world.gate(Pending::primitive(Primitive::InputClock, args))?;
    }
    let now = recorded.unwrap_or(world.time.clock.saturating_add(TICK));
    if recorded.is_none() {
        world.time.clock = now;
        world.touched("clock", None);
        if let Some(touch) = &mut world.notes.touch {
            touch.text = "the clock".to_owned();
        }
    }
    let me = world.me();
    me.own.clock_reads += 1;
    me.idle.changed();
    world.record_input(Primitive::InputClock.name(), now, None);
    Ok(Some(Word::from(now as u64)))
}

/// A sleep whose begin and end others can distinguish is two steps.
fn sleep(world: &mut Shared, args: &[Word]) -> Performed {
    let length = args[0] as u64 as i64;
    if world.me().phase != Phase::Dozing {
        let alone = world.status[world.turn.current].atomic_depth > 0;
        if world.code.reads_clock {
            world.gate(Pending::primitive(Primitive::ThreadSleep, args))?;
        }
        let until = deadline(world.time.clock, length);
        let me = world.me();
        me.own.wakes_at = until;
        me.phase = Phase::Dozing;
        me.idle.slept();
        if world.code.reads_clock && !alone {
            return Err(Halt::Stay(Stop::Pause));
        }
    }
    world.gate(Pending::primitive(Primitive::ThreadSleep, args))?;
    world.me().phase = Phase::Whole;
    let until = world.me().own.wakes_at;
    pass(world, until);
    world.turn.yielded = true;
    world.touched("sleep", None);
    Ok(None)
}

fn pass(world: &mut Shared, until: i64) {
    world.time.clock = world.time.clock.max(until.min(LATEST));
}

impl Shared {
    /// The next reading of this thread in the recorded run that is followed.
    pub fn recorded_reading(&self) -> Option<i64> {
        let me = &self.status[self.turn.current];
        self.time.readings.get(&me.name)?.get(me.own.clock_reads).copied()
    }
}
