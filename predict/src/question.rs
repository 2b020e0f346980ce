//! The question for a failing execution near recorded runs: a formula with a selector for each run, and for each
//! decision a term that it differs from the selected run's.

use std::collections::BTreeMap;

use diagnose::{Replayed, Wrong};
use encode::{EncodeError, Encoding, Failure, Goal, Legend, Question, encode};
use events::{EventGraph, EventId, Extent};
use formula::{Assignment, Sort, Term, Terms};
use solve::{Budget, Engine, Reason, Solver, Verdict};
use thiserror::Error;

/// A decision of recorded runs that can be flipped in the graph.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The last event of its thread before it, on any path.
    pub after: Option<EventId>,
    pub changes: Vec<Change>,
}

/// A path that flips a decision.
#[derive(Clone, Debug)]
pub struct Change {
    pub when: When,
    /// The runs with another outcome of the decision.
    pub runs: Vec<u32>,
}

/// When a changed decision counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    /// If this event happens.
    Marked(EventId),
    /// If this term of the graph is true, the execution takes a stored path.
    Taken(Term),
}

/// The assertions of a graph that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asserted<'a> {
    None,
    Any,
    These(&'a [EventId]),
}

/// A graph of recorded runs and the decisions that can be flipped.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'a> {
    pub graph: &'a EventGraph,
    pub decisions: &'a [Decided],
    /// The number of runs.
    pub runs: u32,
    pub assertions: Asserted<'a>,
    /// The assertions to query before all others, and before deadlocks.
    pub first: &'a [EventId],
    pub deadlocks: bool,
    pub extent: Extent,
}

#[derive(Debug, Error)]
pub enum PredictError {
    #[error("the solver broke down: {0}")]
    Solver(String),
    #[error("the execution that the solver found is invalid: {0}")]
    Invalid(String),
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// A failing execution, compared with the selected run.
#[derive(Clone, Debug)]
pub struct Failing {
    pub replayed: Replayed,
    pub wrong: Wrong,
    pub run: u32,
    /// The decisions that it flips.
    pub flipped: Vec<usize>,
}

/// An incremental query for one kind of failure.
pub struct Asking<'a> {
    sought: Sought<'a>,
    targets: Vec<EventId>,
    legend: Legend,
    pub engine: Engine,
    /// The condition that a target assertion fails; `None` if every assertion is a target.
    target: Option<Term>,
    selectors: Vec<Term>,
    /// By decision: the condition that it differs from the selected run's.
    pub flipped: Vec<Term>,
}

/// The answer to one question.
pub enum Answer {
    Failing(Box<Failing>),
    Never,
    Unknown(Reason),
}

impl<'a> Asking<'a> {
    /// Asks for a failure of one of the targets, or, if there are none, for any failure of that kind.
    pub fn new(
        sought: Sought<'a>,
        failure: Failure,
        targets: &[EventId],
        budget: &Budget,
    ) -> Result<Asking<'a>, EncodeError> {
        let question = Question::new(Goal::Failure(failure), sought.extent).until(budget.ends());
        let Encoding { formula, legend } = encode(sought.graph, &question)?;
        let mut engine = Engine::new(formula);
        let selectors = selectors(engine.terms(), sought.runs);
        let one = exactly_one(engine.terms(), &selectors);
        engine.assert(one);
        let mut flipped = Vec::with_capacity(sought.decisions.len());
        for decided in sought.decisions {
            let terms = engine.terms();
            let mut ways = Vec::with_capacity(decided.changes.len());
            for change in &decided.changes {
                let selected: Vec<Term> = change.runs.iter().map(|&run| selectors[run as usize]).collect();
                let selected = terms.or(&selected);
                let changed = match change.when {
                    When::Marked(mark) => legend.happens(mark),
                    When::Taken(term) => term,
                };
                ways.push(terms.and2(changed, selected));
            }
            flipped.push(terms.or(&ways));
        }
        let fails: Vec<Term> = targets.iter().filter_map(|&target| legend.fails(target)).collect();
        let target = (!targets.is_empty()).then(|| engine.terms().or(&fails));
        Ok(Asking { sought, targets: targets.to_vec(), target, legend, engine, selectors, flipped })
    }

    /// A failing execution under which these hold.
    pub fn ask(&mut self, assumptions: &[Term], budget: &Budget) -> Result<Answer, PredictError> {
        let assumptions: Vec<Term> = assumptions.iter().copied().chain(self.target).collect();
        match self.engine.solve(&assumptions, budget) {
            Verdict::Satisfiable(assignment) => Ok(Answer::Failing(Box::new(self.failing(&assignment)?))),
            Verdict::Unsatisfiable { .. } => Ok(Answer::Never),
            Verdict::Unknown(Reason::Failed(message)) => Err(PredictError::Solver(message)),
            Verdict::Unknown(reason) => Ok(Answer::Unknown(reason)),
        }
    }

    pub fn failing(&self, assignment: &Assignment) -> Result<Failing, PredictError> {
        let terms = &self.engine.formula().terms;
        let execution = self.legend.decode(terms, assignment);
        let mut evaluator = assignment.evaluator(terms);
        let run = self.selectors.iter().position(|&selector| evaluator.evaluate_bool(selector)).unwrap_or(0) as u32;
        let outcome = events::replay(self.sought.graph, &execution, self.sought.extent)
            .map_err(|violation| PredictError::Invalid(violation.to_string()))?;
        let wrong = Wrong::of(&outcome).ok_or_else(|| PredictError::Invalid("nothing fails".to_owned()))?;
        let replayed = Replayed { execution, outcome };
        let flipped = (0..self.flipped.len()).filter(|&number| evaluator.evaluate_bool(self.flipped[number])).collect();
        Ok(Failing { replayed, wrong, run, flipped })
    }

    /// Whether it is one of the failures asked for.
    pub fn is_target(&self, wrong: &Wrong) -> bool {
        matches!(wrong, Wrong::Assertion(event) if self.targets.contains(event))
    }

    pub fn is_selected(&self, run: u32) -> Term {
        self.selectors[run as usize]
    }

    /// By decision, the condition that it is as recorded.
    pub fn kept(&mut self) -> Vec<Term> {
        let flipped = self.flipped.clone();
        flipped.into_iter().map(|flipped| self.engine.terms().not(flipped)).collect()
    }

    /// The condition that at most this many decisions are flipped (a sequential counter: Sinz, CP 2005).
    pub fn at_most(&mut self, most: usize) -> Term {
        let flipped = self.flipped.clone();
        let terms = self.engine.terms();
        // By number: the condition that more than this many of the decisions so far are flipped.
        let mut more = vec![terms.falsehood(); most + 1];
        for term in flipped {
            for number in (0..=most).rev() {
                let before = if number == 0 { terms.truth() } else { more[number - 1] };
                let reached = terms.and2(term, before);
                more[number] = terms.or2(more[number], reached);
            }
        }
        terms.not(more[most])
    }
}

fn selectors(terms: &mut Terms, runs: u32) -> Vec<Term> {
    (0..runs).map(|run| terms.symbol(format!("run{run}"), Sort::Bool)).collect()
}

fn exactly_one(terms: &mut Terms, all: &[Term]) -> Term {
    let mut demands = vec![terms.or(all)];
    let mut before = terms.falsehood();
    for &term in all {
        let both = terms.and2(before, term);
        demands.push(terms.not(both));
        before = terms.or2(before, term);
    }
    terms.and(&demands)
}

/// Decisions with the changes of each, from a list of changes.
pub fn by_decision(count: usize, changes: impl IntoIterator<Item = (usize, Change)>) -> Vec<Vec<Change>> {
    let mut marks: BTreeMap<(usize, When), Vec<u32>> = BTreeMap::new();
    for (decision, change) in changes {
        marks.entry((decision, change.when)).or_default().extend(change.runs);
    }
    let mut by = vec![Vec::new(); count];
    for ((decision, when), mut runs) in marks {
        runs.sort_unstable();
        runs.dedup();
        by[decision].push(Change { when, runs });
    }
    by
}
