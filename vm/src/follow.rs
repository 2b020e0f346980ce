//! A run in the order of a native run's tickets.
//!
//! The program has an `order.ticket` before each operation that others can observe. A recorded order gives, for each
//! ticket, the thread that took it; an operation that falls asleep or arrives and waits takes a second one when it
//! resumes. Between tickets a thread does not depend on the others, so it can run up to its next one at once.

use std::rc::Rc;

use ir::Primitive;
use run::{Divergence, Item, ThreadName};
use semantics::code::Code;
use semantics::concrete::Word;

use crate::follower::{Blind, Follower};
use crate::machine::Machine;
use crate::options::Options;
use crate::outcome::{Execution, Outcome};
use crate::world::{Pending, Phase};

/// The state of a thread between two steps.
enum Stand {
    /// Before a ticket.
    Ticket,
    /// In the middle of an operation that takes a second ticket.
    Waits,
    Finished,
    Goes,
}

/// Follows an order to its end, and then lets the threads run one after the other.
pub fn follow(code: &Rc<Code>, options: &Options, order: &[ThreadName]) -> Result<Execution, Divergence> {
    follow_and_end(code, options, order, None)
}

/// As [`follow`]; at the end of the order this thread runs first, instead of the one that ends the process. The record
/// does not determine which: one thread may end the process while another one fails.
pub fn follow_and_end(
    code: &Rc<Code>,
    options: &Options,
    order: &[ThreadName],
    first: Option<&ThreadName>,
) -> Result<Execution, Divergence> {
    let options = Options { tickets: true, ..options.clone() };
    let mut follower = Follower::new(Machine::new(code, &options), Blind);
    for (number, name) in order.iter().enumerate() {
        follower.item = Item::Ticket { number: number + 1 };
        let thread = follower.find(name)?;
        if let Some(outcome) = take(&mut follower, thread)? {
            return Ok(follower.finish(outcome));
        }
    }
    let first = match first {
        Some(name) => Some(follower.find(name)?),
        None => (0..follower.machine.thread_count()).find(|&thread| ends_process(&follower, thread)),
    };
    let outcome = first.and_then(|thread| follower.run_out_of(thread)).unwrap_or_else(|| follower.run_out());
    Ok(follower.finish(outcome))
}

/// A thread reaches its next ticket, takes it, and runs to the one after it.
fn take(follower: &mut Follower<Word, Blind>, thread: usize) -> Result<Option<Outcome>, Divergence> {
    if let Some(outcome) = run_on(follower, thread) {
        return Ok(Some(outcome));
    }
    if let Stand::Finished = stand(follower, thread) {
        return Err(follower.ended(thread));
    }
    if let Some(outcome) = follower.go(thread, None)? {
        return Ok(Some(outcome));
    }
    // The ticket was for an operation that is attempted now. It may need steps that others do without tickets, such as
    // their end.
    if is_stuck(follower, thread) {
        for other in 0..follower.machine.thread_count() {
            if let Some(outcome) = run_on(follower, other) {
                return Ok(Some(outcome));
            }
        }
    }
    if is_stuck(follower, thread) {
        return Err(follower.blocked(thread));
    }
    Ok(run_on(follower, thread))
}

fn stand(follower: &Follower<Word, Blind>, thread: usize) -> Stand {
    let status = &follower.machine.shared.status[thread];
    match &status.pending {
        _ if status.finished || status.crashed => Stand::Finished,
        Some(Pending::Primitive { primitive: Primitive::OrderTicket, .. }) => Stand::Ticket,
        // Others run until it can complete.
        _ if ends_process(follower, thread) => Stand::Waits,
        Some(Pending::Primitive { .. }) if !matches!(status.phase, Phase::Whole) => Stand::Waits,
        Some(Pending::Primitive { .. }) if follower.is_blocked(thread) => Stand::Waits,
        _ => Stand::Goes,
    }
}

/// Whether the thread is about to end the process.
fn ends_process(follower: &Follower<Word, Blind>, thread: usize) -> bool {
    let pending = &follower.machine.shared.status[thread].pending;
    matches!(pending, Some(Pending::Primitive { primitive: Primitive::ProcessExit, .. }))
}

/// Whether a thread cannot complete the operation of its ticket.
fn is_stuck(follower: &Follower<Word, Blind>, thread: usize) -> bool {
    let status = &follower.machine.shared.status[thread];
    let is_blocked = follower.is_blocked(thread) && !status.finished;
    match &status.pending {
        Some(Pending::Primitive { primitive, .. }) if is_blocked && matches!(status.phase, Phase::Whole) => {
            !matches!(primitive, Primitive::OnceBegin | Primitive::BarrierWait)
        }
        _ => false,
    }
}

/// Up to the next ticket. A loop that waits goes round, as it did natively.
fn run_on(follower: &mut Follower<Word, Blind>, thread: usize) -> Option<Outcome> {
    while let Stand::Goes = stand(follower, thread) {
        let outcome = follower.advance(thread, None);
        if outcome.is_some() {
            return outcome;
        }
    }
    None
}
