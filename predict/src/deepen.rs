//! Iterative deepening over the free steps of a path: first paths that join a recorded one soon, then longer ones. A
//! failure with flips that was found with few free steps is searched for again with fewer flips and more free steps.

use std::rc::Rc;
use std::time::{Duration, Instant};

use diagnose::{Replayed, Wrong};
use events::{Execution, Extent};
use run::{RecordedRun, Schedule};
use semantics::code::Code;
use solve::{Budget, Reason};
use symex::bounded::{Bounds, Reason as CutReason, UnrollError};
use thiserror::Error;
use vm::Options;

use crate::minimise::{Limits, Predicted, predict};
use crate::near::{FailureSite, Near, near};
use crate::question::{Failing, PredictError};

/// The default numbers of free steps, in order.
pub const DEPTHS: [u32; 4] = [1, 8, 64, u32::MAX];

/// The share of the remaining time for each depth except the last.
const SHARE: u32 = 3;

#[derive(Debug, Error)]
pub enum ExploreError {
    #[error(transparent)]
    Unroll(UnrollError),
    #[error(transparent)]
    Predict(#[from] PredictError),
}

/// The region in which failures are searched for.
pub struct Region<'a> {
    pub code: &'a Rc<Code>,
    pub options: &'a Options,
    /// The distinct runs, all with one input.
    pub runs: &'a [RecordedRun],
    /// Of loops and recursion that no record leads.
    pub bounds: Bounds,
    /// The numbers of free steps to try, in order.
    pub depths: &'a [u32],
    pub limits: Limits,
    pub deadlocks: bool,
    /// Failures to exclude.
    pub known: &'a [FailureSite],
    pub budget: &'a Budget,
}

/// The results in a region.
#[derive(Debug)]
pub struct Explored {
    /// A failing execution, and the graph that it is one of.
    pub found: Option<(Near, Predicted)>,
    pub tries: u64,
    /// The size of the largest graph.
    pub reached: Reached,
    /// Complete: no path was cut off, and every question was answered.
    pub complete: bool,
    pub open: Option<Reason>,
}

/// How far a region was explored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reached {
    pub events: usize,
    pub decisions: usize,
    /// Free steps, where they were bounded.
    pub free: Option<u32>,
    /// Seconds of symbolic execution, of all graphs together.
    pub symex: f64,
}

/// A passing order of each run, as a function of its number: a schedule on the graph.
pub type Passing<'p> = dyn FnMut(&Near, u32) -> Option<Execution> + 'p;

/// Schedules of runs with the same input that fail, found without the solver.
pub type Trial<'t> = dyn FnMut() -> Vec<Schedule> + 't;

/// Graphs with more events than this are long: where a program counts in long loops, the solver takes minutes for a
/// failure that a few runs show. So runs are tried before the solver.
const LONG: usize = 1_000;

/// The limit of conflicts of a question for fewer flips than those of a failure that was found by trial.
const FEWER: u64 = 500;

impl Region<'_> {
    pub fn explore(&self, passing: &mut Passing<'_>, trial: &mut Trial<'_>) -> Result<Explored, ExploreError> {
        let mut explored = Explored { found: None, tries: 0, reached: Reached::default(), complete: false, open: None };
        for (number, &free) in self.depths.iter().enumerate() {
            let is_last = number + 1 == self.depths.len();
            let Some(until) = self.until(is_last) else { break };
            let started = Instant::now();
            let bounds = Bounds { free, until, ..self.bounds };
            let near = match near(self.code, self.options, &bounds, self.runs, self.known) {
                Ok(near) => near,
                Err(UnrollError::Late) => {
                    explored.open = Some(Reason::Time);
                    continue;
                }
                Err(error) => return Err(ExploreError::Unroll(error)),
            };
            let symex = explored.reached.symex + started.elapsed().as_secs_f64();
            explored.reached = Reached {
                events: near.unrolled.graph.events.len(),
                decisions: near.decisions.len(),
                free: (free != u32::MAX).then_some(free),
                symex,
            };
            if number == 0 && self.limits.window.is_none() && near.unrolled.graph.events.len() > LONG {
                let tried = trial();
                explored.tries += tried.len() as u64;
                let fewest = tried.iter().filter_map(|schedule| self.failing(&near, schedule));
                if let Some(failing) = fewest.min_by_key(|failing| failing.flipped.len()) {
                    let is_minimal = failing.flipped.is_empty();
                    explored.found = Some((near, Predicted { failing, is_minimal }));
                    if is_minimal {
                        return Ok(explored);
                    }
                    continue;
                }
            }
            let fewest = explored.found.as_ref().map(|(_, predicted)| predicted.failing.flipped.len() as u32);
            let is_tried = explored.found.as_ref().is_some_and(|(near, _)| near.unrolled.graph.events.len() > LONG);
            let limits = match fewest {
                Some(fewest) => Limits {
                    flips: Some(fewest - 1),
                    conflicts: self.limits.conflicts.or(is_tried.then_some(FEWER)),
                    ..self.limits
                },
                None => self.limits,
            };
            let budget = self.budget.until(until);
            let prediction = {
                let mut nearness = |run, wrong: Option<&diagnose::Wrong>| {
                    let passing = passing(&near, run)?;
                    Some(near.distances(run, &passing, wrong))
                };
                predict(near.sought(self.deadlocks), limits, &budget, &mut nearness)?
            };
            explored.tries += prediction.tries;
            let is_whole = near.unrolled.cuts.is_empty();
            let is_free = near.unrolled.cuts.iter().any(|cut| cut.reason == CutReason::Free);
            explored.complete = is_whole && prediction.open.is_none() && fewest.is_none();
            explored.open = prediction.open;
            match prediction.found {
                Some(mut predicted) => {
                    predicted.is_minimal &= is_whole || predicted.failing.flipped.is_empty();
                    explored.found = Some((near, predicted));
                }
                // No execution of the larger graph has fewer flips.
                None => {
                    if let Some((_, predicted)) = &mut explored.found {
                        predicted.is_minimal = is_whole && explored.open.is_none();
                    }
                }
            }
            let is_settled = explored
                .found
                .as_ref()
                .is_some_and(|(_, predicted)| predicted.is_minimal || predicted.failing.flipped.len() <= 1);
            if is_settled || !is_free {
                break;
            }
        }
        Ok(explored)
    }

    /// A run of a trial as a failing execution of the graph, within the limits and of no known failure.
    fn failing(&self, near: &Near, schedule: &Schedule) -> Option<Failing> {
        let execution = near.ordered(self.code, self.options, schedule)?;
        let outcome = events::replay(&near.unrolled.graph, &execution, Extent::Prefix).ok()?;
        let wrong = Wrong::of(&outcome)?;
        let is_wanted = match &wrong {
            Wrong::Assertion(assertion) => {
                !FailureSite::of(&near.unrolled, *assertion).is_some_and(|site| self.known.contains(&site))
            }
            Wrong::Deadlock(_) => self.deadlocks,
        };
        let (run, flipped) = near.nearest(&execution);
        let allowed = self.limits.flips.is_none_or(|most| flipped.len() <= most as usize);
        let replayed = Replayed { execution, outcome };
        (is_wanted && allowed).then_some(Failing { replayed, wrong, run, flipped })
    }

    /// When a depth must end; `None` if there is no time left.
    fn until(&self, is_last: bool) -> Option<Option<Instant>> {
        let Some(end) = self.budget.ends() else { return Some(None) };
        let left = end.saturating_duration_since(Instant::now());
        if left < Duration::from_millis(10) || self.budget.is_over() {
            return None;
        }
        Some(Some(if is_last { end } else { Instant::now() + left / SHARE }))
    }
}
