//! A whole program as one guarded event graph: all ways of all its threads, with loops and recursion unrolled up to a
//! bound, and what depends on others or on inputs as terms.
//!
//! Threads are walked one after the other. What a thread reads of others is a symbol; which bytes are shared and what may
//! be found there is learned by walking everything again until nothing is new.

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
    /// How many instructions of each thread are walked, on all its ways.
    pub steps: u64,
    /// Near recorded runs: how many undecided decisions a way may take from where it left all records to where it joins one.
    pub free: u32,
    /// How many threads there may be.
    pub threads: usize,
    /// When nobody waits for the answer any more.
    pub until: Option<Instant>,
    /// How many instructions are walked in all, on all ways of all threads; with more, following ends as if it was late.
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
