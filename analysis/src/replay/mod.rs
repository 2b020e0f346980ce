//! Replays a schedule: of a program, or of traces.

mod program;
mod traces;

use std::time::Instant;

use run::Schedule;

pub use crate::schedule::traces::{Belonging, belonging};
pub use program::program;
pub use traces::traces;

/// The request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The schedule's file, as the user named it.
    pub name: &'a str,
    pub schedule: &'a Schedule,
    pub times: u32,
    pub started: Instant,
}
