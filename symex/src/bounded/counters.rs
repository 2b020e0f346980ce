//! Operations on synchronisation objects, as events: the scripts of [`semantics::primitives`] over terms. As long as there is
//! only one thread, those on counters are executed on numbers.

use events::{Access, Address, Builder, EventId, Kind as Event, Label, ThreadId};
use formula::{Sort, Term};
use ir::{MutexKind, Primitive};
use semantics::messages::{never_made, used_late};
use semantics::primitives::rwlock::WRITER;
use semantics::primitives::{
    Act, Arithmetic, Change, Concrete, Engine, Hold, Kind, Operation, Patience, Role as Part, Sleep,
};
use vm::FailureKind;

use crate::bounded::access::{Side, Spots};
use crate::bounded::place::SYNC_BYTES as BYTES;
use crate::bounded::sync::Performed;
use crate::bounded::value::Value;
use crate::bounded::walk::Role;
use crate::bounded::words::computes_with_terms;
use crate::bounded::world::{Stop, Walker};

/// A semaphore with a smaller initial value cannot overflow: no walked path is long enough for that many posts.
pub const LARGE_COUNT: u32 = 1 << 30;

impl Walker<'_, '_> {
    pub fn on_object(&mut self, kind: Kind, operation: Operation, primitive: Primitive, args: &[Value]) -> Performed {
        match operation.role {
            Part::Init => return self.initialise(kind, operation, args),
            Part::Destroy => return self.destroy(kind, operation, args),
            Part::Use if operation.waits => self.may_wait()?,
            Part::Use => {}
        }
        let (at, spots) = match kind {
            Kind::Mutex => self.mutex_at(args[0], operation.what)?,
            _ if operation.by_address => self.futex_at(args[0])?,
            _ => {
                let (at, spots) = self.sync_at(args[0], operation.what)?;
                self.check_own_deeds(&spots, &used_late(kind.noun()))?;
                (at, spots)
            }
        };
        if !self.rest.live && !matches!(kind, Kind::Mutex | Kind::Condition) {
            if let Some(result) = self.alone(kind, primitive, args, at) {
                self.rest.does(self.walk.builder.terms());
                return Ok(result.map(|word| Value::word(32, u128::from(word))));
            }
            self.walk.go_live(self.rest);
        }
        let mut live = Live { own: self, kind, args, at, spots, accessed: false, wait: None };
        let result = kind.perform(&mut live, primitive)?;
        Ok(result.map(|term| self.value(term)))
    }

    /// The operation while there is only one thread. `None` if it would have to wait or is an error.
    fn alone(&mut self, kind: Kind, primitive: Primitive, args: &[Value], at: u64) -> Option<Option<u32>> {
        let number = |value: Option<&Value>| value.map_or(Some(0), |value| value.as_word());
        let word = number(self.rest.counters.get(&at))? as u32;
        let levels = number(self.rest.held.get(&at))?;
        let writes = number(self.rest.written.get(&at))? != 0;
        // The results of other operations depend on whether this thread holds the lock to write, so both views must agree.
        if kind == Kind::ReadWrite && writes != (word == WRITER) {
            return None;
        }
        let mut alone = Alone { args, word: None, before: word, levels: levels as i128, taken: 0, writes, runs: false };
        let result = kind.perform(&mut alone, primitive).ok()?;
        let Alone { word, taken, writes, runs, .. } = alone;
        if runs {
            self.walk.known.onces.insert(at);
        }
        if let Some(word) = word {
            self.rest.counters.insert(at, Value::word(8 * BYTES, u128::from(word)));
        }
        if taken != 0 {
            self.walk.known.rwlocks.insert(at);
            self.rest.written.insert(at, Value::word(8, u128::from(writes)));
            self.take(at, taken);
        }
        Some(result)
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

    /// Whether a condition holds on this path; both ways are gone if that is not known.
    pub fn decided(&mut self, condition: Term) -> Result<bool, Stop> {
        let known = self.terms().as_bool(condition);
        known.or_else(|| self.rest.guard.decides(self.walk.builder.terms(), condition)).ok_or(Stop::Split(condition))
    }
}

/// Executes a script on what the only thread knows.
struct Alone<'o> {
    args: &'o [Value],
    /// The word, if it was written, and before.
    word: Option<u32>,
    before: u32,
    levels: i128,
    /// How many times more the thread holds the object than before.
    taken: i128,
    writes: bool,
    runs: bool,
}

impl Concrete for Alone<'_> {}

/// The graph has to tell what happens.
struct Declined;

impl Engine for Alone<'_> {
    type Stop = Declined;

    fn number(&mut self, index: usize) -> Result<u32, Declined> {
        self.args[index].as_word().map(|word| word as u32).ok_or(Declined)
    }

    fn parameter(&mut self) -> Result<u32, Declined> {
        Err(Declined)
    }

    fn mutex_kind(&mut self) -> Result<MutexKind, Declined> {
        Err(Declined)
    }

    fn access(&mut self, _: Act, change: impl FnOnce(&mut Self, u32) -> Change<Self>) -> Result<u32, Declined> {
        let word = self.word.unwrap_or(self.before);
        let Change { enabled, writes, new } = change(self, word);
        if !enabled {
            return Err(Declined);
        }
        if writes {
            self.word = Some(new);
        }
        Ok(word)
    }

    fn write(&mut self, _: Act, word: u32) -> Result<(), Declined> {
        self.word = Some(word);
        Ok(())
    }

    fn first(&mut self, act: impl FnOnce(&mut Self) -> Result<u32, Declined>) -> Result<u32, Declined> {
        act(self)
    }

    fn holds(&mut self) -> Result<bool, Declined> {
        Ok(self.levels != 0)
    }

    fn holds_alone(&mut self) -> Result<bool, Declined> {
        Ok(self.writes)
    }

    fn hold(&mut self, taken: bool, how: Hold) {
        match how {
            _ if !taken => {}
            Hold::Runs => self.runs = true,
            _ => {
                self.taken += 1;
                self.writes = how == Hold::Alone;
            }
        }
    }

    fn let_go(&mut self, how: Hold) {
        if how != Hold::Runs {
            self.taken -= 1;
            self.writes = false;
        }
    }

    fn enter(&mut self, _: MutexKind, _: Patience) -> Result<bool, Declined> {
        Err(Declined)
    }

    fn leave(&mut self, _: MutexKind, _: &'static str) -> Result<(), Declined> {
        Err(Declined)
    }

    fn pass_by(&mut self) -> Result<(), Declined> {
        Err(Declined)
    }

    fn holds_mutex(&mut self) -> Result<bool, Declined> {
        Err(Declined)
    }

    fn was_interrupted(&mut self) -> bool {
        false
    }

    fn fall_asleep(&mut self, _: Sleep) -> Result<(), Declined> {
        Err(Declined)
    }

    fn wake_up(&mut self, _: Sleep) -> Result<u32, Declined> {
        Err(Declined)
    }

    fn wake(&mut self, _: bool) -> Result<(), Declined> {
        Err(Declined)
    }

    fn decide(&mut self, condition: bool) -> Result<bool, Declined> {
        Ok(condition)
    }

    fn demand(&mut self, condition: bool, _: &'static str) -> Result<(), Declined> {
        if condition { Ok(()) } else { Err(Declined) }
    }

    fn show(&mut self) {}

    fn acquire(&mut self, _: bool, _: bool) {}

    fn release(&mut self) {}

    fn comes_near(&mut self, _: u32) -> bool {
        true
    }
}

/// Emits the steps of a script as events.
struct Live<'o, 'a, 'c> {
    own: &'o mut Walker<'a, 'c>,
    kind: Kind,
    args: &'o [Value],
    at: u64,
    spots: Spots,
    /// Whether the word was accessed before.
    accessed: bool,
    wait: Option<Wait>,
}

/// A wait with a mutex.
struct Wait {
    mutex: (u64, Spots),
    /// The levels that were released before it, and are taken again after it.
    levels: u64,
    event: Option<EventId>,
}

impl Live<'_, '_, '_> {
    fn emit<T>(&mut self, build: impl FnOnce(&mut Builder, ThreadId) -> T) -> T {
        self.own.walk.emit(self.own.rest, Role::Step, build)
    }

    /// The access as an event; returns the symbol for the word before it.
    fn event(
        &mut self,
        act: Act,
        address: Address,
        change: impl FnOnce(&mut Self, Term) -> Change<Self>,
    ) -> (EventId, Term) {
        self.own.walk.mark_flips(self.own.rest);
        let name = format!("r{}", self.own.walk.builder.graph().events.len());
        let old = self.own.terms().symbol(name, Sort::Bits(8 * BYTES));
        let Change { enabled, writes, new } = change(self, old);
        let new = (self.own.terms().as_bool(writes) != Some(false)).then_some(new);
        let access = Access { label: label(act), address, bytes: BYTES, old: Some(old), enabled, new, writes };
        (self.emit(|builder, thread| builder.event(thread, Event::Access(access))), old)
    }
}

fn label(act: Act) -> Label {
    match act {
        Act::SemWait => Label::SemWait,
        Act::SemTryWait => Label::SemTryWait,
        Act::SemPost => Label::SemPost,
        Act::ReadLock => Label::ReadLock,
        Act::TryReadLock => Label::TryReadLock,
        Act::WriteLock => Label::WriteLock,
        Act::TryWriteLock => Label::TryWriteLock,
        Act::RwUnlock => Label::RwUnlock,
        Act::BarrierArrive => Label::BarrierArrive,
        Act::BarrierLeave => Label::BarrierLeave,
        Act::Once => Label::Once,
        Act::Read => Label::Read,
        Act::Await => Label::Spin,
        Act::Update => Label::Rmw,
    }
}

computes_with_terms!(Live<'_, '_, '_>, |live| live.own.terms());

impl Engine for Live<'_, '_, '_> {
    type Stop = Stop;

    fn number(&mut self, index: usize) -> Result<Term, Stop> {
        Ok(self.args[index].term(self.own.terms(), 8 * BYTES))
    }

    fn parameter(&mut self) -> Result<u32, Stop> {
        let known = self.own.walk.known.parties.get(&self.at).copied();
        known.ok_or_else(|| self.own.fail(FailureKind::Memory, never_made(self.kind.noun())))
    }

    fn mutex_kind(&mut self) -> Result<MutexKind, Stop> {
        Ok(self.own.mutex_kind(self.at, self.args[1]))
    }

    /// A read/write lock is checked for its end in a cell of its own: in the same step, or after waiting.
    fn access(&mut self, act: Act, change: impl FnOnce(&mut Self, Term) -> Change<Self>) -> Result<Term, Stop> {
        let is_first = !std::mem::replace(&mut self.accessed, true);
        let address = self.own.address(&self.spots, Side::Sync);
        if self.kind.counts() {
            let (event, old) = self.event(act, address, change);
            if is_first && self.kind != Kind::Once {
                self.own.check_found(event, self.kind, &self.spots)?;
            }
            return Ok(old);
        }
        let tries = matches!(act, Act::TryReadLock | Act::TryWriteLock);
        let looks = act != Act::RwUnlock && self.own.may_be_destroyed(&self.spots);
        let encloses = tries && looks && self.own.rest.atomic == 0;
        if encloses {
            self.own.enclose(true, Role::Part);
        }
        let (_, old) = self.event(act, address, change);
        let alive = if looks { self.own.check_life(&self.spots, self.kind.noun(), Role::Part) } else { Ok(()) };
        if encloses {
            self.own.enclose(false, Role::Part);
        }
        alive.map(|()| old)
    }

    fn write(&mut self, act: Act, word: Term) -> Result<(), Stop> {
        let address = self.own.address(&self.spots, Side::Sync);
        let truth = self.own.terms().truth();
        let (label, new) = (label(act), Some(word));
        let access = Access { label, address, bytes: BYTES, old: None, enabled: truth, new, writes: truth };
        self.emit(|builder, thread| builder.event(thread, Event::Access(access)));
        Ok(())
    }

    fn first(&mut self, act: impl FnOnce(&mut Self) -> Result<Term, Stop>) -> Result<Term, Stop> {
        act(self)
    }

    fn holds(&mut self) -> Result<Term, Stop> {
        Ok(self.own.holds(self.at))
    }

    fn holds_alone(&mut self) -> Result<Term, Stop> {
        Ok(self.own.written(self.at))
    }

    /// The graph tells from the accesses who runs what others wait for.
    fn hold(&mut self, taken: Term, how: Hold) {
        let at = self.at;
        if how == Hold::Runs {
            return;
        }
        if how == Hold::Alone {
            let (one, before) = (Value::word(8, 1), self.own.written_levels(at));
            let written = Value::choose(self.own.walk.builder.terms(), taken, one, before);
            self.own.rest.written.insert(at, written);
        }
        let before = self.own.levels(at);
        self.own.take(at, 1);
        let after = self.own.levels(at);
        let levels = Value::choose(self.own.walk.builder.terms(), taken, after, before);
        self.own.rest.held.insert(at, levels);
    }

    fn let_go(&mut self, how: Hold) {
        if how != Hold::Runs {
            self.own.take(self.at, -1);
            self.own.rest.written.insert(self.at, Value::word(8, 0));
        }
    }

    fn enter(&mut self, kind: MutexKind, patience: Patience) -> Result<Term, Stop> {
        match patience {
            Patience::Waits => self.own.lock(self.at, &self.spots, kind),
            _ => self.own.try_lock(self.at, &self.spots, kind),
        }
    }

    fn leave(&mut self, kind: MutexKind, otherwise: &'static str) -> Result<(), Stop> {
        self.own.unlock(self.at, &self.spots, kind, otherwise)
    }

    fn pass_by(&mut self) -> Result<(), Stop> {
        self.own.check_life(&self.spots, self.kind.noun(), Role::Step)
    }

    fn holds_mutex(&mut self) -> Result<Term, Stop> {
        let mutex = self.own.mutex_at(self.args[1], "waited with")?;
        self.own.walk.go_live(self.own.rest);
        let holds = self.own.holds(mutex.0);
        self.wait = Some(Wait { mutex, levels: 0, event: None });
        Ok(holds)
    }

    /// An interrupt is not followed: where there is one, the path is cut.
    fn was_interrupted(&mut self) -> Term {
        self.own.terms().falsehood()
    }

    fn fall_asleep(&mut self, sleep: Sleep) -> Result<(), Stop> {
        let Some(Wait { mutex, levels, event }) = &mut self.wait else { return Ok(()) };
        let recursive = self.own.mutex_kind(mutex.0, self.args[2]) == MutexKind::Recursive;
        if sleep.whole && recursive {
            *levels = self.own.leave_all_but_one(mutex)?;
        }
        *event = Some(self.own.fall_asleep((self.at, &self.spots), &mutex.1, recursive, sleep.timed)?);
        Ok(())
    }

    fn wake_up(&mut self, sleep: Sleep) -> Result<Term, Stop> {
        match self.wait.take() {
            Some(Wait { mutex: (mutex, spots), levels, event: Some(event) }) => {
                let code = self.own.wake_up(event, (mutex, &spots), sleep.timed)?;
                self.own.enter_again(&spots, levels);
                Ok(code)
            }
            _ => Ok(self.word(0)),
        }
    }

    fn wake(&mut self, all: bool) -> Result<(), Stop> {
        self.own.wake(all, self.at, &self.spots)
    }

    fn decide(&mut self, condition: Term) -> Result<bool, Stop> {
        self.own.decided(condition)
    }

    fn demand(&mut self, condition: Term, otherwise: &'static str) -> Result<(), Stop> {
        self.own.demand(condition, FailureKind::Memory, otherwise)
    }

    fn show(&mut self) {}

    /// The orders of events tell what happens before what.
    fn acquire(&mut self, _: Term, _: bool) {}

    fn release(&mut self) {}

    fn comes_near(&mut self, _: u32) -> bool {
        self.own.walk.known.large.contains(&self.at)
    }
}
