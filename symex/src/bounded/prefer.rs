//! Recorded runs that a walk prefers and may leave: the basis of execution synthesis as in Cortex (Machado, Lucia,
//! Rodrigues, PPoPP 2016, section 3.3.2).
//!
//! All sides of every decision are walked, as without a record. A path carries a *track* for each run whose record it
//! follows: the position in that record. A path that takes another side than a run loses the run's track and has
//! *flipped* the decision. It is free until it joins a path that carries the track, and then continues at the position
//! of that path. So all distinct runs and their neighbourhood are one guarded graph.
//!
//! The paper flips a branch in a trace and finds the rest of the trace by symbolic execution. Here a decision is
//! identified by thread, calls and loop rounds, and a flip is a decision that the run also takes, but with another
//! side, on any path.
//!
//! A flip counts from the next visible step of its thread on: a path that flips the condition of an assertion and fails
//! there has flipped nothing else. An event marks that place, so a flip counts iff its mark happens.

use std::cell::RefCell;
use std::rc::Rc;

use events::{EventId, Kind, ThreadId};
use ir::{FunctionId, Primitive};
use run::{Decisions, RecordedRun, Taken, ThreadName};
use vm::SiteFrame;

use crate::bounded::place::Key;
use crate::bounded::state::{Forced, Rest};
use crate::bounded::value::Value;
use crate::bounded::walk::{Role, Walk};
use crate::bounded::world::{Stop, Walker};

/// The preferred runs, all of one program and with one input.
#[derive(Clone, Copy, Debug)]
pub struct Preferred<'r> {
    pub runs: &'r [RecordedRun],
}

/// The position of a path in the record of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// The number of the run.
    pub run: u32,
    /// The number of the thread in the run.
    thread: u32,
    taken: Taken,
    /// The number of threads that it has created in the run.
    children: u32,
}

/// One side of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Of a branch: whether it takes the first target.
    Way(bool),
    /// Of a switch: the case, or the default.
    Case(Option<u32>),
    /// Of an indirect call.
    Callee(String),
    /// A recorded number.
    Number(u64),
    /// A number that no run has recorded there.
    OtherNumber,
}

/// A decision that at least one run takes and at least one path takes with another side.
#[derive(Clone, Debug)]
pub struct Decision {
    pub thread: ThreadId,
    /// Identifies the decision, together with the thread.
    pub key: Rc<[u32]>,
    /// The calls that contain it, innermost first.
    pub frames: Vec<SiteFrame>,
    /// The last event of its thread before it, on any path.
    pub after: Option<EventId>,
}

/// A decision taken with another side than recorded.
#[derive(Clone, Debug)]
pub struct Flip {
    pub decision: usize,
    /// The flip counts iff this event happens.
    pub mark: EventId,
    /// The runs that take the decision, with their sides.
    pub recorded: Vec<(u32, Side)>,
    pub now: Side,
}

/// A flip that does not count yet: its thread has had no visible step since.
#[derive(Debug)]
pub struct Leaving {
    decision: usize,
    recorded: Vec<(u32, Side)>,
    now: Side,
}

/// The flips of a path that do not count yet. They are marked when the path emits its next step, through a shared
/// reference.
#[derive(Clone, Debug, Default)]
pub struct Unmarked(RefCell<Vec<Rc<Leaving>>>);

impl Unmarked {
    fn push(&self, leaving: Leaving) {
        self.0.borrow_mut().push(Rc::new(leaving));
    }

    fn take(&self) -> Vec<Rc<Leaving>> {
        self.0.take()
    }
}

/// The decisions and flips found by a walk.
#[derive(Debug, Default)]
pub struct Flips {
    pub decisions: Vec<Decision>,
    pub flips: Vec<Flip>,
    /// Whether a recorded path contains loop rounds that may change nothing.
    pub spins: bool,
}

impl<'r> Preferred<'r> {
    /// The tracks of a thread with this name, for every run that has it.
    pub fn begin(&self, name: &ThreadName) -> Vec<Track> {
        let runs = self.runs.iter().enumerate();
        runs.filter_map(|(run, record)| {
            let thread = record.threads.iter().position(|thread| thread.name == *name)?;
            Some(Track { run: run as u32, thread: thread as u32, taken: Taken::default(), children: 0 })
        })
        .collect()
    }

    fn decisions(&self, track: &Track) -> Decisions<'r> {
        self.runs[track.run as usize].threads[track.thread as usize].decisions_after(track.taken)
    }

    /// The track of the next thread that this thread creates.
    fn child(&self, track: &Track) -> Option<Track> {
        let run = &self.runs[track.run as usize];
        let name = run.threads[track.thread as usize].name.child(track.children);
        let thread = run.threads.iter().position(|thread| thread.name == name)?;
        Some(Track { run: track.run, thread: thread as u32, taken: Taken::default(), children: 0 })
    }
}

impl Rest {
    /// Whether the path follows the record of a run.
    pub fn is_tracked(&self) -> bool {
        !self.tracks.is_empty()
    }

    /// Whether a run has recorded decisions between the given tracks and the current ones.
    pub fn is_led_since(&self, before: &[Track]) -> bool {
        let moved = |track: &Track| before.iter().any(|old| old.run == track.run && old.taken != track.taken);
        self.tracks.iter().any(moved)
    }

    /// Joined paths follow the records that either of them followed.
    pub fn join_tracks(&mut self, other: &mut Rest) {
        self.tracks.append(&mut other.tracks);
        self.tracks.sort_unstable_by_key(|track| track.run);
        self.tracks.dedup_by_key(|track| track.run);
        self.free = if self.is_tracked() { 0 } else { self.free.max(other.free) };
    }
}

impl Walk<'_> {
    /// Marks the flips of a path: they count from here on.
    pub fn mark_flips(&mut self, rest: &Rest) {
        let unmarked = rest.unmarked.take();
        if unmarked.is_empty() {
            return;
        }
        let condition = self.terms().truth();
        let mark = self.event(rest, Role::Part, Kind::Assume { condition });
        for leaving in unmarked {
            let Leaving { decision, recorded, now } = &*leaving;
            let flip = Flip { decision: *decision, mark, recorded: recorded.clone(), now: now.clone() };
            self.flips.flips.push(flip);
        }
    }

    /// Counts a free decision. Returns whether the path is too far from all records to take it.
    pub fn strays_from_records(&self, rest: &mut Rest) -> bool {
        if self.preferred.is_none() || rest.is_tracked() {
            return false;
        }
        rest.free += 1;
        rest.free > self.bounds.free
    }

    fn decision(&mut self, rest: &Rest) -> usize {
        let key: Key = rest.place.key(self.code, self.shapes);
        let thread = self.threads[&rest.thread];
        let same = |decision: &Decision| decision.thread == thread && decision.key == key;
        // The sides of one decision are walked one after the other, so the search begins at the end.
        let recent = self.flips.decisions.iter().rposition(same);
        recent.unwrap_or_else(|| {
            let frames = rest.place.frames(self.code);
            let after = self.builder.graph().threads[thread.index()].events.last().copied();
            self.flips.decisions.push(Decision { thread, key, frames, after });
            self.flips.decisions.len() - 1
        })
    }
}

impl Walker<'_, '_> {
    /// After a decision: keeps the tracks of runs that took the same side and drops the others as flipped.
    fn keep_tracks(&mut self, now: &Side, mut recorded: impl FnMut(&mut Decisions<'_>) -> Option<Side>) {
        let Some(preferred) = self.walk.preferred else { return };
        if !self.rest.is_tracked() {
            return;
        }
        let mut left = Vec::new();
        for mut track in std::mem::take(&mut self.rest.tracks) {
            let mut decisions = preferred.decisions(&track);
            match recorded(&mut decisions) {
                Some(side) if side == *now => {
                    track.taken = decisions.taken();
                    self.rest.tracks.push(track);
                }
                Some(side) => left.push((track.run, side)),
                // The record ends before this decision: the rest of the path is free.
                None => {}
            }
        }
        if !left.is_empty() {
            let decision = self.walk.decision(self.rest);
            self.rest.unmarked.push(Leaving { decision, recorded: left, now: now.clone() });
        }
    }

    pub fn keep_way(&mut self, way: bool) {
        self.keep_tracks(&Side::Way(way), |decisions| decisions.branch().map(Side::Way));
    }

    pub fn keep_case(&mut self, case: Option<u32>, cases: usize) {
        self.keep_tracks(&Side::Case(case), |decisions| {
            let recorded = decisions.case(cases)?;
            Some(Side::Case((recorded as usize != cases).then_some(recorded)))
        });
    }

    pub fn keep_callee(&mut self, function: FunctionId) {
        if !self.rest.is_tracked() {
            return;
        }
        let name = self.walk.code.program.functions[function.index()].name.clone();
        self.keep_tracks(&Side::Callee(name), |decisions| decisions.callee().map(|name| Side::Callee(name.to_owned())));
    }

    /// The tracks of a thread that is created now.
    pub fn child_tracks(&mut self) -> Vec<Track> {
        let Some(preferred) = self.walk.preferred else { return Vec::new() };
        self.rest.tracks.iter_mut().for_each(|track| track.children += 1);
        self.rest.tracks.iter().filter_map(|track| preferred.child(track)).collect()
    }

    /// A value that runs have recorded, in full or only as zero or not. `forced` is the side chosen by a split.
    pub fn preferred_value(
        &mut self,
        primitive: Primitive,
        args: &[Value],
        forced: Option<Forced>,
    ) -> Result<Option<Value>, Stop> {
        if !self.rest.is_tracked() {
            return Ok(args.first().copied());
        }
        if primitive == Primitive::RecordBit {
            return self.preferred_bit(args[0], forced).map(Some);
        }
        let width = args[1].as_word().unwrap_or(64) as u32;
        let number = move |decisions: &mut Decisions<'_>| decisions.value(width).map(Side::Number);
        match (args[0].as_word(), forced) {
            (Some(word), _) => {
                let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
                self.keep_tracks(&Side::Number(word as u64 & mask), number);
                Ok(Some(args[0]))
            }
            (None, Some(Forced::OtherNumber)) => {
                self.keep_tracks(&Side::OtherNumber, number);
                Ok(Some(args[0]))
            }
            (None, _) => {
                let mut words = self.recorded_numbers(width);
                words.sort_unstable();
                words.dedup();
                if words.is_empty() {
                    return Ok(Some(args[0]));
                }
                Err(Stop::Recorded { value: args[0], words })
            }
        }
    }

    fn recorded_numbers(&self, width: u32) -> Vec<u64> {
        let Some(preferred) = self.walk.preferred else { return Vec::new() };
        let tracks = self.rest.tracks.iter();
        tracks.filter_map(|track| preferred.decisions(track).value(width)).collect()
    }

    /// A value of which runs have recorded only whether it is zero.
    fn preferred_bit(&mut self, value: Value, forced: Option<Forced>) -> Result<Value, Stop> {
        let is_set = match (value.as_word(), forced) {
            (Some(word), _) => word != 0,
            (None, Some(Forced::Way(way))) => way,
            (None, _) => {
                let term = value.term(self.terms(), 32);
                let zero = self.terms().bits(32, 0);
                let condition = self.terms().ne(term, zero);
                match self.terms().as_bool(condition) {
                    Some(known) => known,
                    None => return Err(Stop::Split(condition)),
                }
            }
        };
        self.keep_way(is_set);
        Ok(if is_set { value } else { Value::word(32, 0) })
    }

    /// The environment's choice that the followed runs have recorded, by the first of them. Runs with another choice
    /// had other inputs: their tracks are dropped.
    pub fn preferred_choice(&mut self) -> Option<u64> {
        let preferred = self.walk.preferred?;
        let mut chosen = None;
        self.rest.tracks.retain_mut(|track| {
            let mut decisions = preferred.decisions(track);
            let result = loop {
                match decisions.input() {
                    Some(input) if input.name == Primitive::InputChoose.name() => break Some(input.result as u64),
                    Some(_) => {}
                    None => break None,
                }
            };
            track.taken = decisions.taken();
            result.is_none() || *chosen.get_or_insert(result) == result
        });
        chosen.flatten()
    }
}
