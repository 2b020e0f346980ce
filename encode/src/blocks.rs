//! Atomic blocks: what happens between the begin and the end of one is contiguous, and one that is not finished is the
//! last thing that happens.

use events::{EventId, Kind};
use formula::{Block, Family, Node};

use crate::draft::{Draft, node};
use crate::goal::Failing;
use crate::happens::Happens;

pub fn blocks(draft: &mut Draft<'_>, happens: &Happens, failing: &[Failing]) {
    let graph = draft.graph;
    for thread in &graph.threads {
        let mut begin = None;
        for (position, event) in thread.events.iter().enumerate() {
            match graph.events[event.index()].kind {
                Kind::AtomicBegin => begin = Some(position),
                Kind::AtomicEnd => {
                    if let Some(begin) = begin.take() {
                        let after = thread.events.get(position + 1).copied();
                        block(draft, happens, failing, &thread.events[begin..=position], after);
                    }
                }
                _ => {}
            }
        }
    }
}

fn block(draft: &mut Draft<'_>, happens: &Happens, failing: &[Failing], events: &[EventId], after: Option<EventId>) {
    let begins = happens.of(events[0]);
    let mut nodes: Vec<Node> = events.iter().copied().map(node).collect();
    draft.order.blocks.push(Block { literal: begins, nodes: nodes.clone() });
    let (Some(end), Some(after)) = (happens.end, after) else { return };
    let stays = draft.terms.not(happens.arrives[after.index()]);
    let unfinished = draft.terms.and2(begins, stays);
    let name = draft.literal();
    draft.assert_implies(Family::Sync, unfinished, name);
    draft.assert_implies(Family::Sync, name, unfinished);
    nodes.push(end);
    draft.order.blocks.push(Block { literal: name, nodes });
    // An assertion that fails comes after everything else, which it cannot while somebody else is inside.
    let own = graph_thread(draft, events[0]);
    for failing in failing.iter().filter(|failing| !failing.late) {
        if graph_thread(draft, failing.event) != own {
            let both = draft.terms.and2(name, failing.fails);
            let never = draft.terms.not(both);
            draft.assert(Family::Sync, never);
        }
    }
}

fn graph_thread(draft: &Draft<'_>, event: EventId) -> events::ThreadId {
    draft.graph.events[event.index()].thread
}
