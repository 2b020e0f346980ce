//! Improving search. First by growth: keeps all satisfied soft constraints and asks for one more, until that is
//! impossible. Later by cost: asks for a smaller sum of violated weights than the best solution has.

use formula::{Sort, Term};

use super::{Answer, Search};
use crate::solver::Reason;

/// The limit of clauses for the sum.
const CLAUSES: u64 = 2_000_000;

pub(super) struct Improve {
    level: usize,
    sum: Option<Option<super::sum::Sum>>,
}

impl Improve {
    pub fn new(level: usize) -> Improve {
        Improve { level, sum: None }
    }

    /// Grows the set of satisfied soft constraints until it is maximal. If only one is violated then, it is a core.
    pub fn grow(&mut self, search: &mut Search<'_>, slice: u64) -> Result<Option<Vec<Term>>, Reason> {
        loop {
            let Some(best) = &search.best else { return Ok(None) };
            let mut evaluator = best.evaluator(search.solver.terms());
            let terms = search.wishes[self.level].iter().map(|&(term, _)| term);
            let (mut kept, missed): (Vec<Term>, Vec<Term>) = terms.partition(|&term| evaluator.evaluate_bool(term));
            if missed.is_empty() {
                return Ok(None);
            }
            // Guarded by a literal, so that the clause holds for this question only.
            let name = search.solver.terms().symbol("", Sort::Bool);
            let one = search.solver.terms().or(&missed);
            let clause = search.solver.terms().implies(name, one);
            search.solver.assert(clause);
            kept.push(name);
            let answer = search.ask(&kept, Some(slice))?;
            let off = search.solver.terms().not(name);
            search.solver.assert(off);
            match answer {
                Answer::Found => {}
                Answer::Never(core) if missed.len() == 1 => {
                    let wish = |term: Term| if term == name { missed[0] } else { term };
                    return Ok(Some(core.into_iter().map(wish).collect()));
                }
                Answer::Never(_) | Answer::Hard => return Ok(None),
            }
        }
    }

    /// Asks for a smaller cost than the best solution has; returns whether that is proven to be impossible, so that the
    /// level is done.
    pub fn lower_bound_reached(&mut self, search: &mut Search<'_>, slice: u64) -> Result<bool, Reason> {
        let level = self.level;
        if self.sum.is_none() {
            let mut inputs = Vec::with_capacity(search.wishes[level].len());
            for &(term, weight) in &search.wishes[level] {
                inputs.push((search.solver.terms().not(term), weight));
            }
            let bound = search.cost[level] + 1;
            self.sum = Some(super::sum::Sum::new(search.solver, &inputs, bound, CLAUSES));
        }
        let Some(Some(sum)) = &self.sum else { return Ok(false) };
        loop {
            let Some(too_much) = sum.at_least(search.cost[level]) else { return Ok(false) };
            let less = search.solver.terms().not(too_much);
            match search.ask(&[less], Some(slice))? {
                Answer::Found => {}
                Answer::Hard => return Ok(false),
                Answer::Never(_) => {
                    if let Some(more) = sum.at_least(search.cost[level] + 1) {
                        let no_more = search.solver.terms().not(more);
                        search.solver.assert(no_more);
                    }
                    return Ok(true);
                }
            }
        }
    }
}
