//! The path condition of a path: the conditions of the branches taken, in order.

use formula::{Op, Term, Terms};

#[derive(Clone, Debug, Default)]
pub struct Guard {
    literals: Vec<Term>,
    /// By literal: its conjunction with all earlier ones.
    together: Vec<Term>,
}

impl Guard {
    pub fn term(&self, terms: &Terms) -> Term {
        self.together.last().copied().unwrap_or(terms.truth())
    }

    pub fn is_certain(&self) -> bool {
        self.literals.is_empty()
    }

    pub fn push(&mut self, terms: &mut Terms, literal: Term) {
        if terms.as_bool(literal) == Some(true) || self.literals.contains(&literal) {
            return;
        }
        let before = self.term(terms);
        self.literals.push(literal);
        self.together.push(terms.and2(before, literal));
    }

    /// Whether the path condition contains the condition or its negation.
    pub fn decides(&self, terms: &mut Terms, condition: Term) -> Option<bool> {
        let negated = terms.not(condition);
        self.literals.iter().find_map(|&literal| match literal {
            literal if literal == condition => Some(true),
            literal if literal == negated => Some(false),
            _ => None,
        })
    }

    /// Whether this path condition implies the guard, as far as its literals show.
    pub fn implies(&self, terms: &Terms, guard: Term) -> bool {
        terms.as_bool(guard) == Some(true) || self.together.contains(&guard) || self.literals.contains(&guard)
    }

    fn common(&self, other: &Guard) -> usize {
        self.literals.iter().zip(&other.literals).take_while(|(one, other)| one == other).count()
    }

    /// The conjuncts that the other path condition does not share.
    pub fn beyond(&self, terms: &mut Terms, other: &Guard) -> Term {
        let common = self.common(other);
        terms.and(&self.literals[common..])
    }

    fn from(terms: &mut Terms, literals: &[Term]) -> Guard {
        let mut guard = Guard::default();
        literals.iter().for_each(|&literal| guard.push(terms, literal));
        guard
    }

    /// The path condition of the two paths joined: their disjunction.
    pub fn either(&self, terms: &mut Terms, other: &Guard) -> Guard {
        let common = self.common(other);
        let (own, theirs) = (&self.literals[common..], &other.literals[common..]);
        let mut guard = Guard::from(terms, &self.literals[..common]);
        let (one, two) = (terms.and(own), terms.and(theirs));
        if terms.not(one) == two {
            return guard;
        }
        let either = match (own, theirs) {
            ([first, own @ ..], [second, theirs @ ..]) if terms.not(*first) == *second => {
                let (own, theirs) = (terms.and(own), terms.and(theirs));
                terms.ite(*first, own, theirs)
            }
            _ => {
                let (one, two) = (shortened(terms, one, two), shortened(terms, two, one));
                terms.or2(one, two)
            }
        };
        guard.push(terms, either);
        guard
    }

    /// Drops the condition that excludes a path which has ended: no execution of that path gets here.
    pub fn forget(&mut self, terms: &mut Terms, ended: &Guard) {
        let common = self.common(ended);
        let Some(&own) = self.literals.get(common) else { return };
        let rest = terms.and(&ended.literals[common..]);
        if terms.not(rest) == own {
            let mut literals = self.literals.clone();
            literals.remove(common);
            *self = Guard::from(terms, &literals);
        }
    }
}

/// Simplifies `one` in `one or other`: drops the conjuncts that hold anyway where `other` does not.
fn shortened(terms: &mut Terms, one: Term, other: Term) -> Term {
    let known = |terms: &Terms| match terms.op(other) {
        Op::Or(parts) => parts.to_vec(),
        _ => vec![other],
    };
    let (Op::And(parts), known) = (terms.op(one).clone(), known(terms)) else { return one };
    let needed: Vec<Term> = parts.iter().copied().filter(|&part| !known.contains(&terms.not(part))).collect();
    if needed.len() == parts.len() { one } else { terms.and(&needed) }
}
