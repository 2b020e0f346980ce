//! Algorithm 1 of the paper: first only the segments adjacent to the failing one may move, then more and more, while
//! the operations of all others keep their order.
//!
//! The first attempt, which mostly succeeds, has a formula of its own, from which constraints that the held order makes
//! redundant are left out. Further attempts use one solver, and an attempt that the last unsat core excludes is
//! skipped.

use std::ops::Range;

use events::EventId;
use formula::Term;
use solve::{Budget, Engine, Reason, Solver, Verdict};

use super::wishes::Wished;
use super::{Found, NearestError, Paths, Search};
use crate::diagnosis::Method;
use crate::failure::Replayed;
use crate::metric::Run;

pub(super) fn progressive(
    failing: Run<'_>,
    paths: Paths<'_>,
    wished: &Wished,
    budget: &Budget,
) -> Result<Found, NearestError> {
    let end = budget.ends();
    let left = || budget.until(end);
    let (middle, segments) = (failing_segment(failing, wished), wished.segments.len());
    let free = |reach: usize| middle.saturating_sub(reach)..(middle + reach + 1).min(segments);
    let first = held(paths, wished, free(1));
    let (search, mut engine) = Search::new(failing, paths, wished, Method::Progressive, first, &left())?;
    match search.optimise(&mut engine, &left(), free(1).len(), 0)? {
        Found::Never if free(1).len() >= segments => return Ok(Found::Never),
        Found::Never | Found::Unknown(Reason::Conflicts) => {}
        found => return Ok(found),
    }
    let (search, mut engine) = Search::new(failing, paths, wished, Method::Progressive, Vec::new(), &left())?;
    let mut asked = 1;
    let mut unknown = None;
    let mut core: Option<Vec<Term>> = None;
    for reach in 1.. {
        let free = free(reach);
        let fixed = search.fixed(&mut engine, held(paths, wished, free.clone()));
        let ruled_out = core.as_ref().is_some_and(|core| core.iter().all(|term| fixed.contains(term)));
        if !ruled_out {
            asked += 1;
            match engine.solve(&fixed, &left()) {
                Verdict::Satisfiable(_) => {
                    fixed.iter().for_each(|&term| engine.assert(term));
                    return search.optimise(&mut engine, &left(), free.len(), asked);
                }
                Verdict::Unsatisfiable { core: found } => core = Some(found),
                Verdict::Unknown(Reason::Failed(message)) => return Err(NearestError::Solver(message)),
                Verdict::Unknown(Reason::Conflicts) => unknown = Some(Reason::Conflicts),
                Verdict::Unknown(reason) => return Ok(Found::Unknown(reason)),
            }
        }
        if core.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Found::Never);
        }
        if free.len() >= segments {
            break;
        }
    }
    Ok(unknown.map_or(Found::Never, Found::Unknown))
}

impl Search<'_> {
    fn fixed(&self, engine: &mut Engine, held: Vec<(EventId, EventId)>) -> Vec<Term> {
        let mut fixed = Vec::with_capacity(held.len());
        for (first, second) in held {
            let [first, second] = [first, second].map(|event| self.legend.node_of(event));
            fixed.push(engine.terms().before(first, second));
        }
        fixed
    }
}

/// The segment in which the failing execution failed.
fn failing_segment(failing: Run<'_>, wished: &Wished) -> usize {
    let (graph, Replayed { execution, outcome }) = (failing.graph, failing.replayed);
    let assertion = outcome.failed.first().copied();
    let thread = assertion.map(|event| graph.events[event.index()].thread);
    let before = execution.steps.iter().take_while(|step| Some(step.event) != assertion);
    let own = before.map(|step| step.event).filter(|event| Some(graph.events[event.index()].thread) == thread);
    let own: Vec<EventId> = own.collect();
    let last = own.iter().rev();
    let segment_of = |event: &EventId| wished.segments.iter().position(|segment| segment.contains(event));
    let found = last.filter_map(segment_of).next();
    found.unwrap_or(wished.segments.len().saturating_sub(1))
}

/// The order of the operations of all other segments, where it passes from one thread to another.
fn held(paths: Paths<'_>, wished: &Wished, free: Range<usize>) -> Vec<(EventId, EventId)> {
    let segments = wished.segments.iter().enumerate().filter(|(number, _)| !free.contains(number));
    let operations = segments.flat_map(|(_, segment)| segment.iter()).filter_map(|&event| paths.twins.of(event));
    let operations: Vec<EventId> = operations.collect();
    let thread = |event: EventId| paths.graph.events[event.index()].thread;
    let pairs = operations.windows(2).filter(|pair| thread(pair[0]) != thread(pair[1]));
    pairs.map(|pair| (pair[0], pair[1])).collect()
}
