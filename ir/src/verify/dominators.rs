//! The dominator relation of blocks.
//!
//! Immediate dominators are computed by the algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
//! Algorithm"): iteration over blocks in reverse postorder up to a fixpoint. The dominator tree is then numbered, so
//! that a query takes constant time at any depth.

use crate::instr::{Target, TerminatorKind};
use crate::program::{Block, Function};

pub(super) struct Dominators {
    /// By reachable block, the first and last number in a traversal of its subtree.
    ranges: Vec<Option<(usize, usize)>>,
}

impl Dominators {
    pub fn new(function: &Function) -> Dominators {
        let count = function.blocks.len();
        let postorder = postorder(function);
        let mut position = vec![None; count];
        for (index, block) in postorder.iter().enumerate() {
            position[*block] = Some(index);
        }
        let mut predecessors = vec![Vec::new(); postorder.len()];
        for (index, block) in postorder.iter().enumerate() {
            for successor in successors(&function.blocks[*block], count) {
                if let Some(successor) = position[successor] {
                    predecessors[successor].push(index);
                }
            }
        }
        let immediate = immediate_dominators(&predecessors);
        let numbered = number_tree(&immediate);
        let ranges = position.into_iter().map(|position| position.map(|position| numbered[position])).collect();
        Dominators { ranges }
    }

    pub fn is_reachable(&self, block: usize) -> bool {
        self.ranges.get(block).is_some_and(Option::is_some)
    }

    /// Whether every path to `block` goes through `by`. A block dominates itself.
    pub fn dominates(&self, by: usize, block: usize) -> bool {
        match (self.ranges.get(by), self.ranges.get(block)) {
            (Some(Some(by)), Some(Some(block))) => by.0 <= block.0 && block.1 <= by.1,
            _ => false,
        }
    }
}

/// The targets with arguments; not those of an invoke, whose blocks get theirs from elsewhere.
pub(super) fn targets(terminator: &TerminatorKind) -> Vec<&Target> {
    match terminator {
        TerminatorKind::Jump(target) => vec![target],
        TerminatorKind::Branch { then, otherwise, .. } => vec![then, otherwise],
        TerminatorKind::Switch { cases, default, .. } => {
            cases.iter().map(|(_, target)| target).chain([default]).collect()
        }
        TerminatorKind::Invoke { .. } | TerminatorKind::Return(_) | TerminatorKind::Unreachable => Vec::new(),
    }
}

fn successors(block: &Block, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = targets(&block.terminator.kind).into_iter().map(|target| target.block.index()).collect();
    if let TerminatorKind::Invoke { next, unwind, .. } = &block.terminator.kind {
        all.extend([next.index(), unwind.index()]);
    }
    all.into_iter().filter(|successor| *successor < count).collect()
}

/// The reachable blocks in postorder; the first block is the last one.
fn postorder(function: &Function) -> Vec<usize> {
    let count = function.blocks.len();
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    let Some(first) = function.blocks.first() else { return order };
    seen[0] = true;
    let mut stack = vec![(0, successors(first, count))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(successor) if seen[successor] => {}
            Some(successor) => {
                seen[successor] = true;
                stack.push((successor, successors(&function.blocks[successor], count)));
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

/// By position in postorder, the position of the immediate dominator, which is higher; the root's is its own.
fn immediate_dominators(predecessors: &[Vec<usize>]) -> Vec<usize> {
    let Some(root) = predecessors.len().checked_sub(1) else { return Vec::new() };
    let mut immediate: Vec<Option<usize>> = vec![None; predecessors.len()];
    immediate[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..root).rev() {
            let known = predecessors[block].iter().copied().filter(|before| immediate[*before].is_some());
            let new = known.reduce(|left, right| meet(&immediate, left, right));
            if new.is_some() && new != immediate[block] {
                immediate[block] = new;
                changed = true;
            }
        }
    }
    immediate.into_iter().map(|dominator| dominator.unwrap_or(root)).collect()
}

/// The nearest common dominator. Dominators have higher positions than the blocks they dominate, so the walk ends at
/// the root.
fn meet(immediate: &[Option<usize>], mut left: usize, mut right: usize) -> usize {
    let root = immediate.len() - 1;
    while left != right {
        let lower = if left < right { &mut left } else { &mut right };
        *lower = immediate[*lower].unwrap_or(root);
    }
    left
}

/// The first and last number of each node's subtree in a traversal.
fn number_tree(immediate: &[usize]) -> Vec<(usize, usize)> {
    let mut children = vec![Vec::new(); immediate.len()];
    for (node, parent) in immediate.iter().enumerate() {
        if node != *parent {
            children[*parent].push(node);
        }
    }
    let mut ranges = vec![(0, 0); immediate.len()];
    let Some(root) = immediate.len().checked_sub(1) else { return ranges };
    let mut next = 1;
    let mut stack = vec![root];
    while let Some(node) = stack.last().copied() {
        match children[node].pop() {
            Some(child) => {
                ranges[child].0 = next;
                next += 1;
                stack.push(child);
            }
            None => {
                ranges[node].1 = next;
                stack.pop();
            }
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;
    use crate::ids::BlockId;
    use crate::instr::{Operand, Terminator};
    use crate::program::Origin;
    use crate::span::SpanId;

    /// A function with the given successors of its blocks.
    fn function(edges: &[Vec<u32>]) -> Function {
        let target = |block: &u32| Target { block: BlockId(*block), args: Vec::new() };
        let block = |to: &Vec<u32>| {
            let kind = match to.split_last() {
                None => TerminatorKind::Unreachable,
                Some((default, cases)) => TerminatorKind::Switch {
                    value: Operand::int(8, 0),
                    cases: (0..).zip(cases.iter().map(target)).collect(),
                    default: target(default),
                    quiet: false,
                },
            };
            Block { params: Vec::new(), instrs: Vec::new(), terminator: Terminator { kind, span: SpanId::NONE } }
        };
        Function {
            name: "f".to_owned(),
            display: "f".to_owned(),
            origin: Origin::User,
            blocks: edges.iter().map(block).collect(),
            variadic: false,
            atomic: false,
            returns: Vec::new(),
            registers: Vec::new(),
            span: SpanId::NONE,
        }
    }

    /// The blocks reachable from the first one on paths that avoid one block.
    fn reached(edges: &[Vec<u32>], avoided: Option<usize>) -> Vec<bool> {
        let mut reached = vec![false; edges.len()];
        let mut waiting = if avoided == Some(0) { vec![] } else { vec![0] };
        while let Some(block) = waiting.pop() {
            if !std::mem::replace(&mut reached[block], true) {
                let next = edges[block].iter().map(|next| *next as usize);
                waiting.extend(next.filter(|next| avoided != Some(*next)));
            }
        }
        reached
    }

    proptest! {
        #[test]
        fn every_way_leads_through_a_dominator(numbers in vec(vec(any::<u32>(), 0..3), 1..12)) {
            let count = numbers.len() as u32;
            let edges: Vec<Vec<u32>> = numbers.iter().map(|to| to.iter().map(|to| to % count).collect()).collect();
            let dominators = Dominators::new(&function(&edges));
            let reachable = reached(&edges, None);
            for by in 0..edges.len() {
                let without = reached(&edges, Some(by));
                prop_assert_eq!(dominators.is_reachable(by), reachable[by]);
                for block in 0..edges.len() {
                    let expected = reachable[by] && reachable[block] && !without[block];
                    prop_assert_eq!(dominators.dominates(by, block), expected, "{} {}", by, block);
                }
            }
        }
    }
}
