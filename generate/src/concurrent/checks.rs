//! Assertions on the final state. If the result of a correct program is known, they state it; otherwise they are
//! guesses, some of which fail in some interleavings.

use super::shared::Shared;
use crate::random::Random;

pub fn checks(random: &mut Random, shared: &Shared) -> String {
    let mut lines = Vec::new();
    if shared.counter.is_some() && random.chance(70) {
        let relation = if shared.increments.may_be_skipped { "<=" } else { "==" };
        lines.push(format!("assert({} {relation} {});", shared.name("count"), shared.increments.most));
    }
    if random.chance(75) {
        lines.push(format!("assert({});", guess(random, shared)));
    }
    lines.join("\n")
}

fn guess(random: &mut Random, shared: &Shared) -> String {
    let mut names: Vec<String> = shared.cells.iter().chain(&shared.atomics).map(|name| shared.name(name)).collect();
    names.extend((0..shared.workers).map(|index| shared.name(&format!("seen[{index}]"))));
    let (left, right) = (random.pick(&names), random.pick(&names));
    let (small, other) = (random.below(4), random.below(3));
    match random.below(6) {
        0 => format!("{left} != {}", small + 1),
        1 => format!("{left} <= {}", small + 1),
        2 => format!("{left} == {small} || {right} == {other}"),
        3 => format!("!({left} == {small} && {right} == {other})"),
        4 => format!("{left} + {right} != {}", small + other),
        _ => format!("{left} >= {right} || {right} < {}", small + 2),
    }
}
