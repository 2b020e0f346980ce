//! Value sets: the values that a read can return, where they are few. Written values are propagated through memory up
//! to a fixpoint: flags, pointers that are set once, ring indices, block numbers. An address that depends on such
//! values has a small points-to set, and a calculation with them is a table (`tables`).
//!
//! The sets are over-approximations, since conditions are ignored. A skipped read counts as zero. If a set would grow
//! without bound, the analysis is repeated with provenance: a read cannot observe values derived from itself (`provenance`).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use events::{Access, EventGraph, EventId, Kind};
use formula::{Op, Term, Terms};

use crate::graph::is_unconditional;
use crate::initial_writes::{InitialWrites, initial};
use crate::provenance::Provenances;
use crate::value_sets::{COMBINED, Place, ValueSets, combine};

/// The largest value set.
const MOST: usize = 64;
/// Widening: after this many rounds, sets that still grow become unknown.
const ROUNDS: u32 = 12;
const LAST_ROUND: u32 = 48;
/// With this many non-constant writes to a place, the analysis with provenance would not bound its values either.
const CHANGES: usize = 4 * MOST;
/// Terms with more subterms than this are not evaluated.
const LARGE: usize = 2048;
/// The limit for evaluated subterms altogether, without and with provenance.
const EFFORT: usize = 10_000_000;
const ORDERED_EFFORT: usize = 3_000_000;

/// Values with their provenance.
type Values = BTreeMap<u128, Provenances>;

/// The value sets of a graph.
pub fn value_sets(graph: &EventGraph, initial_writes: &InitialWrites) -> ValueSets {
    let mut terms = graph.terms.clone();
    let mut search = Search::new(graph, &mut terms, initial_writes);
    let settled = search.run();
    let endless = search.known.values().any(|known| known.values.is_none());
    let hopeless = settled && search.grows_in_any_order();
    let first = if settled { search.found() } else { ValueSets::default() };
    if settled && (!endless || hopeless) {
        return first;
    }
    let mut search = Search::new(graph, &mut terms, initial_writes).ordered();
    if search.run() { search.found() } else { first }
}

fn listed(sets: &[Values]) -> Vec<Vec<u128>> {
    sets.iter().map(|set| set.keys().copied().collect()).collect()
}

/// The values found so far; none if there are too many. The version counts changes.
#[derive(Clone, Debug, Default)]
struct Known {
    values: Option<Values>,
    version: u32,
}

impl Known {
    fn nothing() -> Known {
        Known { values: Some(Values::new()), version: 1 }
    }

    fn add(&mut self, more: Option<Values>, most: usize) -> bool {
        let Some(values) = &mut self.values else { return false };
        let before = values.len();
        let mut changed = more.is_none();
        for (value, pasts) in more.iter().flatten() {
            changed |= note(values, *value, pasts.clone());
        }
        if more.is_none() || values.len() > before.max(most) {
            self.values = None;
        }
        self.version += u32::from(changed);
        changed
    }
}

/// Returns whether anything was added.
fn note(values: &mut Values, value: u128, pasts: Provenances) -> bool {
    match values.entry(value) {
        Entry::Occupied(mut known) => known.get_mut().extend(&pasts),
        Entry::Vacant(place) => {
            place.insert(pasts);
            true
        }
    }
}

fn only(value: u128) -> Values {
    Values::from([(value, Provenances::none())])
}

struct Touching<'a> {
    event: EventId,
    thread: usize,
    position: u32,
    access: &'a Access,
    /// The dependences of the address, and those of address and value; none if there are too many.
    address: Option<Parts>,
    all: Option<Parts>,
    /// The sum of the versions at the last visit.
    seen: u32,
}

/// The symbols that terms depend on, and the number of their subterms.
struct Parts {
    symbols: Vec<Term>,
    count: usize,
}

struct Search<'a> {
    graph: &'a EventGraph,
    terms: &'a mut Terms,
    initial_writes: &'a InitialWrites,
    known: HashMap<Term, Known>,
    contents: HashMap<Place, Known>,
    /// By object, the offsets of its accesses and their widths.
    shapes: HashMap<u32, BTreeMap<u32, u32>>,
    /// Objects with unknown contents.
    mixed: HashSet<u32>,
    mixes: u32,
    written: HashMap<(EventId, Place), Option<u128>>,
    /// Accesses with unknown addresses.
    lost: HashSet<EventId>,
    limits: Limits,
}

/// How far the search goes.
struct Limits {
    /// Subterms that may still be evaluated.
    effort: usize,
    /// Sets larger than this become unknown.
    most: usize,
    /// Whether provenance is tracked.
    ordered: bool,
}

impl<'a> Search<'a> {
    fn new(graph: &'a EventGraph, terms: &'a mut Terms, initial_writes: &'a InitialWrites) -> Search<'a> {
        let mut known = HashMap::new();
        for (index, event) in graph.events.iter().enumerate() {
            if let Kind::Access(access) = &event.kind
                && let Some(old) = access.old
            {
                let mut values = Known::nothing();
                if !is_unconditional(graph, EventId(index as u32)) {
                    values.add(Some(only(0)), MOST);
                }
                known.insert(old, values);
            }
        }
        Search {
            graph,
            terms,
            initial_writes,
            known,
            contents: HashMap::new(),
            shapes: HashMap::new(),
            mixed: HashSet::new(),
            mixes: 0,
            written: HashMap::new(),
            lost: HashSet::new(),
            limits: Limits { effort: EFFORT, most: MOST, ordered: false },
        }
    }

    fn ordered(self) -> Search<'a> {
        Search { limits: Limits { ordered: true, effort: ORDERED_EFFORT, ..self.limits }, ..self }
    }

    fn found(self) -> ValueSets {
        let sets = self.known.into_iter().filter_map(|(symbol, known)| Some((symbol, known.values?)));
        let sets = sets.filter(|(_, values)| !values.is_empty());
        let sets = sets.map(|(symbol, values)| (symbol, values.into_keys().collect())).collect();
        let lost = self.lost;
        let written = self.written.into_iter().filter(|((event, _), _)| !lost.contains(event)).collect();
        ValueSets { sets, written }
    }

    /// Whether each place with too many values is written so often that provenance would not bound them either.
    fn grows_in_any_order(&self) -> bool {
        let mut changes: HashMap<Place, usize> = HashMap::new();
        for ((_, place), _) in self.written.iter().filter(|(_, only)| only.is_none()) {
            *changes.entry(*place).or_default() += 1;
        }
        let endless = self.contents.iter().filter(|(_, known)| known.values.is_none());
        let mut endless = endless.map(|(place, _)| changes.get(place).copied().unwrap_or_default());
        self.mixed.is_empty() && self.lost.is_empty() && endless.all(|changes| changes > CHANGES)
    }

    fn touching(&self) -> Vec<Touching<'a>> {
        let graph = self.graph;
        let mut touching = Vec::new();
        for (thread, own) in graph.threads.iter().enumerate() {
            for (position, &event) in own.events.iter().enumerate() {
                if let Kind::Access(access) = &graph.events[event.index()].kind
                    && !self.initial_writes.has(event)
                {
                    let address = [access.address.object, access.address.offset];
                    let value = access.new.into_iter().chain([access.writes]).chain(address);
                    let (address, all) = (self.parts(address.into()), self.parts(value.collect()));
                    let position = position as u32;
                    touching.push(Touching { event, thread, position, access, address, all, seen: 0 });
                }
            }
        }
        touching.sort_by_key(|touching| touching.event);
        touching
    }

    /// Returns whether the fixpoint was reached.
    fn run(&mut self) -> bool {
        let mut touching = self.touching();
        for round in 0..LAST_ROUND {
            if round == ROUNDS {
                self.limits.most = 0;
            }
            let mut changed = false;
            for touching in &mut touching {
                match self.visit(touching) {
                    Some(news) if self.limits.effort > 0 => changed |= news,
                    _ => return false,
                }
            }
            if !changed {
                return true;
            }
        }
        false
    }

    fn parts(&self, mut open: Vec<Term>) -> Option<Parts> {
        let mut seen: BTreeSet<Term> = open.iter().copied().collect();
        let mut symbols = Vec::new();
        while let Some(term) = open.pop() {
            match self.terms.op(term) {
                Op::Symbol(_) => symbols.push(term),
                op => open.extend(op.operands().filter(|&operand| seen.insert(operand))),
            }
            if seen.len() > LARGE {
                return None;
            }
        }
        symbols.sort_unstable();
        symbols.dedup();
        Some(Parts { symbols, count: seen.len() })
    }

    /// The value sets of the symbols, if all are known.
    fn sets(&mut self, parts: &Parts) -> Option<Vec<Values>> {
        let sets = parts.symbols.iter().map(|symbol| self.known.get(symbol)?.values.clone());
        let sets: Vec<Values> = sets.collect::<Option<_>>()?;
        let count = sets.iter().fold(1_usize, |count, set| count.saturating_mul(set.len()));
        if count <= COMBINED {
            self.limits.effort = self.limits.effort.saturating_sub(count.saturating_mul(parts.count));
        }
        Some(sets)
    }

    /// Processes one access; returns whether anything changed, or none if it may touch any object.
    fn visit(&mut self, touching: &mut Touching<'_>) -> Option<bool> {
        let places = self.places(touching);
        let Some(places) = places else { return self.mix_somewhere(touching) };
        let mut changed = false;
        for &(object, offset) in &places {
            changed |= self.shape(object, offset, touching.access.bytes);
        }
        let symbols = touching.all.iter().flat_map(|parts| &parts.symbols);
        let versions = symbols.filter_map(|symbol| self.known.get(symbol)).map(|known| known.version);
        let contents = places.iter().filter_map(|place| self.contents.get(place)).map(|known| known.version);
        let seen = versions.sum::<u32>() + contents.sum::<u32>() + self.mixes + places.len() as u32;
        if seen == touching.seen {
            return Some(changed);
        }
        touching.seen = seen;
        if let Some(old) = touching.access.old {
            changed |= self.read(old, &places, touching);
        }
        if touching.access.new.is_some() {
            changed |= self.write(touching, &places);
        }
        Some(changed)
    }

    /// The current points-to set of an access; none if it is unknown.
    fn places(&mut self, touching: &Touching<'_>) -> Option<BTreeSet<Place>> {
        let (address, parts) = (touching.access.address, touching.address.as_ref()?);
        if let (Some(object), Some(offset)) = (self.terms.as_bits(address.object), self.terms.as_bits(address.offset)) {
            return Some(self.inside(object, offset, touching.access.bytes).into_iter().collect());
        }
        let sets = self.sets(parts)?;
        let mut places = BTreeSet::new();
        combine(self.terms, &parts.symbols, &listed(&sets), |evaluate, _| {
            places.extend(self.inside(evaluate(address.object), evaluate(address.offset), touching.access.bytes));
        })?;
        Some(places)
    }

    /// The place, if an access of this many bytes fits there.
    fn inside(&self, object: u128, offset: u128, bytes: u32) -> Option<Place> {
        let (object, offset) = (u32::try_from(object).ok()?, u32::try_from(offset).ok()?);
        let length = self.graph.objects.get(object as usize)?.bytes;
        (offset.checked_add(bytes)? <= length).then_some((object, offset))
    }

    /// The contents of the objects that an access may touch become unknown.
    fn mix_somewhere(&mut self, touching: &Touching<'_>) -> Option<bool> {
        let object = touching.access.address.object;
        self.lost.insert(touching.event);
        let parts = self.parts(vec![object])?;
        let mut objects = BTreeSet::new();
        let sets = self.sets(&parts)?;
        combine(self.terms, &parts.symbols, &listed(&sets), |evaluate, _| objects.extend([evaluate(object)]))?;
        let mut changed = false;
        for object in objects.into_iter().filter_map(|object| u32::try_from(object).ok()) {
            changed |= self.mix(object);
        }
        if let Some(known) = touching.access.old.and_then(|old| self.known.get_mut(&old)) {
            changed |= known.add(None, self.limits.most);
        }
        Some(changed)
    }

    fn mix(&mut self, object: u32) -> bool {
        let news = self.mixed.insert(object);
        self.mixes += u32::from(news);
        news
    }

    /// Records the width of an access; partly overlapping accesses make the object's contents unknown.
    fn shape(&mut self, object: u32, offset: u32, bytes: u32) -> bool {
        let shapes = self.shapes.entry(object).or_default();
        if shapes.get(&offset) == Some(&bytes) {
            return false;
        }
        let before = shapes.range(..offset).next_back().is_some_and(|(&begin, &length)| begin + length > offset);
        let within = shapes.range(offset..offset + bytes).next().is_some();
        shapes.entry(offset).or_insert(bytes);
        (before || within) && self.mix(object)
    }

    fn read(&mut self, old: Term, places: &BTreeSet<Place>, touching: &Touching<'_>) -> bool {
        let mut changed = false;
        for &place in places {
            let more = if self.mixed.contains(&place.0) { None } else { self.content(place, touching) };
            if let Some(known) = self.known.get_mut(&old) {
                changed |= known.add(more, self.limits.most);
            }
        }
        changed
    }

    /// The values that an access may read at a place.
    fn content(&mut self, place: Place, touching: &Touching<'_>) -> Option<Values> {
        let content = match self.contents.get(&place) {
            Some(content) => Some(content.values.as_ref()?),
            None => None,
        };
        let first = initial(self.terms, self.graph, self.initial_writes, place, touching.access.bytes);
        let mut found = only(self.terms.as_bits(first)?);
        for (&value, pasts) in content.into_iter().flatten() {
            let pasts = if self.limits.ordered {
                pasts.before(touching.thread, touching.position)
            } else {
                Some(Provenances::none())
            };
            let Some(pasts) = pasts else { continue };
            note(&mut found, value, pasts);
        }
        Some(found)
    }

    fn write(&mut self, touching: &Touching<'_>, places: &BTreeSet<Place>) -> bool {
        let (event, access) = (touching.event, touching.access);
        let Some(new) = access.new else { return false };
        let mut written: BTreeMap<Place, Values> = BTreeMap::new();
        let all = touching.all.as_ref().and_then(|parts| {
            let sets = self.sets(parts)?;
            combine(self.terms, &parts.symbols, &listed(&sets), |evaluate, row| {
                if evaluate(access.writes) != 1 {
                    return;
                }
                let place = self.inside(evaluate(access.address.object), evaluate(access.address.offset), access.bytes);
                let Some(place) = place else { return };
                let mut pasts = Provenances::none();
                if self.limits.ordered {
                    pasts = sets.iter().zip(row).fold(pasts, |pasts, (set, value)| pasts.joined(&set[value]));
                    pasts = pasts.through(touching.thread, touching.position);
                }
                note(written.entry(place).or_default(), evaluate(new), pasts);
            })
        });
        let mut changed = false;
        for &place in places {
            let values = all.map(|()| written.remove(&place).unwrap_or_default());
            let only = values.as_ref().filter(|values| values.len() == 1);
            let only = only.and_then(|values| values.keys().next().copied());
            self.written.insert((event, place), only);
            let content = self.contents.entry(place).or_insert_with(Known::nothing);
            changed |= content.add(values, self.limits.most);
        }
        changed
    }
}

#[cfg(test)]
mod tests;
