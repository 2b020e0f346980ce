//! Which values reads can have, where they are few: those that are ever written where they read, and the initial ones.
//!
//! Found by going round until nothing is new. What keeps growing (a counter) is any number after a while.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use events::{Access, EventGraph, Kind};
use formula::{Op, Term};

use crate::possible::Possible;

pub type Words = BTreeSet<u128>;

/// More values than this are any.
const MOST: usize = 64;
/// How many combinations of operands are tried.
const MOST_TRIED: usize = 1024;
/// After so many rounds what still grows is any number, and after so many nothing is known.
const PATIENCE: u32 = 12;
const MOST_ROUNDS: u32 = 60;
/// In bytes; more do not fit into a word.
const WIDEST: u32 = 16;
/// How much may be looked at in a round.
const MOST_LOOKS: usize = 10_000_000;

/// What is known of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    /// One of these.
    Few(Rc<Words>),
    /// It depends on one symbol only: for each of its values, in their order, what it is then.
    Column(Term, Rc<Vec<u128>>),
    Any,
}

impl Worth {
    fn few(words: Words) -> Worth {
        if words.len() > MOST { Worth::Any } else { Worth::Few(Rc::new(words)) }
    }

    fn words(&self) -> Option<Words> {
        match self {
            Worth::Few(words) => Some((**words).clone()),
            Worth::Column(_, column) => Some(column.iter().copied().collect()),
            Worth::Any => None,
        }
    }
}

/// By symbol of a read, its values where they are few.
#[derive(Debug, Default)]
pub struct Few {
    pub of: HashMap<Term, Rc<Words>>,
}

impl Few {
    pub fn new(graph: &EventGraph) -> Few {
        Finder::new(graph).and_then(Finder::settle).unwrap_or_default()
    }

    /// With what is known by other means, where that is less.
    pub fn and(mut self, possible: &Possible) -> Few {
        for (symbol, words) in possible.all() {
            let known = self.of.entry(symbol).or_insert_with(|| Rc::new(words.clone()));
            if words.len() < known.len() {
                *known = Rc::new(words.clone());
            }
        }
        self
    }

    /// What is known of these terms and all that they are built of, operands first.
    pub fn worths(&self, graph: &EventGraph, terms: &[Term]) -> HashMap<Term, Worth> {
        let mut worths = HashMap::new();
        for &term in terms {
            let worth = self.worth(graph, &worths, term);
            worths.insert(term, worth);
        }
        worths
    }

    fn worth(&self, graph: &EventGraph, known: &HashMap<Term, Worth>, term: Term) -> Worth {
        let terms = &graph.terms;
        match terms.op(term) {
            Op::Bool(value) => return Worth::few(Words::from([u128::from(*value)])),
            Op::Bits { value, .. } => return Worth::few(Words::from([*value])),
            Op::Symbol(_) => {
                return match self.of.get(&term) {
                    Some(words) => Worth::Column(term, Rc::new(words.iter().copied().collect())),
                    None => Worth::Any,
                };
            }
            Op::Before(..) => return Worth::Any,
            _ => {}
        }
        let operands: Vec<Term> = terms.op(term).operands().collect();
        self.column(graph, known, term, &operands).unwrap_or_else(|| image(graph, known, term, &operands))
    }

    /// Of a term of one symbol.
    fn column(&self, graph: &EventGraph, known: &HashMap<Term, Worth>, term: Term, operands: &[Term]) -> Option<Worth> {
        let mut symbol = None;
        for operand in operands {
            match &known[operand] {
                Worth::Few(words) if words.len() == 1 => {}
                Worth::Column(of, _) if symbol.is_none_or(|symbol| symbol == *of) => symbol = Some(*of),
                _ => return None,
            }
        }
        let symbol = symbol?;
        let word = |operand: Term, row: usize| match &known[&operand] {
            Worth::Column(_, column) => column[row],
            Worth::Few(words) => words.first().copied().unwrap_or(0),
            Worth::Any => 0,
        };
        let rows = 0..self.of[&symbol].len();
        let column: Option<Vec<u128>> =
            rows.map(|row| graph.terms.compute(term, |operand| word(operand, row))).collect();
        Some(Worth::Column(symbol, Rc::new(column?)))
    }
}

/// What an operation can make of what its operands can be.
fn image(graph: &EventGraph, known: &HashMap<Term, Worth>, term: Term, operands: &[Term]) -> Worth {
    let terms = &graph.terms;
    if let Op::Ite(_, then, otherwise) = *terms.op(term) {
        return match (known[&then].words(), known[&otherwise].words()) {
            (Some(mut words), Some(others)) => {
                words.extend(others);
                Worth::few(words)
            }
            _ => Worth::Any,
        };
    }
    if terms.is_bool(term) {
        return Worth::Any;
    }
    if let Some(rest) = remainder(graph, known, term) {
        return rest;
    }
    let mut distinct = operands.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut lists = Vec::new();
    let mut tried = 1_usize;
    for operand in &distinct {
        let Some(words) = known[operand].words() else { return Worth::Any };
        tried = tried.saturating_mul(words.len());
        lists.push(words.into_iter().collect::<Vec<u128>>());
    }
    if tried > MOST_TRIED {
        return Worth::Any;
    }
    let mut words = Words::new();
    for choice in 0..tried {
        let mut rest = choice;
        let mut chosen = HashMap::new();
        for (&operand, list) in distinct.iter().zip(&lists) {
            chosen.insert(operand, list[rest % list.len()]);
            rest /= list.len();
        }
        match terms.compute(term, |operand| chosen[&operand]) {
            Some(word) => drop(words.insert(word)),
            None => return Worth::Any,
        }
    }
    Worth::few(words)
}

/// Whatever is divided, the rest is smaller than the divisor, and what is masked is part of the mask.
fn remainder(graph: &EventGraph, known: &HashMap<Term, Worth>, term: Term) -> Option<Worth> {
    let terms = &graph.terms;
    let (of, by, masks) = match *terms.op(term) {
        Op::Urem(of, by) => (of, terms.as_bits(by)?, false),
        Op::BitAnd(of, by) => (of, terms.as_bits(by)?, true),
        _ => return None,
    };
    let limit = if masks { by.checked_add(1)? } else { by };
    if known[&of] != Worth::Any || !(1..=MOST as u128).contains(&limit) {
        return None;
    }
    Some(Worth::few((0..limit).filter(|word| !masks || word & !by == 0).collect()))
}

/// What is stored in an object: by offset, or at any aligned one, and by width.
type Stored = BTreeMap<(Option<u32>, u32), Option<Words>>;

struct Finder<'g> {
    graph: &'g EventGraph,
    /// Those that read into a symbol, and those that write.
    reads: Vec<(Term, &'g Access)>,
    writes: Vec<(Term, &'g Access)>,
    /// All terms of addresses and of what is written, operands first.
    terms: Vec<Term>,
    few: Few,
}

impl<'g> Finder<'g> {
    fn new(graph: &'g EventGraph) -> Option<Finder<'g>> {
        let (mut reads, mut writes, mut roots) = (Vec::new(), Vec::new(), Vec::new());
        for event in &graph.events {
            let Kind::Access(access) = &event.kind else { continue };
            roots.extend([access.address.object, access.address.offset]);
            if let Some(old) = access.old {
                reads.push((old, access));
            }
            if let Some(new) = access.new.filter(|_| graph.terms.as_bool(access.writes) != Some(false)) {
                writes.push((new, access));
                roots.push(new);
            }
        }
        if reads.is_empty() || reads.iter().any(|(old, _)| !matches!(graph.terms.op(*old), Op::Symbol(_))) {
            return None;
        }
        let few = Few { of: reads.iter().map(|(old, _)| (*old, Rc::default())).collect() };
        let terms = graph.terms.reachable(&roots);
        Some(Finder { graph, reads, writes, terms, few })
    }

    fn settle(mut self) -> Option<Few> {
        for round in 0..MOST_ROUNDS {
            let worths = self.few.worths(self.graph, &self.terms);
            let stored = self.stored(&worths)?;
            let mut looks = 0;
            let mut next: HashMap<Term, Option<Words>> = HashMap::new();
            for (old, access) in &self.reads {
                let found = self.found(&worths, &stored, access, &mut looks);
                let all = next.entry(*old).or_insert_with(|| Some(Words::new()));
                *all = all.take().and_then(|mut all| {
                    all.extend(found?);
                    (all.len() <= MOST).then_some(all)
                });
            }
            if looks > MOST_LOOKS {
                return None;
            }
            let mut settled = true;
            for (symbol, words) in next {
                let Some(before) = self.few.of.get(&symbol) else { continue };
                match words {
                    Some(words) if **before == words => continue,
                    Some(words) if round < PATIENCE => drop(self.few.of.insert(symbol, Rc::new(words))),
                    _ => drop(self.few.of.remove(&symbol)),
                }
                settled = false;
            }
            if settled {
                // Nothing is read that was never there.
                self.few.of.retain(|_, words| !words.is_empty());
                return Some(self.few);
            }
        }
        None
    }

    /// The offsets that an access can have in each object; none for any. Nothing if it can be in any object.
    fn places(&self, worths: &HashMap<Term, Worth>, access: &Access) -> Option<Vec<(u32, Option<u32>)>> {
        let objects = worths[&access.address.object].words()?;
        let offsets = worths[&access.address.offset].words();
        let mut places = Vec::new();
        for object in objects.into_iter().filter_map(|object| u32::try_from(object).ok()) {
            match &offsets {
                Some(offsets) => {
                    let inside = offsets.iter().filter_map(|&offset| u32::try_from(offset).ok());
                    places.extend(inside.map(|offset| (object, Some(offset))));
                }
                None => places.push((object, None)),
            }
        }
        Some(places)
    }

    fn stored(&self, worths: &HashMap<Term, Worth>) -> Option<Vec<Stored>> {
        let mut stored: Vec<Stored> = vec![Stored::new(); self.graph.objects.len()];
        for (new, access) in &self.writes {
            let words = worths[new].words();
            for (object, offset) in self.places(worths, access)? {
                let Some(object) = stored.get_mut(object as usize) else { continue };
                let all = object.entry((offset, access.bytes)).or_insert_with(|| Some(Words::new()));
                *all = all.take().and_then(|mut all| {
                    all.extend(words.as_ref()?);
                    (all.len() <= MOST).then_some(all)
                });
            }
        }
        Some(stored)
    }

    /// What an access can read.
    fn found(
        &self,
        worths: &HashMap<Term, Worth>,
        stored: &[Stored],
        access: &Access,
        looks: &mut usize,
    ) -> Option<Words> {
        let mut all = Words::new();
        for (object, offset) in self.places(worths, access)? {
            // Where it reads is not known: then neither is what.
            let offset = offset?;
            let Some(info) = stored.get(object as usize) else { continue };
            all.insert(self.initial(object, offset, access.bytes)?);
            *looks += info.len();
            for (&(other, bytes), words) in info {
                match other {
                    Some(other) if other == offset && bytes == access.bytes => all.extend(words.as_ref()?),
                    Some(other) if !overlap((other, bytes), (offset, access.bytes)) => {}
                    _ => return None,
                }
            }
        }
        Some(all)
    }

    /// What stands there in the beginning, if it is known.
    fn initial(&self, object: u32, offset: u32, bytes: u32) -> Option<u128> {
        if bytes > WIDEST {
            return None;
        }
        let mut word = 0;
        for initial in &self.graph.objects[object as usize].initial {
            let width = self.graph.terms.width(initial.value) / 8;
            if !overlap((initial.offset, width), (offset, bytes)) {
                continue;
            }
            let value = self.graph.terms.as_bits(initial.value)?;
            for number in 0..width {
                let at = u64::from(initial.offset) + u64::from(number);
                if let Some(place) = at.checked_sub(u64::from(offset)).filter(|&place| place < u64::from(bytes)) {
                    word |= (value >> (8 * number) & 0xFF) << (8 * place);
                }
            }
        }
        Some(word)
    }
}

/// Whether two stretches of so many bytes from an offset on have a byte in common.
fn overlap((one, bytes): (u32, u32), (other, others): (u32, u32)) -> bool {
    u64::from(one) < u64::from(other) + u64::from(others) && u64::from(other) < u64::from(one) + u64::from(bytes)
}
