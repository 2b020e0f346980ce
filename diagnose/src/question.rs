//! The one question that cause and alternate share: can these paths pass, with the same inputs, if so many orders stay?

use encode::{Encoding, Goal, Legend, Question, encode};
use events::{EventId, Execution, Extent, Step};
use formula::{Node, Term, Value};
use solve::{Budget, CoreVerdict, Engine, Solver, Verdict, minimal_core};

use crate::diagnosis::DiagnoseError;
use crate::passing::{Passing, equal};

pub struct CanPass {
    solver: Engine,
    legend: Legend,
}

impl CanPass {
    /// The solver looks first near the order of the failing steps.
    pub fn new(passing: &Passing, failing: &[Step], inputs: Option<&[Value]>) -> Result<CanPass, DiagnoseError> {
        let question = Question::new(Goal::Passes, Extent::Whole);
        let Encoding { formula, legend } = encode(&passing.graph, &question)?;
        let mut solver = Engine::new(formula);
        let order: Vec<Node> = failing.iter().map(|step| legend.node_of(step.event)).collect();
        solver.follow(&order);
        for (&input, &value) in passing.graph.inputs.iter().zip(inputs.into_iter().flatten()) {
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
