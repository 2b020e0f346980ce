//! Synchronisation objects that a thread destroys while others may still use them.
//!
//! Using a destroyed object, and destroying it again, is a failure. Destroying an object in use returns an error and
//! has no effect. A mutex and a read/write lock have a cell beside them that tells whether they were destroyed.
//! Operations that do not wait read the cell in the same step; operations that wait read it after acquiring, because a
//! lock that is held is not destroyed. Semaphores and barriers encode destruction in their counter. A path whose
//! objects are not accessible to other threads knows by itself which objects it destroyed.

use std::collections::{BTreeMap, BTreeSet};

use events::{Address, EventId, Kind as Event};
use formula::Term;
use ir::Code;
use semantics::messages::{destroyed_twice, used_late};
use semantics::primitives::{Kind, Operation};
use vm::FailureKind;

use crate::bounded::access::{Side, Spots};
use crate::bounded::place::SYNC_BYTES as BYTES;
use crate::bounded::state::Rest;
use crate::bounded::sync::Performed;
use crate::bounded::value::Value;
use crate::bounded::walk::{Role, Walk};
use crate::bounded::words::words;
use crate::bounded::world::{Stop, Walker};

/// In a count: that it was destroyed.
const DESTROYED: u128 = 1 << 31;

/// Numbers for mutexes whose address is not known begin here.
pub const UNKNOWN_ADDRESS: u64 = 1 << 63;

/// The threads that end objects while other threads may exist, and the threads that have certainly ended by then.
#[derive(Debug, Default)]
pub struct Enders(BTreeMap<usize, BTreeSet<usize>>);

impl Enders {
    /// Whether it is new that this thread does, when these have ended.
    pub fn note(&mut self, own: usize, gone: &BTreeSet<usize>) -> bool {
        let before = self.0.get(&own);
        let gone = before.map_or_else(|| gone.clone(), |before| before.intersection(gone).copied().collect());
        let is_new = before != Some(&gone);
        self.0.insert(own, gone);
        is_new
    }

    /// Whether another thread may do it while this thread still runs.
    pub fn concern(&self, own: usize) -> bool {
        self.0.iter().any(|(&ender, gone)| ender != own && !gone.contains(&own))
    }
}

impl Walk<'_> {
    /// Other threads may exist from now on: objects that this path destroyed must appear destroyed to them.
    pub fn tell_destroyed(&mut self, rest: &Rest, certain: bool) {
        for (&at, &flag) in rest.destroyed.iter().filter(|(_, flag)| flag.as_word() != Some(0)) {
            let Some((id, offset)) = self.known.objects.resolve(at) else { continue };
            if self.known.destroyed.entry(at).or_default().note(rest.thread, &rest.joined) {
                self.known.news += 1;
            }
            let (life, value) = (self.life(id), flag.term(self.terms(), 8));
            if certain {
                self.builder.initial(life, offset as u32, value);
                continue;
            }
            self.emit(rest, Role::Part, |builder, thread| {
                let address = builder.address(life, offset as u32);
                builder.write(thread, address, value);
            });
        }
    }
}

impl Walker<'_, '_> {
    /// Whether other threads may still run.
    pub fn others_are_about(&self) -> bool {
        let own = self.rest.thread;
        let mut others = (0..self.walk.known.threads.count()).filter(|&other| other != own);
        others.any(|other| !self.rest.joined.contains(&other))
    }

    /// Whether another thread may have destroyed or reinitialised the object there.
    pub fn may_be_destroyed(&self, spots: &Spots) -> bool {
        self.rest.live
            && !self.is_known_to_go_well()
            && spots.all.iter().any(|spot| {
                let object = self.walk.known.objects.get(spot.object);
                let first = object.base + spot.offset.unwrap_or(0);
                let last = spot.offset.map_or(object.base + object.size, |_| first);
                let mut known = self.walk.known.destroyed.range(first..=last);
                known.any(|(_, enders)| enders.concern(self.rest.thread))
            })
    }

    /// Does several things that are one step for everyone else.
    pub fn at_once<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        let encloses = self.rest.live && self.rest.atomic == 0;
        if encloses {
            self.enclose(true, Role::Part);
        }
        let done = act(self);
        if encloses {
            self.enclose(false, Role::Part);
        }
        done
    }

    /// This path did not destroy it itself.
    pub fn check_own_deeds(&mut self, spots: &Spots, wrong: &str) -> Result<(), Stop> {
        if self.rest.destroyed.is_empty() || self.may_be_destroyed(spots) {
            return Ok(());
        }
        let pointer = spots.address.term(self.terms(), 64);
        for (at, flag) in self.rest.destroyed.clone() {
            let (at, flag) = (self.terms().bits(64, u128::from(at)), flag.term(self.walk.terms(), 8));
            let zero = self.terms().bits(8, 0);
            let (elsewhere, alive) = (self.terms().ne(pointer, at), self.terms().eq(flag, zero));
            let fine = self.terms().or2(elsewhere, alive);
            self.demand(fine, FailureKind::Memory, wrong)?;
        }
        Ok(())
    }

    /// What this thread has got was not destroyed before.
    pub fn check_life(&mut self, spots: &Spots, what: &str, role: Role) -> Result<(), Stop> {
        if !self.may_be_destroyed(spots) {
            return Ok(());
        }
        let life = self.address(spots, Side::Life);
        let state = self.walk.emit(self.rest, role, |builder, thread| builder.read(thread, life, 1));
        let zero = self.terms().bits(8, 0);
        let alive = self.terms().eq(state, zero);
        self.demand(alive, FailureKind::Memory, used_late(what))
    }

    /// Does a non-waiting operation on an object that was not destroyed before.
    pub fn with_life<T>(&mut self, spots: &Spots, what: &str, act: impl FnOnce(&mut Self) -> T) -> Result<T, Stop> {
        if !self.may_be_destroyed(spots) {
            return Ok(act(self));
        }
        self.at_once(|own| {
            let done = act(own);
            own.check_life(spots, what, Role::Part)?;
            Ok(done)
        })
    }

    /// The counter value is not that of a destroyed object.
    pub fn check_count(&mut self, count: Term, wrong: String) -> Result<(), Stop> {
        let alive = self.is_alive(count);
        self.demand(alive, FailureKind::Memory, wrong)
    }

    pub fn is_alive(&mut self, count: Term) -> Term {
        let bit = self.terms().extract(count, 31, 31);
        let zero = self.terms().bits(1, 0);
        self.terms().eq(bit, zero)
    }

    /// The last event has read the count of an object that may have been destroyed. If it was, the event writes nothing,
    /// and the program fails.
    pub fn check_found(&mut self, last: EventId, kind: Kind, spots: &Spots) -> Result<(), Stop> {
        let Event::Access(mut access) = self.walk.builder.graph().events[last.index()].kind.clone() else {
            return Ok(());
        };
        match access.old {
            Some(old) if self.may_be_destroyed(spots) => {
                let alive = self.is_alive(old);
                access.writes = self.terms().and2(access.writes, alive);
                self.walk.builder.set_kind(last, Event::Access(access));
                self.check_count(old, used_late(kind.noun()))
            }
            _ => Ok(()),
        }
    }

    pub fn destroy(&mut self, kind: Kind, operation: Operation, args: &[Value]) -> Performed {
        let (at, spots) = self.sync_at(args[0], operation.what)?;
        let twice = destroyed_twice(kind.noun());
        self.check_own_deeds(&spots, &twice)?;
        let (locks, never) = (!kind.counts(), self.terms().falsehood());
        let busy = if self.concerns_others(at, &spots) {
            self.destroy_for_all(kind, at, &spots, twice)?
        } else if locks {
            self.holds(at)
        } else {
            never
        };
        self.rest.does(self.walk.builder.terms());
        if !self.rest.live && !locks {
            self.rest.counters.insert(at, Value::word(8 * BYTES, DESTROYED));
        }
        let before = self.rest.destroyed.get(&at).copied().unwrap_or(Value::word(8, 0));
        let after = Value::choose(self.terms(), busy, before, Value::word(8, 1));
        self.rest.destroyed.insert(at, after);
        self.either(busy, Code::Busy, Code::Ok)
    }

    /// Notes that this thread destroys or reinitialises the object there; whether other threads may access it.
    fn concerns_others(&mut self, at: u64, spots: &Spots) -> bool {
        let (own, known) = (self.rest.thread, &mut self.walk.known);
        if !self.rest.live {
            return false;
        }
        let is_held = |&(&at, levels): &(&u64, &Value)| at >= UNKNOWN_ADDRESS && levels.as_word() != Some(0);
        if self.rest.held.iter().any(|held| is_held(&held)) {
            return true;
        }
        let vague = spots.all.iter().any(|spot| known.vague.contains(&spot.object));
        if !vague && !known.sharing.is_lock_shared(at) {
            return false;
        }
        if known.destroyed.entry(at).or_default().note(own, &self.rest.joined) {
            known.news += 1;
        }
        let kept = known.kept.iter().any(|&kept| kept == at || kept >= UNKNOWN_ADDRESS);
        kept || self.others_are_about() || self.may_be_destroyed(spots)
    }

    /// Gives whether it is in use.
    fn destroy_for_all(&mut self, kind: Kind, at: u64, spots: &Spots, twice: String) -> Result<Term, Stop> {
        let state = self.address(spots, Side::Sync);
        if !kind.counts() {
            return self.at_once(|own| {
                let free = own.look_whether_free(kind, state);
                let busy = own.terms().not(free);
                own.end_life(spots, busy, twice)?;
                Ok(busy)
            });
        }
        if kind == Kind::Condition && self.walk.known.slept_on.insert(at) {
            self.walk.known.news += 1;
        }
        let parties = self.walk.known.parties.get(&at).copied().unwrap_or(1).max(1);
        let found = self.walk.emit(self.rest, Role::Step, |builder, thread| {
            builder.rmw(thread, state, BYTES, |terms, old| {
                let (busy, bit) = (kind.is_busy(&mut words(terms), old, parties), terms.bits(8 * BYTES, DESTROYED));
                let gone = terms.bit_or(old, bit);
                terms.ite(busy, old, gone)
            })
        });
        self.check_count(found, twice)?;
        Ok(kind.is_busy(&mut words(self.terms()), found, parties))
    }

    /// The cell beside an unused lock tells from now on that it was destroyed.
    fn end_life(&mut self, spots: &Spots, busy: Term, twice: String) -> Result<(), Stop> {
        let life = self.address(spots, Side::Life);
        let found = self.walk.emit(self.rest, Role::Step, |builder, thread| {
            builder.rmw(thread, life, 1, |terms, old| {
                let gone = terms.bits(8, 1);
                terms.ite(busy, old, gone)
            })
        });
        let zero = self.terms().bits(8, 0);
        let alive = self.terms().eq(found, zero);
        self.demand(alive, FailureKind::Memory, twice)
    }

    /// What was destroyed is made anew.
    pub fn make_anew(&mut self, kind: Kind, given: u32, at: u64, spots: &Spots) {
        if self.rest.destroyed.remove(&at).is_some() {
            self.rest.does(self.walk.builder.terms());
        }
        if !self.rest.live {
            if !kind.begins_with_number() {
                self.rest.counters.remove(&at);
            }
            return;
        }
        if !self.walk.known.destroyed.contains_key(&at) || !self.concerns_others(at, spots) {
            return;
        }
        if !kind.counts() {
            return self.begin_life(kind, spots);
        }
        let state = self.address(spots, Side::Sync);
        self.walk.emit(self.rest, Role::Step, |builder, thread| match kind {
            Kind::Condition => {
                let nobody = builder.constant(BYTES, 0);
                builder.write(thread, state, nobody);
            }
            // Threads that have met there before may not have left.
            _ if kind.must_be_made() => {
                builder.rmw(thread, state, BYTES, |terms, old| {
                    let rest = terms.bits(8 * BYTES, DESTROYED - 1);
                    let old = terms.bit_and(old, rest);
                    kind.anew(&mut words(terms), old, given)
                });
            }
            _ => {}
        });
    }

    /// Whoever got a lock that was destroyed fails before it is made anew.
    fn begin_life(&mut self, kind: Kind, spots: &Spots) {
        let (state, life) = (self.address(spots, Side::Sync), self.address(spots, Side::Life));
        let done = self.at_once(|own| {
            let free = own.look_whether_free(kind, state);
            let found = own.walk.emit(own.rest, Role::Step, |builder, thread| {
                builder.rmw(thread, life, 1, |terms, _| terms.bits(8, 0))
            });
            let zero = own.terms().bits(8, 0);
            let alive = own.terms().eq(found, zero);
            let condition = own.terms().or2(free, alive);
            own.walk.event(own.rest, Role::Part, Event::Assume { condition });
            Ok(())
        });
        drop(done);
    }

    /// Whether no thread holds the lock.
    fn look_whether_free(&mut self, kind: Kind, state: Address) -> Term {
        if kind != Kind::Mutex {
            let found = self.walk.emit(self.rest, Role::Part, |builder, thread| builder.read(thread, state, BYTES));
            let free = self.terms().bits(8 * BYTES, 0);
            return self.terms().eq(found, free);
        }
        // A thread that can take it finds it free.
        let taken = self.walk.emit(self.rest, Role::Part, |builder, thread| builder.try_lock(thread, state, false));
        let mut there = self.rest.clone();
        there.guard.push(self.walk.builder.terms(), taken);
        self.walk.event(&there, Role::Part, Event::Unlock { mutex: state, recursive: false, foreign: false });
        taken
    }

    /// A thread ends: the locks that it still holds stay in use.
    pub fn keep_held(&mut self) {
        let held = self.rest.held.iter().filter(|(_, levels)| levels.as_word() != Some(0));
        for (&at, _) in held {
            self.walk.known.news += u64::from(self.walk.known.kept.insert(at));
        }
    }
}
