//! Edits functions: inserts calls before and after instructions, which are identified by position.
//!
//! An [`Editor`] holds its module exclusively, so that no value read from the module is alive while it changes. Its
//! handles ([`Edited`]) are only valid for its own methods.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr;

use inkwell::llvm_sys::prelude::{
    LLVMBasicBlockRef, LLVMBuilderRef, LLVMContextRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef,
};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMTypeKind, bit_writer, core};

use super::{Linkage, Module, Opcode};

/// A value of the function that is edited.
#[derive(Clone, Copy)]
pub struct Edited<'e> {
    raw: LLVMValueRef,
    editor: PhantomData<&'e ()>,
}

/// The name of the string in marks of pushed bits.
pub(super) const PUSH_MARK: &str = "heddle.push";

/// A block and an instruction in it, counted from zero as at the beginning of the edit.
pub type Position = (usize, usize);

/// The types of new local variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    Word,
    Pointer,
    /// Pairs of an address and a length.
    Buffers(u32),
}

pub struct Editor<'e> {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
    function: LLVMValueRef,
    instructions: Vec<Vec<LLVMValueRef>>,
    /// Blocks on the edge from a call that ends its block to its normal successor.
    returning: Vec<(LLVMValueRef, LLVMBasicBlockRef)>,
    exclusive: PhantomData<&'e mut ()>,
}

impl Drop for Editor<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `Module::edit`, and freed once.
        unsafe { core::LLVMDisposeBuilder(self.builder) };
    }
}

impl Module<'_> {
    /// An editor of the function with this name; none if it has no body.
    pub fn edit(&mut self, name: &str) -> Option<Editor<'_>> {
        let function = self.function(name).filter(|function| !function.is_declaration())?;
        let instructions = function
            .blocks()
            .into_iter()
            .map(|block| block.instructions().map(|value| value.raw()).collect())
            .collect();
        let function = function.raw();
        // SAFETY: the builder is of the module's own context.
        let (context, builder) = unsafe {
            let context = core::LLVMGetModuleContext(self.raw());
            (context, core::LLVMCreateBuilderInContext(context))
        };
        let module = self.raw();
        Some(Editor { module, context, builder, function, instructions, returning: Vec::new(), exclusive: PhantomData })
    }

    /// Attaches a mark to instructions, which is kept in bitcode; see [`super::Value::has_mark`].
    pub fn mark_instructions(&mut self, function: &str, mark: &str, positions: &[Position]) {
        let Some(editor) = self.edit(function) else { return };
        // SAFETY: the node is of the module's context, the instructions are live.
        unsafe {
            let kind = core::LLVMGetMDKindIDInContext(editor.context, mark.as_ptr().cast(), mark.len() as u32);
            let node = core::LLVMMDNodeInContext2(editor.context, ptr::null_mut(), 0);
            let value = core::LLVMMetadataAsValue(editor.context, node);
            for &(block, instruction) in positions {
                if let Some(&raw) = editor.instructions.get(block).and_then(|block| block.get(instruction)) {
                    core::LLVMSetMetadata(raw, kind, value);
                }
            }
        }
    }

    pub fn bitcode(&self) -> Vec<u8> {
        // SAFETY: the buffer is read within its size and then freed.
        unsafe {
            let buffer = bit_writer::LLVMWriteBitcodeToMemoryBuffer(self.raw());
            let start = core::LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, core::LLVMGetBufferSize(buffer)).to_vec();
            core::LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// Defines a declared constant: bytes, or the number with these bytes.
    pub fn define_bytes(&mut self, name: &str, bytes: &[u8]) {
        let Some(global) = self.global(name).map(|global| global.raw()) else { return };
        // SAFETY: the initialiser has the type of the variable, which is a number or an array of bytes.
        unsafe {
            let ty = core::LLVMGlobalGetValueType(global);
            let context = core::LLVMGetModuleContext(self.raw());
            let value = if core::LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMIntegerTypeKind {
                let number = bytes.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
                core::LLVMConstInt(ty, number, 0)
            } else {
                core::LLVMConstStringInContext2(context, bytes.as_ptr().cast(), bytes.len(), 1)
            };
            core::LLVMSetInitializer(global, value);
            core::LLVMSetLinkage(global, Linkage::LLVMInternalLinkage);
        }
    }

    /// Defines a declared table of addresses.
    pub fn define_table(&mut self, name: &str, functions: &[String]) {
        let Some(declared) = self.global(name).map(|global| global.raw()) else { return };
        let mut entries: Vec<LLVMValueRef> =
            functions.iter().filter_map(|name| self.function(name)).map(|function| function.raw()).collect();
        // SAFETY: addresses of functions are constants of pointer type; the declaration is removed after its last use.
        unsafe {
            let context = core::LLVMGetModuleContext(self.raw());
            let pointer = core::LLVMPointerTypeInContext(context, 0);
            let table = core::LLVMConstArray2(pointer, entries.as_mut_ptr(), entries.len() as u64);
            let ty = core::LLVMTypeOf(table);
            let defined = core::LLVMAddGlobal(self.raw(), ty, c"heddle.functions".as_ptr());
            core::LLVMSetInitializer(defined, table);
            core::LLVMSetLinkage(defined, Linkage::LLVMInternalLinkage);
            core::LLVMSetGlobalConstant(defined, 1);
            core::LLVMReplaceAllUsesWith(declared, defined);
            core::LLVMDeleteGlobal(declared);
        }
    }
}

impl<'e> Editor<'e> {
    fn edited(raw: LLVMValueRef) -> Edited<'e> {
        Edited { raw, editor: PhantomData }
    }

    fn instruction(&self, (block, instruction): Position) -> Option<LLVMValueRef> {
        self.instructions.get(block)?.get(instruction).copied()
    }

    /// Moves the insertion point to the beginning of the function.
    pub fn at_start(&mut self) {
        if let Some(first) = self.instruction((0, 0)) {
            // SAFETY: a live instruction; the first of a function is no phi.
            unsafe { core::LLVMPositionBuilderBefore(self.builder, first) };
        }
    }

    /// Moves the insertion point before an instruction.
    pub fn before(&mut self, position: Position) {
        if let Some(raw) = self.instruction(position) {
            // SAFETY: a live instruction.
            unsafe { core::LLVMPositionBuilderBefore(self.builder, raw) };
        }
    }

    /// Moves the insertion point after an instruction; for a call that ends its block, to its normal successor.
    pub fn after(&mut self, position: Position) {
        let Some(raw) = self.instruction(position) else { return };
        // SAFETY: an instruction that ends no block has a next one; a block that we made ends in a jump.
        unsafe {
            // Before the next original instruction, so that insertions stay in their order.
            if let Some(next) = self.instruction((position.0, position.1 + 1)) {
                core::LLVMPositionBuilderBefore(self.builder, next);
                return;
            }
            let known = self.returning.iter().find(|(call, _)| *call == raw).map(|(_, block)| *block);
            let block = known.unwrap_or_else(|| {
                let block = self.split_edge(raw, 0);
                self.returning.push((raw, block));
                block
            });
            core::LLVMPositionBuilderBefore(self.builder, core::LLVMGetBasicBlockTerminator(block));
        }
    }

    /// Moves the insertion point to one edge of a terminator.
    pub fn on_edge(&mut self, position: Position, successor: u32) {
        if let Some(raw) = self.instruction(position) {
            let block = self.split_edge(raw, successor);
            // SAFETY: the new block ends in a jump.
            unsafe { core::LLVMPositionBuilderBefore(self.builder, core::LLVMGetBasicBlockTerminator(block)) };
        }
    }

    /// Puts a block on one edge of a terminator.
    fn split_edge(&mut self, terminator: LLVMValueRef, successor: u32) -> LLVMBasicBlockRef {
        // SAFETY: the terminator has that successor; the phis of the target get the new block for one of their entries of
        // the old one, so that they have an entry for each edge again.
        unsafe {
            let from = core::LLVMGetInstructionParent(terminator);
            let to = core::LLVMGetSuccessor(terminator, successor);
            let between = core::LLVMInsertBasicBlockInContext(self.context, to, c"".as_ptr());
            core::LLVMPositionBuilderAtEnd(self.builder, between);
            core::LLVMBuildBr(self.builder, to);
            core::LLVMSetSuccessor(terminator, successor, between);
            let mut instruction = core::LLVMGetFirstInstruction(to);
            while !instruction.is_null() && core::LLVMGetInstructionOpcode(instruction) == Opcode::LLVMPHI {
                let next = core::LLVMGetNextInstruction(instruction);
                self.replace_incoming(instruction, from, between);
                instruction = next;
            }
            between
        }
    }

    /// Rebuilds a phi with `to` in the place of the first entry for `from`, since entries cannot be changed.
    fn replace_incoming(&mut self, phi: LLVMValueRef, from: LLVMBasicBlockRef, to: LLVMBasicBlockRef) {
        // SAFETY: a phi with its own values and blocks; all uses of the old one go to the new one.
        unsafe {
            core::LLVMPositionBuilderBefore(self.builder, phi);
            let fresh = core::LLVMBuildPhi(self.builder, core::LLVMTypeOf(phi), c"".as_ptr());
            let mut replaced = false;
            for index in 0..core::LLVMCountIncoming(phi) {
                let mut value = core::LLVMGetIncomingValue(phi, index);
                let mut block = core::LLVMGetIncomingBlock(phi, index);
                if block == from && !replaced {
                    block = to;
                    replaced = true;
                }
                core::LLVMAddIncoming(fresh, &mut value, &mut block, 1);
            }
            core::LLVMReplaceAllUsesWith(phi, fresh);
            for known in self.instructions.iter_mut().flatten().filter(|known| **known == phi) {
                *known = fresh;
            }
            core::LLVMInstructionEraseFromParent(phi);
        }
    }

    /// A new local variable at the insertion point, which is the beginning of the function.
    pub fn local(&mut self, local: Local) -> Edited<'e> {
        // SAFETY: types of the module's context.
        unsafe {
            let word = core::LLVMInt64TypeInContext(self.context);
            let pointer = core::LLVMPointerTypeInContext(self.context, 0);
            let ty = match local {
                Local::Word => word,
                Local::Pointer => pointer,
                Local::Buffers(count) => {
                    let pair = core::LLVMStructTypeInContext(self.context, [pointer, word].as_mut_ptr(), 2, 0);
                    core::LLVMArrayType2(pair, u64::from(count))
                }
            };
            Self::edited(core::LLVMBuildAlloca(self.builder, ty, c"".as_ptr()))
        }
    }

    /// Calls a function of the module; the arguments must match its type.
    pub fn call(&mut self, function: &str, arguments: &[Edited<'e>]) -> Edited<'e> {
        let name = CString::new(function).unwrap_or_default();
        let mut raw: Vec<LLVMValueRef> = arguments.iter().map(|argument| argument.raw).collect();
        // SAFETY: the function's own type is used for the call; a function that is missing is a mistake of the build.
        unsafe {
            let callee = core::LLVMGetNamedFunction(self.module, name.as_ptr());
            assert!(!callee.is_null(), "the hooks define {function}");
            let ty: LLVMTypeRef = core::LLVMGlobalGetValueType(callee);
            Self::edited(core::LLVMBuildCall2(
                self.builder,
                ty,
                callee,
                raw.as_mut_ptr(),
                raw.len() as u32,
                c"".as_ptr(),
            ))
        }
    }

    /// Marks that bits of a number are recorded here. Passes keep these marks, their order and their operands, and know
    /// nothing about their effect. See [`super::Value::pushed_width`].
    pub fn mark_push(&mut self, number: Edited<'e>, width: u32) {
        let name = "llvm.annotation";
        // SAFETY: the intrinsic has these types of its overloads; the mark is a string of the module.
        unsafe {
            let word = core::LLVMInt64TypeInContext(self.context);
            let pointer = core::LLVMPointerTypeInContext(self.context, 0);
            let mark = self.push_mark();
            let id = core::LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let callee = core::LLVMGetIntrinsicDeclaration(self.module, id, [word, pointer].as_mut_ptr(), 2);
            let ty = core::LLVMGlobalGetValueType(callee);
            let width = self.number(32, u64::from(width)).raw;
            let mut arguments = [number.raw, mark, mark, width];
            core::LLVMBuildCall2(self.builder, ty, callee, arguments.as_mut_ptr(), 4, c"".as_ptr());
        }
    }

    fn push_mark(&mut self) -> LLVMValueRef {
        let name = CString::new(PUSH_MARK).unwrap_or_default();
        // SAFETY: a constant of the module's own context.
        unsafe {
            let known = core::LLVMGetNamedGlobal(self.module, name.as_ptr());
            if !known.is_null() {
                return known;
            }
            let text = core::LLVMConstStringInContext2(self.context, c"".as_ptr(), 0, 0);
            let mark = core::LLVMAddGlobal(self.module, core::LLVMTypeOf(text), name.as_ptr());
            core::LLVMSetInitializer(mark, text);
            core::LLVMSetLinkage(mark, Linkage::LLVMInternalLinkage);
            core::LLVMSetGlobalConstant(mark, 1);
            mark
        }
    }

    /// A truth value as a number of 64 bits.
    pub fn as_bit(&mut self, value: Edited<'e>) -> Edited<'e> {
        // SAFETY: asked of conditions alone.
        unsafe {
            let word = core::LLVMInt64TypeInContext(self.context);
            Self::edited(core::LLVMBuildZExt(self.builder, value.raw, word, c"".as_ptr()))
        }
    }

    pub fn number(&self, bits: u32, value: u64) -> Edited<'e> {
        // SAFETY: an integer type of the module's context.
        unsafe { Self::edited(core::LLVMConstInt(core::LLVMIntTypeInContext(self.context, bits), value, 0)) }
    }

    /// The address of the pair of that index.
    pub fn element(&mut self, buffers: Edited<'e>, index: u32) -> Edited<'e> {
        let offset = self.number(64, u64::from(index) * 16);
        // SAFETY: bytes of a local variable that has that many pairs.
        unsafe {
            let byte = core::LLVMInt8TypeInContext(self.context);
            Self::edited(core::LLVMBuildGEP2(
                self.builder,
                byte,
                buffers.raw,
                [offset.raw].as_mut_ptr(),
                1,
                c"".as_ptr(),
            ))
        }
    }

    pub fn null(&self) -> Edited<'e> {
        // SAFETY: a pointer type of the module's context.
        unsafe { Self::edited(core::LLVMConstPointerNull(core::LLVMPointerTypeInContext(self.context, 0))) }
    }

    /// The condition of a branch.
    pub fn condition(&self, position: Position) -> Option<Edited<'e>> {
        let raw = self.instruction(position)?;
        // SAFETY: asked of conditional branches alone.
        unsafe {
            let is_branch = core::LLVMGetInstructionOpcode(raw) == Opcode::LLVMBr && core::LLVMIsConditional(raw) != 0;
            is_branch.then(|| Self::edited(core::LLVMGetCondition(raw)))
        }
    }

    /// The number of the target of a computed jump among its distinct targets, in the order of its list.
    pub fn jump_number(&mut self, position: Position) -> Option<Edited<'e>> {
        let raw = self.instruction(position)?;
        // SAFETY: a computed jump's first operand is the address; its targets are blocks of this function.
        unsafe {
            let address = core::LLVMGetOperand(raw, 0);
            let mut targets: Vec<LLVMBasicBlockRef> = Vec::new();
            for index in 0..core::LLVMGetNumSuccessors(raw) {
                let target = core::LLVMGetSuccessor(raw, index);
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
            let mut number = self.number(64, targets.len() as u64).raw;
            for (index, &target) in targets.iter().enumerate() {
                let at = core::LLVMBlockAddress(self.function, target);
                let equal = core::LLVMBuildICmp(self.builder, LLVMIntPredicate::LLVMIntEQ, address, at, c"".as_ptr());
                let this = self.number(64, index as u64).raw;
                number = core::LLVMBuildSelect(self.builder, equal, this, number, c"".as_ptr());
            }
            Some(Self::edited(number))
        }
    }

    pub fn edges(&self, position: Position) -> u32 {
        // SAFETY: asked of terminators, which have successors.
        self.instruction(position).map_or(0, |raw| unsafe {
            if core::LLVMIsATerminatorInst(raw).is_null() { 0 } else { core::LLVMGetNumSuccessors(raw) }
        })
    }

    /// The callee of a call.
    pub fn callee(&self, position: Position) -> Option<Edited<'e>> {
        // SAFETY: asked of calls alone.
        self.call_at(position).map(|raw| unsafe { Self::edited(core::LLVMGetCalledValue(raw)) })
    }

    pub fn argument(&self, position: Position, index: u32) -> Option<Edited<'e>> {
        let raw = self.call_at(position)?;
        // SAFETY: a call with that many arguments.
        unsafe { (index < core::LLVMGetNumArgOperands(raw)).then(|| Self::edited(core::LLVMGetOperand(raw, index))) }
    }

    fn call_at(&self, position: Position) -> Option<LLVMValueRef> {
        let raw = self.instruction(position)?;
        // SAFETY: an instruction has an opcode.
        let opcode = unsafe { core::LLVMGetInstructionOpcode(raw) };
        matches!(opcode, Opcode::LLVMCall | Opcode::LLVMInvoke).then_some(raw)
    }

    /// Replaces the uses of an instruction's integer result by the result of a function, which takes the zero-extended
    /// 64-bit number and its width.
    pub fn pass_through(&mut self, position: Position, width: u32, function: &str) {
        let Some(raw) = self.instruction(position) else { return };
        // SAFETY: an instruction has an opcode; behind a block's phis there is its terminator at least.
        unsafe {
            if core::LLVMGetInstructionOpcode(raw) == Opcode::LLVMPHI {
                let block = self.instructions[position.0].iter();
                let behind = block.copied().find(|&raw| core::LLVMGetInstructionOpcode(raw) != Opcode::LLVMPHI);
                let Some(behind) = behind else { return };
                if core::LLVMGetInstructionOpcode(behind) == Opcode::LLVMLandingPad {
                    return;
                }
                core::LLVMPositionBuilderBefore(self.builder, behind);
            } else {
                self.after(position);
            }
        }
        self.pass(raw, width, function);
    }

    /// As [`Editor::pass_through`] for a parameter.
    pub fn pass_parameter(&mut self, index: u32, function: &str) {
        self.at_start();
        if let Some(parameter) = self.parameter(index) {
            // SAFETY: an integer.
            let width = unsafe { core::LLVMGetIntTypeWidth(core::LLVMTypeOf(parameter.raw)) };
            self.pass(parameter.raw, width, function);
        }
    }

    fn pass(&mut self, raw: LLVMValueRef, width: u32, function: &str) {
        // SAFETY: an integer of at most 64 bits; the uses of the old value but the first conversion go to the new one.
        unsafe {
            let ty = core::LLVMTypeOf(raw);
            let word = core::LLVMInt64TypeInContext(self.context);
            // The uses are replaced before the conversion is created, because that is a use too.
            let placeholder = core::LLVMBuildFreeze(self.builder, core::LLVMGetUndef(ty), c"".as_ptr());
            core::LLVMReplaceAllUsesWith(raw, placeholder);
            let wide = core::LLVMBuildIntCast2(self.builder, raw, word, 0, c"".as_ptr());
            let width =
                Self::edited(core::LLVMConstInt(core::LLVMInt32TypeInContext(self.context), u64::from(width), 0));
            let passed = self.call(function, &[Self::edited(wide), width]);
            let narrow = core::LLVMBuildIntCast2(self.builder, passed.raw, ty, 0, c"".as_ptr());
            core::LLVMReplaceAllUsesWith(placeholder, narrow);
            core::LLVMInstructionEraseFromParent(placeholder);
        }
    }

    /// Replaces the callee by the function of the same name with a prefix, which has the same type.
    pub fn rename_callee(&mut self, position: Position, beginning: &str) {
        let Some(raw) = self.call_at(position) else { return };
        // SAFETY: the callee of a call is its last operand; the new one has the type that is called.
        unsafe {
            let callee = core::LLVMGetCalledValue(raw);
            let mut length = 0;
            let name = super::text::bytes_to_text(core::LLVMGetValueName2(callee, &mut length), length);
            let renamed = CString::new(format!("{beginning}{name}")).unwrap_or_default();
            let known = core::LLVMGetNamedFunction(self.module, renamed.as_ptr());
            let ty = core::LLVMGetCalledFunctionType(raw);
            let new = if known.is_null() { core::LLVMAddFunction(self.module, renamed.as_ptr(), ty) } else { known };
            let last = core::LLVMGetNumOperands(raw) as u32 - 1;
            core::LLVMSetOperand(raw, last, new);
        }
    }

    /// Removes a call whose result is unused.
    pub fn erase(&mut self, position: Position) {
        let Some(raw) = self.call_at(position) else { return };
        // SAFETY: the call has no result in use; the position is not used again.
        unsafe {
            if core::LLVMGetFirstUse(raw).is_null() {
                core::LLVMInstructionEraseFromParent(raw);
            }
        }
    }

    pub fn parameter(&self, index: u32) -> Option<Edited<'e>> {
        // SAFETY: a function with that many parameters.
        unsafe {
            (index < core::LLVMCountParams(self.function))
                .then(|| Self::edited(core::LLVMGetParam(self.function, index)))
        }
    }

    pub fn result(&self, position: Position) -> Option<Edited<'e>> {
        self.call_at(position).map(Self::edited)
    }

    /// A value as a 64-bit number: integers sign-extended, floats as bits, pointers as whether they are non-null. Zero
    /// for all other types.
    pub fn as_number(&mut self, value: Edited<'e>) -> Edited<'e> {
        // SAFETY: each conversion is one that the value's type has.
        unsafe {
            let word = core::LLVMInt64TypeInContext(self.context);
            let ty = core::LLVMTypeOf(value.raw);
            let raw = match core::LLVMGetTypeKind(ty) {
                LLVMTypeKind::LLVMIntegerTypeKind => {
                    core::LLVMBuildIntCast2(self.builder, value.raw, word, 1, c"".as_ptr())
                }
                LLVMTypeKind::LLVMPointerTypeKind => {
                    let there = core::LLVMBuildIsNotNull(self.builder, value.raw, c"".as_ptr());
                    core::LLVMBuildZExt(self.builder, there, word, c"".as_ptr())
                }
                LLVMTypeKind::LLVMDoubleTypeKind => core::LLVMBuildBitCast(self.builder, value.raw, word, c"".as_ptr()),
                _ => core::LLVMConstInt(word, 0, 0),
            };
            Self::edited(raw)
        }
    }

    /// An unsigned number of 64 bits.
    pub fn as_size(&mut self, value: Edited<'e>) -> Edited<'e> {
        // SAFETY: asked of integers alone.
        unsafe {
            let word = core::LLVMInt64TypeInContext(self.context);
            if core::LLVMGetTypeKind(core::LLVMTypeOf(value.raw)) != LLVMTypeKind::LLVMIntegerTypeKind {
                return Self::edited(core::LLVMConstInt(word, 0, 0));
            }
            Self::edited(core::LLVMBuildIntCast2(self.builder, value.raw, word, 0, c"".as_ptr()))
        }
    }

    /// Some bits of a number of 64 bits, shifted down.
    pub fn part(&mut self, value: Edited<'e>, shift: u32, width: u32) -> Edited<'e> {
        let (shift, mask) = (self.number(64, u64::from(shift)), self.number(64, u64::MAX >> (64 - width)));
        // SAFETY: numbers of 64 bits.
        unsafe {
            let shifted = core::LLVMBuildLShr(self.builder, value.raw, shift.raw, c"".as_ptr());
            Self::edited(core::LLVMBuildAnd(self.builder, shifted, mask.raw, c"".as_ptr()))
        }
    }

    pub fn is_pointer(&self, value: Edited<'e>) -> bool {
        // SAFETY: every value has a type.
        unsafe { core::LLVMGetTypeKind(core::LLVMTypeOf(value.raw)) == LLVMTypeKind::LLVMPointerTypeKind }
    }
}
