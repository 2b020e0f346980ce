//! Sums of symbols with coefficients, modulo a power of two: what a term comes to when only addition matters.

use std::collections::{BTreeMap, HashMap};

use formula::{Op, Term, Terms};

/// What a sum is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unknown {
    Symbol(Term),
    /// What a cell holds when a section begins.
    Cell(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    width: u32,
    pub constant: u128,
    /// None of them zero.
    pub parts: BTreeMap<Unknown, u128>,
}

impl Linear {
    pub fn constant(width: u32, constant: u128) -> Linear {
        Linear { width, constant: constant & mask(width), parts: BTreeMap::new() }
    }

    pub fn unknown(width: u32, unknown: Unknown) -> Linear {
        Linear { width, constant: 0, parts: BTreeMap::from([(unknown, 1)]) }
    }

    /// Adds a multiple of another.
    pub fn add(&mut self, other: &Linear, times: u128) {
        let mask = mask(self.width);
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(times)) & mask;
        for (&unknown, &factor) in &other.parts {
            let sum = self.parts.entry(unknown).or_insert(0);
            *sum = sum.wrapping_add(factor.wrapping_mul(times)) & mask;
            if *sum == 0 {
                self.parts.remove(&unknown);
            }
        }
    }

    /// The sum that a term is, with sums for some of its symbols; none if it is no sum.
    pub fn of(terms: &Terms, term: Term, known: &HashMap<Term, Linear>) -> Option<Linear> {
        let width = terms.width(term);
        let mut sum = Linear::constant(width, 0);
        let mut stack = vec![(term, 1u128)];
        while let Some((term, times)) = stack.pop() {
            match terms.op(term) {
                Op::Bits { value, .. } => sum.add(&Linear::constant(width, *value), times),
                Op::Symbol(_) => match known.get(&term) {
                    Some(linear) => sum.add(linear, times),
                    None => sum.add(&Linear::unknown(width, Unknown::Symbol(term)), times),
                },
                Op::Add(a, b) => stack.extend([(*a, times), (*b, times)]),
                Op::Sub(a, b) => stack.extend([(*a, times), (*b, times.wrapping_neg())]),
                Op::Neg(a) => stack.push((*a, times.wrapping_neg())),
                _ => return None,
            }
        }
        Some(sum)
    }
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}
