//! Atomic blocks: the events between the begin and the end of a block are contiguous, and an unfinished block is at the
//! end of the execution.

use events::{EventId, Kind};
use formula::{Block, Family, Node, Term};

use crate::draft::{Draft, node};
use crate::goal::Failing;
use crate::graph::thread_of;
use crate::happens::Happens;

pub fn blocks(draft: &mut Draft<'_>, happens: &Happens, failing: &[Failing]) {
    let graph = draft.graph;
    // By thread: the blocks that may be unfinished at the end.
    let mut unfinished: Vec<Vec<Term>> = Vec::new();
    for thread in &graph.threads {
        let (mut begin, mut left) = (None, Vec::new());
        for (position, event) in thread.events.iter().enumerate() {
            match graph.events[event.index()].kind {
                Kind::AtomicBegin => begin = Some(position),
                Kind::AtomicEnd => {
                    if let Some(begin) = begin.take() {
                        let after = thread.events.get(position + 1).copied();
                        left.extend(block(draft, happens, &thread.events[begin..=position], after));
                    }
                }
                _ => {}
            }
        }
        unfinished.push(left);
    }
    nobody_else_is_inside(draft, &unfinished, failing);
}

/// The condition that the block begins and does not end, if the execution is a prefix.
fn block(draft: &mut Draft<'_>, happens: &Happens, events: &[EventId], after: Option<EventId>) -> Option<Term> {
    let begins = happens.of(events[0]);
    let mut nodes: Vec<Node> = events.iter().copied().map(node).collect();
    draft.order.blocks.push(Block { literal: begins, nodes: nodes.clone() });
    let (end, after) = (happens.end?, after?);
    let stays = draft.terms.not(happens.arrives[after.index()]);
    let unfinished = draft.terms.and2(begins, stays);
    let name = draft.literal();
    draft.assert_implies(Family::Sync, unfinished, name);
    draft.assert_implies(Family::Sync, name, unfinished);
    nodes.push(end);
    draft.order.blocks.push(Block { literal: name, nodes });
    Some(name)
}

/// A failing assertion is the last event of a prefix, which it cannot be while another thread is inside a block. There
/// are many of both, so each thread has one literal for its own: clauses for all pairs would be the largest part of the
/// formula.
fn nobody_else_is_inside(draft: &mut Draft<'_>, unfinished: &[Vec<Term>], failing: &[Failing]) {
    let mut fails: Vec<Vec<Term>> = vec![Vec::new(); unfinished.len()];
    for failing in failing.iter().filter(|failing| !failing.late) {
        fails[thread_of(draft.graph, failing.event).index()].push(failing.fails);
    }
    let inside: Vec<Option<Term>> = unfinished.iter().map(|all| any(draft, all)).collect();
    let fails: Vec<Option<Term>> = fails.iter().map(|all| any(draft, all)).collect();
    for (own, inside) in inside.iter().enumerate() {
        for (other, fails) in fails.iter().enumerate() {
            if let (true, &Some(inside), &Some(fails)) = (own != other, inside, fails) {
                let both = draft.terms.and2(inside, fails);
                let never = draft.terms.not(both);
                draft.assert(Family::Sync, never);
            }
        }
    }
}

/// A literal that is implied by each of the terms.
fn any(draft: &mut Draft<'_>, terms: &[Term]) -> Option<Term> {
    if terms.len() < 2 {
        return terms.first().copied();
    }
    let name = draft.literal();
    for &term in terms {
        draft.assert_implies(Family::Sync, term, name);
    }
    Some(name)
}
