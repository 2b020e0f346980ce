//! Executions of a graph as values: an order of events with the choices of the environment, its extent, and its
//! outcome. `replay` defines their meaning.

use std::fmt;

use formula::Value;
use thiserror::Error;

use crate::graph::{EventGraph, EventId, ThreadId};

/// How far an execution goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// It may end anywhere, and ends at the first assertion that fails.
    Prefix,
    /// Every event whose guard holds happens; threads that are never forked take no part. After a failed assertion the
    /// execution continues, so several may fail.
    Whole,
}

/// Events in the order in which they happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    pub steps: Vec<Step>,
    /// By position in [`EventGraph::inputs`].
    pub inputs: Vec<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    pub event: EventId,
    pub choice: Choice,
}

/// The environment's decision when an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// There is nothing to decide; for a signal: no thread is asleep; for a wake: it was signalled.
    Only,
    /// The signal wakes the thread that fell asleep with this event.
    Wakes(EventId),
    /// The wait ends without a signal and reports a time-out.
    TimedOut,
    /// The wait ends without a signal and does not report it: a spurious wake-up.
    Spurious,
}

/// The outcome of an execution without violations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Assertions that happened and did not hold, in the order in which they happened.
    pub failed: Vec<EventId>,
    /// Every thread that was forked has finished, or the process ended.
    pub complete: bool,
    /// In the order of the threads.
    pub stuck: Vec<Stuck>,
    pub deadlock: Option<Deadlock>,
    /// The effects of the steps, one for each.
    pub effects: Vec<Effect>,
}

impl Outcome {
    /// A complete run in which nothing failed.
    pub fn passes(&self) -> bool {
        self.complete && self.failed.is_empty()
    }
}

/// A thread whose next event is not enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    pub thread: ThreadId,
    pub event: EventId,
    pub waits_for: Obstacle,
    /// At the end of an execution: no thread outside of the deadlock can still release the mutex it waits for.
    pub certain: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A lock, or a wake that has been signalled or could end without a signal.
    Mutex { mutex: Location, holder: ThreadId },
    /// A join: the child has not exited.
    Exit { child: ThreadId },
    /// A wake: it has not been signalled.
    Signal { condition: Location },
    /// An access: its condition does not hold. For a read/write lock or a once-control, the threads that own it.
    Memory { location: Location, holders: Vec<ThreadId> },
    /// An await: the loop would read the same values again.
    Repetition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deadlock {
    /// Each thread waits for a lock or a once-control that the next one owns, or for its exit, and the last for the
    /// first.
    Cycle(Vec<ThreadId>),
    /// All threads that have not finished wait.
    Everyone,
}

/// An object's index and an offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    pub object: u32,
    pub offset: u32,
}

/// The observable effect of a step, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// No effect at a location.
    Nothing,
    /// Values have the width of the access.
    Accessed { location: Location, read: Option<u128>, written: Option<u128> },
    /// A lock, an unlock, a try-lock that succeeded, a sleep or a wake.
    Synchronised { mutex: Location },
    /// A try-lock that failed.
    Refused { mutex: Location },
    /// A signal or a broadcast, and the number of threads it woke.
    Notified { condition: Location, woken: u32 },
    /// Whether an assumption or an assertion holds; unknown for those that are evaluated at the end.
    Judged { holds: Option<bool> },
}

/// Why a list of steps is not an execution of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The number of steps before the violation.
    pub after: usize,
    pub event: Option<EventId>,
    pub reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    #[error("the graph is ill-formed: {0}")]
    IllFormed(String),
    #[error("the graph has no such event")]
    NoSuchEvent,
    #[error("the graph has {expected} inputs, and {found} values are given for them")]
    Inputs { expected: usize, found: usize },
    #[error("input {position} has a value of another sort")]
    InputSort { position: usize },
    #[error("its thread has not been forked")]
    NotForked,
    #[error("its thread goes on with event {}", .expected.0)]
    NotNext { expected: EventId },
    #[error("its thread has nothing left to do")]
    Finished,
    #[error("thread number {} is inside an atomic block", .owner.0)]
    Atomic { owner: ThreadId },
    #[error("it cannot happen: {0}")]
    Blocked(Obstacle),
    #[error("{0} is not among the choices")]
    Choice(Choice),
    #[error("an access of {bytes} bytes at {location} leaves its object")]
    OutOfBounds { location: Location, bytes: u32 },
    #[error("thread number {} has been forked before", .child.0)]
    ForkedTwice { child: ThreadId },
    #[error("the assumption does not hold")]
    Assumption,
    #[error("its loop has changed nothing, which no execution needs")]
    Idle,
    #[error("it cuts the execution off")]
    Cut,
    #[error("the process has ended before, with event {}", .end.0)]
    AfterEnd { end: EventId },
    #[error("the execution has failed before, at event {}", .assertion.0)]
    AfterFailure { assertion: EventId },
    #[error("its condition is judged at the end and names a value that event {} did not give", .definer.0)]
    NeverDefined { definer: EventId },
    #[error("thread number {} does not come to its end", .thread.0)]
    Incomplete { thread: ThreadId },
}

impl std::error::Error for Violation {}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} steps", self.after)?;
        if let Some(event) = self.event {
            write!(f, ", event {}", event.0)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Mutex { mutex, holder } => write!(f, "thread number {} holds the mutex at {mutex}", holder.0),
            Obstacle::Exit { child } => write!(f, "thread number {} has not exited", child.0),
            Obstacle::Signal { condition } => write!(f, "nobody has signalled the condition at {condition}"),
            Obstacle::Memory { location, .. } => write!(f, "what it waits for at {location} does not hold"),
            Obstacle::Repetition => write!(f, "its loop would find again what it found"),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object {} offset {}", self.object, self.offset)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Only => f.write_str("having no choice"),
            Choice::Wakes(sleep) => write!(f, "waking the sleeper of event {}", sleep.0),
            Choice::TimedOut => f.write_str("timing out"),
            Choice::Spurious => f.write_str("waking without a reason"),
        }
    }
}

/// The default values of the inputs: zero.
pub fn zero_inputs(graph: &EventGraph) -> Vec<Value> {
    graph.inputs.iter().map(|&input| Value::zero(graph.terms.sort(input))).collect()
}
