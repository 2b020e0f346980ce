//! Asserts the assumptions of the graph and the goal of the question.

use std::collections::HashMap;

use events::{EventGraph, EventId, Kind, ThreadId};
use formula::{Family, Op, Term};

use crate::conditions::matters;
use crate::draft::Draft;
use crate::graph::defined;
use crate::happens::Happens;
use crate::question::{Failure, Goal};
use crate::static_order::StaticOrder;

/// An assertion that may fail.
#[derive(Clone, Copy, Debug)]
pub struct Failing {
    pub event: EventId,
    /// The condition that it happens and does not hold.
    pub fails: Term,
    /// Whether it is evaluated at the end. Other failing assertions end a prefix: no event comes after them.
    pub late: bool,
}

/// Asserts the assumptions, and returns the assertions that may fail.
pub fn conditions(draft: &mut Draft<'_>, happens: &Happens, order: &StaticOrder) -> Vec<Failing> {
    let graph = draft.graph;
    let scopes = Scopes::new(graph, order);
    let mut failing = Vec::new();
    for (index, event) in graph.events.iter().enumerate() {
        let id = EventId(index as u32);
        let (Kind::Assume { condition } | Kind::Assert { condition }) = event.kind else {
            if let Kind::Await { .. } | Kind::Cut = event.kind {
                let never = draft.terms.not(happens.of(id));
                draft.assert(Family::Path, never);
            }
            continue;
        };
        let late = scopes.is_late(condition, event.thread, order.position(id));
        if late {
            for definer in scopes.definers(graph, condition) {
                draft.assert_implies(Family::Path, happens.of(id), happens.of(definer));
            }
        }
        if let Kind::Assume { .. } = event.kind {
            draft.assert_implies(Family::Path, happens.of(id), condition);
        } else if matters(draft.question, id) {
            let wrong = draft.terms.not(condition);
            let fails = draft.terms.and2(happens.of(id), wrong);
            if draft.terms.as_bool(fails) != Some(false) {
                failing.push(Failing { event: id, fails, late });
            }
        }
    }
    failing
}

/// Asserts the goal; `standing` creates the condition of a deadlock or a race, and is called only for such goals.
pub fn goal(draft: &mut Draft<'_>, failing: &[Failing], standing: impl FnOnce(&mut Draft<'_>) -> Term) {
    let wanted = match draft.question.goal {
        Goal::Passes => None,
        Goal::Failure(Failure::Deadlock | Failure::Race) => {
            let standing = standing(draft);
            draft.assert(Family::Bug, standing);
            None
        }
        Goal::Failure(Failure::AnyAssertion) => Some(failing.iter().map(|failing| failing.fails).collect()),
        Goal::Failure(Failure::Assertion(event)) => {
            Some(failing.iter().filter(|failing| failing.event == event).map(|failing| failing.fails).collect())
        }
    };
    match wanted {
        Some(ways) => {
            let ways: Vec<Term> = ways;
            let one = draft.terms.or(&ways);
            draft.assert(Family::Bug, one);
            if draft.question.may_stop() {
                let all: Vec<Term> = failing.iter().map(|failing| failing.fails).collect();
                draft.assert_at_most_one(Family::Bug, &all);
            }
        }
        None => {
            for failing in failing {
                let holds = draft.terms.not(failing.fails);
                draft.assert(Family::Bug, holds);
            }
        }
    }
}

/// The scope of each term: which thread knows its value, and from which position on.
struct Scopes {
    definers: HashMap<Term, EventId>,
    /// By term.
    scopes: Vec<Scope>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Everywhere,
    /// After this position of the thread's list.
    Thread(ThreadId, u32),
    Nowhere,
}

impl Scopes {
    /// One pass over all conditions, since operands have smaller ids than the terms they occur in.
    fn new(graph: &EventGraph, order: &StaticOrder) -> Scopes {
        let definers = definers(graph);
        let conditions = graph.events.iter().filter_map(|event| match event.kind {
            Kind::Assume { condition } | Kind::Assert { condition } => Some(condition),
            _ => None,
        });
        let conditions: Vec<Term> = conditions.collect();
        let mut scopes = vec![Scope::Everywhere; graph.terms.len()];
        for term in graph.terms.reachable(&conditions) {
            scopes[term.index()] = match graph.terms.op(term) {
                Op::Symbol(_) => definers.get(&term).map_or(Scope::Everywhere, |&event| {
                    Scope::Thread(graph.events[event.index()].thread, order.position(event))
                }),
                op => op.operands().fold(Scope::Everywhere, |all, part| all.and(scopes[part.index()])),
            };
        }
        Scopes { definers, scopes }
    }

    /// Whether the thread does not know the value when it reaches the position.
    fn is_late(&self, condition: Term, thread: ThreadId, position: u32) -> bool {
        match self.scopes[condition.index()] {
            Scope::Everywhere => false,
            Scope::Thread(own, last) => own != thread || last >= position,
            Scope::Nowhere => true,
        }
    }

    fn definers(&self, graph: &EventGraph, condition: Term) -> Vec<EventId> {
        let symbols = graph.terms.free_symbols(condition);
        symbols.iter().filter_map(|symbol| self.definers.get(symbol).copied()).collect()
    }
}

impl Scope {
    fn and(self, other: Scope) -> Scope {
        match (self, other) {
            (Scope::Everywhere, scope) | (scope, Scope::Everywhere) => scope,
            (Scope::Thread(one, last), Scope::Thread(other, later)) if one == other => {
                Scope::Thread(one, last.max(later))
            }
            _ => Scope::Nowhere,
        }
    }
}

fn definers(graph: &EventGraph) -> HashMap<Term, EventId> {
    let defined = |(index, event): (usize, &events::Event)| Some((defined(&event.kind)?, EventId(index as u32)));
    graph.events.iter().enumerate().filter_map(defined).collect()
}
