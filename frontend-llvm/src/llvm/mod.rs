//! The edge to LLVM: the C API behind types that cannot be misused.
//!
//! Everything unsafe of this crate is in this folder. The rules that make it safe: a [`Value`], [`Type`], [`Block`] or
//! [`Metadata`] borrows the [`Module`] that owns it, and what changes a module takes it by exclusive reference or by
//! value, so that nothing that was read from it is still around. Each method looks at the kind of its receiver before it
//! asks LLVM a question that only some kinds can answer, because LLVM answers the others with undefined behaviour.

mod value;
mod instruction;
mod types;
mod metadata;
mod module;
mod edit;

pub use edit::{Edited, Editor, Local};
pub use instruction::RecordKind;
pub use metadata::{Metadata, MetadataKind};
pub use module::{Context, Module};
pub use types::{DataLayout, Type, TypeKind};
pub use value::{Block, Value, ValueKind};

pub use inkwell::llvm_sys::{
    LLVMAtomicOrdering as AtomicOrdering, LLVMAtomicRMWBinOp as AtomicOp, LLVMIntPredicate as IntCompare,
    LLVMLinkage as Linkage, LLVMOpcode as Opcode, LLVMRealPredicate as FloatCompare,
};
