//! What locks keep true. If all writes to some variables happen while one mutex is held, and each such section changes a
//! sum of theirs by an amount that does not depend on what it found, then the sum in the end is known, whatever the
//! order. That many updates in any order add up is hard to see for a solver, and easy here; so where an assertion
//! compares such sums after everything else, the outcome is asserted. It follows from the rest of the formula.

use std::collections::{BTreeMap, HashMap};

use events::{EventId, Kind};
use formula::{Family, Op, Section, Term};

use crate::cells::{Shared, Touch};
use crate::draft::Draft;
use crate::happens::thread_of;
use crate::linear::{Linear, Unknown};
use crate::static_order::StaticOrder;

/// Asserts the differences that are known of what assertions compare.
pub fn invariants(draft: &mut Draft<'_>, order: &StaticOrder, cells: &[Shared]) {
    let graph = draft.graph;
    for event in &graph.events {
        let Kind::Assert { condition } = event.kind else { continue };
        let Some((a, b)) = compared(draft, condition) else { continue };
        let Some(difference) = known_difference(draft, order, cells, a, b) else { continue };
        let width = draft.terms.width(a);
        let constant = draft.terms.bits(width, difference);
        let other = draft.terms.add(b, constant);
        let same = draft.terms.eq(a, other);
        draft.assert(Family::ReadWrite, same);
    }
}

fn compared(draft: &Draft<'_>, condition: Term) -> Option<(Term, Term)> {
    match draft.terms.op(condition) {
        Op::Not(inner) => compared(draft, *inner),
        Op::Eq(a, b) | Op::Ult(a, b) | Op::Slt(a, b) => Some((*a, *b)),
        _ => None,
    }
}

fn known_difference(draft: &Draft<'_>, order: &StaticOrder, cells: &[Shared], a: Term, b: Term) -> Option<u128> {
    let mut sum = Linear::of(&draft.terms, a, &HashMap::new())?;
    sum.add(&Linear::of(&draft.terms, b, &HashMap::new())?, u128::MAX);
    let Finals { factors, reads } = finals(draft, cells, &sum)?;
    let width = draft.terms.width(a);
    let mut result = Linear::constant(width, sum.constant);
    let mut inner: Vec<&Touch> = Vec::new();
    for (&cell, &factor) in &factors {
        let Split { base, first, rest } = split(draft, order, &cells[cell])?;
        if !first.iter().all(|&write| reads.iter().all(|&read| order.is_before(draft.graph, write, read))) {
            return None;
        }
        result.add(&Linear::constant(width, base), factor);
        inner.extend(rest);
    }
    let sections = draft.order.locks.iter().find(|sections| {
        let held = |touch: &&Touch| sections.iter().any(|section| holds(draft, order, section, touch.event));
        !inner.is_empty() && inner.iter().all(held)
    })?;
    let before = |one: EventId, other: EventId| order.is_before(draft.graph, one, other);
    let last = reads.iter().all(|&read| inner.iter().all(|touch| before(touch.event, read)));
    let around = |section: &&Section| reads.iter().all(|&read| holds(draft, order, section, read));
    let here = sections.iter().find(around);
    for section in sections {
        let change = change(draft, order, cells, &factors, section, width)?;
        // What one section finds is not what another finds: they do not cancel out.
        if change.parts.keys().any(|unknown| matches!(unknown, Unknown::Cell(_))) {
            return None;
        }
        if change == Linear::constant(width, 0) {
            continue;
        }
        match here {
            _ if last => result.add(&change, 1),
            Some(here) if here.enter == section.enter => return None,
            // The reads see what the sections before theirs did; of those that may come earlier or later, nothing.
            Some(here) if before(EventId(section.leave?.0), EventId(here.enter.0)) => result.add(&change, 1),
            Some(here) if before(EventId(here.leave?.0), EventId(section.enter.0)) => {}
            _ => return None,
        }
    }
    result.parts.is_empty().then_some(result.constant)
}

/// What a sum is made of.
struct Finals {
    /// By cell, how often its value is part of the sum.
    factors: BTreeMap<usize, u128>,
    /// The reads that it is made of.
    reads: Vec<EventId>,
}

/// None if something other than what was read is part of the sum.
fn finals(draft: &Draft<'_>, cells: &[Shared], sum: &Linear) -> Option<Finals> {
    let mut readers: HashMap<Term, (usize, &Touch)> = HashMap::new();
    for (number, cell) in cells.iter().enumerate() {
        readers.extend(cell.touches.iter().filter_map(|touch| Some((touch.old?, (number, touch)))));
    }
    let mut finals = Finals { factors: BTreeMap::new(), reads: Vec::new() };
    for (unknown, &factor) in &sum.parts {
        let Unknown::Symbol(symbol) = unknown else { return None };
        let (cell, read) = *readers.get(symbol)?;
        if draft.terms.as_bool(read.active) != Some(true) {
            return None;
        }
        finals.reads.push(read.event);
        let entry = finals.factors.entry(cell).or_insert(0u128);
        *entry = entry.wrapping_add(factor);
    }
    Some(finals)
}

/// The writes to a cell.
struct Split<'a> {
    /// What the cell holds after the first ones.
    base: u128,
    /// Constants that are written before all others.
    first: Vec<EventId>,
    rest: Vec<&'a Touch>,
}

fn split<'a>(draft: &Draft<'_>, order: &StaticOrder, cell: &'a Shared) -> Option<Split<'a>> {
    let always = |touch: &&Touch| touch.new.is_some_and(|(_, writes)| draft.terms.as_bool(writes) == Some(true));
    let writes: Vec<&Touch> = cell.touches.iter().filter(|touch| touch.new.is_some()).collect();
    if !writes.iter().all(always) {
        return None;
    }
    let mut base = draft.terms.as_bits(cell.initial)?;
    let (mut first_ones, mut rest) = (Vec::new(), writes);
    while let Some(first) = rest.iter().position(|one| {
        // Whoever reads before it does not find it.
        let others = cell.touches.iter().filter(|other| other.event != one.event);
        let mut others = others.filter(|other| !first_ones.contains(&other.event));
        one.old.is_none() && others.all(|other| order.is_before(draft.graph, one.event, other.event))
    }) {
        let (value, _) = rest[first].new?;
        let Some(value) = draft.terms.as_bits(value) else { break };
        base = value;
        first_ones.push(rest.remove(first).event);
    }
    Some(Split { base, first: first_ones, rest })
}

/// Whether the event certainly happens while the section lasts.
fn holds(draft: &Draft<'_>, order: &StaticOrder, section: &Section, event: EventId) -> bool {
    let enter = EventId(section.enter.0);
    let Some(leave) = section.leave.map(|leave| EventId(leave.0)) else { return false };
    draft.terms.as_bool(section.closed) == Some(true)
        && thread_of(draft.graph, enter) == thread_of(draft.graph, event)
        && order.position(enter) <= order.position(event)
        && order.position(event) <= order.position(leave)
}

/// By how much the section changes the sum.
fn change(
    draft: &Draft<'_>,
    order: &StaticOrder,
    cells: &[Shared],
    factors: &BTreeMap<usize, u128>,
    section: &Section,
    width: u32,
) -> Option<Linear> {
    let mut inside: Vec<(u32, usize, &Touch)> = Vec::new();
    for &cell in factors.keys() {
        let touches = cells[cell].touches.iter().filter(|touch| holds(draft, order, section, touch.event));
        inside.extend(touches.map(|touch| (order.position(touch.event), cell, touch)));
    }
    inside.sort_by_key(|&(position, cell, _)| (position, cell));
    let mut state: HashMap<usize, Linear> = HashMap::new();
    let mut known: HashMap<Term, Linear> = HashMap::new();
    let entry = |cell: usize| Linear::unknown(width, Unknown::Cell(cell));
    for (_, cell, touch) in inside {
        if let Some(old) = touch.old {
            known.insert(old, state.get(&cell).cloned().unwrap_or_else(|| entry(cell)));
        }
        if let Some((value, _)) = touch.new {
            state.insert(cell, Linear::of(&draft.terms, value, &known)?);
        }
    }
    let mut change = Linear::constant(width, 0);
    for (cell, value) in state {
        change.add(&value, factors[&cell]);
        change.add(&entry(cell), factors[&cell].wrapping_neg());
    }
    Some(change)
}
