//! Calls that print: the memory that they read, and whether it is certainly valid.
//!
//! Printed values have no influence on the program, so calls that print are skipped. But such a call fails if it reads
//! a null pointer, freed memory, or a text without a terminator. It is skipped only if that is impossible: every block
//! that it reads is alive, no other thread can end it, and a text has a terminator that no other thread overwrites.
//! Other calls are walked like any function of the library, once for each possible address. Numbers that are only
//! printed are then zero: nothing depends on their digits.

use semantics::code::{Callee, Inst};
use semantics::messages::bad_address;
use vm::FailureKind;

use crate::bounded::objects::ObjectId;
use crate::bounded::readings::{Reading, uses};
use crate::bounded::sets::Element;
use crate::bounded::state::State;
use crate::bounded::value::Value;
use crate::bounded::walk::{Output, Role, Walk};
use crate::bounded::world::{Stop, Walker};

/// A call that is given one of more addresses is followed with an unknown address.
const MOST_ADDRESSES: usize = 16;

/// How the next instruction of a path is treated.
pub enum Printing {
    /// It is run. Of the arguments of a call, these numbers are only printed.
    Runs(Vec<usize>),
    Passed,
    /// It is a call that is run once for each address that it may be given.
    Split(Vec<State>),
}

/// Whether a read is valid.
enum Validity {
    Certain,
    Open,
    /// It depends on which of these addresses the value is.
    DependsOn(Value, Vec<u64>),
}

impl Walk<'_> {
    /// Passes over a call that prints, if it cannot fail.
    pub fn print(&mut self, state: &mut State) -> Printing {
        let runs = Printing::Runs(Vec::new());
        let Some(frame) = state.thread.frames.last() else { return runs };
        let function = self.code.function(frame.function);
        let (callee, args) = match &function.insts[frame.position as usize] {
            Inst::Call { function, args, .. } => (*function, *args),
            Inst::Invoke { callee: Callee::Direct(function), args, .. } => (*function, *args),
            _ => return runs,
        };
        let silent = self.silent[callee.index()];
        if silent == Output::No || self.fails_inside(&state.rest) {
            return runs;
        }
        let given = args.of(&function.args).iter().map(|&(operand, ty)| {
            let value = match state.thread.operand(self.code, operand) {
                Ok(value) => *value,
                Err((ty, bits)) => Value::word(ty.bits(), bits),
            };
            (value, ty)
        });
        let given: Vec<(Value, ir::Type)> = given.collect();
        let name = &self.code.program.functions[callee.index()].name;
        if !self.tells_the_user(name, |number| given.get(number).map(|(value, _)| *value)) {
            return runs;
        }
        // The record of a native run does not cover the inside of such a call.
        if self.guide.is_none() && self.run.is_none() {
            let Some(uses) = uses(name, &given, |at| self.constant_text(at)) else { return runs };
            let mut walker = Walker { walk: self, rest: &mut state.rest };
            let mut certain = true;
            for reading in uses.readings {
                match walker.validity(reading) {
                    Validity::Certain => {}
                    Validity::Open => certain = false,
                    Validity::DependsOn(value, words) => {
                        return Printing::Split(self.choose(state, value, words, None));
                    }
                }
            }
            if !certain {
                return Printing::Runs(uses.printed);
            }
        }
        let value = match silent {
            Output::Itself => given.first().map_or(Value::word(64, 0), |(value, _)| *value),
            _ => Value::word(32, 1),
        };
        state.thread.pass_call(self.code, &value);
        self.pass_in_run(&mut state.rest, callee);
        state.rest.does(self.builder.terms());
        Printing::Passed
    }

    /// A text in constant memory.
    fn constant_text(&self, at: Value) -> Option<Vec<u8>> {
        let (object, offset) = self.known.objects.resolve(at.as_word()? as u64)?;
        let object = self.known.objects.get(object);
        let bytes = object.image.get(offset as usize..).filter(|_| object.constant)?;
        let end = bytes.iter().position(|&byte| byte == 0)?;
        Some(bytes[..end].to_vec())
    }
}

/// Numbers that a call only prints are zero where they are unknown.
pub fn blank(state: &mut State, params: usize, printed: &[usize]) {
    let Some(frame) = state.thread.frames.last_mut() else { return };
    for &number in printed {
        let argument = number.checked_sub(params).and_then(|number| frame.variadic_mut().get_mut(number));
        if let Some((ty, value @ Value::Term(_))) = argument {
            *value = Value::word(ty.bits(), 0);
        }
    }
}

impl Walker<'_, '_> {
    fn validity(&mut self, reading: Reading) -> Validity {
        let at = reading.address();
        let Value::Term(_) = at else {
            return if self.is_certain(reading) { Validity::Certain } else { Validity::Open };
        };
        let set = self.walk.values_of(&self.rest.refined, at);
        let word = |element: Element| match element {
            Element::Word(word) => Some(word),
            Element::Within(_) => None,
        };
        let words: Option<Vec<u64>> = set.known().map(word).collect();
        let Some(words) = words.filter(|_| !set.has_others()) else { return Validity::Open };
        let mut certain = true;
        for &word in &words {
            certain &= self.is_certain(reading.moved_to(Value::word(64, u128::from(word))));
        }
        match certain {
            true => Validity::Certain,
            false if words.len() > MOST_ADDRESSES => Validity::Open,
            false => Validity::DependsOn(at, words),
        }
    }

    /// Whether a read at a known address cannot fail. What it relies on is noted as read.
    fn is_certain(&mut self, reading: Reading) -> bool {
        match reading {
            Reading::Text { at, nullable: true, .. } if at.as_word() == Some(0) => true,
            Reading::Text { at, most, .. } => self.is_certain_text(at, most),
            Reading::Bytes { at, count } => self.has_bytes(at, count),
            Reading::String(at) => self.is_certain_string(at),
            Reading::Stream(at) => {
                let found = at.as_word().and_then(|at| self.walk.known.objects.resolve(at as u64));
                found.is_some_and(|(object, _)| self.walk.known.objects.get(object).constant)
            }
        }
    }

    /// The object at an address, and the offset in it, if it is alive and stays so while this thread runs.
    fn lasting(&mut self, at: Value) -> Option<(ObjectId, u64)> {
        let (id, offset) = self.walk.known.objects.resolve(at.as_word()? as u64)?;
        let object = self.walk.known.objects.get(id);
        if object.external || object.varies.is_some() || offset >= object.size || self.walk.present.contains_key(&id) {
            return None;
        }
        let never = self.walk.terms().falsehood();
        let alive = self.rest.memory.get(id).is_none_or(|contents| contents.ended() == never);
        (alive && !self.is_mortal(id)).then_some((id, offset))
    }

    fn relies_on(&mut self, id: ObjectId, offset: u64, bytes: u64) {
        if self.rest.live && !self.walk.known.objects.get(id).constant {
            self.walk.found.touch(id.into(), offset, bytes, self.rest.thread, false);
        }
    }

    fn has_shared(&self, id: ObjectId, offset: u64, end: u64) -> bool {
        self.rest.live && self.walk.known.sharing.is_shared(id.into(), offset, end - offset)
    }

    fn is_zero(&mut self, id: ObjectId, at: u64) -> bool {
        let terms = self.walk.builder.terms();
        self.rest.memory.read(terms, &self.walk.known.objects, id, at, 1).as_word() == Some(0)
    }

    fn is_certain_text(&mut self, at: Value, most: Option<Value>) -> bool {
        let most = most.and_then(Value::as_word).map(|most| most as u32 as i32).filter(|&most| most >= 0);
        if most == Some(0) {
            return true;
        }
        if self.is_argument(at) {
            return true;
        }
        let Some((id, offset)) = self.lasting(at) else { return false };
        let size = self.walk.known.objects.get(id).size;
        let is_private = !self.has_shared(id, offset, size);
        let races = self.walk.options.properties.contains(&FailureKind::Race);
        if races && !is_private {
            return false;
        }
        // The last byte of a buffer is often zero and seldom written.
        if !races && !self.has_shared(id, size - 1, size) && self.is_zero(id, size - 1) {
            self.relies_on(id, size - 1, 1);
            return true;
        }
        if is_private && let Some(end) = (offset..size).find(|&at| self.is_zero(id, at)) {
            self.relies_on(id, offset, end + 1 - offset);
            return true;
        }
        let fits = most.is_some_and(|most| most as u64 <= size - offset);
        if let (true, Some(most)) = (fits, most) {
            self.relies_on(id, offset, if races { most as u64 } else { 1 });
        }
        fits
    }

    /// Whether a text of the command line begins here that was not changed: it has a terminator, whatever its bytes are.
    fn is_argument(&mut self, at: Value) -> bool {
        let found = at.as_word().and_then(|at| self.walk.known.objects.resolve(at as u64));
        let Some((id, 0)) = found else { return false };
        let size = self.walk.known.objects.get(id).size;
        let Some(present) = self.walk.present.get(&id).cloned() else { return false };
        let terms = self.walk.builder.terms();
        let zero = terms.bits(8, 0);
        let unchanged = (0..size - 1).zip(&present[1..]).all(|(at, &goes_on)| {
            let byte = self.rest.memory.read(terms, &self.walk.known.objects, id, at, 1);
            matches!(byte, Value::Term(byte) if terms.ne(byte, zero) == goes_on)
        });
        present.len() as u64 == size && unchanged && !self.has_shared(id, 0, size)
    }

    fn has_bytes(&mut self, at: Value, count: Value) -> bool {
        let set = self.walk.values_of(&self.rest.refined, count);
        let word = |element: Element| match element {
            Element::Word(word) => Some(word),
            Element::Within(_) => None,
        };
        let most = set.known().map(word).try_fold(0, |most: u64, count| Some(most.max(count?)));
        let Some(most) = most.filter(|_| !set.has_others()) else { return false };
        if most == 0 {
            return true;
        }
        let Some((id, offset)) = self.lasting(at) else { return false };
        let fits = most <= self.walk.known.objects.get(id).size - offset;
        if fits {
            self.relies_on(id, offset, 1);
        }
        fits
    }

    /// A `std::string` holds the address of its bytes and then their number.
    fn is_certain_string(&mut self, at: Value) -> bool {
        const HEAD: u64 = 16;
        let Some((id, offset)) = self.lasting(at) else { return false };
        let end = offset + HEAD;
        if end > self.walk.known.objects.get(id).size || self.has_shared(id, offset, end) {
            return false;
        }
        self.relies_on(id, offset, HEAD);
        let terms = self.walk.builder.terms();
        let mut part = |at| self.rest.memory.read(terms, &self.walk.known.objects, id, at, 8);
        let (bytes, count) = (part(offset), part(offset + 8));
        self.has_bytes(bytes, count)
    }

    /// Bytes that go to the user must lie in valid memory; which they are does not matter.
    pub fn read_output(&mut self, at: Value, count: Value) -> Result<(), Stop> {
        if self.walk.guide.is_some() || self.walk.run.is_some() || self.has_bytes(at, count) {
            return Ok(());
        }
        if let (Some((id, offset)), Value::Term(count)) = (self.lasting(at), count) {
            self.relies_on(id, offset, 1);
            let room = self.walk.known.objects.get(id).size - offset;
            let (width, terms) = (self.walk.builder.graph().terms.width(count), self.walk.terms());
            let room = terms.bits(width, u128::from(room));
            let fits = terms.ule(count, room);
            return self.demand(fits, FailureKind::Memory, bad_address("read"));
        }
        let count = self.one(count, "the length of an output")?;
        if count == 0 {
            return Ok(());
        }
        let spots = self.spots(at, count, false, "read")?;
        self.check_lives(&spots, "read", Role::Step)
    }
}
