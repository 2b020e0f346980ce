//! Which values matter, and constraints on single reads.
//!
//! A value is *relevant* if a condition, a guard or an address depends on it, directly or by data flow through memory.
//! Where an unconditional assumption names one read alone, as the branches of most traces do, constants that violate it
//! are no possible values of the read.

use std::collections::HashMap;

use events::{EventGraph, EventId, Kind};
use formula::{Family, Op, Sort, Term, Terms};

use crate::cells::{Attempt, Shared};
use crate::draft::Draft;
use crate::graph::defined;
use crate::question::{Failure, Goal, Question};
use crate::value_sets::{ValueSets, few_symbols};

#[derive(Debug)]
pub struct Conditions {
    /// By term that existed at construction: whether its value is relevant.
    relevant: Vec<bool>,
    /// By the symbol of a read, the conditions on it alone.
    unary: HashMap<Term, Vec<Term>>,
    /// By condition and value: whether the condition holds.
    judged: HashMap<(Term, Term), bool>,
}

impl Conditions {
    pub fn new(draft: &Draft<'_>, cells: &[Shared], attempts: &[Attempt], synchronised: &[Term]) -> Conditions {
        let mut conditions = Conditions {
            relevant: vec![false; draft.terms.len()],
            unary: unary(draft.graph, draft.question, &draft.terms),
            judged: HashMap::new(),
        };
        let mut roots = roots(draft.graph, draft.question);
        roots.extend(synchronised);
        conditions.spread(&draft.terms, cells, attempts, roots);
        conditions
    }

    /// Whether any condition depends on the value of a symbol.
    pub fn is_relevant(&self, symbol: Term) -> bool {
        self.relevant[symbol.index()]
    }

    /// Whether a read may return this value; false only if some condition on that read alone forbids it.
    pub fn allow(&mut self, terms: &mut Terms, value_sets: &ValueSets, old: Term, value: Term) -> bool {
        let Some(unary) = self.unary.get(&old) else { return true };
        for &condition in unary {
            let holds = *self.judged.entry((condition, value)).or_insert_with(|| {
                let Some(values) = value_sets.values(terms, value) else { return true };
                values.into_iter().any(|value| {
                    let value = terms.bits(terms.width(old), value);
                    let judged = terms.substitute(condition, &HashMap::from([(old, value)]));
                    terms.as_bool(judged) != Some(false)
                })
            });
            if !holds {
                return false;
            }
        }
        true
    }

    /// Fixes the symbol of an event whose guard is false to zero.
    pub fn zero_what_is_passed_by(&self, draft: &mut Draft<'_>) {
        for event in &draft.graph.events {
            let Some(symbol) = defined(&event.kind).filter(|&symbol| self.is_relevant(symbol)) else { continue };
            let zero = match draft.terms.sort(symbol) {
                Sort::Bool => draft.terms.not(symbol),
                Sort::Bits(width) => {
                    let zero = draft.terms.bits(width, 0);
                    draft.terms.eq(symbol, zero)
                }
            };
            let passed = draft.terms.not(event.guard);
            draft.assert_implies(Family::Path, passed, zero);
        }
    }

    /// Marks everything that the roots depend on, also by data flow through memory.
    fn spread(&mut self, terms: &Terms, cells: &[Shared], attempts: &[Attempt], roots: Vec<Term>) {
        let mut read_by: HashMap<Term, Vec<usize>> = HashMap::new();
        for (number, shared) in cells.iter().enumerate() {
            for symbol in shared.touches.iter().filter_map(|touch| touch.symbol) {
                read_by.entry(symbol).or_default().push(number);
            }
        }
        let mut open = roots;
        let mut done = vec![false; cells.len()];
        let mut reached: Vec<usize> = attempts.iter().map(|attempt| attempt.cell).collect();
        loop {
            while let Some(cell) = reached.pop() {
                if !std::mem::replace(&mut done[cell], true) {
                    let values = cells[cell].touches.iter().filter_map(|touch| touch.new);
                    open.extend(values.flat_map(|(value, writes)| [value, writes]));
                }
            }
            let Some(term) = open.pop() else { break };
            if std::mem::replace(&mut self.relevant[term.index()], true) {
                continue;
            }
            match terms.op(term) {
                Op::Symbol(_) => reached.extend(read_by.get(&term).into_iter().flatten()),
                op => open.extend(op.operands()),
            }
        }
    }
}

/// All terms that control the execution.
fn roots(graph: &EventGraph, question: &Question) -> Vec<Term> {
    let mut roots = Vec::new();
    for (index, event) in graph.events.iter().enumerate() {
        roots.push(event.guard);
        match &event.kind {
            Kind::Access(access) => {
                roots.extend([access.address.object, access.address.offset, access.enabled, access.writes]);
            }
            Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } | Kind::TryLock { mutex, .. } => {
                roots.extend([mutex.object, mutex.offset]);
            }
            Kind::Sleep { condition, mutex, .. } => {
                roots.extend([condition.object, condition.offset, mutex.object, mutex.offset]);
            }
            Kind::Signal { condition } | Kind::Broadcast { condition } => {
                roots.extend([condition.object, condition.offset]);
            }
            Kind::Assume { condition } => roots.push(*condition),
            Kind::Assert { condition } if matters(question, EventId(index as u32)) => roots.push(*condition),
            _ => {}
        }
    }
    let touches = question.clashes.iter().flat_map(|clash| [clash.one, clash.other]);
    roots.extend(touches.flat_map(|touch| [touch.guard, touch.address.object, touch.address.offset]));
    roots
}

/// Whether the answer depends on the assertion.
pub fn matters(question: &Question, assertion: EventId) -> bool {
    match question.goal {
        Goal::Failure(Failure::Assertion(goal)) => goal == assertion || question.may_stop(),
        _ => true,
    }
}

/// Conditions with one symbol, if they hold whenever the read that defines it happens.
fn unary(graph: &EventGraph, question: &Question, terms: &Terms) -> HashMap<Term, Vec<Term>> {
    let mut reads = HashMap::new();
    for (index, event) in graph.events.iter().enumerate() {
        if let Kind::Access(access) = &event.kind
            && let Some(old) = access.old
        {
            reads.insert(old, EventId(index as u32));
        }
    }
    let mut unary: HashMap<Term, Vec<Term>> = HashMap::new();
    for event in &graph.events {
        let condition = match event.kind {
            Kind::Assume { condition } => condition,
            Kind::Assert { condition } if question.goal == Goal::Passes => condition,
            _ => continue,
        };
        if question.may_stop() {
            continue;
        }
        let Some(symbols) = few_symbols(terms, condition).filter(|symbols| symbols.len() == 1) else { continue };
        for symbol in symbols {
            let read = reads.get(&symbol).map(|read| &graph.events[read.index()]);
            let binds = |read: &events::Event| {
                let guarded = terms.as_bool(event.guard) != Some(true) && event.guard != read.guard;
                read.thread == event.thread && !guarded
            };
            if read.is_some_and(binds) {
                unary.entry(symbol).or_default().push(condition);
            }
        }
    }
    unary
}
