//! Runs a program in the order that an execution of its graph says, and then on to its end.
//!
//! A thread is let go until it has done what the graph says that it does next. Steps are not counted: a loop that waits
//! may go round more often or less often in another order.

use std::rc::Rc;

use events::{Choice, Event, EventGraph, Execution, Kind, Step, ThreadId};
use ir::Primitive;
use semantics::code::Code;
use thiserror::Error;
use vm::sync::Sync;
use vm::world::Pending;
use vm::{Datum, Log, Machine, Options, Outcome, Readiness};

use crate::dual::Dual;
use crate::follow::{Followed, begin, step};
use crate::trace::Trace;

/// The program does not go the way of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Lost {
    #[error("step {step}: there is no thread {thread} yet")]
    NoThread { step: usize, thread: String },
    #[error("step {step}: thread {thread} cannot go on")]
    Blocked { step: usize, thread: String },
    #[error("step {step}: thread {thread} went another way")]
    OtherWay { step: usize, thread: String },
}

/// A run in a given order.
#[derive(Clone, Debug)]
pub struct Driven {
    pub execution: vm::Execution,
    /// Whether the order was followed to its end; otherwise the run ended before.
    pub followed: bool,
}

/// Runs the program in this order, an execution of the graph or of one that has it as its beginning, and then lets the
/// threads go on one after the other, those first that hold what others need.
pub fn drive(
    code: &Rc<Code>,
    options: &Options,
    followed: &Followed,
    graph: &EventGraph,
    execution: &Execution,
) -> Result<Driven, Lost> {
    let mut driver = Driver {
        followed,
        graph,
        machine: Machine::new(code, options),
        trace: begin(code, followed.sharing.clone(), followed.given.written.clone()),
        log: Log::default(),
        first: Vec::new(),
        last: execution.steps.last().map(|step| graph.events[step.event.index()].thread),
        put_off: None,
    };
    for (number, &step) in execution.steps.iter().enumerate() {
        if let Some(outcome) = driver.take(number, step)? {
            return Ok(driver.finish(outcome, false));
        }
    }
    if let Some(outcome) = driver.put_off.take() {
        return Ok(driver.finish(outcome, false));
    }
    if let Some((failing, _)) = followed.open_from {
        driver.first.extend(driver.machine.find(&graph.threads[failing.index()].name));
    }
    let outcome = driver.run_out();
    Ok(driver.finish(outcome, true))
}

struct Driver<'a> {
    followed: &'a Followed,
    graph: &'a EventGraph,
    machine: Machine<Dual>,
    trace: Trace,
    log: Log,
    /// Threads that go first when the order is over.
    first: Vec<usize>,
    /// The thread that the order ends with.
    last: Option<ThreadId>,
    /// How a thread failed that had done its step of the order: private steps are taken at once, and this one has time.
    put_off: Option<Outcome>,
}

impl Driver<'_> {
    fn finish(self, outcome: Outcome, followed: bool) -> Driven {
        Driven { execution: self.log.finish(self.machine, outcome), followed }
    }

    fn name(&self, thread: ThreadId) -> String {
        self.graph.threads[thread.index()].name.to_string()
    }

    fn is_finished(&self, thread: usize) -> bool {
        self.machine.shared.status[thread].finished
    }

    /// One step of the order.
    fn take(&mut self, number: usize, step: Step) -> Result<Option<Outcome>, Lost> {
        let event = &self.graph.events[step.event.index()];
        let id = event.thread;
        let lost_thread = || Lost::NoThread { step: number, thread: self.name(id) };
        let thread = self.machine.find(&self.graph.threads[id.index()].name).ok_or_else(lost_thread)?;
        let Some(origin) = self.followed.origins.get(step.event.index()) else {
            return self.let_go(number, thread, step);
        };
        // How long a loop that waits has slept is not told by the order.
        if origin.idle {
            return Ok(None);
        }
        match event.kind {
            Kind::Start => return Ok(None),
            Kind::Exit if !self.followed.ended[id.index()] => return Ok(None),
            Kind::Exit => {
                while !self.is_finished(thread) {
                    if let Some(outcome) = self.go(number, id, thread, Choice::Only)? {
                        return Ok(Some(outcome));
                    }
                }
                return Ok(None);
            }
            _ => {}
        }
        if self.followed.open_from.is_some_and(|(failing, from)| failing == id && origin.index >= from) {
            return self.take_open(number, thread, step);
        }
        while self.trace.threads.get(thread).is_none_or(|own| own.kept <= origin.index) {
            if self.is_finished(thread) {
                return Err(Lost::OtherWay { step: number, thread: self.name(id) });
            }
            let readiness = self.machine.readiness(thread);
            if readiness == Readiness::Blocked {
                let (child, readiness) =
                    self.unended(event).ok_or_else(|| Lost::Blocked { step: number, thread: self.name(id) })?;
                if let Some(outcome) = self.advance(child, readiness, Choice::Only) {
                    return Ok(Some(outcome));
                }
                continue;
            }
            let outcome = self.step(thread, readiness, step.choice);
            let has_done_it = self.trace.threads.get(thread).is_some_and(|own| own.kept > origin.index);
            if outcome.as_ref().is_some_and(Outcome::is_wrong) && has_done_it && self.last != Some(id) {
                self.log.stepped(&self.machine, thread, None);
                self.machine.abandon(thread);
                self.put_off = self.put_off.take().or(outcome);
                return Ok(None);
            }
            self.log.stepped(&self.machine, thread, outcome.as_ref());
            if let Some(outcome) = outcome {
                return Ok(Some(outcome));
            }
        }
        let gives_up = matches!(step.choice, Choice::TimedOut | Choice::Spurious);
        if matches!(event.kind, Kind::Sleep { .. }) && gives_up {
            return self.go(number, id, thread, Choice::Only);
        }
        Ok(None)
    }

    /// Whom an event joins whose path was cut off, and who has to come to its end first, if it can go on.
    fn unended(&self, event: &Event) -> Option<(usize, Readiness)> {
        let Kind::Join { child } = event.kind else { return None };
        let thread = self.machine.find(&self.graph.threads[child.index()].name)?;
        let readiness = self.machine.readiness(thread);
        (!self.followed.ended[child.index()] && readiness != Readiness::Blocked).then_some((thread, readiness))
    }

    /// Not of the path: a lock that a thread holds when its path ends. It is let go until it has released it.
    fn let_go(&mut self, number: usize, thread: usize, step: Step) -> Result<Option<Outcome>, Lost> {
        self.first.push(thread);
        let event = &self.graph.events[step.event.index()];
        let Kind::Unlock { mutex, .. } = event.kind else { return Ok(None) };
        let object = self.graph.terms.as_bits(mutex.object).unwrap_or(u128::MAX);
        let name = self.graph.objects.get(object as usize).map(|object| object.name.clone());
        let holds = |machine: &Machine<Dual>, trace: &Trace| {
            let at = trace.syncs.iter().find(|(_, id)| {
                trace.builder.graph().objects.get(id.index()).map(|object| &object.name) == name.as_ref()
            });
            let sync = at.and_then(|(&at, _)| machine.shared.syncs.get(at));
            matches!(sync, Some(Sync::Mutex(mutex)) if mutex.owner == Some(thread as u32))
        };
        while holds(&self.machine, &self.trace) {
            if let Some(outcome) = self.go(number, event.thread, thread, Choice::Only)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// From where the failure is decided on, the failing thread may have gone another way: it is let go until it has done
    /// the step where it then stood, or something else.
    fn take_open(&mut self, number: usize, thread: usize, step: Step) -> Result<Option<Outcome>, Lost> {
        let origin = &self.followed.origins[step.event.index()];
        let id = self.graph.events[step.event.index()].thread;
        let kept = |driver: &Self| driver.trace.threads.get(thread).map_or(0, |own| own.kept);
        let before = kept(self);
        // Up to there it does nothing that others see.
        while kept(self) == before && before <= origin.index && !self.is_finished(thread) {
            let stands_there = self.machine.site(thread).frames == origin.frames;
            if self.machine.readiness(thread) == Readiness::Blocked {
                return Ok(None);
            }
            if let Some(outcome) = self.go(number, id, thread, step.choice)? {
                return Ok(Some(outcome));
            }
            if stands_there {
                break;
            }
        }
        Ok(None)
    }

    /// One visible step of a thread.
    fn go(&mut self, number: usize, id: ThreadId, thread: usize, choice: Choice) -> Result<Option<Outcome>, Lost> {
        let readiness = self.machine.readiness(thread);
        if readiness == Readiness::Blocked {
            return Err(Lost::Blocked { step: number, thread: self.name(id) });
        }
        Ok(self.advance(thread, readiness, choice))
    }

    fn advance(&mut self, thread: usize, readiness: Readiness, choice: Choice) -> Option<Outcome> {
        let outcome = self.step(thread, readiness, choice);
        self.log.stepped(&self.machine, thread, outcome.as_ref());
        outcome
    }

    /// One visible step of a thread that is not yet in the log.
    fn step(&mut self, thread: usize, readiness: Readiness, choice: Choice) -> Option<Outcome> {
        let chosen = match readiness {
            Readiness::Ready { alternatives } if alternatives > 1 => Some(self.sleeper(thread, choice)),
            Readiness::Input { .. } => Some(self.input(thread)),
            _ => None,
        };
        if let Some(value) = chosen {
            self.log.chose(&self.machine, thread, value);
        }
        step(&mut self.machine, &mut self.trace, thread, chosen.unwrap_or(0))
    }

    /// Which of those who wait a signal wakes.
    fn sleeper(&self, thread: usize, choice: Choice) -> u64 {
        let Choice::Wakes(sleep) = choice else { return 0 };
        let Some(sleeper) = self.graph.events.get(sleep.index()) else { return 0 };
        let woken = self.machine.find(&self.graph.threads[sleeper.thread.index()].name);
        waiter(&self.machine, thread, woken)
    }

    /// What the environment chose at this step.
    fn input(&self, thread: usize) -> u64 {
        let (name, step) = (self.machine.name(thread), self.machine.thread(thread).steps);
        let chosen = self.followed.given.choices.iter().find(|choice| choice.thread == *name && choice.step == step);
        chosen.map_or(0, |choice| choice.value)
    }

    /// The order is over: whoever can go on does, for as long as it can.
    fn run_out(&mut self) -> Outcome {
        loop {
            let all = 0..self.machine.thread_count();
            let ready = |&thread: &usize| self.machine.readiness(thread) != Readiness::Blocked;
            let Some(thread) = self.first.iter().copied().chain(all).find(ready) else {
                return vm::at_end(&self.machine);
            };
            while self.machine.readiness(thread) != Readiness::Blocked {
                let readiness = self.machine.readiness(thread);
                if let Some(outcome) = self.advance(thread, readiness, Choice::Only) {
                    return outcome;
                }
                if self.machine.shared.yielded {
                    break;
                }
            }
            // A thread that yields lets others go first.
            self.first.retain(|&other| other != thread);
            if self.machine.shared.yielded
                && let Some(outcome) = self.others(thread)
            {
                return outcome;
            }
        }
    }

    /// Every other thread goes as far as it can, once.
    fn others(&mut self, yielding: usize) -> Option<Outcome> {
        for thread in (0..self.machine.thread_count()).filter(|&thread| thread != yielding) {
            while self.machine.readiness(thread) != Readiness::Blocked {
                let readiness = self.machine.readiness(thread);
                if let Some(outcome) = self.advance(thread, readiness, Choice::Only) {
                    return Some(outcome);
                }
                if self.machine.shared.yielded {
                    break;
                }
            }
        }
        None
    }
}

/// The number of a thread among those who wait for what another is about to signal.
pub fn waiter<V: Datum>(machine: &Machine<V>, signaller: usize, woken: Option<usize>) -> u64 {
    let Some(Pending::Primitive { primitive: Primitive::CondSignal | Primitive::FutexWake, args }) =
        &machine.shared.status[signaller].pending
    else {
        return 0;
    };
    match machine.shared.syncs.get(args[0]) {
        Some(Sync::Condition(waiters)) => {
            waiters.iter().position(|&waiter| Some(waiter as usize) == woken).unwrap_or(0) as u64
        }
        _ => 0,
    }
}
