//! Looks for a failing schedule: many runs, several at a time, with an answer that does not depend on how many.
//!
//! Results are taken in the order of their seeds, whichever run ends first, so the first failure is the first in that
//! order. PCT needs to know how long a run is; an undisturbed run is made first to measure it. That one is the same for
//! every seed, so a seed means the same schedule whatever else was tried.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use report::{FailureCount, Found, Search, Stopped, Unsupported, Where};
use run::{Choice, Segment};
use vm::{Execution, Failure, FailureKind, Outcome};

use crate::budget::Budget;
use crate::pipeline::{Loaded, Settings};
use crate::terminal;

pub struct Plan {
    pub search: Search,
    pub first_seed: u64,
    /// `None`: as many as the time allows.
    pub runs: Option<u64>,
    pub jobs: usize,
    pub budget: Budget,
    /// Whether it may end when the first runs are all too long.
    pub gives_up: bool,
    /// Makes all runs and counts the failures.
    pub keep_going: bool,
    pub progress: bool,
}

/// A failing order that was met and not yet confirmed.
pub struct Candidate {
    pub found: Found,
    pub failure: Failure,
    pub segments: Vec<Segment>,
    pub choices: Vec<Choice>,
}

/// What came out, with the runs that someone may want to see.
#[derive(Default)]
pub struct Searched {
    pub failing: Option<Candidate>,
    /// The other failures, in the order of `counts` after its first.
    pub others: Vec<Candidate>,
    /// What the first run printed that ended well: it is shown when nothing failed.
    pub passing_output: Option<Vec<u8>>,
    /// What the first run printed that was cut: shown when nothing better is there.
    pub unfinished_output: Option<Vec<u8>>,
    pub complete: bool,
    pub executions: u64,
    pub undisturbed: bool,
    /// How many runs with seeds, beginning with the first seed.
    pub seeded: u64,
    pub steps: u64,
    pub threads: usize,
    pub cut: u64,
    pub excluded: u64,
    pub counts: Vec<FailureCount>,
    pub unsupported: Vec<Unsupported>,
    /// Failures of kinds that were not asked for.
    pub unasked: Vec<FailureCount>,
    /// How many runs came to something unsupported.
    pub refused: u64,
    /// One thread and no choice: there is no other run.
    pub one_run: bool,
    pub stopped: Option<Stopped>,
    pub states: Option<u64>,
    pub left_out: Vec<String>,
}

impl Searched {
    fn take(&mut self, loaded: &Loaded, found: Found, execution: Execution) {
        self.executions += 1;
        self.steps += execution.steps;
        self.threads = self.threads.max(execution.threads);
        self.one_run = self.executions == 1 && execution.threads == 1 && execution.choices.is_empty();
        match found {
            Found::Undisturbed => self.undisturbed = true,
            Found::Seed(_) | Found::Exploration | Found::Recorded | Found::Bounded => self.seeded += 1,
        }
        let Execution { outcome, segments, choices, output, .. } = execution;
        match outcome {
            Outcome::Passed { status } => {
                self.passing_output.get_or_insert_with(|| terminal::joined(&output));
                if status != 0 {
                    note_status(&mut self.unasked, status, Some(1));
                }
            }
            Outcome::Unasked(failure) => {
                self.unfinished_output.get_or_insert_with(|| terminal::joined(&output));
                count(&mut self.unasked, loaded, &found, &failure);
            }
            Outcome::Failed(failure) => {
                count(&mut self.counts, loaded, &found, &failure);
                self.failing.get_or_insert(Candidate { found, failure: *failure, segments, choices });
            }
            Outcome::Unsupported { what, site } => {
                self.refused += 1;
                self.reached(Unsupported::new(&loaded.program, &what, &site));
            }
            Outcome::StepLimit { .. } => {
                self.cut += 1;
                self.unfinished_output.get_or_insert_with(|| terminal::joined(&output));
            }
            Outcome::Excluded { .. } => self.excluded += 1,
        }
        self.complete = self.one_run && self.passing_output.is_some();
    }

    /// Whether a run came to an end, be it one that was not asked for.
    pub fn has_ended(&self) -> bool {
        self.passing_output.is_some() || !self.unasked.is_empty()
    }

    pub fn reached(&mut self, unsupported: Unsupported) {
        if !self.unsupported.contains(&unsupported) {
            self.unsupported.push(unsupported);
        }
    }
}

/// One more run that failed like that.
fn count(counts: &mut Vec<FailureCount>, loaded: &Loaded, found: &Found, failure: &Failure) {
    let at = Where::new(&loaded.program, &failure.site).place().cloned();
    let same = |count: &&mut FailureCount| {
        count.kind == failure.kind && count.at == at && count.condition == failure.condition
    };
    if let Some(count) = counts.iter_mut().find(same) {
        count.runs = count.runs.map(|runs| runs + 1);
        return;
    }
    let first_seed = match found {
        Found::Undisturbed | Found::Exploration | Found::Recorded | Found::Bounded => None,
        Found::Seed(seed) => Some(*seed),
    };
    let condition = failure.condition.clone();
    counts.push(FailureCount { kind: failure.kind, at, condition, runs: Some(1), first_seed, schedule: None });
}

/// Runs that ended with a status that is not asked about.
pub fn note_status(counts: &mut Vec<FailureCount>, status: i32, runs: Option<u64>) {
    let condition = format!("exit status {status}");
    match counts.iter_mut().find(|count| count.condition == condition) {
        Some(count) => count.runs = count.runs.zip(runs).map(|(known, more)| known + more),
        None => {
            let kind = FailureKind::Exit;
            counts.push(FailureCount { kind, at: None, condition, runs, first_seed: None, schedule: None });
        }
    }
}

/// After so many runs that did not end, and none that did, it is not worth while to go on unasked.
const PATIENCE: u64 = 4;

/// After so many runs, all of which came to something unsupported, the others will, too.
const REFUSALS: u64 = 20;

/// How many steps are looked at before a program is checked.
const PREFIX: u64 = 200_000;

/// What every run comes to that is unsupported: before a thread is created and something is chosen, runs do not differ.
pub fn refused_at_once(loaded: &Loaded, settings: &Settings) -> Option<Unsupported> {
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

pub fn search(loaded: &Loaded, settings: &Settings, plan: &Plan) -> Searched {
    let mut searched = Searched::default();
    let (sender, receiver) = mpsc::channel();
    let work = Arc::new(Work {
        program: Arc::clone(&loaded.program),
        settings: settings.clone(),
        search: plan.search.clone(),
        first_seed: plan.first_seed,
        runs: plan.runs.unwrap_or(u64::MAX),
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
    });
    let progress = progress_line(plan);
    // Run number 0 is the undisturbed one; the others begin when it has told how long a run is.
    let first = Arc::clone(&work);
    let jobs = plan.jobs;
    thread::spawn(move || {
        let length = match first.search {
            Search::Pct { .. } => {
                let execution = first.undisturbed();
                let length = execution.visible_steps;
                // Nobody listens any more when the search was stopped.
                if sender.send((0, Found::Undisturbed, execution)).is_err() {
                    return;
                }
                length
            }
            Search::Random | Search::Replay | Search::Exhaustive { .. } | Search::Bounded => 0,
        };
        for _ in 0..jobs {
            let (work, sender) = (Arc::clone(&first), sender.clone());
            thread::spawn(move || work.run_until_done(length, &sender));
        }
    });

    let mut waiting = BTreeMap::new();
    let mut expected = u64::from(!matches!(plan.search, Search::Pct { .. }));
    while searched.failing.is_none() || plan.keep_going {
        match receiver.recv_timeout(Duration::from_millis(50)) {
            Ok((number, found, execution)) => {
                waiting.insert(number, (found, execution));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        while let Some((found, execution)) = waiting.remove(&expected) {
            searched.take(loaded, found, execution);
            expected += 1;
            progress.inc(1);
            if searched.one_run || is_refused(&searched) {
                break;
            }
            if (searched.failing.is_some() && !plan.keep_going) || is_hopeless(plan, &searched) {
                break;
            }
        }
        if searched.one_run {
            break;
        }
        searched.stopped = why_stop(plan, &searched);
        if searched.stopped.is_some() {
            break;
        }
    }
    work.stop.store(true, Ordering::Relaxed);
    if searched.stopped.is_some() && searched.failing.is_none() {
        // Of the runs that overtook an unfinished one, a failing one is still worth showing.
        let failing = waiting.into_values().find(|(_, execution)| matches!(execution.outcome, Outcome::Failed(_)));
        if let Some((found, execution)) = failing {
            searched.take(loaded, found, execution);
        }
    }
    progress.finish_and_clear();
    searched
}

fn is_hopeless(plan: &Plan, searched: &Searched) -> bool {
    plan.gives_up && searched.cut >= PATIENCE && searched.cut == searched.executions
}

fn is_refused(searched: &Searched) -> bool {
    searched.refused >= REFUSALS && searched.refused == searched.executions
}

fn why_stop(plan: &Plan, searched: &Searched) -> Option<Stopped> {
    if searched.failing.is_some() && !plan.keep_going {
        return None;
    }
    let refused = is_refused(searched).then_some(Stopped::Unsupported);
    let hopeless = is_hopeless(plan, searched).then_some(Stopped::TooLong);
    plan.budget.over().or(refused).or(hopeless)
}

fn progress_line(plan: &Plan) -> ProgressBar {
    if !plan.progress {
        return ProgressBar::hidden();
    }
    let bar = match plan.runs {
        Some(runs) => ProgressBar::new(runs),
        None => ProgressBar::no_length(),
    };
    match ProgressStyle::with_template("{spinner} {pos} of {len} runs, {per_sec}, {elapsed}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// What the searching threads share.
struct Work {
    program: Arc<ir::Program>,
    settings: Settings,
    search: Search,
    first_seed: u64,
    runs: u64,
    /// How many runs with seeds were begun.
    next: AtomicU64,
    stop: AtomicBool,
}

impl Work {
    fn code(&self) -> Rc<vm::Code> {
        Rc::new(vm::Code::new(&self.program))
    }

    fn undisturbed(&self) -> Execution {
        vm::execute(&self.code(), &self.settings.options(false), &mut vm::strategy::Undisturbed::new())
    }

    fn run_until_done(&self, length: u64, sender: &mpsc::Sender<(u64, Found, Execution)>) {
        let code = self.code();
        let options = self.settings.options(false);
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.runs {
                return;
            }
            let seed = self.first_seed.wrapping_add(number);
            let execution = match self.search {
                Search::Pct { depth } => vm::execute(&code, &options, &mut vm::strategy::Pct::new(seed, depth, length)),
                Search::Random | Search::Replay | Search::Exhaustive { .. } | Search::Bounded => {
                    vm::execute(&code, &options, &mut vm::strategy::Random::new(seed))
                }
            };
            if sender.send((number + 1, Found::Seed(seed), execution)).is_err() {
                return;
            }
        }
    }
}
