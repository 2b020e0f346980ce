//! Terms in memory that belongs to one thread at a time: which bytes hold a part of which term.

use std::collections::{HashMap, HashSet};

use formula::{Term, Terms};
use semantics::address::SLOT_BITS;

/// One byte of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    of: Term,
    byte: u8,
}

#[derive(Clone, Debug, Default)]
pub struct Overlay {
    pieces: HashMap<u64, Piece>,
    /// Slots of the address space that have ever held a term: all others need no look.
    slots: HashSet<u64>,
}

impl Overlay {
    /// A term is stored, as many bytes as it has; a whole number of them.
    pub fn put(&mut self, terms: &Terms, at: u64, term: Term) {
        let bytes = terms.width(term) / 8;
        self.slots.insert(at >> SLOT_BITS);
        for byte in 0..bytes {
            self.pieces.insert(at + u64::from(byte), Piece { of: term, byte: byte as u8 });
        }
    }

    /// Something that is no term is stored.
    pub fn clear(&mut self, at: u64, bytes: u64) {
        if self.slots.contains(&(at >> SLOT_BITS)) {
            for byte in at..at + bytes {
                self.pieces.remove(&byte);
            }
        }
    }

    /// What lies there, if some of it is a term; `word` is what it came to.
    pub fn get(&self, terms: &mut Terms, at: u64, bytes: u32, word: u128) -> Option<Term> {
        if !self.slots.contains(&(at >> SLOT_BITS)) {
            return None;
        }
        let pieces: Vec<Option<Piece>> =
            (0..bytes).map(|byte| self.pieces.get(&(at + u64::from(byte))).copied()).collect();
        let first = pieces.iter().flatten().next()?;
        let whole =
            pieces.iter().enumerate().all(|(byte, piece)| *piece == Some(Piece { of: first.of, byte: byte as u8 }));
        if whole && terms.width(first.of) == 8 * bytes {
            return Some(first.of);
        }
        let mut all: Option<Term> = None;
        for (byte, piece) in pieces.iter().enumerate() {
            let part = match piece {
                Some(piece) => {
                    let low = 8 * u32::from(piece.byte);
                    terms.extract(piece.of, low + 7, low)
                }
                None => terms.bits(8, word >> (8 * byte) & 0xff),
            };
            all = Some(match all {
                None => part,
                Some(low) => terms.concat(part, low),
            });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use formula::Sort;

    use super::*;

    #[test]
    fn terms_come_back_whole_and_in_parts() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", Sort::Bits(32));
        let mut overlay = Overlay::default();
        overlay.put(&terms, 0x10000, symbol);
        assert_eq!(overlay.get(&mut terms, 0x10000, 4, 0), Some(symbol));
        assert_eq!(overlay.get(&mut terms, 0x20000, 4, 0), None);
        let upper = terms.extract(symbol, 31, 16);
        assert_eq!(overlay.get(&mut terms, 0x10002, 2, 0), Some(upper));
        overlay.clear(0x10002, 2);
        let half = overlay.get(&mut terms, 0x10000, 4, 0xabcd_1234);
        let (low, high) = (terms.extract(symbol, 15, 0), terms.bits(16, 0xabcd));
        assert_eq!(half, Some(terms.concat(high, low)));
        overlay.clear(0x10000, 8);
        assert_eq!(overlay.get(&mut terms, 0x10000, 4, 7), None);
    }
}
