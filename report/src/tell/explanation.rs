//! The diagnosis of a failing execution of a graph, with names.

use std::collections::{BTreeSet, HashMap};

use diagnose::{Causes, Diagnosis, Flow, Projection, Replayed, Wrong, flows, stuck_operations};
use events::{Effect, EventGraph, EventId, Kind, Location};
use formula::Term;

use super::condition::Names;
use super::graph::event;
use crate::model::{
    Alternate, Cause, Consequence, Dataflow, Escape, Event, EventKind, Explanation, LaneRow, Operation, Order,
    Presence, Reason, Region, Reordered, Source,
};

/// More rows than this are not readable; optional rows are added up to the smaller number.
const ROWS: usize = 18;
const FEW: usize = 10;

/// The failing execution of the diagnosis's graph, and the ids of its events in the report.
pub struct Told<'a> {
    pub failing: &'a Replayed,
    pub diagnosis: &'a Diagnosis,
    /// By event of the failing execution; others get numbers from `next` on.
    pub ids: HashMap<EventId, usize>,
    pub next: usize,
    pub texts: &'a HashMap<u128, String>,
    pub speech: Option<Speech<'a>>,
}

/// The source's names for the objects of a program's events. Traces have names of their own.
pub struct Speech<'a> {
    pub object: &'a dyn Fn(EventId) -> Option<String>,
    /// A value that an event read or wrote.
    pub value: &'a dyn Fn(EventId, u128) -> Option<String>,
    /// The kind, if it differs from that of the graph.
    pub kind: &'a dyn Fn(EventId) -> Option<&'static str>,
    /// The failing condition, or the failure.
    pub condition: &'a str,
    /// Whether it is an assertion of the program.
    pub asserted: bool,
}

impl Explanation {
    pub fn new(told: Told<'_>, other_paths: bool, seconds: f64) -> Explanation {
        let diagnosis = told.diagnosis;
        let mut teller = Teller::new(told);
        let reason = teller.reason();
        let cause = Cause { failure: 0, reason, inputs: Vec::new(), choices: false };
        let mut alternates = Vec::new();
        for (alternate, projection) in &diagnosis.alternates {
            alternates.push(teller.alternate(alternate, projection));
        }
        let escape = match diagnosis.escape {
            diagnose::Escape::Possible => Escape::Possible,
            diagnose::Escape::Excluded => Escape::Excluded,
            diagnose::Escape::Unknown(_) => Escape::Unknown,
            diagnose::Escape::NotAsked => Escape::NotAsked,
        };
        let pairs_tried = diagnosis.pairs_tried;
        Explanation { cause, alternates, escape, pairs_tried, other_paths, seconds, work: None }
    }
}

impl Speech<'_> {
    /// `named`: the event with the name of the object.
    fn apply(&self, id: EventId, named: EventId, effect: &Effect, event: &mut Event) {
        if let Some(object) = (self.object)(named) {
            event.object = object;
        }
        if let Effect::Accessed { read, written, .. } = *effect {
            event.value = written.or(read).and_then(|word| (self.value)(id, word)).unwrap_or_default();
        }
        if let Some(kind) = (self.kind)(id) {
            event.kind = EventKind::of_machine(kind);
        }
        if event.kind == EventKind::Assert {
            event.value = self.condition.to_owned();
            event.kind = if self.asserted { EventKind::Assert } else { EventKind::Failure };
        }
    }
}

struct Teller<'a> {
    told: Told<'a>,
    graph: &'a EventGraph,
    names: Names<'a>,
    /// By event, its effect in the failing execution.
    failing: HashMap<EventId, Effect>,
    /// By location, the source's name of the object there.
    objects: HashMap<Location, String>,
}

fn effects(run: &Replayed) -> HashMap<EventId, Effect> {
    run.execution.steps.iter().map(|step| step.event).zip(run.outcome.effects.iter().copied()).collect()
}

/// The place of an access.
fn location(effect: Option<&Effect>) -> Option<Location> {
    match effect {
        Some(Effect::Accessed { location, .. }) => Some(*location),
        _ => None,
    }
}

/// `messages[…].text` for `messages[1].text`.
fn without_indices(name: &str) -> String {
    let mut parts = name.split('[');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        text += if rest.len() < part.len() { "[…" } else { "[" };
        text += rest;
    }
    text
}

/// Whether a name is one of the source's. Others are numbered, or begin at a block without a name.
fn is_of_source(name: &str) -> bool {
    !name.is_empty() && !name.starts_with("heap block") && !name.ends_with("()")
}

impl<'a> Teller<'a> {
    fn new(told: Told<'a>) -> Teller<'a> {
        let graph = &told.diagnosis.passing.graph;
        let names = Names::new(graph, told.texts);
        let failing = effects(told.failing);
        let mut objects = HashMap::new();
        if let Some(speech) = &told.speech {
            let passing = told.diagnosis.alternates.iter().flat_map(|(alternate, _)| effects(&alternate.replayed()));
            // Events of other paths have names of their own; the others are named as in the failing execution.
            let others = passing.filter(|(event, _)| !failing.contains_key(event));
            let mut accesses: Vec<(EventId, Effect)> = failing.iter().map(|(&id, &effect)| (id, effect)).collect();
            accesses.sort_by_key(|(event, _)| *event);
            let mut others: Vec<(EventId, Effect)> = others.collect();
            others.sort_by_key(|(event, _)| *event);
            for (event, effect) in accesses.into_iter().chain(others) {
                if let (Some(at), Some(name)) =
                    (location(Some(&effect)), (speech.object)(event).filter(|name| is_of_source(name)))
                {
                    objects.entry(at).or_insert(name);
                }
            }
        }
        Teller { told, graph, names, failing, objects }
    }

    /// The name of an object whose event has none, or is elsewhere than in the failing execution.
    fn renamed(&self, id: EventId, effect: &Effect, name: &str) -> Option<String> {
        let at = location(Some(effect))?;
        let moved = self.failing.get(&id).is_some_and(|failing| location(Some(failing)) != Some(at));
        let is_nameless = name.starts_with("heap block");
        if !(moved && is_of_source(name) || is_nameless) {
            return None;
        }
        // Without another access there, the index of the element is not known.
        self.objects.get(&at).cloned().or_else(|| moved.then(|| without_indices(name)))
    }

    fn id(&mut self, event: EventId) -> usize {
        let next = &mut self.told.next;
        *self.told.ids.entry(event).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }

    fn event(&mut self, id: EventId, effects: &HashMap<EventId, Effect>) -> Option<Event> {
        let effect = effects.get(&id).copied().unwrap_or(Effect::Nothing);
        let number = self.id(id);
        let mut told = event(self.graph, &self.names, number, self.graph.events.get(id.index())?, &effect)?;
        if let Some(speech) = &self.told.speech {
            // A wake is on the condition of its sleep.
            let named = match self.graph.events.get(id.index())?.kind {
                Kind::Wake { sleep, .. } => sleep,
                _ => id,
            };
            speech.apply(id, named, &effect, &mut told);
            if let Some(name) = self.renamed(id, &effect, &told.object) {
                told.object = name;
            }
        }
        Some(told)
    }

    fn reason(&mut self) -> Reason {
        let cause = match &self.told.diagnosis.causes {
            Causes::Found(cause) => cause,
            Causes::Chosen(_) => return Reason::Chosen,
            Causes::Unknown(_) => return Reason::Unknown,
        };
        if cause.orders.is_empty() {
            return Reason::Inevitable;
        }
        let failing = self.failing.clone();
        let flows = flows(self.graph, &self.told.failing.execution, &self.told.failing.outcome.effects);
        let mut orders = Vec::new();
        for &(one, other) in &cause.orders {
            let (Some(before), Some(after)) = (self.event(one, &failing), self.event(other, &failing)) else {
                continue;
            };
            let sees = flows.iter().any(|flow| flow.read == other && flow.write == Some(one));
            let consequence = Consequence::new(before.kind, after.kind, sees, failing.contains_key(&other));
            orders.push(Order { before, after, consequence });
        }
        Reason::Orders { orders, proof: cause.proof, candidates: cause.candidates }
    }

    fn alternate(&mut self, alternate: &diagnose::Alternate, projection: &Projection) -> Alternate {
        let passing = effects(&alternate.replayed());
        let failing = self.failing.clone();
        let events =
            alternate.execution.steps.iter().filter_map(|step| self.event(step.event, &passing)).collect::<Vec<_>>();
        let mut operations = Vec::new();
        for &operation in &projection.operations {
            let (presence, effects) = match (failing.contains_key(&operation), passing.contains_key(&operation)) {
                (true, false) => (Presence::Failing, &failing),
                (false, _) => (Presence::Alternate, &passing),
                _ => (Presence::Both, &failing),
            };
            operations.extend(self.event(operation, effects).map(|event| Operation { event, presence }));
        }
        let mut dataflow = Vec::new();
        for (flows, presence, effects) in
            [(&projection.lost, Presence::Failing, &failing), (&projection.gained, Presence::Alternate, &passing)]
        {
            for flow in flows {
                let write = flow.write.and_then(|write| self.event(write, effects));
                dataflow.extend(self.event(flow.read, effects).map(|read| Dataflow { write, read, presence }));
            }
        }
        let mut reordered = Vec::new();
        for &(one, other) in &projection.reordered {
            let pair = self.event(one, &failing).zip(self.event(other, &failing));
            reordered.extend(pair.map(|(before, after)| Reordered { before, after }));
        }
        let mut atomic = Vec::new();
        for region in &projection.atomic {
            let ends = self.event(region.first, &failing).zip(self.event(region.last, &failing));
            let Some((first, last)) = ends else { continue };
            let others = region.interrupted_by.iter().filter_map(|&event| self.event(event, &failing)).collect();
            atomic.push(Region { first, last, interrupted_by: others });
        }
        let overlooked = projection.overlooked.iter().filter_map(|&event| self.event(event, &failing)).collect();
        let failing_reads = projection.failing_reads.iter().filter_map(|&read| self.event(read, &failing)).collect();
        let (shown, left_out) = self.shown(projection, &alternate.replayed());
        let varied: BTreeSet<EventId> =
            projection.lost.iter().chain(&projection.gained).map(|flow| flow.read).collect();
        let failing_rows = self.rows(self.told.failing, &shown, &varied);
        let passing_rows = self.rows(&alternate.replayed(), &shown, &varied);
        Alternate {
            method: alternate.method,
            pairs_tried: alternate.pairs_tried,
            optimal: alternate.optimal,
            outcome: alternate.confirmation,
            events,
            operations,
            dataflow,
            reordered,
            atomic,
            metrics: projection.metrics,
            aside: projection.aside.len(),
            overlooked,
            failing_reads,
            failing_rows,
            passing_rows,
            left_out,
        }
    }

    /// The events to show: the assertion and its reads, the reads that differ, and the events that carry different
    /// values from there to the assertion; if there is room, the other reordered events and those of the cause. Also
    /// returns the number of operations left out.
    fn shown(&self, projection: &Projection, alternate: &Replayed) -> (BTreeSet<EventId>, usize) {
        let (old, new) = (self.flows_of(self.told.failing), self.flows_of(alternate));
        let mut wanted: Vec<EventId> = self.assertions(alternate);
        wanted.extend(stuck_operations(self.graph, self.told.failing));
        wanted.extend(&projection.overlooked);
        let reads: Vec<EventId> = wanted.iter().flat_map(|&assertion| self.reads_of(assertion)).collect();
        let ends = |flow: &Flow| [Some(flow.read), flow.write].into_iter().flatten();
        wanted.extend(projection.lost.iter().chain(&projection.gained).rev().flat_map(ends));
        for &read in &reads {
            wanted.push(read);
            wanted.extend(old.iter().chain(&new).filter(|flow| flow.read == read).filter_map(|flow| flow.write));
        }
        let mut listed: Vec<EventId> = Vec::new();
        let add = |listed: &mut Vec<EventId>, events: Vec<EventId>, room: usize| {
            for event in events {
                if listed.len() < room && !listed.contains(&event) {
                    listed.push(event);
                }
            }
        };
        add(&mut listed, wanted, ROWS);
        add(&mut listed, self.carriers(&reads, &old, &effects(alternate)), FEW);
        add(&mut listed, projection.reordered.iter().flat_map(|&(one, other)| [one, other]).collect(), FEW);
        add(&mut listed, self.told.diagnosis.orders().iter().flat_map(|&(one, other)| [one, other]).collect(), FEW);
        let left_out = projection.operations.iter().filter(|operation| !listed.contains(operation)).count();
        (listed.into_iter().collect(), left_out)
    }

    /// The failing assertion, and that of its thread in the other execution, if it is another event.
    fn assertions(&self, alternate: &Replayed) -> Vec<EventId> {
        let Wrong::Assertion(failed) = self.told.diagnosis.wrong else { return Vec::new() };
        let kind_of = |event: EventId| &self.graph.events[event.index()];
        let mut assertions = vec![failed];
        let alike = |event: &EventId| {
            matches!(kind_of(*event).kind, Kind::Assert { .. }) && kind_of(*event).thread == kind_of(failed).thread
        };
        if !alternate.execution.steps.iter().any(|step| step.event == failed) {
            assertions.extend(alternate.execution.steps.iter().map(|step| step.event).filter(alike));
        }
        assertions
    }

    /// The events that the reads depend on by data flow through memory, and that have another value in the other
    /// execution.
    fn carriers(&self, reads: &[EventId], flows: &[Flow], other: &HashMap<EventId, Effect>) -> Vec<EventId> {
        let differs = |event: EventId| matches!((self.failing.get(&event), other.get(&event)), (Some(here), Some(there)) if here != there);
        let mut found: Vec<EventId> = Vec::new();
        let mut open: Vec<EventId> = reads.to_vec();
        while let Some(event) = open.pop() {
            if found.contains(&event) || !differs(event) || found.len() >= ROWS {
                continue;
            }
            found.push(event);
            open.extend(flows.iter().filter(|flow| flow.read == event).filter_map(|flow| flow.write));
            if let Kind::Access(access) = &self.graph.events[event.index()].kind {
                open.extend(
                    access.new.into_iter().flat_map(|new| self.defined_by(&self.graph.terms.free_symbols(new))),
                );
            }
        }
        found
    }

    fn flows_of(&self, run: &Replayed) -> Vec<Flow> {
        flows(self.graph, &run.execution, &run.outcome.effects)
    }

    /// The reads whose values a condition names.
    fn reads_of(&self, assertion: EventId) -> Vec<EventId> {
        let Kind::Assert { condition } = self.graph.events[assertion.index()].kind else { return Vec::new() };
        self.defined_by(&self.graph.terms.free_symbols(condition))
    }

    /// The reads that define symbols.
    fn defined_by(&self, symbols: &[Term]) -> Vec<EventId> {
        let reads = |event: &EventId| match &self.graph.events[event.index()].kind {
            Kind::Access(access) => access.old.is_some_and(|old| symbols.contains(&old)),
            _ => false,
        };
        (0..self.graph.events.len() as u32).map(EventId).filter(reads).collect()
    }

    fn rows(&mut self, run: &Replayed, shown: &BTreeSet<EventId>, varied: &BTreeSet<EventId>) -> Vec<LaneRow> {
        let effects = effects(run);
        let flows = self.flows_of(run);
        let mut rows = Vec::new();
        for step in run.execution.steps.iter().filter(|step| shown.contains(&step.event)) {
            let id = step.event;
            let sources: Vec<&Flow> = flows.iter().filter(|flow| flow.read == id).collect();
            let source = match sources.as_slice() {
                [] => None,
                [Flow { write: None, .. }] => Some(Source::Initial),
                [Flow { write: Some(write), .. }] => self.event(*write, &effects).map(Source::Write),
                _ => Some(Source::Several),
            };
            let judges = matches!(self.graph.events[id.index()].kind, Kind::Assert { .. });
            let varies = varied.contains(&id);
            rows.extend(self.event(id, &effects).map(|event| LaneRow { event, source, varies, judges }));
        }
        for stuck in &run.outcome.stuck {
            let Some(mut event) = self.event(stuck.event, &effects).filter(|_| shown.contains(&stuck.event)) else {
                continue;
            };
            if event.kind == EventKind::Join {
                event.object = format!("T{}", event.object);
            }
            event.kind = EventKind::Blocked;
            rows.push(LaneRow { event, source: None, varies: true, judges: true });
        }
        rows
    }
}
