//! The lowest bits of terms, as far as the alignment of addresses is known on a path.

use std::collections::HashMap;

use formula::{Op, Term, Terms};
use semantics::int;

/// The fact that the lowest bits of a term have this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    pub of: Term,
    pub bits: u32,
    pub value: u128,
}

/// Bounds for the depth and number of visited terms.
const DEEPEST: u32 = 24;
const MOST_LOOKED_INTO: usize = 1024;

/// The truth value of a condition, if the known lowest bits decide it.
pub fn truth(terms: &Terms, known: &[Alignment], condition: Term) -> Option<bool> {
    match *terms.op(condition) {
        Op::Not(negated) => truth(terms, known, negated).map(|truth| !truth),
        Op::Eq(a, b) if !terms.is_bool(a) => {
            let ((one, x), (other, y)) = (low(terms, known, a, DEEPEST), low(terms, known, b, DEEPEST));
            let common = one.min(other);
            if x & int::mask(common) != y & int::mask(common) {
                return Some(false);
            }
            (common == terms.width(a)).then_some(true)
        }
        _ => None,
    }
}

/// The number of lowest bits of a term that are known, and their value.
fn low(terms: &Terms, known: &[Alignment], term: Term, depth: u32) -> (u32, u128) {
    if let Some(fact) = known.iter().find(|fact| fact.of == term) {
        return (fact.bits, fact.value);
    }
    if depth == 0 {
        return (0, 0);
    }
    let width = if terms.is_bool(term) { 0 } else { terms.width(term) };
    let of = |term: Term| low(terms, known, term, depth - 1);
    let both = |a: Term, b: Term, compute: fn(u128, u128) -> u128| {
        let ((one, x), (other, y)) = (of(a), of(b));
        let bits = one.min(other);
        (bits, compute(x, y) & int::mask(bits))
    };
    match *terms.op(term) {
        Op::Bits { value, .. } => (width, value),
        Op::Add(a, b) => both(a, b, u128::wrapping_add),
        Op::Sub(a, b) => both(a, b, u128::wrapping_sub),
        Op::BitOr(a, b) => both(a, b, |x, y| x | y),
        Op::BitAnd(a, b) => {
            let ((one, x), (other, y)) = (of(a), of(b));
            // Where a mask has no bits left, the other operand need not be known.
            let masked = |mask: (u32, u128), bits: u32| mask.0 == width && mask.1 >> bits.min(127) == 0;
            if masked((other, y), one) || masked((one, x), other) {
                return (width, x & y);
            }
            let bits = one.min(other);
            (bits, x & y & int::mask(bits))
        }
        Op::Extract { high, low: 0, of: whole } => {
            let (bits, value) = of(whole);
            let bits = bits.min(high + 1);
            (bits, value & int::mask(bits))
        }
        Op::ZeroExtend { of: narrow, .. } => {
            let (bits, value) = of(narrow);
            if bits == terms.width(narrow) { (width, value) } else { (bits, value) }
        }
        Op::Concat(high, low) => {
            let (bits, value) = of(low);
            if bits < terms.width(low) {
                return (bits, value);
            }
            let (more, above) = of(high);
            (bits + more, value | above << bits.min(127))
        }
        _ => (0, 0),
    }
}

/// The number of lowest bits that give the position of an address in the largest unit that is copied at once.
pub const UNIT_BITS: u32 = 3;
pub const UNIT: usize = 1 << UNIT_BITS;

/// The possible values of the lowest bits of a term, given those of symbols; indexed by value.
pub fn residues(terms: &Terms, symbol: &impl Fn(Term) -> [bool; UNIT], term: Term) -> [bool; UNIT] {
    let mut found = HashMap::new();
    residues_now(terms, symbol, term, &mut found)
}

type Residues = HashMap<Term, [bool; UNIT]>;

fn residues_now(
    terms: &Terms,
    symbol: &impl Fn(Term) -> [bool; UNIT],
    term: Term,
    found: &mut Residues,
) -> [bool; UNIT] {
    if let Some(known) = found.get(&term) {
        return *known;
    }
    if terms.is_bool(term) || terms.width(term) < UNIT_BITS || found.len() >= MOST_LOOKED_INTO {
        return [true; UNIT];
    }
    // Unknown while it is being computed.
    found.insert(term, [true; UNIT]);
    let mut of = |term: Term| residues_now(terms, symbol, term, found);
    let mut both = |a: Term, b: Term, compute: fn(usize, usize) -> usize| {
        let (ones, others) = (of(a), of(b));
        let mut all = [false; UNIT];
        for one in (0..UNIT).filter(|&one| ones[one]) {
            (0..UNIT).filter(|&other| others[other]).for_each(|other| all[compute(one, other) % UNIT] = true);
        }
        all
    };
    let all = match *terms.op(term) {
        Op::Bits { value, .. } => one(value),
        Op::Symbol(_) => symbol(term),
        Op::Add(a, b) => both(a, b, usize::wrapping_add),
        Op::Sub(a, b) => both(a, b, usize::wrapping_sub),
        Op::Mul(a, b) => both(a, b, usize::wrapping_mul),
        Op::BitAnd(a, b) => both(a, b, |x, y| x & y),
        Op::BitOr(a, b) => both(a, b, |x, y| x | y),
        Op::Ite(_, then, otherwise) => {
            let (ones, others) = (of(then), of(otherwise));
            std::array::from_fn(|number| ones[number] || others[number])
        }
        Op::Shl(shifted, by) => match terms.as_bits(by) {
            Some(by) if by < u128::from(UNIT_BITS) => {
                let before = of(shifted);
                let mut all = [false; UNIT];
                (0..UNIT).filter(|&number| before[number]).for_each(|number| all[(number << by) % UNIT] = true);
                all
            }
            Some(_) => one(0),
            None => [true; UNIT],
        },
        Op::Extract { low: 0, of: whole, .. } => of(whole),
        Op::ZeroExtend { of: narrow, .. } | Op::SignExtend { of: narrow, .. } => of(narrow),
        // The low operand supplies the lowest bits; if it is narrower, only its own bits are known.
        Op::Concat(_, low) => match (terms.as_bits(low), terms.width(low)) {
            (Some(value), bits) if bits < UNIT_BITS => {
                let mask = (1 << bits) - 1;
                std::array::from_fn(|number| number & mask == value as usize & mask)
            }
            _ => of(low),
        },
        _ => [true; UNIT],
    };
    found.insert(term, all);
    all
}

fn one(value: u128) -> [bool; UNIT] {
    std::array::from_fn(|number| number as u128 == value % UNIT as u128)
}

#[cfg(test)]
mod tests {
    use formula::Sort;

    use super::*;

    #[test]
    fn an_address_that_is_aligned_stays_so_many_bytes_apart() {
        let mut terms = Terms::new();
        let address = terms.symbol("to", Sort::Bits(64));
        let known = [Alignment { of: address, bits: 3, value: 4 }];
        let (mask, zero) = (terms.bits(64, 7), terms.bits(64, 0));
        for step in 0..16 {
            let by = terms.bits(64, step);
            let moved = terms.add(address, by);
            let other = terms.bits(64, 0x1000);
            let either = terms.bit_or(moved, other);
            let masked = terms.bit_and(either, mask);
            let aligned = terms.eq(masked, zero);
            assert_eq!(truth(&terms, &known, aligned), Some((4 + step) % 8 == 0), "{step}");
        }
        let far = terms.bits(64, 9);
        let same = terms.eq(address, far);
        assert_eq!(truth(&terms, &known, same), Some(false));
        let near = terms.bits(64, 12);
        let same = terms.eq(address, near);
        assert_eq!(truth(&terms, &known, same), None);
    }

    #[test]
    fn what_the_lowest_bits_of_a_sum_may_be_is_all_that_they_are() {
        let mut terms = Terms::new();
        let (index, from) = (terms.symbol("index", Sort::Bits(64)), terms.symbol("from", Sort::Bits(64)));
        let [four, two, base, three] = [4, 2, 0x1000, 3].map(|value| terms.bits(64, value));
        let scaled =
            [terms.mul(index, four), terms.shl(index, two), terms.sub(from, index), terms.bit_and(index, from)];
        for (number, scaled) in scaled.into_iter().enumerate() {
            let at = terms.add(base, scaled);
            let condition = terms.ult(index, from);
            let moved = terms.add(at, three);
            let either = terms.ite(condition, at, moved);
            // The index may be anything; the other symbol is 1 or 5 modulo 8.
            let of_symbol = |symbol| std::array::from_fn(|bits| symbol == index || bits % 4 == 1);
            let may_be = residues(&terms, &of_symbol, either);
            let mut is = [false; UNIT];
            for (one, other) in (0..32).flat_map(|one| [1, 5, 9, 13].map(|other| (one, other))) {
                let scaled = match number {
                    0 | 1 => 4 * one,
                    2 => 32 + other - one,
                    _ => one & other,
                };
                is[(scaled + if one < other { 0 } else { 3 }) % UNIT] = true;
            }
            assert_eq!(may_be, is, "{number}");
        }
    }
}
