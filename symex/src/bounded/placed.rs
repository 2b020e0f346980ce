//! The order of a run of the machine as an execution of the graph of its paths: whatever a thread does at some place, it
//! does in the graph when it does it in the machine. Nothing is moved so that it fits.

use std::rc::Rc;

use events::{Choice, EventId, Execution, Extent, Kind, Machine as GraphMachine, Plan, Reason, Status, Step, ThreadId};
use ir::Primitive;
use run::{Schedule, ThreadName};
use semantics::code::Code;
use semantics::execute;
use thiserror::Error;
use vm::sync::Sync;
use vm::world::{Pending, Phase};
use vm::{Machine, Misfit, Options, Outcome, replay_by};

use crate::bounded::place::{Key, Place};
use crate::bounded::shape::Shapes;
use crate::bounded::unroll::Unrolled;
use crate::bounded::walk::Reason as CutReason;

/// The run is no execution of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Misplaced {
    #[error("the schedule is not of this program: {0}")]
    Misfit(#[from] Misfit),
    #[error("the graph is ill-formed: {0}")]
    IllFormed(String),
    #[error("move {number}: the graph has no thread {thread}")]
    NoThread { number: usize, thread: String },
    #[error("move {number}: thread {thread} goes where the graph does not: {reason:?}")]
    NotFollowed { number: usize, thread: String, reason: CutReason },
    #[error("move {number}: thread {thread} comes to event {event} ({kind}) at {place}, and {reason}")]
    Impossible { number: usize, thread: String, event: u32, kind: String, place: String, reason: String },
}

/// What a thread of the machine did in one of its visible steps, as far as places do not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Deed {
    /// What stands at its place.
    Does,
    /// It begins to wait; whether it will give up before anybody wakes it.
    FallsAsleep {
        gives_up: bool,
    },
    GivesUp,
    /// It wakes this one.
    Signals(ThreadName),
    /// Nothing any more: it stands there when the run ends.
    Stands,
    /// It came to its end, or failed.
    Ends,
}

struct Move {
    thread: ThreadName,
    key: Key,
    deed: Deed,
}

/// The execution of the graph whose order is that of the schedule.
pub fn placed(
    code: &Rc<Code>,
    options: &Options,
    unrolled: &Unrolled,
    schedule: &Schedule,
) -> Result<Execution, Misplaced> {
    let moves = moves(code, options, schedule)?;
    let plan = Plan::new(&unrolled.graph)
        .map_err(|errors| Misplaced::IllFormed(errors.first().map(ToString::to_string).unwrap_or_default()))?;
    let inputs = events::zero_inputs(&unrolled.graph);
    let machine =
        GraphMachine::new(&plan, &inputs, Extent::Prefix).map_err(|reason| Misplaced::IllFormed(reason.to_string()))?;
    let execution = Execution { steps: Vec::new(), inputs: inputs.clone() };
    let mut placer = Placer { unrolled, machine, execution };
    for (number, done) in moves.iter().enumerate() {
        placer.take(number, done)?;
    }
    Ok(placer.execution)
}

/// What the machine does under the schedule, with places.
fn moves(code: &Rc<Code>, options: &Options, schedule: &Schedule) -> Result<Vec<Move>, Misfit> {
    let shapes = Shapes::new(code);
    let mut machine: Machine = Machine::new(code, options);
    let mut places = vec![Place::of(code, &shapes, machine.thread(0))];
    let mut moves: Vec<Move> = Vec::new();
    let mut step = |machine: &mut Machine, thread: usize, choice: u64| {
        let deed = deed(machine, thread, choice);
        let name = machine.name(thread).clone();
        if deed == Deed::GivesUp
            && let Some(last) =
                moves.iter_mut().rev().find(|done| done.thread == name && matches!(done.deed, Deed::FallsAsleep { .. }))
        {
            last.deed = Deed::FallsAsleep { gives_up: true };
        }
        moves.push(Move { thread: name, key: places[thread].key(code, &shapes), deed });
        let place = &mut places[thread];
        let outcome = machine.step_by(thread, choice, |code, state, shared, limit| {
            loop {
                let before = state.steps;
                let done = execute::run(code, state, shared, (before + 1).min(limit));
                if state.steps > before {
                    place.follow(code, &shapes, state);
                }
                done?;
                if state.frames.is_empty() || state.steps >= limit {
                    return Ok(());
                }
            }
        });
        for born in places.len()..machine.thread_count() {
            places.push(Place::of(code, &shapes, machine.thread(born)));
        }
        // It has gone on to what others can see next, and what it passed by is done.
        let ends = machine.shared.status[thread].finished || outcome.as_ref().is_some_and(Outcome::is_wrong);
        let key = places[thread].key(code, &shapes);
        let deed = if ends { Deed::Ends } else { Deed::Stands };
        moves.push(Move { thread: machine.name(thread).clone(), key, deed });
        outcome
    };
    replay_by(&mut machine, schedule, &mut step)?;
    for (thread, place) in places.iter().enumerate() {
        if !machine.shared.status[thread].finished {
            let key = place.key(code, &shapes);
            moves.push(Move { thread: machine.name(thread).clone(), key, deed: Deed::Stands });
        }
    }
    Ok(moves)
}

fn deed(machine: &Machine, thread: usize, choice: u64) -> Deed {
    let status = &machine.shared.status[thread];
    let Some(Pending::Primitive { primitive, args }) = &status.pending else { return Deed::Does };
    match (primitive, &status.phase) {
        (Primitive::CondWait | Primitive::CondTimedWait, Phase::Whole) => Deed::FallsAsleep { gives_up: false },
        (Primitive::CondWait | Primitive::CondTimedWait, Phase::Sleeping) => Deed::GivesUp,
        (Primitive::CondSignal | Primitive::FutexWake, _) => match machine.shared.syncs.get(args[0]) {
            Some(Sync::Condition(waiters)) if !waiters.is_empty() => {
                let woken = waiters[(choice as usize).min(waiters.len() - 1)];
                Deed::Signals(machine.name(woken as usize).clone())
            }
            _ => Deed::Does,
        },
        _ => Deed::Does,
    }
}

struct Placer<'a> {
    unrolled: &'a Unrolled,
    machine: GraphMachine<'a>,
    execution: Execution,
}

impl Placer<'_> {
    /// All events of a thread up to where it stood, and what it did there.
    fn take(&mut self, number: usize, done: &Move) -> Result<(), Misplaced> {
        let graph = &self.unrolled.graph;
        let Some(id) = graph.threads.iter().position(|thread| thread.name == done.thread) else {
            return Err(Misplaced::NoThread { number, thread: done.thread.to_string() });
        };
        let id = ThreadId(id as u32);
        while let Some(event) = self.machine.next(id) {
            if self.machine.ended().is_some() || !self.machine.failed().is_empty() {
                return Ok(());
            }
            // What has no origin is the end of its thread.
            let key = self.unrolled.origins.get(event.index()).map(|origin| &origin.whole_key);
            let is_due = match done.deed {
                Deed::Ends => true,
                Deed::Stands | Deed::GivesUp => key.is_some_and(|key| *key < done.key),
                _ => key.is_some_and(|key| *key <= done.key),
            };
            let kind = &graph.events[event.index()].kind;
            if !is_due {
                return Ok(());
            }
            if let Kind::Cut = kind {
                return self.beyond(number, event);
            }
            // A loop that waits, or a barrier: it comes back here.
            let may_wait = matches!(kind, Kind::Access(_) | Kind::Await { .. });
            if may_wait && !matches!(self.machine.status(id), Status::Ready(_)) {
                return Ok(());
            }
            let choices = self.machine.choices(event);
            let choice = match (&done.deed, kind) {
                (Deed::FallsAsleep { gives_up: true }, Kind::Sleep { .. }) => choices.last().copied(),
                (Deed::Signals(woken), Kind::Signal { .. }) => choices.iter().copied().find(|choice| {
                    let Choice::Wakes(sleep) = choice else { return false };
                    let sleeper = graph.events[sleep.index()].thread;
                    graph.threads[sleeper.index()].name == *woken
                }),
                _ => choices.first().copied(),
            };
            let choice = choice.unwrap_or(Choice::Only);
            let step = Step { event, choice };
            self.machine.step(step).map_err(|reason| self.impossible(number, step, &reason))?;
            self.execution.steps.push(step);
            // With the section in which it did.
            let fell_asleep = matches!(kind, Kind::Sleep { .. });
            let ends = |event: EventId| matches!(graph.events[event.index()].kind, Kind::AtomicEnd);
            if fell_asleep && matches!(done.deed, Deed::FallsAsleep { .. }) {
                if let Some(event) = self.machine.next(id).filter(|&event| ends(event)) {
                    let step = Step { event, choice: Choice::Only };
                    self.machine.step(step).map_err(|reason| self.impossible(number, step, &reason))?;
                    self.execution.steps.push(step);
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// The thread goes where the graph does not follow it. Where only its record has ended, nobody needs to know.
    fn beyond(&self, number: usize, event: EventId) -> Result<(), Misplaced> {
        let cut = self.unrolled.cuts.iter().find(|cut| cut.event == event && cut.reason != CutReason::Record);
        let Some(cut) = cut else { return Ok(()) };
        let thread = self.unrolled.graph.events[event.index()].thread;
        let thread = self.unrolled.graph.threads[thread.index()].name.to_string();
        Err(Misplaced::NotFollowed { number, thread, reason: cut.reason.clone() })
    }

    fn impossible(&self, number: usize, step: Step, reason: &Reason) -> Misplaced {
        let graph = &self.unrolled.graph;
        let event = &graph.events[step.event.index()];
        let place = event.place.as_ref().map(|place| format!("{}:{}", place.file, place.line));
        Misplaced::Impossible {
            number,
            thread: graph.threads[event.thread.index()].name.to_string(),
            event: step.event.0,
            kind: format!("{:?}", event.kind),
            place: place.unwrap_or_default(),
            reason: reason.to_string(),
        }
    }
}
