//! The one question that cause and alternate share: can these paths pass, with the same inputs, if so many orders stay?

use encode::{Encoding, Goal, Legend, Question, encode};
use events::{EventId, Execution, Extent};
use formula::{Term, Value};
use solve::{Budget, CoreVerdict, Mode, Portfolio, Solver, Verdict, minimal_core};

use crate::diagnosis::DiagnoseError;
use crate::passing::{Passing, equal};

/// That a run passes is mostly found by going on where one is; the modes stand in the order in which they are asked.
const MODES: [Mode; 4] = [Mode::Sequence, Mode::Turns, Mode::Plain, Mode::Stale];

pub struct CanPass {
    solver: Portfolio,
    legend: Legend,
}

impl CanPass {
    pub fn new(passing: &Passing, inputs: &[Value], jobs: usize) -> Result<CanPass, DiagnoseError> {
        let question = Question::new(Goal::Passes, Extent::Whole);
        let Encoding { formula, legend } = encode(&passing.graph, &question)?;
        let mut solver = Portfolio::new(formula, &MODES, jobs);
        for (&input, &value) in passing.graph.inputs.iter().zip(inputs) {
            let same = equal(solver.terms(), input, value);
            solver.assert(same);
        }
        Ok(CanPass { solver, legend })
    }

    /// Any execution that passes.
    pub fn ask(&mut self, budget: &Budget) -> Verdict {
        self.solver.solve(&[], budget)
    }

    /// The execution that an answer describes.
    pub fn execution(&self, assignment: &formula::Assignment) -> Execution {
        self.legend.decode(&self.solver.formula().terms, assignment)
    }

    /// Which of the orders exclude passing, none of them too many; and the literals of all of them.
    pub fn core(&mut self, orders: &[(EventId, EventId)], budget: &Budget) -> (CoreVerdict, Vec<Term>) {
        let literals: Vec<Term> =
            orders.iter().map(|&(one, other)| self.legend.order_literal(self.solver.terms(), one, other)).collect();
        (minimal_core(&mut self.solver, &literals, budget), literals)
    }
}
