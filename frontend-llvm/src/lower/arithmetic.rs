//! Arithmetic, comparisons and conversions, lane by lane.

use ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Op, Operand, Type, UnaryOp};

use crate::llvm::{self, FloatCompare, IntCompare, Opcode, TypeKind, Value};

use super::state::{FunctionLowering, Refusal};
use super::types::{scalar, scalars};

/// The scalar type of a value: itself, or a vector's element.
pub fn lane_type(ty: llvm::Type<'_>) -> llvm::Type<'_> {
    if ty.kind() == TypeKind::Vector { ty.element(0).unwrap_or(ty) } else { ty }
}

/// Refuses floating-point formats without arithmetic.
pub fn require_known_float(ty: llvm::Type<'_>) -> Result<(), Refusal> {
    match lane_type(ty).kind() {
        TypeKind::OtherFloat(_) => Err(format!("arithmetic on {}", lane_type(ty).text())),
        _ => Ok(()),
    }
}

fn binary_op(opcode: Opcode) -> Option<BinaryOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinaryOp::Add,
        Opcode::LLVMSub => BinaryOp::Sub,
        Opcode::LLVMMul => BinaryOp::Mul,
        Opcode::LLVMUDiv => BinaryOp::UnsignedDiv,
        Opcode::LLVMSDiv => BinaryOp::SignedDiv,
        Opcode::LLVMURem => BinaryOp::UnsignedRem,
        Opcode::LLVMSRem => BinaryOp::SignedRem,
        Opcode::LLVMShl => BinaryOp::ShiftLeft,
        Opcode::LLVMLShr => BinaryOp::LogicalShiftRight,
        Opcode::LLVMAShr => BinaryOp::ArithmeticShiftRight,
        Opcode::LLVMAnd => BinaryOp::And,
        Opcode::LLVMOr => BinaryOp::Or,
        Opcode::LLVMXor => BinaryOp::Xor,
        Opcode::LLVMFAdd => BinaryOp::FloatAdd,
        Opcode::LLVMFSub => BinaryOp::FloatSub,
        Opcode::LLVMFMul => BinaryOp::FloatMul,
        Opcode::LLVMFDiv => BinaryOp::FloatDiv,
        Opcode::LLVMFRem => BinaryOp::FloatRem,
        _ => return None,
    })
}

pub fn int_predicate(predicate: IntCompare) -> IntPredicate {
    match predicate {
        IntCompare::LLVMIntEQ => IntPredicate::Equal,
        IntCompare::LLVMIntNE => IntPredicate::NotEqual,
        IntCompare::LLVMIntUGT => IntPredicate::UnsignedGreater,
        IntCompare::LLVMIntUGE => IntPredicate::UnsignedGreaterEqual,
        IntCompare::LLVMIntULT => IntPredicate::UnsignedLess,
        IntCompare::LLVMIntULE => IntPredicate::UnsignedLessEqual,
        IntCompare::LLVMIntSGT => IntPredicate::SignedGreater,
        IntCompare::LLVMIntSGE => IntPredicate::SignedGreaterEqual,
        IntCompare::LLVMIntSLT => IntPredicate::SignedLess,
        IntCompare::LLVMIntSLE => IntPredicate::SignedLessEqual,
    }
}

fn float_predicate(predicate: FloatCompare) -> FloatPredicate {
    match predicate {
        FloatCompare::LLVMRealPredicateFalse => FloatPredicate::False,
        FloatCompare::LLVMRealOEQ => FloatPredicate::OrderedEqual,
        FloatCompare::LLVMRealOGT => FloatPredicate::OrderedGreater,
        FloatCompare::LLVMRealOGE => FloatPredicate::OrderedGreaterEqual,
        FloatCompare::LLVMRealOLT => FloatPredicate::OrderedLess,
        FloatCompare::LLVMRealOLE => FloatPredicate::OrderedLessEqual,
        FloatCompare::LLVMRealONE => FloatPredicate::OrderedNotEqual,
        FloatCompare::LLVMRealORD => FloatPredicate::Ordered,
        FloatCompare::LLVMRealUNO => FloatPredicate::Unordered,
        FloatCompare::LLVMRealUEQ => FloatPredicate::UnorderedEqual,
        FloatCompare::LLVMRealUGT => FloatPredicate::UnorderedGreater,
        FloatCompare::LLVMRealUGE => FloatPredicate::UnorderedGreaterEqual,
        FloatCompare::LLVMRealULT => FloatPredicate::UnorderedLess,
        FloatCompare::LLVMRealULE => FloatPredicate::UnorderedLessEqual,
        FloatCompare::LLVMRealUNE => FloatPredicate::UnorderedNotEqual,
        FloatCompare::LLVMRealPredicateTrue => FloatPredicate::True,
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// Operations with two operands of one type; `None` for all others.
    pub fn arithmetic(&mut self, value: Value<'m>, opcode: Opcode) -> Result<Option<Vec<Operand>>, Refusal> {
        let Some(op) = binary_op(opcode) else { return Ok(None) };
        require_known_float(value.ty())?;
        let left = self.operands_at(value, 0)?;
        let right = self.operands_at(value, 1)?;
        Ok(Some(left.into_iter().zip(right).map(|(left, right)| self.binary(op, left, right)).collect()))
    }

    pub fn negation(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        require_known_float(value.ty())?;
        let args = self.operands_at(value, 0)?;
        Ok(args.into_iter().map(|arg| self.unary(UnaryOp::FloatNeg, arg)).collect())
    }

    pub fn unary(&mut self, op: UnaryOp, arg: Operand) -> Operand {
        let ty = self.type_of(arg);
        self.emit(Op::Unary { op, arg }, ty)
    }

    pub fn comparison(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let left = self.operands_at(value, 0)?;
        let right = self.operands_at(value, 1)?;
        let mut results = Vec::new();
        for (left, right) in left.into_iter().zip(right) {
            let op = if let Some(predicate) = value.int_compare() {
                Op::Compare { predicate: int_predicate(predicate), left, right }
            } else if let (Some(predicate), Some(compared)) = (value.float_compare(), value.operand(0)) {
                require_known_float(compared.ty())?;
                Op::FloatCompare { predicate: float_predicate(predicate), left, right }
            } else {
                return Err(format!("the comparison {}", value.summary()));
            };
            results.push(self.emit(op, Type::I1));
        }
        Ok(results)
    }

    /// A scalar condition selects whole aggregates, a vector of conditions single lanes.
    pub fn selection(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let conditions = self.operands_at(value, 0)?;
        let then = self.operands_at(value, 1)?;
        let otherwise = self.operands_at(value, 2)?;
        let is_lanewise = conditions.len() > 1;
        let mut results = Vec::new();
        for (lane, (then, otherwise)) in then.into_iter().zip(otherwise).enumerate() {
            let condition = conditions.get(if is_lanewise { lane } else { 0 });
            let condition = *condition.ok_or("a selection without condition")?;
            results.push(self.select(condition, then, otherwise));
        }
        Ok(results)
    }

    /// A register has a fixed value already; only undefined operands need one.
    pub fn freeze(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let args = self.operands_at(value, 0)?;
        Ok(args.into_iter().map(|arg| self.pin(arg)).collect())
    }

    /// Gives an undefined operand a register, so that all of its uses see the same bits.
    pub fn pin(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Undef(ty) => self.emit(Op::Cast { op: CastOp::Bits, arg: operand }, ty),
            defined => defined,
        }
    }

    pub fn conversion(&mut self, value: Value<'m>, opcode: Opcode) -> Result<Vec<Operand>, Refusal> {
        let from = value.operand(0).ok_or("a conversion of nothing")?;
        let is_float = matches!(
            opcode,
            Opcode::LLVMFPToUI
                | Opcode::LLVMFPToSI
                | Opcode::LLVMUIToFP
                | Opcode::LLVMSIToFP
                | Opcode::LLVMFPTrunc
                | Opcode::LLVMFPExt
        );
        if is_float {
            require_known_float(from.ty())?;
            require_known_float(value.ty())?;
        }
        let to = scalar(lane_type(value.ty())).ok_or_else(|| format!("a value of type {}", value.ty().text()))?;
        scalars(value.ty())?;
        let args = self.operands(from)?;
        let mut results = Vec::new();
        for arg in args {
            results.push(match opcode {
                Opcode::LLVMTrunc => self.cast(CastOp::Truncate, arg, to),
                Opcode::LLVMZExt => self.cast(CastOp::ZeroExtend, arg, to),
                Opcode::LLVMSExt => self.cast(CastOp::SignExtend, arg, to),
                Opcode::LLVMFPToUI => self.cast(CastOp::FloatToUnsigned, arg, to),
                Opcode::LLVMFPToSI => self.cast(CastOp::FloatToSigned, arg, to),
                Opcode::LLVMUIToFP => self.cast(CastOp::UnsignedToFloat, arg, to),
                Opcode::LLVMSIToFP => self.cast(CastOp::SignedToFloat, arg, to),
                Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => self.cast(CastOp::FloatToFloat, arg, to),
                Opcode::LLVMAddrSpaceCast => return Err("a pointer into another address space".into()),
                _ => self.resize(arg, to),
            });
        }
        Ok(results)
    }
}
