//! Programs of sizes that are hard to analyse: containers, conditions, lock-free code, long loops, recursion, many
//! threads. Their outcomes are unknown. They are for testing that commands keep their budgets.

mod c;
mod cpp;

use crate::random::Random;

/// A program and a description of its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costly {
    pub source: String,
    pub is_cpp: bool,
    pub family: &'static str,
}

/// A kind of program.
struct Family {
    name: &'static str,
    is_cpp: bool,
    draw: fn(&mut Random) -> String,
}

const FAMILIES: &[Family] = &[
    Family { name: "bounded-buffer", is_cpp: false, draw: c::bounded_buffer },
    Family { name: "queue", is_cpp: true, draw: cpp::queue },
    Family { name: "stack", is_cpp: false, draw: c::lock_free_stack },
    Family { name: "cache", is_cpp: true, draw: cpp::cache },
    Family { name: "loop", is_cpp: false, draw: c::long_loop },
    Family { name: "futures", is_cpp: true, draw: cpp::futures },
    Family { name: "recursion", is_cpp: false, draw: c::recursion },
    Family { name: "texts", is_cpp: true, draw: cpp::texts },
    Family { name: "crowd", is_cpp: false, draw: c::crowd },
    Family { name: "pool", is_cpp: true, draw: cpp::pool },
    Family { name: "list", is_cpp: false, draw: c::linked_list },
    Family { name: "pointers", is_cpp: true, draw: cpp::pointers },
];

/// The program of a seed. Kinds alternate.
pub fn costly(seed: u64) -> Costly {
    let family = &FAMILIES[(seed % FAMILIES.len() as u64) as usize];
    let source = (family.draw)(&mut Random::new(seed));
    Costly { source, is_cpp: family.is_cpp, family: family.name }
}

/// Sizes from small to out of reach.
fn size(random: &mut Random, choices: &[i64]) -> i64 {
    random.pick(choices)
}
