//! Loop headers of a function, and the registers that are live there.
//!
//! A register is defined once, but a loop executes its definition again: two visits to a header within one call are the
//! same state of the frame if all live registers are equal.

use ir::{Block, Function, Op, Operand, Reg, Target, TerminatorKind};

/// For each block: the registers that are live at its begin, if the block is the target of a backward jump.
pub fn headers(function: &Function) -> Vec<Option<Vec<u32>>> {
    let count = function.blocks.len();
    let backward = backward_targets(function);
    if !backward.iter().any(|&is| is) {
        return vec![None; count];
    }
    let live = live_in(function);
    (0..count).map(|block| backward[block].then(|| live[block].iter().collect())).collect()
}

/// For each instruction and terminator, in the order in which code is laid out: the registers that are live before it.
pub fn live_before(function: &Function) -> Vec<Box<[u32]>> {
    let live = live_in(function);
    let mut all = Vec::new();
    for block in &function.blocks {
        let mut now = live_out(function, block, &live);
        let mut backward: Vec<Box<[u32]>> = Vec::new();
        if matches!(block.terminator.kind, TerminatorKind::Invoke { .. }) {
            // The jump that is laid out after the call: registers that are live at the landing block are live there
            // too.
            backward.push(now.iter().collect());
        }
        terminator_operands(&block.terminator.kind, &mut |reg| now.insert(reg.0));
        backward.push(now.iter().collect());
        for instr in block.instrs.iter().rev() {
            for result in &instr.results {
                now.remove(result.0);
            }
            operands(&instr.op, &mut |reg| now.insert(reg.0));
            backward.push(now.iter().collect());
        }
        backward.reverse();
        all.extend(backward);
    }
    all
}

/// The targets with arguments; not those of an invoke, whose blocks get theirs from elsewhere.
pub fn targets(kind: &TerminatorKind) -> Vec<&Target> {
    match kind {
        TerminatorKind::Jump(target) => vec![target],
        TerminatorKind::Branch { then, otherwise, .. } => vec![then, otherwise],
        TerminatorKind::Switch { cases, default, .. } => {
            cases.iter().map(|(_, target)| target).chain([default]).collect()
        }
        TerminatorKind::Invoke { .. } | TerminatorKind::Return(_) | TerminatorKind::Unreachable => Vec::new(),
    }
}

/// The blocks that may follow.
fn successors(kind: &TerminatorKind) -> Vec<usize> {
    match kind {
        TerminatorKind::Invoke { next, unwind, .. } => vec![next.index(), unwind.index()],
        _ => targets(kind).iter().map(|target| target.block.index()).collect(),
    }
}

/// Blocks that a depth-first walk meets again while they are on its path.
fn backward_targets(function: &Function) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        White,
        Grey,
        Black,
    }
    let count = function.blocks.len();
    let mut colour = vec![Colour::White; count];
    let mut is_target = vec![false; count];
    let mut stack: Vec<(usize, usize)> = vec![(0, 0)];
    let successors: Vec<Vec<usize>> = function.blocks.iter().map(|block| successors(&block.terminator.kind)).collect();
    colour[0] = Colour::Grey;
    while let Some((block, next)) = stack.pop() {
        match successors[block].get(next) {
            None => colour[block] = Colour::Black,
            Some(&successor) => {
                stack.push((block, next + 1));
                match colour[successor] {
                    Colour::White => {
                        colour[successor] = Colour::Grey;
                        stack.push((successor, 0));
                    }
                    Colour::Grey => is_target[successor] = true,
                    Colour::Black => {}
                }
            }
        }
    }
    is_target
}

#[derive(Clone, PartialEq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, bit: u32) {
        self.0[bit as usize / 64] |= 1 << (bit % 64);
    }

    fn remove(&mut self, bit: u32) {
        self.0[bit as usize / 64] &= !(1 << (bit % 64));
    }

    fn union(&mut self, other: &Bits) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| (index * 64 + bit) as u32)
        })
    }
}

/// The live registers after a block's terminator; parameters of the next block are assigned on the edge.
fn live_out(function: &Function, block: &Block, live: &[Bits]) -> Bits {
    let mut now = Bits::new(function.registers.len());
    for next in successors(&block.terminator.kind) {
        let mut through = live[next].clone();
        for param in &function.blocks[next].params {
            through.remove(param.0);
        }
        now.union(&through);
    }
    now
}

/// A block's parameters count as live at its begin when they are used.
fn live_in(function: &Function) -> Vec<Bits> {
    let registers = function.registers.len();
    let mut live = vec![Bits::new(registers); function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in function.blocks.iter().enumerate().rev() {
            let mut now = live_out(function, block, &live);
            terminator_operands(&block.terminator.kind, &mut |reg| now.insert(reg.0));
            for instr in block.instrs.iter().rev() {
                for result in &instr.results {
                    now.remove(result.0);
                }
                operands(&instr.op, &mut |reg| now.insert(reg.0));
            }
            if now != live[index] {
                live[index] = now;
                changed = true;
            }
        }
    }
    live
}

fn terminator_operands(kind: &TerminatorKind, visit: &mut impl FnMut(Reg)) {
    for target in targets(kind) {
        all(&target.args, visit);
    }
    match kind {
        TerminatorKind::Branch { cond: value, .. } | TerminatorKind::Switch { value, .. } => one(value, visit),
        TerminatorKind::Return(values) => all(values, visit),
        TerminatorKind::Invoke { callee, args, .. } => {
            if let ir::Callee::Indirect(callee) = callee {
                one(callee, visit);
            }
            all(args, visit);
        }
        TerminatorKind::Jump(_) | TerminatorKind::Unreachable => {}
    }
}

fn one(operand: &Operand, visit: &mut impl FnMut(Reg)) {
    if let Operand::Reg(reg) = operand {
        visit(*reg);
    }
}

fn all(operands: &[Operand], visit: &mut impl FnMut(Reg)) {
    for operand in operands {
        one(operand, visit);
    }
}

/// Calls `visit` with every register that an operation reads.
pub fn operands(op: &Op, visit: &mut impl FnMut(Reg)) {
    match op {
        Op::Unary { arg, .. } | Op::Cast { arg, .. } => one(arg, visit),
        Op::Binary { left, right, .. }
        | Op::Overflowing { left, right, .. }
        | Op::Compare { left, right, .. }
        | Op::FloatCompare { left, right, .. } => all(&[*left, *right], visit),
        Op::FusedMultiplyAdd { left, right, addend } => all(&[*left, *right, *addend], visit),
        Op::Select { cond, then, otherwise } => all(&[*cond, *then, *otherwise], visit),
        Op::Address { base, indices, .. } => {
            one(base, visit);
            for (index, _) in indices {
                one(index, visit);
            }
        }
        Op::Local { size, .. } => one(size, visit),
        Op::Load { address, .. } => one(address, visit),
        Op::Store { address, value, .. } | Op::Rmw { address, value, .. } => all(&[*address, *value], visit),
        Op::CompareExchange { address, expected, new, .. } => all(&[*address, *expected, *new], visit),
        Op::Call { callee, args } => {
            if let ir::Callee::Indirect(callee) = callee {
                one(callee, visit);
            }
            all(args, visit);
        }
        Op::Primitive { args, .. } => all(args, visit),
        Op::ThreadLocal { .. } | Op::Fence { .. } | Op::VariadicArguments | Op::Unsupported { .. } => {}
    }
}
