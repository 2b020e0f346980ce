//! Idle rounds of loops: a round that changes nothing and returns to the state in which it began means that the loop
//! waits.
//!
//! If every round is idle and reads one location, that read becomes a spin event, enabled only where the loop is left
//! after it. Otherwise an await event follows the round, under the condition that the round was idle: executions without
//! idle rounds go on, and one in which the values never change again hangs there. A change is defined as in the machine.
//!
//! A round that sleeps moves the clock, which does not count as a change. But the clock may be read later, so such a
//! round is kept: the machine does one of them and then waits for a change. Executions with more of them are a cut.

use std::collections::HashMap;

use events::{Access, EventId, Kind, Label};
use formula::{Sort, Term};

use crate::bounded::objects::{ObjectId, Surrounding};
use crate::bounded::sets::{Element, Refined};
use crate::bounded::state::{State, Visit};
use crate::bounded::value::Value;
use crate::bounded::walk::{Reason, Role, Walk};

/// The condition that the loop is in the state in which its last round began. The false term if that is known not to
/// hold.
pub fn comes_back(walk: &mut Walk<'_>, last: &Visit, live: &[Value], state: &State) -> Term {
    comes_back_but(walk, last, live, state, None)
}

/// As [`comes_back`], ignoring one object.
fn comes_back_but(walk: &mut Walk<'_>, last: &Visit, live: &[Value], state: &State, except: Option<ObjectId>) -> Term {
    let never = walk.terms().falsehood();
    if last.live.len() != live.len() {
        return never;
    }
    let mut same = Vec::new();
    for (&before, &now) in last.live.iter().zip(live) {
        let equal = before.same(walk.terms(), now);
        if walk.terms().as_bool(equal) == Some(false) {
            return never;
        }
        same.push(equal);
    }
    let (terms, objects) = (walk.builder.terms(), &walk.known.objects);
    same.push(last.memory.same(terms, objects, &state.rest.memory, except));
    terms.and(&same)
}

/// The clock, if the round may have moved it by sleeping.
pub fn slept(walk: &mut Walk<'_>, last: &Visit, state: &State) -> Option<ObjectId> {
    if !walk.code.reads_clock || walk.guide.is_some() || walk.run.is_some() {
        return None;
    }
    let base = walk.known.objects.surrounding(&Surrounding::Clock)?;
    let (clock, _) = walk.known.objects.resolve(base)?;
    let moved = last.memory.get(clock) != state.rest.memory.get(clock);
    let moved = moved || events(walk, last, state).into_iter().any(|event| is_at(walk, event, clock));
    moved.then_some(clock)
}

/// Whether the event is an access to the object.
fn is_at(walk: &mut Walk<'_>, event: EventId, object: ObjectId) -> bool {
    let object = walk.object(object);
    let graph = walk.builder.graph();
    let Kind::Access(access) = &graph.events[event.index()].kind else { return false };
    graph.terms.as_bits(access.address.object) == Some(u128::from(object.0))
}

/// The round has slept. If it changed only the clock and did not read the clock, the machine does one such round and
/// then waits for a change: the path stops at an await or goes on, and a second such round is a cut. Returns the
/// condition that this round was idle.
pub fn sleep_on(walk: &mut Walk<'_>, last: &Visit, live: &[Value], state: &mut State, clock: ObjectId) -> Term {
    let never = walk.terms().falsehood();
    if state.rest.live && state.rest.atomic > 0 {
        return never;
    }
    let back = comes_back_but(walk, last, live, state, Some(clock));
    let idle = if back == never { never } else { condition_but(walk, last, state, back, Some(clock)) };
    if idle == never {
        return never;
    }
    let again = walk.terms().and2(idle, last.slept);
    if again != never {
        let mut beyond = state.rest.clone();
        beyond.guard.push(walk.builder.terms(), again);
        walk.cut(&beyond, Reason::Loop);
        let once = walk.terms().not(again);
        state.rest.guard.push(walk.builder.terms(), once);
        if walk.terms().as_bool(again) == Some(true) {
            return idle;
        }
    }
    let name = format!("sleeps{}", walk.builder.graph().events.len());
    let choice = walk.builder.input(name, Sort::Bits(1));
    let one = walk.terms().bits(1, 1);
    let chosen = walk.terms().eq(choice, one);
    let stays = walk.terms().and2(chosen, idle);
    let mut round = events(walk, last, state);
    round.retain(|&event| looks(walk, event) && !is_at(walk, event, clock));
    let mut there = state.rest.clone();
    there.guard.push(walk.builder.terms(), stays);
    walk.event(&there, Role::Part, Kind::Await { round });
    let leaves = walk.terms().not(stays);
    state.rest.guard.push(walk.builder.terms(), leaves);
    idle
}

/// The condition that the round which ends here changed nothing, given the condition that it came back.
pub fn condition(walk: &mut Walk<'_>, last: &Visit, state: &State, comes_back: Term) -> Term {
    condition_but(walk, last, state, comes_back, None)
}

/// As [`condition`], ignoring one object.
fn condition_but(walk: &mut Walk<'_>, last: &Visit, state: &State, comes_back: Term, except: Option<ObjectId>) -> Term {
    let never = walk.terms().falsehood();
    let mut same = vec![comes_back, last.deeds.same(walk.builder.terms(), state.rest.deeds)];
    if same.contains(&never) {
        return never;
    }
    let mut round = events(walk, last, state);
    if let Some(object) = except {
        round.retain(|&event| !is_at(walk, event, object));
    }
    // Whether a store changes memory depends on the old value, which is read only if everything else is unchanged.
    for blind in [false, true] {
        for &event in &round {
            if is_blind(walk, event) != blind {
                continue;
            }
            if blind {
                look(walk, event);
            }
            let changes = changes(walk, last, state, event);
            if walk.terms().as_bool(changes) == Some(true) {
                return never;
            }
            let leaves = walk.terms().not(changes);
            same.push(leaves);
        }
    }
    walk.terms().and(&same)
}

/// The path waits where the condition holds. Returns whether it always does.
pub fn wait_instead(walk: &mut Walk<'_>, last: &Visit, state: &State, condition: Term) -> bool {
    let always = walk.terms().as_bool(condition) == Some(true);
    let mut there = state.rest.clone();
    there.guard.push(walk.builder.terms(), condition);
    if state.rest.live && state.rest.atomic > 0 {
        walk.cut(&there, Reason::Unsupported("waiting inside an atomic section".to_owned()));
        return always;
    }
    let round: Vec<EventId> = events(walk, last, state).into_iter().filter(|&event| looks(walk, event)).collect();
    match round[..] {
        [event] if always && can_wait(walk, last, event) => {
            let stays = state.rest.guard.beyond(walk.builder.terms(), &last.guard);
            // An assumption in the round, made because its path was recorded, is what keeps the loop running.
            let mut stays = vec![stays];
            stays.extend(events(walk, last, state).into_iter().filter_map(|event| assumption(walk, event)));
            let stays = walk.terms().and(&stays);
            let leaves = walk.terms().not(stays);
            wait_for(walk, event, leaves);
        }
        // A round that reads nothing waits forever.
        _ => drop(walk.event(&there, Role::Part, Kind::Await { round })),
    }
    always
}

/// The events of the round that this path may have executed.
fn events(walk: &mut Walk<'_>, last: &Visit, state: &State) -> Vec<EventId> {
    let thread = walk.threads[&state.rest.thread];
    let of_thread = |&event: &EventId| walk.builder.graph().events[event.index()].thread == thread;
    let all = (last.events..walk.builder.graph().events.len()).map(|index| EventId(index as u32));
    let mut round: Vec<EventId> = all.filter(of_thread).collect();
    let here = state.rest.guard.term(walk.terms());
    round.retain(|event| {
        let guard = walk.builder.graph().events[event.index()].guard;
        let both = walk.terms().and2(here, guard);
        walk.terms().as_bool(both) != Some(false)
    });
    round
}

/// The constraint of an assumption event.
fn assumption(walk: &mut Walk<'_>, event: EventId) -> Option<Term> {
    let info = &walk.builder.graph().events[event.index()];
    let (guard, Kind::Assume { condition }) = (info.guard, &info.kind) else { return None };
    let condition = *condition;
    Some(walk.terms().implies(guard, condition))
}

/// Whether the event depends on state that other threads may change.
fn looks(walk: &Walk<'_>, event: EventId) -> bool {
    match &walk.builder.graph().events[event.index()].kind {
        Kind::Access(access) => access.old.is_some(),
        kind => matches!(kind, Kind::TryLock { .. }),
    }
}

/// Whether the event writes without reading the old value.
fn is_blind(walk: &Walk<'_>, event: EventId) -> bool {
    matches!(&walk.builder.graph().events[event.index()].kind, Kind::Access(access) if access.old.is_none())
}

/// Adds a symbol for the value that a store overwrites.
fn look(walk: &mut Walk<'_>, event: EventId) {
    let Kind::Access(mut access) = walk.builder.graph().events[event.index()].kind.clone() else { return };
    let found = walk.terms().symbol(format!("found{}", event.0), Sort::Bits(8 * access.bytes));
    access.old = Some(found);
    walk.builder.set_kind(event, Kind::Access(access));
}

/// The condition that the event happens and changes something; false if the loop does not continue after that.
fn changes(walk: &mut Walk<'_>, last: &Visit, state: &State, event: EventId) -> Term {
    let info = &walk.builder.graph().events[event.index()];
    let (guard, kind) = (info.guard, info.kind.clone());
    let stays = state.rest.guard.beyond(walk.builder.terms(), &last.guard);
    let changes = match kind {
        Kind::Access(access) => changes_memory(walk, &access, stays),
        Kind::TryLock { taken, .. } => {
            let both = walk.terms().and2(stays, taken);
            if walk.terms().as_bool(both) == Some(false) { both } else { taken }
        }
        Kind::Assert { .. }
        | Kind::Assume { .. }
        | Kind::AtomicBegin
        | Kind::AtomicEnd
        | Kind::Await { .. }
        | Kind::Cut
        | Kind::End => walk.terms().falsehood(),
        _ => walk.terms().truth(),
    };
    // The event has certainly happened on this path.
    if state.rest.guard.implies(&walk.builder.graph().terms, guard) {
        return changes;
    }
    walk.terms().and2(guard, changes)
}

fn changes_memory(walk: &mut Walk<'_>, access: &Access, stays: Term) -> Term {
    let mut changes = access.writes;
    if let (Some(old), Some(new)) = (access.old, access.new) {
        let differs = walk.terms().ne(old, new);
        changes = walk.terms().and2(changes, differs);
    }
    let both = walk.terms().and2(stays, changes);
    if walk.terms().as_bool(both) == Some(false) {
        return both;
    }
    let Some(old) = access.old else { return changes };
    // A read-modify-write may store the value it finds, for each value that it can find.
    let values = walk.values(&Refined::new(), old);
    let never = !values.has_others()
        && values.known().all(|element| {
            let Element::Word(word) = element else { return false };
            let width = walk.terms().width(old);
            let constant = walk.terms().bits(width, u128::from(word));
            let both = walk.terms().substitute(both, &HashMap::from([(old, constant)]));
            walk.terms().as_bool(both) == Some(false)
        });
    if never { walk.terms().falsehood() } else { changes }
}

/// Whether the event is an access that happens in every round.
fn can_wait(walk: &Walk<'_>, last: &Visit, event: EventId) -> bool {
    let graph = walk.builder.graph();
    let info = &graph.events[event.index()];
    matches!(info.kind, Kind::Access(_)) && info.guard == last.guard.term(&graph.terms)
}

/// Whether an access changes nothing if the loop continues after it.
pub fn changes_nothing(walk: &mut Walk<'_>, access: &Access, stays: Term) -> bool {
    let changes = changes_memory(walk, access, stays);
    walk.terms().as_bool(changes) == Some(false)
}

fn wait_for(walk: &mut Walk<'_>, event: EventId, leaves: Term) {
    let kind = walk.builder.graph().events[event.index()].kind.clone();
    let kind = match kind {
        Kind::Access(mut access) => {
            access.enabled = walk.terms().and2(access.enabled, leaves);
            if access.label == Label::Read {
                access.label = Label::Spin;
            }
            Kind::Access(access)
        }
        other => other,
    };
    walk.builder.set_kind(event, kind);
}
