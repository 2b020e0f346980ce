//! A program prepared for execution: blocks laid out consecutively, operands resolved to registers or constants, jumps
//! to positions, block arguments to moves that can be executed in order.

use std::rc::Rc;

use ir::{
    BinaryOp, CastOp, FloatPredicate, FunctionId, GlobalId, IntPredicate, LayoutId, Ordering, OverflowOp, Primitive,
    Program, RmwOp, SpanId, TextId, Type, UnaryOp,
};

/// A register of the frame (not negative), or a constant of the function (`!index`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arg(pub i32);

pub type Register = u32;

/// A run of entries in one of the function's pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub begin: u32,
    pub end: u32,
}

impl Range {
    pub fn of<'a, T>(&self, pool: &'a [T]) -> &'a [T] {
        &pool[self.begin as usize..self.end as usize]
    }
}

/// A jump: moves, then the position. When `header` is set, the target begins a loop.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub moves: Range,
    pub position: u32,
    pub header: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub enum Callee {
    Direct(FunctionId),
    Indirect(Arg),
}

#[derive(Clone, Debug)]
pub enum Inst {
    Unary {
        op: UnaryOp,
        ty: Type,
        to: Register,
        arg: Arg,
    },
    Binary {
        op: BinaryOp,
        ty: Type,
        to: Register,
        left: Arg,
        right: Arg,
    },
    Overflowing {
        op: OverflowOp,
        ty: Type,
        to: Register,
        flag: Register,
        left: Arg,
        right: Arg,
    },
    Compare {
        predicate: IntPredicate,
        ty: Type,
        to: Register,
        left: Arg,
        right: Arg,
    },
    FloatCompare {
        predicate: FloatPredicate,
        ty: Type,
        to: Register,
        left: Arg,
        right: Arg,
    },
    Cast {
        op: CastOp,
        from: Type,
        ty: Type,
        to: Register,
        arg: Arg,
    },
    FusedMultiplyAdd {
        ty: Type,
        to: Register,
        left: Arg,
        right: Arg,
        addend: Arg,
    },
    Select {
        to: Register,
        cond: Arg,
        then: Arg,
        otherwise: Arg,
    },
    /// The most frequent addresses: at most one index.
    Address {
        to: Register,
        base: Arg,
        offset: i64,
        index: Option<(Arg, Type)>,
        scale: i64,
    },
    AddressOfMany {
        to: Register,
        base: Arg,
        offset: i64,
        indices: Range,
    },
    ThreadLocal {
        to: Register,
        global: GlobalId,
    },
    Local {
        to: Register,
        size: Arg,
        align: u64,
        name: Option<TextId>,
        layout: Option<LayoutId>,
    },
    Load {
        to: Register,
        address: Arg,
        access: Access,
    },
    Store {
        address: Arg,
        value: Arg,
        access: Access,
    },
    Rmw {
        op: RmwOp,
        to: Register,
        address: Arg,
        value: Arg,
        access: Access,
    },
    CompareExchange {
        to: Register,
        flag: Register,
        address: Arg,
        expected: Arg,
        new: Arg,
        weak: bool,
        access: Access,
    },
    Fence,
    Call {
        function: FunctionId,
        args: Range,
        results: Range,
    },
    CallIndirect {
        callee: Arg,
        args: Range,
        results: Range,
        /// Whether it is a decision that a recorder writes down.
        recorded: bool,
    },
    /// A call that may unwind. The jump to its normal successor is laid out after it.
    Invoke {
        callee: Callee,
        args: Range,
        results: Range,
        table: Arg,
        /// The landing block, and the registers of its parameters.
        unwind: u32,
        landed: [Register; 2],
        recorded: bool,
    },
    VariadicArguments {
        to: Register,
    },
    Primitive {
        primitive: Primitive,
        args: Range,
        to: Option<Register>,
    },
    Unsupported {
        what: Rc<str>,
    },
    Jump(Edge),
    Branch {
        cond: Arg,
        then: Edge,
        otherwise: Edge,
        recorded: bool,
    },
    /// `cases` are sorted by value; `edges` has one more entry, the default's, at its end.
    Switch {
        value: Arg,
        cases: Rc<[(u128, u32)]>,
        edges: Range,
        recorded: bool,
    },
    Return {
        values: Range,
    },
    Unreachable,
}

/// The properties of a memory access, without its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub ty: Type,
    /// None for a plain access.
    pub ordering: Option<Ordering>,
    pub place: Option<TextId>,
}

/// A loop header: the registers that must be equal for two visits to be one state.
#[derive(Clone, Debug)]
pub struct Header {
    pub position: u32,
    pub live: Box<[Register]>,
    pub span: SpanId,
}

#[derive(Debug, Default)]
pub struct FunctionCode {
    pub insts: Vec<Inst>,
    /// One for each instruction.
    pub spans: Vec<SpanId>,
    pub constants: Vec<(Type, u128)>,
    pub args: Vec<(Arg, Type)>,
    pub registers_of: Vec<Register>,
    pub moves: Vec<(Register, Arg, Type)>,
    pub edges: Vec<Edge>,
    pub indices: Vec<(Arg, Type, i64)>,
    pub headers: Vec<Header>,
    pub params: Vec<(Register, Type)>,
    /// The number of registers of a frame.
    pub registers: u32,
    pub variadic: bool,
    pub atomic: bool,
    pub defined: bool,
}

/// The program with its code and the addresses of its globals.
#[derive(Debug)]
pub struct Code {
    pub program: Rc<Program>,
    pub functions: Vec<FunctionCode>,
    /// The address of each global that is not thread-local (others hold 0).
    pub globals: Vec<u64>,
    /// The first slot of the static region that no global uses.
    pub next_slot: u32,
    /// Whether any function reads the clock. Otherwise changes of the clock are invisible.
    pub reads_clock: bool,
}

impl Code {
    pub fn function(&self, id: FunctionId) -> &FunctionCode {
        &self.functions[id.index()]
    }
}
