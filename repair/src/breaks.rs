//! The interruptions of threads in the failing run, and the actions of other threads meanwhile.
//!
//! An interruption matters if a thread accesses an object before it, other threads access the same object meanwhile,
//! and the thread accesses it again: either its two accesses belong together, or the accesses of the others belong
//! before or after both. A failing run often ends before the second access; then other runs show the thread's next
//! accesses.

use std::collections::BTreeSet;

use report::EventKind;

use crate::facts::{Facts, Seen};

/// An interruption of a thread.
#[derive(Clone, Debug)]
pub struct Break {
    /// The thread's last access before it, and its first after it, to an object that others accessed.
    pub before: Seen,
    pub after: Seen,
    /// The accesses of others to the same object in between.
    pub others: Vec<Seen>,
    /// Families of all these.
    pub families: BTreeSet<String>,
    /// Locks that the thread held from the one to the other, by the names that events give them.
    pub held: BTreeSet<String>,
}

/// More interruptions are not looked at.
const MOST: usize = 6;

/// Objects of one interruption that are looked at.
const OBJECTS: usize = 3;

/// The most events of a thread that are searched for its next access.
const AHEAD: usize = 400;

/// Interruptions of the failing run, those of these families and the last ones first.
pub fn breaks(facts: &Facts, preferred: &BTreeSet<String>) -> Vec<Break> {
    let Some(failing) = facts.runs.first() else { return Vec::new() };
    let mut found: Vec<Break> = Vec::new();
    for gap in gaps(failing).into_iter().rev() {
        for one in within(facts, failing, &gap) {
            let is_known =
                |known: &Break| known.before.frames == one.before.frames && known.after.frames == one.after.frames;
            if !found.iter().any(is_known) {
                found.push(one);
            }
        }
    }
    // If a thread was only created, its later events may well come later.
    found.sort_by_key(|one| (one.before.kind == EventKind::Fork, one.families.is_disjoint(preferred)));
    found.truncate(MOST);
    found
}

/// A part of a run in which one thread did nothing and others did.
struct Gap<'a> {
    thread: &'a str,
    /// The thread's last event before it.
    from: usize,
    /// The first one after it; none if the run ends.
    to: Option<usize>,
}

/// The gaps of a run, by where they end.
fn gaps(run: &[Seen]) -> Vec<Gap<'_>> {
    let threads: BTreeSet<&str> = run.iter().map(|one| one.thread.as_str()).collect();
    let mut gaps = Vec::new();
    for thread in threads {
        let own: Vec<usize> = (0..run.len()).filter(|&position| run[position].thread == thread).collect();
        for pair in own.windows(2).filter(|pair| pair[1] > pair[0] + 1) {
            gaps.push(Gap { thread, from: pair[0], to: Some(pair[1]) });
        }
        if let Some(&last) = own.last()
            && last + 1 < run.len()
            && run[last].kind != EventKind::Exit
        {
            gaps.push(Gap { thread, from: last, to: None });
        }
    }
    gaps.sort_by_key(|gap| (gap.to.unwrap_or(run.len()), gap.from));
    gaps
}

/// By object that others accessed in a gap: the thread's last event on it, with the first later one that conflicts with
/// those of the others.
fn within(facts: &Facts, run: &[Seen], gap: &Gap<'_>) -> Vec<Break> {
    let meanwhile = &run[gap.from + 1..gap.to.unwrap_or(run.len())];
    let others: Vec<&Seen> = meanwhile.iter().filter(|one| one.concurrent && touches(one)).collect();
    let conflicts = |one: &Seen| {
        touches(one) && others.iter().any(|other| (one.changes() || other.changes()) && other.family() == one.family())
    };
    let own = |one: &&Seen| one.thread == gap.thread;
    let behind: Vec<&Seen> = match gap.to {
        Some(to) => run[to..].iter().filter(own).take(AHEAD).collect(),
        None => Vec::new(),
    };
    let met = behind.iter().position(|one| conflicts(one)).map(|position| {
        let between: Vec<Seen> = behind[..position].iter().map(|one| (*one).clone()).collect();
        (behind[position].clone(), between)
    });
    let mut families = BTreeSet::new();
    let mut all = Vec::new();
    for (position, before) in run[..=gap.from].iter().enumerate().rev().filter(|(_, one)| own(one)) {
        let is_deed = conflicts(before) || (before.kind == EventKind::Fork && all.is_empty());
        if all.len() >= OBJECTS || !is_deed || !families.insert(before.family()) {
            continue;
        }
        // Locks that it released before the gap do not last over it.
        let released: Vec<Seen> = run[position + 1..=gap.from].iter().filter(own).cloned().collect();
        let found = met.clone().or_else(|| elsewhere(facts, before, &conflicts));
        all.extend(found.map(|(after, between)| made(before, after, &[released, between].concat(), &others)));
    }
    all
}

fn made(before: &Seen, after: Seen, between: &[Seen], others: &[&Seen]) -> Break {
    let sides = [before, &after].into_iter().filter(|one| touches(one));
    let families: BTreeSet<String> = sides.map(Seen::family).collect();
    let others: Vec<Seen> = others.iter().filter(|one| is_part(one, &families)).map(|one| (*one).clone()).collect();
    let released: BTreeSet<&String> = between.iter().filter(|one| is_release(one)).map(|one| &one.object).collect();
    let held = before.held.iter().filter(|lock| after.held.contains(lock) && !released.contains(lock)).cloned();
    Break { held: held.collect(), before: before.clone(), after, others, families }
}

fn is_part(one: &Seen, families: &BTreeSet<String>) -> bool {
    families.contains(&one.family()) || matches!(one.kind, EventKind::Signal | EventKind::Broadcast)
}

fn is_release(one: &Seen) -> bool {
    matches!(one.kind, EventKind::Unlock | EventKind::RwUnlock | EventKind::SemPost)
}

/// The next event of a thread in another run that was at the same place, and the events before it.
fn elsewhere(facts: &Facts, before: &Seen, conflicts: &dyn Fn(&Seen) -> bool) -> Option<(Seen, Vec<Seen>)> {
    let is_there = |one: &Seen| one.kind == before.kind && one.frames == before.frames;
    for run in facts.runs.iter().skip(1) {
        let Some(start) = run.iter().position(is_there) else { continue };
        let own = |one: &&Seen| one.thread == run[start].thread;
        let behind: Vec<&Seen> = run[start + 1..].iter().filter(own).take(AHEAD).collect();
        if let Some(position) = behind.iter().position(|one| conflicts(one)) {
            let between = behind[..position].iter().map(|one| (*one).clone()).collect();
            return Some((behind[position].clone(), between));
        }
    }
    None
}

/// Whether it accesses an object that others may access: memory, or a condition that one waits for and another signals.
fn touches(one: &Seen) -> bool {
    let waits = matches!(one.kind, EventKind::Wait | EventKind::Signal | EventKind::Broadcast);
    (one.is_access() || waits) && !one.object.is_empty() && !one.frames.is_empty()
}
