//! The arithmetic of the runtime's scripts over terms.

use formula::{Term, Terms};
use semantics::primitives::Arithmetic;

/// Words of up to 32 bits.
pub struct Words<'t> {
    pub terms: &'t mut Terms,
    pub bits: u32,
}

impl Arithmetic for Words<'_> {
    type Word = Term;
    type Truth = Term;

    fn word(&mut self, value: u32) -> Term {
        self.terms.bits(self.bits, u128::from(value) & ((1 << self.bits) - 1))
    }

    fn truth(&mut self, value: bool) -> Term {
        self.terms.bool(value)
    }

    fn plus(&mut self, left: Term, right: Term) -> Term {
        self.terms.add(left, right)
    }

    fn minus(&mut self, left: Term, right: Term) -> Term {
        self.terms.sub(left, right)
    }

    fn times(&mut self, left: Term, right: Term) -> Term {
        self.terms.mul(left, right)
    }

    fn quotient(&mut self, left: Term, right: Term) -> Term {
        self.terms.udiv(left, right)
    }

    fn remainder(&mut self, left: Term, right: Term) -> Term {
        self.terms.urem(left, right)
    }

    fn equal(&mut self, left: Term, right: Term) -> Term {
        self.terms.eq(left, right)
    }

    fn differ(&mut self, left: Term, right: Term) -> Term {
        self.terms.ne(left, right)
    }

    fn at_most(&mut self, left: Term, right: Term) -> Term {
        self.terms.ule(left, right)
    }

    fn choose(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.terms.ite(condition, then, otherwise)
    }
}
