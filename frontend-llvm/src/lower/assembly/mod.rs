//! Inline assembly of x86, in AT&T syntax: the usual idioms for atomics, fences and pauses.
//!
//! The template is parsed ([`parse`]), and its instructions are executed one after the other over symbolic registers
//! ([`machine`]), which yields the equivalent loads, stores and atomic updates. Jumps and unknown instructions are
//! unsupported, with the text of the template.

mod parse;
mod machine;

use ir::Operand;

use crate::llvm::Value;

use super::state::{FunctionLowering, Refusal};
use super::types::scalars;
use machine::{Machine, Slot};
use parse::{Constraint, Role};

impl<'m> FunctionLowering<'_, 'm> {
    pub fn assembly(&mut self, call: Value<'m>, assembly: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let (template, constraints) = assembly.assembly().ok_or("unreadable assembly")?;
        let refuse = || format!("the assembly `{}`", template.trim());
        if assembly.is_intel_assembly() {
            return Err(refuse());
        }
        let constraints = parse::constraints(&constraints).ok_or_else(refuse)?;
        let statements = parse::statements(&template).ok_or_else(refuse)?;
        let types = scalars(call.ty())?;
        let slots = self.slots(call, &constraints).ok_or_else(refuse)??;
        let mut machine = Machine::new(self, slots, &constraints);
        for statement in &statements {
            machine.run(statement).ok_or_else(refuse)?;
        }
        machine.results(&constraints, &types).ok_or_else(refuse)
    }

    /// The operands of the template, in the order of their numbers. `None` if there are too many.
    fn slots(&mut self, call: Value<'m>, constraints: &[Constraint]) -> Option<Result<Vec<Slot<'m>>, Refusal>> {
        let mut arguments = call.arguments().into_iter().enumerate();
        let mut slots: Vec<Slot<'m>> = Vec::new();
        for constraint in constraints.iter().filter(|constraint| constraint.role != Role::Clobber) {
            let takes_argument = constraint.indirect || constraint.role == Role::Input;
            if !takes_argument {
                slots.push(Slot::Register(None));
                continue;
            }
            let (index, argument) = arguments.next()?;
            let operand = match self.operand(argument) {
                Ok(operand) => operand,
                Err(what) => return Some(Err(what)),
            };
            slots.push(if constraint.indirect {
                let ty = call.argument_type_attribute(index, "elementtype");
                let bytes = ty.map_or(0, |ty| self.program.layout.store_size(ty));
                Slot::Memory { address: operand, pointer: argument, bits: (bytes * 8) as u32 }
            } else {
                Slot::Register(Some(operand))
            });
        }
        Some(Ok(slots))
    }
}
