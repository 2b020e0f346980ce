//! Finds a passing run that is as similar to a failing one as a few attempts allow.

use std::rc::Rc;

use run::Schedule;
use vm::strategy::Random;
use vm::{Code, Execution, Options, Outcome};

/// How many beginnings of the failing schedule are tried, and how many schedules by chance after them.
const BEGINNINGS: usize = 64;
const BY_CHANCE: u64 = 64;

/// The longest beginnings of the failing schedule first, each thread going on for as long as it can; then chance.
pub fn passing_run(code: &Rc<Code>, options: &Options, failing: &Schedule) -> Option<Execution> {
    let passes = |run: &Execution| matches!(run.outcome, Outcome::Passed { status: 0 });
    let all = failing.segments.len();
    let stride = all.div_ceil(BEGINNINGS).max(1);
    let beginnings = (0..all).rev().step_by(stride).filter_map(|length| {
        let schedule = Schedule { segments: failing.segments[..length].to_vec(), ..failing.clone() };
        vm::replay_and_go_on(code, options, &schedule).ok()
    });
    let by_chance = (0..BY_CHANCE).map(|seed| vm::execute(code, options, &mut Random::new(seed)));
    beginnings.chain(by_chance).find(passes)
}
