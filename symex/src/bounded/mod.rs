//! A whole program as one guarded event graph: all paths of all its threads, with loops and recursion unrolled up to a
//! bound, and values that depend on other threads or on inputs as terms.
//!
//! Threads are walked one after the other. A value that a thread reads from others is a symbol; the shared bytes and
//! their possible values are a fixpoint: everything is walked again until nothing changes.

use std::time::Instant;

pub(crate) mod shape;
pub(crate) mod place;
mod value;
mod guard;
mod contents;
mod objects;
mod pasts;
mod sets;
mod low_bits;
mod state;
mod walk;
mod world;
mod access;
mod protected;
mod blocks;
mod words;
mod lives;
mod sync;
mod counters;
pub(crate) mod clock;
mod births;
mod host;
mod files;
mod readings;
mod printed;
mod given;
mod idle;
mod turns;
mod guide;
mod prefer;
mod engine;
mod clashes;
mod perform;
mod map_schedule;
mod log;
mod section;
mod observe;
mod forced;
mod foresight;
mod unroll;
mod decisive;
pub(crate) mod compact;
mod follow;
pub(crate) mod drive;

pub use clashes::Meeting;
pub use drive::{Driven, drive};
pub use follow::{FollowError, Followed, follow};
pub use given::{Arguments, Given, Part, Symbolic};
pub use map_schedule::map_schedule;
pub use observe::Until;
pub use perform::{Encounter, Performed, perform, perform_race};
pub use prefer::{Decision, Flip, Side};
pub use unroll::{Seen, UnrollError, Unrolled, unroll, unroll_along, unroll_near};
pub use walk::{Cut, Reason, Wrong};

/// How far a program is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many rounds a loop may go, and how deep a function may call itself, if something unknown decides about it.
    pub unroll: u32,
    /// The most instructions of each thread, on all its paths.
    pub steps: u64,
    /// Near recorded runs: the most undecided decisions of a path between leaving all records and joining one.
    pub free: u32,
    /// The most threads.
    pub threads: usize,
    /// The time after which the answer is no longer needed.
    pub until: Option<Instant>,
    /// The most instructions in all, on all paths of all threads; beyond it, following ends as if the time was over.
    pub effort: Option<u64>,
    /// What the program is given with every value.
    pub symbolic: Symbolic,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            unroll: 4,
            steps: 2_000_000,
            free: u32::MAX,
            threads: 250,
            until: None,
            effort: None,
            symbolic: Symbolic::default(),
        }
    }
}
