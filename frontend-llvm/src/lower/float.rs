//! Intrinsics on floating-point numbers, lane by lane.
//!
//! The rounding mode is always to nearest: the constrained intrinsics, with which clang allows other modes, are lowered
//! to the plain operations.

use ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Op, Operand, Type, UnaryOp};

use crate::llvm::{Value, ValueKind};

use super::arithmetic::{lane_type, require_known_float};
use super::library;
use super::state::{FunctionLowering, Refusal};
use super::types::{scalar, scalars};

impl<'m> FunctionLowering<'_, 'm> {
    /// The intrinsics of this file; `None` for all others.
    pub fn float_intrinsic(&mut self, value: Value<'m>, base: &str) -> Result<Option<Vec<Operand>>, Refusal> {
        let base = base.strip_prefix("experimental.constrained.").unwrap_or(base);
        let mut columns = Vec::new();
        for argument in value.arguments() {
            if argument.kind() == ValueKind::Metadata {
                continue;
            }
            require_known_float(argument.ty())?;
            columns.push(self.operands(argument)?);
        }
        require_known_float(value.ty())?;
        let lanes = columns.first().map_or(0, Vec::len);
        let to = scalar(lane_type(value.ty()));
        let mut rows = Vec::new();
        for lane in 0..lanes {
            let row: Vec<Operand> =
                columns.iter().filter_map(|column| column.get(lane).or(column.first()).copied()).collect();
            let results = match self.float_operation(base, &row, value)? {
                Some(results) => results,
                None => match to.and_then(|to| self.float_conversion(base, &row, to)) {
                    Some(result) => vec![result],
                    None => return Ok(None),
                },
            };
            rows.push(results);
        }
        let width = rows.first().map_or(0, Vec::len);
        let all: Vec<Operand> = (0..width).flat_map(|member| rows.iter().map(move |row| row[member])).collect();
        let fits = scalars(value.ty())? == all.iter().map(|&result| self.type_of(result)).collect::<Vec<_>>();
        Ok(fits.then_some(all))
    }

    fn float_operation(
        &mut self,
        base: &str,
        args: &[Operand],
        value: Value<'m>,
    ) -> Result<Option<Vec<Operand>>, Refusal> {
        let one = |result| Ok(Some(vec![result]));
        match (base, args) {
            ("fadd", &[left, right]) => one(self.binary(BinaryOp::FloatAdd, left, right)),
            ("fsub", &[left, right]) => one(self.binary(BinaryOp::FloatSub, left, right)),
            ("fmul", &[left, right]) => one(self.binary(BinaryOp::FloatMul, left, right)),
            ("fdiv", &[left, right]) => one(self.binary(BinaryOp::FloatDiv, left, right)),
            ("frem", &[left, right]) => one(self.binary(BinaryOp::FloatRem, left, right)),
            ("fmuladd", &[left, right, addend]) => {
                let product = self.binary(BinaryOp::FloatMul, left, right);
                one(self.binary(BinaryOp::FloatAdd, product, addend))
            }
            ("fma", &[left, right, addend]) => {
                let ty = self.type_of(left);
                one(self.emit(Op::FusedMultiplyAdd { left, right, addend }, ty))
            }
            ("minnum" | "minimumnum", &[left, right]) => one(self.binary(BinaryOp::FloatMin, left, right)),
            ("maxnum" | "maximumnum", &[left, right]) => one(self.binary(BinaryOp::FloatMax, left, right)),
            ("minimum", &[left, right]) => one(self.strict(BinaryOp::FloatMin, left, right)),
            ("maximum", &[left, right]) => one(self.strict(BinaryOp::FloatMax, left, right)),
            ("canonicalize", &[arg]) => one(arg),
            ("exp10", &[arg]) => {
                let ten = self.float_constant(self.type_of(arg), 10);
                one(self.binary(BinaryOp::Pow, ten, arg))
            }
            ("powi", &[base, exponent]) => {
                let exponent = self.cast(CastOp::SignedToFloat, exponent, self.type_of(base));
                one(self.binary(BinaryOp::Pow, base, exponent))
            }
            ("ldexp", &[arg, exponent]) => {
                let exponent = self.resize(exponent, Type::I32);
                self.call_math("ldexp", arg, vec![arg, exponent]).map(Some)
            }
            ("modf", &[arg]) => Ok(Some(self.fraction_and_whole(arg))),
            ("sincos", &[arg]) => Ok(Some(vec![self.unary(UnaryOp::Sin, arg), self.unary(UnaryOp::Cos, arg)])),
            ("frexp", &[arg]) => self.mantissa_and_exponent(arg).map(Some),
            ("is.fpclass", &[arg, Operand::Const { bits, .. }]) => one(self.is_of_class(arg, bits)),
            ("fcmp" | "fcmps", &[left, right]) => match named_predicate(value) {
                Some(predicate) => one(self.emit(Op::FloatCompare { predicate, left, right }, Type::I1)),
                None => Ok(None),
            },
            (name, args) => {
                let Some(ty) = args.first().map(|&arg| self.type_of(arg)) else { return Ok(None) };
                let ending = if ty == Type::F64 { "" } else { float_ending(ty) };
                let math = library::math(&format!("{name}{ending}")).filter(|math| math.fits(ty));
                Ok(math.and_then(|math| math.op(args)).map(|op| vec![self.emit(op, ty)]))
            }
        }
    }

    /// Conversions that are intrinsics: with saturation, with rounding, or constrained.
    fn float_conversion(&mut self, base: &str, args: &[Operand], to: Type) -> Option<Operand> {
        let &arg = args.first()?;
        Some(match base {
            "fptosi.sat" => self.saturating_conversion(arg, to, true),
            "fptoui.sat" => self.saturating_conversion(arg, to, false),
            "lround" | "llround" => {
                let rounded = self.unary(UnaryOp::Round, arg);
                self.cast(CastOp::FloatToSigned, rounded, to)
            }
            "lrint" | "llrint" => {
                let rounded = self.unary(UnaryOp::RoundEven, arg);
                self.cast(CastOp::FloatToSigned, rounded, to)
            }
            "fptosi" => self.cast(CastOp::FloatToSigned, arg, to),
            "fptoui" => self.cast(CastOp::FloatToUnsigned, arg, to),
            "sitofp" => self.cast(CastOp::SignedToFloat, arg, to),
            "uitofp" => self.cast(CastOp::UnsignedToFloat, arg, to),
            "fptrunc" | "fpext" => self.cast(CastOp::FloatToFloat, arg, to),
            _ => return None,
        })
    }

    fn float_constant(&mut self, ty: Type, value: u32) -> Operand {
        let integer = Operand::int(32, u128::from(value));
        self.cast(CastOp::UnsignedToFloat, integer, ty)
    }

    /// The minimum or maximum, or NaN if one of them is NaN.
    fn strict(&mut self, op: BinaryOp, left: Operand, right: Operand) -> Operand {
        let chosen = self.binary(op, left, right);
        let unordered = self.emit(Op::FloatCompare { predicate: FloatPredicate::Unordered, left, right }, Type::I1);
        let sum = self.binary(BinaryOp::FloatAdd, left, right);
        self.select(unordered, sum, chosen)
    }

    fn saturating_conversion(&mut self, arg: Operand, to: Type, signed: bool) -> Operand {
        let width = to.bits() as u8;
        let (least, most, widen, narrow) = if signed {
            let least = 1u128 << (width - 1);
            (least, least - 1, CastOp::SignedToFloat, CastOp::FloatToSigned)
        } else {
            (0, u128::MAX, CastOp::UnsignedToFloat, CastOp::FloatToUnsigned)
        };
        let (least, most) = (Operand::int(width, least), Operand::int(width, most));
        let ty = self.type_of(arg);
        let lowest = self.cast(widen, least, ty);
        let highest = self.cast(widen, most, ty);
        let compare = |lowering: &mut Self, predicate, right| {
            lowering.emit(Op::FloatCompare { predicate, left: arg, right }, Type::I1)
        };
        let below = compare(self, FloatPredicate::OrderedLess, lowest);
        let above = compare(self, FloatPredicate::OrderedGreaterEqual, highest);
        let not_a_number = compare(self, FloatPredicate::Unordered, arg);
        // Only a value inside the range is converted.
        let outside = self.binary(BinaryOp::Or, below, above);
        let outside = self.binary(BinaryOp::Or, outside, not_a_number);
        let zero = self.float_constant(ty, 0);
        let inside = self.select(outside, zero, arg);
        let converted = self.cast(narrow, inside, to);
        let clamped = self.select(above, most, converted);
        let clamped = self.select(below, least, clamped);
        self.select(not_a_number, Operand::int(width, 0), clamped)
    }

    /// Calls the model of a function that exists for each float type.
    fn call_math(&mut self, name: &str, like: Operand, args: Vec<Operand>) -> Result<Vec<Operand>, Refusal> {
        let ty = self.type_of(like);
        self.call_named(&format!("{name}{}", float_ending(ty)), args, &[ty])
    }

    fn fraction_and_whole(&mut self, arg: Operand) -> Vec<Operand> {
        let whole = self.unary(UnaryOp::Truncate, arg);
        let fraction = self.binary(BinaryOp::FloatSub, arg, whole);
        // Infinity minus itself is NaN, but its fraction is zero.
        let equal =
            self.emit(Op::FloatCompare { predicate: FloatPredicate::OrderedEqual, left: arg, right: whole }, Type::I1);
        let zero = self.float_constant(self.type_of(arg), 0);
        let fraction = self.select(equal, zero, fraction);
        vec![self.binary(BinaryOp::CopySign, fraction, arg), whole]
    }

    fn mantissa_and_exponent(&mut self, arg: Operand) -> Result<Vec<Operand>, Refusal> {
        let local = Op::Local { size: Operand::int(64, 4), align: 4, name: None, layout: None };
        let address = self.emit(local, Type::Ptr);
        let mut results = self.call_math("frexp", arg, vec![arg, address])?;
        results.push(self.emit(Op::Load { address, ordering: None, place: None }, Type::I32));
        Ok(results)
    }

    /// Tests the bits of a number against a set of classes, as `llvm.is.fpclass` numbers them.
    fn is_of_class(&mut self, arg: Operand, classes: u128) -> Operand {
        let ty = self.type_of(arg);
        let width = ty.bits();
        // (infinity, smallest normal number, the bit of quiet ones), all as bits.
        let (infinity, normal, quiet): (u128, u128, u128) = match ty {
            Type::F32 => (0x7f80_0000, 0x0080_0000, 0x0040_0000),
            Type::F80 => (0x7fff_8000_0000_0000_0000, 0x0001_8000_0000_0000_0000, 0x4000_0000_0000_0000),
            _ => (0x7ff0_0000_0000_0000, 0x0010_0000_0000_0000, 0x0008_0000_0000_0000),
        };
        let bits = self.cast(CastOp::Bits, arg, Type::Int(width as u8));
        let int = |value| Operand::int(width as u8, value);
        let sign = 1u128 << (width - 1);
        let magnitude = self.binary(BinaryOp::And, bits, int(sign - 1));
        let negative = self.compare(IntPredicate::UnsignedGreaterEqual, bits, int(sign));
        let mut any = Operand::int(1, 0);
        let tests: [(u128, u128, u128, u128); 6] = [
            // (mask when positive, mask when negative, from, up to)
            (1 << 0, 1 << 0, infinity + 1, infinity | quiet),
            (1 << 1, 1 << 1, infinity | quiet, sign),
            (1 << 9, 1 << 2, infinity, infinity + 1),
            (1 << 8, 1 << 3, normal, infinity),
            (1 << 7, 1 << 4, 1, normal),
            (1 << 6, 1 << 5, 0, 1),
        ];
        for (positive_class, negative_class, from, up_to) in tests {
            let (wants_positive, wants_negative) = (classes & positive_class != 0, classes & negative_class != 0);
            if !wants_positive && !wants_negative {
                continue;
            }
            let distance = self.binary(BinaryOp::Sub, magnitude, int(from));
            let mut holds = self.compare(IntPredicate::UnsignedLess, distance, int(up_to - from));
            if wants_positive != wants_negative {
                let wanted =
                    if wants_negative { negative } else { self.binary(BinaryOp::Xor, negative, Operand::int(1, 1)) };
                holds = self.binary(BinaryOp::And, holds, wanted);
            }
            any = self.binary(BinaryOp::Or, any, holds);
        }
        any
    }
}

fn float_ending(ty: Type) -> &'static str {
    match ty {
        Type::F32 => "f",
        Type::F80 => "l",
        _ => "",
    }
}

/// The predicate of a constrained comparison, which is a text among its arguments.
fn named_predicate(value: Value<'_>) -> Option<FloatPredicate> {
    let predicate = value.arguments().get(2)?.text();
    FloatPredicate::from_name(predicate.split('"').nth(1)?)
}
