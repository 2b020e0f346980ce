//! What terms are worth, where what they are built of has few values: for each value of the one read that they depend on,
//! or all together.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use events::EventGraph;
use formula::{Op, Term};

use crate::possible::Possible;

pub type Words = BTreeSet<u128>;

/// More values than this are any.
const MOST: usize = 64;
/// How many combinations of operands are tried.
const MOST_TRIED: usize = 1024;

/// What is known of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    /// One of these.
    Few(Rc<Words>),
    /// It depends on one symbol only: for each of its values, in their order, what it is then.
    Column(Term, Rc<Vec<u128>>),
    Any,
}

impl Worth {
    fn few(words: Words) -> Worth {
        if words.len() > MOST { Worth::Any } else { Worth::Few(Rc::new(words)) }
    }

    fn words(&self) -> Option<Words> {
        match self {
            Worth::Few(words) => Some((**words).clone()),
            Worth::Column(_, column) => Some(column.iter().copied().collect()),
            Worth::Any => None,
        }
    }
}

/// By symbol of a read, its values where they are few.
#[derive(Debug, Default)]
pub struct Few {
    pub of: HashMap<Term, Rc<Words>>,
}

impl Few {
    pub fn new(possible: &Possible) -> Few {
        Few { of: possible.all().map(|(symbol, words)| (symbol, Rc::new(words.clone()))).collect() }
    }

    /// What is known of these terms and all that they are built of, operands first.
    pub fn worths(&self, graph: &EventGraph, terms: &[Term]) -> HashMap<Term, Worth> {
        let mut worths = HashMap::new();
        for &term in terms {
            let worth = self.worth(graph, &worths, term);
            worths.insert(term, worth);
        }
        worths
    }

    fn worth(&self, graph: &EventGraph, known: &HashMap<Term, Worth>, term: Term) -> Worth {
        let terms = &graph.terms;
        match terms.op(term) {
            Op::Bool(value) => return Worth::few(Words::from([u128::from(*value)])),
            Op::Bits { value, .. } => return Worth::few(Words::from([*value])),
            Op::Symbol(_) => {
                return match self.of.get(&term) {
                    Some(words) => Worth::Column(term, Rc::new(words.iter().copied().collect())),
                    None => Worth::Any,
                };
            }
            Op::Before(..) => return Worth::Any,
            _ => {}
        }
        let operands: Vec<Term> = terms.op(term).operands().collect();
        self.column(graph, known, term, &operands).unwrap_or_else(|| image(graph, known, term, &operands))
    }

    /// Of a term of one symbol.
    fn column(&self, graph: &EventGraph, known: &HashMap<Term, Worth>, term: Term, operands: &[Term]) -> Option<Worth> {
        let mut symbol = None;
        for operand in operands {
            match &known[operand] {
                Worth::Few(words) if words.len() == 1 => {}
                Worth::Column(of, _) if symbol.is_none_or(|symbol| symbol == *of) => symbol = Some(*of),
                _ => return None,
            }
        }
        let symbol = symbol?;
        let word = |operand: Term, row: usize| match &known[&operand] {
            Worth::Column(_, column) => column[row],
            Worth::Few(words) => words.first().copied().unwrap_or(0),
            Worth::Any => 0,
        };
        let rows = 0..self.of[&symbol].len();
        let column: Option<Vec<u128>> =
            rows.map(|row| graph.terms.compute(term, |operand| word(operand, row))).collect();
        Some(Worth::Column(symbol, Rc::new(column?)))
    }
}

/// What an operation can make of what its operands can be.
fn image(graph: &EventGraph, known: &HashMap<Term, Worth>, term: Term, operands: &[Term]) -> Worth {
    let terms = &graph.terms;
    if let Op::Ite(_, then, otherwise) = *terms.op(term) {
        return match (known[&then].words(), known[&otherwise].words()) {
            (Some(mut words), Some(others)) => {
                words.extend(others);
                Worth::few(words)
            }
            _ => Worth::Any,
        };
    }
    if terms.is_bool(term) {
        return Worth::Any;
    }
    if let Some(rest) = remainder(graph, known, term) {
        return rest;
    }
    let mut distinct = operands.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut lists = Vec::new();
    let mut tried = 1_usize;
    for operand in &distinct {
        let Some(words) = known[operand].words() else { return Worth::Any };
        tried = tried.saturating_mul(words.len());
        lists.push(words.into_iter().collect::<Vec<u128>>());
    }
    if tried > MOST_TRIED {
        return Worth::Any;
    }
    let mut words = Words::new();
    for choice in 0..tried {
        let mut rest = choice;
        let mut chosen = HashMap::new();
        for (&operand, list) in distinct.iter().zip(&lists) {
            chosen.insert(operand, list[rest % list.len()]);
            rest /= list.len();
        }
        match terms.compute(term, |operand| chosen[&operand]) {
            Some(word) => drop(words.insert(word)),
            None => return Worth::Any,
        }
    }
    Worth::few(words)
}

/// Whatever is divided, the rest is smaller than the divisor, and what is masked is part of the mask.
fn remainder(graph: &EventGraph, known: &HashMap<Term, Worth>, term: Term) -> Option<Worth> {
    let terms = &graph.terms;
    let (of, by, masks) = match *terms.op(term) {
        Op::Urem(of, by) => (of, terms.as_bits(by)?, false),
        Op::BitAnd(of, by) => (of, terms.as_bits(by)?, true),
        _ => return None,
    };
    let limit = if masks { by.checked_add(1)? } else { by };
    if known[&of] != Worth::Any || !(1..=MOST as u128).contains(&limit) {
        return None;
    }
    Some(Worth::few((0..limit).filter(|word| !masks || word & !by == 0).collect()))
}
