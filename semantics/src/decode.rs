//! Prepares programs for execution: translates `ir` functions to [`FunctionCode`].

use std::rc::Rc;

use ir::{Callee, Function, Instr, Op, Operand, Primitive, Program, Reg, SpanId, Target, TerminatorKind, Type};

use crate::address;
use crate::code::{self, Access, Arg, Code, Edge, FunctionCode, Header, Inst, Range, Register};
use crate::liveness;

impl Code {
    /// Prepares a verified program for execution.
    pub fn new(program: &Program) -> Code {
        let mut next = address::FIRST_OBJECT_SLOT;
        let globals: Vec<u64> = program
            .globals
            .iter()
            .map(|global| {
                if global.thread_local {
                    return 0;
                }
                let slots = address::slots_for(global.size);
                let slot = next;
                next = next.saturating_add(u32::try_from(slots).unwrap_or(u32::MAX));
                address::slot_address(address::STATIC_REGION, slot)
            })
            .collect();
        let functions = program.functions.iter().map(|function| decode(function, &globals)).collect();
        let functions: Vec<FunctionCode> = functions;
        let reads = |inst: &Inst| matches!(inst, Inst::Primitive { primitive: Primitive::InputClock, .. });
        let reads_clock = functions.iter().any(|function| function.insts.iter().any(reads));
        Code { program: Rc::new(program.clone()), functions, globals, next_slot: next, reads_clock }
    }
}

fn decode(function: &Function, globals: &[u64]) -> FunctionCode {
    let mut decoder = Decoder { function, globals, code: FunctionCode::default(), header_of: Vec::new() };
    decoder.code.variadic = function.variadic;
    decoder.code.atomic = function.atomic;
    decoder.code.defined = function.is_defined();
    // One register more than the function has: the scratch register for cyclic moves.
    decoder.code.registers = function.registers.len() as u32 + 1;
    if function.is_defined() {
        decoder.function_body();
    }
    decoder.code
}

struct Decoder<'a> {
    function: &'a Function,
    globals: &'a [u64],
    code: FunctionCode,
    /// The header that each block is, if any.
    header_of: Vec<Option<u32>>,
}

impl Decoder<'_> {
    fn function_body(&mut self) {
        let function = self.function;
        self.code.params = function.blocks[0].params.iter().map(|&reg| (reg.0, self.register_type(reg))).collect();
        let mut positions = Vec::new();
        let mut position = 0;
        for block in &function.blocks {
            positions.push(position);
            let behind = u32::from(matches!(block.terminator.kind, TerminatorKind::Invoke { .. }));
            position += block.instrs.len() as u32 + 1 + behind;
        }
        for (block, live) in liveness::headers(function).into_iter().enumerate() {
            self.header_of.push(live.as_ref().map(|_| self.code.headers.len() as u32));
            if let Some(live) = live {
                let span = first_span(&function.blocks[block]);
                self.code.headers.push(Header { position: positions[block], live: live.into(), span });
            }
        }
        for block in &function.blocks {
            for instr in &block.instrs {
                let inst = self.instruction(instr);
                self.push(inst, instr.span);
            }
            let inst = self.terminator(&block.terminator.kind, &positions);
            self.push(inst, block.terminator.span);
            if let TerminatorKind::Invoke { next, .. } = &block.terminator.kind {
                let edge = self.edge(&Target { block: *next, args: Vec::new() }, &positions);
                self.push(Inst::Jump(edge), block.terminator.span);
            }
        }
    }

    fn push(&mut self, inst: Inst, span: SpanId) {
        self.code.insts.push(inst);
        self.code.spans.push(span);
    }

    fn register_type(&self, reg: Reg) -> Type {
        self.function.registers[reg.index()].ty
    }

    fn type_of(&self, operand: &Operand) -> Type {
        match operand {
            Operand::Reg(reg) => self.register_type(*reg),
            Operand::Const { ty, .. } | Operand::Undef(ty) => *ty,
            Operand::Global { .. } | Operand::Function(_) => Type::Ptr,
        }
    }

    fn arg(&mut self, operand: &Operand) -> Arg {
        let (ty, bits) = match *operand {
            Operand::Reg(reg) => return Arg(reg.0 as i32),
            Operand::Const { ty, bits } => (ty, bits),
            Operand::Undef(ty) => (ty, 0),
            Operand::Global { global, offset } => {
                (Type::Ptr, u128::from(self.globals[global.index()].wrapping_add(offset as u64)))
            }
            Operand::Function(function) => (Type::Ptr, u128::from(address::function_address(function.0))),
        };
        let known = self.code.constants.iter().position(|&constant| constant == (ty, bits));
        let index = known.unwrap_or_else(|| {
            self.code.constants.push((ty, bits));
            self.code.constants.len() - 1
        });
        Arg(!(index as i32))
    }

    fn args(&mut self, operands: &[Operand]) -> Range {
        let args: Vec<(Arg, Type)> =
            operands.iter().map(|operand| (self.arg(operand), self.type_of(operand))).collect();
        let begin = self.code.args.len() as u32;
        self.code.args.extend(args);
        Range { begin, end: self.code.args.len() as u32 }
    }

    fn results(&mut self, results: &[Reg]) -> Range {
        let begin = self.code.registers_of.len() as u32;
        self.code.registers_of.extend(results.iter().map(|reg| reg.0));
        Range { begin, end: self.code.registers_of.len() as u32 }
    }

    /// The register of an optional result.
    fn result(&self, results: &[Reg], index: usize) -> Register {
        results.get(index).map_or(self.code.registers - 1, |reg| reg.0)
    }

    fn result_type(&self, results: &[Reg]) -> Type {
        results.first().map_or(Type::Int(64), |&reg| self.register_type(reg))
    }

    fn instruction(&mut self, instr: &Instr) -> Inst {
        let results = &instr.results;
        let to = self.result(results, 0);
        match &instr.op {
            Op::Unary { op, arg } => Inst::Unary { op: *op, ty: self.type_of(arg), to, arg: self.arg(arg) },
            Op::Binary { op, left, right } => {
                Inst::Binary { op: *op, ty: self.type_of(left), to, left: self.arg(left), right: self.arg(right) }
            }
            Op::Overflowing { op, left, right } => Inst::Overflowing {
                op: *op,
                ty: self.type_of(left),
                to,
                flag: self.result(results, 1),
                left: self.arg(left),
                right: self.arg(right),
            },
            Op::Compare { predicate, left, right } => Inst::Compare {
                predicate: *predicate,
                ty: self.type_of(left),
                to,
                left: self.arg(left),
                right: self.arg(right),
            },
            Op::FloatCompare { predicate, left, right } => Inst::FloatCompare {
                predicate: *predicate,
                ty: self.type_of(left),
                to,
                left: self.arg(left),
                right: self.arg(right),
            },
            Op::Cast { op, arg } => {
                Inst::Cast { op: *op, from: self.type_of(arg), ty: self.result_type(results), to, arg: self.arg(arg) }
            }
            Op::FusedMultiplyAdd { left, right, addend } => Inst::FusedMultiplyAdd {
                ty: self.type_of(left),
                to,
                left: self.arg(left),
                right: self.arg(right),
                addend: self.arg(addend),
            },
            Op::Select { cond, then, otherwise } => {
                Inst::Select { to, cond: self.arg(cond), then: self.arg(then), otherwise: self.arg(otherwise) }
            }
            Op::Address { base, offset, indices } => self.address(to, base, *offset, indices),
            Op::ThreadLocal { global } => Inst::ThreadLocal { to, global: *global },
            Op::Local { size, align, name, layout } => {
                Inst::Local { to, size: self.arg(size), align: *align, name: *name, layout: *layout }
            }
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } => {
                self.access(&instr.op, results)
            }
            Op::Fence { .. } => Inst::Fence,
            Op::Call { callee, args } => {
                let args = self.args(args);
                let results = self.results(results);
                match callee {
                    Callee::Direct(function) => Inst::Call { function: *function, args, results },
                    Callee::Indirect(callee) => {
                        let recorded = self.is_recorded();
                        Inst::CallIndirect { callee: self.arg(callee), args, results, recorded }
                    }
                }
            }
            Op::VariadicArguments => Inst::VariadicArguments { to },
            Op::Primitive { primitive, args } => {
                Inst::Primitive { primitive: *primitive, args: self.args(args), to: results.first().map(|reg| reg.0) }
            }
            Op::Unsupported { what } => Inst::Unsupported { what: Rc::from(what.as_str()) },
        }
    }

    fn address(&mut self, to: Register, base: &Operand, offset: i64, indices: &[(Operand, i64)]) -> Inst {
        let base = self.arg(base);
        match indices {
            [] => Inst::Address { to, base, offset, index: None, scale: 0 },
            [(index, scale)] => {
                let index = Some((self.arg(index), self.type_of(index)));
                Inst::Address { to, base, offset, index, scale: *scale }
            }
            _ => {
                let decoded: Vec<_> =
                    indices.iter().map(|(index, scale)| (self.arg(index), self.type_of(index), *scale)).collect();
                let begin = self.code.indices.len() as u32;
                self.code.indices.extend(decoded);
                Inst::AddressOfMany { to, base, offset, indices: Range { begin, end: self.code.indices.len() as u32 } }
            }
        }
    }

    fn access(&mut self, op: &Op, results: &[Reg]) -> Inst {
        let to = self.result(results, 0);
        match op {
            Op::Load { address, ordering, place } => Inst::Load {
                to,
                address: self.arg(address),
                access: Access { ty: self.result_type(results), ordering: *ordering, place: *place },
            },
            Op::Store { address, value, ordering, place } => Inst::Store {
                address: self.arg(address),
                value: self.arg(value),
                access: Access { ty: self.type_of(value), ordering: *ordering, place: *place },
            },
            Op::Rmw { op, address, value, ordering, place } => Inst::Rmw {
                op: *op,
                to,
                address: self.arg(address),
                value: self.arg(value),
                access: Access { ty: self.type_of(value), ordering: Some(*ordering), place: *place },
            },
            Op::CompareExchange { address, expected, new, weak, success, place, .. } => Inst::CompareExchange {
                to,
                flag: self.result(results, 1),
                address: self.arg(address),
                expected: self.arg(expected),
                new: self.arg(new),
                weak: *weak,
                access: Access { ty: self.type_of(new), ordering: Some(*success), place: *place },
            },
            _ => Inst::Unreachable,
        }
    }

    /// Whether a recorder stores the function's decisions: it does not instrument the library.
    fn is_recorded(&self) -> bool {
        self.function.origin != ir::Origin::Model
    }

    fn terminator(&mut self, kind: &TerminatorKind, positions: &[u32]) -> Inst {
        match kind {
            TerminatorKind::Jump(target) => Inst::Jump(self.edge(target, positions)),
            TerminatorKind::Branch { cond, then, otherwise, quiet } => Inst::Branch {
                recorded: self.is_recorded() && !quiet,
                cond: self.arg(cond),
                then: self.edge(then, positions),
                otherwise: self.edge(otherwise, positions),
            },
            TerminatorKind::Switch { value, cases, default, quiet } => {
                let recorded = self.is_recorded() && !quiet;
                let value = self.arg(value);
                let edges: Vec<Edge> =
                    cases.iter().map(|(_, target)| target).chain([default]).map(|t| self.edge(t, positions)).collect();
                let begin = self.code.edges.len() as u32;
                self.code.edges.extend(edges);
                let mut sorted: Vec<(u128, u32)> =
                    cases.iter().enumerate().map(|(index, (value, _))| (*value, index as u32)).collect();
                sorted.sort_unstable();
                let edges = Range { begin, end: self.code.edges.len() as u32 };
                Inst::Switch { value, cases: sorted.into(), edges, recorded }
            }
            TerminatorKind::Invoke { callee, args, table, next, unwind } => {
                let args = self.args(args);
                let results = self.results(&self.function.blocks[next.index()].params);
                let callee = match callee {
                    ir::Callee::Direct(function) => code::Callee::Direct(*function),
                    ir::Callee::Indirect(address) => code::Callee::Indirect(self.arg(address)),
                };
                let params = &self.function.blocks[unwind.index()].params;
                let landed = [self.result(params, 0), self.result(params, 1)];
                let (table, unwind) = (self.arg(table), positions[unwind.index()]);
                let recorded = self.is_recorded();
                Inst::Invoke { callee, args, results, table, unwind, landed, recorded }
            }
            TerminatorKind::Return(values) => Inst::Return { values: self.args(values) },
            TerminatorKind::Unreachable => Inst::Unreachable,
        }
    }

    fn edge(&mut self, target: &Target, positions: &[u32]) -> Edge {
        let block = target.block.index();
        let params = self.function.blocks[block].params.clone();
        let parallel: Vec<(Register, Arg, Type)> = params
            .iter()
            .zip(&target.args)
            .map(|(&param, operand)| (param.0, self.arg(operand), self.register_type(param)))
            .collect();
        let begin = self.code.moves.len() as u32;
        self.code.moves.extend(in_sequence(parallel, self.code.registers - 1));
        let end = self.code.moves.len() as u32;
        Edge { moves: Range { begin, end }, position: positions[block], header: self.header_of[block] }
    }
}

fn first_span(block: &ir::Block) -> SpanId {
    let mut spans = block.instrs.iter().map(|instr| instr.span).chain([block.terminator.span]);
    spans.find(|&span| span != SpanId::NONE).unwrap_or(SpanId::NONE)
}

/// Moves that happen at once, put in an order with the same effect; a circle goes through the scratch register.
fn in_sequence(mut parallel: Vec<(Register, Arg, Type)>, scratch: Register) -> Vec<(Register, Arg, Type)> {
    parallel.retain(|&(to, from, _)| from != Arg(to as i32));
    let mut sequence = Vec::with_capacity(parallel.len());
    while !parallel.is_empty() {
        let free = parallel.iter().enumerate().position(|(index, &(to, _, _))| {
            parallel.iter().enumerate().all(|(other, &(_, from, _))| other == index || from != Arg(to as i32))
        });
        match free {
            Some(index) => sequence.push(parallel.remove(index)),
            None => {
                let (to, _, ty) = parallel[0];
                sequence.push((scratch, Arg(to as i32), ty));
                for (_, from, _) in &mut parallel {
                    if *from == Arg(to as i32) {
                        *from = Arg(scratch as i32);
                    }
                }
            }
        }
    }
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(moves: &[(u32, i32)]) -> Vec<u32> {
        let parallel = moves.iter().map(|&(to, from)| (to, Arg(from), Type::Int(32))).collect();
        let mut registers: Vec<u32> = (0..6).collect();
        for (to, from, _) in in_sequence(parallel, 5) {
            registers[to as usize] = registers[from.0 as usize];
        }
        registers.truncate(5);
        registers
    }

    #[test]
    fn moves_that_depend_on_each_other_keep_their_meaning() {
        assert_eq!(run(&[(0, 1), (1, 2)]), [1, 2, 2, 3, 4]);
        assert_eq!(run(&[(1, 0), (2, 1)]), [0, 0, 1, 3, 4]);
        assert_eq!(run(&[(0, 1), (1, 0)]), [1, 0, 2, 3, 4]);
        assert_eq!(run(&[(0, 1), (1, 2), (2, 0), (3, 4), (4, 3)]), [1, 2, 0, 4, 3]);
    }
}
