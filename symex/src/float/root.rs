//! Square roots, digit by digit: the remainder is compared with the amount that the next digit would subtract.

use formula::{Term, Terms};

use crate::float::arithmetic::or_not_a_number;
use crate::float::parts::{EXPONENT, Format, Parts, Unrounded, flag, normalised, rounded};

pub fn root(terms: &mut Terms, format: Format, arg: Term) -> Term {
    let parts = Parts::of(terms, format, arg);
    let (exponent, significand) = normalised(terms, parts.exponent, parts.significand);
    let bias = terms.bits(EXPONENT, format.bias());
    let distance = terms.sub(exponent, bias);
    let odd = terms.extract(distance, 0, 0);
    let odd = crate::terms::is_set(terms, odd);
    // Twice as many digits as the root has, two of them before the point; an odd exponent doubles the significand.
    let digits = format.fraction + 3;
    let zeros = terms.bits(2 * digits - format.fraction - 2, 0);
    let wide = terms.concat(significand, zeros);
    let none = terms.bits(1, 0);
    let (even, doubled) = (terms.concat(none, wide), terms.concat(wide, none));
    let radicand = terms.ite(odd, doubled, even);
    let (digits, rest) = digits_of_root(terms, radicand, digits);
    let nothing = terms.bits(terms.width(rest), 0);
    let inexact = terms.ne(rest, nothing);
    let inexact = flag(terms, inexact);
    let significand = terms.concat(digits, inexact);
    let one = terms.bits(EXPONENT, 1);
    let half = terms.ashr(distance, one);
    let exponent = terms.add(half, bias);
    let number = rounded(terms, format, Unrounded { sign: parts.sign, exponent, significand });
    let stays = terms.or2(parts.is_zero, parts.is_infinite);
    let number = terms.ite(stays, arg, number);
    let negative = crate::terms::is_set(terms, parts.sign);
    let some = terms.not(parts.is_zero);
    let invalid = terms.and2(negative, some);
    or_not_a_number(terms, &[parts], number, invalid)
}

/// The integer square root of a number of twice as many bits, and the remainder.
fn digits_of_root(terms: &mut Terms, radicand: Term, digits: u32) -> (Term, Term) {
    // The remainder is at most twice the root, before the next two bits are appended.
    let width = digits + 3;
    let (mut rest, mut root) = (terms.bits(width, 0), terms.bits(width, 0));
    for digit in (0..digits).rev() {
        let next = terms.extract(radicand, 2 * digit + 1, 2 * digit);
        let kept = terms.extract(rest, width - 3, 0);
        rest = terms.concat(kept, next);
        // Doubled by addition: a concatenation would be taken apart bit by bit again.
        let doubled = terms.add(root, root);
        let tried = terms.add(doubled, doubled);
        let one = terms.bits(width, 1);
        let tried = terms.bit_or(tried, one);
        let fits = terms.ule(tried, rest);
        let less = terms.sub(rest, tried);
        rest = terms.ite(fits, less, rest);
        let found = flag(terms, fits);
        let found = terms.zero_extend(found, width);
        root = terms.bit_or(doubled, found);
    }
    (terms.extract(root, digits - 1, 0), rest)
}
