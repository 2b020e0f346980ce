//! The arithmetic of `getelementptr`, as instruction and as constant.

use crate::llvm::{DataLayout, Type, TypeKind, Value};

/// `base + offset + Σ index × scale`, in bytes.
pub struct Path<'m> {
    pub base: Value<'m>,
    pub offset: i64,
    pub indices: Vec<(Value<'m>, i64)>,
}

/// An integer constant as a signed number.
pub fn signed(value: Value<'_>) -> Option<i64> {
    let bits = value.integer_bits()?;
    let TypeKind::Integer(width) = value.ty().kind() else { return None };
    let shift = 128 - width.min(128);
    i64::try_from(bits.cast_signed() << shift >> shift).ok()
}

/// A constant index; a vector of equal constants counts as its element.
fn constant_index(index: Value<'_>) -> Option<i64> {
    if let Some(number) = signed(index) {
        return Some(number);
    }
    if index.ty().kind() != TypeKind::Vector {
        return None;
    }
    let first = index.aggregate_element(0)?;
    let all_equal = (1..index.ty().element_count()).all(|lane| index.aggregate_element(lane) == Some(first));
    if all_equal { signed(first) } else { None }
}

/// Reads a `getelementptr`.
pub fn path<'m>(layout: DataLayout<'m>, gep: Value<'m>) -> Option<Path<'m>> {
    let mut at: Type<'m> = gep.element_source()?;
    let mut path = Path { base: gep.operand(0)?, offset: 0, indices: Vec::new() };
    for number in 1..gep.operand_count() {
        let index = gep.operand(number)?;
        let constant = constant_index(index);
        if number > 1 && at.kind() == TypeKind::Struct {
            let field = u64::try_from(constant?).ok()?;
            path.offset = path.offset.wrapping_add(layout.offset(at, field).cast_signed());
            at = at.element(field)?;
            continue;
        }
        if number > 1 {
            at = at.element(0)?;
        }
        let scale = layout.size(at).cast_signed();
        match constant {
            Some(constant) => path.offset = path.offset.wrapping_add(constant.wrapping_mul(scale)),
            None => path.indices.push((index, scale)),
        }
    }
    Some(path)
}
