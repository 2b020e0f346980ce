//! Whole runs: a strategy decides, or a schedule does.

use std::rc::Rc;

use run::{Choice, Schedule, Segment};
use semantics::code::Code;
use thiserror::Error;

use crate::explore::touches::Touches;
use crate::machine::{Datum, Machine, Readiness};
use crate::options::Options;
use crate::outcome::{Execution, Outcome};
use crate::record;
use crate::strategy::{Strategy, View};
use crate::stuck::{self, Scope};
use crate::world::{Pending, Phase};

/// The schedule does not fit the program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Misfit {
    #[error("segment {segment}: there is no thread {thread} at this point")]
    NoThread { segment: usize, thread: String },
    #[error("segment {segment}: thread {thread} cannot go on at its step {step}, it should reach step {until}")]
    Blocked { segment: usize, thread: String, step: u64, until: u64 },
    #[error("segment {segment}: thread {thread} ended at its step {step}, it should reach step {until}")]
    Ended { segment: usize, thread: String, step: u64, until: u64 },
    #[error("segment {segment}: the run ended before the schedule did")]
    Over { segment: usize },
}

/// The order of a run as it is made.
#[derive(Clone, Default)]
pub struct Log {
    segments: Vec<Segment>,
    choices: Vec<Choice>,
    taken: u64,
}

impl Log {
    /// The instruction that ends the run counts as a step of its thread, so that a replay tries it.
    pub fn stepped<V: Datum>(&mut self, machine: &Machine<V>, thread: usize, outcome: Option<&Outcome>) {
        self.taken += 1;
        let ended = outcome.is_some_and(|outcome| !matches!(outcome, Outcome::StepLimit { .. }));
        let until = machine.thread(thread).steps + u64::from(ended);
        let name = machine.name(thread);
        match self.segments.last_mut() {
            Some(last) if last.thread == *name => last.until = until,
            _ => self.segments.push(Segment { thread: name.clone(), until, note: String::new() }),
        }
    }

    /// What the environment chose for a thread's next step.
    pub fn chose<V: Datum>(&mut self, machine: &Machine<V>, thread: usize, value: u64) {
        let step = machine.thread(thread).steps;
        self.choices.push(Choice { thread: machine.name(thread).clone(), step, value });
    }

    pub fn finish<V: Datum>(self, machine: Machine<V>, outcome: Outcome) -> Execution {
        Execution {
            recorded: record::recorded(&machine, &outcome),
            outcome,
            context_switches: self.segments.len().saturating_sub(1),
            segments: self.segments,
            choices: self.choices,
            output: machine.shared.files.output.to_vec(),
            threads: machine.thread_count(),
            steps: machine.steps,
            visible_steps: self.taken,
            events: Rc::unwrap_or_clone(machine.events),
        }
    }
}

/// One run of a program, as the strategy wants it.
pub fn execute(code: &Rc<Code>, options: &Options, strategy: &mut dyn Strategy) -> Execution {
    let mut machine = Machine::new(code, options);
    let mut log = Log::default();
    let mut last = None;
    let mut ready = Vec::new();
    loop {
        ready.clear();
        ready.extend((0..machine.thread_count()).filter(|&thread| machine.readiness(thread) != Readiness::Blocked));
        if ready.is_empty() {
            let outcome = at_end(&machine);
            return log.finish(machine, outcome);
        }
        let wakes_at = |&thread: &usize| {
            let status = &machine.shared.status[thread];
            (status.phase == Phase::Dozing).then_some((thread, status.wakes_at))
        };
        let asleep: Vec<(usize, i64)> = ready.iter().filter_map(wakes_at).collect();
        let yielded = machine.shared.yielded;
        let conflicts = |one, other| Touches::of(&machine, one).conflicts(&Touches::of(&machine, other));
        let view = View { ready: &ready, last, yielded, taken: log.taken, asleep: &asleep, conflicts: &conflicts };
        let thread = strategy.pick(&view);
        let choice = match machine.readiness(thread) {
            Readiness::Ready { alternatives } if alternatives > 1 => Some(strategy.alternative(alternatives)),
            Readiness::Input { bits } => Some(strategy.input(bits)),
            _ => None,
        };
        if let Some(value) = choice {
            log.chose(&machine, thread, value);
        }
        let outcome = machine.stride(thread, choice.unwrap_or(0));
        log.stepped(&machine, thread, outcome.as_ref());
        last = Some(thread);
        let outcome = outcome.or_else(|| deadlock_after(&machine, thread));
        if let Some(outcome) = outcome {
            return log.finish(machine, outcome);
        }
    }
}

/// A deadlock among some threads is seen as soon as its last member blocks, unless another thread releases one of its
/// mutexes later.
pub(crate) fn deadlock_after(machine: &Machine, thread: usize) -> Option<Outcome> {
    circle_after(machine, thread).filter(|_| !is_resolved(machine, thread))
}

/// So many strides of the other threads are looked at.
const LONGEST_RESOLUTION: usize = 10_000;

/// Whether one of the threads that can go on releases a mutex of the circle through this thread, though another thread
/// owns it. That is looked for in as many orders as there are such threads, each beginning with another one of them. A release that
/// happens in none of these orders is missed.
fn is_resolved(machine: &Machine, thread: usize) -> bool {
    let mutexes = stuck::releasable(machine, thread);
    let can_go = |machine: &Machine, thread: usize| machine.readiness(thread) != Readiness::Blocked;
    let ready: Vec<usize> = (0..machine.thread_count()).filter(|&thread| can_go(machine, thread)).collect();
    !mutexes.is_empty()
        && ready.iter().any(|&first| {
            let mut machine = machine.clone();
            let mut current = first;
            for _ in 0..LONGEST_RESOLUTION {
                if !can_go(&machine, current) {
                    let next = (0..machine.thread_count()).find(|&thread| can_go(&machine, thread));
                    let Some(next) = next else { return false };
                    current = next;
                }
                let outcome = machine.stride(current, 0);
                if mutexes.iter().any(|&mutex| stuck::is_handed_over(&machine, mutex)) {
                    return true;
                }
                if outcome.is_some() {
                    return false;
                }
            }
            false
        })
}

/// The threads that wait for each other since a thread has blocked, going by who owns what.
pub(crate) fn circle_after<V: Datum>(machine: &Machine<V>, thread: usize) -> Option<Outcome> {
    (machine.readiness(thread) == Readiness::Blocked && !machine.shared.status[thread].finished)
        .then(|| machine.stuck(Scope::CircleOf(thread)))
        .flatten()
}

pub fn at_end<V: Datum>(machine: &Machine<V>) -> Outcome {
    if machine.all_finished() {
        return Outcome::Passed { status: 0 };
    }
    machine.stuck(Scope::Everyone).unwrap_or(Outcome::Passed { status: 0 })
}

/// The run that a schedule describes. What the program does after the schedule's end is no part of it, unless the last
/// step ended the run or left everyone stuck.
pub fn replay(code: &Rc<Code>, options: &Options, schedule: &Schedule) -> Result<Execution, Misfit> {
    let mut machine = Machine::new(code, options);
    let (log, outcome) = replay_on(&mut machine, schedule, &mut Machine::step)?;
    Ok(log.finish(machine, outcome))
}

/// How a thread takes a step, with what the environment chooses for it.
pub type StepBy<'a, V> = dyn FnMut(&mut Machine<V>, usize, u64) -> Option<Outcome> + 'a;

/// As [`replay`], on a machine and with steps that the caller brings.
pub fn replay_by<V: Datum>(
    machine: &mut Machine<V>,
    schedule: &Schedule,
    step: &mut StepBy<'_, V>,
) -> Result<Outcome, Misfit> {
    replay_on(machine, schedule, step).map(|(_, outcome)| outcome)
}

/// Follows a schedule to its end and then goes on, each thread for as long as it can.
pub fn replay_and_go_on(code: &Rc<Code>, options: &Options, schedule: &Schedule) -> Result<Execution, Misfit> {
    let mut machine = Machine::new(code, options);
    let (mut log, outcome) = replay_on(&mut machine, schedule, &mut Machine::step)?;
    let outcome = match outcome {
        Outcome::StepLimit { .. } => run_out(&mut machine, &mut log),
        ended => ended,
    };
    Ok(log.finish(machine, outcome))
}

/// Whoever can go on does, for as long as it can.
pub(crate) fn run_out(machine: &mut Machine, log: &mut Log) -> Outcome {
    while let Some(thread) = (0..machine.thread_count()).find(|&thread| machine.readiness(thread) != Readiness::Blocked)
    {
        while machine.readiness(thread) != Readiness::Blocked {
            let outcome = machine.stride(thread, 0);
            log.stepped(machine, thread, outcome.as_ref());
            if let Some(outcome) = outcome {
                return outcome;
            }
        }
    }
    at_end(machine)
}

fn replay_on<V: Datum>(
    machine: &mut Machine<V>,
    schedule: &Schedule,
    step_of: &mut StepBy<'_, V>,
) -> Result<(Log, Outcome), Misfit> {
    let mut log = Log::default();
    let mut choices = schedule.choices.iter().peekable();
    for (index, segment) in schedule.segments.iter().enumerate() {
        let number = index + 1;
        let name = segment.thread.to_string();
        let Some(thread) = machine.find(&segment.thread) else {
            return Err(Misfit::NoThread { segment: number, thread: name });
        };
        loop {
            let step = machine.thread(thread).steps;
            if machine.shared.status[thread].finished {
                return Err(Misfit::Ended { segment: number, thread: name, step, until: segment.until });
            }
            let chooses =
                !matches!(machine.readiness(thread), Readiness::Blocked | Readiness::Ready { alternatives: 1 });
            let chosen = choices.next_if(|choice| chooses && choice.thread == segment.thread && choice.step == step);
            let value = chosen.map_or(0, |choice| choice.value);
            log.choices.extend(chosen.cloned());
            let may_stand =
                matches!(machine.shared.status[thread].pending, None | Some(Pending::Start | Pending::Spin { .. }));
            let outcome = step_of(machine, thread, value);
            let reached = machine.thread(thread).steps;
            // The thread's private steps are taken eagerly. A failure among those beyond the segment comes later.
            let fails = outcome
                .as_ref()
                .is_some_and(|outcome| outcome.is_wrong() || matches!(outcome, Outcome::Excluded { .. }));
            if fails && reached + 1 > segment.until {
                log.stepped(machine, thread, None);
                machine.abandon(thread);
                break;
            }
            log.stepped(machine, thread, outcome.as_ref());
            // Threads that wait in a circle end the run only where the schedule ends: the others can go on.
            let at_last = number == schedule.segments.len() && reached >= segment.until;
            let outcome = outcome.or_else(|| if at_last { circle_after(machine, thread) } else { None });
            if let Some(outcome) = outcome {
                if number < schedule.segments.len() || reached + 1 < segment.until {
                    return Err(Misfit::Over { segment: number });
                }
                return Ok((log, outcome));
            }
            if reached == step && !may_stand {
                return Err(Misfit::Blocked { segment: number, thread: name, step, until: segment.until });
            }
            if reached >= segment.until {
                break;
            }
        }
    }
    let idle = (0..machine.thread_count()).all(|thread| machine.readiness(thread) == Readiness::Blocked);
    // Who came last into a circle need not be who went last.
    let circle = || (0..machine.thread_count()).find_map(|thread| circle_after(machine, thread));
    let running = || Outcome::StepLimit { steps: machine.steps };
    let outcome = if idle { at_end(machine) } else { circle().unwrap_or_else(running) };
    Ok((log, outcome))
}
