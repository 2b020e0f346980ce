//! The order of a run, as it is recorded, and the outcome of a run in which no thread can go on.

use std::rc::Rc;

use run::{Choice, Segment};

use crate::machine::{Datum, Machine};
use crate::outcome::{Execution, Outcome};
use crate::record;
use crate::stuck::Scope;

/// The order of a run, as it is recorded.
#[derive(Clone, Default)]
pub struct Log {
    segments: Vec<Segment>,
    choices: Vec<Choice>,
    pub(crate) taken: u64,
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

/// The outcome of a run in which no thread is enabled.
pub fn at_end<V: Datum>(machine: &Machine<V>) -> Outcome {
    if machine.all_finished() {
        return Outcome::Passed { status: 0 };
    }
    machine.stuck(Scope::Everyone).unwrap_or(Outcome::Passed { status: 0 })
}
