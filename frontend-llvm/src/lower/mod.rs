//! An LLVM module to an [`ir::Program`].
//!
//! Only what the entry can reach is lowered: functions and globals get their numbers when something first refers to
//! them, and wait in a queue until their turn comes.

mod types;
mod address;
mod initial;
mod function;
mod emit;
mod instruction;
mod arithmetic;
mod vector;
mod memory;
mod call;
mod library;
mod intrinsic;
mod bytes;
mod integer;
mod float;
mod assembly;
mod control;

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;

use ir::{Block, Function, FunctionId, Global, GlobalId, Instr, Op, Operand, Origin, Program, SpanId, TextId};

pub use address::{Path, path, signed};

use crate::debug::DebugInfo;
use crate::error::Error;
use crate::llvm::{DataLayout, Module, Value, ValueKind};
use crate::module::{ENTRY, MODEL};
use crate::{Unsupported, debug};

pub struct Lowered {
    pub program: Program,
    pub unsupported: Vec<Unsupported>,
}

/// The program while it is being made.
pub struct Lowering<'m> {
    module: &'m Module<'m>,
    layout: DataLayout<'m>,
    debug: DebugInfo<'m>,
    functions: Vec<Function>,
    globals: Vec<Global>,
    function_ids: HashMap<Value<'m>, FunctionId>,
    global_ids: HashMap<Value<'m>, GlobalId>,
    names: HashSet<String>,
    texts: Vec<String>,
    text_ids: HashMap<String, TextId>,
    waiting: VecDeque<Waiting<'m>>,
    unsupported: Vec<Unsupported>,
}

enum Waiting<'m> {
    Function(FunctionId, Value<'m>),
    Global(GlobalId, Value<'m>),
}

pub fn lower(module: &Module<'_>, name: String, files: &[PathBuf]) -> Result<Lowered, Error> {
    let mut lowering = Lowering {
        module,
        layout: module.data_layout(),
        debug: DebugInfo::new(module, files),
        functions: Vec::new(),
        globals: Vec::new(),
        function_ids: HashMap::new(),
        global_ids: HashMap::new(),
        names: HashSet::new(),
        texts: Vec::new(),
        text_ids: HashMap::new(),
        waiting: VecDeque::new(),
        unsupported: Vec::new(),
    };
    let start = module.function(ENTRY).ok_or(Error::NoMain)?;
    let entry = lowering.function_id(start);
    let constructors = lowering.constructors();
    lowering.drain();
    lowering.note_module_assembly();
    let DebugInfo { files, spans, layouts, .. } = lowering.debug;
    let program = Program {
        name,
        files: files.into_names(),
        spans,
        texts: lowering.texts,
        layouts: layouts.into_list(),
        globals: lowering.globals,
        functions: lowering.functions,
        constructors,
        entry,
    };
    Ok(Lowered { program, unsupported: lowering.unsupported })
}

impl<'m> Lowering<'m> {
    fn drain(&mut self) {
        while let Some(waiting) = self.waiting.pop_front() {
            match waiting {
                Waiting::Function(id, value) => {
                    let function = function::lower(self, id, value);
                    self.note_unsupported(&function);
                    self.functions[id.index()] = function;
                }
                Waiting::Global(id, value) => self.lower_global(id, value),
            }
        }
    }

    /// The number of a function, which is lowered later.
    pub fn function_id(&mut self, value: Value<'m>) -> FunctionId {
        if let Some(&id) = self.function_ids.get(&value) {
            return id;
        }
        let id = FunctionId(self.functions.len() as u32);
        self.function_ids.insert(value, id);
        let name = self.unique_name(value.name());
        self.functions.push(empty_function(name));
        self.waiting.push_back(Waiting::Function(id, value));
        id
    }

    /// The number of a variable, which is lowered later.
    pub fn global_id(&mut self, value: Value<'m>) -> GlobalId {
        if let Some(&id) = self.global_ids.get(&value) {
            return id;
        }
        let id = GlobalId(self.globals.len() as u32);
        self.global_ids.insert(value, id);
        let name = self.unique_name(value.name());
        let origin = self.origin(value);
        self.globals.push(Global {
            name,
            size: 0,
            align: 1,
            constant: false,
            thread_local: value.is_thread_local(),
            external: true,
            bytes: Vec::new(),
            relocations: Vec::new(),
            layout: None,
            span: SpanId::NONE,
            origin,
        });
        self.waiting.push_back(Waiting::Global(id, value));
        id
    }

    /// LLVM lets values have no name, and a function that we make ourselves may meet one of the program's.
    fn unique_name(&mut self, name: String) -> String {
        let base = if name.is_empty() { "unnamed".to_owned() } else { name };
        let mut unique = base.clone();
        let mut number = 1;
        while !self.names.insert(unique.clone()) {
            number += 1;
            unique = format!("{base}.{number}");
        }
        unique
    }

    pub fn text(&mut self, text: &str) -> TextId {
        if let Some(&id) = self.text_ids.get(text) {
            return id;
        }
        let id = TextId(self.texts.len() as u32);
        self.texts.push(text.to_owned());
        self.text_ids.insert(text.to_owned(), id);
        id
    }

    /// Whose code or variable it is.
    pub fn origin(&self, value: Value<'m>) -> Origin {
        let from_header = || {
            let described = value.subprogram().or_else(|| value.variable_description());
            described.and_then(|node| node.file()).is_some_and(debug::is_system_file)
        };
        if value.has_mark(MODEL) || from_header() { Origin::Library } else { Origin::User }
    }

    fn lower_global(&mut self, id: GlobalId, value: Value<'m>) {
        let ty = value.value_type();
        let mut content = initial::Content::default();
        let mut external = value.is_declaration();
        if let Some(initializer) = value.initializer()
            && let Err(what) = self.fill(initializer, 0, &mut content)
        {
            external = true;
            let function = String::new();
            self.unsupported.push(Unsupported {
                function,
                span: SpanId::NONE,
                what: format!("{what} in `{}`", value.name()),
            });
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
        let constant = value.is_constant_global() && !external;
        let global = &mut self.globals[id.index()];
        *global = Global {
            name: std::mem::take(&mut global.name),
            size,
            align: align.max(1),
            constant,
            external,
            bytes: content.bytes,
            relocations: content.relocations,
            layout,
            span,
            thread_local: global.thread_local,
            origin: global.origin,
        };
    }

    /// What runs before the entry: a function that registers destructors, if there are any, and the constructors.
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

    /// A function that calls `atexit` for each destructor: what is registered before everything else runs last.
    fn register_at_exit(&mut self, destructors: &[Value<'m>]) -> Option<FunctionId> {
        let register = self.module.function("atexit")?;
        let register = self.function_id(register);
        let mut function = empty_function(self.unique_name("__heddle_register_destructors".into()));
        let mut instrs = Vec::new();
        for destructor in destructors.iter().filter_map(|&value| resolve_function(value)) {
            let reg = ir::Reg(function.registers.len() as u32);
            function.registers.push(ir::Register { ty: ir::Type::I32, name: None });
            let args = vec![Operand::Function(self.function_id(destructor))];
            let op = Op::Call { callee: ir::Callee::Direct(register), args };
            instrs.push(Instr { results: vec![reg], op, span: SpanId::NONE });
        }
        let terminator = ir::Terminator { kind: ir::TerminatorKind::Return(Vec::new()), span: SpanId::NONE };
        function.blocks.push(Block { params: Vec::new(), instrs, terminator });
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(function);
        Some(id)
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
        origin: Origin::Library,
        blocks: Vec::new(),
        variadic: false,
        atomic: false,
        returns: Vec::new(),
        registers: Vec::new(),
        span: SpanId::NONE,
    }
}

/// The function behind a name: itself, or what an alias stands for; none for a weak name without function.
pub fn resolve_function(value: Value<'_>) -> Option<Value<'_>> {
    let mut value = value;
    // Aliases of aliases end soon; a ring of them is not valid, but costs nothing to survive.
    for _ in 0..64 {
        match value.kind() {
            ValueKind::Function => return (!value.is_absent()).then_some(value),
            ValueKind::Alias => value = value.aliasee()?,
            _ => return None,
        }
    }
    None
}
