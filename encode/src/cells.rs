//! Splits objects into cells, such that every access touches whole cells only, and lists the accesses of each cell.
//!
//! A read of four bytes that two writes of two bytes each can fill has two cells, each with its own reads-from choice.
//! Where an address is symbolic, an access touches each of its possible places under a condition.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use events::{Access, EventId, Kind};
use formula::{Family, Term, Terms};

use crate::EncodeError;
use crate::address::{Place, places};
use crate::draft::Draft;
use crate::graph::is_unconditional;
use crate::happens::Happens;
use crate::initial_writes::{InitialWrites, initial};
use crate::value_sets::ValueSets;

/// A cell or a mutex state: a value that is read and written as a whole, with its accesses.
#[derive(Debug)]
pub struct Shared {
    pub initial: Term,
    /// In the order of the events' ids.
    pub touches: Vec<Touch>,
}

/// The access of an event to a cell.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub event: EventId,
    /// The condition that the event happens and touches this cell.
    pub active: Term,
    /// The value read, if it reads.
    pub old: Option<Term>,
    /// The symbol of which `old` is a part.
    pub symbol: Option<Term>,
    /// The value written and the condition that it is, which implies `active`.
    pub new: Option<(Term, Term)>,
    /// Whether the cell is written whenever the event happens.
    pub sure: bool,
    /// Whether the thread gets past the event only if this cell is written.
    pub certain: bool,
}

/// A blocked access: the value that it would read at the end, with which it has to wait.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    pub cell: usize,
    pub active: Term,
    pub old: Term,
}

/// The memory cells of a graph.
#[derive(Debug)]
pub struct Memory {
    pub cells: Vec<Shared>,
    parts: HashMap<EventId, Vec<Part>>,
    inside: HashMap<EventId, Term>,
    initial_writes: InitialWrites,
}

/// A cell that an access can touch.
#[derive(Clone, Debug)]
pub struct Part {
    cell: usize,
    object: u32,
    begin: u32,
    bytes: u32,
    /// The offset of the cell within the access, with the condition for each.
    at: Vec<(u32, Term)>,
}

pub fn memory(draft: &mut Draft<'_>, happens: &Happens, initial_writes: InitialWrites) -> Result<Memory, EncodeError> {
    let graph = draft.graph;
    let mut accesses = Vec::new();
    let mut bounds = HashMap::new();
    for (index, event) in graph.events.iter().enumerate() {
        let Kind::Access(access) = &event.kind else { continue };
        let id = EventId(index as u32);
        if initial_writes.has(id) {
            continue;
        }
        draft.in_time()?;
        let found = places(&mut draft.terms, &draft.value_sets, &graph.objects, access.address, access.bytes);
        let found = found.ok_or(EncodeError::Address { event: id })?;
        let conditions: Vec<Term> = found.iter().map(|place| place.condition).collect();
        let inside = draft.terms.or(&conditions);
        bounds.insert(id, inside);
        draft.assert_implies(Family::Path, happens.of(id), inside);
        draft.assert_implies(Family::Sync, happens.of(id), access.enabled);
        accesses.push((id, access, found));
    }
    let cut = Cut::new(&accesses);
    let mut memory = Memory { cells: Vec::new(), parts: HashMap::new(), inside: bounds, initial_writes };
    for (object, offset, bytes) in cut.cells() {
        let initial = initial(&mut draft.terms, graph, &memory.initial_writes, (object, offset), bytes);
        memory.cells.push(Shared { initial, touches: Vec::new() });
    }
    for (id, access, found) in accesses {
        let parts = cut.parts(&found, access.bytes);
        let unconditional = is_unconditional(graph, id);
        for part in &parts {
            let written = part.constant(&mut draft.terms, &draft.value_sets, id);
            let mut touch = touch(&mut draft.terms, id, access, part, happens.of(id), unconditional);
            if let (Some(written), Some((value, _))) = (written, &mut touch.new) {
                *value = written;
            }
            memory.cells[part.cell].touches.push(touch);
        }
        memory.parts.insert(id, parts);
    }
    Ok(memory)
}

impl Memory {
    /// The cells that an access can touch.
    pub fn parts(&self, event: EventId) -> &[Part] {
        self.parts.get(&event).map_or(&[], |parts| parts)
    }

    /// The reads of an access as they would be at another point; `old` replaces the symbol of the value read.
    pub fn attempts(&self, terms: &mut Terms, event: EventId, active: Term, old: Term) -> Vec<Attempt> {
        let mut attempts = Vec::new();
        for part in self.parts(event) {
            let touched = part.touched(terms);
            let active = terms.and2(active, touched);
            attempts.push(Attempt { cell: part.cell, active, old: part.of(terms, old) });
        }
        attempts
    }

    /// The writes that may overlap the access, with their conditions.
    pub fn writes(&self, terms: &mut Terms, event: EventId) -> Vec<(EventId, Term)> {
        let mut found = Vec::new();
        for part in self.parts(event) {
            let touched = part.touched(terms);
            for touch in &self.cells[part.cell].touches {
                if let Some((_, writes)) = touch.new {
                    found.push((touch.event, terms.and2(touched, writes)));
                }
            }
        }
        found
    }

    /// Whether all these bytes of an access that fall into the cell, if it touches it at this offset, initially come
    /// from the write; with no write, whether they come from no early constant write.
    pub fn written_early(&self, part: &Part, low: u32, bytes: &[u32], write: Option<EventId>) -> bool {
        let own = bytes.iter().filter(|byte| (low..low + part.bytes).contains(byte));
        own.into_iter().all(|byte| self.initial_writes.writer(part.object, part.begin + byte - low) == write)
    }

    /// Whether a write counts as an initial value.
    pub fn is_initial_write(&self, event: EventId) -> bool {
        self.initial_writes.has(event)
    }

    /// The condition that an access stays within its object.
    pub fn inside(&self, terms: &mut Terms, event: EventId) -> Term {
        self.inside.get(&event).copied().unwrap_or(terms.falsehood())
    }
}

fn touch(terms: &mut Terms, event: EventId, access: &Access, part: &Part, happens: Term, unconditional: bool) -> Touch {
    let touched = part.touched(terms);
    let active = terms.and2(happens, touched);
    let old = access.old.map(|old| part.of(terms, old));
    let new = access.new.map(|new| {
        let new = part.of(terms, new);
        (new, terms.and2(active, access.writes))
    });
    let sure = new.is_some() && terms.as_bool(touched) == Some(true) && terms.as_bool(access.writes) == Some(true);
    Touch { event, active, old, symbol: access.old, new, sure, certain: sure && unconditional }
}

impl Part {
    pub fn cell(&self) -> usize {
        self.cell
    }

    /// The offsets at which the cell holds one of these bytes of the access, with their conditions.
    pub fn placements<'a>(&'a self, bytes: &'a [u32]) -> impl Iterator<Item = (u32, Term)> + 'a {
        let holds = |&&(low, _): &&(u32, Term)| bytes.iter().any(|byte| (low..low + self.bytes).contains(byte));
        self.at.iter().filter(holds).copied()
    }

    /// The value that a write stores in the cell, if that is a constant.
    fn constant(&self, terms: &mut Terms, value_sets: &ValueSets, event: EventId) -> Option<Term> {
        let [(low, _)] = self.at[..] else { return None };
        let value = value_sets.written(event, self.object, self.begin.checked_sub(low)?)?;
        Some(terms.bits(8 * self.bytes, (value >> (8 * low)) & (u128::MAX >> (128 - 8 * self.bytes))))
    }

    fn touched(&self, terms: &mut Terms) -> Term {
        let conditions: Vec<Term> = self.at.iter().map(|&(_, condition)| condition).collect();
        terms.or(&conditions)
    }

    /// The cell's part of a value of the access.
    fn of(&self, terms: &mut Terms, value: Term) -> Term {
        let mut at = self.at.iter().rev();
        let cut = |terms: &mut Terms, low: u32| terms.extract(value, 8 * (low + self.bytes) - 1, 8 * low);
        let mut part = cut(terms, at.next().map_or(0, |&(low, _)| low));
        for &(low, condition) in at {
            let other = cut(terms, low);
            part = terms.ite(condition, other, part);
        }
        part
    }
}

/// The boundaries at which objects are split.
struct Cut {
    /// By object, the boundaries of its cells.
    bounds: BTreeMap<u32, Vec<u32>>,
    /// By object and offset, the cell that begins there.
    numbers: BTreeMap<(u32, u32), usize>,
    /// Objects, offsets and lengths.
    cells: Vec<(u32, u32, u32)>,
}

type Found<'a> = (EventId, &'a Access, Vec<Place>);

impl Cut {
    fn new(accesses: &[Found<'_>]) -> Cut {
        let mut bounds: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut ranges = BTreeSet::new();
        for (_, access, places) in accesses {
            for place in places {
                let bounds = bounds.entry(place.object).or_default();
                bounds.extend([place.offset, place.offset + access.bytes]);
                ranges.insert((place.object, place.offset, access.bytes));
            }
        }
        let bounds = bounds.into_iter().map(|(object, set)| (object, set.into_iter().collect())).collect();
        let mut cut = Cut { bounds, numbers: BTreeMap::new(), cells: Vec::new() };
        for (object, offset, bytes) in ranges {
            for (begin, end) in cut.within(object, offset, bytes) {
                let next = cut.cells.len();
                if *cut.numbers.entry((object, begin)).or_insert(next) == next {
                    cut.cells.push((object, begin, end - begin));
                }
            }
        }
        cut
    }

    fn cells(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        self.cells.iter().copied()
    }

    /// The cells of a range that begins and ends at boundaries.
    fn within(&self, object: u32, offset: u32, bytes: u32) -> Vec<(u32, u32)> {
        let bounds = &self.bounds[&object];
        let from = bounds.partition_point(|&bound| bound < offset);
        let to = bounds.partition_point(|&bound| bound < offset + bytes);
        bounds[from..=to].windows(2).map(|pair| (pair[0], pair[1])).collect()
    }

    fn parts(&self, places: &[Place], bytes: u32) -> Vec<Part> {
        let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
        for place in places {
            for (begin, end) in self.within(place.object, place.offset, bytes) {
                let cell = self.numbers[&(place.object, begin)];
                let (object, bytes) = (place.object, end - begin);
                let part = parts.entry(cell).or_insert(Part { cell, object, begin, bytes, at: Vec::new() });
                part.at.push((begin - place.offset, place.condition));
            }
        }
        parts.into_values().collect()
    }
}
