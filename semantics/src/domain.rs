//! The values that instructions compute with.

use std::fmt::Debug;

use ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, RmwOp, Type, UnaryOp};

/// Why an operation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    DivisionByZero,
    /// The smallest integer divided by minus one.
    DivisionOverflow,
    /// The operation does not exist for this type: the program was not verified.
    IllTyped,
}

/// A domain of values. Every value has the [`Type`] given by the instruction; integers are zero-extended.
pub trait Domain {
    type Value: Clone + Debug;

    fn constant(&mut self, ty: Type, bits: u128) -> Self::Value;
    fn unary(&mut self, op: UnaryOp, ty: Type, arg: &Self::Value) -> Result<Self::Value, Trap>;
    fn binary(&mut self, op: BinaryOp, ty: Type, left: &Self::Value, right: &Self::Value) -> Result<Self::Value, Trap>;
    /// The wrapped value and an `i1`.
    fn overflowing(
        &mut self,
        op: OverflowOp,
        ty: Type,
        left: &Self::Value,
        right: &Self::Value,
    ) -> (Self::Value, Self::Value);
    fn compare(&mut self, predicate: IntPredicate, ty: Type, left: &Self::Value, right: &Self::Value) -> Self::Value;
    fn float_compare(
        &mut self,
        predicate: FloatPredicate,
        ty: Type,
        left: &Self::Value,
        right: &Self::Value,
    ) -> Result<Self::Value, Trap>;
    fn cast(&mut self, op: CastOp, from: Type, to: Type, arg: &Self::Value) -> Result<Self::Value, Trap>;
    fn fused_multiply_add(
        &mut self,
        ty: Type,
        left: &Self::Value,
        right: &Self::Value,
        addend: &Self::Value,
    ) -> Result<Self::Value, Trap>;
    fn select(&mut self, cond: &Self::Value, then: &Self::Value, otherwise: &Self::Value) -> Self::Value;
    /// The new value of a read-modify-write.
    fn update(&mut self, op: RmwOp, ty: Type, old: &Self::Value, value: &Self::Value) -> Result<Self::Value, Trap>;

    /// `base + offset + Σ index × scale`, with indices sign-extended from their types.
    fn address(
        &mut self,
        base: &Self::Value,
        offset: i64,
        indices: &[(Self::Value, Type, i64)],
    ) -> Result<Self::Value, Trap> {
        let word = Type::Int(64);
        let offset = self.constant(word, u128::from(offset as u64));
        let mut sum = self.binary(BinaryOp::Add, word, base, &offset)?;
        for (index, ty, scale) in indices {
            let wide = if ty.bits() < 64 { self.cast(CastOp::SignExtend, *ty, word, index)? } else { index.clone() };
            let scale = self.constant(word, u128::from(*scale as u64));
            let product = self.binary(BinaryOp::Mul, word, &wide, &scale)?;
            sum = self.binary(BinaryOp::Add, word, &sum, &product)?;
        }
        Ok(sum)
    }
}
