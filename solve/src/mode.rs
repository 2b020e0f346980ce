//! Decision modes. Their speed on a formula differs by orders of magnitude.

use crate::theory::{Taste, Theory};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Some decisions follow an order in which the threads take turns.
    #[default]
    Turns,
    /// Some decisions follow an order in which one thread runs after the other.
    Sequence,
    /// Each read prefers the oldest possible value.
    Stale,
    /// CaDiCaL makes all decisions.
    Plain,
}

/// Options of CaDiCaL. Chronological backtracking would assign literals out of the order of decision levels; factoring
/// would introduce variables.
pub(crate) const OPTIONS: [(&str, i32); 2] = [("chrono", 0), ("factor", 0)];

impl Mode {
    pub const ALL: [Mode; 4] = [Mode::Turns, Mode::Sequence, Mode::Stale, Mode::Plain];

    pub(crate) fn guide(self, theory: &mut Theory) {
        let positions = match self {
            Mode::Turns | Mode::Stale | Mode::Plain => theory.preferred(|chain, index| (index, chain)),
            Mode::Sequence => theory.preferred(|chain, index| (chain, index)),
        };
        // Stale values are only consistent if all reads choose them.
        let one_in = match self {
            Mode::Turns | Mode::Sequence => 4,
            Mode::Stale => 1,
            Mode::Plain => 0,
        };
        let taste = if self == Mode::Stale { Taste::Stale } else { Taste::Fresh };
        theory.follow(positions, one_in, taste);
    }
}
