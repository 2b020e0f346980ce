//! Bits in a database column: eight in a byte, the oldest highest, the last byte padded with zeros.

use run::Bits;

/// A piece of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed {
    pub bytes: Vec<u8>,
    pub length: usize,
}

impl Packed {
    pub fn of(bits: &Bits) -> Packed {
        let mut packed = Packed::default();
        packed.bytes.reserve(bits.len().div_ceil(8));
        bits.iter().for_each(|bit| packed.push(bit));
        packed
    }

    /// `None` if the number of bytes does not match the number of bits, or if the padding is not zero.
    pub fn from_column(bytes: &[u8], length: i64) -> Option<Packed> {
        let length = usize::try_from(length).ok()?;
        let spare = (bytes.len() * 8).checked_sub(length).filter(|&spare| spare < 8)?;
        let filled = bytes.last().is_none_or(|&last| spare == 0 || last << (8 - spare) == 0);
        filled.then(|| Packed { bytes: bytes.to_owned(), length })
    }

    pub fn push(&mut self, bit: bool) {
        let at = self.length % 8;
        if at == 0 {
            self.bytes.push(0);
        }
        if let (true, Some(last)) = (bit, self.bytes.last_mut()) {
            *last |= 0x80 >> at;
        }
        self.length += 1;
    }

    pub fn get(&self, index: usize) -> Option<bool> {
        (index < self.length).then(|| self.bytes[index / 8] << (index % 8) & 0x80 != 0)
    }

    /// The bits of a part.
    pub fn slice(&self, begin: usize, end: usize) -> Packed {
        let mut part = Packed::default();
        part.bytes.reserve(end.saturating_sub(begin).div_ceil(8));
        (begin..end).filter_map(|at| self.get(at)).for_each(|bit| part.push(bit));
        part
    }

    /// How many bits this has in common with the other one from there on.
    pub fn common(&self, other: &Packed, from: usize) -> usize {
        let most = self.length.min(other.length.saturating_sub(from));
        if from.is_multiple_of(8) {
            let others = &other.bytes[from / 8..];
            let same = self.bytes.iter().zip(others).take_while(|(a, b)| a == b).count();
            let rest = (same * 8..most).take_while(|&at| self.get(at) == other.get(from + at)).count();
            return (same * 8 + rest).min(most);
        }
        (0..most).take_while(|&at| self.get(at) == other.get(from + at)).count()
    }

    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.length).map(|at| self.bytes[at / 8] << (at % 8) & 0x80 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(text: &str) -> Packed {
        Packed::of(&text.chars().map(|c| c == '1').collect())
    }

    #[test]
    fn parts_and_common_beginnings() {
        let long = packed("1011001110001");
        assert_eq!(long.slice(3, 12), packed("100111000"));
        assert_eq!(packed("100111011").common(&long, 3), 7);
        assert_eq!(packed("10110011").common(&long, 0), 8);
        assert_eq!(packed("1011001110001").common(&long, 0), 13);
        assert_eq!(packed("10001").common(&long, 8), 5);
        assert_eq!(packed("1").common(&long, 13), 0);
        assert_eq!(long.iter().collect::<Bits>(), "1011001110001".chars().map(|c| c == '1').collect());
    }

    #[test]
    fn columns_are_checked() {
        assert_eq!(Packed::from_column(&[0b1010_0000], 3), Some(packed("101")));
        assert_eq!(Packed::from_column(&[0b1011_0000], 3), None, "what fills the byte is not zero");
        for (bytes, length) in [(&[0_u8][..], 9), (&[0, 0], 8), (&[0], 0), (&[], -1), (&[], 1)] {
            assert_eq!(Packed::from_column(bytes, length), None, "{length}");
        }
        assert_eq!(Packed::from_column(&[], 0), Some(Packed::default()));
    }
}
