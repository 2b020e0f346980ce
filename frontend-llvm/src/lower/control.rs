//! Terminators: the targets of control flow, with the values of their phis.

use ir::{Op, Operand, Target, Terminator, TerminatorKind, Type};

use crate::llvm::{self, Opcode, Value};
use crate::names::DECISION;

use super::function::known_phis;
use super::state::FunctionLowering;
use super::state::Refusal;

impl<'m> FunctionLowering<'_, 'm> {
    /// Ends the current block as LLVM's block ends.
    pub fn terminator(&mut self, block: llvm::Block<'m>) {
        let Some(value) = block.terminator() else { return };
        self.span = ir::SpanId::NONE;
        self.enter(value);
        let kind = self.terminator_kind(block, value).unwrap_or_else(|what| {
            self.emit_none(Op::Unsupported { what });
            TerminatorKind::Unreachable
        });
        let span = self.span;
        self.blocks[self.current].terminator = Terminator { kind, span };
    }

    fn terminator_kind(&mut self, block: llvm::Block<'m>, value: Value<'m>) -> Result<TerminatorKind, Refusal> {
        let successors = value.successors();
        match (value.opcode(), &successors[..]) {
            (Some(Opcode::LLVMRet), _) => {
                let returned = value.operand(0).map_or(Ok(Vec::new()), |returned| self.operands(returned))?;
                Ok(TerminatorKind::Return(returned))
            }
            (Some(Opcode::LLVMBr), &[next]) => Ok(TerminatorKind::Jump(self.target(block, next)?)),
            (Some(Opcode::LLVMBr), &[then, otherwise]) => {
                let cond = self.operand(value.condition().ok_or("a branch without condition")?)?;
                let (then, otherwise) = (self.target(block, then)?, self.target(block, otherwise)?);
                Ok(TerminatorKind::Branch { cond, then, otherwise, quiet: self.is_quiet(value) })
            }
            (Some(Opcode::LLVMSwitch), &[default, ..]) => {
                let chosen = self.operand(value.condition().ok_or("a switch without value")?)?;
                let mut cases = Vec::new();
                for (number, &successor) in successors.iter().enumerate().skip(1) {
                    let case = value.case_value(number as u32).and_then(Value::integer_bits);
                    cases.push((case.ok_or("a case without value")?, self.target(block, successor)?));
                }
                let default = self.target(block, default)?;
                Ok(TerminatorKind::Switch { value: chosen, cases, default, quiet: self.is_quiet(value) })
            }
            (Some(Opcode::LLVMIndirectBr), _) => self.indirect_branch(block, value, &successors),
            (Some(Opcode::LLVMInvoke), &[next, unwind]) => self.invoke_end(block, next, unwind),
            // An unsupported terminator ends the execution, so its successors are unreachable.
            _ => Ok(TerminatorKind::Unreachable),
        }
    }

    /// A computed goto: the address of a block is its number, so that this is a switch.
    fn indirect_branch(
        &mut self,
        block: llvm::Block<'m>,
        value: Value<'m>,
        successors: &[llvm::Block<'m>],
    ) -> Result<TerminatorKind, Refusal> {
        let address = self.operand_at(value, 0)?;
        let number = self.resize(address, Type::I64);
        let all = self.function.blocks();
        let mut cases: Vec<(u128, Target)> = Vec::new();
        for &successor in successors {
            let index = all.iter().position(|&other| other == successor).ok_or("a jump to another function")?;
            let number = index as u128 + 1;
            if !cases.iter().any(|(other, _)| *other == number) {
                cases.push((number, self.target(block, successor)?));
            }
        }
        let default = Target { block: self.unreachable_block(), args: Vec::new() };
        Ok(TerminatorKind::Switch { value: number, cases, default, quiet: self.is_quiet(value) })
    }

    /// Whether the recorder's analysis found that a decision needs no record.
    fn is_quiet(&self, terminator: Value<'m>) -> bool {
        self.program.is_marked && !terminator.has_mark(DECISION)
    }

    fn unreachable_block(&mut self) -> ir::BlockId {
        let terminator = Terminator { kind: TerminatorKind::Unreachable, span: self.span };
        self.blocks.push(ir::Block { params: Vec::new(), instrs: Vec::new(), terminator });
        ir::BlockId(self.blocks.len() as u32 - 1)
    }

    /// A successor with the values that its phis take when control comes from `from`.
    pub fn target(&mut self, from: llvm::Block<'m>, to: llvm::Block<'m>) -> Result<Target, Refusal> {
        let block = *self.block_ids.get(&to).ok_or("a jump to an unknown block")?;
        let mut args: Vec<Operand> = Vec::new();
        for phi in known_phis(to) {
            let incoming = phi.incoming();
            let (value, _) =
                incoming.iter().find(|(_, block)| *block == from).ok_or("a phi without value for its predecessor")?;
            args.extend(self.operands(*value)?);
        }
        Ok(Target { block, args })
    }
}
