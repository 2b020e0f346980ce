//! The types of registers: scalars only.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// An integer of 1 to 128 bits. A register holds it zero-extended.
    Int(u8),
    F32,
    F64,
    /// The 80-bit extended format of x86.
    F80,
    /// An address, 64 bits wide.
    Ptr,
}

impl Type {
    pub const I1: Type = Type::Int(1);
    pub const I8: Type = Type::Int(8);
    pub const I16: Type = Type::Int(16);
    pub const I32: Type = Type::Int(32);
    pub const I64: Type = Type::Int(64);
    pub const I128: Type = Type::Int(128);

    pub fn bits(self) -> u32 {
        match self {
            Type::Int(bits) => u32::from(bits),
            Type::F32 => 32,
            Type::F64 | Type::Ptr => 64,
            Type::F80 => 80,
        }
    }

    /// The width of a load or store of this type in bytes.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64 | Type::F80)
    }

    pub fn is_int(self) -> bool {
        matches!(self, Type::Int(_))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::F32 => f.write_str("f32"),
            Type::F64 => f.write_str("f64"),
            Type::F80 => f.write_str("f80"),
            Type::Ptr => f.write_str("ptr"),
        }
    }
}
