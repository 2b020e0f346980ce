//! Estimated execution frequencies of blocks, from loops and calls.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Block, Opcode, Value};

use super::sharing::{called, is_defined};

/// The estimated iterations of a loop whose bound is known before it.
const COUNTED: u64 = 32;
/// The estimated iterations of a loop that waits for an event.
const UNCOUNTED: u64 = 2;
/// The largest estimate.
const MOST: u64 = 1 << 40;
/// The depth to which calls are followed, also for recursion.
const DEPTH: usize = 12;

/// The frequency of each block of each function.
pub fn frequencies<'m>(functions: &[Value<'m>], is_start: impl Fn(Value<'m>) -> bool) -> HashMap<Block<'m>, u64> {
    let mut within: HashMap<Block<'m>, u64> = HashMap::new();
    let mut calls: HashMap<Value<'m>, Vec<(Value<'m>, u64)>> = HashMap::new();
    for &function in functions {
        let blocks = function.blocks();
        let all: HashSet<Block<'m>> = blocks.iter().copied().collect();
        for &block in &blocks {
            within.insert(block, 1);
        }
        count_loops(&all, blocks.first().copied(), &mut within, 0);
        for &block in &blocks {
            for call in block.instructions().filter(|value| value.is_call()) {
                if let Some(callee) = called(call).filter(|&callee| is_defined(callee)) {
                    calls.entry(callee).or_default().push((function, within[&block]));
                }
            }
        }
    }
    let mut often: HashMap<Value<'m>, u64> =
        functions.iter().map(|&function| (function, u64::from(is_start(function)))).collect();
    for _ in 0..DEPTH {
        let mut next = HashMap::new();
        for &function in functions {
            let called: u64 = calls
                .get(&function)
                .into_iter()
                .flatten()
                .map(|(caller, times)| often[caller].saturating_mul(*times).min(MOST))
                .fold(u64::from(is_start(function)), u64::saturating_add);
            next.insert(function, called.min(MOST));
        }
        often = next;
    }
    for &function in functions {
        for block in function.blocks() {
            if let Some(times) = within.get_mut(&block) {
                *times = times.saturating_mul(often[&function].max(1)).min(MOST);
            }
        }
    }
    within
}

/// All loops of a function as sets of blocks, including nested ones.
pub fn loops<'m>(blocks: &[Block<'m>]) -> Vec<HashSet<Block<'m>>> {
    let mut found = Vec::new();
    let mut pending = vec![(blocks.iter().copied().collect::<HashSet<_>>(), blocks.first().copied())];
    while let Some((blocks, entry)) = pending.pop() {
        for circle in circles(&blocks) {
            let inner = inside(&blocks, &circle, entry);
            if inner.len() < circle.len() {
                pending.push((inner, None));
            }
            found.push(circle);
        }
    }
    found
}

/// The blocks of a loop except its headers.
fn inside<'m>(
    blocks: &HashSet<Block<'m>>,
    circle: &HashSet<Block<'m>>,
    entry: Option<Block<'m>>,
) -> HashSet<Block<'m>> {
    let outside = blocks.iter().filter(|block| !circle.contains(block));
    let mut entered: HashSet<Block<'m>> = outside.flat_map(|&block| successors(block)).collect();
    entered.extend(entry);
    circle.difference(&entered).copied().collect()
}

/// Multiplies the frequency of blocks in a loop; nested loops are found after removing the loop's header.
fn count_loops<'m>(
    blocks: &HashSet<Block<'m>>,
    entry: Option<Block<'m>>,
    times: &mut HashMap<Block<'m>, u64>,
    depth: u32,
) {
    const DEEPEST: u32 = 6;
    if depth >= DEEPEST {
        return;
    }
    for circle in circles(blocks) {
        let rounds = if is_counted(&circle) { COUNTED } else { UNCOUNTED };
        for block in &circle {
            if let Some(times) = times.get_mut(block) {
                *times = times.saturating_mul(rounds).min(MOST);
            }
        }
        let inner = inside(blocks, &circle, entry);
        if inner.len() < circle.len() {
            count_loops(&inner, None, times, depth + 1);
        }
    }
}

/// Whether an exit of the loop compares a counter with a number from outside.
fn is_counted(circle: &HashSet<Block<'_>>) -> bool {
    let inside: HashSet<Value<'_>> = circle.iter().flat_map(|block| block.instructions()).collect();
    let counts = |value: Value<'_>| {
        let phi = match value.opcode() {
            Some(Opcode::LLVMPHI) => Some(value),
            Some(Opcode::LLVMAdd | Opcode::LLVMSub) => value.operand(0),
            _ => None,
        };
        phi.is_some_and(|phi| {
            let is_step = |(step, _): &(Value<'_>, Block<'_>)| {
                let is_sum = matches!(step.opcode(), Some(Opcode::LLVMAdd | Opcode::LLVMSub));
                inside.contains(step) && is_sum && step.operand(0) == Some(phi)
            };
            phi.opcode() == Some(Opcode::LLVMPHI) && phi.incoming().iter().any(is_step)
        })
    };
    let leaves = |block: &&Block<'_>| successors(**block).iter().any(|next| !circle.contains(next));
    circle.iter().filter(leaves).any(|block| {
        let condition = block.terminator().and_then(Value::condition);
        let Some(compared) = condition.filter(|value| value.opcode() == Some(Opcode::LLVMICmp)) else { return false };
        let sides = [(compared.operand(0), compared.operand(1)), (compared.operand(1), compared.operand(0))];
        sides.into_iter().any(|(counter, bound)| {
            counter.is_some_and(|counter| inside.contains(&counter) && counts(counter))
                && bound.is_some_and(|bound| !inside.contains(&bound))
        })
    })
}

fn successors(block: Block<'_>) -> Vec<Block<'_>> {
    block.terminator().map(Value::successors).unwrap_or_default()
}

/// Strongly connected components (Tarjan's algorithm, without recursion).
fn circles<'m>(blocks: &HashSet<Block<'m>>) -> Vec<HashSet<Block<'m>>> {
    let mut numbers: HashMap<Block<'m>, usize> = HashMap::new();
    let mut lowest: HashMap<Block<'m>, usize> = HashMap::new();
    let mut open: Vec<Block<'m>> = Vec::new();
    let mut is_open: HashSet<Block<'m>> = HashSet::new();
    let mut found = Vec::new();
    for &start in blocks {
        if numbers.contains_key(&start) {
            continue;
        }
        let mut path: Vec<(Block<'m>, Vec<Block<'m>>)> = Vec::new();
        let enter = |block: Block<'m>, numbers: &mut HashMap<_, _>, lowest: &mut HashMap<_, _>| {
            let number = numbers.len();
            numbers.insert(block, number);
            lowest.insert(block, number);
            (block, successors(block).into_iter().filter(|next| blocks.contains(next)).collect::<Vec<_>>())
        };
        path.push(enter(start, &mut numbers, &mut lowest));
        open.push(start);
        is_open.insert(start);
        while let Some((block, rest)) = path.last_mut() {
            let block = *block;
            if let Some(next) = rest.pop() {
                if !numbers.contains_key(&next) {
                    path.push(enter(next, &mut numbers, &mut lowest));
                    open.push(next);
                    is_open.insert(next);
                } else if is_open.contains(&next) {
                    let low = lowest[&block].min(numbers[&next]);
                    lowest.insert(block, low);
                }
                continue;
            }
            path.pop();
            if let Some((above, _)) = path.last() {
                let low = lowest[above].min(lowest[&block]);
                lowest.insert(*above, low);
            }
            if lowest[&block] == numbers[&block] {
                let mut circle = HashSet::new();
                while let Some(member) = open.pop() {
                    is_open.remove(&member);
                    circle.insert(member);
                    if member == block {
                        break;
                    }
                }
                if circle.len() > 1 || successors(block).contains(&block) {
                    found.push(circle);
                }
            }
        }
    }
    found
}
