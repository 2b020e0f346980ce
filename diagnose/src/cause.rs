//! The cause of a failure: a minimal set of inter-thread orderings that together exclude passing.
//!
//! As section 3.4 of the Symbiosis paper. Deviations: only orderings between conflicting events are assumptions, never
//! program order; the unsat core is made minimal; and inputs are fixed. The first candidates are those that concern the
//! failure's backward slice. If these leave a passing execution, or no answer, all others are added.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use encode::Conflicts;
use events::{Effect, EventGraph, EventId, Execution, Kind, Location, Obstacle, Plan, ThreadId};
use solve::{Budget, CoreVerdict, Reason};

use crate::diagnosis::DiagnoseError;
use crate::failure::{Replayed, Wrong};
use crate::flows::flows;
use crate::question::CanPass;
use crate::shown::Examples;
use crate::slice::slice;
use crate::stuck::acquisitions;

/// Both happen, the first before the second.
pub type Order = (EventId, EventId);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Between threads, in the order of the execution. Without any the failure is inevitable on these paths.
    pub orders: Vec<Order>,
    pub proof: Proof,
    /// The number of candidate orderings.
    pub candidates: usize,
    /// The number of questions to the solver.
    pub questions: u64,
}

/// The relation between the orders of a cause and the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proof {
    /// Together they exclude passing, and none can be left out.
    Minimal,
    /// Together they exclude passing. A budget ended the proof that all are needed.
    Sufficient,
    /// Each is needed: a passing run without it was found. Whether they exclude passing together is unknown.
    Necessary,
}

impl Cause {
    pub fn is_minimal(&self) -> bool {
        self.proof == Proof::Minimal
    }
}

#[derive(Clone, Debug)]
pub enum Causes {
    Found(Cause),
    /// All orderings can stay and the execution passes: a choice of the environment decides, such as the thread that a
    /// signal wakes.
    Chosen(Execution),
    Unknown(Reason),
}

pub(crate) fn cause(
    plan: &Plan<'_>,
    failing: &Replayed,
    wrong: &Wrong,
    question: &mut CanPass,
    budget: &Budget,
) -> Result<Causes, DiagnoseError> {
    let examples = Examples { plan, failing };
    in_stages(failing, &immediate_stages(plan.graph, failing, wrong), Some(&examples), question, budget)
}

/// Only immediate conflicts: first near the failure, then all.
pub(crate) fn immediate_stages(graph: &EventGraph, failing: &Replayed, wrong: &Wrong) -> Vec<Vec<Order>> {
    let immediate = encode::candidates(graph, &failing.execution, &failing.outcome.effects);
    let (near, far) = ranked(graph, failing, wrong, immediate);
    let all: Vec<Order> = near.iter().chain(&far).copied().collect();
    if far.is_empty() || near.is_empty() { vec![all] } else { vec![near, all] }
}

/// As [`cause`], with all conflicts as candidates if they are not too many. Write-write orderings are asked about last:
/// a cause without them holds for more executions.
pub(crate) fn general_cause(
    graph: &EventGraph,
    failing: &Replayed,
    wrong: &Wrong,
    question: &mut CanPass,
    budget: &Budget,
) -> Result<Causes, DiagnoseError> {
    let (execution, effects) = (&failing.execution, &failing.outcome.effects);
    let Some(conflicts) = conflicts(graph, failing) else {
        return in_stages(failing, &immediate_stages(graph, failing, wrong), None, question, budget);
    };
    let (near, far) = ranked(graph, failing, wrong, conflicts.telling.iter().copied());
    let telling: Vec<Order> = near.iter().chain(&far).copied().collect();
    let known: HashSet<Order> = telling.iter().copied().collect();
    let immediate = encode::candidates(graph, execution, effects);
    let waits = waits(graph, failing, |_| true);
    let others: BTreeSet<Order> = conflicts.writes.into_iter().chain(immediate).chain(waits).collect();
    let others: Vec<Order> = others.into_iter().filter(|order| !known.contains(order)).collect();
    let all: Vec<Order> = telling.iter().chain(&others).copied().collect();
    // Conflicts between events that only happen after the failure are no candidates at first.
    let always = |event: EventId| graph.terms.as_bool(graph.events[event.index()].guard) == Some(true);
    let sure = near.iter().copied().filter(|&(one, other)| always(one) && always(other)).collect();
    let mut stages = vec![sure, near, telling, all];
    stages.dedup_by_key(|stage| stage.len());
    if stages.len() > 1 && stages[0].is_empty() {
        stages.remove(0);
    }
    in_stages(failing, &stages, None, question, budget)
}

/// More conflicts than this are not all candidates.
const MANY: usize = 3_000;

/// All conflicts, if there are not too many.
fn conflicts(graph: &EventGraph, failing: &Replayed) -> Option<Conflicts> {
    Conflicts::new(graph, &failing.execution, &failing.outcome.effects, MANY)
}

/// The number of candidates of [`general_cause`].
pub(crate) fn count_candidates(graph: &EventGraph, failing: &Replayed) -> usize {
    let immediate = || encode::candidates(graph, &failing.execution, &failing.outcome.effects).len();
    let found = conflicts(graph, failing).map(|found| found.telling.len() + found.writes.len());
    found.unwrap_or_else(immediate) + waits(graph, failing, |_| true).len()
}

/// The cause among the first candidates that exclude passing.
fn in_stages(
    failing: &Replayed,
    stages: &[Vec<Order>],
    examples: Option<&Examples<'_>>,
    question: &mut CanPass,
    budget: &Budget,
) -> Result<Causes, DiagnoseError> {
    let last = stages.len() - 1;
    let first = budget.part(stages.len() as u32);
    for (stage, orders) in stages.iter().enumerate() {
        match question.core(orders, examples, &first) {
            (CoreVerdict::Core(core), literals) => {
                let chosen = literals.iter().zip(orders).filter(|(literal, _)| core.literals.contains(literal));
                let mut chosen: Vec<Order> = chosen.map(|(_, &order)| order).collect();
                let positions = failing.positions();
                chosen.sort_by_key(|(one, other)| [other, one].map(|event| positions.get(event).copied()));
                return Ok(Causes::Found(Cause {
                    orders: chosen,
                    proof: if core.is_minimal() { Proof::Minimal } else { Proof::Sufficient },
                    candidates: orders.len(),
                    questions: core.questions + stage as u64,
                }));
            }
            (CoreVerdict::Satisfiable(_), _) if stage < last => {}
            (CoreVerdict::Satisfiable(assignment), _) => return Ok(Causes::Chosen(question.execution(&assignment))),
            (CoreVerdict::Unknown(Reason::Failed(message)), _) => return Err(DiagnoseError::Solver(message)),
            // With more orderings fixed it is easier to prove that there is no passing execution.
            (CoreVerdict::Unknown(Reason::Time | Reason::Conflicts), _) if stage < last => {}
            (CoreVerdict::Unknown(reason), _) => return Ok(Causes::Unknown(reason)),
        }
    }
    Ok(Causes::Unknown(Reason::Interrupted))
}

/// How telling an order is; less is more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// It does not touch the slice.
    far: bool,
    /// The occurrence of both events is a condition too, which is not part of the question.
    depends: bool,
    /// From the failure.
    distance: u32,
    /// Of the second event: late ones first.
    place: Reverse<Option<usize>>,
}

/// The candidate orderings, those near the failure before the others, the most informative first.
fn ranked(
    graph: &EventGraph,
    failing: &Replayed,
    wrong: &Wrong,
    candidates: impl IntoIterator<Item = Order>,
) -> (Vec<Order>, Vec<Order>) {
    let (execution, effects) = (&failing.execution, &failing.outcome.effects);
    let slice = slice(graph, failing, &flows(graph, execution, effects), wrong);
    let positions = failing.positions();
    let mut waits = match wrong {
        Wrong::Deadlock(threads) => waits(graph, failing, |thread| threads.contains(&thread)),
        Wrong::Assertion(_) => Vec::new(),
    };
    let mut ranked: Vec<(Rank, Order)> = Vec::new();
    for order in candidates {
        // An ordering of memory accesses is more informative than that of the locks around them.
        let remembers = |event: EventId| matches!(graph.events[event.index()].kind, Kind::Access(_));
        let ends = [order.0, order.1];
        let distance = ends.iter().filter_map(|event| slice.get(event)).min().copied();
        let distance = distance.filter(|_| ends.into_iter().all(remembers)).unwrap_or(u32::MAX);
        let always = |event: EventId| graph.terms.as_bool(graph.events[event.index()].guard) == Some(true);
        let rank = Rank {
            far: distance == u32::MAX,
            depends: !ends.into_iter().all(always),
            distance,
            place: Reverse(positions.get(&order.1).copied()),
        };
        ranked.push((rank, order));
    }
    ranked.sort();
    let split = ranked.partition_point(|(rank, _)| !rank.far);
    let orders = |ranked: &[(Rank, Order)]| ranked.iter().map(|&(_, order)| order).collect::<Vec<Order>>();
    waits.extend(orders(&ranked[..split]));
    (waits, orders(&ranked[split..]))
}

/// The orderings that blocked threads came too late for. Their events have not happened; in a passing run they do.
fn waits(graph: &EventGraph, failing: &Replayed, concerns: impl Fn(ThreadId) -> bool) -> Vec<Order> {
    let mut orders = Vec::new();
    for stuck in failing.outcome.stuck.iter().filter(|stuck| concerns(stuck.thread)) {
        let steps = failing.execution.steps.iter().zip(&failing.outcome.effects).rev();
        let steps = steps.map(|(step, effect)| (step.event, effect));
        // The reads of an idle loop have happened, and are among the candidates.
        let mut found = acquisitions(graph, failing, &stuck.waits_for);
        if let Obstacle::Memory { location, .. } = stuck.waits_for {
            let last = last_writes(graph, steps, stuck.event, location);
            found.extend(last.into_iter().filter(|write| !found.contains(write)).collect::<Vec<_>>());
        }
        let of_another = |event: &EventId| graph.events[event.index()].thread != stuck.thread;
        orders.extend(found.into_iter().filter(of_another).map(|event| (event, stuck.event)));
    }
    orders
}

/// The last writes to the bytes that an access would read at this location; the steps go backwards.
fn last_writes<'a>(
    graph: &EventGraph,
    steps: impl Iterator<Item = (EventId, &'a Effect)>,
    access: EventId,
    location: Location,
) -> Vec<EventId> {
    let width = |event: EventId| match &graph.events[event.index()].kind {
        Kind::Access(access) => u64::from(access.bytes),
        _ => 0,
    };
    let bytes = |event, offset: u32| u64::from(offset)..u64::from(offset) + width(event);
    let mut missing: Vec<u64> = bytes(access, location.offset).collect();
    let mut found = Vec::new();
    for (event, effect) in steps {
        if let &Effect::Accessed { location: other, written: Some(_), .. } = effect
            && other.object == location.object
        {
            let written = bytes(event, other.offset);
            let before = missing.len();
            missing.retain(|byte| !written.contains(byte));
            found.extend((missing.len() < before).then_some(event));
        }
    }
    found
}
