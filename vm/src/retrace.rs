//! Looks for an order in which every thread takes the decisions that were recorded of it, when the order itself was not.
//!
//! A thread takes one visible step after the other in a copy of the machine; a step after which its decisions are not
//! those that were recorded is taken back, and the thread waits until another one has changed something. Which of those
//! goes that can is left to chance, many times over. Where nothing is found, nothing is proven.

use std::rc::Rc;

use run::{Bits, RecordedRun, ThreadEnd, ThreadRecord};
use semantics::code::Code;

use crate::drive::{Log, at_end, circle_after};
use crate::machine::{Machine, Readiness};
use crate::options::Options;
use crate::outcome::{Execution, FailureKind, Outcome};
use crate::strategy::Random;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    pub seed: u64,
    /// How many orders.
    pub attempts: u64,
    /// How many visible steps in all of them.
    pub steps: u64,
}

/// An execution along the recorded paths that ends as `ends` wants it.
pub fn retrace(
    code: &Rc<Code>,
    options: &Options,
    run: &RecordedRun,
    effort: Effort,
    ends: &dyn Fn(&Outcome) -> bool,
) -> Option<Execution> {
    let options = Options { record: true, ..options.clone() };
    let mut left = effort.steps;
    for attempt in 0..effort.attempts {
        let dice = Random::new(effort.seed.wrapping_add(attempt));
        let mut search = Search {
            run,
            machine: Machine::new(code, &options),
            log: Log::default(),
            dice,
            parked: Vec::new(),
            seen: Vec::new(),
        };
        let found = search.run(attempt, &mut left);
        if let Some(outcome) = found.filter(|outcome| ends(outcome)) {
            return Some(search.log.finish(search.machine, outcome));
        }
        if left == 0 {
            return None;
        }
    }
    None
}

struct Search<'a> {
    run: &'a RecordedRun,
    machine: Machine,
    log: Log,
    dice: Random,
    /// By thread: how many changes there had been when it could not go on.
    parked: Vec<Option<u64>>,
    /// By thread: how many of its bits were compared.
    seen: Vec<usize>,
}

impl Search<'_> {
    /// One order, to its end or to where nobody can go on.
    fn run(&mut self, attempt: u64, left: &mut u64) -> Option<Outcome> {
        // Some orders change threads at every step, some seldom.
        let stays = [0, 50, 80, 95, 99][(attempt % 5) as usize];
        let mut current = 0;
        loop {
            let ready = self.ready();
            if ready.is_empty() {
                return Some(at_end(&self.machine)).filter(|_| self.parked.iter().all(Option::is_none));
            }
            if !ready.contains(&current) || self.dice.below(100) >= stays {
                current = ready[self.dice.below(ready.len() as u64) as usize];
            }
            *left = left.checked_sub(1)?;
            let outcome = self.attempt(current).or_else(|| circle_after(&self.machine, current));
            if outcome.is_some() {
                return outcome;
            }
        }
    }

    /// Those that can go on and have not tried since something changed.
    fn ready(&mut self) -> Vec<usize> {
        let changes = self.machine.shared.changes;
        self.parked.resize(self.machine.thread_count(), None);
        self.seen.resize(self.machine.thread_count(), 0);
        let waits = |thread: &usize| self.parked[*thread] == Some(changes);
        let can = |thread: &usize| self.machine.readiness(*thread) != Readiness::Blocked;
        (0..self.machine.thread_count()).filter(|thread| can(thread) && !waits(thread)).collect()
    }

    /// Lets a thread take a step, if what it then decides is what was recorded.
    fn attempt(&mut self, thread: usize) -> Option<Outcome> {
        let before = self.machine.clone();
        let choice = match self.machine.readiness(thread) {
            Readiness::Ready { alternatives } if alternatives > 1 => Some(self.dice.below(alternatives)),
            Readiness::Input { .. } => Some(self.input(thread)),
            _ => None,
        };
        let outcome = self.machine.step(thread, choice.unwrap_or(0));
        if !self.fits(thread, outcome.as_ref()) {
            let changes = before.shared.changes;
            self.machine = before;
            self.parked[thread] = Some(changes);
            return None;
        }
        self.parked[thread] = None;
        self.seen[thread] = self.bits(thread);
        if let Some(value) = choice {
            self.log.chose(&before, thread, value);
        }
        self.log.stepped(&self.machine, thread, outcome.as_ref());
        outcome
    }

    /// What the environment chose next for a thread.
    fn input(&self, thread: usize) -> u64 {
        let taken = self.machine.shared.recorded.as_ref().and_then(|records| records.get(thread));
        let next = taken.map_or(0, |record| record.inputs.len());
        let recorded = self.run.thread(self.machine.name(thread));
        recorded.and_then(|record| record.inputs.get(next)).map_or(0, |input| input.result as u64)
    }

    fn bits(&self, thread: usize) -> usize {
        let records = self.machine.shared.recorded.as_ref();
        records.and_then(|records| records.get(thread)).map_or(0, |record| record.bits.len())
    }

    /// Whether a thread's decisions so far are the first of those that were recorded.
    fn fits(&self, thread: usize, outcome: Option<&Outcome>) -> bool {
        let Some(taken) = self.machine.shared.recorded.as_ref().and_then(|records| records.get(thread)) else {
            return false;
        };
        let Some(recorded) = self.run.thread(&taken.name) else { return false };
        if !agree(&taken.bits, &recorded.bits, self.seen[thread]) || !recorded.callees.starts_with(&taken.callees) {
            return false;
        }
        let is_whole = taken.bits.len() == recorded.bits.len() && taken.callees.len() == recorded.callees.len();
        match outcome {
            // Only the thread that failed fails, and only after all that was recorded of it.
            Some(Outcome::Failed(failure)) if failure.kind != FailureKind::Exit => {
                recorded.end == ThreadEnd::Failed && is_whole
            }
            Some(_) => is_whole,
            None if self.machine.shared.status[thread].finished => is_whole && ends_so(recorded),
            None => true,
        }
    }
}

fn ends_so(recorded: &ThreadRecord) -> bool {
    matches!(recorded.end, ThreadEnd::Returned | ThreadEnd::Exited | ThreadEnd::Stopped)
}

/// Whether the bits from a position on are those of the other.
fn agree(bits: &Bits, all: &Bits, from: usize) -> bool {
    bits.len() <= all.len() && (from..bits.len()).all(|at| bits.get(at) == all.get(at))
}
