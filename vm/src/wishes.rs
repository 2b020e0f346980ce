//! A run that begins as a schedule says and goes on as near to what is wished as the program lets it.

use std::rc::Rc;

use run::{Schedule, Segment};
use semantics::code::Code;

use crate::drive::{Log, Misfit, replay_on, run_out};
use crate::machine::{Machine, Readiness};
use crate::options::Options;
use crate::outcome::{Execution, Outcome};

/// Follows the schedule's first segments to the letter. Then each of the wished ones is run up to its step, or as far as its
/// thread comes; while it is blocked, somebody else goes on. In the end each thread runs for as long as it can.
pub fn replay_and_wish(
    code: &Rc<Code>,
    options: &Options,
    schedule: &Schedule,
    first: usize,
    wished: &[Segment],
) -> Result<Execution, Misfit> {
    let mut machine = Machine::new(code, options);
    let beginning = Schedule { segments: schedule.segments[..first].to_vec(), ..schedule.clone() };
    let (mut log, outcome) = replay_on(&mut machine, &beginning, &mut Machine::step)?;
    let outcome = match outcome {
        Outcome::StepLimit { .. } => {
            let ended = wished.iter().find_map(|segment| wish(&mut machine, &mut log, schedule, segment));
            ended.unwrap_or_else(|| run_out(&mut machine, &mut log))
        }
        ended => ended,
    };
    Ok(log.finish(machine, outcome))
}

fn wish(machine: &mut Machine, log: &mut Log, schedule: &Schedule, segment: &Segment) -> Option<Outcome> {
    let thread = machine.find(&segment.thread)?;
    let mut helper = None;
    while machine.thread(thread).steps < segment.until && !machine.shared.status[thread].finished {
        let ready = |other: usize| machine.readiness(other) != Readiness::Blocked;
        let next = if ready(thread) {
            thread
        } else {
            // Whoever helps goes on doing so until the way is free.
            let others = (0..machine.thread_count()).filter(|&other| ready(other));
            helper.filter(|&other| ready(other)).or_else(|| others.into_iter().next())?
        };
        helper = Some(next).filter(|&next| next != thread).or(helper);
        let step = machine.thread(next).steps;
        let choice = schedule.choices.iter().find(|choice| choice.step == step && choice.thread == *machine.name(next));
        let chooses = !matches!(machine.readiness(next), Readiness::Ready { alternatives: 1 });
        let choice = choice.filter(|_| chooses).map_or(0, |choice| choice.value);
        let outcome = machine.step(next, choice);
        log.stepped(machine, next, outcome.as_ref());
        if outcome.is_some() {
            return outcome;
        }
        // It turns on the spot.
        if machine.thread(next).steps == step && machine.readiness(next) != Readiness::Blocked {
            return None;
        }
    }
    None
}
