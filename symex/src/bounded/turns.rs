//! Calls that copy memory with a symbolic length or address. The accesses of such a call depend on these values, so the
//! path is split by them: the call is walked once for each combination, and the paths are joined after it.

use formula::{Op, Term};
use ir::{FunctionId, Origin, Program};

use crate::bounded::low_bits::{self, Alignment, UNIT, UNIT_BITS};
use crate::bounded::sets::{Element, Set};
use crate::bounded::state::State;
use crate::bounded::value::Value;
use crate::bounded::walk::{Reason, Walk};

/// Bounds for the value sets that are split: of a length, and of an address.
const MOST_LENGTHS: usize = 128;
const MOST_ADDRESSES: usize = 64;
/// At most this many splits of one call.
const MOST_TURNS: usize = 1024;
/// The number of lengths that are distinguished if the set is open.
const FEWEST_LENGTHS: usize = 4;
/// Longer copies are then not followed: a length that may be any number may be very large.
const LONGEST_COPY: u64 = 1 << 12;

/// By function: the parameters that are split, the length first.
pub fn parameters(program: &Program) -> Vec<&'static [usize]> {
    let of = |function: &ir::Function| -> &'static [usize] {
        match function.name.as_str() {
            _ if function.origin == Origin::User => &[],
            "memcpy" | "memmove" | "mempcpy" => &[2, 0, 1],
            "memset" => &[2, 0],
            _ => &[],
        }
    };
    program.functions.iter().map(of).collect()
}

impl Walk<'_> {
    /// Whether a path has entered a call with symbolic arguments that must be split.
    pub fn takes_turns(&self, state: &State) -> bool {
        let Some(frame) = state.thread.frames.last().filter(|_| self.run.is_none()) else { return false };
        let is_term = |&parameter: &usize| argument(self, state, frame.function, parameter).is_some();
        self.turns[frame.function.index()].iter().any(is_term)
    }

    /// All values of a term, if there are at most `most`.
    fn few(&self, way: &State, term: Term, most: usize) -> Option<Vec<u64>> {
        let set = self.values(&way.rest.refined, term);
        let word = |element| match element {
            Element::Word(word) => Some(word),
            Element::Within(_) => None,
        };
        let words: Option<Vec<u64>> = set.known().map(word).collect();
        words.filter(|words| !set.has_others() && words.len() <= most)
    }
}

/// The argument for a parameter of the entered call, if it is symbolic.
fn argument(walk: &Walk<'_>, state: &State, function: FunctionId, parameter: usize) -> Option<Term> {
    let &(register, _) = walk.code.function(function).params.get(parameter)?;
    match state.thread.registers_of(state.thread.frames.len() - 1).get(register as usize) {
        Some(&Value::Term(term)) => Some(term),
        _ => None,
    }
}

/// Whether the entered call has length zero: then its addresses do not matter.
fn copies_nothing(walk: &Walk<'_>, way: &State, function: FunctionId) -> bool {
    let length =
        walk.turns[function.index()].first().and_then(|&length| walk.code.function(function).params.get(length));
    let registers = way.thread.registers_of(way.thread.frames.len() - 1);
    length.and_then(|&(register, _)| registers.get(register as usize)).and_then(|value| value.as_word()) == Some(0)
}

/// The path, split by the arguments of the entered call.
pub fn each(walk: &mut Walk<'_>, state: State) -> Vec<State> {
    let Some(function) = state.thread.frames.last().map(|frame| frame.function) else { return vec![state] };
    let mut ways = vec![state];
    for (number, &parameter) in walk.turns[function.index()].iter().enumerate() {
        let most = if number == 0 { MOST_LENGTHS } else { MOST_ADDRESSES };
        let (mut next, count) = (Vec::new(), ways.len());
        for way in ways {
            if number > 0 && copies_nothing(walk, &way, function) {
                next.push(way);
                continue;
            }
            let Some(term) = argument(walk, &way, function, parameter) else {
                next.push(way);
                continue;
            };
            match walk.few(&way, term, most) {
                None if number == 0 && walk.guide.is_none() => next.extend(some(walk, way, term)),
                Some(words) if words.len() * count <= MOST_TURNS => next.extend(split(walk, &way, term, &words)),
                _ if number > 0 && count * UNIT <= MOST_TURNS => next.extend(split_by_alignment(walk, &way, term)),
                _ => next.push(way),
            }
        }
        ways = next;
    }
    for (number, way) in ways.iter_mut().enumerate() {
        if let Some(call) = way.rest.place.calls.last_mut() {
            call.turn = number as u32;
        }
    }
    ways
}

/// Splits the path by the known lengths of an open set. Other lengths are a cut.
fn some(walk: &mut Walk<'_>, way: State, length: Term) -> Vec<State> {
    // A length that depends on inputs has no small value set.
    if walk.builder.graph().terms.free_symbols(length).iter().any(|symbol| !walk.reads.contains_key(symbol)) {
        return vec![way];
    }
    let set = walk.values(&way.rest.refined, length);
    let word = |element| match element {
        Element::Word(word) => Some(word).filter(|&word| word <= LONGEST_COPY),
        Element::Within(_) => None,
    };
    let most = walk.most_sizes(Value::Term(length), &set, FEWEST_LENGTHS);
    let lengths: Vec<u64> = set.known().filter_map(word).take(most).collect();
    if lengths.is_empty() {
        return vec![way];
    }
    let others = "the length of a copy with unbounded values".to_owned();
    walk.choose(&way, Value::Term(length), lengths, Some(others))
}

/// Splits the path by the values of the term.
fn split(walk: &mut Walk<'_>, way: &State, term: Term, words: &[u64]) -> Vec<State> {
    let width = walk.terms().width(term);
    let mut possible = Vec::new();
    for &word in words {
        let constant = walk.terms().bits(width, u128::from(word));
        let same = walk.terms().eq(term, constant);
        possible.push((word, same));
    }
    let each = exclusive(walk, possible).into_iter().map(|(word, condition)| {
        let mut way = way.clone();
        way.rest.guard.push(walk.builder.terms(), condition);
        way.thread.replace(&Value::Term(term), &Value::word(width, u128::from(word)));
        way
    });
    each.collect()
}

/// Splits the path by the alignment of an address within a unit.
fn split_by_alignment(walk: &mut Walk<'_>, way: &State, term: Term) -> Vec<State> {
    let (values, others) = places_in_unit(walk, way, term);
    let place = walk.terms().extract(term, UNIT_BITS - 1, 0);
    let mut possible = Vec::new();
    for value in values {
        let constant = walk.terms().bits(UNIT_BITS, value as u128);
        let same = walk.terms().eq(place, constant);
        possible.push((value as u128, same));
    }
    if others {
        let conditions: Vec<Term> = possible.iter().map(|(_, condition)| *condition).collect();
        let one = walk.terms().or(&conditions);
        let other = walk.terms().not(one);
        let mut there = way.rest.clone();
        there.guard.push(walk.builder.terms(), other);
        walk.cut(&there, Reason::Unsupported("a copy between addresses with unbounded values".to_owned()));
    } else {
        possible = exclusive(walk, possible);
    }
    // The alignment is stated of the summand without the constant, so that it is found again in other sums.
    let terms = walk.terms();
    let (of, constant) = match *terms.op(term) {
        Op::Add(rest, by) => terms.as_bits(by).map_or((term, 0), |by| (rest, by)),
        _ => (term, 0),
    };
    let each = possible.into_iter().map(|(value, condition)| {
        let mut way = way.clone();
        way.rest.guard.push(walk.builder.terms(), condition);
        let value = value.wrapping_sub(constant) % UNIT as u128;
        let alignment = Alignment { of, bits: UNIT_BITS, value };
        way.rest.place.calls.last_mut().into_iter().for_each(|call| call.alignments.push(alignment));
        way
    });
    each.collect()
}

/// The possible alignments of an address, and whether it may have others, which are not walked: for an open set only
/// the alignments of known values are.
fn places_in_unit(walk: &Walk<'_>, way: &State, address: Term) -> (Vec<usize>, bool) {
    let of_words = |set: &Set| {
        let mut places = [false; UNIT];
        for element in set.known() {
            if let Element::Word(word) = element {
                places[word as usize % UNIT] = true;
            }
        }
        places
    };
    let is_vague = |set: &Set| set.known().any(|element| matches!(element, Element::Within(_)));
    let of_symbol = |symbol: Term| {
        let set = walk.values(&way.rest.refined, symbol);
        if set.has_others() || is_vague(&set) { [true; UNIT] } else { of_words(&set) }
    };
    let possible = low_bits::residues(&walk.builder.graph().terms, &of_symbol, address);
    let set = walk.values(&way.rest.refined, address);
    let is_address = |element| matches!(element, Element::Word(word) if walk.known.objects.resolve(word).is_some());
    let narrows = match set.has_others() {
        true => walk.guide.is_none() && set.known().any(is_address),
        false => !is_vague(&set),
    };
    let known = if narrows { of_words(&set) } else { possible };
    let places: Vec<usize> = (0..UNIT).filter(|&place| possible[place] && known[place]).collect();
    if places.is_empty() {
        return ((0..UNIT).filter(|&place| possible[place]).collect(), false);
    }
    let others = set.has_others() && (0..UNIT).any(|place| possible[place] && !known[place]);
    (places, others)
}

/// Drops impossible cases. The condition of the last case becomes the negation of the others, so that the cases are
/// exhaustive.
fn exclusive<T>(walk: &mut Walk<'_>, ways: Vec<(T, Term)>) -> Vec<(T, Term)> {
    let never = walk.terms().falsehood();
    let mut ways: Vec<(T, Term)> = ways.into_iter().filter(|(_, condition)| *condition != never).collect();
    if let Some((last, others)) = ways.split_last_mut() {
        let others: Vec<Term> = others.iter().map(|(_, condition)| *condition).collect();
        let one = walk.terms().or(&others);
        last.1 = walk.terms().not(one);
    }
    ways
}
