//! The distance of two executions, by the criteria of the MaxSMT paper (Terra-Neves, Machado, Lynce, Manquinho, AAAI
//! 2019, section 4.2), computed from the two executions alone. The results of the optimiser are checked against it.
//!
//! The failing execution can lose three kinds of items: a data flow, whose read has another source; a segment, which is
//! a maximal stretch of one thread, if an operation of another thread intrudes; a context switch, two adjacent
//! operations of different threads, if they are no longer adjacent. Items with events that the other paths do not have
//! are ignored; an event that they have and that does not happen loses all its items. Deviations from the paper:
//! further operations of the same thread do not break a segment, and initial values count as writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use events::{Effect, EventGraph, EventId, Kind, Location, ThreadId};

use crate::failure::Replayed;
use crate::twins::Twins;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Distance {
    /// DF: data flows of the failing execution that the other does not have.
    pub data_flows: u64,
    /// BS: segments of the failing execution that are interrupted in the other.
    pub broken_segments: u64,
    /// CTX: context switches of the failing execution that the other does not have.
    pub context_switches: u64,
    /// OP: the operations at the ends of data flows that only one of the two has.
    pub operations: u64,
}

/// An execution of a graph.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub graph: &'a EventGraph,
    pub replayed: &'a Replayed,
    /// Events that were added to the graph and are not operations.
    pub synthetic: &'a [EventId],
}

/// Which events are operations: accesses and synchronisation. Starts, exits, conditions and the marks of atomic blocks
/// are not, nor are unlocks that were added to a trace: those have no place, although others do.
pub fn operations(graph: &EventGraph, synthetic: &[EventId]) -> Vec<bool> {
    let placed = graph.events.iter().any(|event| event.place.is_some());
    let is_operation = |event: &events::Event| match event.kind {
        Kind::Unlock { .. } => event.place.is_some() || !placed,
        Kind::Access(_)
        | Kind::Fork { .. }
        | Kind::Join { .. }
        | Kind::Lock { .. }
        | Kind::TryLock { .. }
        | Kind::Sleep { .. }
        | Kind::Wake { .. }
        | Kind::Signal { .. }
        | Kind::Broadcast { .. } => true,
        Kind::Start
        | Kind::Exit
        | Kind::AtomicBegin
        | Kind::AtomicEnd
        | Kind::Assume { .. }
        | Kind::Assert { .. }
        | Kind::Await { .. }
        | Kind::Cut
        | Kind::End => false,
    };
    let mut operations: Vec<bool> = graph.events.iter().map(is_operation).collect();
    synthetic.iter().for_each(|event| operations[event.index()] = false);
    operations
}

pub fn distance(failing: Run<'_>, other: Run<'_>, twins: &Twins) -> Distance {
    let there: Vec<EventId> = other.operations();
    let position: HashMap<EventId, usize> = there.iter().enumerate().map(|(index, &event)| (event, index)).collect();
    let here = failing.operations();
    let broken = |segment: &[EventId]| {
        let Some(twins) = twins.of_all(segment) else { return false };
        let Some(places) = twins.iter().map(|twin| position.get(twin).copied()).collect::<Option<Vec<_>>>() else {
            return true;
        };
        let (first, last) = (places[0], places[places.len() - 1]);
        let own = other.thread(twins[0]);
        first > last || there[first..=last].iter().any(|&event| other.thread(event) != own)
    };
    let lost = |pair: &[EventId]| {
        let Some(twins) = twins.of_all(pair) else { return false };
        let places = (position.get(&twins[0]), position.get(&twins[1]));
        !matches!(places, (Some(first), Some(second)) if *second == first + 1)
    };
    let segments = here.chunk_by(|&one, &next| failing.thread(one) == failing.thread(next));
    let switches = here.windows(2).filter(|pair| failing.thread(pair[0]) != failing.thread(pair[1]));
    let (data_flows, operations) = flows(failing, other, twins);
    Distance {
        data_flows,
        broken_segments: segments.filter(|segment| broken(segment)).count() as u64,
        context_switches: switches.filter(|pair| lost(pair)).count() as u64,
        operations,
    }
}

impl Run<'_> {
    fn thread(&self, event: EventId) -> ThreadId {
        self.graph.events[event.index()].thread
    }

    /// In the order in which they happened.
    fn operations(&self) -> Vec<EventId> {
        let operations = operations(self.graph, self.synthetic);
        let events = self.replayed.execution.steps.iter().map(|step| step.event);
        events.filter(|event| operations[event.index()]).collect()
    }

    /// By read, the source of each of its bytes.
    fn sources(&self) -> BTreeMap<EventId, Vec<Option<EventId>>> {
        let mut memory: HashMap<Location, EventId> = HashMap::new();
        let mut sources = BTreeMap::new();
        for (step, effect) in self.replayed.execution.steps.iter().zip(&self.replayed.outcome.effects) {
            let Kind::Access(access) = &self.graph.events[step.event.index()].kind else { continue };
            let &Effect::Accessed { location, written, .. } = effect else { continue };
            let cells = (0..access.bytes).map(|byte| Location { offset: location.offset + byte, ..location });
            if access.old.is_some() {
                sources.insert(step.event, cells.clone().map(|cell| memory.get(&cell).copied()).collect());
            }
            if written.is_some() {
                memory.extend(cells.map(|cell| (cell, step.event)));
            }
        }
        sources
    }
}

/// The number of lost flows, and of operations with different flows.
fn flows(failing: Run<'_>, other: Run<'_>, twins: &Twins) -> (u64, u64) {
    let (here, there) = (failing.sources(), other.sources());
    let mut lost = 0;
    let mut ends: BTreeSet<EventId> = BTreeSet::new();
    for (&read, bytes) in &here {
        let Some(twin) = twins.of(read) else { continue };
        let found = there.get(&twin);
        let writes: BTreeSet<Option<EventId>> = bytes.iter().copied().collect();
        let mut mapped = BTreeSet::new();
        for write in writes {
            let source = match write {
                Some(write) => match twins.of(write) {
                    Some(source) => Some(source),
                    None => continue,
                },
                None => None,
            };
            mapped.insert(source);
            let from_here = bytes.iter().enumerate().filter(|(_, other)| **other == write).map(|(byte, _)| byte);
            let kept = found.is_some_and(|found| from_here.into_iter().all(|byte| found.get(byte) == Some(&source)));
            if !kept {
                lost += 1;
                ends.extend([Some(twin), source].into_iter().flatten());
            }
        }
        let news = found.into_iter().flatten().filter(|source| !mapped.contains(*source));
        for source in news {
            ends.extend([Some(twin), *source].into_iter().flatten());
        }
    }
    (lost, ends.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{Builder, Execution, Extent, Step, replay, zero_inputs};

    /// A thread writes a word of four bytes and reads `bytes` of them.
    fn copied(bytes: u32) -> (EventGraph, Replayed) {
        let mut builder = Builder::new();
        let thread = builder.thread("0".parse().expect("a thread"));
        let word = builder.object("word", 4);
        let word = builder.address(word, 0);
        let value = builder.constant(4, 7);
        builder.write(thread, word, value);
        builder.read(thread, word, bytes);
        let graph = builder.finish();
        let steps = graph.threads[0].events.iter().copied().map(Step::from).collect();
        let execution = Execution { steps, inputs: zero_inputs(&graph) };
        let outcome = replay(&graph, &execution, Extent::Whole).expect("it is an execution");
        (graph, Replayed { execution, outcome })
    }

    #[test]
    fn a_twin_may_read_fewer_bytes_or_more() {
        for (here, there, lost) in [(4, 4, 0), (4, 1, 1), (1, 4, 0), (2, 2, 0)] {
            let ((one, failing), (other, passing)) = (copied(here), copied(there));
            let twins = Twins::same(&one);
            let failing = Run { graph: &one, replayed: &failing, synthetic: &[] };
            let other = Run { graph: &other, replayed: &passing, synthetic: &[] };
            assert_eq!(distance(failing, other, &twins).data_flows, lost, "{here} and {there} bytes");
        }
    }
}
