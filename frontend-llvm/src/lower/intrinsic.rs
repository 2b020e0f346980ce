//! LLVM's intrinsic functions: dispatches them, and lowers the trivial ones.

use ir::{BinaryOp, Op, Operand, Ordering, Primitive, Type};

use crate::llvm::{Value, ValueKind};

use super::Lowering;
use super::state::{FunctionLowering, Refusal};
use super::types::scalars;

impl<'m> Lowering<'m> {
    /// The model of a library function, even if the program has its own function of that name.
    pub fn model(&self, name: &str) -> Option<Value<'m>> {
        let own = self.module.function(&format!("{name}.model"));
        own.or_else(|| self.module.function(name)).filter(|function| !function.is_declaration())
    }
}

/// An intrinsic's name without the types that it is overloaded with.
fn base_name(name: &str) -> String {
    let parts: Vec<&str> = name.trim_start_matches("llvm.").split('.').collect();
    let end = parts.iter().rposition(|part| !is_type_name(part)).map_or(parts.len(), |last| last + 1);
    parts[..end].join(".")
}

/// Whether a part of an intrinsic's name is a type, such as `i64`, `p0`, `v4f32` or `bf16`.
fn is_type_name(part: &str) -> bool {
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let is_vector = || {
        let lanes = part.trim_start_matches("nx").strip_prefix('v').map(|rest| rest.trim_start_matches(is_digit));
        lanes.is_some_and(|element| element.len() + 1 < part.len() && is_type_name(element))
    };
    part.strip_prefix(['i', 'f', 'p']).is_some_and(is_number)
        || part.strip_prefix("bf").is_some_and(is_number)
        || part.starts_with("sl_")
        || part.starts_with("s_")
        || is_vector()
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

/// Annotations without effect on the program.
fn says_nothing(base: &str) -> bool {
    const NAMES: &[&str] = &[
        "assume",
        "donothing",
        "sideeffect",
        "prefetch",
        "pseudoprobe",
        "var.annotation",
        "codeview.annotation",
        "invariant.end",
        "experimental.noalias.scope.decl",
        "fake.use",
        "clear_cache",
        "va_end",
        // Locals live until their function returns, so the stack pointer has no meaning.
        "stackrestore",
    ];
    const BEGINNINGS: &[&str] = &["lifetime.", "dbg.", "instrprof.", "annotation."];
    NAMES.contains(&base) || BEGINNINGS.iter().any(|beginning| base.starts_with(beginning))
}

impl<'m> FunctionLowering<'_, 'm> {
    pub fn intrinsic(&mut self, value: Value<'m>, name: &str) -> Result<Vec<Operand>, Refusal> {
        let base = base_name(name);
        let refuse = || format!("the intrinsic `{name}`");
        if says_nothing(&base) {
            return Ok(scalars(value.ty())?.into_iter().map(Operand::Undef).collect());
        }
        if let Some(results) = self.bytes_intrinsic(value, &base)? {
            return Ok(results);
        }
        let arguments = value.arguments();
        let first = arguments.first().copied();
        match base.as_str() {
            "threadlocal.address"
            | "expect"
            | "expect.with.probability"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "annotation"
            | "ptr.annotation"
            | "arithmetic.fence"
            | "preserve.array.access.index"
            | "preserve.struct.access.index" => self.operands(first.ok_or_else(refuse)?),
            "stacksave"
            | "returnaddress"
            | "frameaddress"
            | "addressofreturnaddress"
            | "sponentry"
            | "invariant.start" => Ok(vec![Operand::NULL]),
            "trap" | "debugtrap" | "ubsantrap" => {
                self.emit_none(Op::Primitive { primitive: Primitive::ProcessAbort, args: Vec::new() });
                Ok(Vec::new())
            }
            "eh.typeid.for" => {
                let number = self.program.catch_number(first.ok_or_else(refuse)?);
                Ok(vec![Operand::int(32, number as u128)])
            }
            "is.constant" => Ok(vec![Operand::int(1, 0)]),
            "allow.runtime.check" | "allow.ubsan.check" => Ok(vec![Operand::int(1, 1)]),
            "objectsize" => {
                // With the second argument the result is 0 if the size is unknown.
                let least = arguments.get(1).and_then(|flag| flag.integer_bits()) == Some(1);
                let ty = scalars(value.ty())?.first().copied().ok_or_else(refuse)?;
                Ok(vec![Operand::int(ty.bits() as u8, if least { 0 } else { u128::MAX })])
            }
            "ptrmask" => {
                let [pointer, mask] = arguments[..] else { return Err(refuse()) };
                self.pointer_mask(pointer, mask)
            }
            "readcyclecounter" | "readsteadycounter" | "x86.rdtsc" => Ok(vec![self.clock()]),
            "x86.rdtscp" => Ok(vec![self.clock(), Operand::int(32, 0)]),
            "x86.sse2.mfence" => Ok(self.fence_of(Ordering::SequentiallyConsistent)),
            "x86.sse2.lfence" => Ok(self.fence_of(Ordering::Acquire)),
            "x86.sse.sfence" => Ok(self.fence_of(Ordering::Release)),
            "x86.sse2.pause" => Ok(self.pause()),
            "get.rounding" => Ok(vec![Operand::int(32, 1)]),
            _ => {
                if first.is_some_and(|argument| argument.kind() == ValueKind::Metadata) {
                    return Err(refuse());
                }
                if let Some(results) = self.masked_access(value, &base)? {
                    return Ok(results);
                }
                if let Some(results) = self.integer_intrinsic(value, &base)? {
                    return Ok(results);
                }
                self.float_intrinsic(value, &base)?.ok_or_else(refuse)
            }
        }
    }

    pub fn clock(&mut self) -> Operand {
        self.emit(Op::Primitive { primitive: Primitive::InputClock, args: Vec::new() }, Type::I64)
    }

    pub fn fence_of(&mut self, ordering: Ordering) -> Vec<Operand> {
        self.emit_none(Op::Fence { ordering });
        Vec::new()
    }

    /// A processor's hint for spin loops.
    pub fn pause(&mut self) -> Vec<Operand> {
        self.emit_none(Op::Primitive { primitive: Primitive::ThreadYield, args: Vec::new() });
        Vec::new()
    }

    fn pointer_mask(&mut self, pointer: Value<'m>, mask: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let pointers = self.operands(pointer)?;
        let masks = self.operands(mask)?;
        let mut results = Vec::new();
        for (pointer, mask) in pointers.into_iter().zip(masks) {
            let address = self.resize(pointer, Type::I64);
            let mask = self.resize(mask, Type::I64);
            let masked = self.binary(BinaryOp::And, address, mask);
            results.push(self.resize(masked, Type::Ptr));
        }
        Ok(results)
    }
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn types_are_taken_off_names() {
        assert_eq!(base_name("llvm.memcpy.p0.p0.i64"), "memcpy");
        assert_eq!(base_name("llvm.umul.with.overflow.i64"), "umul.with.overflow");
        assert_eq!(base_name("llvm.fma.v4f32"), "fma");
        assert_eq!(base_name("llvm.fptosi.sat.i32.f64"), "fptosi.sat");
        assert_eq!(base_name("llvm.x86.sse2.pause"), "x86.sse2.pause");
        assert_eq!(base_name("llvm.va_start.p0"), "va_start");
        assert_eq!(base_name("llvm.vector.reduce.add.v8i16"), "vector.reduce.add");
        assert_eq!(base_name("llvm.fabs.bf16"), "fabs");
    }
}
