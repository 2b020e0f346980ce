//! Explores every order of a program, with the ghost state of one construct.
//!
//! A state is the machine's fingerprint, the regions of the threads and the ghost state. Invisible steps are executed
//! alone (a partial-order reduction). With `focused`, so are steps that do not access the construct: the answer then
//! assumes that other shared data do not influence it.
//!
//! With [`Rounds`] threads use the construct only so often: a thread that would begin another round stops there, as in a
//! most general client with that number of rounds. The proof holds for these threads and rounds, if every thread completes
//! all of its rounds in some order.

use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash as _, Hasher};
use std::rc::Rc;
use std::time::{Duration, Instant};

use semantics::code::Code;
use vm::explore::Fingerprinter;
use vm::{Machine, Options, Readiness};

use crate::initialiser;
use crate::monitor::{Claim, Monitor, Role};
use crate::observe::{self, Taken, What};
use crate::regions::{Layout, RegionId};
use crate::tracker::{Event, Tracker};

#[derive(Clone, Debug)]
pub struct Bounds {
    pub focused: bool,
    pub states: u64,
    pub time: Duration,
    pub rounds: Option<Rounds>,
}

/// How often each thread uses the construct. One that is not listed never begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounds {
    pub threads: BTreeMap<usize, u32>,
}

#[derive(Clone, Debug)]
pub struct Broken {
    pub what: String,
    /// The thread and the choice of each step.
    pub path: Vec<(usize, u64)>,
}

#[derive(Clone, Debug, Default)]
pub struct Proof {
    pub broken: Option<Broken>,
    /// A failure of the program itself, with the path to it.
    pub failure: Option<(vm::Failure, Vec<(usize, u64)>)>,
    /// Every order was followed to its end, or to the end of its rounds.
    pub complete: bool,
    /// A thread was stopped because its rounds were over.
    pub stopped: bool,
    /// Why the rounds prove nothing, if they do not.
    pub open: Option<String>,
    pub states: u64,
    pub unsupported: Option<(String, vm::Site)>,
}

/// A state of the program and of the ghost.
#[derive(Clone)]
struct State {
    machine: Machine,
    tracker: Tracker,
    monitor: Monitor,
    /// By thread, the rounds that it began and ended.
    rounds: Vec<(u32, u32)>,
}

struct Node {
    state: State,
    /// The possible steps, as threads and choices; taken from the end.
    ways: Vec<(usize, u64)>,
    /// How long the path to it is.
    depth: usize,
}

struct Search<'a> {
    layout: &'a Layout,
    claim: &'a Claim,
    bounds: Bounds,
    fingerprinter: Fingerprinter,
    seen: HashSet<u128>,
    /// By thread, the most rounds that it ended in one order.
    ended: BTreeMap<usize, u32>,
    proof: Proof,
}

/// Explores every order until the claim breaks. `go_on` is called from time to time.
pub fn prove(
    code: &Rc<Code>,
    quiet: &[HashSet<u32>],
    options: &Options,
    layout: &Layout,
    claim: &Rc<Claim>,
    bounds: &Bounds,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Proof {
    // Steps on objects that were thought private were taken for invisible: once more with none private.
    attempt(code, quiet, options, layout, claim, bounds, false, go_on)
        .or_else(|| attempt(code, quiet, options, layout, claim, bounds, true, go_on))
        .unwrap_or_default()
}

/// `None` if a thread reached an object that was thought private.
#[allow(clippy::too_many_arguments)]
fn attempt(
    code: &Rc<Code>,
    quiet: &[HashSet<u32>],
    options: &Options,
    layout: &Layout,
    claim: &Rc<Claim>,
    bounds: &Bounds,
    all_shared: bool,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Option<Proof> {
    let mut fingerprinter = Fingerprinter::new(code.clone(), false);
    for (index, registers) in quiet.iter().enumerate() {
        fingerprinter.forget(ir::FunctionId(index as u32), registers);
    }
    let started = Instant::now();
    let mut search = Search::new(layout, claim, bounds, fingerprinter);
    let mut machine = Machine::new(code, options);
    machine.shared.memory.all_shared = all_shared;
    let root = State { machine, tracker: Tracker::default(), monitor: Monitor::new(claim), rounds: Vec::new() };
    let mut stack = vec![Node { ways: search.ways(&root), state: root, depth: 0 }];
    let mut path: Vec<(usize, u64)> = Vec::new();
    let mut looks = 0_u32;
    while let Some(node) = stack.last_mut() {
        looks += 1;
        if looks.is_multiple_of(64)
            && (started.elapsed() > bounds.time
                || search.seen.len() as u64 > bounds.states
                || !go_on(search.seen.len() as u64))
        {
            return Some(search.cut());
        }
        let Some((thread, choice)) = node.ways.pop() else {
            stack.pop();
            continue;
        };
        let mut state = node.state.clone();
        path.truncate(node.depth);
        path.push((thread, choice));
        let mut stepped = search.step(&mut state, thread, choice, &path);
        while let Stepped::On = stepped {
            let Some(thread) = search.alone(&state.machine) else { break };
            if path.len() > LONGEST || path.len().is_multiple_of(4096) && started.elapsed() > bounds.time {
                return Some(search.cut());
            }
            path.push((thread, 0));
            stepped = search.step(&mut state, thread, 0, &path);
        }
        match stepped {
            Stepped::Broken(what) => {
                search.proof.broken = Some(Broken { what, path });
                return Some(search.cut());
            }
            Stepped::Over => search.note_rounds(&state),
            Stepped::Surprised => return None,
            Stepped::On => {
                let id = search.id(&state);
                if !search.seen.insert(id) {
                    continue;
                }
                let next = Node { ways: search.ways(&state), state, depth: path.len() };
                if next.ways.is_empty()
                    && let Some(what) = search.ended_badly(&next.state)
                {
                    search.proof.broken = Some(Broken { what, path });
                    return Some(search.cut());
                }
                stack.push(next);
            }
        }
    }
    search.proof.complete = search.proof.unsupported.is_none();
    search.check_rounds();
    Some(search.cut())
}

/// A longer path is abandoned: it contains an endless loop outside of the construct.
const LONGEST: usize = 4_000_000;

enum Stepped {
    On,
    Over,
    /// A thread reached an object that was thought private.
    Surprised,
    Broken(String),
}

impl<'a> Search<'a> {
    fn new(layout: &'a Layout, claim: &'a Claim, bounds: &Bounds, fingerprinter: Fingerprinter) -> Search<'a> {
        Search {
            layout,
            claim,
            bounds: bounds.clone(),
            fingerprinter,
            seen: HashSet::new(),
            ended: BTreeMap::new(),
            proof: Proof::default(),
        }
    }

    /// The result so far.
    fn cut(&mut self) -> Proof {
        self.proof.states = self.seen.len() as u64;
        std::mem::take(&mut self.proof)
    }

    /// With threads that never came to the end of their rounds, the rounds prove nothing.
    fn check_rounds(&mut self) {
        let Some(rounds) = self.bounds.rounds.as_ref().filter(|_| self.proof.stopped) else { return };
        let most = |thread: &usize| self.ended.get(thread).copied().unwrap_or(0);
        if rounds.threads.iter().any(|(thread, each)| most(thread) < *each) {
            self.proof.open.get_or_insert_with(|| "not every thread comes to the end of its rounds".into());
        }
    }

    /// All steps that are possible in a state.
    fn ways(&mut self, state: &State) -> Vec<(usize, u64)> {
        let mut ways = Vec::new();
        for thread in (0..state.machine.thread_count()).rev() {
            let alternatives = match state.machine.readiness(thread) {
                Readiness::Blocked => continue,
                Readiness::Ready { alternatives } => alternatives,
                Readiness::Input { .. } => 2,
            };
            if self.stops(state, thread) {
                self.proof.stopped = true;
                continue;
            }
            ways.extend((0..alternatives).rev().map(|choice| (thread, choice)));
        }
        ways
    }

    /// Whether the next step of a thread begins a round that it may not have.
    fn stops(&self, state: &State, thread: usize) -> bool {
        let Some(rounds) = &self.bounds.rounds else { return false };
        let begun = state.rounds.get(thread).map_or(0, |(begun, _)| *begun);
        let most = rounds.threads.get(&thread).copied().unwrap_or(0);
        if begun < most || state.tracker.region(thread).is_some() || state.machine.thread_count() < 2 {
            return false;
        }
        let next = observe::next(&state.machine, thread);
        let enters = self.layout.touches(next.what).then(|| self.layout.region(&next.calls)).flatten();
        enters.is_some_and(|(region, _)| self.begins(region))
    }

    fn is_stopped(&self, state: &State) -> bool {
        (0..state.machine.thread_count()).any(|thread| self.stops(state, thread))
    }

    /// Whether a round begins with this region, and does not end with it.
    fn begins(&self, region: RegionId) -> bool {
        let role = self.claim.roles.get(region).copied().flatten();
        role.is_some_and(|role| !matches!(role, Role::Release | Role::ReadRelease))
    }

    /// No thread is enabled: the violation, if threads inside should not have to wait. Where a thread was stopped, it
    /// could still let them go on.
    fn ended_badly(&mut self, state: &State) -> Option<String> {
        self.note_rounds(state);
        let what = self.at_rest(state).err()?;
        if self.is_stopped(state) {
            self.proof.open = Some(what);
            return None;
        }
        Some(what)
    }

    fn note_rounds(&mut self, state: &State) {
        for (thread, &(_, ended)) in state.rounds.iter().enumerate() {
            let most = self.ended.entry(thread).or_default();
            *most = ended.max(*most);
        }
    }

    /// A thread whose next step commutes with all others: it is executed alone.
    fn alone(&self, machine: &Machine) -> Option<usize> {
        (0..machine.thread_count()).find(|&thread| {
            machine.readiness(thread) == Readiness::Ready { alternatives: 1 }
                && self.touches_nothing(observe::what(machine, thread))
        })
    }

    fn touches_nothing(&self, what: What) -> bool {
        match what {
            What::Nothing => true,
            _ if !self.bounds.focused => false,
            What::Primitive { primitive: ir::Primitive::AtomicBegin | ir::Primitive::ProcessExit, .. } => false,
            what => !self.layout.touches(what),
        }
    }

    fn step(&mut self, state: &mut State, thread: usize, choice: u64, path: &[(usize, u64)]) -> Stepped {
        let State { machine, tracker, monitor, rounds } = state;
        let bystander = tracker.region(thread).is_none() && !self.layout.touches(observe::what(machine, thread));
        let (step, taken) = match bystander {
            true => (None, observe::take(machine, thread, choice)),
            false => {
                let (step, taken) = observe::step(machine, thread, choice);
                (Some(step), taken)
            }
        };
        if machine.shared.memory.surprised && !machine.shared.memory.all_shared {
            return Stepped::Surprised;
        }
        if let Some(step) = step.filter(|_| machine.thread_count() > 1) {
            let mut events = Vec::new();
            tracker.step(self.layout, &step, &mut events);
            for event in events {
                self.count(rounds, event);
                if let Err(what) = initialiser::take(monitor, event, machine, tracker, self.layout) {
                    return Stepped::Broken(what);
                }
            }
        }
        match taken {
            Taken::On => Stepped::On,
            // The process ends with it.
            Taken::Failed(failure) => {
                if tracker.region(thread).is_some() {
                    let why = format!("a thread fails inside of it: {}", failure.condition);
                    self.proof.open.get_or_insert(why);
                }
                if self.proof.failure.is_none() {
                    self.proof.failure = Some((*failure, path.to_vec()));
                }
                Stepped::Over
            }
            Taken::Ended => Stepped::Over,
            Taken::TooLong => {
                self.proof.unsupported.get_or_insert_with(|| ("a run is too long".into(), machine.site(thread)));
                Stepped::Over
            }
            Taken::Unsupported(what, site) => {
                self.proof.unsupported.get_or_insert((what, *site));
                Stepped::Over
            }
        }
    }

    fn count(&self, rounds: &mut Vec<(u32, u32)>, event: Event) {
        if self.bounds.rounds.is_none() {
            return;
        }
        let (Event::Enter { thread, region } | Event::Exit { thread, region }) = event else { return };
        if !self.begins(region) {
            return;
        }
        if rounds.len() <= thread {
            rounds.resize(thread + 1, (0, 0));
        }
        match event {
            Event::Enter { .. } => rounds[thread].0 += 1,
            _ => rounds[thread].1 += 1,
        }
    }

    fn at_rest(&self, state: &State) -> Result<(), String> {
        let machine = &state.machine;
        if machine.all_finished() || machine.has_failed() {
            return Ok(());
        }
        let inside: Vec<(usize, usize)> = (0..machine.thread_count())
            .filter(|&thread| !machine.shared.status[thread].finished)
            .filter_map(|thread| Some((thread, state.tracker.region(thread)?)))
            .collect();
        if inside.is_empty() {
            return Ok(());
        }
        state.monitor.at_rest(&inside)
    }

    fn id(&mut self, state: &State) -> u128 {
        let fingerprint = self.fingerprinter.fingerprint(&state.machine, None);
        let mut hasher = std::hash::DefaultHasher::new();
        for region in state.tracker.regions() {
            let wrote = |wrote: bool| u64::from(wrote && self.layout.repeats);
            hasher.write_u64(region.map_or(0, |(region, has)| (region as u64 + 1) << 1 | wrote(has)));
        }
        state.rounds.hash(&mut hasher);
        state.monitor.add_to(&mut hasher);
        let ghost = hasher.finish();
        fingerprint ^ (u128::from(ghost) << 64 | u128::from(ghost.rotate_left(23)))
    }
}
