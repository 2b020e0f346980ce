//! A run in the order in which a native run took its tickets.
//!
//! The program holds `order.ticket` before each operation that others may see. A recorded order names, for each ticket,
//! the thread that took it; an operation that falls asleep or arrives and waits takes a second one when it goes on. Between
//! tickets a thread does nothing that depends on the others, so that it can be run up to its next one at once.

use std::rc::Rc;

use ir::Primitive;
use run::ThreadName;
use semantics::code::Code;
use thiserror::Error;

use crate::drive::{Log, run_out};
use crate::machine::{Machine, Readiness};
use crate::options::Options;
use crate::outcome::{Execution, Outcome};
use crate::world::{Pending, Phase};

/// The program does not go the way of the order.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Lost {
    #[error("ticket {ticket}: there is no thread {thread} yet")]
    NoThread { ticket: usize, thread: ThreadName },
    #[error("ticket {ticket}: thread {thread} has ended")]
    Ended { ticket: usize, thread: ThreadName },
    #[error("ticket {ticket}: thread {thread} cannot go on: it waits for {pending}")]
    Blocked { ticket: usize, thread: ThreadName, pending: String },
}

impl Lost {
    /// The number of the ticket, from 1.
    pub fn ticket(&self) -> usize {
        match self {
            Lost::NoThread { ticket, .. } | Lost::Ended { ticket, .. } | Lost::Blocked { ticket, .. } => *ticket,
        }
    }
}

/// Where a thread stands between two steps.
enum Stand {
    /// Before a ticket.
    Ticket,
    /// In the middle of an operation that takes a second ticket.
    Waits,
    Finished,
    Goes,
}

/// Follows an order to its end, and then lets the threads go on one after the other.
pub fn follow(code: &Rc<Code>, options: &Options, order: &[ThreadName]) -> Result<Execution, Lost> {
    let options = Options { tickets: true, ..options.clone() };
    let mut machine = Machine::new(code, &options);
    let mut log = Log::default();
    for (number, name) in order.iter().enumerate() {
        let ticket = number + 1;
        let lost = |pending: String| Lost::Blocked { ticket, thread: name.clone(), pending };
        let thread = machine.find(name).ok_or_else(|| Lost::NoThread { ticket, thread: name.clone() })?;
        if let Some(outcome) = run_on(&mut machine, &mut log, thread) {
            return Ok(log.finish(machine, outcome));
        }
        match stand(&machine, thread) {
            Stand::Finished => return Err(Lost::Ended { ticket, thread: name.clone() }),
            Stand::Ticket | Stand::Waits | Stand::Goes => {}
        }
        if machine.readiness(thread) == Readiness::Blocked {
            return Err(lost(waited_for(&machine, thread)));
        }
        if let Some(outcome) = step(&mut machine, &mut log, thread) {
            return Ok(log.finish(machine, outcome));
        }
        // The ticket was for an operation that is tried now.
        if let Some(pending) = stuck_at(&machine, thread) {
            return Err(lost(pending));
        }
        if let Some(outcome) = run_on(&mut machine, &mut log, thread) {
            return Ok(log.finish(machine, outcome));
        }
    }
    // Nobody took a ticket any more.
    let outcome = run_out(&mut machine, &mut log);
    Ok(log.finish(machine, outcome))
}

fn stand(machine: &Machine, thread: usize) -> Stand {
    let status = &machine.shared.status[thread];
    match &status.pending {
        _ if status.finished || status.crashed => Stand::Finished,
        Some(Pending::Primitive { primitive: Primitive::OrderTicket, .. }) => Stand::Ticket,
        Some(Pending::Primitive { .. }) if !matches!(status.phase, Phase::Whole) => Stand::Waits,
        Some(Pending::Primitive { .. }) if machine.readiness(thread) == Readiness::Blocked => Stand::Waits,
        _ => Stand::Goes,
    }
}

/// What a thread cannot have that a ticket said it had.
fn stuck_at(machine: &Machine, thread: usize) -> Option<String> {
    let status = &machine.shared.status[thread];
    let is_blocked = machine.readiness(thread) == Readiness::Blocked && !status.finished;
    match &status.pending {
        Some(Pending::Primitive { primitive, .. }) if is_blocked && matches!(status.phase, Phase::Whole) => {
            let waits_twice = matches!(primitive, Primitive::OnceBegin | Primitive::BarrierWait);
            (!waits_twice).then(|| waited_for(machine, thread))
        }
        _ => None,
    }
}

fn waited_for(machine: &Machine, thread: usize) -> String {
    let others = (0..machine.thread_count()).filter(|&other| other != thread && !machine.shared.status[other].finished);
    let others: Vec<String> = others
        .map(|other| format!("{} is at {} in {}", machine.name(other), pending(machine, other), place(machine, other)))
        .collect();
    format!("{} in {}; {}", pending(machine, thread), place(machine, thread), others.join(", "))
}

fn pending(machine: &Machine, thread: usize) -> &'static str {
    match &machine.shared.status[thread].pending {
        Some(Pending::Primitive { primitive, .. }) => primitive.name(),
        Some(Pending::Spin { .. }) => "a loop",
        Some(Pending::Memory { .. }) => "memory",
        Some(Pending::Start) => "its start",
        Some(Pending::Leave { .. }) => "the end of a call",
        Some(Pending::Finish) => "its end",
        None => "nothing",
    }
}

fn place(machine: &Machine, thread: usize) -> String {
    let program = &machine.code.program;
    let frames: Vec<String> = machine
        .site(thread)
        .frames
        .iter()
        .take(3)
        .map(|frame| {
            let line = program.spans.get(frame.span.0 as usize).map_or(0, |span| span.line);
            format!("{}:{line}", program.functions[frame.function.index()].display)
        })
        .collect();
    frames.join(" < ")
}

fn step(machine: &mut Machine, log: &mut Log, thread: usize) -> Option<Outcome> {
    let outcome = machine.step(thread, 0);
    log.stepped(machine, thread, outcome.as_ref());
    outcome
}

/// Up to the next ticket.
fn run_on(machine: &mut Machine, log: &mut Log, thread: usize) -> Option<Outcome> {
    while let Stand::Goes = stand(machine, thread) {
        if let Some(outcome) = step(machine, log, thread) {
            return Some(outcome);
        }
    }
    None
}
