//! The machine's side of the interpreter: memory, decisions, and the end of calls and threads.

use ir::{
    BinaryOp, CastOp, FloatPredicate, FunctionId, GlobalId, IntPredicate, LayoutId, OverflowOp, Primitive, RmwOp,
    TextId, Type, UnaryOp,
};
use semantics::address;
use semantics::code::{Access, Header};
use semantics::concrete::{self, Word};
use semantics::domain::{Domain, Trap};
use semantics::execute::{Branching, Halt, Thread, World};
use semantics::messages;

use crate::access::{READ, Reached, UPDATE, WRITE};
use crate::memory::{ObjectId, ObjectKind, Request};
use crate::outcome::FailureKind;
use crate::primitives;
use crate::world::{ATOMIC_SECTIONS, Pending, Shared, Stop, Touch, fail};

impl Shared {
    fn accessed(&mut self, kind: &'static str, at: u64, access: Access, value: Word) {
        if self.notes.events {
            self.notes.touch = Some(Touch {
                kind,
                address: Some(at),
                place: access.place,
                value: Some((access.ty, value)),
                text: String::new(),
            });
        }
    }

    /// Writes to a checked place.
    #[inline]
    fn put(&mut self, id: ObjectId, offset: u64, size: u32, value: Word, visible: bool) -> Result<(), Stop> {
        if self.memory.object(id).constant {
            return Err(fail(FailureKind::Memory, messages::CONSTANT_WRITTEN));
        }
        if self.memory.object(id).owner.is_none() && size >= 8 {
            self.memory.publish_word(value as u64);
        }
        let object = self.memory.object_mut(id);
        let old = object.read(offset, size);
        if old != value {
            object.write(offset, size, value);
            if visible {
                self.changed();
            } else {
                self.me().idle.changed();
            }
        } else if visible {
            // Whether a write has a side effect depends on the current value.
            let at = self.memory.object(id).base + offset;
            self.me().idle.read(at, size, old);
        }
        Ok(())
    }

    /// Executes a primitive, for implementations of the other operations.
    pub fn perform<V: Clone>(
        &mut self,
        thread: &Thread<V>,
        primitive: Primitive,
        args: &[Word],
    ) -> Result<Option<Word>, Halt<Stop>> {
        primitives::perform(self, thread, primitive, args)
    }
}

impl Domain for Shared {
    type Value = Word;

    #[inline(always)]
    fn constant(&mut self, _: Type, bits: u128) -> Word {
        bits
    }

    fn unary(&mut self, op: UnaryOp, ty: Type, arg: &Word) -> Result<Word, Trap> {
        concrete::unary(op, ty, *arg)
    }

    #[inline(always)]
    fn binary(&mut self, op: BinaryOp, ty: Type, left: &Word, right: &Word) -> Result<Word, Trap> {
        concrete::binary(op, ty, *left, *right)
    }

    fn overflowing(&mut self, op: OverflowOp, ty: Type, left: &Word, right: &Word) -> (Word, Word) {
        concrete::overflowing(op, ty, *left, *right)
    }

    #[inline(always)]
    fn compare(&mut self, predicate: IntPredicate, ty: Type, left: &Word, right: &Word) -> Word {
        concrete::compare(predicate, ty, *left, *right)
    }

    fn float_compare(&mut self, predicate: FloatPredicate, ty: Type, left: &Word, right: &Word) -> Result<Word, Trap> {
        concrete::float_compare(predicate, ty, *left, *right)
    }

    #[inline(always)]
    fn cast(&mut self, op: CastOp, from: Type, to: Type, arg: &Word) -> Result<Word, Trap> {
        concrete::cast(op, from, to, *arg)
    }

    fn fused_multiply_add(&mut self, ty: Type, left: &Word, right: &Word, addend: &Word) -> Result<Word, Trap> {
        semantics::float::fused_multiply_add(ty, *left, *right, *addend)
    }

    fn select(&mut self, cond: &Word, then: &Word, otherwise: &Word) -> Word {
        if *cond & 1 == 1 { *then } else { *otherwise }
    }

    fn update(&mut self, op: RmwOp, ty: Type, old: &Word, value: &Word) -> Result<Word, Trap> {
        concrete::update(op, ty, *old, *value)
    }
}

impl World for Shared {
    type Stop = Stop;

    #[inline]
    fn load(&mut self, access: Access, at: &Word) -> Result<Word, Stop> {
        let size = access.ty.bytes();
        let at = *at as u64;
        let Reached { id, offset, visible } = self.pass(at, access, READ)?;
        let value = self.memory.object(id).read(offset, size) & semantics::int::mask(access.ty.bits());
        if visible {
            self.accessed("read", at, access, value);
        }
        Ok(value)
    }

    #[inline]
    fn store(&mut self, access: Access, at: &Word, value: &Word) -> Result<(), Stop> {
        let size = access.ty.bytes();
        let at = *at as u64;
        let Reached { id, offset, visible } = self.pass(at, access, WRITE)?;
        self.put(id, offset, size, *value, visible)?;
        if visible {
            self.accessed("write", at, access, *value);
        }
        Ok(())
    }

    fn rmw(&mut self, access: Access, op: RmwOp, at: &Word, value: &Word) -> Result<Word, Stop> {
        let size = access.ty.bytes();
        let at = *at as u64;
        let Reached { id, offset, visible } = self.pass(at, access, UPDATE)?;
        let old = self.memory.object(id).read(offset, size);
        let new = concrete::update(op, access.ty, old, *value).map_err(|trap| self.trapped(trap))?;
        self.put(id, offset, size, new, visible)?;
        if visible {
            self.accessed("rmw", at, access, new);
        }
        Ok(old)
    }

    fn compare_exchange(
        &mut self,
        access: Access,
        at: &Word,
        expected: &Word,
        new: &Word,
        _weak: bool,
    ) -> Result<(Word, Word), Stop> {
        let size = access.ty.bytes();
        let at = *at as u64;
        let Reached { id, offset, visible } = self.pass(at, access, UPDATE)?;
        let old = self.memory.object(id).read(offset, size);
        let written = old == *expected;
        if written {
            self.put(id, offset, size, *new, visible)?;
        }
        if visible {
            self.accessed(if written { "rmw" } else { "read" }, at, access, if written { *new } else { old });
        }
        Ok((old, Word::from(written)))
    }

    fn local(&mut self, size: &Word, align: u64, name: Option<TextId>, layout: Option<LayoutId>) -> Result<Word, Stop> {
        let owner = Some(self.turn.current as u32);
        let request = Request { size: *size as u64, align, kind: ObjectKind::Local, owner, name, layout };
        self.make(request).map(Word::from)
    }

    fn thread_local(&mut self, global: GlobalId) -> Result<Word, Stop> {
        let known = self.status[self.turn.current].thread_locals().find(|(known, _)| *known == global);
        if let Some((_, at)) = known {
            return Ok(Word::from(at));
        }
        let code = self.code.clone();
        let definition = &code.program.globals[global.index()];
        let request = Request {
            size: definition.size,
            align: definition.align,
            kind: ObjectKind::ThreadLocal(global),
            owner: Some(self.turn.current as u32),
            name: None,
            layout: definition.layout,
        };
        let at = self.make(request)?;
        if let Some((id, _)) = self.memory.resolve(at) {
            let image = crate::image::bytes(&code, definition);
            self.memory.object_mut(id).bytes.copy_from_slice(&image);
        }
        self.me().add_thread_local(global, at);
        Ok(Word::from(at))
    }

    fn variadic_block(&mut self, values: &[(Type, Word)]) -> Result<Word, Stop> {
        let mut bytes = Vec::new();
        for (ty, value) in values {
            let align = if ty.bits() > 64 { 16 } else { 8 };
            bytes.resize(bytes.len().next_multiple_of(align), 0);
            bytes.extend_from_slice(&value.to_le_bytes()[..align]);
        }
        let owner = Some(self.turn.current as u32);
        let request = Request {
            size: bytes.len() as u64,
            align: 16,
            kind: ObjectKind::Runtime("variadic arguments"),
            owner,
            name: None,
            layout: None,
        };
        let at = self.make(request)?;
        if let Some((id, _)) = self.memory.resolve(at) {
            self.memory.object_mut(id).bytes = bytes;
        }
        Ok(Word::from(at))
    }

    #[inline(always)]
    fn decide(&mut self, cond: &Word, _at: Branching<'_>, recorded: bool) -> Result<bool, Stop> {
        let taken = *cond & 1 == 1;
        if recorded && let Some(record) = self.record() {
            record.bits.push(taken);
        }
        Ok(taken)
    }

    fn choose_case(&mut self, value: &Word, cases: &[(u128, u32)], recorded: bool) -> Result<Option<u32>, Stop> {
        let chosen = cases.binary_search_by_key(value, |&(case, _)| case).ok().map(|found| cases[found].1);
        if recorded && let Some(record) = self.record() {
            record.push_case(chosen, cases.len());
        }
        Ok(chosen)
    }

    fn number(&mut self, value: &Word) -> Result<u64, Stop> {
        Ok(*value as u64)
    }

    fn callee(&mut self, at: &Word, _recorded: bool) -> Result<FunctionId, Stop> {
        match address::function_at(*at as u64) {
            Some(index) if (index as usize) < self.code.functions.len() => Ok(FunctionId(index)),
            _ => Err(fail(FailureKind::Memory, messages::no_function(*at as u64))),
        }
    }

    fn called(&mut self, function: FunctionId) {
        let code = self.code.clone();
        if let Some(record) = self.record() {
            record.callees.push(code.program.functions[function.index()].name.clone());
        }
    }

    fn primitive(
        &mut self,
        thread: &Thread<Word>,
        primitive: Primitive,
        args: &[Word],
    ) -> Result<Option<Word>, Halt<Stop>> {
        primitives::perform(self, thread, primitive, args)
    }

    fn header(&mut self, frame: u64, header: &Header, registers: &[Word]) -> Result<(), Stop> {
        let changes = self.changes;
        let me = self.me();
        match me.idle.begin_round(frame, header, registers, changes) {
            None => Ok(()),
            Some(awaits) => {
                let slept = me.idle.has_slept();
                me.pending = Some(Pending::Spin { awaits, span: header.span });
                self.time.slept_idly |= slept && self.code.reads_clock;
                self.turn.yielded = true;
                Err(Stop::Pause)
            }
        }
    }

    fn atomic(&mut self, enter: bool) -> Result<(), Stop> {
        if enter {
            self.gate(Pending::Primitive { primitive: Primitive::AtomicBegin, args: [0; 4] })?;
            self.order_acquire(ATOMIC_SECTIONS);
            self.me().atomic_depth += 1;
        } else {
            self.order_release(ATOMIC_SECTIONS);
            let me = self.me();
            me.atomic_depth = me.atomic_depth.saturating_sub(1);
        }
        Ok(())
    }

    fn leaving(&mut self, locals: &[Word], calls: usize) -> Result<(), Stop> {
        let is_shared = |&at: &Word| {
            let object = self.memory.resolve(at as u64).map(|(id, _)| self.memory.object(id));
            object.is_some_and(|object| object.owner.is_none())
        };
        if locals.iter().any(is_shared) { self.gate(Pending::Leave { calls }) } else { Ok(()) }
    }

    fn leave(&mut self, locals: &[Word]) {
        for &at in locals {
            if let Some((id, _)) = self.memory.resolve(at as u64) {
                let (base, size) = (self.memory.object(id).base, self.memory.object(id).size);
                self.syncs.forget(base, size);
                self.memory.end_local(id);
            }
        }
    }

    fn finish(&mut self, value: Option<&Word>) -> Result<(), Stop> {
        self.gate(Pending::Finish)?;
        let result = value.map_or(0, |&value| value as u64);
        self.end_thread(result, false);
        Ok(())
    }

    fn trapped(&mut self, trap: Trap) -> Stop {
        match trap {
            Trap::DivisionByZero => fail(FailureKind::Abort, messages::DIVISION_BY_ZERO),
            Trap::DivisionOverflow => fail(FailureKind::Abort, messages::DIVISION_OVERFLOW),
            Trap::IllTyped => Stop::Unsupported("an operation that does not exist for its type".to_owned()),
        }
    }

    fn unreachable(&mut self) -> Stop {
        fail(FailureKind::Abort, messages::UNREACHABLE)
    }

    fn unsupported(&mut self, what: &str) -> Stop {
        Stop::Unsupported(what.to_owned())
    }
}
