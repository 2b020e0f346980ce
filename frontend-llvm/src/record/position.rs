//! The place of an instruction in its function, so that a plan outlives the module that it was made of.

/// The block and the instruction, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    pub block: usize,
    pub instruction: usize,
}
