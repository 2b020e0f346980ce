//! Instructions and terminators.
//!
//! Every register is assigned in one place (an instruction's results or a block's parameters) that dominates its uses.

use crate::ids::{BlockId, FunctionId, GlobalId, LayoutId, Reg, TextId};
use crate::primitive::Primitive;
use crate::span::SpanId;
use crate::types::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    Reg(Reg),
    /// The bits of an integer, float or pointer; those above the type's width are zero.
    Const {
        ty: Type,
        bits: u128,
    },
    /// The address of a global that is not thread-local, plus an offset.
    Global {
        global: GlobalId,
        offset: i64,
    },
    Function(FunctionId),
    /// An undefined value: some bits, the same ones for every use of one definition.
    Undef(Type),
}

impl Operand {
    pub fn int(bits: u8, value: u128) -> Operand {
        let mask = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
        Operand::Const { ty: Type::Int(bits), bits: value & mask }
    }

    pub const NULL: Operand = Operand::Const { ty: Type::Ptr, bits: 0 };
}

#[derive(Clone, Debug, PartialEq)]
pub struct Instr {
    pub results: Vec<Reg>,
    pub op: Op,
    pub span: SpanId,
}

/// The memory order of an access. `None` in an access is a plain one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    Direct(FunctionId),
    Indirect(Operand),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// One result, of the argument's type (`f80.*` and bit counting too).
    Unary {
        op: UnaryOp,
        arg: Operand,
    },
    /// Both arguments and the result have one type.
    Binary {
        op: BinaryOp,
        left: Operand,
        right: Operand,
    },
    /// Two results: the wrapped value, and an `i1` for whether it wrapped.
    Overflowing {
        op: OverflowOp,
        left: Operand,
        right: Operand,
    },
    /// Integers or pointers; the result is `i1`.
    Compare {
        predicate: IntPredicate,
        left: Operand,
        right: Operand,
    },
    FloatCompare {
        predicate: FloatPredicate,
        left: Operand,
        right: Operand,
    },
    /// The result register's type is the target.
    Cast {
        op: CastOp,
        arg: Operand,
    },
    /// `left × right + addend`, rounded once.
    FusedMultiplyAdd {
        left: Operand,
        right: Operand,
        addend: Operand,
    },
    Select {
        cond: Operand,
        then: Operand,
        otherwise: Operand,
    },
    /// `base + offset + Σ index × scale`; indices are sign-extended integers of at most 64 bits.
    Address {
        base: Operand,
        offset: i64,
        indices: Vec<(Operand, i64)>,
    },
    /// The address of this thread's copy of a thread-local global.
    ThreadLocal {
        global: GlobalId,
    },
    /// A new object that lives until the function returns; its bytes are undefined. `size` is an `i64`.
    Local {
        size: Operand,
        align: u64,
        name: Option<TextId>,
        layout: Option<LayoutId>,
    },
    /// The width is that of the result register's type. Volatile accesses are events like all others.
    Load {
        address: Operand,
        ordering: Option<Ordering>,
        place: Option<TextId>,
    },
    Store {
        address: Operand,
        value: Operand,
        ordering: Option<Ordering>,
        place: Option<TextId>,
    },
    /// Reads, computes and writes atomically; the result is the old value.
    Rmw {
        op: RmwOp,
        address: Operand,
        value: Operand,
        ordering: Ordering,
        place: Option<TextId>,
    },
    /// Results: the old value, and an `i1` for whether `new` was written. A failed one is a read.
    CompareExchange {
        address: Operand,
        expected: Operand,
        new: Operand,
        weak: bool,
        success: Ordering,
        failure: Ordering,
        place: Option<TextId>,
    },
    Fence {
        ordering: Ordering,
    },
    Call {
        callee: Callee,
        args: Vec<Operand>,
    },
    /// The address of a block with the arguments beyond the parameters of a variadic function, in order: each begins at
    /// the next multiple of 8 (of 16 for types wider than 64 bits).
    VariadicArguments,
    Primitive {
        primitive: Primitive,
        args: Vec<Operand>,
    },
    /// Ends the analysis when it is reached. Its results, if any, are never used.
    Unsupported {
        what: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    pub block: BlockId,
    pub args: Vec<Operand>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Terminator {
    pub kind: TerminatorKind,
    pub span: SpanId,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TerminatorKind {
    Jump(Target),
    Branch {
        cond: Operand,
        then: Target,
        otherwise: Target,
        /// A recorder omits it, because it follows from recorded decisions.
        quiet: bool,
    },
    Switch {
        value: Operand,
        cases: Vec<(u128, Target)>,
        default: Target,
        /// As for a branch.
        quiet: bool,
    },
    /// A call that may end with an exception. Neither target takes arguments: the parameters of `next` are the callee's
    /// results, those of `unwind` are a pointer and an `i32` from `unwind.land`. `table` describes the handlers for the
    /// unwinder; it is a constant, and its meaning depends on the language.
    Invoke {
        callee: Callee,
        args: Vec<Operand>,
        table: Operand,
        next: BlockId,
        unwind: BlockId,
    },
    Return(Vec<Operand>),
    /// Reaching it is a failure: the program promised the compiler that it is unreachable.
    Unreachable,
}

macro_rules! named {
    ($(#[$doc:meta])* $enum:ident { $($(#[$vdoc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $enum { $($(#[$vdoc])* $variant,)* }

        impl $enum {
            pub const ALL: &[$enum] = &[$($enum::$variant,)*];

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self { $($enum::$variant => $name,)* }
            }

            pub fn from_name(name: &str) -> Option<$enum> {
                match name { $($name => Some($enum::$variant),)* _ => None }
            }
        }
    };
}

named! {
    /// Operations on one value. Float operations take every float type unless they say otherwise.
    UnaryOp {
        ByteSwap = "bswap",
        BitReverse = "bitreverse",
        PopCount = "popcount",
        /// The width for zero.
        LeadingZeros = "clz",
        TrailingZeros = "ctz",
        FloatNeg = "fneg",
        FloatAbs = "fabs",
        Sqrt = "sqrt",
        Floor = "floor",
        Ceil = "ceil",
        Truncate = "ftrunc",
        /// Half away from zero.
        Round = "round",
        /// Half to even.
        RoundEven = "roundeven",
        Sin = "sin",
        Cos = "cos",
        Tan = "tan",
        Asin = "asin",
        Acos = "acos",
        Atan = "atan",
        Sinh = "sinh",
        Cosh = "cosh",
        Tanh = "tanh",
        Exp = "exp",
        Exp2 = "exp2",
        Expm1 = "expm1",
        Log = "log",
        Log2 = "log2",
        Log10 = "log10",
        Log1p = "log1p",
        Cbrt = "cbrt",
    }
}

named! {
    BinaryOp {
        Add = "add",
        Sub = "sub",
        Mul = "mul",
        /// Division by zero, and the one signed quotient that does not fit, are failures.
        UnsignedDiv = "udiv",
        SignedDiv = "sdiv",
        UnsignedRem = "urem",
        SignedRem = "srem",
        And = "and",
        Or = "or",
        Xor = "xor",
        /// Shift amounts are taken modulo the width rounded up to a power of two, as the machine does.
        ShiftLeft = "shl",
        LogicalShiftRight = "lshr",
        ArithmeticShiftRight = "ashr",
        FloatAdd = "fadd",
        FloatSub = "fsub",
        FloatMul = "fmul",
        FloatDiv = "fdiv",
        FloatRem = "frem",
        CopySign = "copysign",
        /// The number, if the other operand is NaN.
        FloatMin = "fmin",
        FloatMax = "fmax",
        Pow = "pow",
        Atan2 = "atan2",
        Hypot = "hypot",
    }
}

named! {
    OverflowOp {
        SignedAdd = "sadd.overflow",
        UnsignedAdd = "uadd.overflow",
        SignedSub = "ssub.overflow",
        UnsignedSub = "usub.overflow",
        SignedMul = "smul.overflow",
        UnsignedMul = "umul.overflow",
    }
}

named! {
    IntPredicate {
        Equal = "eq",
        NotEqual = "ne",
        UnsignedLess = "ult",
        UnsignedLessEqual = "ule",
        UnsignedGreater = "ugt",
        UnsignedGreaterEqual = "uge",
        SignedLess = "slt",
        SignedLessEqual = "sle",
        SignedGreater = "sgt",
        SignedGreaterEqual = "sge",
    }
}

named! {
    /// With NaN operands `o…` is false, `u…` true.
    FloatPredicate {
        False = "false",
        OrderedEqual = "oeq",
        OrderedGreater = "ogt",
        OrderedGreaterEqual = "oge",
        OrderedLess = "olt",
        OrderedLessEqual = "ole",
        OrderedNotEqual = "one",
        Ordered = "ord",
        Unordered = "uno",
        UnorderedEqual = "ueq",
        UnorderedGreater = "ugt",
        UnorderedGreaterEqual = "uge",
        UnorderedLess = "ult",
        UnorderedLessEqual = "ule",
        UnorderedNotEqual = "une",
        True = "true",
    }
}

named! {
    CastOp {
        Truncate = "trunc",
        ZeroExtend = "zext",
        SignExtend = "sext",
        /// The same bits as another type of the same width; between pointers and `i64` too.
        Bits = "bits",
        FloatToSigned = "ftos",
        FloatToUnsigned = "ftou",
        SignedToFloat = "stof",
        UnsignedToFloat = "utof",
        /// Between float types, rounding to nearest.
        FloatToFloat = "ftof",
    }
}

named! {
    RmwOp {
        Exchange = "xchg",
        Add = "add",
        Sub = "sub",
        And = "and",
        Nand = "nand",
        Or = "or",
        Xor = "xor",
        SignedMax = "max",
        SignedMin = "min",
        UnsignedMax = "umax",
        UnsignedMin = "umin",
        FloatAdd = "fadd",
        FloatSub = "fsub",
    }
}
