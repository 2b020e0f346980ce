//! Inline assembly of x86: the idioms by which programs wrote atomics before languages had them.

use ir::Operand;

use crate::llvm::Value;

use super::emit::Refusal;
use super::function::FunctionLowering;

impl<'m> FunctionLowering<'_, 'm> {
    pub fn assembly(&mut self, call: Value<'m>, assembly: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let (template, _) = assembly.assembly().ok_or("unreadable assembly")?;
        let _ = call;
        Err(format!("the assembly `{template}`"))
    }
}
