//! A run of the machine as a guide of the engine: the numbers with which each thread decided, the addresses of its
//! objects, and the places of the threads at the end.
//!
//! The run can continue after its failure, without the failing thread: the continuations of the other threads belong to
//! their paths too, because a passing order often needs more of them than the failing run executed.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ir::FunctionId;
use run::{Divergence, Schedule, ThreadName};
use semantics::code::{Arg, Code, Inst};
use semantics::concrete::Word;
use semantics::execute::Thread;
use vm::callers::Words;
use vm::idle::Awaits;
use vm::memory::{Memory, State};
use vm::sync::Sync;
use vm::world::{Pending, Phase};
use vm::{Failure, FailureKind, Follower, Machine, Observer, Options, Outcome, Readiness, replay_by};

use crate::bounded::log::{Instruction, Log};
use crate::bounded::map_schedule::{Move, Mover};
use crate::bounded::place::{Key, Place, Places};
use crate::bounded::shape::Shapes;

/// How far a run is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To its failure.
    Failure,
    /// Continues the other threads as if the failure had not happened: one continuation of many.
    End,
}

/// Threads that never come to an end go no further than this after a failure.
const MOST_STEPS: usize = 20_000;

/// A place of a thread.
pub type Spot = (ThreadName, Key);

/// Where a thread stood that did not come to its end.
#[derive(Clone, Debug)]
pub struct Stand {
    pub calls: usize,
    pub function: FunctionId,
    pub position: u32,
    pub key: Key,
    /// Whether it had begun the instruction there.
    pub begun: bool,
    /// The variable that it waits for in a loop: an address, a number of bytes, and their contents.
    pub spins: Option<(u64, u32, Word)>,
}

/// What the run was, which the engine may ask about while it follows it.
#[derive(Debug)]
pub struct Observed {
    pub outcome: Outcome,
    /// In the order of the run, up to its failure.
    pub moves: Vec<Move>,
    pub stands: HashMap<ThreadName, Stand>,
    /// Threads that came to their ends.
    pub ended: HashSet<ThreadName>,
    /// Sleepers that were not woken.
    pub asleep: HashSet<ThreadName>,
    pub threads: usize,
    /// As it was when it failed, and in the end.
    failed_with: Memory,
    pub memory: Memory,
    logs: HashMap<ThreadName, Log>,
}

/// What a thread did at a place.
#[derive(Clone, Debug, Default)]
pub struct Deed {
    pub words: Words,
    /// The address that it accessed.
    pub at: Option<u64>,
}

impl Observed {
    pub fn new(
        code: &Rc<Code>,
        options: &Options,
        schedule: &Schedule,
        until: Until,
        shapes: &Shapes,
    ) -> Result<Observed, Divergence> {
        let watch = Watch::new(code, shapes, Watched::Logs);
        let (mut machine, mut watch, outcome) = replayed(code, options, schedule, watch)?;
        // Threads that wait for others forever reach that place after the failure is known.
        let is_stuck = matches!(&outcome, Outcome::Failed(failure) if failure.is_stuck());
        if is_stuck {
            continued(&mut machine, &mut watch, &outcome, until);
        }
        let mut moves = std::mem::take(&mut watch.mover.moves);
        watch.mover.stand(&machine, &mut moves);
        let failed_with = machine.shared.memory.clone();
        if !is_stuck {
            continued(&mut machine, &mut watch, &outcome, until);
        }
        let failing = match &outcome {
            Outcome::Failed(failure) if !is_stuck => machine.find(&failure.site.thread),
            _ => None,
        };
        let (mut stands, mut ended, mut asleep) = (HashMap::new(), HashSet::new(), HashSet::new());
        for thread in 0..machine.thread_count() {
            let (name, status) = (machine.name(thread).clone(), &machine.shared.status[thread]);
            if status.finished {
                ended.insert(name);
                continue;
            }
            if status.phase == Phase::Sleeping && !is_stuck {
                asleep.insert(name.clone());
            }
            let spins = match &status.pending {
                Some(Pending::Spin { awaits: Awaits::Values(values), .. }) if is_stuck => values.first().copied(),
                _ => None,
            };
            let waits = is_stuck && matches!(status.pending, Some(Pending::Primitive { .. }));
            let blocked = waits && machine.readiness(thread) == Readiness::Blocked;
            let halfway = matches!(status.phase, Phase::Sleeping | Phase::Woken(_) | Phase::Kept { .. });
            let begun = blocked || halfway || failing == Some(thread);
            stands.extend(watch.mover.places.place(thread).and_then(|place| {
                let call = place.calls.last()?;
                let key = place.key(code, shapes);
                let (calls, function, position) = (place.calls.len(), call.function, call.position);
                Some((name, Stand { calls, function, position, key, begun, spins }))
            }));
        }
        let threads = machine.thread_count();
        let logs =
            (0..threads).zip(watch.finished()).map(|(thread, log)| (machine.name(thread).clone(), log)).collect();
        let memory = machine.shared.memory.clone();
        Ok(Observed { moves, stands, ended, asleep, threads, logs, failed_with, memory, outcome })
    }

    pub fn log(&self, thread: &ThreadName) -> Option<&Log> {
        self.logs.get(thread)
    }

    /// The logs of all threads, in the order of their names.
    pub fn logs(&self) -> Vec<&Log> {
        let mut logs: Vec<(&ThreadName, &Log)> = self.logs.iter().collect();
        logs.sort_by_key(|(name, _)| *name);
        logs.into_iter().map(|(_, log)| log).collect()
    }

    pub fn failure(&self) -> Option<&Failure> {
        match &self.outcome {
            Outcome::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether the block at an address had ended when the run failed.
    pub fn is_gone(&self, base: u64) -> bool {
        let memory = &self.failed_with;
        memory.resolve(base).is_some_and(|(id, _)| memory.object(id).state != State::Live)
    }

    /// Whether it is this thread that failed.
    pub fn has_failed(&self, thread: &ThreadName) -> bool {
        self.failure().is_some_and(|failure| !failure.is_stuck() && failure.site.thread == *thread)
    }

    /// Where a thread failed, if it is that one and it is known.
    pub fn fails(&self, thread: &ThreadName) -> Option<&Stand> {
        self.stands.get(thread).filter(|_| self.has_failed(thread))
    }
}

/// What threads did at these instructions in a run, as the source calls it.
pub fn deeds(
    code: &Rc<Code>,
    options: &Options,
    schedule: &Schedule,
    until: Until,
    places: impl Iterator<Item = (FunctionId, u32)>,
) -> HashMap<Spot, Deed> {
    let shapes = Shapes::new(code);
    let watch = Watch::new(code, &shapes, Watched::Deeds(places.collect()));
    let Ok((mut machine, mut watch, outcome)) = replayed(code, options, schedule, watch) else { return HashMap::new() };
    continued(&mut machine, &mut watch, &outcome, until);
    let deeds = watch.deeds.into_iter();
    deeds.map(|((thread, key), deed)| ((machine.name(thread).clone(), key), deed)).collect()
}

fn replayed<'b>(
    code: &Rc<Code>,
    options: &Options,
    schedule: &Schedule,
    watch: Watch<'b>,
) -> Result<(Machine, Watch<'b>, Outcome), Divergence> {
    let (Follower { machine, observer, .. }, outcome) = replay_by(code, options, schedule, watch)?;
    Ok((machine, observer, outcome))
}

fn continued(machine: &mut Machine, watch: &mut Watch<'_>, outcome: &Outcome, until: Until) {
    if let Outcome::Failed(failure) = outcome
        && (until == Until::End || failure.is_stuck())
    {
        go_on(machine, watch, failure);
    }
}

/// Lets every thread but the failing one run for as long as it can.
fn go_on(machine: &mut Machine, watch: &mut Watch<'_>, failure: &Failure) {
    if !failure.is_stuck()
        && let Some(failed) = machine.find(&failure.site.thread)
    {
        abandon(machine, failed);
    }
    let mut steps = 0;
    loop {
        let mut moved = false;
        for thread in 0..machine.thread_count() {
            while machine.readiness(thread) != Readiness::Blocked {
                if steps >= MOST_STEPS {
                    return;
                }
                steps += 1;
                moved = true;
                match watch.step(machine, thread, 0) {
                    None if machine.shared.turn.yielded => break,
                    None => {}
                    Some(Outcome::Failed(failure) | Outcome::Unasked(failure)) if failure.kind != FailureKind::Exit => {
                        abandon(machine, thread);
                    }
                    // The end of the process, or an unsupported operation.
                    Some(_) => return,
                }
            }
        }
        if !moved {
            return;
        }
    }
}

/// A thread that stops releases its mutexes.
fn abandon(machine: &mut Machine, thread: usize) {
    machine.abandon(thread);
    let holds = |sync: &Sync| sync.owner() == Some(thread as u32);
    let held: Vec<u64> = machine.shared.syncs.iter().filter(|(_, sync)| holds(sync)).map(|(at, _)| at).collect();
    for at in held {
        if let Some(mutex) = machine.shared.syncs.get_mut(at) {
            mutex.free();
        }
    }
}

/// What is looked at.
enum Watched {
    Logs,
    /// What is done at these instructions.
    Deeds(HashSet<(FunctionId, u32)>),
}

/// Looks at the threads of a run, one instruction after the other.
struct Watch<'a> {
    mover: Mover<'a>,
    code: &'a Code,
    shapes: &'a Shapes,
    watched: Watched,
    /// By thread.
    logs: Vec<Logged>,
    deeds: HashMap<(usize, Key), Deed>,
}

/// The log of a thread, and the entry of its next instruction.
#[derive(Default)]
struct Logged {
    log: Log,
    /// The number of instructions before it, and how deep in calls it is.
    steps: u64,
    calls: usize,
    stood: Option<Instruction>,
    is_primitive: bool,
    /// The next instruction with its operands, if it is logged.
    next: Option<Instruction>,
    words: Vec<u64>,
    makes: Option<u32>,
}

impl Logged {
    /// The thread is before an instruction, which may be the same as before.
    fn look(&mut self, code: &Code, shapes: &Shapes, place: &Place, state: &Thread<Word>) {
        let top = state.frames.len().checked_sub(1);
        // A wait has two halves; after the first the thread is at the same place.
        let here = place.calls.last().map(|call| Instruction {
            calls: place.calls.len(),
            function: call.function,
            position: call.position,
        });
        let waits = here == self.stood && self.is_primitive;
        self.stood = here;
        if state.steps > self.steps
            && !waits
            && let Some(instruction) = self.next.take()
        {
            let made = self.makes.take().zip(top).and_then(|(to, top)| state.registers_of(top).get(to as usize));
            self.words.extend(made.map(|&made| made as u64));
            self.log.note(instruction, &self.words);
        }
        match (place.calls.len(), place.calls.last()) {
            (calls, _) if calls < self.calls => self.log.note_return(calls),
            (calls, Some(call)) if calls > self.calls => self.log.note_call(calls, call.function),
            _ => {}
        }
        self.calls = place.calls.len();
        self.steps = state.steps;
        (self.next, self.makes) = (None, None);
        self.words.clear();
        let (Some(call), Some(_)) = (place.calls.last(), top) else { return };
        let inst = &code.function(call.function).insts[call.position as usize];
        self.is_primitive = matches!(inst, Inst::Primitive { .. });
        if let Some(noted) = shapes.of(code, call.function).noted_at(call.position) {
            let word = |&arg| state.operand(code, arg).map_or_else(|(_, word)| word, |word| *word) as u64;
            self.words.extend(noted.operands.iter().map(word));
            (self.next, self.makes) = (here, noted.makes);
        }
    }
}

impl<'a> Watch<'a> {
    fn new(code: &'a Code, shapes: &'a Shapes, watched: Watched) -> Watch<'a> {
        let mover = Mover::new(Places::new(code, shapes));
        Watch { mover, code, shapes, watched, logs: Vec::new(), deeds: HashMap::new() }
    }

    /// The logs, with the last instructions of the threads.
    fn finished(self) -> impl Iterator<Item = Log> {
        self.logs.into_iter().map(|mut logged| {
            if let Some(instruction) = logged.next {
                logged.words.extend(logged.makes.map(|_| 0));
                logged.log.note(instruction, &logged.words);
            }
            logged.log
        })
    }
}

impl Observer<Word> for Watch<'_> {
    fn step(&mut self, machine: &mut Machine, thread: usize, choice: u64) -> Option<Outcome> {
        let Watch { mover, code, shapes, watched, logs, deeds } = self;
        let (code, shapes) = (*code, *shapes);
        let asked = match watched {
            Watched::Logs => {
                if logs.len() <= thread {
                    logs.resize_with(thread + 1, Logged::default);
                }
                let logged = &mut logs[thread];
                return mover.step_watched(machine, thread, choice, &mut |place, state| {
                    logged.look(code, shapes, place, state)
                });
            }
            Watched::Deeds(asked) => asked,
        };
        let site = machine.site(thread);
        let words = machine.words(thread, &site, machine.shared.status[thread].pending.as_ref());
        mover.step_watched(machine, thread, choice, &mut |place, state| {
            let Some(call) = place.calls.last() else { return };
            if asked.contains(&(call.function, call.position)) {
                let at = accessed(&code.function(call.function).insts[call.position as usize]);
                let at = at.map(|arg| state.operand(code, arg).map_or_else(|(_, word)| word, |word| *word) as u64);
                deeds.insert((thread, place.key(code, shapes)), Deed { words: words.clone(), at });
            }
        })
    }
}

/// The address of an access.
fn accessed(inst: &Inst) -> Option<Arg> {
    match inst {
        Inst::Load { address, .. }
        | Inst::Store { address, .. }
        | Inst::Rmw { address, .. }
        | Inst::CompareExchange { address, .. } => Some(*address),
        _ => None,
    }
}
