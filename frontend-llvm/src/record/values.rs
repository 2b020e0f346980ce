//! Numbers that are recorded themselves, because so many decisions hang on them.
//!
//! What a thread reads from its own argument when it begins (where its part of the work starts and ends) decides its
//! loops, and a bit for each round of them says less than the number does, at a higher price. The number takes nothing
//! from whoever follows the path: the conditions are still conditions on what was read, only their outcome is known.

use std::collections::HashSet;

use crate::llvm::{Block, Module, Opcode, TypeKind, Value, ValueKind};

use super::plan::Position;
use super::sharing::{called, is_defined};

/// What a recorded number passes through.
pub const VALUE: &str = "__heddle_record_value";

/// The functions that create threads, and which of their arguments is what the thread runs.
const CREATES: &[(&str, usize)] = &[("pthread_create", 2), ("thrd_create", 1)];

/// The loads whose numbers are recorded, by the names of their functions.
pub fn positions(module: &Module<'_>) -> Vec<(String, Vec<Position>)> {
    let mut starts = HashSet::new();
    for function in module.functions().filter(|&function| is_defined(function)) {
        for call in function.blocks().into_iter().flat_map(Block::instructions).filter(|value| value.is_call()) {
            let Some(name) = called(call).map(Value::name) else { continue };
            let start = CREATES.iter().find(|(create, _)| *create == name).and_then(|&(_, index)| {
                let start = *call.arguments().get(index)?;
                (start.kind() == ValueKind::Function && is_defined(start)).then_some(start)
            });
            starts.extend(start);
        }
    }
    let mut all: Vec<(String, Vec<Position>)> =
        starts.into_iter().map(|start| (start.name(), arguments_read(start))).collect();
    all.sort();
    all
}

/// The loads of numbers from the thread's argument that happen once.
fn arguments_read(function: Value<'_>) -> Vec<Position> {
    let Some(argument) = function.parameters().first().copied() else { return Vec::new() };
    let blocks = function.blocks();
    let mut positions = Vec::new();
    for (block, values) in blocks.iter().enumerate() {
        if is_in_loop(&blocks, block) {
            continue;
        }
        for (instruction, value) in values.instructions().enumerate() {
            let is_number = matches!(value.ty().kind(), TypeKind::Integer(bits) if (8..=64).contains(&bits));
            if value.opcode() == Some(Opcode::LLVMLoad) && is_number && is_part_of(value.operand(0), argument) {
                positions.push(Position { block, instruction });
            }
        }
    }
    positions
}

/// Whether an address is a fixed distance from a pointer.
fn is_part_of<'m>(address: Option<Value<'m>>, pointer: Value<'m>) -> bool {
    let Some(address) = address else { return false };
    if address == pointer {
        return true;
    }
    let is_fixed = (1..address.operand_count())
        .all(|index| address.operand(index).is_some_and(|operand| operand.kind() == ValueKind::Integer));
    address.opcode() == Some(Opcode::LLVMGetElementPtr) && is_fixed && is_part_of(address.operand(0), pointer)
}

fn successors(block: Block<'_>) -> Vec<Block<'_>> {
    block.terminator().map(Value::successors).unwrap_or_default()
}

fn is_in_loop(blocks: &[Block<'_>], start: usize) -> bool {
    let start = blocks[start];
    let mut seen = HashSet::new();
    let mut pending = successors(start);
    while let Some(block) = pending.pop() {
        if block == start {
            return true;
        }
        if seen.insert(block) {
            pending.extend(successors(block));
        }
    }
    false
}
