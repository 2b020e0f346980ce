//! The source regions that contain the accesses which must not be interleaved.

use std::collections::{BTreeMap, BTreeSet};

use report::Place;

use super::Given;
use crate::code::{Code, Stretch};
use crate::facts::Seen;
use crate::tree::NodeId;

/// Stretches that get the same lock together.
pub type Group = Vec<Stretch>;

/// Groups for accesses to these families, the tight ones first.
pub fn groups(given: &Given<'_>, families: &BTreeSet<String>) -> Vec<Group> {
    let accesses = given.facts.accesses(families);
    let mut groups: Vec<Group> = Vec::new();
    let innermost = by_function(given.code, &accesses);
    push(&mut groups, innermost.clone());
    let threads = by_thread(given.code, &accesses);
    for level in 0..3 {
        let group: Group = threads.iter().filter_map(|levels| levels.get(level).or(levels.last()).copied()).collect();
        push(&mut groups, joined(given.code, group));
    }
    // One block more around each, where that is another stretch.
    let mut lifted = innermost;
    for _ in 0..3 {
        lifted = lifted.iter().map(|stretch| given.code.lifted(stretch).unwrap_or(*stretch)).collect();
        push(&mut groups, joined(given.code, lifted.clone()));
    }
    for level in 0..2 {
        let of_level = threads.iter().filter_map(|levels| levels.get(level).or(levels.last()).copied());
        let wide: Group = of_level.map(|stretch| given.code.lifted(&stretch).unwrap_or(stretch)).collect();
        push(&mut groups, joined(given.code, wide));
    }
    groups
}

fn push(groups: &mut Vec<Group>, group: Group) {
    if !group.is_empty() && !groups.contains(&group) {
        groups.push(group);
    }
}

/// The innermost functions with accesses, each with the smallest stretch around them.
fn by_function(code: &Code, accesses: &[&Seen]) -> Group {
    let mut nodes: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
    for access in accesses {
        let Some(node) = access.frames.first().and_then(|place| node_at(code, place)) else { continue };
        let Some(function) = code.tree.function_of(node) else { continue };
        nodes.entry(function).or_default().insert(node);
    }
    let stretch =
        |(function, nodes): (NodeId, BTreeSet<NodeId>)| code.around(function, &nodes.into_iter().collect::<Vec<_>>());
    nodes.into_iter().filter_map(stretch).collect()
}

/// By thread, stretches around all its accesses: in the innermost function that they have in common, then in its callers.
fn by_thread(code: &Code, accesses: &[&Seen]) -> Vec<Vec<Stretch>> {
    let mut threads: BTreeMap<&str, Vec<Vec<&Place>>> = BTreeMap::new();
    for access in accesses {
        let chain: Vec<&Place> = access.frames.iter().rev().collect();
        threads.entry(&access.thread).or_default().push(chain);
    }
    let mut all = Vec::new();
    for chains in threads.values() {
        let mut levels = Vec::new();
        for level in 0.. {
            let places: BTreeSet<&Place> = chains.iter().filter_map(|chain| chain.get(level).copied()).collect();
            if places.is_empty() || chains.iter().any(|chain| chain.len() <= level) {
                break;
            }
            let nodes: Vec<NodeId> = places.iter().filter_map(|place| node_at(code, place)).collect();
            let function = nodes.first().and_then(|node| code.tree.function_of(*node));
            if let Some(stretch) = function.and_then(|function| code.around(function, &nodes)) {
                levels.push(stretch);
            }
            if places.len() > 1 {
                break;
            }
        }
        levels.reverse();
        if !levels.is_empty() && !all.contains(&levels) {
            all.push(levels);
        }
    }
    all
}

pub fn node_at(code: &Code, place: &Place) -> Option<NodeId> {
    code.node_at(&place.file, place.line, place.column)
}

/// Stretches of one function become one where they touch.
pub fn joined(code: &Code, group: Group) -> Group {
    let mut by_function: BTreeMap<NodeId, Vec<Stretch>> = BTreeMap::new();
    for stretch in group {
        by_function.entry(stretch.function).or_default().push(stretch);
    }
    let mut result = Vec::new();
    for (function, mut stretches) in by_function {
        stretches.sort();
        stretches.dedup();
        if stretches.len() > 1 {
            let nodes: Vec<NodeId> = stretches.iter().flat_map(|one| code.statements(one).to_vec()).collect();
            result.extend(code.around(function, &nodes));
        } else {
            result.extend(stretches);
        }
    }
    result
}
