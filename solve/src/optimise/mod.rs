//! MaxSAT on any solver: finds an assignment that satisfies a formula and violates as little as possible of the soft
//! constraints. These have weights and levels; levels are optimised lexicographically.
//!
//! Each level is solved by unsat cores (OLL: Andres, Kaufmann, Matheis, Schaub, ICLP 2012; with the stratification,
//! core exhaustion and trimming of RC2: Ignatiev, Morgado, Marques-Silva, JSAT 11, 2019), with one incremental solver.
//! Deviation: an improving search descends from the best solution so far; it takes over for a while whenever a core is
//! hard to find. So there are always a best solution and a lower bound.

mod guided;
mod improve;
mod meter;
mod sum;
mod totalizer;

use std::collections::HashMap;

use formula::{Assignment, Term};

use crate::solver::{Budget, Reason, Solver, Verdict};
use guided::{Guided, Step};
use improve::Improve;
use meter::Meter;

/// The limit of conflicts of a question before the other search takes over; it doubles each time.
const FIRST_SLICE: u64 = 1_000;

/// A soft constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Soft {
    pub term: Term,
    pub weight: u64,
    /// Level 0 has the highest priority.
    pub level: usize,
}

/// The result of the search.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// The best assignment found.
    pub best: Option<Assignment>,
    /// By level, the total weight of the soft constraints that it violates.
    pub cost: Vec<u64>,
    /// By level, a lower bound of the cost among all assignments that are not worse on higher levels. Zero for levels
    /// after the first unfinished one.
    pub lower: Vec<u64>,
    pub end: End,
    /// The number of questions to the solver.
    pub questions: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The best solution is proven to be optimal.
    Optimal,
    /// The hard constraints are unsatisfiable.
    Unsatisfiable,
    /// A budget ended the search.
    Stopped(Reason),
}

/// Searches for an optimal assignment of the solver's formula. The budget is for the whole search. Afterwards the
/// formula is stronger: it may exclude assignments that are worse than the best.
pub fn optimise(solver: &mut dyn Solver, softs: &[Soft], budget: &Budget) -> Optimum {
    let mut search = Search::new(solver, softs, budget);
    let end = search.run().unwrap_or_else(End::Stopped);
    Optimum { best: search.best, cost: search.cost, lower: search.lower, end, questions: search.questions }
}

/// The state that both searches share.
struct Search<'s> {
    solver: &'s mut dyn Solver,
    /// By level, each term once.
    wishes: Vec<Vec<(Term, u64)>>,
    best: Option<Assignment>,
    cost: Vec<u64>,
    lower: Vec<u64>,
    meter: Meter,
    questions: u64,
}

enum Answer {
    Found,
    /// An unsat core.
    Never(Vec<Term>),
    /// The question exceeded its slice.
    Hard,
}

impl<'s> Search<'s> {
    fn new(solver: &'s mut dyn Solver, softs: &[Soft], budget: &Budget) -> Search<'s> {
        let levels = softs.iter().map(|soft| soft.level + 1).max().unwrap_or(0);
        let mut wishes: Vec<Vec<(Term, u64)>> = vec![Vec::new(); levels];
        let mut seen: HashMap<(usize, Term), usize> = HashMap::new();
        for soft in softs.iter().filter(|soft| soft.weight > 0) {
            // Constant soft constraints could make the sum of weights exceed the cost of any assignment.
            if solver.terms().as_bool(soft.term) == Some(true) {
                continue;
            }
            let level = &mut wishes[soft.level];
            let position = *seen.entry((soft.level, soft.term)).or_insert(level.len());
            match level.get_mut(position) {
                Some(wish) => wish.1 += soft.weight,
                None => level.push((soft.term, soft.weight)),
            }
        }
        let meter = Meter::new(budget, solver.conflicts());
        let (cost, lower) = (vec![0; levels], vec![0; levels]);
        Search { solver, wishes, best: None, cost, lower, meter, questions: 0 }
    }

    fn run(&mut self) -> Result<End, Reason> {
        loop {
            match self.ask(&[], None)? {
                Answer::Found => break,
                Answer::Never(_) => return Ok(End::Unsatisfiable),
                Answer::Hard => {}
            }
        }
        for level in 0..self.wishes.len() {
            self.level(level)?;
        }
        Ok(End::Optimal)
    }

    fn level(&mut self, level: usize) -> Result<(), Reason> {
        let mut guided = Guided::new(&self.wishes[level]);
        let mut improve = Improve::new(level);
        let mut slice = FIRST_SLICE;
        if let Some(core) = improve.grow(self, slice)? {
            guided.learn(self, level, core, slice)?;
        }
        loop {
            self.lower[level] = guided.lower();
            if guided.lower() >= self.cost[level] {
                guided.harden(self);
                break;
            }
            match guided.step(self, level, slice) {
                Ok(Step::More) => {}
                Ok(Step::Optimal) => {
                    guided.harden(self);
                    break;
                }
                Ok(Step::Hard) => {
                    if improve.lower_bound_reached(self, slice)? {
                        break;
                    }
                    slice *= 2;
                }
                Err(reason) => {
                    self.lower[level] = guided.lower().min(self.cost[level]);
                    return Err(reason);
                }
            }
        }
        self.lower[level] = self.cost[level];
        Ok(())
    }

    /// Asks for an assignment that also satisfies these, and keeps it if it is the best.
    fn ask(&mut self, assumptions: &[Term], slice: Option<u64>) -> Result<Answer, Reason> {
        let budget = self.meter.budget(self.solver.conflicts(), slice)?;
        self.questions += 1;
        match self.solver.solve(assumptions, &budget) {
            Verdict::Satisfiable(assignment) => {
                self.consider(assignment);
                Ok(Answer::Found)
            }
            Verdict::Unsatisfiable { core } => Ok(Answer::Never(core)),
            Verdict::Unknown(Reason::Conflicts) => {
                self.meter.check(self.solver.conflicts())?;
                Ok(Answer::Hard)
            }
            Verdict::Unknown(reason) => Err(reason),
        }
    }

    fn consider(&mut self, assignment: Assignment) {
        let mut evaluator = assignment.evaluator(self.solver.terms());
        let mut cost = Vec::with_capacity(self.wishes.len());
        for level in &self.wishes {
            let violated = level.iter().filter(|(term, _)| !evaluator.evaluate_bool(*term));
            cost.push(violated.map(|(_, weight)| weight).sum());
        }
        if self.best.is_none() || cost < self.cost {
            self.best = Some(assignment);
            self.cost = cost;
        }
    }
}
