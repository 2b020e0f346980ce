//! Temporal invariants of the kinds of synchronisation, over threads that enter and leave regions.
//!
//! A [`Claim`] is the kind and the roles of a construct; a [`Monitor`] is its ghost state and detects where an
//! execution breaks the claim. Neither depends on the implementation of the construct.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::rc::Rc;

use crate::regions::RegionId;
use crate::tracker::Event;

pub use report::SyncKind as Kind;

/// The part that a region plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Arrives and waits for all others.
    Arrive,
    Acquire,
    /// Acquires if it writes, and fails otherwise.
    Try,
    Release,
    ReadAcquire,
    ReadRelease,
    /// Lets other threads pass: sets the event, posts the semaphore, puts the item.
    Post,
    /// Passes when there is leave.
    Wait,
    Read,
    Write,
    /// Runs the initialiser or waits for it.
    Once,
}

impl Role {
    pub fn name(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Role::Arrive, _) => "arrive",
            (Role::Acquire, Kind::Rwlock) => "write-lock",
            (Role::Release, Kind::Rwlock) => "write-unlock",
            (Role::Acquire, Kind::Semaphore) => "acquire",
            (Role::Release, Kind::Semaphore) => "release",
            (Role::Try, _) => "try-lock",
            (Role::Acquire, _) => "lock",
            (Role::Release, _) => "unlock",
            (Role::ReadAcquire, _) => "read-lock",
            (Role::ReadRelease, _) => "read-unlock",
            (Role::Post, Kind::Event) => "set",
            (Role::Post, Kind::Handshake) => "put",
            (Role::Post, _) => "post",
            (Role::Wait, Kind::Handshake) => "get",
            (Role::Wait, _) => "wait",
            (Role::Read, _) => "read",
            (Role::Write, _) => "write",
            (Role::Once, _) => "call",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Claim {
    pub kind: Kind,
    pub roles: Vec<Option<Role>>,
    pub participants: BTreeSet<usize>,
    /// The number of posts that are not needed.
    pub capacity: u32,
    /// Passes that need no post.
    pub initial: u32,
    /// The initialiser's data for other threads, and the number of its writes.
    pub work: BTreeSet<u64>,
    pub work_writes: u32,
    /// The initialiser's flags, which exclude and admit other threads.
    pub flags: BTreeSet<u64>,
    /// Where a handshake keeps its items: places that puts write and gets read.
    pub items: BTreeSet<u64>,
    /// How many posts an event needs.
    pub needed: u32,
    /// The claim is about the order of a lock: no thread overtakes a waiting one.
    pub queue: bool,
}

impl Claim {
    /// Adds the writes of an initialiser: flags are not data, unless there is no other data.
    pub fn of_initialiser(mut self, writes: &BTreeMap<u64, u32>, flags: BTreeSet<u64>) -> Claim {
        let is_work = |place: &u64| !flags.contains(place) || writes.keys().all(|place| flags.contains(place));
        self.work = writes.keys().copied().filter(is_work).collect();
        self.work_writes = self.work.iter().map(|place| writes[place]).sum();
        self.flags = flags.difference(&self.work).copied().collect();
        self
    }

    /// Whether all threads use the construct in one way: they arrive, or enter and leave.
    pub fn is_strong(&self) -> bool {
        match self.kind {
            Kind::Event | Kind::Handshake => false,
            Kind::Semaphore => self.roles.contains(&Some(Role::Acquire)),
            _ => true,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Monitor {
    pub claim: Rc<Claim>,
    state: State,
}

#[derive(Clone, Debug, Hash)]
enum State {
    /// By thread, how often it arrived.
    Barrier(BTreeMap<usize, u32>),
    /// The owners, and whether each reads.
    Lock {
        holders: Vec<(usize, bool)>,
        wrote: BTreeSet<usize>,
    },
    Count(Count),
    Snapshot(Snapshot),
    Once {
        worker: Option<usize>,
        writes: u32,
    },
    /// The threads that have to wait, and by thread in the lock, those that had to wait when it arrived.
    Queue {
        waiting: BTreeSet<usize>,
        ahead: BTreeMap<usize, BTreeSet<usize>>,
    },
}

#[derive(Clone, Debug, Default, Hash)]
struct Count {
    begun: u32,
    posted: u32,
    passing: u32,
    passed: u32,
    /// Places with an item that was not taken.
    full: BTreeSet<u64>,
    /// By thread: the places that it wrote in its put, or read in its get.
    used: BTreeMap<usize, BTreeSet<u64>>,
}

impl Count {
    /// An access of an item. A put must not write over one that was not taken.
    fn item(&mut self, thread: usize, role: Role, at: u64, writes: bool) -> Result<(), String> {
        let puts = role == Role::Post;
        if puts && !writes {
            return Ok(());
        }
        let is_new = self.used.entry(thread).or_default().insert(at);
        if puts && is_new && !self.full.insert(at) {
            return Err("writes over an item that was not taken".into());
        }
        Ok(())
    }

    /// The end of a post or a pass.
    fn exit(&mut self, thread: usize, role: Role, claim: &Claim) -> Result<(), String> {
        if role == Role::Post {
            self.posted += 1;
            self.used.remove(&thread);
            let is_over = self.posted > self.passing.saturating_add(claim.capacity);
            return match claim.kind == Kind::Handshake && is_over {
                true => Err("puts an item into a full buffer".into()),
                false => Ok(()),
            };
        }
        self.passed += 1;
        let most = match claim.kind {
            Kind::Event if self.begun >= claim.needed => u32::MAX,
            Kind::Event => 0,
            _ => self.begun + claim.initial,
        };
        if self.passed > most {
            return Err(match claim.kind {
                Kind::Event => "lets a thread pass before it was set".into(),
                Kind::Handshake => "takes an item that was not put".into(),
                _ => "lets more threads pass than posts allow".into(),
            });
        }
        self.take_items(thread)
    }

    /// The end of a get: each item that it read was there, and is taken now.
    fn take_items(&mut self, thread: usize) -> Result<(), String> {
        let used = self.used.remove(&thread).unwrap_or_default();
        match used.iter().all(|at| self.full.remove(at)) {
            true => Ok(()),
            false => Err("takes an item that is not there".into()),
        }
    }
}

#[derive(Clone, Debug, Default, Hash)]
struct Snapshot {
    writes: u32,
    /// By thread, the number of the write that it is in.
    writing: BTreeMap<usize, u32>,
    /// By place, the writes that wrote it.
    history: BTreeMap<u64, Vec<u32>>,
    /// By reader, the places read in this attempt, and the writes it read from.
    seen: BTreeMap<usize, Vec<(u64, u32)>>,
}

impl Monitor {
    pub fn new(claim: &Rc<Claim>) -> Monitor {
        let state = match claim.kind {
            _ if claim.queue => State::Queue { waiting: BTreeSet::new(), ahead: BTreeMap::new() },
            Kind::Barrier => State::Barrier(BTreeMap::new()),
            Kind::Mutex | Kind::Rwlock => State::Lock { holders: Vec::new(), wrote: BTreeSet::new() },
            Kind::Semaphore if claim.roles.contains(&Some(Role::Acquire)) => {
                State::Lock { holders: Vec::new(), wrote: BTreeSet::new() }
            }
            Kind::Semaphore | Kind::Event | Kind::Handshake => State::Count(Count::default()),
            Kind::Seqlock => State::Snapshot(Snapshot::default()),
            Kind::Once => State::Once { worker: None, writes: 0 },
        };
        Monitor { claim: claim.clone(), state }
    }

    /// Hashes the ghost state.
    pub fn add_to(&self, hasher: &mut impl std::hash::Hasher) {
        self.state.hash(hasher);
    }

    fn role(&self, region: RegionId) -> Option<Role> {
        self.claim.roles.get(region).copied().flatten()
    }

    /// Processes an event; returns the violation if it breaks the claim.
    pub fn take(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Enter { thread, region } => self.enter(thread, region),
            Event::Access { thread, region, at, writes } => self.access(thread, region, at, writes),
            Event::Wait { thread, region } => {
                let acquires = self.role(region) == Some(Role::Acquire);
                if let (State::Queue { waiting, .. }, true) = (&mut self.state, acquires) {
                    waiting.insert(thread);
                }
                Ok(())
            }
            Event::Exit { thread, region } => self.exit(thread, region),
        }
    }

    fn enter(&mut self, thread: usize, region: RegionId) -> Result<(), String> {
        let Some(role) = self.role(region) else { return Ok(()) };
        match &mut self.state {
            State::Barrier(entered) => *entered.entry(thread).or_default() += 1,
            State::Lock { holders, wrote } => {
                wrote.remove(&thread);
                if matches!(role, Role::Release | Role::ReadRelease) {
                    let reads = role == Role::ReadRelease;
                    if let Some(at) = holders.iter().position(|holder| *holder == (thread, reads)) {
                        holders.remove(at);
                    }
                }
            }
            State::Count(count) => match role {
                Role::Post => count.begun += 1,
                _ => count.passing += 1,
            },
            State::Snapshot(snapshot) => match role {
                Role::Write => {
                    snapshot.writes += 1;
                    snapshot.writing.insert(thread, snapshot.writes);
                }
                _ => {
                    snapshot.seen.insert(thread, Vec::new());
                }
            },
            State::Queue { waiting, ahead } => {
                if role == Role::Acquire {
                    ahead.insert(thread, waiting.clone());
                }
            }
            State::Once { .. } => {}
        }
        Ok(())
    }

    fn access(&mut self, thread: usize, region: RegionId, at: u64, writes: bool) -> Result<(), String> {
        if self.role(region).is_none() {
            return Ok(());
        }
        let role = self.role(region);
        match &mut self.state {
            State::Lock { wrote, .. } if writes && role == Some(Role::Try) => {
                wrote.insert(thread);
            }
            State::Snapshot(snapshot) => {
                if let Some(&number) = snapshot.writing.get(&thread) {
                    if writes {
                        let history = snapshot.history.entry(at).or_default();
                        if history.last() != Some(&number) {
                            history.push(number);
                        }
                    }
                } else if let Some(seen) = snapshot.seen.get_mut(&thread) {
                    let last = snapshot.history.get(&at).and_then(|history| history.last().copied());
                    // Reading the first place again begins another attempt.
                    if seen.first().is_some_and(|(first, _)| *first == at)
                        && let Some(again) = seen.iter().skip(1).position(|(place, _)| *place == at)
                    {
                        seen.drain(..=again);
                    }
                    seen.push((at, last.unwrap_or(0)));
                }
            }
            State::Count(count) if self.claim.items.contains(&at) => {
                return role.map_or(Ok(()), |role| count.item(thread, role, at, writes));
            }
            State::Once { worker, writes: count } if writes && self.claim.work.contains(&at) => {
                match worker {
                    Some(worker) if *worker != thread => return Err("runs the initialiser twice".into()),
                    _ => *worker = Some(thread),
                }
                *count += 1;
            }
            _ => {}
        }
        Ok(())
    }

    fn exit(&mut self, thread: usize, region: RegionId) -> Result<(), String> {
        let Some(role) = self.role(region) else { return Ok(()) };
        let claim = &self.claim;
        match &mut self.state {
            State::Barrier(entered) => {
                let round = entered.get(&thread).copied().unwrap_or(0);
                let late = |other: &&usize| entered.get(*other).copied().unwrap_or(0) < round;
                if claim.participants.iter().any(|other| late(&other)) {
                    return Err("lets a thread through before the last one arrived".into());
                }
            }
            State::Lock { wrote, .. } if role == Role::Try && !wrote.contains(&thread) => {}
            State::Lock { holders, .. } => match role {
                Role::Acquire | Role::ReadAcquire | Role::Try => {
                    let reads = role == Role::ReadAcquire;
                    let clash = match claim.kind {
                        Kind::Semaphore => holders.len() as u32 >= claim.capacity,
                        Kind::Rwlock => holders.iter().any(|(_, other)| !reads || !*other),
                        _ => !holders.is_empty(),
                    };
                    if clash {
                        return Err(match claim.kind {
                            Kind::Semaphore => format!("lets more than {} threads in", claim.capacity),
                            Kind::Rwlock if reads => "lets a reader in beside a writer".into(),
                            Kind::Rwlock if holders.iter().any(|(_, reads)| *reads) => {
                                "lets a writer in beside a reader".into()
                            }
                            Kind::Rwlock => "lets two writers in".into(),
                            _ => "lets two threads in at the same time".into(),
                        });
                    }
                    holders.push((thread, reads));
                    holders.sort_unstable();
                }
                _ => {}
            },
            State::Count(count) => count.exit(thread, role, claim)?,
            State::Snapshot(snapshot) => {
                if snapshot.writing.remove(&thread).is_none()
                    && let Some(seen) = snapshot.seen.remove(&thread)
                {
                    let newest = seen.iter().map(|(_, version)| *version).max().unwrap_or(0);
                    let fits = |(place, version): &(u64, u32)| {
                        let history = snapshot.history.get(place).map_or(&[][..], Vec::as_slice);
                        history.iter().copied().filter(|&number| number <= newest).max().unwrap_or(0) == *version
                    };
                    if !seen.iter().all(fits) {
                        return Err("returns values of different writes".into());
                    }
                }
            }
            State::Queue { waiting, ahead } => {
                if role == Role::Acquire {
                    if ahead.remove(&thread).is_some_and(|ahead| ahead.iter().any(|other| waiting.contains(other))) {
                        return Err("lets a thread overtake one that waits".into());
                    }
                    waiting.remove(&thread);
                    ahead.values_mut().for_each(|ahead| {
                        ahead.remove(&thread);
                    });
                }
            }
            State::Once { writes, .. } => {
                if *writes < claim.work_writes {
                    return Err("lets a thread through before the initialiser has ended".into());
                }
            }
        }
        Ok(())
    }

    /// The thread that runs the initialiser, if that has not ended by the count of its writes.
    pub fn initialiser(&self) -> Option<usize> {
        match self.state {
            State::Once { worker, writes } if writes < self.claim.work_writes => worker,
            _ => None,
        }
    }

    /// The initialiser has finished, regardless of the count.
    pub fn has_ended(&mut self) {
        if let State::Once { writes, .. } = &mut self.state {
            *writes = self.claim.work_writes;
        }
    }

    /// No thread is enabled: returns a violation if a thread inside should not have to wait.
    pub fn at_rest(&self, inside: &[(usize, RegionId)]) -> Result<(), String> {
        let roles = || inside.iter().filter_map(|&(thread, region)| Some((thread, self.role(region)?)));
        let forever = |what: &str| Err(format!("can leave threads waiting forever, {what}"));
        match &self.state {
            State::Barrier(entered) => {
                let round = |thread: usize| entered.get(&thread).copied().unwrap_or(0);
                let all_came =
                    |thread: usize| self.claim.participants.iter().all(|&other| round(other) >= round(thread));
                if roles().any(|(thread, _)| all_came(thread)) {
                    return forever("although all have arrived");
                }
            }
            State::Lock { holders, .. } => {
                let waits = |(thread, role): (usize, Role)| {
                    matches!(role, Role::Acquire | Role::ReadAcquire)
                        && !holders.iter().any(|(holder, _)| *holder == thread)
                };
                let free = match self.claim.kind {
                    Kind::Semaphore => (holders.len() as u32) < self.claim.capacity,
                    _ => holders.is_empty(),
                };
                if free && roles().any(waits) {
                    return forever("although it is free");
                }
                if roles().any(|(_, role)| matches!(role, Role::Release | Role::ReadRelease)) {
                    return forever("in its release");
                }
            }
            State::Count(count) => {
                let waits = roles().any(|(_, role)| role == Role::Wait);
                let posts = roles().any(|(_, role)| role == Role::Post);
                let leave = match self.claim.kind {
                    Kind::Event => count.posted >= self.claim.needed,
                    _ => count.passed < count.posted + self.claim.initial,
                };
                if waits && leave {
                    return forever(match self.claim.kind {
                        Kind::Event => "although it was set",
                        Kind::Handshake => "although there is an item",
                        _ => "although it was posted",
                    });
                }
                if posts
                    && self.claim.kind == Kind::Handshake
                    && count.posted < count.passed.saturating_add(self.claim.capacity)
                {
                    return forever("although there is room");
                }
            }
            State::Snapshot(_) => {
                if !inside.is_empty() {
                    return forever("although no thread writes");
                }
            }
            State::Queue { .. } => {}
            State::Once { writes, .. } => {
                if *writes >= self.claim.work_writes && roles().next().is_some() {
                    return forever("although the initialiser has ended");
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(kind: Kind, roles: &[Role], threads: usize) -> Rc<Claim> {
        Rc::new(Claim {
            kind,
            roles: roles.iter().copied().map(Some).collect(),
            participants: (0..threads).collect(),
            capacity: 1,
            initial: 0,
            work: BTreeSet::new(),
            work_writes: 0,
            flags: BTreeSet::new(),
            items: BTreeSet::new(),
            needed: 1,
            queue: false,
        })
    }

    fn run(claim: &Rc<Claim>, events: &[Event]) -> Result<(), String> {
        let mut monitor = Monitor::new(claim);
        events.iter().try_for_each(|event| monitor.take(*event))
    }

    const fn enter(thread: usize, region: usize) -> Event {
        Event::Enter { thread, region }
    }

    const fn exit(thread: usize, region: usize) -> Event {
        Event::Exit { thread, region }
    }

    #[test]
    fn nobody_leaves_a_barrier_before_the_last_one_came() {
        let barrier = claim(Kind::Barrier, &[Role::Arrive], 3);
        let all = [enter(0, 0), enter(1, 0), enter(2, 0), exit(1, 0), enter(1, 0), exit(0, 0), exit(2, 0)];
        assert_eq!(run(&barrier, &all), Ok(()));
        let early = [enter(0, 0), enter(1, 0), exit(1, 0)];
        assert!(run(&barrier, &early).is_err());
        let next_round = [&all[..], &[exit(1, 0)]].concat();
        assert!(run(&barrier, &next_round).is_err());
    }

    #[test]
    fn one_thread_holds_a_lock() {
        let lock = claim(Kind::Mutex, &[Role::Acquire, Role::Release], 2);
        let turns = [enter(0, 0), exit(0, 0), enter(1, 0), enter(0, 1), exit(1, 0), exit(0, 1)];
        assert_eq!(run(&lock, &turns), Ok(()));
        assert!(run(&lock, &[enter(0, 0), exit(0, 0), enter(1, 0), exit(1, 0)]).is_err());
    }

    #[test]
    fn readers_share_and_writers_do_not() {
        let roles = [Role::ReadAcquire, Role::ReadRelease, Role::Acquire, Role::Release];
        let lock = claim(Kind::Rwlock, &roles, 3);
        let shared = [enter(0, 0), exit(0, 0), enter(1, 0), exit(1, 0)];
        assert_eq!(run(&lock, &shared), Ok(()));
        let beside = [&shared[..], &[enter(2, 2), exit(2, 2)]].concat();
        assert_eq!(run(&lock, &beside), Err("lets a writer in beside a reader".into()));
    }

    #[test]
    fn a_snapshot_is_of_one_write() {
        let seqlock = claim(Kind::Seqlock, &[Role::Write, Role::Read], 2);
        let access = |thread, region, at, writes| Event::Access { thread, region, at, writes };
        let torn = [
            enter(1, 1),
            access(1, 1, 8, false),
            enter(0, 0),
            access(0, 0, 8, true),
            access(0, 0, 16, true),
            access(1, 1, 16, false),
            exit(1, 1),
        ];
        assert!(run(&seqlock, &torn).is_err());
        let whole = [&torn[2..5], &[exit(0, 0)], &[torn[0], torn[1], torn[5], torn[6]]].concat();
        assert_eq!(run(&seqlock, &whole), Ok(()));
    }

    #[test]
    fn a_waiting_thread_is_not_overtaken_in_a_queue() {
        let mut queue = claim(Kind::Mutex, &[Role::Acquire, Role::Release], 2).as_ref().clone();
        queue.queue = true;
        let events = [enter(0, 0), Event::Wait { thread: 0, region: 0 }, enter(1, 0), exit(1, 0)];
        assert!(run(&Rc::new(queue), &events).is_err());
    }
}
