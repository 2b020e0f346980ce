//! The paper's composite solutions as critical sections: the stretch of each thread between the ends of two either-or edges gets
//! the lock that protects the objects elsewhere, or a new one (ConcBugAssist, section 4.3).

use std::collections::BTreeSet;

use report::{Event, Order};

use super::add_sections::{known_locks, with_known_lock, with_new_lock};
use super::regions::{Group, joined, node_at};
use super::{Candidate, Given};
use crate::code::{Code, Stretch};
use crate::facts::family;

/// Composites that become candidates.
const COMPOSITES: usize = 3;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let composites = given.covers.iter().filter(|cover| cover.composite).take(COMPOSITES);
    let mut all = Vec::new();
    for (number, cover) in composites.enumerate() {
        let stretches: Option<Vec<Group>> = cover.orders.chunks(2).map(|pair| sections(given.code, pair)).collect();
        let Some(group) = stretches.map(|groups| joined(given.code, groups.concat())) else { continue };
        let events = cover.orders.iter().flat_map(|order| [&order.before, &order.after]);
        let families: BTreeSet<String> = events.map(|event| family(event.subject())).collect();
        let rank = 2 * number as u32;
        let held = super::add_sections::held_in(given, &families);
        let lock = known_locks(given, &families).into_iter().next();
        let known = lock.and_then(|lock| with_known_lock(given.code, &group, &lock, &held));
        all.extend(known.map(|candidate| Candidate { rank, ..candidate }));
        all.extend(with_new_lock(given, &group, &families).map(|candidate| Candidate { rank: rank + 1, ..candidate }));
    }
    all
}

/// The sections of two either-or edges: in each thread, from where the one edge ends to where the other begins.
fn sections(code: &Code, pair: &[Order]) -> Option<Group> {
    let [one, other] = pair else { return None };
    Some(vec![between(code, &other.after, &one.before)?, between(code, &one.after, &other.before)?])
}

/// The smallest stretch with both events, in the innermost function that has them both.
fn between(code: &Code, first: &Event, last: &Event) -> Option<Stretch> {
    let nodes = |event: &Event| -> Vec<_> {
        let places = event.at.stack.iter().filter(|frame| frame.origin == ir::Origin::User);
        places.filter_map(|frame| node_at(code, frame.place.as_ref()?)).collect()
    };
    let later = nodes(last);
    nodes(first).into_iter().find_map(|one| {
        let function = code.tree.function_of(one)?;
        let other = later.iter().find(|node| code.tree.function_of(**node) == Some(function))?;
        code.around(function, &[one, *other])
    })
}
