//! Searches for an execution by letting threads take turns: a thread runs until its next event could be observed or
//! spoilt by others, and all that it does while it owns a mutex is one turn. A turn that reaches an assumption which
//! does not hold is rejected. Turns that spoil no value which another thread needs come first, so a thread reads a
//! value before it is overwritten (`future_reads` looks further ahead than one turn). In a dead end the search backtracks, if
//! possible to a point at which a thread that is now stuck could have run; exhausted states are remembered. If this
//! fails for too long, a particle search takes over (`particle_search`).
//!
//! The search is incomplete: turns that interrupt critical sections are not tried.

use std::collections::HashSet;
use std::time::Instant;

use crate::contention::Contention;
use crate::execution::{Choice, Effect, Execution, Extent, Location, Step, zero_inputs};
use crate::future_reads::FutureReads;
use crate::graph::{EventGraph, EventId, Kind, ThreadId};
use crate::machine::{Machine, Plan, Status};
use crate::random::Random;
use crate::signals::Signals;
use crate::sought::Sought;

/// A search. It is deterministic: equal searches have equal results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    pub sought: Sought,
    pub seed: u64,
    /// The largest number of events over all attempts.
    pub steps: u64,
    /// The search is given up at this time.
    pub until: Option<Instant>,
}

/// The number of steps of the backtracking search before the particle search begins.
const ALONE: u64 = 250_000;

/// The number of turns before the search restarts with another preference.
const PATIENCE: u64 = 3_000;

impl Turns {
    /// A prefix that reaches the goal.
    pub fn find(&self, graph: &EventGraph) -> Option<Execution> {
        let plan = Plan::new(graph).ok()?;
        let inputs = zero_inputs(graph);
        let start = Machine::new(&plan, &inputs, Extent::Prefix).ok()?;
        // If one search does not succeed soon, many states in parallel are the better search.
        let alone = self.steps.min(ALONE);
        let mut search = Search::new(self, &plan, alone);
        let mut patience = PATIENCE;
        while search.left > 0 {
            match search.round(&start, patience) {
                Round::Found(steps) => return Some(Execution { steps, inputs }),
                Round::Exhausted => return None,
                Round::GaveUp => {}
            }
            search.manner = search.random.pick(&[Manner::Behind, Manner::Behind, Manner::Any, Manner::Stay]);
            patience += PATIENCE / 2;
        }
        // A new search: values that the backtracking search saw near its dead ends are misleading elsewhere.
        let mut search = Search::new(self, &plan, self.steps - alone);
        search.particles(&start).map(|steps| Execution { steps, inputs })
    }
}

/// The preference among turns that spoil equally little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// The thread with the smallest part of its path behind it.
    Behind,
    /// A random thread.
    Any,
    /// The thread of the last turn.
    Stay,
}

enum Round {
    Found(Vec<Step>),
    /// All turns were tried.
    Exhausted,
    GaveUp,
}

/// A possible turn of a thread at one point of the search.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    thread: ThreadId,
    /// Which alternative is taken at its first choice.
    choice: usize,
    pub(crate) steps: Vec<Step>,
    /// The locations of its accesses, with their widths, and whether they are written.
    touched: Vec<(Location, u32, bool)>,
    /// Threads whose own turn this turn makes impossible.
    spoils: Vec<ThreadId>,
    /// The number of threads that will not read a value they need later.
    hinders: usize,
    rank: u64,
}

/// A point of the search.
struct Point<'p> {
    machine: Machine<'p>,
    digest: u64,
    /// Untried turns, the best last.
    turns: Vec<Turn>,
    /// The number of steps to this point.
    before: usize,
    /// The threads whose turns are spoilt by the step from here to the next point.
    spoilt: Vec<ThreadId>,
}

pub(crate) struct Search<'a> {
    turns: &'a Turns,
    pub(crate) contention: Contention,
    needs: FutureReads,
    pub(crate) signals: Signals,
    pub(crate) random: Random,
    pub(crate) left: u64,
    /// Digests of exhausted states.
    dead: HashSet<u64>,
    manner: Manner,
}

/// The result of a turn.
pub(crate) struct Taken<'p> {
    pub(crate) machine: Machine<'p>,
    pub(crate) turn: Turn,
    /// The number of alternatives at its first choice.
    alternatives: usize,
}

impl<'a> Search<'a> {
    /// A search that executes at most `steps` events.
    pub(crate) fn new(turns: &'a Turns, plan: &Plan<'_>, steps: u64) -> Search<'a> {
        Search {
            turns,
            contention: Contention::new(plan.graph, &plan.scopes),
            needs: FutureReads::new(plan.graph, &plan.scopes),
            signals: Signals::new(plan.graph),
            random: Random::new(turns.seed),
            left: steps,
            dead: HashSet::new(),
            manner: Manner::Behind,
        }
    }
}

impl Search<'_> {
    fn round<'p>(&mut self, start: &Machine<'p>, patience: u64) -> Round {
        let mut steps: Vec<Step> = Vec::new();
        let mut trail: Vec<Point<'p>> = vec![self.point(start.clone(), 0, ThreadId(0))];
        let mut tried = 0;
        loop {
            let Some(point) = trail.last_mut() else { return Round::Exhausted };
            steps.truncate(point.before);
            if self.is_over() || tried > patience {
                return Round::GaveUp;
            }
            let Some(turn) = point.turns.pop() else {
                self.go_back(&mut trail);
                continue;
            };
            tried += 1;
            let mut machine = point.machine.clone();
            let went = turn.steps.iter().all(|&step| machine.step(step).is_ok());
            self.left = self.left.saturating_sub(turn.steps.len() as u64);
            if !went {
                continue;
            }
            steps.extend(&turn.steps);
            if self.is_found(&machine) {
                return Round::Found(steps);
            }
            point.spoilt = turn.spoils;
            if !machine.failed().is_empty() || self.dead.contains(&machine.digest(self.contention.uses())) {
                continue;
            }
            let next = self.point(machine, steps.len(), turn.thread);
            trail.push(next);
        }
    }

    /// Whether no more steps may be tried.
    pub(crate) fn is_over(&mut self) -> bool {
        if self.turns.until.is_some_and(|until| Instant::now() >= until) {
            self.left = 0;
        }
        self.left == 0
    }

    pub(crate) fn is_found(&self, machine: &Machine<'_>) -> bool {
        let sought = self.turns.sought;
        let over = sought == Sought::Deadlock || !machine.failed().is_empty() || machine.plan().judges_late();
        over && machine.conclude().is_ok_and(|outcome| sought.met_by(&outcome, Extent::Prefix))
    }

    /// Backtracks from a point without successor.
    fn go_back(&mut self, trail: &mut Vec<Point<'_>>) {
        let Some(end) = trail.pop() else { return };
        self.dead.insert(end.digest);
        // A thread that still stands where it stood when its turn was spoilt.
        let stuck = |point: &Point<'_>| {
            point.spoilt.iter().any(|&thread| point.machine.next(thread) == end.machine.next(thread))
        };
        if let Some(at) = trail.iter().rposition(|point| stuck(point) && !point.turns.is_empty()) {
            trail.truncate(at + 1);
        }
    }

    /// The possible turns at a point.
    fn point<'p>(&mut self, machine: Machine<'p>, before: usize, last: ThreadId) -> Point<'p> {
        let mut taken: Vec<Taken<'p>> = Vec::new();
        for thread in machine.threads() {
            let (mut choice, mut alternatives) = (0, 1);
            while choice < alternatives {
                if let Some(found) = self.go(&machine, thread, choice) {
                    alternatives = found.alternatives;
                    taken.push(found);
                }
                choice += 1;
            }
        }
        for one in 0..taken.len() {
            taken[one].turn.spoils = self.spoils(&taken, one);
            taken[one].turn.hinders = self.hinders(&machine, &taken[one]);
        }
        let mut turns: Vec<Turn> = taken.into_iter().map(|taken| taken.turn).collect();
        for turn in &mut turns {
            turn.rank = self.rank(&machine, turn, last);
        }
        turns.sort_by_key(|turn| std::cmp::Reverse(turn.rank));
        let digest = machine.digest(self.contention.uses());
        Point { machine, digest, turns, before, spoilt: Vec::new() }
    }

    /// The threads that can take their turn now, but not after this one.
    fn spoils(&mut self, taken: &[Taken<'_>], one: usize) -> Vec<ThreadId> {
        let Taken { machine, turn, .. } = &taken[one];
        let others = taken.iter().map(|taken| &taken.turn);
        let others = others.filter(|other| other.thread != turn.thread && other.choice == 0 && meet(turn, other));
        others.map(|other| other.thread).filter(|&other| self.go(machine, other, 0).is_none()).collect()
    }

    /// The number of threads that will not read a value they need later because of this turn.
    pub(crate) fn hinders(&self, before: &Machine<'_>, taken: &Taken<'_>) -> usize {
        let Taken { machine: after, turn, .. } = taken;
        let written = turn.touched.iter().filter(|(_, _, writes)| *writes);
        written.map(|&(at, bytes, _)| self.needs.spoilt(before, after, turn.thread, at, bytes)).sum()
    }

    /// Turns with a smaller rank are tried earlier.
    fn rank(&mut self, machine: &Machine<'_>, turn: &Turn, last: ThreadId) -> u64 {
        let manner = match self.manner {
            Manner::Behind => machine.part(turn.thread),
            Manner::Any => self.random.below(1 << 20) as u64,
            Manner::Stay => u64::from(turn.thread != last) << 10 | self.random.below(1 << 10) as u64,
        };
        ((turn.hinders + turn.spoils.len()) as u64) << 32 | manner << 8 | self.random.below(1 << 8) as u64
    }

    /// Executes a thread's turn; none if it does not come to an end.
    pub(crate) fn go<'p>(&mut self, from: &Machine<'p>, thread: ThreadId, choice: usize) -> Option<Taken<'p>> {
        if self.left == 0 || !matches!(from.status(thread), Status::Ready(_)) {
            return None;
        }
        let mut machine = from.clone();
        let mut turn =
            Turn { thread, choice, steps: Vec::new(), touched: Vec::new(), spoils: Vec::new(), hinders: 0, rank: 0 };
        let mut alternatives = 1;
        loop {
            let Status::Ready(event) = machine.status(thread) else {
                let over = !machine.holds_any(thread) && machine.inside().is_none();
                return (over && !turn.steps.is_empty()).then_some(Taken { machine, turn, alternatives });
            };
            if !turn.steps.is_empty() && self.is_end(&machine, thread, event) {
                return Some(Taken { machine, turn, alternatives });
            }
            let choices = machine.choices(event);
            let chosen: Choice = if choices.len() > 1 && alternatives == 1 {
                alternatives = choices.len();
                choices[choice % choices.len()]
            } else {
                choices[self.random.below(choices.len())]
            };
            let step = Step { event, choice: chosen };
            self.left = self.left.saturating_sub(1);
            let effect = machine.step(step).ok()?;
            turn.steps.push(step);
            if let Effect::Accessed { written: Some(word), .. } = effect {
                self.needs.note(event, word);
            }
            note(&machine, &effect, event, &mut turn.touched);
            if !machine.failed().is_empty() {
                return Some(Taken { machine, turn, alternatives });
            }
        }
    }

    /// Whether a turn ends before this event.
    fn is_end(&self, machine: &Machine<'_>, thread: ThreadId, event: EventId) -> bool {
        if machine.inside() == Some(thread) {
            return false;
        }
        let inside = self.turns.sought != Sought::Deadlock && machine.holds_any(thread);
        match machine.plan().graph.events[event.index()].kind {
            Kind::End | Kind::Cut | Kind::Await { .. } => true,
            _ => !inside && self.contention.is_noticed(event),
        }
    }
}

fn note(machine: &Machine<'_>, effect: &Effect, event: EventId, touched: &mut Vec<(Location, u32, bool)>) {
    match effect {
        Effect::Accessed { location, written, .. } => {
            let Kind::Access(access) = &machine.plan().graph.events[event.index()].kind else { return };
            touched.push((*location, access.bytes, written.is_some()));
        }
        Effect::Synchronised { mutex } | Effect::Refused { mutex } => touched.push((*mutex, 1, true)),
        Effect::Notified { condition, .. } => touched.push((*condition, 1, true)),
        Effect::Nothing | Effect::Judged { .. } => {}
    }
}

/// Whether one turn may change a value that the other one reads.
fn meet(one: &Turn, other: &Turn) -> bool {
    let overlap = |&(at, bytes, _): &(Location, u32, bool), &(there, more, _): &(Location, u32, bool)| {
        at.object == there.object && at.offset < there.offset + more && there.offset < at.offset + bytes
    };
    let written = one.touched.iter().filter(|(_, _, writes)| *writes);
    written.into_iter().any(|place| other.touched.iter().any(|there| overlap(place, there)))
}
