//! Core-guided search. Each core of soft constraints raises the lower bound by its least weight, and is replaced by
//! weaker soft constraints: at most one of its members is violated, at most two, and so on.

use std::collections::HashMap;

use formula::Term;

use super::totalizer::Totalizer;
use super::{Answer, Search};
use crate::solver::Reason;

/// The limit of conflicts per question when a core is trimmed, the number of questions, and the number of unanswered
/// ones.
const TRIMMING: u64 = 100;
const TRIMS: u32 = 100;
const HARD: u32 = 2;

pub(super) struct Guided {
    /// The current soft constraints. The cost of an assignment is the lower bound plus the weights of those it
    /// violates.
    active: Vec<(Term, u64)>,
    /// Soft constraints on a sum: its totalizer, and the number it allows.
    sums: HashMap<Term, (usize, usize)>,
    totalizers: Vec<Totalizer>,
    lower: u64,
    /// Only soft constraints of at least this weight are assumed (stratification).
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

    /// One question, and the consequences of its answer.
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

    /// Processes a core.
    pub fn learn(&mut self, search: &mut Search<'_>, level: usize, core: Vec<Term>, slice: u64) -> Result<(), Reason> {
        // A core that closes the gap between the bounds needs no trimming.
        let core = if self.closes(search, level, &core) { core } else { trim(search, core)? };
        self.relax(search, level, core, slice)
    }

    /// Turns all soft constraints into hard ones, when the bounds meet.
    pub fn harden(&self, search: &mut Search<'_>) {
        for &(term, _) in &self.active {
            search.solver.assert(term);
        }
    }

    /// Turns soft constraints into hard ones if violating them would cost more than the best solution.
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

    /// Whether this core raises the lower bound to the cost of the best solution.
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
        // A sum of the core may now be exceeded by one more.
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

    /// Core exhaustion: raises the bound as long as the members of the last core alone do so.
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

    /// Adds the soft constraint that the sum is at most `allowed`.
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

/// A smaller core, if one is found quickly: tries to remove halves, then quarters, and finally single members.
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
