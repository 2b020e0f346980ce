//! Alternates by the heuristic of section 3.5 of the Symbiosis paper: two events of the cause change places in the failing
//! schedule, those with the fewest events between them first.
//!
//! Each pair is one concrete order, or four: the event that comes forward may bring the rest of its thread's stretch with
//! it, and may pass the whole stretch of the other; a lost update of many needs that. An order is run on the graph, without a solver: steps that cannot happen yet are passed
//! over, and what the failure cut off is done in the end (`guide`). Where the first of the pair stands in a critical
//! section that the second one needs, the whole section comes later. Pairs that the cause orders come before the other
//! pairs of its events, and these before what else was in conflict.

use std::collections::{HashMap, HashSet};

use events::{Effect, EventGraph, EventId, Kind, Location, Plan, Step};

use crate::cause::Order;
use crate::diagnosis::{Alternate, Confirm, Confirmation, Method};
use crate::failure::Replayed;
use crate::flows::{Flow, flows};
use crate::guide::{follow, inverted};

/// How many events may be run altogether.
const EFFORT: usize = 20_000_000;

pub(crate) struct Pairs<'a> {
    /// The graph of the failing execution, whose events those of the plan's graph begin with.
    pub graph: &'a EventGraph,
    pub plan: &'a Plan<'a>,
    pub failing: &'a Replayed,
    pub cause: &'a [Order],
}

/// Orders that were tried, and those of runs that passed.
#[derive(Default)]
struct Seen {
    wished: HashSet<Vec<EventId>>,
    passed: HashSet<Vec<EventId>>,
}

fn events(steps: &[Step]) -> Vec<EventId> {
    steps.iter().map(|step| step.event).collect()
}

/// What came of swapping pairs.
pub(crate) struct Swapped {
    pub alternates: Vec<Alternate>,
    pub tried: u32,
}

impl Pairs<'_> {
    /// The first alternate, or all that differ.
    pub fn search(&self, all: bool, confirm: &mut Confirm<'_>) -> Swapped {
        let mut swapped = Swapped { alternates: Vec::new(), tried: 0 };
        let mut effort = EFFORT;
        let mut seen = Seen::default();
        for (first, second) in self.listed() {
            if effort == 0 {
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

    /// A run in which the second of two positions comes before the first and that passes: the event itself, or all of its
    /// stretch, before the other or before all of the other's stretch; of these, the one that reads most like the failing one.
    fn swapped(&self, first: usize, second: usize, seen: &mut Seen, effort: &mut usize) -> Option<Replayed> {
        let steps = &self.failing.execution.steps;
        let thread = |position: usize| self.graph.events[steps[position].event.index()].thread;
        let begin = (0..first).rev().take_while(|&at| thread(at) == thread(first)).last().unwrap_or(first);
        let end = (second + 1..steps.len()).take_while(|&at| thread(at) == thread(second)).last().unwrap_or(second);
        let mut best: Option<(usize, Replayed)> = None;
        for (first, second) in [(first, second), (first, end), (begin, second), (begin, end)] {
            *effort = effort.saturating_sub(steps.len());
            let wished = inverted(self.graph, steps, self.section_begin(first, second), second);
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

    /// Reads whose value comes from elsewhere.
    fn differences(&self, run: &Replayed) -> usize {
        let flows = |run: &Replayed| -> HashSet<Flow> {
            flows(self.plan.graph, &run.execution, &run.outcome.effects).into_iter().collect()
        };
        flows(self.failing).difference(&flows(run)).count()
    }

    /// Positions of pairs in the order in which they are tried.
    fn listed(&self) -> Vec<(usize, usize)> {
        let steps = &self.failing.execution.steps;
        let positions: HashMap<EventId, usize> =
            steps.iter().enumerate().map(|(position, step)| (step.event, position)).collect();
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
            // Of those that are equally near, the later ones: they are nearer to the failure.
            group.sort_by_key(|&(first, second)| (second - first, std::cmp::Reverse(first)));
            listed.extend(group.into_iter().filter(|pair| known.insert(*pair)));
        }
        listed
    }

    /// Where the first of the pair's thread entered the critical sections that it is in and that the second one's
    /// thread enters on its way to the second; the first itself if there are none.
    fn section_begin(&self, first: usize, second: usize) -> usize {
        let steps = &self.failing.execution.steps;
        let thread = |position: usize| self.graph.events[steps[position].event.index()].thread;
        let (own, other) = (thread(first), thread(second));
        let mut held: HashMap<Location, usize> = HashMap::new();
        for position in (0..=first).filter(|&position| thread(position) == own) {
            match self.takes(steps[position], position) {
                Some((mutex, true)) => {
                    held.entry(mutex).or_insert(position);
                }
                Some((mutex, false)) => {
                    held.remove(&mutex);
                }
                None => {}
            }
        }
        let entered = (first..=second).filter(|&position| thread(position) == other);
        let needed = entered.filter_map(|position| self.takes(steps[position], position));
        let needed = needed.filter(|(_, takes)| *takes).filter_map(|(mutex, _)| held.get(&mutex).copied());
        needed.min().unwrap_or(first)
    }

    /// The mutex that a step takes, or releases.
    fn takes(&self, step: Step, position: usize) -> Option<(Location, bool)> {
        let Effect::Synchronised { mutex } = self.failing.outcome.effects[position] else { return None };
        match self.graph.events[step.event.index()].kind {
            Kind::Lock { .. } | Kind::TryLock { .. } | Kind::Wake { .. } => Some((mutex, true)),
            Kind::Unlock { .. } | Kind::Sleep { .. } => Some((mutex, false)),
            _ => None,
        }
    }
}
