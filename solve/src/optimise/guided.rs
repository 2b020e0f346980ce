//! Search by cores. As long as the wishes cannot all be had, each core raises the bound by its least weight and is
//! replaced by a milder wish: that no more than one of its members is violated, then no more than two, and so on.

use std::collections::HashMap;

use formula::Term;

use super::totalizer::Totalizer;
use super::{Answer, Search};
use crate::solver::Reason;

/// Conflicts for making a core smaller, per question, how many questions, and how many of them without an answer.
const TRIMMING: u64 = 100;
const TRIMS: u32 = 100;
const HARD: u32 = 2;

pub(super) struct Guided {
    /// What is wished for now. The cost of an assignment is the bound and the weights of those that it violates.
    active: Vec<(Term, u64)>,
    /// Those that bound a sum: which one, and how many it allows.
    sums: HashMap<Term, (usize, usize)>,
    totalizers: Vec<Totalizer>,
    lower: u64,
    /// Only wishes of at least this weight are asked for.
    threshold: u64,
}

pub(super) enum Step {
    More,
    Optimal,
    Hard,
}

impl Guided {
    pub fn new(wishes: &[(Term, u64)]) -> Guided {
        Guided {
            active: wishes.to_vec(),
            sums: HashMap::new(),
            totalizers: Vec::new(),
            lower: 0,
            threshold: wishes.iter().map(|&(_, weight)| weight).max().unwrap_or(1),
        }
    }

    pub fn lower(&self) -> u64 {
        self.lower
    }

    /// One question, and what follows from its answer.
    pub fn step(&mut self, search: &mut Search<'_>, level: usize, slice: u64) -> Result<Step, Reason> {
        self.give_in(search, level);
        let heavy = self.active.iter().filter(|&&(_, weight)| weight >= self.threshold);
        let asked: Vec<Term> = heavy.map(|&(term, _)| term).collect();
        match search.ask(&asked, Some(slice))? {
            Answer::Hard => Ok(Step::Hard),
            Answer::Found => {
                let lighter = self.active.iter().map(|&(_, weight)| weight).filter(|&weight| weight < self.threshold);
                match lighter.max() {
                    None => Ok(Step::Optimal),
                    Some(next) => {
                        self.threshold = next;
                        Ok(Step::More)
                    }
                }
            }
            Answer::Never(core) => {
                self.learn(search, level, core, slice)?;
                Ok(Step::More)
            }
        }
    }

    /// These cannot all be had.
    pub fn learn(&mut self, search: &mut Search<'_>, level: usize, core: Vec<Term>, slice: u64) -> Result<(), Reason> {
        // One that closes the gap to the best has done all that it can, whatever its size.
        let core = if self.closes(search, level, &core) { core } else { trim(search, core)? };
        self.relax(search, level, core, slice)
    }

    /// From now on what the bound assumes must hold.
    pub fn harden(&self, search: &mut Search<'_>) {
        for &(term, _) in &self.active {
            search.solver.assert(term);
        }
    }

    /// What would cost more than the best does must hold.
    fn give_in(&mut self, search: &mut Search<'_>, level: usize) {
        let spare = search.cost[level].saturating_sub(self.lower);
        let (certain, open): (Vec<_>, Vec<_>) = self.active.iter().partition(|&&(_, weight)| weight > spare);
        self.active = open;
        for (term, _) in certain {
            search.solver.assert(term);
        }
    }

    fn least(&self, core: &[Term]) -> Option<u64> {
        self.active.iter().filter(|(term, _)| core.contains(term)).map(|&(_, weight)| weight).min()
    }

    /// Whether nothing can be better than the best, given this core.
    fn closes(&self, search: &Search<'_>, level: usize, core: &[Term]) -> bool {
        self.least(core).is_some_and(|least| self.lower + least >= search.cost[level])
    }

    fn relax(&mut self, search: &mut Search<'_>, level: usize, core: Vec<Term>, slice: u64) -> Result<(), Reason> {
        let Some(least) = self.least(&core) else {
            return Err(Reason::Failed("a core of nothing that was asked for".to_owned()));
        };
        self.lower += least;
        for (term, weight) in &mut self.active {
            if core.contains(term) {
                *weight -= least;
            }
        }
        self.active.retain(|&(_, weight)| weight > 0);
        // A sum that was part of the core may be exceeded by one more.
        for term in &core {
            if let Some(&(totalizer, allowed)) = self.sums.get(term) {
                self.allow(search, totalizer, allowed + 1, least);
            }
        }
        if core.len() > 1 {
            let violated: Vec<Term> = core.iter().map(|&term| search.solver.terms().not(term)).collect();
            self.totalizers.push(Totalizer::new(&violated));
            let allowed = if self.lower < search.cost[level] { self.exhaust(search, least, slice)? } else { 1 };
            self.allow(search, self.totalizers.len() - 1, allowed, least);
        } else {
            let never = search.solver.terms().not(core[0]);
            search.solver.assert(never);
        }
        Ok(())
    }

    /// Raises the bound as long as the last core's members alone do so.
    fn exhaust(&mut self, search: &mut Search<'_>, weight: u64, slice: u64) -> Result<usize, Reason> {
        let mut allowed = 1;
        let Some(totalizer) = self.totalizers.last_mut() else { return Ok(allowed) };
        while allowed < totalizer.size() {
            let more = totalizer.at_least(search.solver, allowed + 1);
            let enough = search.solver.terms().not(more);
            match search.ask(&[enough], Some(slice / 2))? {
                Answer::Never(_) => {
                    allowed += 1;
                    self.lower += weight;
                }
                Answer::Found | Answer::Hard => break,
            }
        }
        Ok(allowed)
    }

    /// Wishes that the sum is no more than that.
    fn allow(&mut self, search: &mut Search<'_>, totalizer: usize, allowed: usize, weight: u64) {
        let sum = &mut self.totalizers[totalizer];
        if allowed >= sum.size() {
            return;
        }
        let more = sum.at_least(search.solver, allowed + 1);
        let enough = search.solver.terms().not(more);
        self.sums.insert(enough, (totalizer, allowed));
        match self.active.iter_mut().find(|(term, _)| *term == enough) {
            Some(wish) => wish.1 += weight,
            None => self.active.push((enough, weight)),
        }
    }
}

/// A smaller core, if one is found quickly: halves are left out, then quarters, and in the end single members.
fn trim(search: &mut Search<'_>, mut core: Vec<Term>) -> Result<Vec<Term>, Reason> {
    while core.len() > 1 {
        match search.ask(&core, Some(TRIMMING))? {
            Answer::Never(smaller) if smaller.len() < core.len() && !smaller.is_empty() => core = smaller,
            _ => break,
        }
    }
    let mut chunk = core.len().div_ceil(2);
    let (mut asked, mut hard) = (0, 0);
    loop {
        let mut end = core.len();
        while end > 0 && core.len() > 1 && asked < TRIMS && hard < HARD {
            let begin = end.saturating_sub(chunk);
            let rest: Vec<Term> = core[..begin].iter().chain(&core[end..]).copied().collect();
            asked += 1;
            match search.ask(&rest, Some(TRIMMING))? {
                Answer::Never(smaller) if !smaller.is_empty() => {
                    end = core[..begin].iter().filter(|term| smaller.contains(term)).count();
                    core = smaller;
                }
                answer => {
                    hard += u32::from(matches!(answer, Answer::Hard));
                    end = begin;
                }
            }
        }
        if chunk == 1 || core.len() == 1 || asked >= TRIMS || hard >= HARD {
            return Ok(core);
        }
        chunk = chunk.min(core.len()).div_ceil(2);
    }
}
