//! The interface to LLVM: the C API behind types that cannot be misused.
//!
//! All unsafe code of this crate is in this folder. The rules that make it safe: a [`Value`], [`Type`], [`Block`] or
//! [`Metadata`] borrows the [`Module`] that owns it, and operations that change a module take it by exclusive reference
//! or by value, so that no value read from it is alive. Each method checks the kind of its receiver before it calls an
//! LLVM function that is only defined for some kinds, because LLVM has undefined behaviour for others.

mod text;
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
