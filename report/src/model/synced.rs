//! The results of a search for home-made synchronisation.

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
    /// Loops and conditions at which threads wait, without a recognised construct.
    pub other_waits: Vec<Place>,
    /// The number of sample runs.
    pub runs: u64,
    /// The number of the program's threads, including the first one.
    pub threads: usize,
    /// General notes for the user.
    pub notes: Vec<String>,
    /// Annotations for another tool, if they were asked for.
    pub annotation: Option<Annotation>,
}

/// A patch that tells a tool of the proven constructs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Annotation {
    pub tool: &'static str,
    /// The file with the patch; none if nothing could be annotated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Unified, for `git apply` and `patch -p1`.
    pub diff: String,
    /// Proven constructs that are not annotated, with the reason.
    pub left_out: Vec<String>,
}

// Many fields: a report is flat, so that each renderer picks the parts that its format shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Sync {
    pub kind: SyncKind,
    /// Numbers of threads and rounds for which every order was explored.
    pub proven_for: Vec<ProvenFor>,
    pub region: Extent,
    pub roles: Vec<SyncRole>,
    pub waits: Vec<Place>,
    pub writes: Vec<Place>,
    /// The variables of the construct, named as in the source.
    pub objects: Vec<String>,
    pub broken: Option<BrokenSync>,
    /// The assumptions of the proof.
    pub assumptions: Vec<String>,
    /// Why there is no proof, if there is none.
    pub unknown: Option<String>,
    pub participants: usize,
    /// The number of threads it admits, or of items it holds, if that is not one.
    pub capacity: Option<u32>,
    /// Whether threads are admitted in the order of their arrival.
    pub fifo: Option<bool>,
    /// The number of objects that use the same code.
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
    /// The region is the whole function, and not lines of it.
    pub is_function: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenSync {
    pub threads: usize,
    /// The violation: `lets a thread through before the last one arrived`.
    pub what: String,
    /// The place of the thread at the violation.
    pub at: Option<Place>,
    /// The schedule's file, and the command that replays it.
    pub schedule: Option<(String, String)>,
    pub replayed: bool,
}
