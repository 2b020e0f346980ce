//! Random graphs with an initialisation phase: before it forks the others, the main thread writes shared memory, in
//! pieces of other widths than later accesses.

use crate::random::Random;
use events::{Access, Address, Event, EventGraph, EventId, Kind, Label, ThreadId};

/// Inserts a few writes of constants at the beginning of the main thread.
pub fn with_beginning(mut graph: EventGraph, seed: u64) -> EventGraph {
    let mut random = Random::new(seed);
    let truth = graph.terms.truth();
    for position in 1..2 + random.below(4) {
        let object = random.below(graph.objects.len().min(2));
        let length = graph.objects[object].bytes;
        let bytes = (1 + random.below(2) as u32).min(length);
        let offset = random.below((length - bytes) as usize + 1) as u32;
        let [object, offset] = [object as u128, u128::from(offset)].map(|number| graph.terms.bits(32, number));
        let value = random.below(3) as u128 | (random.below(2) as u128) << 8;
        let value = graph.terms.bits(8 * bytes, value & ((1 << (8 * bytes)) - 1));
        let write = Access {
            label: Label::Write,
            address: Address { object, offset },
            bytes,
            old: None,
            enabled: truth,
            new: Some(value),
            writes: truth,
        };
        let id = EventId(graph.events.len() as u32);
        graph.events.push(Event { thread: ThreadId(0), guard: truth, kind: Kind::Access(write), place: None });
        graph.threads[0].events.insert(position, id);
    }
    graph
}
