//! LLVM types as groups of scalars.
//!
//! A first-class struct, array or vector has no counterpart in the IR: its value is the list of its scalars, in order.

use ir::Type as Scalar;

use crate::llvm::{DataLayout, Type, TypeKind};

/// Larger aggregates are not split into scalars.
const MOST_SCALARS: u64 = 4096;

/// The scalar for a scalar LLVM type. Float formats that the IR does not have are carried as their bits.
pub fn scalar(ty: Type<'_>) -> Option<Scalar> {
    match ty.kind() {
        TypeKind::Integer(width @ 1..=128) => Some(Scalar::Int(width as u8)),
        TypeKind::OtherFloat(width) => Some(Scalar::Int(width as u8)),
        TypeKind::Float => Some(Scalar::F32),
        TypeKind::Double => Some(Scalar::F64),
        TypeKind::Extended => Some(Scalar::F80),
        TypeKind::Pointer { .. } => Some(Scalar::Ptr),
        _ => None,
    }
}

/// The scalars of any type; none for `void`.
pub fn scalars(ty: Type<'_>) -> Result<Vec<Scalar>, String> {
    let mut list = Vec::new();
    if flatten(ty, &mut list) { Ok(list) } else { Err(format!("a value of type {}", ty.text())) }
}

fn flatten(ty: Type<'_>, list: &mut Vec<Scalar>) -> bool {
    match ty.kind() {
        TypeKind::Void => true,
        TypeKind::Struct | TypeKind::Array | TypeKind::Vector => {
            let count = ty.element_count();
            count <= MOST_SCALARS
                && list.len() as u64 <= MOST_SCALARS
                && (0..count).all(|index| ty.element(index).is_some_and(|element| flatten(element, list)))
        }
        _ => match scalar(ty) {
            Some(scalar) => {
                list.push(scalar);
                true
            }
            None => false,
        },
    }
}

/// The accesses that make up a value in memory.
pub enum Part {
    /// One access of this type at this offset, which is one scalar.
    Scalar(Scalar, u64),
    /// One access of an integer that holds all lanes of a short vector.
    Lanes { lane: Scalar, count: u32, offset: u64 },
}

/// The accesses that make up a load or store, in ascending order.
pub fn parts(layout: DataLayout<'_>, ty: Type<'_>) -> Result<Vec<Part>, String> {
    scalars(ty)?;
    let mut list = Vec::new();
    if cut(layout, ty, 0, &mut list) { Ok(list) } else { Err(format!("an access of type {}", ty.text())) }
}

fn cut<'m>(layout: DataLayout<'m>, ty: Type<'m>, offset: u64, list: &mut Vec<Part>) -> bool {
    match ty.kind() {
        TypeKind::Struct | TypeKind::Array => (0..ty.element_count()).all(|index| {
            let at = offset + layout.offset(ty, index);
            ty.element(index).is_some_and(|element| cut(layout, element, at, list))
        }),
        TypeKind::Vector => {
            let Some(lane) = ty.element(0).and_then(scalar) else { return false };
            let count = ty.element_count() as u32;
            let bits = lane.bits() * count;
            if bits <= 64 || lane.bits() % 8 != 0 && bits <= 128 {
                list.push(Part::Lanes { lane, count, offset });
                return true;
            }
            if lane.bits() % 8 != 0 {
                return false;
            }
            list.extend((0..count).map(|index| Part::Scalar(lane, offset + u64::from(lane.bytes() * index))));
            true
        }
        _ => match scalar(ty) {
            Some(scalar) => {
                list.push(Part::Scalar(scalar, offset));
                true
            }
            None => false,
        },
    }
}

/// The range of an aggregate's element among its scalars.
pub fn element_range(ty: Type<'_>, indices: &[u32]) -> Result<(usize, usize), String> {
    let mut start = 0;
    let mut at = ty;
    for &index in indices {
        for before in 0..u64::from(index) {
            start += scalars(at.element(before).ok_or("an index outside of its aggregate")?)?.len();
        }
        at = at.element(u64::from(index)).ok_or("an index outside of its aggregate")?;
    }
    Ok((start, scalars(at)?.len()))
}
