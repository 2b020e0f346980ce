//! Dispatches instructions to the parts of the lowering.

use ir::{Op, Operand};

use crate::llvm::{Opcode, Value};

use super::state::{FunctionLowering, Refusal};
use super::types::scalars;

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers an instruction that is neither a phi nor a terminator; an unsupported one becomes a refusal in its place.
    pub fn instruction(&mut self, value: Value<'m>) {
        if matches!(value.opcode(), Some(Opcode::LLVMPHI | Opcode::LLVMLandingPad)) || is_known_terminator(value) {
            return;
        }
        self.enter(value);
        match self.effect(value) {
            Ok(operands) => self.define(value, operands),
            Err(what) => self.refuse(value, what),
        }
    }

    /// The following instructions get this one's place.
    pub fn enter(&mut self, value: Value<'m>) {
        if let Some(location) = value.debug_location() {
            self.span = self.program.debug.span(location);
        }
    }

    /// Ends the analysis here. The results exist, so that the rest of the function stays well-formed.
    pub fn refuse(&mut self, value: Value<'m>, what: Refusal) {
        let types = scalars(value.ty()).unwrap_or_default();
        let operands = self.emit_many(Op::Unsupported { what }, &types);
        self.define(value, operands);
    }

    fn effect(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        match value.opcode() {
            Some(Opcode::LLVMAlloca) => self.alloca(value),
            Some(Opcode::LLVMLoad) => self.load(value),
            Some(Opcode::LLVMStore) => self.store(value),
            Some(Opcode::LLVMAtomicRMW) => self.read_modify_write(value),
            Some(Opcode::LLVMAtomicCmpXchg) => self.compare_exchange(value),
            Some(Opcode::LLVMFence) => self.fence(value),
            Some(Opcode::LLVMCall) => self.call(value),
            Some(Opcode::LLVMInvoke) => self.invoke(value),
            Some(Opcode::LLVMResume) => self.resume(value),
            Some(Opcode::LLVMVAArg) => self.variadic_argument(value),
            _ => self.pure(value)?.ok_or_else(|| format!("the instruction{}", mnemonic(value))),
        }
    }

    /// Operations without effect, as instructions or constant expressions; `None` for all others.
    pub fn pure(&mut self, value: Value<'m>) -> Result<Option<Vec<Operand>>, Refusal> {
        let Some(opcode) = value.operation() else { return Ok(None) };
        Ok(Some(match opcode {
            Opcode::LLVMGetElementPtr => self.element_pointer(value)?,
            Opcode::LLVMICmp | Opcode::LLVMFCmp => self.comparison(value)?,
            Opcode::LLVMSelect => self.selection(value)?,
            Opcode::LLVMFNeg => self.negation(value)?,
            Opcode::LLVMFreeze => self.freeze(value)?,
            Opcode::LLVMExtractValue => self.extract_value(value)?,
            Opcode::LLVMInsertValue => self.insert_value(value)?,
            Opcode::LLVMExtractElement => self.extract_element(value)?,
            Opcode::LLVMInsertElement => self.insert_element(value)?,
            Opcode::LLVMShuffleVector => self.shuffle(value)?,
            Opcode::LLVMBitCast => self.bit_cast(value)?,
            Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMFPToUI
            | Opcode::LLVMFPToSI
            | Opcode::LLVMUIToFP
            | Opcode::LLVMSIToFP
            | Opcode::LLVMFPTrunc
            | Opcode::LLVMFPExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMPtrToAddr
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMAddrSpaceCast => self.conversion(value, opcode)?,
            _ => return self.arithmetic(value, opcode),
        }))
    }
}

/// Terminators that [`FunctionLowering::terminator`] lowers; all others are refused like instructions, because some
/// have results that later blocks use.
pub fn is_known_terminator(value: Value<'_>) -> bool {
    matches!(
        value.opcode(),
        Some(Opcode::LLVMRet | Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMIndirectBr | Opcode::LLVMUnreachable)
    )
}

/// An instruction's name in LLVM's text, with a space before it.
fn mnemonic(value: Value<'_>) -> String {
    let text = value.summary();
    let operation = text.split_once(" = ").map_or(text.as_str(), |(_, operation)| operation);
    format!(" `{}`", operation.split(' ').next().unwrap_or_default())
}
