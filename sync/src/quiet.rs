//! Registers of back-off code: they only determine how long a thread pauses, yields or sleeps.
//!
//! A wait that counts its iterations never returns to its header with equal registers, so no iteration would look idle,
//! and every count would be a state of its own. The effect of such counters is decided by the mark phase of aggressive
//! dead-code elimination: a value is live if it leaves the function, reaches memory, or controls code that does; the
//! other registers are quiet. A loop controlled by quiet registers only terminates and counts as a delay.

use std::collections::HashSet;

use ir::{Block, Callee, Function, FunctionId, Op, Operand, Primitive, Program, Reg, TerminatorKind};

/// For each function, the registers that are quiet; empty for functions that are not the user's.
pub fn quiet_registers(program: &Program) -> Vec<HashSet<u32>> {
    let delays = delays(program);
    let of = |function: &Function| match function.origin {
        ir::Origin::User if function.is_defined() => quiet(function, &delays),
        _ => HashSet::new(),
    };
    program.functions.iter().map(of).collect()
}

/// The headers of a function's loops that access memory, as positions of its code. All others are delays, which
/// terminate: in them even a quiet counter makes a difference.
pub fn waiting_headers(function: &Function, delays: &HashSet<FunctionId>) -> HashSet<u32> {
    let mut predecessors = vec![Vec::new(); function.blocks.len()];
    let mut positions = Vec::new();
    let mut position = 0;
    for (index, block) in function.blocks.iter().enumerate() {
        successors(block).into_iter().for_each(|next| predecessors[next].push(index));
        positions.push(position);
        // An invoke is followed by a jump.
        let jump = u32::from(matches!(block.terminator.kind, TerminatorKind::Invoke { .. }));
        position += block.instrs.len() as u32 + 1 + jump;
    }
    let mut found = HashSet::new();
    for (header, body) in loops(function, &predecessors) {
        if is_busy(function, &body, delays) {
            found.insert(positions[header]);
        }
    }
    found
}

fn is_busy(function: &Function, body: &HashSet<usize>, delays: &HashSet<FunctionId>) -> bool {
    body.iter().any(|&block| {
        let instrs = &function.blocks[block].instrs;
        instrs.iter().any(|instr| has_effect(&instr.op, delays) || matches!(instr.op, Op::Load { .. }))
    })
}

/// Functions that only let time pass: they neither read nor write memory that outlives them.
pub fn delays(program: &Program) -> HashSet<FunctionId> {
    let mut delays: HashSet<FunctionId> = HashSet::new();
    let names =
        ["sched_yield", "usleep", "nanosleep", "sleep", "pthread_yield", "thrd_yield", "thrd_sleep", "clock_nanosleep"];
    for (index, function) in program.functions.iter().enumerate() {
        if function.origin != ir::Origin::User && names.contains(&function.name.as_str()) {
            delays.insert(FunctionId(index as u32));
        }
    }
    loop {
        let before = delays.len();
        for (index, function) in program.functions.iter().enumerate() {
            let id = FunctionId(index as u32);
            let is_user = function.origin == ir::Origin::User && function.is_defined();
            if is_user && !delays.contains(&id) && function.returns.is_empty() && only_passes_time(function, &delays) {
                delays.insert(id);
            }
        }
        if delays.len() == before {
            return delays;
        }
    }
}

fn only_passes_time(function: &Function, delays: &HashSet<FunctionId>) -> bool {
    let locals: HashSet<Reg> = function
        .blocks
        .iter()
        .flat_map(|block| &block.instrs)
        .filter(|instr| matches!(instr.op, Op::Local { .. }))
        .flat_map(|instr| instr.results.iter().copied())
        .collect();
    let is_local = |operand: &Operand| matches!(operand, Operand::Reg(reg) if locals.contains(reg));
    function.blocks.iter().flat_map(|block| &block.instrs).all(|instr| match &instr.op {
        Op::Load { address, .. } | Op::Store { address, .. } => is_local(address),
        Op::Rmw { .. } | Op::CompareExchange { .. } | Op::Unsupported { .. } | Op::VariadicArguments => false,
        Op::Call { callee: Callee::Direct(callee), .. } => delays.contains(callee),
        Op::Call { .. } => false,
        Op::Primitive { primitive, .. } => is_delay(*primitive),
        _ => true,
    })
}

fn is_delay(primitive: Primitive) -> bool {
    matches!(primitive, Primitive::ThreadYield | Primitive::ThreadSleep)
}

struct Marking<'a> {
    function: &'a Function,
    /// By register: the block and instruction that define it; `None` for an instruction means a parameter of the block.
    definitions: Vec<Option<(usize, Option<usize>)>>,
    predecessors: Vec<Vec<usize>>,
    /// By block: the blocks whose terminators it is control dependent on.
    deciders: Vec<Vec<usize>>,
    heard: HashSet<u32>,
    blocks: HashSet<usize>,
    terminators: HashSet<usize>,
    queue: Vec<u32>,
}

fn quiet(function: &Function, delays: &HashSet<FunctionId>) -> HashSet<u32> {
    let count = function.blocks.len();
    let mut definitions = vec![None; function.registers.len()];
    let mut predecessors = vec![Vec::new(); count];
    for (index, block) in function.blocks.iter().enumerate() {
        for param in &block.params {
            definitions[param.index()] = Some((index, None));
        }
        for (at, instr) in block.instrs.iter().enumerate() {
            for result in &instr.results {
                definitions[result.index()] = Some((index, Some(at)));
            }
        }
        for next in successors(block) {
            predecessors[next].push(index);
        }
    }
    let deciders = control_dependences(function);
    let mut marking = Marking {
        function,
        definitions,
        predecessors,
        deciders,
        heard: HashSet::new(),
        blocks: HashSet::new(),
        terminators: HashSet::new(),
        queue: Vec::new(),
    };
    for (index, block) in function.blocks.iter().enumerate() {
        for instr in &block.instrs {
            if has_effect(&instr.op, delays) {
                operands(&instr.op, &mut |operand| marking.hear(operand));
                marking.hear_block(index);
            }
        }
        match &block.terminator.kind {
            TerminatorKind::Return(values) => {
                values.iter().for_each(|value| marking.hear(*value));
                marking.hear_block(index);
            }
            TerminatorKind::Invoke { args, .. } => {
                args.iter().for_each(|arg| marking.hear(*arg));
                marking.hear_block(index);
            }
            _ => {}
        }
    }
    // The exit of a waiting loop depends on memory: branches that depend on memory are always live.
    for block in &function.blocks {
        if let Some(Operand::Reg(reg)) = condition(block)
            && marking.comes_from_memory(reg)
        {
            marking.hear(Operand::Reg(reg));
        }
    }
    // A loop that accesses memory may have several exits, between which the choice matters. Only a loop without
    // accesses is a delay.
    for (_, body) in loops(function, &marking.predecessors) {
        let busy = is_busy(function, &body, delays);
        for &block in body.iter().filter(|_| busy) {
            if successors(&function.blocks[block]).iter().any(|next| !body.contains(next)) {
                marking.hear_terminator(block);
            }
        }
    }
    marking.run();
    (0..function.registers.len() as u32).filter(|register| !marking.heard.contains(register)).collect()
}

/// The header and the blocks of each loop, found backwards from its back edge.
fn loops(function: &Function, predecessors: &[Vec<usize>]) -> Vec<(usize, HashSet<usize>)> {
    let mut found = Vec::new();
    for (from, block) in function.blocks.iter().enumerate() {
        for header in successors(block).into_iter().filter(|&next| next <= from) {
            let mut body = HashSet::from([header]);
            let mut queue = vec![from];
            while let Some(block) = queue.pop() {
                if body.insert(block) {
                    queue.extend(predecessors[block].iter().copied());
                }
            }
            found.push((header, body));
        }
    }
    found
}

impl Marking<'_> {
    fn hear(&mut self, operand: Operand) {
        if let Operand::Reg(reg) = operand
            && self.heard.insert(reg.0)
        {
            self.queue.push(reg.0);
        }
    }

    fn hear_block(&mut self, block: usize) {
        if !self.blocks.insert(block) {
            return;
        }
        for decider in self.deciders[block].clone() {
            self.hear_terminator(decider);
        }
    }

    fn hear_terminator(&mut self, block: usize) {
        if !self.terminators.insert(block) {
            return;
        }
        if let Some(operand) = condition(&self.function.blocks[block]) {
            self.hear(operand);
        }
        self.hear_block(block);
    }

    fn run(&mut self) {
        while let Some(register) = self.queue.pop() {
            let Some((block, at)) = self.definitions[register as usize] else { continue };
            let function = self.function;
            match at {
                Some(at) => operands(&function.blocks[block].instrs[at].op, &mut |operand| self.hear(operand)),
                None => {
                    // The value of a parameter depends on the branch by which control arrives.
                    let position = function.blocks[block].params.iter().position(|param| param.0 == register);
                    for from in self.predecessors[block].clone() {
                        for target in targets(&function.blocks[from].terminator.kind) {
                            if target.block.index() == block
                                && let Some(arg) = position.and_then(|position| target.args.get(position))
                            {
                                self.hear(*arg);
                            }
                        }
                        if self.predecessors[block].len() > 1 {
                            self.hear_block(from);
                        }
                    }
                    if self.predecessors[block].len() > 1 {
                        for from in self.predecessors[block].clone() {
                            if condition(&function.blocks[from]).is_some() {
                                self.hear_terminator(from);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whether a value depends on memory or on the result of a call, within one expression.
    fn comes_from_memory(&self, register: Reg) -> bool {
        let mut seen = HashSet::new();
        let mut queue = vec![register];
        while let Some(register) = queue.pop() {
            if !seen.insert(register) {
                continue;
            }
            let Some((block, Some(at))) = self.definitions[register.index()] else { continue };
            let op = &self.function.blocks[block].instrs[at].op;
            if matches!(op, Op::Load { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } | Op::Call { .. })
                || matches!(op, Op::Primitive { .. })
            {
                return true;
            }
            operands(op, &mut |operand| {
                if let Operand::Reg(reg) = operand {
                    queue.push(reg);
                }
            });
        }
        false
    }
}

fn has_effect(op: &Op, delays: &HashSet<FunctionId>) -> bool {
    match op {
        Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } | Op::Unsupported { .. } => true,
        Op::VariadicArguments | Op::Local { .. } => true,
        Op::Call { callee: Callee::Direct(callee), .. } => !delays.contains(callee),
        Op::Call { .. } => true,
        Op::Primitive { primitive, .. } => !is_delay(*primitive),
        _ => false,
    }
}

fn condition(block: &Block) -> Option<Operand> {
    match &block.terminator.kind {
        TerminatorKind::Branch { cond, .. } => Some(*cond),
        TerminatorKind::Switch { value, .. } => Some(*value),
        _ => None,
    }
}

fn targets(kind: &TerminatorKind) -> Vec<&ir::Target> {
    semantics::liveness::targets(kind)
}

pub fn successors(block: &Block) -> Vec<usize> {
    match &block.terminator.kind {
        TerminatorKind::Invoke { next, unwind, .. } => vec![next.index(), unwind.index()],
        kind => targets(kind).iter().map(|target| target.block.index()).collect(),
    }
}

fn operands(op: &Op, take: &mut impl FnMut(Operand)) {
    match op {
        Op::Unary { arg, .. } | Op::Cast { arg, .. } => take(*arg),
        Op::Binary { left, right, .. }
        | Op::Overflowing { left, right, .. }
        | Op::Compare { left, right, .. }
        | Op::FloatCompare { left, right, .. } => [left, right].into_iter().for_each(|operand| take(*operand)),
        Op::FusedMultiplyAdd { left, right, addend } => {
            [left, right, addend].into_iter().for_each(|operand| take(*operand));
        }
        Op::Select { cond, then, otherwise } => [cond, then, otherwise].into_iter().for_each(|operand| take(*operand)),
        Op::Address { base, indices, .. } => {
            take(*base);
            indices.iter().for_each(|(index, _)| take(*index));
        }
        Op::Local { size, .. } => take(*size),
        Op::Load { address, .. } => take(*address),
        Op::Store { address, value, .. } | Op::Rmw { address, value, .. } => {
            take(*address);
            take(*value);
        }
        Op::CompareExchange { address, expected, new, .. } => {
            [address, expected, new].into_iter().for_each(|operand| take(*operand));
        }
        Op::Call { callee, args } => {
            if let Callee::Indirect(callee) = callee {
                take(*callee);
            }
            args.iter().for_each(|arg| take(*arg));
        }
        Op::Primitive { args, .. } => args.iter().for_each(|arg| take(*arg)),
        Op::ThreadLocal { .. } | Op::Fence { .. } | Op::VariadicArguments | Op::Unsupported { .. } => {}
    }
}

/// Control dependences of blocks (Ferrante, Ottenstein and Warren 1987), from post-dominator sets. Blocks that cannot
/// reach the end post-dominate nothing.
fn control_dependences(function: &Function) -> Vec<Vec<usize>> {
    let count = function.blocks.len();
    let next: Vec<Vec<usize>> = function.blocks.iter().map(successors).collect();
    let words = count.div_ceil(64);
    let full = vec![u64::MAX; words];
    let mut post: Vec<Vec<u64>> = vec![full; count];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..count).rev() {
            let mut set = vec![0_u64; words];
            if let Some((&first, rest)) = next[block].split_first() {
                set.clone_from(&post[first]);
                for &other in rest {
                    for (word, theirs) in set.iter_mut().zip(&post[other]) {
                        *word &= theirs;
                    }
                }
            }
            set[block / 64] |= 1 << (block % 64);
            if set != post[block] {
                post[block] = set;
                changed = true;
            }
        }
    }
    let holds = |set: &[u64], block: usize| set[block / 64] >> (block % 64) & 1 == 1;
    let mut deciders = vec![Vec::new(); count];
    for from in 0..count {
        if next[from].len() < 2 {
            continue;
        }
        for (block, list) in deciders.iter_mut().enumerate() {
            let strictly = block != from && holds(&post[from], block);
            if !strictly && next[from].iter().any(|&to| holds(&post[to], block)) {
                list.push(from);
            }
        }
    }
    deciders
}
