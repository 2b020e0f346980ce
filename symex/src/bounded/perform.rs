//! Runs the program in the order of an execution of its graph.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use events::{Choice, EventId, Execution, Kind, Outcome as GraphOutcome, Step, ThreadId};
use formula::Value as InputValue;
use run::{Divergence, Happened, Item, ThreadName};
use semantics::code::Code;
use semantics::concrete::Word;
use vm::world::{Pending, Phase};
use vm::{Follower, Machine, Options, Outcome, Readiness};

use crate::bounded::clashes::Meeting;
use crate::bounded::drive::Onward;
use crate::bounded::drive::sleeper;
use crate::bounded::place::{Key, Places};
use crate::bounded::shape::Shapes;
use crate::bounded::unroll::Unrolled;
use crate::bounded::walk::Role;

/// A run in the order of an execution.
#[derive(Debug)]
pub struct Performed {
    pub execution: vm::Execution,
    /// By event, the step of its thread's that it was, for events that the machine takes steps for.
    pub steps: HashMap<EventId, (ThreadName, u64)>,
    /// The machine's names of the graph's threads, as far as they were created.
    pub threads: HashMap<ThreadId, ThreadName>,
}

/// Runs the program in the order of a failing execution of its graph, until it fails.
pub fn perform(
    code: &Rc<Code>,
    options: &Options,
    unrolled: &Unrolled,
    execution: &Execution,
    outcome: &GraphOutcome,
) -> Result<Performed, Divergence> {
    let shapes = Shapes::new(code);
    let thread = |event: EventId| unrolled.graph.events[event.index()].thread;
    let failing = outcome.failed.first().map(|&event| thread(event));
    let mut steps = execution.steps.clone();
    loop {
        let shortened = Execution { steps, inputs: execution.inputs.clone() };
        let performed =
            Performer::new(code, &shapes, options, unrolled, &shortened, failing).run(&shortened, outcome)?;
        // The machine proceeds from a read to the assumption that it violates, while the graph's thread is still
        // between the two: the thread is left at its earlier place.
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

/// A run in the order of an execution, with two accesses that race at its end.
#[derive(Debug)]
pub struct Encounter {
    pub performed: Performed,
    /// Whether it came to the second of them; otherwise something failed before.
    pub met: bool,
}

/// Runs the program in the order of an execution, followed by the two racing accesses, in the order in which the
/// machine sees no other race before, if there is one.
pub fn perform_race(
    code: &Rc<Code>,
    options: &Options,
    unrolled: &Unrolled,
    execution: &Execution,
    meeting: &Meeting,
) -> Result<Encounter, Divergence> {
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
    pub fn new(
        code: &'a Rc<Code>,
        shapes: &'a Shapes,
        options: &Options,
        unrolled: &'a Unrolled,
        execution: &Execution,
        failing: Option<ThreadId>,
    ) -> Performer<'a> {
        let machine: Machine = Machine::new(code, options);
        let mut places = Places::new(code, shapes);
        places.grow(&machine);
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
            unrolled,
            inputs: inputs.collect(),
            follower: Follower::new(machine, places),
            names: HashMap::from([(ThreadId(0), 0)]),
            steps: HashMap::new(),
            failing,
            born: HashMap::new(),
            inside: None,
            onward: None,
        }
    }
}

pub struct Performer<'a> {
    unrolled: &'a Unrolled,
    inputs: HashMap<(ThreadId, Key), u64>,
    pub follower: Follower<Word, Places<'a>>,
    /// The machine's numbers of the graph's threads.
    names: HashMap<ThreadId, usize>,
    steps: HashMap<EventId, (ThreadName, u64)>,
    /// The thread whose failure is the expected one.
    failing: Option<ThreadId>,
    /// By the machine's numbers: the created threads whose fork events are still to come.
    born: HashMap<usize, VecDeque<usize>>,
    /// The thread that is inside an atomic section, of which the machine takes as much as it can in one step.
    inside: Option<ThreadId>,
    /// Set if the run continues after the order.
    pub onward: Option<Onward<'a>>,
}

impl Performer<'_> {
    pub fn finish(self, outcome: Outcome) -> Performed {
        let name = |(&id, &thread): (&ThreadId, &usize)| (id, self.follower.machine.name(thread).clone());
        let threads = self.names.iter().map(name).collect();
        Performed { execution: self.follower.finish(outcome), steps: self.steps, threads }
    }

    /// The machine's number of a thread, which must have been created.
    pub fn find(&self, id: ThreadId) -> Result<usize, Divergence> {
        let name = &self.unrolled.graph.threads[id.index()].name;
        self.names.get(&id).copied().ok_or_else(|| self.follower.divergence(name, Happened::NoThread))
    }

    fn run(mut self, execution: &Execution, outcome: &GraphOutcome) -> Result<Performed, Divergence> {
        if let Some(outcome) = self.take_all(execution)? {
            return Ok(self.finish(outcome));
        }
        self.follower.item = Item::End;
        if let Some(id) = self.failing {
            // Whatever is left of the failing thread is its own business, up to the failure.
            return match self.run_on(id)? {
                Some(outcome) => Ok(self.finish(outcome)),
                None => Err(self.no_failure()),
            };
        }
        // Lets the threads go to where they wait for good.
        for stuck in &outcome.stuck {
            if let Some(outcome) = self.run_on(stuck.thread)? {
                return Ok(self.finish(outcome));
            }
        }
        let machine = &self.follower.machine;
        let mut threads: Vec<usize> = self.names.values().copied().collect();
        threads.retain(|&thread| !self.follower.is_finished(thread));
        threads.sort_unstable();
        let circle = threads.into_iter().find_map(|thread| machine.stuck(vm::Scope::CircleOf(thread)));
        let idle = || (0..machine.thread_count()).all(|thread| self.follower.is_blocked(thread));
        match circle.or_else(|| idle().then(|| vm::at_end(machine))) {
            Some(outcome) => Ok(self.finish(outcome)),
            None => Err(self.no_failure()),
        }
    }

    fn no_failure(&self) -> Divergence {
        let name = |id: ThreadId| self.unrolled.graph.threads[id.index()].name.clone();
        self.follower.divergence(&self.failing.map_or_else(ThreadName::main, name), Happened::NoFailure)
    }

    fn race(mut self, execution: &Execution, meeting: &Meeting) -> Result<Encounter, Divergence> {
        if let Some(outcome) = self.come_to_first(execution, meeting)? {
            return Ok(Encounter { performed: self.finish(outcome), met: false });
        }
        match self.come_to(execution.steps.len() + 1, meeting.second, Choice::Only)? {
            Some(outcome) => Ok(Encounter { performed: self.finish(outcome), met: true }),
            None => Err(self.no_failure()),
        }
    }

    /// All of an execution, and the first of two accesses that meet.
    fn come_to_first(&mut self, execution: &Execution, meeting: &Meeting) -> Result<Option<Outcome>, Divergence> {
        if let Some(outcome) = self.take_all(execution)? {
            return Ok(Some(outcome));
        }
        if let Some(outcome) = self.come_to(execution.steps.len(), meeting.first, Choice::Only)? {
            return Ok(Some(outcome));
        }
        // It may be inside of a section that no other thread interrupts.
        let id = self.unrolled.graph.events[meeting.first.index()].thread;
        let thread = self.find(id)?;
        while self.follower.machine.shared.status[thread].atomic_depth > 0 {
            if let Some(outcome) = self.go(id, thread, Choice::Only)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    fn take_all(&mut self, execution: &Execution) -> Result<Option<Outcome>, Divergence> {
        for (number, &step) in execution.steps.iter().enumerate() {
            if let Some(outcome) = self.take(number, step)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// A thread runs by itself, for as long as it can.
    fn run_on(&mut self, id: ThreadId) -> Result<Option<Outcome>, Divergence> {
        let thread = self.find(id)?;
        for _ in 0..LONGEST_END {
            if self.follower.is_blocked(thread) {
                break;
            }
            if let Some(outcome) = self.go(id, thread, Choice::Only)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    pub fn take(&mut self, number: usize, Step { event, choice }: Step) -> Result<Option<Outcome>, Divergence> {
        let info = &self.unrolled.graph.events[event.index()];
        let id = info.thread;
        self.follower.item = Item::Event { number, event: event.0 };
        let thread = self.find(id)?;
        let role = self.unrolled.origins.get(event.index()).map(|origin| origin.role);
        let ends = matches!(info.kind, Kind::Exit);
        if ends && self.onward.as_ref().is_some_and(|onward| !onward.ended[id.index()]) {
            return Ok(None);
        }
        if ends || role == Some(Role::Last) {
            while !self.follower.is_finished(thread) && !self.follower.machine.shared.status[thread].crashed {
                if let Some(outcome) = self.go(id, thread, Choice::Only)? {
                    return Ok(Some(outcome));
                }
            }
            return Ok(None);
        }
        match info.kind {
            Kind::AtomicBegin => self.inside = Some(id),
            Kind::AtomicEnd => return self.leave_section(id, thread),
            _ => {}
        }
        let Some(origin) = self.unrolled.origins.get(event.index()) else { return Ok(None) };
        if origin.role == Role::Part || matches!(info.kind, Kind::Start) {
            return Ok(None);
        }
        self.come_to(number, event, choice)
    }

    /// The machine stops inside a section only where the environment chooses.
    fn leave_section(&mut self, id: ThreadId, thread: usize) -> Result<Option<Outcome>, Divergence> {
        self.inside = None;
        while self.follower.machine.shared.turn.inside == Some(thread) {
            if let Some(outcome) = self.go(id, thread, Choice::Only)? {
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

    /// Runs a thread up to the place of an event, and executes its step.
    fn come_to(&mut self, number: usize, event: EventId, choice: Choice) -> Result<Option<Outcome>, Divergence> {
        let info = &self.unrolled.graph.events[event.index()];
        let id = info.thread;
        self.follower.item = Item::Event { number, event: event.0 };
        let thread = self.find(id)?;
        let Some(origin) = self.unrolled.origins.get(event.index()) else { return Ok(None) };
        let key = &origin.key;
        let is_inside = self.inside == Some(id);
        for _ in 0..LONGEST_WAY {
            let passed = self.onward.is_none() || self.follower.observer.has_passed(thread, key);
            if self.follower.is_finished(thread) && self.onward.is_some() && passed {
                self.name_child(event, thread);
                return Ok(None);
            }
            if self.follower.is_finished(thread) && is_inside {
                self.name_child(event, thread);
                return Ok(None);
            }
            if self.follower.is_finished(thread) {
                return Err(self.follower.ended(thread));
            }
            let at = self.follower.observer.key(thread);
            let is_there = at == *key && self.stands_before(thread);
            // An operation on an object that no other thread could access was not a step, nor was a lock that only this
            // thread uses.
            let may_be_private =
                matches!(info.kind, Kind::Access(_) | Kind::Lock { .. } | Kind::TryLock { .. } | Kind::Unlock { .. });
            if at > *key && (may_be_private || is_inside) && passed {
                self.name_child(event, thread);
                return Ok(None);
            }
            if at > *key {
                return Err(self.follower.went_another_way(thread));
            }
            if self.follower.is_blocked(thread)
                && let Some(child) = self.unended_child(event)
            {
                let outcome = self.go(id, child, Choice::Only)?;
                if outcome.is_some() {
                    return Ok(outcome);
                }
                continue;
            }
            if is_there && !self.follower.is_blocked(thread) {
                let name = self.follower.machine.name(thread).clone();
                self.steps.insert(event, (name, self.follower.steps(thread) + 1));
            }
            let outcome = self.go(id, thread, choice)?;
            if is_there {
                self.name_child(event, thread);
            }
            if outcome.is_some() {
                return Ok(outcome);
            }
            if is_there {
                return self.end_wait(event, thread, choice);
            }
        }
        Err(self.follower.went_another_way(thread))
    }

    /// The machine gives up a wait in a step of its own. A sleep that gives up at once does so now, so that no signal
    /// finds the sleeper. A wake without a signal does so before it takes the mutex.
    fn end_wait(&mut self, event: EventId, thread: usize, choice: Choice) -> Result<Option<Outcome>, Divergence> {
        let info = &self.unrolled.graph.events[event.index()];
        let is_left = |phase: Phase| match info.kind {
            Kind::Sleep { .. } => choice == Choice::Only || phase != Phase::Sleeping,
            Kind::Wake { .. } => !matches!(phase, Phase::Sleeping | Phase::Woken(_)),
            _ => true,
        };
        while !is_left(self.follower.machine.shared.status[thread].phase) {
            if let Some(outcome) = self.go(info.thread, thread, choice)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// Whether the thread is about to execute the instruction of its place, and not only on the way there.
    fn stands_before(&self, thread: usize) -> bool {
        !matches!(self.follower.machine.shared.status[thread].pending, None | Some(Pending::Start))
    }

    /// One visible step of a thread. A failure that is not the one to be shown ends the thread, not the run.
    pub fn go(&mut self, id: ThreadId, thread: usize, choice: Choice) -> Result<Option<Outcome>, Divergence> {
        let machine = &self.follower.machine;
        let chosen = match machine.readiness(thread) {
            Readiness::Blocked => return Err(self.follower.blocked(thread)),
            Readiness::Ready { alternatives } if alternatives > 1 => {
                let woken = |id: ThreadId| self.names.get(&id).copied();
                Some(sleeper(machine, &self.unrolled.graph, thread, choice, woken))
            }
            Readiness::Input { .. } if self.onward.is_some() => self.chosen_before(thread),
            Readiness::Input { .. } => {
                let key = self.follower.observer.key(thread);
                Some(self.inputs.get(&(id, key)).copied().unwrap_or(0))
            }
            Readiness::Ready { .. } => None,
        };
        let threads = machine.thread_count();
        let outcome = self.follower.step(thread, chosen);
        let born = threads..self.follower.machine.thread_count();
        self.born.entry(thread).or_default().extend(born);
        if let Some(onward) = &mut self.onward
            && onward.last != Some(id)
            && outcome.as_ref().is_some_and(Outcome::is_wrong)
        {
            onward.put_off = onward.put_off.take().or(outcome);
            self.follower.put_off(thread);
            return Ok(None);
        }
        let is_put_off = match &outcome {
            Some(Outcome::Failed(_)) => self.failing.is_some_and(|failing| failing != id),
            Some(Outcome::Unasked(_)) => self.onward.is_none() && self.failing != Some(id),
            _ => false,
        };
        if is_put_off {
            self.follower.put_off(thread);
            return Ok(None);
        }
        self.follower.note(thread, outcome.as_ref());
        Ok(outcome)
    }
}

/// Visible steps between two events of a thread.
const LONGEST_WAY: usize = 1_000_000;
/// Visible steps after its last event.
const LONGEST_END: usize = 100_000;
