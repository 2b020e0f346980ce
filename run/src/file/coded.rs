//! Bits, compressed by prediction.
//!
//! The paths of all threads are one long path to the predictor, because threads behave alike. A thread that starts in
//! the same function as an earlier one is predicted to start in the same way.

use std::collections::HashMap;

use super::arithmetic::{Decoder, Encoder};
use super::prediction::Prediction;
use crate::bits::Bits;

/// The state of the coder. Writer and reader go through the same states, piece by piece.
pub struct Coding<'a> {
    path: Bits,
    prediction: Prediction,
    /// By start function, the position in the path at which the last such thread began.
    begun: HashMap<&'a str, usize>,
}

impl<'a> Coding<'a> {
    /// For about this many bits.
    pub fn new(count: usize) -> Coding<'a> {
        Coding { path: Bits::new(), prediction: Prediction::new(count), begun: HashMap::new() }
    }

    /// The next thread starts in this function.
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

    /// Appends `count` bits.
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
