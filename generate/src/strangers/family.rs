//! A family: one feature of the language or the library, as declarations, statements for threads, and guesses about the
//! final state. Families are independent, so that any few of them make a program.

use crate::random::Random;

/// A statement of a thread. In its text `$k` is a small number, `$b` and `$c` are 0 or 1, `$w` is the number of the thread,
/// `$u` is different everywhere, and `$inner` is another statement.
#[derive(Clone)]
pub struct Act {
    pub text: &'static str,
    /// The most steps on shared objects that it takes, without those of `$inner`.
    pub steps: usize,
}

/// The contribution of a family to a program.
#[derive(Default)]
pub struct Family {
    /// Headers beyond those that every program has.
    pub includes: &'static str,
    /// Types, objects and functions at file scope.
    pub top: &'static str,
    /// Done by main before there are threads.
    pub setup: &'static str,
    /// Done by main after the last join.
    pub teardown: &'static str,
    pub acts: Vec<Act>,
    /// Required operations of the workers: the first is for worker 0, the second for worker 1.
    pub duties: Vec<Act>,
    /// Expressions that are printed in the end.
    pub shown: &'static [&'static str],
    /// Conditions that may hold in the end.
    pub guesses: &'static [&'static str],
}

pub const fn act(text: &'static str, steps: usize) -> Act {
    Act { text, steps }
}

/// All of the careful statements, and with a chance the careless ones too: a program is wrong often enough, not always.
pub fn mostly(random: &mut Random, careful: &[Act], careless: &[Act]) -> Vec<Act> {
    let mut acts = careful.to_vec();
    if random.chance(35) {
        acts.extend_from_slice(careless);
    }
    acts
}
