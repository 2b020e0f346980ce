//! Along a run: the contents of memory that a thread knows inside an atomic section of a library. Values that it wrote
//! or read there do not change until the section ends. A second read of one is not an event, and of several writes to a
//! place only the last can be observed. For example, seeding a generator of random numbers makes a thousand accesses,
//! of which other threads can observe thirty.
//!
//! Only accesses at known places and of one width are remembered. An access whose place depends on other threads
//! discards all knowledge.

use std::collections::BTreeMap;

use events::EventId;

use crate::bounded::value::Value;

/// No access is wider.
const WIDEST: u64 = 16;

/// What lies at an address.
#[derive(Clone, Copy, Debug)]
struct Held {
    bytes: u32,
    value: Value,
    /// The write that made it, as long as it is unobserved.
    written: Option<EventId>,
}

#[derive(Clone, Debug, Default)]
pub struct Section(BTreeMap<u64, Held>);

impl Section {
    pub fn known(&self, at: u64, bytes: u32) -> Option<Value> {
        self.0.get(&at).filter(|held| held.bytes == bytes).map(|held| held.value)
    }

    /// These bytes were read by an event, and are this from now on.
    pub fn read(&mut self, at: u64, bytes: u32, value: Value) {
        // Writes that lie across them were observed.
        for (_, held) in self.across(at, bytes) {
            held.written = None;
        }
        self.0.entry(at).or_insert(Held { bytes, value, written: None });
    }

    /// An event wrote these bytes. Returns one before it that is never observed.
    pub fn wrote(&mut self, at: u64, bytes: u32, value: Value, event: EventId) -> Option<EventId> {
        let hidden = self.0.get(&at).filter(|held| held.bytes == bytes).and_then(|held| held.written);
        let across: Vec<u64> = self.across(at, bytes).map(|(other, _)| other).collect();
        for other in across {
            self.0.remove(&other);
        }
        self.0.insert(at, Held { bytes, value, written: Some(event) });
        hidden
    }

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
        let (mut section, five) = (Section::default(), Value::word(32, 5));
        assert_eq!(section.wrote(0x100, 4, five, EventId(1)), None);
        assert_eq!(section.known(0x100, 4), Some(five));
        assert_eq!((section.known(0x100, 2), section.known(0x102, 4)), (None, None));
        assert_eq!(section.wrote(0x100, 4, five, EventId(2)), Some(EventId(1)), "nobody has seen the first");
        section.read(0x102, 2, five);
        assert_eq!(section.wrote(0x100, 4, five, EventId(3)), None, "a part of the second was read");
        assert_eq!(section.known(0x102, 2), None, "it is something else now");
        assert_eq!(section.wrote(0x102, 4, five, EventId(4)), None, "a part of the third stays");
        assert_eq!(section.known(0x100, 4), None);
        section.forget();
        assert_eq!(section.wrote(0x102, 4, five, EventId(5)), None, "others may have come in between");
    }
}
