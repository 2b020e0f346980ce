//! The functions of doubles, from a portable library: results do not depend on the machine.

use ir::{BinaryOp, UnaryOp};

/// A function of one double.
pub fn of_one(op: UnaryOp, x: f64) -> Option<f64> {
    Some(match op {
        UnaryOp::Sqrt => libm::sqrt(x),
        UnaryOp::Floor => libm::floor(x),
        UnaryOp::Ceil => libm::ceil(x),
        UnaryOp::Truncate => libm::trunc(x),
        UnaryOp::Round => libm::round(x),
        UnaryOp::RoundEven => libm::rint(x),
        UnaryOp::Sin => libm::sin(x),
        UnaryOp::Cos => libm::cos(x),
        UnaryOp::Tan => libm::tan(x),
        UnaryOp::Asin => libm::asin(x),
        UnaryOp::Acos => libm::acos(x),
        UnaryOp::Atan => libm::atan(x),
        UnaryOp::Sinh => libm::sinh(x),
        UnaryOp::Cosh => libm::cosh(x),
        UnaryOp::Tanh => libm::tanh(x),
        UnaryOp::Exp => libm::exp(x),
        UnaryOp::Exp2 => libm::exp2(x),
        UnaryOp::Expm1 => libm::expm1(x),
        UnaryOp::Log => libm::log(x),
        UnaryOp::Log2 => libm::log2(x),
        UnaryOp::Log10 => libm::log10(x),
        UnaryOp::Log1p => libm::log1p(x),
        UnaryOp::Cbrt => libm::cbrt(x),
        _ => return None,
    })
}

/// A function of two doubles.
pub fn of_two(op: BinaryOp, a: f64, b: f64) -> Option<f64> {
    Some(match op {
        BinaryOp::Pow => libm::pow(a, b),
        BinaryOp::Atan2 => libm::atan2(a, b),
        BinaryOp::Hypot => libm::hypot(a, b),
        _ => return None,
    })
}
