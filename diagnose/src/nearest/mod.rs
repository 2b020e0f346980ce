//! The nearest execution that passes: of all passing executions of some paths, one that has the most in common with the
//! failing one (Terra-Neves, Machado, Lynce, Manquinho: Concurrency Debugging with MaxSMT, AAAI 2019).
//!
//! `optimal` counts lost data flows, broken segments and lost context switches alike, `lexicographic` in this order, and
//! `progressive` (Algorithm 1 of the paper, on the lexicographic model) lets only segments around the failure move, more
//! and more of them until something passes. Where the paper solves each of its models anew, one solver answers all
//! questions, and a core tells which segments must be let go before it is worth asking again.

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

/// Possible sources of reads that are made known at once. More than elsewhere: to prove that nothing is nearer takes nearly
/// all of them, and to hear of them one after the other costs more than they do.
const SOURCES: usize = 4_000_000;

/// Where a passing execution is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Paths<'a> {
    /// The failing one's, made free to pass, or another that has some of its events.
    pub graph: &'a EventGraph,
    /// Events that were added to it and are no operations.
    pub synthetic: &'a [EventId],
    pub twins: &'a Twins,
}

/// What became of the search.
#[derive(Clone, Debug)]
pub enum Found {
    Nearest(Box<Nearest>),
    /// No execution of these paths passes; that is proven.
    Never,
    /// A budget ended the search before anything was found.
    Unknown(Reason),
}

/// An execution that passes.
#[derive(Clone, Debug)]
pub struct Nearest {
    pub execution: Execution,
    /// On the paths that were given, as [`events::replay`] sees it.
    pub outcome: Outcome,
    /// As [`distance`] computes it.
    pub distance: Distance,
    /// Whether it is proven that none is nearer. A progressive search proves it only if nothing was held fast.
    pub optimal: bool,
    /// What every execution that passes loses at least: all criteria together (`optimal`), or data flows, segments and
    /// switches one by one, each as long as those before it are as good as they can be. Where some operations were held
    /// fast it speaks of the executions that hold them.
    pub lower: Vec<u64>,
    /// By segments of the failing execution, how many were free to move; all of them but for a progressive search.
    pub free_segments: usize,
    pub segments: usize,
    /// How often the solver was asked, and what it took.
    pub questions: u64,
    pub conflicts: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NearestError {
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error("{} is no search for the nearest execution", .0.name())]
    Method(Method),
    #[error("the solver broke down: {0}")]
    Solver(String),
    #[error("the execution that was found does not pass: {0}")]
    NotPassing(String),
    #[error("the solver says that the execution loses {claimed:?}, and it loses {found:?}")]
    Distance { claimed: Vec<u64>, found: Vec<u64> },
}

/// Looks for the nearest execution of the paths that passes with the same inputs. The budget is one of the whole search; in
/// a progressive one, conflicts are a budget of each attempt.
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
    /// Among the executions that keep what is held.
    fn new(
        failing: Run<'a>,
        paths: Paths<'a>,
        wished: &Wished,
        method: Method,
        held: Vec<(EventId, EventId)>,
        budget: &Budget,
    ) -> Result<(Search<'a>, Engine), NearestError> {
        let question = Question { held, ..Question::new(Goal::Passes, Extent::Whole) }.until(budget.ends());
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

    /// With this many segments free to move, the others being held by the engine's formula.
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
        // A term may be false although what it says is so, but not in the best of all executions.
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
