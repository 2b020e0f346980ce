//! One path of a thread, or several merged paths: its place, its knowledge, and its condition.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use formula::{Term, Terms};
use run::Taken;
use semantics::execute::Thread;

use crate::bounded::contents::Contents;
use crate::bounded::forced::OnPath;
use crate::bounded::guard::Guard;
use crate::bounded::objects::{ObjectId, Objects};
use crate::bounded::place::Place;
use crate::bounded::place::SYNC_BYTES;
use crate::bounded::prefer::{Track, Unmarked};
use crate::bounded::protected::Sure;
use crate::bounded::sets::{Refined, join_refined};
use crate::bounded::value::Value;

/// A thread's knowledge of memory: the values that it wrote, or that were there when it was created.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    contents: Vec<Option<Rc<Contents>>>,
}

impl Memory {
    pub fn get(&self, id: ObjectId) -> Option<&Rc<Contents>> {
        self.contents.get(id.0 as usize)?.as_ref()
    }

    pub fn get_mut(&mut self, terms: &Terms, id: ObjectId) -> &mut Contents {
        let index = id.0 as usize;
        if self.contents.len() <= index {
            self.contents.resize(index + 1, None);
        }
        Rc::make_mut(self.contents[index].get_or_insert_with(|| Rc::new(Contents::new(terms))))
    }

    pub fn read(&self, terms: &mut Terms, objects: &Objects, id: ObjectId, offset: u64, bytes: u32) -> Value {
        let image = objects.get(id).image.clone();
        match self.get(id) {
            Some(contents) => contents.read(terms, &image, offset as u32, bytes),
            None => Contents::new(terms).read(terms, &image, offset as u32, bytes),
        }
    }

    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Rc<Contents>)> + '_ {
        let known =
            |(index, contents): (usize, &'_ Option<Rc<Contents>>)| contents.as_ref().map(|_| ObjectId(index as u32));
        let ids: Vec<ObjectId> = self.contents.iter().enumerate().filter_map(known).collect();
        ids.into_iter().filter_map(|id| Some((id, self.get(id)?)))
    }

    /// The knowledge of a newly created thread.
    pub fn found_by_created(mut self) -> Memory {
        for contents in self.contents.iter_mut().flatten().filter(|contents| contents.ended_late()) {
            *contents = Rc::new(contents.found_by_created());
        }
        self
    }

    /// Whether a known number has become another one.
    pub fn moves_to(&self, later: &Memory) -> bool {
        let both = self.contents.iter().zip(&later.contents);
        let mut changed = both.filter_map(|(before, after)| before.as_ref().zip(after.as_ref()));
        changed.any(|(before, after)| !Rc::ptr_eq(before, after) && before.moves_to(after))
    }

    /// What is known if the condition decides between this, where it holds, and the other.
    pub fn join(&mut self, terms: &mut Terms, objects: &Objects, condition: Term, other: &Memory) {
        let count = self.contents.len().max(other.contents.len());
        self.contents.resize(count, None);
        for index in 0..count {
            let id = ObjectId(index as u32);
            let joined = match (self.get(id), other.get(id)) {
                (Some(own), Some(theirs)) if Rc::ptr_eq(own, theirs) || own == theirs => continue,
                (None, None) => continue,
                (own, theirs) => {
                    let empty = Rc::new(Contents::new(terms));
                    let (own, theirs) = (own.unwrap_or(&empty), theirs.unwrap_or(&empty));
                    Contents::choose(terms, &objects.get(id).image, condition, own, theirs)
                }
            };
            self.contents[index] = Some(Rc::new(joined));
        }
    }

    /// That both hold the same, not counting one object.
    pub fn same(&self, terms: &mut Terms, objects: &Objects, other: &Memory, except: Option<ObjectId>) -> Term {
        let count = self.contents.len().max(other.contents.len());
        let mut same = Vec::new();
        for index in 0..count {
            let id = ObjectId(index as u32);
            match (self.get(id), other.get(id)) {
                _ if except == Some(id) => {}
                (Some(own), Some(theirs)) if Rc::ptr_eq(own, theirs) || own == theirs => {}
                (None, None) => {}
                (own, theirs) => {
                    let empty = Rc::new(Contents::new(terms));
                    let (own, theirs) = (own.unwrap_or(&empty), theirs.unwrap_or(&empty));
                    same.push(own.same(terms, &objects.get(id).image, theirs));
                }
            }
        }
        terms.and(&same)
    }
}

/// How a loop began its last round.
#[derive(Clone, Debug)]
pub struct Visit {
    pub round: u32,
    pub guard: Guard,
    pub live: Vec<Value>,
    pub memory: Memory,
    pub deeds: Value,
    /// How much of the record was taken.
    pub taken: Taken,
    /// How much of the records of preferred runs was taken.
    pub tracks: Vec<Track>,
    /// The number of events.
    pub events: usize,
    /// How many rounds so far depended on something unknown.
    pub counted: u32,
    /// Whether the previous iteration slept and changed only the clock.
    pub slept: Term,
}

/// What was decided for the instruction that is run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    Way(bool),
    Case(Option<u32>),
    /// None of the recorded numbers.
    OtherNumber,
}

#[derive(Clone, Debug)]
pub struct Rest {
    /// The number of the thread.
    pub thread: usize,
    pub place: Place,
    pub guard: Guard,
    pub memory: Memory,
    /// Whether other threads may exist.
    pub live: bool,
    pub atomic: u32,
    /// How often it holds the mutexes at these addresses.
    pub held: BTreeMap<u64, Value>,
    /// By address of a read/write lock: 1 if it holds it to write.
    pub written: BTreeMap<u64, Value>,
    /// By address of a synchronisation object: not 0 if this path has destroyed it.
    pub destroyed: BTreeMap<u64, Value>,
    /// The values of semaphores and once-controls as long as no other thread exists.
    pub counters: BTreeMap<u64, Value>,
    pub joined: BTreeSet<usize>,
    /// The conditions under which it joined or detached other threads, by any means.
    pub claimed: BTreeMap<usize, Term>,
    /// The number of actions that neither events nor memory represent: it printed, chose an input, made an object, or
    /// used an object that no other thread can use yet.
    pub deeds: Value,
    /// By call and header.
    pub visits: BTreeMap<(usize, u32), Rc<Visit>>,
    /// The mutexes that it holds for certain.
    pub mutexes: BTreeSet<u64>,
    /// What it knows of places that they protect.
    pub sure: Sure,
    /// The possible values of terms, from their uses as addresses.
    pub refined: Rc<Refined>,
    /// The sizes of blocks allocated by other threads, as read under a guard.
    pub rooms: BTreeMap<ObjectId, (Term, Term)>,
    pub forced: Option<Forced>,
    /// What it knows along a run of the machine.
    pub along: OnPath,
    /// How often it has looked at the clock.
    pub clock_reads: usize,
    /// How many threads it has created.
    pub children: u32,
    /// How much of its record is behind it.
    pub taken: Taken,
    /// Whether it has decided something that is not in its record.
    pub unrecorded: bool,
    /// The runs whose records it follows, in the order of their numbers.
    pub tracks: Vec<Track>,
    /// How many undecided decisions it has taken since it left the last record.
    pub free: u32,
    /// Flips that do not count yet.
    pub unmarked: Unmarked,
}

impl Rest {
    pub fn does(&mut self, terms: &mut Terms) {
        let (before, one) = (self.deeds.term(terms, 32), terms.bits(32, 1));
        let after = terms.add(before, one);
        self.deeds = Value::of(terms, after);
    }
}

#[derive(Clone, Debug)]
pub struct State {
    pub thread: Thread<Value>,
    pub rest: Rest,
}

impl State {
    /// Whether the two can be merged.
    pub fn goes_with(&self, other: &State) -> bool {
        let same = self.rest.atomic == other.rest.atomic && self.rest.taken == other.rest.taken;
        same && self.thread.stands_with(&other.thread)
    }

    /// Merges two paths that reached the same place.
    pub fn join(&mut self, terms: &mut Terms, objects: &Objects, other: State) {
        // Only the needs of this path may decide: the other path's knowledge of its own reads does not concern other
        // threads.
        let condition = if self.rest.live && !other.rest.live {
            let theirs = other.rest.guard.beyond(terms, &self.rest.guard);
            terms.not(theirs)
        } else {
            self.rest.guard.beyond(terms, &other.rest.guard)
        };
        self.thread.join(&other.thread, |own, theirs| Value::choose(terms, condition, *own, *theirs));
        let (own, mut theirs) = (&mut self.rest, other.rest);
        own.join_tracks(&mut theirs);
        own.memory.join(terms, objects, condition, &theirs.memory);
        own.guard = own.guard.either(terms, &theirs.guard);
        own.live |= theirs.live;
        own.deeds = Value::choose(terms, condition, own.deeds, theirs.deeds);
        own.mutexes.retain(|mutex| theirs.mutexes.contains(mutex));
        own.sure.join(terms, condition, &theirs.sure);
        join_refined(&mut own.refined, &theirs.refined);
        own.rooms.retain(|id, room| theirs.rooms.get(id) == Some(room));
        own.joined = own.joined.intersection(&theirs.joined).copied().collect();
        let others: BTreeSet<usize> = own.claimed.keys().chain(theirs.claimed.keys()).copied().collect();
        for other in others {
            let never = terms.falsehood();
            let [one, two] =
                [&own.claimed, &theirs.claimed].map(|claimed| claimed.get(&other).copied().unwrap_or(never));
            own.claimed.insert(other, terms.ite(condition, one, two));
        }
        let numbers = [
            (&mut own.held, &theirs.held, 8),
            (&mut own.written, &theirs.written, 8),
            (&mut own.destroyed, &theirs.destroyed, 8),
            (&mut own.counters, &theirs.counters, 8 * SYNC_BYTES),
        ];
        for (own, theirs, width) in numbers {
            let none = Value::word(width, 0);
            let places: BTreeSet<u64> = own.keys().chain(theirs.keys()).copied().collect();
            for at in places {
                let found = [&*own, theirs].map(|known| known.get(&at).copied().unwrap_or(none));
                own.insert(at, Value::choose(terms, condition, found[0], found[1]));
            }
        }
    }
}
