//! Accesses to memory: the possible places of an access, whether they are valid, and whether other threads can observe
//! it.

use std::collections::BTreeSet;
use std::rc::Rc;

use events::{Address, EventId};
use formula::{Op, Term};
use ir::RmwOp;
use semantics::code::Access;
use semantics::messages;
use vm::FailureKind;

use crate::bounded::objects::ObjectId;
use crate::bounded::pasts::Looking;
use crate::bounded::sets::{Element, Read, Somewhere};
use crate::bounded::value::Value;
use crate::bounded::walk::{Reason, Role};
use crate::bounded::world::{Stop, Walker};
use crate::terms;

/// A private object that is accessed at an unknown offset is looked at place by place, up to this many.
const MOST_PLACES: u64 = 512;

/// A place where an access may be.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub object: ObjectId,
    /// Where it is known.
    pub offset: Option<u64>,
    /// That the access is here.
    pub condition: Term,
}

impl Spot {
    fn somewhere(&self) -> Somewhere {
        (self.object, self.offset)
    }
}

/// What of a place is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Memory,
    /// What threads synchronise on.
    Sync,
    /// Whether it was destroyed.
    Life,
}

/// All places where an access may be, and the address as it was given.
#[derive(Clone, Debug)]
pub struct Spots {
    pub all: Vec<Spot>,
    pub address: Value,
}

impl Walker<'_, '_> {
    /// The places of an access of so many bytes, which is then one of them or fails.
    pub fn spots(&mut self, address: Value, bytes: u64, writes: bool, what: &str) -> Result<Spots, Stop> {
        if self.walk.run.is_some() {
            let spots = self.forced_spots(address, bytes, what)?;
            self.touch(&spots, bytes, writes);
            return Ok(spots);
        }
        let elements = self.walk.values_of(&self.rest.refined, address);
        let count = elements.known().len() + usize::from(elements.has_others());
        let pointer = address.term(self.terms(), 64);
        let (mut all, mut ways, mut wild, mut bad) = (Vec::new(), Vec::new(), None, Vec::new());
        for element in elements.known() {
            let (object, offset, condition) = match element {
                Element::Word(word) => {
                    let constant = self.terms().bits(64, u128::from(word));
                    let here = self.terms().eq(pointer, constant);
                    match self.walk.known.objects.resolve(word) {
                        Some((object, offset)) => (object, Some(offset), here),
                        None => {
                            wild = Some(word);
                            bad.push(here);
                            continue;
                        }
                    }
                }
                Element::Within(object) => {
                    let base = self.walk.known.objects.get(object).base;
                    let base = self.terms().bits(64, u128::from(base));
                    let offset = self.terms().sub(pointer, base);
                    let Some(room) = self.walk.known.objects.get(object).size.checked_sub(bytes) else { continue };
                    let room = self.terms().bits(64, u128::from(room));
                    let here = self.terms().ule(offset, room);
                    (object, None, here)
                }
            };
            if self.terms().as_bool(condition) == Some(false) {
                continue;
            }
            let info = self.walk.known.objects.get(object);
            if info.external {
                let name = info.name.clone().unwrap_or_default();
                return Err(self.give_up(format!("the external variable `{name}`")));
            }
            let fits = offset.is_none_or(|offset| offset.checked_add(bytes).is_some_and(|end| end <= info.size));
            if !fits || (writes && info.constant) {
                bad.push(condition);
                continue;
            }
            let condition = match self.is_present(object, offset, bytes, pointer) {
                Some(present) => {
                    let absent = self.terms().not(present);
                    bad.push(self.terms().and2(condition, absent));
                    self.terms().and2(condition, present)
                }
                None => condition,
            };
            let ended = self.rest.memory.get(object).map(|contents| contents.ended());
            let condition = match ended {
                Some(ended) => {
                    let gone = self.terms().and2(condition, ended);
                    bad.push(gone);
                    let alive = self.terms().not(ended);
                    self.terms().and2(condition, alive)
                }
                None => condition,
            };
            if self.terms().as_bool(condition) == Some(false) {
                continue;
            }
            let way = match self.fits_room(object, offset, bytes, pointer, condition)? {
                Some(fits) => {
                    let beyond = self.terms().not(fits);
                    bad.push(self.terms().and2(condition, beyond));
                    self.terms().and2(condition, fits)
                }
                None => condition,
            };
            if self.terms().as_bool(way) != Some(false) {
                ways.push(way);
                all.push(Spot { object, offset, condition });
            }
        }
        let allowed = self.terms().or(&ways);
        let wrong = match wild {
            Some(word) => messages::pointer(word, what),
            None => messages::bad_address(what),
        };
        if elements.has_others() {
            self.leave_open(allowed, &bad)?;
        }
        self.demand(allowed, FailureKind::Memory, wrong)?;
        if let Value::Term(term) = address
            && all.len() < count
        {
            self.refine(term, &all);
        }
        let spots = Spots { all, address };
        self.touch(&spots, bytes, writes);
        Ok(spots)
    }

    /// Every path that continues after an access has had one of these addresses.
    fn refine(&mut self, address: Term, spots: &[Spot]) {
        let terms = &self.walk.builder.graph().terms;
        let (of, by) = match *terms.op(address) {
            Op::Add(one, other) => match (terms.as_bits(one), terms.as_bits(other)) {
                (_, Some(by)) => (Some(one), by as u64),
                (Some(by), _) => (Some(other), by as u64),
                _ => (None, 0),
            },
            _ => (None, 0),
        };
        let objects = &self.walk.known.objects;
        let element = |spot: &Spot, by: u64| match spot.offset {
            Some(offset) => Element::Word((objects.get(spot.object).base + offset).wrapping_sub(by)),
            None => Element::Within(spot.object),
        };
        let whole: BTreeSet<Element> = spots.iter().map(|spot| element(spot, 0)).collect();
        let part: BTreeSet<Element> = spots.iter().map(|spot| element(spot, by)).collect();
        let refined = Rc::make_mut(&mut self.rest.refined);
        refined.insert(address, whole);
        if let Some(of) = of.filter(|_| spots.iter().all(|spot| spot.offset.is_some())) {
            refined.insert(of, part);
        }
    }

    /// Does the observable part of an access, if the blocks that it touches are alive. The check and the access are one
    /// step.
    fn alive<T>(&mut self, spots: &Spots, what: &str, access: impl FnOnce(&mut Self) -> T) -> Result<T, Stop> {
        if self.is_known_to_go_well() || !spots.all.iter().any(|spot| self.is_mortal(spot.object)) {
            return Ok(access(self));
        }
        self.at_once(|own| {
            own.check_lives(spots, what, Role::Part)?;
            Ok(access(own))
        })
    }

    /// Cuts the paths on which the address is neither known to be valid nor known to be invalid.
    fn leave_open(&mut self, allowed: Term, bad: &[Term]) -> Result<(), Stop> {
        let bad = self.terms().or(bad);
        let known = self.terms().or2(allowed, bad);
        if self.terms().as_bool(known) == Some(true) {
            return Ok(());
        }
        let other = self.terms().not(known);
        let mut there = self.rest.clone();
        there.guard.push(self.walk.builder.terms(), other);
        self.walk.cut(&there, Reason::Unsupported("an address with unbounded values".into()));
        if self.terms().as_bool(known) == Some(false) { Err(Stop::Ended) } else { Ok(()) }
    }

    fn touch(&mut self, spots: &Spots, bytes: u64, writes: bool) {
        if !self.rest.live {
            return;
        }
        let shared = self.is_shared(spots, bytes);
        for spot in &spots.all {
            let info = self.walk.known.objects.get(spot.object);
            if info.constant {
                continue;
            }
            let (offset, bytes) = spot.offset.map_or((0, info.size), |offset| (offset, bytes));
            self.walk.found.touch(spot.object.into(), offset, bytes, self.rest.thread, writes);
            if shared {
                self.walk.found.force(spot.object.into(), offset, bytes);
            }
        }
    }

    /// Whether other threads can observe the access. In a followed run, an access whose place depends on other threads
    /// is observable.
    pub fn is_shared(&self, spots: &Spots, bytes: u64) -> bool {
        if self.rest.live && self.walk.run.is_some() && spots.address.as_word().is_none() {
            return spots.all.iter().any(|spot| !self.walk.known.objects.get(spot.object).constant);
        }
        self.rest.live
            && spots.all.iter().any(|spot| {
                let size = self.walk.known.objects.get(spot.object).size;
                let (offset, bytes) = spot.offset.map_or((0, size), |offset| (offset, bytes));
                self.walk.known.sharing.is_shared(spot.object.into(), offset, bytes)
            })
    }

    /// Blocks that another thread may have freed.
    pub fn check_lives(&mut self, spots: &Spots, what: &str, role: Role) -> Result<(), Stop> {
        if self.is_known_to_go_well() {
            return Ok(());
        }
        let mortal: Vec<Spot> = spots.all.iter().copied().filter(|spot| self.is_mortal(spot.object)).collect();
        for spot in mortal {
            let mut there = self.rest.clone();
            there.guard.push(self.walk.builder.terms(), spot.condition);
            let cell = self.walk.end_of(spot.object);
            let state = self.walk.emit(&there, role, |builder, thread| {
                let address = builder.address(cell, 0);
                builder.read(thread, address, 1)
            });
            let zero = self.terms().bits(8, 0);
            let alive = self.terms().eq(state, zero);
            let elsewhere = self.terms().not(spot.condition);
            let fine = self.terms().or2(elsewhere, alive);
            self.demand(fine, FailureKind::Memory, messages::freed_memory(what))?;
        }
        Ok(())
    }

    /// Whether another thread may end the object while this thread still runs.
    pub fn is_mortal(&self, object: ObjectId) -> bool {
        let own = self.rest.thread;
        self.rest.live
            && self.walk.known.sharing.is_common(object.into())
            && self.walk.known.freed.get(&object).is_some_and(|enders| enders.concern(own))
    }

    /// Notes that this thread ends the object; whether other threads may still use it.
    pub fn ends(&mut self, object: ObjectId) -> bool {
        let own = self.rest.thread;
        let size = self.walk.known.objects.get(object).size.max(1);
        self.walk.found.touch(object.into(), 0, size, own, false);
        if !self.walk.known.sharing.is_common(object.into()) {
            return false;
        }
        if self.walk.known.freed.entry(object).or_default().note(own, &self.rest.joined) {
            self.walk.known.news += 1;
        }
        self.others_are_about()
    }

    /// The address as the graph has it.
    pub fn address(&mut self, spots: &Spots, side: Side) -> Address {
        let mut whole: Option<Address> = None;
        for spot in spots.all.iter().rev() {
            let id = match side {
                Side::Memory => self.walk.object(spot.object),
                Side::Sync => self.walk.sync(spot.object),
                Side::Life => self.walk.life(spot.object),
            };
            let base = self.walk.known.objects.get(spot.object).base;
            let pointer = spots.address.term(self.walk.terms(), 64);
            let terms = self.walk.terms();
            let object = terms.bits(32, u128::from(id.0));
            let offset = match spot.offset {
                Some(offset) => terms.bits(32, u128::from(offset)),
                None => {
                    let base = terms.bits(64, u128::from(base));
                    let offset = terms.sub(pointer, base);
                    terms.extract(offset, 31, 0)
                }
            };
            whole = Some(match whole {
                None => Address { object, offset },
                Some(rest) => Address {
                    object: terms.ite(spot.condition, object, rest.object),
                    offset: terms.ite(spot.condition, offset, rest.offset),
                },
            });
        }
        let nowhere = self.terms().bits(32, 0);
        whole.unwrap_or(Address { object: nowhere, offset: nowhere })
    }

    /// The offsets at which a private access may be, each with its condition.
    fn offsets(&mut self, spots: &Spots, bytes: u32) -> Result<Vec<(ObjectId, u64, Term)>, Stop> {
        let mut all = Vec::new();
        for spot in &spots.all {
            if let Some(offset) = spot.offset {
                all.push((spot.object, offset, spot.condition));
                continue;
            }
            let (base, size) = {
                let info = self.walk.known.objects.get(spot.object);
                (info.base, info.size)
            };
            let pointer = spots.address.term(self.terms(), 64);
            let base_term = self.terms().bits(64, u128::from(base));
            let offset = self.terms().sub(pointer, base_term);
            let (stride, first) = stride(&self.walk.builder.graph().terms, offset);
            let count = size / stride.max(1) + 1;
            if count > MOST_PLACES {
                return Err(self.give_up("a symbolic index into a large object"));
            }
            let places = (first..size.saturating_sub(u64::from(bytes) - 1)).step_by(stride.max(1) as usize);
            for at in places {
                let constant = self.terms().bits(64, u128::from(at));
                let same = self.terms().eq(offset, constant);
                let here = self.terms().and2(spot.condition, same);
                if self.terms().as_bool(here) != Some(false) {
                    all.push((spot.object, at, here));
                }
            }
        }
        Ok(all)
    }

    pub fn private_read(&mut self, spots: &Spots, bytes: u32) -> Result<Value, Stop> {
        let mut found: Option<Value> = None;
        for (object, offset, condition) in self.offsets(spots, bytes)?.into_iter().rev() {
            let terms = self.walk.builder.terms();
            let here = self.rest.memory.read(terms, &self.walk.known.objects, object, offset, bytes);
            found = Some(match found {
                None => here,
                Some(other) => Value::choose(terms, condition, here, other),
            });
        }
        Ok(found.unwrap_or(Value::word(8 * bytes, 0)))
    }

    pub fn private_write(&mut self, spots: &Spots, bytes: u32, value: Value) -> Result<(), Stop> {
        let offsets = self.offsets(spots, bytes)?;
        let only = offsets.len() == 1;
        for (object, offset, condition) in offsets {
            let terms = self.walk.builder.terms();
            let new = if only {
                value
            } else {
                let old = self.rest.memory.read(terms, &self.walk.known.objects, object, offset, bytes);
                Value::choose(terms, condition, value, old)
            };
            self.rest.memory.get_mut(terms, object).write(terms, offset as u32, bytes, new);
        }
        Ok(())
    }

    /// Notes where a symbol was read.
    pub fn found_at(&mut self, symbol: Term, places: Vec<Somewhere>, bytes: u32, updates: bool) {
        let key = self.rest.place.key(self.walk.code, self.walk.shapes);
        let looking = Looking { thread: self.rest.thread, key, updates };
        self.walk.reads.insert(symbol, Read { places, bytes, looking });
    }

    pub fn places(spots: &Spots) -> Vec<Somewhere> {
        spots.all.iter().map(Spot::somewhere).collect()
    }

    /// As many bits as the type has, of the bytes that were read.
    fn narrow(&mut self, value: Value, access: Access) -> Value {
        let term = value.term(self.terms(), access.ty.bits());
        match value {
            Value::Word { word, .. } => Value::word(access.ty.bits(), word),
            Value::Term(_) => self.value(term),
        }
    }

    /// The address of an access whose value is unchanged until the present section ends.
    fn kept_at(&self, spots: &Spots) -> Option<u64> {
        if self.walk.run.is_none() || self.rest.atomic == 0 {
            return None;
        }
        let innermost = self.rest.place.calls.last()?;
        let is_library = self.walk.code.program.functions[innermost.function.index()].origin != ir::Origin::User;
        let [spot] = spots.all[..] else { return None };
        let offset = spot.offset.filter(|_| is_library)?;
        Some(self.walk.known.objects.get(spot.object).base + offset)
    }

    fn known_in_section(&self, spots: &Spots, bytes: u32) -> Option<Value> {
        self.rest.along.section.known(self.kept_at(spots)?, bytes)
    }

    fn read_in_section(&mut self, spots: &Spots, bytes: u32, value: Value) {
        match self.kept_at(spots) {
            Some(at) => self.rest.along.section.read(at, bytes, value),
            None => self.rest.along.section.forget(),
        }
    }

    /// The last added event wrote there.
    fn wrote_in_section(&mut self, spots: &Spots, bytes: u32, value: Value) {
        match self.kept_at(spots) {
            Some(at) => {
                let event = EventId(self.walk.builder.graph().events.len() as u32 - 1);
                self.walk.remarks.hidden.extend(self.rest.along.section.wrote(at, bytes, value, event));
            }
            None => self.rest.along.section.forget(),
        }
    }

    pub fn read(&mut self, access: Access, address: Value) -> Result<Value, Stop> {
        let bytes = access.ty.bytes();
        let spots = self.spots(address, u64::from(bytes), false, "read")?;
        if !self.is_shared(&spots, u64::from(bytes)) {
            self.check_lives(&spots, "read", Role::Step)?;
            let value = self.private_read(&spots, bytes)?;
            return Ok(self.narrow(value, access));
        }
        if let Some(value) = self.sure_value(&spots, bytes) {
            self.check_lives(&spots, "read", Role::Step)?;
            return Ok(self.narrow(value, access));
        }
        if let Some(value) = self.known_in_section(&spots, bytes) {
            return Ok(self.narrow(value, access));
        }
        let place = self.address(&spots, Side::Memory);
        let symbol = self.alive(&spots, "read", |own| {
            own.walk.emit(own.rest, Role::Step, |builder, thread| builder.read(thread, place, bytes))
        })?;
        self.found_at(symbol, Self::places(&spots), bytes, false);
        self.remember(&spots, bytes, Value::Term(symbol));
        self.read_in_section(&spots, bytes, Value::Term(symbol));
        Ok(self.narrow(Value::Term(symbol), access))
    }

    pub fn write(&mut self, access: Access, address: Value, value: Value, role: Role) -> Result<(), Stop> {
        let bytes = access.ty.bytes();
        let spots = self.spots(address, u64::from(bytes), true, "written")?;
        let wide = value.term(self.terms(), access.ty.bits());
        let wide = terms::fit(self.terms(), wide, 8 * bytes);
        let wide = self.value(wide);
        if self.rest.live {
            self.walk.store_at(self.rest, Self::places(&spots), bytes, wide);
        }
        if !self.is_shared(&spots, u64::from(bytes)) {
            self.check_lives(&spots, "written", role)?;
            return self.private_write(&spots, bytes, wide);
        }
        self.act()?;
        let place = self.address(&spots, Side::Memory);
        let term = wide.term(self.terms(), 8 * bytes);
        self.alive(&spots, "written", |own| {
            own.walk.emit(own.rest, role, |builder, thread| builder.write(thread, place, term));
        })?;
        self.overwrites(&spots, bytes);
        self.remember(&spots, bytes, wide);
        self.wrote_in_section(&spots, bytes, wide);
        Ok(())
    }

    pub fn read_and_write(&mut self, access: Access, op: RmwOp, address: Value, value: Value) -> Result<Value, Stop> {
        let bytes = access.ty.bytes();
        let spots = self.spots(address, u64::from(bytes), true, "updated")?;
        if !self.is_shared(&spots, u64::from(bytes)) {
            self.check_lives(&spots, "updated", Role::Step)?;
            let old = self.private_read(&spots, bytes)?;
            let old = self.narrow(old, access);
            let new = semantics::domain::Domain::update(self, op, access.ty, &old, &value);
            let Ok(new) = new else { return Err(self.give_up("an update of a floating-point number")) };
            let wide = new.term(self.terms(), 8 * bytes);
            let wide = self.value(wide);
            if self.rest.live {
                self.walk.store_at(self.rest, Self::places(&spots), bytes, wide);
            }
            self.private_write(&spots, bytes, wide)?;
            return Ok(old);
        }
        self.act()?;
        let place = self.address(&spots, Side::Memory);
        let value = value.term(self.terms(), 8 * bytes);
        let mut new = None;
        let old = self.alive(&spots, "updated", |own| {
            own.walk.emit(own.rest, Role::Step, |builder, thread| {
                builder.rmw(thread, place, bytes, |terms, old| {
                    let updated = terms::update(terms, op, access.ty, old, value);
                    new = updated;
                    updated.unwrap_or(old)
                })
            })
        })?;
        self.found_at(old, Self::places(&spots), bytes, true);
        self.overwrites(&spots, bytes);
        self.rest.along.section.forget();
        let Some(new) = new else { return Err(self.give_up("an update of a floating-point number")) };
        let new = self.value(new);
        self.walk.store_at(self.rest, Self::places(&spots), bytes, new);
        Ok(self.narrow(Value::Term(old), access))
    }

    pub fn exchange(
        &mut self,
        access: Access,
        address: Value,
        expected: Value,
        new: Value,
    ) -> Result<(Value, Value), Stop> {
        let bytes = access.ty.bytes();
        let spots = self.spots(address, u64::from(bytes), true, "updated")?;
        let (expected, desired) = (expected.term(self.terms(), 8 * bytes), new.term(self.terms(), 8 * bytes));
        let wide = self.value(desired);
        if self.rest.live {
            self.walk.store_at(self.rest, Self::places(&spots), bytes, wide);
        }
        let old = if self.is_shared(&spots, u64::from(bytes)) {
            self.act()?;
            let place = self.address(&spots, Side::Memory);
            let old = self.alive(&spots, "updated", |own| {
                own.walk.emit(own.rest, Role::Step, |builder, thread| {
                    builder.compare_exchange(thread, place, expected, desired)
                })
            })?;
            self.found_at(old, Self::places(&spots), bytes, true);
            self.overwrites(&spots, bytes);
            self.rest.along.section.forget();
            Value::Term(old)
        } else {
            self.check_lives(&spots, "updated", Role::Step)?;
            let old = self.private_read(&spots, bytes)?;
            let term = old.term(self.terms(), 8 * bytes);
            let same = self.terms().eq(term, expected);
            let left = Value::choose(self.walk.builder.terms(), same, wide, old);
            self.private_write(&spots, bytes, left)?;
            old
        };
        let term = old.term(self.terms(), 8 * bytes);
        let same = self.terms().eq(term, expected);
        let written = terms::of_bool(self.terms(), same);
        Ok((self.narrow(old, access), self.value(written)))
    }
}

/// Offsets that a term can be are a multiple of the first beyond the second.
fn stride(terms: &formula::Terms, term: Term) -> (u64, u64) {
    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    // (the factor, 0 for a constant; the added constant)
    fn parts(terms: &formula::Terms, term: Term, depth: u32) -> (u64, u64) {
        if depth == 0 {
            return (1, 0);
        }
        match *terms.op(term) {
            Op::Bits { value, .. } => (0, value as u64),
            Op::Add(a, b) => {
                let ((one, x), (other, y)) = (parts(terms, a, depth - 1), parts(terms, b, depth - 1));
                (gcd(one, other), x.wrapping_add(y))
            }
            Op::Sub(a, b) => {
                let ((one, x), (other, y)) = (parts(terms, a, depth - 1), parts(terms, b, depth - 1));
                (gcd(one, other), x.wrapping_sub(y))
            }
            Op::Mul(a, b) => match (terms.as_bits(a), terms.as_bits(b)) {
                (Some(by), _) | (_, Some(by)) if by.is_power_of_two() => (by as u64, 0),
                // Products wrap, so that only powers of two are sure to divide them.
                (Some(by), _) | (_, Some(by)) if by != 0 => (1 << (by as u64).trailing_zeros(), 0),
                _ => (1, 0),
            },
            Op::Shl(_, by) => terms.as_bits(by).map_or((1, 0), |by| (1 << by.min(16), 0)),
            Op::Ite(_, a, b) => {
                let ((one, x), (other, y)) = (parts(terms, a, depth - 1), parts(terms, b, depth - 1));
                (gcd(gcd(one, other), x.abs_diff(y)), x)
            }
            Op::Concat(_, low) => match terms.as_bits(low) {
                Some(0) => (1 << terms.width(low).min(16), 0),
                _ => (1, 0),
            },
            _ => (1, 0),
        }
    }
    let (stride, first) = parts(terms, term, 32);
    let stride = stride.max(1);
    // A stride that is not a power of two does not survive wrapping; its common divisor with the width does.
    let stride = 1 << stride.trailing_zeros().min(20);
    (stride, first % stride)
}
