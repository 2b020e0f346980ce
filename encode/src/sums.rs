//! Counters as sums. If every write of a cell adds an amount to the value that the same thread read just before, and no
//! other write can come between that read and the write, then each read returns the initial value plus all amounts
//! added before it: a sum over the writes, whatever their order is. Without this redundant constraint a solver
//! enumerates the orders.
//!
//! No other write can come between if read and write are one event, or if all updates happen under one mutex. A write
//! of a constant adds the difference, so resetting a counter is covered too.

use events::{EventGraph, EventId, ThreadId};
use formula::{Family, Op, Term, Terms};

use crate::cells::{Shared, Touch};
use crate::conditions::Conditions;
use crate::draft::Draft;
use crate::graph::{is_unconditional, same_thread, thread_of};
use crate::happens::Happens;
use crate::mutexes::Mutexes;
use crate::static_order::StaticOrder;

/// The largest number of writes without a known order to a read, over all reads.
const MOST_UNDECIDED: usize = 100_000;

/// The analyses that the sums need.
pub struct Counters<'a> {
    pub happens: &'a Happens,
    pub order: &'a StaticOrder,
    pub mutexes: &'a Mutexes,
    pub conditions: &'a Conditions,
}

/// A write and the read that it depends on.
struct Update {
    write: EventId,
    read: EventId,
    writes: Term,
    added: Vec<Term>,
    removed: Vec<Term>,
}

/// All updates of a cell, valid for reads after the base write.
struct Counter {
    base: Option<EventId>,
    initial: Term,
    updates: Vec<Update>,
    /// The mutex under which all updates happen; none if each is one event.
    mutex: Option<usize>,
}

/// Asserts sums for all relevant reads of counters that are not part of an update.
pub fn sums(draft: &mut Draft<'_>, counters: &Counters<'_>, cells: &[Shared]) {
    let mut left = MOST_UNDECIDED;
    for shared in cells {
        let reads: Vec<&Touch> = shared.touches.iter().filter(|touch| touch.new.is_none()).collect();
        let matters = |touch: &&&Touch| touch.symbol.is_some_and(|symbol| counters.conditions.is_relevant(symbol));
        if !reads.iter().any(|touch| matters(&touch)) {
            continue;
        }
        let Some(counter) = counters.counter(draft, shared) else { continue };
        for touch in reads.iter().filter(matters) {
            if counter.updates.iter().all(|update| update.read != touch.event) {
                counters.sum(draft, &counter, touch, &mut left);
            }
        }
    }
}

impl Counters<'_> {
    /// The cell as a counter, if it is one.
    fn counter(&self, draft: &Draft<'_>, shared: &Shared) -> Option<Counter> {
        let graph = draft.graph;
        let mut touches: Vec<&Touch> = shared.touches.iter().collect();
        touches.sort_by_key(|touch| (thread_of(graph, touch.event), self.order.position(touch.event)));
        let mut updates = Vec::new();
        let mut plain: Vec<&Touch> = Vec::new();
        let mut last_read: Option<&Touch> = None;
        for touch in touches {
            last_read = last_read.filter(|read| same_thread(graph, read.event, touch.event));
            if touch.old.is_some() {
                // A conditional read is not the known source of a later write.
                let sure = is_unconditional(graph, touch.event) && touch.active == self.happens.of(touch.event);
                last_read = (sure || touch.new.is_some()).then_some(touch);
            }
            let Some((value, writes)) = touch.new else { continue };
            match last_read.take().and_then(|read| Some((read.event, read.old?))) {
                Some((read, old)) => {
                    let (added, removed) = difference(&draft.terms, value, old)?;
                    updates.push(Update { write: touch.event, read, writes, added, removed });
                }
                None => plain.push(touch),
            }
        }
        let base = base(graph, self.order, &plain)?;
        let alone = |update: &Update| update.read == update.write;
        let mutex = if updates.iter().all(alone) { None } else { Some(self.common_mutex(&updates)?) };
        let (base, initial) = base.map_or((None, shared.initial), |(event, value)| (Some(event), value));
        let after_base = |event| base.is_none_or(|base| self.order.is_before(graph, base, event));
        let all_after = updates.iter().all(|update| after_base(update.read));
        (all_after && !updates.is_empty()).then_some(Counter { base, initial, updates, mutex })
    }

    /// A mutex that is held in each update from the read to the write.
    fn common_mutex(&self, updates: &[Update]) -> Option<usize> {
        let first = updates.first()?;
        let held = |mutex: usize, update: &Update| {
            let stretch = self.mutexes.stretch(self.order, mutex, update.read);
            stretch.is_some() && stretch == self.mutexes.stretch(self.order, mutex, update.write)
        };
        let candidates = self.mutexes.held_at(self.order, first.write);
        candidates.into_iter().find(|&mutex| updates.iter().all(|update| held(mutex, update)))
    }

    fn sum(&self, draft: &mut Draft<'_>, counter: &Counter, touch: &Touch, left: &mut usize) {
        let (Some(old), graph) = (touch.old, draft.graph) else { return };
        let event = touch.event;
        if counter.base.is_some_and(|base| !self.order.is_before(graph, base, event)) {
            return;
        }
        let possible = |update: &&Update| !self.order.is_before(graph, event, update.write);
        let undecided = |update: &&Update| !self.order.is_before(graph, update.write, event);
        let updates = || counter.updates.iter().filter(possible);
        let Some(rest) = left.checked_sub(updates().filter(undecided).count()) else { return };
        *left = rest;
        let zero = draft.terms.bits(draft.terms.width(old), 0);
        let (mut plus, mut minus) = (zero, zero);
        for update in updates() {
            let earlier = if undecided(&update) {
                self.earlier(draft, counter.mutex, update.write, event)
            } else {
                draft.terms.truth()
            };
            let counts = draft.terms.and2(update.writes, earlier);
            for (terms, total) in [(&update.added, &mut plus), (&update.removed, &mut minus)] {
                for &term in terms {
                    let part = draft.terms.ite(counts, term, zero);
                    *total = draft.terms.add(*total, part);
                }
            }
        }
        let gained = draft.terms.add(counter.initial, plus);
        let sum = draft.terms.sub(gained, minus);
        let same = draft.terms.eq(old, sum);
        draft.assert_implies(Family::ReadWrite, touch.active, same);
    }

    /// The condition that a write is before a read. If both are under the mutex, it is the order of the sections, so
    /// that all cells that are changed in one section share the term.
    fn earlier(&self, draft: &mut Draft<'_>, mutex: Option<usize>, write: EventId, read: EventId) -> Term {
        let stretch = |event| mutex.and_then(|mutex| self.mutexes.stretch(self.order, mutex, event));
        match (stretch(write), stretch(read)) {
            (Some(first), Some(second)) if first != second => match first.leave {
                Some(leave) => draft.before(leave, second.enter),
                // No thread enters after a section that never ends.
                None => draft.terms.falsehood(),
            },
            _ => draft.before(write, read),
        }
    }
}

/// The last of the plain writes, if they are all unconditional and in one thread. There may be none.
fn base(graph: &EventGraph, order: &StaticOrder, plain: &[&Touch]) -> Option<Option<(EventId, Term)>> {
    let threads: Vec<ThreadId> = plain.iter().map(|touch| thread_of(graph, touch.event)).collect();
    if plain.iter().any(|touch| !touch.certain) || threads.windows(2).any(|pair| pair[0] != pair[1]) {
        return None;
    }
    let last = plain.iter().max_by_key(|touch| order.position(touch.event));
    Some(last.and_then(|touch| touch.new.map(|(value, _)| (touch.event, value))))
}

/// The terms added to and subtracted from the old value; none if the write is no such update.
fn difference(terms: &Terms, new: Term, old: Term) -> Option<(Vec<Term>, Vec<Term>)> {
    match *terms.op(new) {
        Op::Add(a, b) if a == old => Some((vec![b], Vec::new())),
        Op::Add(a, b) if b == old => Some((vec![a], Vec::new())),
        Op::Sub(a, b) if a == old => Some((Vec::new(), vec![b])),
        _ if new == old => Some((Vec::new(), Vec::new())),
        Op::Bits { .. } => Some((vec![new], vec![old])),
        _ => None,
    }
}
