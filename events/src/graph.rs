//! The guarded event graph: what the threads of some program do, as far as others can see it, with values as terms.
//!
//! Each thread is a list of events. A straight recorded path has guards that are all true; several paths of a thread, or
//! a bounded program, are a tree or a merged tree of events, listed so that what comes first in program order comes
//! first in the list. Of a thread, the events whose guards hold happen one after the other, as far as the execution goes.
//!
//! A guard, a value, an address and `enabled` may name symbols that earlier events of the same thread define, and
//! inputs. Conditions of `Assume` and `Assert` may also name symbols of other threads; they are then judged at the end.

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
    /// Symbols that no event defines: the environment chooses them.
    pub inputs: Vec<Term>,
}

/// A piece of memory, or something that threads synchronise on.
#[derive(Clone, Debug)]
pub struct Object {
    /// As the source calls it.
    pub name: String,
    pub bytes: u32,
    /// What it holds in the beginning; bytes that are not mentioned are zero. Values are constants or inputs.
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
    /// Whether the thread comes here at all, if the execution goes on long enough.
    pub guard: Term,
    pub kind: Kind,
    pub place: Option<Place>,
}

/// A place in the source, for the reader.
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
    /// The first event of a thread; of all but the main one only possible after their fork.
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
    /// Waits until nobody holds the mutex. A recursive one may also be held by the thread itself.
    Lock {
        mutex: Address,
        recursive: bool,
    },
    /// Frees the mutex whoever holds it; of a recursive one that the thread holds, one level. With `foreign` another thread
    /// may hold it, so that threads which wait for each other may not do so for ever.
    Unlock {
        mutex: Address,
        recursive: bool,
        foreign: bool,
    },
    /// `taken` is a boolean symbol: whether it got the mutex. It fails only if someone holds it (for a recursive one:
    /// someone else).
    TryLock {
        mutex: Address,
        recursive: bool,
        taken: Term,
    },
    /// Releases the mutex (one level) and falls asleep, in one.
    Sleep {
        condition: Address,
        mutex: Address,
        recursive: bool,
    },
    /// Wakes from a sleep once signalled, and takes the mutex again. `timed_out` is a boolean symbol: if it is given, the
    /// wait may end at any point after falling asleep without a signal, and then sleeps no longer, although it may have
    /// to wait for the mutex. With `spurious` it may end so without telling.
    Wake {
        sleep: EventId,
        timed_out: Option<Term>,
        spurious: bool,
    },
    /// Wakes exactly one sleeper if there is one.
    Signal {
        condition: Address,
    },
    /// Wakes all who sleep.
    Broadcast {
        condition: Address,
    },
    /// Until the end nobody else does anything.
    AtomicBegin,
    AtomicEnd,
    /// Executions in which it happens and does not hold do not exist.
    Assume {
        condition: Term,
    },
    /// If it happens and does not hold, the execution fails here.
    Assert {
        condition: Term,
    },
    /// A loop has come back to where it began and has changed nothing: these events, as far as they happened, are all that
    /// it looked at. It never happens, since an execution without that round comes to the same. The thread waits here as
    /// long as nobody else writes where these accesses have been, nobody releases what these try-locks did not get.
    Await {
        round: Vec<EventId>,
    },
    /// Executions in which it happens were not followed further: they are neither passing nor failing.
    Cut,
    /// The process ends here. A prefix ends with it and counts as complete; in a whole execution, where everyone goes on to
    /// their ends, it does nothing.
    End,
}

/// One atomic touch of memory: waits until `enabled`, then reads, then perhaps writes. Reads, writes, compare-exchanges,
/// semaphores, read/write locks, barriers, once and spin loops are all of this kind.
#[derive(Clone, Debug)]
pub struct Access {
    pub label: Label,
    pub address: Address,
    pub bytes: u32,
    /// The symbol that stands for what was read, `8 * bytes` wide.
    pub old: Option<Term>,
    /// May name `old`. The constant true for what never waits.
    pub enabled: Term,
    /// What is written, `8 * bytes` wide; may name `old`.
    pub new: Option<Term>,
    /// Whether `new` is written; may name `old`. The constant true for plain writes.
    pub writes: Term,
}

/// How an access that writes changes the ownership of the object at its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    Acquire,
    Release,
}

impl Access {
    /// Read/write locks and once-controls have owners, although they are memory: the label says which accesses acquire
    /// and which release them. Semaphores and barriers have none.
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
    /// All its terms, its guard first, those that it defines included.
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

/// What an access is for the reader.
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
