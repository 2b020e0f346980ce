//! The claim of a construct: the kind of synchronisation that it appears to be.
//!
//! It is inferred from sample runs: which threads release which, the order in which threads use the regions, and how
//! many were inside when a thread had to wait. Whether the invariant of the kind holds is not checked here: a broken
//! barrier claims to be a barrier.

use std::collections::{BTreeMap, BTreeSet};

use crate::monitor::{Claim, Kind, Role};
use crate::regions::{Layout, RegionId};
use crate::runs::Run;
use crate::tracker::{Event, Tracker};

/// The events of a construct in one run.
#[derive(Debug, Default)]
pub struct Told {
    pub events: Vec<Event>,
    /// By thread, the regions that it went through.
    pub sequences: BTreeMap<usize, Vec<RegionId>>,
    /// For each of them, whether it wrote anything.
    wrote: BTreeMap<usize, Vec<bool>>,
    /// Regions that use locks, conditions and their like.
    primitives: BTreeSet<RegionId>,
    /// The first reads of arriving threads, and the reads of waiting ones.
    looked_at: BTreeSet<u64>,
    awaited: BTreeSet<u64>,
    /// Threads that had to wait, with the state of the others.
    waits: Vec<Wait>,
    /// (region of the waiting thread, region of the thread that released it)
    releases: Vec<(RegionId, Option<RegionId>)>,
    /// The largest number of threads inside a bracket of an acquiring and the next region, by the acquiring region.
    pub exits: BTreeMap<RegionId, u32>,
    pub complete: bool,
    pub undisturbed: bool,
}

#[derive(Debug)]
struct Wait {
    region: RegionId,
    /// For each of the others: the region that it was in or left last, whether it is inside, and whether it waits.
    others: Vec<(RegionId, bool, bool)>,
    /// How often each region had been left.
    exits: BTreeMap<RegionId, u32>,
    enters: BTreeMap<RegionId, u32>,
}

/// The events of a run that concern the construct.
pub fn told(layout: &Layout, run: &Run) -> Told {
    let mut told = Told { complete: run.complete, undisturbed: run.undisturbed, ..Told::default() };
    let mut tracker = Tracker::default();
    let mut enters: BTreeMap<RegionId, u32> = BTreeMap::new();
    let mut last: BTreeMap<usize, RegionId> = BTreeMap::new();
    let mut blocked: BTreeSet<usize> = BTreeSet::new();
    let mut arrived: BTreeSet<usize> = BTreeSet::new();
    for entry in run.entries.iter().filter(|entry| entry.threaded) {
        let was_in = tracker.region(entry.thread).or_else(|| {
            layout.touches(entry.what).then(|| layout.region(&entry.calls)).flatten().map(|(region, _)| region)
        });
        if matches!(entry.what, crate::observe::What::Primitive { .. }) {
            told.primitives.extend(was_in);
        }
        let begin = told.events.len();
        tracker.step(layout, &entry.step, &mut told.events);
        for &event in &told.events[begin..] {
            match event {
                Event::Enter { thread, region } => {
                    arrived.insert(thread);
                    *enters.entry(region).or_default() += 1;
                    told.sequences.entry(thread).or_default().push(region);
                    told.wrote.entry(thread).or_default().push(false);
                }
                Event::Exit { thread, region } => {
                    *told.exits.entry(region).or_default() += 1;
                    last.insert(thread, region);
                }
                Event::Access { thread, at, writes, .. } => {
                    if arrived.remove(&thread) {
                        told.looked_at.insert(at);
                    }
                    if let Some(last) = told.wrote.get_mut(&thread).and_then(|wrote| wrote.last_mut()) {
                        *last |= writes;
                    }
                }
                Event::Wait { .. } => {}
            }
        }
        for &thread in &entry.released {
            blocked.remove(&thread);
            if let Some(region) = tracker.region(thread) {
                told.releases.push((region, was_in));
            }
        }
        if entry.waits.is_some()
            && let Some(region) = tracker.region(entry.thread)
        {
            blocked.insert(entry.thread);
            told.awaited.extend(entry.waits.iter().flat_map(|waits| waits.places.iter().copied()));
            let threads: BTreeSet<usize> = told.sequences.keys().copied().collect();
            let others = threads
                .into_iter()
                .filter(|&other| other != entry.thread)
                .filter_map(|other| match tracker.region(other) {
                    Some(region) => Some((region, true, blocked.contains(&other))),
                    None => Some((*last.get(&other)?, false, false)),
                })
                .collect();
            told.waits.push(Wait { region, others, exits: told.exits.clone(), enters: enters.clone() });
        }
    }
    told
}

/// The claim of a construct, if it makes one.
pub fn claim(layout: &Layout, told: &[Told]) -> Option<Claim> {
    let count = layout.regions.len();
    let waiting: BTreeSet<RegionId> = told.iter().flat_map(|told| &told.waits).map(|wait| wait.region).collect();
    if waiting.is_empty() {
        return None;
    }
    let participants: BTreeSet<usize> = told.iter().flat_map(|told| told.sequences.keys().copied()).collect();
    if participants.len() < 2 {
        return None;
    }
    let empty = Claim {
        kind: Kind::Barrier,
        roles: vec![None; count],
        participants,
        capacity: 1,
        initial: 0,
        work: BTreeSet::new(),
        work_writes: 0,
        flags: BTreeSet::new(),
        items: BTreeSet::new(),
        needed: 1,
        queue: false,
    };
    once(&empty, told, &waiting)
        .or_else(|| barrier(&empty, told, &waiting))
        .or_else(|| lock(&empty, told, &waiting, &BTreeSet::new()))
        .or_else(|| lock(&empty, told, &waiting, &attempts(told, &waiting)))
        .or_else(|| snapshot(&empty, told, &waiting))
        .or_else(|| counted(&empty, told, &waiting))
}

fn releases(told: &[Told]) -> impl Iterator<Item = (RegionId, Option<RegionId>)> + '_ {
    told.iter().flat_map(|told| told.releases.iter().copied())
}

/// Each waiting thread is released by a thread in the same region, and threads wait even without preemptions. If the
/// parts have regions of their own, each thread has one part.
fn barrier(empty: &Claim, told: &[Told], waiting: &BTreeSet<RegionId>) -> Option<Claim> {
    let waits_undisturbed = told.iter().any(|told| told.undisturbed && !told.waits.is_empty());
    if !waits_undisturbed {
        return None;
    }
    let parts: Vec<BTreeSet<RegionId>> = told
        .iter()
        .flat_map(|told| told.sequences.values())
        .map(|sequence| sequence.iter().copied().collect())
        .collect();
    let together = |left, right| parts.iter().any(|regions| regions.contains(&left) && regions.contains(&right));
    let own = releases(told).all(|(waits, by)| by == Some(waits));
    let split = releases(told)
        .all(|(waits, by)| by.is_some_and(|by| by == waits || waiting.contains(&by) && !together(waits, by)));
    let complete: Vec<&Told> = told.iter().filter(|told| told.complete).collect();
    let even = |told: &&Told| {
        let mut lengths = told.sequences.values().map(Vec::len);
        let first = lengths.next();
        lengths.all(|length| Some(length) == first)
    };
    let claim = Claim { kind: Kind::Barrier, roles: vec![Some(Role::Arrive); empty.roles.len()], ..empty.clone() };
    let one = parts.iter().all(|regions| regions.len() == 1 && Some(regions) == parts.first());
    if own && complete.iter().all(&even) && (one || releases(told).next().is_some()) {
        return Some(claim);
    }
    if split && !complete.is_empty() && complete.iter().all(even) {
        let holds = complete.iter().filter(|told| super::holds(&claim, &told.events).is_ok()).count();
        return (holds * 10 >= complete.len() * 7).then_some(claim);
    }
    None
}

/// Regions that sometimes write nothing and never wait: attempts that may fail.
fn attempts(told: &[Told], waiting: &BTreeSet<RegionId>) -> BTreeSet<RegionId> {
    let (mut silent, mut loud) = (BTreeSet::new(), BTreeSet::new());
    for told in told {
        for (sequence, wrote) in told.sequences.values().zip(told.wrote.values()) {
            for (&region, &wrote) in sequence.iter().zip(wrote) {
                if wrote {
                    loud.insert(region)
                } else {
                    silent.insert(region)
                };
            }
        }
    }
    silent.into_iter().filter(|region| loud.contains(region) && !waiting.contains(region)).collect()
}

/// Every thread goes through regions in turns: one to get in, one to get out.
fn lock(empty: &Claim, told: &[Told], waiting: &BTreeSet<RegionId>, attempts: &BTreeSet<RegionId>) -> Option<Claim> {
    let mut side: BTreeMap<RegionId, bool> = BTreeMap::new();
    let sequences = |told: &Told| -> Vec<Vec<RegionId>> {
        let done = |(region, wrote): (&RegionId, &bool)| (*wrote || !attempts.contains(region)).then_some(*region);
        let pairs = told.sequences.values().zip(told.wrote.values());
        pairs.map(|(sequence, wrote)| sequence.iter().zip(wrote).filter_map(done).collect()).collect()
    };
    for sequence in told.iter().flat_map(&sequences) {
        for (position, &region) in sequence.iter().enumerate() {
            let acquires = position % 2 == 0;
            if *side.entry(region).or_insert(acquires) != acquires {
                return None;
            }
        }
    }
    let acquires = |region: &RegionId| side.get(region) == Some(&true);
    if !waiting.iter().any(&acquires) || !side.values().any(|acquires| !acquires) {
        return None;
    }
    // A thread that waits to enter is released by a thread that leaves.
    let mut let_in = releases(told).filter(|(waits, _)| acquires(waits)).peekable();
    if let_in.peek().is_some() && !let_in.any(|(_, by)| by.is_some_and(|by| !acquires(&by))) {
        return None;
    }
    let odd = told
        .iter()
        .filter(|told| told.complete)
        .any(|told| sequences(told).iter().any(|sequence| sequence.len() % 2 == 1));
    if odd {
        return None;
    }
    let classes: BTreeSet<RegionId> =
        side.iter().filter(|(_, acquires)| **acquires).map(|(region, _)| *region).collect();
    let mut pairs: BTreeMap<RegionId, BTreeSet<RegionId>> = BTreeMap::new();
    for sequence in told.iter().flat_map(&sequences) {
        for pair in sequence.chunks_exact(2) {
            pairs.entry(pair[0]).or_default().insert(pair[1]);
        }
    }
    let mut roles = vec![None; empty.roles.len()];
    for (&region, &acquires) in &side {
        roles[region] = Some(match (acquires, attempts.contains(&region)) {
            (true, true) => Role::Try,
            (true, false) => Role::Acquire,
            (false, _) => Role::Release,
        });
    }
    let classes: BTreeSet<RegionId> = classes.into_iter().filter(|class| !attempts.contains(class)).collect();
    let mutex = Claim { kind: Kind::Mutex, roles: roles.clone(), ..empty.clone() };
    // Among several entry regions, those of readers are shared most often.
    let shared: BTreeMap<RegionId, u32> = classes.iter().map(|&class| (class, shares(told, class, &pairs))).collect();
    let most = shared.values().copied().max().unwrap_or(0);
    let readers: BTreeSet<RegionId> =
        shared.iter().filter(|(_, count)| most > 0 && **count * 2 > most).map(|(class, _)| *class).collect();
    // Readers without any write cannot exclude a writer: they would have to retry, or are no readers.
    let leaves = |reader: &RegionId| {
        let ways = pairs.get(reader).into_iter().flatten().chain([reader]);
        ways.copied().any(|region| leaves_something(told, region))
    };
    if readers.len() < classes.len() && readers.iter().any(|reader| !leaves(reader)) {
        return None;
    }
    if !readers.is_empty() && readers.len() < classes.len() {
        for &reader in &readers {
            roles[reader] = Some(Role::ReadAcquire);
            for &release in pairs.get(&reader).into_iter().flatten() {
                let also_writers =
                    pairs.iter().any(|(class, releases)| !readers.contains(class) && releases.contains(&release));
                roles[release] = Some(if also_writers { Role::Release } else { Role::ReadRelease });
            }
        }
        return Some(Claim { kind: Kind::Rwlock, roles, ..empty.clone() });
    }
    // The number of threads inside when another had to wait is the capacity.
    let capacity = capacity(told, &acquires);
    if capacity > 1 {
        return Some(Claim { kind: Kind::Semaphore, roles, capacity, ..empty.clone() });
    }
    Some(mutex)
}

/// Whether a thread writes in the region, or uses a lock or another primitive there.
fn leaves_something(told: &[Told], region: RegionId) -> bool {
    told.iter().any(|told| {
        let mut visits = told.sequences.iter().flat_map(|(thread, visits)| visits.iter().zip(&told.wrote[thread]));
        told.primitives.contains(&region) || visits.any(|(visited, wrote)| *visited == region && *wrote)
    })
}

/// The number of threads inside when another had to wait. Attempts that are taken back make threads wait with fewer
/// inside, and a broken lock with more; waits for a single thread are rare only if several may be inside.
fn capacity(told: &[Told], acquires: &dyn Fn(&RegionId) -> bool) -> u32 {
    let (mut all, mut single, mut most) = (0, 0, 0);
    for wait in told.iter().flat_map(|told| &told.waits).filter(|wait| acquires(&wait.region)) {
        let mut holders = 0;
        let mut others = 0;
        for (region, inside, waits) in &wait.others {
            holders += u32::from(*inside != acquires(region));
            others += u32::from(*inside && acquires(region) && !*waits);
        }
        all += 1;
        single += u32::from(holders + others <= 1);
        most = most.max(holders);
    }
    if single * 8 >= all { 1 } else { most.max(1) }
}

/// In how many runs two threads are inside after the same acquiring region.
fn shares(told: &[Told], class: RegionId, pairs: &BTreeMap<RegionId, BTreeSet<RegionId>>) -> u32 {
    let releases = |region: RegionId| pairs.get(&class).is_some_and(|releases| releases.contains(&region));
    let mut shared = 0;
    for told in told {
        let mut inside: BTreeSet<usize> = BTreeSet::new();
        let mut most = 0;
        for event in &told.events {
            match *event {
                Event::Exit { thread, region } if region == class => {
                    inside.insert(thread);
                    most = most.max(inside.len());
                }
                Event::Enter { thread, region } if releases(region) => {
                    inside.remove(&thread);
                }
                _ => {}
            }
        }
        shared += u32::from(most > 1);
    }
    shared
}

/// Readers that write nothing, lock nothing and read several places, one of them twice, all of which writers write.
fn snapshot(empty: &Claim, told: &[Told], waiting: &BTreeSet<RegionId>) -> Option<Claim> {
    let mut writes: BTreeMap<RegionId, BTreeMap<u64, u32>> = BTreeMap::new();
    let mut reads: BTreeMap<RegionId, BTreeSet<u64>> = BTreeMap::new();
    let mut enters: BTreeMap<RegionId, u32> = BTreeMap::new();
    for event in told.iter().filter(|told| told.undisturbed).flat_map(|told| &told.events) {
        match *event {
            Event::Access { region, at, writes: true, .. } => {
                *writes.entry(region).or_default().entry(at).or_default() += 1;
            }
            Event::Access { region, at, .. } => {
                reads.entry(region).or_default().insert(at);
            }
            Event::Enter { region, .. } => *enters.entry(region).or_default() += 1,
            Event::Exit { .. } | Event::Wait { .. } => {}
        }
    }
    let frames = |(region, places): &(&RegionId, &BTreeMap<u64, u32>)| {
        let entered = enters.get(region).copied().unwrap_or(1).max(1);
        places.len() >= 2 && places.values().any(|&count| count >= 2 * entered)
    };
    let writers: BTreeSet<RegionId> = writes.iter().filter(frames).map(|(region, _)| *region).collect();
    let locks = |region: &RegionId| told.iter().any(|told| told.primitives.contains(region));
    let reads_only = |region: &RegionId| !writes.contains_key(region) && !locks(region);
    let readers: BTreeSet<RegionId> = waiting.iter().copied().filter(reads_only).collect();
    let written: BTreeSet<u64> = writers.iter().flat_map(|writer| writes[writer].keys().copied()).collect();
    let looks = |region: &RegionId| reads.get(region).is_some_and(|places| places.intersection(&written).count() >= 2);
    if writers.is_empty() || readers.is_empty() || readers.len() != waiting.len() || !readers.iter().all(looks) {
        return None;
    }
    let mut roles = vec![None; empty.roles.len()];
    writers.iter().for_each(|&region| roles[region] = Some(Role::Write));
    readers.iter().for_each(|&region| roles[region] = Some(Role::Read));
    Some(Claim { kind: Kind::Seqlock, roles, ..empty.clone() })
}

/// One region, in which threads wait only after preemptions, and in which one thread writes plain data.
fn once(empty: &Claim, told: &[Told], waiting: &BTreeSet<RegionId>) -> Option<Claim> {
    if waiting.len() != 1 || told.iter().any(|told| told.undisturbed && !told.waits.is_empty()) {
        return None;
    }
    let region = *waiting.first()?;
    if releases(told).any(|(_, by)| by != Some(region)) {
        return None;
    }
    let only = |told: &Told| told.sequences.values().flatten().all(|other| *other == region);
    if !told.iter().all(only) {
        return None;
    }
    let run = told.iter().find(|told| told.undisturbed && told.complete)?;
    let mut writes: BTreeMap<usize, BTreeMap<u64, u32>> = BTreeMap::new();
    for event in &run.events {
        if let Event::Access { thread, at, writes: true, .. } = *event {
            *writes.entry(thread).or_default().entry(at).or_default() += 1;
        }
    }
    // The first thread does the work, alone.
    let mut by_writes: Vec<(&usize, &BTreeMap<u64, u32>)> = writes.iter().collect();
    by_writes.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    let (worker, places) = by_writes.first()?;
    let others: BTreeSet<u64> =
        writes.iter().filter(|(thread, _)| thread != worker).flat_map(|(_, places)| places.keys().copied()).collect();
    if places.is_empty() || !others.is_empty() {
        return None;
    }
    let flags = told.iter().flat_map(|told| told.looked_at.union(&told.awaited).copied()).collect();
    let mut roles = vec![None; empty.roles.len()];
    roles[region] = Some(Role::Once);
    Some(Claim { kind: Kind::Once, roles, ..empty.clone() }.of_initialiser(places, flags))
}

/// Both sides wait for each other: puts and gets. The first to leave puts.
fn puts_and_gets(empty: &Claim, told: &[Told], used: &BTreeSet<RegionId>) -> Option<Claim> {
    if used.len() != 2 {
        return None;
    }
    let first = told.iter().flat_map(|told| &told.events).find_map(|event| match event {
        Event::Exit { region, .. } => Some(*region),
        _ => None,
    })?;
    let mut roles = vec![None; empty.roles.len()];
    for &region in used {
        roles[region] = Some(if region == first { Role::Post } else { Role::Wait });
    }
    let get = *used.iter().find(|region| **region != first)?;
    let of = |counts: &BTreeMap<RegionId, u32>, region| counts.get(&region).copied().unwrap_or(0);
    let outstanding = told
        .iter()
        .flat_map(|told| &told.waits)
        .filter(|wait| wait.region == first)
        .map(|wait| of(&wait.exits, first).saturating_sub(of(&wait.exits, get)))
        .filter(|&outstanding| outstanding > 0);
    let capacity = outstanding.min().unwrap_or(1);
    Some(Claim { kind: Kind::Handshake, roles, capacity, ..empty.clone() }.with_items(told))
}

/// Some let pass, some pass: events, semaphores, handshakes.
fn counted(empty: &Claim, told: &[Told], waiting: &BTreeSet<RegionId>) -> Option<Claim> {
    let complete: Vec<&Told> = told.iter().filter(|told| told.complete).collect();
    let used: BTreeSet<RegionId> = told.iter().flat_map(|told| told.sequences.values().flatten().copied()).collect();
    let mut releasing: BTreeMap<RegionId, BTreeSet<RegionId>> = BTreeMap::new();
    for (waits, by) in releases(told) {
        releasing.entry(waits).or_default().extend(by);
    }
    let mut roles = vec![None; empty.roles.len()];
    let posting: BTreeSet<RegionId> = used.difference(waiting).copied().collect();
    if posting.is_empty() {
        return puts_and_gets(empty, told, &used);
    }
    let lets_go =
        |region: &RegionId| waiting.iter().any(|waits| releasing.get(waits).is_some_and(|by| by.contains(region)));
    for &region in &used {
        roles[region] = if waiting.contains(&region) {
            Some(Role::Wait)
        } else if lets_go(&region) {
            Some(Role::Post)
        } else {
            None
        };
    }
    if !roles.contains(&Some(Role::Post)) {
        return None;
    }
    // A write in a region without a role, which releases no thread, is not understood.
    let stray = told
        .iter()
        .flat_map(|told| &told.events)
        .any(|event| matches!(*event, Event::Access { region, writes: true, .. } if roles[region].is_none()));
    if stray {
        return None;
    }
    let total = |told: &Told, role: Role| -> u32 {
        told.exits.iter().filter(|(region, _)| roles[**region] == Some(role)).map(|(_, count)| count).sum()
    };
    let many = complete.iter().any(|told| total(told, Role::Wait) > total(told, Role::Post));
    let single = complete.iter().all(|told| total(told, Role::Post) <= 1);
    // Passes without a post use up the initial value: threads wait only after that.
    let of_role = |counts: &BTreeMap<RegionId, u32>, role: Role| -> u32 {
        counts.iter().filter(|(region, _)| roles[**region] == Some(role)).map(|(_, count)| count).sum()
    };
    let initial = told
        .iter()
        .flat_map(|told| &told.waits)
        .map(|wait| of_role(&wait.exits, Role::Wait).saturating_sub(of_role(&wait.enters, Role::Post)))
        .max()
        .unwrap_or(0);
    let unposted = told
        .iter()
        .flat_map(|told| &told.waits)
        .map(|wait| (of_role(&wait.exits, Role::Wait), of_role(&wait.enters, Role::Post)))
        .any(|(passed, posted)| posted == 0 && passed == 0);
    // The least number of posts before a pass: a latch waits for all of them.
    let before_pass = |told: &Told| -> Option<u32> {
        let mut begun = 0;
        for event in &told.events {
            match *event {
                Event::Enter { region, .. } if roles[region] == Some(Role::Post) => begun += 1,
                Event::Exit { region, .. } if roles[region] == Some(Role::Wait) => return Some(begun),
                _ => {}
            }
        }
        None
    };
    let least = told.iter().filter_map(before_pass).min().unwrap_or(1);
    let posts = complete.iter().map(|told| total(told, Role::Post)).max().unwrap_or(1);
    let is_latch = least > 1 && least == posts;
    // A pass of a semaphore consumes a unit: a wait without a write is one for an event.
    let consumes = told
        .iter()
        .flat_map(|told| &told.events)
        .any(|event| matches!(*event, Event::Access { region, writes: true, .. } if roles[region] == Some(Role::Wait)));
    // What hands over data, an item for each pass, is a queue without a bound.
    let queue = || Claim { kind: Kind::Handshake, roles: roles.clone(), capacity: u32::MAX, ..empty.clone() };
    let items = if single || many || is_latch || initial > 0 { None } else { Some(queue().with_items(told)) };
    if let Some(queue) = items.filter(|queue| !queue.items.is_empty()) {
        return Some(queue);
    }
    if (single || many || is_latch || !consumes) && unposted {
        let needed = if is_latch { least } else { 1 };
        return Some(Claim { kind: Kind::Event, roles, needed, ..empty.clone() });
    }
    consumes.then(|| Claim { kind: Kind::Semaphore, roles, initial, ..empty.clone() })
}

impl Claim {
    /// The claim with the places of its items: those that puts write and gets access, and for which threads do not wait.
    /// Places that are not used like that in every run without preemptions are none.
    fn with_items(mut self, told: &[Told]) -> Claim {
        let (mut put, mut got) = (BTreeSet::new(), BTreeSet::new());
        for event in told.iter().flat_map(|told| &told.events) {
            let Event::Access { region, at, writes, .. } = *event else { continue };
            match self.roles[region] {
                Some(Role::Post) if writes => put.insert(at),
                Some(Role::Wait) => got.insert(at),
                _ => false,
            };
        }
        let flags: BTreeSet<u64> = told.iter().flat_map(|told| told.looked_at.union(&told.awaited).copied()).collect();
        let undisturbed = || told.iter().filter(|told| told.undisturbed && told.complete);
        for item in put.intersection(&got).filter(|place| !flags.contains(place)) {
            let alone = Claim { items: BTreeSet::from([*item]), ..self.clone() };
            if undisturbed().next().is_some() && undisturbed().all(|told| super::holds(&alone, &told.events).is_ok()) {
                self.items.insert(*item);
            }
        }
        self
    }
}
