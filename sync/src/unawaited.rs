//! Constructs at which threads need not wait: readers that retry (a seqlock), and initialisers behind a check.
//!
//! Both are recognised by the calls of one function in runs without preemptions. A reader writes nothing, has a loop
//! and reads one location at least twice, which the writers write together with the others. An initialiser writes in
//! its first call; all later calls read a location that the first one wrote, and write nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ir::FunctionId;
use semantics::code::Code;

use crate::monitor::{Claim, Kind, Role};
use crate::observe::What;
use crate::regions::{Facts, Layout, Region};
use crate::runs::Run;

/// The shared accesses of one call.
#[derive(Default)]
struct Doing {
    thread: usize,
    first: Option<u64>,
    last: Option<u64>,
    reads: BTreeMap<u64, u32>,
    writes: BTreeMap<u64, u32>,
    /// It used a lock or its like.
    primitives: bool,
    /// Functions that it was called from, itself included.
    callers: Vec<FunctionId>,
}

/// Calls by function, in the order of their first accesses.
type Doings = BTreeMap<FunctionId, Vec<Doing>>;

fn doings(run: &Run, facts: &Facts) -> Doings {
    let mut doings = Doings::new();
    let mut known: BTreeMap<(usize, u64), usize> = BTreeMap::new();
    for entry in run.entries.iter().filter(|entry| entry.threaded) {
        let is_primitive = matches!(entry.what, What::Primitive { .. });
        let counts = |place: &u64| facts.mutable.contains(place) && (entry.direct || is_primitive);
        let places: Vec<u64> = entry.what.places().filter(counts).collect();
        if places.is_empty() {
            continue;
        }
        let Some((_, chain)) = entry.calls.split_last() else { continue };
        for (depth, call) in chain.iter().enumerate() {
            let list = doings.entry(call.function).or_default();
            let index = *known.entry((entry.thread, call.serial)).or_insert_with(|| {
                let callers = chain[depth..].iter().map(|call| call.function).collect();
                list.push(Doing { thread: entry.thread, callers, ..Doing::default() });
                list.len() - 1
            });
            let doing = &mut list[index];
            doing.first = doing.first.or(places.first().copied());
            doing.last = places.last().copied();
            for &place in &places {
                match entry.what {
                    What::Memory { writes: true, .. } => *doing.writes.entry(place).or_default() += 1,
                    What::Memory { .. } => *doing.reads.entry(place).or_default() += 1,
                    _ => doing.primitives = true,
                }
            }
        }
    }
    doings
}

/// Seqlocks and initialisers, with their claims.
pub fn constructs(code: &Code, runs: &[Run], facts: &Facts, known: &HashSet<u64>) -> Vec<(Layout, Claim)> {
    let Some(run) = runs.iter().find(|run| run.undisturbed && run.complete) else { return Vec::new() };
    let doings = doings(run, facts);
    let mut found: Vec<(Layout, Claim)> = Vec::new();
    found.extend(snapshots(code, &doings, runs));
    found.extend(initialisers(code, &doings, &all_writers(runs, facts)));
    found.retain(|(layout, _)| layout.places.iter().all(|place| !known.contains(place)));
    found
}

fn empty(kind: Kind, roles: Vec<Option<Role>>, participants: BTreeSet<usize>) -> Claim {
    Claim {
        kind,
        roles,
        participants,
        capacity: 1,
        initial: 0,
        work: BTreeSet::new(),
        work_writes: 0,
        flags: BTreeSet::new(),
        items: BTreeSet::new(),
        needed: 1,
        queue: false,
    }
}

fn snapshots(code: &Code, doings: &Doings, runs: &[Run]) -> Vec<(Layout, Claim)> {
    let reads_only = |list: &Vec<Doing>| list.iter().all(|doing| doing.writes.is_empty() && !doing.primitives);
    let mut readers: BTreeMap<FunctionId, (BTreeSet<u64>, BTreeSet<u64>)> = BTreeMap::new();
    for (&function, list) in doings.iter().filter(|(_, list)| reads_only(list)) {
        if code.function(function).headers.is_empty() {
            continue;
        }
        let all: BTreeSet<u64> = list.iter().flat_map(|doing| doing.reads.keys().copied()).collect();
        // It begins and ends with a look at the number.
        let frames = |doing: &Doing, place: &u64| {
            doing.first == Some(*place) && doing.last == Some(*place) && doing.reads.get(place) >= Some(&2)
        };
        let again = |place: &u64| list.iter().all(|doing| frames(doing, place));
        let twice: BTreeSet<u64> = all.iter().copied().filter(again).collect();
        if all.len() >= 2 && !twice.is_empty() && twice.len() < all.len() {
            readers.insert(function, (all, twice));
        }
    }
    let mut found = Vec::new();
    for (&reader, (all, twice)) in &readers {
        // The outermost reader holds the inner ones.
        let inner =
            doings[&reader].iter().any(|doing| doing.callers[1..].iter().any(|caller| readers.contains_key(caller)));
        if inner {
            continue;
        }
        let writes = |doing: &Doing| {
            let written = || doing.writes.keys().filter(|place| all.contains(place));
            written().any(|place| twice.contains(place)) && written().any(|place| !twice.contains(place))
        };
        let writers: BTreeSet<FunctionId> =
            doings.iter().filter(|(_, list)| list.iter().any(writes)).map(|(function, _)| *function).collect();
        // The innermost writer that writes both.
        let calls_writer = |function: &FunctionId| {
            writers.iter().any(|inner| {
                inner != function && doings[inner].iter().any(|doing| doing.callers[1..].contains(function))
            })
        };
        let writers: Vec<FunctionId> = writers.iter().copied().filter(|function| !calls_writer(function)).collect();
        if writers.is_empty() {
            continue;
        }
        let mut functions = vec![reader];
        functions.extend(&writers);
        let places: HashSet<u64> = functions
            .iter()
            .flat_map(|function| &doings[function])
            .flat_map(|doing| doing.reads.keys().chain(doing.writes.keys()).copied())
            .collect();
        let participants: BTreeSet<usize> =
            functions.iter().flat_map(|function| &doings[function]).map(|doing| doing.thread).collect();
        if participants.len() < 2 {
            continue;
        }
        let waits = runs.iter().flat_map(|run| &run.entries).filter_map(|entry| entry.waits.as_ref());
        let spans =
            waits.filter(|waits| waits.places.iter().any(|place| places.contains(place))).map(|waits| waits.span);
        let layout =
            Layout::new(functions.iter().copied().map(Region::Call).collect(), places.clone(), spans.collect());
        let roles = functions.iter().map(|function| Some(if *function == reader { Role::Read } else { Role::Write }));
        found.push((layout, empty(Kind::Seqlock, roles.collect(), participants)));
    }
    found
}

/// By function: in how many of the runs in which it was called one call wrote, and how many these are.
fn all_writers(runs: &[Run], facts: &Facts) -> BTreeMap<FunctionId, (u32, u32)> {
    let mut counts: BTreeMap<FunctionId, (u32, u32)> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.complete) {
        for (function, list) in doings(run, facts) {
            let writers = list.iter().filter(|doing| !doing.writes.is_empty()).count();
            let (one, all) = counts.entry(function).or_default();
            *one += u32::from(writers == 1);
            *all += 1;
        }
    }
    counts
}

/// Whether a location is zero at the start of the program.
fn begins_empty(code: &Code, place: u64) -> bool {
    let mut globals = code.program.globals.iter().zip(&code.globals).filter(|(_, at)| **at != 0);
    match globals.find(|(global, at)| place >= **at && place < **at + global.size.max(1)) {
        Some((global, at)) => {
            let bytes = global.bytes.get((place - at) as usize..).unwrap_or(&[]);
            bytes.iter().take(4).all(|byte| *byte == 0)
        }
        None => true,
    }
}

fn initialisers(code: &Code, doings: &Doings, writers: &BTreeMap<FunctionId, (u32, u32)>) -> Vec<(Layout, Claim)> {
    let mut found: BTreeMap<FunctionId, (Layout, Claim)> = BTreeMap::new();
    let mut inner: BTreeSet<FunctionId> = BTreeSet::new();
    for (&function, list) in doings {
        let Some((first, later)) = list.split_first() else { continue };
        let threads: BTreeSet<usize> = list.iter().map(|doing| doing.thread).collect();
        let written = first.writes.len();
        let checks = |doing: &Doing| {
            doing.writes.is_empty()
                && doing.first.is_some_and(|place| first.writes.contains_key(&place) || doing.primitives)
        };
        let enough = written >= 2 || written == 1 && first.primitives;
        if threads.len() < 2 || !enough || !later.iter().all(checks) {
            continue;
        }
        let (one, all) = writers.get(&function).copied().unwrap_or((0, 1));
        let checked = later.iter().filter_map(|doing| doing.first.filter(|place| first.writes.contains_key(place)));
        if one * 10 < all * 7 || !checked.clone().all(|place| begins_empty(code, place)) || checked.count() == 0 {
            continue;
        }
        // An initialiser begins with a check: one that begins with a write is something else.
        if first.first.is_none_or(|place| !first.writes.contains_key(&place) && !first.primitives) {
            continue;
        }
        inner.extend(first.callers[1..].iter().copied());
        let places: HashSet<u64> =
            list.iter().flat_map(|doing| doing.reads.keys().chain(doing.writes.keys()).copied()).collect();
        let layout = Layout::new(vec![Region::Call(function)], places, BTreeSet::new());
        let flags = list.iter().filter_map(|doing| doing.first).collect();
        let claim = empty(Kind::Once, vec![Some(Role::Once)], threads).of_initialiser(&first.writes, flags);
        found.insert(function, (layout, claim));
    }
    // The innermost one that checks.
    found.into_iter().filter(|(function, _)| !inner.contains(function)).map(|(_, construct)| construct).collect()
}
