//! Data protected by a mutex does not change while the mutex is held.
//!
//! If all threads that write to a place hold the same mutex, a thread that holds it too reads the value that it last
//! read or wrote there, without another event. The mutexes are learned from one round of walking to the next. The first
//! write without the mutex is on a path on which that was still true, so it is found.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use formula::Terms;

use crate::bounded::access::{Spot, Spots};
use crate::bounded::lives::UNKNOWN_ADDRESS;
use crate::bounded::objects::ObjectId;
use crate::bounded::sets::Somewhere;
use crate::bounded::state::Rest;
use crate::bounded::value::Value;
use crate::bounded::world::Walker;

/// By byte, or for all bytes of an object, the mutexes held at every write there.
#[derive(Debug, Default)]
pub struct Protected(HashMap<Somewhere, BTreeSet<u64>>);

impl Protected {
    /// Records a write under these mutexes; whether that is new.
    fn note(&mut self, place: Somewhere, bytes: u64, held: &BTreeSet<u64>) -> bool {
        let (object, offset) = place;
        let places = (0..if offset.is_some() { bytes } else { 1 }).map(|byte| (object, offset.map(|at| at + byte)));
        let mut news = false;
        for place in places {
            let known = self.0.entry(place).or_insert_with(|| {
                news = true;
                held.clone()
            });
            let before = known.len();
            known.retain(|mutex| held.contains(mutex));
            news |= known.len() < before;
        }
        news
    }

    /// Whether all writes there are under the same mutex.
    pub fn is_by_any(&self, place: Somewhere) -> bool {
        self.0.get(&place).is_none_or(|mutexes| !mutexes.is_empty())
    }

    /// A mutex of these that is held at all writes to these bytes.
    fn by(&self, object: ObjectId, offset: u64, bytes: u64, held: &BTreeSet<u64>) -> Option<u64> {
        let places = (0..bytes).map(|byte| (object, Some(offset + byte))).chain([(object, None)]);
        let known: Vec<&BTreeSet<u64>> = places.filter_map(|place| self.0.get(&place)).collect();
        let protects = |mutex: &&u64| known.iter().all(|mutexes| mutexes.contains(mutex));
        held.iter().find(protects).copied().filter(|_| !known.is_empty())
    }
}

/// A thread's knowledge of protected places: by object, offset and number of bytes, the mutex and the value.
#[derive(Clone, Debug, Default)]
pub struct Sure(BTreeMap<(ObjectId, u64, u32), (u64, Value)>);

impl Sure {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn forget(&mut self, spot: &Spot, bytes: u64) {
        let meets = |at: u64, length: u32| {
            spot.offset.is_none_or(|offset| offset < at + u64::from(length) && at < offset + bytes)
        };
        self.0.retain(|&(object, at, length), _| object != spot.object || !meets(at, length));
    }

    /// The common knowledge of both paths.
    pub fn join(&mut self, terms: &mut Terms, condition: formula::Term, other: &Sure) {
        self.0.retain(|place, (mutex, _)| other.0.get(place).is_some_and(|(theirs, _)| theirs == mutex));
        for (place, (_, value)) in &mut self.0 {
            if let Some(&(_, theirs)) = other.0.get(place) {
                *value = Value::choose(terms, condition, *value, theirs);
            }
        }
    }
}

impl Rest {
    /// A mutex is released, or may be.
    pub fn releases(&mut self, mutex: u64) {
        self.mutexes.remove(&mutex);
        if mutex >= UNKNOWN_ADDRESS {
            self.sure.clear();
            self.mutexes.clear();
        }
        self.sure.0.retain(|_, (by, _)| *by != mutex);
    }
}

impl Walker<'_, '_> {
    /// Remembers a mutex that this path certainly holds.
    pub fn holds_surely(&mut self, mutex: u64) {
        if mutex < UNKNOWN_ADDRESS {
            self.rest.mutexes.insert(mutex);
        }
    }

    /// The held mutex that protects the accessed place.
    fn protector(&self, spot: &Spot, bytes: u32) -> Option<u64> {
        let offset = spot.offset?;
        let known = &self.walk.known;
        let is_firm = |mutex: &u64| {
            let place = known.objects.resolve(*mutex);
            let is_loose = place.is_none_or(|(object, offset)| {
                known.loose.contains(&(object, Some(offset)))
                    || known.loose.contains(&(object, None))
                    || known.vague.contains(&object)
            });
            !is_loose && !known.destroyed.contains_key(mutex)
        };
        let held: BTreeSet<u64> = self.rest.mutexes.iter().copied().filter(is_firm).collect();
        known.protected.by(spot.object, offset, u64::from(bytes), &held)
    }

    /// The value that is certainly there.
    pub fn sure_value(&self, spots: &Spots, bytes: u32) -> Option<Value> {
        if self.walk.run.is_some() {
            return None;
        }
        let [spot] = spots.all[..] else { return None };
        let mutex = self.protector(&spot, bytes)?;
        let &(by, value) = self.rest.sure.0.get(&(spot.object, spot.offset?, bytes))?;
        (by == mutex).then_some(value)
    }

    /// Remembers the value of a read, as long as no other thread can change it.
    pub fn remember(&mut self, spots: &Spots, bytes: u32, value: Value) {
        if self.walk.run.is_some() {
            return;
        }
        if let [spot] = spots.all[..]
            && let (Some(offset), Some(mutex)) = (spot.offset, self.protector(&spot, bytes))
        {
            self.rest.sure.0.insert((spot.object, offset, bytes), (mutex, value));
        }
    }

    /// Other threads can observe that this path writes there.
    pub fn overwrites(&mut self, spots: &Spots, bytes: u32) {
        if self.walk.run.is_some() {
            return;
        }
        for spot in &spots.all {
            let known = &mut self.walk.known;
            let place = (spot.object, spot.offset);
            if known.protected.note(place, u64::from(bytes), &self.rest.mutexes) {
                known.news += 1;
            }
            self.rest.sure.forget(spot, u64::from(bytes));
        }
    }
}
