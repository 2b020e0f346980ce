//! One step of a program, with its accesses and its calls of the user's code.

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
    /// The first instruction, the end, or resuming after a wait: invisible to other threads.
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

/// The next operation of a thread.
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

/// The next operation of a thread, and its calls.
pub fn next(machine: &Machine, thread: usize) -> Next {
    Next { what: what(machine, thread), calls: calls(machine, thread) }
}

/// The next operation of a thread.
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
        // A yield has no effect.
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

/// The place at which a blocked thread waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// The beginning of the loop, or the call of the wait.
    pub span: SpanId,
    /// The memory locations a change of which would wake it; for a condition variable, that and its mutex. Empty if any
    /// change would.
    pub places: Vec<u64>,
    pub on_condition: bool,
}

/// The loop or condition variable at which a thread waits, if it does.
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

/// The source place of a call's current instruction.
pub fn span_of(code: &Code, call: Call) -> SpanId {
    code.function(call.function).spans.get(call.position as usize).copied().unwrap_or(SpanId::NONE)
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct Step {
    pub thread: usize,
    /// A write that does not change the value, such as a failed compare-exchange, is reported as a read.
    pub what: What,
    /// The user's calls before the step and after it, innermost first.
    pub calls: Rc<[Call]>,
    pub after: Rc<[Call]>,
    /// The next operation of the thread.
    pub then: What,
    /// It waits from here on.
    pub waits: Option<Waits>,
    /// The program's own code did it, and not a model of the library.
    pub direct: bool,
}

/// Executes a step and returns its effects.
pub fn step(machine: &mut Machine, thread: usize, choice: u64) -> (Step, Taken) {
    let Next { mut what, calls } = next(machine, thread);
    let before = value(machine, what);
    let updates =
        matches!(machine.shared.status[thread].pending, Some(Pending::Memory { reads: true, writes: true, .. }));
    let frame = machine.thread(thread).frames.last();
    let functions = &machine.code.program.functions;
    let direct = frame.is_some_and(|frame| functions[frame.function.index()].origin != Origin::Model);
    let outcome = advance(machine, thread, choice);
    // A failed thread loses its calls when it is abandoned. It has left those that it failed outside of.
    let failed_in = matches!(outcome, Some(Outcome::Failed(_))).then(|| self::calls(machine, thread));
    let taken = settle(machine, thread, outcome);
    let after = value(machine, what);
    if let What::Memory { writes, .. } = &mut what
        && updates
        && before.is_some()
    {
        *writes &= after != before;
    }
    let then = match failed_in {
        Some(calls) => Next { what, calls },
        None => next(machine, thread),
    };
    let waits = waiting(machine, thread);
    let step = Step { thread, what, calls: calls.into(), after: then.calls.into(), then: then.what, waits, direct };
    (step, taken)
}

/// The contents of a memory location.
fn value(machine: &Machine, what: What) -> Option<u128> {
    let What::Memory { at, .. } = what else { return None };
    let (id, offset) = machine.shared.memory.resolve(at)?;
    let object = machine.shared.memory.object(id);
    let size = (object.bytes.len() as u64).saturating_sub(offset).min(8);
    (size > 0).then(|| object.read(offset, size as u32))
}

/// Delays that one step may go through.
const DELAYS: usize = 64;

/// Executes a step of a thread and all following yields and sleeps, which have no effect: a loop that yields in every
/// iteration is found idle as early as one that does not.
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
    let outcome = advance(machine, thread, choice);
    settle(machine, thread, outcome)
}

fn settle(machine: &mut Machine, thread: usize, outcome: Option<Outcome>) -> Taken {
    match outcome {
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
