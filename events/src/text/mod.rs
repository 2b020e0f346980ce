//! The text form of a graph, for people who write tests and for people who want to see what a graph is.
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
//! The number of an event may be left out; it is then its place in the text. `%` stands before symbols and `$` before
//! terms that are named because they occur often. `5:32` is a constant of 32 bits. What is no plain word is written in
//! quotes. Of several symbols with one name all but the first carry a number (`%x~2`), and so do objects. An access
//! waits for `enabled`, which is true if it is not there, and writes if `writes`, which is true if it is not there and
//! `new` is.

mod lex;
mod names;
mod print;
mod term;
mod parse;

use thiserror::Error;

pub use parse::parse_graph;

/// Where a text is no graph, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// From 1.
    pub line: u32,
    pub message: String,
}

const HEADER: &str = "heddle graph 1";
