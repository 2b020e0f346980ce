//! What waits for a number: semaphores, read/write locks, barriers and once-controls.

use events::{Address, Builder, ThreadId};
use formula::Term;
use ir::{Code, Primitive};
use vm::FailureKind;

use crate::bounded::sync::{Performed, code};
use crate::bounded::value::Value;
use crate::bounded::walk::Role;
use crate::bounded::world::{Stop, Walker};
use crate::terms;
use crate::trace::SYNC_BYTES as BYTES;

impl Walker<'_, '_> {
    pub fn counted(&mut self, primitive: Primitive, args: &[Value]) -> Performed {
        let (at, spots) = self.sync_at(args[0], "used")?;
        if !self.rest.live {
            if let Some(done) = self.counted_alone(primitive, at) {
                self.rest.does(self.walk.builder.terms());
                return done;
            }
            self.walk.go_live(self.rest);
        }
        let state = self.address(&spots, true);
        match primitive {
            Primitive::SemWait | Primitive::SemTryWait | Primitive::SemTimedWait | Primitive::SemPost => {
                let got = self.count(|builder, thread| match primitive {
                    Primitive::SemWait => none(builder.sem_wait(thread, state, BYTES)),
                    Primitive::SemPost => none(builder.sem_post(thread, state, BYTES)),
                    _ => Some(builder.sem_try_wait(thread, state, BYTES)),
                });
                self.told(primitive, got)
            }
            Primitive::SemValue => {
                let value = self.count(|builder, thread| builder.read(thread, state, BYTES));
                self.as_number(value)
            }
            Primitive::BarrierWait => match self.walk.known.parties.get(&at) {
                Some(&parties) => self.barrier(state, parties),
                None => Err(self.fail(FailureKind::Memory, "barrier used before it was initialised")),
            },
            Primitive::OnceBegin | Primitive::OnceEnd | Primitive::OnceCancel => self.once(primitive, state),
            _ => self.read_write(primitive, at, state),
        }
    }

    fn count<T>(&mut self, build: impl FnOnce(&mut Builder, ThreadId) -> T) -> T {
        self.walk.emit(self.rest, Role::Step, build)
    }

    /// What a number is as the program gets it.
    fn as_number(&mut self, term: Term) -> Performed {
        let term = terms::fit(self.terms(), term, 32);
        Ok(Some(self.value(term)))
    }

    /// Whether it was got; what waits always gets it.
    fn told(&mut self, primitive: Primitive, got: Option<Term>) -> Performed {
        let no = match primitive {
            Primitive::SemTryWait | Primitive::RwTryRead | Primitive::RwTryWrite => Code::Busy,
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
            _ => self.count(|builder, thread| {
                let again = builder.constant(BYTES, 0);
                builder.write(thread, state, again)
            }),
        };
        Ok(None)
    }

    fn read_write(&mut self, primitive: Primitive, at: u64, state: Address) -> Performed {
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
        let got = self.count(|builder, thread| match primitive {
            Primitive::RwRead => none(builder.read_lock(thread, state, BYTES)),
            Primitive::RwWrite => none(builder.write_lock(thread, state, BYTES)),
            Primitive::RwTryRead | Primitive::RwTimedRead => Some(builder.try_read_lock(thread, state, BYTES)),
            _ => Some(builder.try_write_lock(thread, state, BYTES)),
        });
        if matches!(primitive, Primitive::RwWrite | Primitive::RwTryWrite | Primitive::RwTimedWrite) {
            let (one, before) = (Value::word(8, 1), self.rest.written.get(&at).copied().unwrap_or(Value::word(8, 0)));
            let written = got.map_or(one, |got| Value::choose(self.walk.builder.terms(), got, one, before));
            self.rest.written.insert(at, written);
        }
        self.count_lock(at, 1, got);
        self.told(primitive, got)
    }

    /// That the thread holds a read/write lock to write.
    fn written(&mut self, at: u64) -> Term {
        let written = self.rest.written.get(&at).copied().unwrap_or(Value::word(8, 0));
        let one = Value::word(8, 1);
        written.same(self.terms(), one)
    }

    /// Whether it does, if that is known on this way.
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

    fn barrier(&mut self, state: events::Address, parties: u32) -> Performed {
        let before =
            self.walk.emit(self.rest, Role::Step, |builder, thread| builder.barrier(thread, state, BYTES, parties));
        let count = self.terms().bits(8 * BYTES, u128::from(parties.max(1)));
        let last = self.terms().bits(8 * BYTES, u128::from(parties.max(1)) - 1);
        let rest = self.terms().urem(before, count);
        let is_last = self.terms().eq(rest, last);
        let term = terms::of_bool(self.terms(), is_last);
        let term = terms::fit(self.terms(), term, 32);
        Ok(Some(self.value(term)))
    }

    /// As long as nobody else is about: nothing for what would have to wait.
    fn counted_alone(&mut self, primitive: Primitive, at: u64) -> Option<Performed> {
        let before = self.rest.counters.get(&at).and_then(|value| value.as_word()).unwrap_or(0);
        let mut set = |count: u128| {
            self.rest.counters.insert(at, Value::word(8 * BYTES, count));
        };
        Some(match primitive {
            Primitive::SemPost => {
                set(before + 1);
                code(Code::Ok)
            }
            Primitive::SemWait if before > 0 => {
                set(before - 1);
                code(Code::Ok)
            }
            Primitive::OnceBegin if before == 0 => {
                set(1);
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
}

/// What was there before does not matter to who waited for it.
fn none(_: Term) -> Option<Term> {
    None
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
