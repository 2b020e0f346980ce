//! All failures of a graph with all paths, and their causes: Algorithm 1 of the ConcBugAssist paper. It finds a failing
//! execution, computes the orderings that cause it, excludes all executions with these orderings, and repeats until the
//! formula is unsatisfiable.
//!
//! Deviations: a cause includes the inputs and choices of the environment that it needs, and is excluded together with
//! them. Executions are prefixes: one has an ordering of a cause if the first event happened and the second happened
//! later or still may. A cause can hide other failures of the same executions, so afterwards new failing places are
//! searched for. Questions left open by a budget are reported.

mod place;
mod reasons;
mod failing;
mod extend;
mod why;
mod cut;

use encode::Failure;
use events::{EventGraph, EventId, Execution, Extent, Plan, Step};
use formula::Assignment;
use solve::{Budget, Reason, Verdict};

use crate::cause::Causes;
use crate::diagnosis::{DiagnoseError, plan_of};
use crate::failure::{Replayed, Wrong};
use crate::switches::straightened;
use failing::{Failing, News, asked_of};
use reasons::Reasons;
use why::{Asking, Why};

pub use cut::{CutReached, cut_reachable};
pub use place::Standstill;
pub use reasons::InputBit;
pub(crate) use why::Clock;

/// The failures to search for.
pub struct Sought<'a> {
    pub graph: &'a EventGraph,
    /// By event, the group of assertions that are one for a report. With `None` it is not of interest: executions in
    /// which such an assertion fails neither pass nor fail.
    pub site: &'a dyn Fn(EventId) -> Option<u32>,
    pub assertions: bool,
    pub deadlocks: bool,
    /// Otherwise the first failing execution is enough, and its cause.
    pub all: bool,
    /// Conflicts are of one question, time is of the whole.
    pub budget: Budget,
}

/// The answer of the program's owner to a failing execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    Confirmed,
    Refuted(String),
}

/// A failing execution, and its cause.
#[derive(Clone, Debug)]
pub struct FoundFailure {
    pub failing: Replayed,
    pub wrong: Wrong,
    /// For a deadlock, its blocked events.
    pub standstill: Option<Standstill>,
    pub causes: Causes,
    /// Positions in the graph's inputs of those that the cause needs.
    pub inputs_used: Vec<usize>,
    /// Of these, the bits that it needs.
    pub input_bits: Vec<InputBit>,
    /// Choices of the environment that the cause needs beside its orders.
    pub choices: Vec<Step>,
    /// The number of inter-thread orderings of the execution.
    pub candidates: usize,
}

#[derive(Clone, Debug)]
pub struct Everything {
    pub failures: Vec<FoundFailure>,
    /// The number of failing executions examined.
    pub iterations: u32,
    pub end: End,
    /// The questions left undecided by a budget, in order.
    pub open: Vec<(Part, Reason)>,
    pub conflicts: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Complete: every failing execution is explained by one of the causes, and every place that can fail is among the
    /// failures.
    Exhausted,
    /// Only one failure was requested.
    First,
    /// A question was left open, with the first reason.
    Budget(Reason),
    /// The program does not behave as in the graph.
    Refuted { execution: Execution, why: String },
}

/// The questions, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Whether assertions fail for other causes.
    Assertions,
    /// Whether other assertions fail.
    Sites,
    /// Whether there are deadlocks for other causes.
    Deadlocks,
    /// Whether there are deadlocks elsewhere.
    Standstills,
}

/// The progress of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub part: Part,
    /// The number of failing executions examined.
    pub iterations: u32,
    pub failures: usize,
}

type Confirm<'a> = dyn FnMut(&Execution, &Wrong) -> Heard + 'a;

/// All failures of the graph, with their causes.
pub fn every(
    sought: &Sought<'_>,
    confirm: &mut Confirm<'_>,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Everything, DiagnoseError> {
    let graph = asked_of(sought.graph, sought.site);
    let plan = plan_of(&graph)?;
    let found = Everything { failures: Vec::new(), iterations: 0, end: End::Exhausted, open: Vec::new(), conflicts: 0 };
    let clock = Clock::new(&sought.budget);
    let mut search = Search { sought, plan: &plan, clock, asking: None, found, ended: None };
    let kinds = [(sought.assertions, Failure::AnyAssertion), (sought.deadlocks, Failure::Deadlock)];
    for (_, failure) in kinds.into_iter().filter(|(wanted, _)| *wanted) {
        if search.ended.is_none() {
            search.failures(failure, confirm, progress)?;
        }
    }
    let Search { asking, mut found, ended, .. } = search;
    found.conflicts += asking.map_or(0, |asking| asking.conflicts());
    let open = found.open.first().map(|(_, reason)| End::Budget(reason.clone()));
    found.end = ended.or(open).unwrap_or(End::Exhausted);
    Ok(found)
}

struct Search<'a> {
    sought: &'a Sought<'a>,
    plan: &'a Plan<'a>,
    clock: Clock,
    /// Created at the first failure.
    asking: Option<Asking<'a>>,
    found: Everything,
    ended: Option<End>,
}

impl Search<'_> {
    /// All failures of one kind: first until every one is explained, then until every failing place is found.
    fn failures(
        &mut self,
        failure: Failure,
        confirm: &mut Confirm<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), DiagnoseError> {
        let parts = match failure {
            Failure::Deadlock => [(Part::Deadlocks, News::Cause), (Part::Standstills, News::Place)],
            _ => [(Part::Assertions, News::Cause), (Part::Sites, News::Place)],
        };
        let mut failing = match Failing::new(self.plan.graph, failure, self.sought.site, &self.clock.left()) {
            Ok(failing) => failing,
            Err(error) => {
                let reason = error.not_asked().ok_or(error)?;
                self.found.open.extend(parts.map(|(part, _)| (part, reason.clone())));
                return Ok(());
            }
        };
        for (part, news) in parts {
            while self.ended.is_none() {
                let told = Progress { part, iterations: self.found.iterations, failures: self.found.failures.len() };
                progress(&told);
                match failing.ask(failure, news, &self.clock.left()) {
                    Verdict::Satisfiable(assignment) => self.look_at(&mut failing, news, &assignment, confirm)?,
                    Verdict::Unsatisfiable { .. } => break,
                    Verdict::Unknown(Reason::Failed(message)) => return Err(DiagnoseError::Solver(message)),
                    Verdict::Unknown(reason) => {
                        self.found.open.push((part, reason));
                        break;
                    }
                }
            }
        }
        self.found.conflicts += failing.conflicts();
        Ok(())
    }

    fn look_at(
        &mut self,
        failing: &mut Failing<'_>,
        news: News,
        assignment: &Assignment,
        confirm: &mut Confirm<'_>,
    ) -> Result<(), DiagnoseError> {
        let execution = failing.execution(assignment);
        let outcome = self
            .plan
            .replay(&execution, Extent::Prefix)
            .map_err(|violation| DiagnoseError::NotFailing(violation.to_string()))?;
        let replayed = straightened(self.plan, Replayed { execution, outcome }, Extent::Prefix);
        let standstill = failing.standstill(&replayed);
        let wrong = standstill.as_ref().map(Standstill::wrong).or_else(|| Wrong::of(&replayed.outcome));
        let wrong = wrong.ok_or_else(|| DiagnoseError::NotFailing("nothing fails".to_owned()))?;
        self.found.iterations += 1;
        if let Heard::Refuted(why) = confirm(&replayed.execution, &wrong) {
            self.ended = Some(End::Refuted { execution: replayed.execution, why });
            return Ok(());
        }
        let is_new = match (&standstill, &wrong) {
            (Some(standstill), _) => failing.see_standstill(standstill),
            (None, Wrong::Assertion(assertion)) => failing.see_assertion(*assertion),
            (None, Wrong::Deadlock(_)) => false,
        };
        if news == News::Place && !is_new {
            return Err(DiagnoseError::FoundAgain);
        }
        let asking = match &mut self.asking {
            Some(asking) => Ok(asking),
            none => Asking::new(self.plan, &self.clock.left()).map(|asking| none.insert(asking)),
        };
        let Why { causes, reasons, candidates } = match asking {
            Ok(asking) => {
                let why = asking.why(&replayed, &wrong, &self.clock)?;
                failing.explained(&replayed, assignment, &why.reasons)?;
                why
            }
            // There is a failure without a computed cause.
            Err(error) => {
                let reason = error.not_asked().ok_or(error)?;
                self.ended = Some(End::Budget(reason.clone()));
                Why { causes: Causes::Unknown(reason), reasons: Reasons::default(), candidates: 0 }
            }
        };
        let known = matches!(causes, Causes::Found(_));
        let mut inputs_used: Vec<usize> = reasons.inputs.iter().filter(|_| known).map(|bit| bit.input).collect();
        inputs_used.dedup();
        self.found.failures.push(FoundFailure {
            failing: replayed,
            wrong,
            standstill,
            causes,
            inputs_used,
            input_bits: if known { reasons.inputs } else { Vec::new() },
            choices: if known { reasons.choices } else { Vec::new() },
            candidates,
        });
        if !self.sought.all && self.ended.is_none() {
            self.ended = Some(End::First);
        }
        Ok(())
    }
}
