//! Values of terms during replay. Each symbol gets its value once, when its event happens, so the value of a term never
//! changes from then on and is cached: guards share subterms, and evaluating each guard separately would be quadratic.
//!
//! The operations are implemented here a second time on purpose: replay checks results that others computed with those
//! of `formula`.

use std::collections::HashMap;

use formula::{Op, Term, Terms};

use crate::pages::Pages;

/// By term: 0 and 1 for booleans, the unsigned number for bit-vectors. A symbol without a value counts as zero.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    words: Pages<Option<u128>>,
}

impl Values {
    pub fn new(terms: &Terms) -> Values {
        Values { words: Pages::new(terms.len(), None) }
    }

    pub fn define(&mut self, symbol: Term, word: u128) {
        self.words.set(symbol.index(), Some(word));
    }

    /// Caches its results: only for terms whose symbols have their values, or will never have one.
    pub fn evaluate(&mut self, terms: &Terms, term: Term) -> u128 {
        if let Some(word) = self.find(terms, term) {
            return word;
        }
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            let waiting = stack.len();
            stack.extend(terms.op(top).operands().filter(|operand| self.find(terms, *operand).is_none()));
            if stack.len() == waiting {
                let word = apply(terms, top, |operand| self.find(terms, operand).unwrap_or(0));
                self.define(top, word);
                stack.pop();
            }
        }
        self.words.get(term.index()).unwrap_or(0)
    }

    /// The cached value, or that of a constant.
    pub fn find(&self, terms: &Terms, term: Term) -> Option<u128> {
        if let Some(word) = self.words.get(term.index()) {
            return Some(word);
        }
        match terms.op(term) {
            Op::Bool(value) => Some(u128::from(*value)),
            Op::Bits { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// The value that the term would have if the symbol had this one.
    pub fn suppose(&self, terms: &Terms, symbol: Option<Term>, word: u128, term: Term) -> u128 {
        let mut supposed: HashMap<Term, u128> = symbol.map(|symbol| (symbol, word)).into_iter().collect();
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            let waiting = stack.len();
            let find = |term: Term| supposed.get(&term).copied().or_else(|| self.find(terms, term));
            if find(top).is_some() {
                stack.pop();
                continue;
            }
            stack.extend(terms.op(top).operands().filter(|operand| find(*operand).is_none()));
            if stack.len() == waiting {
                let word = apply(terms, top, |operand| find(operand).unwrap_or(0));
                supposed.insert(top, word);
                stack.pop();
            }
        }
        supposed.get(&term).copied().or_else(|| self.find(terms, term)).unwrap_or(0)
    }
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

fn signed(width: u32, word: u128) -> i128 {
    if word >> (width - 1) & 1 == 1 { (word | !mask(width)) as i128 } else { word as i128 }
}

/// Shifts by the width or more leave only zeros, or copies of the sign with `fill`.
fn shifted_right(width: u32, word: u128, by: u128, fill: bool) -> u128 {
    let by = by.min(u128::from(width)) as u32;
    let kept = if by >= 128 { 0 } else { word >> by };
    let filled = if fill { mask(width) & !mask(width - by) } else { 0 };
    kept | filled
}

fn apply(terms: &Terms, term: Term, word: impl Fn(Term) -> u128) -> u128 {
    let wide = |operand: Term| match terms.sort(operand) {
        formula::Sort::Bool => 1,
        formula::Sort::Bits(width) => width,
    };
    let width = wide(term);
    let number = |operand: Term| signed(wide(operand), word(operand));
    let result = match terms.op(term) {
        Op::Bool(value) => u128::from(*value),
        Op::Bits { value, .. } => *value,
        Op::Symbol(_) | Op::Before(..) => 0,
        Op::Not(a) => word(*a) ^ 1,
        Op::And(operands) => u128::from(operands.iter().all(|operand| word(*operand) == 1)),
        Op::Or(operands) => u128::from(operands.iter().any(|operand| word(*operand) == 1)),
        Op::Iff(a, b) | Op::Eq(a, b) => u128::from(word(*a) == word(*b)),
        Op::Ite(condition, a, b) => word(if word(*condition) == 1 { *a } else { *b }),
        Op::Ult(a, b) => u128::from(word(*a) < word(*b)),
        Op::Slt(a, b) => u128::from(number(*a) < number(*b)),
        Op::Add(a, b) => word(*a).wrapping_add(word(*b)),
        Op::Sub(a, b) => word(*a).wrapping_sub(word(*b)),
        Op::Mul(a, b) => word(*a).wrapping_mul(word(*b)),
        Op::Udiv(a, b) => word(*a).checked_div(word(*b)).unwrap_or(u128::MAX),
        Op::Urem(a, b) => word(*a).checked_rem(word(*b)).unwrap_or(word(*a)),
        Op::Sdiv(a, b) => match (number(*a), number(*b)) {
            (dividend, 0) => (if dividend < 0 { 1 } else { -1_i128 }) as u128,
            (dividend, divisor) => dividend.wrapping_div(divisor) as u128,
        },
        Op::Srem(a, b) => match (number(*a), number(*b)) {
            (dividend, 0) => dividend as u128,
            (dividend, divisor) => dividend.wrapping_rem(divisor) as u128,
        },
        Op::BitAnd(a, b) => word(*a) & word(*b),
        Op::BitOr(a, b) => word(*a) | word(*b),
        Op::BitXor(a, b) => word(*a) ^ word(*b),
        Op::BitNot(a) => !word(*a),
        Op::Neg(a) => word(*a).wrapping_neg(),
        Op::Shl(_, by) if word(*by) >= u128::from(width) => 0,
        Op::Shl(a, by) => word(*a) << word(*by),
        Op::Lshr(a, by) => shifted_right(width, word(*a), word(*by), false),
        Op::Ashr(a, by) => shifted_right(width, word(*a), word(*by), number(*a) < 0),
        Op::Concat(high, low) => word(*high) << wide(*low) | word(*low),
        Op::Extract { low, of, .. } => word(*of) >> low,
        Op::ZeroExtend { of, .. } => word(*of),
        Op::SignExtend { of, .. } => number(*of) as u128,
    };
    result & mask(width)
}

#[cfg(test)]
mod tests {
    use formula::{Assignment, Sort, Value};

    use super::*;

    #[test]
    fn both_definitions_of_the_operations_agree() {
        let interesting: [u128; 9] = [0, 1, 2, 7, 127, 128, 200, 254, 255];
        for width in [1, 5, 8, 31, 64, 127, 128] {
            let mut terms = Terms::default();
            let a = terms.symbol("a", Sort::Bits(width));
            let b = terms.symbol("b", Sort::Bits(width));
            let built = [
                terms.add(a, b),
                terms.sub(a, b),
                terms.mul(a, b),
                terms.udiv(a, b),
                terms.urem(a, b),
                terms.sdiv(a, b),
                terms.srem(a, b),
                terms.bit_and(a, b),
                terms.bit_or(a, b),
                terms.bit_xor(a, b),
                terms.bit_not(a),
                terms.neg(a),
                terms.shl(a, b),
                terms.lshr(a, b),
                terms.ashr(a, b),
                terms.ult(a, b),
                terms.ule(a, b),
                terms.slt(a, b),
                terms.sle(a, b),
                terms.eq(a, b),
                terms.extract(a, width - 1, width / 2),
                terms.zero_extend(a, 128),
                terms.sign_extend(a, 128),
            ];
            let ends = [mask(width), mask(width) >> 1, (mask(width) >> 1) + 1];
            let words: Vec<u128> = interesting.iter().map(|word| word & mask(width)).chain(ends).collect();
            for (&left, &right) in words.iter().flat_map(|left| words.iter().map(move |right| (left, right))) {
                let mut values = Values::new(&terms);
                values.define(a, left);
                values.define(b, right);
                let pairs = [(a, left), (b, right)].map(|(term, value)| (term, Value::Bits { width, value }));
                let assignment = Assignment { values: pairs.into_iter().collect(), positions: Vec::new() };
                for term in built {
                    let expected = match assignment.evaluate(&terms, term) {
                        Value::Bool(value) => u128::from(value),
                        Value::Bits { value, .. } => value,
                    };
                    assert_eq!(values.suppose(&terms, None, 0, term), expected, "{:?} {left} {right}", terms.op(term));
                    assert_eq!(values.evaluate(&terms, term), expected);
                }
            }
        }
    }
}
