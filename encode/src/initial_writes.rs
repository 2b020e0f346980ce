//! Early constant writes: writes of constants by the main thread before the first fork and before any read of the same
//! bytes. No read can observe an older value, so these writes count as initial values. A block that was zeroed byte by
//! byte is then split into cells by its later uses only.

use std::collections::{HashMap, HashSet};

use events::{Access, EventGraph, EventId, Kind};
use formula::{Term, Terms};

use crate::address::{constant, places};
use crate::graph::is_unconditional;
use crate::static_order::StaticOrder;
use crate::value_sets::ValueSets;

/// An address with more places than this ends the search.
const FEW: usize = 64;

#[derive(Debug, Default)]
pub struct InitialWrites {
    writes: HashSet<EventId>,
    /// By object and offset, the last early write of this byte, and its value.
    bytes: HashMap<(u32, u32), (EventId, u8)>,
}

impl InitialWrites {
    pub fn new(graph: &EventGraph, order: &StaticOrder) -> InitialWrites {
        let terms = &mut graph.terms.clone();
        let mut initial_writes = InitialWrites::default();
        let Some((main, others)) = graph.threads.split_first() else { return initial_writes };
        let thread = |event: EventId| graph.events[event.index()].thread;
        let (Some(&first), firsts) = (main.events.first(), others.iter().filter_map(|other| other.events.first()))
        else {
            return initial_writes;
        };
        let alone = firsts.map(|&begin| order.known_before(begin, thread(first)) as usize).min();
        let alone = alone.unwrap_or(main.events.len());
        let nothing = ValueSets::default();
        let mut touched: HashSet<(u32, u32)> = HashSet::new();
        for &event in &main.events[..alone] {
            let Kind::Access(access) = &graph.events[event.index()].kind else { continue };
            let Some(found) = places(terms, &nothing, &graph.objects, access.address, access.bytes) else { break };
            if found.len() > FEW {
                break;
            }
            let bytes =
                found.iter().flat_map(|place| (0..access.bytes).map(|byte| (place.object, place.offset + byte)));
            let bytes: Vec<(u32, u32)> = bytes.collect();
            let constant =
                plain(graph, terms, event, access).filter(|_| !bytes.iter().any(|byte| touched.contains(byte)));
            match constant {
                Some(value) => {
                    initial_writes.writes.insert(event);
                    let values = (0..access.bytes).map(|byte| (event, (value >> (8 * byte)) as u8));
                    initial_writes.bytes.extend(bytes.into_iter().zip(values));
                }
                None => touched.extend(bytes),
            }
        }
        initial_writes
    }

    /// Whether the event is an early constant write.
    pub fn has(&self, event: EventId) -> bool {
        self.writes.contains(&event)
    }

    /// The last early write of a byte.
    pub fn writer(&self, object: u32, offset: u32) -> Option<EventId> {
        self.bytes.get(&(object, offset)).map(|&(event, _)| event)
    }

    pub fn byte(&self, object: u32, offset: u32) -> Option<u8> {
        self.bytes.get(&(object, offset)).map(|&(_, value)| value)
    }
}

/// The value of a write that stores a constant unconditionally at a constant address.
fn plain(graph: &EventGraph, terms: &Terms, event: EventId, access: &Access) -> Option<u128> {
    let certain = is_unconditional(graph, event)
        && access.old.is_none()
        && [access.enabled, access.writes].iter().all(|&term| terms.as_bool(term) == Some(true))
        && constant(terms, access.address).is_some();
    terms.as_bits(access.new?).filter(|_| certain)
}

/// The initial value of a range of bytes.
pub fn initial(
    terms: &mut Terms,
    graph: &EventGraph,
    initial_writes: &InitialWrites,
    (number, offset): (u32, u32),
    bytes: u32,
) -> Term {
    let object = &graph.objects[number as usize];
    let written_early = |byte: u32| initial_writes.byte(number, byte);
    // The common case, which keeps the term as it was written.
    if let [initial] = &object.initial[..]
        && initial.offset == offset
        && terms.width(initial.value) == 8 * bytes
        && !(offset..offset + bytes).any(|byte| written_early(byte).is_some())
    {
        return initial.value;
    }
    let mut value = None;
    for byte in (offset..offset + bytes).rev() {
        let given = object
            .initial
            .iter()
            .rev()
            .find(|initial| (initial.offset..initial.offset + terms.width(initial.value) / 8).contains(&byte));
        let part = match (written_early(byte), given) {
            (Some(written_early), _) => terms.bits(8, u128::from(written_early)),
            (None, Some(&given)) => {
                let low = 8 * (byte - given.offset);
                terms.extract(given.value, low + 7, low)
            }
            (None, None) => terms.bits(8, 0),
        };
        value = Some(value.map_or(part, |high| terms.concat(high, part)));
    }
    value.unwrap_or_else(|| terms.bits(8, 0))
}
