//! The x86 instructions of known idioms, executed over symbolic registers.

use std::collections::HashMap;

use ir::{BinaryOp, CastOp, IntPredicate, Op, Operand, Ordering, RmwOp, Type};

use crate::llvm::Value;

use super::super::state::FunctionLowering;
use super::parse::{Constraint, Location, Role, Statement};

/// An operand of the template.
#[derive(Clone, Copy)]
pub enum Slot<'m> {
    /// A value; none for an output that was not written.
    Register(Option<Operand>),
    Memory {
        address: Operand,
        pointer: Value<'m>,
        bits: u32,
    },
}

/// A place in memory that an instruction names.
#[derive(Clone, Copy)]
struct Memory<'m> {
    address: Operand,
    pointer: Option<Value<'m>>,
}

/// The flags of the last instruction, as far as known.
#[derive(Clone, Copy, Default)]
struct Flags {
    zero: Option<Operand>,
    sign: Option<Operand>,
    carry: Option<Operand>,
}

pub struct Machine<'f, 'a, 'm> {
    lowering: &'f mut FunctionLowering<'a, 'm>,
    slots: Vec<Slot<'m>>,
    /// The machine register of a slot, if the constraint names one.
    names: Vec<Option<String>>,
    /// Slots that share a register with another one.
    tied: Vec<usize>,
    registers: HashMap<String, Operand>,
    flags: Flags,
}

/// A mnemonic without the letter for its width, and that width.
fn with_width(mnemonic: &str) -> (&str, Option<u32>) {
    const BASES: &[&str] = &[
        "cmpxchg", "xadd", "xchg", "inc", "dec", "add", "sub", "and", "or", "xor", "mov", "not", "neg", "bts", "btr",
        "btc", "test", "cmp", "sbb",
    ];
    let width = match mnemonic.as_bytes().last() {
        Some(b'b') => 8,
        Some(b'w') => 16,
        Some(b'l') => 32,
        Some(b'q') => 64,
        _ => return (mnemonic, None),
    };
    let base = &mnemonic[..mnemonic.len() - 1];
    if BASES.contains(&base) && !BASES.contains(&mnemonic) { (base, Some(width)) } else { (mnemonic, None) }
}

impl<'f, 'a, 'm> Machine<'f, 'a, 'm> {
    pub fn new(
        lowering: &'f mut FunctionLowering<'a, 'm>,
        slots: Vec<Slot<'m>>,
        constraints: &[Constraint],
    ) -> Machine<'f, 'a, 'm> {
        let operands: Vec<&Constraint> =
            constraints.iter().filter(|constraint| constraint.role != Role::Clobber).collect();
        let tied = operands.iter().enumerate().map(|(index, constraint)| constraint.tied.unwrap_or(index)).collect();
        let names = operands.iter().map(|constraint| constraint.register.clone()).collect();
        let mut machine = Machine { lowering, slots, names, tied, registers: HashMap::new(), flags: Flags::default() };
        for index in 0..machine.slots.len() {
            // An input goes to the register that its constraint names, or that of its tied output.
            if let Slot::Register(Some(value)) = machine.slots[index] {
                machine.set_slot(index, value);
            }
        }
        machine
    }

    fn home(&self, slot: usize) -> usize {
        self.tied.get(slot).copied().unwrap_or(slot)
    }

    fn set_slot(&mut self, slot: usize, value: Operand) {
        let home = self.home(slot);
        if let Some(Some(name)) = self.names.get(home) {
            self.registers.insert(name.clone(), value);
        }
        if let Some(place @ Slot::Register(_)) = self.slots.get_mut(home) {
            *place = Slot::Register(Some(value));
        }
    }

    fn slot_value(&self, slot: usize) -> Option<Operand> {
        let home = self.home(slot);
        if let Some(Some(name)) = self.names.get(home)
            && let Some(&value) = self.registers.get(name)
        {
            return Some(value);
        }
        match self.slots.get(home)? {
            Slot::Register(value) => *value,
            Slot::Memory { .. } => None,
        }
    }

    fn memory(&mut self, location: &Location) -> Option<Memory<'m>> {
        match *location {
            Location::Slot(slot, _) => match *self.slots.get(slot)? {
                Slot::Memory { address, pointer, .. } => Some(Memory { address, pointer: Some(pointer) }),
                Slot::Register(_) => None,
            },
            Location::Through { slot, displacement } => {
                let base = match *self.slots.get(slot)? {
                    Slot::Memory { address, .. } => address,
                    Slot::Register(_) => self.slot_value(slot)?,
                };
                let pointer = self.lowering.resize(base, Type::Ptr);
                Some(Memory { address: self.lowering.advance(pointer, displacement), pointer: None })
            }
            Location::ThroughRegister { ref name, displacement } => {
                let base = *self.registers.get(name)?;
                let pointer = self.lowering.resize(base, Type::Ptr);
                Some(Memory { address: self.lowering.advance(pointer, displacement), pointer: None })
            }
            _ => None,
        }
    }

    fn width(&self, location: &Location) -> Option<u32> {
        match *location {
            Location::Slot(_, Some(width)) | Location::Register(_, width) => Some(width),
            Location::Slot(slot, None) => match *self.slots.get(slot)? {
                Slot::Memory { bits, .. } if matches!(bits, 8 | 16 | 32 | 64) => Some(bits),
                _ => self.slot_value(slot).map(|value| self.lowering.type_of(value).bits()),
            },
            _ => None,
        }
    }

    fn place(&mut self, memory: Memory<'m>, width: u32) -> Option<ir::TextId> {
        memory.pointer.and_then(|pointer| self.lowering.place(pointer, 0, Type::Int(width as u8)))
    }

    fn read(&mut self, location: &Location, width: u32) -> Option<Operand> {
        let ty = Type::Int(width as u8);
        let value = match location {
            Location::Immediate(number) => {
                return Some(Operand::int(width as u8, i128::from(*number).cast_unsigned()));
            }
            Location::Register(name, _) => *self.registers.get(name)?,
            Location::Slot(slot, _) if self.slot_value(*slot).is_some() => self.slot_value(*slot)?,
            _ => {
                let memory = self.memory(location)?;
                let place = self.place(memory, width);
                let op = Op::Load { address: memory.address, ordering: Some(Ordering::Relaxed), place };
                return Some(self.lowering.emit(op, ty));
            }
        };
        Some(self.lowering.resize(value, ty))
    }

    /// Writes a register or memory. A write to the lower half of a register clears its upper half, as the machine does;
    /// narrower ones keep the rest.
    fn write(&mut self, location: &Location, value: Operand) -> Option<()> {
        match location {
            Location::Register(name, _) => {
                let merged = self.merged(self.registers.get(name).copied(), value);
                self.registers.insert(name.clone(), merged);
                let name = name.clone();
                let at = self.names.iter().position(|other| other.as_ref() == Some(&name));
                if let Some(slot) = at {
                    self.set_slot(slot, merged);
                }
            }
            Location::Slot(slot, _) if matches!(self.slots.get(*slot), Some(Slot::Register(_))) => {
                let merged = self.merged(self.slot_value(*slot), value);
                self.set_slot(*slot, merged);
            }
            Location::Immediate(_) | Location::Stack => return None,
            _ => {
                let memory = self.memory(location)?;
                let width = self.lowering.type_of(value).bits();
                let place = self.place(memory, width);
                let ordering = Some(Ordering::Relaxed);
                self.lowering.emit_none(Op::Store { address: memory.address, value, ordering, place });
            }
        }
        Some(())
    }

    fn merged(&mut self, old: Option<Operand>, new: Operand) -> Operand {
        let width = self.lowering.type_of(new).bits();
        let Some(old) = old.filter(|_| width < 32) else { return new };
        let bits = self.lowering.type_of(old).bits();
        if bits <= width {
            return new;
        }
        let whole = self.lowering.resize(old, Type::Int(bits as u8));
        let mask = self.lowering.int_like(whole, u128::MAX << width);
        let kept = self.lowering.binary(BinaryOp::And, whole, mask);
        let wide = self.lowering.resize(new, Type::Int(bits as u8));
        self.lowering.binary(BinaryOp::Or, kept, wide)
    }

    fn set_flags(&mut self, result: Operand, carry: Option<Operand>) {
        let zero = self.lowering.int_like(result, 0);
        let sign = self.lowering.compare(IntPredicate::SignedLess, result, zero);
        let zero = self.lowering.compare(IntPredicate::Equal, result, zero);
        self.flags = Flags { zero: Some(zero), sign: Some(sign), carry };
    }

    /// Executes one instruction; `None` if it is unknown.
    pub fn run(&mut self, statement: &Statement) -> Option<()> {
        let (base, width) = with_width(&statement.mnemonic);
        let operands = &statement.operands[..];
        let width = width.or_else(|| operands.iter().find_map(|operand| self.width(operand)));
        match (base, operands) {
            ("nop" | "cld", []) => {}
            ("pause", []) => drop(self.lowering.pause()),
            ("mfence", []) => drop(self.lowering.fence_of(Ordering::SequentiallyConsistent)),
            ("lfence", []) => drop(self.lowering.fence_of(Ordering::Acquire)),
            ("sfence", []) => drop(self.lowering.fence_of(Ordering::Release)),
            ("rdtsc" | "rdtscp", []) => self.clock(),
            ("cmpxchg8b", [memory]) => self.wide_exchange(memory, 32)?,
            ("cmpxchg16b", [memory]) => self.wide_exchange(memory, 64)?,
            (_, [_, Location::Stack] | [Location::Stack]) => {
                // A locked update of the own stack is a fence; other updates are unknown.
                if !statement.locked {
                    return None;
                }
                self.lowering.fence_of(Ordering::SequentiallyConsistent);
            }
            ("mov", [from, to]) => {
                let value = self.read(from, width?)?;
                self.write(to, value)?;
            }
            ("cmpxchg", [new, memory]) => self.exchange_if_equal(new, memory, width?, statement.locked)?,
            ("xchg", [left, right]) => self.exchange(left, right, width?)?,
            ("xadd", [source, target]) => self.exchange_and_add(source, target, width?, statement.locked)?,
            ("bts" | "btr" | "btc", [bit, target]) => self.bit(base, bit, target, width?, statement.locked)?,
            ("test" | "cmp", [right, left]) => {
                let (right, left) = (self.read(right, width?)?, self.read(left, width?)?);
                let op = if base == "test" { BinaryOp::And } else { BinaryOp::Sub };
                let carry = if base == "cmp" {
                    Some(self.lowering.compare(IntPredicate::UnsignedLess, left, right))
                } else {
                    None
                };
                let result = self.lowering.binary(op, left, right);
                self.set_flags(result, carry);
            }
            ("sbb", [source, target]) if source == target => {
                let carry = self.flags.carry?;
                let value = self.lowering.cast(CastOp::SignExtend, carry, Type::Int(width? as u8));
                self.write(target, value)?;
            }
            ("inc" | "dec" | "not" | "neg", [target]) => {
                self.update(base, &Location::Immediate(1), target, width?, statement.locked)?;
            }
            ("add" | "sub" | "and" | "or" | "xor", [source, target]) => {
                self.update(base, source, target, width?, statement.locked)?;
            }
            (_, [target]) => {
                let condition = self.condition(base.strip_prefix("set")?)?;
                let byte = self.lowering.cast(CastOp::ZeroExtend, condition, Type::I8);
                self.write(target, byte)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn condition(&mut self, name: &str) -> Option<Operand> {
        let flag = match name {
            "z" | "e" | "nz" | "ne" => self.flags.zero?,
            "s" | "ns" => self.flags.sign?,
            "c" | "b" | "nc" | "ae" | "nae" | "nb" => self.flags.carry?,
            _ => return None,
        };
        let inverted = matches!(name, "nz" | "ne" | "ns" | "nc" | "ae" | "nb");
        let one = Operand::int(1, 1);
        Some(if inverted { self.lowering.binary(BinaryOp::Xor, flag, one) } else { flag })
    }

    fn clock(&mut self) {
        let now = self.lowering.clock();
        let halves = self.lowering.split(now, Type::I32, 2);
        for (name, value) in [("ax", halves[0]), ("dx", halves[1]), ("cx", Operand::int(32, 0))] {
            self.registers.insert(name.into(), value);
        }
    }

    /// The result of an instruction for the old value and its source.
    fn compute(&mut self, base: &str, old: Operand, source: Operand) -> Option<Operand> {
        let (op, left, right) = match base {
            "inc" | "add" | "xadd" => (BinaryOp::Add, old, source),
            "dec" | "sub" => (BinaryOp::Sub, old, source),
            "and" => (BinaryOp::And, old, source),
            "or" => (BinaryOp::Or, old, source),
            "xor" => (BinaryOp::Xor, old, source),
            "not" => (BinaryOp::Xor, old, self.lowering.int_like(old, u128::MAX)),
            "neg" => (BinaryOp::Sub, self.lowering.int_like(old, 0), old),
            _ => return None,
        };
        Some(self.lowering.binary(op, left, right))
    }

    fn update(&mut self, base: &str, source: &Location, target: &Location, width: u32, locked: bool) -> Option<()> {
        let source = self.read(source, width)?;
        let old = match self.memory(target).filter(|_| locked) {
            Some(memory) => {
                let (op, value) = match base {
                    "inc" | "add" => (RmwOp::Add, source),
                    "dec" | "sub" => (RmwOp::Sub, source),
                    "and" => (RmwOp::And, source),
                    "or" => (RmwOp::Or, source),
                    "xor" => (RmwOp::Xor, source),
                    "not" => (RmwOp::Xor, Operand::int(width as u8, u128::MAX)),
                    _ => return None,
                };
                self.atomic(op, memory, value, width)
            }
            None => self.read(target, width)?,
        };
        let new = self.compute(base, old, source)?;
        if !locked || self.memory(target).is_none() {
            self.write(target, new)?;
        }
        let carry = match base {
            "add" => Some(self.lowering.compare(IntPredicate::UnsignedLess, new, old)),
            "sub" => Some(self.lowering.compare(IntPredicate::UnsignedLess, old, source)),
            "and" | "or" | "xor" => Some(Operand::int(1, 0)),
            _ => None,
        };
        if base != "not" {
            self.set_flags(new, carry);
        }
        Some(())
    }

    fn atomic(&mut self, op: RmwOp, memory: Memory<'m>, value: Operand, width: u32) -> Operand {
        let place = self.place(memory, width);
        let ordering = Ordering::SequentiallyConsistent;
        let op = Op::Rmw { op, address: memory.address, value, ordering, place };
        self.lowering.emit(op, Type::Int(width as u8))
    }

    fn exchange_if_equal(&mut self, new: &Location, target: &Location, width: u32, locked: bool) -> Option<()> {
        let expected = self.read(&Location::Register("ax".into(), width), width)?;
        let new = self.read(new, width)?;
        let ty = Type::Int(width as u8);
        let (old, equal) = match self.memory(target) {
            Some(memory) if locked => {
                let results = self.atomic_exchange_if_equal(memory, expected, new, ty);
                (results[0], results[1])
            }
            _ => {
                let old = self.read(target, width)?;
                let equal = self.lowering.compare(IntPredicate::Equal, old, expected);
                let kept = self.lowering.select(equal, new, old);
                self.write(target, kept)?;
                (old, equal)
            }
        };
        let accumulator = self.lowering.select(equal, expected, old);
        self.write(&Location::Register("ax".into(), width), accumulator)?;
        self.flags = Flags { zero: Some(equal), ..Flags::default() };
        Some(())
    }

    fn atomic_exchange_if_equal(
        &mut self,
        memory: Memory<'m>,
        expected: Operand,
        new: Operand,
        ty: Type,
    ) -> Vec<Operand> {
        let place = self.place(memory, ty.bits());
        let order = Ordering::SequentiallyConsistent;
        let op = Op::CompareExchange {
            address: memory.address,
            expected,
            new,
            weak: false,
            success: order,
            failure: order,
            place,
        };
        self.lowering.emit_many(op, &[ty, Type::I1])
    }

    /// `cmpxchg8b` and `cmpxchg16b`: two registers each for the expected and the new value.
    fn wide_exchange(&mut self, target: &Location, half: u32) -> Option<()> {
        let memory = self.memory(target)?;
        let ty = Type::Int((half * 2) as u8);
        let mut pair = |low: &str, high: &str| {
            let low = self.read(&Location::Register(low.into(), half), half)?;
            let high = self.read(&Location::Register(high.into(), half), half)?;
            Some(self.lowering.join(&[low, high], ty))
        };
        let (expected, new) = (pair("ax", "dx")?, pair("bx", "cx")?);
        let results = self.atomic_exchange_if_equal(memory, expected, new, ty);
        let halves = self.lowering.split(results[0], Type::Int(half as u8), 2);
        self.write(&Location::Register("ax".into(), half), halves[0])?;
        self.write(&Location::Register("dx".into(), half), halves[1])?;
        self.flags = Flags { zero: Some(results[1]), ..Flags::default() };
        Some(())
    }

    /// An exchange with memory is atomic with or without a lock.
    fn exchange(&mut self, left: &Location, right: &Location, width: u32) -> Option<()> {
        let (register, other) = if self.memory(left).is_some() { (right, left) } else { (left, right) };
        let value = self.read(register, width)?;
        let old = match self.memory(other) {
            Some(memory) => self.atomic(RmwOp::Exchange, memory, value, width),
            None => {
                let old = self.read(other, width)?;
                self.write(other, value)?;
                old
            }
        };
        self.write(register, old)
    }

    fn exchange_and_add(&mut self, source: &Location, target: &Location, width: u32, locked: bool) -> Option<()> {
        let added = self.read(source, width)?;
        let memory = self.memory(target).filter(|_| locked);
        let old = match memory {
            Some(memory) => self.atomic(RmwOp::Add, memory, added, width),
            None => self.read(target, width)?,
        };
        let sum = self.compute("xadd", old, added)?;
        if memory.is_none() {
            self.write(target, sum)?;
        }
        self.write(source, old)?;
        self.set_flags(sum, None);
        Some(())
    }

    /// Sets, clears or flips a bit, which may be beyond the named word; the carry is its old value.
    fn bit(&mut self, base: &str, bit: &Location, target: &Location, width: u32, locked: bool) -> Option<()> {
        let number = self.read(bit, width)?;
        let within = self.lowering.binary(BinaryOp::And, number, self.lowering.int_like(number, u128::from(width - 1)));
        let mask = self.lowering.binary(BinaryOp::ShiftLeft, self.lowering.int_like(number, 1), within);
        let inverted = self.lowering.binary(BinaryOp::Xor, mask, self.lowering.int_like(mask, u128::MAX));
        let (op, plain, value) = match base {
            "bts" => (RmwOp::Or, BinaryOp::Or, mask),
            "btr" => (RmwOp::And, BinaryOp::And, inverted),
            _ => (RmwOp::Xor, BinaryOp::Xor, mask),
        };
        let old = match self.memory(target) {
            Some(memory) => {
                let memory = self.word_of(memory, bit, number, width);
                if locked {
                    self.atomic(op, memory, value, width)
                } else {
                    let place = self.place(memory, width);
                    let ordering = Some(Ordering::Relaxed);
                    let ty = Type::Int(width as u8);
                    let old = self.lowering.emit(Op::Load { address: memory.address, ordering, place }, ty);
                    let new = self.lowering.binary(plain, old, value);
                    self.lowering.emit_none(Op::Store { address: memory.address, value: new, ordering, place });
                    old
                }
            }
            None => {
                let old = self.read(target, width)?;
                let new = self.lowering.binary(plain, old, value);
                self.write(target, new)?;
                old
            }
        };
        let moved = self.lowering.binary(BinaryOp::LogicalShiftRight, old, within);
        let carry = self.lowering.resize(moved, Type::I1);
        self.flags = Flags { carry: Some(carry), ..Flags::default() };
        Some(())
    }

    /// The word of a bit: a number in a register is relative to the operand, an immediate stays within it.
    fn word_of(&mut self, memory: Memory<'m>, bit: &Location, number: Operand, width: u32) -> Memory<'m> {
        if matches!(bit, Location::Immediate(_))
            || matches!(number, Operand::Const { bits, .. } if bits < u128::from(width))
        {
            return memory;
        }
        let shift = self.lowering.int_like(number, u128::from(width.trailing_zeros()));
        let word = self.lowering.binary(BinaryOp::ArithmeticShiftRight, number, shift);
        let indices = vec![(word, i64::from(width / 8))];
        let address = self.lowering.emit(Op::Address { base: memory.address, offset: 0, indices }, Type::Ptr);
        Memory { address, pointer: None }
    }

    /// The final values of the outputs.
    pub fn results(mut self, constraints: &[Constraint], types: &[Type]) -> Option<Vec<Operand>> {
        let mut results = Vec::new();
        let outputs =
            constraints.iter().enumerate().filter(|(_, output)| output.role == Role::Output && !output.indirect);
        for ((slot, output), &ty) in outputs.zip(types) {
            let flag = output.register.as_deref().and_then(|name| name.strip_prefix("@cc"));
            let value = match flag {
                Some(name) => self.condition(name)?,
                None => match self.slot_value(slot) {
                    Some(value) => value,
                    None => {
                        results.push(Operand::Undef(ty));
                        continue;
                    }
                },
            };
            results.push(self.lowering.resize(value, ty));
        }
        (results.len() == types.len()).then_some(results)
    }
}
