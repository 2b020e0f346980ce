//! A packed sequence of bits: the outcomes of a path's branches and switches. Runs of real programs have millions of
//! them.

use std::fmt;

const WORD: usize = 64;

/// The oldest bit is the highest one of the first word. Unused bits of the last word are zero, so that equal sequences
/// are equal values.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Bits {
    words: Vec<u64>,
    length: usize,
}

impl Bits {
    pub fn new() -> Bits {
        Bits::default()
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    #[inline]
    pub fn push(&mut self, bit: bool) {
        self.append(u64::from(bit), 1);
    }

    /// Appends the lowest `width` bits of a number, the highest one first.
    #[inline]
    pub fn push_number(&mut self, value: u32, width: u32) {
        self.append(u64::from(value), width.min(u32::BITS));
    }

    /// Appends the lowest `width` bits of a word, the highest one first.
    #[inline]
    pub(crate) fn append(&mut self, value: u64, width: u32) {
        let width = width.min(u64::BITS);
        if width == 0 {
            return;
        }
        let aligned = value << (u64::BITS - width);
        let used = (self.length % WORD) as u32;
        match self.words.last_mut() {
            Some(last) if used > 0 => {
                *last |= aligned >> used;
                if used + width > u64::BITS {
                    self.words.push(aligned << (u64::BITS - used));
                }
            }
            _ => self.words.push(aligned),
        }
        self.length += width as usize;
    }

    #[inline]
    pub fn get(&self, index: usize) -> Option<bool> {
        (index < self.length).then(|| self.words[index / WORD] << (index % WORD) >> (WORD - 1) == 1)
    }

    /// The number in `width` bits from `index` on; none if fewer are left.
    pub fn number(&self, index: usize, width: u32) -> Option<u32> {
        let end = index.checked_add(width as usize)?;
        if width > u32::BITS || end > self.length {
            return None;
        }
        (index..end).try_fold(0, |number, at| Some(number << 1 | u32::from(self.get(at)?)))
    }

    /// The words, each with its oldest bit highest; the last one may be partly used.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        let all = self.words.iter().flat_map(|word| (0..WORD).map(move |at| word << at >> (WORD - 1) == 1));
        all.take(self.length)
    }
}

impl FromIterator<bool> for Bits {
    fn from_iter<T: IntoIterator<Item = bool>>(bits: T) -> Bits {
        let mut all = Bits::new();
        all.extend(bits);
        all
    }
}

impl Extend<bool> for Bits {
    fn extend<T: IntoIterator<Item = bool>>(&mut self, bits: T) {
        bits.into_iter().for_each(|bit| self.push(bit));
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bits(")?;
        self.iter().try_for_each(|bit| f.write_str(if bit { "1" } else { "0" }))?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_wherever_they_lie() {
        for width in 0..=32 {
            let value = 0x9234_5679 & (u64::MAX >> 32 >> (32 - width)) as u32;
            for before in 0..130 {
                let mut bits: Bits = (0..before).map(|at| at % 3 == 0).collect();
                bits.push_number(value, width);
                bits.push(true);
                assert_eq!(bits.len(), before + width as usize + 1);
                assert_eq!(bits.number(before, width), Some(value));
                assert_eq!(bits.get(before + width as usize), Some(true));
                assert_eq!(bits.get(bits.len()), None);
                assert_eq!(bits.number(before + 2, width), None);
                assert!((0..before).all(|at| bits.get(at) == Some(at % 3 == 0)));
            }
        }
    }

    #[test]
    fn what_is_above_the_width_does_not_count() {
        let mut bits = Bits::new();
        bits.push_number(u32::MAX, 3);
        bits.push_number(0b1101, 2);
        assert_eq!(format!("{bits:?}"), "Bits(11101)");
        assert_eq!(bits.iter().collect::<Bits>(), bits);
    }
}
