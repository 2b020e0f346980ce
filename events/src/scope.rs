//! The scope of terms: which thread knows a term's value, and from which position on.
//!
//! One pass over the graph's terms computes all scopes, because operands have smaller ids than the terms they occur in.
//! Guards share subterms, so visiting each of them separately would be quadratic.

use formula::{Op, Term};

use crate::graph::{Event, EventGraph, EventId, Kind, ThreadId};

/// The events that must have happened before a term has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Constants and inputs only.
    Always,
    /// Symbols of one thread; the last of them is defined at this position of its list.
    Thread { thread: ThreadId, last: u32 },
    /// Symbols of several threads.
    Several,
    /// A symbol that is neither an input nor defined by an event.
    Nowhere,
}

/// The event that defines a symbol, and its position in its thread's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub thread: ThreadId,
    pub position: u32,
    pub event: EventId,
}

#[derive(Clone, Debug)]
pub(crate) struct Scopes {
    /// By symbol.
    definitions: Vec<Option<Definition>>,
    /// By term.
    scopes: Vec<Scope>,
}

/// The symbol that an event defines.
pub(crate) fn defined(kind: &Kind) -> Option<Term> {
    match kind {
        Kind::Access(access) => access.old,
        Kind::TryLock { taken, .. } => Some(*taken),
        Kind::Wake { timed_out, .. } => *timed_out,
        _ => None,
    }
}

impl Scopes {
    /// Accepts ill-formed graphs: of several definitions of a symbol the first counts, and terms that are no symbols
    /// are skipped.
    pub fn new(graph: &EventGraph) -> Scopes {
        let terms = &graph.terms;
        let mut definitions = vec![None; terms.symbols().len()];
        for (number, thread) in graph.threads.iter().enumerate() {
            for (position, &event) in thread.events.iter().enumerate() {
                let symbol = graph.events.get(event.index()).and_then(|event| defined(&event.kind));
                if let Some(Op::Symbol(symbol)) = symbol.filter(|term| term.index() < terms.len()).map(|t| terms.op(t))
                {
                    let definition = Definition { thread: ThreadId(number as u32), position: position as u32, event };
                    definitions[symbol.0 as usize].get_or_insert(definition);
                }
            }
        }
        let mut inputs = vec![false; terms.symbols().len()];
        for input in graph.inputs.iter().filter(|input| input.index() < terms.len()) {
            if let Op::Symbol(symbol) = terms.op(*input) {
                inputs[symbol.0 as usize] = true;
            }
        }
        let mut roots: Vec<Term> = graph.events.iter().flat_map(Event::terms).collect();
        roots.extend(graph.objects.iter().flat_map(|object| object.initial.iter().map(|initial| initial.value)));
        roots.retain(|term| term.index() < terms.len());
        let mut scopes = vec![Scope::Nowhere; terms.len()];
        for term in terms.reachable(&roots) {
            let scope = match terms.op(term) {
                Op::Symbol(symbol) => match definitions[symbol.0 as usize] {
                    Some(Definition { thread, position, .. }) => Scope::Thread { thread, last: position },
                    None if inputs[symbol.0 as usize] => Scope::Always,
                    None => Scope::Nowhere,
                },
                Op::Before(..) => Scope::Nowhere,
                op => op.operands().fold(Scope::Always, |scope, operand| scope.and(scopes[operand.index()])),
            };
            scopes[term.index()] = scope;
        }
        Scopes { definitions, scopes }
    }

    pub fn of(&self, term: Term) -> Scope {
        self.scopes[term.index()]
    }

    pub fn definition(&self, graph: &EventGraph, symbol: Term) -> Option<Definition> {
        match graph.terms.op(symbol) {
            Op::Symbol(symbol) => self.definitions[symbol.0 as usize],
            _ => None,
        }
    }

    /// Whether the thread knows the value when it reaches a position of its list.
    pub fn known(&self, term: Term, thread: ThreadId, position: u32) -> bool {
        match self.of(term) {
            Scope::Always => true,
            Scope::Thread { thread: own, last } => own == thread && last < position,
            Scope::Several | Scope::Nowhere => false,
        }
    }
}

impl Scope {
    fn and(self, other: Scope) -> Scope {
        match (self, other) {
            (Scope::Nowhere, _) | (_, Scope::Nowhere) => Scope::Nowhere,
            (Scope::Always, scope) | (scope, Scope::Always) => scope,
            (Scope::Thread { thread, last }, Scope::Thread { thread: other, last: later }) if thread == other => {
                Scope::Thread { thread, last: last.max(later) }
            }
            _ => Scope::Several,
        }
    }
}
