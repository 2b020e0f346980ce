//! Runs a program in a given order: the one follower of orders on the machine. The form of an order (segments of a
//! schedule, tickets, events of a graph) is known to the caller, which determines how far each thread runs; steps,
//! their log and divergences are here.

use run::{Divergence, Happened, Item, ThreadName};
use semantics::concrete::Word;

use crate::log::{Log, at_end};
use crate::machine::{Datum, Machine};
use crate::outcome::{Execution, Outcome};
use crate::readiness::Readiness;
use crate::world::Pending;

/// Executes the steps of threads, and observes them.
pub trait Observer<V: Datum> {
    /// One visible step of a thread, with the environment's choice.
    fn step(&mut self, machine: &mut Machine<V>, thread: usize, choice: u64) -> Option<Outcome>;
}

/// Observes nothing.
pub struct Blind;

impl Observer<Word> for Blind {
    fn step(&mut self, machine: &mut Machine, thread: usize, choice: u64) -> Option<Outcome> {
        machine.step(thread, choice)
    }
}

/// A machine that follows an order.
pub struct Follower<V, O> {
    pub machine: Machine<V>,
    pub observer: O,
    log: Log,
    /// The next item of the order.
    pub item: Item,
}

impl<V: Datum, O: Observer<V>> Follower<V, O> {
    pub fn new(machine: Machine<V>, observer: O) -> Follower<V, O> {
        Follower { machine, observer, log: Log::default(), item: Item::End }
    }

    pub fn finish(self, outcome: Outcome) -> Execution {
        self.log.finish(self.machine, outcome)
    }

    /// The thread of this name, which must have been created.
    pub fn find(&self, name: &ThreadName) -> Result<usize, Divergence> {
        self.machine.find(name).ok_or_else(|| self.divergence(name, Happened::NoThread))
    }

    pub fn is_finished(&self, thread: usize) -> bool {
        self.machine.shared.status[thread].finished
    }

    pub fn is_blocked(&self, thread: usize) -> bool {
        self.machine.readiness(thread) == Readiness::Blocked
    }

    /// The steps that a thread has taken.
    pub fn steps(&self, thread: usize) -> u64 {
        self.machine.thread(thread).steps
    }

    /// One visible step of an enabled thread.
    pub fn go(&mut self, thread: usize, choice: Option<u64>) -> Result<Option<Outcome>, Divergence> {
        if self.is_blocked(thread) {
            return Err(self.blocked(thread));
        }
        Ok(self.advance(thread, choice))
    }

    /// One visible step of a thread, which may remain blocked.
    pub fn advance(&mut self, thread: usize, choice: Option<u64>) -> Option<Outcome> {
        let outcome = self.step(thread, choice);
        self.note(thread, outcome.as_ref());
        outcome
    }

    /// One visible step of a thread that is not in the log until it is noted.
    pub fn step(&mut self, thread: usize, choice: Option<u64>) -> Option<Outcome> {
        if let Some(value) = choice {
            self.log.chose(&self.machine, thread, value);
        }
        self.observer.step(&mut self.machine, thread, choice.unwrap_or(0))
    }

    pub fn note(&mut self, thread: usize, outcome: Option<&Outcome>) {
        self.log.stepped(&self.machine, thread, outcome);
    }

    /// Private steps are taken eagerly. A failure among them that comes too early is left out: the thread stays where it was.
    pub fn put_off(&mut self, thread: usize) {
        self.note(thread, None);
        self.machine.abandon(thread);
    }

    pub fn divergence(&self, thread: &ThreadName, happened: Happened) -> Divergence {
        Divergence { expected: self.item, thread: thread.clone(), happened }
    }

    pub fn ended(&self, thread: usize) -> Divergence {
        self.divergence(self.machine.name(thread), Happened::Ended { step: self.steps(thread) })
    }

    pub fn went_another_way(&self, thread: usize) -> Divergence {
        self.divergence(self.machine.name(thread), Happened::OtherWay { step: self.steps(thread) })
    }

    pub fn blocked(&self, thread: usize) -> Divergence {
        let others = (0..self.machine.thread_count()).filter(|&other| other != thread && !self.is_finished(other));
        let others: Vec<String> = others
            .map(|other| format!("{} is at {} in {}", self.machine.name(other), self.pending(other), self.place(other)))
            .collect();
        let waits_for = format!("{} in {}; {}", self.pending(thread), self.place(thread), others.join(", "));
        let happened = Happened::Blocked { step: self.steps(thread), waits_for: Some(waits_for) };
        self.divergence(self.machine.name(thread), happened)
    }

    fn pending(&self, thread: usize) -> &'static str {
        match &self.machine.shared.status[thread].pending {
            Some(Pending::Primitive { primitive, .. }) => primitive.name(),
            Some(Pending::Spin { .. }) => "a loop",
            Some(Pending::Memory { .. }) => "memory",
            Some(Pending::Start) => "its start",
            Some(Pending::Leave { .. }) => "the end of a call",
            Some(Pending::Finish) => "its end",
            None => "nothing",
        }
    }

    fn place(&self, thread: usize) -> String {
        let program = &self.machine.code.program;
        let site = self.machine.site(thread);
        let frames = site.frames.iter().take(3).map(|frame| {
            let line = program.spans.get(frame.span.0 as usize).map_or(0, |span| span.line);
            format!("{}:{line}", program.functions[frame.function.index()].display)
        });
        frames.collect::<Vec<String>>().join(" < ")
    }
}

impl<O: Observer<Word>> Follower<Word, O> {
    /// After the end of the order: each enabled thread runs for as long as it can.
    pub fn run_out(&mut self) -> Outcome {
        while let Some(thread) = (0..self.machine.thread_count()).find(|&thread| !self.is_blocked(thread)) {
            if let Some(outcome) = self.run_out_of(thread) {
                return outcome;
            }
        }
        at_end(&self.machine)
    }

    /// Runs one thread until it blocks; returns the outcome if that ends the run.
    pub fn run_out_of(&mut self, thread: usize) -> Option<Outcome> {
        while !self.is_blocked(thread) {
            let outcome = self.machine.stride(thread, 0);
            self.note(thread, outcome.as_ref());
            if outcome.is_some() {
                return outcome;
            }
        }
        None
    }
}
