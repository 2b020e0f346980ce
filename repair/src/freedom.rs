//! The parallelism that remains after a change, as far as runs show it.
//!
//! A lock around everything makes every program correct. Two measures distinguish it from a repair: the share of
//! conflicting accesses that can still occur in both orders, and whether threads that overlapped no longer do. A thread
//! whose only action is one critical section never overlaps with its like after any repair, so a lost overlap counts
//! only if a lock is held over several iterations of a loop, between which the other thread had its turn.

use std::collections::{BTreeMap, BTreeSet};

use report::{Event, EventKind};

use crate::facts::family;

/// The name of the first thread.
const MAIN: &str = "0";

/// Pairs of threads with families of objects.
type Pairs = BTreeMap<(String, String), BTreeSet<String>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Freedom {
    /// Pairs of threads that overlap: one has an event between the start and the exit of the other. With the families
    /// of its events there.
    lives: Pairs,
    /// Pairs of threads that alternate: one has an event between two events of the other. Start and exit do not count.
    turns: Pairs,
    /// What each thread touches.
    touched: BTreeSet<(String, String)>,
    /// Threads that hold a lock over several rounds of a loop.
    loops_held: BTreeSet<String>,
    /// Pairs of conflicting accesses by object and threads, in the order in which they were first met.
    orders: BTreeSet<(String, String, String)>,
}

impl Freedom {
    pub fn add(&mut self, events: &[Event]) {
        let mut lives: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
        let mut deeds: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
        let mut first: BTreeMap<(String, String), (usize, bool)> = BTreeMap::new();
        let mut held: BTreeMap<String, Held> = BTreeMap::new();
        for (position, event) in events.iter().enumerate() {
            let thread = event.thread().to_string();
            let object = family(event.subject());
            let idles = matches!(event.kind, EventKind::Start | EventKind::Fork | EventKind::Join | EventKind::Exit);
            if !idles {
                deeds.entry(thread.clone()).or_default().push((position, object.clone()));
                self.touched.insert((thread.clone(), object.clone()));
            }
            // The main thread lives as long as the process: its start, forks, joins and exit are no overlap.
            if !(idles && thread == MAIN) {
                let object = if idles { String::new() } else { object.clone() };
                lives.entry(thread.clone()).or_default().push((position, object));
            }
            if held.entry(thread.clone()).or_default().goes_round(event) {
                self.loops_held.insert(thread.clone());
            }
            if event.kind.is_access() && !event.object.is_empty() {
                let writes = event.kind != EventKind::Read;
                let entry = first.entry((object, thread)).or_insert((position, writes));
                entry.1 |= writes;
            }
        }
        overlaps(&lives, &mut self.lives);
        overlaps(&deeds, &mut self.turns);
        for ((object, one), (at, writes)) in &first {
            for ((other_object, other), (later, also)) in &first {
                if object == other_object && one != other && (*writes || *also) && at < later {
                    self.orders.insert((object.clone(), one.clone(), other.clone()));
                }
            }
        }
    }

    /// Whether threads that ran beside each other before the change no longer do. What a thread no longer does at all, such as reading
    /// a variable of which it has a copy now, it need not do beside another.
    pub fn serialises(&self, before: &Freedom) -> bool {
        let holds = |thread: &String| self.loops_held.contains(thread) && !before.loops_held.contains(thread);
        let goes_on = |(one, other): &(String, String), families: &BTreeSet<String>| {
            let does = |thread: &String, object: &String| self.touched.contains(&(thread.clone(), object.clone()));
            families.iter().any(|object| object.is_empty() || does(one, object) || does(other, object))
        };
        let mut ended = before.lives.iter().filter(|(pair, _)| !self.lives.contains_key(*pair));
        let mut lost = before.turns.keys().filter(|pair| !self.turns.contains_key(*pair));
        ended.any(|(pair, families)| goes_on(pair, families)) || lost.any(|(one, other)| holds(one) || holds(other))
    }

    /// The share of conflicting pairs that could come in both orders before the change and still can.
    pub fn permissiveness(&self, before: &Freedom) -> f64 {
        // Objects that are no longer shared do not matter.
        let is_shared = |(object, one, other): &&(String, String, String)| {
            let touches = |thread: &String| self.touched.contains(&(thread.clone(), object.clone()));
            touches(one) && touches(other)
        };
        match before.orders.iter().filter(|pair| before.goes_both_ways(pair)).filter(is_shared).count() {
            0 => 1.0,
            both => (self.both_ways() as f64 / both as f64).min(1.0),
        }
    }

    /// Conflicting pairs that were met in both orders.
    fn both_ways(&self) -> usize {
        self.orders.iter().filter(|pair| self.goes_both_ways(pair)).count()
    }

    fn goes_both_ways(&self, (object, one, other): &(String, String, String)) -> bool {
        self.orders.contains(&(object.clone(), other.clone(), one.clone()))
    }
}

/// The pairs of threads of which one has a position between the first and the last of the other.
fn overlaps(positions: &BTreeMap<String, Vec<(usize, String)>>, pairs: &mut Pairs) {
    for (one, of_one) in positions {
        for (other, of_other) in positions.iter().filter(|(other, _)| *other != one && *other != MAIN) {
            let (Some((begin, _)), Some((end, _))) = (of_other.first(), of_other.last()) else { continue };
            let mut between = of_one.iter().filter(|(position, _)| begin < position && position < end).peekable();
            if between.peek().is_some() {
                let (one, other) = if one < other { (one, other) } else { (other, one) };
                let families = pairs.entry((one.clone(), other.clone())).or_default();
                families.extend(between.map(|(_, object)| object.clone()));
            }
        }
    }
}

/// The locks that a thread holds, and where it changed something since it took the first of them.
#[derive(Default)]
struct Held {
    locks: u32,
    changed: BTreeSet<(String, u32, EventKind)>,
}

impl Held {
    /// Takes the thread's next event; whether it came to the same change or the same inner lock before, under the same lock.
    fn goes_round(&mut self, event: &Event) -> bool {
        match event.kind {
            EventKind::Lock | EventKind::WriteLock => self.locks += 1,
            EventKind::Unlock | EventKind::RwUnlock => self.locks = self.locks.saturating_sub(1),
            // A waiting thread lets the others in.
            EventKind::Wait => self.locks = 0,
            _ => {}
        }
        if self.locks == 0 {
            self.changed.clear();
            return false;
        }
        let changes = matches!(event.kind, EventKind::Write | EventKind::Rmw | EventKind::Lock | EventKind::WriteLock);
        let place = event.at.user_place().filter(|_| changes);
        place.is_some_and(|place| !self.changed.insert((place.file.clone(), place.line, event.kind)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Pairs {
        let families = || BTreeSet::from([String::new()]);
        list.iter().map(|&(one, other)| ((one.to_owned(), other.to_owned()), families())).collect()
    }

    #[test]
    fn what_is_no_longer_done_need_not_overlap() {
        let pair = ("0".to_owned(), "0.1".to_owned());
        let before =
            Freedom { lives: BTreeMap::from([(pair, BTreeSet::from(["i".to_owned()]))]), ..Freedom::default() };
        assert!(!Freedom::default().serialises(&before));
        let touched = BTreeSet::from([("0".to_owned(), "i".to_owned())]);
        assert!(Freedom { touched, ..Freedom::default() }.serialises(&before));
    }

    #[test]
    fn a_lost_overlap_counts_where_a_lock_is_held_over_a_loop() {
        let both = pairs(&[("0.1", "0.2")]);
        let before = Freedom { lives: both.clone(), turns: both.clone(), ..Freedom::default() };
        let one_section = Freedom { lives: both.clone(), ..Freedom::default() };
        assert!(!one_section.serialises(&before));
        let around_the_loop = Freedom { loops_held: BTreeSet::from(["0.1".to_owned()]), ..one_section.clone() };
        assert!(around_the_loop.serialises(&before));
        let in_turns = Freedom { turns: both, ..around_the_loop };
        assert!(!in_turns.serialises(&before));
        assert!(Freedom::default().serialises(&before), "one ends before the other begins");
    }
}
