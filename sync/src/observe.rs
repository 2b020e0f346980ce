//! One step of a program, with what it touched and in which calls of the user's code.

use std::rc::Rc;

use ir::{FunctionId, Origin, Primitive, SpanId};
use semantics::code::{Code, Inst};
use vm::world::{Pending, Phase};
use vm::{Machine, Outcome, Readiness};

use crate::quiet;

/// A call of the user's code that a thread is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub function: FunctionId,
    pub position: u32,
    /// Different for every call of the thread.
    pub serial: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The first instruction, the end, or going on after waiting: nothing that another thread sees.
    Nothing,
    Memory {
        at: u64,
        writes: bool,
        atomic: bool,
    },
    Primitive {
        primitive: Primitive,
        args: [u64; 4],
    },
}

impl What {
    /// The place that it touches: memory, a lock or a condition.
    pub fn places(self) -> impl Iterator<Item = u64> {
        let (first, second) = match self {
            What::Nothing => (None, None),
            What::Memory { at, .. } => (Some(at), None),
            What::Primitive { primitive, args } => match primitive {
                Primitive::MutexLock
                | Primitive::MutexTryLock
                | Primitive::MutexTimedLock
                | Primitive::MutexUnlock
                | Primitive::CondSignal
                | Primitive::CondBroadcast
                | Primitive::FutexWake
                | Primitive::FutexWakeAll
                | Primitive::SemWait
                | Primitive::SemTryWait
                | Primitive::SemPost
                | Primitive::RwRead
                | Primitive::RwWrite
                | Primitive::RwUnlock => (Some(args[0]), None),
                Primitive::CondWait | Primitive::CondTimedWait => (Some(args[0]), Some(args[1])),
                _ => (None, None),
            },
        };
        first.into_iter().chain(second)
    }
}

/// What a thread is about to do.
#[derive(Clone, Debug)]
pub struct Next {
    pub what: What,
    /// The calls of the user's functions, innermost first.
    pub calls: Vec<Call>,
}

/// The user's calls of a thread, innermost first.
pub fn calls(machine: &Machine, thread: usize) -> Vec<Call> {
    let functions = &machine.code.program.functions;
    let is_user = |function: FunctionId| functions[function.index()].origin == Origin::User;
    machine
        .thread(thread)
        .frames
        .iter()
        .rev()
        .filter(|frame| is_user(frame.function))
        .map(|frame| Call { function: frame.function, position: frame.position, serial: frame.serial })
        .collect()
}

/// What a thread will do when it is let go, and in which calls.
pub fn next(machine: &Machine, thread: usize) -> Next {
    Next { what: what(machine, thread), calls: calls(machine, thread) }
}

/// What a thread will do when it is let go.
pub fn what(machine: &Machine, thread: usize) -> What {
    match &machine.shared.status[thread].pending {
        None | Some(Pending::Start | Pending::Spin { .. } | Pending::Leave { .. } | Pending::Finish) => What::Nothing,
        Some(Pending::Memory { object, offset, writes, .. }) => {
            let at = machine.shared.memory.object(*object).base + offset;
            let atomic = machine
                .thread(thread)
                .frames
                .last()
                .is_some_and(|frame| is_atomic(&machine.code, frame.function, frame.position));
            What::Memory { at, writes: *writes, atomic }
        }
        // Giving way changes nothing, wherever it happens.
        Some(Pending::Primitive { primitive: Primitive::ThreadYield | Primitive::ThreadSleep, .. }) => What::Nothing,
        Some(Pending::Primitive { primitive, args }) => What::Primitive { primitive: *primitive, args: *args },
    }
}

fn is_atomic(code: &Code, function: FunctionId, position: u32) -> bool {
    match code.function(function).insts.get(position as usize) {
        Some(Inst::Load { access, .. } | Inst::Store { access, .. }) => access.ordering.is_some(),
        Some(Inst::Rmw { .. } | Inst::CompareExchange { .. }) => true,
        _ => false,
    }
}

/// Where a thread waits that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// Where the loop begins, or the call of the wait stands.
    pub span: SpanId,
    /// The places in memory whose change would let it go on; for a condition, the condition and its mutex. None where it
    /// waits for any change.
    pub places: Vec<u64>,
    pub on_condition: bool,
}

/// What a thread waits for in a loop or on a condition, if it does.
pub fn waiting(machine: &Machine, thread: usize) -> Option<Waits> {
    if machine.readiness(thread) != Readiness::Blocked {
        return None;
    }
    let status = &machine.shared.status[thread];
    match &status.pending {
        Some(Pending::Spin { awaits, span }) => {
            let places = match awaits {
                vm::idle::Awaits::Values(values) => values.iter().map(|&(at, _, _)| at).collect(),
                vm::idle::Awaits::ChangeAfter(_) => Vec::new(),
            };
            Some(Waits { span: *span, places, on_condition: false })
        }
        Some(Pending::Primitive { primitive: Primitive::CondWait, args }) if status.phase == Phase::Sleeping => {
            let inner = *calls(machine, thread).first()?;
            let span = span_of(&machine.code, inner);
            Some(Waits { span, places: vec![args[0], args[1]], on_condition: true })
        }
        _ => None,
    }
}

/// The place in the source of the instruction that a call stands at.
pub fn span_of(code: &Code, call: Call) -> SpanId {
    code.function(call.function).spans.get(call.position as usize).copied().unwrap_or(SpanId::NONE)
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct Step {
    pub thread: usize,
    /// A write that left what was there, such as a failed compare-exchange, is told as a read.
    pub what: What,
    /// The user's calls before the step and after it, innermost first.
    pub calls: Rc<[Call]>,
    pub after: Rc<[Call]>,
    /// What the thread will do next.
    pub then: What,
    /// It waits from here on.
    pub waits: Option<Waits>,
    /// The program did it itself, and not what stands for the library.
    pub direct: bool,
}

/// Takes a step and tells about it.
pub fn step(machine: &mut Machine, thread: usize, choice: u64) -> (Step, Taken) {
    let Next { mut what, calls } = next(machine, thread);
    let before = value(machine, what);
    let updates =
        matches!(machine.shared.status[thread].pending, Some(Pending::Memory { reads: true, writes: true, .. }));
    let frame = machine.thread(thread).frames.last();
    let functions = &machine.code.program.functions;
    let direct = frame.is_some_and(|frame| functions[frame.function.index()].origin != Origin::Model);
    let taken = take(machine, thread, choice);
    let after = value(machine, what);
    if let What::Memory { writes, .. } = &mut what
        && updates
        && before.is_some()
    {
        *writes &= after != before;
    }
    let then = next(machine, thread);
    let waits = waiting(machine, thread);
    let step = Step { thread, what, calls: calls.into(), after: then.calls.into(), then: then.what, waits, direct };
    (step, taken)
}

/// What a place of memory holds.
fn value(machine: &Machine, what: What) -> Option<u128> {
    let What::Memory { at, .. } = what else { return None };
    let (id, offset) = machine.shared.memory.resolve(at)?;
    let object = machine.shared.memory.object(id);
    let size = (object.bytes.len() as u64).saturating_sub(offset).min(8);
    (size > 0).then(|| object.read(offset, size as u32))
}

/// Delays that one step may go through.
const DELAYS: usize = 64;

/// Lets a thread take a step and all yields and sleeps after it, which change nothing: a loop that gives way in every round
/// is found idle as soon as one that does not.
pub fn advance(machine: &mut Machine, thread: usize, choice: u64) -> Option<Outcome> {
    let mut outcome = machine.step(thread, choice);
    for _ in 0..DELAYS {
        let delays = matches!(
            machine.shared.status[thread].pending,
            Some(Pending::Primitive { primitive: Primitive::ThreadYield | Primitive::ThreadSleep, .. })
        );
        if outcome.is_some() || !delays || machine.code.reads_clock {
            break;
        }
        outcome = machine.step(thread, 0);
    }
    outcome
}

/// Takes a step; a failure ends its thread, as if it had stopped just before.
pub fn take(machine: &mut Machine, thread: usize, choice: u64) -> Taken {
    match advance(machine, thread, choice) {
        None => Taken::On,
        Some(Outcome::Failed(failure)) => {
            machine.abandon(thread);
            Taken::Failed(failure)
        }
        Some(Outcome::Unasked(_) | Outcome::Excluded { .. }) => {
            machine.abandon(thread);
            Taken::On
        }
        Some(Outcome::Passed { .. }) => Taken::Ended,
        Some(Outcome::StepLimit { .. }) => Taken::TooLong,
        Some(Outcome::Unsupported { what, site }) => Taken::Unsupported(what, Box::new(site)),
    }
}

pub enum Taken {
    On,
    Failed(Box<vm::Failure>),
    Ended,
    TooLong,
    Unsupported(String, Box<vm::Site>),
}

/// Code in which registers that only count back-off rounds do not keep a loop from being idle.
pub fn code(program: &ir::Program, quiet: &[std::collections::HashSet<u32>]) -> Rc<Code> {
    let mut code = Code::new(program);
    let delays = quiet::delays(program);
    for ((function, quiet), source) in code.functions.iter_mut().zip(quiet).zip(&program.functions) {
        if quiet.is_empty() {
            continue;
        }
        let waiting = quiet::waiting_headers(source, &delays);
        for header in function.headers.iter_mut().filter(|header| waiting.contains(&header.position)) {
            header.live = header.live.iter().copied().filter(|register| !quiet.contains(register)).collect();
        }
    }
    Rc::new(code)
}
