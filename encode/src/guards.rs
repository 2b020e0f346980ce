//! What can be told of two guards by looking at them: guards are conjunctions that grow along a path.

use std::collections::{BTreeSet, HashMap};

use formula::{Op, Term, Terms};

/// Guards as sets of conjuncts, each taken apart once.
#[derive(Debug, Default)]
pub struct Guards {
    conjuncts: HashMap<Term, BTreeSet<Term>>,
}

impl Guards {
    fn of(&mut self, terms: &Terms, guard: Term) -> &BTreeSet<Term> {
        self.conjuncts.entry(guard).or_insert_with(|| match terms.op(guard) {
            Op::And(operands) => operands.iter().copied().collect(),
            Op::Bool(true) => BTreeSet::new(),
            _ => BTreeSet::from([guard]),
        })
    }

    /// Whether the first, together with the second, obviously implies the third.
    pub fn imply(&mut self, terms: &Terms, first: Term, second: Term, third: Term) -> bool {
        if third == first || third == second {
            return true;
        }
        let wanted = self.of(terms, third).clone();
        wanted.iter().all(|part| self.of(terms, first).contains(part) || self.of(terms, second).contains(part))
    }

    /// Whether they obviously cannot hold together.
    pub fn exclude(&mut self, terms: &mut Terms, one: Term, other: Term) -> bool {
        let (one, other) = (self.of(terms, one).clone(), self.of(terms, other).clone());
        let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
        few.iter().any(|&part| {
            let opposite = terms.not(part);
            many.contains(&opposite)
        })
    }
}
