//! Properties of instructions beyond their operands.
#![allow(unsafe_code)]

use inkwell::llvm_sys::prelude::LLVMDbgRecordRef;
use inkwell::llvm_sys::{LLVMDbgRecordKind, LLVMInlineAsmDialect, LLVMTailCallKind, core, debuginfo};

use super::text::bytes_to_text;
use super::{AtomicOp, AtomicOrdering, Block, FloatCompare, IntCompare, Metadata, Opcode, Type, Value, ValueKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// The value is the address of the variable.
    Declare,
    /// The value is that of the variable from here on.
    Value,
}

/// A statement that ties a value to a source variable.
pub struct DebugRecord<'m> {
    pub kind: RecordKind,
    pub value: Option<Value<'m>>,
    pub variable: Metadata<'m>,
    pub expression: Option<Metadata<'m>>,
}

impl<'m> Value<'m> {
    pub fn opcode(self) -> Option<Opcode> {
        // SAFETY: asked of instructions alone.
        (self.kind() == ValueKind::Instruction).then(|| unsafe { core::LLVMGetInstructionOpcode(self.raw()) })
    }

    fn is(self, opcode: Opcode) -> bool {
        self.opcode() == Some(opcode)
    }

    /// The opcode of an instruction or a constant expression.
    pub fn operation(self) -> Option<Opcode> {
        self.opcode().or_else(|| self.expression_opcode())
    }

    pub fn debug_location(self) -> Option<Metadata<'m>> {
        if self.kind() != ValueKind::Instruction {
            return None;
        }
        // SAFETY: an instruction.
        unsafe {
            Metadata::from_raw(debuginfo::LLVMInstructionGetDebugLoc(self.raw()), core::LLVMGetValueContext(self.raw()))
        }
    }

    /// The debug records that stand before an instruction.
    pub fn debug_records(self) -> Vec<DebugRecord<'m>> {
        if self.kind() != ValueKind::Instruction {
            return Vec::new();
        }
        let mut records = Vec::new();
        // SAFETY: an instruction, and then live records of it.
        unsafe {
            let mut record = core::LLVMGetFirstDbgRecord(self.raw());
            while !record.is_null() {
                records.extend(self.debug_record(record));
                record = core::LLVMGetNextDbgRecord(record);
            }
        }
        records
    }

    fn debug_record(self, record: LLVMDbgRecordRef) -> Option<DebugRecord<'m>> {
        // SAFETY: a live record; the rest is asked of variable records alone.
        unsafe {
            let kind = match core::LLVMDbgRecordGetKind(record) {
                LLVMDbgRecordKind::LLVMDbgRecordDeclare => RecordKind::Declare,
                LLVMDbgRecordKind::LLVMDbgRecordValue | LLVMDbgRecordKind::LLVMDbgRecordAssign => RecordKind::Value,
                LLVMDbgRecordKind::LLVMDbgRecordLabel => return None,
            };
            let context = core::LLVMGetValueContext(self.raw());
            Some(DebugRecord {
                kind,
                value: Value::from_raw(core::LLVMDbgVariableRecordGetValue(record, 0)),
                variable: Metadata::from_raw(core::LLVMDbgVariableRecordGetVariable(record), context)?,
                expression: Metadata::from_raw(core::LLVMDbgVariableRecordGetExpression(record), context),
            })
        }
    }

    /// Whether a landing pad is a cleanup.
    pub fn is_cleanup(self) -> bool {
        // SAFETY: asked of landing pads alone.
        self.is(Opcode::LLVMLandingPad) && unsafe { core::LLVMIsCleanup(self.raw()) != 0 }
    }

    /// The clauses of a landing pad: type infos for catches, and arrays of them for filters.
    pub fn clauses(self) -> Vec<Value<'m>> {
        if !self.is(Opcode::LLVMLandingPad) {
            return Vec::new();
        }
        // SAFETY: a landing pad, and numbers below its own count.
        unsafe {
            let count = core::LLVMGetNumClauses(self.raw());
            (0..count).filter_map(|index| Value::from_raw(core::LLVMGetClause(self.raw(), index))).collect()
        }
    }

    pub fn int_compare(self) -> Option<IntCompare> {
        // SAFETY: asked of `icmp` alone.
        self.is(Opcode::LLVMICmp).then(|| unsafe { core::LLVMGetICmpPredicate(self.raw()) })
    }

    pub fn float_compare(self) -> Option<FloatCompare> {
        // SAFETY: asked of `fcmp` alone.
        self.is(Opcode::LLVMFCmp).then(|| unsafe { core::LLVMGetFCmpPredicate(self.raw()) })
    }

    /// The ordering of a load, store, fence or read-modify-write.
    pub fn ordering(self) -> AtomicOrdering {
        match self.opcode() {
            Some(Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMFence | Opcode::LLVMAtomicRMW) => {
                // SAFETY: one of the instructions that have one.
                unsafe { core::LLVMGetOrdering(self.raw()) }
            }
            _ => AtomicOrdering::LLVMAtomicOrderingNotAtomic,
        }
    }

    /// The orderings of a compare-exchange, and whether it may fail without reason.
    pub fn exchange_orderings(self) -> Option<(AtomicOrdering, AtomicOrdering, bool)> {
        // SAFETY: asked of `cmpxchg` alone.
        self.is(Opcode::LLVMAtomicCmpXchg).then(|| unsafe {
            (
                core::LLVMGetCmpXchgSuccessOrdering(self.raw()),
                core::LLVMGetCmpXchgFailureOrdering(self.raw()),
                core::LLVMGetWeak(self.raw()) != 0,
            )
        })
    }

    pub fn atomic_op(self) -> Option<AtomicOp> {
        // SAFETY: asked of `atomicrmw` alone.
        self.is(Opcode::LLVMAtomicRMW).then(|| unsafe { core::LLVMGetAtomicRMWBinOp(self.raw()) })
    }

    pub fn allocated_type(self) -> Option<Type<'m>> {
        // SAFETY: asked of `alloca` alone.
        self.is(Opcode::LLVMAlloca).then(|| Type::from_raw(unsafe { core::LLVMGetAllocatedType(self.raw()) }))
    }

    /// The type that the indices of a `getelementptr` walk through.
    pub fn element_source(self) -> Option<Type<'m>> {
        // SAFETY: asked of `getelementptr` alone, as an instruction or as a constant.
        (self.operation() == Some(Opcode::LLVMGetElementPtr))
            .then(|| Type::from_raw(unsafe { core::LLVMGetGEPSourceElementType(self.raw()) }))
    }

    /// The indices of `extractvalue` and `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        if !self.is(Opcode::LLVMExtractValue) && !self.is(Opcode::LLVMInsertValue) {
            return Vec::new();
        }
        // SAFETY: LLVM returns that many numbers.
        unsafe {
            let count = core::LLVMGetNumIndices(self.raw()) as usize;
            let indices = core::LLVMGetIndices(self.raw());
            if count == 0 { Vec::new() } else { std::slice::from_raw_parts(indices, count).to_vec() }
        }
    }

    /// The mask of a `shufflevector`; `None` is an undefined lane.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        if self.operation() != Some(Opcode::LLVMShuffleVector) {
            return Vec::new();
        }
        // SAFETY: a shuffle, and each index is in range.
        unsafe {
            (0..core::LLVMGetNumMaskElements(self.raw()))
                .map(|index| u32::try_from(core::LLVMGetMaskValue(self.raw(), index)).ok())
                .collect()
        }
    }

    pub fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        if !self.is(Opcode::LLVMPHI) {
            return Vec::new();
        }
        // SAFETY: a phi, and each index is in range.
        unsafe {
            (0..core::LLVMCountIncoming(self.raw()))
                .filter_map(|index| {
                    let value = Value::from_raw(core::LLVMGetIncomingValue(self.raw(), index))?;
                    let block = Block::from_raw(core::LLVMGetIncomingBlock(self.raw(), index))?;
                    Some((value, block))
                })
                .collect()
        }
    }

    /// The blocks that may follow a terminator; a switch's first one is its default.
    pub fn successors(self) -> Vec<Block<'m>> {
        // SAFETY: asked of terminators alone, and each index is in range.
        unsafe {
            if core::LLVMIsATerminatorInst(self.raw()).is_null() {
                return Vec::new();
            }
            (0..core::LLVMGetNumSuccessors(self.raw()))
                .filter_map(|index| Block::from_raw(core::LLVMGetSuccessor(self.raw(), index)))
                .collect()
        }
    }

    /// The case value of a switch for its successor of that number, which is at least 1.
    pub fn case_value(self, successor: u32) -> Option<Value<'m>> {
        // SAFETY: a switch, and the number is in range.
        unsafe {
            if !self.is(Opcode::LLVMSwitch) || successor == 0 || successor >= core::LLVMGetNumSuccessors(self.raw()) {
                return None;
            }
            Value::from_raw(core::LLVMGetSwitchCaseValue(self.raw(), successor))
        }
    }

    /// The condition of a branch, or the value of a switch.
    pub fn condition(self) -> Option<Value<'m>> {
        if self.is(Opcode::LLVMSwitch) {
            return self.operand(0);
        }
        // SAFETY: LLVM answers this for conditional branches alone.
        unsafe {
            let conditional = self.is(Opcode::LLVMBr) && core::LLVMIsConditional(self.raw()) != 0;
            if conditional { Value::from_raw(core::LLVMGetCondition(self.raw())) } else { None }
        }
    }

    // Calls

    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr))
    }

    pub fn callee(self) -> Option<Value<'m>> {
        // SAFETY: asked of calls alone.
        if self.is_call() { Value::from_raw(unsafe { core::LLVMGetCalledValue(self.raw()) }) } else { None }
    }

    /// The number of bits recorded here, at a mark of [`super::Editor::mark_push`].
    pub fn pushed_width(self) -> Option<u32> {
        let is_annotation = self.callee()?.name().starts_with("llvm.annotation.");
        let is_mark = is_annotation && self.operand(1)?.name() == super::edit::PUSH_MARK;
        if is_mark { self.operand(3)?.integer_bits().and_then(|width| u32::try_from(width).ok()) } else { None }
    }

    /// Whether this call must directly precede the return.
    pub fn must_be_last(self) -> bool {
        // SAFETY: asked of calls alone.
        self.opcode() == Some(Opcode::LLVMCall)
            && unsafe { core::LLVMGetTailCallKind(self.raw()) } == LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    pub fn called_type(self) -> Option<Type<'m>> {
        // SAFETY: asked of calls alone.
        self.is_call().then(|| Type::from_raw(unsafe { core::LLVMGetCalledFunctionType(self.raw()) }))
    }

    pub fn arguments(self) -> Vec<Value<'m>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: a call; its arguments are its first operands.
        let count = unsafe { core::LLVMGetNumArgOperands(self.raw()) };
        (0..count).filter_map(|index| self.operand(index)).collect()
    }

    /// The type behind an attribute such as `byval` of a call's argument; arguments count from 0.
    pub fn argument_type_attribute(self, argument: usize, name: &str) -> Option<Type<'m>> {
        let index = u32::try_from(argument).ok()?.checked_add(1)?;
        if !self.is_call() {
            return None;
        }
        // SAFETY: a call; a type is asked of type attributes alone.
        unsafe {
            let kind = core::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = core::LLVMGetCallSiteEnumAttribute(self.raw(), index, kind);
            if attribute.is_null() || core::LLVMIsTypeAttribute(attribute) == 0 {
                return None;
            }
            Some(Type::from_raw(core::LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// The number of an attribute such as `align` of a call's argument.
    pub fn argument_number_attribute(self, argument: usize, name: &str) -> Option<u64> {
        let index = u32::try_from(argument).ok()?.checked_add(1)?;
        if !self.is_call() {
            return None;
        }
        // SAFETY: a call; a number is asked of number attributes alone.
        unsafe {
            let kind = core::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = core::LLVMGetCallSiteEnumAttribute(self.raw(), index, kind);
            if attribute.is_null() || core::LLVMIsEnumAttribute(attribute) == 0 {
                return None;
            }
            Some(core::LLVMGetEnumAttributeValue(attribute))
        }
    }

    pub fn is_intel_assembly(self) -> bool {
        // SAFETY: asked of inline assembly alone.
        self.kind() == ValueKind::InlineAssembly
            && unsafe { core::LLVMGetInlineAsmDialect(self.raw()) == LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel }
    }

    /// The template and the constraints of inline assembly.
    pub fn assembly(self) -> Option<(String, String)> {
        if self.kind() != ValueKind::InlineAssembly {
            return None;
        }
        // SAFETY: inline assembly; LLVM returns that many bytes.
        unsafe {
            let (mut template_length, mut constraints_length) = (0, 0);
            let template = core::LLVMGetInlineAsmAsmString(self.raw(), &mut template_length);
            let constraints = core::LLVMGetInlineAsmConstraintString(self.raw(), &mut constraints_length);
            Some((bytes_to_text(template, template_length), bytes_to_text(constraints, constraints_length)))
        }
    }
}
