//! Where an access is: a place, or, where others have an influence on the address, all the places where it may be.

use events::Address;
use formula::{Op, Term};
use semantics::concrete::Word;
use vm::memory::{Memory, State};

use crate::dual::Dual;
use crate::sharing::ObjectKey;
use crate::trace::Trace;

/// An index into something larger stays what it was.
const LARGEST_INDEXED: u64 = 1 << 14;
/// A pointer with more possible values than this stays what it was.
const MOST_TARGETS: usize = 24;

/// The places of an access.
#[derive(Clone, Debug)]
pub struct Places {
    /// Where it was, and every other object that it may touch, with the bytes that it may touch there.
    pub objects: Vec<(ObjectKey, u64, u64)>,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Fixed {
        key: ObjectKey,
        offset: u64,
    },
    /// In one object, at an offset that others have an influence on.
    Indexed {
        key: ObjectKey,
        base: u64,
        term: Term,
    },
    /// One of these, each an address and where it is.
    Pointer {
        term: Term,
        targets: Vec<(Word, ObjectKey, u64)>,
    },
}

impl Places {
    /// Whether others have an influence on where it is.
    pub fn is_open(&self) -> bool {
        !matches!(self.shape, Shape::Fixed { .. })
    }
}

impl Trace {
    /// Where an access of so many bytes is that was at a live place.
    pub fn places(&mut self, memory: &Memory, address: &Dual, bytes: u32) -> Option<Places> {
        let at = address.word as u64;
        let (id, offset) = memory.resolve(at)?;
        let (base, size) = (memory.object(id).base, memory.object(id).size);
        let key = self.key_of(base);
        let fixed = |key, offset| Places {
            objects: vec![(key, offset, u64::from(bytes))],
            shape: Shape::Fixed { key, offset },
        };
        let Some(term) = address.term.filter(|_| self.live && !self.is_silent()) else {
            return Some(fixed(key, offset));
        };
        if memory.object(id).constant {
            self.pin(address);
            return Some(fixed(key, offset));
        }
        if self.is_indexed(memory, term, base) && size <= LARGEST_INDEXED {
            return Some(Places { objects: vec![(key, 0, size)], shape: Shape::Indexed { key, base, term } });
        }
        if let Some(targets) = self.targets(memory, term, at, bytes) {
            let objects = targets.iter().map(|&(_, key, offset)| (key, offset, u64::from(bytes))).collect();
            return Some(Places { objects, shape: Shape::Pointer { term, targets } });
        }
        self.pin(address);
        Some(fixed(key, offset))
    }

    /// Whether an address is a constant one in this object and something that is added to it.
    fn is_indexed(&mut self, memory: &Memory, term: Term, base: u64) -> bool {
        let Op::Add(a, b) = *self.terms().op(term) else { return false };
        let constant = [a, b].into_iter().find_map(|part| self.terms().as_bits(part));
        let Some(constant) = constant else { return false };
        memory.resolve(constant as u64).is_some_and(|(id, _)| memory.object(id).base == base)
    }

    /// The addresses that a pointer may hold, if it is one that was read: what was written where it lies.
    fn targets(&mut self, memory: &Memory, term: Term, at: u64, bytes: u32) -> Option<Vec<(Word, ObjectKey, u64)>> {
        let (symbol, added) = match *self.terms().op(term) {
            Op::Symbol(_) => (term, 0),
            Op::Add(a, b) => match (self.terms().as_bits(a), self.terms().as_bits(b)) {
                (Some(added), None) => (b, added),
                (None, Some(added)) => (a, added),
                _ => return None,
            },
            _ => return None,
        };
        let place = *self.read_at.get(&symbol)?;
        let words = self.written.get(&place)?;
        let mut targets: Vec<(Word, ObjectKey, u64)> = Vec::new();
        for &word in words.iter().chain([&(Word::from(at).wrapping_sub(added))]) {
            let target = word.wrapping_add(added) as u64;
            let Some((id, offset)) = memory.resolve(target) else { continue };
            let object = memory.object(id);
            if object.state != State::Live || object.constant || offset + u64::from(bytes) > object.size {
                continue;
            }
            let entry = (Word::from(target), self.key_of(object.base), offset);
            if !targets.contains(&entry) {
                targets.push(entry);
            }
        }
        (targets.len() <= MOST_TARGETS).then_some(targets)
    }

    /// The address as the graph has it, and that it is one of those that were thought of.
    pub fn address(&mut self, memory: &Memory, places: &Places) -> Address {
        match &places.shape {
            Shape::Fixed { key, offset } => {
                let id = self.object(memory, *key);
                self.builder.address(id, *offset as u32)
            }
            Shape::Indexed { key, base, term } => {
                let id = self.object(memory, *key);
                let terms = self.builder.terms();
                let begin = terms.bits(64, u128::from(*base));
                let offset = terms.sub(*term, begin);
                let offset = terms.extract(offset, 31, 0);
                let object = terms.bits(32, u128::from(id.0));
                Address { object, offset }
            }
            Shape::Pointer { term, targets } => {
                let mut whole: Option<Address> = None;
                let mut one_of = Vec::new();
                for &(word, key, offset) in targets {
                    let id = self.object(memory, key);
                    let terms = self.builder.terms();
                    let word = terms.bits(64, word);
                    let here = terms.eq(*term, word);
                    one_of.push(here);
                    let (object, offset) = (terms.bits(32, u128::from(id.0)), terms.bits(32, u128::from(offset)));
                    whole = Some(match whole {
                        None => Address { object, offset },
                        Some(rest) => Address {
                            object: terms.ite(here, object, rest.object),
                            offset: terms.ite(here, offset, rest.offset),
                        },
                    });
                }
                let known = self.terms().or(&one_of);
                self.assume(known, false);
                let nowhere = self.terms().bits(32, 0);
                whole.unwrap_or(Address { object: nowhere, offset: nowhere })
            }
        }
    }
}
