//! Floats of 32 and 64 bits, and the dispatch to [`crate::extended`] for 80.
//!
//! Results do not depend on the machine: transcendental functions come from a portable library, and a NaN result has
//! the same bits as on x86 (the first operand's payload, or the default with its sign bit set). Single precision is
//! computed in double precision and rounded: for the four operations, square root and remainder that is the correctly
//! rounded result.

use ir::{BinaryOp, CastOp, FloatPredicate, Type, UnaryOp};

use crate::domain::Trap;
use crate::extended;
use crate::functions;
use crate::int;

const QUIET_32: u32 = 1 << 22;
const QUIET_64: u64 = 1 << 51;
const DEFAULT_NAN_32: u32 = 0xffc0_0000;
const DEFAULT_NAN_64: u64 = 0xfff8_0000_0000_0000;

fn read(ty: Type, bits: u128) -> f64 {
    match ty {
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

/// The bits of a result that may not be a number; `args` are the operands' bits.
fn write(ty: Type, value: f64, args: &[u128]) -> u128 {
    if value.is_nan() {
        let payload = args.iter().copied().find(|&bits| read(ty, bits).is_nan());
        return match ty {
            Type::F32 => u128::from(payload.map_or(DEFAULT_NAN_32, |bits| bits as u32 | QUIET_32)),
            _ => u128::from(payload.map_or(DEFAULT_NAN_64, |bits| bits as u64 | QUIET_64)),
        };
    }
    match ty {
        Type::F32 => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    }
}

fn sign_bit(ty: Type) -> u128 {
    1 << (ty.bits() - 1)
}

pub fn unary(op: UnaryOp, ty: Type, arg: u128) -> Result<u128, Trap> {
    match op {
        UnaryOp::FloatNeg => return Ok(arg ^ sign_bit(ty)),
        UnaryOp::FloatAbs => return Ok(arg & !sign_bit(ty)),
        _ => {}
    }
    if ty == Type::F80 {
        return extended::unary(op, arg);
    }
    let x = read(ty, arg);
    Ok(write(ty, functions::of_one(op, x).ok_or(Trap::IllTyped)?, &[arg]))
}

pub fn binary(op: BinaryOp, ty: Type, left: u128, right: u128) -> Result<u128, Trap> {
    if op == BinaryOp::CopySign {
        return Ok((left & !sign_bit(ty)) | (right & sign_bit(ty)));
    }
    if ty == Type::F80 {
        return extended::binary(op, left, right);
    }
    let (a, b) = (read(ty, left), read(ty, right));
    let value = match op {
        BinaryOp::FloatAdd => a + b,
        BinaryOp::FloatSub => a - b,
        BinaryOp::FloatMul => a * b,
        BinaryOp::FloatDiv => a / b,
        BinaryOp::FloatRem => libm::fmod(a, b),
        BinaryOp::FloatMin | BinaryOp::FloatMax => return Ok(extremum(op, ty, left, right)),
        _ => functions::of_two(op, a, b).ok_or(Trap::IllTyped)?,
    };
    Ok(write(ty, value, &[left, right]))
}

fn extremum(op: BinaryOp, ty: Type, left: u128, right: u128) -> u128 {
    let (a, b) = (read(ty, left), read(ty, right));
    let take_left = if a.is_nan() {
        false
    } else if b.is_nan() {
        true
    } else if op == BinaryOp::FloatMin {
        a < b || (a == b && a.is_sign_negative())
    } else {
        a > b || (a == b && a.is_sign_positive())
    };
    if take_left { left } else { right }
}

pub fn fused_multiply_add(ty: Type, left: u128, right: u128, addend: u128) -> Result<u128, Trap> {
    match ty {
        Type::F80 => Ok(extended::fused_multiply_add(left, right, addend)),
        Type::F32 => {
            let value =
                libm::fmaf(f32::from_bits(left as u32), f32::from_bits(right as u32), f32::from_bits(addend as u32));
            Ok(write(ty, f64::from(value), &[left, right, addend]))
        }
        Type::F64 => {
            let value = libm::fma(read(ty, left), read(ty, right), read(ty, addend));
            Ok(write(ty, value, &[left, right, addend]))
        }
        _ => Err(Trap::IllTyped),
    }
}

pub fn compare(predicate: FloatPredicate, ty: Type, left: u128, right: u128) -> Result<bool, Trap> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match ty {
        Type::F32 | Type::F64 => read(ty, left).partial_cmp(&read(ty, right)),
        Type::F80 => extended::order(left, right),
        _ => return Err(Trap::IllTyped),
    };
    Ok(match predicate {
        FloatPredicate::False => false,
        FloatPredicate::True => true,
        FloatPredicate::Ordered => order.is_some(),
        FloatPredicate::Unordered => order.is_none(),
        FloatPredicate::OrderedEqual => order == Some(Equal),
        FloatPredicate::OrderedGreater => order == Some(Greater),
        FloatPredicate::OrderedGreaterEqual => matches!(order, Some(Greater | Equal)),
        FloatPredicate::OrderedLess => order == Some(Less),
        FloatPredicate::OrderedLessEqual => matches!(order, Some(Less | Equal)),
        FloatPredicate::OrderedNotEqual => matches!(order, Some(Less | Greater)),
        FloatPredicate::UnorderedEqual => matches!(order, None | Some(Equal)),
        FloatPredicate::UnorderedGreater => matches!(order, None | Some(Greater)),
        FloatPredicate::UnorderedGreaterEqual => order != Some(Less),
        FloatPredicate::UnorderedLess => matches!(order, None | Some(Less)),
        FloatPredicate::UnorderedLessEqual => order != Some(Greater),
        FloatPredicate::UnorderedNotEqual => order != Some(Equal),
    })
}

/// Casts with a float on at least one side.
pub fn cast(op: CastOp, from: Type, to: Type, arg: u128) -> Result<u128, Trap> {
    match op {
        CastOp::FloatToSigned | CastOp::FloatToUnsigned => {
            let signed = op == CastOp::FloatToSigned;
            if from == Type::F80 {
                return Ok(extended::to_int(arg, to.bits(), signed));
            }
            Ok(to_int(read(from, arg), to.bits(), signed))
        }
        CastOp::SignedToFloat | CastOp::UnsignedToFloat => {
            let signed = op == CastOp::SignedToFloat;
            Ok(match to {
                Type::F80 => extended::from_int(arg, from.bits(), signed),
                Type::F32 if signed => u128::from((int::signed(arg, from.bits()) as f32).to_bits()),
                Type::F32 => u128::from((arg as f32).to_bits()),
                _ if signed => u128::from((int::signed(arg, from.bits()) as f64).to_bits()),
                _ => u128::from((arg as f64).to_bits()),
            })
        }
        CastOp::FloatToFloat => Ok(match (from, to) {
            (Type::F80, Type::F32) => extended::to_f32(arg),
            (Type::F80, Type::F64) => extended::to_f64(arg),
            (Type::F32, Type::F80) => extended::from_f64(f64::from(f32::from_bits(arg as u32))),
            (Type::F64, Type::F80) => extended::from_f64(f64::from_bits(arg as u64)),
            (Type::F32, Type::F64) => u128::from(f64::from(f32::from_bits(arg as u32)).to_bits()),
            (Type::F64, Type::F32) => u128::from((f64::from_bits(arg as u64) as f32).to_bits()),
            _ => arg,
        }),
        _ => Err(Trap::IllTyped),
    }
}

/// Truncates toward zero. A result that does not fit is undefined in C; the machine returns the smallest integer.
fn to_int(x: f64, bits: u32, signed: bool) -> u128 {
    let x = libm::trunc(x);
    let indefinite = 1_u128 << (bits - 1);
    if x.is_nan() {
        return indefinite;
    }
    if signed {
        let limit = libm::ldexp(1.0, bits as i32 - 1);
        if x >= limit || x < -limit { indefinite } else { x as i128 as u128 & int::mask(bits) }
    } else if x <= -1.0 {
        // The machine converts through a wider signed integer and cuts it.
        x as i128 as u128 & int::mask(bits)
    } else if x >= libm::ldexp(1.0, bits as i32) {
        indefinite
    } else {
        x as u128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(x: f64) -> u128 {
        u128::from(x.to_bits())
    }

    #[test]
    fn not_a_number_is_the_same_everywhere() {
        let zero = double(0.0);
        assert_eq!(binary(BinaryOp::FloatDiv, Type::F64, zero, zero), Ok(u128::from(DEFAULT_NAN_64)));
        assert_eq!(unary(UnaryOp::Sqrt, Type::F64, double(-1.0)), Ok(u128::from(DEFAULT_NAN_64)));
    }

    #[test]
    fn comparisons_know_the_unordered() {
        let nan = u128::from(DEFAULT_NAN_64);
        assert_eq!(compare(FloatPredicate::OrderedLess, Type::F64, nan, double(1.0)), Ok(false));
        assert_eq!(compare(FloatPredicate::UnorderedNotEqual, Type::F64, nan, nan), Ok(true));
        assert_eq!(compare(FloatPredicate::OrderedLessEqual, Type::F64, double(-0.0), double(0.0)), Ok(true));
    }

    #[test]
    fn conversions_truncate() {
        let to = |x, bits, signed| {
            let op = if signed { CastOp::FloatToSigned } else { CastOp::FloatToUnsigned };
            cast(op, Type::F64, Type::Int(bits), double(x)).unwrap()
        };
        assert_eq!(to(-3.9, 32, true), 0xffff_fffd);
        assert_eq!(to(4e9, 32, false), 4_000_000_000);
        assert_eq!(to(1e300, 64, true), 1 << 63);
    }
}
