//! Mutexes. A mutex whose operations pair up in every thread becomes mutual exclusion sections of the theory; any other
//! becomes a cell with owner and depth, which its operations read and write like memory.

use std::collections::BTreeMap;

use events::{Address, EventGraph, EventId, Kind, Location, ThreadId};
use formula::{Family, Sort, Term, Terms};

use crate::EncodeError;
use crate::address::{Place, constant, listed, places};
use crate::cells::{Attempt, Shared, Touch};
use crate::draft::Draft;
use crate::graph::is_unconditional;
use crate::guards::Guards;
use crate::happens::Happens;
use crate::question::{Failure, Goal};
use crate::sections::{Side, Taking, held, pair, sections};
use crate::static_order::StaticOrder;

/// An operation on a mutex.
#[derive(Clone, Copy, Debug)]
struct Operation {
    event: EventId,
    thread: ThreadId,
    mutex: Address,
    recursive: bool,
    act: Act,
}

#[derive(Clone, Copy, Debug)]
enum Act {
    /// A lock or a wake.
    Take,
    /// An unlock or a sleep.
    Release,
    /// With the symbol for whether it succeeds.
    Try(Term),
}

#[derive(Debug)]
pub struct Mutexes {
    /// By object and offset.
    mutexes: BTreeMap<(u32, u32), Mutex>,
    /// The operations that acquire a mutex, with the places of the mutex.
    takers: BTreeMap<EventId, Taker>,
    /// By object and offset, the operations that release a mutex there, with the condition that it is there.
    releases: BTreeMap<(u32, u32), Vec<(EventId, Term)>>,
    /// By mutex with sections and thread, its unconditional sections in program order.
    stretches: Vec<BTreeMap<ThreadId, Vec<Stretch>>>,
}

/// A part of a thread's list during which it certainly owns a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub enter: EventId,
    pub leave: Option<EventId>,
}

#[derive(Debug)]
struct Taker {
    thread: ThreadId,
    recursive: bool,
    places: Vec<Place>,
}

#[derive(Debug)]
enum Mutex {
    /// By thread, the condition that it owns the mutex at the end.
    Sections(Vec<(ThreadId, Term)>),
    /// A cell, and the symbol for its value at the end.
    State { layout: Layout, last: Option<Term> },
}

pub fn mutexes(
    draft: &mut Draft<'_>,
    happens: &Happens,
    cells: &mut Vec<Shared>,
    attempts: &mut Vec<Attempt>,
) -> Result<Mutexes, EncodeError> {
    let graph = draft.graph;
    let operations = operations(graph);
    let mut users: BTreeMap<(u32, u32), Vec<(Operation, Term)>> = BTreeMap::new();
    let mut takers = BTreeMap::new();
    let mut releases: BTreeMap<(u32, u32), Vec<(EventId, Term)>> = BTreeMap::new();
    for &operation in &operations {
        let found = locations(draft, happens, operation)?;
        for place in &found {
            users.entry((place.object, place.offset)).or_default().push((operation, place.condition));
            if let Act::Release = operation.act {
                let released = releases.entry((place.object, place.offset)).or_default();
                released.push((operation.event, place.condition));
            }
        }
        if let Act::Take | Act::Try(_) = operation.act {
            let Operation { thread, recursive, .. } = operation;
            takers.insert(operation.event, Taker { thread, recursive, places: found });
        }
    }
    let mut guards = Guards::default();
    let mut mutexes = BTreeMap::new();
    let mut stretches = Vec::new();
    for (location, users) in users {
        let mutex = match takings(graph, &mut draft.terms, &mut guards, &users) {
            Some(takings) => {
                stretches.push(certain_stretches(graph, &takings));
                Mutex::Sections(as_sections(draft, happens, &takings))
            }
            None => as_state(draft, happens, &users, cells, attempts),
        };
        mutexes.insert(location, mutex);
    }
    Ok(Mutexes { mutexes, takers, releases, stretches })
}

impl Mutexes {
    /// The possible mutexes of the event, a lock, a try-lock or a wake, each with the condition that it is this one and
    /// that the thread owns it at the end.
    pub fn held_by(&self, terms: &mut Terms, event: EventId, holder: ThreadId) -> Vec<(Location, Term)> {
        let Some(taker) = self.takers.get(&event) else { return Vec::new() };
        if taker.recursive && taker.thread == holder {
            return Vec::new();
        }
        let mut ways = Vec::new();
        for place in &taker.places {
            let holds = match self.mutexes.get(&(place.object, place.offset)) {
                Some(Mutex::Sections(threads)) => {
                    threads.iter().find(|(thread, _)| *thread == holder).map_or(terms.falsehood(), |&(_, held)| held)
                }
                Some(Mutex::State { layout, last: Some(last) }) => layout.is_owned_by(terms, *last, holder),
                _ => terms.falsehood(),
            };
            let location = Location { object: place.object, offset: place.offset };
            ways.push((location, terms.and2(place.condition, holds)));
        }
        ways
    }

    /// The releases of the mutex that the event tries to acquire, with the condition that it is the same mutex.
    pub fn releases(&self, terms: &mut Terms, event: EventId) -> Vec<(EventId, Term)> {
        let mut found = Vec::new();
        for place in self.takers.get(&event).into_iter().flat_map(|taker| &taker.places) {
            for &(release, condition) in self.releases.get(&(place.object, place.offset)).into_iter().flatten() {
                found.push((release, terms.and2(place.condition, condition)));
            }
        }
        found
    }

    /// The mutexes with sections that are certainly owned at the event.
    pub fn held_at(&self, order: &StaticOrder, event: EventId) -> Vec<usize> {
        (0..self.stretches.len()).filter(|&mutex| self.stretch(order, mutex, event).is_some()).collect()
    }

    /// The section of the mutex in which the event certainly is.
    pub fn stretch(&self, order: &StaticOrder, mutex: usize, event: EventId) -> Option<Stretch> {
        let position = order.position(event);
        let stretches = self.stretches[mutex].get(&order.thread(event))?;
        let after = stretches.partition_point(|stretch| order.position(stretch.enter) < position);
        let stretch = stretches[after.checked_sub(1)?];
        stretch.leave.is_none_or(|leave| position < order.position(leave)).then_some(stretch)
    }
}

/// Sections without conditions: with no release, or with one unconditional release.
fn certain_stretches(graph: &EventGraph, takings: &[(ThreadId, Vec<Taking>)]) -> BTreeMap<ThreadId, Vec<Stretch>> {
    let mut threads = BTreeMap::new();
    for (thread, takings) in takings {
        let mut stretches = Vec::new();
        for taking in takings.iter().filter(|taking| is_unconditional(graph, taking.enter)) {
            match taking.leaves[..] {
                [] => stretches.push(Stretch { enter: taking.enter, leave: None }),
                [leave] if is_unconditional(graph, leave) => {
                    stretches.push(Stretch { enter: taking.enter, leave: Some(leave) });
                }
                _ => {}
            }
        }
        threads.insert(*thread, stretches);
    }
    threads
}

/// All operations, by thread and in program order.
fn operations(graph: &EventGraph) -> Vec<Operation> {
    let mut operations = Vec::new();
    for &event in graph.threads.iter().flat_map(|thread| &thread.events) {
        let info = &graph.events[event.index()];
        let operation = |mutex, recursive, act| Operation { event, thread: info.thread, mutex, recursive, act };
        match info.kind {
            Kind::Lock { mutex, recursive } => operations.push(operation(mutex, recursive, Act::Take)),
            Kind::Unlock { mutex, recursive, .. } => operations.push(operation(mutex, recursive, Act::Release)),
            Kind::TryLock { mutex, recursive, taken } => operations.push(operation(mutex, recursive, Act::Try(taken))),
            Kind::Sleep { mutex, recursive, .. } => operations.push(operation(mutex, recursive, Act::Release)),
            Kind::Wake { sleep, .. } => {
                if let Kind::Sleep { mutex, recursive, .. } = graph.events[sleep.index()].kind {
                    operations.push(operation(mutex, recursive, Act::Take));
                }
            }
            _ => {}
        }
    }
    operations
}

/// The points-to set of the mutex of an operation.
fn locations(draft: &mut Draft<'_>, happens: &Happens, operation: Operation) -> Result<Vec<Place>, EncodeError> {
    if let Some((object, offset)) = constant(&draft.terms, operation.mutex) {
        return Ok(vec![Place { object, offset, condition: draft.terms.truth() }]);
    }
    if let Some(listed) = listed(&mut draft.terms, &draft.value_sets, operation.mutex) {
        return Ok(listed);
    }
    let error = EncodeError::Address { event: operation.event };
    let found = places(&mut draft.terms, &draft.value_sets, &draft.graph.objects, operation.mutex, 1).ok_or(error)?;
    let conditions: Vec<Term> = found.iter().map(|place| place.condition).collect();
    let inside = draft.terms.or(&conditions);
    draft.assert_implies(Family::Path, happens.of(operation.event), inside);
    Ok(found)
}

/// By thread, its acquisitions, if all operations can be paired.
fn takings(
    graph: &EventGraph,
    terms: &mut Terms,
    guards: &mut Guards,
    users: &[(Operation, Term)],
) -> Option<Vec<(ThreadId, Vec<Taking>)>> {
    let mut threads = Vec::new();
    for users in users.chunk_by(|(one, _), (other, _)| one.thread == other.thread) {
        let mut sides = Vec::new();
        for (operation, condition) in users {
            let side = match operation.act {
                Act::Take => Side::Enter,
                Act::Release => Side::Leave,
                Act::Try(_) => return None,
            };
            if terms.as_bool(*condition) != Some(true) {
                return None;
            }
            sides.push((operation.event, side));
        }
        threads.push((users[0].0.thread, pair(graph, terms, guards, &sides)?));
    }
    Some(threads)
}

fn as_sections(draft: &mut Draft<'_>, happens: &Happens, takings: &[(ThreadId, Vec<Taking>)]) -> Vec<(ThreadId, Term)> {
    let mut lock = Vec::new();
    let mut holders = Vec::new();
    for (thread, takings) in takings {
        let from = lock.len();
        for taking in takings {
            lock.extend(sections(draft, happens, taking));
        }
        holders.push((*thread, held(&mut draft.terms, &lock[from..])));
    }
    // A mutex that only one thread uses never blocks.
    if takings.len() > 1 {
        draft.order.locks.push(lock);
    }
    holders
}

fn as_state(
    draft: &mut Draft<'_>,
    happens: &Happens,
    users: &[(Operation, Term)],
    cells: &mut Vec<Shared>,
    attempts: &mut Vec<Attempt>,
) -> Mutex {
    let layout = Layout::new(draft.graph.threads.len(), users.len());
    let mut touches = Vec::new();
    for &(operation, condition) in users {
        let active = draft.terms.and2(happens.of(operation.event), condition);
        touches.push(touch(draft, layout, operation, condition, active));
    }
    touches.sort_by_key(|touch| touch.event);
    let cell = cells.len();
    let initial = layout.free(&mut draft.terms);
    cells.push(Shared { initial, touches });
    let last = (draft.question.goal == Goal::Failure(Failure::Deadlock) && happens.end.is_some()).then(|| {
        let old = draft.terms.symbol("held", Sort::Bits(layout.width()));
        let active = draft.terms.truth();
        attempts.push(Attempt { cell, active, old });
        old
    });
    Mutex::State { layout, last }
}

fn touch(draft: &mut Draft<'_>, layout: Layout, operation: Operation, condition: Term, active: Term) -> Touch {
    let Operation { event, thread, recursive, .. } = operation;
    let old = draft.terms.symbol("mutex", Sort::Bits(layout.width()));
    let terms = &mut draft.terms;
    let mine = layout.is_owned_by(terms, old, thread);
    let again = if recursive { mine } else { terms.falsehood() };
    let free = layout.is_free(terms, old);
    let possible = terms.or2(free, again);
    let once = layout.held(terms, thread);
    let (new, writes) = match operation.act {
        Act::Take | Act::Try(_) => {
            let deeper = layout.deeper(terms, old);
            let new = terms.ite(again, deeper, once);
            let writes = if let Act::Try(taken) = operation.act { terms.and2(active, taken) } else { active };
            (new, writes)
        }
        Act::Release => {
            let deep = layout.is_deep(terms, old);
            let keeps = terms.and2(again, deep);
            let (higher, nobody) = (layout.higher(terms, old), layout.free(terms));
            (terms.ite(keeps, higher, nobody), active)
        }
    };
    let sure = !matches!(operation.act, Act::Try(_)) && draft.terms.as_bool(condition) == Some(true);
    let certain = sure && is_unconditional(draft.graph, event);
    match operation.act {
        Act::Take => draft.assert_implies(Family::Sync, active, possible),
        Act::Try(taken) => {
            let same = draft.terms.iff(taken, possible);
            draft.assert_implies(Family::Sync, active, same);
        }
        Act::Release => {}
    }
    // An unlock of a plain mutex does not read the old state.
    let looks = recursive || !matches!(operation.act, Act::Release);
    let old = looks.then_some(old);
    Touch { event, active, old, symbol: old, new: Some((new, writes)), sure, certain }
}

/// Owner and depth in one number: the owner in the low bits, 0 if it is free.
#[derive(Clone, Copy, Debug)]
struct Layout {
    owner: u32,
    depth: u32,
}

impl Layout {
    fn new(threads: usize, operations: usize) -> Layout {
        let bits = |most: usize| usize::BITS - most.leading_zeros();
        Layout { owner: bits(threads), depth: bits(operations + 1) }
    }

    fn width(self) -> u32 {
        self.owner + self.depth
    }

    fn free(self, terms: &mut Terms) -> Term {
        terms.bits(self.width(), 0)
    }

    /// With depth 1.
    fn held(self, terms: &mut Terms, thread: ThreadId) -> Term {
        terms.bits(self.width(), 1 << self.owner | u128::from(thread.0 + 1))
    }

    fn is_free(self, terms: &mut Terms, state: Term) -> Term {
        let free = self.free(terms);
        terms.eq(state, free)
    }

    fn is_owned_by(self, terms: &mut Terms, state: Term, thread: ThreadId) -> Term {
        let owner = terms.extract(state, self.owner - 1, 0);
        let number = terms.bits(self.owner, u128::from(thread.0 + 1));
        terms.eq(owner, number)
    }

    /// With a depth above 1.
    fn is_deep(self, terms: &mut Terms, state: Term) -> Term {
        let depth = terms.extract(state, self.width() - 1, self.owner);
        let one = terms.bits(self.depth, 1);
        terms.ult(one, depth)
    }

    fn deeper(self, terms: &mut Terms, state: Term) -> Term {
        let level = terms.bits(self.width(), 1 << self.owner);
        terms.add(state, level)
    }

    fn higher(self, terms: &mut Terms, state: Term) -> Term {
        let level = terms.bits(self.width(), 1 << self.owner);
        terms.sub(state, level)
    }
}
