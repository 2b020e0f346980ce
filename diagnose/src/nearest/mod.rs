//! The nearest passing execution: among all passing executions of some paths, one with the most in common with the
//! failing one (Terra-Neves, Machado, Lynce, Manquinho: Concurrency Debugging with MaxSMT, AAAI 2019).
//!
//! `optimal` minimises the total of lost data flows, broken segments and lost context switches, `lexicographic`
//! minimises them in this order, and `progressive` (Algorithm 1 of the paper, on the lexicographic model) only lets
//! segments around the failure move, more and more of them until an execution passes. Deviation: instead of solving
//! each model anew, one solver answers all questions, and an unsat core tells which segments must be released before
//! the next attempt.

mod progressive;
mod wishes;

use std::collections::HashMap;

use encode::{EncodeError, Goal, Question, encode_with};
use events::{EventGraph, EventId, Execution, Extent, Outcome, replay};
use formula::{Node, Op, Sort, Term, Terms, Value};
use solve::{Budget, End, Engine, Mode, Reason, Soft, Solver, optimise};
use thiserror::Error;

use crate::diagnosis::{Method, unasked};
use crate::failure::Replayed;
use crate::metric::{Distance, Run, distance};
use crate::passing::equal;
use crate::twins::Twins;

use wishes::Wished;

/// The number of reads-from candidates that are added at once. It is larger than elsewhere: a proof of optimality needs
/// nearly all of them, and adding them one by one costs more.
const SOURCES: usize = 4_000_000;

/// A search over paths with more reads-from candidates together is not begun: it takes gigabytes and minutes. Paths of
/// another run may be long where those of the failing run are not.
const MOST_SOURCES: usize = 400_000;

/// The paths on which a passing execution is searched for.
#[derive(Clone, Copy, Debug)]
pub struct Paths<'a> {
    /// The failing one's, relaxed so that it can pass, or another that shares some of its events.
    pub graph: &'a EventGraph,
    /// Events that were added to it and are not operations.
    pub synthetic: &'a [EventId],
    pub twins: &'a Twins,
}

/// The result of the search.
#[derive(Clone, Debug)]
pub enum Found {
    Nearest(Box<Nearest>),
    /// No execution of these paths passes; that is proven.
    Never,
    /// A budget ended the search without a result.
    Unknown(Reason),
}

/// An execution that passes.
#[derive(Clone, Debug)]
pub struct Nearest {
    pub execution: Execution,
    /// On the given paths, as computed by [`events::replay`].
    pub outcome: Outcome,
    /// As [`distance`] computes it.
    pub distance: Distance,
    /// Whether optimality is proven. A progressive search proves it only if no operation was held.
    pub optimal: bool,
    /// A lower bound of the loss of every passing execution: of all criteria together (`optimal`), or of data flows,
    /// segments and switches one by one, each as long as the previous ones are optimal. If some operations were held it
    /// is about the executions that keep them.
    pub lower: Vec<u64>,
    /// The number of segments of the failing execution that were free to move; all of them except in a progressive
    /// search.
    pub free_segments: usize,
    pub segments: usize,
    /// The number of questions to the solver, and their cost.
    pub questions: u64,
    pub conflicts: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NearestError {
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error("{} is not a search for the nearest execution", .0.name())]
    Method(Method),
    #[error("the solver broke down: {0}")]
    Solver(String),
    #[error("the solver returned an execution that does not pass: {0}")]
    NotPassing(String),
    #[error("the solver claims a distance of {claimed:?}, but the execution has {found:?}")]
    Distance { claimed: Vec<u64>, found: Vec<u64> },
}

/// Searches for the nearest passing execution of the paths with the same inputs. The time limit is for the whole
/// search; in a progressive one, the limit of conflicts is per attempt.
pub fn nearest(
    graph: &EventGraph,
    failing: &Replayed,
    paths: Paths<'_>,
    method: Method,
    budget: &Budget,
) -> Result<Found, NearestError> {
    if !matches!(method, Method::Optimal | Method::Lexicographic | Method::Progressive) {
        return Err(NearestError::Method(method));
    }
    let failing = Run { graph, replayed: failing, synthetic: &[] };
    let wished = Wished::new(failing, paths);
    let found = if method == Method::Progressive {
        progressive::progressive(failing, paths, &wished, budget)
    } else {
        let all = wished.segments.len();
        Search::new(failing, paths, &wished, method, Vec::new(), budget)
            .and_then(|(search, mut engine)| search.optimise(&mut engine, budget, all, 0))
    };
    match found {
        Err(NearestError::Encode(error)) => unasked(error).map(Found::Unknown).ok_or(error.into()),
        found => found,
    }
}

/// That inputs of the same name have the same values.
fn same_inputs(failing: Run<'_>, graph: &EventGraph, terms: &mut Terms) -> Vec<Term> {
    let named = |graph: &EventGraph, input: Term| match graph.terms.op(input) {
        Op::Symbol(symbol) => Some((graph.terms.name(*symbol).to_owned(), graph.terms.sort(input))),
        _ => None,
    };
    let mut values: HashMap<(String, Sort), Value> = HashMap::new();
    for (&input, &value) in failing.graph.inputs.iter().zip(&failing.replayed.execution.inputs) {
        values.extend(named(failing.graph, input).map(|name| (name, value)));
    }
    let mut same = Vec::new();
    for &input in &graph.inputs {
        if let Some(&value) = named(graph, input).and_then(|name| values.get(&name)) {
            same.push(equal(terms, input, value));
        }
    }
    same
}

/// A level for each criterion, or one for all.
fn softs(wished: &Wished, granted: &encode::Granted, method: Method) -> Vec<Soft> {
    let level = |criterion: usize| if method == Method::Optimal { 0 } else { criterion };
    let soft = |&term: &Term, criterion| Soft { term, weight: 1, level: level(criterion) };
    let (segments, switches) = granted.stretches.split_at(wished.segment_wishes);
    let mut softs: Vec<Soft> = granted.flows.iter().map(|term| soft(term, 0)).collect();
    softs.extend(segments.iter().map(|term| soft(term, 1)));
    softs.extend(switches.iter().map(|term| soft(term, 2)));
    softs
}

struct Search<'a> {
    failing: Run<'a>,
    paths: Paths<'a>,
    legend: encode::Legend,
    softs: Vec<Soft>,
    segments: usize,
}

impl<'a> Search<'a> {
    /// Among the executions that keep the held operations.
    fn new(
        failing: Run<'a>,
        paths: Paths<'a>,
        wished: &Wished,
        method: Method,
        held: Vec<(EventId, EventId)>,
        budget: &Budget,
    ) -> Result<(Search<'a>, Engine), NearestError> {
        let question = Question { held, ..Question::new(Goal::Passes, Extent::Whole) };
        let question = question.until(budget.ends()).within(MOST_SOURCES);
        let (encoding, granted) = encode_with(paths.graph, &question, &wished.wishes)?;
        let mut engine = Engine::with_sources(encoding.formula, Mode::default(), SOURCES);
        let order: Vec<Node> = wished.order.iter().map(|&event| encoding.legend.node_of(event)).collect();
        engine.follow(&order);
        for same in same_inputs(failing, paths.graph, engine.terms()) {
            engine.assert(same);
        }
        let (softs, segments) = (softs(wished, &granted, method), wished.segments.len());
        Ok((Search { failing, paths, legend: encoding.legend, softs, segments }, engine))
    }

    /// With this many free segments, the others being held by the engine's formula.
    fn optimise(
        &self,
        engine: &mut Engine,
        budget: &Budget,
        free_segments: usize,
        asked: u64,
    ) -> Result<Found, NearestError> {
        let optimum = optimise(engine, &self.softs, budget);
        if let End::Stopped(Reason::Failed(message)) = optimum.end {
            return Err(NearestError::Solver(message));
        }
        let Some(best) = optimum.best else {
            return Ok(match optimum.end {
                End::Stopped(reason) => Found::Unknown(reason),
                End::Unsatisfiable | End::Optimal => Found::Never,
            });
        };
        let execution = self.legend.decode(&engine.formula().terms, &best);
        let outcome = replay(self.paths.graph, &execution, Extent::Whole)
            .map_err(|violation| NearestError::NotPassing(violation.to_string()))?;
        if !outcome.passes() {
            return Err(NearestError::NotPassing("an assertion fails".to_owned()));
        }
        let replayed = Replayed { execution, outcome };
        let other = Run { graph: self.paths.graph, replayed: &replayed, synthetic: self.paths.synthetic };
        let distance = distance(self.failing, other, self.paths.twins);
        let found = match optimum.cost.len() {
            0 | 1 => vec![distance.data_flows + distance.broken_segments + distance.context_switches],
            _ => vec![distance.data_flows, distance.broken_segments, distance.context_switches],
        };
        let mut claimed = optimum.cost;
        claimed.resize(found.len(), 0);
        let finished = optimum.end == End::Optimal;
        // A term may be false although its condition holds, but not in an optimal execution.
        if (finished && claimed != found) || (!finished && found > claimed) {
            return Err(NearestError::Distance { claimed, found });
        }
        let mut lower = optimum.lower;
        lower.resize(found.len(), 0);
        Ok(Found::Nearest(Box::new(Nearest {
            execution: replayed.execution,
            outcome: replayed.outcome,
            distance,
            optimal: lower == found && free_segments == self.segments,
            lower,
            free_segments,
            segments: self.segments,
            questions: asked + optimum.questions,
            conflicts: engine.statistics().conflicts,
        })))
    }
}
