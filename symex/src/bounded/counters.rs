//! Synchronization by counters: semaphores, read/write locks, barriers and once-controls.

use events::{Address, Builder, EventId, Kind, ThreadId};
use formula::Term;
use ir::{Code, Primitive};
use vm::FailureKind;

use crate::bounded::access::{Side, Spots};
use crate::bounded::lives::{noun, used_late};
use crate::bounded::place::SYNC_BYTES as BYTES;
use crate::bounded::sync::{Performed, code};
use crate::bounded::value::Value;
use crate::bounded::walk::Role;
use crate::bounded::world::{Stop, Walker};
use crate::terms;

/// The largest value of a semaphore.
const SEM_VALUE_MAX: u128 = i32::MAX as u128;
/// The state of a read/write lock held by a writer; otherwise the state is the number of readers.
pub const WRITER: u128 = (1 << (8 * BYTES)) - 1;
/// A semaphore with a smaller initial value cannot overflow: no walked path is long enough for that many posts.
pub const LARGE_COUNT: u32 = 1 << 30;

impl Walker<'_, '_> {
    pub fn counted(&mut self, primitive: Primitive, args: &[Value]) -> Performed {
        let (at, spots) = self.sync_at(args[0], "used")?;
        self.check_own_deeds(&spots, &used_late(noun(primitive)))?;
        if !self.rest.live {
            if let Some(done) = self.counted_alone(primitive, at).or_else(|| self.read_write_alone(primitive, at)) {
                self.rest.does(self.walk.builder.terms());
                return done;
            }
            self.walk.go_live(self.rest);
        }
        let state = self.address(&spots, Side::Sync);
        let limited = self.walk.known.large.contains(&at);
        match primitive {
            Primitive::SemWait | Primitive::SemTryWait | Primitive::SemTimedWait | Primitive::SemPost => {
                let got = self.count(|builder, thread| match primitive {
                    Primitive::SemWait => none(builder.sem_wait(thread, state, BYTES)),
                    Primitive::SemPost if limited => Some(builder.sem_limited_post(thread, state, BYTES)),
                    Primitive::SemPost => none(builder.sem_post(thread, state, BYTES)),
                    _ => Some(builder.sem_try_wait(thread, state, BYTES)),
                });
                self.check_found(primitive, &spots)?;
                self.told(primitive, got)
            }
            Primitive::SemValue => {
                let value = self.count(|builder, thread| builder.read(thread, state, BYTES));
                self.check_found(primitive, &spots)?;
                self.as_number(value)
            }
            Primitive::BarrierWait => match self.walk.known.parties.get(&at) {
                Some(&parties) => self.barrier(&spots, state, parties),
                None => Err(self.fail(FailureKind::Memory, "barrier used before it was initialised")),
            },
            Primitive::OnceBegin | Primitive::OnceEnd | Primitive::OnceCancel => self.once(primitive, state),
            _ => self.read_write(primitive, at, &spots, state),
        }
    }

    fn count<T>(&mut self, build: impl FnOnce(&mut Builder, ThreadId) -> T) -> T {
        self.walk.emit(self.rest, Role::Step, build)
    }

    /// Checks that the count that the last event read does not mark the object as destroyed; if it does, the event
    /// writes nothing.
    fn check_found(&mut self, primitive: Primitive, spots: &Spots) -> Result<(), Stop> {
        let events = &self.walk.builder.graph().events;
        let last = EventId(events.len() as u32 - 1);
        let Kind::Access(mut access) = events[last.index()].kind.clone() else { return Ok(()) };
        match access.old {
            Some(old) if self.may_be_destroyed(spots) => {
                let alive = self.is_alive(old);
                access.writes = self.terms().and2(access.writes, alive);
                self.walk.builder.set_kind(last, Kind::Access(access));
                self.check_count(old, used_late(noun(primitive)))
            }
            _ => Ok(()),
        }
    }

    /// A number as the program gets it: 32 bits wide.
    fn as_number(&mut self, term: Term) -> Performed {
        let term = terms::fit(self.terms(), term, 32);
        Ok(Some(self.value(term)))
    }

    /// The result code: whether the operation succeeded. A waiting operation always does.
    fn told(&mut self, primitive: Primitive, got: Option<Term>) -> Performed {
        let no = match primitive {
            Primitive::SemTryWait | Primitive::RwTryRead | Primitive::RwTryWrite => Code::Busy,
            Primitive::SemPost => Code::Invalid,
            _ => Code::TimedOut,
        };
        match got {
            Some(got) => self.either(got, Code::Ok, no),
            None => code(Code::Ok),
        }
    }

    fn once(&mut self, primitive: Primitive, state: Address) -> Performed {
        match primitive {
            Primitive::OnceBegin => {
                let runs = self.count(|builder, thread| builder.once(thread, state, BYTES));
                let runs = terms::of_bool(self.terms(), runs);
                return self.as_number(runs);
            }
            Primitive::OnceEnd => self.count(|builder, thread| builder.once_done(thread, state, BYTES)),
            _ => self.count(|builder, thread| builder.once_cancelled(thread, state, BYTES)),
        };
        Ok(None)
    }

    fn read_write(&mut self, primitive: Primitive, at: u64, spots: &Spots, state: Address) -> Performed {
        let holds = self.holds(at);
        if primitive == Primitive::RwUnlock {
            self.demand(holds, FailureKind::Memory, "rwlock unlocked that the thread does not hold")?;
            self.count(|builder, thread| builder.rw_unlock(thread, state, BYTES));
            self.take(at, -1);
            self.rest.written.insert(at, Value::word(8, 0));
            return code(Code::Ok);
        }
        match self.writes_with(at) {
            Some(false) => {}
            Some(true) if matches!(primitive, Primitive::RwTryRead | Primitive::RwTryWrite) => return code(Code::Busy),
            Some(true) => return code(Code::Deadlock),
            None => {
                let written = self.written(at);
                return Err(Stop::Split(written));
            }
        }
        let take = |builder: &mut Builder, thread| match primitive {
            Primitive::RwRead => none(builder.read_lock(thread, state, BYTES)),
            Primitive::RwWrite => none(builder.write_lock(thread, state, BYTES)),
            Primitive::RwTryRead | Primitive::RwTimedRead => Some(builder.try_read_lock(thread, state, BYTES)),
            _ => Some(builder.try_write_lock(thread, state, BYTES)),
        };
        let got = if let Primitive::RwRead | Primitive::RwWrite = primitive {
            let got = self.count(take);
            self.check_life(spots, noun(primitive), Role::Part)?;
            got
        } else {
            self.with_life(spots, noun(primitive), |own| own.count(take))?
        };
        if matches!(primitive, Primitive::RwWrite | Primitive::RwTryWrite | Primitive::RwTimedWrite) {
            let (one, before) = (Value::word(8, 1), self.written_levels(at));
            let written = got.map_or(one, |got| Value::choose(self.walk.builder.terms(), got, one, before));
            self.rest.written.insert(at, written);
        }
        self.count_lock(at, 1, got);
        self.told(primitive, got)
    }

    /// 1 if the thread holds a read/write lock to write, otherwise 0.
    fn written_levels(&self, at: u64) -> Value {
        self.rest.written.get(&at).copied().unwrap_or(Value::word(8, 0))
    }

    /// The condition that the thread holds a read/write lock to write.
    fn written(&mut self, at: u64) -> Term {
        let written = self.written_levels(at);
        let one = Value::word(8, 1);
        written.same(self.terms(), one)
    }

    /// Whether it holds it, if that is known on this path.
    fn writes_with(&mut self, at: u64) -> Option<bool> {
        let written = self.written(at);
        let known = self.terms().as_bool(written);
        known.or_else(|| self.rest.guard.decides(self.walk.builder.terms(), written))
    }

    fn count_lock(&mut self, at: u64, by: i128, taken: Option<Term>) {
        let before = self.levels(at);
        self.take(at, by);
        if let Some(taken) = taken {
            let after = self.levels(at);
            let levels = Value::choose(self.walk.builder.terms(), taken, after, before);
            self.rest.held.insert(at, levels);
        }
    }

    fn barrier(&mut self, spots: &Spots, state: Address, parties: u32) -> Performed {
        let before = self.count(|builder, thread| builder.arrive(thread, state, BYTES));
        self.check_found(Primitive::BarrierWait, spots)?;
        self.count(|builder, thread| builder.leave(thread, state, BYTES, parties, before));
        let count = self.terms().bits(8 * BYTES, u128::from(parties.max(1)));
        let last = self.terms().bits(8 * BYTES, u128::from(parties.max(1)) - 1);
        let rest = self.terms().urem(before, count);
        let is_last = self.terms().eq(rest, last);
        let term = terms::of_bool(self.terms(), is_last);
        let term = terms::fit(self.terms(), term, 32);
        Ok(Some(self.value(term)))
    }

    /// The operation while there is only one thread. None if it would have to wait.
    fn counted_alone(&mut self, primitive: Primitive, at: u64) -> Option<Performed> {
        let before = self.rest.counters.get(&at).map_or(Some(0), |value| value.as_word())?;
        let mut set = |count: u128| {
            self.rest.counters.insert(at, Value::word(8 * BYTES, count));
        };
        Some(match primitive {
            Primitive::SemPost if before == SEM_VALUE_MAX => code(Code::Invalid),
            Primitive::SemPost => {
                set(before + 1);
                code(Code::Ok)
            }
            Primitive::SemWait if before > 0 => {
                set(before - 1);
                code(Code::Ok)
            }
            Primitive::SemTryWait if before > 0 => {
                set(before - 1);
                code(Code::Ok)
            }
            Primitive::SemTryWait => code(Code::Busy),
            Primitive::SemValue => Ok(Some(Value::word(32, before))),
            Primitive::OnceBegin if before == 0 => {
                set(1);
                self.walk.known.onces.insert(at);
                Ok(Some(Value::word(32, 1)))
            }
            Primitive::OnceBegin if before == 2 => Ok(Some(Value::word(32, 0))),
            Primitive::OnceEnd => {
                set(2);
                Ok(None)
            }
            Primitive::OnceCancel => {
                set(0);
                Ok(None)
            }
            _ => return None,
        })
    }

    /// An operation on a read/write lock while there is only one thread. None if it would have to wait or is an error.
    fn read_write_alone(&mut self, primitive: Primitive, at: u64) -> Option<Performed> {
        let before = self.rest.counters.get(&at).map_or(Some(0), |value| value.as_word())?;
        let levels = self.levels(at).as_word()?;
        let writes = self.written_levels(at).as_word()?;
        let after = match primitive {
            Primitive::RwUnlock if levels == 0 => return None,
            Primitive::RwUnlock if before == WRITER => 0,
            Primitive::RwUnlock => before.checked_sub(1)?,
            Primitive::RwRead | Primitive::RwTryRead | Primitive::RwTimedRead if before != WRITER => before + 1,
            Primitive::RwWrite | Primitive::RwTryWrite | Primitive::RwTimedWrite if before == 0 => WRITER,
            _ => return None,
        };
        // The results of other operations depend on whether this thread holds the lock to write, so both views must
        // agree.
        if writes != u128::from(before == WRITER) {
            return None;
        }
        self.walk.known.rwlocks.insert(at);
        self.rest.counters.insert(at, Value::word(8 * BYTES, after));
        self.rest.written.insert(at, Value::word(8, u128::from(after == WRITER)));
        self.take(at, if primitive == Primitive::RwUnlock { -1 } else { 1 });
        Some(code(Code::Ok))
    }
}

/// The count before an operation does not matter after it has waited.
fn none(_: Term) -> Option<Term> {
    None
}

/// Whether the operation may have to wait.
pub fn waits_for_count(primitive: Primitive) -> bool {
    matches!(
        primitive,
        Primitive::RwRead | Primitive::RwWrite | Primitive::SemWait | Primitive::BarrierWait | Primitive::OnceBegin
    )
}

pub fn counts(primitive: Primitive) -> bool {
    matches!(
        primitive,
        Primitive::RwRead
            | Primitive::RwTryRead
            | Primitive::RwTimedRead
            | Primitive::RwWrite
            | Primitive::RwTryWrite
            | Primitive::RwTimedWrite
            | Primitive::RwUnlock
            | Primitive::SemWait
            | Primitive::SemTryWait
            | Primitive::SemTimedWait
            | Primitive::SemPost
            | Primitive::SemValue
            | Primitive::BarrierWait
            | Primitive::OnceBegin
            | Primitive::OnceEnd
            | Primitive::OnceCancel
    )
}
