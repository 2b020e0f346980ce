//! Unlocks by threads that may not own the mutex, by position, so that deadlocks know which may still happen.

use crate::execution::Location;
use crate::graph::{EventGraph, EventId, Kind, ThreadId};

/// By thread: the positions of its foreign unlocks, with the mutex where its address is constant.
#[derive(Clone, Debug)]
pub struct ForeignUnlocks(Vec<Vec<(u32, Option<Location>)>>);

impl ForeignUnlocks {
    pub fn new(graph: &EventGraph) -> ForeignUnlocks {
        let found = |(position, event): (usize, &EventId)| match &graph.events[event.index()].kind {
            Kind::Unlock { mutex, foreign: true, .. } => {
                let word = |term| graph.terms.as_bits(term).map(|word| word as u32);
                let place = word(mutex.object).zip(word(mutex.offset));
                Some((position as u32, place.map(|(object, offset)| Location { object, offset })))
            }
            _ => None,
        };
        let threads = graph.threads.iter();
        ForeignUnlocks(threads.map(|thread| thread.events.iter().enumerate().filter_map(found).collect()).collect())
    }

    /// Whether a thread may release the mutex at or after a position.
    pub(crate) fn lie_ahead(&self, thread: ThreadId, from: u32, mutex: Location) -> bool {
        let mut unlocks = self.0[thread.index()].iter().rev().take_while(|(position, _)| *position >= from);
        unlocks.any(|(_, place)| place.is_none_or(|place| place == mutex))
    }

    pub(crate) fn are_none(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }
}
