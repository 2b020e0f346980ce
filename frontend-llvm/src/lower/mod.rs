//! Lowers an LLVM module to an [`ir::Program`].
//!
//! Only code that is reachable from the entry is lowered: functions and globals get their ids at the first reference,
//! and wait in a queue to be lowered.

mod types;
mod tables;
mod initial;
mod state;
mod emit;
mod function;
mod instruction;
mod arithmetic;
mod vector;
mod memory;
mod call;
mod library;
pub mod frameworks;
mod intrinsic;
mod bytes;
mod integer;
mod float;
mod assembly;
mod exception;
mod control;

use std::collections::VecDeque;
use std::path::PathBuf;

use ir::{Block, Function, FunctionId, Global, GlobalId, Instr, Op, Operand, Origin, Program, SpanId, TextId};

pub use library::is_operation;

use crate::debug::DebugInfo;
use crate::error::Error;
use crate::llvm::{DataLayout, Module, Value, ValueKind};
use crate::names::{ENTRY, MARKED, MODEL};
use crate::{Unsupported, debug};
use tables::{Table, Texts};

pub struct Lowered {
    pub program: Program,
    pub unsupported: Vec<Unsupported>,
}

/// The program under construction.
pub struct Lowering<'m> {
    module: &'m Module<'m>,
    layout: DataLayout<'m>,
    debug: DebugInfo<'m>,
    functions: Table<'m, Function>,
    globals: Table<'m, Global>,
    texts: Texts,
    waiting: VecDeque<Waiting<'m>>,
    unsupported: Vec<Unsupported>,
    exceptions: exception::Exceptions<'m>,
    /// Whether the module has marks of recorded decisions.
    is_marked: bool,
}

enum Waiting<'m> {
    Function(FunctionId, Value<'m>),
    Global(GlobalId, Value<'m>),
}

pub fn lower(module: &Module<'_>, name: String, files: &[PathBuf]) -> Result<Lowered, Error> {
    let mut lowering = Lowering::new(module, files);
    let start = module.function(ENTRY).ok_or(Error::NoMain)?;
    let entry = lowering.function_id(start);
    let constructors = lowering.constructors();
    lowering.note_module_assembly();
    Ok(lowering.finish(name, entry, constructors))
}

impl<'m> Lowering<'m> {
    fn new(module: &'m Module<'_>, files: &[PathBuf]) -> Lowering<'m> {
        Lowering {
            module,
            layout: module.data_layout(),
            debug: DebugInfo::new(module, files),
            functions: Table::default(),
            globals: Table::default(),
            texts: Texts::default(),
            waiting: VecDeque::new(),
            unsupported: Vec::new(),
            exceptions: exception::Exceptions::default(),
            is_marked: !module.named_metadata(MARKED).is_empty(),
        }
    }

    /// Lowers the queue, and all that it refers to.
    fn finish(mut self, name: String, entry: FunctionId, constructors: Vec<FunctionId>) -> Lowered {
        while let Some(waiting) = self.waiting.pop_front() {
            match waiting {
                Waiting::Function(id, value) => {
                    let function = function::lower(&mut self, id, value);
                    self.note_unsupported(&function);
                    self.functions.list[id.index()] = function;
                }
                Waiting::Global(id, value) => self.lower_global(id, value),
            }
        }
        let DebugInfo { files, spans, layouts, .. } = self.debug;
        let program = Program {
            name,
            files: files.into_names(),
            spans,
            texts: self.texts.list,
            layouts: layouts.into_list(),
            globals: self.globals.list,
            functions: self.functions.list,
            constructors,
            entry,
        };
        Lowered { program, unsupported: self.unsupported }
    }

    /// The id of a function, which is lowered later.
    pub fn function_id(&mut self, value: Value<'m>) -> FunctionId {
        if let Some(number) = self.functions.number(value) {
            return FunctionId(number);
        }
        let id = FunctionId(self.functions.enter(value, value.name(), empty_function));
        self.waiting.push_back(Waiting::Function(id, value));
        id
    }

    /// The number of a variable, which is lowered later.
    pub fn global_id(&mut self, value: Value<'m>) -> GlobalId {
        if let Some(number) = self.globals.number(value) {
            return GlobalId(number);
        }
        let origin = self.origin(value);
        // The source's name for a variable of the user, if it is the first of that name; else LLVM's, which is unique.
        let described = value.variable_description().and_then(|variable| variable.name());
        let free = described.filter(|name| origin == Origin::User && !self.globals.is_taken(name));
        let name = free.unwrap_or_else(|| value.name());
        let make = |name| empty_global(name, value.is_thread_local(), origin);
        let id = GlobalId(self.globals.enter(value, name, make));
        self.waiting.push_back(Waiting::Global(id, value));
        id
    }

    pub fn text(&mut self, text: &str) -> TextId {
        self.texts.id(text)
    }

    /// The origin of a function or variable.
    pub fn origin(&self, value: Value<'m>) -> Origin {
        let from_header = || {
            let described = value.subprogram().or_else(|| value.variable_description());
            described.and_then(|node| node.file()).is_some_and(debug::is_system_file)
        };
        match () {
            () if value.has_mark(MODEL) => Origin::Model,
            () if from_header() => Origin::Library,
            () => Origin::User,
        }
    }

    fn lower_global(&mut self, id: GlobalId, value: Value<'m>) {
        let ty = value.value_type();
        let mut content = initial::Content::default();
        let mut external = value.is_declaration();
        if let Some(initializer) = value.initializer()
            && let Err(what) = self.fill(initializer, 0, &mut content)
        {
            external = true;
            let what = format!("{what} in `{}`", value.name());
            self.unsupported.push(Unsupported { function: String::new(), span: SpanId::NONE, what });
        }
        content.trim();
        let description = value.variable_description();
        let span = description.map_or(SpanId::NONE, |variable| self.debug.variable_span(variable));
        let layout = description.and_then(|variable| self.debug.layouts.of_variable(variable));
        let size = ty.map_or(0, |ty| self.layout.size(ty));
        let align = match value.alignment() {
            0 => ty.map_or(1, |ty| self.layout.alignment(ty)),
            align => align,
        };
        let global = &mut self.globals.list[id.index()];
        global.size = size;
        global.align = align.max(1);
        global.constant = value.is_constant_global() && !external;
        global.external = external;
        global.bytes = content.bytes;
        global.relocations = content.relocations;
        global.layout = layout;
        global.span = span;
    }

    /// The functions to run before the entry: one that registers destructors, if there are any, and the constructors.
    fn constructors(&mut self) -> Vec<FunctionId> {
        let mut list = Vec::new();
        let destructors = initial::startup_list(self.module.global("llvm.global_dtors"));
        if !destructors.is_empty() {
            list.extend(self.register_at_exit(&destructors));
        }
        for function in initial::startup_list(self.module.global("llvm.global_ctors")) {
            if let Some(function) = resolve_function(function) {
                list.push(self.function_id(function));
            }
        }
        list
    }

    /// A function that calls `atexit` for each destructor, in the order in which the last registered one runs first.
    fn register_at_exit(&mut self, destructors: &[Value<'m>]) -> Option<FunctionId> {
        let register = self.module.function("atexit")?;
        let callee = ir::Callee::Direct(self.function_id(register));
        let mut registers = Vec::new();
        let mut instrs = Vec::new();
        for destructor in destructors.iter().filter_map(|&value| resolve_function(value)) {
            let result = ir::Reg(registers.len() as u32);
            registers.push(ir::Register { ty: ir::Type::I32, name: None });
            let args = vec![Operand::Function(self.function_id(destructor))];
            instrs.push(Instr { results: vec![result], op: Op::Call { callee, args }, span: SpanId::NONE });
        }
        let terminator = ir::Terminator { kind: ir::TerminatorKind::Return(Vec::new()), span: SpanId::NONE };
        let blocks = vec![Block { params: Vec::new(), instrs, terminator }];
        let make = |name| Function { blocks, registers, ..empty_function(name) };
        Some(FunctionId(self.functions.invent("__heddle_register_destructors".into(), make)))
    }

    fn note_module_assembly(&mut self) {
        let assembly = self.module.inline_assembly();
        if !assembly.trim().is_empty() {
            let what = format!("assembly outside of functions: {}", assembly.trim());
            self.unsupported.push(Unsupported { function: String::new(), span: SpanId::NONE, what });
        }
    }

    fn note_unsupported(&mut self, function: &Function) {
        if function.origin != Origin::User {
            return;
        }
        for instr in function.blocks.iter().flat_map(|block| &block.instrs) {
            if let Op::Unsupported { what } = &instr.op {
                let (function, what) = (function.display.clone(), what.clone());
                self.unsupported.push(Unsupported { function, span: instr.span, what });
            }
        }
    }
}

fn empty_function(name: String) -> Function {
    Function {
        display: name.clone(),
        name,
        origin: Origin::Model,
        blocks: Vec::new(),
        variadic: false,
        atomic: false,
        returns: Vec::new(),
        registers: Vec::new(),
        span: SpanId::NONE,
    }
}

fn empty_global(name: String, thread_local: bool, origin: Origin) -> Global {
    Global {
        name,
        size: 0,
        align: 1,
        constant: false,
        thread_local,
        external: true,
        bytes: Vec::new(),
        relocations: Vec::new(),
        layout: None,
        span: SpanId::NONE,
        origin,
    }
}

/// The function of a name: itself, or the target of an alias; none for a weak name without a function.
pub fn resolve_function(value: Value<'_>) -> Option<Value<'_>> {
    let mut value = value;
    // Alias chains are short; the limit guards against cycles, which are invalid.
    for _ in 0..64 {
        match value.kind() {
            ValueKind::Function => return (!value.is_absent()).then_some(value),
            ValueKind::IndirectFunction => return Some(value),
            ValueKind::Alias => value = value.aliasee()?,
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Context;

    /// All models can be lowered without refusals, whether or not a program uses them.
    #[test]
    fn all_models_are_lowered_and_well_formed() {
        let context = Context::new();
        let module = crate::module::all_models(&context).expect("the models are a module");
        let mut lowering = Lowering::new(&module, &[]);
        let entry = lowering.function_id(module.function(ENTRY).expect("the models have an entry"));
        for function in module.functions().filter(|function| !function.is_declaration()) {
            lowering.function_id(function);
        }
        let lowered = lowering.finish("models".into(), entry, Vec::new());
        let mut unsupported = Vec::new();
        for function in &lowered.program.functions {
            for instr in function.blocks.iter().flat_map(|block| &block.instrs) {
                if let Op::Unsupported { what } = &instr.op {
                    unsupported.push(format!("{}: {what}", function.name));
                }
            }
        }
        assert_eq!(unsupported, Vec::<String>::new());
        assert_eq!(ir::verify(&lowered.program), Ok(()));
        let undefined = lowered.program.functions.iter().filter(|function| !function.is_defined());
        // Models mark uncovered cases by calling a function that does not exist.
        let undefined = undefined.map(|function| function.name.as_str()).filter(|name| !name.starts_with("__model_"));
        assert_eq!(undefined.collect::<Vec<_>>(), ["main"], "models call functions that have no model");
    }
}
