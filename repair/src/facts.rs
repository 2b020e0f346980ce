//! Facts from runs of the program: which threads access which objects at which places of the source, under which locks,
//! and which accesses happen while other threads are alive.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use analysis::{Loaded, Settings};
use ir::Origin;
use report::{Event, EventKind, Place};
use vm::strategy::{Pct, Pos, Random, Strategy, Undisturbed};

/// An operation of a run.
#[derive(Clone, Debug)]
pub struct Seen {
    pub thread: String,
    pub kind: EventKind,
    pub object: String,
    /// Places in the user's code, innermost first.
    pub frames: Vec<Place>,
    /// Locks that the thread holds, by the names that events give them.
    pub held: Vec<String>,
    /// Whether another thread may be alive.
    pub concurrent: bool,
}

impl Seen {
    /// One event without its surroundings: held locks and concurrent threads are unknown.
    pub fn of(event: &Event) -> Seen {
        let of_user = event.at.stack.iter().filter(|frame| frame.origin == Origin::User);
        Seen {
            thread: event.thread().to_string(),
            kind: event.kind,
            object: event.subject().to_owned(),
            frames: of_user.filter_map(|frame| frame.place.clone()).collect(),
            held: Vec::new(),
            concurrent: true,
        }
    }

    pub fn writes(&self) -> bool {
        matches!(self.kind, EventKind::Write | EventKind::Rmw | EventKind::Free)
    }

    /// Whether it changes a value that another thread may read or wait for.
    pub fn changes(&self) -> bool {
        self.writes() || matches!(self.kind, EventKind::Signal | EventKind::Broadcast)
    }

    pub fn is_access(&self) -> bool {
        self.kind.is_access() || matches!(self.kind, EventKind::Free | EventKind::Use)
    }

    pub fn family(&self) -> String {
        family(&self.object)
    }
}

/// A name without its indices: elements of an array belong together.
pub fn family(object: &str) -> String {
    let mut name = String::new();
    let mut depth = 0;
    for character in object.chars() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ if depth == 0 => name.push(character),
            _ => {}
        }
    }
    name
}

/// The operations of several runs.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub runs: Vec<Vec<Seen>>,
}

/// Runs that are looked at beside the failing one.
const RUNS: u64 = 12;

/// Operations of one run that are looked at.
const EVENTS: usize = 20_000;

impl Facts {
    /// Of the failing run and of a few others.
    pub fn new(loaded: &Loaded, settings: &Settings, failing: &[Event], seed: u64) -> Facts {
        let mut facts = Facts { runs: vec![seen(failing)] };
        let mut options = settings.options(true);
        // A race ends a run, and later accesses matter too.
        options.properties.retain(|kind| *kind != vm::FailureKind::Race);
        for number in 0..RUNS {
            let execution = vm::execute(&loaded.code, &options, strategy(seed, number).as_mut());
            let events = execution.events.iter().take(EVENTS).enumerate();
            let events: Vec<Event> = events.map(|(id, event)| Event::new(&loaded.program, id, event)).collect();
            facts.runs.push(seen(&events));
        }
        facts
    }

    pub fn all(&self) -> impl Iterator<Item = &Seen> {
        self.runs.iter().flatten()
    }

    /// Accesses that another thread may interfere with, to objects of these families.
    pub fn accesses(&self, families: &BTreeSet<String>) -> Vec<&Seen> {
        let is_one = |one: &&Seen| one.is_access() && one.concurrent && families.contains(&one.family());
        self.all().filter(is_one).collect()
    }

    /// Families that several threads touch and one of them changes, those that most touch last first.
    pub fn conflicts(&self) -> Vec<String> {
        let mut threads: BTreeMap<String, (BTreeSet<&str>, bool)> = BTreeMap::new();
        for one in self.all().filter(|one| one.is_access() && one.concurrent && !one.object.is_empty()) {
            let entry = threads.entry(one.family()).or_default();
            entry.0.insert(&one.thread);
            entry.1 |= one.writes();
        }
        let shared = threads.into_iter().filter(|(_, (threads, written))| threads.len() > 1 && *written);
        shared.map(|(family, _)| family).collect()
    }

    /// Names of the locks that are held at accesses to these families, the most frequent first.
    pub fn locks_of(&self, families: &BTreeSet<String>) -> Vec<String> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for one in self.accesses(families) {
            for lock in &one.held {
                *counts.entry(lock).or_default() += 1;
            }
        }
        let mut locks: Vec<(&str, usize)> = counts.into_iter().collect();
        locks.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), name.to_string()));
        locks.into_iter().map(|(name, _)| name.to_owned()).collect()
    }
}

/// One without preemptions, then random ones of several kinds.
pub fn strategy(seed: u64, number: u64) -> Box<dyn Strategy> {
    let seed = seed.wrapping_add(number);
    match (number, number % 3) {
        (0, _) => Box::new(Undisturbed::new()),
        (_, 0) => Box::new(Random::new(seed)),
        (_, 1) => Box::new(Pct::new(seed, 3, 200)),
        _ => Box::new(Pos::new(seed)),
    }
}

fn seen(events: &[Event]) -> Vec<Seen> {
    let alive = Lives::new(events);
    let mut held: HashMap<String, Vec<String>> = HashMap::new();
    let mut all = Vec::new();
    for (position, event) in events.iter().enumerate() {
        let thread = event.thread().to_string();
        let locks = held.entry(thread.clone()).or_default();
        match event.kind {
            EventKind::Lock | EventKind::WriteLock | EventKind::ReadLock | EventKind::SemWait => {
                locks.push(event.object.clone());
            }
            EventKind::Unlock | EventKind::RwUnlock | EventKind::SemPost => {
                if let Some(last) = locks.iter().rposition(|lock| *lock == event.object) {
                    locks.remove(last);
                }
            }
            _ => {}
        }
        let concurrent = alive.beside(&thread, position);
        all.push(Seen { held: locks.clone(), concurrent, ..Seen::of(event) });
    }
    all
}

/// From which event to which each thread may run.
struct Lives(Vec<(String, usize, usize)>);

impl Lives {
    fn new(events: &[Event]) -> Lives {
        let mut lives: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        let mut children: HashMap<String, usize> = HashMap::new();
        for (position, event) in events.iter().enumerate() {
            let thread = event.thread().to_string();
            match event.kind {
                EventKind::Fork => {
                    let number = children.entry(thread.clone()).or_default();
                    *number += 1;
                    lives.entry(format!("{thread}.{number}")).or_insert((position, events.len()));
                }
                EventKind::Join => {
                    let joined = if event.value.is_empty() { &event.object } else { &event.value };
                    if let Some(life) = lives.get_mut(joined.trim_start_matches('T')) {
                        life.1 = position;
                    }
                }
                _ => {}
            }
            lives.entry(thread).or_insert((position, events.len()));
        }
        Lives(lives.into_iter().map(|(thread, (from, to))| (thread, from, to)).collect())
    }

    fn beside(&self, thread: &str, position: usize) -> bool {
        self.0.iter().any(|(other, from, to)| other != thread && (*from..*to).contains(&position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_belong_together() {
        assert_eq!(family("accounts[2].balance"), "accounts.balance");
        assert_eq!(family("grid[1][2]"), "grid");
    }
}
