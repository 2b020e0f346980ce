//! What a thread knows inside of a section of a library that nobody interrupts: what it wrote or read there stays as it is
//! until the section ends. Reading it again is no event, and of several writes to a place only the last one is seen by others.
//! Seeding a generator of random numbers, say, is a thousand accesses, of which others can see thirty.
//!
//! Only what is at a known place and of one width is remembered. An access whose place others have an influence on ends
//! all that is known.

use std::collections::BTreeMap;

use events::EventId;
use formula::Term;

/// No access is wider.
const WIDEST: u64 = 16;

/// What lies at an address.
#[derive(Clone, Copy, Debug)]
struct Held {
    bytes: u32,
    /// None for a constant.
    term: Option<Term>,
    /// The write that put it there, as long as nobody can have seen it.
    written: Option<EventId>,
}

#[derive(Clone, Debug, Default)]
pub struct Section(BTreeMap<u64, Held>);

impl Section {
    /// What is known of so many bytes, if anything is; none inside for a constant.
    pub fn known(&self, at: u64, bytes: u32) -> Option<Option<Term>> {
        self.0.get(&at).filter(|held| held.bytes == bytes).map(|held| held.term)
    }

    /// These bytes were read by an event, and are this from now on.
    pub fn read(&mut self, at: u64, bytes: u32, term: Option<Term>) {
        // What lies across them was seen.
        for (_, held) in self.across(at, bytes) {
            held.written = None;
        }
        self.0.entry(at).or_insert(Held { bytes, term, written: None });
    }

    /// An event wrote these bytes. Returns one before it that nobody will ever see.
    pub fn wrote(&mut self, at: u64, bytes: u32, term: Option<Term>, event: EventId) -> Option<EventId> {
        let hidden = self.0.get(&at).filter(|held| held.bytes == bytes).and_then(|held| held.written);
        let across: Vec<u64> = self.across(at, bytes).map(|(other, _)| other).collect();
        for other in across {
            self.0.remove(&other);
        }
        self.0.insert(at, Held { bytes, term, written: Some(event) });
        hidden
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    fn across(&mut self, at: u64, bytes: u32) -> impl Iterator<Item = (u64, &mut Held)> {
        let range = at.saturating_sub(WIDEST)..at.saturating_add(u64::from(bytes));
        self.0
            .range_mut(range)
            .map(|(&other, held)| (other, held))
            .filter(move |(other, held)| *other + u64::from(held.bytes) > at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_write_that_nobody_has_seen_stays() {
        let mut section = Section::default();
        assert_eq!(section.wrote(0x100, 4, None, EventId(1)), None);
        assert_eq!(section.known(0x100, 4), Some(None));
        assert_eq!((section.known(0x100, 2), section.known(0x102, 4)), (None, None));
        assert_eq!(section.wrote(0x100, 4, None, EventId(2)), Some(EventId(1)), "nobody has seen the first");
        section.read(0x102, 2, None);
        assert_eq!(section.wrote(0x100, 4, None, EventId(3)), None, "a part of the second was read");
        assert_eq!(section.known(0x102, 2), None, "it is something else now");
        assert_eq!(section.wrote(0x102, 4, None, EventId(4)), None, "a part of the third stays");
        assert_eq!(section.known(0x100, 4), None);
        section.forget();
        assert_eq!(section.wrote(0x102, 4, None, EventId(5)), None, "others may have come in between");
    }
}
