//! Locals, addresses, loads, stores and atomics.

use ir::{BinaryOp, CastOp, Op, Operand, Ordering, RmwOp, TextId, Type};

use crate::address::path;
use crate::debug::{Holding, Wanted};
use crate::llvm::{AtomicOp, AtomicOrdering, TypeKind, Value};

use super::state::{FunctionLowering, Refusal};
use super::types::{Part, parts, scalar, scalars};

/// The width of the processor's accesses in bytes. A wider plain access is several, in ascending order.
const WORD: u32 = 8;

/// The order of an access; none for a plain one.
pub fn ordering(ordering: AtomicOrdering) -> Option<Ordering> {
    match ordering {
        AtomicOrdering::LLVMAtomicOrderingNotAtomic => None,
        AtomicOrdering::LLVMAtomicOrderingUnordered | AtomicOrdering::LLVMAtomicOrderingMonotonic => {
            Some(Ordering::Relaxed)
        }
        AtomicOrdering::LLVMAtomicOrderingAcquire => Some(Ordering::Acquire),
        AtomicOrdering::LLVMAtomicOrderingRelease => Some(Ordering::Release),
        AtomicOrdering::LLVMAtomicOrderingAcquireRelease => Some(Ordering::AcquireRelease),
        AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Some(Ordering::SequentiallyConsistent),
    }
}

fn rmw_op(op: AtomicOp) -> Option<RmwOp> {
    Some(match op {
        AtomicOp::LLVMAtomicRMWBinOpXchg => RmwOp::Exchange,
        AtomicOp::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        AtomicOp::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        AtomicOp::LLVMAtomicRMWBinOpAnd => RmwOp::And,
        AtomicOp::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        AtomicOp::LLVMAtomicRMWBinOpOr => RmwOp::Or,
        AtomicOp::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        AtomicOp::LLVMAtomicRMWBinOpMax => RmwOp::SignedMax,
        AtomicOp::LLVMAtomicRMWBinOpMin => RmwOp::SignedMin,
        AtomicOp::LLVMAtomicRMWBinOpUMax => RmwOp::UnsignedMax,
        AtomicOp::LLVMAtomicRMWBinOpUMin => RmwOp::UnsignedMin,
        AtomicOp::LLVMAtomicRMWBinOpFAdd => RmwOp::FloatAdd,
        AtomicOp::LLVMAtomicRMWBinOpFSub => RmwOp::FloatSub,
        _ => return None,
    })
}

impl<'m> FunctionLowering<'_, 'm> {
    pub fn alloca(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let ty = value.allocated_type().ok_or("an allocation without type")?;
        if !ty.is_sized() {
            return Err(format!("a local of type {}", ty.text()));
        }
        let bytes = self.program.layout.size(ty);
        let count = self.operand_at(value, 0)?;
        let size = match count {
            Operand::Const { bits, .. } => Operand::int(64, bits.wrapping_mul(u128::from(bytes))),
            count => {
                let count = self.resize(count, Type::I64);
                self.binary(BinaryOp::Mul, count, Operand::int(64, u128::from(bytes)))
            }
        };
        let align = match value.alignment() {
            0 => self.program.layout.alignment(ty),
            align => align,
        };
        let (name, layout) = match self.variables.declared(value) {
            Some(Holding { variable, size_bits: None, .. }) => {
                let name = variable.name().map(|name| self.program.text(&name));
                (name, self.program.debug.layouts.of_variable(variable))
            }
            // A part of a variable that `sroa` split.
            Some(_) => (self.place_of(value, 0, Wanted { bytes, float: false }), None),
            None => (None, None),
        };
        Ok(vec![self.emit(Op::Local { size, align: align.max(1), name, layout }, Type::Ptr)])
    }

    /// The pointer that an access goes through.
    fn pointer(&mut self, pointer: Value<'m>) -> Result<Operand, Refusal> {
        match pointer.ty().kind() {
            TypeKind::Pointer { address_space: 0 } => self.operand(pointer),
            _ => Err(format!("an access through {}", pointer.ty().text())),
        }
    }

    pub fn load(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let pointer = value.operand(0).ok_or("a load from nowhere")?;
        let ordering = ordering(value.ordering());
        let parts = parts(self.program.layout, value.ty())?;
        let address = self.pointer(pointer)?;
        let mut scalars = Vec::new();
        for part in parts {
            match part {
                Part::Scalar(ty, offset) => {
                    scalars.push(self.load_at(address, offset, ty, ordering, pointer));
                }
                Part::Lanes { lane, count, offset } => {
                    let whole = Type::Int((lane.bits() * count) as u8);
                    let loaded = self.load_at(address, offset, whole, ordering, pointer);
                    scalars.extend(self.split(loaded, lane, count));
                }
            }
        }
        Ok(scalars)
    }

    fn load_at(
        &mut self,
        base: Operand,
        offset: u64,
        ty: Type,
        ordering: Option<Ordering>,
        pointer: Value<'m>,
    ) -> Operand {
        let address = self.advance(base, offset.cast_signed());
        let place = self.place(pointer, offset, ty);
        if ordering.is_some() || ty.bytes() <= WORD {
            return self.emit(Op::Load { address, ordering, place }, ty);
        }
        let low = self.emit(Op::Load { address, ordering, place }, Type::I64);
        let address = self.advance(base, offset.cast_signed() + i64::from(WORD));
        let high = self.emit(Op::Load { address, ordering, place }, Type::Int((ty.bits() - 8 * WORD) as u8));
        self.join_halves(low, high, ty)
    }

    fn store_at(&mut self, base: Operand, offset: u64, value: Operand, ordering: Option<Ordering>, pointer: Value<'m>) {
        let ty = self.type_of(value);
        let address = self.advance(base, offset.cast_signed());
        let place = self.place(pointer, offset, ty);
        if ordering.is_some() || ty.bytes() <= WORD {
            self.emit_none(Op::Store { address, value, ordering, place });
            return;
        }
        let (low, high) = self.split_halves(value);
        self.emit_none(Op::Store { address, value: low, ordering, place });
        let address = self.advance(base, offset.cast_signed() + i64::from(WORD));
        self.emit_none(Op::Store { address, value: high, ordering, place });
    }

    /// A value of more than 64 bits from the low 64 and the others.
    fn join_halves(&mut self, low: Operand, high: Operand, ty: Type) -> Operand {
        let whole = Type::Int(ty.bits() as u8);
        let (low, high) = (self.resize(low, whole), self.resize(high, whole));
        let high = self.binary(BinaryOp::ShiftLeft, high, Operand::int(ty.bits() as u8, u128::from(8 * WORD)));
        let joined = self.binary(BinaryOp::Or, high, low);
        self.cast(CastOp::Bits, joined, ty)
    }

    /// The low 64 bits of a wider value, and the others.
    fn split_halves(&mut self, value: Operand) -> (Operand, Operand) {
        let bits = self.type_of(value).bits();
        let whole = self.cast(CastOp::Bits, value, Type::Int(bits as u8));
        let low = self.resize(whole, Type::I64);
        let high = self.binary(BinaryOp::LogicalShiftRight, whole, Operand::int(bits as u8, u128::from(8 * WORD)));
        (low, self.resize(high, Type::Int((bits - 8 * WORD) as u8)))
    }

    pub fn store(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let stored = value.operand(0).ok_or("a store of nothing")?;
        let pointer = value.operand(1).ok_or("a store to nowhere")?;
        let ordering = ordering(value.ordering());
        let parts = parts(self.program.layout, stored.ty())?;
        let mut scalars = self.operands(stored)?.into_iter();
        let base = self.pointer(pointer)?;
        for part in parts {
            let (value, offset) = match part {
                Part::Scalar(_, offset) => (scalars.next().ok_or("a store of too little")?, offset),
                Part::Lanes { lane, count, offset } => {
                    let lanes: Vec<Operand> = scalars.by_ref().take(count as usize).collect();
                    (self.join(&lanes, Type::Int((lane.bits() * count) as u8)), offset)
                }
            };
            self.store_at(base, offset, value, ordering, pointer);
        }
        Ok(Vec::new())
    }

    pub fn read_modify_write(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let pointer = value.operand(0).ok_or("an update of nothing")?;
        let op =
            value.atomic_op().and_then(rmw_op).ok_or_else(|| format!("the atomic operation {}", value.summary()))?;
        let ty = scalar(value.ty()).ok_or_else(|| format!("an atomic operation on {}", value.ty().text()))?;
        if matches!(op, RmwOp::FloatAdd | RmwOp::FloatSub) {
            super::arithmetic::require_known_float(value.ty())?;
        }
        let address = self.pointer(pointer)?;
        let operand = self.operand_at(value, 1)?;
        let ordering = ordering(value.ordering()).unwrap_or(Ordering::SequentiallyConsistent);
        let place = self.place(pointer, 0, ty);
        Ok(vec![self.emit(Op::Rmw { op, address, value: operand, ordering, place }, ty)])
    }

    pub fn compare_exchange(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let pointer = value.operand(0).ok_or("an exchange with nothing")?;
        let (success, failure, weak) = value.exchange_orderings().ok_or("an exchange without order")?;
        let address = self.pointer(pointer)?;
        let expected = self.operand_at(value, 1)?;
        let new = self.operand_at(value, 2)?;
        let types = scalars(value.ty())?;
        let place = self.place(pointer, 0, self.type_of(new));
        let strongest = Ordering::SequentiallyConsistent;
        let op = Op::CompareExchange {
            address,
            expected,
            new,
            weak,
            success: ordering(success).unwrap_or(strongest),
            failure: ordering(failure).unwrap_or(strongest),
            place,
        };
        Ok(self.emit_many(op, &types))
    }

    pub fn fence(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let ordering = ordering(value.ordering()).unwrap_or(Ordering::SequentiallyConsistent);
        self.emit_none(Op::Fence { ordering });
        Ok(Vec::new())
    }

    /// `getelementptr`, lane by lane when a vector is among its operands.
    pub fn element_pointer(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let path = path(self.program.layout, value).ok_or_else(|| format!("the address {}", value.summary()))?;
        let bases = self.operands(path.base)?;
        let mut indices = Vec::new();
        for (index, scale) in path.indices {
            indices.push((self.operands(index)?, scale));
        }
        let lanes = scalars(value.ty())?.len();
        let lane_of = |list: &[Operand], lane: usize| list.get(if list.len() == 1 { 0 } else { lane }).copied();
        let mut results = Vec::new();
        for lane in 0..lanes {
            let base = lane_of(&bases, lane).ok_or("an address of nothing")?;
            let mut scaled = Vec::new();
            for (list, scale) in &indices {
                let index = lane_of(list, lane).ok_or("an index without value")?;
                let narrow = if self.type_of(index).bits() > 64 { self.resize(index, Type::I64) } else { index };
                scaled.push((narrow, *scale));
            }
            results.push(if scaled.is_empty() {
                self.advance(base, path.offset)
            } else {
                self.emit(Op::Address { base, offset: path.offset, indices: scaled }, Type::Ptr)
            });
        }
        Ok(results)
    }

    /// The source text of the memory that an access of a type touches.
    pub fn place(&mut self, pointer: Value<'m>, offset: u64, ty: Type) -> Option<TextId> {
        self.place_of(pointer, offset, Wanted { bytes: u64::from(ty.bytes()), float: ty.is_float() })
    }

    fn place_of(&mut self, pointer: Value<'m>, offset: u64, wanted: Wanted) -> Option<TextId> {
        let text = self.program.debug.place(&self.variables, self.program.layout, pointer, offset, wanted)?;
        Some(self.program.text(&text))
    }
}
