//! The state of a running program, and why a thread stops.
//!
//! A thread stops *before* each visible operation, with that as the pending operation in its [`Status`]. When the
//! scheduler lets it pass, the operation is executed together with all following private ones, up to the next visible
//! one.

use std::collections::HashMap;
use std::ops::{Index, IndexMut};
use std::rc::Rc;

use ir::{FunctionId, GlobalId, Primitive, SpanId, TextId, Type};
use run::{Input, ThreadEnd, ThreadName, ThreadRecord};
use semantics::code::Code;
use semantics::concrete::Word;
use semantics::execute::{Halt, Thread};

use crate::files::Files;
use crate::idle::{Awaits, IdleWatch};
use crate::memory::{Memory, ObjectId, Request, Trail};
use crate::outcome::{FailureKind, SiteFrame};
use crate::races::Races;
use crate::sync::SyncTable;

/// The pending operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pending {
    /// Its first instruction.
    Start,
    Memory {
        object: ObjectId,
        offset: u64,
        size: u64,
        reads: bool,
        writes: bool,
    },
    Primitive {
        primitive: Primitive,
        args: [u64; 4],
    },
    /// Calls end whose objects others can observe; it will be in `calls` calls.
    Leave {
        calls: usize,
    },
    /// Its end.
    Finish,
    /// An idle loop, until another thread changes a value that it reads.
    Spin {
        awaits: Awaits,
        span: SpanId,
    },
}

impl Pending {
    /// A primitive as the scheduler sees it.
    pub fn primitive(primitive: Primitive, args: &[Word]) -> Pending {
        let mut words = [0; 4];
        for (word, arg) in words.iter_mut().zip(args) {
            *word = *arg as u64;
        }
        Pending::Primitive { primitive, args: words }
    }
}

/// How far a thread is in an operation that takes more than one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Whole,
    Sleeping,
    /// Woken, with the code that the wait will return.
    Woken(i32),
    /// Asleep until a time.
    Dozing,
    /// Between the two steps of an operation: the word of the first one, and the number that its object was made with.
    Kept {
        word: u32,
        parameter: u32,
    },
}

/// What became of the right to join a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    Joined,
    Detached,
}

/// The state of a thread that the scheduler and the other threads need.
#[derive(Clone, Debug)]
pub struct Status {
    pub name: ThreadName,
    /// Its function, for reports.
    pub function: Option<FunctionId>,
    pub pending: Option<Pending>,
    pub phase: Phase,
    pub finished: bool,
    /// It failed, and its failure was noted.
    pub crashed: bool,
    pub result: u64,
    pub claim: Option<Claim>,
    /// Another thread interrupted it, and it has not asked since.
    pub interrupted: bool,
    pub atomic_depth: u32,
    pub idle: IdleWatch,
    pub own: Own,
}

/// What a thread has done that others do not see.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// The number of threads that it has created.
    pub children: u32,
    /// How many more times than once it takes the mutex again with which it waits.
    pub levels: u32,
    /// When its sleep ends, while it sleeps.
    pub wakes_at: i64,
    /// The number of its readings of the clock.
    pub clock_reads: usize,
    thread_locals: Rc<Vec<(GlobalId, u64)>>,
}

impl Status {
    pub fn new(name: ThreadName, function: Option<FunctionId>) -> Status {
        Status {
            name,
            function,
            pending: Some(Pending::Start),
            phase: Phase::Whole,
            finished: false,
            crashed: false,
            result: 0,
            claim: None,
            interrupted: false,
            atomic_depth: 0,
            idle: IdleWatch::default(),
            own: Own::default(),
        }
    }
}

/// The threads' statuses; copies share unchanged ones.
#[derive(Clone, Debug, Default)]
pub struct Statuses(Vec<Rc<Status>>);

impl Statuses {
    pub fn push(&mut self, status: Status) {
        self.0.push(Rc::new(status));
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Status> + '_ {
        self.0.iter().map(Rc::as_ref)
    }
}

impl Index<usize> for Statuses {
    type Output = Status;

    #[inline]
    fn index(&self, thread: usize) -> &Status {
        &self.0[thread]
    }
}

impl IndexMut<usize> for Statuses {
    #[inline]
    fn index_mut(&mut self, thread: usize) -> &mut Status {
        Rc::make_mut(&mut self.0[thread])
    }
}

impl Status {
    pub fn thread_locals(&self) -> impl Iterator<Item = (GlobalId, u64)> + '_ {
        self.own.thread_locals.iter().copied()
    }

    pub fn add_thread_local(&mut self, global: GlobalId, at: u64) {
        Rc::make_mut(&mut self.own.thread_locals).push((global, at));
    }
}

/// The key with which atomic sections synchronise with each other, like a common lock.
pub const ATOMIC_SECTIONS: u64 = 1;

/// A failure without its place.
#[derive(Clone, Debug)]
pub struct Draft {
    pub kind: FailureKind,
    pub condition: String,
    pub asserted_at: Option<(String, u32)>,
    pub related: Vec<(String, Trail)>,
}

#[derive(Clone, Debug)]
pub enum Stop {
    /// Before a visible operation.
    Pause,
    /// It passed its gate but is blocked.
    Blocked,
    Fail(Box<Draft>),
    Unsupported(String),
    Exit(i32),
    Excluded,
    /// The thread has ended itself.
    Ended,
}

/// The result of a primitive.
pub type Performed = Result<Option<Word>, Halt<Stop>>;

pub fn code(code: ir::Code) -> Performed {
    Ok(Some(code as Word))
}

pub fn fail(kind: FailureKind, condition: impl Into<String>) -> Stop {
    Stop::Fail(Box::new(Draft { kind, condition: condition.into(), asserted_at: None, related: Vec::new() }))
}

/// A thread that was just created: its code is entered by the machine.
#[derive(Clone, Debug)]
pub struct Birth {
    pub start: FunctionId,
    pub args: [u64; 2],
}

/// The effect of the last visible operation, if events are requested.
#[derive(Clone, Debug)]
pub struct Touch {
    pub kind: &'static str,
    pub address: Option<u64>,
    pub place: Option<TextId>,
    pub value: Option<(Type, Word)>,
    pub text: String,
}

/// The step that is taken now.
#[derive(Clone, Default)]
pub struct Turn {
    /// The thread that runs.
    pub current: usize,
    /// The next visible operation may pass.
    pub granted: bool,
    /// The environment's choice for it.
    pub choice: u64,
    /// The thread that stopped inside an atomic section for a choice of the environment. Only it is enabled.
    pub inside: Option<usize>,
    /// The thread yielded.
    pub yielded: bool,
}

/// The virtual time.
#[derive(Clone)]
pub struct Time {
    pub clock: i64,
    /// In a program that reads the clock, a loop was taken for one that waits although its rounds sleep: how many of
    /// them there are decides about the time.
    pub slept_idly: bool,
    /// The recorded readings of the clock.
    pub readings: Rc<HashMap<ThreadName, Vec<i64>>>,
}

/// The log of a run.
#[derive(Clone)]
pub struct Notes {
    /// Whether events are requested.
    pub events: bool,
    pub touch: Option<Touch>,
    /// The position of the thread, if races are detected.
    pub here: Option<Trail>,
    /// The equivalent native record of each thread.
    pub recorded: Option<Rc<Vec<ThreadRecord>>>,
    /// Whether tickets are steps.
    pub tickets: bool,
}

/// The state of a running program except for the threads' calls and registers.
#[derive(Clone)]
pub struct Shared {
    pub code: Rc<Code>,
    pub memory: Memory,
    pub syncs: SyncTable,
    pub files: Files,
    pub status: Statuses,
    pub births: Vec<Birth>,
    /// Counts every change that another thread could see.
    pub changes: u64,
    pub variables: Rc<[(String, String)]>,
    /// Happens-before, if races are detected.
    pub races: Option<Rc<Races>>,
    pub turn: Turn,
    pub time: Time,
    pub notes: Notes,
}

/// Handles are numbers that no other value is likely to be.
pub fn handle(thread: usize) -> u64 {
    0x7EAD_0000_0000 + (thread as u64) * 0x100
}

impl Shared {
    /// The thread of a handle.
    pub fn thread_of(&self, handle_value: u64) -> Option<usize> {
        let thread = usize::try_from(handle_value.checked_sub(handle(0))? / 0x100).ok()?;
        (handle(thread) == handle_value && thread < self.status.len()).then_some(thread)
    }

    pub fn me(&mut self) -> &mut Status {
        &mut self.status[self.turn.current]
    }

    /// Counts a side effect that others can observe.
    #[inline]
    pub fn changed(&mut self) {
        self.changes += 1;
        self.me().idle.changed();
    }

    /// This thread's record, when there is one.
    #[inline(always)]
    pub fn record(&mut self) -> Option<&mut ThreadRecord> {
        let current = self.turn.current;
        self.notes.recorded.as_mut().and_then(|records| Rc::make_mut(records).get_mut(current))
    }

    /// Records an answer of the environment.
    pub fn record_input(&mut self, name: &str, result: i64, buffer: Option<&[u8]>) {
        if let Some(record) = self.record() {
            let buffers = buffer.iter().map(|bytes| bytes.to_vec()).collect();
            record.inputs.push(Input { name: name.to_owned(), result, buffers, unknown_at: None });
        }
    }

    pub fn touched(&mut self, kind: &'static str, address: Option<u64>) {
        if self.notes.events {
            self.notes.touch = Some(Touch { kind, address, place: None, value: None, text: String::new() });
        }
    }

    /// This thread's steps happen before those of the next thread that acquires this.
    pub fn order_release(&mut self, what: u64) {
        if let Some(races) = &mut self.races {
            Rc::make_mut(races).release(self.turn.current, what);
        }
    }

    pub fn order_acquire(&mut self, what: u64) {
        if let Some(races) = &mut self.races {
            Rc::make_mut(races).acquire(self.turn.current, what);
        }
    }

    pub fn trail<V: Clone>(&self, thread: &Thread<V>) -> Trail {
        let frames: Vec<SiteFrame> =
            thread.site(&self.code).take(12).map(|(function, span)| SiteFrame { function, span }).collect();
        Trail { thread: self.turn.current as u32, frames: frames.into() }
    }

    pub fn make(&mut self, request: Request) -> Result<u64, Stop> {
        let thread = self.turn.current as u32;
        self.me().idle.changed();
        match self.memory.allocate(thread, request) {
            Ok(id) => {
                let (base, size) = (self.memory.object(id).base, self.memory.object(id).size);
                if let Some(races) = &mut self.races {
                    Rc::make_mut(races).forget(id, size);
                }
                Ok(base)
            }
            Err(_) => Err(Stop::Unsupported("more memory than there are addresses".to_owned())),
        }
    }

    /// Bytes up to a zero, for texts that the runtime is given.
    pub fn text_at(&self, at: u64) -> String {
        let Some((id, offset)) = self.memory.resolve(at) else { return String::new() };
        let bytes = self.memory.object(id).bytes.get(offset as usize..).unwrap_or_default();
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }

    pub fn end_thread(&mut self, result: u64, by_request: bool) {
        self.memory.publish_word(result);
        if let Some(record) = self.record() {
            record.end = if by_request { ThreadEnd::Exited } else { ThreadEnd::Returned };
        }
        self.touched("exit", None);
        self.changed();
        let me = self.me();
        me.finished = true;
        me.result = result;
        me.atomic_depth = 0;
    }
}
