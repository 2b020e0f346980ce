//! The values of terms for all values of their symbols, where the value sets are small.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use formula::{Assignment, Op, Sort, Term, Terms, Value};

use crate::value_sets::ValueSets;

/// The largest number of combinations of the values of several symbols.
const ROWS: usize = 256;

/// The symbols with several values that a term depends on, in the order of their ids.
pub type Support = Rc<[Term]>;

/// By symbol of a read, its value set where it is small.
#[derive(Debug, Default)]
pub struct ValueTables {
    pub of: HashMap<Term, BTreeSet<u128>>,
}

impl ValueTables {
    pub fn new(value_sets: &ValueSets) -> ValueTables {
        ValueTables { of: value_sets.all().map(|(symbol, words)| (symbol, words.clone())).collect() }
    }

    /// The supports of these terms, which are in topological order; without terms that depend on symbols with large
    /// value sets, or on too many symbols.
    pub fn supports(&self, terms: &Terms, all: &[Term]) -> HashMap<Term, Support> {
        let nothing: Support = Rc::new([]);
        let mut known: HashMap<Term, Support> = HashMap::new();
        for &term in all {
            let support = match terms.op(term) {
                Op::Symbol(_) => {
                    let of_one = |values: &BTreeSet<u128>| values.len() == 1;
                    let values = self.of.get(&term);
                    values.map(|values| if of_one(values) { nothing.clone() } else { Support::from([term]) })
                }
                Op::Before(..) => None,
                op => op.operands().try_fold(nothing.clone(), |one, operand| self.joined(one, known.get(&operand)?)),
            };
            known.extend(support.map(|support| (term, support)));
        }
        known
    }

    fn joined(&self, one: Support, other: &Support) -> Option<Support> {
        if one == *other || other.is_empty() {
            return Some(one);
        }
        if one.is_empty() {
            return Some(other.clone());
        }
        let both: BTreeSet<Term> = one.iter().chain(other.iter()).copied().collect();
        let rows = both.iter().try_fold(1_usize, |rows, symbol| rows.checked_mul(self.of[symbol].len()));
        rows.filter(|&rows| both.len() == 1 || rows <= ROWS).map(|_| both.into_iter().collect())
    }

    /// For each of the terms, which all have this support, its value for each combination of the symbols' values, the
    /// last symbol changing fastest.
    pub fn columns(&self, terms: &Terms, support: &Support, all: &[Term]) -> Vec<Vec<u128>> {
        let mut columns = vec![Vec::new(); all.len()];
        let mut assignment = Assignment::default();
        for symbol in terms.reachable(all) {
            let only = self.of.get(&symbol).filter(|values| values.len() == 1).and_then(BTreeSet::first);
            assignment.values.extend(only.map(|&value| (symbol, as_value(terms, symbol, value))));
        }
        let values: Vec<Vec<u128>> = support.iter().map(|symbol| self.of[symbol].iter().copied().collect()).collect();
        for row in 0..values.iter().map(Vec::len).product() {
            let mut rest = row;
            for (&symbol, values) in support.iter().zip(&values).rev() {
                let value = values[rest % values.len()];
                rest /= values.len();
                assignment.values.insert(symbol, as_value(terms, symbol, value));
            }
            let mut evaluator = assignment.evaluator(terms);
            for (column, &term) in columns.iter_mut().zip(all) {
                column.push(match evaluator.evaluate(term) {
                    Value::Bool(value) => u128::from(value),
                    Value::Bits { value, .. } => value,
                });
            }
        }
        columns
    }
}

fn as_value(terms: &Terms, symbol: Term, value: u128) -> Value {
    match terms.sort(symbol) {
        Sort::Bool => Value::Bool(value == 1),
        Sort::Bits(width) => Value::Bits { width, value },
    }
}
