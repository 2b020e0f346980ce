//! Whether there are enough signals for the threads that will sleep: each needs a signal to wake it, and a signal is
//! lost if no thread is asleep.

use crate::execution::Location;
use crate::graph::{Address, EventGraph, EventId, Kind, ThreadId};
use crate::machine::Machine;

#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug)]
struct Condition {
    location: Location,
    /// By thread, the positions of its sleeps that need a signal, in order.
    sleeps: Vec<Vec<u32>>,
    /// By thread, the positions of its signals and of its broadcasts, in order.
    signals: Vec<Vec<u32>>,
    broadcasts: Vec<Vec<u32>>,
}

impl Signals {
    /// Covers conditions with constant addresses; if any address is unknown, covers none.
    pub fn new(graph: &EventGraph) -> Signals {
        let mut found = Signals::default();
        for (number, thread) in graph.threads.iter().enumerate() {
            let kind = |event: &EventId| &graph.events[event.index()].kind;
            // A thread that only sleeps and reads from here on need not wake.
            let matters = |event: &EventId| match kind(event) {
                Kind::Access(access) => access.new.is_some(),
                Kind::Assert { .. } => true,
                _ => false,
            };
            let last = thread.events.iter().rposition(matters).unwrap_or(0);
            for (position, event) in thread.events.iter().enumerate() {
                let (Kind::Sleep { condition, .. } | Kind::Signal { condition } | Kind::Broadcast { condition }) =
                    kind(event)
                else {
                    continue;
                };
                let Some(location) = place(graph, condition) else { return Signals::default() };
                let wake = thread.events.get(position + 1).map(kind);
                let patient = matches!(wake, Some(Kind::Wake { timed_out: None, spurious: false, .. }));
                let condition = found.at(location, graph.threads.len());
                let list = match kind(event) {
                    Kind::Sleep { .. } if patient && position < last => &mut condition.sleeps,
                    Kind::Sleep { .. } => continue,
                    Kind::Signal { .. } => &mut condition.signals,
                    _ => &mut condition.broadcasts,
                };
                list[number].push(position as u32);
            }
        }
        found.conditions.retain(|condition| condition.sleeps.iter().any(|sleeps| !sleeps.is_empty()));
        found
    }

    fn at(&mut self, location: Location, threads: usize) -> &mut Condition {
        let known = self.conditions.iter().position(|condition| condition.location == location);
        let at = known.unwrap_or_else(|| {
            let none = vec![Vec::new(); threads];
            self.conditions.push(Condition { location, sleeps: none.clone(), signals: none.clone(), broadcasts: none });
            self.conditions.len() - 1
        });
        &mut self.conditions[at]
    }

    /// Whether some condition will be signalled less often than threads have to wake there.
    pub fn are_short(&self, machine: &Machine<'_>) -> bool {
        self.conditions.iter().any(|condition| condition.is_short(machine))
    }
}

impl Condition {
    fn is_short(&self, machine: &Machine<'_>) -> bool {
        let threads = || machine.threads().zip(0..);
        let ahead = |thread: ThreadId, list: &[u32]| {
            list.len() - list.partition_point(|&position| position < machine.position(thread))
        };
        let broadcasts: usize = threads().map(|(thread, number)| ahead(thread, &self.broadcasts[number])).sum();
        let signals: usize = threads().map(|(thread, number)| ahead(thread, &self.signals[number])).sum();
        // Each broadcast wakes each sleeping thread once.
        let needed = threads().map(|(thread, number)| {
            let sleeps = &self.sleeps[number];
            let asleep = sleeps.iter().any(|&position| position + 1 == machine.position(thread));
            let waits = asleep && machine.waits_for_signal(thread, self.location);
            (ahead(thread, sleeps) + usize::from(waits)).saturating_sub(broadcasts)
        });
        needed.sum::<usize>() > signals
    }
}

fn place(graph: &EventGraph, address: &Address) -> Option<Location> {
    let object = graph.terms.as_bits(address.object)?;
    let offset = graph.terms.as_bits(address.offset)?;
    Some(Location { object: object as u32, offset: offset as u32 })
}
