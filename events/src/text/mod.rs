//! The text form of a graph, for tests and for looking at graphs.
//!
//! ```text
//! heddle graph 1
//! input %choice bool
//! object counter 4
//!   initial 0 5:32
//! thread 0
//!   0 start
//!   1 fork 0.1
//!   2 if (not %choice) write counter[0] bytes 4 new 7:32 @ bank.c 12
//!   3 exit
//! thread 0.1
//!   4 start
//!   5 read counter[0] bytes 4 old %seen
//!   let $1 = (add %seen 1:32)
//!   6 write counter[0] bytes 4 new $1
//!   7 assert (= $1 6:32)
//!   8 exit
//! ```
//!
//! The number of an event may be left out; it is then its position in the text. `%` marks symbols and `$` marks terms
//! that are named because they occur often. `5:32` is a constant of 32 bits. Names that are no plain words are written
//! in quotes. If several symbols have the same name, all but the first carry a number (`%x~2`); the same holds for
//! objects. An access waits for `enabled`, which defaults to true, and writes if `writes` holds, which defaults to
//! whether `new` is present.

mod lex;
mod names;
mod print;
mod term;
mod parse;

use thiserror::Error;

pub use parse::parse_graph;

/// The place and the cause of a syntax error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// From 1.
    pub line: u32,
    pub message: String,
}

const HEADER: &str = "heddle graph 1";
