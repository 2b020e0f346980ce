//! Values: concrete words, or terms if they depend on other threads or on inputs.

use formula::{Term, Terms};
use semantics::concrete::Word;
use semantics::int;
use vm::Datum;

use crate::terms;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Word { word: Word, bits: u8 },
    Term(Term),
}

impl Value {
    pub fn word(bits: u32, word: Word) -> Value {
        Value::Word { word: word & int::mask(bits), bits: bits as u8 }
    }

    /// A term, or its value if it is constant.
    pub fn of(terms: &Terms, term: Term) -> Value {
        match terms.as_bits(term) {
            Some(word) => Value::word(terms.width(term), word),
            None => Value::Term(term),
        }
    }

    pub fn as_word(self) -> Option<Word> {
        match self {
            Value::Word { word, .. } => Some(word),
            Value::Term(_) => None,
        }
    }

    /// The value as a term of this width.
    pub fn term(self, terms: &mut Terms, bits: u32) -> Term {
        match self {
            Value::Word { word, .. } => terms.bits(bits, word & int::mask(bits)),
            Value::Term(term) => terms::fit(terms, term, bits),
        }
    }

    fn bits(self, terms: &Terms) -> u32 {
        match self {
            Value::Word { bits, .. } => u32::from(bits),
            Value::Term(term) => terms.width(term),
        }
    }

    /// The condition that both are equal.
    pub fn same(self, terms: &mut Terms, other: Value) -> Term {
        if let (Some(own), Some(theirs)) = (self.as_word(), other.as_word()) {
            return terms.bool(own == theirs);
        }
        let bits = self.bits(terms).max(other.bits(terms));
        let (own, theirs) = (self.term(terms, bits), other.term(terms, bits));
        terms.eq(own, theirs)
    }

    /// The first if the condition holds, otherwise the second.
    pub fn choose(terms: &mut Terms, condition: Term, then: Value, otherwise: Value) -> Value {
        if then == otherwise {
            return then;
        }
        // Dead registers may hold values of different widths.
        let bits = match (then, otherwise) {
            (Value::Term(term), Value::Word { .. }) | (Value::Word { .. }, Value::Term(term)) => terms.width(term),
            _ => then.bits(terms).max(otherwise.bits(terms)),
        };
        let (then, otherwise) = (then.term(terms, bits), otherwise.term(terms, bits));
        let chosen = terms.ite(condition, then, otherwise);
        Value::of(terms, chosen)
    }
}

impl Datum for Value {
    fn of(word: Word) -> Value {
        Value::Word { word, bits: 64 }
    }

    fn word(&self) -> Word {
        self.as_word().unwrap_or(0)
    }
}
