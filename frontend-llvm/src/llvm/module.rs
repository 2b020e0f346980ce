//! Contexts and modules: parsing, linking, passes, and the lists that a module owns.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_void};
use std::marker::PhantomData;
use std::ptr;

use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, analysis, bit_reader, core, error, ir_reader, linker};

use super::text::{bytes_to_text, take_message};
use super::{DataLayout, Linkage, Value, ValueKind};

/// Owns all types, constants and metadata of its modules, and collects LLVM's messages.
pub struct Context {
    raw: LLVMContextRef,
    /// Boxed, because LLVM keeps its address.
    messages: Box<RefCell<Messages>>,
}

#[derive(Default)]
struct Messages {
    errors: Vec<String>,
}

/// LLVM calls this instead of printing, and instead of ending the process on an error.
extern "C" fn keep_message(info: LLVMDiagnosticInfoRef, messages: *mut c_void) {
    // SAFETY: LLVM passes a live diagnostic, and the pointer that `Context::new` registered, which lives as long as the
    // context does.
    unsafe {
        let text = take_message(core::LLVMGetDiagInfoDescription(info));
        let severity = core::LLVMGetDiagInfoSeverity(info);
        let messages = &*messages.cast::<RefCell<Messages>>();
        if severity == inkwell::llvm_sys::LLVMDiagnosticSeverity::LLVMDSError
            && let Ok(mut messages) = messages.try_borrow_mut()
        {
            messages.errors.push(text);
        }
    }
}

/// A name for LLVM; one that holds a zero byte does not exist there.
fn c_name(name: &str) -> CString {
    CString::new(name).unwrap_or_default()
}

/// Why a module could not be read.
#[derive(Debug)]
pub struct ParseError(pub String);

impl Context {
    pub fn new() -> Context {
        let messages = Box::new(RefCell::new(Messages::default()));
        // SAFETY: the box's content stays where it is until after the context is disposed of.
        let raw = unsafe {
            let raw = core::LLVMContextCreate();
            let address = ptr::from_ref::<RefCell<Messages>>(&messages).cast_mut().cast::<c_void>();
            core::LLVMContextSetDiagnosticHandler(raw, Some(keep_message), address);
            raw
        };
        Context { raw, messages }
    }

    fn take_errors(&self) -> String {
        std::mem::take(&mut self.messages.borrow_mut().errors).join("\n")
    }

    /// Reads a whole module, bitcode or text, and checks that it is well-formed.
    pub fn parse(&self, name: &str, bytes: &[u8]) -> Result<Module<'_>, ParseError> {
        self.take_errors();
        let name = c_name(name);
        let mut raw = ptr::null_mut();
        // SAFETY: the buffer copies the bytes and is freed after the parser, which does not keep it.
        let failed = unsafe {
            let buffer =
                core::LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), name.as_ptr());
            let mut message = ptr::null_mut();
            let failed = ir_reader::LLVMParseIRInContext2(self.raw, buffer, &mut raw, &mut message) != 0;
            core::LLVMDisposeMemoryBuffer(buffer);
            failed.then(|| take_message(message))
        };
        if let Some(message) = failed {
            let errors = self.take_errors();
            return Err(ParseError(if message.trim().is_empty() { errors } else { message }));
        }
        let module = Module { raw, context: PhantomData };
        module.check().map_err(ParseError)?;
        Ok(module)
    }

    /// Reads a module whose function bodies stay in `bytes` until they are needed.
    pub fn parse_lazily(&self, bytes: &'static [u8]) -> Result<Module<'_>, ParseError> {
        self.take_errors();
        let mut raw = ptr::null_mut();
        // SAFETY: the bytes live for ever; on success the module owns the buffer, on failure it has no owner.
        unsafe {
            let buffer =
                core::LLVMCreateMemoryBufferWithMemoryRange(bytes.as_ptr().cast(), bytes.len(), c"models".as_ptr(), 0);
            if bit_reader::LLVMGetBitcodeModuleInContext2(self.raw, buffer, &mut raw) != 0 {
                return Err(ParseError(self.take_errors()));
            }
        }
        Ok(Module { raw, context: PhantomData })
    }

    /// Moves the contents of `from` into `into`.
    pub fn link<'c>(&'c self, into: &mut Module<'c>, from: Module<'c>) -> Result<(), String> {
        self.take_errors();
        let raw = from.raw;
        std::mem::forget(from);
        // SAFETY: both modules are of this context; the linker disposes of the second one in every case.
        let failed = unsafe { linker::LLVMLinkModules2(into.raw, raw) } != 0;
        let errors = self.take_errors();
        if failed || !errors.is_empty() { Err(errors) } else { Ok(()) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left.
        unsafe { core::LLVMContextDispose(self.raw) };
    }
}

/// A module; values that were read from it borrow it.
pub struct Module<'c> {
    raw: LLVMModuleRef,
    context: PhantomData<&'c Context>,
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: it has one owner; the linker's argument is forgotten before it is passed.
        unsafe { core::LLVMDisposeModule(self.raw) };
    }
}

impl Module<'_> {
    pub(super) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    /// Adds an empty named metadata node, as a mark of the whole module.
    pub fn add_named_metadata(&mut self, name: &str) {
        let name = c_name(name);
        // SAFETY: the node is of the module's context.
        unsafe {
            let context = core::LLVMGetModuleContext(self.raw);
            let node = core::LLVMMDNodeInContext2(context, ptr::null_mut(), 0);
            core::LLVMAddNamedMetadataOperand(self.raw, name.as_ptr(), core::LLVMMetadataAsValue(context, node));
        }
    }

    /// The message of LLVM's verifier, if the module is invalid.
    pub fn check(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: the module is live; the message is ours.
        unsafe {
            let action = analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = analysis::LLVMVerifyModule(self.raw, action, &mut message) != 0;
            let text = take_message(message);
            if broken { Err(text) } else { Ok(()) }
        }
    }

    pub fn target(&self) -> String {
        // SAFETY: the module is live and so is its triple.
        unsafe { CStr::from_ptr(core::LLVMGetTarget(self.raw)).to_string_lossy().into_owned() }
    }

    pub fn data_layout(&self) -> DataLayout<'_> {
        // SAFETY: the module owns its data layout.
        DataLayout::new(unsafe { inkwell::llvm_sys::target::LLVMGetModuleDataLayout(self.raw) })
    }

    pub fn inline_assembly(&self) -> String {
        let mut length = 0;
        // SAFETY: LLVM returns that many bytes that live as long as the module.
        unsafe {
            let text = core::LLVMGetModuleInlineAsm(self.raw, &mut length);
            bytes_to_text(text, length)
        }
    }

    pub fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: the list's values live in the module.
        self.list(
            || unsafe { core::LLVMGetFirstFunction(self.raw) },
            |value| unsafe { core::LLVMGetNextFunction(value) },
        )
    }

    pub fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as above.
        self.list(|| unsafe { core::LLVMGetFirstGlobal(self.raw) }, |value| unsafe { core::LLVMGetNextGlobal(value) })
    }

    pub fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as above.
        self.list(
            || unsafe { core::LLVMGetFirstGlobalAlias(self.raw) },
            |value| unsafe { core::LLVMGetNextGlobalAlias(value) },
        )
    }

    fn list(
        &self,
        first: impl FnOnce() -> LLVMValueRef,
        next: fn(LLVMValueRef) -> LLVMValueRef,
    ) -> impl Iterator<Item = Value<'_>> {
        std::iter::successors(Value::from_raw(first()), move |value| Value::from_raw(next(value.raw())))
    }

    pub fn function(&self, name: &str) -> Option<Value<'_>> {
        let name = c_name(name);
        // SAFETY: the module is live, the name ends in zero.
        Value::from_raw(unsafe { core::LLVMGetNamedFunction(self.raw, name.as_ptr()) })
    }

    pub fn global(&self, name: &str) -> Option<Value<'_>> {
        let name = c_name(name);
        // SAFETY: as above.
        Value::from_raw(unsafe { core::LLVMGetNamedGlobal(self.raw, name.as_ptr()) })
    }

    pub fn alias(&self, name: &str) -> Option<Value<'_>> {
        let name = c_name(name);
        // SAFETY: as above.
        Value::from_raw(unsafe { core::LLVMGetNamedGlobalAlias(self.raw, name.as_ptr(), name.as_bytes().len()) })
    }

    /// Whether a function, variable or alias of that name is defined here.
    pub fn defines(&self, name: &str) -> bool {
        let value = self.function(name).or_else(|| self.global(name));
        value.is_some_and(|value| !value.is_declaration()) || self.alias(name).is_some()
    }

    /// Declares a function by name only, unless the name exists.
    pub fn declare(&mut self, name: &str) {
        if self.function(name).is_some() || self.global(name).is_some() || self.alias(name).is_some() {
            return;
        }
        let name = c_name(name);
        // SAFETY: the context is the module's own; a function type of `void ()` is always valid.
        unsafe {
            let context = core::LLVMGetModuleContext(self.raw);
            let void: LLVMTypeRef = core::LLVMVoidTypeInContext(context);
            let ty = core::LLVMFunctionType(void, ptr::null_mut(), 0, 0);
            core::LLVMAddFunction(self.raw, name.as_ptr(), ty);
        }
    }

    /// Replaces all uses of a function by another one of the same type with this name. An existing body stays under a
    /// new name.
    pub fn replace_function(&mut self, function: &str, name: &str) {
        let Some(old) = self.function(function).map(Value::raw) else { return };
        let (behind, name) = (c_name(&format!("{name}.own")), c_name(name));
        // SAFETY: a function of this module; the new one has its type, and no other reference to it is read in between.
        unsafe {
            core::LLVMSetValueName2(old, behind.as_ptr(), behind.as_bytes().len());
            let known = core::LLVMGetNamedFunction(self.raw, name.as_ptr());
            let ty = core::LLVMGlobalGetValueType(old);
            let new = if known.is_null() { core::LLVMAddFunction(self.raw, name.as_ptr(), ty) } else { known };
            core::LLVMReplaceAllUsesWith(old, new);
        }
    }

    /// Whether all uses of a variable are loads.
    pub fn is_only_loaded(&self, variable: &str) -> bool {
        let Some(variable) = self.global(variable) else { return true };
        // SAFETY: the module is live and does not change while its uses are walked.
        unsafe {
            let mut usage = core::LLVMGetFirstUse(variable.raw());
            while !usage.is_null() {
                if core::LLVMIsALoadInst(core::LLVMGetUser(usage)).is_null() {
                    return false;
                }
                usage = core::LLVMGetNextUse(usage);
            }
        }
        true
    }

    /// Makes a variable writable.
    pub fn make_writable(&mut self, variable: &str) {
        if let Some(raw) = self.global(variable).map(Value::raw) {
            // SAFETY: a variable of this module.
            unsafe { core::LLVMSetGlobalConstant(raw, 0) };
        }
    }

    /// Declares a function that maps a 64-bit number and its width to a number, unless the name exists.
    pub fn declare_word_function(&mut self, name: &str) {
        if self.function(name).is_some() {
            return;
        }
        let name = c_name(name);
        // SAFETY: types of the module's own context.
        unsafe {
            let context = core::LLVMGetModuleContext(self.raw);
            let word: LLVMTypeRef = core::LLVMInt64TypeInContext(context);
            let width: LLVMTypeRef = core::LLVMInt32TypeInContext(context);
            let ty = core::LLVMFunctionType(word, [word, width].as_mut_ptr(), 2, 0);
            core::LLVMAddFunction(self.raw, name.as_ptr(), ty);
        }
    }

    /// Changes the linkage of every definition: `choose` maps its name and current linkage to the new one. A definition
    /// that becomes internal also gets a new name, so that it does not clash.
    pub fn relink(&mut self, mut choose: impl FnMut(&str, Linkage) -> Linkage) {
        let values: Vec<LLVMValueRef> =
            self.functions().chain(self.globals()).chain(self.aliases()).map(|value| value.raw()).collect();
        for raw in values {
            let Some(value) = Value::from_raw(raw) else { continue };
            if value.is_declaration() {
                continue;
            }
            let name = value.name();
            let old = value.linkage();
            let new = choose(&name, old);
            if new == old {
                continue;
            }
            // SAFETY: a global value of this module; no other reference to it is read in between.
            unsafe {
                core::LLVMSetLinkage(raw, new);
                if new == Linkage::LLVMInternalLinkage {
                    let renamed = c_name(&format!("{name}.model"));
                    core::LLVMSetValueName2(raw, renamed.as_ptr(), renamed.as_bytes().len());
                }
            }
        }
    }

    /// Gives every definition a mark that survives linking; see [`Value::has_mark`].
    pub fn mark_definitions(&mut self, mark: &str) {
        let mark = c_name(mark);
        let values: Vec<LLVMValueRef> = self.functions().chain(self.globals()).map(|value| value.raw()).collect();
        // SAFETY: the values are global objects of this module, the node is of its context.
        unsafe {
            let context = core::LLVMGetModuleContext(self.raw);
            let length = mark.as_bytes().len();
            let kind = core::LLVMGetMDKindIDInContext(context, mark.as_ptr(), length as u32);
            let node = core::LLVMMDNodeInContext2(context, ptr::null_mut(), 0);
            for value in values {
                if core::LLVMIsDeclaration(value) == 0 {
                    core::LLVMGlobalSetMetadata(value, kind, node);
                }
            }
        }
    }

    /// Removes the attribute that forbids passes to look at a function.
    pub fn allow_passes(&mut self) {
        let functions: Vec<LLVMValueRef> = self.functions().map(|value| value.raw()).collect();
        let name = "optnone";
        // SAFETY: removing an attribute that is not there does nothing.
        unsafe {
            let kind = core::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            for function in functions {
                core::LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
            }
        }
    }

    /// Removes memory attributes of defined functions, since inserted code accesses more memory.
    pub fn forget_touched_memory(&mut self) {
        let name = "memory";
        let is_open = |callee: Value<'_>| !callee.is_declaration() && callee.kind() != ValueKind::InlineAssembly;
        let functions: Vec<LLVMValueRef> =
            self.functions().filter(|function| !function.is_declaration()).map(|value| value.raw()).collect();
        let calls: Vec<LLVMValueRef> = self
            .functions()
            .flat_map(Value::blocks)
            .flat_map(|block| block.instructions())
            .filter(|value| value.callee().is_some_and(is_open))
            .map(|value| value.raw())
            .collect();
        // SAFETY: removing an attribute that is not there does nothing.
        unsafe {
            let kind = core::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            for function in functions {
                core::LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
            }
            for call in calls {
                core::LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
            }
        }
    }

    /// Runs a pipeline in the syntax of `opt -passes`.
    pub fn run_passes(&mut self, pipeline: &str) -> Result<(), String> {
        let pipeline = c_name(pipeline);
        // SAFETY: a null target machine means none; options and message are freed here.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let failed = LLVMRunPasses(self.raw, pipeline.as_ptr(), ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if failed.is_null() {
                return Ok(());
            }
            let message = error::LLVMGetErrorMessage(failed);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            error::LLVMDisposeErrorMessage(message);
            Err(text)
        }
    }

    /// The named metadata node's operands.
    pub fn named_metadata(&self, name: &str) -> Vec<super::Metadata<'_>> {
        let name = c_name(name);
        // SAFETY: the module is live; the array has room for all operands.
        unsafe {
            let count = core::LLVMGetNamedMetadataNumOperands(self.raw, name.as_ptr());
            let mut operands = vec![ptr::null_mut(); count as usize];
            core::LLVMGetNamedMetadataOperands(self.raw, name.as_ptr(), operands.as_mut_ptr());
            operands.into_iter().filter_map(super::Metadata::from_value).collect()
        }
    }
}
