//! Source names for addresses and values: `accounts[2].balance`, never `object 7 + 24`.

use ir::{Layout, LayoutId, Program, TextId, Type};
use semantics::concrete::Word;
use semantics::{address, int};

use crate::memory::{Memory, Object, ObjectKind};

/// The source expression of an address. `place` is the expression of the access, used if the object itself has no name.
pub fn describe(program: &Program, memory: &Memory, at: u64, place: Option<TextId>) -> String {
    let expression = place.and_then(|place| program.texts.get(place.index()));
    let Some((id, offset)) = memory.resolve(at) else {
        return expression.cloned().unwrap_or_else(|| format!("{at:#x}"));
    };
    let object = memory.object(id);
    match object_name(program, object) {
        Some(name) => format!("{name}{}", path(program, object.layout, offset, object.size)),
        None => expression.cloned().unwrap_or_else(|| nameless(object, offset)),
    }
}

fn object_name(program: &Program, object: &Object) -> Option<String> {
    match &object.kind {
        ObjectKind::Global(global) | ObjectKind::ThreadLocal(global) => {
            program.globals.get(global.index()).map(|global| global.name.clone())
        }
        _ => object.name.and_then(|name| program.texts.get(name.index()).cloned()),
    }
}

/// Whether an address lies in an object that the source has a name for.
pub fn has_name(program: &Program, memory: &Memory, at: u64) -> bool {
    memory.resolve(at).is_some_and(|(id, _)| object_name(program, memory.object(id)).is_some())
}

fn nameless(object: &Object, offset: u64) -> String {
    let what = match &object.kind {
        ObjectKind::Heap { .. } => "heap block",
        ObjectKind::Runtime(what) => what,
        _ => "local variable",
    };
    if offset == 0 { what.to_owned() } else { format!("{what} + {offset}") }
}

/// The members and indices that lead to an offset; empty for the object itself.
fn path(program: &Program, layout: Option<LayoutId>, offset: u64, size: u64) -> String {
    let mut text = String::new();
    let (mut layout, mut offset) = (layout, offset);
    let mut remaining = size;
    while let Some(found) = layout.and_then(|layout| program.layouts.get(layout.index())) {
        match found {
            Layout::Array { element, .. } => {
                let bytes = bytes_of(program, *element).max(1);
                text.push_str(&format!("[{}]", offset / bytes));
                offset %= bytes;
                remaining = bytes;
                layout = Some(*element);
            }
            Layout::Struct { name, members, .. } => {
                // Locks and other primitives are shown as a whole.
                if name.starts_with("pthread_") || name.starts_with("sem_t") {
                    return text;
                }
                let bits = offset * 8;
                let member = members
                    .iter()
                    .find(|member| (member.offset_bits..member.offset_bits + member.size_bits.max(1)).contains(&bits));
                let Some(member) = member else { break };
                // Internal members of the C++ library stand for the object itself.
                if is_hidden(&member.name) {
                    return text;
                }
                text.push('.');
                text.push_str(&member.name);
                offset -= member.offset_bits / 8;
                remaining = member.size_bits / 8;
                layout = Some(member.layout);
            }
            // A declared type has no members.
            Layout::Opaque { .. } => return text,
            _ => {
                layout = None;
            }
        }
    }
    if offset > 0 && remaining > 8 {
        text.push_str(&format!(" + {offset}"));
    }
    text
}

/// Whether a member belongs to the inside of a class of the C++ library.
pub fn is_hidden(member: &str) -> bool {
    member.starts_with("_M_") || member.starts_with("__")
}

fn bytes_of(program: &Program, layout: LayoutId) -> u64 {
    let mut scale = 1_u64;
    let mut layout = layout;
    loop {
        let bytes = match program.layouts.get(layout.index()) {
            None => 1,
            Some(Layout::Array { element, count }) => {
                scale = scale.saturating_mul(*count);
                layout = *element;
                continue;
            }
            Some(Layout::Pointer { .. }) => 8,
            Some(
                Layout::Signed { bytes, .. }
                | Layout::Unsigned { bytes, .. }
                | Layout::Boolean { bytes }
                | Layout::Character { bytes }
                | Layout::Float { bytes, .. }
                | Layout::Struct { bytes, .. }
                | Layout::Enum { bytes, .. }
                | Layout::Opaque { bytes, .. },
            ) => *bytes,
        };
        return bytes.saturating_mul(scale);
    }
}

/// The scalar's layout at an address, when it is known and has the access's size.
pub fn layout_at(program: &Program, memory: &Memory, at: u64, ty: Type) -> Option<LayoutId> {
    let (id, mut offset) = memory.resolve(at)?;
    let mut layout = memory.object(id).layout?;
    loop {
        match program.layouts.get(layout.index())? {
            Layout::Array { element, .. } => {
                offset %= bytes_of(program, *element).max(1);
                layout = *element;
            }
            Layout::Struct { members, .. } => {
                let bits = offset * 8;
                let member = members.iter().find(|member| {
                    (member.offset_bits..member.offset_bits + member.size_bits.max(1)).contains(&bits)
                })?;
                offset -= member.offset_bits / 8;
                layout = member.layout;
            }
            _ => return (offset == 0 && bytes_of(program, layout) == u64::from(ty.bytes())).then_some(layout),
        }
    }
}

/// A value as a person would write it.
pub fn value(program: &Program, memory: &Memory, layout: Option<LayoutId>, ty: Type, value: Word) -> String {
    match layout.and_then(|layout| program.layouts.get(layout.index())) {
        Some(Layout::Unsigned { .. }) => return value.to_string(),
        Some(Layout::Boolean { .. }) => return if value == 0 { "false" } else { "true" }.to_owned(),
        Some(Layout::Character { .. }) if (32..127).contains(&value) => {
            return format!("'{}'", char::from(value as u8));
        }
        Some(Layout::Enum { variants, .. }) => {
            let number = int::signed(value, ty.bits());
            if let Some((name, _)) =
                variants.iter().find(|(_, variant)| *variant == number || *variant as u128 == value)
            {
                return name.clone();
            }
        }
        Some(Layout::Pointer { .. }) => return pointer(program, memory, value as u64),
        _ => {}
    }
    match ty {
        Type::Ptr => pointer(program, memory, value as u64),
        Type::F32 => f32::from_bits(value as u32).to_string(),
        Type::F64 => f64::from_bits(value as u64).to_string(),
        Type::F80 => f64::from_bits(semantics::extended::to_f64(value) as u64).to_string(),
        Type::Int(bits) => int::signed(value, u32::from(bits)).to_string(),
    }
}

fn pointer(program: &Program, memory: &Memory, at: u64) -> String {
    if at == 0 {
        return "null".to_owned();
    }
    if let Some(function) = address::function_at(at).and_then(|index| program.functions.get(index as usize)) {
        return function.display.clone();
    }
    let Some((id, offset)) = memory.resolve(at) else { return format!("{at:#x}") };
    let object = memory.object(id);
    match (&object.kind, object_name(program, object)) {
        (_, Some(name)) => format!("&{name}{}", if offset == 0 { String::new() } else { format!("+{offset}") }),
        (ObjectKind::Heap { .. }, None) => format!("{at:#x}"),
        _ => format!("{at:#x}"),
    }
}
