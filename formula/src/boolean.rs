//! Constructors of boolean terms. Conjunctions and disjunctions share their code by duality.

use crate::term::{Node, Op, Sort, Term, Terms};

/// The largest nested conjunction that is flattened: without a bound, the guards along a path, each a conjunction of
/// the one before and one more condition, would take quadratic space.
const FLATTENED: usize = 16;
/// Up to this many operands are compared pairwise.
const PAIRED: usize = 6;
/// The number of passes that simplify a conjunction by its own operands.
const ROUNDS: usize = 4;

impl Terms {
    pub fn bool(&self, value: bool) -> Term {
        Term(u32::from(value))
    }

    pub fn truth(&self) -> Term {
        self.bool(true)
    }

    pub fn falsehood(&self) -> Term {
        self.bool(false)
    }

    /// Whether `a` comes before `b` in the order.
    pub fn before(&mut self, a: Node, b: Node) -> Term {
        match a.cmp(&b) {
            std::cmp::Ordering::Less => self.intern(Op::Before(a, b), Sort::Bool),
            std::cmp::Ordering::Equal => self.falsehood(),
            std::cmp::Ordering::Greater => {
                let other = self.intern(Op::Before(b, a), Sort::Bool);
                self.not(other)
            }
        }
    }

    #[track_caller]
    pub fn not(&mut self, term: Term) -> Term {
        match *self.op(term) {
            Op::Bool(value) => self.bool(!value),
            Op::Not(inner) => inner,
            _ => {
                assert!(self.is_bool(term), "only booleans are negated");
                self.intern(Op::Not(term), Sort::Bool)
            }
        }
    }

    #[track_caller]
    pub fn and(&mut self, operands: &[Term]) -> Term {
        self.junction(true, operands)
    }

    #[track_caller]
    pub fn or(&mut self, operands: &[Term]) -> Term {
        self.junction(false, operands)
    }

    #[track_caller]
    pub fn and2(&mut self, a: Term, b: Term) -> Term {
        self.junction(true, &[a, b])
    }

    #[track_caller]
    pub fn or2(&mut self, a: Term, b: Term) -> Term {
        self.junction(false, &[a, b])
    }

    #[track_caller]
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or2(not_a, b)
    }

    #[track_caller]
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let same = self.iff(a, b);
        self.not(same)
    }

    #[track_caller]
    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        assert!(self.is_bool(a) && self.is_bool(b), "only booleans are equivalent");
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => return b,
            (Some(false), _) => return self.not(b),
            (_, Some(true)) => return a,
            (_, Some(false)) => return self.not(a),
            _ => {}
        }
        let (a, a_negated) = self.strip(a);
        let (b, b_negated) = self.strip(b);
        let same = if a == b { self.truth() } else { self.intern(Op::Iff(a.min(b), a.max(b)), Sort::Bool) };
        if a_negated == b_negated { same } else { self.not(same) }
    }

    /// The term without its negation, and whether it had one.
    fn strip(&self, term: Term) -> (Term, bool) {
        match *self.op(term) {
            Op::Not(inner) => (inner, true),
            _ => (term, false),
        }
    }

    /// Of two booleans or of two bit-vectors of the same width.
    #[track_caller]
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        assert!(self.is_bool(condition), "a condition is a boolean");
        assert_eq!(self.sort(then), self.sort(otherwise), "the two sides of a choice have one sort");
        let (condition, then, otherwise) = match self.strip(condition) {
            (inner, true) => (inner, otherwise, then),
            (condition, false) => (condition, then, otherwise),
        };
        if let Some(value) = self.as_bool(condition) {
            return if value { then } else { otherwise };
        }
        // Within the branches of a choice its condition is known.
        let then = match *self.op(then) {
            Op::Ite(c, t, _) if c == condition => t,
            _ => then,
        };
        let otherwise = match *self.op(otherwise) {
            Op::Ite(c, _, e) if c == condition => e,
            _ => otherwise,
        };
        if then == otherwise {
            return then;
        }
        if self.is_bool(then) {
            return self.ite_of_booleans(condition, then, otherwise);
        }
        if let Op::Ite(c, t, e) = *self.op(otherwise)
            && t == then
        {
            let either = self.or2(condition, c);
            return self.ite(either, then, e);
        }
        if let Op::Ite(c, t, e) = *self.op(then)
            && e == otherwise
        {
            let both = self.and2(condition, c);
            return self.ite(both, t, otherwise);
        }
        let sort = self.sort(then);
        self.intern(Op::Ite(condition, then, otherwise), sort)
    }

    fn ite_of_booleans(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let not_condition = self.not(condition);
        if self.as_bool(then) == Some(true) || then == condition {
            return self.or2(condition, otherwise);
        }
        if self.as_bool(then) == Some(false) || then == not_condition {
            return self.and2(not_condition, otherwise);
        }
        if self.as_bool(otherwise) == Some(true) || otherwise == not_condition {
            return self.or2(not_condition, then);
        }
        if self.as_bool(otherwise) == Some(false) || otherwise == condition {
            return self.and2(condition, then);
        }
        if self.complement(then) == Some(otherwise) {
            return self.iff(condition, then);
        }
        self.intern(Op::Ite(condition, then, otherwise), Sort::Bool)
    }

    /// The negation of a term, if it exists in the arena.
    fn complement(&self, term: Term) -> Option<Term> {
        match *self.op(term) {
            Op::Bool(value) => Some(self.bool(!value)),
            Op::Not(inner) => Some(inner),
            _ => self.lookup(&Op::Not(term)),
        }
    }

    /// The operands, if the term is a conjunction or, with `conjunction` false, a disjunction.
    fn parts(&self, conjunction: bool, term: Term) -> Option<&[Term]> {
        match self.op(term) {
            Op::And(operands) if conjunction => Some(operands),
            Op::Or(operands) if !conjunction => Some(operands),
            _ => None,
        }
    }

    #[track_caller]
    fn junction(&mut self, conjunction: bool, operands: &[Term]) -> Term {
        for &operand in operands {
            assert!(self.is_bool(operand), "only booleans are joined");
        }
        let absorbing = self.bool(!conjunction);
        let mut list = operands.to_vec();
        for round in 0.. {
            list = self.flatten(conjunction, list);
            if list.first() == Some(&absorbing) || self.contradicts_itself(&list) {
                return absorbing;
            }
            if round == ROUNDS || !(self.simplify_by_others(conjunction, &mut list) | self.pair(conjunction, &mut list))
            {
                break;
            }
        }
        match list[..] {
            [] => self.bool(conjunction),
            [only] => only,
            _ if conjunction => self.intern(Op::And(list.into()), Sort::Bool),
            _ => self.intern(Op::Or(list.into()), Sort::Bool),
        }
    }

    /// Sorted, without duplicates and without nested operands of the same kind; only the absorbing constant if it
    /// occurs.
    fn flatten(&mut self, conjunction: bool, mut waiting: Vec<Term>) -> Vec<Term> {
        let mut flat = Vec::with_capacity(waiting.len());
        while let Some(term) = waiting.pop() {
            if let Some(value) = self.as_bool(term) {
                if value == conjunction {
                    continue;
                }
                return vec![term];
            }
            if let Some(parts) = self.parts(conjunction, term).filter(|parts| parts.len() <= FLATTENED) {
                waiting.extend_from_slice(parts);
                continue;
            }
            if let Op::Not(inner) = *self.op(term)
                && let Some(parts) = self.parts(!conjunction, inner).filter(|parts| parts.len() <= FLATTENED)
            {
                let parts = parts.to_vec();
                waiting.extend(parts.into_iter().map(|part| self.not(part)));
                continue;
            }
            flat.push(term);
        }
        flat.sort_unstable();
        flat.dedup();
        flat
    }

    fn contradicts_itself(&self, list: &[Term]) -> bool {
        list.iter().any(|&term| match *self.op(term) {
            Op::Not(inner) => list.binary_search(&inner).is_ok(),
            _ => false,
        })
    }

    /// In `a ∧ (b ∨ …)`, `a` simplifies the disjunction: the disjunction is dropped if it contains `a`, and loses `¬a`.
    fn simplify_by_others(&mut self, conjunction: bool, list: &mut Vec<Term>) -> bool {
        let mut changed = false;
        let mut kept = Vec::with_capacity(list.len());
        for &term in list.iter() {
            let Some(parts) = self.parts(!conjunction, term).filter(|parts| parts.len() <= FLATTENED) else {
                kept.push(term);
                continue;
            };
            if parts.iter().any(|part| list.binary_search(part).is_ok()) {
                changed = true;
                continue;
            }
            let decided = |part: &Term| self.complement(*part).is_some_and(|other| list.binary_search(&other).is_ok());
            if parts.iter().any(decided) {
                changed = true;
                let left: Vec<Term> = parts.iter().copied().filter(|part| !decided(part)).collect();
                kept.push(self.junction(!conjunction, &left));
            } else {
                kept.push(term);
            }
        }
        *list = kept;
        changed
    }

    /// `(g ∧ c) ∨ (g ∧ ¬c)` is `g`, as where two branches join; `(g ∧ c) ∨ (g ∧ ¬c ∧ d)` does not need `¬c`; an operand
    /// of a disjunction that implies another one is dropped. And the duals.
    fn pair(&mut self, conjunction: bool, list: &mut Vec<Term>) -> bool {
        if list.len() > PAIRED {
            return false;
        }
        for i in 0..list.len() {
            for j in 0..list.len() {
                if i == j {
                    continue;
                }
                let (Some(a), Some(b)) = (self.parts(!conjunction, list[i]), self.parts(!conjunction, list[j])) else {
                    continue;
                };
                if a.len() > b.len() || b.len() > 2 * FLATTENED {
                    continue;
                }
                let mut missing = a.iter().copied().filter(|part| b.binary_search(part).is_err());
                let Some(first) = missing.next() else {
                    list.remove(j);
                    return true;
                };
                if missing.next().is_some() {
                    continue;
                }
                let Some(opposite) = self.complement(first).filter(|other| b.binary_search(other).is_ok()) else {
                    continue;
                };
                let same_length = a.len() == b.len();
                let without: Vec<Term> = b.iter().copied().filter(|&part| part != opposite).collect();
                list[j] = self.junction(!conjunction, &without);
                if same_length {
                    list.remove(i);
                }
                return true;
            }
        }
        false
    }
}
