//! The state of locks, condition variables, semaphores, barriers and once-controls, by address.
//!
//! A lock that was never initialised is in its initial state: an all-zero lock counts as initialised.

use std::collections::BTreeMap;
use std::rc::Rc;

use ir::MutexKind;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sync {
    Mutex(Mutex),
    /// The sleeping threads, in the order of falling asleep.
    Condition(Vec<u32>),
    ReadWrite(ReadWrite),
    Semaphore(i32),
    Barrier {
        count: u32,
        arrived: Vec<u32>,
    },
    Once(Once),
    Destroyed(&'static str),
}

impl Sync {
    pub fn name(&self) -> &'static str {
        match self {
            Sync::Mutex(_) => "mutex",
            Sync::Condition(_) => "condition",
            Sync::ReadWrite(_) => "rwlock",
            Sync::Semaphore(_) => "semaphore",
            Sync::Barrier { .. } => "barrier",
            Sync::Once(_) => "once",
            Sync::Destroyed(what) => what,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mutex {
    pub kind: MutexKind,
    pub owner: Option<u32>,
    /// How often a recursive one is held.
    pub depth: u32,
}

impl Mutex {
    /// Whether a thread that was woken can take it again. A wait releases one level of a recursive mutex, so that the
    /// thread may still hold it.
    pub fn lets_wake(&self, thread: u32) -> bool {
        match self.owner {
            None => true,
            Some(owner) => owner == thread && self.kind == MutexKind::Recursive,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReadWrite {
    pub writer: Option<u32>,
    pub readers: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Once {
    New,
    Running(u32),
    Done,
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
