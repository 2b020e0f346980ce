//! Takes the order of a run over to another version of its program, which has some more steps: those of an expression that
//! was put in. All other visible steps are taken by the same threads in the same order, with the same choices.

use std::rc::Rc;

use run::{Divergence, Item, Schedule, ThreadName};
use semantics::code::Code;
use semantics::concrete::Word;

use crate::drive::replay_by;
use crate::follower::{Blind, Follower, Observer};
use crate::machine::Machine;
use crate::options::Options;
use crate::outcome::{Execution, Outcome, Site};

/// Notes which thread takes each visible step, and the choice of the environment.
#[derive(Default)]
struct Taken {
    steps: Vec<(ThreadName, u64)>,
}

impl Observer<Word> for Taken {
    fn step(&mut self, machine: &mut Machine, thread: usize, choice: u64) -> Option<Outcome> {
        self.steps.push((machine.name(thread).clone(), choice));
        machine.step(thread, choice)
    }
}

/// The run of `from` that the schedule describes, as a run of `to`. Steps at `inserted` sites are those that only `to` has;
/// each is taken at once before the next step of its thread.
pub fn transfer(
    from: &Rc<Code>,
    schedule: &Schedule,
    to: &Rc<Code>,
    options: &Options,
    inserted: &dyn Fn(&Site) -> bool,
) -> Result<Execution, Divergence> {
    let (original, _) = replay_by(from, options, schedule, Taken::default())?;
    let options = Options { record: true, ..options.clone() };
    let mut follower = Follower::new(Machine::new(to, &options), Blind);
    for (number, (name, choice)) in original.observer.steps.iter().enumerate() {
        follower.item = Item::Ticket { number: number + 1 };
        let thread = follower.find(name)?;
        let mut outcome = None;
        while outcome.is_none() && !follower.is_finished(thread) && inserted(&follower.machine.site(thread)) {
            outcome = follower.go(thread, None)?;
        }
        if outcome.is_none() {
            outcome = follower.go(thread, (*choice != 0).then_some(*choice))?;
        }
        if let Some(outcome) = outcome {
            return Ok(follower.finish(outcome));
        }
    }
    let outcome = follower.run_out();
    Ok(follower.finish(outcome))
}
