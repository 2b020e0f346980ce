//! Constructors of comparisons: equality of either sort, unsigned and signed order. Invertible operations on one side
//! are moved to the other, so that path conditions become constraints on symbols.

use crate::term::{Op, Sort, Term, Terms};
use crate::word;

/// The number of levels of nested choices that an equality descends.
const PEELED: usize = 32;

/// The contribution of a choice to an equality.
enum Peel {
    /// The condition suffices; otherwise the rest decides.
    Or(Term),
    /// Both the condition and the rest are needed.
    And(Term),
}

impl Terms {
    #[track_caller]
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// Of two booleans or of two bit-vectors of the same width.
    #[track_caller]
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "what is compared has one sort");
        if self.is_bool(a) {
            return self.iff(a, b);
        }
        let mut peels = Vec::new();
        let (mut a, mut b) = (a, b);
        while peels.len() < PEELED {
            let Some((peel, x, y)) = self.peel(a, b).or_else(|| self.peel(b, a)) else { break };
            peels.push(peel);
            (a, b) = (x, y);
        }
        let mut result = self.eq_of_unlike(a, b);
        for peel in peels.into_iter().rev() {
            result = match peel {
                Peel::Or(condition) => self.or2(condition, result),
                Peel::And(condition) => self.and2(condition, result),
            };
        }
        result
    }

    /// An equality with a choice one branch of which is decided, as a condition and a smaller equality.
    fn peel(&mut self, a: Term, b: Term) -> Option<(Peel, Term, Term)> {
        let Op::Ite(condition, then, otherwise) = *self.op(a) else { return None };
        if let Op::Ite(other, t, e) = *self.op(b)
            && other == condition
        {
            let not_condition = self.not(condition);
            if t == then {
                return Some((Peel::Or(condition), otherwise, e));
            }
            if e == otherwise {
                return Some((Peel::Or(not_condition), then, t));
            }
        }
        let constant = |term: Term| self.as_bits(term).is_some();
        let known = |side: Term| side == b || constant(side) && constant(b);
        if known(then) {
            if then == b {
                return Some((Peel::Or(condition), otherwise, b));
            }
            let not_condition = self.not(condition);
            return Some((Peel::And(not_condition), otherwise, b));
        }
        if known(otherwise) {
            if otherwise == b {
                let not_condition = self.not(condition);
                return Some((Peel::Or(not_condition), then, b));
            }
            return Some((Peel::And(condition), then, b));
        }
        None
    }

    fn eq_of_unlike(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.truth();
        }
        let (a, b) = self.sorted(a, b);
        if let Some(constant) = self.as_bits(b) {
            return self.eq_constant(a, constant);
        }
        let width = self.width(a);
        let (a_base, a_offset) = self.offset(a);
        let (b_base, b_offset) = self.offset(b);
        if a_base == b_base {
            return self.bool(a_offset == b_offset);
        }
        if a_offset != 0 && b_offset != 0 {
            let offset = self.bits(width, word::sub(width, b_offset, a_offset));
            let moved = self.add(b_base, offset);
            return self.eq(a_base, moved);
        }
        match (self.op(a), self.op(b)) {
            (&Op::ZeroExtend { of: x, .. }, &Op::ZeroExtend { of: y, .. })
            | (&Op::SignExtend { of: x, .. }, &Op::SignExtend { of: y, .. })
                if self.width(x) == self.width(y) =>
            {
                return self.eq(x, y);
            }
            (&Op::BitNot(x), &Op::BitNot(y)) | (&Op::Neg(x), &Op::Neg(y)) => return self.eq(x, y),
            (&Op::BitNot(x), _) if x == b => return self.falsehood(),
            (_, &Op::BitNot(y)) if y == a => return self.falsehood(),
            (&Op::Concat(h, l), &Op::Concat(other_h, other_l)) if self.width(l) == self.width(other_l) => {
                let high = self.eq(h, other_h);
                let low = self.eq(l, other_l);
                return self.and2(high, low);
            }
            _ => {}
        }
        self.intern(Op::Eq(a, b), Sort::Bool)
    }

    /// `a` is not a constant.
    fn eq_constant(&mut self, a: Term, constant: u128) -> Term {
        let width = self.width(a);
        let whole = a;
        let (mut a, mut constant) = (a, constant);
        loop {
            (a, constant) = match *self.op(a) {
                Op::Bits { value, .. } => return self.bool(value == constant),
                Op::Ite(..) => {
                    let b = self.bits(width, constant);
                    // A term that did not change needs no further peeling.
                    return if a == whole { self.intern(Op::Eq(a, b), Sort::Bool) } else { self.eq(a, b) };
                }
                Op::Neg(x) => (x, word::neg(width, constant)),
                Op::BitNot(x) => (x, word::not(width, constant)),
                Op::Add(x, y) if self.as_bits(y).is_some() => {
                    (x, word::sub(width, constant, self.as_bits(y).unwrap_or_default()))
                }
                Op::BitXor(x, y) if self.as_bits(y).is_some() => (x, constant ^ self.as_bits(y).unwrap_or_default()),
                Op::Mul(x, y) if self.as_bits(y).is_some_and(|factor| factor & 1 == 1) => {
                    (x, word::mul(width, constant, inverse(self.as_bits(y).unwrap_or_default())))
                }
                Op::Sub(x, y) if constant == 0 => return self.eq(x, y),
                Op::ZeroExtend { of, .. } => {
                    let used = self.width(of);
                    if constant > word::mask(used) {
                        return self.falsehood();
                    }
                    let part = self.bits(used, constant);
                    return self.eq(of, part);
                }
                Op::SignExtend { of, .. } => {
                    let used = self.width(of);
                    if word::sign_extend(used, width, constant & word::mask(used)) != constant {
                        return self.falsehood();
                    }
                    let part = self.bits(used, constant);
                    return self.eq(of, part);
                }
                Op::Concat(high, low) => return self.eq_concat(high, low, constant),
                _ => break,
            };
        }
        if width == 1 && constant == 0 {
            let one = self.bits(1, 1);
            let is_one = self.intern(Op::Eq(a, one), Sort::Bool);
            return self.not(is_one);
        }
        let b = self.bits(width, constant);
        self.intern(Op::Eq(a, b), Sort::Bool)
    }

    fn eq_concat(&mut self, high: Term, low: Term, constant: u128) -> Term {
        let (above, below) = (self.width(high), self.width(low));
        let low_part = self.bits(below, constant);
        let same_low = self.eq(low, low_part);
        let high_part = self.bits(above, constant >> below);
        let same_high = self.eq(high, high_part);
        self.and2(same_high, same_low)
    }

    /// Unsigned `a <= b`.
    #[track_caller]
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Signed `a <= b`.
    #[track_caller]
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    /// Unsigned `a < b`.
    #[track_caller]
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b {
            return self.falsehood();
        }
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            return self.bool(word::ult(width, x, y));
        }
        if let Some(known) = self.at_the_edge(a, b, 0, word::mask(width)).or_else(|| self.distribute(a, b, Terms::ult))
        {
            return known;
        }
        match (self.op(a).clone(), self.op(b).clone()) {
            (Op::ZeroExtend { of: x, .. }, Op::ZeroExtend { of: y, .. }) if self.width(x) == self.width(y) => {
                self.ult(x, y)
            }
            (Op::ZeroExtend { of, .. }, Op::Bits { value, .. }) => {
                let used = self.width(of);
                if value > word::mask(used) {
                    return self.truth();
                }
                let limit = self.bits(used, value);
                self.ult(of, limit)
            }
            (Op::Bits { value, .. }, Op::ZeroExtend { of, .. }) => {
                let used = self.width(of);
                if value > word::mask(used) {
                    return self.falsehood();
                }
                let limit = self.bits(used, value);
                self.ult(limit, of)
            }
            _ => self.intern(Op::Ult(a, b), Sort::Bool),
        }
    }

    /// Signed `a < b`.
    #[track_caller]
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b {
            return self.falsehood();
        }
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            return self.bool(word::slt(width, x, y));
        }
        let least = 1 << (width - 1);
        if let Some(known) = self.at_the_edge(a, b, least, least - 1).or_else(|| self.distribute(a, b, Terms::slt)) {
            return known;
        }
        // A zero-extended term is not negative.
        let positive = |term: Term| match *self.op(term) {
            Op::ZeroExtend { .. } => true,
            Op::Bits { value, .. } => value < least,
            _ => false,
        };
        if positive(a) && positive(b) {
            return self.ult(a, b);
        }
        match (self.op(a).clone(), self.op(b).clone()) {
            (Op::SignExtend { of: x, .. }, Op::SignExtend { of: y, .. }) if self.width(x) == self.width(y) => {
                self.slt(x, y)
            }
            (Op::ZeroExtend { .. }, Op::Bits { .. }) => self.falsehood(),
            (Op::Bits { .. }, Op::ZeroExtend { .. }) => self.truth(),
            (Op::SignExtend { of, .. }, Op::Bits { value, .. }) => {
                let used = self.width(of);
                if word::sign_extend(used, width, value & word::mask(used)) != value {
                    return self.bool(value < least);
                }
                let limit = self.bits(used, value);
                self.slt(of, limit)
            }
            (Op::Bits { value, .. }, Op::SignExtend { of, .. }) => {
                let used = self.width(of);
                if word::sign_extend(used, width, value & word::mask(used)) != value {
                    return self.bool(value >= least);
                }
                let limit = self.bits(used, value);
                self.slt(limit, of)
            }
            _ => self.intern(Op::Slt(a, b), Sort::Bool),
        }
    }

    /// `a < b` where one of them is the least or the greatest value of the order, or next to it.
    fn at_the_edge(&mut self, a: Term, b: Term, least: u128, greatest: u128) -> Option<Term> {
        let width = self.width(a);
        let second = word::add(width, least, 1);
        let last_but_one = word::sub(width, greatest, 1);
        match (self.as_bits(a), self.as_bits(b)) {
            (_, Some(limit)) if limit == least => Some(self.falsehood()),
            (Some(limit), _) if limit == greatest => Some(self.falsehood()),
            (_, Some(limit)) if limit == second => {
                let only = self.bits(width, least);
                Some(self.eq(a, only))
            }
            (Some(limit), _) if limit == last_but_one => {
                let only = self.bits(width, greatest);
                Some(self.eq(b, only))
            }
            (_, Some(limit)) if limit == greatest => Some(self.ne(a, b)),
            (Some(limit), _) if limit == least => Some(self.ne(a, b)),
            _ => None,
        }
    }
}

/// The inverse of an odd number modulo any power of two up to 2^128, by Newton's iteration: each step doubles the
/// number of correct bits.
fn inverse(odd: u128) -> u128 {
    let mut guess = odd;
    for _ in 0..7 {
        guess = guess.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(guess)));
    }
    guess
}
