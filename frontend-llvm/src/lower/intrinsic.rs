//! LLVM's intrinsic functions.

use ir::{Op, Operand, Primitive, Type};

use crate::llvm::{DataLayout, Value, ValueKind};

use super::Lowering;
use super::address::signed;
use super::emit::Refusal;
use super::function::FunctionLowering;

/// Copies and fills of at most this many bytes become single accesses.
const MOST_EXPANDED: u64 = 64;

impl<'m> Lowering<'m> {
    /// The model of a library function, also when the program has its own function of that name.
    pub fn model(&self, name: &str) -> Option<Value<'m>> {
        let own = self.module.function(&format!("{name}.model"));
        own.or_else(|| self.module.function(name)).filter(|function| !function.is_declaration())
    }
}

/// An intrinsic's name without the types that it is overloaded with.
fn base_name(name: &str) -> String {
    let is_type = |part: &&str| {
        let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        part.strip_prefix(['i', 'f', 'p']).is_some_and(digits)
            || part.starts_with('v') && part.len() > 2 && part.as_bytes()[1].is_ascii_digit()
            || part.starts_with("sl_")
            || matches!(*part, "f80" | "bf16" | "ppcf128")
    };
    let parts: Vec<&str> = name.trim_start_matches("llvm.").split('.').collect();
    let end = parts.iter().rposition(|part| !is_type(part)).map_or(parts.len(), |last| last + 1);
    parts[..end].join(".")
}

impl<'m> FunctionLowering<'_, 'm> {
    pub fn intrinsic(&mut self, value: Value<'m>, name: &str) -> Result<Vec<Operand>, Refusal> {
        let base = base_name(name);
        let arguments = value.arguments();
        match base.as_str() {
            "lifetime.start"
            | "lifetime.end"
            | "donothing"
            | "assume"
            | "var.annotation"
            | "va_end"
            | "sideeffect"
            | "invariant.end"
            | "stackrestore"
            | "prefetch"
            | "experimental.noalias.scope.decl"
            | "pseudoprobe" => Ok(Vec::new()),
            name if name.starts_with("dbg.") => Ok(Vec::new()),
            "memcpy" | "memcpy.inline" | "memmove" => {
                let [to, from, length, ..] = arguments[..] else { return Err(format!("the intrinsic `{name}`")) };
                self.transfer(value, base != "memmove", to, from, length)
            }
            "memset" | "memset.inline" => {
                let [to, byte, length, ..] = arguments[..] else { return Err(format!("the intrinsic `{name}`")) };
                self.fill(to, byte, length)
            }
            "threadlocal.address" => {
                let [variable, ..] = arguments[..] else { return Err(format!("the intrinsic `{name}`")) };
                self.operands(variable)
            }
            "expect"
            | "expect.with.probability"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "annotation"
            | "ptr.annotation"
            | "arithmetic.fence" => {
                let [value, ..] = arguments[..] else { return Err(format!("the intrinsic `{name}`")) };
                self.operands(value)
            }
            "va_start" => self.variadic_start(value),
            "stacksave" => Ok(vec![Operand::NULL]),
            "trap" | "debugtrap" | "ubsantrap" => {
                self.emit_none(Op::Primitive { primitive: Primitive::ProcessAbort, args: Vec::new() });
                Ok(Vec::new())
            }
            _ => Err(format!("the intrinsic `{name}`")),
        }
    }

    fn transfer(
        &mut self,
        _call: Value<'m>,
        _upwards: bool,
        to: Value<'m>,
        from: Value<'m>,
        length: Value<'m>,
    ) -> Result<Vec<Operand>, Refusal> {
        let bytes = signed(length).and_then(|length| u64::try_from(length).ok());
        let (target, source) = (self.operand(to)?, self.operand(from)?);
        if let Some(bytes @ ..=MOST_EXPANDED) = bytes {
            self.copy(target, source, bytes, 8, Some(from));
            return Ok(Vec::new());
        }
        let length = self.operand(length)?;
        let length = self.resize(length, Type::I64);
        self.call_named("memmove", vec![target, source, length], &[Type::Ptr])?;
        Ok(Vec::new())
    }

    fn fill(&mut self, to: Value<'m>, byte: Value<'m>, length: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let target = self.operand(to)?;
        let byte = self.operand(byte)?;
        let byte = self.resize(byte, Type::I32);
        let length = self.operand(length)?;
        let length = self.resize(length, Type::I64);
        self.call_named("memset", vec![target, byte, length], &[Type::Ptr])?;
        Ok(Vec::new())
    }

    /// Copies in ascending accesses, as wide as the alignment allows.
    pub fn copy(&mut self, to: Operand, from: Operand, bytes: u64, align: u64, source: Option<Value<'m>>) {
        let mut offset = 0;
        while offset < bytes {
            let fits = |width: u64| width <= bytes - offset && width <= align.max(1) && offset % width == 0;
            let width = [8, 4, 2, 1].into_iter().find(|&width| fits(width)).unwrap_or(1);
            let address = self.advance(from, offset.cast_signed());
            let place = source.and_then(|source| self.place(source, offset, width));
            let value = self.emit(Op::Load { address, ordering: None, place }, Type::Int((width * 8) as u8));
            let address = self.advance(to, offset.cast_signed());
            self.emit_none(Op::Store { address, value, ordering: None, place: None });
            offset += width;
        }
    }

    /// Fills a `va_list` so that every argument is looked for in memory.
    fn variadic_start(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let list = self.operand_at(value, 0)?;
        let block = self.emit(Op::VariadicArguments, Type::Ptr);
        let mut put = |offset, value| {
            let address = self.advance(list, offset);
            self.emit_none(Op::Store { address, value, ordering: None, place: None });
        };
        put(0, Operand::int(32, 48));
        put(4, Operand::int(32, 304));
        put(8, block);
        put(16, Operand::NULL);
        Ok(Vec::new())
    }

    pub fn variadic_argument(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        Err(format!("the instruction {}", value.text()))
    }
}
