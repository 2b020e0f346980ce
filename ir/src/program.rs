//! Programs, functions, globals, and the tables that they share.

use crate::instr::{Instr, Terminator};
use crate::span::{Span, SpanId};
use crate::types::Type;

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index! {
    /// An index into [`Program::functions`].
    FunctionId;
    /// An index into [`Program::globals`].
    GlobalId;
    /// An index into [`Program::layouts`].
    LayoutId;
    /// An index into [`Program::texts`].
    TextId;
    /// An index into [`Function::blocks`]; block 0 is where the function begins.
    BlockId;
    /// An index into [`Function::registers`].
    Reg;
}

/// A source expression or name, such as `q->filled`.
pub type Text = String;

/// A whole program. Two programs are equal when their text forms are.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// What the user calls it: the first source file's name without its ending.
    pub name: String,
    /// Source files, as the compiler was given them.
    pub files: Vec<String>,
    /// Places. The first one is [`SpanId::NONE`].
    pub spans: Vec<Span>,
    /// Source names and expressions of places in memory.
    pub texts: Vec<Text>,
    pub layouts: Vec<Layout>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// Called in this order before the entry, each without arguments.
    pub constructors: Vec<FunctionId>,
    /// Called with (argument count, arguments, environment); takes as many of them as it has parameters.
    pub entry: FunctionId,
}

/// How memory is named for people. It has no influence on what a program does.
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
    /// Known by name and size alone, such as `pthread_mutex_t`.
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
    /// The first bytes; what follows up to `size` is zero.
    pub bytes: Vec<u8>,
    /// Addresses that are written over the bytes, 8 bytes each.
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

/// Whose code it is. Reports show the user's place from which a library's code was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    User,
    /// Part of the program, but from a header of a library.
    Library,
    /// What stands for a library's code; a recorder does not see it.
    Model,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Unique among functions.
    pub name: String,
    /// What a report calls it: demangled and short.
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
    /// The source variable that it holds, where that is known.
    pub name: Option<TextId>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Assigned by whoever jumps here.
    pub params: Vec<Reg>,
    pub instrs: Vec<Instr>,
    pub terminator: Terminator,
}
