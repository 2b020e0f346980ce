//! Which values a term can have: the constants that it chooses between, what was ever stored where a symbol was read, and
//! places inside of an object where something unknown is added to an address.
//!
//! A set may be open: then these are only the values that are known of. Whoever relies on one has to say what becomes of
//! the others.

use std::collections::{BTreeSet, HashMap, HashSet};

use formula::{Op, Term, Terms};
use semantics::address::function_at;
use semantics::int;

use crate::bounded::objects::{ObjectId, Objects, thread_of};

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    pub known: BTreeSet<Element>,
    /// There may be others.
    pub open: bool,
}

impl Set {
    fn unknown() -> Set {
        Set { known: BTreeSet::new(), open: true }
    }

    pub fn one(word: u64) -> Set {
        Set { known: BTreeSet::from([Element::Word(word)]), open: false }
    }

    fn join(&mut self, other: Set) {
        self.known.extend(other.known);
        self.open |= other.open;
    }
}

/// Some bytes of an object: those from an offset on, or any.
pub type Somewhere = (ObjectId, Option<u64>);

/// What was ever stored where.
#[derive(Debug, Default)]
pub struct Stored {
    at: HashMap<Somewhere, BTreeSet<Element>>,
    /// Places that hold more than is known.
    open: HashSet<Somewhere>,
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
    pub fn add(&mut self, objects: &Objects, place: Somewhere, bytes: u32, values: Set) {
        let set = self.at.entry(place).or_default();
        let before = set.len();
        let mut open = values.open;
        for element in values.known {
            let object = match element {
                Element::Word(word) => objects.resolve(word).map(|(object, _)| object),
                Element::Within(object) => Some(object),
            };
            let within = object.is_some_and(|object| set.contains(&Element::Within(object)));
            match object {
                _ if within || set.contains(&element) => {}
                Some(object) if self.round >= FEWER_ADDRESSES => drop(set.insert(Element::Within(object))),
                None if self.round >= FEWER_NUMBERS && !is_handle(element) => open = true,
                _ if set.len() >= MOST => open = true,
                _ => drop(set.insert(element)),
            }
        }
        self.news += u64::from(set.len() > before);
        self.news += u64::from(open && self.open.insert(place));
        self.news += u64::from(self.widths.entry(place).or_default().insert(bytes));
    }

    fn collect(&self, place: Somewhere, bytes: u32, all: &mut Set) {
        let fits = |widths: &BTreeSet<u32>| widths.iter().all(|&width| width == bytes);
        all.open |= self.open.contains(&place) || !self.widths.get(&place).is_none_or(fits);
        all.known.extend(self.at.get(&place).into_iter().flatten().copied());
    }

    /// What a read of so many bytes can find.
    fn found(&self, objects: &Objects, place: Somewhere, bytes: u32) -> Set {
        let mut all = Set { known: BTreeSet::new(), open: false };
        let (object, offset) = place;
        let image = &objects.get(object).image;
        let word = |at: u64| {
            let byte = |number: u64| u64::from(image.get((at + number) as usize).copied().unwrap_or(0));
            (0..u64::from(bytes.min(8))).fold(0, |word, number| word | byte(number) << (8 * number))
        };
        match offset {
            Some(offset) => {
                all.known.insert(Element::Word(word(offset)));
                self.collect((object, None), bytes, &mut all);
                self.collect(place, bytes, &mut all);
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
                all.known.extend(words.map(|at| Element::Word(word(at))));
                let places: Vec<Somewhere> = self.at.keys().filter(|(other, _)| *other == object).copied().collect();
                places.into_iter().for_each(|place| self.collect(place, bytes, &mut all));
            }
        }
        all
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
    pub fn of(&self, term: Term) -> Set {
        let mut set = self.values(term, &mut HashMap::new());
        if set.known.len() > MOST {
            set = Set::unknown();
        }
        set
    }

    /// What was found of other terms on the way is kept, as terms have much in common.
    fn values(&self, term: Term, found: &mut HashMap<Term, Set>) -> Set {
        if let Some(known) = found.get(&term) {
            return known.clone();
        }
        if found.len() >= DEEPEST {
            return Set::unknown();
        }
        found.insert(term, Set::unknown());
        let set = self.values_now(term, found);
        found.insert(term, set.clone());
        set
    }

    fn values_now(&self, term: Term, found: &mut HashMap<Term, Set>) -> Set {
        match *self.terms.op(term) {
            Op::Bits { value, .. } => Set::one(value as u64),
            Op::Ite(_, then, otherwise) if !self.terms.is_bool(term) => {
                let mut all = self.values(then, found);
                all.join(self.values(otherwise, found));
                all
            }
            Op::Symbol(_) => {
                let Some((places, bytes)) = self.reads.get(&term) else { return Set::unknown() };
                let mut all = Set { known: BTreeSet::new(), open: false };
                for &place in places {
                    all.join(self.stored.found(self.objects, place, *bytes));
                }
                all
            }
            Op::Add(a, b) => {
                let (one, other) = (self.values(a, found), self.values(b, found));
                let is_word = |element: &Element| matches!(element, Element::Word(_));
                let few = one.known.len() * other.known.len() <= MOST && !one.open && !other.open;
                // Of few numbers all sums are known, addresses or not.
                if few && one.known.iter().chain(&other.known).all(is_word) {
                    return self.image(term, found);
                }
                if self.is_difference(term, found) {
                    return Set::unknown();
                }
                self.sum(one, other, term, false)
            }
            Op::Sub(a, b) => {
                let (one, other) = (self.values(a, found), self.values(b, found));
                // How far two addresses are from each other.
                let points = |set: &Set| set.known.iter().any(|element| self.is_address(element));
                if points(&one) && points(&other) {
                    return self.image(term, found);
                }
                self.sum(one, other, term, true)
            }
            Op::ZeroExtend { of, .. } => self.values(of, found),
            Op::Extract { high, low: 0, of } => {
                let mask = int::mask(high + 1) as u64;
                let mut all = Set { known: BTreeSet::new(), open: false };
                let whole = self.values(of, found);
                all.open = whole.open;
                for element in whole.known {
                    match element {
                        Element::Word(word) => drop(all.known.insert(Element::Word(word & mask))),
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
    fn is_difference(&self, sum: Term, found: &mut HashMap<Term, Set>) -> bool {
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
            let known = self.values(term, found).known;
            known.iter().any(|element| {
                let object = match *element {
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

    /// What an operation makes of few numbers.
    fn image(&self, term: Term, found: &mut HashMap<Term, Set>) -> Set {
        let mut operands: Vec<Term> = self.terms.op(term).operands().collect();
        operands.sort_unstable();
        operands.dedup();
        let is_narrow = |term: Term| !self.terms.is_bool(term) && self.terms.width(term) <= 64;
        if !is_narrow(term) || operands.is_empty() || !operands.iter().all(|&operand| is_narrow(operand)) {
            return Set::unknown();
        }
        let mut lists: Vec<Vec<u64>> = Vec::new();
        for &operand in &operands {
            let set = self.values(operand, found);
            let word = |element: &Element| match *element {
                Element::Word(word) => Some(word),
                Element::Within(_) => None,
            };
            let words: Option<Vec<u64>> = set.known.iter().map(word).collect();
            match words.filter(|_| !set.open) {
                Some(words) => lists.push(words),
                None => return Set::unknown(),
            }
        }
        let tried = lists.iter().fold(1_usize, |tried, list| tried.saturating_mul(list.len()));
        if tried > 8 * MOST {
            return Set::unknown();
        }
        let mut all = Set { known: BTreeSet::new(), open: false };
        for choice in 0..tried {
            let mut rest = choice;
            let mut chosen = HashMap::new();
            for (&operand, list) in operands.iter().zip(&lists) {
                chosen.insert(operand, u128::from(list[rest % list.len()]));
                rest /= list.len();
            }
            match self.terms.compute(term, |operand| chosen[&operand]) {
                Some(word) => drop(all.known.insert(Element::Word(word as u64))),
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
        if ones.open || others.open || self.terms.width(compared[0]) > 64 {
            return None;
        }
        let mut truth = None;
        for one in &ones.known {
            for other in &others.known {
                let (&Element::Word(one), &Element::Word(other)) = (one, other) else { return None };
                let holds = holds(one, other);
                if *truth.get_or_insert(holds) != holds {
                    return None;
                }
            }
        }
        truth
    }

    fn is_address(&self, element: &Element) -> bool {
        match *element {
            Element::Word(word) => self.objects.resolve(word).is_some(),
            Element::Within(_) => true,
        }
    }

    /// What comes out when a number is added to an address, or two numbers to each other.
    fn sum(&self, one: Set, other: Set, sum: Term, subtracts: bool) -> Set {
        let mask = int::mask(self.terms.width(sum).min(64)) as u64;
        let points = [&one, &other].map(|set| set.known.iter().any(|element| self.is_address(element)));
        let (base, number) = match points {
            [true, true] => return Set::unknown(),
            [false, true] if !subtracts => (other, one),
            _ => (one, other),
        };
        let few = !number.open && base.known.len() * number.known.len() <= MOST;
        if !points.contains(&true) && (!few || base.open) {
            return Set::unknown();
        }
        let mut all = Set { known: BTreeSet::new(), open: base.open };
        for element in &base.known {
            match *element {
                Element::Word(word) if few => {
                    for by in &number.known {
                        let Element::Word(by) = *by else { return Set::unknown() };
                        let moved = if subtracts { word.wrapping_sub(by) } else { word.wrapping_add(by) };
                        all.known.insert(Element::Word(moved & mask));
                    }
                }
                // To what is no address, that gives none either.
                Element::Word(word) => {
                    all.known.extend(self.objects.resolve(word).map(|(object, _)| Element::Within(object)));
                }
                within => drop(all.known.insert(within)),
            }
        }
        all
    }
}
