//! Strategies, which choose the next thread.

mod random;
mod pct;
mod pos;
mod undisturbed;

pub use pct::Pct;
pub use pos::Pos;
pub use random::Random;
pub use undisturbed::Undisturbed;

/// The information for a choice.
pub struct View<'a> {
    /// Threads that can take a step, in order of their birth. Never empty.
    pub ready: &'a [usize],
    /// The thread that took the last step, if any.
    pub last: Option<usize>,
    /// The last thread yielded: it slept, yielded, or was idle.
    pub yielded: bool,
    /// How many visible steps were taken before this one.
    pub taken: u64,
    /// Of the threads that can take a step, those that sleep, each with the time at which it wakes.
    pub asleep: &'a [(usize, i64)],
    /// Whether the pending steps of two threads do not commute.
    pub conflicts: &'a dyn Fn(usize, usize) -> bool,
}

pub trait Strategy {
    /// One of `view.ready`.
    fn pick(&mut self, view: &View<'_>) -> usize;

    /// A number below `count`, which is at least 2.
    fn alternative(&mut self, count: u64) -> u64;

    /// An input of that many bits.
    fn input(&mut self, bits: u32) -> u64;
}
