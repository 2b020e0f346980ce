//! Values for symbols and positions for nodes, and the evaluation of terms under them.

use std::collections::{BTreeMap, HashMap};

use crate::term::{Mixing, Node, Op, Sort, Term, Terms};
use crate::word;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Bool(bool),
    Bits { width: u32, value: u128 },
}

impl Value {
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Bits(width) => Value::Bits { width, value: 0 },
        }
    }

    pub fn sort(self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Bits { width, .. } => Sort::Bits(width),
        }
    }

    /// The bits, or 0 and 1 for booleans.
    fn word(self) -> u128 {
        match self {
            Value::Bool(value) => u128::from(value),
            Value::Bits { value, .. } => value,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// By the symbol's term. A missing symbol is zero or false.
    pub values: BTreeMap<Term, Value>,
    /// By the node's id. A missing node is at the beginning.
    pub positions: Vec<u32>,
}

impl Assignment {
    pub fn position(&self, node: Node) -> u32 {
        self.positions.get(node.0 as usize).copied().unwrap_or(0)
    }

    pub fn evaluate(&self, terms: &Terms, term: Term) -> Value {
        self.evaluator(terms).evaluate(term)
    }

    #[track_caller]
    pub fn evaluate_bool(&self, terms: &Terms, term: Term) -> bool {
        self.evaluator(terms).evaluate_bool(term)
    }

    #[track_caller]
    pub fn evaluate_bits(&self, terms: &Terms, term: Term) -> u128 {
        self.evaluator(terms).evaluate_bits(term)
    }

    /// For many terms: shared subterms are evaluated once.
    pub fn evaluator<'a>(&'a self, terms: &'a Terms) -> Evaluator<'a> {
        Evaluator { assignment: self, terms, known: HashMap::default(), stack: Vec::new() }
    }
}

#[derive(Clone, Debug)]
pub struct Evaluator<'a> {
    assignment: &'a Assignment,
    terms: &'a Terms,
    known: HashMap<Term, Value, Mixing>,
    stack: Vec<Term>,
}

impl Evaluator<'_> {
    pub fn evaluate(&mut self, term: Term) -> Value {
        self.stack.push(term);
        while let Some(&top) = self.stack.last() {
            if self.known.contains_key(&top) {
                self.stack.pop();
                continue;
            }
            let waiting = self.stack.len();
            let known = &self.known;
            self.stack.extend(self.terms.op(top).operands().filter(|operand| !known.contains_key(operand)));
            if self.stack.len() == waiting {
                let value = self.apply(top);
                self.known.insert(top, value);
                self.stack.pop();
            }
        }
        self.known[&term]
    }

    #[track_caller]
    pub fn evaluate_bool(&mut self, term: Term) -> bool {
        assert!(self.terms.is_bool(term), "a bit-vector is neither true nor false");
        self.evaluate(term).word() == 1
    }

    #[track_caller]
    pub fn evaluate_bits(&mut self, term: Term) -> u128 {
        assert!(!self.terms.is_bool(term), "a boolean has no bits");
        self.evaluate(term).word()
    }

    /// The value of a term whose operands are evaluated.
    fn apply(&self, term: Term) -> Value {
        let sort = self.terms.sort(term);
        let result = match *self.terms.op(term) {
            Op::Symbol(_) => {
                let value = self.assignment.values.get(&term).copied();
                return value.filter(|value| value.sort() == sort).unwrap_or(Value::zero(sort));
            }
            Op::Before(a, b) => u128::from(self.assignment.position(a) < self.assignment.position(b)),
            _ => self.terms.compute(term, |operand| self.known[&operand].word()).unwrap_or(0),
        };
        match sort {
            Sort::Bool => Value::Bool(result == 1),
            Sort::Bits(width) => Value::Bits { width, value: result },
        }
    }
}

impl Terms {
    /// The result of an operation for given operands; booleans are 1 or 0. None for symbols and for order.
    pub fn compute(&self, term: Term, word: impl Fn(Term) -> u128) -> Option<u128> {
        let truth = |operand: Term| word(operand) == 1;
        // The width of an operand, or of a bit-vector result.
        let width = |operand: Term| self.width(operand);
        Some(match *self.op(term) {
            Op::Symbol(_) | Op::Before(..) => return None,
            Op::Bool(value) => u128::from(value),
            Op::Bits { value, .. } => value,
            Op::Not(a) => u128::from(!truth(a)),
            Op::And(ref operands) => u128::from(operands.iter().all(|&operand| truth(operand))),
            Op::Or(ref operands) => u128::from(operands.iter().any(|&operand| truth(operand))),
            Op::Iff(a, b) | Op::Eq(a, b) => u128::from(word(a) == word(b)),
            Op::Ite(c, a, b) => word(if truth(c) { a } else { b }),
            Op::Ult(a, b) => u128::from(word::ult(width(a), word(a), word(b))),
            Op::Slt(a, b) => u128::from(word::slt(width(a), word(a), word(b))),
            Op::Add(a, b) => word::add(width(a), word(a), word(b)),
            Op::Sub(a, b) => word::sub(width(a), word(a), word(b)),
            Op::Mul(a, b) => word::mul(width(a), word(a), word(b)),
            Op::Udiv(a, b) => word::udiv(width(a), word(a), word(b)),
            Op::Urem(a, b) => word::urem(width(a), word(a), word(b)),
            Op::Sdiv(a, b) => word::sdiv(width(a), word(a), word(b)),
            Op::Srem(a, b) => word::srem(width(a), word(a), word(b)),
            Op::BitAnd(a, b) => word::and(width(a), word(a), word(b)),
            Op::BitOr(a, b) => word::or(width(a), word(a), word(b)),
            Op::BitXor(a, b) => word::xor(width(a), word(a), word(b)),
            Op::BitNot(a) => word::not(width(a), word(a)),
            Op::Neg(a) => word::neg(width(a), word(a)),
            Op::Shl(a, b) => word::shl(width(a), word(a), word(b)),
            Op::Lshr(a, b) => word::lshr(width(a), word(a), word(b)),
            Op::Ashr(a, b) => word::ashr(width(a), word(a), word(b)),
            Op::Concat(a, b) => word::concat(word(a), word(b), width(b)),
            Op::Extract { high, low, of } => word::extract(high, low, word(of)),
            Op::ZeroExtend { of, .. } => word(of),
            Op::SignExtend { of, width: to } => word::sign_extend(width(of), to, word(of)),
        })
    }
}
