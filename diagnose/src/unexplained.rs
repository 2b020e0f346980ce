//! Paths that no order explains, because the native machine had weaker memory or because of an unrecorded change: the
//! smallest set of reads that must read other values than any order allows.

use std::collections::HashMap;

use encode::{Encoding, Failure, Goal, Question, encode};
use events::{EventGraph, EventId, Extent, Kind};
use formula::{Sort, Term};
use solve::{Budget, End, Engine, Mode, Soft, Solver, optimise};

use crate::diagnosis::{DiagnoseError, unasked};

/// Reads that together explain why there is no order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexplained {
    pub reads: Vec<EventId>,
    /// Whether no smaller set does; otherwise a budget ended the search.
    pub smallest: bool,
}

/// The smallest set of reads to leave unconstrained so that a failing order exists. None if there is no such order, or
/// if none was found in time.
pub fn unexplained(
    graph: &EventGraph,
    failure: Failure,
    budget: &Budget,
) -> Result<Option<Unexplained>, DiagnoseError> {
    let (loosened, reads) = loosened(graph);
    let question = Question::new(Goal::Failure(failure), Extent::Prefix).until(budget.ends());
    let Encoding { formula, .. } = match encode(&loosened, &question) {
        Ok(encoding) => encoding,
        Err(error) => return unasked(error).map(|_| None).ok_or(error.into()),
    };
    let mut engine = Engine::with_mode(formula, Mode::Plain);
    let mut softs = Vec::new();
    for &(_, loose) in &reads {
        let term = engine.terms().not(loose);
        softs.push(Soft { term, weight: 1, level: 0 });
    }
    let optimum = optimise(&mut engine, &softs, budget);
    let Some(best) = optimum.best else { return Ok(None) };
    let mut evaluator = best.evaluator(&engine.formula().terms);
    let reads = reads.into_iter().filter(|&(_, loose)| evaluator.evaluate_bool(loose)).map(|(read, _)| read);
    Ok(Some(Unexplained { reads: reads.collect(), smallest: optimum.end == End::Optimal }))
}

/// The graph in which the consequences of a read may follow from any value, if the read is unconstrained; and by read,
/// the condition that it is.
fn loosened(graph: &EventGraph) -> (EventGraph, Vec<(EventId, Term)>) {
    let mut own = graph.clone();
    let mut reads = Vec::new();
    let mut instead: HashMap<Term, Term> = HashMap::new();
    for (number, event) in graph.events.iter().enumerate() {
        let Kind::Access(access) = &event.kind else { continue };
        let Some(old) = access.old else { continue };
        let width = graph.terms.width(old);
        let loose = own.terms.symbol(format!("loose{number}"), Sort::Bool);
        let free = own.terms.symbol(format!("free{number}"), Sort::Bits(width));
        own.inputs.extend([loose, free]);
        instead.insert(old, own.terms.ite(loose, free, old));
        reads.push((EventId(number as u32), loose));
    }
    for number in 0..own.events.len() {
        let defined = match &graph.events[number].kind {
            Kind::Access(access) => access.old,
            _ => None,
        };
        let mut event = own.events[number].clone();
        for term in event.terms_mut() {
            if Some(*term) != defined {
                *term = own.terms.substitute(*term, &instead);
            }
        }
        own.events[number] = event;
    }
    (own, reads)
}
