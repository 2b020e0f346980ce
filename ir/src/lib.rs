//! heddle's representation of programs: functions in static single assignment form over memory, with the runtime's
//! operations as instructions, source places and source names.
//!
//! The representation is independent of source language and compiler. There are no aggregates (a front end splits them
//! into scalars), pointers are 64 bits wide, and a construct that a front end cannot express is an
//! [`instr::Op::Unsupported`], which ends the analysis only when it is reached.

pub mod span;
pub mod types;
pub mod primitive;
pub mod ids;
pub mod instr;
pub mod program;
pub mod text;
pub mod verify;
pub mod fingerprint;
pub mod effect;

pub use fingerprint::fingerprint;
pub use ids::{BlockId, FunctionId, GlobalId, LayoutId, Reg, TextId};
pub use instr::{
    BinaryOp, Callee, CastOp, FloatPredicate, Instr, IntPredicate, Op, Operand, Ordering, OverflowOp, RmwOp, Target,
    Terminator, TerminatorKind, UnaryOp,
};
pub use primitive::{Code, MutexKind, Primitive};
pub use program::{Block, Function, Global, Layout, Member, Origin, Program, Register, Relocation, Symbol, Text};
pub use span::{FileId, Span, SpanId};
pub use text::{ParseError, parse};
pub use types::Type;
pub use verify::{VerifyError, verify};
