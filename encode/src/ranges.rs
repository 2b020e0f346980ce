//! Range analysis, so that fewer bits of values have to be found.
//!
//! A read returns the initial value or one that can be written there. Reads with cyclic data flow (a counter, say) are
//! analysed together: in an execution a value passes each read of a cycle at most once, so it grows by at most the sum
//! of the additions behind each read. Only sums and remainders are analysed; all other terms have the full range. A
//! read with a small range is asserted to equal a narrow symbol, extended; one with a small value set, an element
//! chosen by index; one with bits that are always zero (`masks`), a word without them.

use std::collections::{BTreeSet, HashMap, HashSet};

use formula::{Family, Op, Sort, Term, Terms};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::draft::Draft;
use crate::masks::{Flow, any_of, masks};
use crate::value_sets::ValueSets;

/// Signed and inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    low: i128,
    high: i128,
}

/// Wider values are ignored, so that sums of bounds cannot overflow.
const WIDEST: u32 = 64;
/// Deeper sums have the full range: the recursion would overflow the stack.
const DEEPEST: u32 = 400;

/// A table must need this many times fewer bits.
const TABLE: u32 = 3;

/// Asserts small ranges as equalities with narrow symbols.
pub fn narrow(draft: &mut Draft<'_>, flows: &[Flow]) {
    let mut merged: Vec<Flow> = Vec::new();
    let mut places: HashMap<Term, usize> = HashMap::new();
    let mut broken: HashSet<Term> = HashSet::new();
    for flow in flows {
        match draft.terms.op(flow.old) {
            Op::Symbol(_) if draft.terms.width(flow.old) <= WIDEST => {
                let place = *places.entry(flow.old).or_insert(merged.len());
                if place == merged.len() {
                    merged.push(Flow { old: flow.old, values: Vec::new() });
                }
                merged[place].values.extend(&flow.values);
            }
            // A part of the value of an access; the whole is not narrowed.
            _ => broken.extend(draft.terms.free_symbols(flow.old)),
        }
    }
    merged.retain(|flow| !broken.contains(&flow.old));
    let found = Ranges::of(&draft.terms, &draft.value_sets, &merged).known;
    let bits_of = |terms: &Terms, read: Term| {
        let range = found.get(&read).copied().flatten();
        range.map_or((terms.width(read), true), Range::bits)
    };
    let masks = masks(&draft.terms, &merged, |read| match bits_of(&draft.terms, read) {
        (bits, false) => (1 << bits) - 1,
        (_, true) => u128::MAX,
    });
    for flow in &merged {
        let width = draft.terms.width(flow.old);
        let (bits, signed) = bits_of(&draft.terms, flow.old);
        let mask = masks.get(&flow.old).copied().unwrap_or(u128::MAX);
        if let Some(values) = draft.value_sets.of(flow.old)
            && TABLE * bits_for(values.len()) <= bits
        {
            let values = values.clone();
            let chosen = one_of(&mut draft.terms, width, &values);
            let same = draft.terms.eq(flow.old, chosen);
            draft.assert(Family::ReadWrite, same);
        } else if mask.count_ones() < bits {
            let any = any_of(&mut draft.terms, width, mask);
            let same = draft.terms.eq(flow.old, any);
            draft.assert(Family::ReadWrite, same);
        } else if bits < width {
            let symbol = draft.terms.symbol(String::new(), Sort::Bits(bits));
            let extended =
                if signed { draft.terms.sign_extend(symbol, width) } else { draft.terms.zero_extend(symbol, width) };
            let same = draft.terms.eq(flow.old, extended);
            draft.assert(Family::ReadWrite, same);
        }
    }
}

/// The number of bits of an index into `count` values.
fn bits_for(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// Any of the values, chosen by an index of minimal width.
fn one_of(terms: &mut Terms, width: u32, values: &BTreeSet<u128>) -> Term {
    let mut rows: Vec<Term> = values.iter().map(|&value| terms.bits(width, value)).collect();
    let bits = bits_for(rows.len());
    if bits == 0 {
        return rows[0];
    }
    let number = terms.symbol(String::new(), Sort::Bits(bits));
    for bit in 0..bits {
        let digit = terms.extract(number, bit, bit);
        let zero = terms.bits(1, 0);
        let low = terms.eq(digit, zero);
        let pairs = rows.chunks(2).map(|pair| terms.ite(low, pair[0], *pair.last().unwrap_or(&pair[0])));
        rows = pairs.collect();
    }
    rows[0]
}

impl Range {
    fn point(value: i128) -> Range {
        Range { low: value, high: value }
    }

    fn full(width: u32) -> Range {
        Range { low: -(1 << (width - 1)), high: (1 << (width - 1)) - 1 }
    }

    fn hull(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The intersection; `other` if it is empty.
    fn common(self, other: Range) -> Range {
        let both = Range { low: self.low.max(other.low), high: self.high.min(other.high) };
        if both.low <= both.high { both } else { other }
    }

    /// The hull of words of this width and zero.
    fn around(width: u32, words: &BTreeSet<u128>) -> Option<Range> {
        let signed = |&word: &u128| {
            let value = i128::try_from(word).ok()?;
            let half = 1_i128 << (width - 1);
            Some(Range::point(if value >= half { value - 2 * half } else { value }))
        };
        words.iter().map(signed).try_fold(Range::point(0), |range, point| Some(range.hull(point?)))
    }

    fn fits(self, width: u32) -> Option<Range> {
        let full = Range::full(width);
        (self.low >= full.low && self.high <= full.high).then_some(self)
    }

    /// The number of bits that hold the range, and whether it is signed.
    fn bits(self) -> (u32, bool) {
        let length = |value: i128| 128 - value.leading_zeros();
        if self.low >= 0 {
            (length(self.high).max(1), false)
        } else {
            (length(self.high.max(0)).max(length(-self.low - 1)) + 1, true)
        }
    }
}

/// The value of a term relative to a cycle of reads.
#[derive(Clone, Copy, Debug)]
struct Mix {
    /// Values that do not come from the cycle.
    outside: Option<Range>,
    /// A read of the cycle, and the range of the amounts added to it.
    inside: Option<(Term, Range)>,
}

struct Ranges<'a> {
    terms: &'a Terms,
    /// By symbol; none for the full range.
    known: HashMap<Term, Option<Range>>,
    circle: HashSet<Term>,
}

impl<'a> Ranges<'a> {
    fn of(terms: &'a Terms, value_sets: &ValueSets, flows: &[Flow]) -> Ranges<'a> {
        let mut graph: DiGraph<usize, ()> = DiGraph::new();
        let nodes: Vec<NodeIndex> = (0..flows.len()).map(|number| graph.add_node(number)).collect();
        let number_of: HashMap<Term, usize> = flows.iter().enumerate().map(|(n, flow)| (flow.old, n)).collect();
        let mut symbols: HashMap<Term, Vec<Term>> = HashMap::new();
        for (number, flow) in flows.iter().enumerate() {
            let mut targets: HashSet<usize> = HashSet::new();
            for &value in &flow.values {
                for symbol in symbols.entry(value).or_insert_with(|| terms.free_symbols(value)) {
                    if let Some(&target) = number_of.get(symbol).filter(|target| targets.insert(**target)) {
                        graph.add_edge(nodes[number], nodes[target], ());
                    }
                }
            }
        }
        let mut ranges = Ranges { terms, known: HashMap::new(), circle: HashSet::new() };
        // Components come in topological order of dependence.
        for component in kosaraju_scc(&graph) {
            ranges.circle = component.iter().map(|&node| flows[graph[node]].old).collect();
            let range = ranges.together(component.iter().map(|&node| &flows[graph[node]]));
            for &node in &component {
                let old = flows[graph[node]].old;
                let listed = value_sets.of(old).and_then(|values| Range::around(terms.width(old), values));
                let narrower = match (range, listed) {
                    (Some(one), Some(other)) => Some(one.common(other)),
                    (one, other) => one.or(other),
                };
                ranges.known.insert(old, narrower);
            }
        }
        ranges
    }

    /// One range for all reads of a cycle.
    fn together<'b>(&self, flows: impl Iterator<Item = &'b Flow>) -> Option<Range> {
        let mut outside = Range::point(0);
        let mut growth: HashMap<Term, Range> = HashMap::new();
        let mut seen = HashSet::new();
        let mut width = WIDEST;
        for flow in flows {
            width = width.min(self.terms.width(flow.old));
            for &value in flow.values.iter().filter(|value| seen.insert(**value)) {
                let mix = self.mix(value, 0)?;
                outside = mix.outside.map_or(outside, |range| outside.hull(range));
                if let Some((symbol, added)) = mix.inside {
                    let entry = growth.entry(symbol).or_insert(added);
                    *entry = entry.hull(added);
                }
            }
        }
        let low = growth.values().map(|range| range.low.min(0)).sum::<i128>();
        let high = growth.values().map(|range| range.high.max(0)).sum::<i128>();
        Range { low: outside.low + low, high: outside.high + high }.fits(width)
    }

    /// As a signed number.
    fn constant(&self, term: Term) -> Option<i128> {
        let value = self.terms.as_bits(term)? as i128;
        let half = 1i128 << (self.terms.width(term) - 1);
        Some(if value >= half { value - 2 * half } else { value })
    }

    fn mix(&self, term: Term, depth: u32) -> Option<Mix> {
        if depth > DEEPEST || self.terms.is_bool(term) || self.terms.width(term) > WIDEST {
            return None;
        }
        let width = self.terms.width(term);
        let outside = |range: Range| Some(Mix { outside: Some(range), inside: None });
        match self.terms.op(term) {
            Op::Bits { .. } => outside(Range::point(self.constant(term)?)),
            Op::Symbol(_) if self.circle.contains(&term) => {
                Some(Mix { outside: None, inside: Some((term, Range::point(0))) })
            }
            Op::Symbol(_) => outside(self.known.get(&term).copied().flatten().unwrap_or(Range::full(width))),
            Op::Add(a, b) => self.sum(self.mix(*a, depth + 1)?, self.mix(*b, depth + 1)?, width),
            Op::Sub(a, b) => {
                let b = self.mix(*b, depth + 1)?;
                if b.inside.is_some() {
                    return None;
                }
                let negated = b.outside.map(|range| Range { low: -range.high, high: -range.low });
                self.sum(self.mix(*a, depth + 1)?, Mix { outside: negated, inside: None }, width)
            }
            // A remainder is smaller than the divisor.
            Op::Srem(_, by) => {
                let by = self.constant(*by).filter(|&by| by != 0)?.abs();
                outside(Range { low: 1 - by, high: by - 1 })
            }
            Op::Urem(_, by) => outside(Range { low: 0, high: self.constant(*by).filter(|&by| by > 0)? - 1 }),
            Op::Ite(_, a, b) => self.either(self.mix(*a, depth + 1)?, self.mix(*b, depth + 1)?),
            _ => None,
        }
    }

    /// The sum, if at most one operand depends on the cycle.
    fn sum(&self, a: Mix, b: Mix, width: u32) -> Option<Mix> {
        let add = |a: Range, b: Range| Range { low: a.low + b.low, high: a.high + b.high }.fits(width);
        match (a, b) {
            (Mix { outside: Some(a), inside: None }, Mix { outside: Some(b), inside: None }) => {
                Some(Mix { outside: Some(add(a, b)?), inside: None })
            }
            (Mix { outside, inside: Some((symbol, a)) }, Mix { outside: Some(b), inside: None })
            | (Mix { outside: Some(b), inside: None }, Mix { outside, inside: Some((symbol, a)) }) => {
                let outside = match outside {
                    Some(range) => Some(add(range, b)?),
                    None => None,
                };
                Some(Mix { outside, inside: Some((symbol, add(a, b)?)) })
            }
            _ => None,
        }
    }

    fn either(&self, a: Mix, b: Mix) -> Option<Mix> {
        let outside = match (a.outside, b.outside) {
            (Some(a), Some(b)) => Some(a.hull(b)),
            (one, other) => one.or(other),
        };
        let inside = match (a.inside, b.inside) {
            (Some((one, a)), Some((other, b))) if one == other => Some((one, a.hull(b))),
            (Some(_), Some(_)) => return None,
            (one, other) => one.or(other),
        };
        Some(Mix { outside, inside })
    }
}
