//! Which values a term can have: the constants that it chooses between, what was ever stored where a symbol was read, and
//! places inside of an object where something unknown is added to an address.
//!
//! Each value is known with what it was made of (`pasts`), as nobody finds what he has a part in later.
//!
//! A set may be open: then these are only the values that are known of. Whoever relies on one has to say what becomes of
//! the others.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use formula::{Op, Term, Terms};
use semantics::address::function_at;
use semantics::int;

use crate::bounded::objects::{ObjectId, Objects, thread_of};
use crate::bounded::pasts::{Looking, Pasts};
use crate::bounded::place::Key;

/// More values than this are not listed.
const MOST: usize = 128;
/// No sum has a constant in it that is larger and no address.
const AROUND: u64 = 1 << 12;
/// Terms are looked into only so far.
const DEEPEST: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    Word(u64),
    /// An address in this object.
    Within(ObjectId),
}

/// Values, and what they were made of.
type Known = BTreeMap<Element, Pasts>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    known: Known,
    /// There may be others.
    open: bool,
    /// There may be others, which come from the distance of addresses that have nothing to do with each other.
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

    /// Whether it may be something that is not known.
    pub fn has_others(&self) -> bool {
        self.open || self.wild
    }

    /// The values that are known.
    pub fn known(&self) -> impl ExactSizeIterator<Item = Element> + '_ {
        self.known.keys().copied()
    }

    pub fn contains(&self, element: Element) -> bool {
        self.known.contains_key(&element)
    }

    /// A place of a thread had a part in it.
    pub fn pass(&mut self, thread: usize, key: &Key) {
        self.known.values_mut().for_each(|pasts| *pasts = pasts.through(thread, key));
    }

    /// Of many, the smallest will do: then these are not all.
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

/// Whether that was new.
fn note(known: &mut Known, element: Element, pasts: &Pasts) -> bool {
    match known.entry(element) {
        Entry::Occupied(mut known) => known.get_mut().extend(pasts),
        Entry::Vacant(place) => {
            place.insert(pasts.clone());
            true
        }
    }
}

/// Some bytes of an object: those from an offset on, or any.
pub type Somewhere = (ObjectId, Option<u64>);

/// What was ever stored where.
#[derive(Debug, Default)]
pub struct Stored {
    at: HashMap<Somewhere, Known>,
    /// Places that hold more than is known.
    open: HashSet<Somewhere>,
    wild: HashSet<Somewhere>,
    /// How many bytes were stored at a time.
    widths: HashMap<Somewhere, BTreeSet<u32>>,
    /// How often something was new.
    pub news: u64,
    /// How often all ways were walked. Sums of what is found grow from one time to the next without end, so that later
    /// ones are more generous.
    pub round: u32,
}

/// From this round on, numbers that are new are not listed any more.
const FEWER_NUMBERS: u32 = 6;
/// From this round on, an address that is new stands for its whole object.
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

    /// What a read can find.
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
                // What begins inside of what is read covers only a part of it, and so may what begins before.
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

/// Null, functions and threads: there are only so many of them.
fn is_handle(element: Element) -> bool {
    let Element::Word(word) = element else { return true };
    word == 0 || function_at(word).is_some() || thread_of(word).is_some()
}

/// How a symbol was read.
#[derive(Clone, Debug)]
pub struct Read {
    pub places: Vec<Somewhere>,
    pub bytes: u32,
    pub looking: Looking,
}

/// By symbol.
pub type Reads = HashMap<Term, Read>;

/// Of terms at whose addresses something was done: the addresses at which that could be done.
pub type Refined = BTreeMap<Term, BTreeSet<Element>>;

/// What both ways know.
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
    /// Whether distances of addresses that have nothing to do with each other are listed too.
    pub exact: bool,
}

/// What is known of terms and of their parts, as long as nothing new is stored.
#[derive(Default)]
pub struct Found {
    sets: HashMap<Term, Rc<Set>>,
    /// No more are looked into.
    most: usize,
}

impl Values<'_> {
    pub fn of(&self, term: Term) -> Rc<Set> {
        self.of_among(term, &mut Found::default())
    }

    /// The same, with what was found of others before.
    pub fn of_among(&self, term: Term, found: &mut Found) -> Rc<Set> {
        found.most = found.sets.len() + DEEPEST;
        self.values(term, found)
    }

    /// What was found of other terms on the way is kept, as terms have much in common.
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
                // Of few numbers all sums are known, addresses or not.
                if !few && self.is_difference(term, found) {
                    return Set::unknown();
                }
                self.sum(&one, &other, term, false)
            }
            Op::Sub(a, b) => {
                let (one, other) = (self.values(a, found), self.values(b, found));
                // How far two addresses are from each other.
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

    /// Whether a sum has an address in it and the negated address of the same object: then that tells nothing of where the
    /// sum points.
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

    /// Whether that is how lengths and sizes are computed: of other things, some values are of no use to anybody.
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

    /// What an operation makes of few numbers.
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
        // Of many, the smallest will do: then these are not all.
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

    /// Whether a condition holds or does not, whatever its operands are of all that they can be.
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

    /// What comes out when a number is added to an address, or two numbers to each other.
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
                // To what is no address, that gives none either.
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

    /// How far addresses are from each other. Those in different objects have nothing to do with each other, as a rule.
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

/// Sums of the smallest of many numbers.
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
