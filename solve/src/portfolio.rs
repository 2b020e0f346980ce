//! A portfolio of decision modes, with an answer that depends neither on load nor on the number of cores.
//!
//! The modes run in rounds, each with the same limit of conflicts for all. The lowest-numbered mode that finishes in
//! the earliest round gives the answer. Round 0 belongs to the first mode alone, which keeps its learned clauses from
//! question to question, so an easy question costs one solver; the others are created for one hard question and dropped
//! after it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use formula::{Formula, Term, Terms};

use crate::engine::{Engine, Statistics};
use crate::mode::Mode;
use crate::solver::{Budget, Reason, Solver, Verdict};

/// The limit of conflicts of the first round; it doubles with each round.
const FIRST_ROUND: u64 = 100;

/// The interval at which a waiting thread checks for an interruption.
const PATIENCE: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct Portfolio {
    first: Engine,
    modes: Vec<Mode>,
    jobs: usize,
    /// Assertions added after the formula.
    further: Vec<Term>,
    winner: Mode,
}

impl Portfolio {
    /// The first mode is asked first; `jobs` threads work on hard questions.
    pub fn new(formula: Formula, modes: &[Mode], jobs: usize) -> Portfolio {
        let first = modes.first().copied().unwrap_or_default();
        let engine = Engine::with_mode(formula, first);
        Portfolio { first: engine, modes: modes.to_vec(), jobs, further: Vec::new(), winner: first }
    }

    pub fn formula(&self) -> &Formula {
        self.first.formula()
    }

    /// The mode that gave the last answer.
    pub fn winner(&self) -> Mode {
        self.winner
    }

    pub fn statistics(&self) -> Statistics {
        self.first.statistics()
    }

    fn side_by_side(&mut self, assumptions: &[Term], budget: &Budget, deadline: Option<Instant>) -> Verdict {
        let rivals: Vec<Mode> = self.modes.iter().copied().skip(1).collect();
        let formula = self.first.formula().clone();
        let Portfolio { first, further, jobs, winner, .. } = self;
        let parallel = *jobs > 1;
        let stop = Arc::new(AtomicBool::new(false));
        let own =
            |conflicts: u64| Budget { conflicts: Some(conflicts), time: None, deadline, stop: budget.stop.clone() };
        std::thread::scope(|scope| {
            let mut others: Vec<Other> = Vec::new();
            for &mode in &rivals {
                let question = Question { formula: &formula, further, assumptions, mode };
                others.push(question.begin(scope, Arc::clone(&stop), deadline, budget.stop.clone()));
            }
            let mut spent = FIRST_ROUND;
            let mut round = FIRST_ROUND * 2;
            let verdict = loop {
                if budget.conflicts.is_some_and(|limit| spent >= limit) {
                    break Verdict::Unknown(Reason::Conflicts);
                }
                let size = budget.conflicts.map_or(round, |limit| round.min(limit - spent));
                if parallel {
                    others.iter().for_each(|other| other.ask(size));
                }
                match first.solve(assumptions, &own(size)) {
                    Verdict::Unknown(Reason::Conflicts) => {}
                    verdict => {
                        *winner = first.mode();
                        break verdict;
                    }
                }
                let answer = others.iter().find_map(|other| {
                    if !parallel {
                        other.ask(size);
                    }
                    other
                        .answer(budget.stop.as_deref(), &stop)
                        .filter(|verdict| !matches!(verdict, Verdict::Unknown(Reason::Conflicts)))
                        .map(|v| (other.mode, v))
                });
                if let Some((mode, verdict)) = answer {
                    *winner = mode;
                    break verdict;
                }
                spent += size;
                round *= 2;
            };
            stop.store(true, Ordering::Relaxed);
            drop(others);
            verdict
        })
    }
}

/// A question for the modes other than the first.
struct Question<'a> {
    formula: &'a Formula,
    further: &'a [Term],
    assumptions: &'a [Term],
    mode: Mode,
}

/// A mode on a thread of its own: it receives the conflict limit of each round, and sends its answer.
struct Other {
    mode: Mode,
    rounds: mpsc::Sender<u64>,
    answers: mpsc::Receiver<Verdict>,
}

impl Other {
    fn ask(&self, conflicts: u64) {
        // If the thread has ended, there is no answer either.
        let _ = self.rounds.send(conflicts);
    }

    /// Waits for the answer. An interruption from outside is passed on to all modes.
    fn answer(&self, interrupt: Option<&AtomicBool>, stop: &AtomicBool) -> Option<Verdict> {
        loop {
            match self.answers.recv_timeout(PATIENCE) {
                Ok(verdict) => return Some(verdict),
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    }
}

impl<'a> Question<'a> {
    fn begin<'scope>(
        self,
        scope: &'scope std::thread::Scope<'scope, 'a>,
        stop: Arc<AtomicBool>,
        deadline: Option<Instant>,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> Other
    where
        'a: 'scope,
    {
        let (rounds, asked) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        let mode = self.mode;
        scope.spawn(move || {
            let mut engine = None;
            while let Ok(conflicts) = asked.recv() {
                let engine = engine.get_or_insert_with(|| {
                    let mut engine = Engine::with_mode(self.formula.clone(), self.mode);
                    self.further.iter().for_each(|&term| engine.assert(term));
                    engine
                });
                let budget = Budget { conflicts: Some(conflicts), time: None, deadline, stop: Some(Arc::clone(&stop)) };
                let verdict = engine.solve(self.assumptions, &budget);
                let interrupted = interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
                if answer.send(verdict).is_err() || stop.load(Ordering::Relaxed) || interrupted {
                    return;
                }
            }
        });
        Other { mode, rounds, answers }
    }
}

impl Solver for Portfolio {
    fn name(&self) -> &str {
        "heddle"
    }

    fn terms(&mut self) -> &mut Terms {
        self.first.terms()
    }

    fn assert(&mut self, term: Term) {
        self.further.push(term);
        self.first.assert(term);
    }

    fn conflicts(&self) -> u64 {
        self.first.conflicts()
    }

    fn solve(&mut self, assumptions: &[Term], budget: &Budget) -> Verdict {
        let deadline = budget.ends();
        let conflicts = budget.conflicts.map_or(FIRST_ROUND, |limit| limit.min(FIRST_ROUND));
        let verdict = self.first.solve(assumptions, &Budget { conflicts: Some(conflicts), ..budget.clone() });
        self.winner = self.first.mode();
        let hard = matches!(verdict, Verdict::Unknown(Reason::Conflicts));
        if !hard || budget.conflicts.is_some_and(|limit| limit <= conflicts) {
            return verdict;
        }
        self.side_by_side(assumptions, budget, deadline)
    }
}
