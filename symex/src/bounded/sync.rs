//! Synchronization primitives and other calls of the runtime, as events.

use std::collections::BTreeSet;

use events::{Address, EventId, Kind as Event};
use formula::{Sort, Term, Terms};
use ir::{Code, MutexKind, Primitive, Type};
use semantics::code::Access;
use semantics::messages::used_late;
use semantics::primitives::{Arithmetic, Kind, Operation, condition, mutex, operation};
use vm::FailureKind;

use crate::bounded::access::{Side, Spot, Spots};
use crate::bounded::counters::LARGE_COUNT;
use crate::bounded::lives::UNKNOWN_ADDRESS;
use crate::bounded::place::SYNC_BYTES;
use crate::bounded::sets::{Element, Set};
use crate::bounded::value::Value;
use crate::bounded::walk::Role;
use crate::bounded::words::words;
use crate::bounded::world::{Stop, Walker};

pub type Performed = Result<Option<Value>, Stop>;

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
        if let Some((kind, operation)) = operation(primitive) {
            return self.on_object(kind, operation, primitive, args);
        }
        match primitive {
            Primitive::AtomicBegin | Primitive::AtomicEnd => {
                self.section(primitive == Primitive::AtomicBegin);
                Ok(None)
            }
            Primitive::ThreadCreate => self.create(args),
            Primitive::ThreadSelf => {
                let handle = crate::bounded::objects::handle(self.rest.thread);
                Ok(Some(Value::word(64, u128::from(handle))))
            }
            Primitive::ThreadExit | Primitive::ThreadFail => {
                self.end_thread(args.first().copied());
                Err(Stop::Finished)
            }
            Primitive::ThreadJoin
            | Primitive::ThreadTryJoin
            | Primitive::ThreadTimedJoin
            | Primitive::ThreadDetach
            | Primitive::ThreadInterrupt => self.claim_thread(primitive, args),
            Primitive::ProcessAssume | Primitive::MemorySize => self.host(primitive, args),
            _ => {
                self.rest.does(self.walk.builder.terms());
                self.host(primitive, args)
            }
        }
    }

    /// A thread in an atomic section must not wait: no other thread could run.
    pub fn may_wait(&mut self) -> Result<(), Stop> {
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
            let begin = self.walk.event(self.rest, role, Event::AtomicBegin);
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
    pub fn mutex_at(&mut self, at: Value, what: &str) -> Result<(u64, Spots), Stop> {
        let (at, spots) = self.mutex_spots(at, what)?;
        self.check_own_deeds(&spots, &used_late(Kind::Mutex.noun()))?;
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

    pub fn initialise(&mut self, kind: Kind, operation: Operation, args: &[Value]) -> Performed {
        let (at, spots) = self.sync_at(args[0], operation.what)?;
        let number = match args.get(1) {
            Some(&number) => self.one(number, "an initial value")? as u32,
            None => 0,
        };
        let known = match kind {
            Kind::Mutex => Some(&mut self.walk.known.kinds),
            _ if kind.must_be_made() => Some(&mut self.walk.known.parties),
            _ => None,
        };
        if let Some(known) = known
            && known.insert(at, number) != Some(number)
        {
            self.walk.known.news += 1;
        }
        if kind.begins_with_number() && number > LARGE_COUNT && self.walk.known.large.insert(at) {
            self.walk.known.news += 1;
        }
        self.make_anew(kind, number, at, &spots);
        if let (true, Some(spot)) = (kind.begins_with_number(), spots.all.first()) {
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

    pub fn mutex_kind(&mut self, at: u64, kind_at: Value) -> MutexKind {
        let mut kind = self.walk.known.kinds.get(&at).copied();
        if kind.is_none()
            && let Some((object, offset)) =
                kind_at.as_word().and_then(|kind_at| self.walk.known.objects.resolve(kind_at as u64))
        {
            let terms = self.walk.builder.terms();
            let word = self.rest.memory.read(terms, &self.walk.known.objects, object, offset, 4);
            kind = word.as_word().map(|word| word as u32);
        }
        mutex::kind(kind.unwrap_or(0))
    }

    /// Enters the section of a mutex.
    pub fn lock(&mut self, at: u64, spots: &Spots, kind: MutexKind) -> Result<Term, Stop> {
        let holds = self.holds(at);
        // Locking a plain mutex again is a deadlock with itself.
        if kind == MutexKind::Plain && self.decided(holds).ok() != Some(false) {
            self.walk.go_live(self.rest);
        }
        if self.rest.live {
            let (mutex, recursive) = (self.address(spots, Side::Sync), kind == MutexKind::Recursive);
            self.walk.event(self.rest, Role::Step, Event::Lock { mutex, recursive });
            self.check_life(spots, Kind::Mutex.noun(), Role::Part)?;
        }
        self.take(at, 1);
        self.holds_surely(at);
        Ok(self.terms().truth())
    }

    /// Enters the section of a mutex if that is possible at once.
    pub fn try_lock(&mut self, at: u64, spots: &Spots, kind: MutexKind) -> Result<Term, Stop> {
        let holds = self.holds(at);
        if !self.rest.live {
            let refused = self.terms().as_bool(holds) == Some(true) && kind != MutexKind::Recursive;
            if !refused {
                self.take(at, 1);
            }
            return Ok(self.terms().bool(!refused));
        }
        let (mutex, recursive) = (self.address(spots, Side::Sync), kind == MutexKind::Recursive);
        let taken = self.with_life(spots, Kind::Mutex.noun(), |own| {
            own.walk.emit(own.rest, Role::Step, |builder, thread| builder.try_lock(thread, mutex, recursive))
        })?;
        let levels = self.levels(at).term(self.terms(), 8);
        let one = self.terms().bits(8, 1);
        let more = self.terms().add(levels, one);
        let held = self.terms().ite(taken, more, levels);
        let held = self.value(held);
        self.rest.held.insert(at, held);
        Ok(taken)
    }

    pub fn either(&mut self, condition: Term, yes: Code, no: Code) -> Performed {
        let (yes, no) = (self.terms().bits(32, yes as u128), self.terms().bits(32, no as u128));
        let term = self.terms().ite(condition, yes, no);
        Ok(Some(self.value(term)))
    }

    /// Leaves the section of a mutex. A thread that does not hold it fails if no thread does.
    pub fn unlock(&mut self, at: u64, spots: &Spots, kind: MutexKind, otherwise: &'static str) -> Result<(), Stop> {
        let holds = self.holds(at);
        let known = self.decided(holds).ok();
        let others = kind == MutexKind::Plain && self.is_loose(spots, known == Some(true));
        let foreign = kind == MutexKind::Plain && (others || known != Some(true));
        let mut encloses = false;
        if foreign && !self.rest.live {
            self.demand(holds, FailureKind::Memory, otherwise)?;
        } else if foreign {
            // Another thread may have taken or released it. If a try-lock succeeds here, the mutex was free and the
            // unlock is an error; the try-lock and the unlock are one atomic step.
            let mutex = self.address(spots, Side::Sync);
            encloses = self.rest.atomic == 0;
            if encloses {
                self.enclose(true, Role::Part);
            }
            let taken = self.walk.emit(self.rest, Role::Part, |builder, thread| builder.try_lock(thread, mutex, false));
            let fine = self.terms().not(taken);
            let held = self.demand(fine, FailureKind::Memory, otherwise);
            let held = held.and_then(|()| self.check_life(spots, Kind::Mutex.noun(), Role::Part));
            if held.is_err() && encloses {
                self.enclose(false, Role::Part);
            }
            held?;
        }
        if self.rest.live {
            let (mutex, recursive) = (self.address(spots, Side::Sync), kind == MutexKind::Recursive);
            self.walk.event(self.rest, Role::Step, Event::Unlock { mutex, recursive, foreign });
        }
        if encloses {
            self.enclose(false, Role::Part);
        }
        self.rest.releases(at);
        match known {
            Some(true) => self.take(at, -1),
            _ => drop(self.rest.held.remove(&at)),
        }
        Ok(())
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

    /// Falls asleep on a condition, and releases one level of the mutex.
    pub fn fall_asleep(
        &mut self,
        (condition_at, condition): (u64, &Spots),
        mutex: &Spots,
        recursive: bool,
        timed: bool,
    ) -> Result<EventId, Stop> {
        let (condition, mutex) = (self.address(condition, Side::Sync), self.address(mutex, Side::Sync));
        if self.is_counted(condition_at) && (timed || self.walk.options.spurious) {
            return Err(self.give_up("a condition that may be destroyed while somebody waits who can wake by himself"));
        }
        let falls_asleep = Event::Sleep { condition, mutex, recursive };
        self.counting(condition_at, condition, falls_asleep, |terms, count| {
            let one = terms.bits(8 * SYNC_BYTES, 1);
            terms.add(count, one)
        })
    }

    /// Leaves all levels of a recursive mutex but one; returns how many these are.
    pub fn leave_all_but_one(&mut self, (at, mutex): &(u64, Spots)) -> Result<u64, Stop> {
        let levels = self.levels(*at);
        let more = self.one(levels, "a monitor that is entered so many times")?.saturating_sub(1);
        let mutex = self.address(mutex, Side::Sync);
        for _ in 0..more {
            self.walk.event(self.rest, Role::Part, Event::Unlock { mutex, recursive: true, foreign: false });
        }
        Ok(more)
    }

    /// Takes so many more levels of a recursive mutex that the thread has got again.
    pub fn enter_again(&mut self, mutex: &Spots, levels: u64) {
        let mutex = self.address(mutex, Side::Sync);
        for _ in 0..levels {
            self.walk.event(self.rest, Role::Part, Event::Lock { mutex, recursive: true });
        }
    }

    /// Wakes from a sleep, with the mutex; returns the code of the wait.
    pub fn wake_up(&mut self, sleep: EventId, (at, mutex): (u64, &Spots), timed: bool) -> Result<Term, Stop> {
        let spurious = self.walk.options.spurious;
        let timed_out = self.walk.emit(self.rest, Role::Step, |builder, thread| {
            let name = format!("timed_out{}", builder.graph().events.len());
            let timed_out = timed.then(|| builder.terms().symbol(name, Sort::Bool));
            builder.event(thread, Event::Wake { sleep, timed_out, spurious });
            timed_out
        });
        self.check_life(mutex, Kind::Mutex.noun(), Role::Part)?;
        self.rest.releases(at);
        self.holds_surely(at);
        let mut result = words(self.terms());
        Ok(match timed_out {
            Some(timed_out) => result.either(timed_out, Code::TimedOut, Code::Ok),
            None => result.code(Code::Ok),
        })
    }

    /// The futex at an address. If the memory there has ended, no thread waits there; that is no error.
    pub fn futex_at(&mut self, at: Value) -> Result<(u64, Spots), Stop> {
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

    /// Wakes one sleeper or all.
    pub fn wake(&mut self, all: bool, at: u64, condition: &Spots) -> Result<(), Stop> {
        if self.rest.live && !condition.all.is_empty() {
            let condition = self.address(condition, Side::Sync);
            let kind = if all { Event::Broadcast { condition } } else { Event::Signal { condition } };
            self.counting(at, condition, kind, |terms, count| condition::fewer(&mut words(terms), count, all))?;
        }
        Ok(())
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
        kind: Event,
        after: impl FnOnce(&mut Terms, Term) -> Term,
    ) -> Result<EventId, Stop> {
        if !self.is_counted(at) {
            return Ok(self.walk.event(self.rest, Role::Step, kind));
        }
        self.at_once(|own| {
            let before = own
                .walk
                .emit(own.rest, Role::Part, |builder, thread| builder.rmw(thread, condition, SYNC_BYTES, after));
            own.check_count(before, used_late(Kind::Condition.noun()))?;
            Ok(own.walk.event(own.rest, Role::Step, kind))
        })
    }
}
