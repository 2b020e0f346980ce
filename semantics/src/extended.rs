//! The 80-bit format of x86, on the portable floats of `rustc_apfloat`.
//!
//! Transcendental functions are computed in double precision: the last bits of `sinl` and similar functions differ from
//! the machine's.

use std::cmp::Ordering;

use ir::{BinaryOp, UnaryOp};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::domain::Trap;
use crate::functions;
use crate::int;

type Extended = X87DoubleExtended;

const BITS: u128 = (1 << 80) - 1;
const SIGN: u128 = 1 << 79;
/// The result of an invalid operation.
const DEFAULT_NAN: u128 = 0xffff_c000_0000_0000_0000;

fn read(bits: u128) -> Extended {
    Extended::from_bits(bits & BITS)
}

fn write(value: Extended, args: &[u128]) -> u128 {
    if value.is_nan() {
        let payload = args.iter().copied().find(|&bits| read(bits).is_nan());
        return payload.map_or(DEFAULT_NAN, |bits| bits | (1 << 62));
    }
    value.to_bits()
}

pub fn from_f64(x: f64) -> u128 {
    let value: Extended = Double::from_bits(u128::from(x.to_bits())).convert(&mut false).value;
    value.to_bits()
}

pub fn to_f64(bits: u128) -> u128 {
    let value: Double = read(bits).convert(&mut false).value;
    value.to_bits()
}

pub fn to_f32(bits: u128) -> u128 {
    let value: Single = read(bits).convert(&mut false).value;
    value.to_bits()
}

pub fn from_int(value: u128, bits: u32, signed: bool) -> u128 {
    let converted = if signed { Extended::from_i128(int::signed(value, bits)) } else { Extended::from_u128(value) };
    converted.value.to_bits()
}

pub fn to_int(bits: u128, width: u32, signed: bool) -> u128 {
    let value = read(bits);
    let whole = value.round_to_integral(Round::TowardZero).value;
    let limit = Extended::from_u128(1).value.scalbn(width as i32 - i32::from(signed));
    let fits = match (whole.partial_cmp(&limit), whole.partial_cmp(&-limit)) {
        (Some(above), Some(below)) => above == Ordering::Less && (!signed || below != Ordering::Less),
        _ => false,
    };
    if !fits {
        return 1 << (width - 1);
    }
    whole.to_i128(128).value as u128 & int::mask(width)
}

pub fn order(left: u128, right: u128) -> Option<Ordering> {
    read(left).partial_cmp(&read(right))
}

pub fn unary(op: UnaryOp, arg: u128) -> Result<u128, Trap> {
    let value = read(arg);
    let round = match op {
        UnaryOp::Floor => Round::TowardNegative,
        UnaryOp::Ceil => Round::TowardPositive,
        UnaryOp::Truncate => Round::TowardZero,
        UnaryOp::Round => Round::NearestTiesToAway,
        UnaryOp::RoundEven => Round::NearestTiesToEven,
        UnaryOp::Sqrt => return Ok(square_root(arg)),
        _ => {
            let x = f64::from_bits(to_f64(arg) as u64);
            return Ok(from_f64(functions::of_one(op, x).ok_or(Trap::IllTyped)?));
        }
    };
    Ok(write(value.round_to_integral(round).value, &[arg]))
}

pub fn binary(op: BinaryOp, left: u128, right: u128) -> Result<u128, Trap> {
    let (a, b) = (read(left), read(right));
    let value = match op {
        BinaryOp::FloatAdd => (a + b).value,
        BinaryOp::FloatSub => (a - b).value,
        BinaryOp::FloatMul => (a * b).value,
        BinaryOp::FloatDiv => (a / b).value,
        BinaryOp::FloatRem => a.c_fmod(b).value,
        BinaryOp::FloatMin => a.min(b),
        BinaryOp::FloatMax => a.max(b),
        _ => {
            let x = f64::from_bits(to_f64(left) as u64);
            let y = f64::from_bits(to_f64(right) as u64);
            return Ok(from_f64(functions::of_two(op, x, y).ok_or(Trap::IllTyped)?));
        }
    };
    Ok(write(value, &[left, right]))
}

pub fn fused_multiply_add(left: u128, right: u128, addend: u128) -> u128 {
    write(read(left).mul_add(read(right), read(addend)).value, &[left, right, addend])
}

/// Correctly rounded: the root of the significand as an integer, then one rounding by the remainder.
fn square_root(arg: u128) -> u128 {
    let value = read(arg);
    if value.is_nan() {
        return arg | (1 << 62);
    }
    if value.is_zero() || arg == Extended::INFINITY.to_bits() {
        return arg;
    }
    if arg & SIGN != 0 {
        return DEFAULT_NAN;
    }
    let mut exponent = value.ilogb();
    // A significand in [1, 2) as an integer of 64 bits.
    let significand = value.scalbn(63 - exponent).to_u128(128).value;
    let mut radicand = significand << 63;
    if exponent % 2 != 0 {
        radicand <<= 1;
        exponent -= 1;
    }
    let root = radicand.isqrt();
    let remainder = radicand - root * root;
    // A tie cannot happen: (root + 1/2)² is not an integer.
    let rounded = if remainder > root { root + 1 } else { root };
    Extended::from_u128(rounded).value.scalbn(exponent / 2 - 63).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extended(x: f64) -> u128 {
        from_f64(x)
    }

    #[test]
    fn arithmetic_agrees_with_doubles_where_those_are_exact() {
        let sum = binary(BinaryOp::FloatAdd, extended(1.5), extended(-0.25)).unwrap();
        assert_eq!(f64::from_bits(to_f64(sum) as u64), 1.25);
        assert_eq!(to_int(extended(-7.9), 32, true), 0xffff_fff9);
        assert_eq!(order(extended(1.0), extended(2.0)), Some(Ordering::Less));
    }

    #[test]
    fn roots_are_rounded_once() {
        for x in [0.25, 2.0, 3.0, 9.0, 1e-300, 1e300, 12345.678] {
            let root = square_root(extended(x));
            let squared = binary(BinaryOp::FloatMul, root, root).unwrap();
            let back = f64::from_bits(to_f64(squared) as u64);
            assert!((back - x).abs() <= x * f64::EPSILON, "{x}: {back}");
        }
        assert_eq!(square_root(extended(9.0)), extended(3.0));
        assert_eq!(square_root(extended(-1.0)), DEFAULT_NAN);
        // The root of two to 64 bits.
        assert_eq!(square_root(extended(2.0)) as u64, 0xb504_f333_f9de_6484);
    }
}
