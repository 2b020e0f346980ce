//! Ways of deciding. Which one is fast differs from formula to formula by orders of magnitude.

use crate::theory::{Taste, Theory};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Some decisions follow an order in which the threads take turns.
    #[default]
    Turns,
    /// Some decisions follow an order in which one thread runs after the other.
    Sequence,
    /// Every read sees the oldest value that it can.
    Stale,
    /// CaDiCaL decides everything.
    Plain,
}

/// Options of CaDiCaL. Without chronological backtracking, what the propagator is told stands in the order of decision
/// levels. Factoring would make variables by itself.
pub(crate) const OPTIONS: [(&str, i32); 2] = [("chrono", 0), ("factor", 0)];

impl Mode {
    pub const ALL: [Mode; 4] = [Mode::Turns, Mode::Sequence, Mode::Stale, Mode::Plain];

    pub(crate) fn guide(self, theory: &mut Theory) {
        let positions = match self {
            Mode::Turns | Mode::Stale | Mode::Plain => theory.preferred(|chain, index| (index, chain)),
            Mode::Sequence => theory.preferred(|chain, index| (chain, index)),
        };
        // Reads that see old values only make a whole if all of them do.
        let one_in = match self {
            Mode::Turns | Mode::Sequence => 4,
            Mode::Stale => 1,
            Mode::Plain => 0,
        };
        let taste = if self == Mode::Stale { Taste::Stale } else { Taste::Fresh };
        theory.follow(positions, one_in, taste);
    }
}
