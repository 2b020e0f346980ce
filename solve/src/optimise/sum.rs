//! A generalised totalizer: the sum of the weights of the terms that hold, up to a bound (Joshi, Martins, Manquinho, CP
//! 2015). One direction only: if the sum reaches a value, the output holds.

use std::collections::BTreeMap;

use formula::{Sort, Term};

use crate::solver::Solver;

/// By value: a term that holds if the sum is at least that.
pub(super) struct Sum(BTreeMap<u64, Term>);

impl Sum {
    /// Sums above the bound count as the bound. `None` if it would need more than `clauses` clauses.
    pub fn new(solver: &mut dyn Solver, inputs: &[(Term, u64)], bound: u64, clauses: u64) -> Option<Sum> {
        let mut left = clauses;
        let mut row: Vec<BTreeMap<u64, Term>> =
            inputs.iter().map(|&(term, weight)| BTreeMap::from([(weight.min(bound), term)])).collect();
        while row.len() > 1 {
            let mut next = Vec::with_capacity(row.len().div_ceil(2));
            let mut rest = row.into_iter();
            while let Some(one) = rest.next() {
                match rest.next() {
                    Some(other) => next.push(merge(solver, &one, &other, bound, &mut left)?),
                    None => next.push(one),
                }
            }
            row = next;
        }
        Some(Sum(row.pop().unwrap_or_default()))
    }

    /// A term that holds if the sum is at least `value`; `None` if the sum is always smaller.
    pub fn at_least(&self, value: u64) -> Option<Term> {
        self.0.range(value..).next().map(|(_, &term)| term)
    }
}

fn merge(
    solver: &mut dyn Solver,
    one: &BTreeMap<u64, Term>,
    other: &BTreeMap<u64, Term>,
    bound: u64,
    left: &mut u64,
) -> Option<BTreeMap<u64, Term>> {
    *left = left.checked_sub((one.len() as u64 + 1) * (other.len() as u64 + 1))?;
    let mut outputs: BTreeMap<u64, Term> = BTreeMap::new();
    let with_none = |side: &BTreeMap<u64, Term>| -> Vec<(u64, Option<Term>)> {
        [(0, None)].into_iter().chain(side.iter().map(|(&value, &term)| (value, Some(term)))).collect()
    };
    for (first, from_one) in with_none(one) {
        for (second, from_other) in with_none(other) {
            let value = (first + second).min(bound);
            let parts: Vec<Term> = [from_one, from_other].into_iter().flatten().collect();
            if parts.is_empty() {
                continue;
            }
            let output = *outputs.entry(value).or_insert_with(|| solver.terms().symbol("", Sort::Bool));
            let both = solver.terms().and(&parts);
            let clause = solver.terms().implies(both, output);
            solver.assert(clause);
        }
    }
    let ordered: Vec<Term> = outputs.values().copied().collect();
    for pair in ordered.windows(2) {
        let clause = solver.terms().implies(pair[1], pair[0]);
        solver.assert(clause);
    }
    Some(outputs)
}
