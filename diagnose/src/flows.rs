//! Reads-from: the data flows of a replayed execution.

use std::collections::HashMap;

use events::{Effect, EventGraph, EventId, Execution, Kind, Location};

/// A read and the source of its value, or of a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flow {
    pub read: EventId,
    /// `None`: the initial value of the object.
    pub write: Option<EventId>,
    /// The lowest byte of the read from this source.
    pub from: Location,
    /// The number of its bytes from this source.
    pub bytes: u32,
}

/// All data flows, in the order of the reads; for one read, those of lower bytes first. The effects are those that
/// replay returns for the execution's steps, one for each.
pub fn flows(graph: &EventGraph, execution: &Execution, effects: &[Effect]) -> Vec<Flow> {
    let mut writers: HashMap<Location, EventId> = HashMap::new();
    let mut flows = Vec::new();
    for (step, effect) in execution.steps.iter().zip(effects) {
        let Some(Kind::Access(access)) = graph.events.get(step.event.index()).map(|event| &event.kind) else {
            continue;
        };
        let &Effect::Accessed { location, read, written } = effect else { continue };
        let bytes = (0..access.bytes).map(|byte| Location { offset: location.offset.saturating_add(byte), ..location });
        if read.is_some() {
            let first = flows.len();
            for from in bytes.clone() {
                let write = writers.get(&from).copied();
                match flows[first..].iter_mut().find(|flow: &&mut Flow| flow.write == write) {
                    Some(flow) => flow.bytes += 1,
                    None => flows.push(Flow { read: step.event, write, from, bytes: 1 }),
                }
            }
        }
        if written.is_some() {
            writers.extend(bytes.map(|byte| (byte, step.event)));
        }
    }
    flows
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{Builder, Extent, Step, replay, zero_inputs};

    #[test]
    fn bytes_of_one_read_come_from_different_writes() {
        let mut builder = Builder::new();
        let thread = builder.thread("0".parse().expect("a thread"));
        let object = builder.object("word".to_owned(), 4);
        let (low, whole) = (builder.address(object, 1), builder.address(object, 0));
        let value = builder.terms().bits(16, 7);
        builder.write(thread, low, value);
        builder.read(thread, whole, 4);
        let graph = builder.finish();
        let steps = graph.threads[0].events.iter().map(|&event| Step { event, choice: events::Choice::Only });
        let execution = Execution { steps: steps.collect(), inputs: zero_inputs(&graph) };
        let outcome = replay(&graph, &execution, Extent::Whole).expect("there is nothing to break");
        let found: Vec<_> = flows(&graph, &execution, &outcome.effects)
            .iter()
            .map(|flow| (flow.write.is_some(), flow.from.offset, flow.bytes))
            .collect();
        assert_eq!(found, [(false, 0, 2), (true, 1, 2)]);
    }
}
