//! Sums, products, quotients, minimum and maximum.

use formula::{Term, Terms};
use ir::BinaryOp;

use crate::float::compare;
use crate::float::parts::{EXPONENT, Format, Parts, Unrounded, flag, normalised, rounded, shifted};

pub fn binary(terms: &mut Terms, op: BinaryOp, format: Format, a: Term, b: Term) -> Option<Term> {
    if op == BinaryOp::CopySign {
        let last = format.bits() - 1;
        let (sign, magnitude) = (terms.extract(b, last, last), terms.extract(a, last - 1, 0));
        return Some(terms.concat(sign, magnitude));
    }
    let (a, b) = (Parts::of(terms, format, a), Parts::of(terms, format, b));
    let (number, invalid) = match op {
        BinaryOp::FloatAdd => sum(terms, a, b, b.sign),
        BinaryOp::FloatSub => {
            let sign = terms.bit_not(b.sign);
            sum(terms, a, b, sign)
        }
        BinaryOp::FloatMul => product(terms, a, b),
        BinaryOp::FloatDiv => quotient(terms, a, b),
        BinaryOp::FloatMin | BinaryOp::FloatMax => return Some(extremum(terms, op, a, b)),
        _ => return None,
    };
    Some(or_not_a_number(terms, &[a, b], number, invalid))
}

/// The number, unless an operand is a NaN or the operation is invalid: then the quieted NaN operand, or the default
/// NaN.
pub fn or_not_a_number(terms: &mut Terms, operands: &[Parts], number: Term, invalid: Term) -> Term {
    let Some(format) = operands.first().map(|operand| operand.format) else { return number };
    let default = format.sign() | format.infinity() | format.quiet();
    let default = terms.bits(format.bits(), default);
    let mut result = terms.ite(invalid, default, number);
    for operand in operands.iter().rev() {
        let quieted = operand.quieted(terms);
        result = terms.ite(operand.is_nan, quieted, result);
    }
    result
}

/// `a` plus `b` with the given sign, so that it also computes differences; and whether the operation is invalid.
fn sum(terms: &mut Terms, a: Parts, b: Parts, b_sign: Term) -> (Term, Term) {
    let format = a.format;
    let swaps = terms.ult(a.magnitude, b.magnitude);
    let mut pick = |x: Term, y: Term| (terms.ite(swaps, y, x), terms.ite(swaps, x, y));
    let (sign, _) = pick(a.sign, b_sign);
    let (exponent, smaller) = pick(a.exponent, b.exponent);
    let (large, small) = pick(a.significand, b.significand);
    // Three extra bits are enough: where more than one bit cancels, none was shifted out.
    let width = format.fraction + 5;
    let behind = terms.bits(3, 0);
    let (large, small) = (terms.concat(large, behind), terms.concat(small, behind));
    let distance = terms.sub(exponent, smaller);
    let (small, lost) = shifted(terms, small, distance);
    let lost = flag(terms, lost);
    let lost = terms.zero_extend(lost, width - 1);
    let small = terms.bit_or(small, lost);
    let (large, small) = (terms.zero_extend(large, width), terms.zero_extend(small, width));
    let (total, difference) = (terms.add(large, small), terms.sub(large, small));
    let alike = terms.eq(a.sign, b_sign);
    let significand = terms.ite(alike, total, difference);
    let none = terms.bits(width, 0);
    let is_zero = terms.eq(significand, none);
    // An exact zero is positive; only the sum of two negative zeros is negative.
    let both = terms.bit_and(a.sign, b_sign);
    let sign = terms.ite(is_zero, both, sign);
    let one = terms.bits(EXPONENT, 1);
    let exponent = terms.add(exponent, one);
    let number = rounded(terms, format, Unrounded { sign, exponent, significand });
    let infinite = terms.or2(a.is_infinite, b.is_infinite);
    let infinity = signed(terms, format, sign, format.infinity());
    let number = terms.ite(infinite, infinity, number);
    let both = terms.and2(a.is_infinite, b.is_infinite);
    let unlike = terms.not(alike);
    (number, terms.and2(both, unlike))
}

/// A constant with a sign.
fn signed(terms: &mut Terms, format: Format, sign: Term, magnitude: u128) -> Term {
    let magnitude = terms.bits(format.bits() - 1, magnitude);
    terms.concat(sign, magnitude)
}

fn product(terms: &mut Terms, a: Parts, b: Parts) -> (Term, Term) {
    let format = a.format;
    let width = 2 * (format.fraction + 1);
    let sign = terms.bit_xor(a.sign, b.sign);
    let (x, y) = (terms.zero_extend(a.significand, width), terms.zero_extend(b.significand, width));
    let significand = terms.mul(x, y);
    // The product of two significands in [1, 2) is below 4.
    let exponent = terms.add(a.exponent, b.exponent);
    let bias = terms.bits(EXPONENT, format.bias() - 1);
    let exponent = terms.sub(exponent, bias);
    let number = rounded(terms, format, Unrounded { sign, exponent, significand });
    let infinite = terms.or2(a.is_infinite, b.is_infinite);
    let infinity = signed(terms, format, sign, format.infinity());
    let number = terms.ite(infinite, infinity, number);
    let zero = terms.or2(a.is_zero, b.is_zero);
    (number, terms.and2(infinite, zero))
}

fn quotient(terms: &mut Terms, a: Parts, b: Parts) -> (Term, Term) {
    let format = a.format;
    let sign = terms.bit_xor(a.sign, b.sign);
    let (above, dividend) = with_first_bit(terms, a);
    let (below, divisor) = with_first_bit(terms, b);
    let behind = format.fraction + 3;
    let width = format.fraction + 1 + behind;
    let zeros = terms.bits(behind, 0);
    let dividend = terms.concat(dividend, zeros);
    let divisor = terms.zero_extend(divisor, width);
    let (whole, rest) = (terms.udiv(dividend, divisor), terms.urem(dividend, divisor));
    let none = terms.bits(width, 0);
    let inexact = terms.ne(rest, none);
    let inexact = flag(terms, inexact);
    let whole = terms.extract(whole, behind, 0);
    let significand = terms.concat(whole, inexact);
    let exponent = terms.sub(above, below);
    let bias = terms.bits(EXPONENT, format.bias());
    let exponent = terms.add(exponent, bias);
    let number = rounded(terms, format, Unrounded { sign, exponent, significand });
    let infinity = signed(terms, format, sign, format.infinity());
    let infinite = terms.or2(a.is_infinite, b.is_zero);
    let number = terms.ite(infinite, infinity, number);
    let nothing = signed(terms, format, sign, 0);
    let vanishes = terms.or2(a.is_zero, b.is_infinite);
    let number = terms.ite(vanishes, nothing, number);
    let zeros = terms.and2(a.is_zero, b.is_zero);
    let infinities = terms.and2(a.is_infinite, b.is_infinite);
    (number, terms.or2(zeros, infinities))
}

/// Normalised, with a leading bit that is a constant 1. The result has no meaning for zero.
fn with_first_bit(terms: &mut Terms, number: Parts) -> (Term, Term) {
    let (exponent, significand) = normalised(terms, number.exponent, number.significand);
    let low = terms.extract(significand, number.format.fraction - 1, 0);
    let one = terms.bits(1, 1);
    (exponent, terms.concat(one, low))
}

/// A number is preferred to a NaN; negative zero is less than positive zero.
fn extremum(terms: &mut Terms, op: BinaryOp, a: Parts, b: Parts) -> Term {
    let minus = terms.bits(1, 1);
    let (before, signed) = match op {
        BinaryOp::FloatMin => (compare::less(terms, a, b), terms.eq(a.sign, minus)),
        _ => (compare::less(terms, b, a), terms.ne(a.sign, minus)),
    };
    let equal = compare::equal(terms, a, b);
    let tie = terms.and2(equal, signed);
    let first = terms.or2(before, tie);
    let first = terms.or2(b.is_nan, first);
    let usable = terms.not(a.is_nan);
    let first = terms.and2(usable, first);
    terms.ite(first, a.whole, b.whole)
}
