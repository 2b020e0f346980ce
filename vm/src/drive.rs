//! Whole runs, under a strategy or a schedule.

use std::rc::Rc;

use run::{Choice, Divergence, Happened, Item, Schedule, Segment};
use semantics::code::Code;

use crate::deadlock::{circle_after, deadlock_after};
use crate::explore::touches::Touches;
use crate::follower::{Blind, Follower, Observer};
use crate::machine::{Datum, Machine};
use crate::readiness::Readiness;
use crate::options::Options;
use crate::outcome::{Execution, Outcome};
use crate::record;
use crate::strategy::{Strategy, View};
use crate::stuck::Scope;
use crate::world::{Pending, Phase};

/// The order of a run, as it is recorded.
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

    /// Records the environment's choice for a thread's next step.
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
        let outcome = outcome.or_else(|| deadlock_after(&mut machine, thread));
        if let Some(outcome) = outcome {
            return log.finish(machine, outcome);
        }
    }
}

pub fn at_end<V: Datum>(machine: &Machine<V>) -> Outcome {
    if machine.all_finished() {
        return Outcome::Passed { status: 0 };
    }
    machine.stuck(Scope::Everyone).unwrap_or(Outcome::Passed { status: 0 })
}

/// Replays a schedule. The program's behaviour after the schedule's end is not included, unless the last step ended the
/// run or left all threads stuck.
pub fn replay(code: &Rc<Code>, options: &Options, schedule: &Schedule) -> Result<Execution, Divergence> {
    let (follower, outcome) = replay_by(code, options, schedule, Blind)?;
    Ok(follower.finish(outcome))
}

/// Follows a schedule to its end and then continues, each thread for as long as it can.
pub fn replay_and_go_on(code: &Rc<Code>, options: &Options, schedule: &Schedule) -> Result<Execution, Divergence> {
    let (mut follower, outcome) = replay_by(code, options, schedule, Blind)?;
    let outcome = match outcome {
        Outcome::StepLimit { .. } => follower.run_out(),
        ended => ended,
    };
    Ok(follower.finish(outcome))
}

/// As [`replay`], seen by an observer.
pub fn replay_by<V: Datum, O: Observer<V>>(
    code: &Rc<Code>,
    options: &Options,
    schedule: &Schedule,
    observer: O,
) -> Result<(Follower<V, O>, Outcome), Divergence> {
    let mut follower = Follower::new(Machine::new(code, options), observer);
    let mut choices = schedule.choices.iter().peekable();
    let last = schedule.segments.len();
    for (index, segment) in schedule.segments.iter().enumerate() {
        let (number, until) = (index + 1, segment.until);
        follower.item = Item::Segment { number, until };
        let thread = follower.find(&segment.thread)?;
        loop {
            if follower.is_finished(thread) {
                return Err(follower.ended(thread));
            }
            let step = follower.steps(thread);
            let readiness = follower.machine.readiness(thread);
            let chooses = !matches!(readiness, Readiness::Blocked | Readiness::Ready { alternatives: 1 });
            let chosen = choices.next_if(|choice| chooses && choice.thread == segment.thread && choice.step == step);
            let pending = &follower.machine.shared.status[thread].pending;
            let may_stand = matches!(pending, None | Some(Pending::Start | Pending::Spin { .. }));
            let outcome = follower.step(thread, chosen.map(|choice| choice.value));
            let reached = follower.steps(thread);
            let fails = outcome
                .as_ref()
                .is_some_and(|outcome| outcome.is_wrong() || matches!(outcome, Outcome::Excluded { .. }));
            if fails && reached + 1 > until {
                follower.put_off(thread);
                break;
            }
            follower.note(thread, outcome.as_ref());
            // A cycle of waiting threads ends the run only at the end of the schedule, since the others can go on.
            let at_last = number == last && reached >= until;
            let outcome = outcome.or_else(|| if at_last { circle_after(&follower.machine, thread) } else { None });
            if let Some(outcome) = outcome {
                if number < last || reached + 1 < until {
                    return Err(follower.divergence(&segment.thread, Happened::Over));
                }
                return Ok((follower, outcome));
            }
            if reached == step && !may_stand {
                return Err(follower.blocked(thread));
            }
            if reached >= until {
                break;
            }
        }
    }
    let machine = &follower.machine;
    let idle = (0..machine.thread_count()).all(|thread| follower.is_blocked(thread));
    // The last thread of a circle need not be the last one that took a step.
    let circle = || (0..machine.thread_count()).find_map(|thread| circle_after(machine, thread));
    let running = || Outcome::StepLimit { steps: machine.steps };
    let outcome = if idle { at_end(machine) } else { circle().unwrap_or_else(running) };
    Ok((follower, outcome))
}
