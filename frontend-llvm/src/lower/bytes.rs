//! Copies and fills of memory, and the lists of variadic arguments.
//!
//! Short copies of known alignment become single accesses; all others call the models, which check the alignment of the
//! addresses at run time.

use ir::{BinaryOp, Op, Operand, Type};

use crate::address::signed;
use crate::llvm::{TypeKind, Value};

use super::state::{FunctionLowering, Refusal};
use super::types::scalar;

/// Copies and fills of at most this many accesses are expanded inline.
const MOST_ACCESSES: usize = 8;

/// The size of a `va_list`: two offsets and two pointers.
const LIST_BYTES: u64 = 24;

/// The offsets and widths of ascending accesses of at most 8 bytes; `None` if they are too many to be expanded.
fn accesses(bytes: u64, align: u64) -> Option<Vec<(u64, u64)>> {
    let mut list = Vec::new();
    let mut offset = 0;
    // Single bytes may be parts of words; the models check the address.
    if align == 1 && bytes > 1 {
        return None;
    }
    while offset < bytes {
        let fits = |width: u64| width <= bytes - offset && width <= align && offset % width == 0;
        let width = [8, 4, 2, 1].into_iter().find(|&width| fits(width)).unwrap_or(1);
        list.push((offset, width));
        offset += width;
        if list.len() > MOST_ACCESSES {
            return None;
        }
    }
    Some(list)
}

/// The alignment that determines the accesses of a copy. LLVM gives that of the source's types, unless the pointer was
/// moved by bytes, as `sroa` does for the rest of a struct: then the first bytes of a longer word do not determine the
/// others.
fn known_alignment(call: Value<'_>, argument: usize, pointer: Value<'_>) -> u64 {
    let align = call.argument_number_attribute(argument, "align").unwrap_or(1).max(1);
    let moved_by_bytes = pointer.element_source().is_some_and(|source| source.kind() == TypeKind::Integer(8));
    if moved_by_bytes && align < 8 { 1 } else { align }
}

/// A pointer as operand, with the value from which its source text is derived.
#[derive(Clone, Copy)]
pub struct Place<'m> {
    pub address: Operand,
    pub pointer: Option<Value<'m>>,
}

impl<'m> FunctionLowering<'_, 'm> {
    /// The intrinsics of this file; `None` for all others.
    pub fn bytes_intrinsic(&mut self, value: Value<'m>, base: &str) -> Result<Option<Vec<Operand>>, Refusal> {
        let arguments = value.arguments();
        match (base, &arguments[..]) {
            ("memcpy" | "memcpy.inline" | "memmove", &[to, from, length, ..]) => {
                let align = known_alignment(value, 0, to).min(known_alignment(value, 1, from));
                let to = Place { address: self.operand(to)?, pointer: Some(to) };
                let from = Place { address: self.operand(from)?, pointer: Some(from) };
                let name = if base == "memmove" { "memmove" } else { "memcpy" };
                self.transfer(name, to, from, length, align)?;
            }
            ("memset" | "memset.inline", &[to, byte, length, ..]) => {
                let align = known_alignment(value, 0, to);
                let to = Place { address: self.operand(to)?, pointer: Some(to) };
                let byte = self.operand(byte)?;
                self.fill(to, byte, length, align)?;
            }
            ("va_start", &[list, ..]) => self.start_list(list)?,
            ("va_copy", &[to, from, ..]) => {
                let to = Place { address: self.operand(to)?, pointer: Some(to) };
                let from = Place { address: self.operand(from)?, pointer: Some(from) };
                self.copy_bytes(to, from, LIST_BYTES, 8)?;
            }
            _ => return Ok(None),
        }
        Ok(Some(Vec::new()))
    }

    fn transfer(
        &mut self,
        name: &str,
        to: Place<'m>,
        from: Place<'m>,
        length: Value<'m>,
        align: u64,
    ) -> Result<(), Refusal> {
        let bytes = signed(length).and_then(|length| u64::try_from(length).ok());
        if let Some(bytes) = bytes
            && let Some(accesses) = accesses(bytes, align)
        {
            if name == "memmove" {
                self.copy_overlapping(to, from, &accesses);
            } else {
                self.copy(to, from, &accesses);
            }
            return Ok(());
        }
        let length = self.operand(length)?;
        let length = self.resize(length, Type::I64);
        self.call_named(name, vec![to.address, from.address, length], &[Type::Ptr])?;
        Ok(())
    }

    /// A copy of a known size, for structs that are passed by value.
    pub fn copy_bytes(&mut self, to: Place<'m>, from: Place<'m>, bytes: u64, align: u64) -> Result<(), Refusal> {
        if let Some(accesses) = accesses(bytes, align.max(1)) {
            self.copy(to, from, &accesses);
            return Ok(());
        }
        let length = Operand::int(64, u128::from(bytes));
        self.call_named("memcpy", vec![to.address, from.address, length], &[Type::Ptr])?;
        Ok(())
    }

    fn copy(&mut self, to: Place<'m>, from: Place<'m>, accesses: &[(u64, u64)]) {
        for &(offset, width) in accesses {
            let value = self.load_piece(from, offset, width);
            self.store_piece(to, offset, value);
        }
    }

    /// Reads all values before it writes.
    fn copy_overlapping(&mut self, to: Place<'m>, from: Place<'m>, accesses: &[(u64, u64)]) {
        let values: Vec<Operand> =
            accesses.iter().map(|&(offset, width)| self.load_piece(from, offset, width)).collect();
        for (&(offset, _), value) in accesses.iter().zip(values) {
            self.store_piece(to, offset, value);
        }
    }

    pub fn load_piece(&mut self, from: Place<'m>, offset: u64, width: u64) -> Operand {
        let ty = Type::Int((width * 8) as u8);
        let address = self.advance(from.address, offset.cast_signed());
        let place = from.pointer.and_then(|pointer| self.place(pointer, offset, ty));
        self.emit(Op::Load { address, ordering: None, place }, ty)
    }

    fn store_piece(&mut self, to: Place<'m>, offset: u64, value: Operand) {
        let address = self.advance(to.address, offset.cast_signed());
        let ty = self.type_of(value);
        let place = to.pointer.and_then(|pointer| self.place(pointer, offset, ty));
        self.emit_none(Op::Store { address, value, ordering: None, place });
    }

    fn fill(&mut self, to: Place<'m>, byte: Operand, length: Value<'m>, align: u64) -> Result<(), Refusal> {
        let bytes = signed(length).and_then(|length| u64::try_from(length).ok());
        if let (Some(bytes), Operand::Const { bits, .. }) = (bytes, byte)
            && let Some(accesses) = accesses(bytes, align)
        {
            let pattern = (bits & 0xff) * 0x0101_0101_0101_0101;
            for (offset, width) in accesses {
                self.store_piece(to, offset, Operand::int((width * 8) as u8, pattern));
            }
            return Ok(());
        }
        let byte = self.resize(byte, Type::I32);
        let length = self.operand(length)?;
        let length = self.resize(length, Type::I64);
        self.call_named("memset", vec![to.address, byte, length], &[Type::Ptr])?;
        Ok(())
    }

    /// Fills a `va_list` so that every argument is read from memory: the offsets mark all registers as used.
    fn start_list(&mut self, list: Value<'m>) -> Result<(), Refusal> {
        let to = Place { address: self.operand(list)?, pointer: None };
        let block = self.emit(Op::VariadicArguments, Type::Ptr);
        self.store_piece(to, 0, Operand::int(32, 48));
        self.store_piece(to, 4, Operand::int(32, 304));
        self.store_piece(to, 8, block);
        self.store_piece(to, 16, Operand::NULL);
        Ok(())
    }

    /// The `va_arg` instruction, which clang itself does not write: takes the next argument from memory.
    pub fn variadic_argument(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let ty = scalar(value.ty()).ok_or_else(|| format!("a variadic argument of type {}", value.ty().text()))?;
        let list = self.operand_at(value, 0)?;
        let area = self.advance(list, 8);
        let mut at = self.emit(Op::Load { address: area, ordering: None, place: None }, Type::Ptr);
        if ty.bits() > 64 {
            let up = self.advance(at, 15);
            let number = self.resize(up, Type::I64);
            let aligned = self.binary(BinaryOp::And, number, Operand::int(64, u128::MAX << 4));
            at = self.resize(aligned, Type::Ptr);
        }
        let taken = self.emit(Op::Load { address: at, ordering: None, place: None }, ty);
        let next = self.advance(at, if ty.bits() > 64 { 16 } else { 8 });
        self.emit_none(Op::Store { address: area, value: next, ordering: None, place: None });
        Ok(vec![taken])
    }
}

#[cfg(test)]
mod tests {
    use super::accesses;

    #[test]
    fn accesses_are_aligned_and_ascending() {
        assert_eq!(accesses(24, 8), Some(vec![(0, 8), (8, 8), (16, 8)]));
        assert_eq!(accesses(15, 8), Some(vec![(0, 8), (8, 4), (12, 2), (14, 1)]));
        assert_eq!(accesses(6, 4), Some(vec![(0, 4), (4, 2)]));
        assert_eq!(accesses(1, 1), Some(vec![(0, 1)]));
        assert_eq!(accesses(0, 8), Some(vec![]));
    }

    #[test]
    fn long_and_unaligned_copies_are_left_to_the_models() {
        assert_eq!(accesses(100, 8), None);
        assert_eq!(accesses(3, 1), None);
    }
}
