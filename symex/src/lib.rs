//! Symbolic execution: a run of a program, or in [`bounded`] all of them up to a bound, told as an event graph.
//!
//! What a thread reads of others is a symbol, what it computes of that is a term, and a branch that depends on it is an
//! assumption. What others have no part in stays a number, costs time, and no events.
//!
//! Two engines follow a run: the one here, which explanations use, and [`bounded::follow`], which is the engine that checks
//! programs, forced along the run. `symex/tests/forced.rs` compares them.

mod float;
pub mod terms;
mod dual;
mod overlay;
mod section;
mod sharing;
mod output;
mod trace;
mod address;
mod world;
mod sync;
mod clock;
mod failure;
mod aftermath;
mod follow;
mod drive;
pub mod bounded;

pub use drive::{Driven, drive};
pub use follow::{FollowError, Followed, Until, follow};
pub use trace::{Label, Origin};
