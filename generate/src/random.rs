//! The source of randomness: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
//! 2014).
//!
//! It is implemented here because seeds are kept in tests and reports: an upgrade of a dependency must not change the
//! program of a seed. Consecutive seeds give unrelated streams.

pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    pub fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; zero if `bound` is zero. The bias of the remainder does not matter for tests.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.word() % bound as u64) as usize }
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.wrapping_sub(low) as u64;
        if span == u64::MAX { self.word() as i64 } else { low.wrapping_add((self.word() % (span + 1)) as i64) }
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.word() % 100 < percent
    }

    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// Between `low` and `high` distinct items, in random order.
    pub fn some_of<T: Clone>(&mut self, choices: &[T], low: usize, high: usize) -> Vec<T> {
        let mut items = choices.to_vec();
        self.shuffle(&mut items);
        let count = self.between(low as i64, high as i64) as usize;
        items.truncate(count);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_stream_is_that_of_the_published_algorithm() {
        let mut random = Random::new(1234567);
        assert_eq!(random.word(), 6457827717110365317);
        assert_eq!(random.word(), 3203168211198807973);
    }

    #[test]
    fn between_includes_both_ends() {
        let mut random = Random::new(7);
        let drawn: Vec<i64> = (0..200).map(|_| random.between(-1, 1)).collect();
        assert!([-1, 0, 1].iter().all(|value| drawn.contains(value)));
        assert!(drawn.iter().all(|value| (-1..=1).contains(value)));
    }
}
