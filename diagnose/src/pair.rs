//! Alternates by the heuristic of section 3.5 of the Symbiosis paper: two events of the cause are swapped in the
//! failing schedule, those with the fewest events between them first.
//!
//! Each pair gives up to four concrete orders (`swap`). An order is run on the graph, without a solver: steps that are
//! not enabled yet are postponed, and events after the failure are executed at the end (`guide`). Pairs of the cause
//! come before other pairs of its events, and these before other conflicts.

use std::collections::HashSet;

use events::{EventGraph, EventId, Plan, Step};
use solve::Budget;

use crate::cause::Order;
use crate::diagnosis::{Alternate, Confirm, Confirmation, Method};
use crate::failure::Replayed;
use crate::flows::{Flow, flows};
use crate::guide::follow;
use crate::swap::Swap;

/// The limit of executed events.
const EFFORT: usize = 20_000_000;

pub(crate) struct Pairs<'a> {
    /// The graph of the failing execution, whose events are a prefix of those of the plan's graph.
    pub graph: &'a EventGraph,
    pub plan: &'a Plan<'a>,
    pub failing: &'a Replayed,
    pub cause: &'a [Order],
}

/// The orders tried, and those of passing runs.
#[derive(Default)]
struct Seen {
    wished: HashSet<Vec<EventId>>,
    passed: HashSet<Vec<EventId>>,
}

fn events(steps: &[Step]) -> Vec<EventId> {
    steps.iter().map(|step| step.event).collect()
}

/// The result of swapping pairs.
pub(crate) struct Swapped {
    pub alternates: Vec<Alternate>,
    pub tried: u32,
}

impl Pairs<'_> {
    /// The first alternate, or all that differ.
    pub fn search(&self, all: bool, confirm: &mut Confirm<'_>, budget: &Budget) -> Swapped {
        let mut swapped = Swapped { alternates: Vec::new(), tried: 0 };
        let mut effort = EFFORT;
        let mut seen = Seen::default();
        for (first, second) in self.listed() {
            if effort == 0 || budget.is_over() {
                break;
            }
            swapped.tried += 1;
            let steps = &self.failing.execution.steps;
            let Some(run) = self.swapped(first, second, &mut seen, &mut effort) else { continue };
            let confirmation = confirm(&run.execution);
            if confirmation == Confirmation::LeavesPaths {
                continue;
            }
            swapped.alternates.push(Alternate {
                method: Method::Pair,
                execution: run.execution,
                outcome: run.outcome,
                confirmation,
                pair: Some((steps[first].event, steps[second].event)),
                pairs_tried: swapped.tried,
                optimal: None,
            });
            if !all {
                break;
            }
        }
        swapped
    }

    /// A passing run in which the second of two positions comes before the first: the event itself, or its whole
    /// stretch, before the other or before the other's whole stretch; among these, the one with the most equal reads.
    fn swapped(&self, first: usize, second: usize, seen: &mut Seen, effort: &mut usize) -> Option<Replayed> {
        let mut best: Option<(usize, Replayed)> = None;
        for wished in (Swap { graph: self.graph, failing: self.failing }).orders(first, second) {
            *effort = effort.saturating_sub(wished.len());
            if !seen.wished.insert(events(&wished)) {
                continue;
            }
            let run = follow(self.plan, &wished, &self.failing.execution.inputs);
            let Some(run) = run.filter(|run| run.outcome.passes()) else { continue };
            if seen.passed.insert(events(&run.execution.steps)) {
                let differs = self.differences(&run);
                if best.as_ref().is_none_or(|(fewest, _)| differs < *fewest) {
                    best = Some((differs, run));
                }
            }
        }
        best.map(|(_, run)| run)
    }

    /// The number of reads with another source.
    fn differences(&self, run: &Replayed) -> usize {
        let flows = |run: &Replayed| -> HashSet<Flow> {
            flows(self.plan.graph, &run.execution, &run.outcome.effects).into_iter().collect()
        };
        flows(self.failing).difference(&flows(run)).count()
    }

    /// Positions of pairs in the order in which they are tried.
    fn listed(&self) -> Vec<(usize, usize)> {
        let steps = &self.failing.execution.steps;
        let positions = self.failing.positions();
        let located = |&(one, other): &Order| Some((*positions.get(&one)?, *positions.get(&other)?));
        let thread = |position: usize| self.graph.events[steps[position].event.index()].thread;
        let mut ends: Vec<usize> = self
            .cause
            .iter()
            .flat_map(|&(one, other)| [one, other])
            .filter_map(|e| positions.get(&e).copied())
            .collect();
        ends.sort_unstable();
        ends.dedup();
        let mut crossed = Vec::new();
        for (index, &one) in ends.iter().enumerate() {
            crossed
                .extend(ends[index + 1..].iter().map(|&other| (one, other)).filter(|&(a, b)| thread(a) != thread(b)));
        }
        let conflicts = encode::candidates(self.graph, &self.failing.execution, &self.failing.outcome.effects);
        let mut listed = Vec::new();
        let mut known = HashSet::new();
        for mut group in [
            self.cause.iter().filter_map(located).collect::<Vec<_>>(),
            crossed,
            conflicts.iter().filter_map(located).collect(),
        ] {
            // Among equally near ones the later ones, since they are nearer to the failure.
            group.sort_by_key(|&(first, second)| (second - first, std::cmp::Reverse(first)));
            listed.extend(group.into_iter().filter(|pair| known.insert(*pair)));
        }
        listed
    }
}
