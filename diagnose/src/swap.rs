//! Orders in which two events of a failing execution are swapped.
//!
//! The event that moves forward may bring the rest of its thread's stretch with it, and may pass the whole stretch of
//! the other; one lost update of many needs that. If the first of the pair is in a critical section that the second one
//! needs, the whole section moves.

use std::collections::HashMap;

use events::{Effect, EventGraph, Kind, Location, Step};

use crate::failure::Replayed;

pub(crate) struct Swap<'a> {
    pub graph: &'a EventGraph,
    pub failing: &'a Replayed,
}

impl Swap<'_> {
    /// Orders in which the second of two positions comes before the first: the event itself, or its whole stretch,
    /// before the other or before the other's whole stretch.
    pub fn orders(&self, first: usize, second: usize) -> impl Iterator<Item = Vec<Step>> {
        let steps = &self.failing.execution.steps;
        let thread = |position: usize| self.graph.events[steps[position].event.index()].thread;
        let begin = (0..first).rev().take_while(|&at| thread(at) == thread(first)).last().unwrap_or(first);
        let end = (second + 1..steps.len()).take_while(|&at| thread(at) == thread(second)).last().unwrap_or(second);
        let ways = [(first, second), (first, end), (begin, second), (begin, end)];
        ways.into_iter().map(|(first, second)| inverted(self.graph, steps, self.section_begin(first, second), second))
    }

    /// The beginning of the critical sections that contain the first event and that the second one's thread enters
    /// before the second event; the first itself if there are none.
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

    /// The mutex that a step acquires or releases.
    fn takes(&self, step: Step, position: usize) -> Option<(Location, bool)> {
        let Effect::Synchronised { mutex } = self.failing.outcome.effects[position] else { return None };
        match self.graph.events[step.event.index()].kind {
            Kind::Lock { .. } | Kind::TryLock { .. } | Kind::Wake { .. } => Some((mutex, true)),
            Kind::Unlock { .. } | Kind::Sleep { .. } => Some((mutex, false)),
            _ => None,
        }
    }
}

/// The order in which the second of two positions, with all steps of its thread in between, moves just before the
/// first: inverting a pair in section 3.5.2 of the Symbiosis paper.
fn inverted(graph: &EventGraph, steps: &[Step], first: usize, second: usize) -> Vec<Step> {
    let thread = |step: &Step| graph.events[step.event.index()].thread;
    let moved = thread(&steps[second]);
    let (before, between, after) = (&steps[..first], &steps[first..=second], &steps[second + 1..]);
    let (forward, left): (Vec<Step>, Vec<Step>) = between.iter().partition(|step| thread(step) == moved);
    [before, &forward, &left, after].concat()
}
