//! The interpreter's world while all paths are walked: words are computed, terms are built, and an undecided value
//! stops the path until it is split.

use std::borrow::Cow;

use events::EventId;
use formula::Term;
use ir::{
    BinaryOp, CastOp, FloatPredicate, FunctionId, GlobalId, IntPredicate, LayoutId, OverflowOp, Primitive, RmwOp,
    TextId, Type, UnaryOp,
};
use semantics::address;
use semantics::code::{Access, Header, Inst};
use semantics::concrete::{self, Word};
use semantics::domain::{Domain, Trap};
use semantics::execute::{Branching, Halt, Thread, World};
use semantics::messages;
use vm::FailureKind;

use crate::bounded::low_bits;
use crate::bounded::objects::{Maker, Object, ObjectId};
use crate::bounded::sets::Element;
use crate::bounded::shape;
use crate::bounded::state::{Forced, Rest};
use crate::bounded::value::Value;
use crate::bounded::walk::{Reason, Role, Walk, Wrong};
use crate::terms;

/// Why a path stops.
#[derive(Clone, Debug)]
pub enum Stop {
    /// It splits into two paths.
    Split(Term),
    /// It splits into one path for each case, the default included.
    Cases(Term, Vec<(u128, u32)>),
    /// A value must be one number: the possible numbers, and why others are unsupported, if there may be others.
    Choose { value: Value, words: Vec<u64>, others: Option<String> },
    /// A value that runs have recorded: it is one of these numbers, or another one.
    Recorded { value: Value, words: Vec<u64> },
    /// The path ends here.
    Ended,
    /// The thread has done all that it had to do.
    Finished,
}

pub struct Walker<'a, 'c> {
    pub walk: &'a mut Walk<'c>,
    pub rest: &'a mut Rest,
}

impl Walker<'_, '_> {
    pub fn terms(&mut self) -> &mut formula::Terms {
        self.walk.terms()
    }

    /// The path fails here.
    pub fn fail(&mut self, kind: FailureKind, what: impl Into<String>) -> Stop {
        let never = self.terms().falsehood();
        self.walk.demand(self.rest, never, Wrong { kind, what: what.into() });
        Stop::Ended
    }

    pub fn demand(&mut self, condition: Term, kind: FailureKind, what: impl Into<String>) -> Result<(), Stop> {
        if self.terms().as_bool(condition) == Some(false) {
            return Err(self.fail(kind, what));
        }
        self.walk.demand(self.rest, condition, Wrong { kind, what: what.into() });
        Ok(())
    }

    pub fn give_up(&mut self, what: impl Into<String>) -> Stop {
        self.walk.cut(self.rest, Reason::Unsupported(what.into()));
        Stop::Ended
    }

    /// The one number that a value is, or a choice of all that it may be.
    pub fn one(&mut self, value: Value, what: &str) -> Result<u64, Stop> {
        if let Some(word) = value.as_word() {
            return Ok(word as u64);
        }
        if let Some(word) = self.pinned(value).and_then(Value::as_word) {
            return Ok(word as u64);
        }
        let set = self.walk.values_of(&self.rest.refined, value);
        let mut words = Vec::new();
        let mut open = set.has_others();
        for element in set.known() {
            match element {
                Element::Word(word) => words.push(word),
                Element::Within(_) => open = true,
            }
        }
        if words.is_empty() {
            return Err(self.give_up(format!("{what} with unbounded values")));
        }
        Err(Stop::Choose { value, words, others: open.then(|| format!("{what} with unbounded values")) })
    }

    /// Whether a condition holds, given the known alignment of the path's addresses.
    fn aligned(&self, condition: Term) -> Option<bool> {
        let terms = &self.walk.builder.graph().terms;
        let calls = self.rest.place.calls.iter().rev().filter(|call| !call.alignments.is_empty());
        calls.into_iter().find_map(|call| low_bits::truth(terms, &call.alignments, condition))
    }

    /// The number of an operand of an operation that has no term.
    fn word_of(&mut self, value: &Value) -> Result<Word, Trap> {
        let known = value.as_word().or_else(|| self.pinned(*value)?.as_word());
        known.ok_or(Trap::IllTyped)
    }

    fn term(&mut self, value: &Value, ty: Type) -> Term {
        value.term(self.terms(), ty.bits())
    }

    pub fn value(&mut self, term: Term) -> Value {
        Value::of(self.terms(), term)
    }

    pub fn make(&mut self, size: u64, heap: bool, name: Option<String>) -> ObjectId {
        let key = self.rest.place.key(self.walk.code, self.walk.shapes);
        let maker = Maker::Instruction { thread: self.rest.thread, key, size };
        let base = self.walk.made();
        let id = self.walk.known.objects.make(maker, || Object { base, ..blank(size, heap, name) });
        self.begin(id);
        id
    }

    /// An object has been made.
    pub fn begin(&mut self, id: ObjectId) {
        let terms = self.walk.builder.terms();
        self.rest.does(terms);
        // A place that a path reaches twice begins anew.
        *self.rest.memory.get_mut(terms, id) = crate::bounded::contents::Contents::new(terms);
    }

    pub fn base(&self, id: ObjectId) -> Value {
        Value::word(64, u128::from(self.walk.known.objects.get(id).base))
    }

    /// In a followed run, requests to the runtime have the same operands as in the run.
    fn concrete_arguments<'v>(&mut self, primitive: Primitive, args: &'v [Value]) -> Cow<'v, [Value]> {
        let is_open = matches!(
            primitive,
            Primitive::RecordBit
                | Primitive::RecordValue
                | Primitive::ProcessAssume
                | Primitive::ThreadCreate
                | Primitive::ThreadExit
                | Primitive::ThreadFail
                | Primitive::ThreadSleep
                | Primitive::ClockPass
        );
        if is_open || self.walk.run.is_none() || args.iter().all(|arg| arg.as_word().is_some()) {
            return Cow::Borrowed(args);
        }
        args.iter().map(|&arg| if arg.as_word().is_some() { arg } else { self.pinned(arg).unwrap_or(arg) }).collect()
    }

    /// Of the assumption of a branch, if it made one: whether its other side leads only to an end.
    fn note_other_way(&mut self, before: usize, at: &Branching<'_>, way: bool) {
        if self.walk.builder.graph().events.len() == before {
            return;
        }
        if let Inst::Branch { then, otherwise, .. } = &at.function.insts[at.position as usize]
            && shape::ends(at.function, if way { otherwise } else { then })
        {
            self.walk.remarks.other_way_ends.insert(EventId(before as u32));
        }
    }

    /// An access of the program itself, which may race with others.
    fn touching<T>(&mut self, access: Access, touch: impl FnOnce(&mut Self) -> T) -> T {
        let since = self.walk.builder.graph().events.len();
        let done = touch(self);
        self.walk.note_touches(self.rest, since, access.ordering.is_some(), false);
        done
    }

    fn divisor(&mut self, op: BinaryOp, ty: Type, left: Term, right: Term) -> Result<(), Stop> {
        let bits = ty.bits();
        let zero = self.terms().bits(bits, 0);
        let fine = self.terms().ne(right, zero);
        self.demand(fine, FailureKind::Abort, messages::DIVISION_BY_ZERO)?;
        if matches!(op, BinaryOp::SignedDiv | BinaryOp::SignedRem) {
            let (least, minus) = (self.terms().bits(bits, 1 << (bits - 1)), self.terms().bits(bits, u128::MAX));
            let (one, other) = (self.terms().ne(left, least), self.terms().ne(right, minus));
            let fine = self.terms().or2(one, other);
            self.demand(fine, FailureKind::Abort, messages::DIVISION_OVERFLOW)?;
        }
        Ok(())
    }
}

pub fn blank(size: u64, heap: bool, name: Option<String>) -> Object {
    let image = vec![0; size.min(1 << 24) as usize].into();
    Object { base: 0, size, image, constant: false, external: false, heap, varies: None, name }
}

impl Domain for Walker<'_, '_> {
    type Value = Value;

    #[inline]
    fn constant(&mut self, ty: Type, bits: u128) -> Value {
        Value::word(ty.bits(), bits)
    }

    fn unary(&mut self, op: UnaryOp, ty: Type, arg: &Value) -> Result<Value, Trap> {
        match arg.as_word() {
            Some(word) => Ok(Value::word(ty.bits(), concrete::unary(op, ty, word)?)),
            None => {
                let operand = self.term(arg, ty);
                match terms::unary(self.terms(), op, ty, operand) {
                    Some(term) => Ok(self.value(term)),
                    None => Ok(Value::word(ty.bits(), concrete::unary(op, ty, self.word_of(arg)?)?)),
                }
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: Type, left: &Value, right: &Value) -> Result<Value, Trap> {
        if let (Some(left), Some(right)) = (left.as_word(), right.as_word()) {
            return Ok(Value::word(ty.bits(), concrete::binary(op, ty, left, right)?));
        }
        let operands = (left, right);
        let (left, right) = (self.term(left, ty), self.term(right, ty));
        let divides =
            matches!(op, BinaryOp::UnsignedDiv | BinaryOp::SignedDiv | BinaryOp::UnsignedRem | BinaryOp::SignedRem);
        if divides && self.divisor(op, ty, left, right).is_err() {
            return Err(Trap::DivisionByZero);
        }
        match terms::binary(self.terms(), op, ty, left, right) {
            Some(term) => Ok(self.value(term)),
            None => {
                let (left, right) = (self.word_of(operands.0)?, self.word_of(operands.1)?);
                Ok(Value::word(ty.bits(), concrete::binary(op, ty, left, right)?))
            }
        }
    }

    fn overflowing(&mut self, op: OverflowOp, ty: Type, left: &Value, right: &Value) -> (Value, Value) {
        if let (Some(left), Some(right)) = (left.as_word(), right.as_word()) {
            let (value, flag) = concrete::overflowing(op, ty, left, right);
            return (Value::word(ty.bits(), value), Value::word(1, flag));
        }
        let operands = (left, right);
        let (left, right) = (self.term(left, ty), self.term(right, ty));
        match terms::overflowing(self.terms(), op, ty.bits(), left, right) {
            Some((value, flag)) => (self.value(value), self.value(flag)),
            None => {
                if let (Ok(left), Ok(right)) = (self.word_of(operands.0), self.word_of(operands.1)) {
                    let (value, flag) = concrete::overflowing(op, ty, left, right);
                    return (Value::word(ty.bits(), value), Value::word(1, flag));
                }
                // Whether it wrapped is not known.
                self.walk.cut(self.rest, Reason::Unsupported("a wide multiplication that may overflow".to_owned()));
                let value = self.terms().mul(left, right);
                (self.value(value), Value::word(1, 0))
            }
        }
    }

    fn compare(&mut self, predicate: IntPredicate, ty: Type, left: &Value, right: &Value) -> Value {
        if let (Some(left), Some(right)) = (left.as_word(), right.as_word()) {
            return Value::word(1, concrete::compare(predicate, ty, left, right));
        }
        let (left, right) = (self.term(left, ty), self.term(right, ty));
        let term = terms::compare(self.terms(), predicate, left, right);
        self.value(term)
    }

    fn float_compare(&mut self, op: FloatPredicate, ty: Type, left: &Value, right: &Value) -> Result<Value, Trap> {
        if let (Some(left), Some(right)) = (left.as_word(), right.as_word()) {
            return Ok(Value::word(1, concrete::float_compare(op, ty, left, right)?));
        }
        let operands = (self.term(left, ty), self.term(right, ty));
        match terms::float_compare(self.terms(), op, ty, operands.0, operands.1) {
            Some(term) => Ok(self.value(term)),
            None => {
                let (left, right) = (self.word_of(left)?, self.word_of(right)?);
                Ok(Value::word(1, concrete::float_compare(op, ty, left, right)?))
            }
        }
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, arg: &Value) -> Result<Value, Trap> {
        match arg.as_word() {
            Some(word) => Ok(Value::word(to.bits(), concrete::cast(op, from, to, word)?)),
            None => {
                let operand = self.term(arg, from);
                match terms::cast(self.terms(), op, from, to, operand) {
                    Some(term) => Ok(self.value(term)),
                    None => Ok(Value::word(to.bits(), concrete::cast(op, from, to, self.word_of(arg)?)?)),
                }
            }
        }
    }

    fn fused_multiply_add(&mut self, ty: Type, left: &Value, right: &Value, addend: &Value) -> Result<Value, Trap> {
        let (left, right, addend) = (self.word_of(left)?, self.word_of(right)?, self.word_of(addend)?);
        Ok(Value::word(ty.bits(), semantics::float::fused_multiply_add(ty, left, right, addend)?))
    }

    fn select(&mut self, cond: &Value, then: &Value, otherwise: &Value) -> Value {
        match *cond {
            Value::Word { word, .. } => *if word & 1 == 1 { then } else { otherwise },
            Value::Term(term) => {
                let condition = terms::is_set(self.terms(), term);
                Value::choose(self.terms(), condition, *then, *otherwise)
            }
        }
    }

    fn update(&mut self, op: RmwOp, ty: Type, old: &Value, value: &Value) -> Result<Value, Trap> {
        if let (Some(old), Some(value)) = (old.as_word(), value.as_word()) {
            return Ok(Value::word(ty.bits(), concrete::update(op, ty, old, value)?));
        }
        let operands = (self.term(old, ty), self.term(value, ty));
        match terms::update(self.terms(), op, ty, operands.0, operands.1) {
            Some(term) => Ok(self.value(term)),
            None => {
                let (old, value) = (self.word_of(old)?, self.word_of(value)?);
                Ok(Value::word(ty.bits(), concrete::update(op, ty, old, value)?))
            }
        }
    }
}

impl World for Walker<'_, '_> {
    type Stop = Stop;

    fn load(&mut self, access: Access, address: &Value) -> Result<Value, Stop> {
        self.touching(access, |own| own.read(access, *address))
    }

    fn store(&mut self, access: Access, address: &Value, value: &Value) -> Result<(), Stop> {
        self.touching(access, |own| own.write(access, *address, *value, Role::Step))
    }

    fn rmw(&mut self, access: Access, op: RmwOp, address: &Value, value: &Value) -> Result<Value, Stop> {
        self.touching(access, |own| own.read_and_write(access, op, *address, *value))
    }

    fn compare_exchange(
        &mut self,
        access: Access,
        address: &Value,
        expected: &Value,
        new: &Value,
        _weak: bool,
    ) -> Result<(Value, Value), Stop> {
        self.touching(access, |own| own.exchange(access, *address, *expected, *new))
    }

    fn local(&mut self, size: &Value, _: u64, name: Option<TextId>, _: Option<LayoutId>) -> Result<Value, Stop> {
        let size = self.one(*size, "the size of a local array")?;
        let name = name.map(|name| self.walk.code.program.texts[name.index()].clone());
        let id = self.make(size, false, name);
        Ok(self.base(id))
    }

    fn thread_local(&mut self, global: GlobalId) -> Result<Value, Stop> {
        let maker = Maker::ThreadLocal(self.rest.thread, global);
        let code = self.walk.code.clone();
        let id = self.walk.known.objects.make(maker, || {
            let definition = &code.program.globals[global.index()];
            let image = vm::image::bytes(&code, definition).into();
            Object { image, ..blank(definition.size, false, Some(definition.name.clone())) }
        });
        Ok(self.base(id))
    }

    fn variadic_block(&mut self, values: &[(Type, Value)]) -> Result<Value, Stop> {
        let mut offsets = Vec::new();
        let mut size: u64 = 0;
        for (ty, _) in values {
            let align = if ty.bits() > 64 { 16 } else { 8 };
            size = size.next_multiple_of(align);
            offsets.push((size, align as u32));
            size += align;
        }
        let id = self.make(size, false, None);
        for (&(offset, bytes), (_, value)) in offsets.iter().zip(values) {
            let terms = self.walk.builder.terms();
            let wide = value.term(terms, 8 * bytes);
            let wide = Value::of(terms, wide);
            self.rest.memory.get_mut(terms, id).write(terms, offset as u32, bytes, wide);
        }
        Ok(self.base(id))
    }

    fn decide(&mut self, cond: &Value, at: Branching<'_>, recorded: bool) -> Result<bool, Stop> {
        if let Some(Forced::Way(way)) = self.rest.forced.take() {
            if recorded {
                self.keep_way(way);
            }
            return Ok(way);
        }
        let before = self.walk.builder.graph().events.len();
        if let Some(way) = self.forced_way(*cond) {
            self.note_other_way(before, &at, way);
            return Ok(way);
        }
        if recorded && let Some(way) = self.led_way(*cond)? {
            self.note_other_way(before, &at, way);
            return Ok(way);
        }
        let way = match *cond {
            Value::Word { word, .. } => Ok(word & 1 == 1),
            Value::Term(term) => {
                let condition = terms::is_set(self.terms(), term);
                let decided = self.terms().as_bool(condition);
                let decided = decided.or_else(|| self.rest.guard.decides(self.walk.builder.terms(), condition));
                let decided = decided.or_else(|| self.walk.truth(condition));
                decided.or_else(|| self.aligned(condition)).ok_or(Stop::Split(condition))
            }
        }?;
        if recorded {
            self.keep_way(way);
        }
        Ok(way)
    }

    fn choose_case(&mut self, value: &Value, cases: &[(u128, u32)], recorded: bool) -> Result<Option<u32>, Stop> {
        let forced = self.rest.forced.take();
        if let Some(case) = self.forced_case(*value, cases) {
            return Ok(case);
        }
        if forced.is_none()
            && recorded
            && let Some(case) = self.led_case(*value, cases)?
        {
            return Ok(case);
        }
        let case = match (forced, *value) {
            (Some(Forced::Case(case)), _) => case,
            (_, Value::Word { word, .. }) => {
                cases.binary_search_by_key(&word, |&(case, _)| case).ok().map(|found| cases[found].1)
            }
            (_, Value::Term(term)) => return Err(Stop::Cases(term, cases.to_vec())),
        };
        if recorded {
            self.keep_case(case, cases.len());
        }
        Ok(case)
    }

    fn number(&mut self, value: &Value) -> Result<u64, Stop> {
        self.one(*value, "an argument of a call")
    }

    fn callee(&mut self, at: &Value, recorded: bool) -> Result<FunctionId, Stop> {
        if self.walk.run.is_some() && !self.is_known_to_go_well() {
            return Err(self.fail_at(*at, 1, "called"));
        }
        if self.walk.run.is_none()
            && recorded
            && let Some(function) = self.led_callee(*at)?
        {
            return Ok(function);
        }
        let word = self.one(*at, "the target of a call")?;
        match address::function_at(word) {
            Some(index) if (index as usize) < self.walk.code.functions.len() => {
                if recorded {
                    self.keep_callee(FunctionId(index));
                }
                Ok(FunctionId(index))
            }
            _ => Err(self.fail(FailureKind::Memory, messages::no_function(word))),
        }
    }

    fn called(&mut self, _: FunctionId) {}

    fn primitive(
        &mut self,
        thread: &Thread<Value>,
        primitive: Primitive,
        args: &[Value],
    ) -> Result<Option<Value>, Halt<Stop>> {
        // Its decision is part of the guard by now, and does not concern the next branch.
        let forced = self.rest.forced.take();
        if self.walk.preferred.is_some() && matches!(primitive, Primitive::RecordBit | Primitive::RecordValue) {
            return self.preferred_value(primitive, args, forced).map_err(Halt::Stop);
        }
        if matches!(primitive, Primitive::ThreadExit | Primitive::ThreadFail) && self.rest.live {
            let words = thread.objects_beyond(0).filter_map(|local| local.as_word());
            let objects: Vec<ObjectId> =
                words.filter_map(|at| self.walk.known.objects.resolve(at as u64)).map(|(id, _)| id).collect();
            self.outlived_all(&objects).map_err(Halt::Stop)?;
        }
        let speaks = matches!(primitive, Primitive::ProcessExit | Primitive::ProcessFail | Primitive::ProcessUncaught);
        if self.walk.run.is_some() && !speaks && !self.is_known_to_go_well() {
            let stop = match args.first() {
                Some(&address) => self.fail_at(address, 1, "used"),
                None => self.fail(self.failure_kind(), primitive.name()),
            };
            return Err(Halt::Stop(stop));
        }
        let args = self.concrete_arguments(primitive, args);
        match self.perform(primitive, &args) {
            Ok(value) => Ok(value),
            Err(Stop::Finished) => Err(Halt::After(Stop::Finished)),
            Err(stop) => Err(Halt::Stop(stop)),
        }
    }

    fn header(&mut self, _: u64, _: &Header, _: &[Value]) -> Result<(), Stop> {
        Ok(())
    }

    fn atomic(&mut self, enter: bool) -> Result<(), Stop> {
        self.section(enter);
        Ok(())
    }

    fn leave(&mut self, locals: &[Value]) {
        for local in locals {
            let Some((id, _)) = local.as_word().and_then(|at| self.walk.known.objects.resolve(at as u64)) else {
                continue;
            };
            if self.rest.live {
                self.outlived(id);
            }
            let terms = self.walk.builder.terms();
            self.rest.memory.get_mut(terms, id).end(terms, self.rest.live);
        }
    }

    fn finish(&mut self, value: Option<&Value>) -> Result<(), Stop> {
        self.end_thread(value.copied());
        Ok(())
    }

    fn trapped(&mut self, trap: Trap) -> Stop {
        match trap {
            Trap::DivisionByZero => self.fail(FailureKind::Abort, messages::DIVISION_BY_ZERO),
            Trap::DivisionOverflow => self.fail(FailureKind::Abort, messages::DIVISION_OVERFLOW),
            Trap::IllTyped => {
                self.give_up("symbolic long doubles, floating-point functions, or too many floating-point operations")
            }
        }
    }

    fn unreachable(&mut self) -> Stop {
        self.fail(FailureKind::Abort, messages::UNREACHABLE)
    }

    fn unsupported(&mut self, what: &str) -> Stop {
        self.give_up(what)
    }
}
