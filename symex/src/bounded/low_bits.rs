//! The lowest bits of terms, as far as they are known where a way knows how its addresses are aligned.

use formula::{Op, Term, Terms};
use semantics::int;

/// That the lowest bits of a term are these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    pub of: Term,
    pub bits: u32,
    pub value: u128,
}

/// Terms are looked into only so far.
const DEEPEST: u32 = 24;

/// Whether a condition holds or does not, going by what is known of the lowest bits.
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

/// How many of the lowest bits of a term are known, and what they are.
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
            // Where a mask has no bits any more, nothing need be known of the other.
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
}
