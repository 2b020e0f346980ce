//! Synchronization primitives and other calls of the runtime, as events.

use std::collections::BTreeSet;

use events::{Address, EventId, Kind};
use formula::{Sort, Term, Terms};
use ir::{Code, MutexKind, Primitive, Type};
use semantics::code::Access;
use vm::FailureKind;

use crate::bounded::access::{Side, Spot, Spots};
use crate::bounded::counters::{LARGE_COUNT, counts, waits_for_count};
use crate::bounded::lives::{UNKNOWN_ADDRESS, used_late};
use crate::bounded::place::SYNC_BYTES;
use crate::bounded::sets::{Element, Set};
use crate::bounded::value::Value;
use crate::bounded::walk::Role;
use crate::bounded::world::{Stop, Walker};

pub type Performed = Result<Option<Value>, Stop>;

pub fn code(code: Code) -> Performed {
    Ok(Some(Value::word(32, code as u128)))
}

/// An access made by the runtime.
pub fn plain(bytes: u8) -> Access {
    Access { ty: Type::Int(8 * bytes), ordering: None, place: None }
}

/// If a mutex address may be more values than this, they are not distinguished by a split.
const FEW: usize = 4;

impl Walker<'_, '_> {
    pub fn perform(&mut self, primitive: Primitive, args: &[Value]) -> Performed {
        match primitive {
            Primitive::RecordBit | Primitive::RecordValue => return self.led_value(primitive, args),
            Primitive::OrderTicket | Primitive::ThreadYield => return Ok(None),
            Primitive::ThreadSleep => return self.sleep(args[0]),
            Primitive::ClockPass => return self.pass_time(args[0]),
            _ => self.act()?,
        }
        match primitive {
            Primitive::AtomicBegin | Primitive::AtomicEnd => {
                self.section(primitive == Primitive::AtomicBegin);
                Ok(None)
            }
            Primitive::MutexInit
            | Primitive::CondInit
            | Primitive::RwInit
            | Primitive::SemInit
            | Primitive::BarrierInit => self.initialise(primitive, args),
            Primitive::MutexDestroy
            | Primitive::CondDestroy
            | Primitive::RwDestroy
            | Primitive::SemDestroy
            | Primitive::BarrierDestroy => self.destroy(primitive, args),
            Primitive::MutexLock => {
                self.may_wait()?;
                self.lock(args)
            }
            Primitive::MutexTryLock | Primitive::MutexTimedLock => self.try_lock(primitive, args),
            Primitive::MutexUnlock => self.unlock(args),
            Primitive::CondWait | Primitive::CondTimedWait => {
                self.may_wait()?;
                self.wait(primitive, args)
            }
            Primitive::CondSignal | Primitive::CondBroadcast => {
                let (at, condition) = self.condition_at(args[0], "signalled")?;
                self.signal(primitive == Primitive::CondSignal, at, condition)
            }
            Primitive::FutexWake | Primitive::FutexWakeAll => {
                let (at, condition) = self.futex_at(args[0])?;
                self.signal(primitive == Primitive::FutexWake, at, condition)
            }
            Primitive::ThreadCreate => self.create(args),
            Primitive::ThreadJoin => {
                self.may_wait()?;
                self.join_thread(args)
            }
            Primitive::ThreadTryJoin => self.try_join(args, Code::Busy),
            Primitive::ThreadTimedJoin => self.try_join(args, Code::TimedOut),
            Primitive::ThreadDetach => self.detach_thread(args),
            Primitive::ThreadSelf => {
                let handle = crate::bounded::objects::handle(self.rest.thread);
                Ok(Some(Value::word(64, u128::from(handle))))
            }
            Primitive::ThreadExit => {
                self.end_thread(args.first().copied());
                Err(Stop::Finished)
            }
            _ if counts(primitive) => {
                if waits_for_count(primitive) {
                    self.may_wait()?;
                }
                self.counted(primitive, args)
            }
            Primitive::ProcessAssume | Primitive::MemorySize => self.host(primitive, args),
            _ => {
                self.rest.does(self.walk.builder.terms());
                self.host(primitive, args)
            }
        }
    }

    /// A thread in an atomic section must not wait: no other thread could run.
    fn may_wait(&mut self) -> Result<(), Stop> {
        match self.rest.live && self.rest.atomic > 0 {
            true => Err(self.give_up("waiting inside of a section that nobody interrupts")),
            false => Ok(()),
        }
    }

    /// Enters or leaves an atomic section, in which no event of another thread happens. The end event is added once all
    /// paths have left the section.
    pub fn section(&mut self, begin: bool) {
        let before = self.rest.atomic;
        self.rest.atomic = if begin { before + 1 } else { before.saturating_sub(1) };
        if !begin && before == 1 {
            self.rest.along.section.forget();
        }
        if begin && before == 0 && self.rest.live {
            self.enclose(true, Role::Step);
        }
    }

    /// The begin or the end of a section. The sections of a thread do not overlap.
    pub fn enclose(&mut self, begin: bool, role: Role) {
        self.walk.close(self.rest.thread);
        self.rest.along.section.forget();
        if begin {
            let begin = self.walk.event(self.rest, role, Kind::AtomicBegin);
            self.walk.sections.insert(self.rest.thread, begin);
        }
    }

    /// The places of a synchronization object. Where the offset is unknown, that is noted.
    fn sync_spots(&mut self, at: Value, what: &str) -> Result<Spots, Stop> {
        let spots = self.spots(at, 1, false, what)?;
        self.check_lives(&spots, what, Role::Part)?;
        for spot in spots.all.iter().filter(|_| self.rest.live) {
            let base = self.walk.known.objects.get(spot.object).base;
            match spot.offset {
                Some(offset) => self.walk.found.use_lock(base + offset, self.rest.thread),
                None => self.walk.known.news += u64::from(self.walk.known.vague.insert(spot.object)),
            }
        }
        Ok(spots)
    }

    /// The concrete address of a synchronization object, with its place.
    pub fn sync_at(&mut self, at: Value, what: &str) -> Result<(u64, Spots), Stop> {
        let at = self.led_address(at)?;
        let at = Value::word(64, u128::from(self.one(at, "a lock at an address")?));
        let spots = self.sync_spots(at, what)?;
        Ok((at.as_word().unwrap_or(0) as u64, spots))
    }

    /// The places of a mutex, and its address or, if that is unknown, a key that stands for it.
    fn mutex_at(&mut self, at: Value, what: &str) -> Result<(u64, Spots), Stop> {
        let (at, spots) = self.mutex_spots(at, what)?;
        self.check_own_deeds(&spots, &used_late("mutex"))?;
        Ok((at, spots))
    }

    fn mutex_spots(&mut self, at: Value, what: &str) -> Result<(u64, Spots), Stop> {
        let at = self.led_address(at)?;
        let Value::Term(term) = at else { return self.sync_at(at, what) };
        let set = self.walk.values_of(&self.rest.refined, at);
        let words = set.known().filter(|element| matches!(element, Element::Word(_))).count();
        if !set.has_others() && words == set.known().len() && words <= FEW {
            return self.sync_at(at, what);
        }
        self.walk.go_live(self.rest);
        if let Some(words) = self.kinds_among(&set) {
            // Mutexes of different kinds must be distinguished.
            let others = Some("one of several mutexes that are not all plain".to_owned());
            return Err(Stop::Choose { value: at, words, others });
        }
        let spots = self.sync_spots(at, what)?;
        Ok((UNKNOWN_ADDRESS | term.index() as u64, spots))
    }

    /// The mutexes that may be meant, if some of them are not plain.
    fn kinds_among(&self, set: &Set) -> Option<Vec<u64>> {
        let kinds = &self.walk.known.kinds;
        let mut words: BTreeSet<u64> = BTreeSet::new();
        for element in set.known() {
            match element {
                Element::Word(word) => drop(words.insert(word)),
                Element::Within(object) => {
                    let object = self.walk.known.objects.get(object);
                    let inside = object.base..object.base + object.size.max(1);
                    words.extend(kinds.keys().filter(|at| inside.contains(at)));
                }
            }
        }
        let plain = |at: &u64| kinds.get(at).is_none_or(|kind| kind & 3 == 0);
        (!words.iter().all(plain)).then(|| words.into_iter().collect())
    }

    fn initialise(&mut self, primitive: Primitive, args: &[Value]) -> Performed {
        let (at, spots) = self.sync_at(args[0], "initialised")?;
        let number = match args.get(1) {
            Some(&number) => self.one(number, "an initial value")? as u32,
            None => 0,
        };
        let known = match primitive {
            Primitive::MutexInit => Some(&mut self.walk.known.kinds),
            Primitive::BarrierInit => Some(&mut self.walk.known.parties),
            _ => None,
        };
        if let Some(known) = known
            && known.insert(at, number) != Some(number)
        {
            self.walk.known.news += 1;
        }
        if primitive == Primitive::SemInit && number > LARGE_COUNT && self.walk.known.large.insert(at) {
            self.walk.known.news += 1;
        }
        self.make_anew(primitive, at, &spots);
        if let (Primitive::SemInit, Some(spot)) = (primitive, spots.all.first()) {
            let (object, offset) = (spot.object, spot.offset.unwrap_or(0) as u32);
            let value = Value::word(8 * SYNC_BYTES, u128::from(number));
            let sync = self.walk.sync(object);
            if self.rest.live {
                self.walk.emit(self.rest, Role::Step, |builder, thread| {
                    let address = builder.address(sync, offset);
                    let value = value.term(builder.terms(), 8 * SYNC_BYTES);
                    builder.write(thread, address, value);
                });
            } else {
                self.rest.counters.insert(at, value);
            }
        }
        Ok(None)
    }

    /// The number of times that this path holds a mutex.
    pub fn levels(&self, at: u64) -> Value {
        self.rest.held.get(&at).copied().unwrap_or(Value::word(8, 0))
    }

    pub fn take(&mut self, at: u64, by: i128) {
        if !self.rest.live {
            self.rest.does(self.walk.builder.terms());
        }
        let levels = self.levels(at);
        let term = levels.term(self.terms(), 8);
        let by = self.terms().bits(8, by as u128 & 0xff);
        let sum = self.terms().add(term, by);
        let sum = self.value(sum);
        self.rest.held.insert(at, sum);
    }

    pub fn holds(&mut self, at: u64) -> Term {
        let levels = self.levels(at).term(self.terms(), 8);
        let zero = self.terms().bits(8, 0);
        self.terms().ne(levels, zero)
    }

    fn mutex_kind(&mut self, at: u64, kind_at: Value) -> MutexKind {
        let mut kind = self.walk.known.kinds.get(&at).copied();
        if kind.is_none()
            && let Some((object, offset)) =
                kind_at.as_word().and_then(|kind_at| self.walk.known.objects.resolve(kind_at as u64))
        {
            let terms = self.walk.builder.terms();
            let word = self.rest.memory.read(terms, &self.walk.known.objects, object, offset, 4);
            kind = word.as_word().map(|word| word as u32);
        }
        match kind.unwrap_or(0) & 3 {
            1 => MutexKind::Recursive,
            2 => MutexKind::ErrorCheck,
            _ => MutexKind::Plain,
        }
    }

    fn lock(&mut self, args: &[Value]) -> Performed {
        let (at, spots) = self.mutex_at(args[0], "locked")?;
        let kind = self.mutex_kind(at, args[1]);
        let holds = self.holds(at);
        let known = self.terms().as_bool(holds);
        match (kind, known.or_else(|| self.rest.guard.decides(self.walk.builder.terms(), holds))) {
            (MutexKind::ErrorCheck, Some(true)) => return code(Code::Deadlock),
            (MutexKind::ErrorCheck, None) => return Err(Stop::Split(holds)),
            // Locking a plain mutex again is a deadlock with itself.
            (MutexKind::Plain, known) if known != Some(false) => self.walk.go_live(self.rest),
            _ => {}
        }
        if self.rest.live {
            let (mutex, recursive) = (self.address(&spots, Side::Sync), kind == MutexKind::Recursive);
            self.walk.event(self.rest, Role::Step, Kind::Lock { mutex, recursive });
            self.check_life(&spots, "mutex", Role::Part)?;
        }
        self.take(at, 1);
        self.holds_surely(at);
        code(Code::Ok)
    }

    fn try_lock(&mut self, primitive: Primitive, args: &[Value]) -> Performed {
        let (at, spots) = self.mutex_at(args[0], "locked")?;
        let kind = self.mutex_kind(at, args[1]);
        let refused = if primitive == Primitive::MutexTryLock { Code::Busy } else { Code::TimedOut };
        let holds = self.holds(at);
        let known = self.terms().as_bool(holds);
        if (kind, primitive) == (MutexKind::ErrorCheck, Primitive::MutexTimedLock) {
            match known.or_else(|| self.rest.guard.decides(self.walk.builder.terms(), holds)) {
                Some(true) => return code(Code::Deadlock),
                Some(false) => {}
                None => return Err(Stop::Split(holds)),
            }
        }
        if !self.rest.live {
            return match known {
                Some(true) if kind != MutexKind::Recursive => code(refused),
                _ => {
                    self.take(at, 1);
                    code(Code::Ok)
                }
            };
        }
        let (mutex, recursive) = (self.address(&spots, Side::Sync), kind == MutexKind::Recursive);
        let taken = self.with_life(&spots, "mutex", |own| {
            own.walk.emit(own.rest, Role::Step, |builder, thread| builder.try_lock(thread, mutex, recursive))
        })?;
        let levels = self.levels(at).term(self.terms(), 8);
        let one = self.terms().bits(8, 1);
        let more = self.terms().add(levels, one);
        let held = self.terms().ite(taken, more, levels);
        let held = self.value(held);
        self.rest.held.insert(at, held);
        self.either(taken, Code::Ok, refused)
    }

    pub fn either(&mut self, condition: Term, yes: Code, no: Code) -> Performed {
        let (yes, no) = (self.terms().bits(32, yes as u128), self.terms().bits(32, no as u128));
        let term = self.terms().ite(condition, yes, no);
        Ok(Some(self.value(term)))
    }

    fn unlock(&mut self, args: &[Value]) -> Performed {
        let (at, spots) = self.mutex_at(args[0], "unlocked")?;
        let kind = self.mutex_kind(at, args[1]);
        let holds = self.holds(at);
        let known = self.terms().as_bool(holds).or_else(|| self.rest.guard.decides(self.walk.builder.terms(), holds));
        let others = kind == MutexKind::Plain && self.is_loose(&spots, known == Some(true));
        let foreign = kind == MutexKind::Plain && (others || known != Some(true));
        let mut encloses = false;
        match (known, kind) {
            (Some(true), MutexKind::Recursive | MutexKind::ErrorCheck) => {}
            (Some(true), MutexKind::Plain) if !others => {}
            (Some(false), MutexKind::Recursive | MutexKind::ErrorCheck) => {
                self.check_life(&spots, "mutex", Role::Step)?;
                return code(Code::NotOwner);
            }
            (None, MutexKind::Recursive | MutexKind::ErrorCheck) => return Err(Stop::Split(holds)),
            (_, MutexKind::Plain) if !self.rest.live => {
                self.demand(holds, FailureKind::Memory, "mutex unlocked that is not locked")?;
            }
            // Another thread may have taken or released it. If a try-lock succeeds here, the mutex was free and the
            // unlock is an error; the try-lock and the unlock are one atomic step.
            (_, MutexKind::Plain) => {
                let mutex = self.address(&spots, Side::Sync);
                encloses = self.rest.atomic == 0;
                if encloses {
                    self.enclose(true, Role::Part);
                }
                let taken =
                    self.walk.emit(self.rest, Role::Part, |builder, thread| builder.try_lock(thread, mutex, false));
                let fine = self.terms().not(taken);
                let held = self.demand(fine, FailureKind::Memory, "mutex unlocked that is not locked");
                let held = held.and_then(|()| self.check_life(&spots, "mutex", Role::Part));
                if held.is_err() && encloses {
                    self.enclose(false, Role::Part);
                }
                held?;
            }
        }
        if self.rest.live {
            let (mutex, recursive) = (self.address(&spots, Side::Sync), kind == MutexKind::Recursive);
            self.walk.event(self.rest, Role::Step, Kind::Unlock { mutex, recursive, foreign });
        }
        if encloses {
            self.enclose(false, Role::Part);
        }
        self.rest.releases(at);
        match known {
            Some(true) => self.take(at, -1),
            _ => drop(self.rest.held.remove(&at)),
        }
        code(Code::Ok)
    }

    /// Whether a mutex may be released by a thread that does not own it. Unless `holds`, this unlock is such a release,
    /// and is noted.
    fn is_loose(&mut self, spots: &Spots, holds: bool) -> bool {
        if !self.rest.live {
            return false;
        }
        let known = &mut self.walk.known;
        for spot in spots.all.iter().filter(|_| !holds) {
            known.news += u64::from(known.loose.insert((spot.object, spot.offset)));
        }
        let meets = |spot: &Spot| match spot.offset {
            Some(_) => known.loose.contains(&(spot.object, spot.offset)) || known.loose.contains(&(spot.object, None)),
            None => known.loose.iter().any(|(object, _)| *object == spot.object),
        };
        spots.all.iter().any(meets)
    }

    fn wait(&mut self, primitive: Primitive, args: &[Value]) -> Performed {
        let (condition_at, condition) = self.condition_at(args[0], "waited for")?;
        let (at, mutex_spots) = self.mutex_at(args[1], "waited with")?;
        self.walk.go_live(self.rest);
        let holds = self.holds(at);
        self.demand(holds, FailureKind::Memory, "wait with a mutex that the thread does not hold")?;
        let recursive = self.mutex_kind(at, args[2]) == MutexKind::Recursive;
        let (condition, mutex) = (self.address(&condition, Side::Sync), self.address(&mutex_spots, Side::Sync));
        let spurious = self.walk.options.spurious;
        let timed = primitive == Primitive::CondTimedWait;
        if self.is_counted(condition_at) && (timed || spurious) {
            return Err(self.give_up("a condition that may be destroyed while somebody waits who can wake by himself"));
        }
        let falls_asleep = Kind::Sleep { condition, mutex, recursive };
        let sleep = self.counting(condition_at, condition, falls_asleep, |terms, count| {
            let one = terms.bits(8 * SYNC_BYTES, 1);
            terms.add(count, one)
        })?;
        let timed_out = self.walk.emit(self.rest, Role::Step, |builder, thread| {
            let name = format!("timed_out{}", builder.graph().events.len());
            let timed_out = timed.then(|| builder.terms().symbol(name, Sort::Bool));
            builder.event(thread, Kind::Wake { sleep, timed_out, spurious });
            timed_out
        });
        self.check_life(&mutex_spots, "mutex", Role::Part)?;
        self.rest.releases(at);
        self.holds_surely(at);
        match timed_out {
            Some(timed_out) => self.either(timed_out, Code::TimedOut, Code::Ok),
            None => code(Code::Ok),
        }
    }

    /// The futex at an address. If the memory there has ended, no thread waits there; that is no error.
    fn futex_at(&mut self, at: Value) -> Result<(u64, Spots), Stop> {
        let at = self.led_address(at)?;
        let word = self.one(at, "a futex at an address")?;
        let (address, condition) = (Value::word(64, u128::from(word)), self.terms().truth());
        let Some((object, offset)) = self.walk.known.objects.resolve(word) else {
            return Ok((word, Spots { all: Vec::new(), address }));
        };
        if self.rest.live {
            self.walk.found.use_lock(word, self.rest.thread);
        }
        Ok((word, Spots { all: vec![Spot { object, offset: Some(offset), condition }], address }))
    }

    fn signal(&mut self, one: bool, at: u64, condition: Spots) -> Performed {
        if self.rest.live && !condition.all.is_empty() {
            let condition = self.address(&condition, Side::Sync);
            let kind = if one { Kind::Signal { condition } } else { Kind::Broadcast { condition } };
            self.counting(at, condition, kind, |terms, count| {
                let (zero, single) = (terms.bits(8 * SYNC_BYTES, 0), terms.bits(8 * SYNC_BYTES, 1));
                let (nobody, fewer) = (terms.eq(count, zero), terms.sub(count, single));
                if one { terms.ite(nobody, zero, fewer) } else { zero }
            })?;
        }
        Ok(None)
    }

    fn condition_at(&mut self, at: Value, what: &str) -> Result<(u64, Spots), Stop> {
        let (at, spots) = self.sync_at(at, what)?;
        self.check_own_deeds(&spots, &used_late("condition"))?;
        Ok((at, spots))
    }

    /// Whether the number of sleepers on this condition variable is counted.
    fn is_counted(&self, condition: u64) -> bool {
        self.walk.known.slept_on.contains(&condition)
    }

    /// Adds the event, and updates the number of sleepers if it is counted.
    fn counting(
        &mut self,
        at: u64,
        condition: Address,
        kind: Kind,
        after: impl FnOnce(&mut Terms, Term) -> Term,
    ) -> Result<EventId, Stop> {
        if !self.is_counted(at) {
            return Ok(self.walk.event(self.rest, Role::Step, kind));
        }
        self.at_once(|own| {
            let before = own
                .walk
                .emit(own.rest, Role::Part, |builder, thread| builder.rmw(thread, condition, SYNC_BYTES, after));
            own.check_count(before, used_late("condition"))?;
            Ok(own.walk.event(own.rest, Role::Step, kind))
        })
    }
}
