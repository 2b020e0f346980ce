//! The guarded event graph: the operations of a program's threads that other threads can observe, with values as terms.
//!
//! Each thread is a list of events. On a straight recorded path all guards are true. Several paths of a thread, or a
//! bounded program, are a tree or a merged tree of events, listed in an order that agrees with program order. Those
//! events of a thread whose guards hold happen one after the other, up to the end of the execution.
//!
//! A guard, a value, an address and `enabled` may name inputs and symbols that earlier events of the same thread
//! define. Conditions of `Assume` and `Assert` may also name symbols of other threads; they are then evaluated at the
//! end.

use formula::{Term, Terms};
use run::ThreadName;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids!(
    /// An index into [`EventGraph::threads`]; the first is the main thread.
    ThreadId,
    /// An index into [`EventGraph::events`].
    EventId,
    /// An index into [`EventGraph::objects`].
    ObjectId
);

#[derive(Clone, Debug, Default)]
pub struct EventGraph {
    pub terms: Terms,
    pub objects: Vec<Object>,
    pub threads: Vec<Thread>,
    pub events: Vec<Event>,
    /// Symbols that no event defines: the environment chooses their values.
    pub inputs: Vec<Term>,
}

/// A memory object or a synchronisation object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name in the source.
    pub name: String,
    pub bytes: u32,
    /// Its initial contents; all other bytes are zero. Values are constants or terms over inputs.
    pub initial: Vec<Initial>,
}

/// Little-endian, a whole number of bytes wide.
#[derive(Clone, Copy, Debug)]
pub struct Initial {
    pub offset: u32,
    pub value: Term,
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub name: ThreadName,
    /// In an order that agrees with program order.
    pub events: Vec<EventId>,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub thread: ThreadId,
    /// Whether the thread reaches the event, if the execution is long enough.
    pub guard: Term,
    pub kind: Kind,
    pub place: Option<Place>,
}

/// A place in the source, for reports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub file: String,
    pub line: u32,
}

/// An object's index and an offset in bytes, both 32 bits wide; constants where they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub object: Term,
    pub offset: Term,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// The first event of a thread. Except in the main thread it can only happen after the fork.
    Start,
    Exit,
    Fork {
        child: ThreadId,
    },
    /// Waits for the child's exit.
    Join {
        child: ThreadId,
    },
    Access(Access),
    /// Waits until the mutex is free. A recursive one may also be owned by the thread itself.
    Lock {
        mutex: Address,
        recursive: bool,
    },
    /// Frees the mutex whichever thread owns it; a recursive one that the thread owns loses one level. With `foreign`
    /// another thread may own it, so threads that wait for each other may still be released.
    Unlock {
        mutex: Address,
        recursive: bool,
        foreign: bool,
    },
    /// `taken` is a boolean symbol: whether it acquired the mutex. It fails only if a thread owns the mutex (for a
    /// recursive one: another thread).
    TryLock {
        mutex: Address,
        recursive: bool,
        taken: Term,
    },
    /// Releases the mutex (one level) and falls asleep, atomically.
    Sleep {
        condition: Address,
        mutex: Address,
        recursive: bool,
    },
    /// Wakes from a sleep once signalled, and acquires the mutex again. `timed_out` is a boolean symbol: if it is
    /// present, the wait may end without a signal at any point after the sleep; the thread is then no longer asleep,
    /// although it may have to wait for the mutex. With `spurious` the wait may end in the same way without reporting
    /// it.
    Wake {
        sleep: EventId,
        timed_out: Option<Term>,
        spurious: bool,
    },
    /// Wakes exactly one sleeping thread, if there is one.
    Signal {
        condition: Address,
    },
    /// Wakes all sleeping threads.
    Broadcast {
        condition: Address,
    },
    /// No other thread takes a step until the matching end.
    AtomicBegin,
    AtomicEnd,
    /// If it happens and its condition does not hold, there is no such execution.
    Assume {
        condition: Term,
    },
    /// If it happens and its condition does not hold, the execution fails here.
    Assert {
        condition: Term,
    },
    /// The end of a loop iteration without side effects: `round` lists all the reads and try-locks of the iteration, as
    /// far as they happened. The await never happens, since an execution without that iteration has the same outcome.
    /// The thread blocks here until another thread writes to a location that was read, or a mutex whose try-lock failed
    /// is released.
    Await {
        round: Vec<EventId>,
    },
    /// The exploration was cut off here: an execution in which it happens counts as neither passing nor failing.
    Cut,
    /// The process ends. A prefix ends with it and counts as complete; in a whole execution, where all threads run to
    /// their ends, it has no effect.
    End,
}

/// One atomic access of memory: waits until `enabled`, then reads, then possibly writes. Reads, writes,
/// compare-exchanges, semaphores, read/write locks, barriers, once-controls and spin loops are all of this kind, so
/// that replay and encoder need two rules instead of a dozen.
#[derive(Clone, Debug)]
pub struct Access {
    pub label: Label,
    pub address: Address,
    pub bytes: u32,
    /// The symbol that stands for the value read, `8 * bytes` wide.
    pub old: Option<Term>,
    /// May name `old`. The constant true if the access never waits.
    pub enabled: Term,
    /// The value written, `8 * bytes` wide; may name `old`.
    pub new: Option<Term>,
    /// Whether `new` is written; may name `old`. The constant true for plain writes.
    pub writes: Term,
}

/// How a writing access changes the ownership of the object at its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    Acquire,
    Release,
}

impl Access {
    /// Read/write locks and once-controls have owners, although they are memory: the label tells which accesses acquire
    /// and which release them. Semaphores and barriers have no owners.
    pub fn hold(&self) -> Option<Hold> {
        match self.label {
            Label::ReadLock | Label::TryReadLock | Label::WriteLock | Label::TryWriteLock => Some(Hold::Acquire),
            Label::RwUnlock => Some(Hold::Release),
            Label::Once if self.old.is_some() => Some(Hold::Acquire),
            Label::Once => Some(Hold::Release),
            _ => None,
        }
    }
}

impl Event {
    /// All terms of the event, its guard first, including the symbol that it defines.
    pub fn terms(&self) -> Vec<Term> {
        self.clone().terms_mut().into_iter().map(|term| *term).collect()
    }

    pub fn terms_mut(&mut self) -> Vec<&mut Term> {
        let mut terms = vec![&mut self.guard];
        match &mut self.kind {
            Kind::Access(Access { address, old, enabled, new, writes, .. }) => {
                terms.extend([&mut address.object, &mut address.offset, enabled, writes]);
                terms.extend(old.iter_mut().chain(new));
            }
            Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } => {
                terms.extend([&mut mutex.object, &mut mutex.offset]);
            }
            Kind::TryLock { mutex, taken, .. } => terms.extend([&mut mutex.object, &mut mutex.offset, taken]),
            Kind::Sleep { condition, mutex, .. } => {
                terms.extend([condition, mutex].into_iter().flat_map(|at| [&mut at.object, &mut at.offset]));
            }
            Kind::Signal { condition } | Kind::Broadcast { condition } => {
                terms.extend([&mut condition.object, &mut condition.offset]);
            }
            Kind::Wake { timed_out, .. } => terms.extend(timed_out),
            Kind::Assume { condition } | Kind::Assert { condition } => terms.push(condition),
            Kind::Start
            | Kind::Exit
            | Kind::Fork { .. }
            | Kind::Join { .. }
            | Kind::AtomicBegin
            | Kind::AtomicEnd
            | Kind::Await { .. }
            | Kind::Cut
            | Kind::End => {}
        }
        terms
    }
}

/// The operation that an access stands for, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    Read,
    Write,
    Rmw,
    SemWait,
    SemTryWait,
    SemPost,
    ReadLock,
    TryReadLock,
    WriteLock,
    TryWriteLock,
    RwUnlock,
    BarrierArrive,
    BarrierLeave,
    Once,
    Spin,
}
