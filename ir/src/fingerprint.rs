//! A short identification of a program's behaviour: equal programs have equal fingerprints on every machine, and
//! programs with different behaviour have different ones (except with probability 2^-128).
//!
//! It covers the text form without files, places, texts, layouts, display names and origins: adding a comment or
//! renaming a local variable does not change it, unless the program itself contains its line numbers or file names, as
//! assertions do. The hash is SipHash-2-4 with 128 bits and a key of zeros.

use std::fmt;
use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher24};

use crate::program::Program;
use crate::text::print::print_behaviour;

/// 32 hexadecimal digits.
pub fn fingerprint(program: &Program) -> String {
    let mut sink = Sink(SipHasher24::new());
    match print_behaviour(program, &mut sink) {
        Ok(()) => format!("{:032x}", sink.0.finish128().as_u128()),
        Err(fmt::Error) => unreachable!("hashing does not fail"),
    }
}

/// The hash of arbitrary bytes.
pub fn of_bytes(bytes: &[u8]) -> [u8; 16] {
    let mut hasher = SipHasher24::new();
    hasher.write(bytes);
    hasher.finish128().as_u128().to_be_bytes()
}

struct Sink(SipHasher24);

impl fmt::Write for Sink {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
