//! The steps to a state, and their schedule.

use run::{Choice, Segment};

use crate::explore::Transition;
use crate::machine::Machine;

#[derive(Clone, Debug, Default)]
pub struct Path(Vec<Taken>);

#[derive(Clone, Debug)]
struct Taken {
    thread: usize,
    choice: Option<u64>,
    /// The thread's step count before and after.
    from: u64,
    until: u64,
}

impl Path {
    /// Records a step that led to the state of `machine`. For a thread that failed in it, only the visible instruction
    /// counts: later steps of others came before the failure.
    pub fn push(&mut self, transition: &Transition, from: u64, machine: &Machine) {
        let mut until = machine.thread(transition.thread).steps;
        if machine.shared.status[transition.thread].crashed {
            until = until.min(from + 1);
        }
        self.0.push(Taken { thread: transition.thread, choice: transition.choice, from, until });
    }

    /// The last thread took one step more, without a choice, from this step count on.
    pub fn extend(&mut self, from: u64, machine: &Machine) {
        let Some(taken) = self.0.last_mut() else { return };
        taken.until = machine.thread(taken.thread).steps;
        if machine.shared.status[taken.thread].crashed {
            taken.until = taken.until.min(from + 1);
        }
    }

    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// The schedule of this path and one more step that led to the state of `machine`. A step that ended with a failing
    /// instruction includes that instruction.
    pub fn schedule(&self, machine: &Machine, last: &Transition, by_instruction: bool) -> (Vec<Segment>, Vec<Choice>) {
        let before = self.0.iter().rev().find(|taken| taken.thread == last.thread).map_or(0, |taken| taken.until);
        let until = machine.thread(last.thread).steps + u64::from(by_instruction);
        let end = Taken { thread: last.thread, choice: last.choice, from: before, until };
        let mut segments: Vec<Segment> = Vec::new();
        let mut choices = Vec::new();
        for taken in self.0.iter().chain([&end]) {
            let name = machine.name(taken.thread);
            if machine.shared.status[taken.thread].crashed && taken.from == taken.until {
                continue;
            }
            if let Some(value) = taken.choice {
                choices.push(Choice { thread: name.clone(), step: taken.from, value });
            }
            match segments.last_mut() {
                Some(segment) if segment.thread == *name => segment.until = taken.until,
                _ => segments.push(Segment { thread: name.clone(), until: taken.until, note: String::new() }),
            }
        }
        (segments, choices)
    }
}
