//! Machine words as a domain.

use ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, RmwOp, Type, UnaryOp};

use crate::domain::Trap;
use crate::{float, int};

/// The bits of a value, zero-extended.
pub type Word = u128;

#[inline(always)]
pub fn unary(op: UnaryOp, ty: Type, arg: Word) -> Result<Word, Trap> {
    if ty.is_float() { float::unary(op, ty, arg) } else { int::unary(op, ty.bits(), arg) }
}

#[inline(always)]
pub fn binary(op: BinaryOp, ty: Type, left: Word, right: Word) -> Result<Word, Trap> {
    if ty.is_float() { float::binary(op, ty, left, right) } else { int::binary(op, ty.bits(), left, right) }
}

pub fn overflowing(op: OverflowOp, ty: Type, left: Word, right: Word) -> (Word, Word) {
    let (value, overflowed) = int::overflowing(op, ty.bits(), left, right);
    (value, Word::from(overflowed))
}

#[inline(always)]
pub fn compare(predicate: IntPredicate, ty: Type, left: Word, right: Word) -> Word {
    Word::from(int::compare(predicate, ty.bits(), left, right))
}

pub fn float_compare(predicate: FloatPredicate, ty: Type, left: Word, right: Word) -> Result<Word, Trap> {
    float::compare(predicate, ty, left, right).map(Word::from)
}

#[inline(always)]
pub fn cast(op: CastOp, from: Type, to: Type, arg: Word) -> Result<Word, Trap> {
    match op {
        CastOp::Truncate => Ok(arg & int::mask(to.bits())),
        CastOp::ZeroExtend | CastOp::Bits => Ok(arg),
        CastOp::SignExtend => Ok(int::signed(arg, from.bits()) as Word & int::mask(to.bits())),
        _ => float::cast(op, from, to, arg),
    }
}

pub fn update(op: RmwOp, ty: Type, old: Word, value: Word) -> Result<Word, Trap> {
    match int::update(op, ty.bits(), old, value) {
        Some(new) => Ok(new),
        None => {
            let op = if op == RmwOp::FloatAdd { BinaryOp::FloatAdd } else { BinaryOp::FloatSub };
            float::binary(op, ty, old, value)
        }
    }
}
