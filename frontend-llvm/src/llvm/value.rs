//! Values of every kind: constants, globals, functions, and the blocks of functions.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ptr;

use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMValueKind, core};

use super::text::{bytes_to_text, take_message};
use super::{Linkage, Opcode, Type, TypeKind};

/// LLVM's values, as far as the front end distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Argument,
    Instruction,
    Function,
    Global,
    Alias,
    IndirectFunction,
    BlockAddress,
    Expression,
    /// An integer constant of a scalar type.
    Integer,
    Real,
    Null,
    /// Undefined and poison.
    Undefined,
    /// Constant structs, arrays and vectors, however they are stored.
    Aggregate,
    InlineAssembly,
    Metadata,
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'m> {
    raw: LLVMValueRef,
    module: PhantomData<&'m ()>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'m> {
    raw: LLVMBasicBlockRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Value<'m> {
    /// `raw` must be null or a live value of the module that `'m` borrows.
    pub(super) fn from_raw(raw: LLVMValueRef) -> Option<Value<'m>> {
        (!raw.is_null()).then_some(Value { raw, module: PhantomData })
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.raw
    }

    pub fn kind(self) -> ValueKind {
        // SAFETY: every value has a kind.
        match unsafe { core::LLVMGetValueKind(self.raw) } {
            LLVMValueKind::LLVMArgumentValueKind => ValueKind::Argument,
            LLVMValueKind::LLVMInstructionValueKind => ValueKind::Instruction,
            LLVMValueKind::LLVMFunctionValueKind => ValueKind::Function,
            LLVMValueKind::LLVMGlobalVariableValueKind => ValueKind::Global,
            LLVMValueKind::LLVMGlobalAliasValueKind => ValueKind::Alias,
            LLVMValueKind::LLVMGlobalIFuncValueKind => ValueKind::IndirectFunction,
            LLVMValueKind::LLVMBlockAddressValueKind => ValueKind::BlockAddress,
            LLVMValueKind::LLVMConstantExprValueKind => ValueKind::Expression,
            LLVMValueKind::LLVMConstantIntValueKind if self.ty().kind() != TypeKind::Vector => ValueKind::Integer,
            LLVMValueKind::LLVMConstantFPValueKind if self.ty().kind() != TypeKind::Vector => ValueKind::Real,
            LLVMValueKind::LLVMConstantPointerNullValueKind => ValueKind::Null,
            LLVMValueKind::LLVMUndefValueValueKind | LLVMValueKind::LLVMPoisonValueKind => ValueKind::Undefined,
            LLVMValueKind::LLVMConstantArrayValueKind
            | LLVMValueKind::LLVMConstantStructValueKind
            | LLVMValueKind::LLVMConstantVectorValueKind
            | LLVMValueKind::LLVMConstantAggregateZeroValueKind
            | LLVMValueKind::LLVMConstantDataArrayValueKind
            | LLVMValueKind::LLVMConstantDataVectorValueKind
            | LLVMValueKind::LLVMConstantIntValueKind
            | LLVMValueKind::LLVMConstantFPValueKind => ValueKind::Aggregate,
            LLVMValueKind::LLVMInlineAsmValueKind => ValueKind::InlineAssembly,
            LLVMValueKind::LLVMMetadataAsValueValueKind => ValueKind::Metadata,
            _ => ValueKind::Other,
        }
    }

    pub fn ty(self) -> Type<'m> {
        // SAFETY: every value has a type.
        Type::from_raw(unsafe { core::LLVMTypeOf(self.raw) })
    }

    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: LLVM returns that many bytes.
        unsafe {
            let name = core::LLVMGetValueName2(self.raw, &mut length);
            bytes_to_text(name, length)
        }
    }

    /// The value as LLVM writes it.
    pub fn text(self) -> String {
        // SAFETY: the message is ours.
        unsafe { take_message(core::LLVMPrintValueToString(self.raw)) }
    }

    /// LLVM's text of the value up to its operands.
    pub fn summary(self) -> String {
        let text = self.text();
        let line = text.trim().lines().next().unwrap_or_default();
        line.split(", !").next().unwrap_or_default().to_owned()
    }

    fn is_user(self) -> bool {
        // SAFETY: every value can be asked.
        unsafe { !core::LLVMIsAUser(self.raw).is_null() }
    }

    pub fn operand_count(self) -> u32 {
        // SAFETY: asked of users alone.
        if self.is_user() { u32::try_from(unsafe { core::LLVMGetNumOperands(self.raw) }).unwrap_or(0) } else { 0 }
    }

    pub fn operand(self, index: u32) -> Option<Value<'m>> {
        if index >= self.operand_count() {
            return None;
        }
        // SAFETY: the index is in range.
        Value::from_raw(unsafe { core::LLVMGetOperand(self.raw, index) })
    }

    // Constants

    /// The bits of an integer constant of at most 128 bits, zero-extended.
    pub fn integer_bits(self) -> Option<u128> {
        if self.kind() != ValueKind::Integer {
            return None;
        }
        match self.ty().kind() {
            // SAFETY: an integer constant of at most 64 bits.
            TypeKind::Integer(width @ ..=64) => {
                let bits = unsafe { core::LLVMConstIntGetZExtValue(self.raw) };
                Some(if width == 64 { u128::from(bits) } else { u128::from(bits) & ((1 << width) - 1) })
            }
            TypeKind::Integer(width @ ..=128) => {
                let text = self.text();
                let value: i128 = match text.rsplit(' ').next()? {
                    // The largest magnitude does not fit its own sign.
                    digits if digits.starts_with('-') => digits.parse().ok()?,
                    digits => digits.parse::<u128>().ok()?.cast_signed(),
                };
                let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
                Some(value.cast_unsigned() & mask)
            }
            _ => None,
        }
    }

    /// The bits of a `float`, `double` or `x86_fp80` constant.
    pub fn real_bits(self) -> Option<u128> {
        if self.kind() != ValueKind::Real {
            return None;
        }
        match self.ty().kind() {
            TypeKind::Extended => {
                let text = self.text();
                u128::from_str_radix(text.rsplit_once("0xK")?.1, 16).ok()
            }
            kind @ (TypeKind::Float | TypeKind::Double) => {
                let mut loses = 0;
                // SAFETY: a scalar floating-point constant.
                let value = unsafe { core::LLVMConstRealGetDouble(self.raw, &mut loses) };
                Some(match kind {
                    TypeKind::Float => u128::from((value as f32).to_bits()),
                    _ => u128::from(value.to_bits()),
                })
            }
            _ => None,
        }
    }

    /// An element of a constant aggregate.
    pub fn aggregate_element(self, index: u64) -> Option<Value<'m>> {
        let has_elements = matches!(self.kind(), ValueKind::Aggregate | ValueKind::Undefined);
        if !has_elements || index >= self.ty().element_count() {
            return None;
        }
        // SAFETY: a constant of an aggregate type, and the index is in range.
        Value::from_raw(unsafe { core::LLVMGetAggregateElement(self.raw, u32::try_from(index).ok()?) })
    }

    /// The bytes of a constant array of `i8`.
    pub fn string_bytes(self) -> Option<Vec<u8>> {
        // SAFETY: the length is asked of strings alone, and LLVM's bytes live as long as the constant.
        unsafe {
            if core::LLVMIsAConstantDataArray(self.raw).is_null() || core::LLVMIsConstantString(self.raw) == 0 {
                return None;
            }
            let mut length = 0;
            let bytes = core::LLVMGetAsString(self.raw, &mut length);
            if length == 0 {
                return Some(Vec::new());
            }
            Some(std::slice::from_raw_parts(bytes.cast::<u8>(), length).to_vec())
        }
    }

    pub fn is_null_constant(self) -> bool {
        // SAFETY: every value can be asked.
        unsafe { core::LLVMIsConstant(self.raw) != 0 && core::LLVMIsNull(self.raw) != 0 }
    }

    /// The operation of a constant expression.
    pub fn expression_opcode(self) -> Option<Opcode> {
        // SAFETY: asked of constant expressions alone.
        (self.kind() == ValueKind::Expression).then(|| unsafe { core::LLVMGetConstOpcode(self.raw) })
    }

    /// The block whose address a constant is.
    pub fn addressed_block(self) -> Option<Block<'m>> {
        if self.kind() != ValueKind::BlockAddress {
            return None;
        }
        // SAFETY: a block address.
        Block::from_raw(unsafe { core::LLVMGetBlockAddressBasicBlock(self.raw) })
    }

    /// The function whose block's address a constant is.
    pub fn addressed_function(self) -> Option<Value<'m>> {
        if self.kind() != ValueKind::BlockAddress {
            return None;
        }
        // SAFETY: a block address.
        Value::from_raw(unsafe { core::LLVMGetBlockAddressFunction(self.raw) })
    }

    // Globals

    fn is_global_value(self) -> bool {
        // SAFETY: every value can be asked.
        unsafe { !core::LLVMIsAGlobalValue(self.raw).is_null() }
    }

    pub fn is_declaration(self) -> bool {
        // SAFETY: asked of global values alone.
        self.is_global_value() && unsafe { core::LLVMIsDeclaration(self.raw) != 0 }
    }

    /// A weak reference without a definition: its address is null.
    pub fn is_absent(self) -> bool {
        self.is_declaration() && self.linkage() == Linkage::LLVMExternalWeakLinkage
    }

    pub fn linkage(self) -> Linkage {
        if !self.is_global_value() {
            return Linkage::LLVMExternalLinkage;
        }
        // SAFETY: a global value.
        unsafe { core::LLVMGetLinkage(self.raw) }
    }

    /// The type of a variable, or of a function.
    pub fn value_type(self) -> Option<Type<'m>> {
        // SAFETY: asked of global values alone.
        self.is_global_value().then(|| Type::from_raw(unsafe { core::LLVMGlobalGetValueType(self.raw) }))
    }

    pub fn initializer(self) -> Option<Value<'m>> {
        if self.kind() != ValueKind::Global {
            return None;
        }
        // SAFETY: a variable; null means that it has none.
        Value::from_raw(unsafe { core::LLVMGetInitializer(self.raw) })
    }

    pub fn is_thread_local(self) -> bool {
        // SAFETY: asked of variables alone.
        self.kind() == ValueKind::Global && unsafe { core::LLVMIsThreadLocal(self.raw) != 0 }
    }

    pub fn is_constant_global(self) -> bool {
        // SAFETY: asked of variables alone.
        self.kind() == ValueKind::Global && unsafe { core::LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// The explicit alignment of a variable, load, store, alloca or atomic; 0 if it is that of its type.
    pub fn alignment(self) -> u64 {
        let has = self.kind() == ValueKind::Global
            || matches!(
                self.opcode(),
                Some(
                    Opcode::LLVMLoad
                        | Opcode::LLVMStore
                        | Opcode::LLVMAlloca
                        | Opcode::LLVMAtomicRMW
                        | Opcode::LLVMAtomicCmpXchg
                )
            );
        // SAFETY: one of the kinds that LLVM names.
        if has { u64::from(unsafe { core::LLVMGetAlignment(self.raw) }) } else { 0 }
    }

    /// The target of an alias, or the resolver of an indirect function.
    pub fn aliasee(self) -> Option<Value<'m>> {
        // SAFETY: each question is asked of its own kind.
        unsafe {
            match self.kind() {
                ValueKind::Alias => Value::from_raw(core::LLVMAliasGetAliasee(self.raw)),
                ValueKind::IndirectFunction => Value::from_raw(core::LLVMGetGlobalIFuncResolver(self.raw)),
                _ => None,
            }
        }
    }

    // Functions

    pub fn parameters(self) -> Vec<Value<'m>> {
        if self.kind() != ValueKind::Function {
            return Vec::new();
        }
        // SAFETY: a function; the array has room for all parameters.
        unsafe {
            let mut values = vec![ptr::null_mut(); core::LLVMCountParams(self.raw) as usize];
            core::LLVMGetParams(self.raw, values.as_mut_ptr());
            values.into_iter().filter_map(Value::from_raw).collect()
        }
    }

    /// The blocks of a function; the first one is where it begins.
    pub fn blocks(self) -> Vec<Block<'m>> {
        if self.kind() != ValueKind::Function {
            return Vec::new();
        }
        // SAFETY: a function; the array has room for all blocks.
        unsafe {
            let mut blocks = vec![ptr::null_mut(); core::LLVMCountBasicBlocks(self.raw) as usize];
            core::LLVMGetBasicBlocks(self.raw, blocks.as_mut_ptr());
            blocks.into_iter().filter_map(Block::from_raw).collect()
        }
    }
}

impl<'m> Block<'m> {
    pub(super) fn from_raw(raw: LLVMBasicBlockRef) -> Option<Block<'m>> {
        (!raw.is_null()).then_some(Block { raw, module: PhantomData })
    }

    pub fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: the list's values live in the block.
        let first = Value::from_raw(unsafe { core::LLVMGetFirstInstruction(self.raw) });
        std::iter::successors(first, |value| Value::from_raw(unsafe { core::LLVMGetNextInstruction(value.raw) }))
    }

    pub fn terminator(self) -> Option<Value<'m>> {
        // SAFETY: a live block.
        Value::from_raw(unsafe { core::LLVMGetBasicBlockTerminator(self.raw) })
    }
}
