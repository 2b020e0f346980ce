//! Runs with seeds, several in parallel, delivered in the order of their seeds.
//!
//! The first run has no preemptions and gives PCT the length of runs. It is the same for every seed, so a seed means
//! the same schedule in every search.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use report::{Found, Search};
use vm::strategy::{Pct, Pos, Random, Strategy, Undisturbed};
use vm::{Code, Execution, Options, Outcome};

use crate::context::Context;
use crate::program::{Loaded, Settings};
use crate::search::Plan;

/// How long to wait for the next run before the caller checks its budget.
const WAIT: Duration = Duration::from_millis(20);

/// The largest number of runs per job that are ahead of the consumer.
const AHEAD: usize = 16;

/// How a seed of a portfolio picks threads.
enum Way {
    /// With change points among `stretch` times the visible steps of the undisturbed run.
    Pct {
        depth: u32,
        stretch: u64,
    },
    Random,
    Pos,
}

/// The seeds of a portfolio use these strategies in turn. The strategy depends on the seed alone, so that one run with
/// a given seed repeats it.
const WAYS: [Way; 8] = [
    Way::Pct { depth: 3, stretch: 1 },
    Way::Pct { depth: 3, stretch: 1 },
    Way::Pct { depth: 2, stretch: 1 },
    Way::Pos,
    Way::Pct { depth: 3, stretch: 1 },
    Way::Random,
    Way::Pct { depth: 4, stretch: 1 },
    Way::Pct { depth: 3, stretch: 3 },
];

/// Where the change points of PCT may lie.
#[derive(Clone, Copy)]
struct Window {
    from: u64,
    length: u64,
}

type Numbered = (u64, Found, Execution);

pub enum Next {
    Run(Found, Box<Execution>),
    /// The next run in order is not done yet.
    Later,
    /// All runs were made.
    Over,
}

pub struct Runs {
    jobs: Arc<Jobs>,
    receiver: Receiver<Numbered>,
    /// Runs that overtook the next one in order.
    waiting: BTreeMap<u64, (Found, Execution)>,
    expected: u64,
}

impl Runs {
    pub fn start(loaded: &Loaded, settings: &Settings, plan: &Plan, context: &Context<'_>) -> Runs {
        let jobs = Arc::new(Jobs {
            program: Arc::clone(&loaded.program),
            settings: settings.clone(),
            search: plan.search.clone(),
            first_seed: context.seed,
            runs: plan.runs.unwrap_or(u64::MAX),
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        });
        // Run number 0 is the one without preemptions; the others start when its length is known.
        let expected = u64::from(matches!(plan.search, Search::Random));
        let (sender, receiver) = mpsc::sync_channel(context.jobs * AHEAD);
        let (first, count) = (Arc::clone(&jobs), context.jobs);
        thread::spawn(move || {
            let mut window = Window { from: 0, length: 0 };
            if expected == 0 {
                let execution;
                (execution, window) = first.undisturbed();
                // The search has ended where the channel is closed.
                if sender.send((0, Found::Undisturbed, execution)).is_err() {
                    return;
                }
            }
            for _ in 0..count {
                let (jobs, sender) = (Arc::clone(&first), sender.clone());
                thread::spawn(move || jobs.run_until_done(window, &sender));
            }
        });
        Runs { jobs, receiver, waiting: BTreeMap::new(), expected }
    }

    pub fn next(&mut self) -> Next {
        if !self.waiting.contains_key(&self.expected) {
            match self.receiver.recv_timeout(WAIT) {
                Ok((number, found, execution)) => {
                    self.waiting.insert(number, (found, execution));
                }
                Err(RecvTimeoutError::Timeout) => return Next::Later,
                Err(RecvTimeoutError::Disconnected) => return Next::Over,
            }
        }
        let Some((found, execution)) = self.waiting.remove(&self.expected) else { return Next::Later };
        self.expected += 1;
        Next::Run(found, Box::new(execution))
    }

    /// Of the runs that overtook an unfinished one, the first that fails.
    pub fn failing_ahead(&mut self) -> Option<(Found, Execution)> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_values().find(|(_, execution)| matches!(execution.outcome, Outcome::Failed(_)))
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.jobs.stop.store(true, Ordering::Relaxed);
    }
}

/// The shared state of the threads that make runs.
struct Jobs {
    program: Arc<ir::Program>,
    settings: Settings,
    search: Search,
    first_seed: u64,
    runs: u64,
    /// The number of started runs with seeds.
    next: AtomicU64,
    stop: AtomicBool,
}

impl Jobs {
    fn code(&self) -> Rc<Code> {
        Rc::new(Code::new(&self.program))
    }

    fn undisturbed(&self) -> (Execution, Window) {
        undisturbed(&self.code(), &self.settings.options(false))
    }

    fn run_until_done(&self, window: Window, sender: &SyncSender<Numbered>) {
        let code = self.code();
        let options = self.settings.options(false);
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.runs {
                return;
            }
            let seed = self.first_seed.wrapping_add(number);
            let execution = vm::execute(&code, &options, &mut *self.strategy(seed, window));
            if sender.send((number + 1, Found::Seed(seed), execution)).is_err() {
                return;
            }
        }
    }

    fn strategy(&self, seed: u64, Window { from, length }: Window) -> Box<dyn Strategy> {
        match self.search {
            Search::Pct { depth } => Box::new(Pct::new(seed, depth, from + length)),
            Search::Portfolio { .. } => portfolio(seed, Window { from, length }),
            Search::Random | Search::Replay | Search::Exhaustive { .. } | Search::Bounded | Search::Near => {
                Box::new(Random::new(seed))
            }
        }
    }
}

/// The run without preemptions, and where its threads contend.
fn undisturbed(code: &Rc<Code>, options: &Options) -> (Execution, Window) {
    let mut strategy = Undisturbed::new();
    let execution = vm::execute(code, options, &mut strategy);
    let from = strategy.contended_from().unwrap_or(0);
    let window = Window { from, length: execution.visible_steps.saturating_sub(from) };
    (execution, window)
}

/// The strategy of a seed.
fn portfolio(seed: u64, Window { from, length }: Window) -> Box<dyn Strategy> {
    match WAYS[(seed.wrapping_sub(1) % WAYS.len() as u64) as usize] {
        Way::Pct { depth, stretch } => Box::new(Pct::within(seed, depth, from, length.saturating_mul(stretch))),
        Way::Random => Box::new(Random::new(seed)),
        Way::Pos => Box::new(Pos::new(seed)),
    }
}

/// Runs with the seeds of a portfolio, one at a time.
pub struct Trials<'a> {
    code: &'a Rc<Code>,
    options: &'a Options,
    window: Window,
}

impl<'a> Trials<'a> {
    pub fn new(code: &'a Rc<Code>, options: &'a Options) -> Trials<'a> {
        let (_, window) = undisturbed(code, options);
        Trials { code, options, window }
    }

    pub fn run(&self, seed: u64) -> Execution {
        vm::execute(self.code, self.options, &mut *portfolio(seed, self.window))
    }
}
