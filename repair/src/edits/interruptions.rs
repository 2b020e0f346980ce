//! Candidates at the places where the failing run was interrupted. There are four kinds: one critical section from the access before
//! the interruption to the access behind it, with a lock that one of them holds; a lock around the accesses of the other threads;
//! the two statements in the other order; and a join of the thread that uses an object before the object is freed or destroyed.

use std::collections::BTreeSet;

use report::EventKind;

use super::add_sections::{self, Known};
use super::regions::{Group, joined, node_at};
use super::split;
use super::{Candidate, Given, Kind, moves};
use crate::breaks::Break;
use crate::code::{Code, Stretch};
use crate::facts::Seen;
use crate::tree::NodeId;

/// Functions around an interruption that are tried, the innermost first.
const LEVELS: usize = 3;

/// The rank of candidates that are tried last.
const LAST: u32 = 300;

/// Locks that are tried at each.
const LOCKS: usize = 3;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let mut all = Vec::new();
    let effects = moves::effects(given);
    for (number, one) in given.breaks.iter().enumerate() {
        let base = 2 * number as u32;
        let ranked = |candidate: Candidate, later: u32| Candidate { rank: base + later, ..candidate };
        if let Some((block, first, second)) = statements(given.code, &one.before, &one.after) {
            let children = given.code.children(block);
            // What lets threads run one after the other is the last resort.
            let later = if moves::ends_before(given.code, children[first], children[second]) { LAST } else { 0 };
            for (from, to) in [(first, second), (second, first)] {
                let moved = moves::checked(given.code, &effects, block, from, to);
                all.extend(moved.map(|candidate| ranked(candidate, later)));
            }
        }
        for (level, region) in levels(given.code, one).into_iter().enumerate() {
            let later = 4 * level as u32;
            for (position, lock) in locks(given, one).iter().take(LOCKS).enumerate() {
                let group = group(given.code, one, &region, Some(lock));
                let held = add_sections::held_in(given, &one.families);
                let found = add_sections::with_known_lock(given.code, &group, lock, &held);
                all.extend(found.map(|candidate| ranked(candidate, later + position as u32)));
                let found = split::candidate(given.code, &region, lock);
                all.extend(found.map(|candidate| ranked(candidate, later + 1 + position as u32)));
            }
            let group = group(given.code, one, &region, None);
            let found = add_sections::with_new_lock(given, &group, &one.families);
            all.extend(found.map(|candidate| ranked(candidate, later + 3)));
        }
    }
    all.extend(joined_before_end(given, &effects));
    all
}

/// Where both sides are statements of one block: the block and their positions, which differ.
fn statements(code: &Code, one: &Seen, other: &Seen) -> Option<(NodeId, usize, usize)> {
    let (one, other) = (common(code, one, other)?.1, common(code, other, one)?.1);
    let mut at = code.tree.statement_of(one)?;
    loop {
        let (block, first) = at;
        let within = |child: &NodeId| code.tree.is_within(other, *child);
        if let Some(second) = code.children(block).iter().position(within) {
            return (first != second).then_some((block, first, second));
        }
        at = code.tree.statement_of(block)?;
    }
}

/// The innermost function that two events have in common: how many calls outside of it, and the first one's node in it.
fn common(code: &Code, one: &Seen, other: &Seen) -> Option<(usize, NodeId)> {
    let (mine, theirs) = (one.frames.iter().rev(), other.frames.iter().rev());
    let same = mine.clone().zip(theirs).take_while(|(mine, theirs)| mine == theirs).count();
    // Where all calls are the same, the place is met in rounds of a loop.
    let level = same.min(one.frames.len().checked_sub(1)?);
    let node = node_at(code, mine.clone().nth(level)?)?;
    Some((level, node))
}

/// Stretches around both sides of an interruption: in the innermost function that they have in common, then in its callers.
fn levels(code: &Code, one: &Break) -> Vec<Stretch> {
    let mut all = Vec::new();
    let (Some((level, first)), Some((_, second))) =
        (common(code, &one.before, &one.after), common(code, &one.after, &one.before))
    else {
        return all;
    };
    let function = code.tree.function_of(first).filter(|function| code.tree.function_of(second) == Some(*function));
    if let Some(stretch) = function.and_then(|function| code.around(function, &[first, second])) {
        all.push(stretch);
        all.extend(code.lifted(&stretch));
    }
    for place in one.before.frames.iter().rev().take(level).rev() {
        let Some(node) = node_at(code, place) else { continue };
        let stretch = code.tree.function_of(node).and_then(|function| code.around(function, &[node]));
        all.extend(stretch);
    }
    all.truncate(LEVELS);
    all
}

/// The locks that one of the sides holds, then those that protect the objects elsewhere.
fn locks(given: &Given<'_>, one: &Break) -> Vec<Known> {
    let sides = [&one.before, &one.after].into_iter().chain(&one.others);
    let mut names: Vec<&String> = sides.flat_map(|side| &side.held).collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    let mut locks = add_sections::declared_locks(given.code, names.into_iter());
    for lock in add_sections::known_locks(given, &one.families) {
        if !locks.contains(&lock) {
            locks.push(lock);
        }
    }
    locks
}

/// The statements that get a lock: the region, unless the lock is held all through it, and the accesses of the others
/// without the lock.
fn group(code: &Code, one: &Break, region: &Stretch, lock: Option<&Known>) -> Group {
    let is_it = |name: &String| lock.is_some_and(|lock| lock.is_named(code, name));
    let mut group: Group = Vec::new();
    if !one.held.iter().any(is_it) {
        group.push(*region);
    }
    for other in one.others.iter().filter(|other| !other.held.iter().any(is_it)) {
        let nodes: Vec<NodeId> = other.frames.iter().filter_map(|place| node_at(code, place)).collect();
        if nodes.iter().any(|node| code.contains(region, *node)) {
            continue;
        }
        let Some(node) = nodes.first() else { continue };
        let stretch = code.tree.function_of(*node).and_then(|function| code.around(function, &[*node]));
        group.extend(stretch.filter(|stretch| !group.contains(stretch)));
    }
    joined(code, group)
}

/// A thread is joined before something ends that it may still use, or that ends later.
fn joined_before_end(given: &Given<'_>, effects: &moves::Seen) -> Vec<Candidate> {
    let code = given.code;
    let mut all = Vec::new();
    for end in given.ends {
        for run in &given.facts.runs {
            let joins = run.iter().filter(|one| one.kind == EventKind::Join && one.thread == end.thread);
            for join in joins {
                let Some((block, first, second)) = statements(code, end, join) else { continue };
                for (from, to) in [(second, first), (first, second)] {
                    let moved = moves::checked(code, effects, block, from, to);
                    all.extend(moved.map(|candidate| Candidate { kind: Kind::MoveThread, rank: 0, ..candidate }));
                }
            }
        }
    }
    all
}
