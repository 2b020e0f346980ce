//! The differential schedule projection of section 3.6 of the Symbiosis paper: the differences between a failing and a
//! passing execution. These are reads with different sources, and conflicting operations in a different order.
//!
//! Deviations: differences that lead neither to the failure nor past it (`leads`) are left out and counted; only
//! conflicting operations count as reordered, since all others commute; and operations that did not happen in one of
//! the two, because it ended before, are no difference.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use events::{Effect, EventGraph, EventId, Kind, ThreadId};

use crate::cause::Order;
use crate::failure::Replayed;
use crate::flows::{Flow, flows};
use crate::leads::Leads;
use crate::metric::{Run, distance};
use crate::passing::Passing;
use crate::stuck::{overlooked, stuck_operations};
use crate::twins::Twins;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// In the failing execution and not in the alternate, in the order of the reads.
    pub lost: Vec<Flow>,
    /// Only in the passing execution.
    pub gained: Vec<Flow>,
    /// Conflicting operations of different threads: in the failing execution the first came before the second.
    pub reordered: Vec<Order>,
    /// Reads with different sources that lead neither to the failure nor past it. They are left out.
    pub aside: Vec<EventId>,
    /// The last reads of waiting threads, and the later writes that they missed. These are equal in both executions.
    pub overlooked: Vec<EventId>,
    /// The reads whose values the failing condition names, in the order of the failing execution, whether they differ
    /// or not.
    pub failing_reads: Vec<EventId>,
    /// The ends of all these but the failing reads, in the order of the failing execution.
    pub operations: Vec<EventId>,
    pub atomic: Vec<Region>,
    pub metrics: Metrics,
}

/// A part of a thread that others interrupt in the failing execution and not in the alternate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region {
    pub thread: ThreadId,
    pub first: EventId,
    pub last: EventId,
    /// The operations in between, in the failing execution.
    pub interrupted_by: Vec<EventId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// In the failing schedule: all events, and all data flows.
    pub events: usize,
    pub dataflows: usize,
    pub operations: usize,
    /// The ends of data-flow variations.
    pub operations_to_understand: usize,
    /// The events that Symbiosis would draw: of each stretch of a thread all from its first end of a variation to its
    /// last, and reordered operations.
    pub dsp_events: usize,
    /// By the MaxSMT paper's criteria.
    pub dataflow_variations: usize,
    pub broken_segments: usize,
    pub context_switch_variations: usize,
}

/// The differences between a failing execution of a graph and a passing one of its counterpart. The cause helps to find
/// the interrupted regions.
pub fn project(
    graph: &EventGraph,
    failing: &Replayed,
    passing: &Passing,
    alternate: &Replayed,
    cause: &[Order],
) -> Projection {
    let apart = distance(
        Run { graph, replayed: failing, synthetic: &[] },
        Run { graph: &passing.graph, replayed: alternate, synthetic: &passing.unlocks },
        &Twins::same(graph),
    );
    let own = graph;
    let graph = &passing.graph;
    let (before, after) = (failing.positions(), alternate.positions());
    let flows_of = |run: &Replayed| flows(graph, &run.execution, &run.outcome.effects);
    let (old, new) = (flows_of(failing), flows_of(alternate));
    let in_both = |flow: &&Flow| before.contains_key(&flow.read) && after.contains_key(&flow.read);
    let mut lost: Vec<Flow> = old.iter().filter(in_both).filter(|flow| !new.contains(flow)).copied().collect();
    let mut gained: Vec<Flow> = new.iter().filter(in_both).filter(|flow| !old.contains(flow)).copied().collect();
    let mut reordered = reordered(graph, failing, alternate, &before, &after);
    let differing: BTreeSet<EventId> = lost.iter().chain(&gained).map(|flow| flow.read).collect();
    let (here, there) = (Leads::new(own, failing, &old), Leads::new(graph, alternate, &new));
    let leads = leading(failing, &after, &differing, &here, &there);
    // Differences outside of the slices are left out, unless there are no others.
    let aside: Vec<EventId> = differing.iter().copied().filter(|read| !leads.contains(read)).collect();
    let aside = if aside.len() < differing.len() { aside } else { Vec::new() };
    if !aside.is_empty() {
        lost.retain(|flow| leads.contains(&flow.read));
        gained.retain(|flow| leads.contains(&flow.read));
        reordered.retain(|(one, other)| leads.contains(one) && leads.contains(other));
    }
    let understood: BTreeSet<EventId> = lost.iter().chain(&gained).flat_map(ends).collect();
    let ordered = reordered.iter().flat_map(|&(one, other)| [one, other]);
    let all: BTreeSet<EventId> =
        understood.iter().copied().chain(ordered).chain(stuck_operations(graph, failing)).collect();
    let mut operations: Vec<EventId> = all.into_iter().collect();
    operations.sort_by_key(|event| before.get(event).copied().unwrap_or(usize::MAX));
    let metrics = Metrics {
        events: failing.execution.steps.len(),
        dataflows: old.len(),
        operations: operations.len(),
        operations_to_understand: understood.len(),
        dsp_events: drawn(graph, failing, &understood, &operations),
        dataflow_variations: apart.data_flows as usize,
        broken_segments: apart.broken_segments as usize,
        context_switch_variations: apart.context_switches as usize,
    };
    let mut involved: BTreeSet<EventId> = operations.iter().copied().collect();
    involved.extend(cause.iter().flat_map(|&(one, other)| [one, other]));
    let judged = |flow: &&Flow| is_judged(graph, failing, flow);
    involved.extend(old.iter().chain(&new).filter(judged).flat_map(ends));
    let mut failing_reads: Vec<EventId> = old.iter().filter(judged).map(|flow| flow.read).collect();
    failing_reads.dedup();
    let atomic = regions(graph, failing, &involved, &before, &after);
    // An early signal is hard to understand without the reads that made the thread wait for it.
    let overlooked = if understood.is_empty() { overlooked(own, failing) } else { Vec::new() };
    Projection { lost, gained, reordered, aside, overlooked, failing_reads, operations, atomic, metrics }
}

/// The slice of the failure, and that of the passing execution past it.
fn leading(
    failing: &Replayed,
    after: &HashMap<EventId, usize>,
    differing: &BTreeSet<EventId>,
    here: &Leads<'_>,
    there: &Leads<'_>,
) -> BTreeSet<EventId> {
    let (ends, past) = match failing.outcome.failed.first() {
        Some(&assertion) => (vec![assertion], vec![assertion]),
        // A thread on another path could have released the others.
        None => {
            let waiting = failing.outcome.stuck.iter().map(|stuck| stuck.event);
            (waiting.chain(here.last_of_each()).collect(), there.last_of_each())
        }
    };
    let mut leads = here.to(ends);
    let otherwise = differing.iter().copied().filter(|read| leads.contains(read));
    let past = there.to(past.into_iter().filter(|end| after.contains_key(end)).chain(otherwise));
    leads.extend(past);
    leads
}

fn ends(flow: &Flow) -> impl Iterator<Item = EventId> {
    [Some(flow.read), flow.write].into_iter().flatten()
}

/// Whether a flow leads into the condition that fails.
fn is_judged(graph: &EventGraph, failing: &Replayed, flow: &Flow) -> bool {
    let Some(assertion) = failing.outcome.failed.first() else { return false };
    match (&graph.events[assertion.index()].kind, &graph.events[flow.read.index()].kind) {
        (Kind::Assert { condition }, Kind::Access(access)) => {
            access.old.is_some_and(|old| graph.terms.free_symbols(*condition).contains(&old))
        }
        _ => false,
    }
}

/// Immediate conflicts of either execution that are reversed in the other. Orders of locks are represented by those of
/// the protected data.
fn reordered(
    graph: &EventGraph,
    failing: &Replayed,
    alternate: &Replayed,
    before: &HashMap<EventId, usize>,
    after: &HashMap<EventId, usize>,
) -> Vec<Order> {
    let conflicts = |run: &Replayed| encode::candidates(graph, &run.execution, &run.outcome.effects);
    let found = conflicts(failing);
    let mirrored = conflicts(alternate).into_iter().map(|(one, other)| (other, one));
    let mut reordered: Vec<Order> = Vec::new();
    for (one, other) in found.into_iter().chain(mirrored) {
        let locks = |event: EventId| {
            let kind = graph.events.get(event.index()).map(|event| &event.kind);
            matches!(kind, None | Some(Kind::Lock { .. } | Kind::Unlock { .. } | Kind::TryLock { .. }))
        };
        let order = |positions: &HashMap<EventId, usize>| Some(positions.get(&one)?.cmp(positions.get(&other)?));
        let changed = matches!((order(before), order(after)), (Some(old), Some(new)) if old != new);
        if changed && !locks(one) && !locks(other) && !reordered.contains(&(one, other)) {
            reordered.push((one, other));
        }
    }
    reordered.sort_by_key(|(one, other)| (before.get(one).copied(), before.get(other).copied()));
    reordered
}

/// Of each stretch of a thread, the events from the first end of a data-flow variation to the last, and other operations.
fn drawn(graph: &EventGraph, failing: &Replayed, ends: &BTreeSet<EventId>, operations: &[EventId]) -> usize {
    let thread = |event: EventId| graph.events[event.index()].thread;
    let steps: Vec<EventId> = failing.execution.steps.iter().map(|step| step.event).collect();
    let mut drawn = 0;
    for stretch in steps.chunk_by(|&one, &next| thread(one) == thread(next)) {
        let first = stretch.iter().position(|event| ends.contains(event));
        let last = stretch.iter().rposition(|event| ends.contains(event));
        let span = first.zip(last).map_or(0..0, |(first, last)| first..last + 1);
        let apart = |(position, event): &(usize, &EventId)| !span.contains(position) && operations.contains(event);
        drawn += span.len() + stretch.iter().enumerate().filter(apart).count();
    }
    drawn
}

/// Regions between two adjacent involved events of a thread that are interrupted only in the failing execution, by a
/// conflicting event.
fn regions(
    graph: &EventGraph,
    failing: &Replayed,
    involved: &BTreeSet<EventId>,
    before: &HashMap<EventId, usize>,
    after: &HashMap<EventId, usize>,
) -> Vec<Region> {
    let thread = |event: EventId| graph.events[event.index()].thread;
    let touch = |event: EventId| match failing.outcome.effects.get(*before.get(&event)?) {
        Some(&Effect::Accessed { location, written, .. }) => Some((location, written.is_some())),
        _ => None,
    };
    let conflict = |one: EventId, other: EventId| match (touch(one), touch(other)) {
        (Some((here, writes)), Some((there, overwrites))) => here == there && (writes || overwrites),
        _ => false,
    };
    let between = |positions: &HashMap<EventId, usize>, first: EventId, last: EventId| -> Vec<EventId> {
        let (Some(&from), Some(&to)) = (positions.get(&first), positions.get(&last)) else { return Vec::new() };
        let inside = |event: &&EventId| {
            thread(**event) != thread(first)
                && positions.get(*event).is_some_and(|at| (from..to).contains(at))
                && (conflict(**event, first) || conflict(**event, last))
        };
        involved.iter().filter(inside).copied().collect()
    };
    let mut own: BTreeMap<ThreadId, Vec<EventId>> = BTreeMap::new();
    let mut listed: Vec<EventId> = involved.iter().filter(|event| touch(**event).is_some()).copied().collect();
    listed.sort_by_key(|event| before.get(event).copied());
    for event in listed {
        own.entry(thread(event)).or_default().push(event);
    }
    let mut regions: Vec<Region> = Vec::new();
    for (&thread, own) in &own {
        for pair in own.windows(2) {
            let interrupted_by = between(before, pair[0], pair[1]);
            let fine = interrupted_by.is_empty() || meets_others(graph, thread, pair[0], pair[1]);
            if fine || !between(after, pair[0], pair[1]).is_empty() {
                continue;
            }
            match regions.last_mut().filter(|region| region.thread == thread && region.last == pair[0]) {
                Some(region) => {
                    region.last = pair[1];
                    region.interrupted_by.extend(interrupted_by);
                }
                None => regions.push(Region { thread, first: pair[0], last: pair[1], interrupted_by }),
            }
        }
    }
    regions
}

/// Whether a thread starts others or waits for them in between: then it cannot be meant to be atomic.
fn meets_others(graph: &EventGraph, thread: ThreadId, first: EventId, last: EventId) -> bool {
    let own = &graph.threads[thread.index()].events;
    let position = |event: EventId| own.iter().position(|&other| other == event).unwrap_or(0);
    let meets = |event: &EventId| {
        let kind = &graph.events[event.index()].kind;
        matches!(kind, Kind::Fork { .. } | Kind::Join { .. } | Kind::Sleep { .. } | Kind::Wake { .. })
    };
    own.get(position(first)..position(last)).is_some_and(|between| between.iter().any(meets))
}
