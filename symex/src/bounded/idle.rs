//! Rounds of a loop that change nothing and come back to where they began: the loop waits, and so does its event.

use std::collections::HashMap;

use events::{EventId, Kind, Label};
use formula::Term;

use crate::bounded::sets::Element;
use crate::bounded::state::{State, Visit};
use crate::bounded::walk::{Role, Walk};

/// That the loop goes round.
pub fn condition(walk: &mut Walk<'_>, last: &Visit, state: &State) -> Term {
    state.rest.guard.beyond(walk.builder.terms(), &last.guard)
}

/// Whether the round was idle; then its event waits until it is the last one.
pub fn wait_instead(walk: &mut Walk<'_>, last: &Visit, state: &State, stays: Term) -> bool {
    let thread = walk.threads[&state.rest.thread];
    let events: Vec<EventId> = (last.events..walk.builder.graph().events.len())
        .map(|index| EventId(index as u32))
        .filter(|event| walk.builder.graph().events[event.index()].thread == thread)
        .collect();
    let mut waits = Vec::new();
    for &event in &events {
        match &walk.builder.graph().events[event.index()].kind {
            Kind::Access(access) => {
                let access = access.clone();
                if !changes_nothing(walk, &access, stays) {
                    return false;
                }
                waits.push(event);
            }
            Kind::TryLock { taken, .. } => {
                let taken = *taken;
                let both = walk.terms().and2(stays, taken);
                if walk.terms().as_bool(both) != Some(false) {
                    return false;
                }
                waits.push(event);
            }
            Kind::Assert { .. } => {}
            _ => return false,
        }
    }
    let leaves = walk.terms().not(stays);
    match waits[..] {
        [] => forever(walk, state),
        [event] if can_wait(walk, last, event) => wait_for(walk, event, leaves),
        _ => {
            let condition = walk.terms().falsehood();
            walk.event(&state.rest, Role::Part, Kind::Assume { condition });
            let frames = state.rest.place.frames(walk.code);
            if let Some(place) = walk.place(&frames) {
                walk.unwatched.insert((place.file, place.line));
            }
        }
    }
    true
}

/// Whether the event is an access that happens in every round.
fn can_wait(walk: &Walk<'_>, last: &Visit, event: EventId) -> bool {
    let graph = walk.builder.graph();
    let info = &graph.events[event.index()];
    matches!(info.kind, Kind::Access(_)) && info.guard == last.guard.term(&graph.terms)
}

/// Whether an access leaves everything as it was if the loop goes round after it.
pub fn changes_nothing(walk: &mut Walk<'_>, access: &events::Access, stays: Term) -> bool {
    let writes = walk.terms().and2(stays, access.writes);
    if walk.terms().as_bool(writes) == Some(false) {
        return true;
    }
    let (Some(old), Some(new)) = (access.old, access.new) else { return false };
    // An exchange that finds what it writes.
    let values = walk.values(old);
    !values.open
        && values.known.into_iter().all(|element| {
            let Element::Word(word) = element else { return false };
            let width = walk.terms().width(old);
            let constant = walk.terms().bits(width, u128::from(word));
            let map = HashMap::from([(old, constant)]);
            let writes = walk.terms().substitute(writes, &map);
            let new = walk.terms().substitute(new, &map);
            walk.terms().as_bool(writes) == Some(false) || new == constant
        })
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

/// A loop that looks at nothing never ends.
fn forever(walk: &mut Walk<'_>, state: &State) {
    let nothing = walk.never();
    walk.emit(&state.rest, Role::Step, |builder, thread| {
        let address = builder.address(nothing, 0);
        builder.spin(thread, address, 1, |terms, _| terms.falsehood());
    });
}
