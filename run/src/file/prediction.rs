//! Predicts the next bit of a path from those before it, so that the size of the path is its information content.
//!
//! Paths of programs are nested loops: mostly one of a few continuations follows the last bits. Counts for the last 4,
//! 11 and 18 bits learn those. A loop body may be longer, so there is also a pointer to the previous occurrence of the
//! last 32 bits: as long as the path repeats the bits from there, it is predicted to continue so. The four predictions
//! are mixed as in the compressor PAQ7 (M. Mahoney, "Data Compression Explained", on logistic mixing): in the logistic
//! domain, with weights that adapt to their success. Deviations: the set of predictors, and that a path which has
//! matched for long is predicted to continue without consulting the counts. All arithmetic is in integers of fixed
//! width: the reader must compute the same numbers on every machine.

use crate::bits::Bits;

/// Fractional bits of numbers in the logistic domain.
const FRACTION: usize = 8;
/// The domain is from minus this to this, in units of its fraction.
const REACH: i32 = 11 << FRACTION;
/// `1 / (1 + exp(-x))` in 65536ths, for x from -11 to 11 in steps of a half.
const LOGISTIC: [u16; 45] = [
    1, 2, 3, 5, 8, 13, 22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768,
    40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
    65523, 65528, 65531, 65533, 65534, 65535,
];
const STEP: usize = 1 << (FRACTION - 1);
const DOMAIN: usize = 2 * REACH as usize + 1;
static SQUASHED: [u16; DOMAIN] = squashed();

/// Probabilities are stretched with this precision.
const STRETCH_BITS: usize = 12;
static STRETCHED: [i16; 1 << STRETCH_BITS] = stretched();

const fn squashed() -> [u16; DOMAIN] {
    let mut table = [0; DOMAIN];
    let mut at = 0;
    while at < DOMAIN {
        let (knot, part) = (at / STEP, at % STEP);
        let next = if knot + 1 < LOGISTIC.len() { LOGISTIC[knot + 1] } else { LOGISTIC[knot] };
        let (low, high) = (LOGISTIC[knot] as usize, next as usize);
        table[at] = (low + (high - low) * part / STEP) as u16;
        at += 1;
    }
    table
}

/// The inverse: for each probability the number with the nearest logistic.
const fn stretched() -> [i16; 1 << STRETCH_BITS] {
    let squashed = squashed();
    let mut table = [0; 1 << STRETCH_BITS];
    let (mut at, mut probability) = (0, 0);
    while probability < table.len() {
        let middle = (2 * probability + 1) << (16 - STRETCH_BITS - 1);
        while at + 1 < DOMAIN && (squashed[at] as usize) < middle {
            at += 1;
        }
        table[probability] = (at as i32 - REACH) as i16;
        probability += 1;
    }
    table
}

/// The frequency of a one: the difference of its probability from a half in the upper 22 bits, and the number of
/// updates in the lower 10. Zero is a fresh counter, so that new tables cost nothing.
#[derive(Clone, Copy, Default)]
struct Counter(u32);

const COUNT_BITS: u32 = 10;
const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;
const HALF: u32 = 1 << 31;
/// A counter keeps its rate after this many updates, so that it can adapt to a changing path.
const STEADY: u32 = 255;
static RATES: [u32; STEADY as usize + 1] = rates();

const fn rates() -> [u32; STEADY as usize + 1] {
    let mut table = [0; STEADY as usize + 1];
    let mut count = 0;
    while count < table.len() {
        table[count] = (2 << 16) / (2 * count as u32 + 3);
        count += 1;
    }
    table
}

impl Counter {
    #[inline]
    fn stretched(self) -> i32 {
        i32::from(STRETCHED[((self.0 ^ HALF) >> (32 - STRETCH_BITS)) as usize])
    }

    #[inline]
    fn probability(self) -> u16 {
        ((self.0 ^ HALF) >> 16).max(1) as u16
    }

    #[inline]
    fn correct(&mut self, bit: bool) {
        let state = self.0 ^ HALF;
        let (probability, count) = (i64::from(state >> COUNT_BITS), state & COUNT_MASK);
        let target = i64::from(bit) * i64::from(u32::MAX >> COUNT_BITS);
        let rate = i64::from(RATES[count.min(STEADY) as usize]);
        let corrected = probability + (((target - probability) * rate) >> 16);
        let count = (count + 1).min(STEADY);
        self.0 = ((corrected as u32) << COUNT_BITS | count) ^ HALF;
    }
}

/// The lengths of history whose continuations are counted.
const HISTORIES: [u32; 3] = [4, 11, 18];
/// The length of history that must match to be followed.
const SEEN: u32 = 32;
/// The confidence in a match depends on its length so far: classes of powers of two.
const CLASSES: usize = 16;
/// After a match of this many bits the other predictors are skipped, which saves most of the time on most paths.
const SURE: u32 = 512;
const VOICES: usize = HISTORIES.len() + 1;
/// Weights are in 65536ths.
const FIRST_WEIGHT: i32 = 1 << 14;
const LARGEST_WEIGHT: i64 = 1 << 20;
const LEARNING: i64 = 6;

/// The predictor. The path so far is an argument of each call, so that it is not stored twice.
pub struct Prediction {
    counters: [Vec<Counter>; HISTORIES.len()],
    /// By class, whether the followed bit was right.
    followed: [Counter; CLASSES],
    /// By hash of the last bits, the position at which they last ended.
    places: Vec<u32>,
    weights: [[i32; VOICES]; CLASSES],
    /// The last bits, the newest lowest.
    history: u64,
    follows: Option<Follows>,
    /// The contexts of the next bit, and their predictions.
    contexts: [usize; HISTORIES.len()],
    class: usize,
    said: [i32; VOICES],
    expected: u16,
}

/// A match of the history with an earlier part of the path.
#[derive(Clone, Copy)]
struct Follows {
    /// The position of the predicted bit.
    at: usize,
    /// The number of bits predicted correctly so far.
    right: u32,
}

impl Prediction {
    /// For a path of `length` bits: a longer path gets larger tables.
    pub fn new(length: usize) -> Prediction {
        let digits = usize::BITS - length.leading_zeros();
        Prediction {
            counters: HISTORIES.map(|history| vec![Counter::default(); 1 << history.min(digits)]),
            followed: [Counter::default(); CLASSES],
            places: vec![0; 1 << digits.clamp(4, 16)],
            weights: [[FIRST_WEIGHT; VOICES]; CLASSES],
            history: 0,
            follows: None,
            contexts: [0; HISTORIES.len()],
            class: 0,
            said: [0; VOICES],
            expected: 0,
        }
    }

    /// Starts another path, which may repeat bits from an earlier position.
    pub fn begin(&mut self, like: Option<usize>) {
        self.history = 0;
        self.follows = like.map(|at| Follows { at, right: 0 });
    }

    fn is_sure(&self) -> bool {
        self.follows.is_some_and(|follows| follows.right >= SURE)
    }

    /// The probability of a one, in 65536ths.
    #[inline]
    pub fn expect(&mut self, path: &Bits) -> u16 {
        self.class = match self.follows {
            None => 0,
            Some(Follows { right, .. }) => 1 + (u32::BITS - right.leading_zeros()).min(CLASSES as u32 - 2) as usize,
        };
        let followed = self.follows.and_then(|follows| path.get(follows.at));
        if self.is_sure() {
            let right = self.followed[self.class].probability();
            return if followed == Some(true) { right } else { right.wrapping_neg() };
        }
        for (voice, counters) in self.counters.iter().enumerate() {
            let context = self.history as usize & (counters.len() - 1);
            self.contexts[voice] = context;
            self.said[voice] = counters[context].stretched();
        }
        self.said[VOICES - 1] = match followed {
            None => 0,
            Some(true) => self.followed[self.class].stretched(),
            Some(false) => -self.followed[self.class].stretched(),
        };
        let pairs = self.said.iter().zip(&self.weights[self.class]);
        let sum: i64 = pairs.map(|(said, weight)| i64::from(*said) * i64::from(*weight)).sum();
        let sum = (sum >> 16).clamp(i64::from(-REACH), i64::from(REACH));
        self.expected = SQUASHED[(sum + i64::from(REACH)) as usize];
        self.expected
    }

    /// Updates the predictor with the next bit of the path.
    #[inline]
    pub fn learn(&mut self, bit: bool, path: &Bits) {
        let was_sure = self.is_sure();
        if !was_sure {
            let surprise = (i64::from(bit) << 16) - i64::from(self.expected);
            for (weight, said) in self.weights[self.class].iter_mut().zip(self.said) {
                let change = (i64::from(said) * surprise * LEARNING) >> 20;
                *weight = (i64::from(*weight) + change).clamp(-LARGEST_WEIGHT, LARGEST_WEIGHT) as i32;
            }
            for (counters, context) in self.counters.iter_mut().zip(self.contexts) {
                counters[context].correct(bit);
            }
        }
        if let Some(Follows { at, right }) = self.follows {
            let was_right = path.get(at) == Some(bit);
            self.followed[self.class].correct(was_right);
            self.follows = was_right.then_some(Follows { at: at + 1, right: right.saturating_add(1) });
        }
        self.history = self.history << 1 | u64::from(bit);
        if !was_sure {
            self.look_back(path);
        }
    }

    /// Records the position of these last bits. If no match is followed, their previous position is.
    #[inline]
    fn look_back(&mut self, path: &Bits) {
        let known = path.len() + 1;
        let last = self.history as u32;
        let hash = last.wrapping_mul(0x9e37_79b1) >> (u32::BITS - self.places.len().trailing_zeros());
        let place = &mut self.places[hash as usize];
        if self.follows.is_none() {
            let before = *place as usize;
            let seen = before.checked_sub(SEEN as usize).and_then(|start| path.number(start, SEEN));
            self.follows = (seen == Some(last)).then_some(Follows { at: before, right: 0 });
        }
        *place = known as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretching_undoes_squashing() {
        assert_eq!(SQUASHED[REACH as usize], 1 << 15);
        assert!(SQUASHED.is_sorted() && STRETCHED.is_sorted());
        assert!(SQUASHED[0] > 0);
        for (probability, stretched) in STRETCHED.iter().enumerate() {
            let back = i32::from(SQUASHED[(i32::from(*stretched) + REACH) as usize]) >> (16 - STRETCH_BITS);
            assert!((back - probability as i32).abs() <= 8, "{probability}: {back}");
        }
    }

    #[test]
    fn a_counter_comes_close_to_what_it_sees() {
        let mut counter = Counter::default();
        assert!(counter.stretched().abs() <= 1);
        (0..1000).for_each(|_| counter.correct(true));
        assert!(counter.stretched() > 1500, "{}", counter.stretched());
        (0..3000).for_each(|_| counter.correct(false));
        assert!(counter.stretched() < -1500, "{}", counter.stretched());
    }
}
