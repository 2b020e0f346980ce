//! Mutexes whose operations pair up: each acquisition has its own releases, in the same thread, under matching guards.
//! Such a mutex becomes a list of mutual exclusion sections of the theory. Nearly all locks of real programs are of
//! this kind.

use events::{EventGraph, EventId};
use formula::{Node, Section, Term, Terms};

use crate::draft::{Draft, node};
use crate::guards::Guards;
use crate::happens::Happens;

/// An operation on one mutex at a constant address, for pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A lock, or a wake.
    Enter,
    /// An unlock, or a sleep.
    Leave,
}

/// An acquisition and its releases, whose guards exclude each other.
#[derive(Clone, Debug)]
pub struct Taking {
    pub enter: EventId,
    pub leaves: Vec<EventId>,
}

/// The limit for comparisons of guards; beyond it the mutex is encoded as a state.
const EFFORT: usize = 200_000;

/// Pairs the operations of one thread on one mutex, in program order. None if that is impossible.
pub fn pair(
    graph: &EventGraph,
    terms: &mut Terms,
    guards: &mut Guards,
    operations: &[(EventId, Side)],
) -> Option<Vec<Taking>> {
    let guard = |event: EventId| graph.events[event.index()].guard;
    let mut takings: Vec<Taking> = Vec::new();
    // Acquisitions that may still be open on some path.
    let mut open: Vec<usize> = Vec::new();
    let mut effort = 0;
    for &(event, side) in operations {
        let here = guard(event);
        let mut held = Vec::new();
        for &index in &open {
            let taking = &takings[index];
            effort += 1 + taking.leaves.len();
            let taken = guard(taking.enter);
            let released = |guards: &mut Guards, terms: &mut Terms| {
                taking.leaves.iter().any(|&leave| guards.imply(terms, here, taken, guard(leave)))
            };
            if !guards.exclude(terms, here, taken) && !released(guards, terms) {
                held.push(index);
            }
        }
        if effort > EFFORT {
            return None;
        }
        match (side, &held[..]) {
            (Side::Enter, []) => {
                open.push(takings.len());
                takings.push(Taking { enter: event, leaves: Vec::new() });
            }
            (Side::Leave, &[index]) => {
                let taking = &mut takings[index];
                let taken = guard(taking.enter);
                let alone = taking.leaves.iter().all(|&leave| guards.exclude(terms, here, guard(leave)));
                if !alone || !guards.imply(terms, here, here, taken) {
                    return None;
                }
                taking.leaves.push(event);
                if here == taken {
                    open.retain(|&other| other != index);
                }
            }
            _ => return None,
        }
    }
    Some(takings)
}

/// The sections of an acquisition: one for each release, and one for paths without any of them.
pub fn sections(draft: &mut Draft<'_>, happens: &Happens, taking: &Taking) -> Vec<Section> {
    let graph = draft.graph;
    let guard = |event: EventId| graph.events[event.index()].guard;
    let taken = happens.of(taking.enter);
    let mut ways = Vec::new();
    let mut otherwise = taken;
    for &leave in &taking.leaves {
        ways.push((draft.terms.and2(taken, guard(leave)), Some(leave)));
        let elsewhere = draft.terms.not(guard(leave));
        otherwise = draft.terms.and2(otherwise, elsewhere);
    }
    if taking.leaves.iter().all(|&leave| guard(leave) != guard(taking.enter)) {
        ways.push((otherwise, None));
    }
    ways.retain(|&(active, _)| draft.terms.as_bool(active) != Some(false));
    let mut sections = Vec::new();
    for (number, (active, leave)) in ways.into_iter().enumerate() {
        let enter = if number == 0 { node(taking.enter) } else { just_before(draft, taking.enter, active) };
        let closed = leave.map_or(draft.terms.falsehood(), |leave| happens.of(leave));
        sections.push(Section { enter, leave: leave.map(node), active, closed });
    }
    sections
}

/// A new node directly before the event, since each section needs its own first node. It is in no other constraint, so
/// it can always be adjacent to the event.
fn just_before(draft: &mut Draft<'_>, event: EventId, happens: Term) -> Node {
    let twin = draft.node(format!("before_{}", event.0), happens);
    let chain = &mut draft.order.chains[draft.graph.events[event.index()].thread.index()];
    let position = chain.iter().position(|&other| other == node(event)).unwrap_or(0);
    chain.insert(position, twin);
    twin
}

/// The condition that the thread of these sections owns the mutex at the end.
pub fn held(terms: &mut Terms, sections: &[Section]) -> Term {
    let mut ways = Vec::new();
    for section in sections {
        let open = terms.not(section.closed);
        ways.push(terms.and2(section.active, open));
    }
    terms.or(&ways)
}
