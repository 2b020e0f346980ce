//! Unlocks by threads that may not own the mutex. `events::replay` states which of those that have not happened count
//! as possible.

use std::collections::HashMap;

use events::{EventGraph, EventId, Kind, Location, ThreadId};
use formula::Term;

use crate::address::constant;
use crate::draft::Draft;
use crate::happens::Happens;

/// Foreign unlocks, as conditions on the end of an execution.
pub struct ForeignUnlocks {
    /// By thread: the condition that the end of the process is its next event.
    pub ends: Vec<Term>,
    /// The thread, the mutex where it is constant, and the condition that the unlock may still happen.
    unlocks: Vec<(ThreadId, Option<Location>, Term)>,
}

/// All foreign unlocks, with the mutex if its address is constant in the given graph, which is the graph that replay
/// uses.
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
            let ends: Vec<Term> = ends.map(|&event| happens.stands_before(draft, event)).collect();
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

    /// The threads that may still release the mutex, with the conditions.
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
