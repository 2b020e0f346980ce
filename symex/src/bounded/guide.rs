//! Along recorded paths: each thread takes its recorded decisions, and their conditions on the values read are
//! assumptions. Only the order of the threads is open.
//!
//! A record may end before its thread did. The rest of the thread is walked if the failure is there, and is not needed
//! otherwise.

use events::{Kind, Label};
use formula::Term;
use ir::{FunctionId, Primitive};
use run::{Decisions, ProcessEnd, RecordedRun, ThreadEnd, ThreadName, ThreadRecord};
use semantics::address;
use vm::FailureKind;

use crate::bounded::guard::Guard;
use crate::bounded::idle;
use crate::bounded::sets::Element;
use crate::bounded::state::{Rest, State, Visit};
use crate::bounded::value::Value;
use crate::bounded::walk::{Reason, Role, Walk};
use crate::bounded::world::{Stop, Walker};
use crate::terms;

/// The record that threads are led by.
#[derive(Clone, Copy, Debug)]
pub struct Guide<'r> {
    run: &'r RecordedRun,
    /// Whether a thread is known in which it failed.
    is_blamed: bool,
}

impl<'r> Guide<'r> {
    pub fn new(run: &'r RecordedRun) -> Guide<'r> {
        Guide { run, is_blamed: run.threads.iter().any(|thread| thread.end == ThreadEnd::Failed) }
    }

    pub fn record(&self, name: &ThreadName) -> Option<&'r ThreadRecord> {
        self.run.thread(name)
    }

    /// Whether it may have been this thread that failed, when its record is at its end.
    fn may_fail(&self, record: &ThreadRecord, kind: FailureKind) -> bool {
        record.end == ThreadEnd::Failed || !self.is_blamed || kind == FailureKind::Exit
    }

    /// Whether the rest of a thread after the end of its record is walked.
    fn goes_on(&self, record: &ThreadRecord) -> bool {
        record.end == ThreadEnd::Failed || !self.is_blamed || self.run.end == ProcessEnd::Hang
    }

    /// Whether a thread may have been stopped before its last place: only the machine decides which threads wait
    /// forever.
    fn is_early(&self, record: &ThreadRecord) -> bool {
        self.run.end == ProcessEnd::Hang && self.is_blamed && record.end == ThreadEnd::Stopped
    }
}

impl<'c> Walk<'c> {
    /// The rest of the record of a path's thread.
    pub fn left(&self, rest: &Rest) -> Option<Decisions<'c>> {
        Some(self.records.get(&rest.thread)?.decisions_after(rest.taken))
    }

    /// Whether the path still follows the record.
    pub fn is_led(&self, rest: &Rest) -> bool {
        self.left(rest).is_some_and(|left| !left.is_at_end())
    }

    /// Whether it cannot have failed here: the record continues, or another thread failed, or in another way.
    pub fn excludes_failure(&self, rest: &Rest, kind: FailureKind) -> bool {
        if let Some(run) = self.run {
            return self.went_well(run, rest) || !self.options.properties.contains(&kind);
        }
        let Some(guide) = self.guide else { return false };
        let may = self.records.get(&rest.thread).is_none_or(|record| guide.may_fail(record, kind));
        !may || self.is_led(rest) || !self.options.properties.contains(&kind)
    }

    /// That holds, because the thread went on.
    pub fn assume(&mut self, rest: &Rest, condition: Term) {
        let condition = match self.run {
            Some(_) => match self.not_yet_assumed(rest.thread, condition) {
                Some(condition) => condition,
                None => return,
            },
            None => condition,
        };
        if self.terms().as_bool(condition) != Some(true) {
            self.event(rest, Role::Part, Kind::Assume { condition });
        }
    }

    /// All other paths ended where the record continues, so this is the recorded one.
    pub fn insist_on_way(&mut self, rest: &mut Rest) {
        if self.came_to_end || rest.guard.is_certain() || !self.is_led(rest) {
            return;
        }
        let taken = rest.guard.term(self.builder.terms());
        rest.guard = Guard::default();
        self.assume(rest, taken);
    }

    /// Undoes an iteration of a loop that changed nothing and returned to its initial state.
    pub fn forget_idle_round(&mut self, last: &Visit, state: &mut State) -> bool {
        let thread = self.threads[&state.rest.thread];
        let since = last.events..self.builder.graph().events.len();
        let mut held = Vec::new();
        for event in &self.builder.graph().events[since.clone()] {
            match event.kind {
                _ if event.thread != thread => return false,
                Kind::Assume { condition } => held.push(condition),
                Kind::Access(ref access) if matches!(access.label, Label::Read | Label::Rmw) => {}
                _ => return false,
            }
        }
        let stays = self.terms().and(&held);
        for index in since {
            if let Kind::Access(access) = self.builder.graph().events[index].kind.clone()
                && !idle::changes_nothing(self, &access, stays)
            {
                return false;
            }
        }
        self.forget_assumed(state.rest.thread);
        // Those that come next and are alike are as idle.
        let mut left = self.left(&state.rest);
        let alike = left.as_mut().map_or(0, |left| left.take_repeats(last.taken));
        state.rest.taken = left.map_or(state.rest.taken, |left| left.taken());
        self.idle_records.push((state.rest.thread, last.taken..state.rest.taken));
        self.idle_rounds += 1 + u64::from(alike);
        self.builder.truncate(last.events);
        state.rest.sure.clear();
        state.rest.rooms.clear();
        state.rest.refined = Default::default();
        self.origins.truncate(last.events);
        self.touched.retain(|touched| touched.event.index() < last.events);
        if let Some(round) = state.rest.place.calls.last_mut().and_then(|call| call.rounds.last_mut()) {
            round.taken_back += round.number - last.round + alike;
            round.number = last.round;
        }
        true
    }
}

impl Walker<'_, '_> {
    /// The next recorded decision; none without a record, and at its end.
    fn recorded<T>(&mut self, take: impl FnOnce(&mut Decisions<'_>) -> Option<T>) -> Option<T> {
        let mut left = self.walk.left(self.rest)?;
        let item = take(&mut left)?;
        self.rest.taken = left.taken();
        Some(item)
    }

    /// Something is decided of which no record is left.
    fn beyond(&mut self) -> Result<(), Stop> {
        let Some(guide) = self.walk.guide else { return Ok(()) };
        match self.walk.records.get(&self.rest.thread) {
            Some(record) if guide.goes_on(record) => {
                self.rest.unrecorded = !guide.is_early(record);
                Ok(())
            }
            _ => {
                self.walk.cut(self.rest, Reason::Record);
                Err(Stop::Ended)
            }
        }
    }

    /// The thread does an observable operation. All its earlier decisions are in its record.
    pub fn act(&mut self) -> Result<(), Stop> {
        if !self.rest.unrecorded {
            return Ok(());
        }
        let never = self.terms().falsehood();
        self.insist(never)
    }

    /// Assumes a recorded condition; a path on which it does not hold is dropped.
    pub fn insist(&mut self, condition: Term) -> Result<(), Stop> {
        self.walk.assume(self.rest, condition);
        if self.terms().as_bool(condition) == Some(false) { Err(Stop::Ended) } else { Ok(()) }
    }

    pub fn insist_equal(&mut self, value: Value, bits: u32, word: u64) -> Result<Value, Stop> {
        let (term, word) = (value.term(self.terms(), bits), Value::word(bits, u128::from(word)));
        let constant = word.term(self.terms(), bits);
        let same = self.terms().eq(term, constant);
        self.insist(same)?;
        Ok(word)
    }

    /// The address of an operation. A thread that continued found an object there; if only one object is possible, the
    /// address is that one.
    pub fn led_address(&mut self, at: Value) -> Result<Value, Stop> {
        if at.as_word().is_some() || !self.walk.is_led(self.rest) {
            return Ok(at);
        }
        let set = self.walk.values_of(&self.rest.refined, at);
        let mut there = Vec::new();
        for element in set.known() {
            match element {
                Element::Word(word) if self.walk.known.objects.resolve(word).is_none() => {}
                Element::Word(word) => there.push(word),
                Element::Within(_) => return Ok(at),
            }
        }
        match there[..] {
            [only] if !set.has_others() => self.insist_equal(at, 64, only),
            _ => Ok(at),
        }
    }

    /// The recorded side of a branch.
    pub fn led_way(&mut self, cond: Value) -> Result<Option<bool>, Stop> {
        let Some(way) = self.recorded(|left| left.branch()) else {
            self.beyond()?;
            return Ok(None);
        };
        let term = cond.term(self.terms(), 1);
        let taken = terms::is_set(self.terms(), term);
        let condition = if way { taken } else { self.terms().not(taken) };
        self.insist(condition)?;
        Ok(Some(way))
    }

    /// The recorded case of a switch.
    pub fn led_case(&mut self, value: Value, cases: &[(u128, u32)]) -> Result<Option<Option<u32>>, Stop> {
        let Some(case) = self.recorded(|left| left.case(cases.len())) else {
            self.beyond()?;
            return Ok(None);
        };
        let chosen = (case as usize != cases.len()).then_some(case);
        let condition = match value {
            Value::Word { word, .. } => {
                let found = cases.binary_search_by_key(&word, |&(case, _)| case).ok().map(|found| cases[found].1);
                if found == chosen { self.terms().truth() } else { self.terms().falsehood() }
            }
            Value::Term(term) => {
                let width = self.terms().width(term);
                let (mut wanted, mut others) = (Vec::new(), Vec::new());
                for &(number, edge) in cases {
                    let constant = self.terms().bits(width, number);
                    let same = self.terms().eq(term, constant);
                    let list = if chosen == Some(edge) { &mut wanted } else { &mut others };
                    list.push(same);
                }
                if chosen.is_some() {
                    self.terms().or(&wanted)
                } else {
                    let one = self.terms().or(&others);
                    self.terms().not(one)
                }
            }
        };
        self.insist(condition)?;
        Ok(Some(chosen))
    }

    /// The recorded function of an indirect call.
    pub fn led_callee(&mut self, at: Value) -> Result<Option<FunctionId>, Stop> {
        let name = self.recorded(|left| left.callee().map(str::to_owned));
        let Some(name) = name else {
            self.beyond()?;
            return Ok(None);
        };
        let Some(index) = self.walk.code.program.functions.iter().position(|function| function.name == name) else {
            return Err(self.give_up(format!("a call of `{name}`, which the program does not have")));
        };
        self.insist_equal(at, 64, address::function_address(index as u32))?;
        Ok(Some(FunctionId(index as u32)))
    }

    /// A value that was recorded itself.
    pub fn led_value(&mut self, primitive: Primitive, args: &[Value]) -> Result<Option<Value>, Stop> {
        let (bits, number) = match primitive {
            Primitive::RecordBit => (32, self.recorded(|left| left.branch()).map(u64::from)),
            _ => {
                let width = args[1].as_word().unwrap_or(64) as u32;
                (64, self.recorded(|left| left.value(width)))
            }
        };
        match number {
            // Of a bit it is only known whether it was set.
            Some(number) if primitive == Primitive::RecordBit => {
                let term = args[0].term(self.terms(), bits);
                let zero = self.terms().bits(bits, 0);
                let clear = self.terms().eq(term, zero);
                let condition = if number == 1 { self.terms().not(clear) } else { clear };
                self.insist(condition)?;
                Ok(Some(if number == 1 { self.nonzero(args[0], bits) } else { Value::word(bits, 0) }))
            }
            Some(number) => self.insist_equal(args[0], bits, number).map(Some),
            None => {
                self.beyond()?;
                Ok(args.first().copied())
            }
        }
    }

    /// What is not zero, if it can be only one number then.
    fn nonzero(&self, value: Value, bits: u32) -> Value {
        let set = self.walk.values_of(&self.rest.refined, value);
        let mut others = set.known().filter(|element| *element != Element::Word(0));
        match (others.next(), others.next()) {
            (Some(Element::Word(only)), None) if !set.has_others() => Value::word(bits, u128::from(only)),
            _ => value,
        }
    }

    /// What the environment was recorded to choose.
    pub fn led_choice(&mut self) -> Option<u64> {
        self.recorded(|left| {
            loop {
                let input = left.input()?;
                if input.name == Primitive::InputChoose.name() {
                    return Some(input.result as u64);
                }
            }
        })
    }
}
