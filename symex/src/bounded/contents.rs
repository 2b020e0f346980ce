//! The contents of an object as one thread knows them: the initial image and the writes over it.

use std::collections::BTreeMap;

use formula::{Term, Terms};

use crate::bounded::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunk {
    bytes: u32,
    value: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    chunks: BTreeMap<u32, Chunk>,
    /// Whether the object has ended.
    ended: Term,
    /// Whether it had ended before other threads existed.
    ended_early: Term,
}

impl Contents {
    pub fn new(terms: &Terms) -> Contents {
        Contents { chunks: BTreeMap::new(), ended: terms.falsehood(), ended_early: terms.falsehood() }
    }

    pub fn ended(&self) -> Term {
        self.ended
    }

    /// The object ends here; `seen` if other threads exist, which may see that.
    pub fn end(&mut self, terms: &Terms, seen: bool) {
        self.ended = terms.truth();
        if !seen {
            self.ended_early = terms.truth();
        }
    }

    /// The contents for a thread that is created: an end while other threads exist must be read from the object's cell.
    pub fn found_by_created(&self) -> Contents {
        Contents { ended: self.ended_early, ..self.clone() }
    }

    /// Whether the creator of a thread knows of an end that the thread does not.
    pub fn ended_late(&self) -> bool {
        self.ended != self.ended_early
    }

    /// The writes: offset, length and value of each.
    pub fn pieces(&self) -> impl Iterator<Item = (u32, u32, Value)> + '_ {
        self.chunks.iter().map(|(&offset, chunk)| (offset, chunk.bytes, chunk.value))
    }

    pub fn read(&self, terms: &mut Terms, image: &[u8], offset: u32, bytes: u32) -> Value {
        if let Some(chunk) = self.chunks.get(&offset)
            && chunk.bytes == bytes
        {
            return chunk.value;
        }
        let first = self.chunks.range(..=offset).next_back().map_or(offset, |(&begin, _)| begin);
        let overlaps = |(&begin, chunk): (&u32, &Chunk)| {
            (begin < offset + bytes && begin + chunk.bytes > offset).then_some((begin, *chunk))
        };
        let chunks: Vec<(u32, Chunk)> = self.chunks.range(first..offset + bytes).filter_map(overlaps).collect();
        let known = chunks.iter().all(|(_, chunk)| chunk.value.as_word().is_some());
        let byte_at = |at: u32| chunks.iter().find(|(begin, chunk)| (*begin..begin + chunk.bytes).contains(&at));
        if known {
            let mut word = 0;
            for byte in (0..bytes).rev() {
                let at = offset + byte;
                let value = match byte_at(at) {
                    Some((begin, chunk)) => chunk.value.as_word().unwrap_or(0) >> (8 * (at - begin)) & 0xff,
                    None => u128::from(image.get(at as usize).copied().unwrap_or(0)),
                };
                word = word << 8 | value;
            }
            return Value::word(8 * bytes, word);
        }
        let mut all: Option<Term> = None;
        for at in offset..offset + bytes {
            let part = match byte_at(at) {
                Some((begin, chunk)) => {
                    let whole = chunk.value.term(terms, 8 * chunk.bytes);
                    let low = 8 * (at - begin);
                    terms.extract(whole, low + 7, low)
                }
                None => terms.bits(8, u128::from(image.get(at as usize).copied().unwrap_or(0))),
            };
            all = Some(match all {
                None => part,
                Some(low) => terms.concat(part, low),
            });
        }
        match all {
            Some(term) => Value::of(terms, term),
            None => Value::word(8, 0),
        }
    }

    pub fn write(&mut self, terms: &mut Terms, offset: u32, bytes: u32, value: Value) {
        let first = self.chunks.range(..offset).next_back().map_or(offset, |(&begin, _)| begin);
        let touched: Vec<(u32, Chunk)> = self
            .chunks
            .range(first..offset + bytes)
            .filter(|&(&begin, chunk)| begin + chunk.bytes > offset)
            .map(|(&begin, chunk)| (begin, *chunk))
            .collect();
        for (begin, chunk) in touched {
            self.chunks.remove(&begin);
            let end = begin + chunk.bytes;
            for (from, to) in [(begin, offset.min(end)), ((offset + bytes).max(begin), end)] {
                if from < to {
                    let value = part(terms, chunk, from - begin, to - from);
                    self.chunks.insert(from, Chunk { bytes: to - from, value });
                }
            }
        }
        self.chunks.insert(offset, Chunk { bytes, value });
    }

    /// The contents if the condition decides between the two.
    pub fn choose(terms: &mut Terms, image: &[u8], condition: Term, then: &Contents, otherwise: &Contents) -> Contents {
        let mut joined = then.clone();
        joined.ended = terms.ite(condition, then.ended, otherwise.ended);
        joined.ended_early = terms.ite(condition, then.ended_early, otherwise.ended_early);
        for (offset, bytes) in then.differs_from(otherwise) {
            let (one, other) = (then.read(terms, image, offset, bytes), otherwise.read(terms, image, offset, bytes));
            let value = Value::choose(terms, condition, one, other);
            joined.write(terms, offset, bytes, value);
        }
        joined
    }

    /// The condition that both are equal.
    pub fn same(&self, terms: &mut Terms, image: &[u8], other: &Contents) -> Term {
        let mut same = vec![terms.iff(self.ended, other.ended)];
        for (offset, bytes) in self.differs_from(other) {
            let (own, theirs) = (self.read(terms, image, offset, bytes), other.read(terms, image, offset, bytes));
            same.push(own.same(terms, theirs));
        }
        terms.and(&same)
    }

    /// Whether a concrete value has become another one.
    pub fn moves_to(&self, later: &Contents) -> bool {
        self.chunks.iter().any(|(at, before)| {
            let after = later.chunks.get(at).map(|after| after.value);
            after.is_some_and(|after| {
                before.value != after && before.value.as_word().is_some() && after.as_word().is_some()
            })
        })
    }

    /// Offsets and lengths at which the two differ.
    fn differs_from(&self, other: &Contents) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for (one, other) in [(self, other), (other, self)] {
            for (&begin, chunk) in &one.chunks {
                match other.chunks.get(&begin) {
                    Some(same) if same.bytes == chunk.bytes => {
                        if same.value != chunk.value {
                            ranges.push((begin, chunk.bytes));
                        }
                    }
                    _ => {
                        let crosses =
                            |(&at, piece): (&u32, &Chunk)| at < begin + chunk.bytes && at + piece.bytes > begin;
                        if other.chunks.range(begin.saturating_sub(16)..begin + chunk.bytes).any(crosses) {
                            ranges.extend((begin..begin + chunk.bytes).map(|at| (at, 1)));
                        } else {
                            ranges.push((begin, chunk.bytes));
                        }
                    }
                }
            }
        }
        ranges.sort_unstable();
        ranges.dedup();
        ranges
    }
}

/// Some bytes of a chunk.
fn part(terms: &mut Terms, chunk: Chunk, from: u32, bytes: u32) -> Value {
    match chunk.value {
        Value::Word { word, .. } => Value::word(8 * bytes, word >> (8 * from)),
        Value::Term(_) => {
            let whole = chunk.value.term(terms, 8 * chunk.bytes);
            let term = terms.extract(whole, 8 * (from + bytes) - 1, 8 * from);
            Value::of(terms, term)
        }
    }
}

#[cfg(test)]
mod tests {
    use formula::Sort;

    use super::*;

    #[test]
    fn pieces_come_back_whole_and_in_parts() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", Sort::Bits(32));
        let mut contents = Contents::new(&terms);
        contents.write(&mut terms, 4, 4, Value::Term(symbol));
        assert_eq!(contents.read(&mut terms, &[], 4, 4), Value::Term(symbol));
        contents.write(&mut terms, 6, 1, Value::word(8, 0xab));
        let low = terms.extract(symbol, 15, 0);
        assert_eq!(contents.read(&mut terms, &[], 4, 2), Value::Term(low));
        assert_eq!(contents.read(&mut terms, &[], 6, 1), Value::word(8, 0xab));
        assert_eq!(contents.read(&mut terms, &[0, 1, 2, 3], 0, 4), Value::word(32, 0x0302_0100));
    }

    #[test]
    fn a_choice_keeps_what_both_have() {
        let mut terms = Terms::new();
        let condition = terms.symbol("c", Sort::Bool);
        let (mut one, mut other) = (Contents::new(&terms), Contents::new(&terms));
        for contents in [&mut one, &mut other] {
            contents.write(&mut terms, 0, 4, Value::word(32, 7));
        }
        one.write(&mut terms, 8, 4, Value::word(32, 5));
        let joined = Contents::choose(&mut terms, &[0; 16], condition, &one, &other);
        assert_eq!(joined.read(&mut terms, &[0; 16], 0, 4), Value::word(32, 7));
        let (five, zero) = (terms.bits(32, 5), terms.bits(32, 0));
        let expected = terms.ite(condition, five, zero);
        assert_eq!(joined.read(&mut terms, &[0; 16], 8, 4), Value::Term(expected));
    }
}
