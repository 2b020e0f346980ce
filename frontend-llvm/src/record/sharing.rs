//! Which memory may be shared, and which values may depend on shared memory or on the environment.
//!
//! A flow-insensitive whole-program analysis: first all copies of pointers are followed ([`super::classes`]), then
//! dependence is propagated along values, memory, parameters and results up to a fixpoint. Control dependence is not
//! tracked, because the recorded path determines it.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Linkage, Module, Opcode, Type, TypeKind, Value, ValueKind};

use super::classes::{Class, Classes};
use super::known::{Behaviour, behaviour};
use super::pointers::distance;

pub struct Sharing<'m> {
    classes: Classes,
    /// The class of each value that can hold a pointer.
    values: HashMap<Value<'m>, Class>,
    /// By function, the class of its results.
    returned: HashMap<Value<'m>, Class>,
    dependent: HashSet<Value<'m>>,
    /// Functions with dependent results.
    dependent_results: HashSet<Value<'m>>,
    dependent_memory: HashSet<Class>,
    /// Functions that can be called through a pointer.
    addressed: HashSet<Value<'m>>,
    /// Pointers that become numbers only to be subtracted from each other.
    subtracted: HashSet<Value<'m>>,
    models: &'m HashSet<String>,
}

/// Whether a function has a body that is run: one that is only there to be inlined is not.
pub fn is_defined(function: Value<'_>) -> bool {
    function.kind() == ValueKind::Function
        && !function.is_declaration()
        && function.linkage() != Linkage::LLVMAvailableExternallyLinkage
}

/// The function that a call names.
pub fn called<'m>(call: Value<'m>) -> Option<Value<'m>> {
    let mut callee = call.callee()?;
    while callee.kind() == ValueKind::Alias {
        callee = callee.aliasee()?;
    }
    (callee.kind() == ValueKind::Function).then_some(callee)
}

pub fn is_assembly(call: Value<'_>) -> bool {
    call.callee().is_some_and(|callee| callee.kind() == ValueKind::InlineAssembly)
}

/// Whether a value of this type can be a pointer, or be copied with one in it.
fn carries(ty: Type<'_>) -> bool {
    match ty.kind() {
        TypeKind::Integer(bits) => bits == 64 || bits == 128,
        TypeKind::Void | TypeKind::Float | TypeKind::Double | TypeKind::Extended | TypeKind::OtherFloat(_) => false,
        _ => true,
    }
}

pub fn is_pointer(value: Value<'_>) -> bool {
    matches!(value.ty().kind(), TypeKind::Pointer { .. })
}

fn instructions<'m>(function: Value<'m>) -> impl Iterator<Item = Value<'m>> {
    function.blocks().into_iter().flat_map(|block| block.instructions().collect::<Vec<_>>())
}

pub fn operands<'m>(value: Value<'m>) -> impl Iterator<Item = Value<'m>> {
    (0..value.operand_count()).filter_map(move |index| value.operand(index))
}

impl<'m> Sharing<'m> {
    pub fn of(module: &'m Module<'_>, models: &'m HashSet<String>) -> Sharing<'m> {
        let mut sharing = Sharing {
            classes: Classes::new(),
            values: HashMap::new(),
            returned: HashMap::new(),
            dependent: HashSet::new(),
            dependent_results: HashSet::new(),
            dependent_memory: HashSet::new(),
            addressed: HashSet::new(),
            subtracted: HashSet::new(),
            models,
        };
        let functions: Vec<Value<'m>> = module.functions().filter(|&function| is_defined(function)).collect();
        for global in module.globals() {
            if let Some(initial) = global.initializer() {
                let address = sharing.class(global);
                let memory = sharing.classes.behind(address);
                let content = sharing.classes.behind(memory);
                sharing.merge_constants(initial, content);
            }
        }
        for &function in &functions {
            sharing.find_subtracted(function);
            for instruction in instructions(function) {
                sharing.connect(function, instruction);
            }
        }
        for &function in &functions {
            sharing.enter(function);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &function in &functions {
                changed |= sharing.spread(function);
            }
        }
        sharing
    }

    /// Functions whose addresses are used, in the module's order.
    pub fn addressed(&self, module: &'m Module<'_>) -> Vec<Value<'m>> {
        module.functions().filter(|function| self.addressed.contains(function)).collect()
    }

    pub fn behaviour(&self, function: Value<'m>) -> Behaviour {
        let name = function.name();
        behaviour(&name, || self.models.contains(&name) || crate::lower::is_operation(&name))
    }

    pub fn is_dependent(&self, value: Value<'m>) -> bool {
        self.dependent.contains(&value)
    }

    /// Whether the memory at an address may be visible to other threads.
    pub fn is_visible(&mut self, address: Value<'m>) -> bool {
        let memory = self.memory(address);
        self.classes.is_shared(memory)
    }

    pub fn is_addressed(&self, function: Value<'m>) -> bool {
        self.addressed.contains(&function)
    }

    /// Whether a pointer becomes a number only to be subtracted from another one.
    pub fn is_subtracted(&self, number: Value<'m>) -> bool {
        self.subtracted.contains(&number)
    }

    /// The operands that decide a comparison or difference of two pointers into one object.
    pub fn distance(&self, instruction: Value<'m>) -> Option<Vec<Value<'m>>> {
        let (a, b) = (instruction.operand(0)?, instruction.operand(1)?);
        let is_address = |value: Value<'m>| is_pointer(value) || self.subtracted.contains(&value);
        let fits = match instruction.opcode()? {
            Opcode::LLVMICmp | Opcode::LLVMSub => is_address(a) && is_address(b),
            _ => false,
        };
        if fits { distance(a, b) } else { None }
    }

    /// The memory at an address, if it is a thread's own.
    pub fn private_memory(&mut self, address: Value<'m>) -> Option<Class> {
        let memory = self.memory(address);
        let memory = self.classes.find(memory);
        (!self.classes.is_shared(memory)).then_some(memory)
    }

    pub fn is_dependent_memory(&self, memory: Class) -> bool {
        self.dependent_memory.contains(&memory)
    }

    // Where pointers lead

    fn class(&mut self, value: Value<'m>) -> Class {
        if let Some(&class) = self.values.get(&value) {
            return class;
        }
        let class = self.classes.fresh();
        self.values.insert(value, class);
        match value.kind() {
            // A constant is never written, and a variable of each thread is its own until its address gets about.
            ValueKind::Global if value.is_constant_global() || value.is_thread_local() => {}
            ValueKind::Global => self.classes.share(class),
            ValueKind::Alias => {
                if let Some(aliasee) = value.aliasee() {
                    let aliasee = self.class(aliasee);
                    self.classes.merge(class, aliasee);
                }
            }
            ValueKind::Function => {
                self.addressed.insert(value);
            }
            ValueKind::Expression | ValueKind::Aggregate => self.merge_constants(value, class),
            ValueKind::IndirectFunction | ValueKind::Other => self.classes.share(class),
            _ => {}
        }
        class
    }

    /// Merges every address in a constant into `class`.
    fn merge_constants(&mut self, constant: Value<'m>, class: Class) {
        match constant.kind() {
            ValueKind::Aggregate | ValueKind::Expression => {
                for operand in operands(constant).collect::<Vec<_>>() {
                    self.merge_constants(operand, class);
                }
            }
            ValueKind::Integer | ValueKind::Real | ValueKind::Null | ValueKind::Undefined => {}
            _ => {
                let address = self.class(constant);
                self.classes.merge(address, class);
            }
        }
    }

    fn memory(&mut self, address: Value<'m>) -> Class {
        let class = self.class(address);
        self.classes.behind(class)
    }

    fn merge(&mut self, a: Value<'m>, b: Value<'m>) {
        if carries(a.ty()) && carries(b.ty()) {
            let (a, b) = (self.class(a), self.class(b));
            self.classes.merge(a, b);
        }
    }

    /// The target of a value escapes to unknown code.
    fn share(&mut self, value: Value<'m>) {
        if carries(value.ty()) && !matches!(value.kind(), ValueKind::Integer | ValueKind::Metadata) {
            let class = self.class(value);
            self.classes.share(class);
        }
    }

    /// A value comes from unknown code: it may point to any shared memory.
    fn comes_from_outside(&mut self, value: Value<'m>) {
        if carries(value.ty()) {
            let class = self.class(value);
            self.classes.merge(class, Classes::SHARED_VALUE);
        }
    }

    fn merge_content(&mut self, address: Value<'m>, value: Value<'m>) {
        let memory = self.memory(address);
        if carries(value.ty()) {
            let content = self.classes.behind(memory);
            let value = self.class(value);
            self.classes.merge(content, value);
        }
    }

    fn find_subtracted(&mut self, function: Value<'m>) {
        let mut otherwise_used = HashSet::new();
        let mut numbers = HashSet::new();
        for instruction in instructions(function) {
            if instruction.opcode() == Some(Opcode::LLVMPtrToInt) {
                numbers.insert(instruction);
            }
            if instruction.opcode() != Some(Opcode::LLVMSub) {
                otherwise_used.extend(operands(instruction));
            }
        }
        self.subtracted.extend(numbers.difference(&otherwise_used));
    }

    fn connect(&mut self, function: Value<'m>, instruction: Value<'m>) {
        let operand = |index| instruction.operand(index);
        match (instruction.opcode(), operand(0), operand(1)) {
            (Some(Opcode::LLVMLoad), Some(address), _) => self.merge_content(address, instruction),
            (Some(Opcode::LLVMStore), Some(value), Some(address)) => self.merge_content(address, value),
            (Some(Opcode::LLVMAtomicRMW), Some(address), Some(value)) => {
                self.merge_content(address, value);
                self.merge_content(address, instruction);
            }
            (Some(Opcode::LLVMAtomicCmpXchg), Some(address), Some(expected)) => {
                self.merge_content(address, expected);
                self.merge_content(address, instruction);
                if let Some(new) = operand(2) {
                    self.merge_content(address, new);
                }
            }
            (Some(Opcode::LLVMPtrToInt), ..) if self.subtracted.contains(&instruction) => {}
            (Some(Opcode::LLVMPtrToInt), Some(pointer), _) => self.share(pointer),
            (Some(Opcode::LLVMIntToPtr), Some(number), _) => {
                self.share(number);
                self.comes_from_outside(instruction);
            }
            (Some(Opcode::LLVMRet), Some(value), _) if carries(value.ty()) => {
                let returned = self.result(function);
                let value = self.class(value);
                self.classes.merge(returned, value);
            }
            (Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr), ..) => self.connect_call(instruction),
            (Some(Opcode::LLVMLandingPad | Opcode::LLVMVAArg), ..) => self.comes_from_outside(instruction),
            (Some(Opcode::LLVMAlloca | Opcode::LLVMICmp | Opcode::LLVMFCmp | Opcode::LLVMResume), ..) => {}
            (Some(Opcode::LLVMGetElementPtr), Some(base), _) => self.merge(instruction, base),
            (Some(Opcode::LLVMPHI), ..) => {
                for (value, _) in instruction.incoming() {
                    self.merge(instruction, value);
                }
            }
            (
                Some(
                    Opcode::LLVMSelect
                    | Opcode::LLVMExtractValue
                    | Opcode::LLVMInsertValue
                    | Opcode::LLVMExtractElement
                    | Opcode::LLVMInsertElement
                    | Opcode::LLVMShuffleVector
                    | Opcode::LLVMFreeze
                    | Opcode::LLVMBitCast
                    | Opcode::LLVMAddrSpaceCast,
                ),
                ..,
            ) => {
                for operand in operands(instruction).collect::<Vec<_>>() {
                    self.merge(instruction, operand);
                }
            }
            _ => {}
        }
    }

    fn result(&mut self, function: Value<'m>) -> Class {
        let classes = &mut self.classes;
        *self.returned.entry(function).or_insert_with(|| classes.fresh())
    }

    fn connect_call(&mut self, call: Value<'m>) {
        let arguments = call.arguments();
        let Some(function) = called(call) else {
            arguments.iter().for_each(|&argument| self.share(argument));
            self.comes_from_outside(call);
            return;
        };
        if is_defined(function) {
            let parameters = function.parameters();
            for (index, &argument) in arguments.iter().enumerate() {
                match parameters.get(index) {
                    Some(&parameter) => self.merge(argument, parameter),
                    None => self.share(argument),
                }
            }
            if carries(call.ty()) {
                let (returned, call) = (self.result(function), self.class(call));
                self.classes.merge(returned, call);
            }
            return;
        }
        match self.behaviour(function) {
            Behaviour::Allocates | Behaviour::Synchronises | Behaviour::Records => {}
            Behaviour::Reallocates => arguments.iter().take(1).for_each(|&argument| self.merge(call, argument)),
            Behaviour::Copies => {
                if let [to, from, ..] = arguments[..] {
                    let (to_memory, from_memory) = (self.memory(to), self.memory(from));
                    let (to_content, from_content) = (self.classes.behind(to_memory), self.classes.behind(from_memory));
                    self.classes.merge(to_content, from_content);
                    self.merge(call, to);
                }
            }
            Behaviour::Harmless => {
                if function.name().starts_with("llvm.va_") {
                    arguments.iter().for_each(|&argument| self.share(argument));
                }
                arguments.iter().for_each(|&argument| self.merge(call, argument));
            }
            Behaviour::Answers(_) => self.comes_from_outside(call),
            Behaviour::CallsBack | Behaviour::Keeps | Behaviour::Unknown => {
                arguments.iter().for_each(|&argument| self.share(argument));
                self.comes_from_outside(call);
            }
        }
    }

    // Dependence on shared memory

    /// The parameters of functions with unknown callers.
    fn enter(&mut self, function: Value<'m>) {
        if self.addressed.contains(&function) || function.name() == "main" {
            for parameter in function.parameters() {
                self.comes_from_outside(parameter);
                self.dependent.insert(parameter);
            }
            if let Some(&returned) = self.returned.get(&function) {
                self.classes.share(returned);
            }
        }
    }

    fn depends_on_memory(&mut self, address: Value<'m>) -> bool {
        let memory = self.memory(address);
        let memory = self.classes.find(memory);
        self.classes.is_shared(memory) || self.dependent_memory.contains(&memory)
    }

    /// Memory that a dependent value is written to is dependent.
    fn soil(&mut self, address: Value<'m>) -> bool {
        let memory = self.memory(address);
        let memory = self.classes.find(memory);
        !self.classes.is_shared(memory) && self.dependent_memory.insert(memory)
    }

    /// Propagates dependence; returns whether anything changed.
    fn spread(&mut self, function: Value<'m>) -> bool {
        let mut changed = false;
        for instruction in instructions(function) {
            changed |= self.spread_memory(function, instruction);
            if !self.dependent.contains(&instruction) && self.becomes_dependent(instruction) {
                self.dependent.insert(instruction);
                changed = true;
            }
        }
        changed
    }

    fn spread_memory(&mut self, function: Value<'m>, instruction: Value<'m>) -> bool {
        let is_dependent = |index| instruction.operand(index).is_some_and(|operand| self.dependent.contains(&operand));
        match instruction.opcode() {
            Some(Opcode::LLVMStore) => {
                let address = instruction.operand(1);
                (is_dependent(0) || is_dependent(1)) && address.is_some_and(|address| self.soil(address))
            }
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => {
                instruction.operand(0).is_some_and(|address| self.soil(address))
            }
            Some(Opcode::LLVMRet) => is_dependent(0) && self.dependent_results.insert(function),
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr) => self.spread_call(instruction),
            _ => false,
        }
    }

    /// The dependences that a call creates besides its result.
    fn spread_call(&mut self, call: Value<'m>) -> bool {
        let arguments = call.arguments();
        let Some(function) = called(call) else { return false };
        let mut changed = false;
        if is_defined(function) {
            for (argument, parameter) in arguments.into_iter().zip(function.parameters()) {
                changed |= self.dependent.contains(&argument) && self.dependent.insert(parameter);
            }
            return changed;
        }
        let soils = match self.behaviour(function) {
            Behaviour::Answers(_) => true,
            Behaviour::Harmless | Behaviour::Copies => self.arguments_depend(&arguments),
            _ => false,
        };
        if soils {
            for argument in arguments {
                changed |= is_pointer(argument) && self.soil(argument);
            }
        }
        changed
    }

    fn arguments_depend(&mut self, arguments: &[Value<'m>]) -> bool {
        arguments.iter().any(|&argument| {
            self.dependent.contains(&argument)
                || is_pointer(argument) && !is_constant_memory(argument) && self.depends_on_memory(argument)
        })
    }

    fn becomes_dependent(&mut self, instruction: Value<'m>) -> bool {
        let any = |sharing: &Self| operands(instruction).any(|operand| sharing.dependent.contains(&operand));
        match (instruction.opcode(), instruction.operand(0)) {
            (Some(Opcode::LLVMLoad), Some(address)) => {
                self.dependent.contains(&address)
                    || !is_constant_memory(address) && self.depends_on_memory(address)
                    || address.kind() == ValueKind::Expression && !is_constant_memory(address)
            }
            (Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMLandingPad), _) => true,
            (Some(Opcode::LLVMVAArg), _) => true,
            (Some(Opcode::LLVMPtrToInt), Some(pointer)) => {
                !self.subtracted.contains(&instruction) || self.dependent.contains(&pointer)
            }
            (Some(Opcode::LLVMICmp | Opcode::LLVMSub), _) if self.distance(instruction).is_some() => {
                let numbers = self.distance(instruction).unwrap_or_default();
                numbers.iter().any(|number| self.dependent.contains(number))
            }
            (Some(Opcode::LLVMPHI), _) => {
                instruction.incoming().iter().any(|(value, _)| self.dependent.contains(value))
            }
            (Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr), _) => {
                self.call_is_dependent(instruction)
            }
            (Some(_), _) => any(self),
            (None, _) => false,
        }
    }

    fn call_is_dependent(&mut self, call: Value<'m>) -> bool {
        let Some(function) = called(call) else { return true };
        if is_defined(function) {
            return self.dependent_results.contains(&function);
        }
        match self.behaviour(function) {
            Behaviour::Allocates | Behaviour::Records => false,
            Behaviour::Reallocates | Behaviour::Harmless | Behaviour::Copies => {
                self.arguments_depend(&call.arguments())
            }
            _ => true,
        }
    }
}

/// Whether an address is that of a constant, whose content is the same in every run.
fn is_constant_memory(address: Value<'_>) -> bool {
    match address.kind() {
        ValueKind::Global => address.is_constant_global(),
        _ if address.operation() == Some(Opcode::LLVMGetElementPtr) => {
            address.operand(0).is_some_and(is_constant_memory)
        }
        _ => false,
    }
}
