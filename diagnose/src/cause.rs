//! The cause of a failure: orders between threads that together exclude passing, none of which can be left out.
//!
//! As section 3.4 of the Symbiosis paper, with three differences. Only orders that the execution decided between
//! conflicting events are assumed, never program order; the core is made irreducible; and inputs stay as they were. The
//! candidates are first those that touch the failure's backward slice. Where these leave a way to pass, or no answer, all
//! others join them.

use std::cmp::Reverse;
use std::collections::HashMap;

use events::{Effect, EventGraph, EventId, Execution, Kind, Obstacle};
use solve::{Budget, CoreVerdict, Reason};

use crate::diagnosis::DiagnoseError;
use crate::failure::{Replayed, Wrong};
use crate::flows::flows;
use crate::question::CanPass;
use crate::slice::slice;

/// Both happen, the first before the second.
pub type Order = (EventId, EventId);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Between threads, in the order of the execution. Without any the failure is inevitable on these paths.
    pub orders: Vec<Order>,
    /// Whether none can be left out; otherwise a budget ended the proof for some.
    pub minimal: bool,
    /// How many orders were candidates.
    pub candidates: usize,
    /// How often the solver was asked.
    pub questions: u64,
}

#[derive(Clone, Debug)]
pub enum Causes {
    Found(Cause),
    /// All orders can stay and it passes all the same: what the environment chose decides, who was woken say.
    Chosen(Execution),
    Unknown(Reason),
}

pub(crate) fn cause(
    graph: &EventGraph,
    failing: &Replayed,
    wrong: &Wrong,
    question: &mut CanPass,
    budget: &Budget,
) -> Result<Causes, DiagnoseError> {
    let (near, far) = candidates(graph, failing, wrong);
    let all: Vec<Order> = near.iter().chain(&far).copied().collect();
    let stages = if far.is_empty() || near.is_empty() { vec![all] } else { vec![near, all] };
    let last = stages.len() - 1;
    let budget = Budget { time: budget.time.map(|time| time / stages.len() as u32), ..budget.clone() };
    for (stage, orders) in stages.iter().enumerate() {
        match question.core(orders, &budget) {
            (CoreVerdict::Core(core), literals) => {
                let chosen = literals.iter().zip(orders).filter(|(literal, _)| core.literals.contains(literal));
                let mut chosen: Vec<Order> = chosen.map(|(_, &order)| order).collect();
                let positions = positions(failing);
                chosen.sort_by_key(|(one, other)| [other, one].map(|event| positions.get(event).copied()));
                return Ok(Causes::Found(Cause {
                    orders: chosen,
                    minimal: core.is_minimal(),
                    candidates: orders.len(),
                    questions: core.questions + stage as u64,
                }));
            }
            (CoreVerdict::Satisfiable(_), _) if stage < last => {}
            (CoreVerdict::Satisfiable(assignment), _) => return Ok(Causes::Chosen(question.execution(&assignment))),
            (CoreVerdict::Unknown(Reason::Failed(message)), _) => return Err(DiagnoseError::Solver(message)),
            // The more is fixed, the easier it is to see that nothing else can happen.
            (CoreVerdict::Unknown(Reason::Time | Reason::Conflicts), _) if stage < last => {}
            (CoreVerdict::Unknown(reason), _) => return Ok(Causes::Unknown(reason)),
        }
    }
    Ok(Causes::Unknown(Reason::Interrupted))
}

fn positions(failing: &Replayed) -> HashMap<EventId, usize> {
    failing.execution.steps.iter().enumerate().map(|(position, step)| (step.event, position)).collect()
}

/// How telling an order is; less is more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// It does not touch the slice.
    far: bool,
    /// That both events happen says something already, which is not what is asked.
    depends: bool,
    /// From the failure.
    distance: u32,
    /// Of the second event: late ones first.
    place: Reverse<Option<usize>>,
}

/// The orders that may be a cause, those near the failure apart from the others, the most telling first.
fn candidates(graph: &EventGraph, failing: &Replayed, wrong: &Wrong) -> (Vec<Order>, Vec<Order>) {
    let (execution, effects) = (&failing.execution, &failing.outcome.effects);
    let slice = slice(graph, failing, &flows(graph, execution, effects), wrong);
    let positions = positions(failing);
    let mut waits = waits(graph, failing, wrong);
    let mut ranked: Vec<(Rank, Order)> = Vec::new();
    for order in encode::candidates(graph, execution, effects) {
        // An order of memory says more than that of the locks around it.
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

/// Of a deadlock: what each of those who wait came too late for. They wait, so their events have not happened; in a run
/// that passes they do.
fn waits(graph: &EventGraph, failing: &Replayed, wrong: &Wrong) -> Vec<Order> {
    let Wrong::Deadlock(threads) = wrong else { return Vec::new() };
    let mut orders = Vec::new();
    for stuck in failing.outcome.stuck.iter().filter(|stuck| threads.contains(&stuck.thread)) {
        let Obstacle::Mutex { mutex, holder } = stuck.waits_for else { continue };
        let steps = failing.execution.steps.iter().zip(&failing.outcome.effects);
        let mut taken = steps.rev().filter(|(step, effect)| {
            let event = &graph.events[step.event.index()];
            let takes = matches!(event.kind, Kind::Lock { .. } | Kind::TryLock { .. } | Kind::Wake { .. });
            event.thread == holder && takes && **effect == Effect::Synchronised { mutex }
        });
        if let Some((taken, _)) = taken.next().filter(|_| holder != stuck.thread) {
            orders.push((taken.event, stuck.event));
        }
    }
    orders
}
