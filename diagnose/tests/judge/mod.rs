//! All passing executions of a small graph, and the least loss. Executions that reach the same state with the same
//! losses are explored once.

mod updates;

use std::collections::{BTreeMap, HashSet};

use diagnose::{Passing, Replayed, Run, Twins, distance};
use events::{Effect, EventGraph, EventId, Execution, Extent, Kind, Location, Machine, Outcome, Plan, State, Step};

pub use updates::updates;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Best {
    /// Of all criteria together.
    pub total: u64,
    /// Flows, segments, switches, in this order of importance.
    pub levels: [u64; 3],
}

/// The items that can be lost.
pub struct Judge<'a> {
    graph: &'a EventGraph,
    failing: &'a Replayed,
    free: &'a Passing,
    segments: Vec<Vec<EventId>>,
    switches: Vec<(EventId, EventId)>,
    /// The read, and by write which of its bytes come from there.
    flows: BTreeMap<EventId, BTreeMap<Option<EventId>, Vec<u32>>>,
}

/// The losses of an execution so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Memory {
    writers: BTreeMap<Location, EventId>,
    kept_flows: u64,
    kept_switches: u64,
    broken: Vec<bool>,
    last: Option<EventId>,
}

fn counts(graph: &EventGraph, event: EventId) -> bool {
    !matches!(
        graph.events[event.index()].kind,
        Kind::Start
            | Kind::Exit
            | Kind::Assume { .. }
            | Kind::Assert { .. }
            | Kind::Await { .. }
            | Kind::Cut
            | Kind::End
            | Kind::AtomicBegin
            | Kind::AtomicEnd
    )
}

impl<'a> Judge<'a> {
    pub fn new(graph: &'a EventGraph, failing: &'a Replayed, free: &'a Passing) -> Judge<'a> {
        let steps = &failing.execution.steps;
        let order: Vec<EventId> = steps.iter().map(|step| step.event).filter(|&e| counts(graph, e)).collect();
        let thread = |event: &EventId| graph.events[event.index()].thread;
        let segments: Vec<Vec<EventId>> =
            order.chunk_by(|one, next| thread(one) == thread(next)).map(<[EventId]>::to_vec).collect();
        let pairs = order.windows(2).filter(|pair| thread(&pair[0]) != thread(&pair[1]));
        let switches = pairs.map(|pair| (pair[0], pair[1])).collect();
        let mut judge = Judge { graph, failing, free, segments, switches, flows: BTreeMap::new() };
        let mut memory = judge.memory();
        for (step, effect) in steps.iter().zip(&failing.outcome.effects) {
            if let Some(sources) = memory.access(graph, step.event, effect) {
                judge.flows.insert(step.event, sources);
            }
        }
        judge
    }

    fn memory(&self) -> Memory {
        Memory { broken: vec![false; self.segments.len()], ..Memory::default() }
    }

    /// `None` if there are too many executions; `Some(None)` if none passes.
    pub fn best(&self, limit: u64) -> Option<Option<Best>> {
        let plan = Plan::new(&self.free.graph).ok()?;
        let inputs = &self.failing.execution.inputs;
        let first = Machine::new(&plan, inputs, Extent::Whole).ok()?;
        let mut seen: HashSet<(State, Memory)> = HashSet::new();
        let mut best: Option<Best> = None;
        let mut open = vec![(first, self.memory(), Vec::<Step>::new(), Vec::<Effect>::new())];
        let mut taken = 0;
        while let Some((machine, memory, path, effects)) = open.pop() {
            if let Ok(outcome) = machine.conclude()
                && outcome.passes()
            {
                let levels = self.lost(&machine, &memory);
                self.cross_check(&path, effects.clone(), outcome, levels);
                let total = levels.iter().sum();
                let better = best.get_or_insert(Best { total, levels });
                better.total = better.total.min(total);
                better.levels = better.levels.min(levels);
            }
            for step in machine.steps() {
                taken += 1;
                if taken > limit {
                    return None;
                }
                let (mut next, mut memory) = (machine.clone(), memory.clone());
                let Ok(effect) = next.step(step) else { continue };
                self.observe(&next, &mut memory, step.event, &effect);
                if seen.insert((next.state().clone(), memory.clone())) {
                    let (mut path, mut effects) = (path.clone(), effects.clone());
                    path.push(step);
                    effects.push(effect);
                    open.push((next, memory, path, effects));
                }
            }
        }
        Some(best)
    }

    fn observe(&self, machine: &Machine<'_>, memory: &mut Memory, event: EventId, effect: &Effect) {
        let graph = &self.free.graph;
        if let Some(sources) = memory.access(graph, event, effect) {
            let of = |byte: u32| sources.iter().find(|(_, bytes)| bytes.contains(&byte)).map(|(&write, _)| write);
            for (&write, bytes) in self.flows.get(&event).into_iter().flatten() {
                memory.kept_flows += u64::from(bytes.iter().all(|&byte| of(byte) == Some(write)));
            }
        }
        if !counts(graph, event) || self.free.unlocks.contains(&event) {
            return;
        }
        let thread = |event: EventId| graph.events[event.index()].thread;
        for (number, segment) in self.segments.iter().enumerate() {
            let (first, last) = (segment[0], segment[segment.len() - 1]);
            let inside = machine.happened(first) && !machine.happened(last);
            memory.broken[number] |= inside && thread(first) != thread(event);
        }
        memory.kept_switches += u64::from(memory.last.is_some_and(|last| self.switches.contains(&(last, event))));
        memory.last = Some(event);
    }

    fn lost(&self, machine: &Machine<'_>, memory: &Memory) -> [u64; 3] {
        let flows: usize = self.flows.values().map(BTreeMap::len).sum();
        let broken = self
            .segments
            .iter()
            .zip(&memory.broken)
            .filter(|(segment, broken)| **broken || segment.iter().any(|&event| !machine.happened(event)));
        [flows as u64 - memory.kept_flows, broken.count() as u64, self.switches.len() as u64 - memory.kept_switches]
    }

    /// The metric counts as this judge does.
    fn cross_check(&self, path: &[Step], effects: Vec<Effect>, outcome: Outcome, levels: [u64; 3]) {
        let execution = Execution { steps: path.to_vec(), inputs: self.failing.execution.inputs.clone() };
        let replayed = Replayed { execution, outcome: Outcome { effects, ..outcome } };
        let failing = Run { graph: self.graph, replayed: self.failing, synthetic: &[] };
        let other = Run { graph: &self.free.graph, replayed: &replayed, synthetic: &self.free.unlocks };
        let found = distance(failing, other, &Twins::same(self.graph));
        assert_eq!(
            [found.data_flows, found.broken_segments, found.context_switches],
            levels,
            "{}\n{:?}\n{path:?}",
            self.graph,
            self.failing
        );
    }
}

impl Memory {
    /// The sources of an access, if it reads.
    fn access(
        &mut self,
        graph: &EventGraph,
        event: EventId,
        effect: &Effect,
    ) -> Option<BTreeMap<Option<EventId>, Vec<u32>>> {
        let Kind::Access(access) = &graph.events[event.index()].kind else { return None };
        let &Effect::Accessed { location, written, .. } = effect else { return None };
        let mut sources: BTreeMap<Option<EventId>, Vec<u32>> = BTreeMap::new();
        for byte in 0..access.bytes {
            let place = Location { offset: location.offset + byte, ..location };
            sources.entry(self.writers.get(&place).copied()).or_default().push(byte);
            if written.is_some() {
                self.writers.insert(place, event);
            }
        }
        access.old.map(|_| sources)
    }
}
