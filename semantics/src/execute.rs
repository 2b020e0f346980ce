//! The interpreter: one loop over [`Code`], for every domain and every world.
//!
//! An instruction is either executed completely, or its world stops it without any change; it is then tried again when
//! the thread runs next. The only exception is [`Halt::Stay`]: the first half of an operation that takes two steps.

use std::rc::Rc;

use ir::{FunctionId, GlobalId, LayoutId, Primitive, RmwOp, SpanId, TextId, Type};

use crate::code::{Access, Arg, Callee, Code, Edge, FunctionCode, Header, Inst, Range, Register};
use crate::domain::{Domain, Trap};

/// Why a thread stops.
#[derive(Clone, Debug)]
pub enum Halt<S> {
    /// The instruction did not happen.
    Stop(S),
    /// Half of the instruction happened: a step is counted, and the instruction will be run again.
    Stay(S),
    /// The instruction was executed, and the thread stops after it.
    After(S),
}

impl<S> From<S> for Halt<S> {
    fn from(stop: S) -> Halt<S> {
        Halt::Stop(stop)
    }
}

/// A branch, with its possible targets.
#[derive(Clone, Copy, Debug)]
pub struct Branching<'c> {
    pub function: &'c FunctionCode,
    pub position: u32,
}

/// The environment of the interpreter: everything but computation.
pub trait World: Domain {
    /// Why the world stops a thread.
    type Stop;

    fn load(&mut self, access: Access, address: &Self::Value) -> Result<Self::Value, Self::Stop>;
    fn store(&mut self, access: Access, address: &Self::Value, value: &Self::Value) -> Result<(), Self::Stop>;
    /// The old value.
    fn rmw(
        &mut self,
        access: Access,
        op: RmwOp,
        address: &Self::Value,
        value: &Self::Value,
    ) -> Result<Self::Value, Self::Stop>;
    /// The old value, and whether the new one was written.
    fn compare_exchange(
        &mut self,
        access: Access,
        address: &Self::Value,
        expected: &Self::Value,
        new: &Self::Value,
        weak: bool,
    ) -> Result<(Self::Value, Self::Value), Self::Stop>;
    fn local(
        &mut self,
        size: &Self::Value,
        align: u64,
        name: Option<TextId>,
        layout: Option<LayoutId>,
    ) -> Result<Self::Value, Self::Stop>;
    fn thread_local(&mut self, global: GlobalId) -> Result<Self::Value, Self::Stop>;
    /// The block that holds a call's further arguments.
    fn variadic_block(&mut self, values: &[(Type, Self::Value)]) -> Result<Self::Value, Self::Stop>;
    /// The outcome of a branch, and whether a recorder stores it.
    fn decide(&mut self, cond: &Self::Value, at: Branching<'_>, recorded: bool) -> Result<bool, Self::Stop>;
    /// Which of the sorted cases a switch takes; `None` is the default.
    fn choose_case(
        &mut self,
        value: &Self::Value,
        cases: &[(u128, u32)],
        recorded: bool,
    ) -> Result<Option<u32>, Self::Stop>;
    /// A value that must be one number, such as that of a call.
    fn number(&mut self, value: &Self::Value) -> Result<u64, Self::Stop>;
    /// Which function is called, and whether a recorder writes that down.
    fn callee(&mut self, address: &Self::Value, recorded: bool) -> Result<FunctionId, Self::Stop>;
    /// The function that `callee` named was entered, and a recorder writes that down.
    fn called(&mut self, function: FunctionId);
    /// The innermost call reaches the instruction at this position.
    #[inline(always)]
    fn at(&mut self, _position: u32) {}
    /// A function was entered with these arguments; the thread is now in `calls` calls.
    fn entered(&mut self, _function: FunctionId, _args: &[(Self::Value, Type)], _calls: usize) {}
    /// Calls ended; the thread is now in `calls` calls.
    fn left(&mut self, _calls: usize) {}
    fn primitive(
        &mut self,
        thread: &Thread<Self::Value>,
        primitive: Primitive,
        args: &[Self::Value],
    ) -> Result<Option<Self::Value>, Halt<Self::Stop>>;
    /// A loop begins or iterates; among the frame's registers, the live ones determine its future.
    fn header(&mut self, frame: u64, header: &Header, registers: &[Self::Value]) -> Result<(), Self::Stop>;
    /// A function is entered (`true`) or left; called for atomic ones only.
    fn atomic(&mut self, enter: bool) -> Result<(), Self::Stop>;
    /// The calls beyond the first `calls` are about to end, with these objects.
    fn leaving(&mut self, _locals: &[Self::Value], _calls: usize) -> Result<(), Self::Stop> {
        Ok(())
    }
    /// The objects of a frame end.
    fn leave(&mut self, locals: &[Self::Value]);
    /// The thread's first function returned.
    fn finish(&mut self, value: Option<&Self::Value>) -> Result<(), Self::Stop>;
    /// The division or the type was wrong.
    fn trapped(&mut self, trap: Trap) -> Self::Stop;
    fn unreachable(&mut self) -> Self::Stop;
    fn unsupported(&mut self, what: &str) -> Self::Stop;
}

#[derive(Clone, Debug)]
pub struct Frame<V> {
    pub function: FunctionId,
    pub position: u32,
    /// Where its registers begin.
    base: u32,
    /// Different for every call of the thread.
    pub serial: u64,
    /// Where the caller wants the results.
    results: Range,
    locals: Vec<V>,
    variadic: Vec<(Type, V)>,
    variadic_block: Option<V>,
}

impl<V> Frame<V> {
    /// The caller's registers for the results of this call.
    pub fn results_in<'a>(&self, caller: &'a FunctionCode) -> &'a [Register] {
        self.results.of(&caller.registers_of)
    }

    /// The arguments beyond the parameters.
    pub fn variadic(&self) -> &[(Type, V)] {
        &self.variadic
    }

    pub fn variadic_mut(&mut self) -> &mut [(Type, V)] {
        &mut self.variadic
    }
}

/// The state of a thread except for memory: its calls and their registers.
#[derive(Clone, Debug)]
pub struct Thread<V> {
    pub frames: Vec<Frame<V>>,
    registers: Vec<V>,
    /// How many instructions it has executed.
    pub steps: u64,
    calls: u64,
    /// The last unconditional jump: the step that it was, and its position.
    jumped: (u64, u32),
    /// The last return to the thread's first function, such as that of `main`, with the place of its `return` statement.
    /// It only serves reports.
    pub returned: Option<(FunctionId, SpanId)>,
}

impl<V: Clone> Default for Thread<V> {
    fn default() -> Self {
        Thread { frames: Vec::new(), registers: Vec::new(), steps: 0, calls: 0, jumped: (0, 0), returned: None }
    }
}

/// Calls deeper than this are stopped: the machine's stack would not hold them either.
pub const MAX_FRAMES: usize = 20_000;

impl<V: Clone> Thread<V> {
    /// Enters a function that the code defines; arguments beyond its parameters are kept for `VariadicArguments`.
    pub fn call(&mut self, code: &Code, function: FunctionId, args: &[(V, Type)], results: Range, filler: V) {
        let callee = code.function(function);
        let base = self.registers.len();
        self.registers.resize(base + callee.registers as usize, filler);
        for ((register, _), (value, _)) in callee.params.iter().zip(args) {
            self.registers[base + *register as usize] = value.clone();
        }
        let extra = args.get(callee.params.len()..).unwrap_or_default();
        self.calls += 1;
        self.frames.push(Frame {
            function,
            position: 0,
            base: base as u32,
            serial: self.calls,
            results,
            locals: Vec::new(),
            variadic: extra.iter().map(|(value, ty)| (*ty, value.clone())).collect(),
            variadic_block: None,
        });
    }

    /// The place of each frame's current instruction, innermost first.
    pub fn site<'a>(&'a self, code: &'a Code) -> impl Iterator<Item = (FunctionId, SpanId)> + 'a {
        self.frames.iter().rev().enumerate().map(|(depth, frame)| {
            // The position of a caller is after its call.
            let position = frame.position as usize - usize::from(depth > 0 && frame.position > 0);
            let spans = &code.function(frame.function).spans;
            (frame.function, spans.get(position).copied().unwrap_or(SpanId::NONE))
        })
    }

    /// The registers of one call, counted from the outermost.
    pub fn registers_of(&self, frame: usize) -> &[V] {
        let begin = self.frames[frame].base as usize;
        let end = self.frames.get(frame + 1).map_or(self.registers.len(), |next| next.base as usize);
        &self.registers[begin..end]
    }

    /// The objects of all calls beyond the first `calls`.
    pub fn objects_beyond(&self, calls: usize) -> impl Iterator<Item = &V> {
        let ending = self.frames.get(calls..).unwrap_or_default();
        ending.iter().flat_map(|frame| frame.locals.iter().chain(&frame.variadic_block))
    }

    /// Ends all calls at once; returns the objects of their frames.
    pub fn unwind(&mut self) -> Vec<V> {
        self.registers.clear();
        self.frames.drain(..).flat_map(|frame| frame.locals.into_iter().chain(frame.variadic_block)).collect()
    }
}

impl<V: Clone + PartialEq> Thread<V> {
    /// Whether the other thread is in the same calls, at the same positions.
    pub fn stands_with(&self, other: &Thread<V>) -> bool {
        let alike = |(own, theirs): (&Frame<V>, &Frame<V>)| {
            own.function == theirs.function
                && own.position == theirs.position
                && own.results == theirs.results
                && own.variadic.len() == theirs.variadic.len()
        };
        self.frames.len() == other.frames.len() && self.frames.iter().zip(&other.frames).all(alike)
    }

    /// Joins two threads at the same position: `join` merges values that differ.
    pub fn join(&mut self, other: &Thread<V>, mut join: impl FnMut(&V, &V) -> V) {
        let mut one = |own: &mut V, theirs: &V| {
            if own != theirs {
                *own = join(own, theirs);
            }
        };
        self.registers.iter_mut().zip(&other.registers).for_each(|(own, theirs)| one(own, theirs));
        for (own, theirs) in self.frames.iter_mut().zip(&other.frames) {
            let new: Vec<V> = theirs.locals.iter().filter(|local| !own.locals.contains(local)).cloned().collect();
            own.locals.extend(new);
            own.variadic.iter_mut().zip(&theirs.variadic).for_each(|((_, own), (_, theirs))| one(own, theirs));
            match (&mut own.variadic_block, &theirs.variadic_block) {
                (Some(own), Some(theirs)) => one(own, theirs),
                (own @ None, Some(theirs)) => *own = Some(theirs.clone()),
                _ => {}
            }
        }
        self.steps = self.steps.max(other.steps);
        self.calls = self.calls.max(other.calls);
    }

    /// Wherever the innermost call has the one value, it has the other from now on.
    pub fn replace(&mut self, one: &V, other: &V) {
        let base = self.frames.last().map_or(0, |frame| frame.base as usize);
        for register in &mut self.registers[base..] {
            if register == one {
                *register = other.clone();
            }
        }
    }

    /// Skips the call at which the thread is, as if it had returned this value.
    pub fn pass_call(&mut self, code: &Code, value: &V) {
        let Some(frame) = self.frames.last_mut() else { return };
        let function = code.function(frame.function);
        let (Inst::Call { results, .. } | Inst::CallIndirect { results, .. } | Inst::Invoke { results, .. }) =
            &function.insts[frame.position as usize]
        else {
            return;
        };
        for &to in results.of(&function.registers_of) {
            self.registers[frame.base as usize + to as usize] = value.clone();
        }
        frame.position += 1;
        self.steps += 1;
    }

    /// The value of a register or constant of the innermost call, as named by an instruction.
    pub fn operand(&self, code: &Code, arg: Arg) -> Result<&V, (Type, u128)> {
        let constant = (Type::Int(64), 0);
        let Some(frame) = self.frames.last() else { return Err(constant) };
        match usize::try_from(arg.0) {
            Ok(register) => self.registers.get(frame.base as usize + register).ok_or(constant),
            Err(_) => Err(code.function(frame.function).constants.get(!arg.0 as usize).copied().unwrap_or(constant)),
        }
    }
}

/// No results.
pub const NOTHING: Range = Range { begin: 0, end: 0 };

/// Runs a thread until its world stops it or it has executed `until` instructions. `Ok` means the latter, or that the
/// thread ended.
pub fn run<W: World>(
    code: &Code,
    thread: &mut Thread<W::Value>,
    world: &mut W,
    until: u64,
) -> Result<(), Halt<W::Stop>> {
    while let Some(frame) = thread.frames.last() {
        let function = code.function(frame.function);
        let base = frame.base as usize;
        let mut position = frame.position;
        let mut machine = Machine { code, function, thread: &mut *thread, world: &mut *world, base, after: None };
        let halt = loop {
            if machine.thread.steps >= until {
                machine.stand_at(position);
                return Ok(());
            }
            match machine.step(position) {
                Ok(Next::Position(next)) => position = next,
                Ok(Next::Frame) => break None,
                Err(halt) => break Some(halt),
            }
            machine.thread.steps += 1;
        };
        match halt {
            None => thread.steps += 1,
            Some(halt) => {
                match halt {
                    Halt::Stop(_) => machine.stand_at(position),
                    Halt::Stay(_) => {
                        machine.thread.steps += 1;
                        machine.stand_at(position);
                    }
                    Halt::After(_) => {
                        machine.thread.steps += 1;
                        let next = machine.after.unwrap_or(position + 1);
                        machine.stand_at(next);
                    }
                }
                return Err(halt);
            }
        }
    }
    Ok(())
}

enum Next {
    Position(u32),
    /// A call or a return: the frames are already as they should be.
    Frame,
}

struct Machine<'a, W: World> {
    code: &'a Code,
    function: &'a FunctionCode,
    thread: &'a mut Thread<W::Value>,
    world: &'a mut W,
    base: usize,
    /// The position of the thread after an instruction that stopped it, if that is not the next one.
    after: Option<u32>,
}

impl<W: World> Machine<'_, W> {
    fn stand_at(&mut self, position: u32) {
        if let Some(frame) = self.thread.frames.last_mut() {
            frame.position = position;
        }
    }

    #[inline(always)]
    fn get(&mut self, arg: Arg) -> W::Value {
        if arg.0 >= 0 {
            self.thread.registers[self.base + arg.0 as usize].clone()
        } else {
            let (ty, bits) = self.function.constants[!arg.0 as usize];
            self.world.constant(ty, bits)
        }
    }

    #[inline(always)]
    fn set(&mut self, to: Register, value: W::Value) {
        self.thread.registers[self.base + to as usize] = value;
    }

    fn trap<T>(&mut self, result: Result<T, Trap>) -> Result<T, Halt<W::Stop>> {
        result.map_err(|trap| Halt::Stop(self.world.trapped(trap)))
    }

    #[inline(always)]
    fn step(&mut self, position: u32) -> Result<Next, Halt<W::Stop>> {
        let function = self.function;
        self.world.at(position);
        match &function.insts[position as usize] {
            Inst::Binary { op, ty, to, left, right } => {
                let (left, right) = (self.get(*left), self.get(*right));
                match self.world.binary(*op, *ty, &left, &right) {
                    Ok(value) => self.set(*to, value),
                    Err(trap) => return Err(Halt::Stop(self.world.trapped(trap))),
                }
            }
            Inst::Compare { predicate, ty, to, left, right } => {
                let (left, right) = (self.get(*left), self.get(*right));
                let value = self.world.compare(*predicate, *ty, &left, &right);
                self.set(*to, value);
            }
            Inst::Address { to, base, offset, index, scale } => {
                let base = self.get(*base);
                let result = match index {
                    None => self.world.address(&base, *offset, &[]),
                    Some((index, ty)) => {
                        let index = self.get(*index);
                        self.world.address(&base, *offset, &[(index, *ty, *scale)])
                    }
                };
                let value = self.trap(result)?;
                self.set(*to, value);
            }
            Inst::Load { to, address, access } => {
                let address = self.get(*address);
                let value = self.world.load(*access, &address)?;
                self.set(*to, value);
            }
            Inst::Store { address, value, access } => {
                let (address, value) = (self.get(*address), self.get(*value));
                self.world.store(*access, &address, &value)?;
            }
            Inst::Cast { op, from, ty, to, arg } => {
                let arg = self.get(*arg);
                let result = self.world.cast(*op, *from, *ty, &arg);
                let value = self.trap(result)?;
                self.set(*to, value);
            }
            Inst::Jump(edge) => {
                self.thread.jumped = (self.thread.steps, position);
                return self.jump(edge);
            }
            Inst::Branch { cond, then, otherwise, recorded } => {
                let cond = self.get(*cond);
                let at = Branching { function, position };
                let edge = if self.world.decide(&cond, at, *recorded)? { then } else { otherwise };
                return self.jump(edge);
            }
            other => return self.seldom(other, position),
        }
        Ok(Next::Position(position + 1))
    }

    /// The instructions that do not decide the interpreter's speed.
    fn seldom(&mut self, inst: &Inst, position: u32) -> Result<Next, Halt<W::Stop>> {
        match inst {
            Inst::Call { function, args, results } => return self.call(*function, *args, *results, position),
            Inst::CallIndirect { callee, args, results, recorded } => {
                let callee = self.get(*callee);
                let callee = self.world.callee(&callee, *recorded)?;
                let next = self.call(callee, *args, *results, position)?;
                if *recorded {
                    self.world.called(callee);
                }
                return Ok(next);
            }
            Inst::Invoke { callee, args, results, recorded, .. } => {
                let callee = match callee {
                    Callee::Direct(function) => return self.call(*function, *args, *results, position),
                    Callee::Indirect(address) => self.get(*address),
                };
                let callee = self.world.callee(&callee, *recorded)?;
                let next = self.call(callee, *args, *results, position)?;
                if *recorded {
                    self.world.called(callee);
                }
                return Ok(next);
            }
            Inst::Return { values } => {
                if self.thread.frames.len() == 2 {
                    self.note_return(position);
                }
                return self.leave(*values);
            }
            Inst::Switch { value, cases, edges, recorded } => {
                let value = self.get(*value);
                let chosen = self.world.choose_case(&value, cases, *recorded)?;
                let edges = edges.of(&self.function.edges);
                let edge = &edges[chosen.map_or(edges.len() - 1, |index| index as usize)];
                return self.jump(edge);
            }
            Inst::Unreachable => return Err(Halt::Stop(self.world.unreachable())),
            Inst::Unsupported { what } => {
                let what: Rc<str> = what.clone();
                return Err(Halt::Stop(self.world.unsupported(&what)));
            }
            Inst::Fence => {}
            Inst::Primitive { primitive: Primitive::UnwindLand, args, .. } => {
                let args = self.values(*args);
                return self.land(&args);
            }
            Inst::Primitive { primitive, args, to } => {
                let args = self.values(*args);
                self.stand_at(position);
                if let (Some(to), Some(value)) = (*to, self.look_back(*primitive, &args)?) {
                    self.set(to, value);
                    return Ok(Next::Position(position + 1));
                }
                let value = self.world.primitive(self.thread, *primitive, &args)?;
                if let (Some(to), Some(value)) = (to, value) {
                    self.set(*to, value);
                }
            }
            Inst::Local { to, size, align, name, layout } => {
                let size = self.get(*size);
                let address = self.world.local(&size, *align, *name, *layout)?;
                self.set(*to, address.clone());
                if let Some(frame) = self.thread.frames.last_mut() {
                    frame.locals.push(address);
                }
            }
            Inst::ThreadLocal { to, global } => {
                let address = self.world.thread_local(*global)?;
                self.set(*to, address);
            }
            Inst::VariadicArguments { to } => {
                let address = self.variadic_block()?;
                self.set(*to, address);
            }
            Inst::Rmw { .. } | Inst::CompareExchange { .. } => self.atomic_access(inst)?,
            _ => self.compute(inst)?,
        }
        Ok(Next::Position(position + 1))
    }

    fn compute(&mut self, inst: &Inst) -> Result<(), Halt<W::Stop>> {
        match inst {
            Inst::Unary { op, ty, to, arg } => {
                let arg = self.get(*arg);
                let result = self.world.unary(*op, *ty, &arg);
                let value = self.trap(result)?;
                self.set(*to, value);
            }
            Inst::Overflowing { op, ty, to, flag, left, right } => {
                let (left, right) = (self.get(*left), self.get(*right));
                let (value, overflowed) = self.world.overflowing(*op, *ty, &left, &right);
                self.set(*to, value);
                self.set(*flag, overflowed);
            }
            Inst::FloatCompare { predicate, ty, to, left, right } => {
                let (left, right) = (self.get(*left), self.get(*right));
                let result = self.world.float_compare(*predicate, *ty, &left, &right);
                let value = self.trap(result)?;
                self.set(*to, value);
            }
            Inst::FusedMultiplyAdd { ty, to, left, right, addend } => {
                let (left, right, addend) = (self.get(*left), self.get(*right), self.get(*addend));
                let result = self.world.fused_multiply_add(*ty, &left, &right, &addend);
                let value = self.trap(result)?;
                self.set(*to, value);
            }
            Inst::Select { to, cond, then, otherwise } => {
                let (cond, then, otherwise) = (self.get(*cond), self.get(*then), self.get(*otherwise));
                let value = self.world.select(&cond, &then, &otherwise);
                self.set(*to, value);
            }
            Inst::AddressOfMany { to, base, offset, indices } => {
                let base = self.get(*base);
                let function = self.function;
                let indices: Vec<_> = indices
                    .of(&function.indices)
                    .iter()
                    .map(|(index, ty, scale)| (self.get(*index), *ty, *scale))
                    .collect();
                let result = self.world.address(&base, *offset, &indices);
                let value = self.trap(result)?;
                self.set(*to, value);
            }
            _ => return Err(Halt::Stop(self.world.trapped(Trap::IllTyped))),
        }
        Ok(())
    }

    fn atomic_access(&mut self, inst: &Inst) -> Result<(), Halt<W::Stop>> {
        match inst {
            Inst::Rmw { op, to, address, value, access } => {
                let (address, value) = (self.get(*address), self.get(*value));
                let old = self.world.rmw(*access, *op, &address, &value)?;
                self.set(*to, old);
            }
            Inst::CompareExchange { to, flag, address, expected, new, weak, access } => {
                let (address, expected, new) = (self.get(*address), self.get(*expected), self.get(*new));
                let (old, written) = self.world.compare_exchange(*access, &address, &expected, &new, *weak)?;
                self.set(*to, old);
                self.set(*flag, written);
            }
            _ => {}
        }
        Ok(())
    }

    fn values(&mut self, range: Range) -> Vec<W::Value> {
        let function = self.function;
        range.of(&function.args).iter().map(|(arg, _)| self.get(*arg)).collect()
    }

    #[inline(always)]
    fn jump(&mut self, edge: &Edge) -> Result<Next, Halt<W::Stop>> {
        let function = self.function;
        for (to, from, _) in edge.moves.of(&function.moves) {
            let value = self.get(*from);
            self.set(*to, value);
        }
        if let Some(header) = edge.header {
            let header = &function.headers[header as usize];
            let registers = &self.thread.registers[self.base..];
            let serial = self.thread.frames.last().map_or(0, |frame| frame.serial);
            if let Err(stop) = self.world.header(serial, header, registers) {
                // The jump itself has happened; the thread waits at the loop's begin.
                self.after = Some(edge.position);
                return Err(Halt::After(stop));
            }
        }
        Ok(Next::Position(edge.position))
    }

    fn call(&mut self, callee: FunctionId, args: Range, results: Range, position: u32) -> Result<Next, Halt<W::Stop>> {
        let target = self.code.function(callee);
        if !target.defined {
            let what = undefined(&self.code.program.functions[callee.index()].display);
            return Err(Halt::Stop(self.world.unsupported(&what)));
        }
        if self.thread.frames.len() >= MAX_FRAMES {
            return Err(Halt::Stop(self.world.unsupported(&format!("recursion deeper than {MAX_FRAMES} calls"))));
        }
        let function = self.function;
        let values: Vec<(W::Value, Type)> =
            args.of(&function.args).iter().map(|(arg, ty)| (self.get(*arg), *ty)).collect();
        if values.len() < target.params.len() {
            return Err(Halt::Stop(self.world.unsupported("a call with fewer arguments than the function takes")));
        }
        if target.atomic {
            self.world.atomic(true)?;
        }
        let filler = self.world.constant(Type::Int(64), 0);
        self.stand_at(position + 1);
        self.thread.call(self.code, callee, &values, results, filler);
        self.world.entered(callee, &values, self.thread.frames.len());
        Ok(Next::Frame)
    }

    fn leave(&mut self, values: Range) -> Result<Next, Halt<W::Stop>> {
        let values = self.values(values);
        let calls = self.thread.frames.len().saturating_sub(1);
        if calls == 0 {
            self.world.finish(values.first())?;
        } else if !self.thread.frames[calls].locals.is_empty() {
            self.world.leaving(&self.thread.frames[calls].locals, calls)?;
        }
        if self.function.atomic {
            self.world.atomic(false)?;
        }
        let Some(frame) = self.thread.frames.pop() else { return Ok(Next::Frame) };
        if !frame.locals.is_empty() || frame.variadic_block.is_some() {
            let mut locals = frame.locals;
            locals.extend(frame.variadic_block);
            self.world.leave(&locals);
        }
        self.thread.registers.truncate(frame.base as usize);
        self.world.left(self.thread.frames.len());
        if let Some(caller) = self.thread.frames.last() {
            let base = caller.base as usize;
            let targets = frame.results.of(&self.code.function(caller.function).registers_of);
            for (&to, value) in targets.iter().zip(values) {
                self.thread.registers[base + to as usize] = value;
            }
        }
        Ok(Next::Frame)
    }

    /// Several `return` statements share one block that returns: then the jump to it is at the statement.
    fn note_return(&mut self, position: u32) {
        let (step, jump) = self.thread.jumped;
        let at = if step + 1 == self.thread.steps { jump } else { position };
        let span = self.function.spans.get(at as usize).copied().unwrap_or(SpanId::NONE);
        self.thread.returned = self.thread.frames.last().map(|frame| (frame.function, span));
    }

    /// The invoke in which a call waits.
    fn invoke_of(&self, frame: usize) -> Option<&Inst> {
        let frame = self.thread.frames.get(frame)?;
        let behind = frame.position.checked_sub(1)? as usize;
        self.code.function(frame.function).insts.get(behind).filter(|inst| matches!(inst, Inst::Invoke { .. }))
    }

    /// Primitives about the thread's own calls; `None` for all others.
    fn look_back(&mut self, primitive: Primitive, args: &[W::Value]) -> Result<Option<W::Value>, Halt<W::Stop>> {
        let (word, pointer) = (Type::Int(32), Type::Ptr);
        match (primitive, args) {
            (Primitive::UnwindDepth, _) => {
                let depth = self.thread.frames.len() as u128;
                Ok(Some(self.world.constant(word, depth)))
            }
            (Primitive::UnwindTable, [frame]) => {
                let frame = self.world.number(frame)? as usize;
                let Some(Inst::Invoke { table, .. }) = self.invoke_of(frame) else {
                    return Ok(Some(self.world.constant(pointer, 0)));
                };
                // Tables are constants, so they can be read without the registers of their frame.
                let constants = &self.code.function(self.thread.frames[frame].function).constants;
                let (ty, bits) = constants.get(!table.0 as usize).copied().unwrap_or((pointer, 0));
                Ok(Some(self.world.constant(ty, bits)))
            }
            _ => Ok(None),
        }
    }

    /// Ends the calls inside of an invoke, which continues at its landing block.
    fn land(&mut self, args: &[W::Value]) -> Result<Next, Halt<W::Stop>> {
        let [frame, pointer, selector] = args else {
            return Err(Halt::Stop(self.world.trapped(Trap::IllTyped)));
        };
        let target = self.world.number(frame)? as usize;
        let Some(&Inst::Invoke { unwind, landed, .. }) = self.invoke_of(target) else {
            return Err(Halt::Stop(self.world.unsupported("landing in a call that does not wait in an invoke")));
        };
        let objects: Vec<W::Value> = self.thread.objects_beyond(target + 1).cloned().collect();
        self.world.leaving(&objects, target + 1)?;
        while self.thread.frames.len() > target + 1 {
            let Some(frame) = self.thread.frames.pop() else { break };
            if self.code.function(frame.function).atomic {
                self.world.atomic(false)?;
            }
            let locals: Vec<W::Value> = frame.locals.into_iter().chain(frame.variadic_block).collect();
            self.world.leave(&locals);
            self.thread.registers.truncate(frame.base as usize);
        }
        self.world.left(self.thread.frames.len());
        let frame = &mut self.thread.frames[target];
        frame.position = unwind;
        let base = frame.base as usize;
        self.thread.registers[base + landed[0] as usize] = pointer.clone();
        self.thread.registers[base + landed[1] as usize] = selector.clone();
        Ok(Next::Frame)
    }

    fn variadic_block(&mut self) -> Result<W::Value, Halt<W::Stop>> {
        let Some(frame) = self.thread.frames.last_mut() else {
            return Err(Halt::Stop(self.world.trapped(Trap::IllTyped)));
        };
        if let Some(block) = &frame.variadic_block {
            return Ok(block.clone());
        }
        let block = self.world.variadic_block(&frame.variadic)?;
        frame.variadic_block = Some(block.clone());
        Ok(block)
    }
}

/// The report's text for a call of an undefined function. A model calls an undefined function named `__model_…` in
/// uncovered cases; OpenMP's pragmas become calls of its runtime library.
pub fn undefined(name: &str) -> String {
    match name.strip_prefix("__model_") {
        Some(what) => format!("{} (not modelled)", what.replace('_', " ")),
        None if name.starts_with("__kmpc_") || name.starts_with("omp_") => format!("OpenMP (`{name}`)"),
        None => format!("no model for the function `{name}`"),
    }
}
