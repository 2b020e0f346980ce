//! Walks all paths of one thread at once: the path that is furthest behind is next, and paths that reach the same place
//! are merged.
//!
//! Paths inside an atomic section precede all others, however far ahead they are. So the events of a section are
//! contiguous in the thread's list, and the section ends there when its last path has left it.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use formula::Term;
use ir::Origin;
use semantics::execute::{self, Halt};

use crate::bounded::idle;
use crate::bounded::place::{Key, Moved};
use crate::bounded::printed::{self, Printing};
use crate::bounded::state::{Forced, State, Visit};
use crate::bounded::turns;
use crate::bounded::value::Value;
use crate::bounded::walk::{Reason, Walk};
use crate::bounded::world::{Stop, Walker};

/// The most iterations of a loop of the library along a recorded path, if no known value bounds it.
const LIBRARY_ROUNDS: u32 = 24;

/// Ways that wait at their places: whether they are outside of atomic sections, the place, and in how many they are.
type Waiting = BTreeMap<(bool, Key, u32), State>;

/// The state of a path after an instruction.
enum Went {
    On(Box<State>),
    /// It waits to be merged with others, or has ended.
    Away,
}

impl Walk<'_> {
    pub fn walk(&mut self, first: State) {
        let thread = first.rest.thread;
        self.came_to_end = false;
        self.walk_from(first);
        self.close(thread);
    }

    fn walk_from(&mut self, first: State) {
        let limit = self.steps + self.bounds.steps;
        self.nested += 1;
        let mut waiting = Waiting::new();
        let mut looks = self.steps;
        self.wait(&mut waiting, first);
        while let Some(mut state) = self.next(&mut waiting) {
            loop {
                if self.nested == 1 && waiting.is_empty() {
                    self.insist_on_way(&mut state.rest);
                }
                let is_time = self.steps >= looks;
                if is_time {
                    looks = self.steps + 1024;
                }
                if is_time && self.bounds.until.is_some_and(|until| Instant::now() >= until)
                    || self.bounds.effort.is_some_and(|effort| self.steps >= effort)
                {
                    self.late = true;
                }
                if self.steps >= limit || self.late {
                    self.cut(&state.rest, Reason::Steps);
                    self.ended(&mut waiting, &state);
                    break;
                }
                // Ways of the walk around this one are inside a section, which cannot end before they have left it.
                if state.rest.atomic == 0 && self.sections.contains_key(&state.rest.thread) {
                    self.left.push(*state);
                    break;
                }
                match self.advance(&mut waiting, state) {
                    Went::On(next) => state = next,
                    Went::Away => break,
                }
            }
        }
        self.nested -= 1;
    }

    fn wait(&mut self, waiting: &mut Waiting, state: State) {
        let atomic = state.rest.atomic;
        let key = (atomic == 0, state.rest.place.turn_key(self.code, self.shapes), atomic);
        match waiting.remove(&key) {
            Some(mut other) if other.goes_with(&state) => {
                self.join(&mut other, state);
                waiting.insert(key, other);
            }
            Some(other) => {
                // They are at one place but cannot be merged: the second continues at once.
                waiting.insert(key, other);
                let insiders = u32::from(has_insiders(waiting));
                self.insiders += insiders;
                self.walk_from(state);
                self.insiders -= insiders;
            }
            None => drop(waiting.insert(key, state)),
        }
    }

    /// A path ends; the conditions of the branches away from it need not be kept.
    fn ended(&mut self, waiting: &mut Waiting, state: &State) {
        for other in waiting.values_mut() {
            other.rest.guard.forget(self.builder.terms(), &state.rest.guard);
        }
    }

    fn finished(&mut self, state: &State) -> Went {
        self.came_to_end |= !self.is_led(&state.rest);
        Went::Away
    }

    /// The number of instructions that a path executes at once. It stops where its thread was when a run ended.
    fn plain_ahead(&self, state: &State) -> u64 {
        let plain = state.rest.place.plain_ahead(self.code, self.shapes);
        let (Some(call), Some(Some(stand))) = (state.rest.place.calls.last(), self.along.stands.get(state.rest.thread))
        else {
            return plain;
        };
        let is_ahead = stand.function == call.function && stand.position >= call.position;
        if is_ahead { plain.min(u64::from(stand.position - call.position)) } else { plain }
    }

    /// Instructions that only compute numbers from numbers.
    fn advance_plainly(&mut self, waiting: &mut Waiting, mut state: Box<State>, count: u64) -> Went {
        self.steps += count - 1;
        let State { thread, rest } = &mut *state;
        let until = thread.steps + count;
        let done = execute::run(self.code.clone().as_ref(), thread, &mut Walker { walk: self, rest }, until);
        if let (Some(call), Some(frame)) = (state.rest.place.calls.last_mut(), state.thread.frames.last()) {
            call.position = frame.position;
        }
        match done {
            Ok(()) => Went::On(state),
            Err(Halt::Stop(stop) | Halt::Stay(stop) | Halt::After(stop)) => self.stopped(waiting, state, stop),
        }
    }

    /// One instruction, or several that only compute numbers from numbers.
    fn advance(&mut self, waiting: &mut Waiting, mut state: Box<State>) -> Went {
        self.steps += 1;
        let plain = self.plain_ahead(&state);
        if plain > 1 && state.rest.forced.is_none() {
            return self.advance_plainly(waiting, state, plain);
        }
        let ends = self.stands_at_end(&state.rest);
        if ends == Some(false) {
            self.spin_at_end(&mut state);
            self.ended(waiting, &state);
            return self.finished(&state);
        }
        let printed = match self.print(&mut state) {
            Printing::Runs(printed) => printed,
            Printing::Passed => return self.moved(waiting, state, false),
            Printing::Split(ways) => return self.go_each(waiting, ways),
        };
        let inside = state.rest.atomic > 0;
        let wrongs = self.wrongs.len();
        match self.run(&mut state, &printed) {
            Ok(()) if ends.is_some() => {
                if self.wrongs.len() == wrongs {
                    self.fail_where_it_stands(&state.rest);
                }
                self.ended(waiting, &state);
                self.finished(&state)
            }
            Ok(()) => {
                let left = inside && state.rest.atomic == 0;
                self.moved(waiting, state, left)
            }
            Err(Halt::Stop(stop) | Halt::Stay(stop) | Halt::After(stop)) => self.stopped(waiting, state, stop),
        }
    }

    /// Executes the next instruction of a path. Of the arguments of a call, the numbered ones are only printed.
    fn run(&mut self, state: &mut State, printed: &[usize]) -> Result<(), Halt<Stop>> {
        let seen = state.rest.along.seen;
        if !self.look_at_run(state) {
            self.cut(&state.rest, Reason::Unsupported("a branch that the run did not take".to_owned()));
            return Err(Halt::Stop(Stop::Ended));
        }
        let until = state.thread.steps + 1;
        let depth = state.thread.frames.len();
        let State { thread, rest } = &mut *state;
        let mut walker = Walker { walk: self, rest };
        let done = execute::run(walker.walk.code.clone().as_ref(), thread, &mut walker, until);
        if let Err(Halt::Stop(Stop::Split(_) | Stop::Cases(..) | Stop::Choose { .. } | Stop::Recorded { .. })) = &done {
            // It is executed again on each path.
            state.rest.along.seen = seen;
        }
        done?;
        if let Some(frame) = state.thread.frames.last().filter(|_| state.thread.frames.len() > depth) {
            let params = self.code.function(frame.function).params.len();
            printed::blank(state, params, printed);
        }
        Ok(())
    }

    /// `left`: the path has just left an atomic section.
    fn moved(&mut self, waiting: &mut Waiting, mut state: Box<State>, left: bool) -> Went {
        if state.thread.frames.is_empty() {
            return self.finished(&state);
        }
        let calls = state.rest.place.calls.len();
        let moved = state.rest.place.follow(self.code, self.shapes, &state.thread);
        if left {
            self.wait(waiting, *state);
            return self.next(waiting).map_or(Went::Away, Went::On);
        }
        if moved == Moved::On {
            return Went::On(state);
        }
        if state.rest.place.calls.len() > calls && self.recurses(&state) {
            self.cut(&state.rest, Reason::Recursion);
            self.ended(waiting, &state);
            return Went::Away;
        }
        let depth = state.rest.place.calls.len();
        state.rest.visits.retain(|&(call, _), _| call < depth);
        if depth > calls && self.takes_turns(&state) {
            for way in turns::each(self, *state) {
                self.wait(waiting, way);
            }
            return self.next(waiting).map_or(Went::Away, Went::On);
        }
        if waiting.is_empty() && moved == Moved::Jumped {
            return Went::On(state);
        }
        if moved == Moved::ToHeader && waiting.is_empty() {
            return if self.begin_round(waiting, &mut state) { Went::On(state) } else { Went::Away };
        }
        self.wait(waiting, *state);
        self.next(waiting).map_or(Went::Away, Went::On)
    }

    /// The path that is furthest behind. A loop that does not begin another iteration has no path to continue.
    fn next(&mut self, waiting: &mut Waiting) -> Option<Box<State>> {
        loop {
            if self.insiders == 0 && !has_insiders(waiting) {
                self.leave_section(waiting);
            }
            let (_, state) = waiting.pop_first()?;
            let mut state = Box::new(state);
            if !self.stands_at_header(&state) || self.begin_round(waiting, &mut state) {
                return Some(state);
            }
        }
    }

    /// All paths are outside: the section ends, and the paths that left it early continue.
    fn leave_section(&mut self, waiting: &mut Waiting) {
        let left = std::mem::take(&mut self.left);
        if let Some(way) = waiting.values().next().or(left.first()) {
            self.close(way.rest.thread);
        }
        for way in left {
            self.wait(waiting, way);
        }
    }

    /// More calls of one function inside each other than the bound allows, if something unknown decides about them.
    fn recurses(&self, state: &State) -> bool {
        let Some(last) = state.rest.place.calls.last() else { return false };
        let same = state.rest.place.calls.iter().filter(|call| call.function == last.function).count();
        let limit = if state.rest.guard.is_certain() || self.is_led(&state.rest) || state.rest.is_tracked() {
            2000
        } else {
            self.bounds.unroll as usize + 1
        };
        same > limit
    }

    fn is_library(&self, state: &State) -> bool {
        let function = state.thread.frames.last().map(|frame| frame.function);
        function.is_some_and(|function| self.code.program.functions[function.index()].origin != Origin::User)
    }

    /// Whether an iteration of a loop of the library, without a record, depends on unknown values only: then nothing
    /// bounds the number of iterations.
    fn strays(&self, last: &Visit, live: &[Value], state: &State) -> bool {
        let moves =
            |(one, other): (&Value, &Value)| one != other && one.as_word().is_some() && other.as_word().is_some();
        !state.rest.guard.is_certain()
            && !last.live.iter().zip(live).any(moves)
            && !last.memory.moves_to(&state.rest.memory)
    }

    fn stands_at_header(&self, state: &State) -> bool {
        let Some(call) = state.rest.place.calls.last() else { return false };
        let shape = self.shapes.of(self.code, call.function);
        let block = shape.block_at(call.position);
        shape.start_of(block) == call.position && call.rounds.last().is_some_and(|round| round.header == block)
    }

    /// A loop begins a round: whether it does.
    fn begin_round(&mut self, waiting: &mut Waiting, state: &mut State) -> bool {
        let depth = state.rest.place.calls.len() - 1;
        let Some(call) = state.rest.place.calls.last() else { return true };
        let (position, Some(&round)) = (call.position, call.rounds.last()) else { return true };
        let function = self.code.function(call.function);
        let header = function.headers.iter().find(|header| header.position == position);
        let registers = state.thread.registers_of(depth);
        let live: Vec<Value> =
            header.into_iter().flat_map(|header| header.live.iter()).map(|&reg| registers[reg as usize]).collect();
        let last = state.rest.visits.get(&(depth, round.header)).cloned().filter(|_| round.number > 0);
        let mut counted = 0;
        let mut asleep = self.terms().falsehood();
        if let Some(last) = last {
            // Whoever was put back after it had begun its round has begun it.
            if last.round == round.number {
                return true;
            }
            let led = self.run.is_some() || self.is_led(&state.rest);
            let never = self.terms().falsehood();
            let back = if header.is_some() { idle::comes_back(self, &last, &live, state) } else { never };
            let returns = back != never;
            if led && self.terms().as_bool(back) == Some(true) && self.forget_idle_round(&last, state) {
                let visit = Visit { taken: state.rest.taken, ..Visit::clone(&last) };
                state.rest.visits.insert((depth, round.header), Rc::new(visit));
                return true;
            }
            let slept = if led || header.is_none() { None } else { idle::slept(self, &last, state) };
            if let Some(clock) = slept {
                asleep = idle::sleep_on(self, &last, &live, state, clock);
                let ends = self.terms().and2(asleep, last.slept);
                if self.terms().as_bool(ends) == Some(true) {
                    self.ended(waiting, state);
                    return false;
                }
            }
            let idle = if led || slept.is_some() { never } else { idle::condition(self, &last, state, back) };
            self.flips.spins |= idle != never && state.rest.is_tracked();
            if idle != never && idle::wait_instead(self, &last, state, idle) {
                self.ended(waiting, state);
                return false;
            }
            let before = last.guard.term(&self.builder.graph().terms);
            let now = state.rest.guard.term(&self.builder.graph().terms);
            // A path that returns to its earlier state may do so forever.
            let (counts, most) = if state.rest.is_led_since(&last.tracks) {
                (false, self.bounds.unroll)
            } else if (self.guide.is_some() || self.preferred.is_some()) && self.is_library(state) {
                (
                    self.strays(&last, &live, state) || (self.preferred.is_some() && returns),
                    self.bounds.unroll.max(LIBRARY_ROUNDS),
                )
            } else {
                (!led && (before != now || returns), self.bounds.unroll)
            };
            counted = last.counted + u32::from(counts);
            if counted > most {
                self.cut(&state.rest, Reason::Loop);
                self.ended(waiting, state);
                return false;
            }
        }
        let visit = Visit {
            round: round.number,
            guard: state.rest.guard.clone(),
            live,
            memory: state.rest.memory.clone(),
            deeds: state.rest.deeds,
            taken: state.rest.taken,
            tracks: state.rest.tracks.clone(),
            events: self.builder.graph().events.len(),
            counted,
            slept: asleep,
        };
        state.rest.visits.insert((depth, round.header), Rc::new(visit));
        true
    }

    fn stopped(&mut self, waiting: &mut Waiting, mut state: Box<State>, stop: Stop) -> Went {
        let is_open = !matches!(stop, Stop::Ended | Stop::Finished);
        if is_open && self.strays_from_records(&mut state.rest) {
            self.cut(&state.rest, Reason::Free);
            self.ended(waiting, &state);
            return Went::Away;
        }
        match stop {
            Stop::Split(condition) => {
                let negated = self.terms().not(condition);
                self.fork(waiting, &state, &[(condition, Forced::Way(true)), (negated, Forced::Way(false))])
            }
            Stop::Cases(value, cases) => {
                let width = self.terms().width(value);
                let mut ways: Vec<(Term, Forced)> = Vec::new();
                let mut others = Vec::new();
                for (number, case) in cases {
                    let constant = self.terms().bits(width, number);
                    let same = self.terms().eq(value, constant);
                    let differs = self.terms().not(same);
                    others.push(differs);
                    match ways.iter_mut().find(|(_, way)| *way == Forced::Case(Some(case))) {
                        Some((condition, _)) => *condition = self.terms().or2(*condition, same),
                        None => ways.push((same, Forced::Case(Some(case)))),
                    }
                }
                ways.push((self.terms().and(&others), Forced::Case(None)));
                self.fork(waiting, &state, &ways)
            }
            Stop::Choose { value, words, others } => {
                let next = self.choose(&state, value, words, others);
                self.go_each(waiting, next)
            }
            Stop::Recorded { value, words } => {
                let next = self.choose_recorded(&state, value, words);
                self.go_each(waiting, next)
            }
            Stop::Ended => {
                self.ended(waiting, &state);
                Went::Away
            }
            Stop::Finished => self.finished(&state),
        }
    }

    /// One path for each possible number of a value.
    pub fn choose(&mut self, state: &State, value: Value, words: Vec<u64>, others: Option<String>) -> Vec<State> {
        let Value::Term(term) = value else { return Vec::new() };
        let width = self.terms().width(term);
        let mut next = Vec::new();
        let mut differs = Vec::new();
        for word in words {
            let constant = self.terms().bits(width, u128::from(word));
            let same = self.terms().eq(term, constant);
            if self.terms().as_bool(same) == Some(false) {
                continue;
            }
            differs.push(self.terms().not(same));
            let mut way = state.clone();
            way.rest.guard.push(self.builder.terms(), same);
            way.thread.replace(&value, &Value::word(width, u128::from(word)));
            next.push(way);
        }
        if let Some(others) = others {
            let mut rest = state.rest.clone();
            let other = self.terms().and(&differs);
            rest.guard.push(self.builder.terms(), other);
            self.cut(&rest, Reason::Unsupported(others));
        }
        next
    }

    /// One path for each number that runs have recorded, and one for all others.
    fn choose_recorded(&mut self, state: &State, value: Value, words: Vec<u64>) -> Vec<State> {
        let mut next = self.choose(state, value, words.clone(), None);
        let Value::Term(term) = value else { return next };
        let width = self.terms().width(term);
        let mut other = state.clone();
        for word in words {
            let constant = self.terms().bits(width, u128::from(word));
            let differs = self.terms().ne(term, constant);
            if self.terms().as_bool(differs) == Some(false) {
                return next;
            }
            other.rest.guard.push(self.builder.terms(), differs);
        }
        other.rest.forced = Some(Forced::OtherNumber);
        next.push(other);
        next
    }

    fn fork(&mut self, waiting: &mut Waiting, state: &State, ways: &[(Term, Forced)]) -> Went {
        let mut next = Vec::new();
        for &(condition, forced) in ways {
            if self.terms().as_bool(condition) == Some(false) {
                continue;
            }
            let mut way = state.clone();
            way.rest.guard.push(self.builder.terms(), condition);
            way.rest.forced = Some(forced);
            next.push(way);
        }
        self.go_each(waiting, next)
    }

    /// Each path executes its instruction, and then waits at its place.
    fn go_each(&mut self, waiting: &mut Waiting, ways: Vec<State>) -> Went {
        // None may run on while another has not even begun: all wait first.
        let mut aside = Waiting::new();
        let mut ahead = Vec::new();
        let insiders = u32::from(has_insiders(waiting) || ways.iter().any(|way| way.rest.atomic > 0));
        self.insiders += insiders;
        for mut way in ways {
            let printed = match self.print(&mut way) {
                Printing::Runs(printed) => printed,
                Printing::Passed => {
                    ahead.push(way);
                    continue;
                }
                Printing::Split(ways) => {
                    if let Went::On(way) = self.go_each(&mut aside, ways) {
                        self.wait(&mut aside, *way);
                    }
                    continue;
                }
            };
            match self.run(&mut way, &printed) {
                Ok(()) => ahead.push(way),
                Err(Halt::Stop(stop) | Halt::Stay(stop) | Halt::After(stop)) => {
                    if let Went::On(way) = self.stopped(&mut aside, Box::new(way), stop) {
                        self.wait(&mut aside, *way);
                    }
                }
            }
        }
        for mut way in ahead {
            if way.thread.frames.is_empty() {
                self.finished(&way);
                continue;
            }
            way.rest.place.follow(self.code, self.shapes, &way.thread);
            self.wait(waiting, way);
        }
        for (_, way) in aside {
            self.wait(waiting, way);
        }
        self.insiders -= insiders;
        self.next(waiting).map_or(Went::Away, Went::On)
    }
}

/// Whether one of the paths is inside an atomic section.
fn has_insiders(waiting: &Waiting) -> bool {
    waiting.keys().next().is_some_and(|(outside, ..)| !outside)
}
