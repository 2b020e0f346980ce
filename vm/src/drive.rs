//! Whole runs, under a strategy or a schedule.

use std::rc::Rc;

use run::{Divergence, Happened, Item, Schedule};
use semantics::code::Code;

use crate::deadlock::{circle_after, deadlock_after};
use crate::explore::touches::Touches;
use crate::follower::{Blind, Follower, Observer};
use crate::log::{Log, at_end};
use crate::machine::{Datum, Machine};
use crate::options::Options;
use crate::outcome::{Execution, Outcome};
use crate::readiness::Readiness;
use crate::strategy::{Strategy, View};
use crate::world::{Pending, Phase};

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
            (status.phase == Phase::Dozing).then_some((thread, status.own.wakes_at))
        };
        let asleep: Vec<(usize, i64)> = ready.iter().filter_map(wakes_at).collect();
        let yielded = machine.shared.turn.yielded;
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
