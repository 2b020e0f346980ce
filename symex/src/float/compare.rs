//! Which of two floats is larger.

use formula::{Term, Terms};
use ir::FloatPredicate;

use crate::float::parts::Parts;

/// Defined for numbers only, not for NaNs.
pub fn less(terms: &mut Terms, a: Parts, b: Parts) -> Term {
    let minus = terms.bits(1, 1);
    let (a_negative, b_negative) = (terms.eq(a.sign, minus), terms.eq(b.sign, minus));
    let (up, down) = (terms.ult(a.magnitude, b.magnitude), terms.ult(b.magnitude, a.magnitude));
    let zeros = terms.and2(a.is_zero, b.is_zero);
    let differ = terms.not(zeros);
    let positive = terms.not(b_negative);
    let when_negative = terms.ite(b_negative, down, differ);
    let when_positive = terms.and2(positive, up);
    terms.ite(a_negative, when_negative, when_positive)
}

/// Defined for numbers only.
pub fn equal(terms: &mut Terms, a: Parts, b: Parts) -> Term {
    let same = terms.eq(a.whole, b.whole);
    let zeros = terms.and2(a.is_zero, b.is_zero);
    terms.or2(same, zeros)
}

/// The condition as a boolean term.
pub fn holds(terms: &mut Terms, predicate: FloatPredicate, a: Parts, b: Parts) -> Term {
    let unordered = terms.or2(a.is_nan, b.is_nan);
    let ordered = terms.not(unordered);
    let (of_numbers, if_unordered) = match predicate {
        FloatPredicate::False => (terms.falsehood(), false),
        FloatPredicate::True => (terms.truth(), true),
        FloatPredicate::Ordered => (terms.truth(), false),
        FloatPredicate::Unordered => (terms.falsehood(), true),
        FloatPredicate::OrderedEqual => (equal(terms, a, b), false),
        FloatPredicate::UnorderedEqual => (equal(terms, a, b), true),
        FloatPredicate::OrderedGreater => (less(terms, b, a), false),
        FloatPredicate::UnorderedGreater => (less(terms, b, a), true),
        FloatPredicate::OrderedLess => (less(terms, a, b), false),
        FloatPredicate::UnorderedLess => (less(terms, a, b), true),
        FloatPredicate::OrderedGreaterEqual => (not_less(terms, a, b), false),
        FloatPredicate::UnorderedGreaterEqual => (not_less(terms, a, b), true),
        FloatPredicate::OrderedLessEqual => (not_less(terms, b, a), false),
        FloatPredicate::UnorderedLessEqual => (not_less(terms, b, a), true),
        FloatPredicate::OrderedNotEqual => (differ(terms, a, b), false),
        FloatPredicate::UnorderedNotEqual => (differ(terms, a, b), true),
    };
    if if_unordered { terms.or2(unordered, of_numbers) } else { terms.and2(ordered, of_numbers) }
}

fn not_less(terms: &mut Terms, a: Parts, b: Parts) -> Term {
    let less = less(terms, a, b);
    terms.not(less)
}

fn differ(terms: &mut Terms, a: Parts, b: Parts) -> Term {
    let equal = equal(terms, a, b);
    terms.not(equal)
}
