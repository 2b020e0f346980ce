//! A failing order that an engine found.

use report::Found;
use run::{Choice, Segment};
use vm::Failure;

/// A failing order that is not yet confirmed.
pub(crate) struct Candidate {
    pub found: Found,
    pub failure: Failure,
    pub segments: Vec<Segment>,
    pub choices: Vec<Choice>,
}
