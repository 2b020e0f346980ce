//! Which values a term can have: the constants that it chooses between, what was ever stored where a symbol was read, and
//! places inside of an object where something unknown is added to an address.

use std::collections::{BTreeSet, HashMap, HashSet};

use formula::{Op, Term, Terms};
use semantics::address::function_at;
use semantics::int;

use crate::bounded::objects::{ObjectId, Objects, thread_of};

/// More values than this are not listed.
const MOST: usize = 128;
/// Terms are looked into only so far.
const DEEPEST: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    Word(u64),
    /// An address in this object.
    Within(ObjectId),
}

/// Some bytes of an object: those from an offset on, or any.
pub type Somewhere = (ObjectId, Option<u64>);

pub type Set = BTreeSet<Element>;

/// What was ever stored where.
#[derive(Debug, Default)]
pub struct Stored {
    at: HashMap<Somewhere, Set>,
    /// Places that hold values of which nothing is known.
    opaque: HashSet<Somewhere>,
    /// How often something was new.
    pub news: u64,
    /// How often all ways were walked. Sums of what is found grow from one time to the next without end, so that later
    /// ones are more generous.
    pub round: u32,
}

/// From this round on, numbers that are new make a place one of which nothing is known.
const FEWER_NUMBERS: u32 = 2;
/// From this round on, an address that is new stands for its whole object.
const FEWER_ADDRESSES: u32 = 4;

impl Stored {
    /// `None` for something of which nothing is known.
    pub fn add(&mut self, objects: &Objects, place: Somewhere, values: Option<Set>) {
        if self.opaque.contains(&place) {
            return;
        }
        let set = self.at.entry(place).or_default();
        let before = set.len();
        let mut known = values.is_some();
        for element in values.into_iter().flatten() {
            let object = match element {
                Element::Word(word) => objects.resolve(word).map(|(object, _)| object),
                Element::Within(object) => Some(object),
            };
            let is_new =
                !set.contains(&element) && !object.is_some_and(|object| set.contains(&Element::Within(object)));
            match object {
                _ if !is_new => {}
                Some(object) if self.round >= FEWER_ADDRESSES => drop(set.insert(Element::Within(object))),
                None if self.round >= FEWER_NUMBERS && !is_handle(element) => known = false,
                _ => drop(set.insert(element)),
            }
        }
        known &= set.len() <= MOST;
        self.news += u64::from(set.len() > before);
        if !known {
            self.news += u64::from(self.opaque.insert(place));
        }
    }

    fn collect(&self, place: Somewhere, all: &mut Set) -> bool {
        if self.opaque.contains(&place) {
            return false;
        }
        all.extend(self.at.get(&place).into_iter().flatten().copied());
        true
    }

    /// What a read of so many bytes can find.
    fn found(&self, objects: &Objects, place: Somewhere, bytes: u32) -> Option<Set> {
        let mut all = Set::new();
        let (object, offset) = place;
        let image = &objects.get(object).image;
        let word = |at: u64| {
            let byte = |number: u64| u64::from(image.get((at + number) as usize).copied().unwrap_or(0));
            (0..u64::from(bytes.min(8))).fold(0, |word, number| word | byte(number) << (8 * number))
        };
        match offset {
            Some(offset) => {
                all.insert(Element::Word(word(offset)));
                let known = self.collect((object, None), &mut all) && self.collect(place, &mut all);
                // A store that begins inside of what is read covers only a part of it.
                let inside = |step: u64| (object, Some(offset + step));
                let partly = (1..u64::from(bytes))
                    .any(|step| self.at.contains_key(&inside(step)) || self.opaque.contains(&inside(step)));
                (known && !partly).then_some(all)
            }
            None => {
                let ends = objects.get(object).size.saturating_sub(u64::from(bytes));
                all.extend((0..=ends).step_by(bytes.max(1) as usize).take(MOST + 1).map(|at| Element::Word(word(at))));
                let places: Vec<Somewhere> = self.at.keys().filter(|(other, _)| *other == object).copied().collect();
                places.into_iter().all(|place| self.collect(place, &mut all)).then_some(all)
            }
        }
        .filter(|all| all.len() <= MOST)
    }
}

/// Null, functions and threads: there are only so many of them.
fn is_handle(element: Element) -> bool {
    let Element::Word(word) = element else { return true };
    word == 0 || function_at(word).is_some() || thread_of(word).is_some()
}

/// Where symbols were read.
pub type Reads = HashMap<Term, (Vec<Somewhere>, u32)>;

pub struct Values<'a> {
    pub terms: &'a Terms,
    pub objects: &'a Objects,
    pub stored: &'a Stored,
    pub reads: &'a Reads,
}

impl Values<'_> {
    /// All values of a term, or nothing if they are too many or unknown.
    pub fn of(&self, term: Term) -> Option<Set> {
        self.values(term, &mut { DEEPEST })
    }

    fn values(&self, term: Term, depth: &mut usize) -> Option<Set> {
        *depth = depth.checked_sub(1)?;
        let set = match *self.terms.op(term) {
            Op::Bits { value, .. } => Some(Set::from([Element::Word(value as u64)])),
            Op::Ite(_, then, otherwise) if !self.terms.is_bool(term) => {
                let mut all = self.values(then, depth)?;
                all.extend(self.values(otherwise, depth)?);
                Some(all)
            }
            Op::Symbol(_) => {
                let (places, bytes) = self.reads.get(&term)?;
                let mut all = Set::new();
                for &place in places {
                    all.extend(self.stored.found(self.objects, place, *bytes)?);
                }
                Some(all)
            }
            Op::Add(a, b) => self.sum(a, b, term, depth),
            Op::Sub(a, b) => {
                let base = self.values(a, depth)?;
                match self.values(b, depth) {
                    Some(other) if other.len() == 1 => {
                        let Some(&Element::Word(other)) = other.first() else { return None };
                        Some(self.shifted(&base, other.wrapping_neg(), term))
                    }
                    _ => self.inside(&base),
                }
            }
            Op::ZeroExtend { of, .. } => self.values(of, depth),
            Op::Extract { high, low: 0, of } => {
                let mask = int::mask(high + 1) as u64;
                let cut = |element: Element| match element {
                    Element::Word(word) => Some(Element::Word(word & mask)),
                    Element::Within(_) => None,
                };
                self.values(of, depth)?.into_iter().map(cut).collect()
            }
            _ => None,
        }?;
        (set.len() <= MOST).then_some(set)
    }

    fn sum(&self, a: Term, b: Term, sum: Term, depth: &mut usize) -> Option<Set> {
        match (self.values(a, depth), self.values(b, depth)) {
            (Some(one), Some(other)) => {
                let mut all = Set::new();
                for &element in &other {
                    match element {
                        Element::Word(word) => all.extend(self.shifted(&one, word, sum)),
                        Element::Within(object) => drop(all.insert(Element::Within(object))),
                    }
                }
                Some(all)
            }
            (Some(known), None) | (None, Some(known)) => self.inside(&known),
            (None, None) => None,
        }
    }

    fn shifted(&self, set: &Set, by: u64, sum: Term) -> Set {
        let mask = int::mask(self.terms.width(sum).min(64)) as u64;
        let shift = |element: &Element| match *element {
            Element::Word(word) => Element::Word(word.wrapping_add(by) & mask),
            within => within,
        };
        set.iter().map(shift).collect()
    }

    /// Something unknown is added: to what is no address, that gives none either.
    fn inside(&self, set: &Set) -> Option<Set> {
        let place = |element: &Element| match *element {
            Element::Word(word) => self.objects.resolve(word).map(|(object, _)| Element::Within(object)),
            within => Some(within),
        };
        let places: Set = set.iter().filter_map(place).collect();
        (!places.is_empty()).then_some(places)
    }
}
