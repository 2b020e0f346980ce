//! Exploration of every schedule of a program.
//!
//! There are four settings, which are tested against each other: partial-order reduction on or off, hashing of states
//! on or off.
//!
//! - Both off: every interleaving of visible steps ([`stateless`]).
//! - Reduction alone: dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with sleep and source sets;
//!   every inequivalent execution is completed exactly once ([`stateless`]).
//! - Hashing alone: every state once ([`hashed`]).
//! - Both: every state, with a sleep set per state and re-expansion when a state is reached again with a smaller one
//!   (Godefroid's state-space caching), and invisible steps taken alone, unless that leads to a visited state
//!   ([`hashed`]).
//!
//! A failure ends its thread and not the exploration: the others continue as if the failing thread had stopped just
//! before it. Their failures are real, since the failing thread's last private steps can always come later. Only being
//! stuck means nothing after a failure. A cycle of waiting threads does not end the exploration either: the others
//! continue. Inside an atomic section the thread cannot have stopped just before: such a failure ends its execution. If
//! a thread reaches an object that counted as private, exploration starts again with no object private.

pub(crate) mod touches;
mod path;
mod contested;
mod stateless;
mod hashed;
mod fingerprint;
mod shortest;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use run::{Choice, Segment};
use semantics::code::Code;

use crate::deadlock::deadlock_after;
use crate::machine::Machine;
use crate::options::Options;
use crate::outcome::{Failure, Outcome, Site};
use crate::readiness::Readiness;
use crate::stuck::Scope;

pub use fingerprint::{Fingerprinter, StateId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub reduction: bool,
    /// Only sleep sets: every thread is explored in every state, so that nothing depends on source sets. The reduction
    /// without hashing is tested against this, execution by execution.
    pub sleep_only: bool,
    pub hashing: Hashing,
    /// Ends the search after this many complete executions.
    pub executions: Option<u64>,
    pub time: Option<Duration>,
    /// At most this many times a thread is interrupted that could have gone on; fewer are tried first. The reduction is
    /// then another one, which such a bound permits.
    pub preemptions: Option<u32>,
    /// Continues after the first failure.
    pub all: bool,
    /// With hashing: states with different output are distinguished. Only then are all [`Exploration::finals`] reached.
    pub printed: bool,
}

/// Whether states are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashing {
    Off,
    On,
    /// Only once an execution is so long that it looks as if it went round in circles.
    WhenLong,
    /// Never; the search ends where [`Hashing::WhenLong`] would begin to remember states.
    UntilLong,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            reduction: true,
            sleep_only: false,
            hashing: Hashing::WhenLong,
            executions: None,
            time: None,
            preemptions: None,
            all: false,
            printed: false,
        }
    }
}

/// A failure with its shortest schedule, by context switches, as far as [`shortest`] could look.
#[derive(Clone, Debug)]
pub struct Found {
    pub failure: Failure,
    pub segments: Vec<Segment>,
    pub choices: Vec<Choice>,
}

/// The end of an execution without failure: its status and its output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Final {
    pub status: i32,
    pub output: Vec<u8>,
}

/// Why an exploration is not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    Executions(u64),
    Time(Duration),
    Interrupted,
    FirstFailure,
    /// Schedules with more preemptions were left out.
    Preemptions(u32),
    /// Runs longer than the step limit were cut.
    Steps(u64),
    /// Inputs were tried with 0 and 1 only.
    Inputs,
    /// A loop waits and sleeps in every round, in a program that reads the clock: not every number of rounds was tried.
    Sleeps,
    /// An execution was so long that it looks as if it went round in circles, which only hashing ends.
    Long,
    Unsupported {
        what: String,
        site: Site,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The number of completed executions.
    pub executions: u64,
    /// Executions that were given up because an equivalent one was known.
    pub redundant: u64,
    /// Different states, when they are counted.
    pub states: u64,
    /// Steps taken in all.
    pub transitions: u64,
    /// The cost so far, as [`work`] counts it, with all attempts that were begun again.
    pub work: u64,
    pub failures: Vec<Found>,
    /// Failures of kinds that were not requested, which ended executions, each once.
    pub unasked: Vec<Failure>,
    /// How the executions ended that did not fail, with how often.
    pub finals: BTreeMap<Final, u64>,
    /// The bound of preemptions that was explored last, if there is one.
    pub preemptions: u32,
    /// The parts left out; empty if every schedule was covered.
    pub cuts: Vec<Cut>,
    /// A guess at the share of the search that is done, from 0 to 1.
    pub share: f64,
}

impl Exploration {
    pub fn is_complete(&self) -> bool {
        self.cuts.is_empty()
    }
}

/// The cost of instructions and visible steps, which does not depend on the machine that heddle runs on. A visible step
/// costs more than an instruction: the next thread is chosen, and an exploration copies the state.
pub fn work(instructions: u64, visible_steps: u64) -> u64 {
    const PER_VISIBLE_STEP: u64 = 20;
    instructions.saturating_add(visible_steps.saturating_mul(PER_VISIBLE_STEP))
}

/// Called from time to time with the current results; returns whether to continue.
pub type Progress<'a> = dyn FnMut(&Exploration) -> bool + 'a;

/// Explores a program.
pub fn explore(code: &Rc<Code>, options: &Options, settings: &Settings, progress: &mut Progress<'_>) -> Exploration {
    let started = Instant::now();
    let mut all_shared = false;
    let mut hashing = settings.hashing == Hashing::On;
    let mut work = 0;
    loop {
        let mut machine = Machine::new(code, options);
        machine.shared.memory.all_shared = all_shared;
        let mut search = Search {
            settings: *settings,
            deadline: settings.time.map(|time| started + time),
            progress,
            result: Exploration { work, ..Exploration::default() },
            surprised: false,
            too_long: false,
            bounded: false,
            since_progress: 0,
            nothing: Rc::default(),
        };
        match settings.preemptions {
            Some(most) => within_preemptions(&machine, &mut search, hashing, most),
            None if hashing => hashed::search(machine.clone(), &mut search, true, None, None),
            None => stateless::search(machine.clone(), &mut search),
        }
        work = search.result.work;
        // A thread reached an object that was thought private: steps on such objects were taken for invisible.
        if search.surprised && !all_shared {
            all_shared = true;
            continue;
        }
        if search.too_long {
            hashing = true;
            continue;
        }
        let mut failures = std::mem::take(&mut search.result.failures);
        for found in &mut failures {
            shortest::shorten(code, &machine, found, &mut search);
        }
        search.result.failures = failures;
        return search.result;
    }
}

/// Iterative bounding of preemptions: none first, then one more each time, since failures with few preemptions are
/// found early. If a search left no part out, it was complete, whatever the bound.
fn within_preemptions(machine: &Machine, search: &mut Search<'_, '_>, hashing: bool, most: u32) {
    let mut contested = search.settings.reduction.then(contested::Contested::default);
    for bound in 0..=most {
        loop {
            let Exploration { failures, cuts, work, .. } = std::mem::take(&mut search.result);
            search.result = Exploration { failures, cuts, work, preemptions: bound, ..Exploration::default() };
            search.bounded = false;
            hashed::search(machine.clone(), search, hashing, Some(bound), contested.as_mut());
            let ends = search.surprised || search.too_long || search.result.cuts.iter().any(ends_search);
            // Bytes that were wrongly taken for uncontested require another search.
            if ends || !contested.as_mut().is_some_and(contested::Contested::has_grown) {
                break;
            }
        }
        if !search.bounded || search.result.cuts.iter().any(ends_search) {
            break;
        }
    }
    if search.bounded {
        search.cut(Cut::Preemptions(most));
    }
}

struct Search<'a, 'p> {
    settings: Settings,
    deadline: Option<Instant>,
    progress: &'a mut Progress<'p>,
    result: Exploration,
    surprised: bool,
    /// An execution was longer than it may be without hashing.
    too_long: bool,
    /// A step was left out because it would interrupt a thread once too often.
    bounded: bool,
    since_progress: u32,
    /// The accesses of steps without reduction.
    nothing: Rc<touches::Touches>,
}

/// A step of a thread, with one choice of the environment.
#[derive(Clone, Debug)]
struct Transition {
    thread: usize,
    choice: Option<u64>,
    touches: Rc<touches::Touches>,
}

impl Transition {
    fn is(&self, other: &Transition) -> bool {
        self.thread == other.thread && self.choice == other.choice
    }
}

/// Visible steps after which an execution without hashing is suspected of going round in circles.
const LONG: usize = 500;

/// The number of steps between two checks of the clock.
const STEPS_PER_LOOK: u32 = 64;

impl Search<'_, '_> {
    fn cut(&mut self, cut: Cut) {
        if !self.result.cuts.contains(&cut) {
            self.result.cuts.push(cut);
        }
    }

    /// Whether the search must end now. `way` has, from the first state to the current one, the number of alternatives
    /// and the number of those explored so far.
    fn is_over(&mut self, way: impl Iterator<Item = (usize, usize)>) -> bool {
        if self.surprised || self.too_long || self.result.cuts.iter().any(ends_search) {
            return true;
        }
        if let Some(limit) = self.settings.executions
            && self.result.executions >= limit
        {
            self.cut(Cut::Executions(limit));
            return true;
        }
        self.since_progress += 1;
        if self.since_progress >= STEPS_PER_LOOK {
            self.since_progress = 0;
            self.result.share = share(way);
            if let (Some(deadline), Some(time)) = (self.deadline, self.settings.time)
                && Instant::now() >= deadline
            {
                self.cut(Cut::Time(time));
                return true;
            }
            if !(self.progress)(&self.result) {
                self.cut(Cut::Interrupted);
                return true;
            }
        }
        false
    }

    /// All steps that are possible in a state.
    fn transitions(&mut self, machine: &Machine) -> Vec<Transition> {
        let mut found = Vec::new();
        for thread in 0..machine.thread_count() {
            let choices = match machine.readiness(thread) {
                Readiness::Blocked => continue,
                Readiness::Ready { alternatives: 1 } => vec![None],
                Readiness::Ready { alternatives } => (0..alternatives).map(Some).collect(),
                Readiness::Input { bits } => {
                    if bits > 1 {
                        self.cut(Cut::Inputs);
                    }
                    vec![Some(0), Some(1)]
                }
            };
            let touches = if self.settings.reduction && self.settings.preemptions.is_none() {
                Rc::new(touches::Touches::of(machine, thread))
            } else {
                self.nothing.clone()
            };
            found.extend(choices.into_iter().map(|choice| Transition { thread, choice, touches: touches.clone() }));
        }
        found
    }

    /// Executes a step; returns whether the execution can continue.
    fn take(&mut self, machine: &mut Machine, transition: &Transition, path: &path::Path) -> bool {
        self.result.transitions += 1;
        let before = machine.steps;
        let outcome = machine.step(transition.thread, transition.choice.unwrap_or(0));
        self.result.work += work(machine.steps - before, 1);
        self.surprised |= machine.shared.memory.surprised;
        if machine.shared.time.slept_idly {
            self.cut(Cut::Sleeps);
        }
        match outcome {
            None => {
                let thread = transition.thread;
                if let Some(Outcome::Failed(failure)) = deadlock_after(machine, thread) {
                    self.found(*failure, machine, transition, path, false);
                    machine.note_deadlock();
                }
                true
            }
            Some(Outcome::Failed(failure)) => {
                self.found(*failure, machine, transition, path, true);
                if is_inside(machine, transition.thread) {
                    self.result.executions += 1;
                    return false;
                }
                machine.abandon(transition.thread);
                true
            }
            Some(Outcome::Unasked(failure)) => {
                self.not_asked(*failure);
                machine.abandon(transition.thread);
                true
            }
            Some(Outcome::Excluded { .. }) if is_inside(machine, transition.thread) => false,
            Some(Outcome::Excluded { .. }) => {
                machine.abandon(transition.thread);
                true
            }
            Some(Outcome::Passed { status }) => {
                self.ended(machine, status);
                false
            }
            Some(Outcome::StepLimit { steps }) => {
                self.cut(Cut::Steps(steps));
                false
            }
            Some(Outcome::Unsupported { what, site }) => {
                self.cut(Cut::Unsupported { what, site });
                false
            }
        }
    }

    /// No thread is enabled.
    fn at_rest(&mut self, machine: &Machine, last: Option<(&Transition, &path::Path)>) {
        if machine.has_failed() {
            self.result.executions += 1;
            return;
        }
        if machine.all_finished() {
            self.ended(machine, 0);
            return;
        }
        self.result.executions += 1;
        match (machine.stuck(Scope::Everyone), last) {
            (Some(Outcome::Failed(failure)), Some((transition, path))) => {
                self.found(*failure, machine, transition, path, false);
            }
            (Some(Outcome::Unasked(failure)), _) => self.not_asked(*failure),
            _ => {}
        }
    }

    fn not_asked(&mut self, failure: Failure) {
        if !self.result.unasked.iter().any(|known| known.is_alike(&failure)) {
            self.result.unasked.push(failure);
        }
    }

    /// The process ended. A thread that failed before, or that waits in a cycle, could have stopped just before that:
    /// the same end without the failure. With reduction no other execution may show it, since an invisible step is not
    /// explored after the end of the process.
    fn ended(&mut self, machine: &Machine, status: i32) {
        self.result.executions += 1;
        let output = machine.shared.files.output.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        *self.result.finals.entry(Final { status, output }).or_default() += 1;
    }

    fn found(
        &mut self,
        failure: Failure,
        machine: &Machine,
        last: &Transition,
        path: &path::Path,
        by_instruction: bool,
    ) {
        let (segments, choices) = path.schedule(machine, last, by_instruction);
        let known = self.result.failures.iter_mut().find(|found| found.failure.is_alike(&failure));
        match known {
            Some(found) if found.segments.len() <= segments.len() => {}
            Some(found) => *found = Found { failure, segments, choices },
            None => self.result.failures.push(Found { failure, segments, choices }),
        }
        if !self.settings.all {
            self.cut(Cut::FirstFailure);
        }
    }
}

/// Whether a thread is inside an atomic section, so that no other is enabled.
fn is_inside(machine: &Machine, thread: usize) -> bool {
    machine.shared.status[thread].atomic_depth > 0
}

/// An estimate of the explored share, as if all paths from a state were equally long.
fn share(way: impl Iterator<Item = (usize, usize)>) -> f64 {
    let (mut done, mut width) = (0.0, 1.0);
    for (ways, tried) in way {
        width /= ways.max(1) as f64;
        done += width * tried.saturating_sub(1) as f64;
    }
    done
}

/// Cuts that leave out a part only do not end the search.
fn ends_search(cut: &Cut) -> bool {
    !matches!(cut, Cut::Preemptions(_) | Cut::Steps(_) | Cut::Inputs | Cut::Sleeps)
}
