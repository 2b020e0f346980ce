//! The place of a thread, so that the same place on the same path has one name: its calls, and in each the iteration of
//! every enclosing loop. The machine's threads have the same names, so that executions of the graph can be performed.

use std::collections::HashSet;
use std::rc::Rc;

use events::Place as SourcePlace;
use ir::{FunctionId, Origin, Program, SpanId};
use semantics::code::{Code, Inst};
use semantics::concrete::Word;
use semantics::execute::{self, Thread};
use vm::{Machine, Observer, Outcome, SiteFrame};

use crate::bounded::low_bits::Alignment;
use crate::bounded::shape::Shapes;

/// How wide the state of a semaphore or a lock is.
pub const SYNC_BYTES: u32 = 4;

/// The innermost place that is the user's.
pub fn source_place(program: &Program, frames: &[SiteFrame]) -> Option<SourcePlace> {
    let users = |frame: &&SiteFrame| program.functions[frame.function.index()].origin == Origin::User;
    let span = program.spans.get(frames.iter().find(users)?.span.0 as usize)?;
    let file = program.files.get(span.file.0 as usize)?;
    Some(SourcePlace { file: file.clone(), line: span.line })
}

/// The name of a place. Whoever is behind has the smaller one.
pub type Key = Rc<[u32]>;

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    pub function: FunctionId,
    /// The current instruction; for all frames but the innermost, the call.
    pub position: u32,
    /// The loops that it is in, the outermost first.
    pub rounds: Vec<Round>,
    /// Which of the paths that go through the call one after the other, each with its own arguments.
    pub turn: u32,
    /// The alignment of the path's arguments.
    pub alignments: Vec<Alignment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The block with which the loop begins.
    pub header: u32,
    pub number: u32,
    /// How many rounds before it were taken back, so that they have no number.
    pub taken_back: u32,
}

/// How a thread moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// To the next instruction.
    On,
    /// To another block or into or out of a call.
    Jumped,
    /// To the head of a loop, which is entered or begins another iteration.
    ToHeader,
}

#[derive(Clone, Debug, Default)]
pub struct Place {
    pub calls: Vec<Call>,
}

impl Place {
    pub fn of<V: Clone>(code: &Code, shapes: &Shapes, thread: &Thread<V>) -> Place {
        let mut place = Place::default();
        let last = thread.frames.len().saturating_sub(1);
        for (depth, frame) in thread.frames.iter().enumerate() {
            let position = if depth < last { frame.position.saturating_sub(1) } else { frame.position };
            place.calls.push(Call {
                function: frame.function,
                position,
                rounds: Vec::new(),
                turn: 0,
                alignments: Vec::new(),
            });
            place.enter_block(code, shapes, position);
        }
        place
    }

    /// Updates the place after an instruction.
    pub fn follow<V: Clone>(&mut self, code: &Code, shapes: &Shapes, thread: &Thread<V>) -> Moved {
        let (depth, before) = (thread.frames.len(), self.calls.len());
        let Some(frame) = thread.frames.last() else {
            self.calls.clear();
            return Moved::Jumped;
        };
        if depth > before {
            let (function, position) = (frame.function, frame.position);
            self.calls.push(Call { function, position, rounds: Vec::new(), turn: 0, alignments: Vec::new() });
            return self.enter_block(code, shapes, frame.position);
        }
        self.calls.truncate(depth);
        let Some(call) = self.calls.last_mut() else { return Moved::Jumped };
        let stood = std::mem::replace(&mut call.position, frame.position);
        let shape = shapes.of(code, frame.function);
        let inst = &code.function(frame.function).insts[stood as usize];
        let jumps = matches!(inst, Inst::Jump(_) | Inst::Branch { .. } | Inst::Switch { .. });
        let lands = depth < before && shape.start_of(shape.block_at(frame.position)) == frame.position;
        if (jumps && depth == before) || lands {
            return self.enter_block(code, shapes, frame.position);
        }
        if depth < before { Moved::Jumped } else { Moved::On }
    }

    /// The number of instructions that the thread executes at once ([`Shape::plain_from`]).
    ///
    /// [`Shape::plain_from`]: crate::bounded::shape::Shape::plain_from
    pub fn plain_ahead(&self, code: &Code, shapes: &Shapes) -> u64 {
        self.calls.last().map_or(0, |call| shapes.of(code, call.function).plain_from(call.position))
    }

    fn enter_block(&mut self, code: &Code, shapes: &Shapes, position: u32) -> Moved {
        let Some(call) = self.calls.last_mut() else { return Moved::Jumped };
        let shape = shapes.of(code, call.function);
        let block = shape.block_at(position);
        let headers = &shape.loops[block as usize];
        let kept =
            call.rounds.iter().zip(headers.iter()).take_while(|(round, header)| round.header == **header).count();
        call.rounds.truncate(kept);
        if let Some(last) = call.rounds.last_mut().filter(|last| kept == headers.len() && last.header == block) {
            last.number += 1;
            return Moved::ToHeader;
        }
        call.rounds.extend(headers[kept..].iter().map(|&header| Round { header, number: 0, taken_back: 0 }));
        if headers.last() == Some(&block) { Moved::ToHeader } else { Moved::Jumped }
    }

    /// Of two places that a thread reaches one after the other, the first has the smaller key (`pasts`).
    pub fn key(&self, code: &Code, shapes: &Shapes) -> Key {
        self.key_by(code, shapes, false, |round| round.number)
    }

    /// The name under which a path waits to be merged, the smallest first: paths whose turns differ do not meet inside
    /// the call.
    pub fn turn_key(&self, code: &Code, shapes: &Shapes) -> Key {
        self.key_by(code, shapes, true, |round| round.number)
    }

    /// The name that the place has for a thread which takes no round back.
    pub fn whole_key(&self, code: &Code, shapes: &Shapes) -> Key {
        self.key_by(code, shapes, false, |round| round.number + round.taken_back)
    }

    fn key_by(&self, code: &Code, shapes: &Shapes, turns: bool, number: impl Fn(&Round) -> u32) -> Key {
        let mut key = Vec::with_capacity(5 * self.calls.len());
        for call in &self.calls {
            let shape = shapes.of(code, call.function);
            let order = if turns { &shape.walk_order } else { &shape.order };
            key.push(call.function.0);
            key.extend(turns.then_some(call.turn));
            for round in &call.rounds {
                key.extend([order[round.header as usize], number(round)]);
            }
            let block = shape.block_at(call.position);
            key.extend([order[block as usize], call.position]);
        }
        key.into()
    }

    /// The calls as reports know them, innermost first.
    pub fn frames(&self, code: &Code) -> Vec<SiteFrame> {
        let frame = |call: &Call| {
            let spans = &code.function(call.function).spans;
            SiteFrame {
                function: call.function,
                span: spans.get(call.position as usize).copied().unwrap_or(SpanId::NONE),
            }
        };
        self.calls.iter().rev().map(frame).collect()
    }
}

/// The places of the threads of a machine.
pub struct Places<'a> {
    code: &'a Code,
    shapes: &'a Shapes,
    /// By the machine's numbers.
    places: Vec<Place>,
    /// By function and position: whether visits are recorded, and the visited places.
    noted: Vec<Vec<bool>>,
    passed: HashSet<(usize, Key)>,
}

impl<'a> Places<'a> {
    pub fn new(code: &'a Code, shapes: &'a Shapes) -> Places<'a> {
        Places { code, shapes, places: Vec::new(), noted: Vec::new(), passed: HashSet::new() }
    }

    /// Takes over the threads that were created.
    pub fn grow(&mut self, machine: &Machine) {
        let born = (self.places.len()..machine.thread_count()).map(|thread| machine.thread(thread));
        self.places.extend(born.map(|thread| Place::of(self.code, self.shapes, thread)));
    }

    pub fn key(&self, thread: usize) -> Key {
        self.places[thread].key(self.code, self.shapes)
    }

    /// Records the visits of these instructions.
    pub fn note(&mut self, instructions: impl IntoIterator<Item = (FunctionId, u32)>) {
        self.noted.resize_with(self.code.functions.len(), Vec::new);
        for (function, position) in instructions {
            let noted = &mut self.noted[function.index()];
            noted.resize(self.code.function(function).insts.len(), false);
            noted[position as usize] = true;
        }
    }

    /// Whether a thread has come by a place that is noted.
    pub fn has_passed(&self, thread: usize, key: &Key) -> bool {
        self.passed.contains(&(thread, key.clone()))
    }

    pub fn place(&self, thread: usize) -> Option<&Place> {
        self.places.get(thread)
    }

    /// One visible step, observed before each instruction of the thread and after the last one. A sequence of
    /// instructions that only compute numbers counts as one place, at its first instruction.
    pub fn step_watched(
        &mut self,
        machine: &mut Machine,
        thread: usize,
        choice: u64,
        look: &mut dyn FnMut(&Place, &Thread<Word>),
    ) -> Option<Outcome> {
        self.grow(machine);
        let (shapes, place) = (self.shapes, &mut self.places[thread]);
        let outcome = machine.step_by(thread, choice, |code, state, shared, limit| {
            look(place, state);
            loop {
                let before = state.steps;
                let plain = place.plain_ahead(code, shapes);
                let done = execute::run(code, state, shared, (before + plain.max(1)).min(limit));
                if state.steps > before {
                    place.follow(code, shapes, state);
                    look(place, state);
                }
                done?;
                if state.frames.is_empty() || state.steps >= limit {
                    return Ok(());
                }
            }
        });
        self.grow(machine);
        outcome
    }
}

impl Observer<Word> for Places<'_> {
    /// One instruction after the other, so that its place is known.
    fn step(&mut self, machine: &mut Machine, thread: usize, choice: u64) -> Option<Outcome> {
        if self.noted.is_empty() {
            return self.step_watched(machine, thread, choice, &mut |_, _| {});
        }
        let (code, shapes) = (self.code, self.shapes);
        let (noted, mut passed) = (std::mem::take(&mut self.noted), std::mem::take(&mut self.passed));
        let outcome = self.step_watched(machine, thread, choice, &mut |place, _| {
            let is_noted = |call: &Call| noted[call.function.index()].get(call.position as usize) == Some(&true);
            if place.calls.last().is_some_and(is_noted) {
                passed.insert((thread, place.key(code, shapes)));
            }
        });
        (self.noted, self.passed) = (noted, passed);
        outcome
    }
}
