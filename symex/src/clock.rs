//! The virtual clock of a run that is followed: a cell of the graph, where several threads have to do with it.
//!
//! A reading adds a tick to the cell. A sleep reads the cell when it begins and raises it to its deadline when it ends, a wait
//! that timed out raises it too. What recorded readings say is given, and touches nothing.

use events::Choice;
use formula::{Term, Terms};
use ir::Primitive;
use semantics::concrete::Word;
use semantics::execute::{Halt, Thread};
use vm::clock::TICK;
use vm::world::Stop;

use crate::bounded::clock::{capped, deadline};
use crate::dual::Dual;
use crate::trace::{Label, Trace};
use crate::world::Tracer;

/// By what sharing knows the clock: no object has this address.
const CLOCK: u64 = 1;
const BYTES: u32 = 8;

/// The clock after a deadline.
fn passed(terms: &mut Terms, old: Term, until: Term) -> Term {
    let until = capped(terms, until);
    let earlier = terms.slt(old, until);
    terms.ite(earlier, until, old)
}

impl Tracer<'_> {
    /// A primitive that has to do with the clock.
    pub fn tell_time(
        &mut self,
        thread: &Thread<Dual>,
        primitive: Primitive,
        args: &[Dual],
    ) -> Result<Option<Dual>, Halt<Stop>> {
        let words: Vec<Word> = args.iter().map(|arg| arg.word).collect();
        let is_given = primitive == Primitive::InputClock && self.shared.recorded_reading().is_some();
        let shared = self.shared.code.reads_clock && !is_given && self.trace.shares_clock();
        if self.shared.code.reads_clock && !shared {
            for arg in args {
                self.trace.pin(arg);
            }
        }
        let wakes_at = self.shared.me().wakes_at;
        let performed = self.shared.perform(thread, primitive, &words);
        match (performed, primitive) {
            (Ok(word), Primitive::InputClock) => {
                let word = word.unwrap_or(0);
                if !shared {
                    return Ok(Some(Dual::plain(word, 64)));
                }
                let now = self.move_clock(|terms, old| {
                    let tick = terms.bits(64, TICK as u128);
                    terms.add(old, tick)
                });
                Ok(Some(self.trace.dual(word, 64, now)))
            }
            (Ok(_), primitive) if shared => {
                let operand = self.trace.term_of(&args[0], 64);
                let begun = self.trace.me().dozes_until.take();
                let at_once = self.trace.me().atomic.depth > 0;
                self.move_clock(|terms, old| {
                    let until = match begun {
                        _ if primitive == Primitive::ClockPass => operand,
                        Some(until) => until,
                        None if at_once => deadline(terms, old, operand),
                        None => terms.bits(64, wakes_at as u128),
                    };
                    passed(terms, old, until)
                });
                Ok(None)
            }
            (Err(halt @ Halt::Stay(_)), Primitive::ThreadSleep) if shared => {
                let length = self.trace.term_of(&args[0], 64);
                let now = self.look_at_clock();
                let until = deadline(self.trace.terms(), now, length);
                self.trace.me().dozes_until = Some(until);
                Err(halt)
            }
            (Ok(_), _) => Ok(None),
            (Err(halt), _) => Err(halt),
        }
    }

    fn look_at_clock(&mut self) -> Term {
        let id = self.trace.prepare();
        let address = self.trace.clock_address();
        let now = self.trace.builder.read(id, address, BYTES);
        self.trace.note_clock();
        now
    }

    /// Gives what the clock says then.
    fn move_clock(&mut self, new: impl FnOnce(&mut Terms, Term) -> Term) -> Term {
        let id = self.trace.prepare();
        let address = self.trace.clock_address();
        let mut now = None;
        let old = self.trace.builder.rmw(id, address, BYTES, |terms, old| {
            let new = new(terms, old);
            now = Some(new);
            new
        });
        self.trace.note_clock();
        now.unwrap_or(old)
    }
}

impl Trace {
    /// Whether several threads have to do with the clock; that this one has is noted.
    fn shares_clock(&mut self) -> bool {
        if !self.live {
            return false;
        }
        let thread = self.current;
        self.found.use_lock(CLOCK, thread);
        self.sharing.is_lock_shared(CLOCK)
    }

    /// There will be a second thread, and this is what the clock says.
    pub fn begin_clock(&mut self, now: i64) {
        if self.sharing.is_lock_shared(CLOCK) {
            let id = self.builder.object("the clock", BYTES);
            let value = self.builder.constant(BYTES, now as u128);
            self.builder.initial(id, 0, value);
            self.clock = Some(id);
        }
    }

    fn clock_address(&mut self) -> events::Address {
        let id = match self.clock {
            Some(id) => id,
            None => self.builder.object("the clock", BYTES),
        };
        self.clock = Some(id);
        self.builder.address(id, 0)
    }

    fn note_clock(&mut self) {
        let event = self.last_event();
        self.note(event, Choice::Only);
        let object = self.words.library_call.clone().unwrap_or_else(|| "the clock".to_owned());
        self.labels.insert(event, Label { object, value: None, kind: None });
    }

    /// Whether an event has to do with the clock.
    pub fn is_of_clock(&self, event: events::EventId) -> bool {
        let graph = self.builder.graph();
        match (&graph.events[event.index()].kind, self.clock) {
            (events::Kind::Access(access), Some(clock)) => {
                graph.terms.as_bits(access.address.object) == Some(u128::from(clock.0))
            }
            _ => false,
        }
    }
}
