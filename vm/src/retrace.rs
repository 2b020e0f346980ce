//! Searches for an order in which every thread takes its recorded decisions, if the order itself was not recorded.
//!
//! A thread takes one visible step after the other in a copy of the machine; a step after which its decisions differ
//! from the record is undone, and the thread waits until another one has made a change. Critical sections are mostly
//! attempted as a whole: with the mutex acquired too early, no other thread could change the values it reads. The next
//! enabled thread is chosen at random. In a dead end some thread was too late: the values it should have read were
//! overwritten. The search goes back to a late point at which they were still there, and lets that thread run first; if
//! that does not help, it backtracks a little, and further after a while. A failed search proves nothing.

use std::rc::Rc;
use std::time::Instant;

use ir::Primitive;
use run::{Bits, RecordedRun, ThreadEnd, ThreadRecord};
use semantics::code::Code;

use crate::deadlock::deadlock_after;
use crate::log::{Log, at_end};
use crate::machine::Machine;
use crate::options::Options;
use crate::outcome::{Execution, FailureKind, Outcome};
use crate::readiness::Readiness;
use crate::strategy::Random;
use crate::world::Pending;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    pub seed: u64,
    /// How many orders.
    pub attempts: u64,
    /// How many visible steps in all of them.
    pub steps: u64,
    /// The search is given up at this time.
    pub until: Option<Instant>,
}

/// How many steps lie between two points to which the search can go back.
const CHECKPOINT_EVERY: u32 = 2;

/// How often in a row a thread is moved earlier in a dead end without progress, before the search just backtracks; and
/// how many steps the thread may take until it is past the failed one.
const MENDED: u32 = 24;
const AHEAD: u32 = 32;

/// How many critical sections of a hundred are tried as a whole.
const WHOLE_SECTIONS: u64 = 85;
/// The number of these stretches that are attempted up to the thread's next synchronisation, and the limit of their
/// length.
const WHOLE_STRETCHES: u64 = 60;
const FAR: u32 = 64;

/// An execution along the recorded paths that ends as `ends` wants it.
pub fn retrace(
    code: &Rc<Code>,
    options: &Options,
    run: &RecordedRun,
    effort: Effort,
    ends: &dyn Fn(&Outcome) -> bool,
) -> Option<Execution> {
    let options = Options { record: true, ..options.clone() };
    let start = Checkpoint { machine: Machine::new(code, &options), log: Log::default(), seen: Vec::new() };
    let mut search = Search {
        run,
        machine: start.machine.clone(),
        log: Log::default(),
        seen: Vec::new(),
        dice: Random::new(effort.seed),
        parked: Vec::new(),
        trail: vec![start],
        sections: true,
        stays: 0,
        fair: 0,
        until: effort.until,
    };
    let mut left = effort.steps;
    let (mut best, mut failures) = (0, 0);
    for _ in 0..effort.attempts {
        search.choose_manner();
        let mut found = search.go(&mut left);
        let (mut most, mut vain) = (0, 0);
        while found.is_none() && vain < MENDED {
            let reached: usize = search.seen.iter().sum();
            vain = if reached > most { 0 } else { vain + 1 };
            most = most.max(reached);
            match search.mend(&mut left) {
                Mended::No => break,
                Mended::Yes => found = search.go(&mut left),
                Mended::Ended(outcome) => found = Some(outcome),
            }
        }
        if let Some(outcome) = found.filter(|outcome| ends(outcome)) {
            return Some(search.log.finish(search.machine, outcome));
        }
        if left == 0 || search.is_late() {
            return None;
        }
        let reached = most.max(search.seen.iter().sum());
        failures = if reached > best { 0 } else { failures + 1 };
        best = best.max(reached);
        search.go_back(failures);
    }
    None
}

/// A point to which the search can go back.
#[derive(Clone)]
struct Checkpoint {
    machine: Machine,
    log: Log,
    seen: Vec<usize>,
}

/// The result of moving a thread earlier.
enum Mended {
    No,
    Yes,
    Ended(Outcome),
}

struct Search<'a> {
    run: &'a RecordedRun,
    machine: Machine,
    log: Log,
    /// By thread: how many of its bits were compared.
    seen: Vec<usize>,
    dice: Random,
    /// By thread: the number of changes at its last failed attempt.
    parked: Vec<Option<u64>>,
    /// Where it has been, the beginning first.
    trail: Vec<Checkpoint>,
    /// Whether critical sections are tried as a whole for now.
    sections: bool,
    /// In percent, the steps that stay with the same thread, and those that go to the thread that is furthest behind.
    stays: u64,
    fair: u64,
    until: Option<Instant>,
}

impl Search<'_> {
    /// How the next order is tried.
    fn choose_manner(&mut self) {
        // Some orders change threads at every step, some seldom.
        self.stays = [0, 50, 80, 95, 99][self.dice.below(5) as usize];
        // In some attempts the thread that is furthest behind goes first, since the values it needs may be overwritten
        // later.
        self.fair = [0, 0, 0, 60, 95][self.dice.below(5) as usize];
        self.sections = self.dice.below(2) > 0;
    }

    /// Runs on to the end, or to a dead end.
    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn go(&mut self, left: &mut u64) -> Option<Outcome> {
        let (stays, fair) = (self.stays, self.fair);
        let mut current = 0;
        let mut taken = 0;
        loop {
            let ready = self.ready();
            if ready.is_empty() {
                return Some(at_end(&self.machine)).filter(|_| self.parked.iter().all(Option::is_none));
            }
            if self.dice.below(100) < fair {
                current = self.hindmost(&ready);
            } else if !ready.contains(&current) || self.dice.below(100) >= stays {
                current = ready[self.dice.below(ready.len() as u64) as usize];
            }
            *left = left.checked_sub(1)?;
            if self.is_late() {
                *left = 0;
            }
            let outcome = self.attempt(current, left).or_else(|| deadlock_after(&mut self.machine, current));
            if outcome.is_some() {
                return outcome;
            }
            taken += 1;
            if taken % CHECKPOINT_EVERY == 0 {
                let (machine, log, seen) = (self.machine.clone(), self.log.clone(), self.seen.clone());
                self.trail.push(Checkpoint { machine, log, seen });
            }
        }
    }

    /// The one that has the smallest part of its decisions behind it.
    fn hindmost(&self, ready: &[usize]) -> usize {
        let part = |&thread: &usize| {
            let all = self.run.thread(self.machine.name(thread)).map_or(0, |record| record.bits.len());
            (self.seen[thread] as u64 + 1) * 1_000_000 / (all as u64 + 1)
        };
        ready.iter().copied().min_by_key(part).unwrap_or(0)
    }

    /// Backtracks: a little at first, and further the longer there was no progress.
    fn go_back(&mut self, failures: u32) {
        let most = 1_u64 << failures.min(20).div_ceil(2);
        let steps = 1 + self.dice.below(most) as usize;
        let steps = if self.dice.below(4) == 0 { self.trail.len() } else { steps };
        let kept = self.trail.len().saturating_sub(steps).max(1);
        self.trail.truncate(kept);
        self.resume(self.trail.len() - 1);
    }

    /// In a dead end: the values that a thread should read may have been overwritten. It is moved to a late point at
    /// which they were still there.
    fn mend(&mut self, left: &mut u64) -> Mended {
        let late: Vec<usize> = (0..self.parked.len()).filter(|&thread| self.parked[thread].is_some()).collect();
        if late.is_empty() {
            return Mended::No;
        }
        let first = self.dice.below(late.len() as u64) as usize;
        let goals = self.seen.clone();
        let last = self.trail.len() - 1;
        for &thread in late[first..].iter().chain(&late[..first]) {
            // Far back the points lie further apart; between one where it helps and the next one where it does not, all
            // are tried.
            let (mut missed, mut back) = (last + 1, 0);
            while back <= last && thread < self.trail[last - back].machine.thread_count() {
                let at = last - back;
                let found = self.go_alone_from(at, thread, goals[thread], left);
                if !matches!(found, Mended::No) {
                    return self.mend_late(at, missed, thread, goals[thread], found, left);
                }
                if *left == 0 {
                    return Mended::No;
                }
                missed = at;
                back += 1 + back / 8;
            }
        }
        Mended::No
    }

    /// Between a point where it helps and a later one where it does not.
    fn mend_late(
        &mut self,
        helps: usize,
        missed: usize,
        thread: usize,
        goal: usize,
        found: Mended,
        left: &mut u64,
    ) -> Mended {
        for at in (helps + 1..missed).rev() {
            let later = self.go_alone_from(at, thread, goal, left);
            if !matches!(later, Mended::No) {
                self.trail.truncate(at + 1);
                return later;
            }
        }
        let again = if missed > helps + 1 { self.go_alone_from(helps, thread, goal, left) } else { found };
        self.trail.truncate(helps + 1);
        again
    }

    /// One thread alone from a point on, until it has decided more than so much.
    fn go_alone_from(&mut self, at: usize, thread: usize, goal: usize, left: &mut u64) -> Mended {
        self.resume(at);
        self.ready();
        for _ in 0..AHEAD {
            let readiness = self.machine.readiness(thread);
            if readiness == Readiness::Blocked || *left == 0 {
                return Mended::No;
            }
            *left -= 1;
            let outcome = self.step(thread, readiness);
            if !self.fits(thread, outcome.as_ref()) {
                return Mended::No;
            }
            self.ready();
            self.seen[thread] = self.bits(thread);
            if let Some(outcome) = outcome.or_else(|| deadlock_after(&mut self.machine, thread)) {
                return Mended::Ended(outcome);
            }
            if self.seen[thread] > goal && !self.holds(thread) {
                return Mended::Yes;
            }
        }
        Mended::No
    }

    fn resume(&mut self, at: usize) {
        let Checkpoint { machine, log, seen } = self.trail[at].clone();
        (self.machine, self.log, self.seen) = (machine, log, seen);
        self.parked.clear();
    }

    /// The enabled threads that have not been attempted since the last change.
    fn ready(&mut self) -> Vec<usize> {
        let changes = self.machine.shared.changes;
        self.parked.resize(self.machine.thread_count(), None);
        self.seen.resize(self.machine.thread_count(), 0);
        let waits = |thread: &usize| self.parked[*thread] == Some(changes);
        let can = |thread: &usize| self.machine.readiness(*thread) != Readiness::Blocked;
        (0..self.machine.thread_count()).filter(|thread| can(thread) && !waits(thread)).collect()
    }

    /// Lets a thread take a step, or all steps of a critical section, if its decisions then agree with the record.
    fn attempt(&mut self, thread: usize, left: &mut u64) -> Option<Outcome> {
        let before = (self.machine.clone(), self.log.clone(), self.seen.clone());
        let free = !self.holds(thread);
        let dice = self.dice.below(100);
        let whole = free && self.sections && dice < WHOLE_SECTIONS && self.is_about_to_lock(thread);
        let mut beyond = if dice < WHOLE_STRETCHES { FAR } else { 0 };
        loop {
            let readiness = self.machine.readiness(thread);
            let outcome = match readiness {
                Readiness::Blocked => None,
                _ => self.step(thread, readiness),
            };
            if readiness == Readiness::Blocked || !self.fits(thread, outcome.as_ref()) {
                let changes = before.0.shared.changes;
                (self.machine, self.log, self.seen) = before;
                self.parked[thread] = Some(changes);
                return None;
            }
            self.seen[thread] = self.bits(thread);
            let inside = self.holds(thread);
            // The values read inside may only affect later decisions.
            let goes_on =
                whole && outcome.is_none() && *left > 0 && (inside || (beyond > 0 && self.is_at_memory(thread)));
            beyond -= u32::from(goes_on && !inside);
            if !goes_on {
                self.parked[thread] = None;
                return outcome;
            }
            *left -= 1;
        }
    }

    fn step(&mut self, thread: usize, readiness: Readiness) -> Option<Outcome> {
        let choice = match readiness {
            Readiness::Ready { alternatives } if alternatives > 1 => Some(self.dice.below(alternatives)),
            Readiness::Input { .. } => Some(self.input(thread)),
            _ => None,
        };
        if let Some(value) = choice {
            self.log.chose(&self.machine, thread, value);
        }
        let outcome = self.machine.stride(thread, choice.unwrap_or(0));
        self.log.stepped(&self.machine, thread, outcome.as_ref());
        outcome
    }

    fn is_about_to_lock(&self, thread: usize) -> bool {
        let pending = &self.machine.shared.status[thread].pending;
        let locks =
            |primitive| matches!(primitive, Primitive::MutexLock | Primitive::CondWait | Primitive::MonitorWait);
        matches!(pending, Some(Pending::Primitive { primitive, .. }) if locks(*primitive))
    }

    fn is_at_memory(&self, thread: usize) -> bool {
        matches!(self.machine.shared.status[thread].pending, Some(Pending::Memory { .. }))
    }

    /// Whether a thread holds a mutex.
    fn holds(&self, thread: usize) -> bool {
        let owner = Some(thread as u32);
        let mut all = self.machine.shared.syncs.iter();
        all.any(|(_, sync)| sync.owner() == owner)
    }

    /// The environment's next choice for a thread.
    fn input(&self, thread: usize) -> u64 {
        let taken = self.machine.shared.notes.recorded.as_ref().and_then(|records| records.get(thread));
        let next = taken.map_or(0, |record| record.inputs.len());
        let recorded = self.run.thread(self.machine.name(thread));
        recorded.and_then(|record| record.inputs.get(next)).map_or(0, |input| input.result as u64)
    }

    fn bits(&self, thread: usize) -> usize {
        let records = self.machine.shared.notes.recorded.as_ref();
        records.and_then(|records| records.get(thread)).map_or(0, |record| record.bits.len())
    }

    /// Whether a thread's decisions so far are the first of those that were recorded.
    fn fits(&self, thread: usize, outcome: Option<&Outcome>) -> bool {
        let Some(taken) = self.machine.shared.notes.recorded.as_ref().and_then(|records| records.get(thread)) else {
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
