//! The machine's side of the interpreter: memory, decisions and the gate before every operation that others can
//! observe.
//!
//! A thread stops *before* each visible operation, with that as the pending operation in its [`Status`]. When the
//! scheduler lets it pass, the operation is executed together with all following private ones, up to the next visible
//! one.

use std::collections::HashMap;
use std::ops::{Index, IndexMut};
use std::rc::Rc;

use ir::{
    BinaryOp, CastOp, FloatPredicate, FunctionId, GlobalId, IntPredicate, LayoutId, OverflowOp, Primitive, RmwOp,
    SpanId, TextId, Type, UnaryOp,
};
use run::{Input, ThreadEnd, ThreadName, ThreadRecord};
use semantics::address;
use semantics::code::{Access, Code, Header};
use semantics::concrete::{self, Word};
use semantics::domain::{Domain, Trap};
use semantics::execute::{Branching, Halt, Thread, World};

use crate::access::{READ, Reached, UPDATE, WRITE};
use crate::files::Files;
use crate::idle::{Awaits, IdleWatch};
use crate::memory::{Memory, ObjectId, ObjectKind, Request, Trail};
use crate::outcome::{FailureKind, SiteFrame};
use crate::races::Races;
use crate::sync::{Sync, SyncTable};

pub use crate::threads::thread_of;

/// The pending operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pending {
    /// Its first instruction.
    Start,
    Memory {
        object: ObjectId,
        offset: u64,
        size: u64,
        reads: bool,
        writes: bool,
    },
    Primitive {
        primitive: Primitive,
        args: [u64; 4],
    },
    /// Calls end whose objects others can observe; it will be in `calls` calls.
    Leave {
        calls: usize,
    },
    /// Its end.
    Finish,
    /// An idle loop, until another thread changes a value that it reads.
    Spin {
        awaits: Awaits,
        span: SpanId,
    },
}

/// How far a thread is in an operation that takes more than one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Whole,
    Sleeping,
    /// Woken, with the code that the wait will return.
    Woken(i32),
    /// Asleep until a time.
    Dozing,
    /// At a barrier that has not opened, or that has.
    Arrived,
    Released,
}

/// The state of a thread that the scheduler and the other threads need.
#[derive(Clone, Debug)]
pub struct Status {
    pub name: ThreadName,
    /// Its function, for reports.
    pub function: Option<FunctionId>,
    pub pending: Option<Pending>,
    pub phase: Phase,
    pub finished: bool,
    /// It failed, and its failure was noted.
    pub crashed: bool,
    pub result: u64,
    pub detached: bool,
    pub joined: bool,
    pub children: u32,
    pub atomic_depth: u32,
    pub idle: IdleWatch,
    thread_locals: Rc<Vec<(GlobalId, u64)>>,
    /// When its sleep ends, while it sleeps.
    pub wakes_at: i64,
    /// The number of its readings of the clock.
    pub clock_reads: usize,
}

impl Status {
    pub fn new(name: ThreadName, function: Option<FunctionId>) -> Status {
        Status {
            name,
            function,
            pending: Some(Pending::Start),
            phase: Phase::Whole,
            finished: false,
            crashed: false,
            result: 0,
            detached: false,
            joined: false,
            children: 0,
            atomic_depth: 0,
            idle: IdleWatch::default(),
            thread_locals: Rc::default(),
            wakes_at: 0,
            clock_reads: 0,
        }
    }
}

/// The threads' statuses; copies share unchanged ones.
#[derive(Clone, Debug, Default)]
pub struct Statuses(Vec<Rc<Status>>);

impl Statuses {
    pub fn push(&mut self, status: Status) {
        self.0.push(Rc::new(status));
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Status> + '_ {
        self.0.iter().map(Rc::as_ref)
    }
}

impl Index<usize> for Statuses {
    type Output = Status;

    #[inline]
    fn index(&self, thread: usize) -> &Status {
        &self.0[thread]
    }
}

impl IndexMut<usize> for Statuses {
    #[inline]
    fn index_mut(&mut self, thread: usize) -> &mut Status {
        Rc::make_mut(&mut self.0[thread])
    }
}

impl Status {
    pub fn thread_locals(&self) -> impl Iterator<Item = (GlobalId, u64)> + '_ {
        self.thread_locals.iter().copied()
    }
}

/// The key with which atomic sections synchronise with each other, like a common lock.
pub const ATOMIC_SECTIONS: u64 = 1;

/// A failure without its place.
#[derive(Clone, Debug)]
pub struct Draft {
    pub kind: FailureKind,
    pub condition: String,
    pub asserted_at: Option<(String, u32)>,
    pub related: Vec<(String, Trail)>,
}

#[derive(Clone, Debug)]
pub enum Stop {
    /// Before a visible operation.
    Pause,
    /// It passed its gate but is blocked.
    Blocked,
    Fail(Box<Draft>),
    Unsupported(String),
    Exit(i32),
    Excluded,
    /// The thread has ended itself.
    Ended,
}

pub fn fail(kind: FailureKind, condition: impl Into<String>) -> Stop {
    Stop::Fail(Box::new(Draft { kind, condition: condition.into(), asserted_at: None, related: Vec::new() }))
}

/// A thread that was just created: its code is entered by the machine.
#[derive(Clone, Debug)]
pub struct Birth {
    pub start: FunctionId,
    pub args: [u64; 2],
}

/// The effect of the last visible operation, if events are requested.
#[derive(Clone, Debug)]
pub struct Touch {
    pub kind: &'static str,
    pub address: Option<u64>,
    pub place: Option<TextId>,
    pub value: Option<(Type, Word)>,
    pub text: String,
}

/// The state of a running program except for the threads' calls and registers.
#[derive(Clone)]
pub struct Shared {
    pub code: Rc<Code>,
    pub memory: Memory,
    pub syncs: SyncTable,
    pub files: Files,
    pub status: Statuses,
    pub births: Vec<Birth>,
    /// Counts every change that another thread could see.
    pub changes: u64,
    /// The thread that runs.
    pub current: usize,
    /// The next visible operation may pass.
    pub granted: bool,
    /// The environment's choice for it.
    pub choice: u64,
    /// The thread that stopped inside an atomic section for a choice of the environment. Only it is enabled.
    pub inside: Option<usize>,
    /// The thread yielded.
    pub yielded: bool,
    pub variables: Rc<[(String, String)]>,
    pub events: bool,
    pub touch: Option<Touch>,
    /// Happens-before, if races are detected.
    pub races: Option<Rc<Races>>,
    /// The position of the thread, if races are detected.
    pub here: Option<Trail>,
    /// The virtual clock.
    pub clock: i64,
    /// In a program that reads the clock, a loop was taken for one that waits although its rounds sleep: how many of
    /// them there are decides about the time.
    pub slept_idly: bool,
    /// Whether tickets are steps.
    pub tickets: bool,
    /// The recorded readings of the clock.
    pub readings: Rc<HashMap<ThreadName, Vec<i64>>>,
    /// The equivalent native record of each thread.
    pub recorded: Option<Rc<Vec<ThreadRecord>>>,
}

impl Shared {
    pub fn me(&mut self) -> &mut Status {
        &mut self.status[self.current]
    }

    /// Lets a visible operation pass, or stops before it. Inside an atomic section only a choice stops the thread.
    #[inline]
    pub fn gate(&mut self, pending: Pending) -> Result<(), Stop> {
        if std::mem::take(&mut self.granted) {
            return Ok(());
        }
        if self.status[self.current].atomic_depth > 0 {
            if !self.has_alternatives(&pending) {
                return Ok(());
            }
            self.inside = Some(self.current);
        }
        self.status[self.current].pending = Some(pending);
        Err(Stop::Pause)
    }

    /// Whether the environment chooses how the operation goes.
    fn has_alternatives(&self, pending: &Pending) -> bool {
        match pending {
            Pending::Primitive { primitive: Primitive::InputChoose, .. } => true,
            Pending::Primitive { primitive: Primitive::CondSignal | Primitive::FutexWake, args } => {
                matches!(self.syncs.get(args[0]), Some(Sync::Condition(waiters)) if waiters.len() > 1)
            }
            _ => false,
        }
    }

    /// Counts a side effect that others can observe.
    #[inline]
    pub fn changed(&mut self) {
        self.changes += 1;
        self.me().idle.changed();
    }

    /// This thread's record, when there is one.
    #[inline(always)]
    pub fn record(&mut self) -> Option<&mut ThreadRecord> {
        let current = self.current;
        self.recorded.as_mut().and_then(|records| Rc::make_mut(records).get_mut(current))
    }

    /// Records an answer of the environment.
    pub fn record_input(&mut self, name: &str, result: i64, buffer: Option<&[u8]>) {
        if let Some(record) = self.record() {
            let buffers = buffer.iter().map(|bytes| bytes.to_vec()).collect();
            record.inputs.push(Input { name: name.to_owned(), result, buffers, unknown_at: None });
        }
    }

    pub fn touched(&mut self, kind: &'static str, address: Option<u64>) {
        if self.events {
            self.touch = Some(Touch { kind, address, place: None, value: None, text: String::new() });
        }
    }

    fn accessed(&mut self, kind: &'static str, at: u64, access: Access, value: Word) {
        if self.events {
            self.touch = Some(Touch {
                kind,
                address: Some(at),
                place: access.place,
                value: Some((access.ty, value)),
                text: String::new(),
            });
        }
    }

    /// This thread's steps happen before those of the next thread that acquires this.
    pub fn order_release(&mut self, what: u64) {
        if let Some(races) = &mut self.races {
            Rc::make_mut(races).release(self.current, what);
        }
    }

    pub fn order_acquire(&mut self, what: u64) {
        if let Some(races) = &mut self.races {
            Rc::make_mut(races).acquire(self.current, what);
        }
    }

    /// Writes to a checked place.
    #[inline]
    fn put(&mut self, id: ObjectId, offset: u64, size: u32, value: Word, visible: bool) -> Result<(), Stop> {
        if self.memory.object(id).constant {
            return Err(fail(FailureKind::Memory, "constant written"));
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

    pub fn trail<V: Clone>(&self, thread: &Thread<V>) -> Trail {
        let frames: Vec<SiteFrame> =
            thread.site(&self.code).take(12).map(|(function, span)| SiteFrame { function, span }).collect();
        Trail { thread: self.current as u32, frames: frames.into() }
    }

    pub fn make(&mut self, request: Request) -> Result<u64, Stop> {
        let thread = self.current as u32;
        self.me().idle.changed();
        match self.memory.allocate(thread, request) {
            Ok(id) => {
                let (base, size) = (self.memory.object(id).base, self.memory.object(id).size);
                if let Some(races) = &mut self.races {
                    Rc::make_mut(races).forget(id, size);
                }
                Ok(base)
            }
            Err(_) => Err(Stop::Unsupported("more memory than there are addresses".to_owned())),
        }
    }

    /// Bytes up to a zero, for texts that the runtime is given.
    pub fn text_at(&self, at: u64) -> String {
        let Some((id, offset)) = self.memory.resolve(at) else { return String::new() };
        let bytes = self.memory.object(id).bytes.get(offset as usize..).unwrap_or_default();
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
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
        let owner = Some(self.current as u32);
        let request = Request { size: *size as u64, align, kind: ObjectKind::Local, owner, name, layout };
        self.make(request).map(Word::from)
    }

    fn thread_local(&mut self, global: GlobalId) -> Result<Word, Stop> {
        let known = self.status[self.current].thread_locals.iter().find(|(known, _)| *known == global);
        if let Some((_, at)) = known {
            return Ok(Word::from(*at));
        }
        let code = self.code.clone();
        let definition = &code.program.globals[global.index()];
        let request = Request {
            size: definition.size,
            align: definition.align,
            kind: ObjectKind::ThreadLocal(global),
            owner: Some(self.current as u32),
            name: None,
            layout: definition.layout,
        };
        let at = self.make(request)?;
        if let Some((id, _)) = self.memory.resolve(at) {
            let image = crate::image::bytes(&code, definition);
            self.memory.object_mut(id).bytes.copy_from_slice(&image);
        }
        Rc::make_mut(&mut self.me().thread_locals).push((global, at));
        Ok(Word::from(at))
    }

    fn variadic_block(&mut self, values: &[(Type, Word)]) -> Result<Word, Stop> {
        let mut bytes = Vec::new();
        for (ty, value) in values {
            let align = if ty.bits() > 64 { 16 } else { 8 };
            bytes.resize(bytes.len().next_multiple_of(align), 0);
            bytes.extend_from_slice(&value.to_le_bytes()[..align]);
        }
        let owner = Some(self.current as u32);
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
            _ if *at == 0 => Err(fail(FailureKind::Memory, "null pointer called")),
            _ => Err(fail(FailureKind::Memory, format!("call of {at:#x}, which is no function"))),
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
        crate::primitives::perform(self, thread, primitive, args)
    }

    fn header(&mut self, frame: u64, header: &Header, registers: &[Word]) -> Result<(), Stop> {
        let changes = self.changes;
        let me = self.me();
        match me.idle.begin_round(frame, header, registers, changes) {
            None => Ok(()),
            Some(awaits) => {
                let slept = me.idle.has_slept();
                me.pending = Some(Pending::Spin { awaits, span: header.span });
                self.slept_idly |= slept && self.code.reads_clock;
                self.yielded = true;
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
            Trap::DivisionByZero => fail(FailureKind::Abort, "division by zero"),
            Trap::DivisionOverflow => fail(FailureKind::Abort, "division overflow"),
            Trap::IllTyped => Stop::Unsupported("an operation that does not exist for its type".to_owned()),
        }
    }

    fn unreachable(&mut self) -> Stop {
        fail(FailureKind::Abort, crate::outcome::UNREACHABLE)
    }

    fn unsupported(&mut self, what: &str) -> Stop {
        Stop::Unsupported(what.to_owned())
    }
}

impl Shared {
    /// Executes a primitive, for implementations of the other operations.
    pub fn perform<V: Clone>(
        &mut self,
        thread: &Thread<V>,
        primitive: Primitive,
        args: &[Word],
    ) -> Result<Option<Word>, Halt<Stop>> {
        crate::primitives::perform(self, thread, primitive, args)
    }

    pub fn end_thread(&mut self, result: u64, by_request: bool) {
        self.memory.publish_word(result);
        if let Some(record) = self.record() {
            record.end = if by_request { ThreadEnd::Exited } else { ThreadEnd::Returned };
        }
        self.touched("exit", None);
        self.changed();
        let me = self.me();
        me.finished = true;
        me.result = result;
        me.atomic_depth = 0;
    }
}
