//! Encodes an event graph and a question as a formula, and decodes assignments: section 3.3 of the Symbiosis paper, in
//! its five families of constraints. Deviations: order is boolean, executions may be prefixes, memory is split into
//! cells, and waits are encoded with their real semantics. The modules stand in the order in which the formula is
//! built.
//!
//! Order literals take the place of conditional edges: `before(a, b)` is a term like any other, so a condition is a
//! clause. Several modules assert redundant facts that a solver could only derive by counting or by trying all orders:
//! value sets (`value_analysis`, `tables`, `masks`, `ranges`), sums (`sums`) and counters (`counters`).

mod question;
mod graph;
mod static_order;
mod value_sets;
mod value_tables;
mod tables;
mod address;
mod initial_writes;
mod provenance;
mod value_analysis;
mod draft;
mod happens;
mod cells;
mod guards;
mod sections;
mod mutexes;
mod waits;
mod conditions;
mod goal;
mod blocks;
mod foreign;
mod deadlock;
mod races;
mod reads;
mod sums;
mod masks;
mod ranges;
mod counters;
mod distance;
mod decode;
mod conflicts;
mod schedule;
mod locked;

use events::{EventGraph, EventId, Execution};
use formula::{Assignment, Family, Formula, Node, Term, Terms};
use thiserror::Error;

use crate::conditions::Conditions;
use crate::distance::Sought;
use crate::draft::Draft;
use crate::initial_writes::InitialWrites;
use crate::static_order::StaticOrder;

pub use conflicts::{Conflicts, candidates};
pub use deadlock::Deadlocked;
pub use decode::Legend;
pub use distance::{FlowWish, Granted, StretchWish, Wishes};
pub use locked::locked;
pub use question::{Failure, Goal, Question};
pub use schedule::schedule;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    #[error("the address of event {} can point to too many places", .event.0)]
    Address { event: EventId },
    #[error("the time was over before the formula was written")]
    Late,
    #[error("there are more reads-from candidates than a formula can hold")]
    Large,
    #[error("the question names event {}, which the graph does not have", .event.0)]
    NoSuchEvent { event: EventId },
    #[error("the question asks whether event {} fails, which is no assertion", .event.0)]
    NoAssertion { event: EventId },
}

/// A formula that is satisfiable iff the answer to the question is yes, with the meaning of its terms.
#[derive(Clone, Debug)]
pub struct Encoding {
    pub formula: Formula,
    /// All that is needed after a solver has taken the formula.
    pub legend: Legend,
}

impl Encoding {
    pub fn node_of(&self, event: EventId) -> Node {
        self.legend.node_of(event)
    }

    pub fn happens(&self, event: EventId) -> Term {
        self.legend.happens(event)
    }

    /// See [`Legend::order_literal`].
    pub fn order_literal(&self, terms: &mut Terms, first: EventId, second: EventId) -> Term {
        self.legend.order_literal(terms, first, second)
    }

    /// See [`Legend::decode`].
    pub fn decode(&self, assignment: &Assignment) -> Execution {
        self.legend.decode(&self.formula.terms, assignment)
    }
}

/// Builds the formula for a question about a well-formed graph.
pub fn encode(graph: &EventGraph, question: &Question) -> Result<Encoding, EncodeError> {
    encode_with(graph, question, &Wishes::default()).map(|(encoding, _)| encoding)
}

/// Builds the formula, and terms for soft constraints.
pub fn encode_with(
    graph: &EventGraph,
    question: &Question,
    wishes: &Wishes,
) -> Result<(Encoding, Granted), EncodeError> {
    verify(graph, question)?;
    verify_wishes(graph, wishes)?;
    let order = StaticOrder::holding(graph, question);
    let initial_writes = InitialWrites::new(graph, &order);
    let value_sets = value_analysis::value_sets(graph, &initial_writes);
    let foreign = foreign::mutexes(graph);
    let graph = &*tables::tabulated(graph, &value_sets);
    let mut draft = Draft::new(graph, question, value_sets);
    draft.in_time()?;
    let happens = happens::happens(&mut draft, &order);
    let mut memory = cells::memory(&mut draft, &happens, initial_writes)?;
    let mut attempts = Vec::new();
    let first_mutex = memory.cells.len();
    let mutexes = mutexes::mutexes(&mut draft, &happens, &mut memory.cells, &mut attempts)?;
    let waits = waits::waits(&mut draft, &happens, &order);
    let failing = goal::conditions(&mut draft, &happens, &order);
    blocks::blocks(&mut draft, &happens, &failing);
    let ends =
        deadlock::Ends { happens: &happens, memory: &memory, mutexes: &mutexes, waits: &waits, foreign: &foreign };
    let (mut deadlocked, mut races) = (deadlock::Deadlocked::default(), Vec::new());
    goal::goal(&mut draft, &failing, |draft| {
        if draft.question.goal == Goal::Failure(Failure::Race) {
            races = races::races(draft, &happens, &order);
            return draft.terms.or(&races);
        }
        let (deadlock, parts) = deadlock::deadlock(draft, &ends, &mut attempts);
        deadlocked = parts;
        deadlock
    });
    let mutex_symbols = memory.cells[first_mutex..].iter().flat_map(|cell| cell.touches.iter());
    let mutex_symbols: Vec<Term> = mutex_symbols.filter_map(|touch| touch.symbol).collect();
    let mut conditions = Conditions::new(&draft, &memory.cells, &attempts, &mutex_symbols);
    conditions.zero_what_is_passed_by(&mut draft);
    let mut sought = Sought::new(wishes, &memory);
    let flows = reads::reads(&mut draft, &order, &mut conditions, &memory.cells, &attempts, &mut sought)?;
    let counters = sums::Counters { happens: &happens, order: &order, mutexes: &mutexes, conditions: &conditions };
    draft.in_time()?;
    sums::sums(&mut draft, &counters, &memory.cells[..first_mutex]);
    ranges::narrow(&mut draft, &flows);
    counters::counters(&mut draft, &order, &memory.cells);
    let granted = distance::grant(&mut draft, &happens, &memory, &sought, wishes);
    let legend = Legend::new(graph, happens, waits, failing, deadlocked, question.may_stop()).with_races(races);
    for &(first, second) in &question.held {
        let before = draft.before(first, second);
        draft.assert(Family::MemoryOrder, before);
    }
    for &(first, second) in &question.orders {
        let literal = legend.order_literal(&mut draft.terms, first, second);
        draft.assert(Family::Bug, literal);
    }
    Ok((Encoding { formula: draft.finish(), legend }, granted))
}

fn verify_wishes(graph: &EventGraph, wishes: &Wishes) -> Result<(), EncodeError> {
    let flows = wishes.flows.iter().flat_map(|wish| [Some(wish.read), wish.write]).flatten();
    let stretches = wishes.stretches.iter().flat_map(|wish| wish.events.iter().copied());
    let mut named = flows.chain(stretches).chain(wishes.bystanders.iter().copied());
    match named.find(|event| event.index() >= graph.events.len()) {
        Some(event) => Err(EncodeError::NoSuchEvent { event }),
        None => Ok(()),
    }
}

fn verify(graph: &EventGraph, question: &Question) -> Result<(), EncodeError> {
    let goal = match question.goal {
        Goal::Failure(Failure::Assertion(event)) => Some(event),
        _ => None,
    };
    let touched = question.clashes.iter().flat_map(|clash| [clash.one.event, clash.other.event]);
    let ordered = question.orders.iter().chain(&question.held);
    let named = ordered.flat_map(|&(first, second)| [first, second]).chain(goal).chain(touched);
    for event in named {
        if event.index() >= graph.events.len() {
            return Err(EncodeError::NoSuchEvent { event });
        }
    }
    match goal {
        Some(event) if !matches!(graph.events[event.index()].kind, events::Kind::Assert { .. }) => {
            Err(EncodeError::NoAssertion { event })
        }
        _ => Ok(()),
    }
}
