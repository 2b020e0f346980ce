//! The machine's world once more, with what every value depends on: the machine says what happens, this notes it.

use events::{Access as Touch, Choice, EventId, Kind, Label};
use formula::{Sort, Term};
use ir::{
    BinaryOp, CastOp, FloatPredicate, FunctionId, GlobalId, IntPredicate, LayoutId, OverflowOp, Primitive, RmwOp,
    TextId, Type, UnaryOp,
};
use semantics::code::{Access, Header, Inst};
use semantics::concrete::{self, Word};
use semantics::domain::{Domain, Trap};
use semantics::execute::{Branching, Halt, Thread, World};
use vm::memory::ObjectKind;
use vm::world::{Shared, Stop};

use crate::address::Places;
use crate::bounded::shape::ends;
use crate::dual::Dual;
use crate::output::{self, Told};
use crate::terms;
use crate::trace::{Failing, Trace};

pub struct Tracer<'a> {
    pub shared: &'a mut Shared,
    pub trace: &'a mut Trace,
}

impl Tracer<'_> {
    /// Both as terms, if others have an influence on one of them and somebody needs to know.
    fn both(&mut self, ty: Type, left: &Dual, right: &Dual) -> Option<(Term, Term)> {
        if (left.term.is_none() && right.term.is_none()) || self.trace.is_silent() {
            return None;
        }
        let bits = ty.bits();
        Some((self.trace.term_of(left, bits), self.trace.term_of(right, bits)))
    }

    /// What was computed: a term if there is one, otherwise its operands stay what they were.
    fn result(&mut self, word: Word, ty: Type, term: Option<Term>, operands: &[&Dual]) -> Dual {
        match term {
            Some(term) => self.trace.dual(word, ty.bits(), term),
            None => {
                for operand in operands {
                    self.trace.pin(operand);
                }
                Dual::plain(word, ty.bits())
            }
        }
    }

    fn words(values: &[Dual]) -> Vec<Word> {
        values.iter().map(|value| value.word).collect()
    }

    /// Whether an access is one that others can see or be seen by; what it may touch is counted.
    fn is_shared(&mut self, places: &Places, writes: bool) -> bool {
        let trace = &mut *self.trace;
        let thread = trace.current;
        let mut shared = false;
        for &(key, offset, bytes) in &places.objects {
            trace.found.touch(key, offset, bytes, thread, writes);
            shared |= trace.sharing.is_shared(key, offset, bytes);
        }
        if places.is_open() || shared {
            // All of it is treated alike.
            for &(key, offset, bytes) in &places.objects {
                trace.found.force(key, offset, bytes);
            }
        }
        shared
    }

    /// Whether events are wanted, and where the access is then.
    fn visible(&mut self, address: &Dual, bytes: u32, writes: bool) -> Option<Places> {
        if !self.trace.live || self.trace.is_silent() {
            return None;
        }
        let places = self.trace.places(&self.shared.memory, address, bytes)?;
        self.is_shared(&places, writes).then_some(places)
    }

    fn touch(&mut self, access: Access, at: u64, touch: Touch) -> EventId {
        let id = self.trace.prepare();
        let event = self.trace.builder.event(id, Kind::Access(touch));
        self.trace.note(event, Choice::Only);
        self.trace.label(&self.shared.memory, at, access.ty, access.place);
        event
    }

    fn fresh(&mut self, bytes: u32, at: u64) -> Term {
        let name = format!("r{}", self.trace.builder.graph().events.len() + 1);
        let symbol = self.trace.terms().symbol(name, Sort::Bits(8 * bytes));
        self.trace.read_at.insert(symbol, at);
        symbol
    }

    /// What lies in memory that others have no part in.
    fn own(&mut self, at: u64, ty: Type, word: Word) -> Dual {
        if self.trace.is_silent() {
            return Dual::plain(word, ty.bits());
        }
        let Trace { builder, overlay, .. } = &mut *self.trace;
        match overlay.get(builder.terms(), at, ty.bytes(), word) {
            Some(term) => {
                let term = terms::fit(self.trace.terms(), term, ty.bits());
                self.trace.dual(word, ty.bits(), term)
            }
            None => Dual::plain(word, ty.bits()),
        }
    }

    /// Memory that others have no part in gets a value.
    pub fn keep(&mut self, at: u64, bytes: u32, value: &Dual) {
        match value.term.filter(|_| !self.trace.is_silent()) {
            Some(term) => {
                let Trace { builder, overlay, .. } = &mut *self.trace;
                let term = terms::fit(builder.terms(), term, 8 * bytes);
                overlay.put(builder.terms(), at, term);
            }
            None => self.trace.overlay.clear(at, u64::from(bytes)),
        }
    }

    /// What is written is known to those who follow pointers.
    fn remember(&mut self, at: u64, word: Word, bytes: u32) {
        if bytes == 8 && self.trace.live {
            let words = self.trace.written.entry(at).or_default();
            if !words.contains(&word) && words.len() < 64 {
                words.push(word);
            }
        }
    }

    /// A write of the current thread, by whatever means; the machine has done it already.
    pub fn wrote(&mut self, access: Access, address: &Dual, value: &Dual) {
        let bytes = access.ty.bytes();
        let at = address.word as u64;
        self.remember(at, value.word, bytes);
        let Some(places) = self.visible(address, bytes, true) else {
            self.keep(at, bytes, value);
            return;
        };
        self.trace.overlay.clear(at, u64::from(bytes));
        let inside = self.trace.is_in_library_section() && !places.is_open();
        let new = self.trace.term_of(value, 8 * bytes);
        let address = self.trace.address(&self.shared.memory, &places);
        let truth = self.trace.terms().truth();
        self.touch(
            access,
            at,
            Touch { label: Label::Write, address, bytes, old: None, enabled: truth, new: Some(new), writes: truth },
        );
        let event = self.trace.last_event();
        let known = value.term.map(|_| new);
        let hidden = match inside {
            true => self.trace.me().section.wrote(at, bytes, known, event),
            false => {
                self.trace.me().section.forget();
                None
            }
        };
        // It still counts among the thread's events, so that those after it keep their numbers.
        self.trace.dropped.extend(hidden);
    }

    /// Whether a function that tells somebody something tells it to the user alone. What goes into a file or a text can
    /// come back into the program.
    fn tells_the_user(&self, function: &str, args: &[(Dual, Type)]) -> bool {
        let word = |number: usize| args.get(number).map(|(value, _)| value.word);
        let object = |number: usize| {
            let (id, _) = self.shared.memory.resolve(word(number)? as u64)?;
            Some(self.shared.memory.object(id))
        };
        match output::told(function) {
            Told::User => true,
            Told::Nobody => false,
            Told::Descriptor(number) => matches!(word(number), Some(1 | 2)),
            // `fflush(NULL)` tells nobody anything new. The standard streams for output are constants.
            Told::Stream(number) => word(number) == Some(0) || object(number).is_some_and(|object| object.constant),
            Told::Inserted => object(0).is_some_and(|object| match object.kind {
                ObjectKind::Global(global) => {
                    output::is_user_stream(&self.trace.code.program.globals[global.index()].name)
                }
                _ => false,
            }),
        }
    }

    /// What an operation was given that is about to fail.
    pub fn failing(&mut self, stop: &Stop, address: &Dual, bytes: u32) {
        if let Stop::Fail(_) = stop {
            if let Some((id, _)) = self.shared.memory.resolve(address.word as u64) {
                let key = self.trace.key_of(self.shared.memory.object(id).base);
                let thread = self.trace.current;
                self.trace.found.touch(key, 0, 1, thread, false);
            }
            self.trace.failing = Some(Failing::Address { address: *address, bytes });
        }
    }
}

impl Domain for Tracer<'_> {
    type Value = Dual;

    #[inline(always)]
    fn constant(&mut self, ty: Type, bits: u128) -> Dual {
        Dual::plain(bits, ty.bits())
    }

    fn unary(&mut self, op: UnaryOp, ty: Type, arg: &Dual) -> Result<Dual, Trap> {
        let word = concrete::unary(op, ty, arg.word)?;
        let Some(term) = arg.term.filter(|_| !self.trace.is_silent()) else {
            return Ok(Dual::plain(word, ty.bits()));
        };
        let term = terms::fit(self.trace.terms(), term, ty.bits());
        let term = terms::unary(self.trace.terms(), op, ty, term);
        Ok(self.result(word, ty, term, &[arg]))
    }

    #[inline]
    fn binary(&mut self, op: BinaryOp, ty: Type, left: &Dual, right: &Dual) -> Result<Dual, Trap> {
        let word = match concrete::binary(op, ty, left.word, right.word) {
            Ok(word) => word,
            Err(trap) => {
                self.trace.failing = Some(Failing::Divisor(*right));
                return Err(trap);
            }
        };
        let Some((a, b)) = self.both(ty, left, right) else { return Ok(Dual::plain(word, ty.bits())) };
        let term = terms::binary(self.trace.terms(), op, ty, a, b);
        Ok(self.result(word, ty, term, &[left, right]))
    }

    fn overflowing(&mut self, op: OverflowOp, ty: Type, left: &Dual, right: &Dual) -> (Dual, Dual) {
        let (word, flag) = concrete::overflowing(op, ty, left.word, right.word);
        let plain = (Dual::plain(word, ty.bits()), Dual::plain(flag, 1));
        let Some((a, b)) = self.both(ty, left, right) else { return plain };
        match terms::overflowing(self.trace.terms(), op, ty.bits(), a, b) {
            Some((value, wrapped)) => (self.trace.dual(word, ty.bits(), value), self.trace.dual(flag, 1, wrapped)),
            None => {
                self.trace.pin(left);
                self.trace.pin(right);
                plain
            }
        }
    }

    #[inline]
    fn compare(&mut self, predicate: IntPredicate, ty: Type, left: &Dual, right: &Dual) -> Dual {
        let word = concrete::compare(predicate, ty, left.word, right.word);
        let Some((a, b)) = self.both(ty, left, right) else { return Dual::plain(word, 1) };
        let term = terms::compare(self.trace.terms(), predicate, a, b);
        self.trace.dual(word, 1, term)
    }

    fn float_compare(&mut self, predicate: FloatPredicate, ty: Type, left: &Dual, right: &Dual) -> Result<Dual, Trap> {
        let word = concrete::float_compare(predicate, ty, left.word, right.word)?;
        let Some((a, b)) = self.both(ty, left, right) else { return Ok(Dual::plain(word, 1)) };
        let term = terms::float_compare(self.trace.terms(), predicate, ty, a, b);
        Ok(self.result(word, Type::I1, term, &[left, right]))
    }

    #[inline]
    fn cast(&mut self, op: CastOp, from: Type, to: Type, arg: &Dual) -> Result<Dual, Trap> {
        let word = concrete::cast(op, from, to, arg.word)?;
        let Some(term) = arg.term.filter(|_| !self.trace.is_silent()) else {
            return Ok(Dual::plain(word, to.bits()));
        };
        let term = terms::fit(self.trace.terms(), term, from.bits());
        let term = terms::cast(self.trace.terms(), op, from, to, term);
        Ok(self.result(word, to, term, &[arg]))
    }

    fn fused_multiply_add(&mut self, ty: Type, left: &Dual, right: &Dual, addend: &Dual) -> Result<Dual, Trap> {
        let word = semantics::float::fused_multiply_add(ty, left.word, right.word, addend.word)?;
        Ok(self.result(word, ty, None, &[left, right, addend]))
    }

    fn select(&mut self, cond: &Dual, then: &Dual, otherwise: &Dual) -> Dual {
        let chosen = if cond.word & 1 == 1 { *then } else { *otherwise };
        let Some(term) = cond.term.filter(|_| !self.trace.is_silent()) else { return chosen };
        let width = then.bits.max(otherwise.bits);
        let (a, b) = (self.trace.term_of(then, u32::from(width)), self.trace.term_of(otherwise, u32::from(width)));
        let condition = terms::is_set(self.trace.terms(), term);
        let term = self.trace.terms().ite(condition, a, b);
        self.trace.dual(chosen.word, u32::from(width), term)
    }

    fn update(&mut self, op: RmwOp, ty: Type, old: &Dual, value: &Dual) -> Result<Dual, Trap> {
        let word = concrete::update(op, ty, old.word, value.word)?;
        let Some((a, b)) = self.both(ty, old, value) else { return Ok(Dual::plain(word, ty.bits())) };
        let term = terms::update(self.trace.terms(), op, ty, a, b);
        Ok(self.result(word, ty, term, &[old, value]))
    }
}

impl World for Tracer<'_> {
    type Stop = Stop;

    fn load(&mut self, access: Access, address: &Dual) -> Result<Dual, Stop> {
        let bytes = access.ty.bytes();
        let word = self.shared.load(access, &address.word).inspect_err(|stop| self.failing(stop, address, bytes))?;
        let at = address.word as u64;
        let Some(places) = self.visible(address, bytes, false) else { return Ok(self.own(at, access.ty, word)) };
        let inside = self.trace.is_in_library_section() && !places.is_open();
        if let Some(known) = self.trace.me().section.known(at, bytes).filter(|_| inside) {
            let Some(term) = known else { return Ok(Dual::plain(word, access.ty.bits())) };
            let term = terms::fit(self.trace.terms(), term, access.ty.bits());
            return Ok(self.trace.dual(word, access.ty.bits(), term));
        }
        let address = self.trace.address(&self.shared.memory, &places);
        let old = self.fresh(bytes, at);
        let (truth, never) = (self.trace.terms().truth(), self.trace.terms().falsehood());
        self.touch(
            access,
            at,
            Touch { label: Label::Read, address, bytes, old: Some(old), enabled: truth, new: None, writes: never },
        );
        match inside {
            true => self.trace.me().section.read(at, bytes, Some(old)),
            false => self.trace.me().section.forget(),
        }
        let term = terms::fit(self.trace.terms(), old, access.ty.bits());
        Ok(self.trace.dual(word, access.ty.bits(), term))
    }

    fn store(&mut self, access: Access, address: &Dual, value: &Dual) -> Result<(), Stop> {
        let bytes = access.ty.bytes();
        let done = self.shared.store(access, &address.word, &value.word);
        done.inspect_err(|stop| self.failing(stop, address, bytes))?;
        self.wrote(access, address, value);
        Ok(())
    }

    fn rmw(&mut self, access: Access, op: RmwOp, address: &Dual, value: &Dual) -> Result<Dual, Stop> {
        let (ty, bytes, at) = (access.ty, access.ty.bytes(), address.word as u64);
        let done = self.shared.rmw(access, op, &address.word, &value.word);
        let word = done.inspect_err(|stop| self.failing(stop, address, bytes))?;
        let Some(places) = self.visible(address, bytes, true) else {
            let old = self.own(at, ty, word);
            let new = self.update(op, ty, &old, value).map_err(|trap| self.shared.trapped(trap))?;
            self.keep(at, bytes, &new);
            return Ok(old);
        };
        self.trace.me().section.forget();
        let address = self.trace.address(&self.shared.memory, &places);
        let symbol = self.fresh(bytes, at);
        let term = terms::fit(self.trace.terms(), symbol, ty.bits());
        let old = self.trace.dual(word, ty.bits(), term);
        let new = self.update(op, ty, &old, value).map_err(|trap| self.shared.trapped(trap))?;
        self.remember(at, new.word, bytes);
        let new = self.trace.term_of(&new, 8 * bytes);
        let truth = self.trace.terms().truth();
        self.touch(
            access,
            at,
            Touch {
                label: Label::Rmw,
                address,
                bytes,
                old: Some(symbol),
                enabled: truth,
                new: Some(new),
                writes: truth,
            },
        );
        Ok(old)
    }

    fn compare_exchange(
        &mut self,
        access: Access,
        address: &Dual,
        expected: &Dual,
        new: &Dual,
        weak: bool,
    ) -> Result<(Dual, Dual), Stop> {
        let (ty, bytes, at) = (access.ty, access.ty.bytes(), address.word as u64);
        let done = self.shared.compare_exchange(access, &address.word, &expected.word, &new.word, weak);
        let (word, written) = done.inspect_err(|stop| self.failing(stop, address, bytes))?;
        let Some(places) = self.visible(address, bytes, true) else {
            let old = self.own(at, ty, word);
            let same = self.compare(IntPredicate::Equal, ty, &old, expected);
            let left = self.select(&same, new, &old);
            self.keep(at, bytes, &left);
            return Ok((old, same));
        };
        self.trace.me().section.forget();
        let address = self.trace.address(&self.shared.memory, &places);
        let symbol = self.fresh(bytes, at);
        let term = terms::fit(self.trace.terms(), symbol, ty.bits());
        let old = self.trace.dual(word, ty.bits(), term);
        let wanted = self.trace.term_of(expected, ty.bits());
        let writes = self.trace.terms().eq(term, wanted);
        if written == 1 {
            self.remember(at, new.word, bytes);
        }
        let new = self.trace.term_of(new, 8 * bytes);
        let truth = self.trace.terms().truth();
        self.touch(
            access,
            at,
            Touch { label: Label::Rmw, address, bytes, old: Some(symbol), enabled: truth, new: Some(new), writes },
        );
        let flag = terms::of_bool(self.trace.terms(), writes);
        Ok((old, self.trace.dual(written, 1, flag)))
    }

    fn local(&mut self, size: &Dual, align: u64, name: Option<TextId>, layout: Option<LayoutId>) -> Result<Dual, Stop> {
        let size = self.trace.pin(size);
        let at = self.shared.local(&size, align, name, layout)?;
        self.trace.begin_object(at as u64, size as u64);
        Ok(Dual::plain(at, 64))
    }

    fn thread_local(&mut self, global: GlobalId) -> Result<Dual, Stop> {
        let is_new = !self.shared.me().thread_locals().any(|(known, _)| known == global);
        let at = self.shared.thread_local(global)?;
        if is_new {
            let size = self.trace.code.program.globals[global.index()].size;
            self.trace.begin_object(at as u64, size);
        }
        Ok(Dual::plain(at, 64))
    }

    fn variadic_block(&mut self, values: &[(Type, Dual)]) -> Result<Dual, Stop> {
        let words: Vec<(Type, Word)> = values.iter().map(|(ty, value)| (*ty, value.word)).collect();
        let at = self.shared.variadic_block(&words)?;
        let mut next = at as u64;
        self.trace.begin_object(next, 16 * values.len() as u64);
        for (ty, value) in values {
            let align = if ty.bits() > 64 { 16 } else { 8 };
            next = next.next_multiple_of(align);
            if value.term.is_some() {
                self.keep(next, align as u32, value);
            }
            next += align;
        }
        Ok(Dual::plain(at, 64))
    }

    #[inline]
    fn decide(&mut self, cond: &Dual, at: Branching<'_>, recorded: bool) -> Result<bool, Stop> {
        let taken = self.shared.decide(&cond.word, at, recorded)?;
        if let Some(term) = cond.term {
            let condition = terms::is_set(self.trace.terms(), term);
            let literal = if taken { condition } else { self.trace.terms().not(condition) };
            let ends = match &at.function.insts[at.position as usize] {
                Inst::Branch { then, otherwise, .. } => ends(at.function, if taken { otherwise } else { then }),
                _ => false,
            };
            self.trace.assume(literal, ends);
        }
        Ok(taken)
    }

    fn choose_case(&mut self, value: &Dual, cases: &[(u128, u32)], recorded: bool) -> Result<Option<u32>, Stop> {
        let chosen = self.shared.choose_case(&value.word, cases, recorded)?;
        if let Some(term) = value.term {
            let width = self.trace.terms().width(term);
            let mut differs = Vec::new();
            for &(case, _) in cases {
                let constant = self.trace.terms().bits(width, case);
                let same = self.trace.terms().eq(term, constant);
                if case == value.word {
                    self.trace.assume(same, false);
                }
                differs.push(self.trace.terms().not(same));
            }
            if chosen.is_none() {
                let none = self.trace.terms().and(&differs);
                self.trace.assume(none, false);
            }
        }
        Ok(chosen)
    }

    fn number(&mut self, value: &Dual) -> Result<u64, Stop> {
        Ok(self.trace.pin(value) as u64)
    }

    fn callee(&mut self, address: &Dual, recorded: bool) -> Result<FunctionId, Stop> {
        let found = self.shared.callee(&address.word, recorded);
        let function = found.inspect_err(|stop| self.failing(stop, address, 1))?;
        self.trace.pin(address);
        Ok(function)
    }

    fn called(&mut self, function: FunctionId) {
        self.shared.called(function);
    }

    #[inline(always)]
    fn at(&mut self, position: u32) {
        if let Some(call) = self.trace.me().calls.last_mut() {
            call.1 = position;
        }
    }

    fn entered(&mut self, function: FunctionId, args: &[(Dual, Type)], calls: usize) {
        let called = &self.trace.code.program.functions[function.index()];
        let is_output =
            self.trace.fixed_streams && output::is_output(called) && self.tells_the_user(&called.name, args);
        let me = self.trace.me();
        me.calls.push((function, 0));
        if is_output && me.silent_from.is_none() {
            me.silent_from = Some(calls);
        }
    }

    fn left(&mut self, calls: usize) {
        let me = self.trace.me();
        me.calls.truncate(calls);
        if me.silent_from.is_some_and(|depth| calls < depth) {
            me.silent_from = None;
        }
    }

    fn primitive(
        &mut self,
        thread: &Thread<Dual>,
        primitive: Primitive,
        args: &[Dual],
    ) -> Result<Option<Dual>, Halt<Stop>> {
        self.perform(thread, primitive, args)
    }

    fn header(&mut self, frame: u64, header: &Header, registers: &[Dual]) -> Result<(), Stop> {
        let mut words = std::mem::take(&mut self.trace.registers);
        words.clear();
        words.extend(registers.iter().map(|value| value.word));
        let result = self.shared.header(frame, header, &words);
        self.trace.registers = words;
        if self.trace.live {
            self.round((frame, header.position), header, registers, result.is_err());
        }
        result
    }

    fn atomic(&mut self, enter: bool) -> Result<(), Stop> {
        self.shared.atomic(enter)?;
        self.section(enter);
        Ok(())
    }

    fn leaving(&mut self, locals: &[Dual], calls: usize) -> Result<(), Stop> {
        self.shared.leaving(&Self::words(locals), calls)
    }

    fn leave(&mut self, locals: &[Dual]) {
        self.shared.leave(&Self::words(locals));
        for local in locals {
            self.returned(local.word as u64);
        }
    }

    fn finish(&mut self, value: Option<&Dual>) -> Result<(), Stop> {
        self.shared.finish(value.map(|value| value.word).as_ref())?;
        self.ended(value);
        Ok(())
    }

    fn trapped(&mut self, trap: Trap) -> Stop {
        self.shared.trapped(trap)
    }

    fn unreachable(&mut self) -> Stop {
        self.shared.unreachable()
    }

    fn unsupported(&mut self, what: &str) -> Stop {
        self.shared.unsupported(what)
    }
}

impl Tracer<'_> {
    /// A local ends. Only one that others know matters to anyone.
    fn returned(&mut self, base: u64) {
        if self.trace.live && self.trace.sharing.is_known(self.trace.key_of(base)) {
            self.freed(base);
        }
    }

    /// A section that nobody interrupts begins or ends.
    pub fn section(&mut self, enter: bool) {
        let atomic = &mut self.trace.me().atomic;
        if enter {
            atomic.depth += 1;
            return;
        }
        atomic.depth = atomic.depth.saturating_sub(1);
        if atomic.depth == 0 {
            self.trace.end_section();
        }
    }

    /// A loop begins a round. Of rounds that changed nothing the last one is enough.
    fn round(&mut self, id: (u64, u32), header: &Header, registers: &[Dual], idle: bool) {
        let thread = self.trace.me().id;
        let now = self.trace.builder.graph().threads[thread.index()].events.len();
        let before = self.trace.me().rounds.insert(id, now);
        let Some(before) = before.filter(|_| idle) else { return };
        let events = self.trace.builder.graph().threads[thread.index()].events[before..now].to_vec();
        let defined: Vec<Term> = events
            .iter()
            .filter_map(|event| match &self.trace.builder.graph().events[event.index()].kind {
                Kind::Access(access) => access.old,
                _ => None,
            })
            .collect();
        let carried = header.live.iter().filter_map(|&register| registers.get(register as usize)?.term);
        let is_carried = carried
            .collect::<Vec<_>>()
            .into_iter()
            .any(|term| self.trace.terms().free_symbols(term).iter().any(|symbol| defined.contains(symbol)));
        if !is_carried {
            let mut fresh = events.into_iter().filter(|event| self.trace.stays(*event)).collect::<Vec<_>>();
            // A section that began before the round, or goes on after it, keeps its begin and its end.
            let graph = self.trace.builder.graph();
            let is = |event: EventId, begin: bool| match graph.events[event.index()].kind {
                Kind::AtomicBegin => begin,
                Kind::AtomicEnd => !begin,
                _ => false,
            };
            let count = |begin| fresh.iter().filter(|&&event| is(event, begin)).count();
            if count(true) != count(false) {
                fresh.retain(|&event| !is(event, true) && !is(event, false));
            }
            self.trace.forget(&fresh);
        }
    }
}

/// An access that the machine makes by itself.
pub fn plain(bytes: u32) -> Access {
    Access { ty: Type::Int(8 * bytes as u8), ordering: None, place: None }
}
