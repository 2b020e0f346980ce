//! The initial content of global variables: bytes and relocations.

use ir::{Relocation, Symbol};

use crate::address::{path, signed};
use crate::llvm::{Opcode, TypeKind, Value, ValueKind};

use super::Lowering;

/// The value of a constant at the start of the program.
#[derive(Clone, Copy)]
pub enum Known {
    Bits(u128),
    Address(Symbol, i64),
}

#[derive(Default)]
pub struct Content {
    pub bytes: Vec<u8>,
    pub relocations: Vec<Relocation>,
}

impl Content {
    fn write(&mut self, offset: u64, bytes: &[u8]) {
        let start = offset as usize;
        let end = start + bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[start..end].copy_from_slice(bytes);
    }

    /// Removes trailing zeros, which are implied.
    pub fn trim(&mut self) {
        let length = self.bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        self.bytes.truncate(length);
    }
}

impl<'m> Lowering<'m> {
    /// Writes a constant at an offset.
    pub fn fill(&mut self, value: Value<'m>, offset: u64, content: &mut Content) -> Result<(), String> {
        if value.kind() == ValueKind::Undefined || value.is_null_constant() {
            return Ok(());
        }
        if let Some(bytes) = value.string_bytes() {
            content.write(offset, &bytes);
            return Ok(());
        }
        let ty = value.ty();
        if value.kind() == ValueKind::Aggregate {
            for index in 0..ty.element_count() {
                let element = value.aggregate_element(index).ok_or_else(|| refusal(value))?;
                self.fill(element, offset + self.layout.offset(ty, index), content)?;
            }
            return Ok(());
        }
        match self.known(value)? {
            Known::Bits(bits) => {
                let size = self.layout.store_size(ty) as usize;
                let bytes = bits.to_le_bytes();
                content.write(offset, bytes.get(..size).ok_or_else(|| refusal(value))?);
            }
            Known::Address(symbol, addend) if self.layout.store_size(ty) == 8 => {
                content.relocations.push(Relocation { offset, symbol, addend });
            }
            Known::Address(..) => return Err(refusal(value)),
        }
        Ok(())
    }

    /// The value of a scalar constant.
    pub fn known(&mut self, value: Value<'m>) -> Result<Known, String> {
        match value.kind() {
            ValueKind::Integer => value.integer_bits().map(Known::Bits).ok_or_else(|| refusal(value)),
            ValueKind::Real => value.real_bits().map(Known::Bits).ok_or_else(|| refusal(value)),
            ValueKind::Null | ValueKind::Undefined => Ok(Known::Bits(0)),
            ValueKind::Function | ValueKind::Global if value.is_absent() => Ok(Known::Bits(0)),
            ValueKind::Function | ValueKind::IndirectFunction => {
                Ok(Known::Address(Symbol::Function(self.function_id(value)), 0))
            }
            ValueKind::Global if value.is_thread_local() => Err(refusal(value)),
            ValueKind::Global => Ok(Known::Address(Symbol::Global(self.global_id(value)), 0)),
            ValueKind::Alias => self.known(value.aliasee().ok_or_else(|| refusal(value))?),
            ValueKind::BlockAddress => Ok(Known::Bits(block_number(value).ok_or_else(|| refusal(value))?)),
            ValueKind::Expression => self.known_expression(value),
            _ => Err(refusal(value)),
        }
    }

    fn known_expression(&mut self, value: Value<'m>) -> Result<Known, String> {
        let fail = || refusal(value);
        let first = value.operand(0).ok_or_else(fail)?;
        match value.expression_opcode() {
            Some(Opcode::LLVMGetElementPtr) => {
                let path = path(self.layout, value).filter(|path| path.indices.is_empty()).ok_or_else(fail)?;
                Ok(match self.known(path.base)? {
                    Known::Bits(bits) => Known::Bits(u128::from((bits as u64).wrapping_add_signed(path.offset))),
                    Known::Address(symbol, addend) => Known::Address(symbol, addend.wrapping_add(path.offset)),
                })
            }
            Some(
                Opcode::LLVMPtrToInt
                | Opcode::LLVMPtrToAddr
                | Opcode::LLVMIntToPtr
                | Opcode::LLVMBitCast
                | Opcode::LLVMAddrSpaceCast
                | Opcode::LLVMTrunc,
            ) => match (self.known(first)?, value.ty().kind()) {
                (Known::Bits(bits), TypeKind::Integer(width @ ..128)) => Ok(Known::Bits(bits & ((1 << width) - 1))),
                (Known::Address(..), TypeKind::Integer(..64)) => Err(fail()),
                (known, _) => Ok(known),
            },
            Some(opcode @ (Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMXor)) => {
                let second = value.operand(1).ok_or_else(fail)?;
                self.known_sum(value, opcode, first, second)
            }
            _ => Err(fail()),
        }
    }

    fn known_sum(
        &mut self,
        whole: Value<'m>,
        opcode: Opcode,
        left: Value<'m>,
        right: Value<'m>,
    ) -> Result<Known, String> {
        let mask = match whole.ty().kind() {
            TypeKind::Integer(width @ ..128) => (1 << width) - 1,
            _ => u128::MAX,
        };
        match (opcode, self.known(left)?, self.known(right)?) {
            (Opcode::LLVMAdd, Known::Bits(left), Known::Bits(right)) => {
                Ok(Known::Bits(left.wrapping_add(right) & mask))
            }
            (Opcode::LLVMSub, Known::Bits(left), Known::Bits(right)) => {
                Ok(Known::Bits(left.wrapping_sub(right) & mask))
            }
            (Opcode::LLVMXor, Known::Bits(left), Known::Bits(right)) => Ok(Known::Bits(left ^ right)),
            (Opcode::LLVMAdd, Known::Address(symbol, addend), Known::Bits(bits))
            | (Opcode::LLVMAdd, Known::Bits(bits), Known::Address(symbol, addend)) => {
                Ok(Known::Address(symbol, addend.wrapping_add_unsigned(bits as u64)))
            }
            (Opcode::LLVMSub, Known::Address(symbol, addend), Known::Bits(bits)) => {
                Ok(Known::Address(symbol, addend.wrapping_sub_unsigned(bits as u64)))
            }
            (Opcode::LLVMSub, Known::Address(left, a), Known::Address(right, b)) if left == right => {
                Ok(Known::Bits(u128::from(a.wrapping_sub(b).cast_unsigned()) & mask))
            }
            _ => Err(refusal(whole)),
        }
    }
}

/// The number that represents a block's address: its position in its function, from 1.
pub fn block_number(address: Value<'_>) -> Option<u128> {
    let function = address.addressed_function()?;
    let block = address.addressed_block()?;
    let index = function.blocks().iter().position(|&other| other == block)?;
    Some(index as u128 + 1)
}

fn refusal(value: Value<'_>) -> String {
    format!("the constant {}", value.summary())
}

/// The priority and function of each entry of a list such as `llvm.global_ctors`, in the order of their calls.
pub fn startup_list<'m>(list: Option<Value<'m>>) -> Vec<Value<'m>> {
    let Some(array) = list.and_then(Value::initializer) else { return Vec::new() };
    let mut entries: Vec<(i64, Value<'m>)> = (0..array.ty().element_count())
        .filter_map(|index| {
            let entry = array.aggregate_element(index)?;
            let function = entry.aggregate_element(1)?;
            (!function.is_null_constant()).then_some((signed(entry.aggregate_element(0)?)?, function))
        })
        .collect();
    entries.sort_by_key(|(priority, _)| *priority);
    entries.into_iter().map(|(_, function)| function).collect()
}
