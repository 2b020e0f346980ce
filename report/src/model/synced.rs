//! What a search for home-made synchronisation says.

use serde::Serialize;

use super::Place;
use crate::named::named;

named! {
    pub enum SyncKind {
        Barrier = "barrier",
        Mutex = "mutex",
        Event = "event",
        Semaphore = "semaphore",
        Rwlock = "rwlock",
        Seqlock = "seqlock",
        Once = "once",
        Handshake = "handshake",
    }
}

/// The constructs of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Synced {
    pub syncs: Vec<Sync>,
    /// Loops and conditions at which threads wait and that belong to no construct that was recognised.
    pub other_waits: Vec<Place>,
    /// Runs that were made to find them.
    pub runs: u64,
    /// The threads of the program, the first one included.
    pub threads: usize,
    /// What the user should know of the whole.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Sync {
    pub kind: SyncKind,
    /// Threads and rounds for which every order was followed.
    pub proven_for: Vec<ProvenFor>,
    pub region: Extent,
    pub roles: Vec<SyncRole>,
    pub waits: Vec<Place>,
    pub writes: Vec<Place>,
    /// The variables that it is made of, in the user's words.
    pub objects: Vec<String>,
    pub broken: Option<BrokenSync>,
    /// What the proof takes for granted.
    pub assumptions: Vec<String>,
    /// Why there is no proof, where there is none.
    pub unknown: Option<String>,
    pub participants: usize,
    /// How many threads it lets in, or how many items it holds, where that is not one.
    pub capacity: Option<u32>,
    /// Threads get in in the order in which they came.
    pub fifo: Option<bool>,
    /// How many objects use the same code.
    pub instances: usize,
    pub states: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ProvenFor {
    pub threads: usize,
    pub rounds: u32,
}

/// Lines of one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Extent {
    pub file: String,
    pub line: u32,
    pub end_line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SyncRole {
    pub role: &'static str,
    pub function: String,
    pub region: Extent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenSync {
    pub threads: usize,
    /// What happens: `lets a thread through before the last one arrived`.
    pub what: String,
    /// Where the thread was when it happened.
    pub at: Option<Place>,
    /// The schedule's file, and the command that replays it.
    pub schedule: Option<(String, String)>,
    pub replayed: bool,
}
