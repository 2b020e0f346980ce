//! Along a run of the machine: every decision, and every number that depends on other threads but cannot be left open,
//! has its value in the run.
//!
//! A value that a thread read from others stays a symbol, and values computed from it are terms. A branch that depends
//! on it is an assumption. An address may be elsewhere in an object that it indexes, or be another pointer that was
//! written to the place from which it was read; all other addresses are assumed to have their values in the run. The
//! graph does not represent whether an access is valid in another order: the program is run in that order before it is
//! shown.

use std::collections::{HashMap, HashSet};

use formula::{Op, Term};
use ir::FunctionId;
use run::ThreadName;
use semantics::concrete::Word;
use semantics::messages::bad_address;
use vm::FailureKind;

use crate::bounded::access::{Spot, Spots};
use crate::bounded::foresight::MOST_WORDS;
use crate::bounded::log::{Cursor, Instruction, Log};
use crate::bounded::objects::ObjectId;
use crate::bounded::observe::{Observed, Stand};
use crate::bounded::section::Section;
use crate::bounded::state::{Rest, State};
use crate::bounded::value::Value;
use crate::bounded::walk::{Role, Walk, Wrong};
use crate::bounded::world::{Stop, Walker};
use crate::terms;

/// An index into a larger object keeps its value in the run.
const LARGEST_INDEXED: u64 = 1 << 14;
/// A pointer with more possible values than this keeps its value in the run.
const MOST_TARGETS: usize = 24;

/// What the operands of an instruction are, and were in the run.
#[derive(Debug, Default)]
pub struct Here {
    operands: Vec<(Value, Word)>,
    /// The last number: the address of the created object, or the choice.
    last: Option<u64>,
}

/// A followed run, and the knowledge along it.
#[derive(Debug, Default)]
pub struct Along<'c> {
    /// By thread, the numbers with which it decided in the run, and where it stood in the end.
    logs: Vec<Option<&'c Log>>,
    pub stands: Vec<Option<&'c Stand>>,
    /// The operands of the next instruction in the run.
    here: Here,
    /// By thread, the constants that terms are assumed to be.
    pins: HashMap<usize, HashMap<Term, Term>>,
    /// By thread, conditions that are assumed.
    assumed: HashSet<(usize, Term)>,
}

/// What one path of a walk knows along a run.
#[derive(Clone, Debug, Default)]
pub struct OnPath {
    /// The position in the log of its thread.
    pub seen: Cursor,
    /// The contents of memory that it knows until its atomic section ends.
    pub section: Section,
}

impl<'c> Along<'c> {
    pub fn add_thread(&mut self, number: usize, name: &ThreadName, run: &'c Observed) {
        let count = self.logs.len().max(number + 1);
        self.logs.resize(count, None);
        self.stands.resize(count, None);
        self.logs[number] = run.log(name);
        self.stands[number] = run.stands.get(name);
    }
}

impl<'c> Walk<'c> {
    /// Reads the operands of the next instruction in the run. False if the run did not execute it.
    pub fn look_at_run(&mut self, state: &mut State) -> bool {
        self.along.here.operands.clear();
        self.along.here.last = None;
        let (Some(_), Some(call)) = (self.run, state.rest.place.calls.last()) else { return true };
        let Some(noted) = self.shapes.of(self.code, call.function).noted_at(call.position) else { return true };
        let Some(log) = self.along.logs.get(state.rest.thread).copied().flatten() else { return false };
        let calls = state.rest.place.calls.len();
        let wanted = Instruction { calls, function: call.function, position: call.position };
        let Some(words) = log.next(&mut state.rest.along.seen, wanted) else { return false };
        let words = words.as_slice();
        self.along.here.last = words.last().copied();
        for (&arg, &word) in noted.operands.iter().zip(words) {
            if let Ok(&value) = state.thread.operand(self.code, arg) {
                self.along.here.operands.push((value, Word::from(word)));
            }
        }
        true
    }

    /// A call is passed over.
    pub fn pass_in_run(&self, rest: &mut Rest, callee: FunctionId) {
        if let Some(log) = self.along.logs.get(rest.thread).copied().flatten() {
            log.pass_call(&mut rest.along.seen, rest.place.calls.len(), callee);
        }
    }

    /// The number that an operand was.
    pub fn observed(&self, value: Value) -> Option<u64> {
        if let Some(word) = value.as_word() {
            return Some(word as u64);
        }
        self.along.here.operands.iter().find(|(known, _)| *known == value).map(|&(_, word)| word as u64)
    }

    /// The address of the object that an instruction creates, or the choice; 0 if unknown.
    pub fn made(&self) -> u64 {
        self.run.and(self.along.here.last).unwrap_or(0)
    }

    /// Whether the thread is where it was when the run ended, and whether it had begun that instruction.
    pub fn stands_at_end(&self, rest: &Rest) -> Option<bool> {
        let stand = self.along.stands.get(rest.thread).copied().flatten()?;
        self.stands_at(rest, stand).then_some(stand.begun)
    }

    fn stands_at(&self, rest: &Rest, stand: &Stand) -> bool {
        rest.place.calls.last().is_some_and(|call| {
            rest.place.calls.len() == stand.calls
                && call.function == stand.function
                && call.position == stand.position
                && rest.place.whole_key(self.code, self.shapes) == stand.key
        })
    }

    /// Whether the run continued from here, as far as this thread can tell.
    pub fn went_well(&self, run: &Observed, rest: &Rest) -> bool {
        let name = self.name(rest.thread);
        !run.has_failed(name) || run.fails(name).is_some_and(|stand| !self.stands_at(rest, stand))
    }

    /// The thread reached the place of its failure, and no operand there explains it.
    pub fn fail_where_it_stands(&mut self, rest: &Rest) {
        let failed = self.run.filter(|run| run.has_failed(self.name(rest.thread))).and_then(Observed::failure);
        let Some(kind) = failed.map(|failure| failure.kind).filter(|&kind| kind != FailureKind::Race) else { return };
        let never = self.terms().falsehood();
        self.demand(rest, never, Wrong { kind, what: "fails here".to_owned() });
    }

    /// Whether the thread failed in its present call.
    pub fn fails_inside(&self, rest: &Rest) -> bool {
        let stand = self.run.and_then(|run| run.fails(self.name(rest.thread)));
        stand.is_some_and(|stand| {
            stand.calls > rest.place.calls.len() && stand.key.starts_with(&rest.place.whole_key(self.code, self.shapes))
        })
    }

    /// The thread waits in a loop when the run ends.
    pub fn spin_at_end(&mut self, state: &mut State) {
        let stand = self.along.stands.get(state.rest.thread).copied().flatten().and_then(|stand| stand.spins);
        let Some((at, bytes, word)) = stand else { return };
        let Some((object, offset)) = self.known.objects.resolve(at) else { return };
        self.found.force(object.into(), offset, u64::from(bytes));
        let object = self.object(object);
        self.emit(&state.rest, Role::Step, |builder, thread| {
            let address = builder.address(object, offset as u32);
            builder.spin(thread, address, bytes, |terms, old| {
                let same = terms.bits(8 * bytes, word);
                terms.ne(old, same)
            });
        });
    }

    /// A sum with a constant that was this number: the other part, and its number.
    fn without_offset(&self, term: Term, word: u64) -> (Term, u64) {
        let terms = &self.builder.graph().terms;
        let Op::Add(a, b) = *terms.op(term) else { return (term, word) };
        let parts = [(a, b), (b, a)].into_iter().find_map(|(part, other)| Some((part, terms.as_bits(other)?)));
        match parts {
            Some((part, by)) if terms.width(term) == 64 => (part, word.wrapping_sub(by as u64)),
            _ => (term, word),
        }
    }

    /// A condition, if it is not implied by earlier assumptions of this thread.
    pub fn not_yet_assumed(&mut self, thread: usize, condition: Term) -> Option<Term> {
        let rest = match self.along.pins.get(&thread) {
            Some(pins) => self.builder.terms().substitute(condition, pins),
            None => condition,
        };
        let is_new = self.terms().as_bool(rest) != Some(true) && self.along.assumed.insert((thread, rest));
        is_new.then_some(rest)
    }

    /// Events of a thread were taken back.
    pub fn forget_assumed(&mut self, thread: usize) {
        self.along.assumed.retain(|&(of, _)| of != thread);
        self.along.pins.remove(&thread);
    }

    /// Records a value written to a place, for pointers read from there. A word that is found late is used from the
    /// next round on, if there is one.
    pub fn note_written(&mut self, spots: &[(ObjectId, Option<u64>)], bytes: u32, value: Value) {
        let ([(object, Some(offset))], 8, Some(word)) = (spots, bytes, self.observed(value)) else { return };
        let words = self.known.told.written.entry((*object, *offset)).or_default();
        if !words.contains(&word) && words.len() < MOST_WORDS {
            words.push(word);
        }
    }
}

impl Walker<'_, '_> {
    /// What a value was in the run that is followed, which it is assumed to be.
    pub fn pinned(&mut self, value: Value) -> Option<Value> {
        self.walk.run?;
        let Value::Term(term) = value else { return Some(value) };
        let word = self.walk.observed(value)?;
        let bits = self.walk.builder.graph().terms.width(term);
        let (term, base) = self.walk.without_offset(term, word);
        let base = self.terms().bits(bits, u128::from(base));
        let same = self.terms().eq(term, base);
        self.insist(same).ok()?;
        self.walk.along.pins.entry(self.rest.thread).or_default().insert(term, base);
        Some(Value::word(bits, u128::from(word)))
    }

    /// The side of a branch.
    pub fn forced_way(&mut self, cond: Value) -> Option<bool> {
        self.walk.run?;
        let way = self.walk.observed(cond)? & 1 == 1;
        if let Value::Term(term) = cond {
            let taken = terms::is_set(self.terms(), term);
            let condition = if way { taken } else { self.terms().not(taken) };
            self.insist(condition).ok()?;
        }
        Some(way)
    }

    /// The case of a switch; the inner `None` is the default.
    pub fn forced_case(&mut self, value: Value, cases: &[(u128, u32)]) -> Option<Option<u32>> {
        self.walk.run?;
        let word = Word::from(self.walk.observed(value)?);
        let found = cases.binary_search_by_key(&word, |&(case, _)| case).ok();
        if let Value::Term(term) = value {
            let width = self.walk.builder.graph().terms.width(term);
            let condition = match found {
                Some(_) => {
                    let constant = self.terms().bits(width, word);
                    self.terms().eq(term, constant)
                }
                None => {
                    let others = cases.iter().map(|&(case, _)| {
                        let constant = self.walk.terms().bits(width, case);
                        self.walk.terms().ne(term, constant)
                    });
                    let others: Vec<Term> = others.collect();
                    self.terms().and(&others)
                }
            };
            self.insist(condition).ok()?;
        }
        Some(found.map(|found| cases[found].1))
    }

    /// Whether the run that is followed went on from here. What its threads did in another order is confirmed by running it.
    pub fn is_known_to_go_well(&self) -> bool {
        self.walk.run.is_some_and(|run| self.walk.went_well(run, self.rest))
    }

    /// All places where an access of the run may be.
    pub fn forced_spots(&mut self, address: Value, bytes: u64, what: &str) -> Result<Spots, Stop> {
        if !self.is_known_to_go_well() && !self.is_sound(address, bytes) {
            return Err(self.fail_at(address, bytes, what));
        }
        let truth = self.terms().truth();
        if let (Value::Term(term), Some(at)) = (address, self.walk.observed(address)) {
            if let Some((object, _)) = self.indexed(term, at) {
                return Ok(Spots { all: vec![Spot { object, offset: None, condition: truth }], address });
            }
            if let Some(all) = self.targets(term, at, bytes) {
                let conditions: Vec<Term> = all.iter().map(|spot| spot.condition).collect();
                let known = self.terms().or(&conditions);
                self.insist(known)?;
                return Ok(Spots { all, address });
            }
        }
        let Some(address) = self.pinned(address) else {
            return Err(self.give_up("an address that the run does not determine"));
        };
        let at = address.as_word().unwrap_or(0) as u64;
        match self.walk.known.objects.resolve(at) {
            Some((object, offset)) => {
                Ok(Spots { all: vec![Spot { object, offset: Some(offset), condition: truth }], address })
            }
            None => Err(self.give_up("an address whose contents the run does not determine")),
        }
    }

    /// The object, if the address is a constant one in it and something that is added.
    fn indexed(&mut self, term: Term, at: u64) -> Option<(ObjectId, u64)> {
        let Op::Add(a, b) = *self.walk.builder.graph().terms.op(term) else { return None };
        let constant = [a, b].into_iter().find_map(|part| self.walk.builder.graph().terms.as_bits(part))?;
        let (object, offset) = self.walk.known.objects.resolve(at)?;
        let info = self.walk.known.objects.get(object);
        let (base, _) = self.walk.known.objects.resolve(constant as u64)?;
        (base == object && !info.constant && info.size <= LARGEST_INDEXED).then_some((object, offset))
    }

    /// The possible targets of a pointer that was read: the values written to its place.
    fn targets(&mut self, term: Term, at: u64, bytes: u64) -> Option<Vec<Spot>> {
        if self.walk.known.told.fixed_pointers {
            return None;
        }
        let graph = self.walk.builder.graph();
        let (symbol, added) = match *graph.terms.op(term) {
            Op::Symbol(_) => (term, 0),
            Op::Add(a, b) => match (graph.terms.as_bits(a), graph.terms.as_bits(b)) {
                (Some(added), None) => (b, added as u64),
                (None, Some(added)) => (a, added as u64),
                _ => return None,
            },
            _ => return None,
        };
        let [(object, Some(offset))] = self.walk.reads.get(&symbol)?.places[..] else { return None };
        let written = self.walk.known.told.written.get(&(object, offset)).cloned().unwrap_or_default();
        let addresses = written.into_iter().map(|word| word.wrapping_add(added)).chain([at]);
        let mut all: Vec<(u64, ObjectId, u64)> = Vec::new();
        for target in addresses {
            let Some((object, offset)) = self.walk.known.objects.resolve(target) else { continue };
            let info = self.walk.known.objects.get(object);
            let never = self.walk.builder.graph().terms.falsehood();
            let ended = self.rest.memory.get(object).is_some_and(|contents| contents.ended() != never);
            let fits = offset + bytes <= info.size && !info.constant && !ended;
            if fits && !all.iter().any(|&(known, ..)| known == target) {
                all.push((target, object, offset));
            }
        }
        if all.is_empty() || all.len() > MOST_TARGETS || !all.iter().any(|&(known, ..)| known == at) {
            return None;
        }
        let spots = all.into_iter().map(|(target, object, offset)| {
            let constant = self.walk.terms().bits(64, u128::from(target));
            let condition = self.walk.terms().eq(term, constant);
            Spot { object, offset: Some(offset), condition }
        });
        Some(spots.collect())
    }

    /// Whether an address is a constant at which there is an object, so that the failure has another reason.
    fn is_sound(&self, address: Value, bytes: u64) -> bool {
        let place = address.as_word().and_then(|at| self.walk.known.objects.resolve(at as u64));
        place.is_some_and(|(object, offset)| {
            offset + bytes <= self.walk.known.objects.get(object).size && !self.has_ended(object)
        })
    }

    /// Whether a block had ended when the run failed.
    fn has_ended(&self, object: ObjectId) -> bool {
        let base = self.walk.known.objects.get(object).base;
        self.walk.run.is_some_and(|run| run.is_gone(base))
    }

    /// The thread fails here, with these operands: another value, or a block that is alive, would have avoided it.
    pub fn fail_at(&mut self, address: Value, bytes: u64, what: &str) -> Stop {
        let condition = self.helps(address, bytes);
        let wrong = Wrong { kind: self.failure_kind(), what: bad_address(what) };
        self.walk.demand(self.rest, condition, wrong);
        Stop::Ended
    }

    /// The kind of failure that the run came to.
    pub fn failure_kind(&self) -> FailureKind {
        self.walk.run.and_then(Observed::failure).map_or(FailureKind::Memory, |failure| failure.kind)
    }

    fn helps(&mut self, address: Value, bytes: u64) -> Term {
        let Some(at) = self.walk.observed(address) else { return self.terms().falsehood() };
        let pointer = address.term(self.terms(), 64);
        let same = self.terms().bits(64, u128::from(at));
        let elsewhere = self.terms().ne(pointer, same);
        let Some((object, found)) = self.walk.known.objects.resolve(at) else { return elsewhere };
        let base = self.walk.known.objects.get(object).base;
        self.walk.found.touch(object.into(), 0, 1, self.rest.thread, false);
        let always = self.terms().truth();
        if self.rest.memory.get(object).is_some_and(|contents| contents.ended() == always) {
            return elsewhere;
        }
        if self.has_ended(object) {
            let cell = self.walk.end_of(object);
            let ended = self.walk.emit(self.rest, Role::Step, |builder, thread| {
                let address = builder.address(cell, 0);
                builder.read(thread, address, 1)
            });
            let zero = self.terms().bits(8, 0);
            let alive = self.terms().eq(ended, zero);
            return self.terms().or2(elsewhere, alive);
        }
        // The access itself is valid: the accessed object is wrong.
        if address.as_word().is_some() || found + bytes <= self.walk.known.objects.get(object).size {
            return elsewhere;
        }
        let base = self.terms().bits(64, u128::from(base));
        let offset = self.terms().sub(pointer, base);
        let room = self.walk.known.objects.get(object).size.saturating_sub(bytes);
        let room = self.terms().bits(64, u128::from(room));
        self.terms().ule(offset, room)
    }
}
