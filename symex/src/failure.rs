//! The failure of a run as an assertion of its graph: the condition that decided it, at the branch or access where it was
//! decided, so that no condition of the failing path contradicts a run that does not fail.

use std::collections::HashSet;

use events::{EventGraph, EventId, Kind, Place};
use formula::Term;
use ir::Primitive;
use vm::idle::Awaits;
use vm::memory::State;
use vm::sync::{Mutex, Sync};
use vm::world::Pending;
use vm::{Failure, Machine};

use crate::bounded::place::SYNC_BYTES;
use crate::dual::Dual;
use crate::trace::{Failing, Trace};

/// What becomes of the failing thread's conditions.
pub enum Decided {
    /// This condition becomes the assertion, and those no longer count. What follows it in its thread goes. It is spoken
    /// of where the thread failed, which may be later.
    Branch { event: EventId, holds: Term, neutral: Vec<EventId>, place: Option<Place> },
    /// There is an assertion already; what it needed begins with the first.
    Noted { event: EventId, first: EventId },
}

impl Decided {
    /// The first of the failing thread's events from which on it may go another way.
    pub fn first(&self) -> EventId {
        match self {
            Decided::Branch { event, neutral, .. } => neutral.first().copied().unwrap_or(*event),
            Decided::Noted { first, .. } => *first,
        }
    }
}

/// Notes what every thread that cannot go on waits for.
pub fn note_waiting(machine: &Machine<Dual>, trace: &mut Trace) {
    for thread in 0..machine.thread_count() {
        waiting(machine, trace, thread);
    }
}

/// Notes what decided the failure of a thread.
pub fn decide(machine: &Machine<Dual>, trace: &mut Trace, failure: &Failure) -> Option<Decided> {
    if failure.is_stuck() {
        return None;
    }
    trace.current = machine.find(&failure.site.thread)?;
    let operand = trace.failing.take().filter(|failing| depends_on_others(machine, failing));
    if let Some(operand) = operand {
        let first = EventId(trace.builder.graph().events.len() as u32);
        let condition = operand_condition(machine, trace, operand);
        let id = trace.prepare();
        let event = trace.builder.assert(id, condition);
        trace.note(event, events::Choice::Only);
        return Some(Decided::Noted { event, first });
    }
    Some(branch(trace, failure))
}

/// Whether the operation could have gone well with what it was given by others.
fn depends_on_others(machine: &Machine<Dual>, failing: &Failing) -> bool {
    match failing {
        Failing::Divisor(divisor) => divisor.term.is_some(),
        Failing::Address { address, .. } => {
            let memory = &machine.shared.memory;
            let is_freed =
                memory.resolve(address.word as u64).is_some_and(|(id, _)| memory.object(id).state != State::Live);
            address.term.is_some() || is_freed
        }
    }
}

fn operand_condition(machine: &Machine<Dual>, trace: &mut Trace, failing: Failing) -> Term {
    let (address, bytes) = match failing {
        Failing::Divisor(divisor) => {
            let term = trace.term_of(&divisor, u32::from(divisor.bits));
            let zero = trace.terms().bits(u32::from(divisor.bits), 0);
            return trace.terms().ne(term, zero);
        }
        Failing::Address { address, bytes } => (address, bytes),
    };
    let memory = &machine.shared.memory;
    let at = address.word as u64;
    let term = trace.term_of(&address, 64);
    let same = trace.terms().bits(64, u128::from(at));
    let elsewhere = trace.terms().ne(term, same);
    let Some((id, _)) = memory.resolve(at) else { return elsewhere };
    let object = memory.object(id);
    if object.state != State::Live {
        let key = trace.key_of(object.base);
        let end = trace.end_of(memory, key);
        let place = trace.builder.address(end, 0);
        let id = trace.prepare();
        let ended = trace.builder.read(id, place, 1);
        let event = trace.last_event();
        trace.note(event, events::Choice::Only);
        trace.label_block(memory, key.base, "use");
        let zero = trace.terms().bits(8, 0);
        let alive = trace.terms().eq(ended, zero);
        return trace.terms().or2(elsewhere, alive);
    }
    let base = trace.terms().bits(64, u128::from(object.base));
    let offset = trace.terms().sub(term, base);
    let room = object.size.saturating_sub(u64::from(bytes));
    let room = trace.terms().bits(64, u128::from(room));
    trace.terms().ule(offset, room)
}

/// The last branch that depended on others, with those that stand in the same line before it.
fn branch(trace: &mut Trace, failure: &Failure) -> Decided {
    let mut conditions = trace.me().conditions.clone();
    conditions.retain(|condition| !trace.dropped.contains(&condition.event));
    let Some(last) = conditions.last().cloned() else {
        let id = trace.prepare();
        let never = trace.terms().falsehood();
        let event = trace.builder.assert(id, never);
        trace.note(event, events::Choice::Only);
        return Decided::Noted { event, first: event };
    };
    let same_line = conditions.iter().rev().take_while(|condition| condition.at == last.at && last.at.1 != 0).count();
    let group = &conditions[conditions.len() - same_line.max(1)..];
    let mut before = trace.terms().truth();
    let mut ways = Vec::new();
    for condition in group {
        if !condition.other_way_ends {
            let other = trace.terms().not(condition.literal);
            ways.push(trace.terms().and2(before, other));
        }
        before = trace.terms().and2(before, condition.literal);
    }
    if ways.is_empty() {
        ways.push(trace.terms().not(last.literal));
    }
    let holds = trace.terms().or(&ways);
    let neutral = group[..group.len() - 1].iter().map(|condition| condition.event).collect();
    Decided::Branch { event: last.event, holds, neutral, place: trace.place(&failure.site.frames) }
}

/// What a thread that cannot go on waits for, as an event that does not happen.
fn waiting(machine: &Machine<Dual>, trace: &mut Trace, thread: usize) {
    let status = &machine.shared.status[thread];
    let Some(pending) = status.pending.clone().filter(|_| !status.finished) else { return };
    trace.current = thread;
    let memory = &machine.shared.memory;
    match pending {
        Pending::Primitive { primitive, args } => primitive_waiting(machine, trace, primitive, args),
        Pending::Spin { awaits: Awaits::Values(values), .. } => {
            let Some(&(at, bytes, word)) = values.first() else { return };
            let address = Dual::plain(u128::from(at), 64);
            let Some(places) = trace.places(memory, &address, bytes) else { return };
            let address = trace.address(memory, &places);
            let id = trace.prepare();
            let old = trace.builder.spin(id, address, bytes, |terms, old| {
                let same = terms.bits(8 * bytes, word);
                terms.ne(old, same)
            });
            let _ = old;
            remember(trace);
        }
        _ => {}
    }
}

fn remember(trace: &mut Trace) {
    let event = trace.last_event();
    trace.remember(event);
}

fn primitive_waiting(machine: &Machine<Dual>, trace: &mut Trace, primitive: Primitive, args: [u64; 4]) {
    let memory = &machine.shared.memory;
    let at = args[0];
    trace.end_section();
    trace.me().atomic.gap = true;
    let id = trace.prepare();
    match primitive {
        Primitive::MutexLock => {
            let recursive =
                matches!(machine.shared.syncs.get(at), Some(Sync::Mutex(Mutex { kind: ir::MutexKind::Recursive, .. })));
            let mutex = trace.sync(memory, at);
            trace.builder.lock(id, mutex, recursive);
        }
        Primitive::CondWait | Primitive::CondTimedWait => {
            let Some(sleep) = trace.me().halfway else { return };
            let (wake, _) = trace.wake(sleep, false);
            trace.builder.event(id, wake);
        }
        Primitive::ThreadJoin => {
            let child = vm::world::thread_of(&machine.shared, at).and_then(|child| trace.threads.get(child));
            let Some(child) = child.map(|child| child.id) else { return };
            trace.builder.join(id, child);
        }
        Primitive::SemWait | Primitive::RwRead | Primitive::RwWrite | Primitive::OnceBegin => {
            let state = trace.sync(memory, at);
            match primitive {
                Primitive::SemWait => trace.builder.sem_wait(id, state, SYNC_BYTES),
                Primitive::RwRead => trace.builder.read_lock(id, state, SYNC_BYTES),
                Primitive::RwWrite => trace.builder.write_lock(id, state, SYNC_BYTES),
                _ => trace.builder.once(id, state, SYNC_BYTES),
            };
        }
        _ => return,
    }
    remember(trace);
}

/// Puts the assertion where it was decided. Exits stand at the end, one for each thread.
pub fn apply(
    graph: &mut EventGraph,
    decided: Decided,
    first_exit: u32,
    dropped: &mut HashSet<EventId>,
) -> Option<EventId> {
    let (event, holds, neutral, place) = match decided {
        Decided::Noted { event, .. } => return Some(event),
        Decided::Branch { event, holds, neutral, place } => (event, holds, neutral, place),
    };
    let decisive = &mut graph.events[event.index()];
    decisive.kind = Kind::Assert { condition: holds };
    decisive.place = place.or(decisive.place.take());
    dropped.extend(neutral);
    let thread = graph.events[event.index()].thread;
    let position = graph.threads[thread.index()].events.iter().position(|&other| other == event)?;
    let (earlier, later) = graph.threads[thread.index()].events.split_at(position + 1);
    let is_mark = |kind: &Kind| matches!(kind, Kind::AtomicBegin | Kind::AtomicEnd);
    let mark = |&&event: &&EventId| is_mark(&graph.events[event.index()].kind) && !dropped.contains(&event);
    let last = earlier.iter().rev().find(mark);
    let is_inside = last.is_some_and(|last| matches!(graph.events[last.index()].kind, Kind::AtomicBegin));
    // The section in which it was decided keeps its end.
    let end = later.iter().find(mark).filter(|_| is_inside).copied();
    let later: Vec<EventId> =
        later.iter().copied().filter(|&other| other.0 < first_exit && Some(other) != end).collect();
    dropped.extend(later);
    Some(event)
}
