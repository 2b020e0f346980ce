//! One question about a program within a bound.

use symex::bounded::Symbolic;

use crate::context::Context;
use crate::program::{Loaded, Settings};

/// The effort of one turn, counted so that it is the same on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Instructions that are followed for one bound.
    pub instructions: u64,
    /// The number of events of the current graph.
    pub events: usize,
    /// Conflicts of each question.
    pub conflicts: u64,
}

pub struct Asked<'a> {
    pub loaded: &'a Loaded,
    pub settings: &'a Settings,
    pub symbolic: Symbolic,
    pub unroll: u32,
    pub all: bool,
    /// The limit of effort, if there is one.
    pub effort: Option<Effort>,
    /// The context of all questions about this bound.
    pub context: Context<'a>,
}
