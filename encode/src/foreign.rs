//! Unlocks by threads that may not hold the mutex. `events::replay` tells when one that has not happened counts as
//! possible.

use std::collections::HashMap;

use events::{EventGraph, EventId, Kind, Location, ThreadId};
use formula::Term;

use crate::address::constant;
use crate::draft::Draft;
use crate::happens::Happens;
use crate::stuck::stands_before;

/// Foreign unlocks, as terms about the end of an execution.
pub struct ForeignUnlocks {
    /// By thread: that the end of the process is its next event.
    pub ends: Vec<Term>,
    /// The thread, the mutex where it is constant, and that the thread has not passed the unlock and may go on.
    unlocks: Vec<(ThreadId, Option<Location>, Term)>,
}

/// All foreign unlocks, with the mutex where it is constant as the graph is given: replay sees no other form of it.
pub fn mutexes(graph: &EventGraph) -> HashMap<EventId, Option<Location>> {
    let foreign = graph.threads.iter().flat_map(|thread| &thread.events).filter_map(|&event| {
        let Kind::Unlock { mutex, foreign: true, .. } = graph.events[event.index()].kind else { return None };
        let place = constant(&graph.terms, mutex);
        Some((event, place.map(|(object, offset)| Location { object, offset })))
    });
    foreign.collect()
}

impl ForeignUnlocks {
    pub fn new(
        draft: &mut Draft<'_>,
        happens: &Happens,
        foreign: &HashMap<EventId, Option<Location>>,
    ) -> ForeignUnlocks {
        let graph = draft.graph;
        let mut found = ForeignUnlocks { ends: Vec::new(), unlocks: Vec::new() };
        if foreign.is_empty() {
            return found;
        }
        for (number, thread) in graph.threads.iter().enumerate() {
            let ends = thread.events.iter().filter(|event| matches!(graph.events[event.index()].kind, Kind::End));
            let ends: Vec<Term> = ends.map(|&event| stands_before(draft, happens, event)).collect();
            let ends = draft.terms.or(&ends);
            let stops = draft.terms.or2(ends, happens.finished[number]);
            let mut passed = draft.terms.falsehood();
            for &event in thread.events.iter().rev() {
                passed = draft.terms.or2(passed, happens.of(event));
                if let Some(&place) = foreign.get(&event) {
                    let over = draft.terms.or2(passed, stops);
                    let ahead = draft.terms.not(over);
                    found.unlocks.push((ThreadId(number as u32), place, ahead));
                }
            }
            found.ends.push(ends);
        }
        found
    }

    pub fn are_none(&self) -> bool {
        self.unlocks.is_empty()
    }

    /// The threads that may release the mutex, and when they may.
    pub fn may_come(&self, draft: &mut Draft<'_>, mutex: Location) -> Vec<(ThreadId, Term)> {
        let mut found: Vec<(ThreadId, Vec<Term>)> = Vec::new();
        for &(thread, _, ahead) in self.unlocks.iter().filter(|(_, place, _)| place.is_none_or(|at| at == mutex)) {
            match found.last_mut() {
                Some((last, ways)) if *last == thread => ways.push(ahead),
                _ => found.push((thread, vec![ahead])),
            }
        }
        found.into_iter().map(|(thread, ways)| (thread, draft.terms.or(&ways))).collect()
    }
}
