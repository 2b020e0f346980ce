//! Runs the program in the order of an execution of the graph of a run, and then on to its end.
//!
//! The graph's threads may have been cut off by the failure: an event that waits for such a thread lets it continue. A
//! waiting loop may have more or fewer iterations in another order.

use std::rc::Rc;

use events::{Choice, EventGraph, EventId, Execution, Kind, Step, ThreadId};
use ir::Primitive;
use run::Divergence;
use semantics::code::Code;
use vm::sync::Sync;
use vm::world::Pending;
use vm::{Datum, Machine, Options, Outcome, Readiness};

use crate::bounded::follow::Followed;
use crate::bounded::perform::Performer;
use crate::bounded::shape::Shapes;
use crate::bounded::unroll::Cell;

/// A run in a given order.
#[derive(Clone, Debug)]
pub struct Driven {
    pub execution: vm::Execution,
    /// Whether the order was followed to its end; otherwise the run ended before.
    pub followed: bool,
}

/// How a run continues after the order.
pub struct Onward<'a> {
    followed: &'a Followed,
    /// By thread of the graph: whether its path leads to its end.
    pub ended: Vec<bool>,
    /// Threads that go first when the order is over.
    first: Vec<usize>,
    /// The thread that the order ends with.
    pub last: Option<ThreadId>,
    /// How a thread failed that had done its step of the order: private steps are taken at once, and this one has time.
    pub put_off: Option<Outcome>,
}

/// Runs the program in this order, an execution of the graph or of one that has it as its prefix. Then the threads
/// continue one after the other, first those that hold resources that others wait for.
pub fn drive(
    code: &Rc<Code>,
    options: &Options,
    followed: &Followed,
    graph: &EventGraph,
    execution: &Execution,
) -> Result<Driven, Divergence> {
    let shapes = Shapes::new(code);
    let own = followed.graph();
    let mut performer = Performer::new(code, &shapes, options, &followed.unrolled, execution, None);
    let noted = followed.unrolled.origins.iter().filter_map(|origin| {
        let function = origin.frames.first()?.function;
        Some((function, *origin.key.last()?))
    });
    performer.follower.observer.note(noted);
    performer.onward = Some(Onward {
        followed,
        ended: own.threads.iter().map(|thread| followed.observed.ended.contains(&thread.name)).collect(),
        first: Vec::new(),
        last: execution.steps.last().map(|step| graph.events[step.event.index()].thread),
        put_off: None,
    });
    for (number, &step) in execution.steps.iter().enumerate() {
        let outcome = match own.events.get(step.event.index()) {
            Some(_) if Some(step.event) == followed.failing => performer.go_past(step)?,
            Some(_) => performer.take(number, step)?,
            None => performer.let_go(graph, step)?,
        };
        if let Some(outcome) = outcome {
            return Ok(Driven { execution: performer.finish(outcome).execution, followed: false });
        }
    }
    if let Some(outcome) = performer.onward.as_mut().and_then(|onward| onward.put_off.take()) {
        return Ok(Driven { execution: performer.finish(outcome).execution, followed: false });
    }
    let mut first = performer.onward.as_mut().map_or(Vec::new(), |onward| std::mem::take(&mut onward.first));
    let failing = followed.failing.map(|event| own.events[event.index()].thread);
    first.extend(failing.and_then(|thread| performer.find(thread).ok()));
    let outcome = performer.run_out(first);
    Ok(Driven { execution: performer.finish(outcome).execution, followed: true })
}

impl Performer<'_> {
    /// Not of the path: a lock that a thread holds when its path ends. It is let go until it has released it.
    fn let_go(&mut self, graph: &EventGraph, step: Step) -> Result<Option<Outcome>, Divergence> {
        let event = &graph.events[step.event.index()];
        let thread = self.find(event.thread)?;
        let Some(onward) = &mut self.onward else { return Ok(None) };
        onward.first.push(thread);
        let Kind::Unlock { mutex, .. } = event.kind else { return Ok(None) };
        let object = graph.terms.as_bits(mutex.object).map(|object| events::ObjectId(object as u32));
        let offset = graph.terms.as_bits(mutex.offset);
        let cell = object.and_then(|object| onward.followed.unrolled.cells.get(&object).copied());
        let (Some(Cell::Sync(base)), Some(offset)) = (cell, offset) else { return Ok(None) };
        let at = base + offset as u64;
        let owner = |machine: &Machine| machine.shared.syncs.get(at).and_then(Sync::owner);
        while owner(&self.follower.machine) == Some(thread as u32) {
            if let Some(outcome) = self.go(event.thread, thread, Choice::Only)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// The failure does not happen in this order: the thread continues to its next observable operation.
    fn go_past(&mut self, step: Step) -> Result<Option<Outcome>, Divergence> {
        let Some(followed) = self.onward.as_ref().map(|onward| onward.followed) else { return Ok(None) };
        let id = followed.graph().events[step.event.index()].thread;
        let thread = self.find(id)?;
        let frames = followed.unrolled.frames(step.event);
        while !self.follower.is_finished(thread) && !self.follower.is_blocked(thread) {
            let stands_there = self.follower.machine.site(thread).frames == frames;
            let is_seen = self.is_seen(followed, thread);
            let outcome = self.go(id, thread, step.choice)?;
            if outcome.is_some() || stands_there || is_seen {
                return Ok(outcome);
            }
        }
        Ok(None)
    }

    /// Whether the next operation of a thread is of a kind that the graph represents.
    fn is_seen(&self, followed: &Followed, thread: usize) -> bool {
        let memory = &self.follower.machine.shared.memory;
        let cells = &followed.unrolled.cells;
        match &self.follower.machine.shared.status[thread].pending {
            Some(Pending::Memory { object, .. }) => {
                let base = memory.object(*object).base;
                cells.values().any(|cell| *cell == Cell::Memory(base))
            }
            Some(Pending::Primitive { primitive: Primitive::ThreadCreate | Primitive::ThreadJoin, .. }) => true,
            Some(Pending::Primitive { args, .. }) => memory.resolve(args[0]).is_some_and(|(id, _)| {
                let base = memory.object(id).base;
                cells.values().any(|cell| *cell == Cell::Sync(base))
            }),
            _ => false,
        }
    }

    /// The thread that an event joins, if its path was cut off and it can continue.
    pub fn unended_child(&self, event: EventId) -> Option<usize> {
        let onward = self.onward.as_ref()?;
        let Kind::Join { child } = onward.followed.graph().events[event.index()].kind else { return None };
        let thread = self.find(child).ok()?;
        (!onward.ended[child.index()] && !self.follower.is_blocked(thread)).then_some(thread)
    }

    /// The choice of the environment there in the run.
    pub fn chosen_before(&self, thread: usize) -> Option<u64> {
        let machine = &self.follower.machine;
        let (name, step) = (machine.name(thread), machine.thread(thread).steps);
        let choices = self.onward.as_ref().map_or(&[][..], |onward| &onward.followed.choices);
        let chosen = choices.iter().find(|choice| choice.thread == *name && choice.step == step);
        Some(chosen.map_or(0, |choice| choice.value))
    }

    /// The order is over: each thread runs as long as it can.
    fn run_out(&mut self, mut first: Vec<usize>) -> Outcome {
        loop {
            let all = 0..self.follower.machine.thread_count();
            let ready = |&thread: &usize| !self.follower.is_blocked(thread);
            let Some(thread) = first.iter().copied().chain(all).find(ready) else {
                return vm::at_end(&self.follower.machine);
            };
            if let Some(outcome) = self.run_as_far(thread) {
                return outcome;
            }
            // A thread that yields lets other threads run first.
            first.retain(|&other| other != thread);
            if self.follower.machine.shared.turn.yielded {
                for other in (0..self.follower.machine.thread_count()).filter(|&other| other != thread) {
                    if let Some(outcome) = self.run_as_far(other) {
                        return outcome;
                    }
                }
            }
        }
    }

    /// One thread runs as long as it can, or until it yields.
    fn run_as_far(&mut self, thread: usize) -> Option<Outcome> {
        while !self.follower.is_blocked(thread) {
            let chosen = match self.follower.machine.readiness(thread) {
                Readiness::Ready { alternatives } if alternatives > 1 => Some(0),
                Readiness::Input { .. } => self.chosen_before(thread),
                _ => None,
            };
            let outcome = self.follower.advance(thread, chosen);
            if outcome.is_some() || self.follower.machine.shared.turn.yielded {
                return outcome;
            }
        }
        None
    }
}

/// The sleeper that a signal wakes, by its number among the sleepers.
pub fn sleeper<V: Datum>(
    machine: &Machine<V>,
    graph: &EventGraph,
    signaller: usize,
    choice: Choice,
    find: impl Fn(ThreadId) -> Option<usize>,
) -> u64 {
    let Choice::Wakes(sleep) = choice else { return 0 };
    let woken = graph.events.get(sleep.index()).and_then(|sleep| find(sleep.thread));
    let Some(Pending::Primitive { primitive: Primitive::CondSignal | Primitive::FutexWake, args }) =
        &machine.shared.status[signaller].pending
    else {
        return 0;
    };
    let sleepers = machine.shared.syncs.get(args[0]).map_or(&[][..], |condition| &condition.sleepers);
    sleepers.iter().position(|&sleeper| Some(sleeper as usize) == woken).unwrap_or(0) as u64
}
