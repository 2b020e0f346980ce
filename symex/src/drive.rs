//! Runs a program in the order that an execution of its graph says, and then on to its end.
//!
//! A thread is let go until it has done what the graph says that it does next. Steps are not counted: a loop that waits
//! may go round more often or less often in another order.

use std::rc::Rc;

use events::{Choice, Event, EventGraph, Execution, Kind, Step, ThreadId};
use run::{Divergence, Item};
use semantics::code::Code;
use vm::sync::Sync;
use vm::{Follower, Machine, Options, Outcome, Readiness};

use crate::bounded::drive::sleeper;
use crate::dual::Dual;
use crate::follow::{Followed, begin};
use crate::trace::Trace;

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
) -> Result<Driven, Divergence> {
    let trace = begin(code, followed.sharing.clone(), followed.given.written.clone());
    let mut driver = Driver {
        followed,
        graph,
        follower: Follower::new(Machine::new(code, options), trace),
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
        driver.first.extend(driver.follower.machine.find(&graph.threads[failing.index()].name));
    }
    let outcome = driver.run_out();
    Ok(driver.finish(outcome, true))
}

struct Driver<'a> {
    followed: &'a Followed,
    graph: &'a EventGraph,
    follower: Follower<Dual, Trace>,
    /// Threads that go first when the order is over.
    first: Vec<usize>,
    /// The thread that the order ends with.
    last: Option<ThreadId>,
    /// How a thread failed that had done its step of the order: private steps are taken at once, and this one has time.
    put_off: Option<Outcome>,
}

impl Driver<'_> {
    fn finish(self, outcome: Outcome, followed: bool) -> Driven {
        Driven { execution: self.follower.finish(outcome), followed }
    }

    /// How many events of a thread were kept.
    fn kept(&self, thread: usize) -> usize {
        self.follower.observer.threads.get(thread).map_or(0, |own| own.kept)
    }

    /// One step of the order.
    fn take(&mut self, number: usize, step: Step) -> Result<Option<Outcome>, Divergence> {
        let event = &self.graph.events[step.event.index()];
        let id = event.thread;
        self.follower.item = Item::Event { number, event: step.event.0 };
        let thread = self.follower.find(&self.graph.threads[id.index()].name)?;
        let Some(origin) = self.followed.origins.get(step.event.index()) else {
            return self.let_go(thread, step);
        };
        // How long a loop that waits has slept is not told by the order.
        if origin.idle {
            return Ok(None);
        }
        match event.kind {
            Kind::Start => return Ok(None),
            Kind::Exit if !self.followed.ended[id.index()] => return Ok(None),
            Kind::Exit => {
                while !self.follower.is_finished(thread) {
                    if let Some(outcome) = self.go(thread, Choice::Only)? {
                        return Ok(Some(outcome));
                    }
                }
                return Ok(None);
            }
            _ => {}
        }
        if self.followed.open_from.is_some_and(|(failing, from)| failing == id && origin.index >= from) {
            return self.take_open(thread, step);
        }
        while self.kept(thread) <= origin.index {
            if self.follower.is_finished(thread) {
                return Err(self.follower.went_another_way(thread));
            }
            if self.follower.is_blocked(thread) {
                let child = self.unended(event).ok_or_else(|| self.follower.blocked(thread))?;
                if let Some(outcome) = self.go(child, Choice::Only)? {
                    return Ok(Some(outcome));
                }
                continue;
            }
            let outcome = self.follower.step(thread, self.chosen(thread, step.choice));
            let has_done_it = self.kept(thread) > origin.index;
            if outcome.as_ref().is_some_and(Outcome::is_wrong) && has_done_it && self.last != Some(id) {
                self.follower.put_off(thread);
                self.put_off = self.put_off.take().or(outcome);
                return Ok(None);
            }
            self.follower.note(thread, outcome.as_ref());
            if let Some(outcome) = outcome {
                return Ok(Some(outcome));
            }
        }
        let gives_up = matches!(step.choice, Choice::TimedOut | Choice::Spurious);
        if matches!(event.kind, Kind::Sleep { .. }) && gives_up {
            return self.go(thread, Choice::Only);
        }
        Ok(None)
    }

    /// The thread that an event joins, if its path was cut off and it can go on to its end.
    fn unended(&self, event: &Event) -> Option<usize> {
        let Kind::Join { child } = event.kind else { return None };
        let thread = self.follower.machine.find(&self.graph.threads[child.index()].name)?;
        (!self.followed.ended[child.index()] && !self.follower.is_blocked(thread)).then_some(thread)
    }

    /// Not of the path: a lock that a thread holds when its path ends. It is let go until it has released it.
    fn let_go(&mut self, thread: usize, step: Step) -> Result<Option<Outcome>, Divergence> {
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
        while holds(&self.follower.machine, &self.follower.observer) {
            if let Some(outcome) = self.go(thread, Choice::Only)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// From where the failure is decided on, the failing thread may have gone another way: it is let go until it has done
    /// the step where it then stood, or something else.
    fn take_open(&mut self, thread: usize, step: Step) -> Result<Option<Outcome>, Divergence> {
        let origin = &self.followed.origins[step.event.index()];
        let before = self.kept(thread);
        // Up to there it does nothing that others see.
        while self.kept(thread) == before && before <= origin.index && !self.follower.is_finished(thread) {
            let stands_there = self.follower.machine.site(thread).frames == origin.frames;
            if self.follower.is_blocked(thread) {
                return Ok(None);
            }
            if let Some(outcome) = self.go(thread, step.choice)? {
                return Ok(Some(outcome));
            }
            if stands_there {
                break;
            }
        }
        Ok(None)
    }

    /// One visible step of a thread.
    fn go(&mut self, thread: usize, choice: Choice) -> Result<Option<Outcome>, Divergence> {
        self.follower.go(thread, self.chosen(thread, choice))
    }

    /// What the environment chooses for the next step of a thread.
    fn chosen(&self, thread: usize, choice: Choice) -> Option<u64> {
        let machine = &self.follower.machine;
        match machine.readiness(thread) {
            Readiness::Ready { alternatives } if alternatives > 1 => {
                let woken = |id: ThreadId| machine.find(&self.graph.threads[id.index()].name);
                Some(sleeper(machine, self.graph, thread, choice, woken))
            }
            Readiness::Input { .. } => {
                let (name, step) = (machine.name(thread), machine.thread(thread).steps);
                let mut choices = self.followed.given.choices.iter();
                let chosen = choices.find(|choice| choice.thread == *name && choice.step == step);
                Some(chosen.map_or(0, |choice| choice.value))
            }
            _ => None,
        }
    }

    /// The order is over: each thread that can go on does, for as long as it can.
    fn run_out(&mut self) -> Outcome {
        loop {
            let all = 0..self.follower.machine.thread_count();
            let ready = |&thread: &usize| !self.follower.is_blocked(thread);
            let Some(thread) = self.first.iter().copied().chain(all).find(ready) else {
                return vm::at_end(&self.follower.machine);
            };
            if let Some(outcome) = self.run_on(thread) {
                return outcome;
            }
            // A thread that yields lets others go first.
            self.first.retain(|&other| other != thread);
            if self.follower.machine.shared.yielded {
                for other in (0..self.follower.machine.thread_count()).filter(|&other| other != thread) {
                    if let Some(outcome) = self.run_on(other) {
                        return outcome;
                    }
                }
            }
        }
    }

    /// One thread goes as far as it can, or until it yields.
    fn run_on(&mut self, thread: usize) -> Option<Outcome> {
        while !self.follower.is_blocked(thread) {
            let outcome = self.follower.advance(thread, self.chosen(thread, Choice::Only));
            if outcome.is_some() || self.follower.machine.shared.yielded {
                return outcome;
            }
        }
        None
    }
}
