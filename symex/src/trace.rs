//! What is known of a run while it is followed: the graph as far as it goes, and where its events came from.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use events::{Address, Builder, Choice, EventId, Kind, ObjectId, Place, ThreadId};
use formula::{Sort, Term, Terms};
use ir::{FunctionId, LayoutId, Origin as Whose, TextId, Type};
use semantics::code::Code;
use semantics::concrete::Word;
use vm::SiteFrame;
use vm::callers::Words;
use vm::memory::{Memory, ObjectKind};
use vm::names;

use crate::bounded::place::{SYNC_BYTES, source_place};
use crate::dual::Dual;
use crate::output;
use crate::overlay::Overlay;
use crate::section::Section;
use crate::sharing::{ObjectKey, Sharing};
use crate::terms;

/// Where an event came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The visible step of its thread in which it happened.
    pub step: u64,
    /// How many events of its thread came before it.
    pub index: usize,
    /// The calls that it stood in, innermost first.
    pub frames: Vec<SiteFrame>,
    /// It slept in a round of a loop that waits: in another order there may be more or fewer such rounds.
    pub idle: bool,
}

/// What an access touched, as the source says it, and how its values are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// `q->filled`, or the library's function that touched it: `queue.push_back()`.
    pub object: String,
    /// None where what is inside means nothing to the user.
    pub value: Option<(Type, Option<LayoutId>)>,
    /// What it is, where that is not what the graph calls it: the end of a block, or the use of one.
    pub kind: Option<&'static str>,
}

/// A branch whose way depended on others.
#[derive(Clone, Debug)]
pub struct Condition {
    pub event: EventId,
    /// What held.
    pub literal: Term,
    /// Where it stood: the function and the line.
    pub at: (FunctionId, u32),
    /// Whether the other way leads to nothing but an end.
    pub other_way_ends: bool,
}

/// A thread of the run.
#[derive(Clone, Debug)]
pub struct Thread {
    pub id: ThreadId,
    pub started: bool,
    /// Its calls, outermost first: the function, and where it stands in it.
    pub calls: Vec<(FunctionId, u32)>,
    /// How deep in calls it was when it began to do what nobody needs to know.
    pub silent_from: Option<usize>,
    pub conditions: Vec<Condition>,
    known: HashSet<Term>,
    /// How it waits: the sleep or the arrival whose second half is still to come.
    pub halfway: Option<EventId>,
    /// At a barrier: that it is the last one to arrive.
    pub arrival: Option<Term>,
    /// When the sleep ends that it has begun.
    pub dozes_until: Option<Term>,
    pub atomic: Atomic,
    /// What it knows inside of it.
    pub section: Section,
    /// What it returned, if others have an influence on that: the object in which it lies.
    pub result: Option<(ObjectId, Word)>,
    /// How many of its events stay, idle rounds apart.
    pub kept: usize,
    /// Where loops began their last round: how many events there were.
    pub rounds: HashMap<(u64, u32), usize>,
}

/// A section that nobody interrupts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Atomic {
    pub depth: u32,
    /// Whether its begin is among the events.
    pub begun: bool,
    /// The thread is about to do what may block. Others can go then, so that the section has a gap.
    pub gap: bool,
}

/// One step of the run's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Event(EventId, Choice),
    /// The thread's exit, which has no number yet.
    Exit(ThreadId),
}

pub struct Trace {
    pub code: Rc<Code>,
    pub builder: Builder,
    pub origins: Vec<Origin>,
    pub labels: HashMap<EventId, Label>,
    /// The source's words for the step that is being taken.
    pub words: Words,
    pub order: Vec<Turn>,
    /// By number, as the machine counts them.
    pub threads: Vec<Thread>,
    pub current: usize,
    /// The visible step that is being taken.
    pub step: u64,
    /// Whether there has been more than one thread.
    pub live: bool,
    /// What earlier rounds found to be shared.
    pub sharing: Rc<Sharing>,
    /// What this one finds.
    pub found: Sharing,
    pub overlay: Overlay,
    objects: HashMap<ObjectKey, ObjectId>,
    generations: HashMap<u64, u32>,
    pub syncs: HashMap<u64, ObjectId>,
    pub clock: Option<ObjectId>,
    /// Whether a block is alive, by block: 0 for yes.
    pub ends: HashMap<ObjectKey, ObjectId>,
    /// Where a symbol was read.
    pub read_at: HashMap<Term, u64>,
    /// Words that were written to a place, over all rounds.
    pub written: HashMap<u64, Vec<Word>>,
    /// Events that do not stay: idle rounds, and what came after the failure was decided.
    pub dropped: HashSet<EventId>,
    /// What the last operation that failed was given.
    pub failing: Option<Failing>,
    pub registers: Vec<Word>,
    /// Whether output goes to the user alone: the program never changes its standard streams.
    pub fixed_streams: bool,
}

/// What an operation that failed depended on.
#[derive(Clone, Copy, Debug)]
pub enum Failing {
    /// An access of so many bytes.
    Address { address: Dual, bytes: u32 },
    /// A division.
    Divisor(Dual),
}

impl Trace {
    pub fn new(code: &Rc<Code>, sharing: Rc<Sharing>, written: HashMap<u64, Vec<Word>>) -> Trace {
        Trace {
            code: code.clone(),
            builder: Builder::new(),
            origins: Vec::new(),
            labels: HashMap::new(),
            words: Words::default(),
            order: Vec::new(),
            threads: Vec::new(),
            current: 0,
            step: 0,
            live: false,
            sharing,
            found: Sharing::default(),
            overlay: Overlay::default(),
            objects: HashMap::new(),
            generations: HashMap::new(),
            syncs: HashMap::new(),
            clock: None,
            ends: HashMap::new(),
            read_at: HashMap::new(),
            written,
            dropped: HashSet::new(),
            failing: None,
            registers: Vec::new(),
            fixed_streams: output::has_fixed_streams(&code.program),
        }
    }

    pub fn terms(&mut self) -> &mut Terms {
        self.builder.terms()
    }

    pub fn me(&mut self) -> &mut Thread {
        &mut self.threads[self.current]
    }

    /// Whether what is being done is nobody's business: it only tells the user something.
    pub fn is_silent(&self) -> bool {
        self.threads.get(self.current).is_some_and(|thread| thread.silent_from.is_some())
    }

    /// Whether the current thread is in a section of a library that nobody interrupts.
    pub fn is_in_library_section(&self) -> bool {
        let Some(me) = self.threads.get(self.current) else { return false };
        let innermost = me.calls.last().map(|&(function, _)| &self.code.program.functions[function.index()]);
        me.atomic.depth > 0 && innermost.is_some_and(|function| function.origin != Whose::User)
    }

    /// Adds a thread, with its start.
    pub fn add_thread(&mut self, name: run::ThreadName) -> ThreadId {
        self.builder.set_place(None);
        let id = self.builder.thread(name);
        self.origins.push(Origin::default());
        self.threads.push(Thread {
            id,
            started: false,
            calls: Vec::new(),
            silent_from: None,
            conditions: Vec::new(),
            known: HashSet::new(),
            halfway: None,
            arrival: None,
            dozes_until: None,
            atomic: Atomic::default(),
            section: Section::default(),
            result: None,
            kept: 1,
            rounds: HashMap::new(),
        });
        id
    }

    /// The calls of the current thread, innermost first.
    fn frames(&self) -> Vec<SiteFrame> {
        let calls = self.threads[self.current].calls.iter().rev();
        let frame = |&(function, position): &(FunctionId, u32)| {
            let spans = &self.code.function(function).spans;
            SiteFrame { function, span: spans.get(position as usize).copied().unwrap_or(ir::SpanId::NONE) }
        };
        calls.map(frame).collect()
    }

    pub fn place(&self, frames: &[SiteFrame]) -> Option<Place> {
        source_place(&self.code.program, frames)
    }

    /// Before an event of the current thread is added: its place, its thread's start, and the begin of its section.
    pub fn prepare(&mut self) -> ThreadId {
        let id = self.me().id;
        if !self.me().started {
            self.me().started = true;
            let start = self.builder.graph().threads[id.index()].events[0];
            self.order.push(Turn::Event(start, Choice::Only));
        }
        let frames = self.frames();
        self.builder.set_place(self.place(&frames));
        let atomic = self.me().atomic;
        if atomic.depth > 0 && !atomic.begun && !atomic.gap {
            self.me().atomic.begun = true;
            let begin = self.builder.event(id, Kind::AtomicBegin);
            self.note(begin, Choice::Only);
        }
        id
    }

    /// Ends the current thread's section, if its begin is among the events.
    pub fn end_section(&mut self) {
        self.me().section.forget();
        if self.me().atomic.begun {
            let id = self.prepare();
            self.me().atomic.begun = false;
            let event = self.builder.event(id, Kind::AtomicEnd);
            self.note(event, Choice::Only);
        }
    }

    /// The run ends inside of sections: what they would have ended with does not happen.
    pub fn close_sections(&mut self) {
        for thread in 0..self.threads.len() {
            if self.threads[thread].atomic.begun {
                self.current = thread;
                let id = self.prepare();
                let event = self.builder.event(id, Kind::AtomicEnd);
                self.remember(event);
            }
        }
    }

    /// After an event of the current thread was added: it happens now.
    pub fn note(&mut self, event: EventId, choice: Choice) {
        self.remember(event);
        self.order.push(Turn::Event(event, choice));
    }

    /// After an event was added that happens later.
    pub fn remember(&mut self, event: EventId) {
        let frames = self.frames();
        debug_assert_eq!(self.origins.len(), event.index());
        let index = self.me().kept;
        self.origins.push(Origin { step: self.step, index, frames, idle: false });
        self.me().kept += 1;
    }

    /// Says what the access that was added last touched.
    pub fn label(&mut self, memory: &Memory, at: u64, ty: Type, place: Option<TextId>) {
        let program = &self.code.program;
        let label = match &self.words.library_call {
            Some(call) => Label { object: call.clone(), value: None, kind: None },
            None => Label {
                object: names::describe(program, memory, at, place),
                value: Some((ty, names::layout_at(program, memory, at, ty))),
                kind: None,
            },
        };
        let event = self.last_event();
        self.labels.insert(event, label);
    }

    /// Says that the access that was added last is about the life of a block.
    pub fn label_block(&mut self, memory: &Memory, base: u64, kind: &'static str) {
        let object = self.block_name(memory, base);
        let event = self.last_event();
        self.labels.insert(event, Label { object, value: None, kind: Some(kind) });
    }

    /// A block has no name, but a place where it was made.
    fn block_name(&self, memory: &Memory, base: u64) -> String {
        let found = memory.resolve(base).map(|(id, _)| memory.object(id));
        let made = found.and_then(|object| match &object.kind {
            ObjectKind::Heap { allocated } => self.place(&allocated.frames),
            _ => None,
        });
        match made {
            Some(place) => {
                let file = place.file.rsplit('/').next().unwrap_or(&place.file).to_owned();
                format!("the block from {file}:{}", place.line)
            }
            None => names::describe(&self.code.program, memory, base, None),
        }
    }

    /// The number of the event that was added last.
    pub fn last_event(&self) -> EventId {
        EventId(self.builder.graph().events.len() as u32 - 1)
    }

    pub fn key_of(&self, base: u64) -> ObjectKey {
        ObjectKey { base, generation: self.generations.get(&base).copied().unwrap_or(0) }
    }

    /// A new object begins at an address.
    pub fn begin_object(&mut self, base: u64, size: u64) {
        *self.generations.entry(base).or_insert(0) += 1;
        self.overlay.clear(base, size);
    }

    /// The graph's object for what is at an address now; `memory` holds what it began with, if it began with anything.
    pub fn object(&mut self, memory: &Memory, key: ObjectKey) -> ObjectId {
        if let Some(&id) = self.objects.get(&key) {
            return id;
        }
        let (name, size) = match memory.resolve(key.base) {
            Some((id, _)) => {
                (names::describe(&self.code.program, memory, key.base, None), memory.object(id).size.max(1))
            }
            None => (format!("{:#x}", key.base), 1),
        };
        let id = self.builder.object(name, u32::try_from(size).unwrap_or(u32::MAX));
        self.objects.insert(key, id);
        id
    }

    /// An object of which memory holds what all threads found there in the beginning.
    pub fn first_object(&mut self, memory: &Memory, key: ObjectKey) {
        let id = self.object(memory, key);
        let Some((found, 0)) = memory.resolve(key.base) else { return };
        let bytes = memory.object(found).bytes.clone();
        for (number, chunk) in bytes.chunks(8).enumerate() {
            let offset = 8 * number as u64;
            let shared = self.sharing.is_shared(key, offset, chunk.len() as u64);
            if !shared || chunk.iter().all(|&byte| byte == 0) {
                continue;
            }
            let mut word = [0; 16];
            word[..chunk.len()].copy_from_slice(chunk);
            let value = self.terms().bits(8 * chunk.len() as u32, u128::from_le_bytes(word));
            self.builder.initial(id, offset as u32, value);
        }
    }

    /// The graph's object that stands for the state of a lock or its like.
    pub fn sync(&mut self, memory: &Memory, at: u64) -> Address {
        let id = match self.syncs.get(&at) {
            Some(&id) => id,
            None => {
                let name = match &self.words.object {
                    Some(word) if !names::has_name(&self.code.program, memory, at) => word.clone(),
                    _ => names::describe(&self.code.program, memory, at, None),
                };
                let id = self.builder.object(name, SYNC_BYTES);
                self.syncs.insert(at, id);
                id
            }
        };
        self.builder.address(id, 0)
    }

    /// The graph's object that says whether a block has ended.
    pub fn end_of(&mut self, memory: &Memory, key: ObjectKey) -> ObjectId {
        if let Some(&id) = self.ends.get(&key) {
            return id;
        }
        let name = format!("whether {} is freed", names::describe(&self.code.program, memory, key.base, None));
        let id = self.builder.object(name, 1);
        self.ends.insert(key, id);
        id
    }

    /// A sleeper has given up, for this reason: that was settled when it fell asleep.
    pub fn gave_up(&mut self, sleep: EventId, way: Choice) {
        let turn = self.order.iter_mut().rev().find(|turn| matches!(turn, Turn::Event(event, _) if *event == sleep));
        if let Some(turn) = turn {
            *turn = Turn::Event(sleep, way);
        }
    }

    /// The wake that follows a sleep, and how it comes about. One that may time out says whether it does.
    pub fn wake(&mut self, sleep: EventId, timed: bool) -> (Kind, Choice) {
        let slept = |turn: &Turn| match *turn {
            Turn::Event(event, way) if event == sleep => Some(way),
            _ => None,
        };
        let way = self.order.iter().rev().find_map(slept).unwrap_or(Choice::Only);
        let timed_out = (timed || way == Choice::TimedOut).then(|| {
            let name = format!("timed_out{}", self.builder.graph().events.len());
            self.terms().symbol(name, Sort::Bool)
        });
        (Kind::Wake { sleep, timed_out, spurious: way == Choice::Spurious }, way)
    }

    /// Events of the current thread that do not stay. The clock has gone on all the same.
    pub fn forget(&mut self, events: &[EventId]) {
        for &event in events {
            if self.is_of_clock(event) {
                self.origins[event.index()].idle = true;
            } else {
                self.dropped.insert(event);
            }
        }
        let me = self.me();
        me.kept = me.kept.saturating_sub(events.len());
    }

    /// Whether an event was not forgotten.
    pub fn stays(&self, event: EventId) -> bool {
        !self.dropped.contains(&event) && !self.origins[event.index()].idle
    }

    /// Demands that the current thread goes this way.
    pub fn assume(&mut self, literal: Term, other_way_ends: bool) {
        let trivial = self.terms().as_bool(literal) == Some(true);
        if trivial || self.is_silent() || !self.me().known.insert(literal) {
            return;
        }
        let id = self.prepare();
        let event = self.builder.assume(id, literal);
        self.note(event, Choice::Only);
        let (function, position) = self.me().calls.last().copied().unwrap_or((FunctionId(0), 0));
        let span = self.code.function(function).spans.get(position as usize).copied().unwrap_or(ir::SpanId::NONE);
        let line = self.code.program.spans.get(span.0 as usize).map_or(0, |span| span.line);
        self.me().conditions.push(Condition { event, literal, at: (function, line), other_way_ends });
    }

    /// What cannot be told as a term stays what it was.
    pub fn pin(&mut self, value: &Dual) -> Word {
        if let Some(term) = value.term {
            let width = self.terms().width(term);
            let word = self.terms().bits(width, value.word);
            let same = self.terms().eq(term, word);
            self.assume(same, false);
        }
        value.word
    }

    /// A value as a term of so many bits.
    pub fn term_of(&mut self, value: &Dual, width: u32) -> Term {
        match value.term {
            Some(term) => terms::fit(self.terms(), term, width),
            None => self.terms().bits(width, value.word & semantics::int::mask(width)),
        }
    }

    /// The value that a term had, as a dual; constants have no term.
    pub fn dual(&mut self, word: Word, bits: u32, term: Term) -> Dual {
        let term = if terms::is_constant(self.terms(), term) { None } else { Some(term) };
        Dual { word, term, bits: bits as u8 }
    }
}
