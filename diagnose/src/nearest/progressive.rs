//! Algorithm 1 of the paper: first only the segments beside the one with the failure may move, then more and more, while
//! the operations of all others keep their order. An attempt that the last core rules out is not made.

use std::time::Instant;

use events::EventId;
use formula::Term;
use solve::{Budget, Engine, Reason, Solver, Verdict};

use super::wishes::Wished;
use super::{Found, NearestError, Search};
use crate::failure::Replayed;

impl Search<'_> {
    pub(super) fn progressive(
        self,
        mut engine: Engine,
        wished: &Wished,
        budget: &Budget,
    ) -> Result<Found, NearestError> {
        let deadline = budget.time.and_then(|time| Instant::now().checked_add(time));
        let left = || Budget {
            time: deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            ..budget.clone()
        };
        let middle = self.failing_segment(wished);
        let mut asked = 0;
        let mut unknown = None;
        let mut core: Option<Vec<Term>> = None;
        for reach in 1.. {
            let free = middle.saturating_sub(reach)..(middle + reach + 1).min(self.segments);
            let fixed = self.fixed(&mut engine, wished, free.clone());
            let last = free.len() >= self.segments;
            let ruled_out = core.as_ref().is_some_and(|core| core.iter().all(|term| fixed.contains(term)));
            if !ruled_out {
                asked += 1;
                match engine.solve(&fixed, &left()) {
                    Verdict::Satisfiable(_) => {
                        fixed.iter().for_each(|&term| engine.assert(term));
                        return self.optimise(&mut engine, &left(), free.len(), asked);
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
            if last {
                break;
            }
        }
        Ok(unknown.map_or(Found::Never, Found::Unknown))
    }

    /// The segment in which the failing execution failed.
    fn failing_segment(&self, wished: &Wished) -> usize {
        let (graph, Replayed { execution, outcome }) = (self.failing.graph, self.failing.replayed);
        let assertion = outcome.failed.first().copied();
        let thread = assertion.map(|event| graph.events[event.index()].thread);
        let before = execution.steps.iter().take_while(|step| Some(step.event) != assertion);
        let own = before.map(|step| step.event).filter(|event| Some(graph.events[event.index()].thread) == thread);
        let own: Vec<EventId> = own.collect();
        let last = own.iter().rev();
        let segment_of = |event: &EventId| wished.segments.iter().position(|segment| segment.contains(event));
        let found = last.filter_map(segment_of).next();
        found.unwrap_or(self.segments.saturating_sub(1))
    }

    /// That the operations of all other segments keep their order.
    fn fixed(&self, engine: &mut Engine, wished: &Wished, free: std::ops::Range<usize>) -> Vec<Term> {
        let segments = wished.segments.iter().enumerate().filter(|(number, _)| !free.contains(number));
        let operations =
            segments.flat_map(|(_, segment)| segment.iter()).filter_map(|&event| self.paths.twins.of(event));
        let operations: Vec<EventId> = operations.collect();
        let thread = |event: EventId| self.paths.graph.events[event.index()].thread;
        let mut fixed = Vec::new();
        for pair in operations.windows(2).filter(|pair| thread(pair[0]) != thread(pair[1])) {
            let [first, second] = [pair[0], pair[1]].map(|event| self.legend.node_of(event));
            fixed.push(engine.terms().before(first, second));
        }
        fixed
    }
}
