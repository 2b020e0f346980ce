//! Rules of one function: registers are assigned once, before their uses; jumps go to existing blocks.

use super::dominators::{Dominators, targets};
use super::{Errors, operation, tables};
use crate::instr::{Callee, Operand, Target, Terminator, TerminatorKind};
use crate::program::{BlockId, Function, Program, Reg};
use crate::types::Type;

/// The definition of a register: a block, and 0 for its parameters or the instruction's number counted from 1.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Definition {
    block: usize,
    position: usize,
}

/// The surroundings of an instruction.
pub(super) struct Context<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    definitions: Vec<Option<Definition>>,
    dominators: Dominators,
    here: Definition,
}

pub(super) fn verify(program: &Program, function: &Function, errors: &mut Errors) {
    (errors.block, errors.instruction) = (None, None);
    tables::span_exists(program, function.span, errors);
    for ty in &function.returns {
        errors.require(is_type(*ty), || format!("{ty} is no type to return"));
    }
    for (index, register) in function.registers.iter().enumerate() {
        errors.require(is_type(register.ty), || format!("v{index} has the type {}, which does not exist", register.ty));
        let named = register.name.is_none_or(|name| name.index() < program.texts.len());
        errors.require(named, || format!("v{index} has a name that does not exist"));
    }
    let definitions = definitions(function, errors);
    let dominators = Dominators::new(function);
    let here = Definition { block: 0, position: 0 };
    let mut context = Context { program, function, definitions, dominators, here };
    for (index, block) in function.blocks.iter().enumerate() {
        errors.block = Some(BlockId(u32::try_from(index).unwrap_or(u32::MAX)));
        for (number, instr) in block.instrs.iter().enumerate() {
            errors.instruction = Some(number);
            context.here = Definition { block: index, position: number + 1 };
            tables::span_exists(program, instr.span, errors);
            operation::verify(&context, instr, errors);
        }
        errors.instruction = Some(block.instrs.len());
        context.here = Definition { block: index, position: block.instrs.len() + 1 };
        tables::span_exists(program, block.terminator.span, errors);
        context.terminator(&block.terminator, errors);
    }
    (errors.block, errors.instruction) = (None, None);
}

/// Integers have 1 to 128 bits.
pub(super) fn is_type(ty: Type) -> bool {
    (1..=128).contains(&ty.bits())
}

fn definitions(function: &Function, errors: &mut Errors) -> Vec<Option<Definition>> {
    let mut definitions = vec![None; function.registers.len()];
    let mut define = |reg: Reg, block: usize, position: usize, errors: &mut Errors| {
        errors.block = Some(BlockId(u32::try_from(block).unwrap_or(u32::MAX)));
        errors.instruction = position.checked_sub(1);
        match definitions.get_mut(reg.index()) {
            None => errors.add(format!("v{} is assigned, and there is no such register", reg.0)),
            Some(Some(_)) => errors.add(format!("v{} is assigned a second time", reg.0)),
            Some(first @ None) => *first = Some(Definition { block, position }),
        }
    };
    for (index, block) in function.blocks.iter().enumerate() {
        for param in &block.params {
            define(*param, index, 0, errors);
        }
        for (number, instr) in block.instrs.iter().enumerate() {
            for result in &instr.results {
                define(*result, index, number + 1, errors);
            }
        }
    }
    (errors.block, errors.instruction) = (None, None);
    definitions
}

impl Context<'_> {
    /// The type of an existing register.
    pub fn register(&self, reg: Reg) -> Option<Type> {
        self.function.registers.get(reg.index()).map(|register| register.ty)
    }

    /// Checks an operand. Returns its type, unless it is invalid, which is then reported already.
    pub fn operand(&self, operand: Operand, errors: &mut Errors) -> Option<Type> {
        match operand {
            Operand::Reg(reg) => {
                let ty = self.register(reg);
                match ty {
                    None => errors.add(format!("v{} is used, and there is no such register", reg.0)),
                    Some(_) => self.assigned_before(reg, errors),
                }
                ty
            }
            Operand::Const { ty, bits } => {
                let fits = is_type(ty) && bits <= u128::MAX >> (128 - ty.bits());
                errors.require(fits, || format!("the constant {bits:#x} does not fit the type {ty}"));
                Some(ty)
            }
            Operand::Global { global, .. } => {
                match self.program.globals.get(global.index()) {
                    None => errors.add(format!("there is no global {}", global.0)),
                    Some(global) => errors.require(!global.thread_local, || {
                        format!("${} is thread-local: its address needs a `thread_local` instruction", global.name)
                    }),
                }
                Some(Type::Ptr)
            }
            Operand::Function(function) => {
                let exists = function.index() < self.program.functions.len();
                errors.require(exists, || format!("there is no function {}", function.0));
                Some(Type::Ptr)
            }
            Operand::Undef(ty) => {
                errors.require(is_type(ty), || format!("{ty} is no type"));
                Some(ty)
            }
        }
    }

    fn assigned_before(&self, reg: Reg, errors: &mut Errors) {
        let Some(definition) = self.definitions.get(reg.index()).copied().flatten() else {
            return errors.add(format!("v{} is used and never assigned", reg.0));
        };
        // Uses in unreachable code need no dominating definition.
        if !self.dominators.is_reachable(self.here.block) {
            return;
        }
        let before = match definition.block == self.here.block {
            true => definition.position < self.here.position,
            false => self.dominators.dominates(definition.block, self.here.block),
        };
        errors.require(before, || {
            format!("v{} is used here, and not every way leads through b{}, which assigns it", reg.0, definition.block)
        });
    }

    /// Checks an operand with a required type.
    pub fn typed(&self, operand: Operand, ty: Type, what: &str, errors: &mut Errors) {
        if let Some(found) = self.operand(operand, errors) {
            errors.require(found == ty, || format!("{what} must be {ty}, and is {found}"));
        }
    }

    fn terminator(&self, terminator: &Terminator, errors: &mut Errors) {
        match &terminator.kind {
            TerminatorKind::Jump(_) | TerminatorKind::Unreachable => {}
            TerminatorKind::Branch { cond, .. } => self.typed(*cond, Type::I1, "the condition", errors),
            TerminatorKind::Switch { value, cases, .. } => self.switch(*value, cases, errors),
            TerminatorKind::Invoke { callee, args, table, next, unwind } => {
                operation::call(self, *callee, args, errors);
                let constant = matches!(table, Operand::Const { .. } | Operand::Global { .. });
                errors.require(constant, || "the table of an invoke must be a constant".to_owned());
                self.typed(*table, Type::Ptr, "the table", errors);
                let returns = match callee {
                    Callee::Direct(id) => self.program.functions.get(id.index()).filter(|callee| callee.is_defined()),
                    Callee::Indirect(_) => None,
                };
                self.entered(*next, returns.map(|callee| &callee.returns[..]), errors);
                self.entered(*unwind, Some(&[Type::Ptr, Type::I32]), errors);
            }
            TerminatorKind::Return(values) => {
                let returns = &self.function.returns;
                let (found, expected) = (values.len(), returns.len());
                errors.require(found == expected, || format!("{expected} values are to be returned, not {found}"));
                for (index, value) in values.iter().enumerate() {
                    match returns.get(index) {
                        Some(ty) => self.typed(*value, *ty, "the returned value", errors),
                        None => drop(self.operand(*value, errors)),
                    }
                }
            }
        }
        for target in targets(&terminator.kind) {
            self.target(target, errors);
        }
    }

    /// Checks a block whose parameters come from an invoke, with their types if known.
    fn entered(&self, id: BlockId, expected: Option<&[Type]>, errors: &mut Errors) {
        let Some(block) = self.function.blocks.get(id.index()) else {
            return errors.add(format!("there is no block b{}", id.0));
        };
        let Some(expected) = expected else { return };
        let found: Vec<Option<Type>> = block.params.iter().map(|param| self.register(*param)).collect();
        let fits = found.len() == expected.len()
            && found.iter().zip(expected).all(|(found, expected)| found.is_none_or(|found| found == *expected));
        errors.require(fits, || {
            let types: Vec<String> = expected.iter().map(Type::to_string).collect();
            format!("b{} must take ({}), which the invoke gives it", id.0, types.join(", "))
        });
    }

    fn switch(&self, value: Operand, cases: &[(u128, Target)], errors: &mut Errors) {
        let Some(ty) = self.operand(value, errors) else { return };
        if !ty.is_int() || !is_type(ty) {
            return errors.add(format!("the value of a switch must be an integer, and is {ty}"));
        }
        let mut values: Vec<u128> = cases.iter().map(|(value, _)| *value).collect();
        for value in &values {
            let fits = *value <= u128::MAX >> (128 - ty.bits());
            errors.require(fits, || format!("the case {value} does not fit {ty}"));
        }
        values.sort_unstable();
        for pair in values.windows(2) {
            errors.require(pair[0] != pair[1], || format!("the case {} stands twice", pair[0]));
        }
    }

    fn target(&self, target: &Target, errors: &mut Errors) {
        let name = target.block.0;
        let block = self.function.blocks.get(target.block.index());
        let params = block.map_or(&[][..], |block| &block.params);
        match block {
            None => errors.add(format!("there is no block b{name}")),
            Some(_) => {
                let (expected, found) = (params.len(), target.args.len());
                errors.require(expected == found, || format!("b{name} takes {expected} arguments, not {found}"));
            }
        }
        for (index, arg) in target.args.iter().enumerate() {
            match params.get(index).and_then(|param| self.register(*param)) {
                Some(ty) => self.typed(*arg, ty, &format!("argument {index} of b{name}"), errors),
                None => drop(self.operand(*arg, errors)),
            }
        }
    }
}
