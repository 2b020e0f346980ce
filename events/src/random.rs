//! The source of randomness: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
//! 2014). Seeds appear in tests and reports, so their meaning must not depend on the version of a library.

#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    pub fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the bound, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.word() % 100 < percent
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_published_algorithm() {
        let mut random = Random::new(1234567);
        assert_eq!([random.word(), random.word()], [6457827717110365317, 3203168211198807973]);
    }
}
