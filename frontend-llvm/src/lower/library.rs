//! Library functions that are operations of the IR: the primitives, and the mathematical functions.

use ir::{
    BinaryOp, Block, Function, Op, Operand, Primitive, Reg, Register, SpanId, Terminator, TerminatorKind, Type, UnaryOp,
};

use crate::llvm::Value;

use super::types::scalars;

/// The primitive of a function such as `__heddle_mutex_lock`.
pub fn primitive(name: &str) -> Option<Primitive> {
    let (group, operation) = name.strip_prefix("__heddle_")?.split_once('_')?;
    Primitive::from_name(&format!("{group}.{operation}"))
}

/// Whether a declared function may get a body from [`complete`].
pub fn is_operation(name: &str) -> bool {
    primitive(name).is_some() || math(name).is_some()
}

/// A mathematical function, with the type from its name's suffix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Math {
    kind: MathKind,
    ty: Type,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum MathKind {
    Unary(UnaryOp),
    Binary(BinaryOp),
    FusedMultiplyAdd,
}

impl Math {
    pub fn fits(self, ty: Type) -> bool {
        self.ty == ty
    }

    pub fn op(self, args: &[Operand]) -> Option<Op> {
        match (self.kind, args) {
            (MathKind::Unary(op), &[arg]) => Some(Op::Unary { op, arg }),
            (MathKind::Binary(op), &[left, right]) => Some(Op::Binary { op, left, right }),
            (MathKind::FusedMultiplyAdd, &[left, right, addend]) => Some(Op::FusedMultiplyAdd { left, right, addend }),
            _ => None,
        }
    }
}

/// The operation of a function on `double`.
fn math_kind(name: &str) -> Option<MathKind> {
    let unary = match name {
        "fabs" => UnaryOp::FloatAbs,
        "sqrt" => UnaryOp::Sqrt,
        "floor" => UnaryOp::Floor,
        "ceil" => UnaryOp::Ceil,
        "trunc" => UnaryOp::Truncate,
        "round" => UnaryOp::Round,
        // The rounding mode is always to nearest, in which all three agree.
        "roundeven" | "rint" | "nearbyint" => UnaryOp::RoundEven,
        "sin" => UnaryOp::Sin,
        "cos" => UnaryOp::Cos,
        "tan" => UnaryOp::Tan,
        "asin" => UnaryOp::Asin,
        "acos" => UnaryOp::Acos,
        "atan" => UnaryOp::Atan,
        "sinh" => UnaryOp::Sinh,
        "cosh" => UnaryOp::Cosh,
        "tanh" => UnaryOp::Tanh,
        "exp" => UnaryOp::Exp,
        "exp2" => UnaryOp::Exp2,
        "expm1" => UnaryOp::Expm1,
        "log" => UnaryOp::Log,
        "log2" => UnaryOp::Log2,
        "log10" => UnaryOp::Log10,
        "log1p" => UnaryOp::Log1p,
        "cbrt" => UnaryOp::Cbrt,
        _ => return math_of_several(name),
    };
    Some(MathKind::Unary(unary))
}

fn math_of_several(name: &str) -> Option<MathKind> {
    let binary = match name {
        "fmod" => BinaryOp::FloatRem,
        "copysign" => BinaryOp::CopySign,
        "fmin" => BinaryOp::FloatMin,
        "fmax" => BinaryOp::FloatMax,
        "pow" => BinaryOp::Pow,
        "atan2" => BinaryOp::Atan2,
        "hypot" => BinaryOp::Hypot,
        "fma" => return Some(MathKind::FusedMultiplyAdd),
        _ => return None,
    };
    Some(MathKind::Binary(binary))
}

/// `sin`, `sinf` and `sinl`, and so on for all of them.
pub fn math(name: &str) -> Option<Math> {
    // `-ffast-math` calls these instead.
    let name = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("_finite")).unwrap_or(name);
    let of = |kind, ty| Math { kind, ty };
    if let Some(kind) = math_kind(name) {
        return Some(of(kind, Type::F64));
    }
    let single = name.strip_suffix('f').and_then(math_kind).map(|kind| of(kind, Type::F32));
    single.or_else(|| name.strip_suffix('l').and_then(math_kind).map(|kind| of(kind, Type::F80)))
}

/// Gives a declared function with an operation a body, so that it can also be called through a pointer.
pub fn complete(value: Value<'_>, function: &mut Function) {
    let Some(ty) = value.value_type() else { return };
    let Ok(parameters) = ty.parameters().into_iter().map(scalars).collect::<Result<Vec<_>, _>>() else { return };
    let parameters: Vec<Type> = parameters.into_iter().flatten().collect();
    let args: Vec<Operand> = (0..parameters.len()).map(|index| Operand::Reg(Reg(index as u32))).collect();
    let op = if let Some(primitive) = primitive(&function.name) {
        let fits = primitive.arguments() == parameters && primitive.results() == function.returns;
        fits.then_some(Op::Primitive { primitive, args })
    } else {
        math(&function.name)
            .filter(|math| parameters.iter().all(|&ty| math.fits(ty)) && function.returns == [math.ty])
            .and_then(|math| math.op(&args))
    };
    let Some(op) = op else { return };
    let params: Vec<Reg> = (0..parameters.len()).map(|index| Reg(index as u32)).collect();
    let results: Vec<Reg> = (0..function.returns.len()).map(|index| Reg((parameters.len() + index) as u32)).collect();
    let types = parameters.iter().chain(&function.returns);
    function.registers = types.map(|&ty| Register { ty, name: None }).collect();
    let returned = results.iter().map(|&reg| Operand::Reg(reg)).collect();
    function.blocks = vec![Block {
        params,
        instrs: vec![ir::Instr { results, op, span: SpanId::NONE }],
        terminator: Terminator { kind: TerminatorKind::Return(returned), span: SpanId::NONE },
    }];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mathematical_functions_are_known_by_name_and_type() {
        assert_eq!(math("sinf"), Some(Math { kind: MathKind::Unary(UnaryOp::Sin), ty: Type::F32 }));
        assert_eq!(math("fmodl"), Some(Math { kind: MathKind::Binary(BinaryOp::FloatRem), ty: Type::F80 }));
        assert_eq!(math("ceil"), Some(Math { kind: MathKind::Unary(UnaryOp::Ceil), ty: Type::F64 }));
        assert_eq!(math("fma"), Some(Math { kind: MathKind::FusedMultiplyAdd, ty: Type::F64 }));
        assert_eq!(math("single"), None);
    }
}
