//! Runs the program in the order that an execution of its graph says.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use events::{Choice, EventId, Execution, Kind, Outcome as GraphOutcome, Step, ThreadId};
use formula::Value as InputValue;
use semantics::code::Code;
use semantics::execute;
use thiserror::Error;
use vm::world::{Pending, Phase};
use vm::{Log, Machine, Options, Outcome, Readiness};

use crate::bounded::clashes::Meeting;
use crate::bounded::place::{Key, Place};
use crate::bounded::shape::Shapes;
use crate::bounded::unroll::Unrolled;
use crate::bounded::walk::Role;
use crate::drive::waiter;

/// The program does not go the way of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Astray {
    #[error("step {step}: the thread was not created")]
    NoThread { step: usize },
    #[error("step {step}: thread {thread} cannot go on")]
    Blocked { step: usize, thread: String },
    #[error("step {step}: thread {thread} does not come to the place of the event")]
    Passed { step: usize, thread: String },
    #[error("step {step}: thread {thread} ended")]
    Ended { step: usize, thread: String },
    #[error("the program went as the graph says and did not fail")]
    NoFailure,
}

/// A run in the order of an execution.
#[derive(Debug)]
pub struct Performed {
    pub execution: vm::Execution,
    /// By event, the step of its thread's that it was, for events that the machine takes steps for.
    pub steps: HashMap<EventId, (run::ThreadName, u64)>,
    /// What the machine calls the graph's threads, as far as they were created.
    pub threads: HashMap<ThreadId, run::ThreadName>,
}

/// Runs the program in the order of a failing execution of its graph, until it fails.
pub fn perform(
    code: &Rc<Code>,
    options: &Options,
    unrolled: &Unrolled,
    execution: &Execution,
    outcome: &GraphOutcome,
) -> Result<Performed, Astray> {
    let shapes = Shapes::new(code);
    let thread = |event: EventId| unrolled.graph.events[event.index()].thread;
    let failing = outcome.failed.first().map(|&event| thread(event));
    let mut steps = execution.steps.clone();
    loop {
        let shortened = Execution { steps, inputs: execution.inputs.clone() };
        let performed =
            Performer::new(code, &shapes, options, unrolled, &shortened, failing).run(&shortened, outcome)?;
        // The machine goes on from a read to the assumption that it excludes, where the graph's thread still stood between
        // the two: it is left where it was before.
        let excluded = match &performed.execution.outcome {
            Outcome::Excluded { site } => performed.threads.iter().find(|(_, name)| **name == site.thread),
            _ => None,
        };
        let Some((&excluded, _)) = excluded.filter(|(id, _)| failing.is_some_and(|failing| failing != **id)) else {
            return Ok(performed);
        };
        let taken = |step: &Step| thread(step.event) == excluded && performed.steps.contains_key(&step.event);
        let Some(last) = shortened.steps.iter().rposition(taken) else { return Ok(performed) };
        steps = shortened.steps;
        let mut number = 0;
        steps.retain(|step| {
            number += 1;
            number <= last || thread(step.event) != excluded
        });
    }
}

/// A run in the order of an execution, with two accesses that meet there.
#[derive(Debug)]
pub struct Encounter {
    pub performed: Performed,
    /// Whether it came to the second of them; otherwise something failed before.
    pub met: bool,
}

/// Runs the program in the order of an execution, and then lets both accesses happen that meet there, in the order in which
/// the machine sees no other race before, if there is one.
pub fn perform_race(
    code: &Rc<Code>,
    options: &Options,
    unrolled: &Unrolled,
    execution: &Execution,
    meeting: &Meeting,
) -> Result<Encounter, Astray> {
    let shapes = Shapes::new(code);
    let perform =
        |meeting: &Meeting| Performer::new(code, &shapes, options, unrolled, execution, None).race(execution, meeting);
    let encounter = perform(meeting)?;
    if encounter.met || meeting.ordered {
        return Ok(encounter);
    }
    perform(&Meeting { first: meeting.second, second: meeting.first, ..*meeting })
}

impl<'a> Performer<'a> {
    fn new(
        code: &'a Rc<Code>,
        shapes: &'a Shapes,
        options: &Options,
        unrolled: &'a Unrolled,
        execution: &Execution,
        failing: Option<ThreadId>,
    ) -> Performer<'a> {
        let machine: Machine = Machine::new(code, options);
        let place = Place::of(code, shapes, machine.thread(0));
        let inputs = unrolled.inputs.iter().map(|chosen| {
            let position = unrolled.graph.inputs.iter().position(|&input| input == chosen.symbol);
            let value = position.and_then(|position| execution.inputs.get(position));
            let value = match value {
                Some(InputValue::Bits { value, .. }) => *value as u64,
                _ => 0,
            };
            ((chosen.thread, chosen.key.clone()), value)
        });
        Performer {
            code,
            shapes,
            unrolled,
            inputs: inputs.collect(),
            machine,
            places: vec![place],
            names: HashMap::from([(ThreadId(0), 0)]),
            log: Log::default(),
            steps: HashMap::new(),
            failing,
            born: HashMap::new(),
            inside: None,
        }
    }
}

struct Performer<'a> {
    code: &'a Rc<Code>,
    shapes: &'a Shapes,
    unrolled: &'a Unrolled,
    inputs: HashMap<(ThreadId, Key), u64>,
    machine: Machine,
    /// By the machine's number.
    places: Vec<Place>,
    /// The machine's numbers of the graph's threads.
    names: HashMap<ThreadId, usize>,
    log: Log,
    steps: HashMap<EventId, (run::ThreadName, u64)>,
    /// The thread whose failure is the one to be shown.
    failing: Option<ThreadId>,
    /// By the machine's numbers: whom a thread has created whose forks are still to come.
    born: HashMap<usize, VecDeque<usize>>,
    /// The thread that is inside an atomic section, of which the machine takes as much as it can in one step.
    inside: Option<ThreadId>,
}

impl Performer<'_> {
    fn finish(self, outcome: Outcome) -> Performed {
        let name = |(&id, &thread): (&ThreadId, &usize)| (id, self.machine.name(thread).clone());
        let threads = self.names.iter().map(name).collect();
        Performed { execution: self.log.finish(self.machine, outcome), steps: self.steps, threads }
    }

    fn name(&self, thread: usize) -> String {
        self.machine.name(thread).to_string()
    }

    fn run(mut self, execution: &Execution, outcome: &GraphOutcome) -> Result<Performed, Astray> {
        for (number, step) in execution.steps.iter().enumerate() {
            if let Some(outcome) = self.take(number, step.event, step.choice)? {
                return Ok(self.finish(outcome));
            }
        }
        let number = execution.steps.len();
        if let Some(id) = self.failing {
            // Whatever is left of the failing thread is its own business, up to the failure.
            let thread = self.names.get(&id).copied().ok_or(Astray::NoThread { step: number })?;
            for _ in 0..LONGEST_END {
                if self.machine.readiness(thread) == Readiness::Blocked {
                    break;
                }
                if let Some(outcome) = self.go(id, thread, Choice::Only) {
                    return Ok(self.finish(outcome));
                }
            }
            return Err(Astray::NoFailure);
        }
        for stuck in &outcome.stuck {
            if let Some(outcome) = self.get_stuck(number, stuck.thread)? {
                return Ok(self.finish(outcome));
            }
        }
        let threads: Vec<usize> = self.names.values().copied().collect();
        for thread in threads {
            let circle = self.machine.stuck(vm::Scope::CircleOf(thread));
            if let (Some(outcome), false) = (circle, self.machine.shared.status[thread].finished) {
                return Ok(self.finish(outcome));
            }
        }
        let idle = (0..self.machine.thread_count()).all(|thread| self.machine.readiness(thread) == Readiness::Blocked);
        let outcome = if idle { vm::at_end(&self.machine) } else { return Err(Astray::NoFailure) };
        Ok(self.finish(outcome))
    }

    fn race(mut self, execution: &Execution, meeting: &Meeting) -> Result<Encounter, Astray> {
        for (number, step) in execution.steps.iter().enumerate() {
            if let Some(outcome) = self.take(number, step.event, step.choice)? {
                return Ok(Encounter { performed: self.finish(outcome), met: false });
            }
        }
        let number = execution.steps.len();
        if let Some(outcome) = self.come_to(number, meeting.first, Choice::Only)? {
            return Ok(Encounter { performed: self.finish(outcome), met: false });
        }
        // The first may be inside of a section that nobody interrupts.
        let threads = [meeting.first, meeting.second].map(|event| self.unrolled.graph.events[event.index()].thread);
        let named = threads.map(|id| self.names.get(&id).copied());
        let [Some(first), Some(second)] = named else { return Err(Astray::NoThread { step: number }) };
        while self.machine.shared.status[first].atomic_depth > 0 {
            if self.machine.readiness(first) == Readiness::Blocked {
                return Err(Astray::Blocked { step: number, thread: self.name(second) });
            }
            if let Some(outcome) = self.go(threads[0], first, Choice::Only) {
                return Ok(Encounter { performed: self.finish(outcome), met: false });
            }
        }
        match self.come_to(number + 1, meeting.second, Choice::Only)? {
            Some(outcome) => Ok(Encounter { performed: self.finish(outcome), met: true }),
            None => Err(Astray::NoFailure),
        }
    }

    /// Lets a thread go to where it waits for good.
    fn get_stuck(&mut self, number: usize, id: ThreadId) -> Result<Option<Outcome>, Astray> {
        let thread = self.names.get(&id).copied().ok_or(Astray::NoThread { step: number })?;
        for _ in 0..LONGEST_END {
            if self.machine.readiness(thread) == Readiness::Blocked {
                return Ok(None);
            }
            if let Some(outcome) = self.go(id, thread, Choice::Only) {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    fn take(&mut self, number: usize, event: EventId, choice: Choice) -> Result<Option<Outcome>, Astray> {
        let info = &self.unrolled.graph.events[event.index()];
        let id = info.thread;
        let Some(&thread) = self.names.get(&id) else { return Err(Astray::NoThread { step: number }) };
        let role = self.unrolled.origins.get(event.index()).map(|origin| origin.role);
        if matches!(info.kind, Kind::Exit) || role == Some(Role::Last) {
            while !self.machine.shared.status[thread].finished && !self.machine.shared.status[thread].crashed {
                if self.machine.readiness(thread) == Readiness::Blocked {
                    return Err(Astray::Blocked { step: number, thread: self.name(thread) });
                }
                if let Some(outcome) = self.go(id, thread, Choice::Only) {
                    return Ok(Some(outcome));
                }
            }
            return Ok(None);
        }
        match info.kind {
            Kind::AtomicBegin => self.inside = Some(id),
            Kind::AtomicEnd => return self.leave_section(number, id, thread),
            _ => {}
        }
        let Some(origin) = self.unrolled.origins.get(event.index()) else { return Ok(None) };
        if origin.role == Role::Part || matches!(info.kind, Kind::Start) {
            return Ok(None);
        }
        self.come_to(number, event, choice)
    }

    /// The machine stops inside a section only where the environment chooses.
    fn leave_section(&mut self, number: usize, id: ThreadId, thread: usize) -> Result<Option<Outcome>, Astray> {
        self.inside = None;
        while self.machine.shared.inside == Some(thread) {
            if self.machine.readiness(thread) == Readiness::Blocked {
                return Err(Astray::Blocked { step: number, thread: self.name(thread) });
            }
            if let Some(outcome) = self.go(id, thread, Choice::Only) {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// The machine's thread of a fork that has happened.
    fn name_child(&mut self, event: EventId, thread: usize) {
        let Kind::Fork { child } = self.unrolled.graph.events[event.index()].kind else { return };
        if let Some(born) = self.born.get_mut(&thread).and_then(VecDeque::pop_front) {
            self.names.insert(child, born);
        }
    }

    /// Lets a thread go up to the place of an event, and take the step there.
    fn come_to(&mut self, number: usize, event: EventId, choice: Choice) -> Result<Option<Outcome>, Astray> {
        let info = &self.unrolled.graph.events[event.index()];
        let id = info.thread;
        let Some(&thread) = self.names.get(&id) else { return Err(Astray::NoThread { step: number }) };
        let Some(origin) = self.unrolled.origins.get(event.index()) else { return Ok(None) };
        let key = origin.key.clone();
        let is_inside = self.inside == Some(id);
        for _ in 0..LONGEST_WAY {
            if self.machine.shared.status[thread].finished && is_inside {
                self.name_child(event, thread);
                return Ok(None);
            }
            if self.machine.shared.status[thread].finished {
                return Err(Astray::Ended { step: number, thread: self.name(thread) });
            }
            let at = self.places[thread].key(self.code, self.shapes);
            let is_there = at == key && self.stands_before(thread);
            // What nobody else could see yet was no step of its own, nor was a lock that is no one else's.
            let may_be_private =
                matches!(info.kind, Kind::Access(_) | Kind::Lock { .. } | Kind::TryLock { .. } | Kind::Unlock { .. });
            if at > key && (may_be_private || is_inside) {
                self.name_child(event, thread);
                return Ok(None);
            }
            if at > key {
                return Err(Astray::Passed { step: number, thread: self.name(thread) });
            }
            if self.machine.readiness(thread) == Readiness::Blocked {
                return Err(Astray::Blocked { step: number, thread: self.name(thread) });
            }
            if is_there {
                let name = self.machine.name(thread).clone();
                self.steps.insert(event, (name, self.machine.thread(thread).steps + 1));
                let outcome = self.go(id, thread, choice);
                self.name_child(event, thread);
                if outcome.is_some() {
                    return Ok(outcome);
                }
                return self.end_wait(number, event, thread, choice);
            }
            if let Some(outcome) = self.go(id, thread, choice) {
                return Ok(Some(outcome));
            }
        }
        Err(Astray::Passed { step: number, thread: self.name(thread) })
    }

    /// The machine gives up a wait in a step of its own. A sleep that gives up at once takes it now, so that no signal
    /// finds the sleeper. A wake that nobody signalled takes it before the mutex.
    fn end_wait(
        &mut self,
        number: usize,
        event: EventId,
        thread: usize,
        choice: Choice,
    ) -> Result<Option<Outcome>, Astray> {
        let info = &self.unrolled.graph.events[event.index()];
        let is_left = |phase: Phase| match info.kind {
            Kind::Sleep { .. } => choice == Choice::Only || phase != Phase::Sleeping,
            Kind::Wake { .. } => !matches!(phase, Phase::Sleeping | Phase::Woken(_)),
            _ => true,
        };
        while !is_left(self.machine.shared.status[thread].phase) {
            if self.machine.readiness(thread) == Readiness::Blocked {
                return Err(Astray::Blocked { step: number, thread: self.name(thread) });
            }
            if let Some(outcome) = self.go(info.thread, thread, choice) {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// Whether the thread is about to do what its place says, and not only on the way there.
    fn stands_before(&self, thread: usize) -> bool {
        !matches!(self.machine.shared.status[thread].pending, None | Some(Pending::Start))
    }

    /// One visible step of a thread. A failure that is not the one to be shown ends the thread, not the run.
    fn go(&mut self, id: ThreadId, thread: usize, choice: Choice) -> Option<Outcome> {
        let readiness = self.machine.readiness(thread);
        let chosen = match readiness {
            Readiness::Ready { alternatives } if alternatives > 1 => Some(self.sleeper(thread, choice)),
            Readiness::Input { .. } => {
                let key = self.places[thread].key(self.code, self.shapes);
                Some(self.inputs.get(&(id, key)).copied().unwrap_or(0))
            }
            _ => None,
        };
        if let Some(value) = chosen {
            self.log.chose(&self.machine, thread, value);
        }
        let (code, shapes, place) = (self.code, self.shapes, &mut self.places[thread]);
        let outcome = self.machine.step_by(thread, chosen.unwrap_or(0), |_, state, shared, limit| {
            // One instruction after the other, so that its place is known.
            loop {
                let until = (state.steps + 1).min(limit);
                let before = state.steps;
                let done = execute::run(code, state, shared, until);
                if state.steps > before {
                    place.follow(code, shapes, state);
                }
                done?;
                if state.frames.is_empty() || state.steps >= limit {
                    return Ok(());
                }
            }
        });
        while self.places.len() < self.machine.thread_count() {
            let born = self.places.len();
            self.born.entry(thread).or_default().push_back(born);
            self.places.push(Place::of(self.code, self.shapes, self.machine.thread(born)));
        }
        let put_off = match &outcome {
            Some(Outcome::Failed(_)) => self.failing.is_some_and(|failing| failing != id),
            Some(Outcome::Unasked(_)) => self.failing != Some(id),
            _ => false,
        };
        if put_off {
            self.log.stepped(&self.machine, thread, None);
            self.machine.abandon(thread);
            return None;
        }
        self.log.stepped(&self.machine, thread, outcome.as_ref());
        outcome
    }

    /// Which of those who wait a signal wakes.
    fn sleeper(&self, thread: usize, choice: Choice) -> u64 {
        let Choice::Wakes(sleep) = choice else { return 0 };
        let Some(sleeper) = self.unrolled.graph.events.get(sleep.index()) else { return 0 };
        waiter(&self.machine, thread, self.names.get(&sleeper.thread).copied())
    }
}

/// Visible steps between two events of a thread.
const LONGEST_WAY: usize = 1_000_000;
/// Visible steps after its last event.
const LONGEST_END: usize = 100_000;
