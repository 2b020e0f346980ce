//! A portfolio of searches, in turns.
//!
//! First a run without preemptions and a few runs with seeds. Then, in turns of growing size: exploration with
//! partial-order reduction, exploration with reduction and hashing of states, and more runs with seeds. Turns are
//! counted in work ([`vm::explore::work`]), never in time, so the sequence of attempts depends on the first seed alone.
//! An exploration that finishes without a cut is a proof.
//!
//! A search with one strategy, or with a given number of runs, is the same without exploration.

use report::{Search, Stopped};
use vm::FailureKind;
use vm::explore::Hashing;

use crate::budget::Budget;
use crate::context::Context;
use crate::observer::Progress;
use crate::program::{Loaded, Settings};
use crate::search::explorer::Explorer;
use crate::search::runs::{Next, Runs};
use crate::search::{Plan, Searched, exhaustive};

/// Runs with seeds before the first exploration.
const FEW: u64 = 20;

/// The work of each search in its first turn. Each turn has twice the work of the one before.
const TURN: u64 = 250_000;

/// After so many runs that did not end, and none that did, the search stops unless a bound was requested.
const PATIENCE: u64 = 4;

/// The search stops after this many runs that all reach an unsupported construct.
const REFUSALS: u64 = 20;

/// The searches of the portfolio.
#[derive(Clone, Copy)]
enum Turn {
    Few,
    Explore(usize),
    More,
}

/// The work so far, which decides whose turn is next.
#[derive(Default)]
struct Spent {
    /// The number of complete rounds.
    rounds: u32,
    /// Of all runs and explorations together.
    work: u64,
    /// Of the runs after the first few.
    work_of_more: u64,
}

pub struct Portfolio<'a> {
    loaded: &'a Loaded,
    plan: &'a Plan,
    context: Context<'a>,
    budget: Budget,
    runs: Runs,
    explorers: Vec<Explorer>,
    searched: Searched,
    turn: Turn,
    spent: Spent,
    /// Executions of the exploration that had the last turn.
    explored: u64,
    /// All requested runs were made.
    is_over: bool,
}

impl<'a> Portfolio<'a> {
    pub fn start(loaded: &'a Loaded, settings: &Settings, plan: &'a Plan, context: Context<'a>) -> Portfolio<'a> {
        let explores = matches!(plan.search, Search::Portfolio { .. }) && plan.runs.is_none();
        let ways = match explores {
            false => &[][..],
            // Whether accesses race depends on the past, which hashed states do not include.
            true if settings.properties.kinds().contains(&FailureKind::Race) => &[Hashing::UntilLong],
            true => &[Hashing::UntilLong, Hashing::On],
        };
        let explorer = |&hashing| Explorer::start(loaded, settings, hashing, plan.keep_going);
        Portfolio {
            loaded,
            plan,
            context,
            budget: context.budget.clone(),
            runs: Runs::start(loaded, settings, plan, &context),
            explorers: ways.iter().map(explorer).collect(),
            searched: Searched::default(),
            turn: Turn::Few,
            spent: Spent::default(),
            explored: 0,
            is_over: false,
        }
    }

    /// Continues until there is an answer, the budget is over, or the total work is used up.
    pub fn advance(&mut self, most: Option<u64>) {
        let most = most.unwrap_or(u64::MAX);
        while !self.is_decided() && self.spent.work < most {
            match self.turn {
                Turn::Few | Turn::More => self.run(),
                Turn::Explore(which) => self.explore(which, most),
            }
            self.searched.stopped = self.why_stop();
        }
    }

    /// Whether the search is over.
    pub fn is_decided(&self) -> bool {
        let searched = &self.searched;
        let is_found = searched.failing.is_some() && !self.plan.keep_going;
        is_found || searched.one_run || searched.is_exhausted || searched.stopped.is_some() || self.is_over
    }

    /// Whether a failure was found, or its absence is proven.
    pub fn is_answered(&self) -> bool {
        self.searched.failing.is_some() || self.searched.complete
    }

    /// Whether another engine than runs and exploration may still find a failure.
    pub fn is_open(&self) -> bool {
        let is_cut = self.budget.is_over() || self.is_over;
        !is_cut && (!self.is_decided() || self.searched.stopped == Some(Stopped::TooLong))
    }

    /// Whether no run has reached an unsupported construct.
    pub fn supports_all(&self) -> bool {
        self.searched.unsupported.is_empty()
    }

    pub fn finish(mut self) -> Searched {
        if matches!(self.searched.stopped, Some(stopped) if Stopped::CUTS.contains(&stopped))
            && self.searched.failing.is_none()
            && let Some((found, execution)) = self.runs.failing_ahead()
        {
            // A failure is reported even if an earlier run has not finished.
            self.searched.take(self.loaded, found, execution);
        }
        if !self.is_decided() {
            self.searched.stopped = Some(Stopped::Work);
        }
        if !self.searched.complete {
            let sum = |of: fn(&Explorer) -> u64| self.explorers.iter().map(of).sum::<u64>();
            self.searched.tried.explored = sum(|explorer| explorer.so_far.executions);
            self.searched.tried.executions += self.searched.tried.explored;
            self.searched.tried.steps += sum(|explorer| explorer.so_far.transitions);
            let states = sum(|explorer| explorer.so_far.states);
            self.searched.tried.states = (states > 0).then_some(states);
        }
        self.searched
    }

    /// One run with the next seed, if it is done.
    fn run(&mut self) {
        let (found, execution) = match self.runs.next() {
            Next::Run(found, execution) => (found, execution),
            Next::Later => return,
            Next::Over => {
                self.is_over = true;
                return;
            }
        };
        if self.searched.tried.executions == 0
            && let Some(time) = self.plan.time
        {
            // The first run is always completed: without it there is no answer.
            self.budget = self.context.budget.part(time);
        }
        let work = vm::explore::work(execution.steps, execution.visible_steps);
        self.spent.work = self.spent.work.saturating_add(work);
        self.searched.take(self.loaded, found, *execution);
        self.tell_progress();
        match self.turn {
            Turn::Few if self.searched.tried.seeded >= FEW || self.is_hopeless() => self.turn_to(0),
            Turn::Few | Turn::Explore(_) => {}
            Turn::More => {
                self.spent.work_of_more = self.spent.work_of_more.saturating_add(work);
                if self.spent.work_of_more >= self.work_of_turns() {
                    self.spent.rounds += 1;
                    self.turn_to(0);
                }
            }
        }
    }

    fn explore(&mut self, which: usize, most: u64) {
        let until = self.work_of_turns();
        let explorer = &mut self.explorers[which];
        let before = explorer.so_far;
        let may = before.work.saturating_add(most - self.spent.work);
        let ended = explorer.go_on(until.min(may), &self.budget);
        let (so_far, has_ended) = (explorer.so_far, explorer.has_ended);
        self.spent.work = self.spent.work.saturating_add(so_far.work - before.work);
        self.explored = so_far.executions;
        self.tell_progress();
        if ended.is_some() || has_ended || so_far.work >= until {
            self.turn_to(which + 1);
        }
        if let Some(exploration) = ended {
            exhaustive::join(self.loaded, exploration, &mut self.searched);
        }
    }

    fn tell_progress(&self) {
        let (made, of) = (self.searched.tried.executions, self.plan.runs);
        self.context.observer.progress(Progress::Runs { made, of, explored: self.explored });
    }

    /// The total work of each search at the end of its current turn.
    fn work_of_turns(&self) -> u64 {
        TURN.saturating_mul((2_u64 << self.spent.rounds.min(40)) - 1)
    }

    /// Gives the turn to the first exploration from a position on that can continue, or else to more runs.
    fn turn_to(&mut self, position: usize) {
        let first = |from| (from..self.explorers.len()).find(|&which| !self.explorers[which].has_ended);
        self.turn = match (first(position), first(0)) {
            (Some(next), _) => Turn::Explore(next),
            // More runs would not end either.
            (None, Some(first)) if self.is_hopeless() => {
                self.spent.rounds += 1;
                Turn::Explore(first)
            }
            (None, _) => Turn::More,
        };
    }

    /// The first runs were all too long.
    fn is_hopeless(&self) -> bool {
        let searched = &self.searched;
        self.plan.gives_up && searched.tried.cut >= PATIENCE && searched.tried.cut == searched.tried.executions
    }

    fn why_stop(&self) -> Option<Stopped> {
        let searched = &self.searched;
        if (searched.failing.is_some() && !self.plan.keep_going) || searched.one_run || searched.is_exhausted {
            return None;
        }
        let is_refused = searched.tried.refused >= REFUSALS && searched.tried.refused == searched.tried.executions;
        let is_hopeless = self.is_hopeless() && self.explorers.iter().all(|explorer| explorer.has_ended);
        let refused = is_refused.then_some(Stopped::Unsupported);
        let hopeless = is_hopeless.then_some(Stopped::TooLong);
        self.budget.over().or(refused).or(hopeless)
    }
}
