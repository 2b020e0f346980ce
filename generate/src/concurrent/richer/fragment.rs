//! An operation of a thread, as text.

use crate::concurrent::interleavings::Step;

#[derive(Clone, Copy)]
pub struct Fragment {
    pub text: &'static str,
    /// The largest number of operations on shared objects.
    pub steps: usize,
    /// Whether it uses locks itself.
    pub locks: bool,
}

impl Fragment {
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        std::iter::repeat_n(Step::Plain, self.steps)
    }
}

pub(super) const fn does(steps: usize, text: &'static str) -> Fragment {
    Fragment { text, steps, locks: false }
}

pub(super) const fn locks(steps: usize, text: &'static str) -> Fragment {
    Fragment { text, steps, locks: true }
}
