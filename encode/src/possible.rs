//! Which values a read can return, where they are few. What is written is followed through memory until nothing new turns
//! up: a flag, a pointer that is set once, an index that goes round, the number of a block. Then an address that depends
//! on them has few places, and a calculation with them is a table (`tables`).
//!
//! Neither order nor conditions are looked at, so there may be fewer values than said here, but never more. A read that is
//! passed by counts as zero.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use events::{Access, EventGraph, EventId, Kind};
use formula::{Assignment, Op, Sort, Term, Terms, Value};

use crate::address::few_symbols;
use crate::cells::initial;
use crate::founding::Founding;
use crate::happens::is_unconditional;

/// More values than this are not listed.
const MOST: usize = 64;
/// Combinations of values that are tried for one term.
const COMBINED: usize = 512;
/// What still grows after so many rounds grows without end.
const ROUNDS: u32 = 12;
const LAST_ROUND: u32 = 48;
/// Terms with more parts than this are not looked into.
const LARGE: usize = 512;
/// Parts of terms that are evaluated altogether.
const EFFORT: usize = 10_000_000;

type Values = BTreeSet<u128>;
/// An object and an offset.
type Place = (u32, u32);

#[derive(Debug, Default)]
pub struct Possible {
    sets: HashMap<Term, Values>,
    /// By write and place, what is written there, if it is always the same.
    written: HashMap<(EventId, Place), Option<u128>>,
}

impl Possible {
    pub fn new(graph: &EventGraph, founding: &Founding) -> Possible {
        let mut terms = graph.terms.clone();
        let mut search = Search::new(graph, &mut terms, founding);
        let settled = search.run();
        if !settled {
            return Possible::default();
        }
        let sets = search.known.into_iter().filter_map(|(symbol, known)| Some((symbol, known.values?)));
        let sets: HashMap<Term, Values> = sets.filter(|(_, values)| !values.is_empty()).collect();
        let lost = search.lost;
        let written = search.written.into_iter().filter(|((event, _), _)| !lost.contains(event)).collect();
        Possible { sets, written }
    }

    /// All symbols of reads of which few values are known.
    pub fn all(&self) -> impl Iterator<Item = (Term, &BTreeSet<u128>)> {
        self.sets.iter().map(|(&symbol, values)| (symbol, values))
    }

    /// The values of a read's symbol.
    pub fn of(&self, symbol: Term) -> Option<&BTreeSet<u128>> {
        self.sets.get(&symbol)
    }

    /// What a write writes to this place, if that is always the same.
    pub fn written(&self, event: EventId, object: u32, offset: u32) -> Option<u128> {
        self.written.get(&(event, (object, offset))).copied().flatten()
    }

    /// All values that a term can have, if they are few.
    pub fn values(&self, terms: &Terms, term: Term) -> Option<BTreeSet<u128>> {
        if let Some(values) = self.sets.get(&term) {
            return Some(values.clone());
        }
        let mut all = Values::new();
        let symbols: Vec<Term> = few_symbols(terms, term)?.into_iter().collect();
        let sets = symbols.iter().map(|symbol| self.sets.get(symbol)).collect::<Option<Vec<_>>>()?;
        combine(terms, &symbols, &sets, |evaluate| all.extend([evaluate(term)]))?;
        Some(all)
    }
}

/// Goes through all combinations, the first symbol changing fastest; none if there are too many.
fn combine(
    terms: &Terms,
    symbols: &[Term],
    sets: &[&Values],
    mut visit: impl FnMut(&mut dyn FnMut(Term) -> u128),
) -> Option<()> {
    let count = sets.iter().try_fold(1_usize, |count, set| count.checked_mul(set.len()))?;
    if count > COMBINED {
        return None;
    }
    for number in 0..count {
        let mut rest = number;
        let mut assignment = Assignment::default();
        for (&symbol, set) in symbols.iter().zip(sets) {
            let value = set.iter().nth(rest % set.len()).copied().unwrap_or(0);
            rest /= set.len();
            let value = match terms.sort(symbol) {
                Sort::Bool => Value::Bool(value == 1),
                Sort::Bits(width) => Value::Bits { width, value },
            };
            assignment.values.insert(symbol, value);
        }
        let mut evaluator = assignment.evaluator(terms);
        visit(&mut |term| match evaluator.evaluate(term) {
            Value::Bool(value) => u128::from(value),
            Value::Bits { value, .. } => value,
        });
    }
    Some(())
}

/// Values that were found so far; none if there are too many. The version counts changes.
#[derive(Clone, Debug, Default)]
struct Known {
    values: Option<Values>,
    version: u32,
}

impl Known {
    fn nothing() -> Known {
        Known { values: Some(Values::new()), version: 1 }
    }

    fn add(&mut self, more: Option<&Values>, most: usize) -> bool {
        let Some(values) = &mut self.values else { return false };
        let before = values.len();
        match more {
            Some(more) => values.extend(more),
            None => self.values = None,
        }
        if self.values.as_ref().is_some_and(|values| values.len() > before.max(most)) {
            self.values = None;
        }
        let changed = self.values.as_ref().is_none_or(|values| values.len() > before);
        self.version += u32::from(changed);
        changed
    }
}

struct Touching<'a> {
    event: EventId,
    access: &'a Access,
    /// What the address depends on, and what address and value do; none if that is too much.
    address: Option<Parts>,
    all: Option<Parts>,
    /// The sum of the versions of what it was made from.
    seen: u32,
}

/// What terms depend on, and how many parts they have.
struct Parts {
    symbols: Vec<Term>,
    count: usize,
}

struct Search<'a> {
    graph: &'a EventGraph,
    terms: &'a mut Terms,
    founding: &'a Founding,
    known: HashMap<Term, Known>,
    contents: HashMap<Place, Known>,
    /// By object, where accesses begin, and how long they are.
    shapes: HashMap<u32, BTreeMap<u32, u32>>,
    /// Objects of which nothing is known.
    mixed: HashSet<u32>,
    mixes: u32,
    written: HashMap<(EventId, Place), Option<u128>>,
    /// Accesses of which it is not known where they are.
    lost: HashSet<EventId>,
    effort: usize,
    /// Sets do not grow beyond this any more.
    most: usize,
}

impl<'a> Search<'a> {
    fn new(graph: &'a EventGraph, terms: &'a mut Terms, founding: &'a Founding) -> Search<'a> {
        let mut known = HashMap::new();
        for (index, event) in graph.events.iter().enumerate() {
            if let Kind::Access(access) = &event.kind
                && let Some(old) = access.old
            {
                let mut values = Known::nothing();
                if !is_unconditional(graph, EventId(index as u32)) {
                    values.add(Some(&Values::from([0])), MOST);
                }
                known.insert(old, values);
            }
        }
        Search {
            graph,
            terms,
            founding,
            known,
            contents: HashMap::new(),
            shapes: HashMap::new(),
            mixed: HashSet::new(),
            mixes: 0,
            written: HashMap::new(),
            lost: HashSet::new(),
            effort: EFFORT,
            most: MOST,
        }
    }

    /// Whether it came to an end.
    fn run(&mut self) -> bool {
        let graph = self.graph;
        let mut touching = Vec::new();
        for (index, event) in graph.events.iter().enumerate() {
            let event_id = EventId(index as u32);
            if let Kind::Access(access) = &event.kind
                && !self.founding.has(event_id)
            {
                let address = [access.address.object, access.address.offset];
                let value = access.new.into_iter().chain([access.writes]).chain(address);
                let (address, all) = (self.parts(address.into()), self.parts(value.collect()));
                touching.push(Touching { event: event_id, access, address, all, seen: 0 });
            }
        }
        for round in 0..LAST_ROUND {
            if round == ROUNDS {
                self.most = 0;
            }
            let mut changed = false;
            for touching in &mut touching {
                match self.visit(touching) {
                    Some(news) if self.effort > 0 => changed |= news,
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

    /// The values of what the terms depend on, if all are known and there are few combinations.
    fn sets(&mut self, parts: &Parts) -> Option<Vec<Values>> {
        let sets = parts.symbols.iter().map(|symbol| self.known.get(symbol)?.values.clone());
        let sets: Vec<Values> = sets.collect::<Option<_>>()?;
        let count: usize = sets.iter().map(Values::len).product();
        self.effort = self.effort.saturating_sub(count.saturating_mul(parts.count));
        Some(sets)
    }

    /// Takes one access into account; tells whether that brought anything new, or nothing if it may be anywhere.
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
            changed |= self.read(old, &places, touching.access.bytes);
        }
        if touching.access.new.is_some() {
            changed |= self.write(touching, &places);
        }
        Some(changed)
    }

    /// Where an access can be so far; none if that is not known.
    fn places(&mut self, touching: &Touching<'_>) -> Option<BTreeSet<Place>> {
        let (address, parts) = (touching.access.address, touching.address.as_ref()?);
        let sets = self.sets(parts)?;
        let mut places = BTreeSet::new();
        combine(self.terms, &parts.symbols, &sets.iter().collect::<Vec<_>>(), |evaluate| {
            places.extend(self.inside(evaluate(address.object), evaluate(address.offset), touching.access.bytes));
        })?;
        Some(places)
    }

    /// The place if an access of so many bytes fits there.
    fn inside(&self, object: u128, offset: u128, bytes: u32) -> Option<Place> {
        let (object, offset) = (u32::try_from(object).ok()?, u32::try_from(offset).ok()?);
        let length = self.graph.objects.get(object as usize)?.bytes;
        (offset.checked_add(bytes)? <= length).then_some((object, offset))
    }

    /// Nothing is known of the objects that an access may be in.
    fn mix_somewhere(&mut self, touching: &Touching<'_>) -> Option<bool> {
        let object = touching.access.address.object;
        self.lost.insert(touching.event);
        let parts = self.parts(vec![object])?;
        let mut objects = BTreeSet::new();
        let sets = self.sets(&parts)?;
        let sets: Vec<&Values> = sets.iter().collect();
        combine(self.terms, &parts.symbols, &sets, |evaluate| objects.extend([evaluate(object)]))?;
        let mut changed = false;
        for object in objects.into_iter().filter_map(|object| u32::try_from(object).ok()) {
            changed |= self.mix(object);
        }
        if let Some(known) = touching.access.old.and_then(|old| self.known.get_mut(&old)) {
            changed |= known.add(None, self.most);
        }
        Some(changed)
    }

    fn mix(&mut self, object: u32) -> bool {
        let news = self.mixed.insert(object);
        self.mixes += u32::from(news);
        news
    }

    /// Takes note of how an object is accessed; accesses that overlap in part spoil it.
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

    fn read(&mut self, old: Term, places: &BTreeSet<Place>, bytes: u32) -> bool {
        let mut changed = false;
        for &place in places {
            let more = if self.mixed.contains(&place.0) {
                None
            } else {
                let first = initial(self.terms, self.graph, self.founding, place, bytes);
                let first = self.terms.as_bits(first);
                let content = self.contents.get(&place);
                match (first, content.map(|known| &known.values)) {
                    (Some(first), None) => Some(Values::from([first])),
                    (Some(first), Some(Some(values))) => Some(values.iter().copied().chain([first]).collect()),
                    _ => None,
                }
            };
            if let Some(known) = self.known.get_mut(&old) {
                changed |= known.add(more.as_ref(), self.most);
            }
        }
        changed
    }

    fn write(&mut self, touching: &Touching<'_>, places: &BTreeSet<Place>) -> bool {
        let (event, access) = (touching.event, touching.access);
        let Some(new) = access.new else { return false };
        let mut written: BTreeMap<Place, Values> = BTreeMap::new();
        let all = touching.all.as_ref().and_then(|parts| {
            let sets = self.sets(parts)?;
            combine(self.terms, &parts.symbols, &sets.iter().collect::<Vec<_>>(), |evaluate| {
                if evaluate(access.writes) == 1 {
                    let place =
                        self.inside(evaluate(access.address.object), evaluate(access.address.offset), access.bytes);
                    place.into_iter().for_each(|place| written.entry(place).or_default().extend([evaluate(new)]));
                }
            })
        });
        let mut changed = false;
        for &place in places {
            let values = all.map(|()| written.remove(&place).unwrap_or_default());
            let only = values.as_ref().filter(|values| values.len() == 1).and_then(|values| values.first().copied());
            self.written.insert((event, place), only);
            let content = self.contents.entry(place).or_insert_with(Known::nothing);
            changed |= content.add(values.as_ref(), self.most);
        }
        changed
    }
}
