//! The bytes of all objects. Only written pages are stored, so that a large object costs nothing.

use std::collections::BTreeMap;

use crate::execution::Location;

const PAGE: u32 = 16;

/// Pages of bytes by object and page number; bytes of missing pages are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Memory {
    pages: BTreeMap<(u32, u32), [u8; PAGE as usize]>,
}

impl Memory {
    /// Little-endian, at most 16 bytes. The caller has checked that the range does not wrap around.
    pub fn read(&self, location: Location, bytes: u32) -> u128 {
        let mut word = [0; 16];
        for (index, byte) in word.iter_mut().enumerate().take(bytes as usize) {
            let offset = location.offset + index as u32;
            let page = self.pages.get(&(location.object, offset / PAGE));
            *byte = page.map_or(0, |page| page[(offset % PAGE) as usize]);
        }
        u128::from_le_bytes(word)
    }

    pub fn write(&mut self, location: Location, bytes: u32, word: u128) {
        for (index, &byte) in word.to_le_bytes().iter().enumerate().take(bytes as usize) {
            let offset = location.offset + index as u32;
            let page = self.pages.entry((location.object, offset / PAGE)).or_default();
            page[(offset % PAGE) as usize] = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_little_endian_and_cross_pages() {
        let mut memory = Memory::default();
        let at = |offset| Location { object: 3, offset };
        memory.write(at(14), 4, 0x4433_2211);
        assert_eq!(memory.read(at(14), 4), 0x4433_2211);
        assert_eq!(memory.read(at(16), 1), 0x33);
        assert_eq!(memory.read(at(13), 2), 0x1100);
        assert_eq!(memory.read(Location { object: 2, offset: 14 }, 4), 0);
        assert_eq!(memory.read(at(u32::MAX), 1), 0);
    }
}
