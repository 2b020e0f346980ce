//! Words that remember how they came about: beside the number that a value had in one run, the term that says what it
//! would have been had other threads done something else.

use formula::Term;
use semantics::concrete::Word;
use vm::Datum;

#[derive(Clone, Copy, Debug)]
pub struct Dual {
    pub word: Word,
    /// None for what no other thread has an influence on.
    pub term: Option<Term>,
    /// Where the type is known.
    pub bits: u8,
}

impl Dual {
    pub fn plain(word: Word, bits: u32) -> Dual {
        Dual { word, term: None, bits: bits as u8 }
    }
}

impl Datum for Dual {
    fn of(word: Word) -> Dual {
        Dual::plain(word, 64)
    }

    fn word(&self) -> Word {
        self.word
    }
}
