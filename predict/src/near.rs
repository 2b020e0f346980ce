//! Recorded runs of a program, and deviations from them, as one graph with the decisions that can be flipped.

use std::collections::HashSet;
use std::rc::Rc;

use diagnose::Wrong;
use events::{EventId, Execution, Extent, Place};
use run::{RecordedRun, Schedule};
use semantics::code::Code;
use symex::bounded::{Bounds, UnrollError, Unrolled, map_schedule, unroll_near};
use vm::{FailureKind, Options, SiteFrame};

use crate::question::{Asserted, Change, Decided, Sought, When, by_decision};

/// A graph near recorded runs.
#[derive(Debug)]
pub struct Near {
    pub unrolled: Unrolled,
    /// As numbered in the graph's decisions.
    pub decisions: Vec<Decided>,
    /// The assertions that may fail: all but those of known failures.
    wanted: Vec<EventId>,
    /// Of these, the program's own assertions. Memory errors and the like are searched for after them.
    asserted: Vec<EventId>,
    runs: u32,
}

/// A failure of the source: assertions of a kind, at a place, with the same words are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailureSite {
    kind: FailureKind,
    what: String,
    place: Option<Place>,
    /// The calls around it, where no place is known.
    frames: Vec<SiteFrame>,
}

impl FailureSite {
    /// The failure of an assertion of the graph.
    pub fn of(unrolled: &Unrolled, assertion: EventId) -> Option<FailureSite> {
        let wrong = unrolled.wrongs.get(&assertion)?;
        let place = unrolled.graph.events[assertion.index()].place.clone();
        let frames = if place.is_some() { Vec::new() } else { unrolled.frames(assertion).to_vec() };
        Some(FailureSite { kind: wrong.kind, what: wrong.what.clone(), place, frames })
    }
}

/// Follows the program along the runs and beside them.
pub fn near(
    code: &Rc<Code>,
    options: &Options,
    bounds: &Bounds,
    runs: &[RecordedRun],
    known: &[FailureSite],
) -> Result<Near, UnrollError> {
    let unrolled = unroll_near(code, options, bounds, runs)?;
    let changes = unrolled.flips.iter().map(|flip| {
        let runs = flip.recorded.iter().map(|(run, _)| *run).collect();
        (flip.decision, Change { when: When::Marked(flip.mark), runs })
    });
    let changes = by_decision(unrolled.decisions.len(), changes);
    let decisions = unrolled.decisions.iter().zip(changes);
    let decisions = decisions.map(|(decision, changes)| Decided { after: decision.after, changes }).collect();
    let is_known = |event: &EventId| FailureSite::of(&unrolled, *event).is_some_and(|site| known.contains(&site));
    let mut wanted: Vec<EventId> = unrolled.wrongs.keys().copied().filter(|event| !is_known(event)).collect();
    wanted.sort_unstable();
    let is_own = |event: &EventId| unrolled.wrongs[event].kind == FailureKind::Assertion;
    let asserted: Vec<EventId> = wanted.iter().copied().filter(is_own).collect();
    Ok(Near { unrolled, decisions, wanted, asserted, runs: runs.len() as u32 })
}

impl Near {
    pub fn sought(&self, deadlocks: bool) -> Sought<'_> {
        Sought {
            graph: &self.unrolled.graph,
            decisions: &self.decisions,
            runs: self.runs,
            assertions: match self.wanted.len() {
                0 => Asserted::None,
                all if all == self.unrolled.wrongs.len() => Asserted::Any,
                _ => Asserted::These(&self.wanted),
            },
            // If these are all wanted assertions, a separate first query is redundant.
            first: if self.asserted.len() < self.wanted.len() { &self.asserted } else { &[] },
            deadlocks,
            extent: Extent::Prefix,
        }
    }

    /// The run from which an execution differs in the fewest decisions, and those decisions.
    pub fn nearest(&self, execution: &Execution) -> (u32, Vec<usize>) {
        let happened: HashSet<EventId> = execution.steps.iter().map(|step| step.event).collect();
        let flips = |run: u32| {
            let concerns = |change: &Change| {
                let counts = matches!(change.when, When::Marked(mark) if happened.contains(&mark));
                counts && change.runs.contains(&run)
            };
            let decisions = self.decisions.iter().enumerate();
            let flipped: Vec<usize> = decisions
                .filter(|(_, decided)| decided.changes.iter().any(concerns))
                .map(|(number, _)| number)
                .collect();
            (run, flipped)
        };
        (0..self.runs).map(flips).min_by_key(|(_, flipped)| flipped.len()).unwrap_or_default()
    }

    /// The order of a schedule as an execution of the graph; `None` if it leaves the graph.
    pub fn ordered(&self, code: &Rc<Code>, options: &Options, schedule: &Schedule) -> Option<Execution> {
        map_schedule(code, options, &self.unrolled, schedule).ok()
    }

    /// The number of decisions between each decision and a failure, in a passing order of a run; from its end if no
    /// failure is given. `None` for decisions that the run does not have.
    pub fn distances(&self, run: u32, passing: &Execution, wrong: Option<&Wrong>) -> Vec<Option<u32>> {
        let graph = &self.unrolled.graph;
        let mut positions = vec![None; graph.events.len()];
        for (position, step) in passing.steps.iter().enumerate() {
            positions[step.event.index()] = Some(position);
        }
        // An event that did not happen has the position of the last one before it in its thread.
        let stands = |event: EventId| {
            let thread = &graph.threads[graph.events[event.index()].thread.index()].events;
            let before = thread[..thread.partition_point(|&other| other <= event)].iter().rev();
            before.filter_map(|other| positions[other.index()]).next()
        };
        let failure = match wrong {
            Some(Wrong::Assertion(assertion)) => stands(*assertion),
            _ => None,
        };
        let failure = failure.unwrap_or(passing.steps.len());
        let has = |decided: &Decided| decided.changes.iter().any(|change| change.runs.contains(&run));
        let mut placed: Vec<(usize, usize, usize)> = Vec::new();
        for (number, decided) in self.decisions.iter().enumerate().filter(|(_, decided)| has(decided)) {
            let at = decided.after.and_then(stands).unwrap_or(0);
            placed.push((at.abs_diff(failure), self.decisions.len() - number, number));
        }
        placed.sort_unstable();
        let mut distances = vec![None; self.decisions.len()];
        for (distance, &(_, _, number)) in placed.iter().enumerate() {
            distances[number] = Some(distance as u32);
        }
        distances
    }
}
