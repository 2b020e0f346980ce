//! A float as sign, exponent and significand, and the conversion back, with which every operation ends: one rounding to
//! nearest, ties to even, with subnormal numbers and infinities.

use formula::{Term, Terms};
use ir::Type;

/// Exponents are computed as signed numbers of this width, enough for the sum of two exponents of doubles.
pub const EXPONENT: u32 = 16;

/// The widths of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub exponent: u32,
    pub fraction: u32,
}

impl Format {
    pub fn of(ty: Type) -> Option<Format> {
        match ty {
            Type::F32 => Some(Format { exponent: 8, fraction: 23 }),
            Type::F64 => Some(Format { exponent: 11, fraction: 52 }),
            _ => None,
        }
    }

    pub fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    pub fn bias(self) -> u128 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of infinities and NaNs.
    pub fn special(self) -> u128 {
        (1 << self.exponent) - 1
    }

    /// Infinity without its sign.
    pub fn infinity(self) -> u128 {
        self.special() << self.fraction
    }

    pub fn sign(self) -> u128 {
        1 << (self.bits() - 1)
    }

    pub fn quiet(self) -> u128 {
        1 << (self.fraction - 1)
    }
}

/// An operand, taken apart. The significand of an infinity or a NaN has no meaning.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub format: Format,
    pub whole: Term,
    /// One bit.
    pub sign: Term,
    /// All bits but the sign.
    pub magnitude: Term,
    /// The stored exponent, or 1 for subnormal numbers, in [`EXPONENT`] bits.
    pub exponent: Term,
    /// With its leading bit, which is zero in subnormal numbers.
    pub significand: Term,
    pub is_nan: Term,
    pub is_infinite: Term,
    pub is_zero: Term,
}

impl Parts {
    pub fn of(terms: &mut Terms, format: Format, whole: Term) -> Parts {
        let Format { fraction, .. } = format;
        let last = format.bits() - 1;
        let sign = terms.extract(whole, last, last);
        let magnitude = terms.extract(whole, last - 1, 0);
        let stored = terms.extract(whole, last - 1, fraction);
        let low = terms.extract(whole, fraction - 1, 0);
        let nothing = terms.bits(format.exponent, 0);
        let is_small = terms.eq(stored, nothing);
        let (zero, one) = (terms.bits(1, 0), terms.bits(1, 1));
        let first = terms.ite(is_small, zero, one);
        let least = terms.bits(format.exponent, 1);
        let exponent = terms.ite(is_small, least, stored);
        let infinity = terms.bits(last, format.infinity());
        let none = terms.bits(last, 0);
        Parts {
            format,
            whole,
            sign,
            magnitude,
            exponent: terms.zero_extend(exponent, EXPONENT),
            significand: terms.concat(first, low),
            is_nan: terms.ult(infinity, magnitude),
            is_infinite: terms.eq(magnitude, infinity),
            is_zero: terms.eq(magnitude, none),
        }
    }

    /// The operand as a quiet NaN.
    pub fn quieted(&self, terms: &mut Terms) -> Term {
        let quiet = terms.bits(self.format.bits(), self.format.quiet());
        terms.bit_or(self.whole, quiet)
    }
}

/// A number before rounding. If the leading bit of the significand is set, the exponent is the one to be stored. The
/// last bit of the significand may be sticky: it stands for all bits cut off behind it.
#[derive(Clone, Copy, Debug)]
pub struct Unrounded {
    pub sign: Term,
    pub exponent: Term,
    pub significand: Term,
}

/// Shifts out leading zeros and subtracts their number from the exponent. A zero significand stays zero.
pub fn normalised(terms: &mut Terms, exponent: Term, significand: Term) -> (Term, Term) {
    let width = terms.width(significand);
    let (mut exponent, mut significand) = (exponent, significand);
    let steps = (0..7).rev().map(|log| 1_u32 << log).filter(|&step| step < width);
    for step in steps {
        let top = terms.extract(significand, width - 1, width - step);
        let none = terms.bits(step, 0);
        let shifts = terms.eq(top, none);
        let rest = terms.extract(significand, width - 1 - step, 0);
        let moved = terms.concat(rest, none);
        significand = terms.ite(shifts, moved, significand);
        let by = terms.bits(EXPONENT, u128::from(step));
        let less = terms.sub(exponent, by);
        exponent = terms.ite(shifts, less, exponent);
    }
    (exponent, significand)
}

/// Shifted to the right, and whether bits were lost. The amount has [`EXPONENT`] bits and is not negative.
pub fn shifted(terms: &mut Terms, significand: Term, by: Term) -> (Term, Term) {
    let width = terms.width(significand);
    let by = terms.zero_extend(by, width);
    let moved = terms.lshr(significand, by);
    let back = terms.shl(moved, by);
    let lost = terms.ne(back, significand);
    (moved, lost)
}

/// The result has one bit.
pub fn flag(terms: &mut Terms, condition: Term) -> Term {
    crate::terms::of_bool(terms, condition)
}

/// The nearest float, with ties to even.
pub fn rounded(terms: &mut Terms, format: Format, number: Unrounded) -> Term {
    let Format { fraction, .. } = format;
    let kept = fraction + 1;
    let mut significand = number.significand;
    // One bit behind those that are kept, and a sticky bit.
    if terms.width(significand) < kept + 2 {
        let missing = terms.bits(kept + 2 - terms.width(significand), 0);
        significand = terms.concat(significand, missing);
    }
    let width = terms.width(significand);
    let none = terms.bits(width, 0);
    let is_zero = terms.eq(significand, none);
    let (exponent, significand) = normalised(terms, number.exponent, significand);
    let (one, zero) = (terms.bits(EXPONENT, 1), terms.bits(EXPONENT, 0));
    let is_small = terms.slt(exponent, one);
    let below = terms.sub(one, exponent);
    let by = terms.ite(is_small, below, zero);
    let (significand, lost) = shifted(terms, significand, by);
    let first = terms.extract(significand, width - 1, width - kept);
    let half = terms.extract(significand, width - kept - 1, width - kept - 1);
    let rest = terms.extract(significand, width - kept - 2, 0);
    let up = rounds_up(terms, first, half, rest, lost);
    let last = format.bits() - 1;
    // The leading bit of the significand increments the exponent if it is set, and so does a carry out of the rounding.
    let above = terms.sub(exponent, one);
    let above = terms.ite(is_small, zero, above);
    let above = terms.extract(above, format.exponent - 1, 0);
    let low = terms.bits(fraction, 0);
    let above = terms.concat(above, low);
    let (first, up) = (terms.zero_extend(first, last), terms.zero_extend(up, last));
    let sum = terms.add(above, first);
    let sum = terms.add(sum, up);
    let special = terms.bits(EXPONENT, format.special());
    let is_large = terms.sle(special, exponent);
    let infinity = terms.bits(last, format.infinity());
    let magnitude = terms.ite(is_large, infinity, sum);
    let none = terms.bits(last, 0);
    let magnitude = terms.ite(is_zero, none, magnitude);
    terms.concat(number.sign, magnitude)
}

/// Whether the bits cut off are more than half, or half of an odd number; one bit.
fn rounds_up(terms: &mut Terms, first: Term, half: Term, rest: Term, lost: Term) -> Term {
    let none = terms.bits(terms.width(rest), 0);
    let more = terms.ne(rest, none);
    let more = terms.or2(more, lost);
    let odd = terms.extract(first, 0, 0);
    let odd = crate::terms::is_set(terms, odd);
    let half = crate::terms::is_set(terms, half);
    let enough = terms.or2(more, odd);
    let up = terms.and2(half, enough);
    flag(terms, up)
}
