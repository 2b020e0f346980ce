//! Explores every order of a program, with the ghost state of one construct.
//!
//! A state is the machine's fingerprint, the regions of the threads and the ghost state. Invisible steps are executed
//! alone (a partial-order reduction). With `focused`, so are steps that do not access the construct: the answer then
//! assumes that other shared data do not influence it.

use std::collections::HashSet;
use std::hash::Hasher;
use std::rc::Rc;
use std::time::{Duration, Instant};

use semantics::code::Code;
use vm::explore::Fingerprinter;
use vm::{Machine, Options, Readiness};

use crate::initialiser;
use crate::monitor::{Claim, Monitor};
use crate::observe::{self, Taken, What};
use crate::regions::Layout;
use crate::tracker::Tracker;

#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub focused: bool,
    pub states: u64,
    pub time: Duration,
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
    /// Every order was followed to its end.
    pub complete: bool,
    pub states: u64,
    pub unsupported: Option<(String, vm::Site)>,
}

struct Node {
    machine: Machine,
    tracker: Tracker,
    monitor: Monitor,
    /// The possible steps, as threads and choices; taken from the end.
    ways: Vec<(usize, u64)>,
    /// How long the path to it is.
    depth: usize,
}

struct Search<'a> {
    layout: &'a Layout,
    bounds: Bounds,
    fingerprinter: Fingerprinter,
    seen: HashSet<u128>,
    proof: Proof,
}

/// Explores every order until the claim breaks. `go_on` is called from time to time.
pub fn prove(
    code: &Rc<Code>,
    quiet: &[HashSet<u32>],
    options: &Options,
    layout: &Layout,
    claim: &Rc<Claim>,
    bounds: Bounds,
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
    bounds: Bounds,
    all_shared: bool,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Option<Proof> {
    let mut fingerprinter = Fingerprinter::new(code.clone(), false);
    for (index, registers) in quiet.iter().enumerate() {
        fingerprinter.forget(ir::FunctionId(index as u32), registers);
    }
    let started = Instant::now();
    let mut search = Search { layout, bounds, fingerprinter, seen: HashSet::new(), proof: Proof::default() };
    let mut machine = Machine::new(code, options);
    machine.shared.memory.all_shared = all_shared;
    let root =
        Node { ways: ways(&machine), machine, tracker: Tracker::default(), monitor: Monitor::new(claim), depth: 0 };
    let mut stack = vec![root];
    let mut path: Vec<(usize, u64)> = Vec::new();
    let mut looks = 0_u32;
    while let Some(node) = stack.last_mut() {
        looks += 1;
        if looks.is_multiple_of(64)
            && (started.elapsed() > bounds.time
                || search.seen.len() as u64 > bounds.states
                || !go_on(search.seen.len() as u64))
        {
            search.proof.states = search.seen.len() as u64;
            return Some(search.proof);
        }
        let Some((thread, choice)) = node.ways.pop() else {
            stack.pop();
            continue;
        };
        let (mut machine, mut tracker, mut monitor) =
            (node.machine.clone(), node.tracker.clone(), node.monitor.clone());
        path.truncate(node.depth);
        path.push((thread, choice));
        let mut stepped = search.step(&mut machine, &mut tracker, &mut monitor, thread, choice, &path);
        while let Stepped::On = stepped {
            let Some(thread) = search.alone(&machine) else { break };
            if path.len() > LONGEST || path.len().is_multiple_of(4096) && started.elapsed() > bounds.time {
                search.proof.states = search.seen.len() as u64;
                return Some(search.proof);
            }
            path.push((thread, 0));
            stepped = search.step(&mut machine, &mut tracker, &mut monitor, thread, 0, &path);
        }
        match stepped {
            Stepped::Broken(what) => {
                search.proof.broken = Some(Broken { what, path });
                search.proof.states = search.seen.len() as u64;
                return Some(search.proof);
            }
            Stepped::Over => {}
            Stepped::Surprised => return None,
            Stepped::On => {
                let id = search.id(&machine, &tracker, &monitor);
                if !search.seen.insert(id) {
                    continue;
                }
                let next = Node { ways: ways(&machine), machine, tracker, monitor, depth: path.len() };
                if next.ways.is_empty()
                    && let Err(what) = search.at_rest(&next)
                {
                    search.proof.broken = Some(Broken { what, path });
                    search.proof.states = search.seen.len() as u64;
                    return Some(search.proof);
                }
                stack.push(next);
            }
        }
    }
    search.proof.complete = search.proof.unsupported.is_none();
    search.proof.states = search.seen.len() as u64;
    Some(search.proof)
}

/// A longer path is abandoned: it contains an endless loop outside of the construct.
const LONGEST: usize = 4_000_000;

/// All steps that are possible in a state.
fn ways(machine: &Machine) -> Vec<(usize, u64)> {
    let mut ways = Vec::new();
    for thread in (0..machine.thread_count()).rev() {
        let alternatives = match machine.readiness(thread) {
            Readiness::Blocked => continue,
            Readiness::Ready { alternatives } => alternatives,
            Readiness::Input { .. } => 2,
        };
        ways.extend((0..alternatives).rev().map(|choice| (thread, choice)));
    }
    ways
}

enum Stepped {
    On,
    Over,
    /// A thread reached an object that was thought private.
    Surprised,
    Broken(String),
}

impl Search<'_> {
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

    fn step(
        &mut self,
        machine: &mut Machine,
        tracker: &mut Tracker,
        monitor: &mut Monitor,
        thread: usize,
        choice: u64,
        path: &[(usize, u64)],
    ) -> Stepped {
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
            let failed = matches!(taken, Taken::Failed(_));
            let mut events = Vec::new();
            tracker.step(self.layout, &step, &mut events);
            for event in events {
                // A thread that failed inside did not leave.
                if failed && matches!(event, crate::tracker::Event::Exit { .. }) {
                    continue;
                }
                if let Err(what) = initialiser::take(monitor, event, machine, tracker, self.layout) {
                    return Stepped::Broken(what);
                }
            }
        }
        match taken {
            Taken::On => Stepped::On,
            Taken::Failed(failure) => {
                if self.proof.failure.is_none() {
                    self.proof.failure = Some((*failure, path.to_vec()));
                }
                Stepped::On
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

    fn at_rest(&self, node: &Node) -> Result<(), String> {
        let machine = &node.machine;
        if machine.all_finished() || machine.has_failed() {
            return Ok(());
        }
        let inside: Vec<(usize, usize)> = (0..machine.thread_count())
            .filter(|&thread| !machine.shared.status[thread].finished)
            .filter_map(|thread| Some((thread, node.tracker.region(thread)?)))
            .collect();
        if inside.is_empty() {
            return Ok(());
        }
        node.monitor.at_rest(&inside)
    }

    fn id(&mut self, machine: &Machine, tracker: &Tracker, monitor: &Monitor) -> u128 {
        let state = self.fingerprinter.fingerprint(machine, None);
        let mut hasher = std::hash::DefaultHasher::new();
        for region in tracker.regions() {
            let wrote = |wrote: bool| u64::from(wrote && self.layout.repeats);
            hasher.write_u64(region.map_or(0, |(region, has)| (region as u64 + 1) << 1 | wrote(has)));
        }
        monitor.add_to(&mut hasher);
        let ghost = hasher.finish();
        state ^ (u128::from(ghost) << 64 | u128::from(ghost.rotate_left(23)))
    }
}
