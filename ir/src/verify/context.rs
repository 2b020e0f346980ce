//! The surroundings of an instruction: its function with all definitions, and the checks of operands that stand there.

use super::Errors;
use super::dominators::Dominators;
use crate::ids::{BlockId, Reg};
use crate::instr::Operand;
use crate::program::{Function, Program};
use crate::types::Type;

/// The definition of a register: a block, and 0 for its parameters or the instruction's number counted from 1.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Definition {
    block: usize,
    position: usize,
}

pub(super) struct Context<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    definitions: Vec<Option<Definition>>,
    dominators: Dominators,
    here: Definition,
}

impl<'a> Context<'a> {
    /// Stands at the parameters of the first block, and reports registers that are assigned twice.
    pub fn new(program: &'a Program, function: &'a Function, errors: &mut Errors) -> Context<'a> {
        let definitions = definitions(function, errors);
        let dominators = Dominators::new(function);
        Context { program, function, definitions, dominators, here: Definition { block: 0, position: 0 } }
    }

    /// Goes to an instruction of a block, or behind its last one, to the terminator.
    pub fn go_to(&mut self, block: usize, instruction: usize) {
        self.here = Definition { block, position: instruction + 1 };
    }

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
