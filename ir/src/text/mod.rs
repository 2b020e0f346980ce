//! The text form of a program: complete, versioned, readable and writable by people.
//!
//! ```text
//! heddle ir 1
//! program "counter"
//! entry @main
//! file "counter.c"
//! span !0 0:0:0
//! span !1 0:7:5                          ; file 0, line 7, column 5
//! span !2 0:3:9 from !1                  ; inlined by the call at !1
//! text "count"
//! layout #0 signed "int" 4
//! global $count size 4 align 4 layout #0 !1 {
//!   bytes 2a000000
//! }
//! function @main -> (i32) !1 {
//! b0(v0 "argc": i32):
//!   v1: i32 = load $count "count" !2     ; counter.c:3:9, inlined at counter.c:7:5
//!   v2: i1 = compare eq v1, i32 42
//!   branch v2, b1(v1), b2
//! b1(v3: i32):
//!   return v3
//! b2:
//!   unreachable
//! }
//! ```
//!
//! Functions are `@name`, globals `$name` (quoted if a name has unusual characters), places `!n`, layouts `#n`. A
//! register is typed at its definition. A line is one item, and `;` begins a comment. Printing a verified program and
//! parsing the text gives an equal program: the tables of spans and texts keep their order, and a text that occurs
//! twice in its table is written `t<index>` at its uses. Texts written by hand may omit the tables of files, spans and
//! texts: a text is added to its table at its first use, and so is a place that is written `!"counter.c":3:9`.

mod error;
mod lex;
mod cursor;
mod body;
pub mod parse;
pub mod print;

pub use error::ParseError;
pub use parse::parse;

use crate::instr::Ordering;

/// The version that is printed, and the only one that can be read.
pub const VERSION: u32 = 1;

const ORDERINGS: [(Ordering, &str); 5] = [
    (Ordering::Relaxed, "relaxed"),
    (Ordering::Acquire, "acquire"),
    (Ordering::Release, "release"),
    (Ordering::AcquireRelease, "acqrel"),
    (Ordering::SequentiallyConsistent, "seqcst"),
];

pub(crate) fn ordering_name(ordering: Ordering) -> &'static str {
    ORDERINGS.iter().find(|(candidate, _)| *candidate == ordering).map_or("?", |(_, name)| name)
}

fn ordering_from_name(name: &str) -> Option<Ordering> {
    ORDERINGS.iter().find(|(_, candidate)| *candidate == name).map(|(ordering, _)| *ordering)
}

/// Whether a name needs no quotes after its sigil.
fn is_bare(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(lex::is_word_byte)
}
