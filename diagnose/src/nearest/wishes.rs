//! The properties of the failing execution that a passing one should share, as soft constraints.

use std::collections::{BTreeMap, HashMap};

use encode::{FlowWish, StretchWish, Wishes};
use events::{Effect, EventId, Kind, Location};

use super::Paths;
use crate::failure::Replayed;
use crate::metric::{Run, operations};
use crate::twins::Twins;

pub(super) struct Wished {
    /// Of the other graph's events: segments first, then switches.
    pub wishes: Wishes,
    /// The number of stretches that are segments.
    pub segment_wishes: usize,
    /// The failing execution's operations, segment by segment.
    pub segments: Vec<Vec<EventId>>,
    /// The failing execution's order, as far as the other graph has its events.
    pub order: Vec<EventId>,
}

impl Wished {
    pub fn new(failing: Run<'_>, paths: Paths<'_>) -> Wished {
        let (graph, twins) = (paths.graph, paths.twins);
        let steps = &failing.replayed.execution.steps;
        let is_operation = operations(failing.graph, failing.synthetic);
        let mut segments: Vec<Vec<EventId>> = Vec::new();
        let thread = |event: EventId| failing.graph.events[event.index()].thread;
        for step in steps.iter().filter(|step| is_operation[step.event.index()]) {
            match segments.last_mut() {
                Some(segment) if thread(segment[0]) == thread(step.event) => segment.push(step.event),
                _ => segments.push(vec![step.event]),
            }
        }
        let stretch = |events: &[EventId], of_thread| Some(StretchWish { events: twins.of_all(events)?, of_thread });
        let mut stretches: Vec<StretchWish> = segments.iter().filter_map(|segment| stretch(segment, true)).collect();
        let segment_wishes = stretches.len();
        let switches = segments.windows(2).map(|pair| [pair[0][pair[0].len() - 1], pair[1][0]]);
        stretches.extend(switches.filter_map(|switch| stretch(&switch, false)));
        let counted = operations(graph, paths.synthetic);
        let idle = (0..graph.events.len()).filter(|&event| !counted[event]);
        let bystanders = idle.map(|event| EventId(event as u32)).collect();
        Wished {
            wishes: Wishes { flows: flow_wishes(failing, twins), stretches, bystanders },
            segment_wishes,
            segments,
            order: steps.iter().filter_map(|step| twins.of(step.event)).collect(),
        }
    }
}

/// One for each write that a read has bytes from.
fn flow_wishes(failing: Run<'_>, twins: &Twins) -> Vec<FlowWish> {
    let mut writers: HashMap<Location, EventId> = HashMap::new();
    let mut wishes = Vec::new();
    let Replayed { execution, outcome } = failing.replayed;
    for (step, effect) in execution.steps.iter().zip(&outcome.effects) {
        let Kind::Access(access) = &failing.graph.events[step.event.index()].kind else { continue };
        let &Effect::Accessed { location, read, written } = effect else { continue };
        let place = |byte: u32| Location { offset: location.offset.saturating_add(byte), ..location };
        if read.is_some() {
            let mut bytes: BTreeMap<Option<EventId>, Vec<u32>> = BTreeMap::new();
            for byte in 0..access.bytes {
                bytes.entry(writers.get(&place(byte)).copied()).or_default().push(byte);
            }
            for (write, bytes) in bytes {
                let write = write.map(|write| twins.of(write));
                if let (Some(read), Some(true) | None) = (twins.of(step.event), write.map(|write| write.is_some())) {
                    wishes.push(FlowWish { read, write: write.flatten(), bytes });
                }
            }
        }
        if written.is_some() {
            writers.extend((0..access.bytes).map(|byte| (place(byte), step.event)));
        }
    }
    wishes
}
