//! Bit-blasting: each boolean term becomes a literal, each bit-vector a word of literals.

use std::collections::HashMap;

use formula::{Op, Sort, Term, Terms};

use crate::gates::Gates;
use crate::theory::{Lit, TRUE};
use crate::words::Word;

/// Translates the terms of one arena, each once.
#[derive(Debug)]
pub(crate) struct Blaster {
    pub gates: Gates,
    /// By term; zero if it is not translated.
    lits: Vec<Lit>,
    words: Vec<Option<Box<[Lit]>>>,
    /// Order literals by pair of nodes, the smaller first.
    orders: HashMap<(u32, u32), Lit>,
    /// Order literals that the theory does not know yet.
    befores: Vec<(u32, u32, Lit)>,
}

impl Blaster {
    pub fn new() -> Blaster {
        Blaster {
            gates: Gates::new(),
            lits: Vec::new(),
            words: Vec::new(),
            orders: HashMap::new(),
            befores: Vec::new(),
        }
    }

    pub fn take_befores(&mut self) -> Vec<(u32, u32, Lit)> {
        std::mem::take(&mut self.befores)
    }

    /// The literal for the first node being ordered before the second.
    pub fn before(&mut self, a: u32, b: u32) -> Lit {
        if a > b {
            return -self.before(b, a);
        }
        let Blaster { gates, orders, befores, .. } = self;
        *orders.entry((a, b)).or_insert_with(|| {
            let lit = gates.fresh();
            befores.push((a, b, lit));
            lit
        })
    }

    /// The literal of a boolean term.
    pub fn lit(&mut self, terms: &Terms, term: Term) -> Lit {
        self.translate(terms, term);
        self.lits[term.index()]
    }

    /// The bits of a symbol, if it was translated.
    pub fn bits_of(&self, term: Term) -> Option<&[Lit]> {
        self.words.get(term.index())?.as_deref()
    }

    /// The literal of a boolean term, if it was translated.
    pub fn lit_of(&self, term: Term) -> Option<Lit> {
        self.lits.get(term.index()).copied().filter(|&lit| lit != 0)
    }

    /// Uses an asserted equality as the definition of a symbol, so that the symbol needs no bits of its own; possible
    /// if it was not translated yet and does not occur in the other side. Returns whether it did.
    pub fn define(&mut self, terms: &Terms, term: Term) -> bool {
        let Op::Eq(a, b) = terms.op(term) else { return false };
        for (symbol, value) in [(*a, *b), (*b, *a)] {
            let is_new = |blaster: &Blaster| blaster.bits_of(symbol).is_none();
            if matches!(terms.op(symbol), Op::Symbol(_)) && is_new(self) {
                let word = self.word(terms, value);
                if is_new(self) {
                    self.words[symbol.index()] = Some(word);
                    return true;
                }
            }
        }
        false
    }

    /// Asserts a boolean term under a condition, with as few new variables as possible.
    pub fn demand(&mut self, terms: &Terms, condition: Lit, term: Term) {
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            match terms.op(term) {
                Op::And(parts) => stack.extend(parts.iter()),
                Op::Or(parts) => {
                    let mut clause: Vec<Lit> = parts.iter().map(|&part| self.lit(terms, part)).collect();
                    clause.push(-condition);
                    self.gates.clause(&clause);
                }
                Op::Eq(a, b) => {
                    let (a, b) = (self.word(terms, *a), self.word(terms, *b));
                    for (&a, &b) in a.iter().zip(b.iter()) {
                        self.gates.clause(&[-condition, -a, b]);
                        self.gates.clause(&[-condition, a, -b]);
                    }
                }
                _ => {
                    let lit = self.lit(terms, term);
                    self.gates.clause(&[-condition, lit]);
                }
            }
        }
    }

    fn word(&mut self, terms: &Terms, term: Term) -> Box<[Lit]> {
        self.translate(terms, term);
        self.words[term.index()].clone().unwrap_or_default()
    }

    fn known(&self, terms: &Terms, term: Term) -> bool {
        if terms.is_bool(term) { self.lits[term.index()] != 0 } else { self.words[term.index()].is_some() }
    }

    fn translate(&mut self, terms: &Terms, root: Term) {
        if self.lits.len() < terms.len() {
            self.lits.resize(terms.len(), 0);
            self.words.resize(terms.len(), None);
        }
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.known(terms, term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.op(term).operands().filter(|&operand| !self.known(terms, operand)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if terms.is_bool(term) {
                self.lits[term.index()] = self.boolean(terms, term);
            } else {
                let word = self.vector(terms, term);
                self.words[term.index()] = Some(word.into_boxed_slice());
            }
        }
    }

    fn boolean(&mut self, terms: &Terms, term: Term) -> Lit {
        let lits = |list: &[Term]| list.iter().map(|part| self.lits[part.index()]).collect::<Vec<_>>();
        match terms.op(term) {
            Op::Bool(value) => {
                if *value {
                    TRUE
                } else {
                    -TRUE
                }
            }
            Op::Before(a, b) => self.before(a.0, b.0),
            Op::Not(a) => -self.lits[a.index()],
            Op::And(parts) => {
                let parts = lits(parts);
                self.gates.and_all(&parts)
            }
            Op::Or(parts) => {
                let parts: Vec<Lit> = lits(parts).into_iter().map(|lit| -lit).collect();
                -self.gates.and_all(&parts)
            }
            Op::Iff(a, b) => -self.gates.xor(self.lits[a.index()], self.lits[b.index()]),
            Op::Ite(c, a, b) => self.gates.ite(self.lits[c.index()], self.lits[a.index()], self.lits[b.index()]),
            Op::Eq(a, b) => self.compare(*a, *b, Gates::equal),
            Op::Ult(a, b) => self.compare(*a, *b, Gates::less),
            Op::Slt(a, b) => self.compare(*a, *b, Gates::less_signed),
            // A symbol; all other boolean operations are above.
            _ => self.gates.fresh(),
        }
    }

    fn compare(&mut self, a: Term, b: Term, compare: fn(&mut Gates, &[Lit], &[Lit]) -> Lit) -> Lit {
        let none: &[Lit] = &[];
        let a = self.words[a.index()].as_deref().unwrap_or(none);
        let b = self.words[b.index()].as_deref().unwrap_or(none);
        compare(&mut self.gates, a, b)
    }

    fn vector(&mut self, terms: &Terms, term: Term) -> Word {
        let word = |term: &Term| self.words[term.index()].clone().unwrap_or_default();
        match terms.op(term) {
            Op::Bits { width, value } => self.gates.constant(*width, *value),
            Op::Ite(c, a, b) => {
                let (c, a, b) = (self.lits[c.index()], word(a), word(b));
                self.gates.choose_word(c, &a, &b)
            }
            Op::Add(a, b) => {
                let (a, b) = (word(a), word(b));
                self.gates.add_words(&a, &b, -TRUE)
            }
            Op::Sub(a, b) => {
                let (a, b) = (word(a), word(b));
                self.gates.subtract(&a, &b)
            }
            Op::Mul(a, b) => {
                let (a, b) = (word(a), word(b));
                self.gates.multiply(&a, &b)
            }
            Op::Udiv(a, b) | Op::Urem(a, b) | Op::Sdiv(a, b) | Op::Srem(a, b) => {
                let op = terms.op(term);
                let (a, b) = (word(a), word(b));
                let signed = matches!(op, Op::Sdiv(..) | Op::Srem(..));
                let (quotient, remainder) =
                    if signed { self.gates.divide_signed(&a, &b) } else { self.gates.divide(&a, &b) };
                if matches!(op, Op::Udiv(..) | Op::Sdiv(..)) { quotient } else { remainder }
            }
            Op::BitAnd(a, b) => bitwise(&mut self.gates, &word(a), &word(b), Gates::and),
            Op::BitOr(a, b) => bitwise(&mut self.gates, &word(a), &word(b), Gates::or),
            Op::BitXor(a, b) => bitwise(&mut self.gates, &word(a), &word(b), Gates::xor),
            Op::BitNot(a) => word(a).iter().map(|bit| -bit).collect(),
            Op::Neg(a) => {
                let a = word(a);
                self.gates.negate(&a)
            }
            Op::Shl(a, b) => {
                let (a, b) = (word(a), word(b));
                self.gates.shift(&a, &b, true, -TRUE)
            }
            Op::Lshr(a, b) => {
                let (a, b) = (word(a), word(b));
                self.gates.shift(&a, &b, false, -TRUE)
            }
            Op::Ashr(a, b) => {
                let (a, b) = (word(a), word(b));
                let sign = a.last().copied().unwrap_or(-TRUE);
                self.gates.shift(&a, &b, false, sign)
            }
            Op::Concat(high, low) => word(low).iter().chain(word(high).iter()).copied().collect(),
            Op::Extract { high, low, of } => word(of)[*low as usize..=*high as usize].to_vec(),
            Op::ZeroExtend { of, width } => extend(&word(of), *width, -TRUE),
            Op::SignExtend { of, width } => {
                let of = word(of);
                let sign = of.last().copied().unwrap_or(-TRUE);
                extend(&of, *width, sign)
            }
            // A symbol; all other bit-vector operations are above.
            _ => {
                let Sort::Bits(width) = terms.sort(term) else { return Vec::new() };
                (0..width).map(|_| self.gates.fresh()).collect()
            }
        }
    }
}

fn bitwise(gates: &mut Gates, a: &[Lit], b: &[Lit], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Word {
    a.iter().zip(b).map(|(&a, &b)| gate(gates, a, b)).collect()
}

fn extend(word: &[Lit], width: u32, fill: Lit) -> Word {
    let mut word = word.to_vec();
    word.resize(width as usize, fill);
    word
}
