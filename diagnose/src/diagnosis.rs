//! The parts of a diagnosis, and its computation from a failing execution.

use std::time::{Duration, Instant};

use encode::EncodeError;
use events::{EventGraph, EventId, Execution, Outcome, Plan};
use run::Divergence;
use solve::{Budget, Reason, Verdict};
use thiserror::Error;

use crate::any::nearer;
use crate::cause::{Causes, Order, cause};
use crate::failure::{Replayed, Wrong};
use crate::guide::follow;
use crate::long::{self, Long};
use crate::nearest::{Found, NearestError, Paths, nearest};
use crate::pair::{Pairs, Swapped};
use crate::passing::{Passing, passing};
use crate::projection::{Projection, project};
use crate::question::{CanPass, Size};
use crate::subject::{Ending, Performed, Subject};
use crate::twins::Twins;

/// How an alternate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// One pair of the cause swapped in the failing schedule.
    Pair,
    /// Any model of the solver.
    Any,
    /// All differences count the same.
    Optimal,
    /// Data flows first, then broken segments, then context switches.
    Lexicographic,
    /// From the failure outwards.
    Progressive,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Pair => "pair",
            Method::Any => "any",
            Method::Optimal => "optimal",
            Method::Lexicographic => "lexicographic",
            Method::Progressive => "progressive",
        }
    }
}

/// The result of running an alternate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Confirmation {
    Passes,
    /// The old failure did not happen, another one did.
    FailsElsewhere,
    /// A thread left the given paths.
    LeavesPaths,
}

impl Confirmation {
    pub fn name(self) -> &'static str {
        match self {
            Confirmation::Passes => "passes",
            Confirmation::FailsElsewhere => "fails elsewhere",
            Confirmation::LeavesPaths => "leaves the paths",
        }
    }
}

impl Confirmation {
    fn of<E>(run: &Result<Performed<E>, Divergence>) -> Confirmation {
        match run {
            Ok(Performed { ending: Ending::Passes, .. }) => Confirmation::Passes,
            // A run that fails before its end, or in the same way, does not get past the point of failure.
            Ok(Performed { ending: Ending::FailsAlike | Ending::FailsElsewhere, followed: true, .. }) => {
                Confirmation::FailsElsewhere
            }
            _ => Confirmation::LeavesPaths,
        }
    }
}

/// Asks the subject for the outcome of an alternate.
pub(crate) type Confirm<'a> = dyn FnMut(&Execution) -> Confirmation + 'a;

/// An execution that does not fail, near to one that does, on the graph of [`Diagnosis::passing`].
#[derive(Clone, Debug)]
pub struct Alternate {
    pub method: Method,
    pub execution: Execution,
    pub outcome: Outcome,
    pub confirmation: Confirmation,
    /// The pair that was swapped, for [`Method::Pair`].
    pub pair: Option<Order>,
    /// Pairs that were swapped before one helped, that one included.
    pub pairs_tried: u32,
    /// Whether it is proven to be the nearest; `None` for methods without such a proof.
    pub optimal: Option<bool>,
}

impl Alternate {
    pub fn replayed(&self) -> Replayed {
        Replayed { execution: self.execution.clone(), outcome: self.outcome.clone() }
    }
}

/// Whether these paths can pass at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Escape {
    Possible,
    /// The solver proved that no order of these paths passes: the failure depends on the path.
    Excluded,
    /// A budget ended the question.
    Unknown(Reason),
    /// It was not requested.
    NotAsked,
}

#[derive(Clone, Debug)]
pub struct Diagnosis {
    pub wrong: Wrong,
    pub passing: Passing,
    pub causes: Causes,
    /// The first is the one to show, with its projection.
    pub alternates: Vec<(Alternate, Projection)>,
    pub escape: Escape,
    pub pairs_tried: u32,
    pub cost: Cost,
}

/// The size of a diagnosis, and the cost of its parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// The question whether these paths can pass.
    pub question: Size,
    /// To lose context switches, where a run was explained.
    pub reduce: Duration,
    pub cause: Duration,
    pub alternate: Duration,
}

impl Diagnosis {
    /// The orders of the cause, if there is one.
    pub fn orders(&self) -> &[Order] {
        match &self.causes {
            Causes::Found(cause) => &cause.orders,
            _ => &[],
        }
    }
}

#[derive(Clone, Debug)]
pub struct Wishes {
    /// Whether an alternate is requested, and how it is found.
    pub alternate: Option<Method>,
    /// Not only the first.
    pub all: bool,
    /// Whether inputs are fixed to those of the failing execution. Those that only select stored paths need not be.
    pub fixed_inputs: bool,
    /// Runs above these sizes are diagnosed by replay.
    pub long: Long,
    /// Conflicts are of one question of the solver, time is of each part.
    pub budget: Budget,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DiagnoseError {
    #[error("the execution does not fail")]
    NoFailure,
    #[error("the graph is ill-formed: {0}")]
    IllFormed(String),
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error("the solver broke down: {0}")]
    Solver(String),
    #[error("the solver returned an invalid passing execution: {0}")]
    Wrong(String),
    #[error("the solver returned an invalid failing execution: {0}")]
    NotFailing(String),
    #[error("a cause does not cover the execution that it was found for")]
    Uncovered,
    #[error("an excluded failure was found again")]
    FoundAgain,
    #[error("a graph does not fit the run that it was made from: {0}")]
    Diverges(Divergence),
    #[error("the graph of the run does not fail")]
    Decided,
    #[error("the program diverges from its own graph")]
    NotPerformed,
    #[error(transparent)]
    Nearest(#[from] NearestError),
}

impl DiagnoseError {
    /// For an error that only means that a question was not asked: the reason.
    pub(crate) fn not_asked(&self) -> Option<Reason> {
        match self {
            DiagnoseError::Encode(error) | DiagnoseError::Nearest(NearestError::Encode(error)) => unasked(*error),
            _ => None,
        }
    }
}

/// Why a question was not asked, if the graph is not the reason.
pub(crate) fn unasked(error: EncodeError) -> Option<Reason> {
    match error {
        EncodeError::Late => Some(Reason::Time),
        EncodeError::Large | EncodeError::Address { .. } => Some(Reason::Size),
        EncodeError::NoSuchEvent { .. } | EncodeError::NoAssertion { .. } => None,
    }
}

pub(crate) fn plan_of(graph: &EventGraph) -> Result<Plan<'_>, DiagnoseError> {
    Plan::new(graph)
        .map_err(|errors| DiagnoseError::IllFormed(errors.first().map(ToString::to_string).unwrap_or_default()))
}

/// The whole diagnosis: cause, alternate, projection.
pub fn diagnose<S: Subject>(subject: &S, failing: &Replayed, wishes: &Wishes) -> Result<Diagnosis, DiagnoseError> {
    let graph = subject.graph();
    let started = Instant::now();
    let wrong = Wrong::of(&failing.outcome).ok_or(DiagnoseError::NoFailure)?;
    let passing = passing(graph, failing, &wrong, &wishes.budget);
    let fixed = wishes.fixed_inputs.then_some(failing.execution.inputs.as_slice());
    let mut question = match CanPass::new(&passing, &failing.execution.steps, fixed, wishes.long, &wishes.budget) {
        // The run is long: it is diagnosed by replay.
        Err(DiagnoseError::Encode(EncodeError::Large)) => None,
        question => Some(question?),
    };
    let plan = plan_of(&passing.graph)?;
    let whole = completed(&plan, failing, &wrong);
    // With a deadline, a part of the time is reserved for the alternate.
    let budget = match wishes.alternate {
        Some(_) if wishes.budget.deadline.is_some() => wishes.budget.part(2),
        _ => wishes.budget.clone(),
    };
    let replayed = whole.as_ref().unwrap_or(failing);
    let causes = match &mut question {
        Some(question) => cause(&plan, replayed, &wrong, question, &budget)?,
        None => long::cause(&plan, replayed, &wrong, &budget),
    };
    let size = question.as_ref().map_or(Size::default(), CanPass::size);
    let cost = Cost { question: size, cause: started.elapsed(), ..Cost::default() };
    let (alternates, escape) = (Vec::new(), Escape::NotAsked);
    let mut diagnosis = Diagnosis { wrong, passing, causes, alternates, escape, pairs_tried: 0, cost };
    let Some(method) = wishes.alternate else { return Ok(diagnosis) };
    let found = match &mut question {
        Some(question) => self::alternates(subject, failing, whole, &mut diagnosis, question, wishes, method)?,
        None => swapped(subject, whole.as_ref().unwrap_or(failing), &mut diagnosis, wishes)?,
    };
    let with_projection = |alternate: Alternate| {
        let projection = project(graph, failing, &diagnosis.passing, &alternate.replayed(), diagnosis.orders());
        (alternate, projection)
    };
    diagnosis.alternates = found.into_iter().map(with_projection).collect();
    diagnosis.cost.alternate = started.elapsed().saturating_sub(diagnosis.cost.cause);
    Ok(diagnosis)
}

/// A failure may precede enabled steps of other threads. If these can happen afterwards, the orderings between the
/// events before and after the failure are determined too.
fn completed(plan: &Plan<'_>, failing: &Replayed, wrong: &Wrong) -> Option<Replayed> {
    if failing.outcome.complete || matches!(wrong, Wrong::Deadlock(_)) {
        return None;
    }
    let whole = follow(plan, &failing.execution.steps, &failing.execution.inputs)?;
    (Wrong::of(&whole.outcome).as_ref() == Some(wrong)).then_some(whole)
}

fn alternates<S: Subject>(
    subject: &S,
    failing: &Replayed,
    whole: Option<Replayed>,
    diagnosis: &mut Diagnosis,
    question: &mut CanPass,
    wishes: &Wishes,
    method: Method,
) -> Result<Vec<Alternate>, DiagnoseError> {
    if matches!(&diagnosis.causes, Causes::Found(cause) if cause.orders.is_empty()) {
        diagnosis.escape = Escape::Excluded;
        return Ok(Vec::new());
    }
    if method == Method::Pair {
        let alternates = swapped(subject, whole.as_ref().unwrap_or(failing), diagnosis, wishes)?;
        if !alternates.is_empty() {
            return Ok(alternates);
        }
    }
    let graph = subject.graph();
    let passing = &diagnosis.passing;
    let plan = plan_of(&passing.graph)?;
    let confirm = &mut |execution: &Execution| Confirmation::of(&subject.perform(&passing.graph, execution));
    if matches!(method, Method::Optimal | Method::Lexicographic | Method::Progressive) {
        let twins = Twins::same(graph);
        let paths = Paths { graph: &passing.graph, synthetic: &passing.unlocks, twins: &twins };
        let found = nearest(graph, failing, paths, method, &wishes.budget)?;
        let nearest = nearest_alternate(found, method, &mut diagnosis.escape, confirm);
        let confirmed = nearest.as_ref().is_some_and(|nearest| nearest.confirmation == Confirmation::Passes);
        if confirmed || diagnosis.escape != Escape::Possible {
            return Ok(nearest.into_iter().collect());
        }
        // The program may succeed with another order of these paths.
        let other = match passing_execution(&diagnosis.causes, question, &wishes.budget)? {
            Ok(execution) => any(&plan, failing, execution, 0, confirm, &wishes.budget)?,
            Err(_) => None,
        };
        let passes = |other: &Alternate| nearest.is_none() || other.confirmation == Confirmation::Passes;
        return Ok(other.filter(passes).or(nearest).into_iter().collect());
    }
    let execution = match passing_execution(&diagnosis.causes, question, &wishes.budget)? {
        Ok(execution) => execution,
        Err(escape) => {
            diagnosis.escape = escape;
            return Ok(Vec::new());
        }
    };
    diagnosis.escape = Escape::Possible;
    Ok(any(&plan, failing, execution, diagnosis.pairs_tried, confirm, &wishes.budget)?.into_iter().collect())
}

/// Passing orders in which a pair of the cause, or another conflict, is swapped.
fn swapped<S: Subject>(
    subject: &S,
    failing: &Replayed,
    diagnosis: &mut Diagnosis,
    wishes: &Wishes,
) -> Result<Vec<Alternate>, DiagnoseError> {
    let passing = &diagnosis.passing;
    let plan = plan_of(&passing.graph)?;
    let pairs = Pairs { graph: &passing.graph, plan: &plan, failing, cause: diagnosis.orders() };
    let confirm = &mut |execution: &Execution| Confirmation::of(&subject.perform(&passing.graph, execution));
    let Swapped { alternates, tried } = pairs.search(wishes.all, confirm, &wishes.budget);
    diagnosis.pairs_tried = tried;
    diagnosis.escape = if alternates.is_empty() { Escape::Unknown(Reason::Size) } else { Escape::Possible };
    Ok(alternates)
}

/// Any model of the solver, or why there is none.
fn passing_execution(
    causes: &Causes,
    question: &mut CanPass,
    budget: &Budget,
) -> Result<Result<Execution, Escape>, DiagnoseError> {
    if let Causes::Chosen(execution) = causes {
        return Ok(Ok(execution.clone()));
    }
    match question.ask(budget) {
        Verdict::Satisfiable(assignment) => Ok(Ok(question.execution(&assignment))),
        Verdict::Unsatisfiable { .. } => Ok(Err(Escape::Excluded)),
        Verdict::Unknown(Reason::Failed(message)) => Err(DiagnoseError::Solver(message)),
        Verdict::Unknown(reason) => Ok(Err(Escape::Unknown(reason))),
    }
}

/// A passing execution as near to the failing one as possible, unless the program leaves its paths.
fn any(
    plan: &Plan<'_>,
    failing: &Replayed,
    execution: Execution,
    pairs_tried: u32,
    confirm: &mut Confirm<'_>,
    budget: &Budget,
) -> Result<Option<Alternate>, DiagnoseError> {
    let outcome = plan
        .replay(&execution, events::Extent::Whole)
        .map_err(|violation| DiagnoseError::Wrong(violation.to_string()))?;
    if !outcome.passes() {
        return Err(DiagnoseError::Wrong("it fails".to_owned()));
    }
    let Replayed { execution, outcome } = nearer(plan, failing, Replayed { execution, outcome }, budget);
    let confirmation = confirm(&execution);
    let alternate =
        Alternate { method: Method::Any, execution, outcome, confirmation, pair: None, pairs_tried, optimal: None };
    Ok((confirmation != Confirmation::LeavesPaths).then_some(alternate))
}

fn nearest_alternate(
    found: Found,
    method: Method,
    escape: &mut Escape,
    confirm: &mut Confirm<'_>,
) -> Option<Alternate> {
    let nearest = match found {
        Found::Nearest(nearest) => *nearest,
        Found::Never => {
            *escape = Escape::Excluded;
            return None;
        }
        Found::Unknown(reason) => {
            *escape = Escape::Unknown(reason);
            return None;
        }
    };
    *escape = Escape::Possible;
    let confirmation = confirm(&nearest.execution);
    (confirmation != Confirmation::LeavesPaths).then_some(Alternate {
        method,
        execution: nearest.execution,
        outcome: nearest.outcome,
        confirmation,
        pair: None,
        pairs_tried: 0,
        optimal: Some(nearest.optimal),
    })
}

/// The failing event, as a position.
pub fn failing_event(wrong: &Wrong) -> Option<EventId> {
    match wrong {
        Wrong::Assertion(assertion) => Some(*assertion),
        Wrong::Deadlock(_) => None,
    }
}
