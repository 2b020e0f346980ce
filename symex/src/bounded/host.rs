//! Threads, memory blocks, inputs, and the end of the process.

use std::collections::{BTreeSet, HashMap};

use events::Kind;
use formula::Term;
use ir::Primitive;
use semantics::messages;
use semantics::primitives::thread::{self, Threads};
use semantics::primitives::{Arithmetic, Patience};
use vm::FailureKind;

use crate::bounded::access::Side;
use crate::bounded::objects::{Maker, Object, ObjectId, thread_of};
use crate::bounded::sets::Element;
use crate::bounded::sync::plain;
use crate::bounded::value::Value;
use crate::bounded::walk::Role;
use crate::bounded::words::computes_with_terms;
use crate::bounded::world::{Stop, Walker, blank};
use crate::terms;

type Performed = Result<Option<Value>, Stop>;

impl Walker<'_, '_> {
    pub fn host(&mut self, primitive: Primitive, args: &[Value]) -> Performed {
        match primitive {
            Primitive::MemoryAlloc => Ok(Some(self.allocate(args[0])?)),
            Primitive::MemoryFree => self.free(args[0]),
            Primitive::MemorySize => Ok(Some(self.measure(args[0])?)),
            Primitive::ProcessExit => self.exit(args[0]),
            Primitive::ProcessAbort => Err(self.fail(FailureKind::Abort, messages::ABORT)),
            Primitive::ProcessUncaught => {
                let thrown = self.text(args[0]);
                Err(self.fail(FailureKind::Exception, thrown))
            }
            Primitive::ProcessFail => {
                let condition = self.text(args[0]);
                Err(self.fail(FailureKind::Assertion, condition))
            }
            Primitive::ProcessAssume => {
                let term = args[0].term(self.terms(), 32);
                let zero = self.terms().bits(32, 0);
                let condition = self.terms().ne(term, zero);
                if self.terms().as_bool(condition) != Some(true) {
                    self.walk.event(self.rest, Role::Part, Kind::Assume { condition });
                }
                if self.terms().as_bool(condition) == Some(false) { Err(Stop::Ended) } else { Ok(None) }
            }
            Primitive::InputChoose => {
                let bits = (self.one(args[0], "the width of a choice")? as u32).clamp(1, 64);
                if self.walk.run.is_some() {
                    return Ok(Some(Value::word(64, u128::from(self.walk.made()))));
                }
                let symbol = self.walk.input(self.rest, bits);
                if let Some(chosen) = self.led_choice().or_else(|| self.preferred_choice()) {
                    let constant = self.terms().bits(bits, u128::from(chosen));
                    let same = self.terms().eq(symbol, constant);
                    self.walk.assume(self.rest, same);
                }
                let wide = terms::fit(self.terms(), symbol, 64);
                Ok(Some(self.value(wide)))
            }
            Primitive::InputClock => self.read_clock(),
            Primitive::InputVariable => {
                let name =
                    self.known_text(args[0], "an environment variable whose name depends on other threads or inputs")?;
                Ok(Some(self.variable(name)))
            }
            Primitive::FloatFormat => self.float_format(args),
            Primitive::FloatParse => self.float_parse(args),
            Primitive::FileOpen
            | Primitive::FileClose
            | Primitive::FileRead
            | Primitive::FileWrite
            | Primitive::FileSeek
            | Primitive::FileRemove => self.file(primitive, args),
            other => Err(self.give_up(format!("`{}` in a program that is checked", other.name()))),
        }
    }

    /// A text that ends in zero, as far as it is known.
    fn text(&mut self, at: Value) -> String {
        let found = at.as_word().and_then(|at| self.walk.known.objects.resolve(at as u64));
        let Some((id, offset)) = found else { return String::new() };
        let mut bytes = Vec::new();
        for at in offset..self.walk.known.objects.get(id).size {
            let terms = self.walk.builder.terms();
            let byte = self.rest.memory.read(terms, &self.walk.known.objects, id, at, 1);
            match byte.as_word() {
                Some(0) | None => break,
                Some(byte) => bytes.push(byte as u8),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A text that decides the behaviour: all of it must be known.
    pub fn known_text(&mut self, at: Value, what: &str) -> Result<String, Stop> {
        let at = self.one(at, what)?;
        let Some((id, offset)) = self.walk.known.objects.resolve(at) else { return Ok(String::new()) };
        let mut bytes = Vec::new();
        for at in offset..self.walk.known.objects.get(id).size {
            let shared = self.rest.live && self.walk.known.sharing.is_shared(id.into(), at, 1);
            let terms = self.walk.builder.terms();
            let byte = self.rest.memory.read(terms, &self.walk.known.objects, id, at, 1);
            match byte.as_word().filter(|_| !shared) {
                Some(0) => break,
                Some(byte) => bytes.push(byte as u8),
                None => return Err(self.give_up(what)),
            }
        }
        if self.rest.live {
            // Whoever changes it makes it shared.
            let length = (bytes.len() as u64 + 1).min(self.walk.known.objects.get(id).size - offset);
            self.walk.found.touch(id.into(), offset, length, self.rest.thread, false);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn float_format(&mut self, args: &[Value]) -> Performed {
        let words: Option<Vec<u128>> = args[1..].iter().map(|arg| arg.as_word()).collect();
        let Some([room, conversion, precision, alternate, value]) = words.as_deref() else {
            return Err(self.give_up("the digits of a symbolic floating-point number"));
        };
        let text = vm::float_text(*conversion, *precision, *alternate, *value);
        let buffer = args[0].term(self.terms(), 64);
        for (at, &byte) in text.as_bytes().iter().take(*room as usize).enumerate() {
            let at = self.terms().bits(64, at as u128);
            let to = self.terms().add(buffer, at);
            let to = self.value(to);
            self.write(plain(1), to, Value::word(8, u128::from(byte)), Role::Part)?;
        }
        Ok(Some(Value::word(64, text.len() as u128)))
    }

    fn float_parse(&mut self, args: &[Value]) -> Performed {
        let length = self.one(args[1], "the length of a number")?;
        let text = args[0].term(self.terms(), 64);
        let mut bytes = Vec::new();
        for at in 0..length {
            let at = self.terms().bits(64, u128::from(at));
            let from = self.terms().add(text, at);
            let from = self.value(from);
            match self.read(plain(1), from)?.as_word() {
                Some(byte) => bytes.push(byte as u8),
                None => {
                    return Err(self.give_up("a floating-point number with symbolic digits"));
                }
            }
        }
        Ok(Some(Value::word(64, vm::float_of(&bytes))))
    }

    /// The value of an environment variable, in a block of its own.
    fn variable(&mut self, name: String) -> Value {
        let found = self.walk.options.variables.iter().find(|(known, _)| *known == name);
        let value = found.map(|(_, value)| value.clone());
        self.walk.known.variables.insert(name);
        let Some(value) = value else { return Value::word(64, 0) };
        let mut image = value.into_bytes();
        image.push(0);
        let key = self.rest.place.key(self.walk.code, self.walk.shapes);
        let size = image.len() as u64;
        let maker = Maker::Instruction { thread: self.rest.thread, key, size };
        let id = self.walk.known.objects.make(maker, || Object { image: image.into(), ..blank(size, false, None) });
        self.base(id)
    }

    fn exit(&mut self, status: Value) -> Performed {
        if self.walk.options.properties.contains(&FailureKind::Exit) {
            let low = status.term(self.terms(), 8);
            let zero = self.terms().bits(8, 0);
            let fine = self.terms().eq(low, zero);
            self.demand(fine, FailureKind::Exit, messages::exit_status(None))?;
        }
        self.walk.event(self.rest, Role::Step, Kind::End);
        Err(Stop::Ended)
    }

    fn free(&mut self, at: Value) -> Performed {
        if let Value::Term(_) = at {
            let set = self.walk.values_of(&self.rest.refined, at);
            let base = |element: Element| match element {
                Element::Word(word) => word,
                Element::Within(object) => self.walk.known.objects.get(object).base,
            };
            let words: Vec<u64> = set.known().map(base).collect();
            let inside = set.known().any(|element| matches!(element, Element::Within(_)));
            let what = "a freed address with unbounded values";
            if words.is_empty() {
                return Err(self.give_up(what));
            }
            return Err(Stop::Choose {
                value: at,
                words,
                others: (set.has_others() || inside).then(|| what.to_owned()),
            });
        }
        let at = at.as_word().unwrap_or(0) as u64;
        if at == 0 {
            return Ok(None);
        }
        let Some((object, offset)) = self.walk.known.objects.resolve(at) else {
            return Err(self.fail(FailureKind::Memory, messages::no_block(at)));
        };
        if !self.walk.known.objects.get(object).heap {
            return Err(self.fail(FailureKind::Memory, messages::FREED_UNALLOCATED));
        }
        if offset != 0 {
            return Err(self.fail(FailureKind::Memory, messages::FREED_INSIDE));
        }
        let ended = self.rest.memory.get(object).map_or(self.walk.terms().falsehood(), |contents| contents.ended());
        let alive = self.terms().not(ended);
        self.demand(alive, FailureKind::Memory, messages::FREED_TWICE)?;
        if self.is_known_to_go_well() {
            if self.rest.live {
                self.outlived(object);
            }
        } else if self.rest.live && self.ends(object) {
            let cell = self.walk.end_of(object);
            let since = self.walk.builder.graph().events.len();
            let before = self.walk.emit(self.rest, Role::Step, |builder, thread| {
                let address = builder.address(cell, 0);
                builder.rmw(thread, address, 1, |terms, _| terms.bits(8, 1))
            });
            self.walk.note_touches(self.rest, since, false, true);
            let zero = self.terms().bits(8, 0);
            let fine = self.terms().eq(before, zero);
            self.demand(fine, FailureKind::Memory, messages::FREED_TWICE)?;
        }
        let terms = self.walk.builder.terms();
        self.rest.memory.get_mut(terms, object).end(terms, self.rest.live);
        Ok(None)
    }

    /// A local ends that other threads may still access.
    pub fn outlived(&mut self, object: ObjectId) {
        if self.ends(object) {
            self.end_local(object, Role::Step);
        }
    }

    fn end_local(&mut self, object: ObjectId, role: Role) {
        let cell = self.walk.end_of(object);
        self.walk.emit(self.rest, role, |builder, thread| {
            let (address, ended) = (builder.address(cell, 0), builder.constant(1, 1));
            builder.write(thread, address, ended);
        });
    }

    /// A thread that exits ends the locals of all its calls in its last step.
    pub fn outlived_all(&mut self, objects: &[ObjectId]) -> Result<(), Stop> {
        let mut known = Vec::new();
        for &object in objects {
            if self.ends(object) {
                known.push(object);
            }
        }
        let Some((&last, others)) = known.split_last() else { return Ok(()) };
        if self.walk.known.polled.contains(&self.rest.thread) {
            return Err(
                self.give_up("shared locals of a thread that exits while other threads test whether it has ended")
            );
        }
        self.at_once(|own| {
            others.iter().for_each(|&object| own.end_local(object, Role::Part));
            own.end_local(last, Role::Last);
            Ok(())
        })
    }

    /// The thread of a handle. Its creator may be walked later than the thread that asks.
    fn thread_at(&mut self, handle: u64) -> Option<usize> {
        let number = thread_of(handle).filter(|&number| number < self.walk.known.threads.count())?;
        if !self.walk.threads.contains_key(&number) {
            let name = self.walk.known.threads.name(number)?.clone();
            self.walk.add_thread(number, name);
        }
        Some(number)
    }

    pub fn claim_thread(&mut self, primitive: Primitive, args: &[Value]) -> Performed {
        if primitive == Primitive::ThreadJoin {
            self.may_wait()?;
        }
        let what = if primitive == Primitive::ThreadDetach {
            "the handle of a detached thread"
        } else {
            "the thread of a join"
        };
        let mut claims = Claims { own: self, args, what };
        match thread::perform(&mut claims, primitive) {
            Some(result) => Ok(result?.map(|term| self.value(term))),
            None => Ok(None),
        }
    }

    fn join_thread(&mut self, number: usize, out: Value) -> Result<Term, Stop> {
        self.share_thread(number, true)?;
        let out = self.one(out, "the result address of a join")?;
        let child = self.walk.threads[&number];
        let several = self.walk.known.joiners.get(&number).is_some_and(|joiners| joiners.len() > 1);
        let role = if several { Role::Part } else { Role::Step };
        self.walk.event(self.rest, role, Kind::Join { child });
        self.rest.joined.insert(number);
        let mut first = self.terms().truth();
        if several {
            first = self.claim(number)?;
        }
        self.rest.claimed.insert(number, first);
        let out = Value::word(64, u128::from(out));
        match out.as_word() {
            Some(0) => {}
            _ if several => self.hand_over(out, number, first)?,
            _ => {
                let result = self.result_of(number)?;
                self.write(plain(8), out, result, Role::Part)?;
            }
        }
        Ok(first)
    }

    fn detach_thread(&mut self, number: usize) -> Result<(), Stop> {
        self.share_thread(number, false)?;
        let always = self.terms().truth();
        self.rest.claimed.insert(number, always);
        Ok(())
    }

    /// Notes that this thread joins or detaches another. If one thread detaches a thread that another one joins or
    /// detaches, their order matters, which is unsupported.
    fn share_thread(&mut self, number: usize, joins: bool) -> Result<(), Stop> {
        let (own, known) = (self.rest.thread, &mut self.walk.known);
        let claims = if joins { &mut known.joiners } else { &mut known.detachers };
        let is_new = claims.entry(number).or_default().insert(own);
        // A single claim has no influence on anything before it.
        let all = [&known.joiners, &known.detachers].map(|claims| claims.get(&number).map_or(0, BTreeSet::len));
        known.news += u64::from(is_new && all.iter().sum::<usize>() > 1);
        let by_others = |claims: &HashMap<usize, BTreeSet<usize>>| {
            claims.get(&number).is_some_and(|threads| threads.iter().any(|&thread| thread != own))
        };
        if by_others(&known.detachers) || (!joins && by_others(&known.joiners)) {
            return Err(self.give_up("a thread that is detached by one thread and joined or detached by another"));
        }
        Ok(())
    }

    /// Whether this is the first of several threads to join another one that has ended.
    fn claim(&mut self, number: usize) -> Result<Term, Stop> {
        let (id, address) = self.cell(Maker::Claim(number))?;
        let found = self.walk.emit(self.rest, Role::Step, |builder, thread| {
            builder.rmw(thread, address, 1, |terms, _| terms.bits(8, 1))
        });
        self.walk.store_at(self.rest, vec![(id, Some(0))], 1, Value::word(8, 1));
        self.found_at(found, vec![(id, Some(0))], 1, true);
        let zero = self.terms().bits(8, 0);
        Ok(self.terms().eq(found, zero))
    }

    /// What a thread returned.
    fn result_of(&mut self, number: usize) -> Result<Value, Stop> {
        if self.walk.known.wanted.insert(number) {
            self.walk.known.news += 1;
        }
        let id = self.walk.known.objects.make(Maker::Result(number), || blank(8, false, None));
        self.walk.found.force(id.into(), 0, 8);
        let base = self.base(id);
        let place = self.spots(base, 8, false, "read")?;
        let address = self.address(&place, Side::Memory);
        let result = self.walk.emit(self.rest, Role::Part, |builder, thread| builder.read(thread, address, 8));
        self.found_at(result, vec![(id, Some(0))], 8, false);
        Ok(Value::Term(result))
    }

    /// Whether this path has joined or detached another thread.
    fn has_claimed(&mut self, number: usize) -> Result<bool, Stop> {
        let Some(&condition) = self.rest.claimed.get(&number) else { return Ok(false) };
        self.decided(condition)
    }

    /// Joins a thread if it has come to its end.
    fn try_join(&mut self, number: usize, out: Value) -> Result<Term, Stop> {
        let out = self.one(out, "the result address of a join")?;
        self.share_thread(number, true)?;
        if self.walk.known.joiners.get(&number).is_some_and(|joiners| joiners.len() > 1) {
            return Err(self.give_up("a non-blocking join of a thread that other threads join too"));
        }
        if self.walk.known.polled.insert(number) {
            self.walk.known.news += 1;
        }
        let (id, address) = self.end_cell(number)?;
        let found = self.walk.emit(self.rest, Role::Step, |builder, thread| builder.read(thread, address, 1));
        self.found_at(found, vec![(id, Some(0))], 1, false);
        let zero = self.terms().bits(8, 0);
        let ended = self.terms().ne(found, zero);
        let before = self.rest.claimed.get(&number).copied().unwrap_or(self.terms().falsehood());
        let joined = self.terms().or2(before, ended);
        self.rest.claimed.insert(number, joined);
        if out != 0 && self.hand_over(Value::word(64, u128::from(out)), number, ended).is_err() {
            // The paths on which the thread can be joined fail: the others continue.
            let runs = self.terms().not(ended);
            self.rest.guard.push(self.walk.builder.terms(), runs);
            return Ok(self.terms().falsehood());
        }
        Ok(ended)
    }

    /// Stores the result of a thread, under the condition that it was joined.
    fn hand_over(&mut self, out: Value, number: usize, joined: Term) -> Result<(), Stop> {
        let result = self.result_of(number)?;
        let mut there = self.rest.clone();
        there.guard.push(self.walk.builder.terms(), joined);
        let mut then = Walker { walk: &mut *self.walk, rest: &mut there };
        let wants = then.spots(out, 8, true, "written")?;
        if then.is_shared(&wants, 8) {
            return then.write(plain(8), out, result, Role::Part);
        }
        if self.rest.live {
            self.walk.store_at(self.rest, Self::places(&wants), 8, result);
        }
        let before = self.private_read(&wants, 8)?;
        let after = Value::choose(self.terms(), joined, result, before);
        self.private_write(&wants, 8, after)
    }

    /// The cell that tells whether a thread has ended.
    fn end_cell(&mut self, number: usize) -> Result<(ObjectId, events::Address), Stop> {
        self.cell(Maker::End(number))
    }

    /// A byte that the program does not know of.
    fn cell(&mut self, maker: Maker) -> Result<(ObjectId, events::Address), Stop> {
        let id = self.walk.known.objects.make(maker, || blank(1, false, None));
        self.walk.found.force(id.into(), 0, 1);
        let base = self.base(id);
        let spots = self.spots(base, 1, true, "read")?;
        Ok((id, self.address(&spots, Side::Memory)))
    }

    /// The thread ends with a result.
    pub fn end_thread(&mut self, value: Option<Value>) {
        if self.rest.live {
            self.keep_held();
        }
        if self.walk.known.wanted.contains(&self.rest.thread) && self.rest.live {
            let id = self.walk.known.objects.make(Maker::Result(self.rest.thread), || blank(8, false, None));
            let base = self.base(id);
            // It is a block of its own, which is always valid.
            drop(self.write(plain(8), base, value.unwrap_or(Value::word(64, 0)), Role::Part));
        }
        if self.walk.known.polled.contains(&self.rest.thread)
            && let Ok((id, address)) = self.end_cell(self.rest.thread)
        {
            self.walk.store_at(self.rest, vec![(id, Some(0))], 1, Value::word(8, 1));
            self.walk.emit(self.rest, Role::Last, |builder, thread| {
                let ended = builder.constant(1, 1);
                builder.write(thread, address, ended);
            });
        }
    }
}

/// The scripts about the end of threads, as events.
struct Claims<'o, 'a, 'c> {
    own: &'o mut Walker<'a, 'c>,
    args: &'o [Value],
    what: &'static str,
}

computes_with_terms!(Claims<'_, '_, '_>, |claims| claims.own.terms());

impl Threads for Claims<'_, '_, '_> {
    type Stop = Stop;

    fn thread(&mut self) -> Result<Option<usize>, Stop> {
        let handle = self.own.one(self.args[0], self.what)?;
        Ok(self.own.thread_at(handle))
    }

    fn is_caller(&mut self, thread: usize) -> bool {
        thread == self.own.rest.thread
    }

    fn is_claimed(&mut self, thread: usize) -> Result<bool, Stop> {
        self.own.has_claimed(thread)
    }

    fn join(&mut self, thread: usize, patience: Patience) -> Result<Term, Stop> {
        match patience {
            Patience::Waits => self.own.join_thread(thread, self.args[1]),
            _ => self.own.try_join(thread, self.args[1]),
        }
    }

    fn detach(&mut self, thread: usize) -> Result<(), Stop> {
        self.own.detach_thread(thread)
    }

    fn interrupt(&mut self, _: usize) -> Result<(), Stop> {
        Err(self.own.give_up("a thread that another one interrupts"))
    }
}
