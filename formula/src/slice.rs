//! Constructors of bit-vector terms that only move bits: concatenation, extraction, extension. Splitting a word into
//! bytes and concatenating them gives the same term again.

use crate::term::{Op, Sort, Term, Terms};
use crate::word;

impl Terms {
    #[track_caller]
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        assert!(width <= 128, "a bit-vector has 1 to 128 bits, not {width}");
        if let (Some(h), Some(l)) = (self.as_bits(high), self.as_bits(low)) {
            return self.bits(width, word::concat(h, l, low_width));
        }
        // Right-associative, so that mergeable parts are adjacent.
        if let Op::Concat(first, second) = *self.op(high) {
            let rest = self.concat(second, low);
            return self.concat(first, rest);
        }
        if let Op::Concat(next, rest) = *self.op(low) {
            if let Some(merged) = self.merge(high, next) {
                return self.concat(merged, rest);
            }
        } else if let Some(merged) = self.merge(high, low) {
            return merged;
        }
        if self.as_bits(high) == Some(0) {
            return self.zero_extend(low, width);
        }
        self.intern(Op::Concat(high, low), Sort::Bits(width))
    }

    /// Merges two adjacent parts: constants, choices between constants, adjacent parts of one term, zeros above a zero
    /// extension, copies of the sign above a sign extension.
    fn merge(&mut self, high: Term, low: Term) -> Option<Term> {
        match (self.op(high), self.op(low)) {
            (&Op::Bits { width: above, value }, &Op::Bits { width: below, value: low }) => {
                Some(self.bits(above + below, word::concat(value, low, below)))
            }
            (&Op::Extract { high: top, low: bottom, of }, &Op::Extract { high, low, of: other })
                if of == other && bottom == high + 1 =>
            {
                Some(self.extract(of, top, low))
            }
            (&Op::Bits { width: above, value: 0 }, &Op::ZeroExtend { of, width }) => {
                Some(self.zero_extend(of, above + width))
            }
            (&Op::SignExtend { of: bit, .. }, _) if self.width(bit) == 1 => self.merge_sign(bit, high, low),
            _ if self.width(high) == 1 => self.merge_sign(high, high, low),
            _ => None,
        }
        .or_else(|| self.distribute(high, low, Terms::concat))
    }

    fn merge_sign(&mut self, bit: Term, high: Term, low: Term) -> Option<Term> {
        let (above, below) = (self.width(high), self.width(low));
        (self.extract(low, below - 1, below - 1) == bit).then(|| self.sign_extend(low, above + below))
    }

    /// Bits `low` to `high` of a term, inclusive.
    #[track_caller]
    pub fn extract(&mut self, of: Term, high: u32, low: u32) -> Term {
        let width = self.width(of);
        assert!(low <= high && high < width, "bits {low} to {high} of {width}");
        if low == 0 && high == width - 1 {
            return of;
        }
        match *self.op(of) {
            Op::Bits { value, .. } => return self.bits(high - low + 1, word::extract(high, low, value)),
            Op::Extract { low: start, of, .. } => return self.extract(of, start + high, start + low),
            Op::Concat(above, below) => {
                let split = self.width(below);
                if high < split {
                    return self.extract(below, high, low);
                }
                if low >= split {
                    return self.extract(above, high - split, low - split);
                }
                let above = self.extract(above, high - split, 0);
                let below = self.extract(below, split - 1, low);
                return self.concat(above, below);
            }
            Op::ZeroExtend { of: inner, .. } => {
                let used = self.width(inner);
                if low >= used {
                    return self.bits(high - low + 1, 0);
                }
                let part = self.extract(inner, high.min(used - 1), low);
                return self.zero_extend(part, high - low + 1);
            }
            Op::SignExtend { of: inner, .. } => {
                let used = self.width(inner);
                let part = self.extract(inner, high.min(used - 1), low.min(used - 1));
                return self.sign_extend(part, high - low + 1);
            }
            Op::Ite(c, t, e) if self.as_bits(t).is_some() && self.as_bits(e).is_some() => {
                let (t, e) = (self.extract(t, high, low), self.extract(e, high, low));
                return self.ite(c, t, e);
            }
            _ => {}
        }
        self.intern(Op::Extract { high, low, of }, Sort::Bits(high - low + 1))
    }

    /// To `width` bits in total.
    #[track_caller]
    pub fn zero_extend(&mut self, of: Term, width: u32) -> Term {
        if self.extends_nothing(of, width) {
            return of;
        }
        match *self.op(of) {
            Op::Bits { value, .. } => self.bits(width, value),
            Op::ZeroExtend { of, .. } => self.zero_extend(of, width),
            Op::Ite(c, t, e) if self.as_bits(t).is_some() && self.as_bits(e).is_some() => {
                let (t, e) = (self.zero_extend(t, width), self.zero_extend(e, width));
                self.ite(c, t, e)
            }
            _ => self.intern(Op::ZeroExtend { of, width }, Sort::Bits(width)),
        }
    }

    /// To `width` bits in total.
    #[track_caller]
    pub fn sign_extend(&mut self, of: Term, width: u32) -> Term {
        if self.extends_nothing(of, width) {
            return of;
        }
        match *self.op(of) {
            Op::Bits { width: used, value } => self.bits(width, word::sign_extend(used, width, value)),
            Op::SignExtend { of, .. } => self.sign_extend(of, width),
            // Its sign is zero, since it is zero-extended already.
            Op::ZeroExtend { of, .. } => self.zero_extend(of, width),
            Op::Ite(c, t, e) if self.as_bits(t).is_some() && self.as_bits(e).is_some() => {
                let (t, e) = (self.sign_extend(t, width), self.sign_extend(e, width));
                self.ite(c, t, e)
            }
            _ => self.intern(Op::SignExtend { of, width }, Sort::Bits(width)),
        }
    }

    #[track_caller]
    fn extends_nothing(&self, of: Term, width: u32) -> bool {
        let used = self.width(of);
        assert!(used <= width && width <= 128, "from {used} to {width} bits");
        used == width
    }
}
