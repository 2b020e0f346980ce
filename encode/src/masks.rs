//! Known-bits analysis: which bits of a read can be one, so that the others need neither variables nor clauses.
//!
//! The analysis goes through memory: the mask of a read is the union of the masks of all values that can be written
//! there. Cyclic data flow (a linked list, a counter) is solved by the least fixpoint, since each value in a cycle
//! entered it from outside. A skipped read counts as zero, which every mask allows. A pointer to a node of a container
//! has zero low bits by alignment and zero high bits by the size of the address space: about 20 of its 64 bits remain.

use std::collections::HashMap;

use formula::{Op, Sort, Term, Terms};

/// Widening: masks that still grow after this many rounds get every bit.
const ROUNDS: usize = 16;

/// A read and the values it can return.
#[derive(Clone, Debug)]
pub struct Flow {
    pub old: Term,
    pub values: Vec<Term>,
}

/// The mask of each read, given an upper bound of it. Each read has one flow, which contains all its values.
pub fn masks(terms: &Terms, flows: &[Flow], bound: impl Fn(Term) -> u128) -> HashMap<Term, u128> {
    let mut values: Vec<Vec<Term>> = Vec::with_capacity(flows.len());
    for flow in flows {
        let mut list = flow.values.clone();
        list.sort_unstable();
        list.dedup();
        values.push(list);
    }
    let order = followed(terms, values.iter().flatten().copied());
    let bounds: Vec<u128> = flows.iter().map(|flow| bound(flow.old)).collect();
    let mut known: HashMap<Term, u128> = flows.iter().map(|flow| (flow.old, 0)).collect();
    let mut masks = vec![0_u128; terms.len()];
    for round in 0.. {
        for &term in &order {
            masks[term.index()] = mask(terms, &known, &masks, term);
        }
        let mut changed = false;
        for ((flow, list), bound) in flows.iter().zip(&values).zip(&bounds) {
            let old = known.get(&flow.old).copied().unwrap_or(0);
            let found = list.iter().fold(old, |mask, value| mask | masks[value.index()]) & bound;
            if found != old {
                changed = true;
                known.insert(flow.old, if round < ROUNDS { found } else { *bound });
            }
        }
        if !changed {
            break;
        }
    }
    known
}

/// The terms whose masks depend on others, operands first.
fn followed(terms: &Terms, roots: impl Iterator<Item = Term>) -> Vec<Term> {
    let mut seen = vec![false; terms.len()];
    let mut open: Vec<Term> = roots.collect();
    let mut all = Vec::new();
    while let Some(term) = open.pop() {
        if !std::mem::replace(&mut seen[term.index()], true) {
            all.push(term);
            open.extend(parts(terms, term));
        }
    }
    // An operand has a smaller id than the terms it occurs in.
    all.sort_unstable();
    all
}

/// The operands that influence the mask.
fn parts(terms: &Terms, term: Term) -> Vec<Term> {
    match *terms.op(term) {
        Op::Ite(_, a, b)
        | Op::Add(a, b)
        | Op::Sub(a, b)
        | Op::Mul(a, b)
        | Op::BitAnd(a, b)
        | Op::BitOr(a, b)
        | Op::BitXor(a, b)
        | Op::Concat(a, b) => vec![a, b],
        Op::Shl(a, by) | Op::Lshr(a, by) if terms.as_bits(by).is_some() => vec![a],
        Op::Udiv(a, _) | Op::Urem(a, _) => vec![a],
        Op::Extract { of, .. } | Op::ZeroExtend { of, .. } | Op::SignExtend { of, .. } => vec![of],
        _ => Vec::new(),
    }
}

fn mask(terms: &Terms, known: &HashMap<Term, u128>, masks: &[u128], term: Term) -> u128 {
    let Sort::Bits(width) = terms.sort(term) else { return 0 };
    let of = |term: Term| masks[term.index()];
    let all = ones(width);
    let found = match *terms.op(term) {
        Op::Bits { value, .. } => value,
        Op::Symbol(_) => known.get(&term).copied().unwrap_or(all),
        Op::Ite(_, a, b) | Op::BitOr(a, b) | Op::BitXor(a, b) => of(a) | of(b),
        Op::BitAnd(a, b) => of(a) & of(b),
        Op::Add(a, b) if of(a) & of(b) == 0 => of(a) | of(b),
        Op::Add(a, b) => {
            let top = of(a).checked_add(of(b)).map_or(u128::BITS, length);
            between((of(a) | of(b)).trailing_zeros(), top)
        }
        Op::Sub(a, b) if of(b) == 0 => of(a),
        Op::Sub(a, b) => between((of(a) | of(b)).trailing_zeros(), width),
        Op::Mul(a, b) if of(a) == 0 || of(b) == 0 => 0,
        Op::Mul(a, b) => between(of(a).trailing_zeros() + of(b).trailing_zeros(), length(of(a)) + length(of(b))),
        Op::Shl(a, by) => shift_by(terms, by).map_or(all, |by| of(a).checked_shl(by).unwrap_or(0)),
        Op::Lshr(a, by) => shift_by(terms, by).map_or(all, |by| of(a).checked_shr(by).unwrap_or(0)),
        // Division by zero: the remainder is the dividend, the quotient all ones.
        Op::Urem(a, by) => match terms.as_bits(by) {
            Some(by) if by > 0 => between(0, length(by - 1).min(length(of(a)))),
            _ => between(0, length(of(a))),
        },
        Op::Udiv(a, by) if terms.as_bits(by).is_some_and(|by| by > 0) => between(0, length(of(a))),
        Op::Concat(high, low) => of(low) | of(high).checked_shl(terms.width(low)).unwrap_or(0),
        Op::Extract { high, low, of: whole } => (of(whole) >> low) & ones(high - low + 1),
        Op::ZeroExtend { of: part, .. } => of(part),
        Op::SignExtend { of: part, .. } => {
            let sign = of(part) >> (terms.width(part) - 1) & 1;
            if sign == 0 { of(part) } else { of(part) | (all & !ones(terms.width(part))) }
        }
        _ => all,
    };
    found & all
}

/// The distance of a shift by a constant; larger than any width if it does not fit.
fn shift_by(terms: &Terms, by: Term) -> Option<u32> {
    Some(u32::try_from(terms.as_bits(by)?).unwrap_or(u32::MAX))
}

fn ones(width: u32) -> u128 {
    if width >= u128::BITS { u128::MAX } else { (1 << width) - 1 }
}

/// The number of bits of values up to this one.
fn length(value: u128) -> u32 {
    u128::BITS - value.leading_zeros()
}

/// The bits from one position up to another, exclusive.
fn between(from: u32, to: u32) -> u128 {
    ones(to.min(u128::BITS)) & !ones(from.min(u128::BITS))
}

/// Any value of this width whose bits are in the mask.
pub fn any_of(terms: &mut Terms, width: u32, mask: u128) -> Term {
    let mut whole: Option<Term> = None;
    let mut at = 0;
    while at < width {
        let is_open = |bit: u32| mask >> bit & 1 == 1;
        let end = (at..width).find(|&bit| is_open(bit) != is_open(at)).unwrap_or(width);
        let run = if is_open(at) { terms.symbol(String::new(), Sort::Bits(end - at)) } else { terms.bits(end - at, 0) };
        whole = Some(match whole {
            Some(low) => terms.concat(run, low),
            None => run,
        });
        at = end;
    }
    whole.unwrap_or_else(|| terms.bits(width, 0))
}

#[cfg(test)]
mod tests {
    use formula::{Assignment, Value};

    use super::*;

    /// All operations on two symbols of five bits with given masks: the computed mask contains every value.
    #[test]
    fn a_mask_holds_every_value() {
        let mut terms = Terms::new();
        let (a, b) = (terms.symbol("a", Sort::Bits(5)), terms.symbol("b", Sort::Bits(5)));
        let condition = terms.symbol("c", Sort::Bool);
        let two = terms.bits(5, 2);
        let built = [
            terms.add(a, b),
            terms.sub(a, b),
            terms.mul(a, b),
            terms.bit_and(a, b),
            terms.bit_or(a, b),
            terms.bit_xor(a, b),
            terms.ite(condition, a, b),
            terms.shl(a, two),
            terms.lshr(a, two),
            terms.urem(a, two),
            terms.urem(a, b),
            terms.udiv(a, two),
            terms.concat(a, b),
            terms.extract(a, 3, 1),
            terms.zero_extend(a, 9),
            terms.sign_extend(a, 9),
            terms.neg(a),
        ];
        for (mask_a, mask_b) in [(0b01100, 0b00011), (0b00110, 0b00110), (0b10000, 0b00001), (0b11111, 0), (0, 0b101)] {
            for term in built {
                let known = HashMap::from([(a, mask_a), (b, mask_b)]);
                let mut masks = vec![0; terms.len()];
                for part in followed(&terms, [term].into_iter()) {
                    masks[part.index()] = mask(&terms, &known, &masks, part);
                }
                for (x, y) in (0..32_u128).flat_map(|x| (0..32_u128).map(move |y| (x & mask_a, y & mask_b))) {
                    let mut assignment = Assignment::default();
                    assignment.values.insert(a, Value::Bits { width: 5, value: x });
                    assignment.values.insert(b, Value::Bits { width: 5, value: y });
                    assignment.values.insert(condition, Value::Bool(x > y));
                    let Value::Bits { value, .. } = assignment.evaluator(&terms).evaluate(term) else { continue };
                    assert_eq!(value & !masks[term.index()], 0, "{:?} of {x} and {y}", terms.op(term));
                }
            }
        }
    }

    #[test]
    fn circles_get_what_comes_in_and_bounds_hold() {
        let mut terms = Terms::new();
        let (a, b) = (terms.symbol("a", Sort::Bits(64)), terms.symbol("b", Sort::Bits(64)));
        let count = terms.symbol("count", Sort::Bits(64));
        let (node, one) = (terms.bits(64, 0x7_0010), terms.bits(64, 1));
        let more = terms.add(count, one);
        let flows = [
            Flow { old: a, values: vec![b, node] },
            Flow { old: b, values: vec![a] },
            Flow { old: count, values: vec![more] },
        ];
        let found = masks(&terms, &flows, |term| if term == count { 0b111 } else { u128::MAX });
        assert_eq!((found[&a], found[&b], found[&count]), (0x7_0010, 0x7_0010, 0b111));
    }

    #[test]
    fn any_value_of_a_mask_has_only_its_bits() {
        let mut terms = Terms::new();
        for mask in [0, 0b1, 0b1011_0010, 0xff] {
            let term = any_of(&mut terms, 8, mask);
            assert_eq!(terms.width(term), 8);
            let symbols = terms.free_symbols(term);
            assert_eq!(symbols.iter().map(|&symbol| terms.width(symbol)).sum::<u32>(), u128::count_ones(mask));
        }
    }
}
