//! Consecutive numbers and bytes, the encoding of records and sections.

use wire::varint;

/// Reads from the front of some bytes. `None` means that they are too short or malformed.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    pub rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    pub fn number(&mut self) -> Option<u64> {
        let (value, length) = varint::read(self.rest)?;
        self.rest = &self.rest[length..];
        Some(value)
    }

    pub fn signed(&mut self) -> Option<i64> {
        self.number().map(varint::unzigzag)
    }

    /// A number that fits into a smaller type.
    pub fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    /// Bytes with their length before them.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.small()?;
        self.take(length)
    }

    /// An entry of a table, by its index.
    pub fn entry<'t, T>(&mut self, table: &'t [T]) -> Option<&'t T> {
        table.get(self.small::<usize>()?)
    }
}

pub(crate) fn put_number(out: &mut Vec<u8>, value: u64) {
    let mut room = [0; varint::LONGEST];
    let length = varint::write(value, &mut room).unwrap_or(0);
    out.extend(&room[..length]);
}

pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_number(out, varint::zigzag(value));
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend(bytes);
}
