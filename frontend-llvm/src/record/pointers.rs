//! Pointers into one object: their distance does not depend on the address of the object.

use std::collections::HashSet;

use crate::llvm::{Opcode, TypeKind, Value};

/// Longer chains of pointer arithmetic are not followed.
const LONGEST: usize = 64;

/// The numbers that determine the order or distance of two values, if both are derived from one pointer.
pub fn distance<'m>(a: Value<'m>, b: Value<'m>) -> Option<Vec<Value<'m>>> {
    let (mut numbers, from_a) = followed(a)?;
    let (more, from_b) = followed(b)?;
    numbers.extend(more);
    (from_a == from_b).then_some(numbers)
}

/// The indices between a pointer and its base, and the base, if it is unique.
fn followed<'m>(pointer: Value<'m>) -> Option<(Vec<Value<'m>>, Value<'m>)> {
    let mut numbers = Vec::new();
    let mut origins = HashSet::new();
    let mut seen = HashSet::new();
    let mut pending = vec![pointer];
    while let Some(value) = pending.pop() {
        if !seen.insert(value) {
            continue;
        }
        if seen.len() > LONGEST {
            return None;
        }
        match value.opcode() {
            Some(Opcode::LLVMGetElementPtr) => {
                numbers.extend((1..value.operand_count()).filter_map(|index| value.operand(index)));
                pending.push(value.operand(0)?);
            }
            Some(Opcode::LLVMPHI) if is_pointer(value) => {
                pending.extend(value.incoming().into_iter().map(|(incoming, _)| incoming));
            }
            Some(Opcode::LLVMSelect) if is_pointer(value) => {
                numbers.push(value.operand(0)?);
                pending.extend([value.operand(1)?, value.operand(2)?]);
            }
            Some(Opcode::LLVMPtrToInt) => pending.push(value.operand(0)?),
            _ => {
                origins.insert(value);
            }
        }
    }
    let mut origins = origins.into_iter();
    match (origins.next(), origins.next()) {
        (Some(origin), None) if is_pointer(origin) => Some((numbers, origin)),
        _ => None,
    }
}

fn is_pointer(value: Value<'_>) -> bool {
    matches!(value.ty().kind(), TypeKind::Pointer { .. })
}
