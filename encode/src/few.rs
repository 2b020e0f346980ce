//! What terms of one symbol are worth, for each of the few values that the symbol can have.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use formula::{Op, Term, Terms};

use crate::possible::Possible;

/// What is known of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    Constant(u128),
    /// It depends on one symbol only: for each of its values, in their order, what it is then.
    Column(Term, Rc<Vec<u128>>),
    Any,
}

/// By symbol of a read, its values where they are few.
#[derive(Debug, Default)]
pub struct Few {
    pub of: HashMap<Term, BTreeSet<u128>>,
}

impl Few {
    pub fn new(possible: &Possible) -> Few {
        Few { of: possible.all().map(|(symbol, words)| (symbol, words.clone())).collect() }
    }

    /// What is known of these terms, which come after all that they are built of.
    pub fn columns(&self, terms: &Terms, all: &[Term]) -> HashMap<Term, Worth> {
        let mut known = HashMap::new();
        for &term in all {
            let worth = self.worth(terms, &known, term);
            known.insert(term, worth);
        }
        known
    }

    fn worth(&self, terms: &Terms, known: &HashMap<Term, Worth>, term: Term) -> Worth {
        if let Op::Symbol(_) = terms.op(term) {
            let column = |words: &BTreeSet<u128>| Worth::Column(term, Rc::new(words.iter().copied().collect()));
            return self.of.get(&term).map_or(Worth::Any, column);
        }
        let mut symbol = None;
        for operand in terms.op(term).operands() {
            match &known[&operand] {
                Worth::Constant(_) => {}
                Worth::Column(of, _) if symbol.is_none_or(|symbol| symbol == *of) => symbol = Some(*of),
                _ => return Worth::Any,
            }
        }
        let word = |operand: Term, row: usize| match &known[&operand] {
            Worth::Column(_, column) => column[row],
            Worth::Constant(word) => *word,
            Worth::Any => 0,
        };
        let computed = |row: usize| terms.compute(term, |operand| word(operand, row));
        match symbol {
            Some(symbol) => {
                let column: Option<Vec<u128>> = (0..self.of[&symbol].len()).map(computed).collect();
                column.map_or(Worth::Any, |column| Worth::Column(symbol, Rc::new(column)))
            }
            None => computed(0).map_or(Worth::Any, Worth::Constant),
        }
    }
}
