//! What an execution may have in common with another one, as terms that can be wished for: data flows, stretches that
//! nothing interrupts, and the switches between them.
//!
//! These are the soft formulas of the MaxSMT paper (Terra-Neves, Machado, Lynce, Manquinho, AAAI 2019, section 4.2), but
//! that a stretch is one of the theory of order instead of a difference of integers, and that a flow is the read's own
//! choice. A read whose value nobody looks at has no choice in the formula; it gets one between this source and nothing.
//! The terms hold only if what they say is so; they need not hold if it is.

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
    /// Events that may stand inside of any stretch.
    pub bystanders: Vec<EventId>,
}

/// That these bytes of the read come from the write, or are the initial ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowWish {
    pub read: EventId,
    pub write: Option<EventId>,
    /// Counted from the lowest of the access.
    pub bytes: Vec<u32>,
}

/// That all of these happen, and nothing else between the first and the last, but bystanders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StretchWish {
    /// The first comes first and the last last, whatever the order of the others.
    pub events: Vec<EventId>,
    /// Whether further events of the first one's thread may stand inside.
    pub of_thread: bool,
}

/// A term for each wish, in the same order.
#[derive(Clone, Debug, Default)]
pub struct Granted {
    pub flows: Vec<Term>,
    pub stretches: Vec<Term>,
}

type Pair = (EventId, Option<EventId>);

/// The choices of reads that wishes are about.
#[derive(Debug, Default)]
pub(crate) struct Sought {
    /// By cell, the reads and their writes.
    pub pairs: BTreeMap<usize, Vec<Pair>>,
    /// By cell and pair, that the read chooses the write.
    pub chosen: HashMap<(usize, Pair), Term>,
}

impl Sought {
    pub fn new(wishes: &Wishes, memory: &Memory) -> Sought {
        let mut sought = Sought::default();
        for wish in &wishes.flows {
            let write = wish.write.filter(|&write| !memory.is_founding(write));
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

/// Writes the terms, once the reads are in the draft.
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
        // What was there before everyone else is an initial value, whoever wrote it.
        let first = wish.write.is_none_or(|write| memory.is_founding(write));
        let pair = (wish.read, wish.write.filter(|_| !first));
        for part in memory.parts(wish.read) {
            let conditions: Vec<(u32, Term)> = part.placements(&wish.bytes).collect();
            if conditions.is_empty() {
                continue;
            }
            let fits = |low: u32| !first || memory.founded(part, low, &wish.bytes, wish.write);
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

/// A literal that implies the term. What a formula mentions is known to a solver from the beginning; of what only an
/// assumption mentions it would have to learn later, and with it of all that it could have left alone.
fn named(draft: &mut Draft<'_>, term: Term) -> Term {
    if draft.terms.as_bool(term).is_some() {
        return term;
    }
    let name = draft.literal();
    draft.assert_implies(Family::ReadWrite, name, term);
    name
}
