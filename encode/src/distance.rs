//! Similarity to another execution, as terms for soft constraints: data flows, uninterrupted stretches, and the context
//! switches between them.
//!
//! These are the soft formulas of the MaxSMT paper (Terra-Neves, Machado, Lynce, Manquinho, AAAI 2019, section 4.2),
//! except that a stretch is one of the theory of order instead of a difference of integers, and that a flow is the
//! reads-from choice of the read. An irrelevant read has no such choice in the formula; it gets one between this write
//! and none. The terms are sufficient conditions only: they may be false although the similarity holds.

use std::collections::{BTreeMap, HashMap};

use events::EventId;
use formula::{Family, Stretch, Term};

use crate::cells::Memory;
use crate::draft::{Draft, node};
use crate::happens::Happens;

#[derive(Clone, Debug, Default)]
pub struct Wishes {
    pub flows: Vec<FlowWish>,
    pub stretches: Vec<StretchWish>,
    /// Events that may occur within any stretch.
    pub bystanders: Vec<EventId>,
}

/// A soft constraint that these bytes of the read come from the write, or are the initial ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowWish {
    pub read: EventId,
    pub write: Option<EventId>,
    /// Offsets within the access.
    pub bytes: Vec<u32>,
}

/// A soft constraint that all of these events happen, with no other events except bystanders between the first and the
/// last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StretchWish {
    /// The first comes first and the last last; the order of the others is free.
    pub events: Vec<EventId>,
    /// Whether further events of the first one's thread may occur within.
    pub of_thread: bool,
}

/// A term for each soft constraint, in the same order.
#[derive(Clone, Debug, Default)]
pub struct Granted {
    pub flows: Vec<Term>,
    pub stretches: Vec<Term>,
}

type Pair = (EventId, Option<EventId>);

/// The reads-from choices that soft constraints name.
#[derive(Debug, Default)]
pub(crate) struct Sought {
    /// By cell, the pairs of a read and a write.
    pub pairs: BTreeMap<usize, Vec<Pair>>,
    /// By cell and pair, the condition that the read reads from the write.
    pub chosen: HashMap<(usize, Pair), Term>,
}

impl Sought {
    pub fn new(wishes: &Wishes, memory: &Memory) -> Sought {
        let mut sought = Sought::default();
        for wish in &wishes.flows {
            let write = wish.write.filter(|&write| !memory.is_initial_write(write));
            for part in memory.parts(wish.read) {
                if part.placements(&wish.bytes).next().is_some() {
                    let pairs = sought.pairs.entry(part.cell()).or_default();
                    if !pairs.contains(&(wish.read, write)) {
                        pairs.push((wish.read, write));
                    }
                }
            }
        }
        sought
    }
}

/// Creates the terms, after the reads are in the draft.
pub(crate) fn grant(
    draft: &mut Draft<'_>,
    happens: &Happens,
    memory: &Memory,
    sought: &Sought,
    wishes: &Wishes,
) -> Granted {
    let mut granted = Granted::default();
    for wish in &wishes.flows {
        let mut all = vec![happens.of(wish.read)];
        all.extend(wish.write.map(|write| happens.of(write)));
        // Early constant writes are encoded as initial values.
        let first = wish.write.is_none_or(|write| memory.is_initial_write(write));
        let pair = (wish.read, wish.write.filter(|_| !first));
        for part in memory.parts(wish.read) {
            let conditions: Vec<(u32, Term)> = part.placements(&wish.bytes).collect();
            if conditions.is_empty() {
                continue;
            }
            let fits = |low: u32| !first || memory.written_early(part, low, &wish.bytes, wish.write);
            let (here, elsewhere): (Vec<_>, Vec<_>) = conditions.into_iter().partition(|&(low, _)| fits(low));
            let [here, elsewhere] =
                [here, elsewhere].map(|list| list.into_iter().map(|(_, condition)| condition).collect::<Vec<_>>());
            let here = draft.terms.or(&here);
            let chosen = sought.chosen.get(&(part.cell(), pair)).copied().unwrap_or(draft.terms.falsehood());
            all.push(draft.terms.implies(here, chosen));
            for never in elsewhere {
                all.push(draft.terms.not(never));
            }
        }
        let flow = draft.terms.and(&all);
        granted.flows.push(named(draft, flow));
    }
    for wish in &wishes.stretches {
        let mut all: Vec<Term> = wish.events.iter().map(|&event| happens.of(event)).collect();
        if let (Some(&first), Some(&last)) = (wish.events.first(), wish.events.last())
            && first != last
        {
            let literal = draft.literal();
            let stretch = Stretch { literal, first: node(first), last: node(last), of_chain: wish.of_thread };
            draft.order.stretches.push(stretch);
            all.push(literal);
        }
        granted.stretches.push(draft.terms.and(&all));
    }
    draft.order.bystanders = wishes.bystanders.iter().copied().map(node).chain(happens.end).collect();
    granted
}

/// A literal that implies the term. A solver knows the terms of a formula from the beginning; a term that occurs in an
/// assumption only would be added later, with all terms below it.
fn named(draft: &mut Draft<'_>, term: Term) -> Term {
    if draft.terms.as_bool(term).is_some() {
        return term;
    }
    let name = draft.literal();
    draft.assert_implies(Family::ReadWrite, name, term);
    name
}
