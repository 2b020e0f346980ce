//! Stored paths of threads without a program: an execution takes one of each thread's, and a run is one choice of them.
//!
//! A decision is identified by its thread, its place and the number of earlier decisions at that place on the path. A
//! stored path flips a decision of a run that it has too with the other outcome.

use std::collections::HashMap;
use std::hash::Hash;

use events::{EventGraph, Extent};
use formula::Term;

use crate::question::{Asserted, Change, Decided, Sought, When, by_decision};

/// A stored path of a thread.
#[derive(Clone, Debug)]
pub struct Stored<P> {
    /// The thread's number.
    pub thread: usize,
    /// In a graph of all stored paths: the condition that it is taken.
    pub taken: Term,
    /// Places and sides, in order. The decision of the assertion is not among them.
    pub decisions: Vec<(P, bool)>,
}

/// All decisions of runs that stored paths flip.
#[derive(Clone, Debug)]
pub struct StoredPaths {
    decisions: Vec<Decided>,
    /// By decision: the run, the number of its path, and the position of the decision in it.
    pub names: Vec<(u32, usize, usize)>,
    runs: u32,
}

impl StoredPaths {
    /// Each run is a list of numbers of paths, one for each of its threads.
    pub fn new<P: Clone + Eq + Hash>(paths: &[Stored<P>], runs: &[Vec<usize>]) -> StoredPaths {
        let named: Vec<HashMap<(P, u32), bool>> =
            paths.iter().map(|path| name(&path.decisions).into_iter().collect()).collect();
        let (mut names, mut changes) = (Vec::new(), Vec::new());
        for (run, own) in runs.iter().enumerate() {
            for &number in own {
                let path = &paths[number];
                for (position, (decision, side)) in name(&path.decisions).into_iter().enumerate() {
                    let differs = |other: &usize| {
                        let is_of_thread = paths[*other].thread == path.thread;
                        is_of_thread && named[*other].get(&decision).is_some_and(|taken| *taken != side)
                    };
                    let others: Vec<usize> = (0..paths.len()).filter(differs).collect();
                    if others.is_empty() {
                        continue;
                    }
                    let change =
                        |other: usize| Change { when: When::Taken(paths[other].taken), runs: vec![run as u32] };
                    changes.extend(others.into_iter().map(|other| (names.len(), change(other))));
                    names.push((run as u32, number, position));
                }
            }
        }
        let changes = by_decision(names.len(), changes);
        let decisions = changes.into_iter().map(|changes| Decided { after: None, changes }).collect();
        StoredPaths { decisions, names, runs: runs.len() as u32 }
    }

    pub fn sought<'a>(&'a self, graph: &'a EventGraph, extent: Extent) -> Sought<'a> {
        Sought {
            graph,
            decisions: &self.decisions,
            runs: self.runs,
            assertions: Asserted::Any,
            first: &[],
            deadlocks: false,
            extent,
        }
    }
}

/// Decisions with the number of earlier decisions at the same place.
fn name<P: Clone + Eq + Hash>(decisions: &[(P, bool)]) -> Vec<((P, u32), bool)> {
    let mut counts: HashMap<P, u32> = HashMap::new();
    let mut named = Vec::with_capacity(decisions.len());
    for (place, side) in decisions {
        let count = counts.entry(place.clone()).or_insert(0);
        named.push(((place.clone(), *count), *side));
        *count += 1;
    }
    named
}
