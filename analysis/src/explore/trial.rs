//! Runs of the program with recorded input that fail, found as `heddle run` finds them: with the strategies of the
//! portfolio, one seed after the other.

use run::Schedule;
use vm::{Execution, FailureKind, Outcome};

use crate::context::Context;
use crate::program::{Loaded, Settings};
use crate::search::Trials;

/// Bounds for the number of runs, and for the instructions of all of them.
const RUNS: u64 = 64;
const WORK: u64 = 50_000_000;

/// More failing runs are not collected.
const ENOUGH: usize = 4;

pub fn failing_runs(loaded: &Loaded, settings: &Settings, context: &Context<'_>) -> Vec<Schedule> {
    let mut options = settings.options(false);
    // A race would end the run.
    options.properties.retain(|kind| *kind != FailureKind::Race);
    let trials = Trials::new(&loaded.code, &options);
    let mut failing = Vec::new();
    let mut work = 0;
    for number in 0..RUNS {
        if failing.len() >= ENOUGH || work > WORK || context.budget.is_over() {
            break;
        }
        let execution = trials.run(context.seed.wrapping_add(number));
        work += execution.steps;
        let Execution { segments, choices, outcome: Outcome::Failed(_), .. } = execution else { continue };
        failing.push(Schedule { header: run::Header::default(), segments, choices });
    }
    failing
}
