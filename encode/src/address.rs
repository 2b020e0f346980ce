//! The points-to set of an address: a list of places, each with the condition under which the address points to it.
//!
//! A constant has one place. The values of other terms are found by following choices between constants and by
//! enumerating the values of small symbols, and of symbols with a small value set; if that fails, the set has every
//! place of every object that is compatible with the term's trailing zeros.

use std::collections::{BTreeSet, HashMap};

use events::{Address, Object};
use formula::{Op, Term, Terms};

use crate::value_sets::{ValueSets, few_symbols};

/// Places are listed one by one; an address with more places than this is not supported.
pub const MOST_PLACES: usize = 1 << 16;
const MOST_VALUES: usize = 1 << 10;
/// The number of subterms that are visited at most.
const SMALL: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub object: u32,
    pub offset: u32,
    /// The condition that the address points here.
    pub condition: Term,
}

/// The places at which an access of this many bytes fits, or none if there are too many.
pub fn places(
    terms: &mut Terms,
    value_sets: &ValueSets,
    objects: &[Object],
    address: Address,
    bytes: u32,
) -> Option<Vec<Place>> {
    let possible_objects = values(terms, value_sets, address.object);
    let possible_offsets = values(terms, value_sets, address.offset);
    let stride = 1_u64 << trailing_zeros(terms, address.offset, &mut { SMALL }).min(31);
    let numbers: Vec<u32> = match &possible_objects {
        Some(values) => values.iter().filter_map(|&value| u32::try_from(value).ok()).collect(),
        None => (0..objects.len() as u32).collect(),
    };
    let mut places = Vec::new();
    let mut same_offsets: HashMap<u32, Term> = HashMap::new();
    for object in numbers {
        let Some(room) = objects.get(object as usize).and_then(|info| info.bytes.checked_sub(bytes)) else { continue };
        let offsets: Vec<u32> = match &possible_offsets {
            Some(values) => values.iter().filter_map(|&value| u32::try_from(value).ok()).collect(),
            None if u64::from(room) / stride >= MOST_PLACES as u64 => return None,
            None => (0..=u64::from(room)).step_by(stride as usize).map(|offset| offset as u32).collect(),
        };
        let same_object = equals(terms, address.object, object);
        if terms.as_bool(same_object) == Some(false) {
            continue;
        }
        for offset in offsets.into_iter().filter(|&offset| offset <= room) {
            let same_offset = *same_offsets.entry(offset).or_insert_with(|| equals(terms, address.offset, offset));
            places.extend(place(terms, (object, same_object), (offset, same_offset)));
        }
        if places.len() > MOST_PLACES {
            return None;
        }
    }
    Some(places)
}

/// All values of an address, inside of an object or not, if they are few and easily found.
pub fn listed(terms: &mut Terms, value_sets: &ValueSets, address: Address) -> Option<Vec<Place>> {
    let objects = values(terms, value_sets, address.object)?;
    let offsets = values(terms, value_sets, address.offset)?;
    if objects.len() * offsets.len() > MOST_VALUES {
        return None;
    }
    let mut places = Vec::new();
    let mut same = |of: Term, values: &BTreeSet<u128>| {
        let number = |&value: &u128| u32::try_from(value).ok();
        let numbers: Option<Vec<u32>> = values.iter().map(number).collect();
        Some(numbers?.into_iter().map(|number| (number, equals(terms, of, number))).collect::<Vec<_>>())
    };
    let (objects, offsets) = (same(address.object, &objects)?, same(address.offset, &offsets)?);
    for &object in &objects {
        for &offset in &offsets {
            places.extend(place(terms, object, offset));
        }
    }
    Some(places)
}

/// The condition that a part of an address equals the number.
fn equals(terms: &mut Terms, part: Term, number: u32) -> Term {
    let number = terms.bits(32, u128::from(number));
    terms.eq(part, number)
}

/// The place with the conjunction of its parts' conditions, unless that is false.
fn place(terms: &mut Terms, (object, same_object): (u32, Term), (offset, same_offset): (u32, Term)) -> Option<Place> {
    let condition = terms.and2(same_object, same_offset);
    (terms.as_bool(condition) != Some(false)).then_some(Place { object, offset, condition })
}

/// The condition that two addresses are equal.
pub fn same(terms: &mut Terms, one: Address, other: Address) -> Term {
    let objects = terms.eq(one.object, other.object);
    let offsets = terms.eq(one.offset, other.offset);
    terms.and2(objects, offsets)
}

/// A constant address.
pub fn constant(terms: &Terms, address: Address) -> Option<(u32, u32)> {
    let object = u32::try_from(terms.as_bits(address.object)?).ok()?;
    let offset = u32::try_from(terms.as_bits(address.offset)?).ok()?;
    Some((object, offset))
}

/// The value set of a term, if it is small and easily found.
fn values(terms: &mut Terms, value_sets: &ValueSets, term: Term) -> Option<BTreeSet<u128>> {
    let mut all = BTreeSet::new();
    let mut seen = BTreeSet::from([term]);
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match *terms.op(term) {
            Op::Bits { value, .. } => drop(all.insert(value)),
            Op::Ite(_, yes, no) => open.extend([yes, no].into_iter().filter(|&branch| seen.insert(branch))),
            _ => match value_sets.values(terms, term) {
                Some(values) => all.extend(values),
                None => all.extend(by_trial(terms, term)?),
            },
        }
        if seen.len() > MOST_VALUES || all.len() > MOST_VALUES {
            return None;
        }
    }
    Some(all)
}

/// Enumerates all values of all symbols in the term, if they have few bits together.
fn by_trial(terms: &mut Terms, term: Term) -> Option<BTreeSet<u128>> {
    let symbols = few_symbols(terms, term)?;
    let widths: Vec<u32> =
        symbols.iter().map(|&symbol| if terms.is_bool(symbol) { 1 } else { terms.width(symbol) }).collect();
    let bits: u32 = widths.iter().sum();
    if 1_usize.checked_shl(bits).is_none_or(|count| count > MOST_VALUES) {
        return None;
    }
    let mut all = BTreeSet::new();
    for choice in 0..1_u128 << bits {
        let mut map = HashMap::new();
        let mut rest = choice;
        for (&symbol, &width) in symbols.iter().zip(&widths) {
            let part = rest & ((1 << width) - 1);
            rest >>= width;
            let value = if terms.is_bool(symbol) { terms.bool(part == 1) } else { terms.bits(width, part) };
            map.insert(symbol, value);
        }
        let value = terms.substitute(term, &map);
        all.insert(terms.as_bits(value)?);
    }
    Some(all)
}

/// A lower bound of the number of low bits that are zero for all values of the symbols.
fn trailing_zeros(terms: &Terms, term: Term, fuel: &mut u32) -> u32 {
    if *fuel == 0 {
        return 0;
    }
    *fuel -= 1;
    let width = terms.width(term);
    let zeros = match *terms.op(term) {
        Op::Bits { value, .. } => value.trailing_zeros(),
        Op::Add(a, b) | Op::Sub(a, b) | Op::BitOr(a, b) | Op::BitXor(a, b) | Op::Ite(_, a, b) => {
            trailing_zeros(terms, a, fuel).min(trailing_zeros(terms, b, fuel))
        }
        Op::Mul(a, b) => trailing_zeros(terms, a, fuel) + trailing_zeros(terms, b, fuel),
        Op::BitAnd(a, b) => trailing_zeros(terms, a, fuel).max(trailing_zeros(terms, b, fuel)),
        Op::Shl(a, by) => match terms.as_bits(by) {
            Some(by) => trailing_zeros(terms, a, fuel).saturating_add(u32::try_from(by).unwrap_or(width)),
            None => trailing_zeros(terms, a, fuel),
        },
        Op::Neg(a) | Op::ZeroExtend { of: a, .. } | Op::SignExtend { of: a, .. } => trailing_zeros(terms, a, fuel),
        Op::Concat(high, low) => match trailing_zeros(terms, low, fuel) {
            zeros if zeros == terms.width(low) => zeros + trailing_zeros(terms, high, fuel),
            zeros => zeros,
        },
        _ => 0,
    };
    zeros.min(width)
}
