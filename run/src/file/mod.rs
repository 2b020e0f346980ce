//! Run files: recorded runs in as few bytes as they need, with checksums.
//!
//! ```text
//! file      first bytes, a run section, pieces sections
//! first     `heddle\0r`, version (4 bytes), checksum of both (4 bytes); the same in every version
//! section   kind (1 byte), length of the contents, contents, checksum of all of that (4 bytes)
//!
//! section   kind  contents
//! run       1     strings: count, each with its length; module; number of threads; number of bits that may be coded;
//!                 end of the process; cut
//! pieces    2     pieces of threads, one after the other
//!
//! piece     kind  contents
//! end       0     none: the thread is complete
//! thread    1     name, start (a string), end (0 returned, 1 exited, 2 stopped, 3 failed), number of bits
//! sibling   2     end, number of bits: the next child of the creator of the thread before, with the same start
//! plain     3     the next bits of the thread, up to 524288 of them, the oldest highest, padded to a whole byte
//! tried     4     the same; the predictions for coded pieces learn from it
//! coded     5     the same bits, coded: number of bytes, bytes
//! callees   6     count, strings
//! inputs    7     count, each: name (a string), result (signed), twice the number of buffers plus 1 if a place
//!                 follows, buffers with their lengths, place
//! notes     8     count, each: kind as in a spool, number
//! order     9     count, each: signed difference from the one before
//!
//! name      position of the creator among the threads from 1, number; or 0, count, numbers
//! place     file (a string), line
//! ```
//!
//! Numbers are as in [`wire::varint`], signed ones as in [`wire::varint::zigzag`], those of fixed size are
//! little-endian; a string is its index. A file that was cut keeps its sections before the cut, and so do streams: they
//! are in pieces so that a long one does not stand or fall as a whole. At most [`MOST_CODED`] bits of a run are coded,
//! because that takes time; pieces on which it does not help are stored as they are, so that no decision takes more
//! than one bit.

mod checksum;
mod section;
mod arithmetic;
mod prediction;
mod coded;
mod write;
mod read;

use thiserror::Error;

use crate::recorded::{RecordedRun, ThreadEnd};

pub use read::read_run;
pub use write::write_run;

/// The version that is written, and the only one that can be read.
pub const VERSION: u32 = 1;

/// Bits beyond this number are not coded.
pub const MOST_CODED: usize = 32 << 20;

/// The limit for names and strings of a file in bytes, counted at each use.
pub const MOST_COPIED: usize = if cfg!(test) { 1 << 24 } else { 1 << 30 };

/// The number of bits of a stream's pieces. A stream that is too long to be coded has larger ones, since each piece has
/// a few bytes of overhead.
fn piece_bits(stream: usize) -> usize {
    if stream > MOST_CODED { 1 << 23 } else { 1 << 19 }
}

/// The contents of a run file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRun {
    /// The readable part. If a part is missing, [`RecordedRun::cut`] says so too.
    pub run: RecordedRun,
    /// A description of the damage.
    pub damage: Option<String>,
}

/// Why a file is not a run file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    #[error("this is not a run file: it is {found}")]
    Foreign { found: String },
    #[error(
        "this run has version {found}, and this heddle reads version {VERSION}: record it again, or use the heddle \
         that wrote it"
    )]
    Version { found: u32 },
    #[error("this run file is damaged: {what}, and nothing in it can be read")]
    Damaged { what: String },
}

const THREAD_ENDS: [ThreadEnd; 4] = [ThreadEnd::Returned, ThreadEnd::Exited, ThreadEnd::Stopped, ThreadEnd::Failed];

/// The kinds of pieces.
mod piece {
    pub const END: u8 = 0;
    pub const THREAD: u8 = 1;
    pub const SIBLING: u8 = 2;
    pub const PLAIN: u8 = 3;
    pub const TRIED: u8 = 4;
    pub const CODED: u8 = 5;
    pub const CALLEES: u8 = 6;
    pub const INPUTS: u8 = 7;
    pub const NOTES: u8 = 8;
    pub const ORDER: u8 = 9;
}

/// The kinds of ends of a process. A place follows if there is one.
mod ending {
    pub const EXITED: u8 = 0;
    pub const ASSERTION: u8 = 1;
    pub const ABORT: u8 = 2;
    pub const ABORT_AT: u8 = 3;
    pub const SIGNAL: u8 = 4;
    pub const SIGNAL_AT: u8 = 5;
    pub const HANG: u8 = 6;
    pub const UNKNOWN: u8 = 7;
}

/// The kinds of cuts.
mod cut {
    pub const NONE: u8 = 0;
    pub const NO_SPACE: u8 = 1;
    pub const NO_MEMORY: u8 = 2;
    pub const EXEC: u8 = 3;
    pub const DAMAGED: u8 = 4;
}
