//! Terms for the results of instructions. Unsupported operations (sines of floats, wide products) have no term: the
//! caller then pins the value to its concrete word. Floats are in [`crate::float`].

use formula::{Sort, Term, Terms};
use ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, RmwOp, Type, UnaryOp};

use crate::float;

/// A boolean as a one-bit register value.
pub fn of_bool(terms: &mut Terms, condition: Term) -> Term {
    let (one, zero) = (terms.bits(1, 1), terms.bits(1, 0));
    terms.ite(condition, one, zero)
}

/// Whether a register that holds one bit is set.
pub fn is_set(terms: &mut Terms, term: Term) -> Term {
    let one = terms.bits(1, 1);
    let low = if terms.width(term) == 1 { term } else { terms.extract(term, 0, 0) };
    terms.eq(low, one)
}

/// Zero-extends or truncates to the width.
pub fn fit(terms: &mut Terms, term: Term, width: u32) -> Term {
    match terms.width(term) {
        same if same == width => term,
        less if less < width => terms.zero_extend(term, width),
        _ => terms.extract(term, width - 1, 0),
    }
}

pub fn unary(terms: &mut Terms, op: UnaryOp, ty: Type, arg: Term) -> Option<Term> {
    if ty.is_float() {
        return float::unary(terms, op, ty, arg);
    }
    let bits = ty.bits();
    let bit = |terms: &mut Terms, at: u32| terms.extract(arg, at, at);
    Some(match op {
        UnaryOp::ByteSwap | UnaryOp::BitReverse => {
            let unit = if op == UnaryOp::ByteSwap { 8 } else { 1 };
            let mut all = terms.extract(arg, unit - 1, 0);
            for low in (unit..bits).step_by(unit as usize) {
                let next = terms.extract(arg, low + unit - 1, low);
                all = terms.concat(all, next);
            }
            all
        }
        UnaryOp::PopCount => {
            let mut sum = terms.bits(bits, 0);
            for at in 0..bits {
                let one = bit(terms, at);
                let one = fit(terms, one, bits);
                sum = terms.add(sum, one);
            }
            sum
        }
        UnaryOp::LeadingZeros | UnaryOp::TrailingZeros => {
            let mut count = terms.bits(bits, u128::from(bits));
            // The bit with the highest priority is tested by the outermost choice.
            for zeros in (0..bits).rev() {
                let at = if op == UnaryOp::TrailingZeros { zeros } else { bits - 1 - zeros };
                let one = bit(terms, at);
                let set = is_set(terms, one);
                let zeros = terms.bits(bits, u128::from(zeros));
                count = terms.ite(set, zeros, count);
            }
            count
        }
        _ => return None,
    })
}

pub fn binary(terms: &mut Terms, op: BinaryOp, ty: Type, a: Term, b: Term) -> Option<Term> {
    let bits = ty.bits();
    if ty.is_float() {
        return float::binary(terms, op, ty, a, b);
    }
    Some(match op {
        BinaryOp::Add => terms.add(a, b),
        BinaryOp::Sub => terms.sub(a, b),
        BinaryOp::Mul => terms.mul(a, b),
        BinaryOp::UnsignedDiv => terms.udiv(a, b),
        BinaryOp::SignedDiv => terms.sdiv(a, b),
        BinaryOp::UnsignedRem => terms.urem(a, b),
        BinaryOp::SignedRem => terms.srem(a, b),
        BinaryOp::And => terms.bit_and(a, b),
        BinaryOp::Or => terms.bit_or(a, b),
        BinaryOp::Xor => terms.bit_xor(a, b),
        BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
            let by = shift_amount(terms, bits, b);
            match op {
                BinaryOp::ShiftLeft => terms.shl(a, by),
                BinaryOp::LogicalShiftRight => terms.lshr(a, by),
                _ => terms.ashr(a, by),
            }
        }
        _ => return None,
    })
}

/// The machine takes shift amounts modulo the register's width. An amount beyond the width of a narrow value shifts out
/// all bits, as the term's operation does.
fn shift_amount(terms: &mut Terms, bits: u32, by: Term) -> Term {
    let register = bits.next_power_of_two().max(32);
    if bits < 32 && u128::from(register) > 1 << bits {
        return by;
    }
    let mask = terms.bits(bits, u128::from(register - 1));
    terms.bit_and(by, mask)
}

pub fn compare(terms: &mut Terms, predicate: IntPredicate, a: Term, b: Term) -> Term {
    let condition = match predicate {
        IntPredicate::Equal => terms.eq(a, b),
        IntPredicate::NotEqual => terms.ne(a, b),
        IntPredicate::UnsignedLess => terms.ult(a, b),
        IntPredicate::UnsignedLessEqual => terms.ule(a, b),
        IntPredicate::UnsignedGreater => terms.ult(b, a),
        IntPredicate::UnsignedGreaterEqual => terms.ule(b, a),
        IntPredicate::SignedLess => terms.slt(a, b),
        IntPredicate::SignedLessEqual => terms.sle(a, b),
        IntPredicate::SignedGreater => terms.slt(b, a),
        IntPredicate::SignedGreaterEqual => terms.sle(b, a),
    };
    of_bool(terms, condition)
}

pub fn float_compare(terms: &mut Terms, predicate: FloatPredicate, ty: Type, a: Term, b: Term) -> Option<Term> {
    float::compare(terms, predicate, ty, a, b)
}

pub fn cast(terms: &mut Terms, op: CastOp, from: Type, to: Type, arg: Term) -> Option<Term> {
    let (narrow, wide) = (from.bits(), to.bits());
    Some(match op {
        CastOp::Truncate => fit(terms, arg, wide),
        CastOp::ZeroExtend | CastOp::Bits => fit(terms, arg, wide),
        CastOp::SignExtend if wide > narrow => terms.sign_extend(arg, wide),
        CastOp::SignExtend => arg,
        _ => return float::cast(terms, op, from, to, arg),
    })
}

/// The wrapped result, and whether it overflowed. A product of factors wider than 64 bits has no term.
pub fn overflowing(terms: &mut Terms, op: OverflowOp, bits: u32, a: Term, b: Term) -> Option<(Term, Term)> {
    let is_product = matches!(op, OverflowOp::SignedMul | OverflowOp::UnsignedMul);
    let wide = if is_product { 2 * bits } else { bits + 1 };
    if wide > 128 {
        return None;
    }
    let signed = matches!(op, OverflowOp::SignedAdd | OverflowOp::SignedSub | OverflowOp::SignedMul);
    let widen =
        |terms: &mut Terms, term| if signed { terms.sign_extend(term, wide) } else { terms.zero_extend(term, wide) };
    let (x, y) = (widen(terms, a), widen(terms, b));
    let exact = match op {
        OverflowOp::SignedAdd | OverflowOp::UnsignedAdd => terms.add(x, y),
        OverflowOp::SignedSub | OverflowOp::UnsignedSub => terms.sub(x, y),
        OverflowOp::SignedMul | OverflowOp::UnsignedMul => terms.mul(x, y),
    };
    let value = fit(terms, exact, bits);
    let again = widen(terms, value);
    let wrapped = terms.ne(again, exact);
    Some((value, of_bool(terms, wrapped)))
}

/// The new value that a read-modify-write stores.
pub fn update(terms: &mut Terms, op: RmwOp, ty: Type, old: Term, value: Term) -> Option<Term> {
    let pick = |terms: &mut Terms, first: Term| terms.ite(first, old, value);
    Some(match op {
        RmwOp::Exchange => value,
        RmwOp::Add => terms.add(old, value),
        RmwOp::Sub => terms.sub(old, value),
        RmwOp::And => terms.bit_and(old, value),
        RmwOp::Nand => {
            let both = terms.bit_and(old, value);
            terms.bit_not(both)
        }
        RmwOp::Or => terms.bit_or(old, value),
        RmwOp::Xor => terms.bit_xor(old, value),
        RmwOp::SignedMax => {
            let first = terms.sle(value, old);
            pick(terms, first)
        }
        RmwOp::SignedMin => {
            let first = terms.sle(old, value);
            pick(terms, first)
        }
        RmwOp::UnsignedMax => {
            let first = terms.ule(value, old);
            pick(terms, first)
        }
        RmwOp::UnsignedMin => {
            let first = terms.ule(old, value);
            pick(terms, first)
        }
        RmwOp::FloatAdd => return float::binary(terms, BinaryOp::FloatAdd, ty, old, value),
        RmwOp::FloatSub => return float::binary(terms, BinaryOp::FloatSub, ty, old, value),
    })
}

/// Whether a term is a literal constant.
pub fn is_constant(terms: &Terms, term: Term) -> bool {
    match terms.sort(term) {
        Sort::Bool => terms.as_bool(term).is_some(),
        Sort::Bits(_) => terms.as_bits(term).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use formula::Sort;
    use semantics::concrete;

    use super::*;

    /// Evaluates with the symbols replaced by numbers.
    fn check(make: impl Fn(&mut Terms, Term, Term) -> Option<Term>, expected: impl Fn(u128, u128) -> Option<u128>) {
        let samples = [0, 1, 2, 5, 7, 8, 31, 33, 127, 128, 200, 255];
        for (x, y) in samples.into_iter().flat_map(|x| samples.map(|y| (x, y))) {
            let mut terms = Terms::new();
            let (a, b) = (terms.symbol("a", Sort::Bits(8)), terms.symbol("b", Sort::Bits(8)));
            let Some(term) = make(&mut terms, a, b) else { continue };
            let map = [(a, terms.bits(8, x)), (b, terms.bits(8, y))].into_iter().collect();
            let value = terms.substitute::<std::hash::RandomState>(term, &map);
            if let Some(expected) = expected(x, y) {
                assert_eq!(terms.as_bits(value), Some(expected), "{x} and {y}");
            }
        }
    }

    #[test]
    fn terms_are_what_words_are() {
        let byte = Type::Int(8);
        for &op in BinaryOp::ALL {
            check(|terms, a, b| binary(terms, op, byte, a, b), |x, y| concrete::binary(op, byte, x, y).ok());
        }
        for &op in UnaryOp::ALL {
            check(|terms, a, _| unary(terms, op, byte, a), |x, _| concrete::unary(op, byte, x).ok());
        }
        for &op in IntPredicate::ALL {
            check(|terms, a, b| Some(compare(terms, op, a, b)), |x, y| Some(concrete::compare(op, byte, x, y)));
        }
        for &op in OverflowOp::ALL {
            let value = |x, y| concrete::overflowing(op, byte, x, y);
            check(|terms, a, b| Some(overflowing(terms, op, 8, a, b)?.0), |x, y| Some(value(x, y).0));
            check(|terms, a, b| Some(overflowing(terms, op, 8, a, b)?.1), |x, y| Some(value(x, y).1));
        }
        for &op in RmwOp::ALL {
            check(|terms, a, b| update(terms, op, byte, a, b), |x, y| concrete::update(op, byte, x, y).ok());
        }
    }
}
