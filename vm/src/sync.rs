//! The state of locks, condition variables, semaphores, barriers and once-controls, by address.
//!
//! What an operation does with it is a script in [`semantics::primitives`]. An object that was never initialised is in its
//! initial state: an all-zero lock counts as initialised.

use std::collections::BTreeMap;
use std::rc::Rc;

use ir::MutexKind;
use semantics::primitives::rwlock::WRITER;
use semantics::primitives::{Kind, Numbers, mutex};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sync {
    pub kind: Kind,
    pub destroyed: bool,
    /// Its state, as the scripts of its kind read it.
    pub word: u32,
    /// The number that it was made with: the kind of a mutex, the parties of a barrier.
    pub parameter: u32,
    /// The threads that hold it, once for each time; a recursive mutex counts in its word.
    pub holders: Holders,
    /// The sleeping threads, in the order of falling asleep.
    pub sleepers: Vec<u32>,
}

impl Sync {
    pub fn new(kind: Kind, word: u32, parameter: u32) -> Sync {
        Sync { kind, destroyed: false, word, parameter, holders: Holders::Nobody, sleepers: Vec::new() }
    }

    /// Whether it is in use, so that it is not destroyed.
    pub fn is_busy(&self) -> bool {
        !self.destroyed && self.kind.is_busy(&mut Numbers, self.word, self.parameter)
    }

    /// The word as far as it decides what operations do.
    pub fn normal_word(&self) -> u32 {
        self.kind.normal(self.word, self.parameter)
    }

    /// The owner of a mutex.
    pub fn owner(&self) -> Option<u32> {
        if self.kind == Kind::Mutex { self.holders.first() } else { None }
    }

    /// No thread holds it any more.
    pub fn free(&mut self) {
        self.word = 0;
        self.holders = Holders::Nobody;
    }

    /// Whether a thread that was woken can take this mutex again. A wait releases one level of a recursive mutex, so that
    /// the thread may still hold it.
    pub fn lets_wake(&self, thread: u32) -> bool {
        let again = |owner| owner == thread && mutex::kind(self.parameter) == MutexKind::Recursive;
        self.owner().is_none_or(again)
    }

    /// The thread that holds a lock alone.
    pub fn sole_holder(&self) -> Option<u32> {
        match self.kind {
            Kind::ReadWrite if self.word == WRITER => self.holders.first(),
            _ => self.owner(),
        }
    }
}

/// The threads that hold an object. Most are held by one at most, which needs no memory of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holders {
    Nobody,
    One(u32),
    Many(Vec<u32>),
}

impl Holders {
    pub fn as_slice(&self) -> &[u32] {
        match self {
            Holders::Nobody => &[],
            Holders::One(holder) => std::slice::from_ref(holder),
            Holders::Many(holders) => holders,
        }
    }

    pub fn first(&self) -> Option<u32> {
        self.as_slice().first().copied()
    }

    pub fn push(&mut self, thread: u32) {
        match self {
            Holders::Nobody => *self = Holders::One(thread),
            Holders::One(holder) => *self = Holders::Many(vec![*holder, thread]),
            Holders::Many(holders) => holders.push(thread),
        }
    }

    /// A thread holds it once less.
    pub fn remove(&mut self, thread: u32) {
        match self {
            Holders::One(holder) if *holder == thread => *self = Holders::Nobody,
            Holders::Many(holders) => {
                if let Some(position) = holders.iter().position(|&holder| holder == thread) {
                    holders.remove(position);
                }
            }
            _ => {}
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct SyncTable(Rc<BTreeMap<u64, Sync>>);

impl SyncTable {
    pub fn get(&self, address: u64) -> Option<&Sync> {
        self.0.get(&address)
    }

    pub fn get_mut(&mut self, address: u64) -> Option<&mut Sync> {
        Rc::make_mut(&mut self.0).get_mut(&address)
    }

    pub fn insert(&mut self, address: u64, sync: Sync) {
        Rc::make_mut(&mut self.0).insert(address, sync);
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, &Sync)> + '_ {
        self.0.iter().map(|(&address, sync)| (address, sync))
    }

    /// Forgets the state of objects in freed memory.
    pub fn forget(&mut self, base: u64, size: u64) {
        let end = base.saturating_add(size.max(1));
        if self.0.range(base..end).next().is_some() {
            Rc::make_mut(&mut self.0).retain(|address, _| !(base..end).contains(address));
        }
    }
}
