//! Data races: at the end both threads are about to make their accesses, and these overlap.

use events::Touch;
use formula::Term;

use crate::draft::Draft;
use crate::graph::same_thread;
use crate::happens::Happens;
use crate::static_order::StaticOrder;

/// By race candidate of the question, the condition that it is reached, so that each can be asked for or excluded
/// alone.
pub fn races(draft: &mut Draft<'_>, happens: &Happens, order: &StaticOrder) -> Vec<Term> {
    let question = draft.question;
    let mut races = Vec::with_capacity(question.clashes.len());
    for clash in &question.clashes {
        let (one, other) = (clash.one.event, clash.other.event);
        let ordered = order.is_before(draft.graph, one, other) || order.is_before(draft.graph, other, one);
        if happens.end.is_none() || same_thread(draft.graph, one, other) || ordered {
            races.push(draft.terms.falsehood());
            continue;
        }
        let stand = [one, other].map(|event| happens.stands_before(draft, event));
        let overlap = overlap(draft, &clash.one, &clash.other);
        races.push(draft.terms.and(&[stand[0], stand[1], clash.one.guard, clash.other.guard, overlap]));
    }
    races
}

/// The condition that the accesses have a byte in common.
fn overlap(draft: &mut Draft<'_>, one: &Touch, other: &Touch) -> Term {
    let terms = &mut draft.terms;
    let mut all = vec![terms.eq(one.address.object, other.address.object)];
    for (first, second) in [(one, other), (other, one)] {
        // One bit wider than an offset, so that the sum does not overflow.
        let [begin, end] = [first, second].map(|touch| terms.zero_extend(touch.address.offset, 33));
        let bytes = terms.bits(33, u128::from(second.bytes));
        let end = terms.add(end, bytes);
        all.push(terms.ult(begin, end));
    }
    terms.and(&all)
}
