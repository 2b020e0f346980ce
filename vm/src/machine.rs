//! A program during a run: the threads, and all that they share. It can be copied at any point.

use std::rc::Rc;

use ir::{FunctionId, Origin, Type};
use run::{ThreadName, ThreadRecord};
use semantics::code::Code;
use semantics::concrete::Word;
use semantics::execute::{self, Halt, NOTHING, Thread};
use semantics::messages;

use crate::clock;
use crate::files::Files;
use crate::idle::Awaits;
use crate::image;
use crate::memory::{Memory, ObjectKind, Request, State, Trail};
use crate::options::Options;
use crate::outcome::{Event, Failure, FailureKind, Outcome, Site, SiteFrame};
use crate::readiness::{self, READY, Readiness, value_at};
use crate::world::{Draft, Notes, Pending, Shared, Status, Stop, Time, Turn};

/// The values of a machine: words, or words with additional information.
pub trait Datum: Clone {
    fn of(word: Word) -> Self;
    fn word(&self) -> Word;
}

impl Datum for Word {
    fn of(word: Word) -> Word {
        word
    }

    fn word(&self) -> Word {
        *self
    }
}

#[derive(Clone)]
pub struct Machine<V = Word> {
    pub code: Rc<Code>,
    threads: Vec<Rc<Thread<V>>>,
    pub shared: Shared,
    pub(crate) properties: Rc<[FailureKind]>,
    step_limit: u64,
    spurious: bool,
    deadlocked: bool,
    /// Threads wait in a circle that another thread may dissolve.
    pub(crate) loose: bool,
    /// All instructions of all threads.
    pub steps: u64,
    /// The recorded events, if requested.
    pub events: Rc<Vec<Event>>,
}

impl Machine {
    /// Executes a thread's pending visible step and all private ones after it. `None` means that the run continues.
    pub fn step(&mut self, thread: usize, choice: u64) -> Option<Outcome> {
        self.step_by(thread, choice, execute::run)
    }

    /// As [`Machine::step`], for searches that need not be exhaustive: the thread does not stop before a certain
    /// failure, nor before its own objects end.
    pub fn stride(&mut self, thread: usize, choice: u64) -> Option<Outcome> {
        let mut outcome = self.step(thread, choice);
        while outcome.is_none() && self.need_not_wait(thread) {
            let yielded = self.shared.turn.yielded;
            outcome = self.step(thread, 0);
            self.shared.turn.yielded |= yielded;
        }
        outcome
    }

    fn need_not_wait(&self, thread: usize) -> bool {
        match self.shared.status[thread].pending {
            Some(Pending::Leave { .. }) => true,
            // If addresses are reused, a freed block may become valid again.
            Some(Pending::Memory { object, offset, size, .. }) if !self.shared.memory.reuses() => {
                let object = self.shared.memory.object(object);
                object.state != State::Live || offset.saturating_add(size) > object.size.max(1)
            }
            _ => false,
        }
    }
}

impl<V: Datum> Machine<V> {
    pub fn new(code: &Rc<Code>, options: &Options) -> Machine<V> {
        let mut memory = Memory::new(options.reuse, code.next_slot);
        for object in image::globals(code) {
            memory.place(object);
        }
        let mut machine = Machine {
            code: code.clone(),
            threads: Vec::new(),
            shared: Shared {
                code: code.clone(),
                memory,
                syncs: Default::default(),
                files: Files::new(options.files.clone(), &options.stdin),
                status: Default::default(),
                births: Vec::new(),
                changes: 0,
                variables: options.variables.clone().into(),
                races: options.properties.contains(&FailureKind::Race).then(Default::default),
                turn: Turn::default(),
                time: Time {
                    clock: clock::start(&options.readings),
                    slept_idly: false,
                    readings: options.readings.clone(),
                },
                notes: Notes {
                    events: options.events,
                    touch: None,
                    here: None,
                    recorded: options.record.then(|| {
                        let start = code.program.functions[code.program.entry.index()].name.clone();
                        Rc::new(vec![ThreadRecord::new(ThreadName::main(), start)])
                    }),
                    tickets: options.tickets,
                },
            },
            properties: options.properties.clone().into(),
            step_limit: options.step_limit,
            spurious: options.spurious,
            deadlocked: false,
            loose: false,
            steps: 0,
            events: Rc::default(),
        };
        machine.shared.status.push(Status::new(ThreadName::main(), Some(code.program.entry)));
        machine.enter_main(options);
        machine
    }

    /// The entry lies under the constructors, which therefore run first.
    fn enter_main(&mut self, options: &Options) {
        let variable = |(name, value): &(String, String)| format!("{name}={value}").into_bytes();
        let variables: Vec<Vec<u8>> = options.variables.iter().map(variable).collect();
        let arguments = self.texts(&options.arguments, "argument");
        let environment = self.texts(&variables, "environment variable");
        let given = [
            (V::of(options.arguments.len() as Word), Type::Int(32)),
            (V::of(Word::from(arguments)), Type::Ptr),
            (V::of(Word::from(environment)), Type::Ptr),
        ];
        let mut thread = Thread::default();
        let entry = self.code.program.entry;
        let takes = self.code.function(entry).params.len().min(given.len());
        thread.call(&self.code, entry, &given[..takes], NOTHING, V::of(0));
        for &constructor in self.code.program.constructors.iter().rev() {
            if self.code.function(constructor).defined {
                thread.call(&self.code, constructor, &[], NOTHING, V::of(0));
            }
        }
        self.threads.push(Rc::new(thread));
    }

    /// An array of pointers to texts that ends in null.
    fn texts(&mut self, texts: &[Vec<u8>], what: &'static str) -> u64 {
        let mut pointers = Vec::new();
        for text in texts {
            let mut bytes = text.clone();
            bytes.push(0);
            pointers.extend_from_slice(&self.block(&bytes, what).to_le_bytes());
        }
        pointers.extend_from_slice(&[0; 8]);
        self.block(&pointers, what)
    }

    fn block(&mut self, bytes: &[u8], what: &'static str) -> u64 {
        let kind = ObjectKind::Runtime(what);
        let request = Request { size: bytes.len() as u64, align: 16, kind, owner: None, name: None, layout: None };
        match self.shared.memory.allocate(0, request) {
            Ok(id) => {
                let object = self.shared.memory.object_mut(id);
                object.bytes.copy_from_slice(bytes);
                object.base
            }
            Err(_) => 0,
        }
    }

    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    pub fn thread(&self, thread: usize) -> &Thread<V> {
        &self.threads[thread]
    }

    pub fn name(&self, thread: usize) -> &ThreadName {
        &self.shared.status[thread].name
    }

    pub fn find(&self, name: &ThreadName) -> Option<usize> {
        self.shared.status.iter().position(|status| status.name == *name)
    }

    /// The thread takes no more steps: it failed, and the others continue as if it had not reached the failure yet.
    pub fn abandon(&mut self, thread: usize) {
        self.shared.status[thread].crashed = true;
        self.shared.status[thread].atomic_depth = 0;
        self.shared.turn.inside = self.shared.turn.inside.filter(|&inside| inside != thread);
    }

    /// Threads wait in a circle, and that was noted.
    pub fn note_deadlock(&mut self) {
        self.deadlocked = true;
        self.loose = false;
    }

    /// A failure was recorded; being stuck means nothing any more.
    pub fn has_failed(&self) -> bool {
        self.deadlocked || self.shared.status.iter().any(|status| status.crashed)
    }

    pub fn all_finished(&self) -> bool {
        self.shared.status.iter().all(|status| status.finished || status.crashed)
    }

    pub fn readiness(&self, thread: usize) -> Readiness {
        let status = &self.shared.status[thread];
        if status.finished || status.crashed || self.shared.turn.inside.is_some_and(|inside| inside != thread) {
            return Readiness::Blocked;
        }
        match &status.pending {
            None | Some(Pending::Start | Pending::Memory { .. } | Pending::Leave { .. } | Pending::Finish) => READY,
            Some(Pending::Spin { awaits, .. }) => Readiness::when(match awaits {
                Awaits::Values(values) => {
                    values.iter().any(|&(at, size, value)| value_at(&self.shared, at, size) != Some(value))
                }
                Awaits::ChangeAfter(changes) => self.shared.changes != *changes,
            }),
            Some(Pending::Primitive { primitive, args }) => {
                readiness::of(&self.shared, thread, *primitive, args, self.spurious)
            }
        }
    }

    /// As [`Machine::step`], with the interpreter that the caller brings.
    pub fn step_by(
        &mut self,
        thread: usize,
        choice: u64,
        run: impl FnOnce(&Code, &mut Thread<V>, &mut Shared, u64) -> Result<(), Halt<Stop>>,
    ) -> Option<Outcome> {
        let shared = &mut self.shared;
        shared.turn.current = thread;
        shared.turn.choice = choice;
        shared.turn.inside = None;
        shared.turn.yielded = false;
        shared.notes.touch = None;
        let pending = shared.status[thread].pending.take();
        shared.turn.granted = !matches!(pending, None | Some(Pending::Start | Pending::Spin { .. }));
        if shared.notes.events && matches!(pending, Some(Pending::Start)) {
            shared.touched("start", None);
        }
        let noted = self.shared.notes.events.then(|| {
            let site = self.site(thread);
            let words = self.words(thread, &site, pending.as_ref());
            (site, words)
        });
        if self.shared.races.is_some() {
            self.shared.notes.here = Some(self.shared.trail(&self.threads[thread]));
        }
        let before = self.threads[thread].steps;
        let limit = before.saturating_add(self.step_limit.saturating_sub(self.steps));
        let halt = {
            let state = Rc::make_mut(&mut self.threads[thread]);
            run(&self.code, state, &mut self.shared, limit)
        };
        self.shared.turn.granted = false;
        self.steps += self.threads[thread].steps - before;
        if let Some((site, words)) = noted {
            self.note_event(thread, before + 1, site, words);
        }
        self.enter_births();
        match halt {
            Ok(()) if self.shared.status[thread].finished => None,
            Ok(()) => Some(Outcome::StepLimit { steps: self.steps }),
            Err(Halt::Stop(stop) | Halt::Stay(stop) | Halt::After(stop)) => self.stopped(thread, stop),
        }
    }

    fn stopped(&mut self, thread: usize, stop: Stop) -> Option<Outcome> {
        match stop {
            Stop::Pause | Stop::Blocked => None,
            Stop::Ended => {
                let locals: Vec<Word> =
                    Rc::make_mut(&mut self.threads[thread]).unwind().iter().map(Datum::word).collect();
                semantics::execute::World::leave(&mut self.shared, &locals);
                None
            }
            Stop::Exit(status) => Some(self.exited(thread, status)),
            Stop::Excluded => Some(Outcome::Excluded { site: self.site(thread) }),
            Stop::Unsupported(what) => Some(Outcome::Unsupported { what, site: self.site(thread) }),
            Stop::Fail(draft) => Some(self.failed(thread, *draft)),
        }
    }

    fn exited(&mut self, thread: usize, status: i32) -> Outcome {
        let status = status & 0xff;
        if status != 0 && self.properties.contains(&FailureKind::Exit) {
            let draft = Draft {
                kind: FailureKind::Exit,
                condition: messages::exit_status(Some(status)),
                asserted_at: None,
                related: Vec::new(),
            };
            let mut outcome = self.failed(thread, draft);
            if let Outcome::Failed(failure) = &mut outcome {
                failure.site.frames.extend(self.returned(thread, &failure.site));
            }
            return outcome;
        }
        Outcome::Passed { status }
    }

    /// The user's function that returned before, where none is left on the stack: `main`, at its `return`.
    fn returned(&self, thread: usize, site: &Site) -> Option<SiteFrame> {
        let is_of_user = |function: FunctionId| self.code.program.functions[function.index()].origin == Origin::User;
        let (function, span) = self.threads[thread].returned.filter(|&(function, _)| is_of_user(function))?;
        let is_left = site.frames.iter().all(|frame| !is_of_user(frame.function));
        is_left.then_some(SiteFrame { function, span })
    }

    fn failed(&mut self, thread: usize, draft: Draft) -> Outcome {
        let related = draft.related.iter().map(|(what, trail)| (what.clone(), self.site_of(trail))).collect();
        let failure = Failure {
            kind: draft.kind,
            site: self.site(thread),
            condition: draft.condition,
            asserted_at: draft.asserted_at,
            related,
            waiting: Vec::new(),
        };
        match self.properties.contains(&failure.kind) {
            true => Outcome::Failed(Box::new(failure)),
            false => Outcome::Unasked(Box::new(failure)),
        }
    }

    fn enter_births(&mut self) {
        for birth in std::mem::take(&mut self.shared.births) {
            let mut thread = Thread::default();
            let args = birth.args.map(|arg| (V::of(Word::from(arg)), Type::Ptr));
            let takes = self.code.function(birth.start).params.len().min(args.len());
            if self.code.function(birth.start).defined {
                thread.call(&self.code, birth.start, &args[..takes], NOTHING, V::of(0));
            }
            self.threads.push(Rc::new(thread));
        }
    }

    pub fn site(&self, thread: usize) -> Site {
        let frames =
            self.threads[thread].site(&self.code).map(|(function, span)| SiteFrame { function, span }).collect();
        Site { thread: self.name(thread).clone(), frames }
    }

    fn site_of(&self, trail: &Trail) -> Site {
        Site { thread: self.name(trail.thread as usize).clone(), frames: trail.frames.to_vec() }
    }

    /// The function that a thread runs, for people.
    pub fn function_of(&self, thread: usize) -> Option<FunctionId> {
        self.shared.status[thread].function
    }
}
