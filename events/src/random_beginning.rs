//! Random graphs that begin as programs do: the main thread sets up what all use, in pieces other than those in which
//! it is used later, before it forks the others.

use crate::graph::{Access, Address, Event, EventGraph, EventId, Kind, Label, ThreadId};
use crate::random::Random;

/// The graph with a few writes of constants as the first that its main thread does.
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
