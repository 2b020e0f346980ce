//! Conversions between floats and integers and between the two float formats, and rounding to integral values.

use formula::{Term, Terms};
use ir::UnaryOp;

use crate::float::parts::{EXPONENT, Format, Parts, Unrounded, rounded};

pub fn from_int(terms: &mut Terms, format: Format, arg: Term, signed: bool) -> Term {
    let width = terms.width(arg);
    let last = terms.extract(arg, width - 1, width - 1);
    let (sign, significand) = if signed {
        let negated = terms.neg(arg);
        let negative = crate::terms::is_set(terms, last);
        (last, terms.ite(negative, negated, arg))
    } else {
        (terms.bits(1, 0), arg)
    };
    let exponent = terms.bits(EXPONENT, format.bias() + u128::from(width) - 1);
    rounded(terms, format, Unrounded { sign, exponent, significand })
}

/// A value out of range gives the smallest signed integer; a negative number converted to an unsigned one wraps around.
/// Results of more than 64 bits have no term.
pub fn to_int(terms: &mut Terms, format: Format, arg: Term, bits: u32, signed: bool) -> Option<Term> {
    if bits > 64 {
        return None;
    }
    let parts = Parts::of(terms, format, arg);
    let width = (format.fraction + 1).max(bits);
    let significand = terms.zero_extend(parts.significand, width);
    let unit = terms.bits(EXPONENT, format.bias() + u128::from(format.fraction));
    let (left, right) = (terms.sub(parts.exponent, unit), terms.sub(unit, parts.exponent));
    let (by_left, by_right) = (terms.zero_extend(left, width), terms.zero_extend(right, width));
    let (grown, cut) = (terms.shl(significand, by_left), terms.lshr(significand, by_right));
    let zero = terms.bits(EXPONENT, 0);
    let is_cut = terms.slt(left, zero);
    let magnitude = terms.ite(is_cut, cut, grown);
    let magnitude = crate::terms::fit(terms, magnitude, bits);
    let negated = terms.neg(magnitude);
    let negative = crate::terms::is_set(terms, parts.sign);
    let value = terms.ite(negative, negated, magnitude);
    let reach = if signed { bits - 1 } else { bits };
    let limit = terms.bits(EXPONENT, format.bias() + u128::from(reach));
    let is_large = terms.sle(limit, parts.exponent);
    // The smallest signed integer needs no case of its own: it is also the result for values out of range.
    let is_large = if signed {
        is_large
    } else {
        let positive = terms.not(negative);
        terms.and2(is_large, positive)
    };
    let unfit = terms.or2(parts.is_nan, is_large);
    let least = terms.bits(bits, 1 << (bits - 1));
    Some(terms.ite(unfit, least, value))
}

pub fn resized(terms: &mut Terms, from: Format, to: Format, arg: Term) -> Term {
    if from == to {
        return arg;
    }
    let parts = Parts::of(terms, from, arg);
    let (one, other) = (terms.bits(EXPONENT, from.bias()), terms.bits(EXPONENT, to.bias()));
    let exponent = terms.sub(parts.exponent, one);
    let exponent = terms.add(exponent, other);
    let number = rounded(terms, to, Unrounded { sign: parts.sign, exponent, significand: parts.significand });
    let magnitude = terms.bits(to.bits() - 1, to.infinity());
    let infinity = terms.concat(parts.sign, magnitude);
    let number = terms.ite(parts.is_infinite, infinity, number);
    // The leading bits of the payload are kept.
    let payload = terms.extract(arg, from.fraction - 1, 0);
    let payload = if from.fraction > to.fraction {
        terms.extract(payload, from.fraction - 1, from.fraction - to.fraction)
    } else {
        let missing = terms.bits(to.fraction - from.fraction, 0);
        terms.concat(payload, missing)
    };
    let special = terms.bits(to.exponent, to.special());
    let low = terms.concat(special, payload);
    let same = terms.concat(parts.sign, low);
    let quiet = terms.bits(to.bits(), to.quiet());
    let same = terms.bit_or(same, quiet);
    terms.ite(parts.is_nan, same, number)
}

/// Rounds the float to an integral value in the direction of the operation.
pub fn whole(terms: &mut Terms, op: UnaryOp, format: Format, arg: Term) -> Option<Term> {
    let bits = format.bits();
    let parts = Parts::of(terms, format, arg);
    let one = terms.bits(EXPONENT, format.bias());
    let unit = terms.bits(EXPONENT, format.bias() + u128::from(format.fraction));
    let (is_below_one, is_whole) = (terms.slt(parts.exponent, one), terms.sle(unit, parts.exponent));
    // The weight of the last bit before the point, and half of it. Below one, all bits are behind the point.
    let behind = terms.sub(unit, parts.exponent);
    let behind = terms.zero_extend(behind, bits);
    let lowest = terms.bits(bits, 1);
    let weight = terms.shl(lowest, behind);
    let below = terms.sub(weight, lowest);
    let fraction = terms.bit_and(arg, below);
    let cut = terms.sub(arg, fraction);
    let none = terms.bits(bits, 0);
    let inexact = terms.ne(fraction, none);
    let half = terms.lshr(weight, lowest);
    let (more, tie) = (terms.ult(half, fraction), terms.eq(half, fraction));
    let odd = terms.bit_and(arg, weight);
    let odd = terms.ne(odd, none);
    // In [1, 2) the last bit before the point is the implicit one.
    let least = terms.eq(parts.exponent, one);
    let odd = terms.or2(odd, least);
    let negative = crate::terms::is_set(terms, parts.sign);
    let positive = terms.not(negative);
    let small_half = terms.bits(bits - 1, (format.bias() - 1) << format.fraction);
    let (small_more, small_tie) = (terms.ult(small_half, parts.magnitude), terms.eq(parts.magnitude, small_half));
    let some = terms.not(parts.is_zero);
    let (up, small_up) = match op {
        UnaryOp::Truncate => (terms.falsehood(), terms.falsehood()),
        UnaryOp::Floor => (terms.and2(negative, inexact), terms.and2(negative, some)),
        UnaryOp::Ceil => (terms.and2(positive, inexact), terms.and2(positive, some)),
        UnaryOp::Round => (terms.or2(more, tie), terms.or2(small_more, small_tie)),
        UnaryOp::RoundEven => {
            let even = terms.and2(tie, odd);
            (terms.or2(more, even), small_more)
        }
        _ => return None,
    };
    let next = terms.add(cut, weight);
    let large = terms.ite(up, next, cut);
    let (one, none) = (terms.bits(bits - 1, format.bias() << format.fraction), terms.bits(bits - 1, 0));
    let small = terms.ite(small_up, one, none);
    let small = terms.concat(parts.sign, small);
    let number = terms.ite(is_below_one, small, large);
    let number = terms.ite(is_whole, arg, number);
    let quieted = parts.quieted(terms);
    Some(terms.ite(parts.is_nan, quieted, number))
}
