//! The order of a function's blocks for a walk of all paths at once: a place that precedes another on some path
//! precedes it in the order, and the blocks of a loop are contiguous, its header first. So the path that is furthest
//! behind can go first, until all paths to a place have arrived and are merged.

use std::cell::OnceCell;
use std::rc::Rc;

use ir::{BinaryOp, FunctionId};
use semantics::code::{Code, Edge, FunctionCode, Inst};

use crate::bounded::log::Noted;

#[derive(Debug)]
pub struct Shape {
    /// Where each block begins.
    starts: Vec<u32>,
    /// By position: the block.
    blocks: Vec<u32>,
    /// By position: the number of instructions from there on that only compute numbers from numbers.
    plain: Vec<u32>,
    /// By position: the logged values of a run.
    noted: Vec<Option<Noted>>,
    /// By block: its place in the order.
    pub order: Vec<u32>,
    /// By block: its position in the order of the walk. It is that order, but for blocks that lead only to an end,
    /// which come first: no path waits to be merged there.
    pub walk_order: Vec<u32>,
    /// By block: the headers of the loops that it is in, the outermost first.
    pub loops: Vec<Rc<[u32]>>,
}

impl Shape {
    pub fn new(function: &FunctionCode) -> Shape {
        let starts = starts(function);
        let successors: Vec<Vec<u32>> =
            (0..starts.len()).map(|block| successors(function, &starts, block as u32)).collect();
        let doomed = doomed(function, &starts, &successors);
        let count = starts.len();
        let mut shape = Shape {
            blocks: blocks(&starts, function.insts.len()),
            plain: plain(function),
            noted: function.insts.iter().map(|inst| Noted::of(function, inst)).collect(),
            starts,
            order: vec![0; count],
            walk_order: Vec::new(),
            loops: vec![Rc::from([]); count],
        };
        let all: Vec<u32> = (0..count as u32).collect();
        let mut next = count as u32;
        arrange(&successors, &all, &[], &mut shape, &mut next);
        let comes_first = |block: usize| doomed[block] && shape.loops[block].is_empty();
        let walked = |(block, &order): (usize, &u32)| if comes_first(block) { order - count as u32 } else { order };
        shape.walk_order = shape.order.iter().enumerate().map(walked).collect();
        shape
    }

    pub fn block_at(&self, position: u32) -> u32 {
        self.blocks.get(position as usize).copied().unwrap_or_default()
    }

    pub fn noted_at(&self, position: u32) -> Option<&Noted> {
        self.noted.get(position as usize)?.as_ref()
    }

    /// The number of instructions from a position on that only compute numbers, so that a thread executes them at once.
    pub fn plain_from(&self, position: u32) -> u64 {
        self.plain.get(position as usize).map_or(0, |&count| u64::from(count))
    }

    pub fn start_of(&self, block: u32) -> u32 {
        self.starts[block as usize]
    }
}

fn edges(function: &FunctionCode, inst: &Inst) -> Vec<u32> {
    match inst {
        Inst::Jump(edge) => vec![edge.position],
        Inst::Branch { then, otherwise, .. } => vec![then.position, otherwise.position],
        Inst::Switch { edges, .. } => edges.of(&function.edges).iter().map(|edge| edge.position).collect(),
        Inst::Invoke { unwind, .. } => vec![*unwind],
        _ => Vec::new(),
    }
}

fn starts(function: &FunctionCode) -> Vec<u32> {
    let mut starts = vec![0];
    for (position, inst) in function.insts.iter().enumerate() {
        starts.extend(edges(function, inst));
        let ends = matches!(
            inst,
            Inst::Jump(_) | Inst::Branch { .. } | Inst::Switch { .. } | Inst::Return { .. } | Inst::Unreachable
        );
        if ends && position + 1 < function.insts.len() {
            starts.push(position as u32 + 1);
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

fn blocks(starts: &[u32], count: usize) -> Vec<u32> {
    (0..=count as u32)
        .map(|position| starts.partition_point(|&start| start <= position).saturating_sub(1) as u32)
        .collect()
}

fn plain(function: &FunctionCode) -> Vec<u32> {
    let mut counts = vec![0; function.insts.len()];
    let mut count = 0;
    for (position, inst) in function.insts.iter().enumerate().rev() {
        count = if is_plain(inst) { count + 1 } else { 0 };
        counts[position] = count;
    }
    counts
}

/// Whether an instruction reads and writes registers alone, cannot fail, and gives a term for terms.
fn is_plain(inst: &Inst) -> bool {
    match inst {
        Inst::Binary { op, ty, .. } => {
            let divides =
                matches!(op, BinaryOp::UnsignedDiv | BinaryOp::SignedDiv | BinaryOp::UnsignedRem | BinaryOp::SignedRem);
            !divides && !ty.is_float()
        }
        Inst::Unary { ty, .. } => !ty.is_float(),
        Inst::Cast { from, ty, .. } => !from.is_float() && !ty.is_float(),
        Inst::Compare { .. } | Inst::Select { .. } | Inst::Address { .. } | Inst::AddressOfMany { .. } => true,
        _ => false,
    }
}

fn body<'f>(function: &'f FunctionCode, starts: &[u32], block: u32) -> &'f [Inst] {
    let begin = starts[block as usize] as usize;
    let end = starts.get(block as usize + 1).map_or(function.insts.len(), |&next| next as usize);
    function.insts.get(begin..end).unwrap_or_default()
}

fn successors(function: &FunctionCode, starts: &[u32], block: u32) -> Vec<u32> {
    let number = |position: u32| starts.partition_point(|&start| start <= position).saturating_sub(1) as u32;
    let mut next: Vec<u32> =
        body(function, starts, block).iter().flat_map(|inst| edges(function, inst)).map(number).collect();
    next.sort_unstable();
    next.dedup();
    next
}

/// Blocks from which no path returns.
fn doomed(function: &FunctionCode, starts: &[u32], successors: &[Vec<u32>]) -> Vec<bool> {
    let returns = |block: usize| {
        let last = body(function, starts, block as u32).last();
        matches!(last, Some(Inst::Return { .. }))
            || (successors[block].is_empty() && !matches!(last, Some(Inst::Unreachable)))
    };
    let mut saved: Vec<bool> = (0..starts.len()).map(returns).collect();
    loop {
        let before = saved.iter().filter(|&&is| is).count();
        for block in (0..starts.len()).rev() {
            saved[block] |= successors[block].iter().any(|&next| saved[next as usize]);
        }
        if saved.iter().filter(|&&is| is).count() == before {
            break;
        }
    }
    // In a function that never returns this has no meaning.
    if saved.iter().all(|&is| !is) {
        return saved;
    }
    saved.into_iter().map(|is| !is).collect()
}

/// Gives these blocks their places, without the edges to the headers of the loops around them.
fn arrange(successors: &[Vec<u32>], blocks: &[u32], around: &[u32], shape: &mut Shape, next: &mut u32) {
    let inside: std::collections::HashSet<u32> = blocks.iter().copied().collect();
    for component in components(successors, blocks, &inside) {
        let first = component[0];
        let is_loop = component.len() > 1 || successors[first as usize].contains(&first);
        if !is_loop {
            shape.order[first as usize] = *next;
            shape.loops[first as usize] = around.into();
            *next += 1;
            continue;
        }
        let header = component.iter().copied().min().unwrap_or(first);
        let loops: Vec<u32> = around.iter().copied().chain([header]).collect();
        shape.order[header as usize] = *next;
        shape.loops[header as usize] = loops.as_slice().into();
        *next += 1;
        let rest: Vec<u32> = component.into_iter().filter(|&block| block != header).collect();
        arrange(successors, &rest, &loops, shape, next);
    }
}

/// Strongly connected components, those that lead to others first.
fn components(successors: &[Vec<u32>], blocks: &[u32], inside: &std::collections::HashSet<u32>) -> Vec<Vec<u32>> {
    #[derive(Clone, Copy, Default)]
    struct Mark {
        index: u32,
        low: u32,
        on_stack: bool,
    }
    let mut marks = std::collections::HashMap::<u32, Mark>::new();
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for &root in blocks {
        if marks.contains_key(&root) {
            continue;
        }
        let mut calls: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some(&(block, at)) = calls.last() {
            if at == 0 {
                count += 1;
                marks.insert(block, Mark { index: count, low: count, on_stack: true });
                stack.push(block);
            }
            let following = successors[block as usize].iter().copied().filter(|next| inside.contains(next)).nth(at);
            if let Some(next) = following {
                calls.last_mut().expect("it is being visited").1 += 1;
                match marks.get(&next).copied() {
                    None => calls.push((next, 0)),
                    Some(mark) if mark.on_stack => {
                        let own = marks.entry(block).or_default();
                        own.low = own.low.min(mark.index);
                    }
                    Some(_) => {}
                }
                // A block without successors so far would be entered again.
                continue;
            }
            calls.pop();
            let own = marks.get(&block).copied().unwrap_or_default();
            if let Some(&(caller, _)) = calls.last() {
                let mark = marks.entry(caller).or_default();
                mark.low = mark.low.min(own.low);
            }
            if own.low == own.index {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    marks.entry(member).or_default().on_stack = false;
                    component.push(member);
                    if member == block {
                        break;
                    }
                }
                found.push(component);
            }
        }
    }
    found.reverse();
    found
}

/// The shapes of all functions, made when they are needed.
#[derive(Debug)]
pub struct Shapes(Vec<OnceCell<Shape>>);

impl Shapes {
    pub fn new(code: &Code) -> Shapes {
        Shapes(code.functions.iter().map(|_| OnceCell::new()).collect())
    }

    pub fn of(&self, code: &Code, function: FunctionId) -> &Shape {
        self.0[function.index()].get_or_init(|| Shape::new(code.function(function)))
    }
}

/// Whether a path leads straight to an end: a failed assertion, an abort.
pub fn ends(function: &FunctionCode, edge: &Edge) -> bool {
    /// Messages are prepared on the path.
    const FAR: usize = 64;
    let mut position = edge.position as usize;
    for _ in 0..FAR {
        match function.insts.get(position) {
            Some(Inst::Unreachable) => return true,
            Some(Inst::Jump(edge)) => position = edge.position as usize,
            Some(Inst::Branch { .. } | Inst::Switch { .. } | Inst::Return { .. }) | None => return false,
            Some(_) => position += 1,
        }
    }
    false
}
