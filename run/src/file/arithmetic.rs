//! Arithmetic coding of bits: the cost of each is its information content. Probabilities come from the caller; this
//! file divides an interval of 32-bit numbers, whose leading bytes are written as soon as they are settled.

/// The width of a probability. It is that of a one, and neither 0 nor 1.
pub const PROBABILITY_BITS: u32 = 16;

/// Both bounds are inclusive.
#[derive(Clone, Copy)]
struct Interval {
    low: u32,
    high: u32,
}

impl Interval {
    const WHOLE: Interval = Interval { low: 0, high: u32::MAX };

    /// The last number of the part for a one.
    fn split(self, probability: u16) -> u32 {
        let width = u64::from(self.high - self.low);
        self.low + ((width * u64::from(probability)) >> PROBABILITY_BITS) as u32
    }

    fn narrow(&mut self, bit: bool, split: u32) {
        if bit {
            self.high = split;
        } else {
            self.low = split + 1;
        }
    }

    /// The leading byte, if both bounds agree on it; it is then shifted out.
    fn settled(&mut self) -> Option<u8> {
        if (self.low ^ self.high) >> 24 != 0 {
            return None;
        }
        let byte = (self.high >> 24) as u8;
        self.low <<= 8;
        self.high = self.high << 8 | 0xff;
        Some(byte)
    }
}

pub struct Encoder {
    interval: Interval,
    bytes: Vec<u8>,
}

impl Encoder {
    pub fn new() -> Encoder {
        Encoder { interval: Interval::WHOLE, bytes: Vec::new() }
    }

    #[inline]
    pub fn encode(&mut self, bit: bool, probability: u16) {
        self.interval.narrow(bit, self.interval.split(probability));
        while let Some(byte) = self.interval.settled() {
            self.bytes.push(byte);
        }
    }

    /// The bytes, with as few more as identify a number of the interval: the decoder appends zeros.
    pub fn finish(mut self) -> Vec<u8> {
        let Interval { low, high } = self.interval;
        let shortest = (0..=4).find(|length| first_bytes(high, *length) >= low).unwrap_or(4);
        self.bytes.extend(&high.to_be_bytes()[..shortest]);
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }
}

/// The number with only its leading bytes.
fn first_bytes(number: u32, length: usize) -> u32 {
    let mut bytes = number.to_be_bytes();
    bytes[length..].fill(0);
    u32::from_be_bytes(bytes)
}

pub struct Decoder<'a> {
    interval: Interval,
    value: u32,
    rest: std::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder { interval: Interval::WHOLE, value: 0, rest: bytes.iter() };
        (0..4).for_each(|_| decoder.shift());
        decoder
    }

    fn shift(&mut self) {
        self.value = self.value << 8 | u32::from(self.rest.next().copied().unwrap_or(0));
    }

    #[inline]
    pub fn decode(&mut self, probability: u16) -> bool {
        let split = self.interval.split(probability);
        let bit = self.value <= split;
        self.interval.narrow(bit, split);
        while self.interval.settled().is_some() {
            self.shift();
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_whatever_was_expected_of_them() {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 40
        };
        for length in 0..300 {
            let bits: Vec<(bool, u16)> = (0..length)
                .map(|_| {
                    let extreme = [1, u16::MAX, 1 << 15, (next() as u16).max(1)];
                    (next() % 2 == 1, extreme[next() as usize % 4])
                })
                .collect();
            let mut encoder = Encoder::new();
            bits.iter().for_each(|&(bit, probability)| encoder.encode(bit, probability));
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(&bytes);
            assert!(bits.iter().all(|&(bit, probability)| decoder.decode(probability) == bit), "{length}");
        }
    }

    #[test]
    fn what_is_expected_costs_next_to_nothing() {
        let mut encoder = Encoder::new();
        (0..10_000).for_each(|_| encoder.encode(true, u16::MAX));
        assert!(encoder.finish().len() <= 1);
    }
}
