//! A dynamic backward slice: the events that an event depends on by data flow through memory, by the earlier branches
//! of those threads, and by the events that started, woke or released them.
//!
//! Acquiring a mutex is not a dependence: its previous owner affects when an event happens, not its effect. A
//! projection keeps the reads in the slices of both executions, and counts the others.

use std::collections::{BTreeSet, HashMap};

use events::{EventGraph, EventId, Kind, ThreadId};
use formula::Term;

use crate::failure::Replayed;
use crate::flows::Flow;
use crate::slice::terms;

pub(crate) struct Leads<'a> {
    graph: &'a EventGraph,
    run: &'a Replayed,
    positions: HashMap<EventId, usize>,
    /// By event, its position in its thread.
    places: HashMap<EventId, usize>,
    /// Which read a symbol is the value of.
    reads: HashMap<Term, EventId>,
    writes: HashMap<EventId, Vec<EventId>>,
}

impl<'a> Leads<'a> {
    /// The flows are those of the run.
    pub fn new(graph: &'a EventGraph, run: &'a Replayed, flows: &[Flow]) -> Leads<'a> {
        let places = graph.threads.iter().flat_map(|thread| thread.events.iter().enumerate());
        let mut reads = HashMap::new();
        for step in &run.execution.steps {
            if let Some(Kind::Access(access)) = graph.events.get(step.event.index()).map(|event| &event.kind) {
                reads.extend(access.old.map(|old| (old, step.event)));
            }
        }
        let mut writes: HashMap<EventId, Vec<EventId>> = HashMap::new();
        for flow in flows {
            writes.entry(flow.read).or_default().extend(flow.write);
        }
        let places = places.map(|(place, &event)| (event, place)).collect();
        Leads { graph, run, positions: run.positions(), places, reads, writes }
    }

    /// All that leads to these, and they themselves.
    pub fn to(&self, ends: impl IntoIterator<Item = EventId>) -> BTreeSet<EventId> {
        let mut found = BTreeSet::new();
        let mut open: Vec<EventId> = ends.into_iter().collect();
        // By thread, the position up to which its branches are in the slice.
        let mut ways: HashMap<ThreadId, usize> = HashMap::new();
        while let Some(event) = open.pop() {
            if event.index() >= self.graph.events.len() || !found.insert(event) {
                continue;
            }
            open.extend(self.looked_at(event));
            open.extend(self.writes.get(&event).into_iter().flatten());
            open.extend(self.meetings(event));
            let thread = self.graph.events[event.index()].thread;
            let known = ways.entry(thread).or_default();
            let here = self.places.get(&event).copied().unwrap_or(0);
            let way = self.graph.threads[thread.index()].events.get(*known..here).unwrap_or_default();
            open.extend(way.iter().filter(|event| self.decides(**event)));
            *known = (*known).max(here);
        }
        found
    }

    /// The last event of each thread.
    pub fn last_of_each(&self) -> Vec<EventId> {
        let mut last: HashMap<ThreadId, EventId> = HashMap::new();
        let events = self.happened(0, usize::MAX).filter(|event| event.index() < self.graph.events.len());
        last.extend(events.map(|event| (self.graph.events[event.index()].thread, event)));
        last.into_values().collect()
    }

    /// Whether the thread's continuation depends on a value or a wait of this event.
    fn decides(&self, event: EventId) -> bool {
        match &self.graph.events[event.index()].kind {
            Kind::Start | Kind::Assume { .. } | Kind::Assert { .. } | Kind::Join { .. } | Kind::Wake { .. } => true,
            Kind::Access(access) => self.graph.terms.as_bool(access.enabled) != Some(true),
            _ => false,
        }
    }

    /// The reads whose values determine the effect of an event, or whether it happens.
    fn looked_at(&self, event: EventId) -> Vec<EventId> {
        let event = &self.graph.events[event.index()];
        let mut terms = terms(&event.kind);
        terms.push(event.guard);
        let symbols = terms.into_iter().flat_map(|term| self.graph.terms.free_symbols(term));
        let mut reads: Vec<EventId> = symbols.filter_map(|symbol| self.reads.get(&symbol)).copied().collect();
        if let Kind::Await { round } = &event.kind {
            reads.extend(round);
        }
        reads
    }

    /// The events of other threads that enabled this one.
    fn meetings(&self, event: EventId) -> Vec<EventId> {
        let graph = self.graph;
        let own = graph.events[event.index()].thread;
        match graph.events[event.index()].kind {
            Kind::Start => {
                let forks = |event: &EventId| matches!(self.kind(*event), Some(Kind::Fork { child }) if *child == own);
                self.happened(0, usize::MAX).filter(forks).collect()
            }
            Kind::Join { child } => graph.threads[child.index()].events.last().copied().into_iter().collect(),
            Kind::Wake { sleep, .. } => {
                let place = |event: EventId| self.positions.get(&event).copied();
                let wakes =
                    |event: &EventId| matches!(self.kind(*event), Some(Kind::Signal { .. } | Kind::Broadcast { .. }));
                let (from, to) = (place(sleep).unwrap_or(0), place(event).unwrap_or(usize::MAX));
                self.happened(from, to).filter(wakes).collect()
            }
            _ => Vec::new(),
        }
    }

    /// None for events that another graph has added.
    fn kind(&self, event: EventId) -> Option<&Kind> {
        self.graph.events.get(event.index()).map(|event| &event.kind)
    }

    fn happened(&self, from: usize, to: usize) -> impl Iterator<Item = EventId> {
        let steps = &self.run.execution.steps;
        steps[from.min(steps.len())..to.min(steps.len())].iter().map(|step| step.event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::flows;
    use events::{Builder, Execution, Extent, Step, replay, zero_inputs};

    /// The first thread sets a flag and counts. The second reads the flag, then sets a number; the third reads both and
    /// asserts a condition on the number; the count is in no slice.
    #[test]
    fn what_was_looked_at_on_the_way_leads_there_and_what_was_only_counted_does_not() {
        let mut builder = Builder::new();
        let [main, second, third] = ["0", "0.1", "0.2"].map(|name| builder.thread(name.parse().expect("a thread")));
        let [flag, count, number] = ["flag", "count", "number"].map(|name| builder.object(name, 1));
        let [flag, count, number] = [flag, count, number].map(|object| builder.address(object, 0));
        let one = builder.constant(1, 1);
        builder.write(main, flag, one);
        builder.write(main, count, one);
        builder.fork(main, second);
        let seen = builder.read(second, flag, 1);
        let counted = builder.read(second, count, 1);
        let is_set = builder.terms().eq(seen, one);
        builder.assume(second, is_set);
        builder.write(second, number, one);
        builder.fork(main, third);
        let late = builder.read(third, count, 1);
        let read = builder.read(third, number, 1);
        let zero = builder.constant(1, 0);
        let holds = builder.terms().eq(read, zero);
        let assertion = builder.assert(third, holds);
        let graph = builder.finish();
        let of = |thread: ThreadId| graph.threads[thread.index()].events.iter().copied();
        let steps = of(main).take(5).chain(of(second)).chain(of(third)).map(Step::from);
        let steps = steps.filter(|step| !matches!(graph.events[step.event.index()].kind, Kind::Exit)).collect();
        let execution = Execution { steps, inputs: zero_inputs(&graph) };
        let outcome = replay(&graph, &execution, Extent::Prefix).expect("it is an execution");
        let run = Replayed { execution, outcome };
        let flows = flows(&graph, &run.execution, &run.outcome.effects);
        let leads = Leads::new(&graph, &run, &flows).to([assertion]);
        let symbols = |event: &EventId| match &graph.events[event.index()].kind {
            Kind::Access(access) => access.old,
            _ => None,
        };
        let found: BTreeSet<Term> = leads.iter().filter_map(symbols).collect();
        assert_eq!(found, BTreeSet::from([seen, read]), "not {counted:?} and {late:?}");
    }
}
