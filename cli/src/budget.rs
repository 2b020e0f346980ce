//! One budget for a command, from which every stage takes: when it must end, and whether it must end now because the user
//! said so, because its time is over, or because it has nearly all the memory that it may have.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use report::Stopped;

use crate::supervise;

/// Between two looks at clock and memory.
const LOOK: Duration = Duration::from_millis(20);

/// Stages end at this share of the memory, so that there is some left to answer with.
const SHARE: f64 = 0.88;

#[derive(Clone, Debug)]
pub struct Budget {
    pub started: Instant,
    deadline: Option<Instant>,
    /// Whether the user has named the time.
    is_named: bool,
    end: Arc<Ending>,
}

/// What a command may take in all.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Whether the user has named the time.
    pub is_named: bool,
    /// Bytes that the parent of this process allows.
    pub memory: Option<u64>,
}

/// Why everything has to end.
#[derive(Debug, Default)]
struct Ending {
    /// A position in [`Stopped::CUTS`] and one more; 0: nothing has to end.
    why: AtomicU8,
    /// What solvers look at.
    stop: Arc<AtomicBool>,
}

impl Budget {
    /// Of this process, from now on.
    pub fn new(started: Instant, limits: Limits) -> Budget {
        let Limits { time, is_named, memory } = limits;
        let deadline = time.and_then(|time| started.checked_add(time));
        let budget = Budget { started, deadline, is_named, end: Arc::default() };
        let watched = budget.clone();
        thread::spawn(move || watched.watch(memory));
        let interrupted = budget.clone();
        // A parent counts how often the user asks. Without one the second time ends the process. Without a handler
        // Ctrl-C just ends it, which is no reason to give up now.
        let _ = ctrlc::set_handler(move || {
            let again = interrupted.over() == Some(Stopped::Interrupted);
            interrupted.end(Stopped::Interrupted);
            if again && supervise::orders_of_parent().is_none() {
                std::process::exit(130);
            }
        });
        budget
    }

    fn watch(&self, memory: Option<u64>) {
        let own = std::process::id();
        while self.end.why.load(Ordering::Relaxed) == 0 {
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.end(Stopped::Time);
            }
            if memory.is_some_and(|most| supervise::resident(own) as f64 > most as f64 * SHARE) {
                self.end(Stopped::Memory);
            }
            thread::sleep(LOOK);
        }
    }

    fn end(&self, why: Stopped) {
        let position = Stopped::CUTS.iter().position(|cut| *cut == why).unwrap_or_default() as u8;
        // The first reason stays.
        let _ = self.end.why.compare_exchange(0, position + 1, Ordering::Relaxed, Ordering::Relaxed);
        self.end.stop.store(true, Ordering::Relaxed);
    }

    /// Why the work must end now, if it must.
    pub fn over(&self) -> Option<Stopped> {
        let why = usize::from(self.end.why.load(Ordering::Relaxed));
        let cut = why.checked_sub(1).and_then(|position| Stopped::CUTS.get(position)).copied();
        cut.or_else(|| self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stopped::Time))
    }

    pub fn is_over(&self) -> bool {
        self.over().is_some()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// How much time is left; `None` where there is no end.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The same, for a part that may take so long at most.
    pub fn within(&self, most: Duration) -> Budget {
        let until = Instant::now().checked_add(most);
        let deadline = match (self.deadline, until) {
            (Some(deadline), Some(until)) => Some(deadline.min(until)),
            (deadline, until) => deadline.or(until),
        };
        Budget { deadline, ..self.clone() }
    }

    /// The same, for a part that may take so long at most where the user has named no time.
    pub fn part(&self, most: Duration) -> Budget {
        if self.is_named { self.clone() } else { self.within(most) }
    }

    /// The same, for a part that leaves a third of the time to what comes after it.
    pub fn but_a_third(&self) -> Budget {
        self.left().map_or_else(|| self.clone(), |left| self.within(left - left / 3))
    }

    /// What a solver may take for its next question.
    pub fn of_solver(&self, conflicts: Option<u64>) -> solve::Budget {
        solve::Budget { conflicts, time: None, deadline: self.deadline, stop: Some(Arc::clone(&self.end.stop)) }
    }

    /// In the solver's terms, why it ended.
    pub fn why(&self, reason: &solve::Reason) -> Stopped {
        match reason {
            solve::Reason::Failed(_) => Stopped::SolverFailed,
            solve::Reason::Interrupted => self.over().unwrap_or(Stopped::Interrupted),
            solve::Reason::Time | solve::Reason::Conflicts => Stopped::Time,
            solve::Reason::Size => Stopped::Memory,
        }
    }
}
