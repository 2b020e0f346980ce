//! A run of the machine as the engine is led along it: the numbers with which each thread decided, where its objects lay, and
//! where it stood in the end.
//!
//! The run can go on after its failure: what the other threads would have done had the failing one just stopped belongs to
//! their paths too, because an order that passes often needs more of them than they had time for.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::rc::Rc;

use ir::{FunctionId, Primitive};
use run::{Divergence, Schedule, ThreadName};
use semantics::code::{Arg, Callee, Code, FunctionCode, Inst};
use semantics::concrete::Word;
use semantics::execute::Thread;
use vm::callers::{self, Words};
use vm::idle::Awaits;
use vm::memory::{Memory, State};
use vm::sync::Sync;
use vm::world::{Pending, Phase};
use vm::{Failure, FailureKind, Follower, Machine, Observer, Options, Outcome, Readiness, replay_by};

use crate::bounded::map_schedule::{Move, Mover};
use crate::bounded::place::{Key, Place, Places};
use crate::bounded::shape::Shapes;

/// How far a run is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To its failure.
    Failure,
    /// On to what the other threads do if nothing had happened: one way to go on among many.
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
    /// Whether it had begun what stands there.
    pub begun: bool,
    /// What it waits for in a loop: an address, a number of bytes, and what they hold.
    pub spins: Option<(u64, u32, Word)>,
}

/// What the run was.
#[derive(Debug)]
pub struct Observed {
    pub outcome: Outcome,
    /// In the order of the run, up to its failure.
    pub moves: Vec<Move>,
    pub stands: HashMap<ThreadName, Stand>,
    /// Threads that came to their ends.
    pub ended: HashSet<ThreadName>,
    /// Sleepers that nobody had woken.
    pub asleep: HashSet<ThreadName>,
    pub threads: usize,
    /// As it was when it failed, and in the end.
    failed_with: Memory,
    pub memory: Memory,
    logs: HashMap<ThreadName, Log>,
}

/// A run that the engine may ask about while it follows it.
pub struct Observation<'a> {
    code: &'a Rc<Code>,
    options: Options,
    schedule: &'a Schedule,
    until: Until,
    shapes: &'a Shapes,
    pub observed: Observed,
}

/// What a thread did at a place.
#[derive(Clone, Debug, Default)]
pub struct Deed {
    pub words: Words,
    /// The address that it accessed.
    pub at: Option<u64>,
}

/// The numbers with which a thread decided, instruction by instruction: a header, the operands that matter, and the address of
/// what was made.
#[derive(Debug, Default)]
pub struct Log(Vec<u64>);

/// What a header says: how deep in calls, the function, the position, and how many numbers follow.
fn header(calls: usize, function: FunctionId, position: u32, count: usize) -> u64 {
    (calls as u64) << 50 | u64::from(function.0) << 26 | u64::from(position) << 4 | count as u64
}

/// Says that a call has ended, and how deep in calls the thread is then.
const RETURNED: FunctionId = FunctionId((1 << 24) - 1);

impl Log {
    /// The numbers of an instruction, which is the next one of its thread.
    pub fn next(&self, cursor: &mut usize, calls: usize, function: FunctionId, position: u32) -> Option<&[u64]> {
        while self.0.get(*cursor).is_some_and(|&found| is_return(found)) {
            *cursor += 1;
        }
        let &found = self.0.get(*cursor)?;
        let count = (found & 0xf) as usize;
        let words = self.0.get(*cursor + 1..*cursor + 1 + count)?;
        (found == header(calls, function, position, count)).then(|| *cursor += 1 + count)?;
        Some(words)
    }

    /// Passes over a call, which ends at so many calls.
    pub fn pass_call(&self, cursor: &mut usize, calls: usize) {
        while let Some(&found) = self.0.get(*cursor) {
            *cursor += 1 + (found & 0xf) as usize;
            if found == header(calls, RETURNED, 0, 0) {
                return;
            }
        }
    }
}

fn is_return(found: u64) -> bool {
    found << 14 >> 40 == u64::from(RETURNED.0)
}

/// What is noted of an instruction: the operands with which it decides, and the register of what it makes.
pub fn noted(function: &FunctionCode, inst: &Inst) -> (Vec<Arg>, Option<u32>) {
    let operands = match inst {
        Inst::Branch { cond, .. } => vec![*cond],
        Inst::Switch { value, .. } => vec![*value],
        Inst::CallIndirect { callee, .. } | Inst::Invoke { callee: Callee::Indirect(callee), .. } => vec![*callee],
        Inst::Load { address, .. } => vec![*address],
        Inst::Store { address, value, .. } | Inst::Rmw { address, value, .. } => vec![*address, *value],
        Inst::CompareExchange { address, new, .. } => vec![*address, *new],
        Inst::Local { size, .. } => vec![*size],
        Inst::Primitive { args, .. } => args.of(&function.args).iter().map(|&(arg, _)| arg).collect(),
        Inst::Overflowing { left, right, .. } => vec![*left, *right],
        Inst::FloatCompare { left, right, .. } => vec![*left, *right],
        Inst::FusedMultiplyAdd { left, right, addend, .. } => vec![*left, *right, *addend],
        Inst::Unary { ty, arg, .. } if ty.is_float() => vec![*arg],
        Inst::Binary { ty, left, right, .. } if ty.is_float() => vec![*left, *right],
        Inst::Cast { from, ty, arg, .. } if from.is_float() || ty.is_float() => vec![*arg],
        _ => Vec::new(),
    };
    let makes = match inst {
        Inst::Local { to, .. } | Inst::VariadicArguments { to } => Some(*to),
        Inst::Primitive { primitive: Primitive::MemoryAlloc | Primitive::InputChoose, to, .. } => *to,
        _ => None,
    };
    (operands, makes)
}

impl fmt::Debug for Observation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observation").field("observed", &self.observed).finish_non_exhaustive()
    }
}

impl<'a> Observation<'a> {
    pub fn new(
        code: &'a Rc<Code>,
        options: &Options,
        schedule: &'a Schedule,
        until: Until,
        shapes: &'a Shapes,
    ) -> Result<Observation<'a>, Divergence> {
        let options = options.clone();
        let watch = Watch::new(code, shapes, Watched::Logs);
        let (mut machine, mut watch, outcome) = replayed(code, &options, schedule, watch)?;
        // Threads that wait for others for good come to where they wait after the failure is known.
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
            let halfway = matches!(status.phase, Phase::Sleeping | Phase::Woken(_) | Phase::Arrived | Phase::Released);
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
        let observed = Observed { moves, stands, ended, asleep, threads, logs, failed_with, memory, outcome };
        Ok(Observation { code, options, schedule, until, shapes, observed })
    }

    pub fn log(&self, thread: &ThreadName) -> Option<&Log> {
        self.observed.logs.get(thread)
    }

    pub fn failure(&self) -> Option<&Failure> {
        match &self.observed.outcome {
            Outcome::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether the block at an address had ended when the run failed.
    pub fn is_gone(&self, base: u64) -> bool {
        let memory = &self.observed.failed_with;
        memory.resolve(base).is_some_and(|(id, _)| memory.object(id).state != State::Live)
    }

    /// Whether it is this thread that failed.
    pub fn has_failed(&self, thread: &ThreadName) -> bool {
        self.failure().is_some_and(|failure| !failure.is_stuck() && failure.site.thread == *thread)
    }

    /// Where a thread failed, if it is that one and it is known.
    pub fn fails(&self, thread: &ThreadName) -> Option<&Stand> {
        self.observed.stands.get(thread).filter(|_| self.has_failed(thread))
    }

    /// What the source calls what threads did at these instructions.
    pub fn words(&self, places: HashSet<(FunctionId, u32)>) -> HashMap<Spot, Deed> {
        let watch = Watch::new(self.code, self.shapes, Watched::Deeds(places));
        let Some((machine, watch)) = self.again(watch) else { return HashMap::new() };
        let deeds = watch.deeds.into_iter();
        deeds.map(|((thread, key), words)| ((machine.name(thread).clone(), key), words)).collect()
    }

    fn again<'b>(&'b self, watch: Watch<'b>) -> Option<(Machine, Watch<'b>)> {
        let (mut machine, mut watch, outcome) = replayed(self.code, &self.options, self.schedule, watch).ok()?;
        continued(&mut machine, &mut watch, &outcome, self.until);
        Some((machine, watch))
    }
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

/// Lets every thread but the failing one go on for as long as it can.
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
                    None if machine.shared.yielded => break,
                    None => {}
                    Some(Outcome::Failed(failure) | Outcome::Unasked(failure)) if failure.kind != FailureKind::Exit => {
                        abandon(machine, thread);
                    }
                    // The end of the process, or of what heddle can do.
                    Some(_) => return,
                }
            }
        }
        if !moved {
            return;
        }
    }
}

/// A thread that does nothing more lets go of its mutexes.
fn abandon(machine: &mut Machine, thread: usize) {
    machine.abandon(thread);
    let holds = |sync: &Sync| matches!(sync, Sync::Mutex(mutex) if mutex.owner == Some(thread as u32));
    let held: Vec<u64> = machine.shared.syncs.iter().filter(|(_, sync)| holds(sync)).map(|(at, _)| at).collect();
    for at in held {
        if let Some(Sync::Mutex(mutex)) = machine.shared.syncs.get_mut(at) {
            mutex.owner = None;
            mutex.depth = 0;
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

/// What was noted of a thread, and of the instruction that it stands at.
#[derive(Default)]
struct Logged {
    log: Log,
    /// The number of instructions before it, and how deep in calls it is.
    steps: u64,
    calls: usize,
    stood: Option<u64>,
    is_primitive: bool,
    next: Vec<u64>,
    makes: Option<u32>,
}

impl Logged {
    /// The thread stands before an instruction, which may be the same as before.
    fn look(&mut self, code: &Code, place: &Place, state: &Thread<Word>) {
        let top = state.frames.len().checked_sub(1);
        // A wait has two halves, and stands where it stood after the first.
        let here = place.calls.last().map(|call| header(place.calls.len(), call.function, call.position, 0));
        let waits = here == self.stood && self.is_primitive;
        self.stood = here;
        if state.steps > self.steps && !self.next.is_empty() && !waits {
            self.log.0.append(&mut self.next);
            let made = self.makes.take().zip(top).and_then(|(to, top)| state.registers_of(top).get(to as usize));
            self.log.0.extend(made.map(|&made| made as u64));
        }
        if place.calls.len() < self.calls {
            self.log.0.push(header(place.calls.len(), RETURNED, 0, 0));
        }
        self.calls = place.calls.len();
        self.steps = state.steps;
        self.next.clear();
        self.makes = None;
        let (Some(call), Some(_)) = (place.calls.last(), top) else { return };
        let function = code.function(call.function);
        let inst = &function.insts[call.position as usize];
        self.is_primitive = matches!(inst, Inst::Primitive { .. });
        let (operands, makes) = noted(function, inst);
        let count = operands.len() + usize::from(makes.is_some());
        if count > 0 {
            self.next.push(header(place.calls.len(), call.function, call.position, count));
            let word = |arg| state.operand(code, arg).map_or_else(|(_, word)| word, |word| *word) as u64;
            self.next.extend(operands.into_iter().map(word));
            self.makes = makes;
        }
    }
}

impl<'a> Watch<'a> {
    fn new(code: &'a Code, shapes: &'a Shapes, watched: Watched) -> Watch<'a> {
        let mover = Mover::new(Places::new(code, shapes));
        Watch { mover, code, shapes, watched, logs: Vec::new(), deeds: HashMap::new() }
    }

    /// The logs, with the instructions at which the threads stand.
    fn finished(self) -> impl Iterator<Item = Log> {
        self.logs.into_iter().map(|mut logged| {
            logged.log.0.append(&mut logged.next);
            if logged.makes.is_some() {
                logged.log.0.push(0);
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
                return mover
                    .step_watched(machine, thread, choice, &mut |place, state| logged.look(code, place, state));
            }
            Watched::Deeds(asked) => asked,
        };
        let site = machine.site(thread);
        let words = callers::words(machine, thread, &site, machine.shared.status[thread].pending.as_ref());
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
