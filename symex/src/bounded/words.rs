//! The arithmetic of scripts over terms of 32 bits.

use events::Words;
use formula::Terms;

use crate::bounded::place::SYNC_BYTES;

/// Makes a type compute with terms, which the expression finds in it.
macro_rules! computes_with_terms {
    ($type:ty, |$own:ident| $terms:expr) => {
        impl Arithmetic for $type {
            type Word = formula::Term;
            type Truth = formula::Term;

            fn word(&mut self, value: u32) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).word(value)
            }

            fn truth(&mut self, value: bool) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).truth(value)
            }

            fn plus(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).plus(left, right)
            }

            fn minus(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).minus(left, right)
            }

            fn times(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).times(left, right)
            }

            fn quotient(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).quotient(left, right)
            }

            fn remainder(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).remainder(left, right)
            }

            fn equal(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).equal(left, right)
            }

            fn differ(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).differ(left, right)
            }

            fn at_most(&mut self, left: formula::Term, right: formula::Term) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).at_most(left, right)
            }

            fn choose(
                &mut self,
                condition: formula::Term,
                then: formula::Term,
                otherwise: formula::Term,
            ) -> formula::Term {
                let $own = self;
                $crate::bounded::words::words($terms).choose(condition, then, otherwise)
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

pub fn words(terms: &mut Terms) -> Words<'_> {
    Words { terms, bits: 8 * SYNC_BYTES }
}
