//! Explanations: clauses for conflicts and propagated literals, built from the edges of paths and their reasons.

use std::collections::HashSet;

use super::hidden::Implied;
use super::{Lit, NONE, TRUE, Theory, Why};

impl Theory {
    /// The conflict clause of an edge and a path back.
    pub(super) fn explain_cycle(&self, from: u32, to: u32, why: Why) -> Vec<Lit> {
        let mut pairs = Vec::new();
        let mut clause = Clause::default();
        if from != to {
            pairs.push((to, from));
        }
        clause.because(why, &mut pairs);
        self.explain(pairs, clause)
    }

    /// The reason clause of a propagated literal.
    pub fn reason(&self, lit: Lit) -> Vec<Lit> {
        let mut clause = Clause::default();
        clause.literals.push(lit);
        let Some(&Implied { from, to, through, .. }) = self.derived.reasons.get(&lit) else { return clause.literals };
        let pairs = match through {
            None => vec![(from, to)],
            Some((middle, writes)) => {
                if writes != TRUE {
                    clause.literals.push(-writes);
                    clause.seen.insert(writes);
                }
                let paths = [(from, middle), (middle, to)];
                paths.into_iter().filter(|&(from, _)| from != NONE).collect()
            }
        };
        self.explain(pairs, clause)
    }

    fn explain(&self, mut pairs: Vec<(u32, u32)>, mut clause: Clause) -> Vec<Lit> {
        let mut seen = HashSet::new();
        while let Some((from, to)) = pairs.pop() {
            if let Some(edge) = self.reach.explain_step(from, to, &mut pairs)
                && seen.insert(edge)
            {
                clause.because(self.why[edge as usize], &mut pairs);
            }
        }
        clause.literals
    }
}

#[derive(Default)]
struct Clause {
    literals: Vec<Lit>,
    seen: HashSet<Lit>,
}

impl Clause {
    fn because(&mut self, why: Why, pairs: &mut Vec<(u32, u32)>) {
        for lit in why.lits {
            if lit != TRUE && self.seen.insert(lit) {
                self.literals.push(-lit);
            }
        }
        if why.from != NONE {
            pairs.push((why.from, why.to));
        }
    }
}
