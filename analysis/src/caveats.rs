//! The limits of the verdict on a program, found in the program and, for races, in two runs of it.

use std::collections::BTreeSet;

use ir::{
    Callee, Function, FunctionId, Op, Operand, Ordering, Origin, Primitive, Program, SpanId, TerminatorKind, Type,
};
use report::{Assumption, BeyondSc, Caveats, Place, Weak, WeakOrder, Where};
use vm::strategy::{Random, Strategy, Undisturbed};
use vm::{FailureKind, Outcome};

use crate::program::{Loaded, Settings};

/// The step limit of runs that only search for races.
const STEPS: u64 = 2_000_000;

/// All limits of a verdict. Effects of other memory models are determined only if there is no failure.
pub fn caveats(loaded: &Loaded, settings: &Settings, passes: bool) -> Caveats {
    Caveats {
        assumptions: assumptions(&loaded.program, settings),
        beyond_sc: passes.then(|| beyond_sc(loaded, settings)),
        ..Caveats::default()
    }
}

/// The assumptions about the environment that are relevant to the program.
fn assumptions(program: &Program, settings: &Settings) -> Vec<Assumption> {
    let used = used_primitives(program);
    let uses = |wanted: &[Primitive]| used.iter().any(|used| wanted.iter().any(|wanted| used.contains(wanted)));
    // Streams and threads of the models have memory of their own, which does not belong to the program.
    let own = [Primitive::FileWrite, Primitive::FileRead, Primitive::FileOpen, Primitive::ThreadCreate];
    let owns = |wanted: Primitive| {
        used.iter().any(|used| used.contains(&wanted) && !own.iter().any(|other| used.contains(other)))
    };
    let timed = [
        Primitive::MutexTimedLock,
        Primitive::CondTimedWait,
        Primitive::RwTimedRead,
        Primitive::RwTimedWrite,
        Primitive::SemTimedWait,
        Primitive::ThreadTimedJoin,
    ];
    let waits = uses(&[Primitive::CondWait, Primitive::CondTimedWait, Primitive::MonitorWait]);
    let weak = |op: &Op| matches!(op, Op::CompareExchange { weak: true, .. });
    let mut exchanges = program.functions.iter().filter(|function| function.origin != Origin::Model).flat_map(ops);
    let main = program.functions.iter().find(|function| function.name == "main");
    let takes_arguments = main.and_then(|main| main.blocks.first()).is_some_and(|first| !first.params.is_empty());
    let reads = uses(&[Primitive::FileRead, Primitive::FileOpen, Primitive::InputVariable]);
    let all = [
        (Assumption::AllocationSucceeds, owns(Primitive::MemoryAlloc)),
        (Assumption::ThreadCreationSucceeds, uses(&[Primitive::ThreadCreate])),
        (Assumption::NoAddressReuse, !settings.reuse && owns(Primitive::MemoryFree)),
        (Assumption::NoSpuriousWakeups, !settings.spurious && waits),
        (Assumption::WeakExchangeSucceeds, exchanges.any(weak)),
        (Assumption::AnyTimeout, uses(&timed)),
        (Assumption::OutputSucceeds, uses(&[Primitive::FileWrite])),
        (Assumption::GivenInputs, reads || takes_arguments),
    ];
    all.into_iter().filter(|(_, matters)| *matters).map(|(assumption, _)| assumption).collect()
}

/// By model that other code calls, the primitives that it can reach by direct calls.
fn used_primitives(program: &Program) -> Vec<Vec<Primitive>> {
    let is_model = |function: FunctionId| program.functions[function.index()].origin == Origin::Model;
    let others = program.functions.iter().filter(|function| function.origin != Origin::Model);
    let called: BTreeSet<FunctionId> = others.flat_map(callees).filter(|&callee| is_model(callee)).collect();
    called.into_iter().map(|model| reached_primitives(program, model)).collect()
}

fn reached_primitives(program: &Program, from: FunctionId) -> Vec<Primitive> {
    let (mut seen, mut open, mut found) = (BTreeSet::from([from]), vec![from], Vec::new());
    while let Some(function) = open.pop().map(|id| &program.functions[id.index()]) {
        found.extend(ops(function).filter_map(|op| match op {
            Op::Primitive { primitive, .. } => Some(*primitive),
            _ => None,
        }));
        open.extend(callees(function).filter(|&callee| seen.insert(callee)));
    }
    found
}

fn callees(function: &Function) -> impl Iterator<Item = FunctionId> + '_ {
    let direct = |callee: &Callee| match callee {
        Callee::Direct(callee) => Some(*callee),
        Callee::Indirect(_) => None,
    };
    let calls = ops(function).filter_map(move |op| match op {
        Op::Call { callee, .. } => direct(callee),
        _ => None,
    });
    let invokes = function.blocks.iter().filter_map(move |block| match &block.terminator.kind {
        TerminatorKind::Invoke { callee, .. } => direct(callee),
        _ => None,
    });
    calls.chain(invokes)
}

fn ops(function: &Function) -> impl Iterator<Item = &Op> {
    function.blocks.iter().flat_map(|block| &block.instrs).map(|instr| &instr.op)
}

/// Accesses for which a weaker memory model than sequential consistency may allow more. None if there is one thread.
fn beyond_sc(loaded: &Loaded, settings: &Settings) -> BeyondSc {
    let create = |op: &Op| matches!(op, Op::Primitive { primitive: Primitive::ThreadCreate, .. });
    if !loaded.program.functions.iter().flat_map(ops).any(create) {
        return BeyondSc::default();
    }
    BeyondSc { weak: weak_atomics(&loaded.program), races: race(loaded, settings).into_iter().collect() }
}

/// Atomic accesses in the user's code whose order is not `seq_cst`. The C++ library chooses the order of an access at
/// run time; for those the order that the user's code passes counts.
fn weak_atomics(program: &Program) -> Vec<Weak> {
    let mut found = Vec::new();
    for function in program.functions.iter().filter(|function| function.origin == Origin::User) {
        let mut note = |order: Option<WeakOrder>, span: SpanId| {
            if let (Some(order), Some(at)) = (order, Place::of_span(program, span)) {
                found.push(Weak { at, order });
            }
        };
        for block in &function.blocks {
            for instr in &block.instrs {
                let order = match &instr.op {
                    Op::Call { callee: Callee::Direct(callee), args, .. } => {
                        passed_order(function, &program.functions[callee.index()], args)
                    }
                    op => own_order(op),
                };
                note(order, instr.span);
            }
            if let TerminatorKind::Invoke { callee: Callee::Direct(callee), args, .. } = &block.terminator.kind {
                note(passed_order(function, &program.functions[callee.index()], args), block.terminator.span);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn own_order(op: &Op) -> Option<WeakOrder> {
    match op {
        Op::Load { ordering, .. } | Op::Store { ordering, .. } => ordering.and_then(weak),
        Op::Rmw { ordering, .. } => weak(*ordering),
        Op::CompareExchange { success, failure, .. } => weak(*success).or(weak(*failure)),
        _ => None,
    }
}

fn weak(ordering: Ordering) -> Option<WeakOrder> {
    match ordering {
        Ordering::Relaxed => Some(WeakOrder::Relaxed),
        Ordering::Acquire => Some(WeakOrder::Acquire),
        Ordering::Release => Some(WeakOrder::Release),
        Ordering::AcquireRelease => Some(WeakOrder::AcquireRelease),
        Ordering::SequentiallyConsistent => None,
    }
}

/// `std::memory_order` in mangled names.
const MEMORY_ORDER: &str = "St12memory_order";

/// The weakest order that a call passes to an atomic of the C++ library. Orders are the last arguments.
fn passed_order(caller: &Function, callee: &Function, args: &[Operand]) -> Option<WeakOrder> {
    if callee.origin == Origin::User || !callee.name.contains(MEMORY_ORDER) || callee.name.contains("fence") {
        return None;
    }
    let orders = match callee.name.contains("compare_exchange") {
        // After the pointer, the expected and the new value.
        true => args.get(3..).unwrap_or_default(),
        false => args.get(args.len().saturating_sub(1)..).unwrap_or_default(),
    };
    orders.iter().find_map(|order| match order {
        Operand::Const { ty: Type::Int(32), bits } => match bits {
            0 => Some(WeakOrder::Relaxed),
            1 => Some(WeakOrder::Consume),
            2 => Some(WeakOrder::Acquire),
            3 => Some(WeakOrder::Release),
            4 => Some(WeakOrder::AcquireRelease),
            _ => None,
        },
        Operand::Reg(reg) if caller.registers[reg.index()].ty == Type::Int(32) => Some(WeakOrder::Computed),
        _ => None,
    })
}

/// A data race in a run without preemptions or in one by chance. Most races are races in every order.
fn race(loaded: &Loaded, settings: &Settings) -> Option<[Place; 2]> {
    // If races were searched for and none was found, there is nothing to add.
    if settings.properties.kinds().contains(&FailureKind::Race) {
        return None;
    }
    let options = settings.options(false);
    let step_limit = options.step_limit.min(STEPS);
    let options = vm::Options { properties: vec![FailureKind::Race], step_limit, ..options };
    let mut strategies: [Box<dyn Strategy>; 2] = [Box::new(Undisturbed::new()), Box::new(Random::new(1))];
    strategies.iter_mut().find_map(|strategy| {
        let Outcome::Failed(failure) = vm::execute(&loaded.code, &options, strategy.as_mut()).outcome else {
            return None;
        };
        let place = |site| Where::new(&loaded.program, site).place().cloned();
        let other = failure.related.first().and_then(|(_, site)| place(site))?;
        Some([other, place(&failure.site)?])
    })
}
