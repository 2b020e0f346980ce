//! Syntactic implication and exclusion of guards: guards are conjunctions that grow along a path.

use std::collections::HashMap;

use formula::{Op, Term, Terms};

/// Guards as sets of conjuncts, each split once. Trees of hundreds of paths are compared pairwise, so the sets are bit
/// sets.
#[derive(Debug, Default)]
pub struct Guards {
    /// Conjuncts without their negation, numbered.
    atoms: HashMap<Term, usize>,
    conjuncts: HashMap<Term, Conjuncts>,
}

#[derive(Debug, Default)]
struct Conjuncts {
    positive: Vec<u64>,
    negative: Vec<u64>,
}

impl Guards {
    fn take_apart(&mut self, terms: &Terms, guard: Term) {
        if self.conjuncts.contains_key(&guard) {
            return;
        }
        let mut conjuncts = Conjuncts::default();
        let mut open = vec![guard];
        while let Some(term) = open.pop() {
            let (atom, set) = match terms.op(term) {
                Op::And(operands) => {
                    open.extend(operands);
                    continue;
                }
                Op::Bool(true) => continue,
                Op::Not(inner) => (*inner, &mut conjuncts.negative),
                _ => (term, &mut conjuncts.positive),
            };
            let next = self.atoms.len();
            insert(set, *self.atoms.entry(atom).or_insert(next));
        }
        self.conjuncts.insert(guard, conjuncts);
    }

    /// Whether the conjunction of the first two syntactically implies the third.
    pub fn imply(&mut self, terms: &Terms, first: Term, second: Term, third: Term) -> bool {
        if third == first || third == second {
            return true;
        }
        for guard in [first, second, third] {
            self.take_apart(terms, guard);
        }
        let [first, second, third] = [first, second, third].map(|guard| &self.conjuncts[&guard]);
        covers(&first.positive, &second.positive, &third.positive)
            && covers(&first.negative, &second.negative, &third.negative)
    }

    /// Whether the two syntactically exclude each other.
    pub fn exclude(&mut self, terms: &Terms, one: Term, other: Term) -> bool {
        for guard in [one, other] {
            self.take_apart(terms, guard);
        }
        let [one, other] = [one, other].map(|guard| &self.conjuncts[&guard]);
        meet(&one.positive, &other.negative) || meet(&one.negative, &other.positive)
    }
}

fn insert(set: &mut Vec<u64>, number: usize) {
    if set.len() <= number / 64 {
        set.resize(number / 64 + 1, 0);
    }
    set[number / 64] |= 1 << (number % 64);
}

fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// Whether the union of the first two contains the third.
fn covers(first: &[u64], second: &[u64], third: &[u64]) -> bool {
    let word = |set: &[u64], index: usize| set.get(index).copied().unwrap_or(0);
    third.iter().enumerate().all(|(index, &wanted)| wanted & !(word(first, index) | word(second, index)) == 0)
}
