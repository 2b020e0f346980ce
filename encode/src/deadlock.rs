//! Blocked threads. Each event that can block may be the next one of its thread at the end: it does not happen, its
//! guard holds, the thread arrives there, and its condition does not hold.
//!
//! A deadlock is a set of threads each of which waits for a lock or the exit of another thread of the set, as in a
//! cycle; or every thread that was forked is finished or blocked, and at least one is blocked. While a thread outside
//! of the set may release a mutex that it does not own, waiting for that mutex does not count (`crate::foreign`).

use std::collections::{BTreeMap, HashMap};

use events::{Access, Event, EventId, Hold, Kind, Location, ThreadId};
use formula::{Family, Sort, Term};

use crate::cells::{Attempt, Memory};
use crate::draft::Draft;
use crate::foreign::ForeignUnlocks;
use crate::graph::same_thread;
use crate::happens::{Happens, exits};
use crate::mutexes::Mutexes;
use crate::waits::{Waits, Wake};

/// A possible next event of a thread at the end.
struct Stand {
    event: EventId,
    /// The condition that it is the next event and blocked.
    stuck: Term,
    /// The threads that it waits for, if any.
    waits_for: Vec<Waiting>,
}

/// The condition that a thread waits for another.
#[derive(Clone, Copy)]
struct Waiting {
    other: ThreadId,
    waits: Term,
    /// The mutex that it waits for.
    mutex: Option<Location>,
}

/// The parts of a deadlock, as terms.
#[derive(Clone, Debug, Default)]
pub struct Deadlocked {
    /// The condition that the execution ends in a deadlock because all remaining threads are blocked.
    pub everyone: Option<Term>,
    /// By thread: the condition that it is in the set of threads that wait for each other. All are false if only
    /// `everyone` holds.
    pub members: Vec<Term>,
    /// By event that can block: the condition that it is its thread's next event and blocked.
    pub stuck: HashMap<EventId, Term>,
    /// By event and thread: the condition that it waits for that thread to proceed or to exit.
    pub waits_for: HashMap<EventId, Vec<(ThreadId, Term)>>,
}

/// The inputs of the end condition.
pub struct Ends<'a> {
    pub happens: &'a Happens,
    pub memory: &'a Memory,
    pub mutexes: &'a Mutexes,
    pub waits: &'a Waits,
    /// Unlocks by threads that may not own the mutex, with the mutex where it is constant.
    pub foreign: &'a HashMap<EventId, Option<Location>>,
}

/// The condition that the execution ends in a deadlock. Adds the reads of blocked accesses to the attempts.
pub fn deadlock(draft: &mut Draft<'_>, ends: &Ends<'_>, attempts: &mut Vec<Attempt>) -> (Term, Deadlocked) {
    if ends.happens.end.is_none() {
        return (draft.terms.falsehood(), Deadlocked::default());
    }
    let exits = exits(draft.graph);
    let wakes: HashMap<EventId, Wake> = ends.waits.wakes.iter().map(|wake| (wake.event, *wake)).collect();
    let mut threads: Vec<Vec<Stand>> = Vec::new();
    for thread in &draft.graph.threads {
        let mut stands = Vec::new();
        for &event in &thread.events {
            let next = ends.happens.stands_before(draft, event);
            if draft.terms.as_bool(next) == Some(false) {
                continue;
            }
            match &draft.graph.events[event.index()].kind {
                Kind::Lock { .. } => stands.push(at_mutex(draft, ends.mutexes, event, next)),
                Kind::Wake { .. } => stands.extend(wakes.get(&event).map(|wake| at_wake(draft, ends, wake, next))),
                Kind::Join { child } => stands.push(at_join(draft, ends.happens, &exits, event, *child, next)),
                Kind::Access(access) if draft.terms.as_bool(access.enabled) != Some(true) => {
                    stands.push(at_access(draft, ends.memory, attempts, event, access, next));
                }
                Kind::Await { round } => stands.push(at_await(draft, ends, event, round, next)),
                _ => {}
            }
        }
        threads.push(stands);
    }
    let everyone = everyone(draft, ends.happens, &threads);
    // A literal, so that a caller that looks for a particular deadlock can exclude this case.
    let way = draft.literal();
    draft.assert_implies(Family::Sync, way, everyone);
    let members = cycle(draft, ends, &threads);
    let cycle = draft.terms.or(&members);
    let stuck = threads.iter().flatten().map(|stand| (stand.event, stand.stuck)).collect();
    let all = |stand: Stand| stand.waits_for.iter().map(|waiting| (waiting.other, waiting.waits)).collect();
    let waits_for = threads.into_iter().flatten().map(|stand| (stand.event, all(stand))).collect();
    (draft.terms.or2(way, cycle), Deadlocked { everyone: Some(way), members, stuck, waits_for })
}

fn at_mutex(draft: &mut Draft<'_>, mutexes: &Mutexes, event: EventId, next: Term) -> Stand {
    let mut waits_for = Vec::new();
    for number in 0..draft.graph.threads.len() {
        let holder = ThreadId(number as u32);
        for (mutex, held) in mutexes.held_by(&mut draft.terms, event, holder) {
            let waits = draft.terms.and2(next, held);
            if draft.terms.as_bool(waits) != Some(false) {
                waits_for.push(Waiting { other: holder, waits, mutex: Some(mutex) });
            }
        }
    }
    let ways: Vec<Term> = waits_for.iter().map(|waiting| waiting.waits).collect();
    Stand { event, stuck: draft.terms.or(&ways), waits_for }
}

/// A wake without a signal waits for one, unless the wait may end by itself; otherwise it waits for the mutex.
fn at_wake(draft: &mut Draft<'_>, ends: &Ends<'_>, wake: &Wake, next: Term) -> Stand {
    let awake = if wake.is_patient() { wake.signalled } else { draft.terms.truth() };
    let ready = draft.terms.and2(next, awake);
    let mut stand = at_mutex(draft, ends.mutexes, wake.event, ready);
    let asleep = draft.terms.not(awake);
    let sleeps = draft.terms.and2(next, asleep);
    stand.stuck = draft.terms.or2(stand.stuck, sleeps);
    stand
}

fn at_join(
    draft: &mut Draft<'_>,
    happens: &Happens,
    exits: &[Vec<EventId>],
    event: EventId,
    child: ThreadId,
    next: Term,
) -> Stand {
    let ways: Vec<Term> = exits[child.index()].iter().map(|&exit| happens.of(exit)).collect();
    let exited = draft.terms.or(&ways);
    let runs = draft.terms.not(exited);
    let stuck = draft.terms.and2(next, runs);
    Stand { event, stuck, waits_for: vec![Waiting { other: child, waits: stuck, mutex: None }] }
}

/// The access is evaluated with the value at the end, and stays disabled.
fn at_access(
    draft: &mut Draft<'_>,
    memory: &Memory,
    attempts: &mut Vec<Attempt>,
    event: EventId,
    access: &Access,
    next: Term,
) -> Stand {
    let stuck = draft.literal();
    draft.assert_implies(Family::Sync, stuck, next);
    let inside = memory.inside(&mut draft.terms, event);
    draft.assert_implies(Family::Sync, stuck, inside);
    let mut enabled = access.enabled;
    if let Some(old) = access.old {
        let last = draft.terms.symbol("last", Sort::Bits(8 * access.bytes));
        enabled = draft.terms.substitute(enabled, &HashMap::from([(old, last)]));
        attempts.extend(memory.attempts(&mut draft.terms, event, stuck, last));
    }
    let waits = draft.terms.not(enabled);
    draft.assert_implies(Family::Sync, stuck, waits);
    let holders = holders(draft, memory, event, access).into_iter();
    let waits_for =
        holders.map(|(other, holds)| Waiting { other, waits: draft.terms.and2(stuck, holds), mutex: None }).collect();
    Stand { event, stuck, waits_for }
}

/// By thread, the condition that it owns the read/write lock or the once-control that an access waits for: it acquired
/// it more often than it released it.
fn holders(draft: &mut Draft<'_>, memory: &Memory, event: EventId, access: &Access) -> Vec<(ThreadId, Term)> {
    if access.hold() != Some(Hold::Acquire) {
        return Vec::new();
    }
    // An access may touch several cells; it changes the owner once.
    let mut changes: BTreeMap<(ThreadId, EventId), (Hold, Vec<Term>)> = BTreeMap::new();
    for (writer, writes) in memory.writes(&mut draft.terms, event) {
        let Event { kind: Kind::Access(access), thread, .. } = &draft.graph.events[writer.index()] else { continue };
        if let Some(hold) = access.hold() {
            changes.entry((*thread, writer)).or_insert((hold, Vec::new())).1.push(writes);
        }
    }
    let mut balances: BTreeMap<ThreadId, Term> = BTreeMap::new();
    let width = u32::BITS - (changes.len() as u32).leading_zeros() + 1;
    let (zero, one) = (draft.terms.bits(width, 0), draft.terms.bits(width, 1));
    for ((thread, _), (hold, ways)) in changes {
        let writes = draft.terms.or(&ways);
        let change = draft.terms.ite(writes, one, zero);
        let before = balances.get(&thread).copied().unwrap_or(zero);
        let after = match hold {
            Hold::Acquire => draft.terms.add(before, change),
            Hold::Release => draft.terms.sub(before, change),
        };
        balances.insert(thread, after);
    }
    let mut holders = Vec::new();
    for (thread, balance) in balances {
        let holds = draft.terms.slt(zero, balance);
        if draft.terms.as_bool(holds) != Some(false) {
            holders.push((thread, holds));
        }
    }
    holders
}

/// No other thread has changed any value that the iteration read since it was read.
fn at_await(draft: &mut Draft<'_>, ends: &Ends<'_>, event: EventId, round: &[EventId], next: Term) -> Stand {
    let stuck = draft.literal();
    draft.assert_implies(Family::Sync, stuck, next);
    for &looked in round {
        let info = &draft.graph.events[looked.index()];
        let looks = draft.terms.and2(stuck, info.guard);
        let changes = match &info.kind {
            Kind::TryLock { taken, .. } => {
                let refused = draft.terms.not(*taken);
                draft.assert_implies(Family::Sync, looks, refused);
                let releases = ends.mutexes.releases(&mut draft.terms, looked);
                let happens =
                    |(release, same): (EventId, Term)| (release, draft.terms.and2(ends.happens.of(release), same));
                releases.into_iter().map(happens).collect()
            }
            _ => ends.memory.writes(&mut draft.terms, looked),
        };
        for (writer, writes) in changes {
            let own = same_thread(draft.graph, writer, looked);
            if own && !matches!(info.kind, Kind::TryLock { .. }) {
                continue;
            }
            let before = draft.before(writer, looked);
            let both = draft.terms.and2(looks, writes);
            draft.assert_implies(Family::Sync, both, before);
        }
    }
    Stand { event, stuck, waits_for: Vec::new() }
}

/// All threads are finished, blocked or not forked, and at least one is blocked.
fn everyone(draft: &mut Draft<'_>, happens: &Happens, threads: &[Vec<Stand>]) -> Term {
    let mut all = Vec::new();
    let mut some = Vec::new();
    for (thread, stands) in threads.iter().enumerate() {
        let stuck = stuck(draft, stands);
        some.push(stuck);
        let absent = draft.terms.not(happens.alive[thread]);
        all.push(draft.terms.or(&[absent, happens.finished[thread], stuck]));
    }
    all.push(draft.terms.or(&some));
    draft.terms.and(&all)
}

fn stuck(draft: &mut Draft<'_>, stands: &[Stand]) -> Term {
    let ways: Vec<Term> = stands.iter().map(|stand| stand.stuck).collect();
    draft.terms.or(&ways)
}

/// By thread, the condition that it is in a set of threads each of which waits for one of the set.
fn cycle(draft: &mut Draft<'_>, ends: &Ends<'_>, threads: &[Vec<Stand>]) -> Vec<Term> {
    let members: Vec<Term> = threads.iter().map(|_| draft.literal()).collect();
    let unlocks = ForeignUnlocks::new(draft, ends.happens, ends.foreign);
    let quiet = if unlocks.are_none() { draft.terms.truth() } else { quiet(draft, ends.happens, &unlocks, threads) };
    for (member, stands) in members.iter().zip(threads) {
        let mut ways = Vec::new();
        for waiting in stands.iter().flat_map(|stand| &stand.waits_for) {
            let mut all = vec![waiting.waits, members[waiting.other.index()]];
            for (thread, releases) in waiting.mutex.map_or(Vec::new(), |mutex| unlocks.may_come(draft, mutex)) {
                let never = draft.terms.not(releases);
                all.push(draft.terms.or(&[quiet, members[thread.index()], never]));
            }
            ways.push(draft.terms.and(&all));
        }
        let waits = draft.terms.or(&ways);
        draft.assert_implies(Family::Sync, *member, waits);
    }
    members
}

/// No thread can do anything but end the process.
fn quiet(draft: &mut Draft<'_>, happens: &Happens, unlocks: &ForeignUnlocks, threads: &[Vec<Stand>]) -> Term {
    let mut all = Vec::new();
    for (thread, stands) in threads.iter().enumerate() {
        let stuck = stuck(draft, stands);
        let absent = draft.terms.not(happens.alive[thread]);
        all.push(draft.terms.or(&[absent, happens.finished[thread], stuck, unlocks.ends[thread]]));
    }
    draft.terms.and(&all)
}
