//! Maps the order of a run of the machine to an execution of the graph of its paths: each event happens in the graph
//! when the machine passes its place. No event is moved.

use std::rc::Rc;

use events::{Choice, EventId, Execution, Extent, Kind, Machine as GraphMachine, Plan, Reason, Status, Step, ThreadId};
use ir::Primitive;
use run::{Divergence, Happened, Item, Schedule, ThreadName};
use semantics::code::Code;
use semantics::concrete::Word;
use semantics::execute::Thread;
use vm::sync::Sync;
use vm::world::{Pending, Phase};
use vm::{Follower, Machine, Observer, Options, Outcome, replay_by};

use crate::bounded::place::{Key, Place, Places};
use crate::bounded::shape::Shapes;
use crate::bounded::unroll::Unrolled;
use crate::bounded::walk::Reason as CutReason;

/// The effects of a visible step of a thread of the machine, as far as places do not determine them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// The operation at its place.
    Does,
    /// It begins to wait; whether it will give up before anybody wakes it.
    FallsAsleep {
        gives_up: bool,
    },
    GivesUp,
    /// It wakes this one.
    Signals(ThreadName),
    /// No further operation: it is there when the run ends.
    Stands,
    /// It came to its end, or failed.
    Ends,
}

#[derive(Clone, Debug)]
pub struct Move {
    thread: ThreadName,
    key: Key,
    deed: Deed,
}

/// The execution of the graph with the order of the schedule.
pub fn map_schedule(
    code: &Rc<Code>,
    options: &Options,
    unrolled: &Unrolled,
    schedule: &Schedule,
) -> Result<Execution, Divergence> {
    let shapes = Shapes::new(code);
    let mover = Mover::new(Places::new(code, &shapes));
    let (Follower { machine, observer: mut mover, .. }, _) = replay_by(code, options, schedule, mover)?;
    let mut moves = std::mem::take(&mut mover.moves);
    mover.stand(&machine, &mut moves);
    place_moves(unrolled, &moves, false)
}

/// The execution of the graph with the order of a run of the machine.
///
/// `pins`: assumptions about the operands of an instruction hold before the instruction.
pub fn place_moves(unrolled: &Unrolled, moves: &[Move], pins: bool) -> Result<Execution, Divergence> {
    let refused = |reason: String| divergence(Item::End, &ThreadName::main(), Happened::Refused(reason));
    let plan = Plan::new(&unrolled.graph)
        .map_err(|errors| refused(errors.first().map(ToString::to_string).unwrap_or_default()))?;
    let inputs = events::zero_inputs(&unrolled.graph);
    let machine = GraphMachine::new(&plan, &inputs, Extent::Prefix).map_err(|reason| refused(reason.to_string()))?;
    let execution = Execution { steps: Vec::new(), inputs: inputs.clone() };
    let mut placer = Placer { unrolled, machine, execution, pins };
    for (number, done) in moves.iter().enumerate() {
        placer.take(number, done)?;
    }
    Ok(placer.execution)
}

fn divergence(expected: Item, thread: &ThreadName, happened: Happened) -> Divergence {
    Divergence { expected, thread: thread.clone(), happened }
}

/// Observes the actions of threads.
pub struct Mover<'a> {
    pub places: Places<'a>,
    pub moves: Vec<Move>,
}

impl<'a> Mover<'a> {
    pub fn new(places: Places<'a>) -> Mover<'a> {
        Mover { places, moves: Vec::new() }
    }

    /// The places of the threads that have not ended.
    pub fn stand(&mut self, machine: &Machine, moves: &mut Vec<Move>) {
        self.places.grow(machine);
        for thread in 0..machine.thread_count() {
            if !machine.shared.status[thread].finished {
                let (name, key) = (machine.name(thread).clone(), self.places.key(thread));
                moves.push(Move { thread: name, key, deed: Deed::Stands });
            }
        }
    }

    /// One visible step, with a look at the thread before each of its instructions.
    pub fn step_watched(
        &mut self,
        machine: &mut Machine,
        thread: usize,
        choice: u64,
        look: &mut dyn FnMut(&Place, &Thread<Word>),
    ) -> Option<Outcome> {
        self.places.grow(machine);
        let deed = deed(machine, thread, choice);
        let name = machine.name(thread).clone();
        if deed == Deed::GivesUp
            && let Some(last) = self
                .moves
                .iter_mut()
                .rev()
                .find(|done| done.thread == name && matches!(done.deed, Deed::FallsAsleep { .. }))
        {
            last.deed = Deed::FallsAsleep { gives_up: true };
        }
        self.moves.push(Move { thread: name.clone(), key: self.places.key(thread), deed });
        let outcome = self.places.step_watched(machine, thread, choice, look);
        // It has reached its next observable operation, and the places before that are done.
        let ends = machine.shared.status[thread].finished || outcome.as_ref().is_some_and(Outcome::is_wrong);
        let deed = if ends { Deed::Ends } else { Deed::Stands };
        self.moves.push(Move { thread: name, key: self.places.key(thread), deed });
        outcome
    }
}

impl Observer<Word> for Mover<'_> {
    fn step(&mut self, machine: &mut Machine, thread: usize, choice: u64) -> Option<Outcome> {
        self.step_watched(machine, thread, choice, &mut |_, _| {})
    }
}

fn deed(machine: &Machine, thread: usize, choice: u64) -> Deed {
    let status = &machine.shared.status[thread];
    let Some(Pending::Primitive { primitive, args }) = &status.pending else { return Deed::Does };
    match (primitive, &status.phase) {
        (Primitive::CondWait | Primitive::CondTimedWait | Primitive::MonitorWait, Phase::Whole) => {
            Deed::FallsAsleep { gives_up: false }
        }
        (Primitive::CondWait | Primitive::CondTimedWait | Primitive::MonitorWait, Phase::Sleeping) => Deed::GivesUp,
        (Primitive::CondSignal | Primitive::FutexWake, _) => match machine.shared.syncs.get(args[0]) {
            Some(Sync { sleepers, .. }) if !sleepers.is_empty() => {
                let woken = sleepers[(choice as usize).min(sleepers.len() - 1)];
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
    pins: bool,
}

impl Placer<'_> {
    /// All events of a thread up to its place, and its effects there.
    fn take(&mut self, number: usize, done: &Move) -> Result<(), Divergence> {
        let graph = &self.unrolled.graph;
        let Some(id) = graph.threads.iter().position(|thread| thread.name == done.thread) else {
            return Err(divergence(Item::End, &done.thread, Happened::NoThread));
        };
        let id = ThreadId(id as u32);
        while let Some(event) = self.machine.next(id) {
            if self.machine.ended().is_some() || !self.machine.failed().is_empty() {
                return Ok(());
            }
            // What has no origin is the end of its thread.
            let key = self.unrolled.origins.get(event.index()).map(|origin| &origin.whole_key);
            let kind = &graph.events[event.index()].kind;
            let is_assumed = self.pins && matches!(kind, Kind::Assume { .. });
            let is_due = match done.deed {
                Deed::Ends => true,
                Deed::Stands | Deed::GivesUp if !is_assumed => key.is_some_and(|key| *key < done.key),
                _ => key.is_some_and(|key| *key <= done.key),
            };
            if !is_due {
                return Ok(());
            }
            if let Kind::Cut = kind {
                return self.beyond(number, event);
            }
            // A waiting loop, or a barrier: it returns here.
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

    /// The thread takes a branch that the graph does not have. If only its record has ended, this is harmless.
    fn beyond(&self, number: usize, event: EventId) -> Result<(), Divergence> {
        let cut = self.unrolled.cuts.iter().find(|cut| cut.event == event && cut.reason != CutReason::Record);
        match cut {
            Some(cut) => Err(self.refused(number, event, format!("the graph is cut off there: {:?}", cut.reason))),
            None => Ok(()),
        }
    }

    fn impossible(&self, number: usize, step: Step, reason: &Reason) -> Divergence {
        let event = &self.unrolled.graph.events[step.event.index()];
        let place = event.place.as_ref().map(|place| format!("{}:{}", place.file, place.line));
        self.refused(number, step.event, format!("{:?} at {}: {reason}", event.kind, place.unwrap_or_default()))
    }

    fn refused(&self, number: usize, event: EventId, reason: String) -> Divergence {
        let graph = &self.unrolled.graph;
        let thread = &graph.threads[graph.events[event.index()].thread.index()].name;
        divergence(Item::Event { number, event: event.0 }, thread, Happened::Refused(reason))
    }
}
