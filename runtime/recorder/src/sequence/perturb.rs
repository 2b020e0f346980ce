//! Perturbation by a seed: threads yield, sleep for a moment, or are slow for a period.
//!
//! The periods follow "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs" (Burckhardt et al., 2010):
//! at a few random points a thread falls behind all others. Deviation: native threads have no strict priorities, so a
//! thread that has fallen behind sleeps before each operation, and only for a while. The random choices depend on the
//! seed, the thread's name and its number of operations, never on the time.

use core::sync::atomic::{AtomicU64, Ordering};

use crate::slot::Slot;
use crate::system;

/// How often a thread falls behind.
const FALLS: u64 = 3;
/// The number of operations with the full share of sleep. Later ones sleep less and less, so that a program with
/// millions of them terminates.
const LIVELY: u64 = 1024;

static SEED: AtomicU64 = AtomicU64::new(0);
/// The common source for unrecorded threads.
static STRAY: Chance = Chance::new();

/// A thread's source of randomness, with its state.
pub struct Chance {
    /// The thread's name, mixed with the seed.
    name: AtomicU64,
    drawn: AtomicU64,
    operations: AtomicU64,
    falls: AtomicU64,
    /// The number of operations before the next fall.
    until_fall: AtomicU64,
    /// The number of operations for which it is still slow.
    slow: AtomicU64,
}

impl Chance {
    pub const fn new() -> Chance {
        Chance {
            name: AtomicU64::new(0),
            drawn: AtomicU64::new(0),
            operations: AtomicU64::new(0),
            falls: AtomicU64::new(0),
            until_fall: AtomicU64::new(0),
            slow: AtomicU64::new(0),
        }
    }

    /// That of the first thread.
    pub fn begin(&self) {
        self.begin_with(mix(SEED.load(Ordering::Relaxed)));
    }

    /// That of a child of another thread, which is the one with this number.
    pub fn begin_as_child(&self, parent: &Chance, number: u32) {
        self.begin_with(mix(parent.name.load(Ordering::Relaxed) ^ mix(u64::from(number))));
    }

    fn begin_with(&self, name: u64) {
        self.name.store(name, Ordering::Relaxed);
        self.until_fall.store(magnitude(self.draw(), 11), Ordering::Relaxed);
    }

    fn draw(&self) -> u64 {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed);
        mix(self.name.load(Ordering::Relaxed).wrapping_add(mix(drawn)))
    }

    /// Whether the thread is slow at this operation.
    fn is_slow(&self) -> bool {
        let slow = self.slow.load(Ordering::Relaxed);
        if slow > 0 {
            self.slow.store(slow - 1, Ordering::Relaxed);
            return true;
        }
        let falls = self.falls.load(Ordering::Relaxed);
        if falls == FALLS {
            return false;
        }
        let until_fall = self.until_fall.load(Ordering::Relaxed);
        if until_fall > 0 {
            self.until_fall.store(until_fall - 1, Ordering::Relaxed);
            return false;
        }
        self.falls.store(falls + 1, Ordering::Relaxed);
        self.slow.store(magnitude(self.draw(), 7), Ordering::Relaxed);
        self.until_fall.store(magnitude(self.draw(), 11), Ordering::Relaxed);
        true
    }

    fn choose(&self) -> Disturbance {
        let operations = self.operations.fetch_add(1, Ordering::Relaxed);
        if self.is_slow() {
            return Disturbance::Sleep(between(self.draw(), 100_000, 500_000));
        }
        let drawn = self.draw();
        let share = 64 * (1 + operations / LIVELY);
        if drawn.is_multiple_of(share) {
            Disturbance::Sleep(between(self.draw(), 50_000, 2_000_000))
        } else if drawn.is_multiple_of(8) {
            Disturbance::GiveWay
        } else {
            Disturbance::Nothing
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disturbance {
    Nothing,
    GiveWay,
    /// In nanoseconds.
    Sleep(u64),
}

/// Spreads the bits of a number: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// A random number below two to the power of `sizes`, with a uniformly distributed magnitude.
fn magnitude(drawn: u64, sizes: u64) -> u64 {
    let size = 1_u64 << (drawn % sizes);
    size / 2 + (drawn >> 32) % size.div_ceil(2)
}

fn between(drawn: u64, least: u64, most: u64) -> u64 {
    least + drawn % (most - least)
}

pub fn begin(seed: u64) {
    SEED.store(seed, Ordering::Relaxed);
    STRAY.begin_with(mix(!seed));
}

/// Holds up the calling thread, or not.
pub fn disturb(slot: &Slot) {
    let chance = slot.thread().map_or(&STRAY, |thread| &thread.sequence.chance);
    match chance.choose() {
        Disturbance::Nothing => {}
        Disturbance::GiveWay => system::give_way(),
        Disturbance::Sleep(nanoseconds) => system::sleep(nanoseconds),
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn first(chance: &Chance, count: usize) -> Vec<Disturbance> {
        (0..count).map(|_| chance.choose()).collect()
    }

    fn named(name: u64) -> Chance {
        let chance = Chance::new();
        chance.begin_with(name);
        chance
    }

    #[test]
    fn the_same_name_draws_the_same() {
        assert_eq!(first(&named(7), 500), first(&named(7), 500));
        assert_ne!(first(&named(7), 500), first(&named(8), 500));
    }

    #[test]
    fn children_are_told_apart_by_their_numbers() {
        let parent = named(7);
        let children = [1, 2, 1].map(|number| {
            let child = Chance::new();
            child.begin_as_child(&parent, number);
            first(&child, 500)
        });
        assert_ne!(children[0], children[1]);
        assert_eq!(children[0], children[2]);
    }

    #[test]
    fn there_is_less_and_less_sleep() {
        for name in 0..20 {
            let chance = named(name);
            let is_sleep = |disturbance: &Disturbance| matches!(disturbance, Disturbance::Sleep(_));
            let asleep = |chance: &Chance, count| first(chance, count).iter().filter(|one| is_sleep(one)).count();
            assert!(asleep(&chance, 1000) > 2, "{name}");
            assert!(asleep(&chance, 1_000_000) < 1000, "{name}");
        }
    }

    #[test]
    fn magnitudes_stay_below_their_bound() {
        for drawn in (0..1000).map(mix) {
            assert!(magnitude(drawn, 7) < 64);
            assert!((50..60).contains(&between(drawn, 50, 60)));
        }
    }
}
