//! The virtual clock of a program that is checked: a word of memory, which is shared where several threads have to do with it.

use formula::{Term, Terms};
use ir::{Ordering, RmwOp, Type};
use semantics::code::Access;
use vm::clock::{LATEST, LONGEST_SLEEP, TICK};

use crate::bounded::access::Side;
use crate::bounded::objects::{Maker, Object, ObjectId, Surrounding};
use crate::bounded::sync::Performed;
use crate::bounded::value::Value;
use crate::bounded::walk::Role;
use crate::bounded::world::{Stop, Walker, blank};

const BYTES: u64 = 8;

const WHOLE: Access = Access { ty: Type::Int(64), ordering: Some(Ordering::SequentiallyConsistent), place: None };

/// When a sleep of that length ends which begins now.
pub fn deadline(terms: &mut Terms, now: Term, length: Term) -> Term {
    let (zero, longest) = (terms.bits(64, 0), terms.bits(64, LONGEST_SLEEP as u128));
    let negative = terms.slt(length, zero);
    let long = terms.slt(longest, length);
    let shorter = terms.ite(long, longest, length);
    let length = terms.ite(negative, zero, shorter);
    terms.add(now, length)
}

/// No deadline is later than the latest time.
pub fn capped(terms: &mut Terms, until: Term) -> Term {
    let latest = terms.bits(64, LATEST as u128);
    let late = terms.slt(latest, until);
    terms.ite(late, latest, until)
}

impl Walker<'_, '_> {
    fn clock(&mut self) -> ObjectId {
        let start = vm::clock::start(&self.walk.options.readings);
        self.walk.known.objects.make(Maker::Surrounding(Surrounding::Clock), || Object {
            image: start.to_le_bytes().as_slice().into(),
            ..blank(BYTES, false, Some("the clock".to_owned()))
        })
    }

    /// What is recorded of the clock is given. Otherwise each reading is a tick later than the one before.
    pub fn read_clock(&mut self) -> Performed {
        let readings = self.walk.options.readings.get(self.walk.name(self.rest.thread));
        let reading = readings.and_then(|readings| readings.get(self.rest.clock_reads)).copied();
        self.rest.clock_reads += 1;
        if let Some(reading) = reading {
            return Ok(Some(Value::word(64, u128::from(reading as u64))));
        }
        let clock = self.clock();
        let at = self.base(clock);
        let old = self.read_and_write(WHOLE, RmwOp::Add, at, Value::word(64, TICK as u128))?;
        let (old, tick) = (old.term(self.terms(), 64), self.terms().bits(64, TICK as u128));
        let now = self.terms().add(old, tick);
        Ok(Some(self.value(now)))
    }

    /// Whether it matters that time passes.
    fn has_time(&self) -> bool {
        self.walk.code.reads_clock && self.walk.guide.is_none()
    }

    /// Sleeps of different threads may overlap: each begins with a look at the clock.
    pub fn sleep(&mut self, length: Value) -> Performed {
        if !self.has_time() {
            return Ok(None);
        }
        let now = self.look_at_clock()?;
        let (now, length) = (now.term(self.terms(), 64), length.term(self.terms(), 64));
        let until = deadline(self.terms(), now, length);
        let until = self.value(until);
        self.pass_time(until)
    }

    fn look_at_clock(&mut self) -> Result<Value, Stop> {
        let clock = self.clock();
        let at = self.base(clock);
        let spots = self.spots(at, BYTES, false, "read")?;
        // Inside an atomic section, a sleep is one step.
        if !self.is_shared(&spots, BYTES) {
            return self.private_read(&spots, BYTES as u32);
        }
        let role = if self.rest.atomic > 0 { Role::Part } else { Role::Step };
        let place = self.address(&spots, Side::Memory);
        let symbol = self.walk.emit(self.rest, role, |builder, thread| builder.read(thread, place, BYTES as u32));
        self.found_at(symbol, Self::places(&spots), BYTES as u32, false);
        Ok(Value::Term(symbol))
    }

    /// The clock is at this time or later.
    pub fn pass_time(&mut self, until: Value) -> Performed {
        if !self.has_time() {
            return Ok(None);
        }
        let clock = self.clock();
        let at = self.base(clock);
        let until = until.term(self.terms(), 64);
        let until = capped(self.terms(), until);
        let until = self.value(until);
        self.read_and_write(WHOLE, RmwOp::SignedMax, at, until)?;
        Ok(None)
    }
}
