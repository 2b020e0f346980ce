//! Aggregates and vectors: mostly a renaming of registers.

use ir::{BinaryOp, CastOp, IntPredicate, Op, Operand, Type};

use crate::address::signed;
use crate::llvm::{TypeKind, Value};

use super::arithmetic::lane_type;
use super::state::{FunctionLowering, Refusal};
use super::types::{element_range, scalar, scalars};

impl<'m> FunctionLowering<'_, 'm> {
    pub fn extract_value(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let aggregate = value.operand(0).ok_or("an extraction from nothing")?;
        let (start, count) = element_range(aggregate.ty(), &value.indices())?;
        let all = self.operands(aggregate)?;
        Ok(all.get(start..start + count).ok_or("an index outside of its aggregate")?.to_vec())
    }

    pub fn insert_value(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let (start, count) = element_range(value.ty(), &value.indices())?;
        let mut all = self.operands_at(value, 0)?;
        let element = self.operands_at(value, 1)?;
        let place = all.get_mut(start..start + count).filter(|place| place.len() == element.len());
        place.ok_or("an index outside of its aggregate")?.copy_from_slice(&element);
        Ok(all)
    }

    pub fn extract_element(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let lanes = self.operands_at(value, 0)?;
        let index = value.operand(1).ok_or("an extraction without index")?;
        let ty = scalars(value.ty())?.first().copied().ok_or("an extraction of nothing")?;
        if let Some(index) = signed(index) {
            let lane = usize::try_from(index).ok().and_then(|index| lanes.get(index).copied());
            return Ok(vec![lane.unwrap_or(Operand::Undef(ty))]);
        }
        let index = self.operand(index)?;
        let mut chosen = lanes.first().copied().unwrap_or(Operand::Undef(ty));
        for (number, &lane) in lanes.iter().enumerate().skip(1) {
            let here = self.compare(IntPredicate::Equal, index, self.int_like(index, number as u128));
            chosen = self.select(here, lane, chosen);
        }
        Ok(vec![chosen])
    }

    pub fn insert_element(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let mut lanes = self.operands_at(value, 0)?;
        let element = self.operand_at(value, 1)?;
        let index = value.operand(2).ok_or("an insertion without index")?;
        if let Some(index) = signed(index) {
            if let Some(lane) = usize::try_from(index).ok().and_then(|index| lanes.get_mut(index)) {
                *lane = element;
            }
            return Ok(lanes);
        }
        let index = self.operand(index)?;
        for (number, lane) in lanes.iter_mut().enumerate() {
            let here = self.compare(IntPredicate::Equal, index, self.int_like(index, number as u128));
            *lane = self.select(here, element, *lane);
        }
        Ok(lanes)
    }

    pub fn shuffle(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let mut lanes = self.operands_at(value, 0)?;
        lanes.extend(self.operands_at(value, 1)?);
        let ty = scalar(lane_type(value.ty())).ok_or_else(|| format!("a value of type {}", value.ty().text()))?;
        let lane = |index: Option<u32>| index.and_then(|index| lanes.get(index as usize).copied());
        Ok(value.shuffle_mask().into_iter().map(|index| lane(index).unwrap_or(Operand::Undef(ty))).collect())
    }

    /// `llvm.masked.load`, `store`, `gather` and `scatter`: accesses that some lanes do not make. Those access a
    /// private local instead, so that no lane needs a branch. `None` for other intrinsics.
    pub fn masked_access(&mut self, value: Value<'m>, base: &str) -> Result<Option<Vec<Operand>>, Refusal> {
        // In older modules the alignment is a separate argument.
        let arguments = value.arguments();
        let arguments: Vec<Value<'m>> =
            arguments.into_iter().filter(|argument| !matches!(argument.ty().kind(), TypeKind::Integer(_))).collect();
        let (pointer, mask, data, stores) = match (base, &arguments[..]) {
            ("masked.load" | "masked.gather", &[pointer, mask, data]) => (pointer, mask, data, false),
            ("masked.store" | "masked.scatter", &[data, pointer, mask]) => (pointer, mask, data, true),
            _ => return Ok(None),
        };
        let pointers = self.operands(pointer)?;
        let masks = self.operands(mask)?;
        let lanes = self.operands(data)?;
        let size = Operand::int(64, 16);
        let unused = self.emit(Op::Local { size, align: 16, name: None, layout: None }, Type::Ptr);
        let mut results = Vec::new();
        for (number, (lane, mask)) in lanes.into_iter().zip(masks).enumerate() {
            let ty = self.type_of(lane);
            let (address, place) = match pointers[..] {
                [base] => {
                    let offset = number as u64 * u64::from(ty.bytes());
                    (self.advance(base, offset.cast_signed()), self.place(pointer, offset, ty))
                }
                _ => (*pointers.get(number).ok_or("a lane without address")?, None),
            };
            let address = self.select(mask, address, unused);
            if stores {
                self.emit_none(Op::Store { address, value: lane, ordering: None, place });
            } else {
                let loaded = self.emit(Op::Load { address, ordering: None, place }, ty);
                results.push(self.select(mask, loaded, lane));
            }
        }
        Ok(Some(results))
    }

    /// The same bits in other lanes.
    pub fn bit_cast(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let from = self.operands_at(value, 0)?;
        let to = scalars(value.ty())?;
        let is_aggregate = matches!(value.ty().kind(), TypeKind::Struct | TypeKind::Array);
        self.regroup(&from, &to).filter(|_| !is_aggregate).ok_or_else(|| format!("the cast {}", value.summary()))
    }

    /// Redistributes the bits of some scalars to others, the lowest first.
    pub fn regroup(&mut self, from: &[Operand], to: &[Type]) -> Option<Vec<Operand>> {
        let (&first, &target) = (from.first()?, to.first()?);
        let (from_bits, to_bits) = (self.type_of(first).bits(), target.bits());
        if from.len() == to.len() {
            return Some(from.iter().zip(to).map(|(&arg, &to)| self.cast(CastOp::Bits, arg, to)).collect());
        }
        if from_bits * from.len() as u32 != to_bits * to.len() as u32 {
            return None;
        }
        if from_bits % to_bits == 0 {
            let count = from_bits / to_bits;
            return Some(from.iter().flat_map(|&arg| self.split(arg, target, count)).collect());
        }
        if to_bits % from_bits == 0 {
            let count = (to_bits / from_bits) as usize;
            return Some(from.chunks(count).map(|lanes| self.join(lanes, target)).collect());
        }
        if from_bits * from.len() as u32 > 128 {
            return None;
        }
        let whole = self.join(from, Type::Int((from_bits * from.len() as u32) as u8));
        Some(self.split(whole, target, to.len() as u32))
    }

    /// Cuts the bits of a scalar into lanes.
    pub fn split(&mut self, whole: Operand, lane: Type, count: u32) -> Vec<Operand> {
        let ty = Type::Int(self.type_of(whole).bits() as u8);
        let whole = self.cast(CastOp::Bits, whole, ty);
        (0..count)
            .map(|index| {
                let amount = self.int_like(whole, u128::from(index * lane.bits()));
                let shifted = if index == 0 { whole } else { self.binary(BinaryOp::LogicalShiftRight, whole, amount) };
                self.resize(shifted, lane)
            })
            .collect()
    }

    /// Puts lanes together into one scalar.
    pub fn join(&mut self, lanes: &[Operand], whole: Type) -> Operand {
        let ty = Type::Int(whole.bits() as u8);
        let mut joined: Option<Operand> = None;
        let mut position = 0;
        for &lane in lanes {
            let wide = self.resize(lane, ty);
            let placed = match position {
                0 => wide,
                _ => self.binary(BinaryOp::ShiftLeft, wide, self.int_like(wide, position)),
            };
            joined = Some(match joined {
                None => placed,
                Some(lower) => self.binary(BinaryOp::Or, lower, placed),
            });
            position += u128::from(self.type_of(lane).bits());
        }
        let joined = joined.unwrap_or(Operand::Undef(ty));
        self.cast(CastOp::Bits, joined, whole)
    }
}
