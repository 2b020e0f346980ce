//! The path database: the distinct recorded runs of programs, each once with its count, and for every thread of every
//! program version a prefix tree of its decisions (the trace database of the Cortex paper, section 3.2).
//!
//! It is one SQLite file, `paths.sqlite`, in a folder given by the caller. Runs are addressed by content (`digest`):
//! two runs are equal if every thread made the same decisions and got the same inputs, in any order of the threads'
//! births. Counts are kept per origin, so that merging two databases repeatedly, or in a cycle, does not count twice
//! (`import`). The trees are radix trees: a sequence of decisions without a fork is one row (`trie`).
//!
//! Several processes may add concurrently. Every change is one transaction: when the disk is full or the process ends,
//! the database is as before. A damaged database is reported and left unchanged.

mod error;
mod digest;
mod packed;
mod schema;
mod trie;
mod runs;
mod import;

pub use digest::{InputGroup, RunDigest};
pub use error::StoreError;
pub use import::{Imported, Skipped};
pub use runs::{Added, DistinctRuns, Store, StoredProgram, StoredRun};
pub use schema::{FILE_NAME, RunId};
pub use trie::{Continuation, Prefix};

/// A run file of more bytes is not stored, and not read from a database.
pub const MOST_RUN_BYTES: usize = 256 << 20;
