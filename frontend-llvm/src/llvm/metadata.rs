//! Debug information.
//!
//! The C API has accessors for few of the fields; the others are read by their index among a node's operands (which
//! LLVM 22 fixes), and the few that are not operands from LLVM's text of the node.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use inkwell::llvm_sys::core;
use inkwell::llvm_sys::debuginfo::{self, LLVMMetadataKind};
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMValueRef};

use super::text::{bytes_to_text, take_message};
use super::{Value, ValueKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataKind {
    Tuple,
    Text,
    Constant,
    Location,
    Subrange,
    Enumerator,
    BasicType,
    DerivedType,
    CompositeType,
    SubroutineType,
    File,
    CompileUnit,
    Subprogram,
    LexicalBlock,
    Namespace,
    GlobalVariable,
    GlobalVariableExpression,
    LocalVariable,
    Other,
}

#[derive(Clone, Copy)]
pub struct Metadata<'m> {
    raw: LLVMMetadataRef,
    context: LLVMContextRef,
    module: PhantomData<&'m ()>,
}

impl PartialEq for Metadata<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Metadata<'_> {}

impl std::hash::Hash for Metadata<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

impl<'m> Metadata<'m> {
    /// `raw` must be null or live metadata of `context`, which the module that `'m` borrows keeps alive.
    pub(super) fn from_raw(raw: LLVMMetadataRef, context: LLVMContextRef) -> Option<Metadata<'m>> {
        (!raw.is_null()).then_some(Metadata { raw, context, module: PhantomData })
    }

    /// `value` must be null or live metadata in the clothes of a value.
    pub(super) fn from_value(value: LLVMValueRef) -> Option<Metadata<'m>> {
        if value.is_null() {
            return None;
        }
        // SAFETY: not null.
        unsafe { Metadata::from_raw(core::LLVMValueAsMetadata(value), core::LLVMGetValueContext(value)) }
    }

    pub fn kind(self) -> MetadataKind {
        // SAFETY: all metadata has a kind.
        match unsafe { debuginfo::LLVMGetMetadataKind(self.raw) } {
            LLVMMetadataKind::LLVMMDTupleMetadataKind => MetadataKind::Tuple,
            LLVMMetadataKind::LLVMMDStringMetadataKind => MetadataKind::Text,
            LLVMMetadataKind::LLVMConstantAsMetadataMetadataKind => MetadataKind::Constant,
            LLVMMetadataKind::LLVMDILocationMetadataKind => MetadataKind::Location,
            LLVMMetadataKind::LLVMDISubrangeMetadataKind => MetadataKind::Subrange,
            LLVMMetadataKind::LLVMDIEnumeratorMetadataKind => MetadataKind::Enumerator,
            LLVMMetadataKind::LLVMDIBasicTypeMetadataKind => MetadataKind::BasicType,
            LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind => MetadataKind::DerivedType,
            LLVMMetadataKind::LLVMDICompositeTypeMetadataKind => MetadataKind::CompositeType,
            LLVMMetadataKind::LLVMDISubroutineTypeMetadataKind => MetadataKind::SubroutineType,
            LLVMMetadataKind::LLVMDIFileMetadataKind => MetadataKind::File,
            LLVMMetadataKind::LLVMDICompileUnitMetadataKind => MetadataKind::CompileUnit,
            LLVMMetadataKind::LLVMDISubprogramMetadataKind => MetadataKind::Subprogram,
            LLVMMetadataKind::LLVMDINamespaceMetadataKind => MetadataKind::Namespace,
            LLVMMetadataKind::LLVMDILexicalBlockMetadataKind | LLVMMetadataKind::LLVMDILexicalBlockFileMetadataKind => {
                MetadataKind::LexicalBlock
            }
            LLVMMetadataKind::LLVMDIGlobalVariableMetadataKind => MetadataKind::GlobalVariable,
            LLVMMetadataKind::LLVMDIGlobalVariableExpressionMetadataKind => MetadataKind::GlobalVariableExpression,
            LLVMMetadataKind::LLVMDILocalVariableMetadataKind => MetadataKind::LocalVariable,
            _ => MetadataKind::Other,
        }
    }

    fn is_node(self) -> bool {
        !matches!(self.kind(), MetadataKind::Text | MetadataKind::Constant | MetadataKind::Other)
    }

    fn as_value(self) -> LLVMValueRef {
        // SAFETY: the context owns the metadata.
        unsafe { core::LLVMMetadataAsValue(self.context, self.raw) }
    }

    /// The operands of a node, each of which may be missing.
    fn raw_operands(self) -> Vec<LLVMValueRef> {
        if !self.is_node() {
            return Vec::new();
        }
        let value = self.as_value();
        // SAFETY: a node; the array has room for all operands.
        unsafe {
            let mut operands = vec![std::ptr::null_mut(); core::LLVMGetMDNodeNumOperands(value) as usize];
            core::LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            operands
        }
    }

    pub fn operands(self) -> Vec<Option<Metadata<'m>>> {
        self.raw_operands().into_iter().map(Metadata::from_value).collect()
    }

    fn operand(self, index: usize) -> Option<Metadata<'m>> {
        Metadata::from_value(*self.raw_operands().get(index)?)
    }

    /// The constant among a node's operands.
    fn constant_operand(self, index: usize) -> Option<Value<'m>> {
        let raw = *self.raw_operands().get(index)?;
        Value::from_raw(raw).filter(|value| value.integer_bits().is_some())
    }

    fn string(self) -> Option<String> {
        if self.kind() != MetadataKind::Text {
            return None;
        }
        let mut length = 0;
        // SAFETY: a string; LLVM returns that many bytes.
        unsafe {
            let text = core::LLVMGetMDString(self.as_value(), &mut length);
            Some(bytes_to_text(text, length as usize))
        }
    }

    fn name_operand(self, index: usize) -> Option<String> {
        self.operand(index)?.string().filter(|name| !name.is_empty())
    }

    /// The node as LLVM writes it.
    pub fn text(self) -> String {
        // SAFETY: the message is ours.
        unsafe { take_message(core::LLVMPrintValueToString(self.as_value())) }
    }

    /// A field that is not an operand, from the node's text: `field: value`.
    fn text_field(self, field: &str) -> Option<String> {
        let text = self.text();
        let at = text.find(&format!("{field}: "))? + field.len() + 2;
        let rest = &text[at..];
        let end = rest.find([',', ')']).unwrap_or(rest.len());
        Some(rest[..end].trim().to_owned())
    }

    // Locations, scopes and files

    /// Line and column of a location.
    pub fn line_and_column(self) -> Option<(u32, u32)> {
        // SAFETY: asked of locations alone.
        (self.kind() == MetadataKind::Location).then(|| unsafe {
            (debuginfo::LLVMDILocationGetLine(self.raw), debuginfo::LLVMDILocationGetColumn(self.raw))
        })
    }

    pub fn inlined_at(self) -> Option<Metadata<'m>> {
        if self.kind() != MetadataKind::Location {
            return None;
        }
        // SAFETY: a location.
        Metadata::from_raw(unsafe { debuginfo::LLVMDILocationGetInlinedAt(self.raw) }, self.context)
    }

    pub fn location_scope(self) -> Option<Metadata<'m>> {
        if self.kind() != MetadataKind::Location {
            return None;
        }
        // SAFETY: a location.
        Metadata::from_raw(unsafe { debuginfo::LLVMDILocationGetScope(self.raw) }, self.context)
    }

    /// The file of a subprogram, a block, a type, a variable or a compile unit.
    pub fn file(self) -> Option<Metadata<'m>> {
        let index = match self.kind() {
            MetadataKind::Subprogram
            | MetadataKind::LexicalBlock
            | MetadataKind::CompileUnit
            | MetadataKind::DerivedType
            | MetadataKind::CompositeType => 0,
            MetadataKind::GlobalVariable | MetadataKind::LocalVariable => 2,
            MetadataKind::File => return Some(self),
            _ => return None,
        };
        self.operand(index).filter(|file| file.kind() == MetadataKind::File)
    }

    /// Name and directory of a file.
    pub fn file_name(self) -> Option<(String, String)> {
        if self.kind() != MetadataKind::File {
            return None;
        }
        Some((self.name_operand(0).unwrap_or_default(), self.name_operand(1).unwrap_or_default()))
    }

    pub fn line(self) -> u32 {
        // SAFETY: each question is asked of its own kind.
        unsafe {
            match self.kind() {
                MetadataKind::Subprogram => debuginfo::LLVMDISubprogramGetLine(self.raw),
                MetadataKind::GlobalVariable | MetadataKind::LocalVariable => {
                    debuginfo::LLVMDIVariableGetLine(self.raw)
                }
                _ => 0,
            }
        }
    }

    // Names and types

    /// The source name of a subprogram, variable, type or enumerator.
    pub fn name(self) -> Option<String> {
        match self.kind() {
            MetadataKind::Subprogram
            | MetadataKind::BasicType
            | MetadataKind::DerivedType
            | MetadataKind::CompositeType
            | MetadataKind::Namespace => self.name_operand(2),
            MetadataKind::GlobalVariable | MetadataKind::LocalVariable => self.name_operand(1),
            MetadataKind::Enumerator => self.name_operand(0),
            _ => None,
        }
    }

    /// The scope of a subprogram, type or namespace: a class, a namespace, a function, a file.
    pub fn enclosing(self) -> Option<Metadata<'m>> {
        match self.kind() {
            MetadataKind::Subprogram
            | MetadataKind::DerivedType
            | MetadataKind::CompositeType
            | MetadataKind::LexicalBlock
            | MetadataKind::Namespace => self.operand(1),
            _ => None,
        }
    }

    /// The type of a variable, or of a subprogram.
    pub fn variable_type(self) -> Option<Metadata<'m>> {
        match self.kind() {
            MetadataKind::GlobalVariable | MetadataKind::LocalVariable => self.operand(3),
            MetadataKind::Subprogram => self.operand(4),
            _ => None,
        }
    }

    /// The variable that is behind an attachment of a global.
    pub(super) fn described_variable(self) -> Option<Metadata<'m>> {
        match self.kind() {
            MetadataKind::GlobalVariableExpression => self.operand(0),
            MetadataKind::GlobalVariable => Some(self),
            _ => None,
        }
    }

    fn is_type(self) -> bool {
        matches!(
            self.kind(),
            MetadataKind::BasicType
                | MetadataKind::DerivedType
                | MetadataKind::CompositeType
                | MetadataKind::SubroutineType
        )
    }

    /// The DWARF tag of a type.
    pub fn tag(self) -> u16 {
        // SAFETY: asked of types alone, which are nodes with a tag.
        if self.is_type() { unsafe { debuginfo::LLVMGetDINodeTag(self.raw) } } else { 0 }
    }

    pub fn size_in_bits(self) -> u64 {
        // SAFETY: asked of types alone.
        if self.is_type() { unsafe { debuginfo::LLVMDITypeGetSizeInBits(self.raw) } } else { 0 }
    }

    pub fn offset_in_bits(self) -> u64 {
        // SAFETY: asked of types alone.
        if self.is_type() { unsafe { debuginfo::LLVMDITypeGetOffsetInBits(self.raw) } } else { 0 }
    }

    /// The target of a pointer, the base of a typedef or member, the element of an array.
    pub fn base_type(self) -> Option<Metadata<'m>> {
        match self.kind() {
            MetadataKind::DerivedType | MetadataKind::CompositeType => self.operand(5).filter(|base| base.is_type()),
            _ => None,
        }
    }

    /// The members of a struct or union, the ranges of an array, the enumerators of an enumeration.
    pub fn elements(self) -> Vec<Metadata<'m>> {
        if self.kind() != MetadataKind::CompositeType {
            return Vec::new();
        }
        self.operand(6).map(|list| list.operands().into_iter().flatten().collect()).unwrap_or_default()
    }

    /// The number of elements of a range; `None` if it is computed at run time.
    pub fn range_count(self) -> Option<u64> {
        if self.kind() != MetadataKind::Subrange {
            return None;
        }
        u64::try_from(self.constant_operand(0)?.integer_bits()?).ok().filter(|&count| count < u64::MAX)
    }

    pub fn enumerator_value(self) -> Option<i128> {
        if self.kind() == MetadataKind::Enumerator { self.text_field("value")?.parse().ok() } else { None }
    }

    /// The DWARF name of a basic type's encoding, such as `DW_ATE_signed`.
    pub fn encoding(self) -> Option<String> {
        if self.kind() == MetadataKind::BasicType { self.text_field("encoding") } else { None }
    }

    /// Whether a member is static.
    pub fn is_static_member(self) -> bool {
        const STATIC: i32 = 1 << 12;
        // SAFETY: asked of types alone.
        self.is_type() && unsafe { debuginfo::LLVMDITypeGetFlags(self.raw) } & STATIC != 0
    }
}

impl<'m> Value<'m> {
    /// Metadata that is attached to a function or variable, with the number of its kind.
    fn attachments(self) -> Vec<(u32, Metadata<'m>)> {
        if !matches!(self.kind(), ValueKind::Function | ValueKind::Global) {
            return Vec::new();
        }
        // SAFETY: a global object; the entries are read within their count and then freed.
        unsafe {
            let mut count = 0;
            let entries = core::LLVMGlobalCopyAllMetadata(self.raw(), &mut count);
            let read = (0..count as u32)
                .filter_map(|index| {
                    let kind = core::LLVMValueMetadataEntriesGetKind(entries, index);
                    let node = core::LLVMValueMetadataEntriesGetMetadata(entries, index);
                    Metadata::from_raw(node, core::LLVMGetValueContext(self.raw())).map(|node| (kind, node))
                })
                .collect();
            core::LLVMDisposeValueMetadataEntries(entries);
            read
        }
    }

    /// Whether [`super::Module::mark_definitions`] or [`super::Module::mark_instructions`] gave it that mark.
    pub fn has_mark(self, mark: &str) -> bool {
        // SAFETY: the length is the name's.
        let kind = unsafe {
            let context = core::LLVMGetValueContext(self.raw());
            core::LLVMGetMDKindIDInContext(context, mark.as_ptr().cast(), mark.len() as u32)
        };
        if self.kind() == ValueKind::Instruction {
            // SAFETY: an instruction; null means that nothing of that kind is attached.
            return unsafe { !core::LLVMGetMetadata(self.raw(), kind).is_null() };
        }
        self.attachments().iter().any(|(attached, _)| *attached == kind)
    }

    /// The debug information of a variable: its first description.
    pub fn variable_description(self) -> Option<Metadata<'m>> {
        if self.kind() != ValueKind::Global {
            return None;
        }
        self.attachments().into_iter().find_map(|(_, node)| node.described_variable())
    }

    /// The debug information of a function.
    pub fn subprogram(self) -> Option<Metadata<'m>> {
        if self.kind() != ValueKind::Function {
            return None;
        }
        // SAFETY: a function.
        unsafe { Metadata::from_raw(debuginfo::LLVMGetSubprogram(self.raw()), core::LLVMGetValueContext(self.raw())) }
    }
}
