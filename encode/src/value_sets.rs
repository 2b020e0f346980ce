//! The possible values of reads, where they are few: the result of the analysis in `value_analysis`.

use std::collections::{BTreeSet, HashMap};

use events::EventId;
use formula::{Assignment, Op, Sort, Term, Terms, Value};

/// An object and an offset.
pub type Place = (u32, u32);

/// The largest number of combinations of values for one term.
pub const COMBINED: usize = 512;
/// Terms with more subterms than this are large.
const SMALL: usize = 64;

#[derive(Debug, Default)]
pub struct ValueSets {
    pub(crate) sets: HashMap<Term, BTreeSet<u128>>,
    /// By write and place, the value written, if it is always the same.
    pub(crate) written: HashMap<(EventId, Place), Option<u128>>,
}

impl ValueSets {
    /// All symbols of reads with small value sets.
    pub fn all(&self) -> impl Iterator<Item = (Term, &BTreeSet<u128>)> {
        self.sets.iter().map(|(&symbol, values)| (symbol, values))
    }

    /// The value set of a read's symbol.
    pub fn of(&self, symbol: Term) -> Option<&BTreeSet<u128>> {
        self.sets.get(&symbol)
    }

    /// The value that a write stores at this place, if it is always the same.
    pub fn written(&self, event: EventId, object: u32, offset: u32) -> Option<u128> {
        self.written.get(&(event, (object, offset))).copied().flatten()
    }

    /// The value set of a term, if it is small.
    pub fn values(&self, terms: &Terms, term: Term) -> Option<BTreeSet<u128>> {
        if let Some(values) = self.sets.get(&term) {
            return Some(values.clone());
        }
        let mut all = BTreeSet::new();
        let symbols: Vec<Term> = few_symbols(terms, term)?.into_iter().collect();
        let lists = symbols.iter().map(|symbol| Some(self.sets.get(symbol)?.iter().copied().collect()));
        let lists = lists.collect::<Option<Vec<Vec<u128>>>>()?;
        combine(terms, &symbols, &lists, |evaluate, _| all.extend([evaluate(term)]))?;
        Some(all)
    }
}

/// The symbols of a small term; none for a large one.
pub fn few_symbols(terms: &Terms, term: Term) -> Option<BTreeSet<Term>> {
    let mut seen = BTreeSet::from([term]);
    let mut open = vec![term];
    let mut symbols = BTreeSet::new();
    while let Some(term) = open.pop() {
        match terms.op(term) {
            Op::Symbol(_) => drop(symbols.insert(term)),
            Op::Before(..) => return None,
            op => open.extend(op.operands().filter(|&operand| seen.insert(operand))),
        }
        if seen.len() > SMALL {
            return None;
        }
    }
    Some(symbols)
}

/// Visits all combinations, the first symbol changing fastest; none if there are too many.
pub fn combine(
    terms: &Terms,
    symbols: &[Term],
    lists: &[Vec<u128>],
    mut visit: impl FnMut(&mut dyn FnMut(Term) -> u128, &[u128]),
) -> Option<()> {
    let count = lists.iter().try_fold(1_usize, |count, list| count.checked_mul(list.len()))?;
    if count > COMBINED {
        return None;
    }
    for number in 0..count {
        let mut rest = number;
        let mut assignment = Assignment::default();
        let mut row = Vec::with_capacity(lists.len());
        for (&symbol, list) in symbols.iter().zip(lists) {
            let value = list[rest % list.len()];
            rest /= list.len();
            row.push(value);
            let value = match terms.sort(symbol) {
                Sort::Bool => Value::Bool(value == 1),
                Sort::Bits(width) => Value::Bits { width, value },
            };
            assignment.values.insert(symbol, value);
        }
        let mut evaluator = assignment.evaluator(terms);
        let mut evaluate = |term: Term| match evaluator.evaluate(term) {
            Value::Bool(value) => u128::from(value),
            Value::Bits { value, .. } => value,
        };
        visit(&mut evaluate, &row);
    }
    Some(())
}
