//! Exceptions: calls that may unwind, their landing pads, and the tables of handlers.
//!
//! A table is a constant of entries `{ i32 kind, i32 selector, ptr }`, which the model of the C++ runtime reads
//! (`models/cxx_unwind.cpp`): it searches for the call with a matching handler, and lands there with the selector. The
//! selector of a type is its number from `llvm.eh.typeid.for`.

use std::collections::HashMap;

use ir::{BlockId, Global, GlobalId, Op, Operand, Origin, Relocation, SpanId, TerminatorKind, Type};

use crate::llvm::{self, Opcode, Value, ValueKind};
use crate::names::RESUME;

use super::initial::Known;
use super::state::{FunctionLowering, Invoked, Refusal};
use super::{Lowering, empty_global};

/// The kinds of entries, as the model knows them.
const END: u32 = 0;
const CATCH: u32 = 1;
const FILTER: u32 = 2;
const FILTERED: u32 = 3;
const CLEANUP: u32 = 4;

/// The selector of exceptions that a filter stops.
const HELD_BACK: u32 = u32::MAX;

const ENTRY_BYTES: u64 = 16;

/// The exception information of the whole program.
#[derive(Default)]
pub struct Exceptions<'m> {
    /// The number of each type with a handler.
    numbers: HashMap<Value<'m>, u32>,
    tables: HashMap<Value<'m>, GlobalId>,
}

/// The landing pad instruction of a block.
pub fn landing_pad<'m>(block: llvm::Block<'m>) -> Option<Value<'m>> {
    let mut instructions = block.instructions().skip_while(|value| value.opcode() == Some(Opcode::LLVMPHI));
    instructions.next().filter(|value| value.opcode() == Some(Opcode::LLVMLandingPad))
}

#[derive(Default)]
struct Table {
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl Table {
    fn entry(&mut self, kind: u32, selector: u32, pointer: Known) {
        let offset = self.bytes.len() as u64 + 8;
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend(selector.to_le_bytes());
        match pointer {
            Known::Bits(bits) => self.bytes.extend((bits as u64).to_le_bytes()),
            Known::Address(symbol, addend) => {
                self.bytes.extend([0; 8]);
                self.relocations.push(Relocation { offset, symbol, addend });
            }
        }
    }
}

impl<'m> Lowering<'m> {
    /// The selector of a type. Null, which matches every type, has one too.
    pub fn catch_number(&mut self, type_info: Value<'m>) -> u32 {
        let next = self.exceptions.numbers.len() as u32 + 1;
        *self.exceptions.numbers.entry(type_info).or_insert(next)
    }

    fn landing_table(&mut self, pad: Value<'m>) -> Result<GlobalId, Refusal> {
        if let Some(&table) = self.exceptions.tables.get(&pad) {
            return Ok(table);
        }
        let mut table = Table::default();
        for clause in pad.clauses() {
            if clause.ty().kind() == llvm::TypeKind::Array {
                self.filter(clause, &mut table)?;
            } else {
                let selector = self.catch_number(clause);
                let known = self.known(clause)?;
                table.entry(CATCH, selector, known);
            }
        }
        if pad.is_cleanup() {
            table.entry(CLEANUP, 0, Known::Bits(0));
        }
        table.entry(END, 0, Known::Bits(0));
        let make = |name| Global {
            size: table.bytes.len() as u64,
            align: 8,
            constant: true,
            external: false,
            bytes: table.bytes,
            relocations: table.relocations,
            span: SpanId::NONE,
            ..empty_global(name, false, Origin::Model)
        };
        let id = GlobalId(self.globals.invent("__heddle_landing".into(), make));
        self.exceptions.tables.insert(pad, id);
        Ok(id)
    }

    /// Types that may pass; all others are stopped.
    fn filter(&mut self, clause: Value<'m>, table: &mut Table) -> Result<(), Refusal> {
        let count = clause.ty().element_count();
        table.entry(FILTER, HELD_BACK, Known::Bits(u128::from(count)));
        for index in 0..count {
            let element = match clause.kind() {
                ValueKind::Aggregate => clause.aggregate_element(index).ok_or("a filter without types")?,
                _ => return Err("a filter whose types are not known".into()),
            };
            let known = self.known(element)?;
            table.entry(FILTERED, 0, known);
        }
        debug_assert_eq!(table.bytes.len() as u64 % ENTRY_BYTES, 0);
        Ok(())
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// Emits the call, and then opens a block for its normal return. An operation of the IR cannot unwind, so it is
    /// emitted in place.
    pub fn invoke(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let start = self.blocks[self.current].instrs.len();
        let results = self.call(value)?;
        let written = &mut self.blocks[self.current].instrs;
        let is_call = |instr: &ir::Instr| matches!(instr.op, Op::Call { .. });
        let Some(position) = written[start..].iter().rposition(is_call) else { return Ok(results) };
        let after = written.split_off(start + position + 1);
        let Some(call) = written.pop() else { return Ok(results) };
        let Op::Call { callee, args } = call.op else { return Ok(results) };
        let next = BlockId(self.blocks.len() as u32);
        self.open_block();
        let block = &mut self.blocks[next.index()];
        block.params = call.results;
        block.instrs = after;
        self.invoked.insert(self.current, Invoked { callee, args, next });
        Ok(results)
    }

    /// The end of a block with an invoke: a jump if no call was emitted.
    pub fn invoke_end(
        &mut self,
        block: llvm::Block<'m>,
        next: llvm::Block<'m>,
        unwind: llvm::Block<'m>,
    ) -> Result<TerminatorKind, Refusal> {
        let Some(Invoked { callee, args, next: returned }) = self.invoked.remove(&self.current) else {
            return Ok(TerminatorKind::Jump(self.target(block, next)?));
        };
        let pad = landing_pad(unwind).ok_or("a place to land without landing pad")?;
        let table = self.program.landing_table(pad)?;
        let here = self.current;
        self.current = returned.index();
        let target = self.target(block, next)?;
        self.blocks[returned.index()].terminator =
            ir::Terminator { kind: TerminatorKind::Jump(target), span: self.span };

        let landed = BlockId(self.blocks.len() as u32);
        self.open_block();
        self.current = landed.index();
        let params = vec![self.register(Type::Ptr), self.register(Type::I32)];
        self.blocks[landed.index()].params = params.clone();
        let mut target = self.target(block, unwind)?;
        target.args.extend(params.into_iter().map(Operand::Reg));
        self.blocks[landed.index()].terminator = ir::Terminator { kind: TerminatorKind::Jump(target), span: self.span };
        self.current = here;
        let table = Operand::Global { global: table, offset: 0 };
        Ok(TerminatorKind::Invoke { callee, args, table, next: returned, unwind: landed })
    }

    /// Resumes unwinding after a landing pad without a match.
    pub fn resume(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let thrown = self.operands_at(value, 0)?;
        let pointer = thrown.first().copied().ok_or("a resume without exception")?;
        self.call_named(RESUME, vec![pointer], &[])
    }
}
