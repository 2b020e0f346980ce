//! Uniform choice at every visible step.

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{Strategy, View};

pub struct Random {
    generator: Pcg64Mcg,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { generator: Pcg64Mcg::seed_from_u64(seed) }
    }

    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.generator.next_u64() % count.max(1)
    }

    /// Inputs are small more often than not: that is where branches lie.
    pub(super) fn any_input(&mut self, bits: u32) -> u64 {
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let value = match self.below(8) {
            0..=2 => self.below(2),
            3..=5 => self.below(16),
            6 => self.below(256).wrapping_neg(),
            _ => self.generator.next_u64(),
        };
        value & mask
    }
}

impl Strategy for Random {
    fn pick(&mut self, view: &View<'_>) -> usize {
        view.ready[self.below(view.ready.len() as u64) as usize]
    }

    fn alternative(&mut self, count: u64) -> u64 {
        self.below(count)
    }

    fn input(&mut self, bits: u32) -> u64 {
        self.any_input(bits)
    }
}
