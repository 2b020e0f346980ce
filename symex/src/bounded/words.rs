//! The arithmetic of scripts over terms of 32 bits.

use formula::Terms;

/// Makes a type compute with terms, which the expression finds in it.
macro_rules! computes_with_terms {
    ($type:ty, |$own:ident| $terms:expr) => {
        impl semantics::primitives::Arithmetic for $type {
            type Word = formula::Term;
            type Truth = formula::Term;

            fn word(&mut self, value: u32) -> formula::Term {
                let $own = self;
                $terms.bits(8 * $crate::bounded::place::SYNC_BYTES, u128::from(value))
            }

            fn truth(&mut self, value: bool) -> formula::Term {
                let $own = self;
                $terms.bool(value)
            }

            fn plus(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $terms.add(left, right)
            }

            fn minus(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $terms.sub(left, right)
            }

            fn times(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $terms.mul(left, right)
            }

            fn quotient(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $terms.udiv(left, right)
            }

            fn remainder(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $terms.urem(left, right)
            }

            fn equal(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $terms.eq(left, right)
            }

            fn differ(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $terms.ne(left, right)
            }

            fn at_most(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $terms.ule(left, right)
            }

            fn choose(
                &mut self,
                condition: formula::Term,
                then: formula::Term,
                otherwise: formula::Term,
            ) -> formula::Term {
                let $own = self;
                $terms.ite(condition, then, otherwise)
            }

            fn bit(&mut self, condition: formula::Term) -> formula::Term {
                let $own = self;
                let bit = $crate::terms::of_bool($terms, condition);
                $crate::terms::fit($terms, bit, 8 * $crate::bounded::place::SYNC_BYTES)
            }
        }
    };
}

pub(crate) use computes_with_terms;

/// Terms without an engine.
pub struct Words<'t>(pub &'t mut Terms);

computes_with_terms!(Words<'_>, |own| own.0);
