//! A function while it is being lowered. Each module beside this one adds the operations of one part of the lowering.

use std::collections::HashMap;

use ir::{Block, BlockId, Callee, Operand, Register, SpanId};

use crate::debug::Variables;
use crate::llvm::{self, Value};

use super::Lowering;

/// Why an instruction cannot be expressed.
pub type Refusal = String;

pub struct FunctionLowering<'a, 'm> {
    pub program: &'a mut Lowering<'m>,
    pub function: Value<'m>,
    pub variables: Variables<'m>,
    /// The scalars of each LLVM value.
    pub values: HashMap<Value<'m>, Vec<Operand>>,
    pub registers: Vec<Register>,
    pub blocks: Vec<Block>,
    pub block_ids: HashMap<llvm::Block<'m>, BlockId>,
    /// The calls that end a block because they may unwind.
    pub invoked: HashMap<usize, Invoked>,
    /// The block and the source place of the next instructions.
    pub current: usize,
    pub span: SpanId,
}

/// A call that ends its block.
pub struct Invoked {
    pub callee: Callee,
    pub args: Vec<Operand>,
    pub next: BlockId,
}
