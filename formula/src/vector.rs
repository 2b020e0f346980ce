//! Constructors of bit-vector terms: arithmetic, bitwise operations and shifts. Operations that only move bits
//! (`concat`, `extract`, extensions) are in `slice`, comparisons in `compare`.
//!
//! The constant operand of a commutative operation is the second one. Shifts by a constant, and masks at either end of
//! a word, become concatenations and extractions, which cost a solver nothing and which comparisons can simplify.

use crate::term::{Op, Sort, Term, Terms};
use crate::word;

type Constructor = fn(&mut Terms, Term, Term) -> Term;
type Meaning = fn(u32, u128, u128) -> u128;

impl Terms {
    /// A constant, truncated to the width.
    #[track_caller]
    pub fn bits(&mut self, width: u32, value: u128) -> Term {
        assert!((1..=128).contains(&width), "a bit-vector has 1 to 128 bits, not {width}");
        self.intern(Op::Bits { width, value: value & word::mask(width) }, Sort::Bits(width))
    }

    #[track_caller]
    pub(crate) fn same_width(&self, a: Term, b: Term) -> u32 {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "both operands have one width");
        width
    }

    /// Constant folding, also of choices between constants.
    fn fold(&mut self, a: Term, b: Term, meaning: Meaning, constructor: Constructor) -> Option<Term> {
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            let width = self.width(a);
            return Some(self.bits(width, meaning(width, x, y)));
        }
        self.distribute(a, b, constructor)
    }

    /// Distributes the operation over choices between constants.
    pub(crate) fn distribute(&mut self, a: Term, b: Term, constructor: Constructor) -> Option<Term> {
        let (condition, [a_then, a_else], [b_then, b_else]) = match (self.choice(a), self.choice(b)) {
            (Some((c, a)), Some((d, b))) if c == d => (c, a, b),
            (Some((c, a)), None) if self.as_bits(b).is_some() => (c, a, [b, b]),
            (None, Some((c, b))) if self.as_bits(a).is_some() => (c, [a, a], b),
            _ => return None,
        };
        let then = constructor(self, a_then, b_then);
        let otherwise = constructor(self, a_else, b_else);
        Some(self.ite(condition, then, otherwise))
    }

    /// The condition and the branches of a choice between two constants.
    fn choice(&self, term: Term) -> Option<(Term, [Term; 2])> {
        match *self.op(term) {
            Op::Ite(c, t, e) if self.as_bits(t).is_some() && self.as_bits(e).is_some() => Some((c, [t, e])),
            _ => None,
        }
    }

    /// The operands in the canonical order of a commutative operation: constants last.
    pub(crate) fn sorted(&self, a: Term, b: Term) -> (Term, Term) {
        let key = |term: Term| (self.as_bits(term).is_some(), term);
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    fn vector(&mut self, op: Op, width: u32) -> Term {
        self.intern(op, Sort::Bits(width))
    }

    #[track_caller]
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(folded) = self.fold(a, b, word::add, Terms::add) {
            return folded;
        }
        let (a, b) = self.sorted(a, b);
        if let Some(constant) = self.as_bits(b) {
            if constant == 0 {
                return a;
            }
            if let Op::Add(inner, offset) = *self.op(a)
                && let Some(offset) = self.as_bits(offset)
            {
                let sum = self.bits(width, word::add(width, offset, constant));
                return self.add(inner, sum);
            }
            return self.vector(Op::Add(a, b), width);
        }
        match (self.op(a), self.op(b)) {
            (&Op::Sub(x, y), _) if y == b => return x,
            (_, &Op::Sub(x, y)) if y == a => return x,
            (&Op::Neg(y), _) => return self.sub(b, y),
            (_, &Op::Neg(y)) => return self.sub(a, y),
            _ => {}
        }
        // Constants move outwards, where they are folded with other constants.
        for (with, other) in [(a, b), (b, a)] {
            if let Op::Add(inner, offset) = *self.op(with)
                && self.as_bits(offset).is_some()
            {
                let sum = self.add(inner, other);
                return self.add(sum, offset);
            }
        }
        self.vector(Op::Add(a, b), width)
    }

    #[track_caller]
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b {
            return self.bits(width, 0);
        }
        if let Some(folded) = self.fold(a, b, word::sub, Terms::sub) {
            return folded;
        }
        if let Some(constant) = self.as_bits(b) {
            let negated = self.bits(width, word::neg(width, constant));
            return self.add(a, negated);
        }
        if self.as_bits(a) == Some(0) {
            return self.neg(b);
        }
        if let Op::Neg(y) = *self.op(b) {
            return self.add(a, y);
        }
        let (a_base, a_offset) = self.offset(a);
        let (b_base, b_offset) = self.offset(b);
        if a_offset != 0 || b_offset != 0 {
            let base = self.sub(a_base, b_base);
            let offset = self.bits(width, word::sub(width, a_offset, b_offset));
            return self.add(base, offset);
        }
        match *self.op(a) {
            Op::Add(x, y) if x == b => return y,
            Op::Add(x, y) if y == b => return x,
            _ => {}
        }
        self.vector(Op::Sub(a, b), width)
    }

    /// The term as a base plus a constant.
    pub(crate) fn offset(&self, term: Term) -> (Term, u128) {
        match *self.op(term) {
            Op::Add(base, offset) => self.as_bits(offset).map_or((term, 0), |offset| (base, offset)),
            _ => (term, 0),
        }
    }

    #[track_caller]
    pub fn neg(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match *self.op(a) {
            Op::Bits { value, .. } => self.bits(width, word::neg(width, value)),
            Op::Neg(inner) => inner,
            Op::Sub(x, y) => self.sub(y, x),
            Op::Ite(c, t, e) if self.choice(a).is_some() => {
                let (t, e) = (self.neg(t), self.neg(e));
                self.ite(c, t, e)
            }
            _ if width == 1 => a,
            _ => self.vector(Op::Neg(a), width),
        }
    }

    #[track_caller]
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(folded) = self.fold(a, b, word::mul, Terms::mul) {
            return folded;
        }
        let (a, b) = self.sorted(a, b);
        if let Some(constant) = self.as_bits(b) {
            if constant == 0 {
                return b;
            }
            if constant.is_power_of_two() {
                let by = self.bits(width, u128::from(constant.trailing_zeros()));
                return self.shl(a, by);
            }
            if constant == word::mask(width) {
                return self.neg(a);
            }
            if let Op::Mul(inner, factor) = *self.op(a)
                && let Some(factor) = self.as_bits(factor)
            {
                let product = self.bits(width, word::mul(width, factor, constant));
                return self.mul(inner, product);
            }
        }
        self.vector(Op::Mul(a, b), width)
    }

    #[track_caller]
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(folded) = self.fold(a, b, word::udiv, Terms::udiv) {
            return folded;
        }
        match self.as_bits(b) {
            Some(0) => self.bits(width, word::mask(width)),
            Some(divisor) if divisor.is_power_of_two() => {
                let by = self.bits(width, u128::from(divisor.trailing_zeros()));
                self.lshr(a, by)
            }
            _ => self.vector(Op::Udiv(a, b), width),
        }
    }

    #[track_caller]
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(folded) = self.fold(a, b, word::urem, Terms::urem) {
            return folded;
        }
        match self.as_bits(b) {
            Some(0) => a,
            Some(divisor) if divisor.is_power_of_two() => {
                let below = self.bits(width, divisor - 1);
                self.bit_and(a, below)
            }
            _ => self.vector(Op::Urem(a, b), width),
        }
    }

    #[track_caller]
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(folded) = self.fold(a, b, word::sdiv, Terms::sdiv) {
            return folded;
        }
        match self.as_bits(b) {
            // In one bit, 1 is minus one.
            Some(1) if width > 1 => a,
            Some(divisor) if divisor == word::mask(width) => self.neg(a),
            _ => self.vector(Op::Sdiv(a, b), width),
        }
    }

    #[track_caller]
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(folded) = self.fold(a, b, word::srem, Terms::srem) {
            return folded;
        }
        match self.as_bits(b) {
            Some(0) => a,
            Some(divisor) if divisor == 1 || divisor == word::mask(width) => self.bits(width, 0),
            _ => self.vector(Op::Srem(a, b), width),
        }
    }

    #[track_caller]
    pub fn bit_and(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(folded) = self.fold(a, b, word::and, Terms::bit_and) {
            return folded;
        }
        let (a, b) = self.sorted(a, b);
        if a == b {
            return a;
        }
        if self.complements(a, b) {
            return self.bits(width, 0);
        }
        if let Some(mask) = self.as_bits(b) {
            if let Some(masked) = self.mask(a, mask, width) {
                return masked;
            }
            if let Op::BitAnd(inner, other) = *self.op(a)
                && let Some(other) = self.as_bits(other)
            {
                let both = self.bits(width, other & mask);
                return self.bit_and(inner, both);
            }
        }
        self.vector(Op::BitAnd(a, b), width)
    }

    /// A mask that keeps one end of the word, nothing, or all of it.
    fn mask(&mut self, a: Term, mask: u128, width: u32) -> Option<Term> {
        let all = word::mask(width);
        if mask == 0 {
            return Some(self.bits(width, 0));
        }
        if mask == all {
            return Some(a);
        }
        if (mask + 1).is_power_of_two() {
            let low = self.extract(a, mask.trailing_ones() - 1, 0);
            return Some(self.zero_extend(low, width));
        }
        let cleared = all ^ mask;
        if (cleared + 1).is_power_of_two() {
            let high = self.extract(a, width - 1, mask.trailing_zeros());
            let zeros = self.bits(mask.trailing_zeros(), 0);
            return Some(self.concat(high, zeros));
        }
        None
    }

    fn complements(&self, a: Term, b: Term) -> bool {
        *self.op(a) == Op::BitNot(b) || *self.op(b) == Op::BitNot(a)
    }

    #[track_caller]
    pub fn bit_or(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(folded) = self.fold(a, b, word::or, Terms::bit_or) {
            return folded;
        }
        let (a, b) = self.sorted(a, b);
        if a == b {
            return a;
        }
        if self.complements(a, b) {
            return self.bits(width, word::mask(width));
        }
        if let Some(constant) = self.as_bits(b) {
            if constant == 0 {
                return a;
            }
            if constant == word::mask(width) {
                return b;
            }
            if let Op::BitOr(inner, other) = *self.op(a)
                && let Some(other) = self.as_bits(other)
            {
                let both = self.bits(width, other | constant);
                return self.bit_or(inner, both);
            }
        }
        if let Some(joined) = self.or_as_concat(a, b).or_else(|| self.or_as_concat(b, a)) {
            return joined;
        }
        self.vector(Op::BitOr(a, b), width)
    }

    /// `(high << n) | low` where `low` has at most `n` bits: bytes assembled to a word.
    fn or_as_concat(&mut self, shifted: Term, extended: Term) -> Option<Term> {
        let Op::Concat(high, zeros) = *self.op(shifted) else { return None };
        let Op::ZeroExtend { of, width } = *self.op(extended) else { return None };
        let (free, used) = (self.width(zeros), self.width(of));
        if self.as_bits(zeros) != Some(0) || used > free || width != self.width(shifted) {
            return None;
        }
        let low = self.zero_extend(of, free);
        Some(self.concat(high, low))
    }

    #[track_caller]
    pub fn bit_xor(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(folded) = self.fold(a, b, word::xor, Terms::bit_xor) {
            return folded;
        }
        let (a, b) = self.sorted(a, b);
        if a == b {
            return self.bits(width, 0);
        }
        if self.complements(a, b) {
            return self.bits(width, word::mask(width));
        }
        if let Some(constant) = self.as_bits(b) {
            if constant == 0 {
                return a;
            }
            if constant == word::mask(width) {
                return self.bit_not(a);
            }
            if let Op::BitXor(inner, other) = *self.op(a)
                && let Some(other) = self.as_bits(other)
            {
                let both = self.bits(width, other ^ constant);
                return self.bit_xor(inner, both);
            }
        }
        self.vector(Op::BitXor(a, b), width)
    }

    #[track_caller]
    pub fn bit_not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match *self.op(a) {
            Op::Bits { value, .. } => self.bits(width, word::not(width, value)),
            Op::BitNot(inner) => inner,
            Op::Ite(c, t, e) if self.choice(a).is_some() => {
                let (t, e) = (self.bit_not(t), self.bit_not(e));
                self.ite(c, t, e)
            }
            _ => self.vector(Op::BitNot(a), width),
        }
    }

    #[track_caller]
    pub fn shl(&mut self, a: Term, by: Term) -> Term {
        let width = self.same_width(a, by);
        if let Some(folded) = self.fold(a, by, word::shl, Terms::shl) {
            return folded;
        }
        match self.as_bits(by) {
            Some(0) => a,
            Some(by) if by >= u128::from(width) => self.bits(width, 0),
            Some(by) => {
                let by = by as u32;
                let kept = self.extract(a, width - 1 - by, 0);
                let zeros = self.bits(by, 0);
                self.concat(kept, zeros)
            }
            None if self.as_bits(a) == Some(0) => a,
            None => self.vector(Op::Shl(a, by), width),
        }
    }

    #[track_caller]
    pub fn lshr(&mut self, a: Term, by: Term) -> Term {
        let width = self.same_width(a, by);
        if let Some(folded) = self.fold(a, by, word::lshr, Terms::lshr) {
            return folded;
        }
        match self.as_bits(by) {
            Some(by) if by >= u128::from(width) => self.bits(width, 0),
            Some(by) => {
                let kept = self.extract(a, width - 1, by as u32);
                self.zero_extend(kept, width)
            }
            None if self.as_bits(a) == Some(0) => a,
            None => self.vector(Op::Lshr(a, by), width),
        }
    }

    #[track_caller]
    pub fn ashr(&mut self, a: Term, by: Term) -> Term {
        let width = self.same_width(a, by);
        if let Some(folded) = self.fold(a, by, word::ashr, Terms::ashr) {
            return folded;
        }
        match self.as_bits(by) {
            Some(by) => {
                let by = by.min(u128::from(width) - 1) as u32;
                let kept = self.extract(a, width - 1, by);
                self.sign_extend(kept, width)
            }
            None if self.as_bits(a) == Some(0) || self.as_bits(a) == Some(word::mask(width)) => a,
            None => self.vector(Op::Ashr(a, by), width),
        }
    }
}
