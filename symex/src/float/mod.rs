//! Floats of 32 and 64 bits as terms: bit-vector circuits that compute exactly the results of `semantics::float`,
//! including the bits of NaNs. The tests compare both. Operations on constants are computed by `semantics::float`.
//!
//! Remainders, functions of the mathematical library other than square roots, fused products and floats of 80 bits have
//! no terms.

mod parts;
mod compare;
mod arithmetic;
mod convert;
mod root;

use formula::{Op, Term, Terms};
use ir::{BinaryOp, CastOp, FloatPredicate, Type, UnaryOp};
use semantics::float as concrete;

use crate::float::parts::{Format, Parts};

/// With more terms than this, floats have no terms any more: each float operation needs hundreds.
const CROWDED: usize = 4_000_000;

/// A choice between more constants than this is not mapped constant by constant.
const LEAVES: usize = 32;

pub fn unary(terms: &mut Terms, op: UnaryOp, ty: Type, arg: Term) -> Option<Term> {
    let bits = ty.bits();
    if let Some(known) = chosen(terms, arg, bits, &|word| concrete::unary(op, ty, word).ok()) {
        return Some(known);
    }
    let sign = 1 << (bits - 1);
    let format = Format::of(ty).filter(|_| terms.len() < CROWDED);
    match op {
        UnaryOp::FloatNeg => {
            let sign = terms.bits(bits, sign);
            Some(terms.bit_xor(arg, sign))
        }
        UnaryOp::FloatAbs => {
            let rest = terms.bits(bits, sign - 1);
            Some(terms.bit_and(arg, rest))
        }
        UnaryOp::Sqrt => Some(root::root(terms, format?, arg)),
        _ => convert::whole(terms, op, format?, arg),
    }
}

pub fn binary(terms: &mut Terms, op: BinaryOp, ty: Type, a: Term, b: Term) -> Option<Term> {
    let known = match (terms.as_bits(a), terms.as_bits(b)) {
        (_, Some(y)) => chosen(terms, a, ty.bits(), &|x| concrete::binary(op, ty, x, y).ok()),
        (Some(x), None) => chosen(terms, b, ty.bits(), &|y| concrete::binary(op, ty, x, y).ok()),
        _ => None,
    };
    match known {
        Some(known) => Some(known),
        None if terms.len() >= CROWDED => None,
        None => arithmetic::binary(terms, op, Format::of(ty)?, a, b),
    }
}

/// One bit.
pub fn compare(terms: &mut Terms, predicate: FloatPredicate, ty: Type, a: Term, b: Term) -> Option<Term> {
    let compared = |x, y| concrete::compare(predicate, ty, x, y).ok().map(u128::from);
    let known = match (terms.as_bits(a), terms.as_bits(b)) {
        (_, Some(y)) => chosen(terms, a, 1, &|x| compared(x, y)),
        (Some(x), None) => chosen(terms, b, 1, &|y| compared(x, y)),
        _ => None,
    };
    if known.is_some() {
        return known;
    }
    let format = Format::of(ty)?;
    let (a, b) = (Parts::of(terms, format, a), Parts::of(terms, format, b));
    let holds = compare::holds(terms, predicate, a, b);
    Some(crate::terms::of_bool(terms, holds))
}

/// Casts with a float on at least one side.
pub fn cast(terms: &mut Terms, op: CastOp, from: Type, to: Type, arg: Term) -> Option<Term> {
    if let Some(known) = chosen(terms, arg, to.bits(), &|word| concrete::cast(op, from, to, word).ok()) {
        return Some(known);
    }
    match op {
        CastOp::FloatToSigned | CastOp::FloatToUnsigned => {
            convert::to_int(terms, Format::of(from)?, arg, to.bits(), op == CastOp::FloatToSigned)
        }
        CastOp::SignedToFloat | CastOp::UnsignedToFloat => {
            Some(convert::from_int(terms, Format::of(to)?, arg, op == CastOp::SignedToFloat))
        }
        CastOp::FloatToFloat => Some(convert::resized(terms, Format::of(from)?, Format::of(to)?, arg)),
        _ => None,
    }
}

/// If the argument is a choice between constants: the choice between the function's results for them.
fn chosen(terms: &mut Terms, arg: Term, bits: u32, value: &dyn Fn(u128) -> Option<u128>) -> Option<Term> {
    let mut open = vec![arg];
    let mut leaves = 0;
    while let Some(term) = open.pop() {
        match *terms.op(term) {
            Op::Bits { .. } => {}
            Op::Ite(_, then, otherwise) => open.extend([then, otherwise]),
            _ => return None,
        }
        leaves += 1;
        if leaves > 2 * LEAVES {
            return None;
        }
    }
    mapped(terms, arg, bits, value)
}

fn mapped(terms: &mut Terms, arg: Term, bits: u32, value: &dyn Fn(u128) -> Option<u128>) -> Option<Term> {
    match *terms.op(arg) {
        Op::Bits { value: word, .. } => Some(terms.bits(bits, value(word)?)),
        Op::Ite(condition, then, otherwise) => {
            let then = mapped(terms, then, bits, value)?;
            let otherwise = mapped(terms, otherwise, bits, value)?;
            Some(terms.ite(condition, then, otherwise))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
