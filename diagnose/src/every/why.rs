//! The cause of one of many failing executions: orderings first, and only those inputs and choices that these need.

use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use encode::candidates;
use events::{Plan, Step};
use formula::Term;
use solve::{Budget, CoreVerdict};

use super::extend::extended;
use super::reasons::{InputBit, Reasons, stuck_in};
use crate::cause::{Causes, count_candidates, general_cause};
use crate::diagnosis::DiagnoseError;
use crate::failure::{Replayed, Wrong};
use crate::question::CanPass;

pub struct Why {
    pub causes: Causes,
    pub reasons: Reasons,
    pub candidates: usize,
}

/// Computes the causes of several executions with one solver.
pub struct Asking<'p> {
    plan: &'p Plan<'p>,
    question: CanPass,
    bits: Vec<InputBit>,
}

impl<'p> Asking<'p> {
    pub fn new(plan: &'p Plan<'p>, budget: &Budget) -> Result<Asking<'p>, DiagnoseError> {
        Ok(Asking { plan, question: CanPass::of(plan.graph, budget)?, bits: InputBit::all(plan.graph) })
    }

    pub fn conflicts(&self) -> u64 {
        self.question.conflicts()
    }

    pub fn why(&mut self, failing: &Replayed, wrong: &Wrong, budget: &Clock) -> Result<Why, DiagnoseError> {
        let graph = self.plan.graph;
        let whole = extended(self.plan, failing, wrong);
        let inputs: Vec<Term> =
            self.bits.iter().map(|bit| bit.literal(graph, self.question.terms(), &failing.execution.inputs)).collect();
        self.question.give(inputs.clone());
        let mut causes = general_cause(graph, &whole, wrong, &mut self.question, &budget.left())?;
        let mut choices: Vec<(Step, Term)> = Vec::new();
        if let Causes::Chosen(_) = causes {
            let steps = whole.execution.steps.iter();
            choices = steps.filter_map(|&step| Some((step, self.question.choice(step)?))).collect();
            // The choice of a signal and that of the wake may be the same condition.
            let mut seen = HashSet::new();
            choices.retain(|&(_, literal)| seen.insert(literal));
            if !choices.is_empty() {
                let given = inputs.iter().copied().chain(choices.iter().map(|&(_, literal)| literal));
                self.question.give(given.collect());
                causes = general_cause(graph, &whole, wrong, &mut self.question, &budget.left())?;
            }
        }
        let reasons = match &causes {
            Causes::Found(cause) => {
                let mut reasons = Reasons { orders: cause.orders.clone(), ..Reasons::default() };
                let needed = self.question.needed(&cause.orders, &budget.left());
                // If a budget ends this, the set is not minimal, but still correct.
                let is_needed = |literal: &Term| match &needed {
                    CoreVerdict::Core(core) => core.literals.contains(literal),
                    _ => true,
                };
                let bits = self.bits.iter().zip(&inputs).filter(|(_, literal)| is_needed(literal));
                reasons.inputs = bits.map(|(&bit, _)| bit).collect();
                let steps = choices.iter().filter(|(_, literal)| is_needed(literal));
                reasons.choices = steps.map(|&(step, _)| step).collect();
                reasons
            }
            Causes::Chosen(_) | Causes::Unknown(_) => self.everything(failing),
        };
        let candidates = count_candidates(graph, &whole);
        Ok(Why { causes, reasons, candidates })
    }

    /// All conditions of an execution.
    fn everything(&self, failing: &Replayed) -> Reasons {
        Reasons {
            orders: candidates(self.plan.graph, &failing.execution, &failing.outcome.effects),
            inputs: self.bits.clone(),
            choices: failing.execution.steps.clone(),
            stands: stuck_in(failing).into_iter().collect::<BTreeSet<_>>().into_iter().collect(),
        }
    }
}

/// A budget whose time starts with the whole computation.
pub struct Clock {
    budget: Budget,
    deadline: Option<Instant>,
}

impl Clock {
    pub fn new(budget: &Budget) -> Clock {
        Clock { budget: budget.clone(), deadline: budget.ends() }
    }

    /// The rest for the next question.
    pub fn left(&self) -> Budget {
        self.budget.until(self.deadline)
    }
}
