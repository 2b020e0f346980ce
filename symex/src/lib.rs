//! Symbolic execution: a run of a program, or in [`bounded`] all of them up to a bound, as an event graph.
//!
//! A read of what other threads write is a symbol, a value that is computed from it a term, and a branch that depends on it an
//! assumption. What others have no part in stays a number, costs time, and no events.

mod float;
pub mod terms;
mod sharing;
mod output;
pub mod bounded;
