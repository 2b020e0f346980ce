//! Types, and the data layout that gives them sizes and offsets.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::marker::PhantomData;

use inkwell::llvm_sys::prelude::LLVMTypeRef;
use inkwell::llvm_sys::target::{self, LLVMByteOrdering, LLVMTargetDataRef};
use inkwell::llvm_sys::{LLVMTypeKind, core};

use super::text::take_message;

/// LLVM's types, as far as the front end distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    Void,
    Integer(u32),
    Float,
    Double,
    /// `x86_fp80`.
    Extended,
    /// Half, bfloat and both 128-bit formats, with their width.
    OtherFloat(u32),
    Pointer {
        address_space: u32,
    },
    Struct,
    Array,
    Vector,
    Function,
    /// Labels, metadata, tokens, scalable vectors, target extensions.
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'m> {
    raw: LLVMTypeRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Type<'m> {
    /// `raw` must be a live type of the module that `'m` borrows.
    pub(super) fn from_raw(raw: LLVMTypeRef) -> Type<'m> {
        Type { raw, module: PhantomData }
    }

    pub fn kind(self) -> TypeKind {
        // SAFETY: the type is live; width and address space are asked of the kinds that have them.
        unsafe {
            match core::LLVMGetTypeKind(self.raw) {
                LLVMTypeKind::LLVMVoidTypeKind => TypeKind::Void,
                LLVMTypeKind::LLVMIntegerTypeKind => TypeKind::Integer(core::LLVMGetIntTypeWidth(self.raw)),
                LLVMTypeKind::LLVMFloatTypeKind => TypeKind::Float,
                LLVMTypeKind::LLVMDoubleTypeKind => TypeKind::Double,
                LLVMTypeKind::LLVMX86_FP80TypeKind => TypeKind::Extended,
                LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind => TypeKind::OtherFloat(16),
                LLVMTypeKind::LLVMFP128TypeKind | LLVMTypeKind::LLVMPPC_FP128TypeKind => TypeKind::OtherFloat(128),
                LLVMTypeKind::LLVMPointerTypeKind => {
                    TypeKind::Pointer { address_space: core::LLVMGetPointerAddressSpace(self.raw) }
                }
                LLVMTypeKind::LLVMStructTypeKind => TypeKind::Struct,
                LLVMTypeKind::LLVMArrayTypeKind => TypeKind::Array,
                LLVMTypeKind::LLVMVectorTypeKind => TypeKind::Vector,
                LLVMTypeKind::LLVMFunctionTypeKind => TypeKind::Function,
                _ => TypeKind::Other,
            }
        }
    }

    pub fn is_sized(self) -> bool {
        // SAFETY: every type can be asked.
        unsafe { core::LLVMTypeIsSized(self.raw) != 0 }
    }

    /// The number of elements of an array, vector or struct; 0 for all others.
    pub fn element_count(self) -> u64 {
        // SAFETY: each question is asked of its own kind.
        unsafe {
            match self.kind() {
                TypeKind::Array => core::LLVMGetArrayLength2(self.raw),
                TypeKind::Vector => u64::from(core::LLVMGetVectorSize(self.raw)),
                TypeKind::Struct => u64::from(core::LLVMCountStructElementTypes(self.raw)),
                _ => 0,
            }
        }
    }

    /// The type of an array's, a vector's or a struct's element.
    pub fn element(self, index: u64) -> Option<Type<'m>> {
        // SAFETY: the index is in range, the kind has elements.
        unsafe {
            match self.kind() {
                TypeKind::Array | TypeKind::Vector => Some(Type::from_raw(core::LLVMGetElementType(self.raw))),
                TypeKind::Struct if index < self.element_count() => {
                    Some(Type::from_raw(core::LLVMStructGetTypeAtIndex(self.raw, index as u32)))
                }
                _ => None,
            }
        }
    }

    /// The name of a struct type, such as `struct.node`.
    pub fn struct_name(self) -> Option<String> {
        if self.kind() != TypeKind::Struct {
            return None;
        }
        // SAFETY: a struct type; the name is null or ends in zero.
        unsafe {
            let name = core::LLVMGetStructName(self.raw);
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// A function type's result.
    pub fn result(self) -> Option<Type<'m>> {
        // SAFETY: asked of function types alone.
        (self.kind() == TypeKind::Function).then(|| Type::from_raw(unsafe { core::LLVMGetReturnType(self.raw) }))
    }

    /// A function type's parameters.
    pub fn parameters(self) -> Vec<Type<'m>> {
        if self.kind() != TypeKind::Function {
            return Vec::new();
        }
        // SAFETY: a function type; the array has room for all of its parameters.
        unsafe {
            let mut types = vec![std::ptr::null_mut(); core::LLVMCountParamTypes(self.raw) as usize];
            core::LLVMGetParamTypes(self.raw, types.as_mut_ptr());
            types.into_iter().map(Type::from_raw).collect()
        }
    }

    pub fn is_variadic(self) -> bool {
        // SAFETY: asked of function types alone.
        self.kind() == TypeKind::Function && unsafe { core::LLVMIsFunctionVarArg(self.raw) != 0 }
    }

    pub fn text(self) -> String {
        // SAFETY: the message is ours.
        unsafe { take_message(core::LLVMPrintTypeToString(self.raw)) }
    }
}

/// Sizes, alignments and offsets of a module's types. Questions about types without size answer 0.
#[derive(Clone, Copy)]
pub struct DataLayout<'m> {
    raw: LLVMTargetDataRef,
    module: PhantomData<&'m ()>,
}

impl<'m> DataLayout<'m> {
    pub(super) fn new(raw: LLVMTargetDataRef) -> DataLayout<'m> {
        DataLayout { raw, module: PhantomData }
    }

    pub fn pointer_bytes(self) -> u32 {
        // SAFETY: the layout is live.
        unsafe { target::LLVMPointerSize(self.raw) }
    }

    pub fn is_little_endian(self) -> bool {
        // SAFETY: the layout is live.
        unsafe { matches!(target::LLVMByteOrder(self.raw), LLVMByteOrdering::LLVMLittleEndian) }
    }

    /// The distance of adjacent elements of an array.
    pub fn size(self, ty: Type<'m>) -> u64 {
        // SAFETY: the type has a size.
        if ty.is_sized() { unsafe { target::LLVMABISizeOfType(self.raw, ty.raw) } } else { 0 }
    }

    /// The number of bytes that a store of the type writes.
    pub fn store_size(self, ty: Type<'m>) -> u64 {
        // SAFETY: the type has a size.
        if ty.is_sized() { unsafe { target::LLVMStoreSizeOfType(self.raw, ty.raw) } } else { 0 }
    }

    pub fn alignment(self, ty: Type<'m>) -> u64 {
        // SAFETY: the type has a size.
        if ty.is_sized() { u64::from(unsafe { target::LLVMABIAlignmentOfType(self.raw, ty.raw) }) } else { 1 }
    }

    /// The byte offset of an element of a struct, an array or a vector of whole bytes.
    pub fn offset(self, ty: Type<'m>, index: u64) -> u64 {
        match ty.kind() {
            TypeKind::Struct if index < ty.element_count() && ty.is_sized() => {
                // SAFETY: a sized struct, and the index is in range.
                unsafe { target::LLVMOffsetOfElement(self.raw, ty.raw, index as u32) }
            }
            TypeKind::Array => ty.element(0).map_or(0, |element| self.size(element)).wrapping_mul(index),
            TypeKind::Vector => ty.element(0).map_or(0, |element| self.store_size(element)).wrapping_mul(index),
            _ => 0,
        }
    }
}
