//! Ways of deciding. Which one is fast differs from formula to formula by orders of magnitude.

use crate::theory::Theory;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Some decisions follow an order in which the threads take turns.
    #[default]
    Turns,
    /// Some decisions follow an order in which one thread runs after the other.
    Sequence,
    /// CaDiCaL decides everything.
    Plain,
}

impl Mode {
    pub const ALL: [Mode; 3] = [Mode::Turns, Mode::Sequence, Mode::Plain];

    /// Options of CaDiCaL.
    pub(crate) fn options(self) -> Vec<(&'static str, i32)> {
        // Without chronological backtracking, what the propagator is told stands in the order of decision levels.
        // Factoring makes variables by itself.
        vec![("chrono", 0), ("factor", 0), ("quiet", 1)]
    }

    pub(crate) fn guide(self, theory: &mut Theory) {
        let positions = match self {
            Mode::Turns | Mode::Plain => theory.preferred(|chain, index| (index, chain)),
            Mode::Sequence => theory.preferred(|chain, index| (chain, index)),
        };
        let one_in = if self == Mode::Plain { 0 } else { 4 };
        theory.follow(positions, one_in);
    }
}
