//! The failure of a run as an assertion of its graph: the condition that decided it, at the branch where it was decided, so that
//! no condition of the failing path contradicts a run that does not fail.

use std::collections::HashSet;

use events::{EventId, Kind};
use formula::Term;
use ir::Program;

use crate::bounded::unroll::Unrolled;

/// Moves an assertion that cannot hold to the last branch before it that depended on other threads, together with those
/// in the same line before it. Returns the assertion; the later events of its thread, and branches that no longer
/// count, are dropped.
pub fn decide(unrolled: &mut Unrolled, program: &Program, failing: EventId, dropped: &mut HashSet<EventId>) -> EventId {
    let thread = unrolled.graph.events[failing.index()].thread;
    let own = unrolled.graph.threads[thread.index()].events.clone();
    let never = |unrolled: &Unrolled| match unrolled.graph.events[failing.index()].kind {
        Kind::Assert { condition } => unrolled.graph.terms.as_bool(condition) == Some(false),
        _ => false,
    };
    let branch = if never(unrolled) { last_branch(unrolled, program, &own, failing) } else { None };
    let decisive = branch.as_ref().map_or(failing, |branch| branch.event);
    if let Some(Branch { event, holds, neutral }) = branch {
        let place = unrolled.graph.events[failing.index()].place.clone();
        let info = &mut unrolled.graph.events[event.index()];
        info.kind = Kind::Assert { condition: holds };
        info.place = place.or(info.place.take());
        dropped.extend(neutral);
    }
    let after = own.iter().position(|&event| event == decisive).map_or(own.len(), |position| position + 1);
    let (earlier, later) = own.split_at(after);
    let events = &unrolled.graph.events;
    let is_mark = |event: &&EventId| matches!(events[event.index()].kind, Kind::AtomicBegin | Kind::AtomicEnd);
    let last = earlier.iter().rev().find(is_mark);
    let is_inside = last.is_some_and(|last| matches!(events[last.index()].kind, Kind::AtomicBegin));
    // The section in which it was decided keeps its end.
    let end = later.iter().find(is_mark).filter(|_| is_inside).copied();
    let exits = unrolled.origins.len();
    dropped.extend(later.iter().copied().filter(|&event| event.index() < exits && Some(event) != end));
    decisive
}

struct Branch {
    event: EventId,
    /// The condition under which the thread does not fail there.
    holds: Term,
    /// Branches before it that are part of the same condition.
    neutral: Vec<EventId>,
}

fn last_branch(unrolled: &mut Unrolled, program: &Program, own: &[EventId], failing: EventId) -> Option<Branch> {
    let assumed = own.iter().take_while(|&&event| event != failing).filter_map(|&event| {
        let info = &unrolled.graph.events[event.index()];
        let Kind::Assume { condition } = info.kind else { return None };
        let frame = unrolled.origins.get(event.index())?.frames.first()?;
        let line = program.spans.get(frame.span.0 as usize).map_or(0, |span| span.line);
        Some((event, condition, (frame.function, line)))
    });
    let conditions: Vec<_> = assumed.collect();
    let last = conditions.last()?;
    let same = conditions.iter().rev().take_while(|condition| condition.2 == last.2 && last.2.1 != 0).count();
    let group = &conditions[conditions.len() - same.max(1)..];
    let terms = &mut unrolled.graph.terms;
    let (mut before, mut ways) = (terms.truth(), Vec::new());
    for &(event, literal, _) in group {
        if !unrolled.remarks.other_way_ends.contains(&event) {
            let other = terms.not(literal);
            ways.push(terms.and2(before, other));
        }
        before = terms.and2(before, literal);
    }
    if ways.is_empty() {
        ways.push(terms.not(last.1));
    }
    let neutral = group[..group.len() - 1].iter().map(|&(event, ..)| event).collect();
    Some(Branch { event: last.0, holds: terms.or(&ways), neutral })
}
