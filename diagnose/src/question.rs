//! The question that cause and alternate share: can these paths pass, with the same inputs, if these orderings stay?

use std::collections::HashMap;

use encode::{EncodeError, Encoding, Goal, Legend, Question, encode};
use events::{EventGraph, Execution, Extent, Step};
use formula::{Node, Term, Terms, Value};
use solve::{Budget, CoreVerdict, Engine, Solver, Verdict, minimal_core, minimal_core_shown};

use crate::cause::Order;
use crate::diagnosis::DiagnoseError;
use crate::long::Long;
use crate::passing::{Passing, equal};
use crate::shown::Examples;

/// How large a question is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Before they become clauses; order has further constraints: reads, sections, blocks.
    pub constraints: usize,
    pub variables: u64,
    pub clauses: u64,
}

pub struct CanPass {
    solver: Engine,
    legend: Legend,
    /// Assumed in every question, and never part of a core.
    given: Vec<Term>,
}

impl CanPass {
    /// The solver's decisions are guided by the order of the failing steps. A question about a long run is not asked:
    /// [`encode::EncodeError::Large`].
    pub fn new(
        passing: &Passing,
        failing: &[Step],
        inputs: Option<&[Value]>,
        long: Long,
        budget: &Budget,
    ) -> Result<CanPass, DiagnoseError> {
        if passing.graph.events.len() > long.events {
            return Err(EncodeError::Large.into());
        }
        let mut question = CanPass::within(&passing.graph, long.sources, budget)?;
        question.follow(failing);
        for (&input, &value) in passing.graph.inputs.iter().zip(inputs.into_iter().flatten()) {
            let same = equal(question.solver.terms(), input, value);
            question.solver.assert(same);
        }
        Ok(question)
    }

    /// With any inputs.
    pub fn of(graph: &EventGraph, budget: &Budget) -> Result<CanPass, DiagnoseError> {
        CanPass::within(graph, usize::MAX, budget)
    }

    fn within(graph: &EventGraph, sources: usize, budget: &Budget) -> Result<CanPass, DiagnoseError> {
        let question = Question::new(Goal::Passes, Extent::Whole).until(budget.ends()).within(sources);
        let Encoding { formula, legend } = encode(graph, &question)?;
        Ok(CanPass { solver: Engine::new(formula), legend, given: Vec::new() })
    }

    /// Guides the solver's decisions by the order of these steps.
    pub fn follow(&mut self, steps: &[Step]) {
        let order: Vec<Node> = steps.iter().map(|step| self.legend.node_of(step.event)).collect();
        self.solver.follow(&order);
    }

    /// Replaces the assumptions of all further questions.
    pub fn give(&mut self, given: Vec<Term>) {
        self.given = given;
    }

    pub fn terms(&mut self) -> &mut Terms {
        self.solver.terms()
    }

    /// The condition that the environment makes this choice, if there is one.
    pub fn choice(&mut self, step: Step) -> Option<Term> {
        self.legend.choice_literal(self.solver.terms(), step)
    }

    pub fn size(&self) -> Size {
        let formula::Formula { order, assertions, .. } = self.solver.formula();
        let sections: usize = order.locks.iter().map(Vec::len).sum();
        let constraints = assertions.len() + order.reads.len() + sections + order.blocks.len();
        let statistics = self.solver.statistics();
        Size { constraints, variables: statistics.variables, clauses: statistics.clauses }
    }

    pub fn conflicts(&self) -> u64 {
        self.solver.conflicts()
    }

    /// Any execution that passes.
    pub fn ask(&mut self, budget: &Budget) -> Verdict {
        self.solver.solve(&self.given, budget)
    }

    /// The execution that an answer describes.
    pub fn execution(&self, assignment: &formula::Assignment) -> Execution {
        self.legend.decode(&self.solver.formula().terms, assignment)
    }

    /// A minimal set of the orderings that excludes passing, and the literals of all of them. `examples` can prove some
    /// orderings to be needed without a question; they are useless if other assumptions are given.
    pub fn core(
        &mut self,
        orders: &[Order],
        examples: Option<&Examples<'_>>,
        budget: &Budget,
    ) -> (CoreVerdict, Vec<Term>) {
        let literals = self.orders(orders);
        let order_of: HashMap<Term, Order> = literals.iter().copied().zip(orders.iter().copied()).collect();
        let examples = examples.filter(|_| self.given.is_empty());
        let mut shown = |left: Term, rest: &[Term]| {
            let rest: Vec<Order> = rest.iter().map(|term| order_of[term]).collect();
            examples.is_some_and(|examples| examples.passes_without(order_of[&left], &rest))
        };
        let mut solver = Given { solver: &mut self.solver, given: &self.given };
        (minimal_core_shown(&mut solver, &literals, budget, &mut shown), literals)
    }

    /// The given assumptions that are needed beside these orderings to exclude passing.
    pub fn needed(&mut self, orders: &[Order], budget: &Budget) -> CoreVerdict {
        let orders = self.orders(orders);
        let mut solver = Given { solver: &mut self.solver, given: &orders };
        minimal_core(&mut solver, &self.given, budget)
    }

    fn orders(&mut self, orders: &[Order]) -> Vec<Term> {
        orders.iter().map(|&(one, other)| self.legend.order_literal(self.solver.terms(), one, other)).collect()
    }
}

/// A solver that adds assumptions, which it hides from its cores.
struct Given<'a> {
    solver: &'a mut Engine,
    given: &'a [Term],
}

impl Solver for Given<'_> {
    fn name(&self) -> &str {
        self.solver.name()
    }

    fn terms(&mut self) -> &mut Terms {
        self.solver.terms()
    }

    fn assert(&mut self, term: Term) {
        self.solver.assert(term);
    }

    fn solve(&mut self, assumptions: &[Term], budget: &Budget) -> Verdict {
        let all = [self.given, assumptions].concat();
        match self.solver.solve(&all, budget) {
            Verdict::Unsatisfiable { mut core } => {
                core.retain(|term| assumptions.contains(term));
                Verdict::Unsatisfiable { core }
            }
            verdict => verdict,
        }
    }

    fn conflicts(&self) -> u64 {
        self.solver.conflicts()
    }
}
