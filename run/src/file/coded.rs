//! Bits in as few bytes as they can be predicted to need.
//!
//! The paths of all threads are one long path to the prediction, because threads do alike. A thread that begins in the
//! same function as one before it is expected to begin in the same way.

use std::collections::HashMap;

use super::arithmetic::{Decoder, Encoder};
use super::prediction::Prediction;
use crate::bits::Bits;

/// What was coded so far. The reader comes to know the same, piece by piece.
pub struct Coding<'a> {
    path: Bits,
    prediction: Prediction,
    /// Where in the path the last thread began that has its start in a function.
    begun: HashMap<&'a str, usize>,
}

impl<'a> Coding<'a> {
    /// For so many bits, or somewhat fewer.
    pub fn new(count: usize) -> Coding<'a> {
        Coding { path: Bits::new(), prediction: Prediction::new(count), begun: HashMap::new() }
    }

    /// A thread that has its start in this function comes next.
    pub fn begin(&mut self, start: &'a str) {
        let before = self.begun.insert(start, self.path.len());
        self.prediction.begin(before.filter(|before| *before < self.path.len()));
    }

    /// The bits from `start` to `end`.
    pub fn encode(&mut self, bits: &Bits, start: usize, end: usize) -> Vec<u8> {
        let mut encoder = Encoder::new();
        for bit in (start..end).map_while(|at| bits.get(at)) {
            encoder.encode(bit, self.prediction.expect(&self.path));
            self.learn(bit);
        }
        encoder.finish()
    }

    /// Appends so many bits.
    pub fn decode(&mut self, bytes: &[u8], count: usize, bits: &mut Bits) {
        let mut decoder = Decoder::new(bytes);
        for _ in 0..count {
            let bit = decoder.decode(self.prediction.expect(&self.path));
            bits.push(bit);
            self.learn(bit);
        }
    }

    /// Learns from the bits from `start` on as if they had been coded.
    pub fn skip(&mut self, bits: &Bits, start: usize) {
        for bit in (start..).map_while(|at| bits.get(at)) {
            self.prediction.expect(&self.path);
            self.learn(bit);
        }
    }

    #[inline]
    fn learn(&mut self, bit: bool) {
        self.prediction.learn(bit, &self.path);
        self.path.push(bit);
    }
}
