//! Rules of one function: registers are assigned once, before their uses; jumps go to existing blocks.

use super::context::{Context, is_type};
use super::dominators::targets;
use super::{Errors, operation, tables};
use crate::ids::BlockId;
use crate::instr::{Callee, Operand, Target, Terminator, TerminatorKind};
use crate::program::{Function, Program};
use crate::types::Type;

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
    let mut context = Context::new(program, function, errors);
    for (index, block) in function.blocks.iter().enumerate() {
        errors.block = Some(BlockId(u32::try_from(index).unwrap_or(u32::MAX)));
        for (number, instr) in block.instrs.iter().enumerate() {
            errors.instruction = Some(number);
            context.go_to(index, number);
            tables::span_exists(program, instr.span, errors);
            operation::verify(&context, instr, errors);
        }
        errors.instruction = Some(block.instrs.len());
        context.go_to(index, block.instrs.len());
        tables::span_exists(program, block.terminator.span, errors);
        context.terminator(&block.terminator, errors);
    }
    (errors.block, errors.instruction) = (None, None);
}

impl Context<'_> {
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
