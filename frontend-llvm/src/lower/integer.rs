//! Intrinsics on integers, lane by lane, and the reductions of vectors.

use ir::{BinaryOp, CastOp, IntPredicate, Op, Operand, OverflowOp, Type, UnaryOp};

use crate::llvm::Value;

use super::state::{FunctionLowering, Refusal};

impl<'m> FunctionLowering<'_, 'm> {
    /// The intrinsics of this file; `None` for all others.
    pub fn integer_intrinsic(&mut self, value: Value<'m>, base: &str) -> Result<Option<Vec<Operand>>, Refusal> {
        let arguments = value.arguments();
        if let Some(reduction) = base.strip_prefix("vector.reduce.") {
            let mut lanes = Vec::new();
            for argument in &arguments {
                lanes.extend(self.operands(*argument)?);
            }
            return Ok(self.reduce(reduction, &lanes).map(|result| vec![result]));
        }
        if !is_integer_intrinsic(base) {
            return Ok(None);
        }
        let mut columns = Vec::new();
        for argument in &arguments {
            columns.push(self.operands(*argument)?);
        }
        let lanes = columns.first().map_or(0, Vec::len);
        let mut rows = Vec::new();
        for lane in 0..lanes {
            // A flag, such as the one that defines the result for zero, is one scalar beside a vector.
            let row: Vec<Operand> =
                columns.iter().filter_map(|column| column.get(lane).or(column.first()).copied()).collect();
            let Some(results) = self.integer_operation(base, &row, value)? else { return Ok(None) };
            rows.push(results);
        }
        // A struct of vectors lists the lanes of its first member before those of its second.
        let width = rows.first().map_or(0, Vec::len);
        Ok(Some((0..width).flat_map(|member| rows.iter().map(move |row| row[member])).collect()))
    }

    fn integer_operation(
        &mut self,
        base: &str,
        args: &[Operand],
        value: Value<'m>,
    ) -> Result<Option<Vec<Operand>>, Refusal> {
        let one = |result| Ok(Some(vec![result]));
        match (base, args) {
            ("ctpop", &[arg, ..]) => one(self.unary(UnaryOp::PopCount, arg)),
            ("ctlz", &[arg, ..]) => one(self.unary(UnaryOp::LeadingZeros, arg)),
            ("cttz", &[arg, ..]) => one(self.unary(UnaryOp::TrailingZeros, arg)),
            ("bswap", &[arg, ..]) => one(self.unary(UnaryOp::ByteSwap, arg)),
            ("bitreverse", &[arg, ..]) => one(self.unary(UnaryOp::BitReverse, arg)),
            ("abs", &[arg, ..]) => {
                let zero = self.int_like(arg, 0);
                let negative = self.compare(IntPredicate::SignedLess, arg, zero);
                let opposite = self.binary(BinaryOp::Sub, zero, arg);
                one(self.select(negative, opposite, arg))
            }
            ("smin", &[left, right]) => one(self.choose(IntPredicate::SignedLess, left, right)),
            ("smax", &[left, right]) => one(self.choose(IntPredicate::SignedGreater, left, right)),
            ("umin", &[left, right]) => one(self.choose(IntPredicate::UnsignedLess, left, right)),
            ("umax", &[left, right]) => one(self.choose(IntPredicate::UnsignedGreater, left, right)),
            ("fshl", &[high, low, amount]) => one(self.funnel(high, low, amount, true)),
            ("fshr", &[high, low, amount]) => one(self.funnel(high, low, amount, false)),
            ("scmp", &[left, right]) => one(self.three_way(value, left, right, true)?),
            ("ucmp", &[left, right]) => one(self.three_way(value, left, right, false)?),
            (_, &[left, right]) => {
                if let Some(op) = overflow_op(base, ".with.overflow") {
                    let ty = self.type_of(left);
                    return Ok(Some(self.emit_many(Op::Overflowing { op, left, right }, &[ty, Type::I1])));
                }
                match overflow_op(base, ".sat") {
                    Some(op) => one(self.saturate(op, left, right)),
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// The operand for which the comparison holds.
    fn choose(&mut self, predicate: IntPredicate, left: Operand, right: Operand) -> Operand {
        let first = self.compare(predicate, left, right);
        self.select(first, left, right)
    }

    /// A shift of two words as one, by an amount modulo the width.
    fn funnel(&mut self, high: Operand, low: Operand, amount: Operand, left: bool) -> Operand {
        let width = u128::from(self.type_of(high).bits());
        let amount = self.binary(BinaryOp::UnsignedRem, amount, self.int_like(amount, width));
        let rest = self.binary(BinaryOp::Sub, self.int_like(amount, width - 1), amount);
        let one = self.int_like(amount, 1);
        // Two shifts for the other word, because a shift by the full width has no effect.
        let (moved, other) = if left {
            let nearly = self.binary(BinaryOp::LogicalShiftRight, low, one);
            let other = self.binary(BinaryOp::LogicalShiftRight, nearly, rest);
            (self.binary(BinaryOp::ShiftLeft, high, amount), other)
        } else {
            let nearly = self.binary(BinaryOp::ShiftLeft, high, one);
            let other = self.binary(BinaryOp::ShiftLeft, nearly, rest);
            (self.binary(BinaryOp::LogicalShiftRight, low, amount), other)
        };
        self.binary(BinaryOp::Or, moved, other)
    }

    /// -1, 0 or 1.
    fn three_way(&mut self, value: Value<'m>, left: Operand, right: Operand, signed: bool) -> Result<Operand, Refusal> {
        let lane = super::arithmetic::lane_type(value.ty());
        let ty = super::types::scalar(lane).ok_or_else(|| format!("a value of type {}", lane.text()))?;
        let (less, greater) = if signed {
            (IntPredicate::SignedLess, IntPredicate::SignedGreater)
        } else {
            (IntPredicate::UnsignedLess, IntPredicate::UnsignedGreater)
        };
        let less = self.compare(less, left, right);
        let greater = self.compare(greater, left, right);
        let above = self.cast(CastOp::ZeroExtend, greater, ty);
        let below = Operand::int(ty.bits() as u8, u128::MAX);
        Ok(self.select(less, below, above))
    }

    /// An operation that stops at the ends of its range.
    fn saturate(&mut self, op: OverflowOp, left: Operand, right: Operand) -> Operand {
        let ty = self.type_of(left);
        let results = self.emit_many(Op::Overflowing { op, left, right }, &[ty, Type::I1]);
        let (wrapped, overflowed) = (results[0], results[1]);
        let width = ty.bits();
        let end = match op {
            OverflowOp::UnsignedAdd | OverflowOp::UnsignedMul => self.int_like(left, u128::MAX),
            OverflowOp::UnsignedSub => self.int_like(left, 0),
            OverflowOp::SignedAdd | OverflowOp::SignedSub | OverflowOp::SignedMul => {
                let least = self.int_like(left, 1 << (width - 1));
                let most = self.int_like(left, (1 << (width - 1)) - 1);
                let negative = self.compare(IntPredicate::SignedLess, left, self.int_like(left, 0));
                self.select(negative, least, most)
            }
        };
        self.select(overflowed, end, wrapped)
    }

    /// The reduction of a vector's lanes by one operation, in order.
    fn reduce(&mut self, reduction: &str, lanes: &[Operand]) -> Option<Operand> {
        let predicate = match reduction {
            "smin" => Some(IntPredicate::SignedLess),
            "smax" => Some(IntPredicate::SignedGreater),
            "umin" => Some(IntPredicate::UnsignedLess),
            "umax" => Some(IntPredicate::UnsignedGreater),
            _ => None,
        };
        let op = match reduction {
            "add" => Some(BinaryOp::Add),
            "mul" => Some(BinaryOp::Mul),
            "and" => Some(BinaryOp::And),
            "or" => Some(BinaryOp::Or),
            "xor" => Some(BinaryOp::Xor),
            "fadd" => Some(BinaryOp::FloatAdd),
            "fmul" => Some(BinaryOp::FloatMul),
            "fmin" => Some(BinaryOp::FloatMin),
            "fmax" => Some(BinaryOp::FloatMax),
            _ => None,
        };
        let (&first, rest) = lanes.split_first()?;
        rest.iter().try_fold(first, |all, &lane| match (op, predicate) {
            (Some(op), _) => Some(self.binary(op, all, lane)),
            (None, Some(predicate)) => Some(self.choose(predicate, all, lane)),
            (None, None) => None,
        })
    }
}

fn is_integer_intrinsic(base: &str) -> bool {
    const NAMES: &[&str] = &[
        "ctpop",
        "ctlz",
        "cttz",
        "bswap",
        "bitreverse",
        "abs",
        "smin",
        "smax",
        "umin",
        "umax",
        "fshl",
        "fshr",
        "scmp",
        "ucmp",
    ];
    NAMES.contains(&base) || overflow_op(base, ".with.overflow").is_some() || overflow_op(base, ".sat").is_some()
}

fn overflow_op(base: &str, ending: &str) -> Option<OverflowOp> {
    Some(match base.strip_suffix(ending)? {
        "sadd" => OverflowOp::SignedAdd,
        "uadd" => OverflowOp::UnsignedAdd,
        "ssub" => OverflowOp::SignedSub,
        "usub" => OverflowOp::UnsignedSub,
        "smul" => OverflowOp::SignedMul,
        "umul" => OverflowOp::UnsignedMul,
        _ => return None,
    })
}
