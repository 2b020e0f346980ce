//! Compares the terms with the machine's floats, on all pairs of edge values and on random ones. `HEDDLE_CASES` is the
//! number of random cases for each operation, `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stdout)]

use formula::{Assignment, Sort, Value};
use ir::FloatPredicate;
use semantics::domain::Trap;

use super::*;

const CASES: u64 = 500;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// SplitMix64.
fn word(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Zeros, subnormal numbers, the largest numbers, infinities, NaNs, powers of two, halves, and the neighbours of all
/// these.
fn edges(ty: Type, exponents: &[u128]) -> Vec<u128> {
    let format = Format::of(ty).expect("a float");
    let fraction = (1_u128 << format.fraction) - 1;
    let fractions = [0, 1, fraction / 2, fraction / 2 + 1, fraction];
    let mut all = Vec::new();
    for exponent in exponents.iter().filter(|&&exponent| exponent <= format.special()) {
        for low in fractions {
            let magnitude = exponent << format.fraction | low;
            all.extend([magnitude, magnitude | format.sign()]);
        }
    }
    all
}

/// Exponents at the boundaries of the cases of sums, products and quotients.
fn decisive(ty: Type) -> Vec<u128> {
    let format = Format::of(ty).expect("a float");
    let (one, special, wide) = (format.bias(), format.special(), u128::from(format.fraction));
    let low = [0, 1, 2, one - wide - 1, one - 1, one, one + 1];
    low.into_iter().chain([one + wide, one + wide + 1, special - 2, special - 1, special]).collect()
}

/// Random bits, or bits near those of another number, or a number with a short significand.
fn random(state: &mut u64, ty: Type, other: u128) -> u128 {
    let format = Format::of(ty).expect("a float");
    let mask = semantics::int::mask(ty.bits());
    let bits = u128::from(word(state)) & mask;
    match word(state) % 5 {
        0 => bits,
        1 => {
            let near = (u128::from(word(state) % 130)) << format.fraction;
            (other & !((1 << format.fraction) - 1) | bits & ((1 << format.fraction) - 1)).wrapping_add(near) & mask
        }
        2 => other ^ (1 << (word(state) % u64::from(ty.bits()))),
        3 => {
            let exponent = format.bias() + u128::from(word(state) % 16);
            let low = bits & 7 << (format.fraction - 3);
            exponent << format.fraction | low | bits & format.sign()
        }
        _ => other.wrapping_add(u128::from(word(state) % 9)).wrapping_sub(4) & mask,
    }
}

fn pairs(ty: Type, seed: u64) -> Vec<(u128, u128)> {
    let edges = edges(ty, &decisive(ty));
    let mut all: Vec<(u128, u128)> = edges.iter().flat_map(|&x| edges.iter().map(move |&y| (x, y))).collect();
    let mut state = seed;
    for _ in 0..number("HEDDLE_CASES", CASES) {
        let first = u128::from(word(&mut state)) & semantics::int::mask(ty.bits());
        let x = random(&mut state, ty, first);
        all.push((x, random(&mut state, ty, x)));
    }
    all
}

struct Judge {
    terms: Terms,
    symbols: Vec<Term>,
}

impl Judge {
    fn new(types: &[Type]) -> Judge {
        let mut terms = Terms::new();
        let symbols = types.iter().map(|ty| terms.symbol("x", Sort::Bits(ty.bits()))).collect();
        Judge { terms, symbols }
    }

    fn evaluate(&self, term: Term, args: &[u128]) -> u128 {
        let mut assignment = Assignment::default();
        for (&symbol, &value) in self.symbols.iter().zip(args) {
            assignment.values.insert(symbol, Value::Bits { width: self.terms.width(symbol), value });
        }
        assignment.evaluate_bits(&self.terms, term)
    }
}

fn judge_pairs(
    what: &str,
    ty: Type,
    make: impl Fn(&mut Terms, Term, Term) -> Option<Term>,
    expected: impl Fn(u128, u128) -> Result<u128, Trap>,
) {
    let seed = number("HEDDLE_FIRST_SEED", 1);
    let mut judge = Judge::new(&[ty, ty]);
    let (a, b) = (judge.symbols[0], judge.symbols[1]);
    let term = make(&mut judge.terms, a, b).expect("there is a term");
    println!("{what} of {ty}: {} parts, seed {seed}", judge.terms.reachable(&[term]).len());
    for (x, y) in pairs(ty, seed) {
        let expected = expected(x, y).expect("it has a value");
        assert_eq!(judge.evaluate(term, &[x, y]), expected, "{what} of {ty}: {x:#x} and {y:#x}");
    }
}

fn judge_casts(op: CastOp, from: Type, to: Type, values: &[u128]) {
    let mut judge = Judge::new(&[from]);
    let arg = judge.symbols[0];
    let term = cast(&mut judge.terms, op, from, to, arg).expect("there is a term");
    println!("{op:?} from {from} to {to}: {} parts", judge.terms.reachable(&[term]).len());
    for &x in values {
        let expected = concrete::cast(op, from, to, x).expect("it has a value");
        assert_eq!(judge.evaluate(term, &[x]), expected, "{op:?} from {from} to {to}: {x:#x}");
    }
}

fn singles(ty: Type) -> Vec<u128> {
    let exponents: Vec<u128> = (0..1 << Format::of(ty).expect("a float").exponent).collect();
    let random = pairs(ty, number("HEDDLE_FIRST_SEED", 1)).into_iter().map(|(x, _)| x);
    edges(ty, &exponents).into_iter().chain(random).collect()
}

const FLOATS: [Type; 2] = [Type::F32, Type::F64];

#[test]
fn sums_and_products_are_those_of_the_machine() {
    use BinaryOp::{CopySign, FloatAdd, FloatDiv, FloatMax, FloatMin, FloatMul, FloatSub};
    for ty in FLOATS {
        for op in [FloatAdd, FloatSub, FloatMul, FloatDiv, FloatMin, FloatMax, CopySign] {
            let term = |terms: &mut Terms, a, b| binary(terms, op, ty, a, b);
            judge_pairs(&format!("{op:?}"), ty, term, |x, y| concrete::binary(op, ty, x, y));
        }
    }
}

#[test]
fn comparisons_are_those_of_the_machine() {
    for ty in FLOATS {
        for &op in FloatPredicate::ALL {
            let term = |terms: &mut Terms, a, b| compare(terms, op, ty, a, b);
            judge_pairs(&format!("{op:?}"), ty, term, |x, y| concrete::compare(op, ty, x, y).map(u128::from));
        }
    }
}

#[test]
fn functions_of_one_are_those_of_the_machine() {
    for ty in FLOATS {
        for &op in UnaryOp::ALL {
            let term = |terms: &mut Terms, a, _| unary(terms, op, ty, a);
            let mut judge = Judge::new(&[ty, ty]);
            let arg = judge.symbols[0];
            if unary(&mut judge.terms, op, ty, arg).is_some() {
                judge_pairs(&format!("{op:?}"), ty, term, |x, _| concrete::unary(op, ty, x));
            }
        }
    }
}

#[test]
fn conversions_are_those_of_the_machine() {
    for ty in FLOATS {
        let values = singles(ty);
        for bits in [8, 16, 32, 64] {
            for op in [CastOp::FloatToSigned, CastOp::FloatToUnsigned] {
                judge_casts(op, ty, Type::Int(bits), &values);
            }
        }
        for to in FLOATS {
            judge_casts(CastOp::FloatToFloat, ty, to, &values);
        }
        let mut state = number("HEDDLE_FIRST_SEED", 1);
        for bits in [1_u8, 8, 16, 32, 64, 128] {
            let mask = semantics::int::mask(bits.into());
            let powers = (0..bits).flat_map(|at| [1_u128 << at, (1 << at) - 1, (1_u128 << at) + 1, !(1 << at)]);
            let mut values: Vec<u128> = powers.map(|value| value & mask).chain([0, mask]).collect();
            for _ in 0..number("HEDDLE_CASES", CASES) {
                let wide = u128::from(word(&mut state)) << 64 | u128::from(word(&mut state));
                values.push((wide & mask) >> (word(&mut state) % u64::from(bits)));
            }
            for op in [CastOp::SignedToFloat, CastOp::UnsignedToFloat] {
                judge_casts(op, Type::Int(bits), ty, &values);
            }
        }
    }
}

#[test]
fn choices_between_constants_stay_choices() {
    let mut terms = Terms::new();
    let condition = terms.symbol("c", Sort::Bool);
    let double = |terms: &mut Terms, x: f64| terms.bits(64, u128::from(x.to_bits()));
    let (one, two, half) = (double(&mut terms, 1.0), double(&mut terms, 2.0), double(&mut terms, 0.5));
    let either = terms.ite(condition, one, two);
    let sum = binary(&mut terms, BinaryOp::FloatAdd, Type::F64, either, half);
    let (more, most) = (double(&mut terms, 1.5), double(&mut terms, 2.5));
    assert_eq!(sum, Some(terms.ite(condition, more, most)));
}
