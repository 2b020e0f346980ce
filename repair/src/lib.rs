//! From a failure and its causes to verified source patches.
//!
//! The first half follows ConcBugAssist (Khoshnood, Kusano and Wang, ISSTA 2015, section 4): kill sets of the causes,
//! binate covers, either-or edges as critical sections ([`cover`]). Covers over causes alone miss most changes that
//! people make, so the second half makes static edits of the source ([`edits`]) from the places, objects and locks in
//! causes and runs, and lets the compiler and the searches judge each ([`verify`]).
//!
//! Deviation: edits are made in the source from the beginning, through libclang, and not first in the graph. Compiling
//! a file takes a tenth of a second, which is less than unrolling and solving most programs, and the verified object is
//! the patch itself.

mod clang;
mod tree;
mod sources;
mod code;
mod locks;
mod facts;
mod breaks;
mod freedom;
mod cover;
mod edits;
mod verify;
mod search;

pub use clang::{Clang, Error as ClangError};
pub use edits::Kind;
pub use search::{Compiled, Compiler, Problem, Request, found, repair};
pub use sources::unified;
