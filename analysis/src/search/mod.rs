//! Searches for a failing schedule: by runs, exploration, or both in turns.
//!
//! The sequence of attempts depends on the program and the first seed alone, neither on the clock nor on the number of
//! jobs. Time, memory and work only decide how long a prefix of it is executed.

mod runs;
mod exhaustive;
mod explorer;
mod portfolio;
mod told;

pub(crate) use portfolio::Portfolio;
pub(crate) use runs::Trials;
pub(crate) use told::{bounds, caveats};

use std::time::{Duration, Instant};

use report::{FailureCount, Found, LeftOut, Search, Stopped, Unsupported};
use vm::{Execution, Failure, FailureKind, Outcome};

use crate::answer::Answer;
use crate::candidate::Candidate;
use crate::context::Context;
use crate::error::Error;
use crate::program::{Loaded, Settings, joined};

pub struct Plan {
    pub search: Search,
    /// The number of runs with seeds; `None`: as many as the time allows.
    pub runs: Option<u64>,
    /// The limit of work, as counted by [`vm::explore::work`].
    pub work: Option<u64>,
    /// The time limit after the first run, if the user gave none.
    pub time: Option<Duration>,
    /// Whether it may end when the first runs are all too long.
    pub gives_up: bool,
    /// Makes all runs and counts the failures.
    pub keep_going: bool,
}

/// The results, with the runs that a report may show.
#[derive(Default)]
pub(crate) struct Searched {
    pub failing: Option<Candidate>,
    /// The other failures, in the order of `counts` after its first.
    pub others: Vec<Candidate>,
    pub outputs: Outputs,
    pub tried: Tried,
    pub complete: bool,
    pub counts: Vec<FailureCount>,
    pub unsupported: Vec<Unsupported>,
    /// Failures of kinds that were not requested.
    pub unasked: Vec<FailureCount>,
    /// One thread and no choice: all runs are equal.
    pub one_run: bool,
    /// All schedules were explored: there are no further failures.
    pub is_exhausted: bool,
    pub stopped: Option<Stopped>,
    pub left_out: Vec<LeftOut>,
}

/// The outputs of runs, of which the report shows one.
#[derive(Default)]
pub(crate) struct Outputs {
    /// Of the first run that passed: it is shown when there is no failure.
    pub passing: Option<Vec<u8>>,
    /// Of the first run that was cut off: shown if there is no better one.
    pub unfinished: Option<Vec<u8>>,
}

/// The extent of a search, in counts.
#[derive(Default)]
pub(crate) struct Tried {
    pub executions: u64,
    pub undisturbed: bool,
    /// The number of runs with seeds, beginning with the first seed.
    pub seeded: u64,
    pub steps: u64,
    pub threads: usize,
    pub cut: u64,
    pub excluded: u64,
    /// The number of runs that reached an unsupported construct.
    pub refused: u64,
    pub states: Option<u64>,
    /// The number of executions explored beside runs.
    pub explored: u64,
}

impl Searched {
    pub(crate) fn take(&mut self, loaded: &Loaded, found: Found, execution: Execution) {
        self.tried.executions += 1;
        self.tried.steps += execution.steps;
        self.tried.threads = self.tried.threads.max(execution.threads);
        self.one_run = self.tried.executions == 1 && execution.threads == 1 && execution.choices.is_empty();
        match found {
            Found::Undisturbed => self.tried.undisturbed = true,
            _ => self.tried.seeded += 1,
        }
        let Execution { outcome, segments, choices, output, .. } = execution;
        match outcome {
            Outcome::Passed { status } => {
                self.outputs.passing.get_or_insert_with(|| joined(&output));
                if status != 0 {
                    note_status(&mut self.unasked, status, Some(1));
                }
            }
            Outcome::Unasked(failure) => {
                self.outputs.unfinished.get_or_insert_with(|| joined(&output));
                count(&mut self.unasked, loaded, &found, &failure);
            }
            Outcome::Failed(failure) => {
                if count(&mut self.counts, loaded, &found, &failure) {
                    self.failed(Candidate { found, failure: *failure, segments, choices });
                }
            }
            Outcome::Unsupported { what, site } => {
                self.tried.refused += 1;
                self.reached(Unsupported::new(&loaded.program, &what, &site));
            }
            Outcome::StepLimit { .. } => {
                self.tried.cut += 1;
                self.outputs.unfinished.get_or_insert_with(|| joined(&output));
            }
            Outcome::Excluded { .. } => self.tried.excluded += 1,
        }
        self.complete = self.one_run && self.outputs.passing.is_some();
    }

    /// A failure that differs from all before.
    fn failed(&mut self, candidate: Candidate) {
        match self.failing {
            None => self.failing = Some(candidate),
            Some(_) => self.others.push(candidate),
        }
    }

    /// Whether a run ended, also with a failure of another kind.
    pub fn has_ended(&self) -> bool {
        self.outputs.passing.is_some() || !self.unasked.is_empty()
    }

    /// The program's output in the run to show.
    pub(crate) fn output(&mut self) -> Option<Vec<u8>> {
        self.outputs.passing.take().or(self.outputs.unfinished.take())
    }

    pub fn reached(&mut self, unsupported: Unsupported) {
        if !self.unsupported.contains(&unsupported) {
            self.unsupported.push(unsupported);
        }
    }
}

/// Counts a run with this failure; returns whether it is the first.
fn count(counts: &mut Vec<FailureCount>, loaded: &Loaded, found: &Found, failure: &Failure) -> bool {
    let new = FailureCount::new(&loaded.program, failure);
    if let Some(count) = counts.iter_mut().find(|count| count.is_same(&new)) {
        count.runs = count.runs.map(|runs| runs + 1);
        return false;
    }
    counts.push(FailureCount { runs: Some(1), first_seed: found.seed(), ..new });
    true
}

/// Counts runs with a status that is not a requested failure.
pub(crate) fn note_status(counts: &mut Vec<FailureCount>, status: i32, runs: Option<u64>) {
    let condition = format!("exit status {status}");
    match counts.iter_mut().find(|count| count.condition == condition) {
        Some(count) => count.runs = count.runs.map(|known| known + runs.unwrap_or(0)),
        None => {
            let kind = FailureKind::Exit;
            counts.push(FailureCount { kind, at: None, condition, runs, first_seed: None, schedule: None });
        }
    }
}

/// The number of steps to examine before a program is checked.
const PREFIX: u64 = 200_000;

/// An unsupported construct that every run reaches: before a thread is created or a choice is made, all runs are equal.
pub(crate) fn refused_at_once(loaded: &Loaded, settings: &Settings) -> Option<Unsupported> {
    let options = settings.options(false);
    let options = vm::Options { step_limit: options.step_limit.min(PREFIX), ..options };
    let execution = vm::execute(&loaded.code, &options, &mut vm::strategy::Undisturbed::new());
    match execution.outcome {
        Outcome::Unsupported { what, site } if execution.threads == 1 && execution.choices.is_empty() => {
            Some(Unsupported::new(&loaded.program, &what, &site))
        }
        _ => None,
    }
}

/// Runs and explores until a failure is found, the search is exhausted, or the budget is over.
pub(crate) fn searched(loaded: &Loaded, settings: &Settings, plan: &Plan, context: &Context<'_>) -> Searched {
    if matches!(plan.search, Search::Exhaustive { .. }) {
        return exhaustive::explore(loaded, settings, plan, context);
    }
    let mut portfolio = Portfolio::start(loaded, settings, plan, *context);
    portfolio.advance(plan.work);
    portfolio.finish()
}

/// Searches for a failing schedule.
pub fn search(loaded: &Loaded, settings: &Settings, plan: &Plan, context: &Context<'_>) -> Result<Answer, Error> {
    context.observer.stage("looking for a failing schedule");
    let started = Instant::now();
    let searched = searched(loaded, settings, plan, context);
    told::told(loaded, settings, plan, context, searched, started.elapsed().as_secs_f64())
}
