//! Value sets of terms: the constants that a term chooses between, the values stored at the places where a symbol is
//! read, and addresses anywhere in an object if an unknown offset is added to an address.
//!
//! Each value carries its dependences (`pasts`), because a thread cannot read a value that depends on its own later
//! actions.
//!
//! A set may be open: then it lists only the known values, and its user must account for the others.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use formula::{Op, Term, Terms};
use semantics::address::function_at;
use semantics::int;

use crate::bounded::objects::{ObjectId, Objects, thread_of};
use crate::bounded::pasts::{Looking, Pasts};
use crate::bounded::place::Key;

/// At most this many values are listed.
const MOST: usize = 128;
/// How far outside an object a constant may lie and still count as an address relative to it.
const AROUND: u64 = 1 << 12;
/// At most this many terms are visited.
const DEEPEST: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    Word(u64),
    /// Any address in this object.
    Within(ObjectId),
}

/// Values with their dependences.
type Known = BTreeMap<Element, Pasts>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    known: Known,
    /// There may be other values.
    open: bool,
    /// There may be other values, but only differences of addresses in different objects.
    wild: bool,
}

impl Set {
    fn unknown() -> Set {
        Set { open: true, ..Set::none() }
    }

    fn none() -> Set {
        Set { known: Known::new(), open: false, wild: false }
    }

    pub fn one(word: u64) -> Set {
        Set { known: Known::from([(Element::Word(word), Pasts::none())]), ..Set::none() }
    }

    /// Whether there may be values that are not listed.
    pub fn has_others(&self) -> bool {
        self.open || self.wild
    }

    /// The listed values.
    pub fn known(&self) -> impl ExactSizeIterator<Item = Element> + '_ {
        self.known.keys().copied()
    }

    pub fn contains(&self, element: Element) -> bool {
        self.known.contains_key(&element)
    }

    /// A place of a thread contributes to all values.
    pub fn pass(&mut self, thread: usize, key: &Key) {
        self.known.values_mut().for_each(|pasts| *pasts = pasts.through(thread, key));
    }

    /// Keeps the smallest values of a large set, which is open then.
    fn limit(&mut self) {
        if let Some((&first, _)) = self.known.iter().nth(MOST) {
            self.known.split_off(&first);
            self.open = true;
        }
    }

    fn insert(&mut self, element: Element, pasts: &Pasts) {
        note(&mut self.known, element, pasts);
    }

    fn join(&mut self, other: &Set) {
        for (&element, pasts) in &other.known {
            self.insert(element, pasts);
        }
        self.open |= other.open;
        self.wild |= other.wild;
    }
}

/// Adds a value. Returns whether that changed anything.
fn note(known: &mut Known, element: Element, pasts: &Pasts) -> bool {
    match known.entry(element) {
        Entry::Occupied(mut known) => known.get_mut().extend(pasts),
        Entry::Vacant(place) => {
            place.insert(pasts.clone());
            true
        }
    }
}

/// Bytes of an object from an offset on, or at any offset.
pub type Somewhere = (ObjectId, Option<u64>);

/// The values ever stored, by place.
#[derive(Debug, Default)]
pub struct Stored {
    at: HashMap<Somewhere, Known>,
    /// Places whose value sets are open.
    open: HashSet<Somewhere>,
    wild: HashSet<Somewhere>,
    /// How many bytes were stored at a time.
    widths: HashMap<Somewhere, BTreeSet<u32>>,
    /// The number of changes.
    pub news: u64,
    /// The number of the walk. Value sets of sums can grow in every round without end, so later rounds widen them.
    pub round: u32,
}

/// From this round on, new numbers are no longer listed.
const FEWER_NUMBERS: u32 = 6;
/// From this round on, a new address is widened to its whole object.
const FEWER_ADDRESSES: u32 = 8;

impl Stored {
    pub fn add(&mut self, objects: &Objects, place: Somewhere, bytes: u32, values: &Set) {
        let set = self.at.entry(place).or_default();
        let (mut news, mut open) = (false, values.open);
        for (&element, pasts) in &values.known {
            let object = match element {
                Element::Word(word) => objects.resolve(word).map(|(object, _)| object),
                Element::Within(object) => Some(object),
            };
            let within = object.map(Element::Within).filter(|within| set.contains_key(within));
            match object {
                _ if let Some(within) = within => news |= note(set, within, pasts),
                _ if set.contains_key(&element) => news |= note(set, element, pasts),
                Some(object) if self.round >= FEWER_ADDRESSES => news |= note(set, Element::Within(object), pasts),
                None if self.round >= FEWER_NUMBERS && !is_handle(element) => open = true,
                _ if set.len() >= MOST => open = true,
                _ => news |= note(set, element, pasts),
            }
        }
        self.news += u64::from(news);
        self.news += u64::from(open && self.open.insert(place));
        self.news += u64::from(values.wild && self.wild.insert(place));
        self.news += u64::from(self.widths.entry(place).or_default().insert(bytes));
    }

    fn collect(&self, place: Somewhere, read: &Read, all: &mut Set) {
        let bytes = read.bytes;
        let fits = |widths: &BTreeSet<u32>| widths.iter().all(|&width| width == bytes);
        all.wild |= self.wild.contains(&place);
        all.open |= self.open.contains(&place) || !self.widths.get(&place).is_none_or(fits);
        for (&element, pasts) in self.at.get(&place).into_iter().flatten() {
            if let Some(pasts) = pasts.before(&read.looking) {
                all.insert(element, &pasts);
            }
        }
    }

    /// The values that a read can observe.
    fn found(&self, objects: &Objects, place: Somewhere, read: &Read) -> Set {
        let mut all = Set::none();
        let (object, offset) = place;
        let bytes = read.bytes;
        let image = &objects.get(object).image;
        let word = |at: u64| {
            let byte = |number: u64| u64::from(image.get((at + number) as usize).copied().unwrap_or(0));
            (0..u64::from(bytes.min(8))).fold(0, |word, number| word | byte(number) << (8 * number))
        };
        match offset {
            Some(offset) => {
                all.insert(Element::Word(word(offset)), &Pasts::none());
                self.collect((object, None), read, &mut all);
                self.collect(place, read, &mut all);
                // A store that begins inside the read bytes, or before them, may cover only a part.
                let parts = (1..u64::from(bytes)).map(|step| (object, Some(offset + step)));
                all.open |= parts.into_iter().any(|part| self.at.contains_key(&part));
                let before = (1..16).filter_map(|step| offset.checked_sub(step).map(|at| (step, (object, Some(at)))));
                let reaches = |(step, place): (u64, Somewhere)| {
                    self.widths.get(&place).is_some_and(|widths| widths.iter().any(|&width| u64::from(width) > step))
                };
                all.open |= before.into_iter().any(reaches);
            }
            None => {
                let ends = objects.get(object).size.saturating_sub(u64::from(bytes));
                let words = (0..=ends).step_by(bytes.max(1) as usize).take(MOST + 1);
                words.for_each(|at| all.insert(Element::Word(word(at)), &Pasts::none()));
                let places: Vec<Somewhere> = self.at.keys().filter(|(other, _)| *other == object).copied().collect();
                places.into_iter().for_each(|place| self.collect(place, read, &mut all));
            }
        }
        all
    }
}

fn is_word(element: Element) -> bool {
    matches!(element, Element::Word(_))
}

/// Whether all pairs of values can be listed.
fn few_pairs(base: &Set, number: &Set) -> bool {
    !number.open && base.known.len() * number.known.len() <= MOST && number.known().all(is_word)
}

/// Null, functions and thread handles: the set is finite.
fn is_handle(element: Element) -> bool {
    let Element::Word(word) = element else { return true };
    word == 0 || function_at(word).is_some() || thread_of(word).is_some()
}

/// The read that a symbol is the result of.
#[derive(Clone, Debug)]
pub struct Read {
    pub places: Vec<Somewhere>,
    pub bytes: u32,
    pub looking: Looking,
}

/// By symbol.
pub type Reads = HashMap<Term, Read>;

/// By term used as an address: the addresses at which the use was possible.
pub type Refined = BTreeMap<Term, BTreeSet<Element>>;

/// The common refinement of two joined paths.
pub fn join_refined(one: &mut Rc<Refined>, other: &Rc<Refined>) {
    if Rc::ptr_eq(one, other) {
        return;
    }
    let own = Rc::make_mut(one);
    own.retain(|term, _| other.contains_key(term));
    for (term, elements) in own {
        elements.extend(other.get(term).into_iter().flatten());
    }
}

pub struct Values<'a> {
    pub terms: &'a Terms,
    pub objects: &'a Objects,
    pub stored: &'a Stored,
    pub reads: &'a Reads,
    pub refined: &'a Refined,
    /// Whether differences of addresses in different objects are listed too.
    pub exact: bool,
}

/// Value sets already computed, valid until new values are stored.
#[derive(Default)]
pub struct Found {
    sets: HashMap<Term, Rc<Set>>,
    /// The bound for the number of terms.
    most: usize,
}

impl Values<'_> {
    pub fn of(&self, term: Term) -> Rc<Set> {
        self.of_among(term, &mut Found::default())
    }

    /// As [`Values::of`], with a cache that is kept between calls.
    pub fn of_among(&self, term: Term, found: &mut Found) -> Rc<Set> {
        found.most = found.sets.len() + DEEPEST;
        self.values(term, found)
    }

    /// The value sets of subterms are cached, because terms share subterms.
    fn values(&self, term: Term, found: &mut Found) -> Rc<Set> {
        if let Some(known) = found.sets.get(&term) {
            return known.clone();
        }
        if found.sets.len() >= found.most {
            return Rc::new(Set::unknown());
        }
        found.sets.insert(term, Rc::new(Set::unknown()));
        let mut set = self.values_now(term, found);
        if let Some(refined) = self.refined.get(&term) {
            let within = |object: ObjectId| refined.contains(&Element::Within(object));
            set.known.retain(|element, _| match *element {
                Element::Word(word) => {
                    refined.contains(element) || self.objects.resolve(word).is_some_and(|(object, _)| within(object))
                }
                Element::Within(object) => within(object),
            });
            (set.open, set.wild) = (false, false);
        }
        set.limit();
        let set = Rc::new(set);
        found.sets.insert(term, set.clone());
        set
    }

    fn values_now(&self, term: Term, found: &mut Found) -> Set {
        match *self.terms.op(term) {
            Op::Bits { value, .. } => Set::one(value as u64),
            Op::Ite(_, then, otherwise) if !self.terms.is_bool(term) => {
                let mut all = Set::clone(&self.values(then, found));
                all.join(&self.values(otherwise, found));
                all
            }
            Op::Symbol(_) => {
                let Some(read) = self.reads.get(&term) else { return Set::unknown() };
                let mut all = Set::none();
                for &place in &read.places {
                    all.join(&self.stored.found(self.objects, place, read));
                }
                all
            }
            Op::Add(a, b) => {
                let (one, other) = (self.values(a, found), self.values(b, found));
                let few = few_pairs(&one, &other) && few_pairs(&other, &one);
                // If both sets are small, all sums are listed, addresses or not.
                if !few && self.is_difference(term, found) {
                    return Set::unknown();
                }
                self.sum(&one, &other, term, false)
            }
            Op::Sub(a, b) => {
                let (one, other) = (self.values(a, found), self.values(b, found));
                // The difference of two addresses.
                if other.known().any(|element| self.is_address(element)) {
                    return self.distances(&one, &other, term);
                }
                self.sum(&one, &other, term, true)
            }
            Op::ZeroExtend { of, .. } => Set::clone(&self.values(of, found)),
            Op::Extract { high, low: 0, of } => {
                let mask = int::mask(high + 1) as u64;
                let mut all = Set::none();
                let whole = self.values(of, found);
                (all.open, all.wild) = (whole.open, whole.wild);
                for (&element, pasts) in &whole.known {
                    match element {
                        Element::Word(word) => all.insert(Element::Word(word & mask), pasts),
                        Element::Within(_) => all.open = true,
                    }
                }
                all
            }
            _ => self.image(term, found),
        }
    }

    /// Whether a sum contains both an address and a negated address of the same object: then the address says nothing
    /// about where the sum points.
    fn is_difference(&self, sum: Term, found: &mut Found) -> bool {
        let (mut constant, mut summands, mut left) = (0_u64, Vec::new(), vec![sum]);
        while let Some(term) = left.pop() {
            match *self.terms.op(term) {
                Op::Add(a, b) => left.extend([a, b]),
                Op::Bits { value, .. } => constant = constant.wrapping_add(value as u64),
                _ => summands.push(term),
            }
            if summands.len() > MOST {
                return true;
            }
        }
        let negated = constant.wrapping_neg();
        let mut cancels = |term: Term| {
            self.values(term, found).known().any(|element| {
                let object = match element {
                    Element::Word(word) => self.objects.resolve(word).map(|(object, _)| object),
                    Element::Within(object) => Some(object),
                };
                object.is_some_and(|object| {
                    let object = self.objects.get(object);
                    negated >= object.base.saturating_sub(AROUND) && negated <= object.base + object.size + AROUND
                })
            })
        };
        summands.into_iter().any(&mut cancels)
    }

    /// Whether the operation is typical for lengths and sizes. For other operations a part of the values is of no use.
    fn measures(&self, term: Term) -> bool {
        matches!(
            self.terms.op(term),
            Op::Sub(..)
                | Op::Mul(..)
                | Op::Udiv(..)
                | Op::Sdiv(..)
                | Op::Shl(..)
                | Op::Concat(..)
                | Op::Extract { .. }
                | Op::SignExtend { .. }
        )
    }

    /// The results of an operation for all combinations of its operands' values.
    fn image(&self, term: Term, found: &mut Found) -> Set {
        let mut operands: Vec<Term> = self.terms.op(term).operands().collect();
        operands.sort_unstable();
        operands.dedup();
        let is_narrow = |term: Term| !self.terms.is_bool(term) && self.terms.width(term) <= 64;
        if !is_narrow(term) || operands.is_empty() || !operands.iter().all(|&operand| is_narrow(operand)) {
            return Set::unknown();
        }
        let mut all = Set::none();
        let mut lists: Vec<Vec<(u64, Pasts)>> = Vec::new();
        for &operand in &operands {
            let set = self.values(operand, found);
            let word = |(element, pasts): (&Element, &Pasts)| match *element {
                Element::Word(word) => Some((word, pasts.clone())),
                Element::Within(_) => None,
            };
            all.wild |= set.wild;
            let words: Vec<(u64, Pasts)> = set.known.iter().filter_map(word).collect();
            all.open |= set.open || words.len() < set.known.len();
            lists.push(words);
        }
        let count =
            |lists: &[Vec<(u64, Pasts)>]| lists.iter().fold(1_usize, |all, list| all.saturating_mul(list.len()));
        all.open |= count(&lists) > 8 * MOST;
        if all.open && !self.measures(term) {
            return Set { wild: all.wild, ..Set::unknown() };
        }
        // Keeps the smallest values of large sets; the result is open.
        while all.open
            && count(&lists) > MOST
            && let Some(longest) = lists.iter_mut().max_by_key(|list| list.len())
        {
            longest.truncate(longest.len() / 2);
        }
        let tried = count(&lists);
        for choice in 0..tried {
            let mut rest = choice;
            let mut chosen = HashMap::new();
            let mut made_of = Pasts::none();
            for (&operand, list) in operands.iter().zip(&lists) {
                let (word, pasts) = &list[rest % list.len()];
                chosen.insert(operand, u128::from(*word));
                made_of = made_of.joined(pasts);
                rest /= list.len();
            }
            match self.terms.compute(term, |operand| chosen[&operand]) {
                Some(word) => all.insert(Element::Word(word as u64), &made_of),
                None => return Set::unknown(),
            }
        }
        all
    }

    /// The truth value of a condition, if it is the same for all values of its operands.
    pub fn truth(&self, condition: Term) -> Option<bool> {
        let compared = match *self.terms.op(condition) {
            Op::Not(negated) => return self.truth(negated).map(|truth| !truth),
            Op::Eq(a, b) | Op::Ult(a, b) | Op::Slt(a, b) => [a, b],
            _ => return None,
        };
        let width = self.terms.width(compared[0]).min(64);
        let holds = |one: u64, other: u64| match *self.terms.op(condition) {
            Op::Ult(..) => one < other,
            Op::Slt(..) => int::signed(u128::from(one), width) < int::signed(u128::from(other), width),
            _ => one == other,
        };
        let [ones, others] = compared.map(|term| self.of(term));
        if ones.has_others() || others.has_others() || self.terms.width(compared[0]) > 64 {
            return None;
        }
        let mut truth = None;
        for one in ones.known.keys() {
            for other in others.known.keys() {
                let (&Element::Word(one), &Element::Word(other)) = (one, other) else { return None };
                let holds = holds(one, other);
                if *truth.get_or_insert(holds) != holds {
                    return None;
                }
            }
        }
        truth
    }

    fn is_address(&self, element: Element) -> bool {
        match element {
            Element::Word(word) => self.objects.resolve(word).is_some(),
            Element::Within(_) => true,
        }
    }

    /// The sums of an address and a number, or of two numbers.
    fn sum(&self, one: &Set, other: &Set, sum: Term, subtracts: bool) -> Set {
        let mask = int::mask(self.terms.width(sum).min(64)) as u64;
        let points = [one, other].map(|set| set.known().any(|element| self.is_address(element)));
        let (base, number) = match points {
            [true, true] if !few_pairs(one, other) || !one.known().all(is_word) => return Set::unknown(),
            [false, true] if !subtracts => (other, one),
            _ => (one, other),
        };
        let few = few_pairs(base, number);
        if !points.contains(&true) && !few {
            return some_sums(base.clone(), number.clone(), mask, subtracts);
        }
        let mut all = Set { open: base.open, wild: base.wild || number.wild, ..Set::none() };
        for (element, pasts) in &base.known {
            match *element {
                Element::Word(word) if few => {
                    for (by, others) in &number.known {
                        let Element::Word(by) = *by else { return Set::unknown() };
                        let moved = if subtracts { word.wrapping_sub(by) } else { word.wrapping_add(by) };
                        all.insert(Element::Word(moved & mask), &pasts.joined(others));
                    }
                }
                // A sum with a number that is no address counts as no address.
                Element::Word(word) => {
                    if let Some((object, _)) = self.objects.resolve(word) {
                        all.insert(Element::Within(object), pasts);
                    }
                }
                within => all.insert(within, pasts),
            }
        }
        all
    }

    /// The differences of addresses. As a rule, addresses in different objects are unrelated.
    fn distances(&self, ones: &Set, others: &Set, distance: Term) -> Set {
        let mask = int::mask(self.terms.width(distance).min(64)) as u64;
        let few = self.exact && ones.known.len() * others.known.len() <= MOST;
        let mut all = Set { open: ones.open || others.open, wild: ones.wild || others.wild, ..Set::none() };
        let object = |word: u64| self.objects.resolve(word).map(|(object, _)| object);
        for (one, pasts) in &ones.known {
            for (other, more) in &others.known {
                match (*one, *other) {
                    (Element::Word(one), Element::Word(other)) if few || object(one) == object(other) => {
                        all.insert(Element::Word(one.wrapping_sub(other) & mask), &pasts.joined(more));
                    }
                    (Element::Word(_), Element::Word(_)) => all.wild = true,
                    _ => all.open = true,
                }
            }
        }
        all
    }
}

/// Sums of the smallest values of two large sets.
fn some_sums(mut base: Set, mut number: Set, mask: u64, subtracts: bool) -> Set {
    let mut all = Set { wild: base.wild || number.wild, ..Set::unknown() };
    while base.known.len() * number.known.len() > MOST {
        let longest = if base.known.len() > number.known.len() { &mut base } else { &mut number };
        longest.known.pop_last();
    }
    for (one, pasts) in &base.known {
        for (other, others) in &number.known {
            if let (Element::Word(word), Element::Word(by)) = (*one, *other) {
                let moved = if subtracts { word.wrapping_sub(by) } else { word.wrapping_add(by) };
                all.insert(Element::Word(moved & mask), &pasts.joined(others));
            }
        }
    }
    all
}
