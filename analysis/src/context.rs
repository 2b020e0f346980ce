//! The inputs that all use cases have in common.

use crate::budget::Budget;
use crate::observer::Observer;

/// The context of a use case: all its inputs except its own request.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub budget: &'a Budget,
    pub observer: &'a dyn Observer,
    /// The first seed.
    pub seed: u64,
    /// The number of threads that may work in parallel.
    pub jobs: usize,
    /// Whether reports also list unsupported constructs that were not reached.
    pub all_unsupported: bool,
}

impl Context<'_> {
    /// The same with another budget.
    pub fn within<'b>(&'b self, budget: &'b Budget) -> Context<'b> {
        Context { budget, ..*self }
    }
}
