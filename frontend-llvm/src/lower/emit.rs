//! Operands of values, and emission of instructions.

use ir::{BinaryOp, CastOp, Instr, IntPredicate, Op, Operand, Reg, Type};

use crate::llvm::{Value, ValueKind};

use super::initial::block_number;
use super::state::{FunctionLowering, Refusal};
use super::types::scalars;

impl<'m> FunctionLowering<'_, 'm> {
    /// The scalars of a value. Constants that no operand expresses are computed here.
    pub fn operands(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        if let Some(operands) = self.values.get(&value) {
            return Ok(operands.clone());
        }
        let refuse = || format!("the value {}", value.summary());
        match value.kind() {
            ValueKind::Integer | ValueKind::Real | ValueKind::Null => {
                let ty = scalars(value.ty())?[0];
                let bits = value.integer_bits().or_else(|| value.real_bits());
                let is_null = value.kind() == ValueKind::Null;
                let bits = bits.or(is_null.then_some(0)).ok_or_else(refuse)?;
                Ok(vec![Operand::Const { ty, bits }])
            }
            ValueKind::Undefined => Ok(scalars(value.ty())?.into_iter().map(Operand::Undef).collect()),
            ValueKind::Aggregate => {
                scalars(value.ty())?;
                let mut all = Vec::new();
                for index in 0..value.ty().element_count() {
                    all.extend(self.operands(value.aggregate_element(index).ok_or_else(refuse)?)?);
                }
                Ok(all)
            }
            ValueKind::Function | ValueKind::Global if value.is_absent() => Ok(vec![Operand::NULL]),
            ValueKind::Function | ValueKind::IndirectFunction => {
                Ok(vec![Operand::Function(self.program.function_id(value))])
            }
            ValueKind::Global => {
                let global = self.program.global_id(value);
                if value.is_thread_local() {
                    return Ok(vec![self.emit(Op::ThreadLocal { global }, Type::Ptr)]);
                }
                Ok(vec![Operand::Global { global, offset: 0 }])
            }
            ValueKind::Alias => self.operands(value.aliasee().ok_or_else(refuse)?),
            ValueKind::BlockAddress => {
                let bits = block_number(value).ok_or_else(refuse)?;
                Ok(vec![Operand::Const { ty: Type::Ptr, bits }])
            }
            ValueKind::Expression => self.pure(value)?.ok_or_else(refuse),
            _ => Err(refuse()),
        }
    }

    /// The scalar of a value that has one.
    pub fn operand(&mut self, value: Value<'m>) -> Result<Operand, Refusal> {
        match self.operands(value)?[..] {
            [operand] => Ok(operand),
            _ => Err(format!("the value {}", value.summary())),
        }
    }

    /// The operand of that number, as a scalar.
    pub fn operand_at(&mut self, value: Value<'m>, index: u32) -> Result<Operand, Refusal> {
        let operand = value.operand(index).ok_or_else(|| format!("the instruction {}", value.summary()))?;
        self.operand(operand)
    }

    pub fn operands_at(&mut self, value: Value<'m>, index: u32) -> Result<Vec<Operand>, Refusal> {
        let operand = value.operand(index).ok_or_else(|| format!("the instruction {}", value.summary()))?;
        self.operands(operand)
    }

    pub fn type_of(&self, operand: Operand) -> Type {
        match operand {
            Operand::Reg(reg) => self.registers[reg.index()].ty,
            Operand::Const { ty, .. } | Operand::Undef(ty) => ty,
            Operand::Global { .. } | Operand::Function(_) => Type::Ptr,
        }
    }

    fn push(&mut self, results: Vec<Reg>, op: Op) {
        let span = self.span;
        self.blocks[self.current].instrs.push(Instr { results, op, span });
    }

    pub fn emit_none(&mut self, op: Op) {
        self.push(Vec::new(), op);
    }

    pub fn emit(&mut self, op: Op, ty: Type) -> Operand {
        let reg = self.register(ty);
        self.push(vec![reg], op);
        Operand::Reg(reg)
    }

    pub fn emit_many(&mut self, op: Op, types: &[Type]) -> Vec<Operand> {
        let regs: Vec<Reg> = types.iter().map(|&ty| self.register(ty)).collect();
        self.push(regs.clone(), op);
        regs.into_iter().map(Operand::Reg).collect()
    }

    pub fn binary(&mut self, op: BinaryOp, left: Operand, right: Operand) -> Operand {
        let ty = self.type_of(left);
        self.emit(Op::Binary { op, left, right }, ty)
    }

    pub fn compare(&mut self, predicate: IntPredicate, left: Operand, right: Operand) -> Operand {
        self.emit(Op::Compare { predicate, left, right }, Type::I1)
    }

    pub fn select(&mut self, cond: Operand, then: Operand, otherwise: Operand) -> Operand {
        let ty = self.type_of(then);
        self.emit(Op::Select { cond, then, otherwise }, ty)
    }

    /// A cast, unless it has no effect.
    pub fn cast(&mut self, op: CastOp, arg: Operand, to: Type) -> Operand {
        if self.type_of(arg) == to { arg } else { self.emit(Op::Cast { op, arg }, to) }
    }

    /// An integer or pointer brought to another width, its new bits zero.
    pub fn resize(&mut self, arg: Operand, to: Type) -> Operand {
        let from = self.type_of(arg);
        if from == to {
            return arg;
        }
        let integer = self.cast(CastOp::Bits, arg, Type::Int(from.bits() as u8));
        let wide = Type::Int(to.bits() as u8);
        let sized = match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.cast(CastOp::ZeroExtend, integer, wide),
            std::cmp::Ordering::Equal => integer,
            std::cmp::Ordering::Greater => self.cast(CastOp::Truncate, integer, wide),
        };
        self.cast(CastOp::Bits, sized, to)
    }

    /// `base + offset`, folded where an operand can say it.
    pub fn advance(&mut self, base: Operand, offset: i64) -> Operand {
        if offset == 0 {
            return base;
        }
        if let Operand::Global { global, offset: at } = base {
            return Operand::Global { global, offset: at.wrapping_add(offset) };
        }
        self.emit(Op::Address { base, offset, indices: Vec::new() }, Type::Ptr)
    }

    pub fn int_like(&self, operand: Operand, value: u128) -> Operand {
        Operand::int(self.type_of(operand).bits() as u8, value)
    }
}
