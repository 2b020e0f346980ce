//! Lowers one function: blocks in an order in which definitions precede uses, phis as block parameters.

use std::collections::{HashMap, HashSet};

use ir::{
    Block, BlockId, Callee, Function, FunctionId, Instr, Op, Operand, Origin, Reg, Register, SpanId, Terminator,
    TerminatorKind, Type,
};

use crate::debug::Variables;
use crate::llvm::{self, Opcode, Value, ValueKind};

use super::exception;
use super::state::FunctionLowering;
use super::types::scalars;
use super::{Lowering, frameworks, library};

pub fn lower<'m>(program: &mut Lowering<'m>, id: FunctionId, value: Value<'m>) -> Function {
    let mut function = Function {
        name: program.functions.list[id.index()].name.clone(),
        display: program.debug.display_name(value),
        origin: program.origin(value),
        blocks: Vec::new(),
        variadic: value.value_type().is_some_and(llvm::Type::is_variadic),
        atomic: false,
        returns: Vec::new(),
        registers: Vec::new(),
        span: program.debug.function_span(value),
    };
    let result = value.value_type().and_then(llvm::Type::result);
    let returns = result.map_or(Ok(Vec::new()), scalars);
    if value.is_declaration() {
        function.returns = returns.unwrap_or_default();
        library::complete(value, &mut function);
        return function;
    }
    function.atomic = function.origin == Origin::User && is_atomic_by_name(&function.display);
    let blocks = reachable_blocks(value);
    let mut lowering = FunctionLowering {
        variables: Variables::read(&blocks),
        program,
        function: value,
        values: HashMap::new(),
        registers: Vec::new(),
        blocks: Vec::new(),
        block_ids: HashMap::new(),
        invoked: HashMap::new(),
        current: 0,
        span: function.span,
    };
    let done = returns.and_then(|returns| {
        function.returns = returns;
        if value.kind() == ValueKind::IndirectFunction {
            return lowering.resolve_and_call(&function.returns);
        }
        lowering.declare(&blocks)?;
        lowering.tell_framework(&function.name);
        lowering.body(&blocks);
        Ok(())
    });
    if let Err(what) = done {
        lowering.refuse_all(what);
    }
    function.registers = lowering.registers;
    function.blocks = lowering.blocks;
    function
}

/// Whether the name requires the body to be one step, by the convention of verification tasks.
fn is_atomic_by_name(name: &str) -> bool {
    name.strip_prefix("__VERIFIER_atomic").is_some_and(|rest| !matches!(rest, "_begin" | "_end"))
}

/// The blocks that can be reached, each after those that dominate it.
fn reachable_blocks<'m>(function: Value<'m>) -> Vec<llvm::Block<'m>> {
    let successors = |block: llvm::Block<'m>| block.terminator().map(Value::successors).unwrap_or_default();
    let Some(&entry) = function.blocks().first() else { return Vec::new() };
    let mut seen = HashSet::from([entry]);
    let mut finished = Vec::new();
    let mut stack = vec![(entry, successors(entry).into_iter())];
    while let Some((block, next)) = stack.last_mut() {
        match next.next() {
            Some(successor) => {
                if seen.insert(successor) {
                    stack.push((successor, successors(successor).into_iter()));
                }
            }
            None => {
                finished.push(*block);
                stack.pop();
            }
        }
    }
    finished.reverse();
    finished
}

impl<'m> FunctionLowering<'_, 'm> {
    /// Creates the blocks and their parameters: the function's own for the first one, phis for the others.
    fn declare(&mut self, blocks: &[llvm::Block<'m>]) -> Result<(), String> {
        for (index, &block) in blocks.iter().enumerate() {
            self.block_ids.insert(block, BlockId(index as u32));
            self.open_block();
            if index == 0 {
                for parameter in self.function.parameters() {
                    self.parameter(0, parameter)?;
                }
            }
            for phi in known_phis(block) {
                self.parameter(index, phi)?;
            }
            // The exception and the selector are parameters of the landing block.
            if let Some(pad) = exception::landing_pad(block) {
                self.parameter(index, pad)?;
            }
        }
        Ok(())
    }

    /// A function by which a test framework learns of a failed expectation begins with a call of its model.
    fn tell_framework(&mut self, name: &str) {
        let model = frameworks::model_of(name).and_then(|model| self.program.module.function(model));
        let Some(model) = model.filter(|model| !model.is_declaration()) else { return };
        let callee = Callee::Direct(self.program.function_id(model));
        let args = self.blocks[0].params.iter().map(|&reg| Operand::Reg(reg)).collect();
        let call = Instr { results: Vec::new(), op: Op::Call { callee, args }, span: self.span };
        self.blocks[0].instrs.push(call);
    }

    fn parameter(&mut self, block: usize, value: Value<'m>) -> Result<(), String> {
        let operands = scalars(value.ty())?
            .into_iter()
            .map(|ty| {
                let reg = self.register(ty);
                self.blocks[block].params.push(reg);
                Operand::Reg(reg)
            })
            .collect();
        self.define(value, operands);
        Ok(())
    }

    fn body(&mut self, blocks: &[llvm::Block<'m>]) {
        for (index, block) in blocks.iter().enumerate() {
            self.current = index;
            for instruction in block.instructions() {
                self.instruction(instruction);
            }
        }
        // Terminators come last, because a phi may take a value that is defined in a later block.
        for (index, &block) in blocks.iter().enumerate() {
            self.current = index;
            self.terminator(block);
        }
    }

    /// An indirect function: calls the function that its resolver returns.
    fn resolve_and_call(&mut self, returns: &[Type]) -> Result<(), String> {
        let ty = self.function.value_type().ok_or("a function without type")?;
        let resolver =
            self.function.aliasee().and_then(super::resolve_function).ok_or("a function without resolver")?;
        if ty.is_variadic() {
            return Err(format!("the variadic indirect function `{}`", self.function.name()));
        }
        self.open_block();
        let mut args = Vec::new();
        for parameter in ty.parameters() {
            for scalar in scalars(parameter)? {
                let reg = self.register(scalar);
                self.blocks[0].params.push(reg);
                args.push(Operand::Reg(reg));
            }
        }
        let resolver = Callee::Direct(self.program.function_id(resolver));
        let meant = self.emit(Op::Call { callee: resolver, args: Vec::new() }, Type::Ptr);
        let results = self.emit_many(Op::Call { callee: Callee::Indirect(meant), args }, returns);
        self.blocks[0].terminator.kind = TerminatorKind::Return(results);
        Ok(())
    }

    pub fn open_block(&mut self) {
        let terminator = Terminator { kind: TerminatorKind::Unreachable, span: SpanId::NONE };
        self.blocks.push(Block { params: Vec::new(), instrs: Vec::new(), terminator });
    }

    /// A function that cannot be expressed at all still exists; entering it is unsupported.
    fn refuse_all(&mut self, what: String) {
        self.registers.clear();
        self.blocks.clear();
        self.current = 0;
        self.open_block();
        self.emit_none(Op::Unsupported { what });
    }

    pub fn register(&mut self, ty: Type) -> Reg {
        self.registers.push(Register { ty, name: None });
        Reg(self.registers.len() as u32 - 1)
    }

    /// Binds a value to its scalars, and names the register of a single one after its source variable.
    pub fn define(&mut self, value: Value<'m>, operands: Vec<Operand>) {
        if let [Operand::Reg(reg)] = operands[..]
            && self.registers[reg.0 as usize].name.is_none()
            && let Some(name) = self.variables.name_of(value)
        {
            self.registers[reg.0 as usize].name = Some(self.program.text(&name));
        }
        self.values.insert(value, operands);
    }
}

/// The phis of a block whose types have scalars. The others have no value; using one is unsupported.
pub fn known_phis<'m>(block: llvm::Block<'m>) -> impl Iterator<Item = Value<'m>> {
    let phis = block.instructions().take_while(|instruction| instruction.opcode() == Some(Opcode::LLVMPHI));
    phis.filter(|phi| scalars(phi.ty()).is_ok())
}
