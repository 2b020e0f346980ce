//! Cheap search: runs a graph under many orders, round-robin and random ones, until one reaches the goal. It proves
//! nothing if none does.
//!
//! A recorded path admits few orders: an order under which a thread reads a value that contradicts its next assumption
//! is not an execution. So a thread whose next read would do that waits until memory has changed, as long as other
//! threads are enabled.

use formula::{Sort, Value};

use crate::check::GraphError;
use crate::execution::{Execution, Extent, Step};
use crate::graph::{EventGraph, ThreadId};
use crate::machine::{Machine, Plan, Status};
use crate::random::Random;
use crate::sought::Sought;

/// A search. It is deterministic: equal searches have equal results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simulation {
    pub sought: Sought,
    pub extent: Extent,
    pub seed: u64,
    /// The number of orders to try.
    pub rounds: u32,
}

/// An execution that reached the goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    pub execution: Execution,
    /// The number of the round, from 0.
    pub round: u32,
}

/// How the next thread is chosen.
#[derive(Clone, Copy, Debug)]
enum Policy {
    /// Round-robin, this many steps each.
    Turns { quantum: u32 },
    /// The same thread again with this probability in percent, otherwise a random one.
    Dice { again: u64 },
}

impl Simulation {
    pub fn run(&self, graph: &EventGraph) -> Result<Option<Simulated>, Vec<GraphError>> {
        let plan = Plan::new(graph)?;
        let mut random = Random::new(self.seed);
        for round in 0..self.rounds {
            let policy = match round {
                0..4 => Policy::Turns { quantum: [1, u32::MAX, 2, 7][round as usize] },
                _ if round % 8 == 7 => Policy::Turns { quantum: 1 + random.below(40) as u32 },
                _ => Policy::Dice { again: random.pick(&[0, 30, 60, 80, 90, 95, 99]) },
            };
            if let Some(execution) = self.round(&plan, policy, &mut random) {
                return Ok(Some(Simulated { execution, round }));
            }
        }
        Ok(None)
    }

    fn round(&self, plan: &Plan<'_>, policy: Policy, random: &mut Random) -> Option<Execution> {
        let graph = plan.graph;
        let value = |sort| match sort {
            Sort::Bool => Value::Bool(random.chance(50)),
            Sort::Bits(width) => {
                let word = u128::from(random.word()) << 64 | u128::from(random.word());
                Value::Bits { width, value: word >> (128 - width) }
            }
        };
        let inputs: Vec<Value> = graph.inputs.iter().map(|&input| graph.terms.sort(input)).map(value).collect();
        let mut machine = Machine::new(plan, &inputs, self.extent).ok()?;
        let mut steps = Vec::new();
        let mut turn = Turn { thread: random.below(graph.threads.len()), taken: 0 };
        while let Some(thread) = turn.next(&machine, policy, random) {
            let Status::Ready(event) = machine.status(thread) else { break };
            let choice = random.pick(&machine.choices(event));
            let step = Step { event, choice };
            if machine.step(step).is_err() {
                // A prefix may end before an event that is part of no execution.
                break;
            }
            steps.push(step);
            if self.extent == Extent::Prefix && !machine.failed().is_empty() {
                break;
            }
        }
        let outcome = machine.conclude().ok()?;
        self.sought.met_by(&outcome, self.extent).then_some(Execution { steps, inputs })
    }
}

struct Turn {
    thread: usize,
    /// Steps since the last context switch.
    taken: u32,
}

impl Turn {
    /// The thread that takes the next step, if any is enabled.
    fn next(&mut self, machine: &Machine<'_>, policy: Policy, random: &mut Random) -> Option<ThreadId> {
        let count = machine.plan().graph.threads.len();
        let stays = match policy {
            Policy::Turns { quantum } => self.taken < quantum,
            Policy::Dice { again } => random.chance(again),
        };
        let ready = |thread: ThreadId| {
            machine.inside().is_none_or(|inside| inside == thread) && matches!(machine.status(thread), Status::Ready(_))
        };
        let wants = |thread: &ThreadId| ready(*thread) && !machine.dooms(*thread);
        let current = ThreadId(self.thread as u32);
        if stays && wants(&current) {
            self.taken += 1;
            return Some(current);
        }
        let offset = match policy {
            Policy::Turns { .. } => 1,
            Policy::Dice { .. } => random.below(count),
        };
        let others = || (0..count).map(|step| ThreadId(((self.thread + offset + step) % count) as u32));
        let next = others().find(wants).or_else(|| others().find(|thread| ready(*thread)))?;
        self.taken = 1;
        self.thread = next.index();
        Some(next)
    }
}
