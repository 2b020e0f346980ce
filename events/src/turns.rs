//! Looks for an execution by letting threads take turns: a thread goes on until it is about to do what others could notice or
//! spoil, and what it does while it holds a mutex is one turn. A turn that ends in an assumption which does not hold is not
//! taken. Of those that can be taken, one that spoils nobody else's goes first: a thread that finds what it needs goes before
//! what it needs is gone (`needs` looks further ahead than one turn). Where nobody can go on, the
//! search goes back, to where one who is stuck now could have gone if there is such a point; states in which all was tried are
//! remembered. If that does not succeed soon, many searches go on together (`herd`).
//!
//! Where nothing is found, nothing is proven: turns inside of critical sections are not tried.

use std::collections::HashSet;
use std::time::Instant;

use crate::contention::Contention;
use crate::enumerate::Sought;
use crate::execution::{Choice, Effect, Execution, Extent, Location, Step, zero_inputs};
use crate::graph::{EventGraph, EventId, Kind, ThreadId};
use crate::machine::{Machine, Plan, Status};
use crate::needs::Needs;
use crate::random::Random;
use crate::signals::Signals;

/// How to search. The same search always finds the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    pub sought: Sought,
    pub seed: u64,
    /// How many events may happen in all that is tried.
    pub steps: u64,
    /// Nobody waits for it after this.
    pub until: Option<Instant>,
}

/// How many steps go into one search after the other before many go together.
const ALONE: u64 = 250_000;

/// How many turns are tried before the search begins anew, in another manner.
const PATIENCE: u64 = 3_000;

impl Turns {
    /// A prefix that comes to what is sought.
    pub fn find(&self, graph: &EventGraph) -> Option<Execution> {
        let plan = Plan::new(graph).ok()?;
        let inputs = zero_inputs(graph);
        let start = Machine::new(&plan, &inputs, Extent::Prefix).ok()?;
        // What one search by itself does not find soon, many find rather than one.
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
        // A new one: what was seen on the way to where it did not go on says too little of what else can be.
        let mut search = Search::new(self, &plan, self.steps - alone);
        search.herd(&start).map(|steps| Execution { steps, inputs })
    }
}

/// Who goes first among those who spoil equally little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// Whoever has the smallest part of its path behind it.
    Behind,
    /// Anyone.
    Any,
    /// The one who went last.
    Stay,
}

enum Round {
    Found(Vec<Step>),
    /// All turns were tried.
    Exhausted,
    GaveUp,
}

/// What a thread can do next, at one point of the search.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    thread: ThreadId,
    /// Which of the alternatives at its first choice.
    choice: usize,
    pub(crate) steps: Vec<Step>,
    /// Where it reads and writes, with how many bytes, and whether it writes.
    touched: Vec<(Location, u32, bool)>,
    /// Who cannot take the turn any more that it could have taken.
    spoils: Vec<ThreadId>,
    /// How many will not find any more what they need later on.
    hinders: usize,
    rank: u64,
}

/// A point of the search.
struct Point<'p> {
    machine: Machine<'p>,
    digest: u64,
    /// Not tried yet, the best last.
    turns: Vec<Turn>,
    /// How many steps led here.
    before: usize,
    /// Whose turns the step that leads on from here spoils.
    spoilt: Vec<ThreadId>,
}

pub(crate) struct Search<'a> {
    turns: &'a Turns,
    pub(crate) contention: Contention,
    needs: Needs,
    pub(crate) signals: Signals,
    pub(crate) random: Random,
    pub(crate) left: u64,
    /// Digests of states from which nothing was found.
    dead: HashSet<u64>,
    manner: Manner,
}

/// What came of a turn.
pub(crate) struct Taken<'p> {
    pub(crate) machine: Machine<'p>,
    pub(crate) turn: Turn,
    /// At the first choice.
    alternatives: usize,
}

impl<'a> Search<'a> {
    /// That lets so many events happen.
    pub(crate) fn new(turns: &'a Turns, plan: &Plan<'_>, steps: u64) -> Search<'a> {
        Search {
            turns,
            contention: Contention::new(plan.graph, &plan.scopes),
            needs: Needs::new(plan.graph, &plan.scopes),
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

    /// From a point from which nobody can go on.
    fn go_back(&mut self, trail: &mut Vec<Point<'_>>) {
        let Some(end) = trail.pop() else { return };
        self.dead.insert(end.digest);
        // Someone who stands where it stood when its turn was spoilt.
        let stuck = |point: &Point<'_>| {
            point.spoilt.iter().any(|&thread| point.machine.next(thread) == end.machine.next(thread))
        };
        if let Some(at) = trail.iter().rposition(|point| stuck(point) && !point.turns.is_empty()) {
            trail.truncate(at + 1);
        }
    }

    /// What can be done at a point.
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

    /// Who can take its turn, but not after this one.
    fn spoils(&mut self, taken: &[Taken<'_>], one: usize) -> Vec<ThreadId> {
        let Taken { machine, turn, .. } = &taken[one];
        let others = taken.iter().map(|taken| &taken.turn);
        let others = others.filter(|other| other.thread != turn.thread && other.choice == 0 && meet(turn, other));
        others.map(|other| other.thread).filter(|&other| self.go(machine, other, 0).is_none()).collect()
    }

    /// How many will not find what they need later on because of this turn.
    pub(crate) fn hinders(&self, before: &Machine<'_>, taken: &Taken<'_>) -> usize {
        let Taken { machine: after, turn, .. } = taken;
        let written = turn.touched.iter().filter(|(_, _, writes)| *writes);
        written.map(|&(at, bytes, _)| self.needs.spoilt(before, after, turn.thread, at, bytes)).sum()
    }

    /// The smaller, the earlier it is tried.
    fn rank(&mut self, machine: &Machine<'_>, turn: &Turn, last: ThreadId) -> u64 {
        let manner = match self.manner {
            Manner::Behind => machine.part(turn.thread),
            Manner::Any => self.random.below(1 << 20) as u64,
            Manner::Stay => u64::from(turn.thread != last) << 10 | self.random.below(1 << 10) as u64,
        };
        ((turn.hinders + turn.spoils.len()) as u64) << 32 | manner << 8 | self.random.below(1 << 8) as u64
    }

    /// A thread takes its turn, if it comes to an end.
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

/// Whether what one thread does may change what the other finds.
fn meet(one: &Turn, other: &Turn) -> bool {
    let overlap = |&(at, bytes, _): &(Location, u32, bool), &(there, more, _): &(Location, u32, bool)| {
        at.object == there.object && at.offset < there.offset + more && there.offset < at.offset + bytes
    };
    let written = one.touched.iter().filter(|(_, _, writes)| *writes);
    written.into_iter().any(|place| other.touched.iter().any(|there| overlap(place, there)))
}
