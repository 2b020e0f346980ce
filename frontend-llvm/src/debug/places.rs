//! Source-like texts for accessed memory: `q->filled`, `accounts[i].balance`, `*p`.
//!
//! The pointer is traced back through address arithmetic and loads to a variable, whose declared type gives names to
//! the bytes at an offset. The types of variables are preferred to those of LLVM, which have no names.

use crate::address::{Path, path, signed};
use crate::llvm::{DataLayout, Metadata, Opcode, TypeKind, Value, ValueKind};

use super::structs::Structs;
use super::types::{Shape, SourceMember, SourceType};
use super::variables::{Holding, Variables};

/// The depth up to which a pointer is traced back.
const DEEPEST: u32 = 10;

/// Longer texts are not readable.
const LONGEST: usize = 120;

/// A piece of memory on the way to its name.
#[derive(Clone)]
struct Cursor<'m> {
    text: String,
    /// The text is that of a pointer, and the memory is behind it.
    behind: bool,
    ty: Option<SourceType<'m>>,
    /// In bytes, from the beginning of the named memory.
    offset: i64,
}

/// The accessed memory: its width, and whether it is a floating-point number.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub bytes: u64,
    pub float: bool,
}

/// The type as which a pointer is used.
#[derive(Clone, Copy)]
struct Use {
    bytes: u64,
    is_struct: bool,
}

/// A value with the text that computes it.
struct Computed<'m> {
    text: String,
    ty: Option<SourceType<'m>>,
    /// Needs brackets when an operator is applied.
    compound: bool,
}

impl Computed<'_> {
    fn enclosed(&self) -> String {
        if self.compound { format!("({})", self.text) } else { self.text.clone() }
    }
}

pub struct Places<'a, 'm> {
    pub variables: &'a Variables<'m>,
    pub structs: &'a mut Structs<'m>,
    pub layout: DataLayout<'m>,
}

impl<'m> Places<'_, 'm> {
    /// The text of the memory at an offset from a pointer.
    pub fn place(&mut self, pointer: Value<'m>, offset: u64, wanted: Wanted) -> Option<String> {
        let mut cursor = self.cursor(pointer, Use { bytes: wanted.bytes, is_struct: false }, 0)?;
        cursor.offset += offset.cast_signed();
        let (text, _) = settle(cursor, wanted)?;
        (text.len() <= LONGEST).then_some(text)
    }

    /// The text of the member or element that address arithmetic chose: its indices say how deep it lies.
    pub fn pointed(&mut self, pointer: Value<'m>) -> Option<String> {
        let source = pointer.element_source()?;
        let depth = pointer.operand_count().saturating_sub(1);
        let mut cursor = self.cursor(pointer, Use { bytes: 0, is_struct: false }, 0)?;
        // Each index after the first selects a part; an anonymous member adds no text.
        let one_byte = Wanted { bytes: 1, float: false };
        let mut chosen = source;
        for number in 2..=depth {
            let index = pointer.operand(number).and_then(signed).unwrap_or(0);
            chosen = chosen.element(u64::try_from(index).ok()?)?;
        }
        let bytes = self.layout.size(chosen);
        while cursor.behind && depth > 1 || cursor.ty.is_some_and(|ty| ty.bytes() > bytes) {
            if !descend(&mut cursor, one_byte) {
                break;
            }
        }
        let text = if cursor.behind { format!("*{}", cursor.text) } else { cursor.text };
        (cursor.offset == 0 && text.len() <= LONGEST).then_some(text)
    }

    /// The memory that a pointer points to.
    fn cursor(&mut self, pointer: Value<'m>, used: Use, depth: u32) -> Option<Cursor<'m>> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(holding) = self.variables.declared(pointer) {
            return variable(holding);
        }
        match (pointer.kind(), pointer.operation()) {
            (ValueKind::Global, _) => global(pointer),
            (ValueKind::Alias, _) => self.cursor(pointer.aliasee()?, used, depth + 1),
            (_, Some(Opcode::LLVMGetElementPtr)) if self.variables.held(pointer).is_empty() => {
                let path = path(self.layout, pointer)?;
                self.step(pointer, path, depth)
            }
            (_, Some(Opcode::LLVMCall)) => self.call(pointer, used, depth),
            _ => self.behind(pointer, used, depth),
        }
    }

    /// The memory behind the value of a pointer.
    fn behind(&mut self, pointer: Value<'m>, used: Use, depth: u32) -> Option<Cursor<'m>> {
        let computed = match held_pointer(self.variables.held(pointer), used) {
            Some(holding) => held(holding)?,
            None => self.computed(pointer, depth + 1)?,
        };
        let ty = computed.ty.and_then(target);
        Some(Cursor { text: computed.enclosed(), behind: true, ty, offset: 0 })
    }

    fn call(&mut self, call: Value<'m>, used: Use, depth: u32) -> Option<Cursor<'m>> {
        let name = call.callee()?.name();
        if name.starts_with("llvm.threadlocal.address") {
            return self.cursor(*call.arguments().first()?, used, depth + 1);
        }
        if name == "__errno_location" {
            return Some(Cursor { text: "errno".into(), behind: false, ty: None, offset: 0 });
        }
        self.behind(call, used, depth)
    }

    /// Address arithmetic on top of another pointer.
    fn step(&mut self, gep: Value<'m>, path: Path<'m>, depth: u32) -> Option<Cursor<'m>> {
        let source = gep.element_source()?;
        let used = Use { bytes: self.layout.size(source), is_struct: source.kind() == TypeKind::Struct };
        let mut cursor = self.cursor(path.base, used, depth + 1)?;
        self.retype(gep, &mut cursor);
        cursor.offset = cursor.offset.checked_add(path.offset)?;
        for (index, scale) in path.indices {
            let text = match self.computed(index, depth + 1) {
                Some(computed) => computed.text,
                None => "...".into(),
            };
            index_into(&mut cursor, &text, scale)?;
        }
        Some(cursor)
    }

    /// A pointer that was cast has the type of the address arithmetic, if that is a named struct.
    fn retype(&mut self, gep: Value<'m>, cursor: &mut Cursor<'m>) {
        let Some(source) = gep.element_source().filter(|source| source.kind() == TypeKind::Struct) else { return };
        if !cursor.behind || cursor.offset != 0 {
            return;
        }
        let known = cursor.ty.map(SourceType::node);
        if let Some(found) = self.structs.find(source)
            && known != Some(found.node())
            && self.layout.size(source) == found.bytes()
            && cursor.ty.is_none_or(|ty| ty.bytes() != found.bytes() || !is_struct(ty))
        {
            cursor.ty = Some(found);
        }
    }

    /// The text of a value that a variable holds, or that simple operations compute from such values.
    fn computed(&mut self, value: Value<'m>, depth: u32) -> Option<Computed<'m>> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(&holding) = self.variables.held(value).first() {
            return held(holding);
        }
        if let Some(number) = signed(value) {
            return Some(Computed { text: number.to_string(), ty: None, compound: number < 0 });
        }
        match value.operation()? {
            Opcode::LLVMLoad => {
                let bytes = self.layout.store_size(value.ty());
                let cursor = self.cursor(value.operand(0)?, Use { bytes, is_struct: false }, depth + 1)?;
                let (text, ty) = settle(cursor, Wanted { bytes, float: false })?;
                let compound = text.starts_with('*');
                Some(Computed { text, ty, compound })
            }
            Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze | Opcode::LLVMBitCast => {
                self.computed(value.operand(0)?, depth + 1)
            }
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr => {
                let computed = self.computed(value.operand(0)?, depth + 1)?;
                Some(Computed { ty: None, ..computed })
            }
            opcode => self.operation(value, opcode, depth),
        }
    }

    fn operation(&mut self, value: Value<'m>, opcode: Opcode, depth: u32) -> Option<Computed<'m>> {
        let sign = match opcode {
            Opcode::LLVMAdd => "+",
            Opcode::LLVMSub => "-",
            Opcode::LLVMMul => "*",
            Opcode::LLVMSDiv | Opcode::LLVMUDiv => "/",
            Opcode::LLVMSRem | Opcode::LLVMURem => "%",
            Opcode::LLVMAnd => "&",
            Opcode::LLVMShl => "<<",
            _ => return None,
        };
        let left = self.computed(value.operand(0)?, depth + 1)?.enclosed();
        let second = value.operand(1)?;
        // The compiler subtracts a constant by adding its opposite.
        let (sign, right) = match signed(second) {
            Some(number) if number < 0 && sign == "+" => ("-", number.unsigned_abs().to_string()),
            _ => (sign, self.computed(second, depth + 1)?.enclosed()),
        };
        Some(Computed { text: format!("{left} {sign} {right}"), ty: None, compound: true })
    }
}

/// The target of a pointer type.
fn target(ty: SourceType<'_>) -> Option<SourceType<'_>> {
    match ty.shape() {
        Shape::Pointer(target) => target,
        _ => None,
    }
}

/// Of several pointer variables with one value, the one whose target has the used type; else one without a target type,
/// which was cast for the use; else the first.
fn held_pointer<'m>(holdings: &[Holding<'m>], used: Use) -> Option<Holding<'m>> {
    let points_to = |holding: &&Holding<'m>| SourceType::of_variable(holding.variable).and_then(target);
    let fits = |target: SourceType<'m>| target.bytes() == used.bytes && is_struct(target) == used.is_struct;
    let fitting = holdings.iter().find(|holding| points_to(holding).is_some_and(fits));
    fitting.or_else(|| holdings.iter().find(|holding| points_to(holding).is_none())).or(holdings.first()).copied()
}

fn held(holding: Holding<'_>) -> Option<Computed<'_>> {
    let cursor = variable(holding)?;
    match holding.size_bits {
        None => Some(Computed { text: cursor.text, ty: cursor.ty, compound: false }),
        Some(bits) => {
            let (text, ty) = settle(cursor, Wanted { bytes: bits.div_ceil(8), float: false })?;
            Some(Computed { text, ty, compound: false })
        }
    }
}

fn variable<'m>(holding: Holding<'m>) -> Option<Cursor<'m>> {
    let Holding { variable, offset_bits, .. } = holding;
    let ty = SourceType::of_variable(variable);
    Some(Cursor { text: variable.name()?, behind: false, ty, offset: (offset_bits / 8).cast_signed() })
}

fn global<'m>(value: Value<'m>) -> Option<Cursor<'m>> {
    let described = value.variable_description();
    let text = match described {
        // Literals are described, but have no name.
        Some(variable) => variable.name()?,
        None => Some(value.name()).filter(|name| !name.is_empty() && !name.starts_with('.'))?,
    };
    let ty = described.and_then(|variable: Metadata<'m>| SourceType::of_variable(variable));
    Some(Cursor { text, behind: false, ty, offset: 0 })
}

fn is_struct(ty: SourceType<'_>) -> bool {
    matches!(ty.shape(), Shape::Struct(_) | Shape::Union(_))
}

/// `text` with `[index]`, where the elements before it that a constant offset skipped are added to the index.
fn subscript(text: &str, index: &str, skipped: i64) -> String {
    match skipped {
        0 => format!("{text}[{index}]"),
        1.. => format!("{text}[{index} + {skipped}]"),
        _ => format!("{text}[{index} - {}]", skipped.unsigned_abs()),
    }
}

/// Descends to an element of an array, or of a pointer's target.
fn index_into(cursor: &mut Cursor<'_>, index: &str, scale: i64) -> Option<()> {
    for _ in 0..DEEPEST {
        let ty = cursor.ty?;
        let size = ty.bytes().cast_signed();
        if cursor.behind && size == scale && scale > 0 {
            cursor.text = subscript(&cursor.text, index, cursor.offset.div_euclid(scale));
            cursor.behind = false;
            cursor.offset = cursor.offset.rem_euclid(scale);
            return Some(());
        }
        if let Shape::Array { element, .. } = ty.shape()
            && element.bytes().cast_signed() == scale
            && scale > 0
        {
            let array = if cursor.behind { format!("(*{})", cursor.text) } else { cursor.text.clone() };
            cursor.text = subscript(&array, index, cursor.offset.div_euclid(scale));
            cursor.behind = false;
            cursor.ty = Some(element);
            cursor.offset = cursor.offset.rem_euclid(scale);
            return Some(());
        }
        if !descend(cursor, Wanted { bytes: 1, float: false }) {
            return None;
        }
    }
    None
}

/// Descends until the access covers more than one part.
fn settle(mut cursor: Cursor<'_>, wanted: Wanted) -> Option<(String, Option<SourceType<'_>>)> {
    for _ in 0..DEEPEST {
        if !descend(&mut cursor, wanted) {
            break;
        }
    }
    let known = cursor.ty.map_or(0, SourceType::bytes).cast_signed();
    if cursor.offset < 0 || cursor.offset > 0 && cursor.offset >= known {
        return None;
    }
    Some((if cursor.behind { format!("*{}", cursor.text) } else { cursor.text }, cursor.ty))
}

/// Descends to the part that contains an access; `false` if there is none.
fn descend(cursor: &mut Cursor<'_>, wanted: Wanted) -> bool {
    let bytes = wanted.bytes;
    let Some(ty) = cursor.ty else { return false };
    let size = ty.bytes().cast_signed();
    if cursor.behind && size > 0 && !(0..size).contains(&cursor.offset) {
        cursor.text = format!("{}[{}]", cursor.text, cursor.offset.div_euclid(size));
        cursor.behind = false;
        cursor.offset = cursor.offset.rem_euclid(size);
        return true;
    }
    let Ok(offset) = u64::try_from(cursor.offset) else { return false };
    match ty.shape() {
        Shape::Struct(members) => into_member(cursor, &members, offset, bytes),
        Shape::Union(members) => {
            let fits = |member: &&SourceMember<'_>| contains(member, offset, bytes);
            // The member of exactly this size and kind is the likeliest one.
            let sized = |member: &&SourceMember<'_>| member.ty.bytes() == bytes;
            let alike = |member: &&SourceMember<'_>| sized(member) && member.ty.is_float() == wanted.float;
            let fitting = || members.iter().filter(fits);
            match fitting().find(alike).or_else(|| fitting().find(sized)).or_else(|| fitting().next()) {
                Some(member) => {
                    enter(cursor, member);
                    true
                }
                None => false,
            }
        }
        Shape::Array { element, .. } => {
            let size = element.bytes();
            if size == 0 || offset % size + bytes > size {
                return false;
            }
            let array = if cursor.behind { format!("(*{})", cursor.text) } else { cursor.text.clone() };
            cursor.text = format!("{array}[{}]", offset / size);
            cursor.behind = false;
            cursor.ty = Some(element);
            cursor.offset = (offset % size).cast_signed();
            true
        }
        _ => false,
    }
}

fn contains(member: &SourceMember<'_>, offset: u64, bytes: u64) -> bool {
    let start = member.offset_bits / 8;
    let end = (member.offset_bits + member.size_bits).div_ceil(8);
    start <= offset && offset + bytes <= end
}

fn is_bit_field(member: &SourceMember<'_>) -> bool {
    member.size_bits != member.ty.size_in_bits()
}

fn into_member<'m>(cursor: &mut Cursor<'m>, members: &[SourceMember<'m>], offset: u64, bytes: u64) -> bool {
    let plain = members.iter().find(|member| !is_bit_field(member) && contains(member, offset, bytes));
    if let Some(member) = plain {
        enter(cursor, member);
        return true;
    }
    let (from, to) = (offset * 8, (offset + bytes) * 8);
    let touched: Vec<&SourceMember<'_>> = members
        .iter()
        .filter(|member| member.offset_bits < to && from < member.offset_bits + member.size_bits)
        .collect();
    // Bit-fields that share a unit are read and written together.
    if touched.is_empty() || touched.len() > 4 || !touched.iter().all(|member| is_bit_field(member)) {
        return false;
    }
    let names: Vec<&str> = touched.iter().map(|member| member.name.as_str()).collect();
    let arrow = if cursor.behind { "->" } else { "." };
    cursor.text = match names[..] {
        [name] => format!("{}{arrow}{name}", cursor.text),
        _ => format!("{}{arrow}{{{}}}", cursor.text, names.join(", ")),
    };
    cursor.behind = false;
    cursor.ty = None;
    cursor.offset = 0;
    true
}

fn enter<'m>(cursor: &mut Cursor<'m>, member: &SourceMember<'m>) {
    if !member.name.is_empty() {
        let arrow = if cursor.behind { "->" } else { "." };
        cursor.text = format!("{}{arrow}{}", cursor.text, member.name);
        cursor.behind = false;
    }
    cursor.ty = Some(member.ty);
    cursor.offset -= (member.offset_bits / 8).cast_signed();
}
