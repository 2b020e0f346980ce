//! Terms: booleans and bit-vectors of 1 to 128 bits, hash-consed in an arena. The simplifying constructors are in
//! `boolean` and `vector`; this file has the arena and its queries.
//!
//! An operand always has a smaller id than the term it occurs in, so ids are a topological order.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

/// A term of some [`Terms`]; equal terms have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(crate) u32);

impl Term {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A point in the order; [`crate::Order`] has the constraints on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

/// An index into [`Terms::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    Bool,
    /// Of 1 to 128 bits.
    Bits(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub sort: Sort,
    pub term: Term,
}

/// The operation of a term. Other operations are expressed by these: `a <= b` is `not (b < a)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Bool(bool),
    Bits {
        width: u32,
        value: u128,
    },
    Symbol(SymbolId),
    /// The first node comes before the second, whose id is greater.
    Before(Node, Node),
    Not(Term),
    And(Box<[Term]>),
    Or(Box<[Term]>),
    Iff(Term, Term),
    /// Condition, then, else; booleans or bit-vectors.
    Ite(Term, Term, Term),
    /// Of bit-vectors.
    Eq(Term, Term),
    Ult(Term, Term),
    Slt(Term, Term),
    Add(Term, Term),
    Sub(Term, Term),
    Mul(Term, Term),
    Udiv(Term, Term),
    Urem(Term, Term),
    Sdiv(Term, Term),
    Srem(Term, Term),
    BitAnd(Term, Term),
    BitOr(Term, Term),
    BitXor(Term, Term),
    BitNot(Term),
    Neg(Term),
    Shl(Term, Term),
    Lshr(Term, Term),
    Ashr(Term, Term),
    /// High part, low part.
    Concat(Term, Term),
    /// Bits `low` to `high`, inclusive.
    Extract {
        high: u32,
        low: u32,
        of: Term,
    },
    ZeroExtend {
        of: Term,
        width: u32,
    },
    SignExtend {
        of: Term,
        width: u32,
    },
}

impl Op {
    /// The operands, in order.
    pub fn operands(&self) -> impl DoubleEndedIterator<Item = Term> + '_ {
        let none: &[Term] = &[];
        let (few, many) = match self {
            Op::Bool(_) | Op::Bits { .. } | Op::Symbol(_) | Op::Before(..) => ([None, None, None], none),
            Op::And(operands) | Op::Or(operands) => ([None, None, None], &**operands),
            Op::Not(a) | Op::BitNot(a) | Op::Neg(a) => ([Some(*a), None, None], none),
            Op::Extract { of, .. } | Op::ZeroExtend { of, .. } | Op::SignExtend { of, .. } => {
                ([Some(*of), None, None], none)
            }
            Op::Ite(a, b, c) => ([Some(*a), Some(*b), Some(*c)], none),
            Op::Iff(a, b)
            | Op::Eq(a, b)
            | Op::Ult(a, b)
            | Op::Slt(a, b)
            | Op::Add(a, b)
            | Op::Sub(a, b)
            | Op::Mul(a, b)
            | Op::Udiv(a, b)
            | Op::Urem(a, b)
            | Op::Sdiv(a, b)
            | Op::Srem(a, b)
            | Op::BitAnd(a, b)
            | Op::BitOr(a, b)
            | Op::BitXor(a, b)
            | Op::Shl(a, b)
            | Op::Lshr(a, b)
            | Op::Ashr(a, b)
            | Op::Concat(a, b) => ([Some(*a), Some(*b), None], none),
        };
        few.into_iter().flatten().chain(many.iter().copied())
    }
}

/// The arena.
#[derive(Clone, Debug)]
pub struct Terms {
    ops: Vec<Op>,
    /// The width of each term, 0 for a boolean.
    widths: Vec<u8>,
    symbols: Vec<Symbol>,
    /// Open addressing with linear probing: half of the hash and the id of each term, by hash. A standard map would
    /// store every operation twice.
    slots: Vec<(u32, u32)>,
}

const FREE: u32 = u32::MAX;

impl Default for Terms {
    fn default() -> Terms {
        let mut terms = Terms { ops: Vec::new(), widths: Vec::new(), symbols: Vec::new(), slots: vec![(0, FREE); 64] };
        // The constructors rely on these two ids.
        terms.intern(Op::Bool(false), Sort::Bool);
        terms.intern(Op::Bool(true), Sort::Bool);
        terms
    }
}

impl Terms {
    pub fn new() -> Terms {
        Terms::default()
    }

    /// The number of terms, which is above all their indices.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    pub fn op(&self, term: Term) -> &Op {
        &self.ops[term.index()]
    }

    pub fn sort(&self, term: Term) -> Sort {
        match self.widths[term.index()] {
            0 => Sort::Bool,
            width => Sort::Bits(u32::from(width)),
        }
    }

    pub fn is_bool(&self, term: Term) -> bool {
        self.widths[term.index()] == 0
    }

    /// Of a bit-vector.
    #[track_caller]
    pub fn width(&self, term: Term) -> u32 {
        let width = u32::from(self.widths[term.index()]);
        assert!(width > 0, "a boolean has no width");
        width
    }

    /// A new symbol, different from all others even if they have the same name.
    #[track_caller]
    pub fn symbol(&mut self, name: impl Into<String>, sort: Sort) -> Term {
        if let Sort::Bits(width) = sort {
            assert!((1..=128).contains(&width), "a bit-vector has 1 to 128 bits, not {width}");
        }
        let id = SymbolId(self.symbols.len() as u32);
        let term = self.intern(Op::Symbol(id), sort);
        self.symbols.push(Symbol { name: name.into(), sort, term });
        term
    }

    pub fn name(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol.0 as usize].name
    }

    /// In the order of creation, which is that of their ids.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match self.op(term) {
            Op::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_bits(&self, term: Term) -> Option<u128> {
        match self.op(term) {
            Op::Bits { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// All subterms of these terms and the terms themselves, operands first, each once.
    pub fn reachable(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen = TermSet::default();
        let mut stack: Vec<Term> = roots.to_vec();
        let mut found = Vec::new();
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                found.push(term);
                stack.extend(self.op(term).operands());
            }
        }
        found.sort_unstable();
        found
    }

    /// The symbols in a term, in the order of their ids.
    pub fn free_symbols(&self, term: Term) -> Vec<Term> {
        let mut found = self.reachable(&[term]);
        found.retain(|&term| matches!(self.op(term), Op::Symbol(_)));
        found
    }

    /// Simultaneous substitution of symbols. The new terms are not substituted again.
    pub fn substitute<S: BuildHasher>(&mut self, term: Term, map: &HashMap<Term, Term, S>) -> Term {
        self.substitute_all(&[term], map)[0]
    }

    /// Like [`Terms::substitute`] for each term; shared subterms are processed once. Any term can be replaced, not only
    /// symbols.
    #[track_caller]
    pub fn substitute_all<S: BuildHasher>(&mut self, roots: &[Term], map: &HashMap<Term, Term, S>) -> Vec<Term> {
        let mut done: HashMap<Term, Term, Mixing> = HashMap::default();
        for term in self.reachable(roots) {
            let replaced = match map.get(&term) {
                Some(&replacement) => {
                    assert_eq!(
                        self.sort(term),
                        self.sort(replacement),
                        "a replacement has the sort of what it replaces"
                    );
                    replacement
                }
                None => self.rebuild(term, |operand| done[&operand]),
            };
            done.insert(term, replaced);
        }
        roots.iter().map(|root| done[root]).collect()
    }

    fn rebuild(&mut self, term: Term, new: impl Fn(Term) -> Term) -> Term {
        if self.op(term).operands().all(|operand| new(operand) == operand) {
            return term;
        }
        match self.op(term).clone() {
            Op::Bool(_) | Op::Bits { .. } | Op::Symbol(_) | Op::Before(..) => term,
            Op::Not(a) => self.not(new(a)),
            Op::And(operands) => self.and(&operands.iter().map(|&a| new(a)).collect::<Vec<_>>()),
            Op::Or(operands) => self.or(&operands.iter().map(|&a| new(a)).collect::<Vec<_>>()),
            Op::Iff(a, b) => self.iff(new(a), new(b)),
            Op::Ite(c, a, b) => self.ite(new(c), new(a), new(b)),
            Op::Eq(a, b) => self.eq(new(a), new(b)),
            Op::Ult(a, b) => self.ult(new(a), new(b)),
            Op::Slt(a, b) => self.slt(new(a), new(b)),
            Op::Add(a, b) => self.add(new(a), new(b)),
            Op::Sub(a, b) => self.sub(new(a), new(b)),
            Op::Mul(a, b) => self.mul(new(a), new(b)),
            Op::Udiv(a, b) => self.udiv(new(a), new(b)),
            Op::Urem(a, b) => self.urem(new(a), new(b)),
            Op::Sdiv(a, b) => self.sdiv(new(a), new(b)),
            Op::Srem(a, b) => self.srem(new(a), new(b)),
            Op::BitAnd(a, b) => self.bit_and(new(a), new(b)),
            Op::BitOr(a, b) => self.bit_or(new(a), new(b)),
            Op::BitXor(a, b) => self.bit_xor(new(a), new(b)),
            Op::BitNot(a) => self.bit_not(new(a)),
            Op::Neg(a) => self.neg(new(a)),
            Op::Shl(a, b) => self.shl(new(a), new(b)),
            Op::Lshr(a, b) => self.lshr(new(a), new(b)),
            Op::Ashr(a, b) => self.ashr(new(a), new(b)),
            Op::Concat(a, b) => self.concat(new(a), new(b)),
            Op::Extract { high, low, of } => self.extract(new(of), high, low),
            Op::ZeroExtend { of, width } => self.zero_extend(new(of), width),
            Op::SignExtend { of, width } => self.sign_extend(new(of), width),
        }
    }

    /// The term for an operation that is already simplified.
    pub(crate) fn intern(&mut self, op: Op, sort: Sort) -> Term {
        let hash = hash_of(&op);
        let slot = match self.probe(&op, hash) {
            Ok(term) => return term,
            Err(slot) => slot,
        };
        assert!(self.ops.len() < FREE as usize, "more terms than ids");
        let term = Term(self.ops.len() as u32);
        self.slots[slot] = (hash, term.0);
        self.ops.push(op);
        self.widths.push(match sort {
            Sort::Bool => 0,
            Sort::Bits(width) => width as u8,
        });
        if self.ops.len() * 2 > self.slots.len() {
            self.grow();
        }
        term
    }

    /// The term for an operation, if it exists.
    pub(crate) fn lookup(&self, op: &Op) -> Option<Term> {
        self.probe(op, hash_of(op)).ok()
    }

    fn probe(&self, op: &Op, hash: u32) -> Result<Term, usize> {
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        loop {
            match self.slots[slot] {
                (_, FREE) => return Err(slot),
                (other, id) if other == hash && self.ops[id as usize] == *op => return Ok(Term(id)),
                _ => slot = (slot + 1) & last,
            }
        }
    }

    fn grow(&mut self) {
        let last = self.slots.len() * 2 - 1;
        let mut slots = vec![(0, FREE); last + 1];
        for &(hash, id) in self.slots.iter().filter(|slot| slot.1 != FREE) {
            let mut slot = hash as usize & last;
            while slots[slot].1 != FREE {
                slot = (slot + 1) & last;
            }
            slots[slot] = (hash, id);
        }
        self.slots = slots;
    }
}

fn hash_of(op: &Op) -> u32 {
    let mut hasher = Mixer::default();
    op.hash(&mut hasher);
    hasher.finish() as u32
}

/// A set of terms, for traversals.
pub(crate) type TermSet = std::collections::HashSet<Term, Mixing>;

/// A fast hash for maps with ids as keys. Keys are not hostile, and the order of the maps is never used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixing;

impl BuildHasher for Mixing {
    type Hasher = Mixer;

    fn build_hasher(&self) -> Mixer {
        Mixer::default()
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        // An odd constant with well spread bits, from the golden ratio.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        let folded = self.0 ^ (self.0 >> 32);
        folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (folded >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.mix(word as u64);
    }
}
