//! Programs, functions, globals, and their shared tables.

use crate::ids::{FunctionId, GlobalId, LayoutId, Reg, TextId};
use crate::instr::{Instr, Terminator};
use crate::span::{Span, SpanId};
use crate::types::Type;

/// A source expression or name, such as `q->filled`.
pub type Text = String;

/// A whole program. Two programs are equal when their text forms are.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The user's name for it: the first source file's name without its extension.
    pub name: String,
    /// Source files, as given to the compiler.
    pub files: Vec<String>,
    /// Places. The first one is [`SpanId::NONE`].
    pub spans: Vec<Span>,
    /// Source names and expressions of memory locations.
    pub texts: Vec<Text>,
    pub layouts: Vec<Layout>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// Called in this order before the entry, without arguments.
    pub constructors: Vec<FunctionId>,
    /// Called with (argument count, arguments, environment); takes as many of them as it has parameters.
    pub entry: FunctionId,
}

/// The source names for memory. They have no effect on the program's behaviour.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    Signed {
        name: String,
        bytes: u64,
    },
    Unsigned {
        name: String,
        bytes: u64,
    },
    Boolean {
        bytes: u64,
    },
    Character {
        bytes: u64,
    },
    Float {
        name: String,
        bytes: u64,
    },
    Pointer {
        to: Option<LayoutId>,
    },
    Array {
        element: LayoutId,
        count: u64,
    },
    /// A struct, a class or a union (whose members overlap).
    Struct {
        name: String,
        bytes: u64,
        members: Vec<Member>,
    },
    Enum {
        name: String,
        bytes: u64,
        variants: Vec<(String, i128)>,
    },
    /// Known only by name and size, such as `pthread_mutex_t`.
    Opaque {
        name: String,
        bytes: u64,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub name: String,
    /// In bits, so that bit-fields have a place.
    pub offset_bits: u64,
    pub size_bits: u64,
    pub layout: LayoutId,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Unique among globals.
    pub name: String,
    pub size: u64,
    pub align: u64,
    /// Never written: reads of it are no events.
    pub constant: bool,
    /// One copy for each thread.
    pub thread_local: bool,
    /// A declaration without definition: reaching it is unsupported.
    pub external: bool,
    /// The first bytes; the rest up to `size` is zero.
    pub bytes: Vec<u8>,
    /// Addresses that overwrite some of the bytes, 8 bytes each.
    pub relocations: Vec<Relocation>,
    pub layout: Option<LayoutId>,
    pub span: SpanId,
    pub origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relocation {
    pub offset: u64,
    pub symbol: Symbol,
    pub addend: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    Global(GlobalId),
    Function(FunctionId),
}

/// The origin of code. Reports show the user's place from which library code was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    User,
    /// Part of the program, but from a header of a library.
    Library,
    /// A model of library code; a recorder does not see it.
    Model,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Unique among functions.
    pub name: String,
    /// Its name in reports: demangled and short.
    pub display: String,
    pub origin: Origin,
    /// Its first block's parameters are the function's.
    pub blocks: Vec<Block>,
    /// Takes more arguments than its first block has parameters.
    pub variadic: bool,
    /// The whole body is one step for the other threads.
    pub atomic: bool,
    pub returns: Vec<Type>,
    pub registers: Vec<Register>,
    pub span: SpanId,
}

impl Function {
    /// A function without blocks is declared and not defined; calling it is unsupported.
    pub fn is_defined(&self) -> bool {
        !self.blocks.is_empty()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    pub ty: Type,
    /// The source variable that it holds, if known.
    pub name: Option<TextId>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Assigned by the jumps to this block.
    pub params: Vec<Reg>,
    pub instrs: Vec<Instr>,
    pub terminator: Terminator,
}
