//! Redundant constraints for counters. If each write to a variable adds a positive constant to a value that the same
//! thread read before, then the final value equals the sum of all additions only if no update was lost, that is, if no
//! other write came between the read and the write of any update. A solver would need a pigeonhole argument to derive
//! this, so it is asserted if the question is for a passing run; that the sum is an upper bound is asserted in any
//! case. Both follow from the rest of the formula.

use std::collections::HashMap;

use events::EventId;
use formula::{Family, Op, Term};

use crate::cells::{Shared, Touch};
use crate::draft::{Draft, node};
use crate::graph::thread_of;
use crate::question::Goal;
use crate::static_order::StaticOrder;

/// With more pairs of updates than this, the constraint is left out.
const PAIRS: usize = 50_000;

struct Update {
    read: EventId,
    write: EventId,
    added: u128,
}

pub fn counters(draft: &mut Draft<'_>, order: &StaticOrder, cells: &[Shared]) {
    for cell in cells {
        if let Some((base, updates)) = updates(draft, order, cell) {
            full_counts(draft, order, cell, base, &updates);
        }
    }
}

/// The value of the variable before the first update, and the updates; none if it is no counter.
fn updates(draft: &Draft<'_>, order: &StaticOrder, cell: &Shared) -> Option<(u128, Vec<Update>)> {
    let reads: HashMap<Term, EventId> = cell.touches.iter().filter_map(|t| Some((t.old?, t.event))).collect();
    let writes: Vec<&Touch> = cell.touches.iter().filter(|touch| touch.new.is_some()).collect();
    let mut updates = Vec::new();
    let mut bases: Vec<(EventId, u128)> = Vec::new();
    for touch in &writes {
        let (value, always) = touch.new?;
        if draft.terms.as_bool(always) != Some(true) {
            return None;
        }
        match draft.terms.as_bits(value) {
            Some(constant) => bases.push((touch.event, constant)),
            None => updates.push(update(draft, order, &reads, touch.event, value)?),
        }
    }
    let before = |one: EventId, other: EventId| order.is_before(draft.graph, one, other);
    let early = bases.iter().all(|&(base, _)| updates.iter().all(|u| before(base, u.read)));
    let last = bases.iter().find(|(base, _)| bases.iter().all(|(other, _)| other == base || before(*other, *base)));
    if !early || (last.is_none() && !bases.is_empty()) {
        return None;
    }
    let base = last.map_or_else(|| draft.terms.as_bits(cell.initial), |&(_, value)| Some(value))?;
    (updates.len() > 1).then_some((base, updates))
}

fn update(
    draft: &Draft<'_>,
    order: &StaticOrder,
    reads: &HashMap<Term, EventId>,
    write: EventId,
    value: Term,
) -> Option<Update> {
    let Op::Add(a, b) = draft.terms.op(value) else { return None };
    let (symbol, added) = match (draft.terms.as_bits(*a), draft.terms.as_bits(*b)) {
        (Some(added), None) => (*b, added),
        (None, Some(added)) => (*a, added),
        _ => return None,
    };
    let read = *reads.get(&symbol)?;
    let own = thread_of(draft.graph, read) == thread_of(draft.graph, write);
    let positive = added > 0 && added >> (draft.terms.width(value) - 1) == 0;
    (own && positive && order.position(read) <= order.position(write)).then_some(Update { read, write, added })
}

fn full_counts(draft: &mut Draft<'_>, order: &StaticOrder, cell: &Shared, base: u128, updates: &[Update]) {
    let total = updates.iter().try_fold(base, |sum, update| sum.checked_add(update.added));
    let Some(total) = total else { return };
    for touch in &cell.touches {
        let Some(old) = touch.old else { continue };
        let width = draft.terms.width(old);
        let after = |update: &Update| order.is_before(draft.graph, update.write, touch.event);
        let fits = width <= 64 && total >> (width - 1) == 0;
        if !fits || draft.terms.as_bool(touch.active) != Some(true) || !updates.iter().all(after) {
            continue;
        }
        let total = draft.terms.bits(width, total);
        let full = draft.terms.eq(old, total);
        let most = draft.terms.ule(old, total);
        draft.assert(Family::ReadWrite, most);
        if draft.question.goal == Goal::Passes {
            one_after_the_other(draft, order, full, updates);
        }
    }
}

/// If the condition holds, no write comes between the read and the write of an update.
fn one_after_the_other(draft: &mut Draft<'_>, order: &StaticOrder, condition: Term, updates: &[Update]) {
    let graph = draft.graph;
    let mut pairs = Vec::new();
    for one in updates.iter().filter(|one| one.read != one.write) {
        for other in updates {
            let settled =
                order.is_before(graph, other.write, one.read) || order.is_before(graph, one.write, other.write);
            if one.write != other.write && !settled {
                pairs.push((one, other));
                if pairs.len() > PAIRS {
                    return;
                }
            }
        }
    }
    for (one, other) in pairs {
        let before = draft.terms.before(node(other.write), node(one.read));
        let after = draft.terms.before(node(one.write), node(other.write));
        let apart = draft.terms.or2(before, after);
        draft.assert_implies(Family::ReadWrite, condition, apart);
    }
}
