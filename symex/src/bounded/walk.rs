//! The knowledge of a walk of all paths of all threads, and the creation of events.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use events::{Builder, EventId, Kind, Place as SourcePlace, ThreadId};
use formula::{Sort, Term, Terms};
use run::{RecordedRun, Taken, ThreadName, ThreadRecord};
use semantics::code::Code;
use semantics::primitives::rwlock::WRITER;
use vm::{FailureKind, Options, SiteFrame};

use crate::bounded::Bounds;
use crate::bounded::births::Birth;
use crate::bounded::clashes::Touched;
use crate::bounded::files::Files;
use crate::bounded::forced::Along;
use crate::bounded::foresight::Told;
use crate::bounded::given::Part;
use crate::bounded::guide::Guide;
use crate::bounded::lives::Enders;
use crate::bounded::objects::{ObjectId, Objects, Threads};
use crate::bounded::observe::Observed;
use crate::bounded::place::{Key, SYNC_BYTES, source_place};
use crate::bounded::prefer::{Flips, Preferred};
use crate::bounded::protected::Protected;
use crate::bounded::sets::{Found, Reads, Refined, Set, Somewhere, Stored, Values};
use crate::bounded::shape::Shapes;
use crate::bounded::state::{Memory, Rest, State};
use crate::bounded::turns;
use crate::bounded::value::Value;
use crate::sharing::Sharing;

/// What rounds of walking hand on to the next.
#[derive(Debug, Default)]
pub struct Known {
    pub objects: Objects,
    pub threads: Threads,
    pub sharing: Sharing,
    pub stored: Stored,
    /// By address, the kind that a mutex was given.
    pub kinds: HashMap<u64, u32>,
    /// By address, how many a barrier waits for.
    pub parties: HashMap<u64, u32>,
    /// By address, semaphores that begin so large that they may become full.
    pub large: BTreeSet<u64>,
    /// Once-controls that were used before other threads were about.
    pub onces: BTreeSet<u64>,
    /// Read/write locks that were used before other threads existed.
    pub rwlocks: BTreeSet<u64>,
    /// The mutexes that protect each place.
    pub protected: Protected,
    /// Objects that end while other threads may exist.
    pub freed: HashMap<ObjectId, Enders>,
    /// By address, synchronisation objects that are destroyed or reinitialised while other threads may exist.
    pub destroyed: BTreeMap<u64, Enders>,
    /// Locks that a thread may hold when it ends.
    pub kept: BTreeSet<u64>,
    /// Objects with synchronisation at an unknown place.
    pub vague: HashSet<ObjectId>,
    /// By address, conditions whose sleepers a thread queries.
    pub slept_on: HashSet<u64>,
    /// Mutexes that may be released by a thread that did not take them.
    pub loose: HashSet<Somewhere>,
    /// Threads that are created in several ways with different operands: they read these from memory.
    pub mailed: HashSet<usize>,
    /// Threads whose result is used.
    pub wanted: HashSet<usize>,
    /// Threads that are queried for their end.
    pub polled: HashSet<usize>,
    /// By thread, those that join it.
    pub joiners: HashMap<usize, BTreeSet<usize>>,
    /// By thread, those that detach it.
    pub detachers: HashMap<usize, BTreeSet<usize>>,
    pub files: Files,
    /// The environment variables that are asked for.
    pub variables: BTreeSet<String>,
    /// Facts of the followed run about pointers.
    pub told: Told,
    /// How often something of these was new.
    pub news: u64,
}

/// Whether the machine takes a step for the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Step,
    /// It belongs to the step of another event of the same instruction.
    Part,
    /// It is the thread's last, and it takes all steps that are left.
    Last,
}

/// Where an event came from.
#[derive(Clone, Debug)]
pub struct Origin {
    pub key: Key,
    /// Where a thread stood that took every recorded round.
    pub whole_key: Key,
    pub role: Role,
    /// The calls that it stood in, innermost first.
    pub frames: Vec<SiteFrame>,
}

impl Origin {
    fn nowhere() -> Origin {
        Origin { key: Key::from([]), whole_key: Key::from([]), role: Role::Part, frames: Vec::new() }
    }
}

/// What is remarked about events beside the graph.
#[derive(Debug, Default)]
pub struct Remarks {
    /// Assumptions made by branches whose other side leads only to an end.
    pub other_way_ends: HashSet<EventId>,
    /// Along a run: writes that no thread can observe.
    pub hidden: Vec<EventId>,
}

/// Why a path is cut at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The loop there was cut after this many iterations.
    Loop,
    /// What was recorded of the thread ends.
    Record,
    /// The path has left all records and taken too many decisions of its own.
    Free,
    Recursion,
    /// Too many instructions.
    Steps,
    Unsupported(String),
}

#[derive(Clone, Debug)]
pub struct Cut {
    pub event: EventId,
    pub reason: Reason,
    pub frames: Vec<SiteFrame>,
}

/// A value that the environment chooses.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub thread: ThreadId,
    pub key: Key,
    pub symbol: Term,
}

/// The meaning of an assertion of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub kind: FailureKind,
    pub what: String,
}

/// A store: its place, its value, and the place and thread of the instruction, unless it precedes all threads.
struct Storing {
    places: Vec<Somewhere>,
    bytes: u32,
    value: Value,
    refined: Rc<Refined>,
    by: Option<(usize, Key)>,
}

/// What is stored is followed through memory this many times before everything is walked again.
const MOST_PASSES: u32 = 32;

/// The records that a walk is led by, if any.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guidance<'c> {
    /// All values are those of a run of the machine, except the values that threads read from each other.
    pub run: Option<&'c Observed>,
    /// Every recorded decision is taken as recorded.
    pub forced: Option<Guide<'c>>,
    /// Recorded decisions are known, and all sides are walked.
    pub preferred: Option<Preferred<'c>>,
}

impl<'c> Guidance<'c> {
    pub fn along(run: &'c RecordedRun) -> Guidance<'c> {
        Guidance { forced: Some(Guide::new(run)), ..Guidance::default() }
    }

    /// The paths of one run of the machine.
    pub fn of_run(observation: &'c Observed) -> Guidance<'c> {
        Guidance { run: Some(observation), ..Guidance::default() }
    }

    pub fn near(runs: &'c [RecordedRun]) -> Guidance<'c> {
        Guidance { preferred: Some(Preferred { runs }), ..Guidance::default() }
    }
}

pub struct Walk<'c> {
    pub code: &'c Rc<Code>,
    pub shapes: &'c Shapes,
    pub options: &'c Options,
    pub bounds: &'c Bounds,
    pub guide: Option<Guide<'c>>,
    pub preferred: Option<Preferred<'c>>,
    pub flips: Flips,
    /// By number, the records of threads.
    pub records: HashMap<usize, &'c ThreadRecord>,
    pub known: &'c mut Known,
    /// The bytes that this round finds to be shared.
    pub found: Sharing,
    pub builder: Builder,
    pub origins: Vec<Origin>,
    pub reads: Reads,
    /// The stores of this round that depend on reads.
    storings: Vec<Storing>,
    pub objects: HashMap<ObjectId, events::ObjectId>,
    pub syncs: HashMap<ObjectId, events::ObjectId>,
    pub ends: HashMap<ObjectId, events::ObjectId>,
    pub lives: HashMap<ObjectId, events::ObjectId>,
    /// By number, as far as they are created or joined in this round.
    pub threads: HashMap<usize, ThreadId>,
    /// Those that were created in this round.
    pub born: HashSet<usize>,
    pub births: VecDeque<Birth>,
    /// By thread, the begin of the open atomic section.
    pub sections: HashMap<usize, EventId>,
    /// The number of walks around the present one with paths inside their thread's section.
    pub insiders: u32,
    /// Paths that have left a section while paths of the enclosing walks were still inside. They wait for its end.
    pub left: Vec<State>,
    /// What memory held when the first thread was created, if that is certain.
    pub snapshot: Option<Memory>,
    pub wrongs: HashMap<EventId, Wrong>,
    pub unasked: HashMap<EventId, Wrong>,
    pub cuts: Vec<Cut>,
    pub inputs: Vec<Chosen>,
    /// Inputs that the program is given before it begins.
    pub parts: Vec<(Part, Term)>,
    /// Objects of which some bytes may be absent: a byte exists if its condition and those of all bytes before it hold.
    pub present: HashMap<ObjectId, Rc<[Term]>>,
    pub touched: Vec<Touched>,
    pub remarks: Remarks,
    /// The run that is followed, if it is one of the machine.
    pub run: Option<&'c Observed>,
    pub along: Along<'c>,
    pub steps: u64,
    /// The number of nested walks, for paths that are at one place and cannot be merged.
    pub nested: u32,
    /// Whether a path of this thread has reached the end of its record and of the thread.
    pub came_to_end: bool,
    /// The number of recorded loop iterations that changed nothing and were undone.
    pub idle_rounds: u64,
    /// By thread, the parts of records that such rounds were.
    pub idle_records: Vec<(usize, Range<Taken>)>,
    /// Nobody waits for the answer any more.
    pub late: bool,
    pub silent: Vec<Output>,
    /// By function: the parameters by which a call is gone through several times.
    pub turns: Vec<&'static [usize]>,
}

/// How a call of a function that only prints is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    No,
    /// It is passed, and has returned that it worked.
    Worked,
    /// It is passed, and has returned its first argument.
    Itself,
}

impl<'c> Walk<'c> {
    pub fn new(
        code: &'c Rc<Code>,
        shapes: &'c Shapes,
        options: &'c Options,
        bounds: &'c Bounds,
        guidance: Guidance<'c>,
        known: &'c mut Known,
    ) -> Walk<'c> {
        let silent = code.program.functions.iter().map(|function| match crate::output::is_output(function) {
            false => Output::No,
            true if function.name.starts_with("_Z") => Output::Itself,
            true => Output::Worked,
        });
        Walk {
            silent: silent.collect(),
            turns: turns::parameters(&code.program),
            code,
            shapes,
            options,
            bounds,
            guide: guidance.forced,
            preferred: guidance.preferred,
            flips: Flips::default(),
            records: HashMap::new(),
            known,
            found: Sharing::default(),
            builder: Builder::new(),
            origins: Vec::new(),
            reads: Reads::new(),
            storings: Vec::new(),
            objects: HashMap::new(),
            syncs: HashMap::new(),
            ends: HashMap::new(),
            lives: HashMap::new(),
            threads: HashMap::new(),
            born: HashSet::new(),
            births: VecDeque::new(),
            sections: HashMap::new(),
            insiders: 0,
            left: Vec::new(),
            snapshot: None,
            wrongs: HashMap::new(),
            unasked: HashMap::new(),
            cuts: Vec::new(),
            inputs: Vec::new(),
            parts: Vec::new(),
            present: HashMap::new(),
            touched: Vec::new(),
            remarks: Remarks::default(),
            run: guidance.run,
            along: Along::default(),
            steps: 0,
            nested: 0,
            came_to_end: false,
            idle_rounds: 0,
            idle_records: Vec::new(),
            late: false,
        }
    }

    pub fn terms(&mut self) -> &mut Terms {
        self.builder.terms()
    }

    pub fn add_thread(&mut self, number: usize, name: ThreadName) -> ThreadId {
        self.builder.set_place(None);
        let record = self.guide.and_then(|guide| guide.record(&name));
        self.records.extend(record.map(|record| (number, record)));
        if let Some(run) = self.run {
            self.along.add_thread(number, &name, run);
        }
        let id = self.builder.thread(name);
        self.threads.insert(number, id);
        self.origins.push(Origin::nowhere());
        id
    }

    pub fn name(&self, number: usize) -> &ThreadName {
        &self.builder.graph().threads[self.threads[&number].index()].name
    }

    pub fn place(&self, frames: &[SiteFrame]) -> Option<SourcePlace> {
        source_place(&self.code.program, frames)
    }

    /// Adds the events of `build` to the path at its place.
    pub fn emit<T>(&mut self, rest: &Rest, role: Role, build: impl FnOnce(&mut Builder, ThreadId) -> T) -> T {
        if role != Role::Part {
            self.mark_flips(rest);
        }
        let frames = rest.place.frames(self.code);
        let place = self.place(&frames);
        let guard = rest.guard.term(self.builder.terms());
        self.builder.set_place(place);
        self.builder.set_guard(guard);
        let thread = self.threads[&rest.thread];
        let made = build(&mut self.builder, thread);
        let key = rest.place.key(self.code, self.shapes);
        let whole_key = if self.idle_rounds == 0 { key.clone() } else { rest.place.whole_key(self.code, self.shapes) };
        let origin = Origin { key, whole_key, role, frames };
        self.origins.resize(self.builder.graph().events.len(), origin);
        made
    }

    pub fn event(&mut self, rest: &Rest, role: Role, kind: Kind) -> EventId {
        self.emit(rest, role, |builder, thread| builder.event(thread, kind))
    }

    /// Ends the section of a thread that all its paths have left, if there is one.
    pub fn close(&mut self, thread: usize) {
        let Some(begin) = self.sections.remove(&thread) else { return };
        let guard = self.builder.graph().events[begin.index()].guard;
        self.builder.set_guard(guard);
        self.builder.event(self.threads[&thread], Kind::AtomicEnd);
        self.origins.push(Origin::nowhere());
    }

    /// If the condition does not hold, the program fails here.
    pub fn demand(&mut self, rest: &Rest, condition: Term, wrong: Wrong) {
        if self.terms().as_bool(condition) == Some(true) {
            return;
        }
        if self.excludes_failure(rest, wrong.kind) {
            self.assume(rest, condition);
        } else if self.options.properties.contains(&wrong.kind) {
            let event = self.event(rest, Role::Part, Kind::Assert { condition });
            self.wrongs.insert(event, wrong);
        } else {
            // A failure of another kind still ends the process.
            let mut ends = rest.clone();
            let fails = self.terms().not(condition);
            ends.guard.push(self.builder.terms(), fails);
            let event = self.event(&ends, Role::Part, Kind::End);
            self.unasked.insert(event, wrong);
        }
    }

    /// Cuts the path at this place.
    pub fn cut(&mut self, rest: &Rest, reason: Reason) {
        let event = self.event(rest, Role::Part, Kind::Cut);
        let frames = rest.place.frames(self.code);
        self.cuts.push(Cut { event, reason, frames });
    }

    fn values_by<'a>(&'a self, refined: &'a Refined) -> Values<'a> {
        let (objects, stored, reads) = (&self.known.objects, &self.known.stored, &self.reads);
        Values { terms: &self.builder.graph().terms, objects, stored, reads, refined, exact: false }
    }

    pub fn values(&self, refined: &Refined, term: Term) -> Rc<Set> {
        self.values_by(refined).of(term)
    }

    /// Whether a condition can only hold, or cannot, going by the constants in it alone.
    pub fn truth(&self, condition: Term) -> Option<bool> {
        let (terms, objects, stored) = (&self.builder.graph().terms, &self.known.objects, &self.known.stored);
        let (reads, refined) = (Reads::new(), Refined::new());
        Values { terms, objects, stored, reads: &reads, refined: &refined, exact: true }.truth(condition)
    }

    pub fn values_of(&self, refined: &Refined, value: Value) -> Rc<Set> {
        match value {
            Value::Word { word, .. } => Rc::new(Set::one(word as u64)),
            Value::Term(term) => self.values(refined, term),
        }
    }

    pub fn store_at(&mut self, rest: &Rest, places: Vec<Somewhere>, bytes: u32, value: Value) {
        if self.run.is_some() {
            return self.note_written(&places, bytes, value);
        }
        let key = rest.place.key(self.code, self.shapes);
        let refined = rest.refined.clone();
        let storing = Storing { places, bytes, value, refined, by: Some((rest.thread, key)) };
        self.store(&storing, self.values_of(&storing.refined, value));
        if let Value::Term(_) = value {
            self.storings.push(storing);
        }
    }

    fn store(&mut self, storing: &Storing, values: Rc<Set>) {
        if self.run.is_some() {
            return;
        }
        let mut values = Rc::unwrap_or_clone(values);
        if let Some((thread, key)) = &storing.by {
            values.pass(*thread, key);
        }
        for &place in &storing.places {
            self.known.stored.add(&self.known.objects, place, storing.bytes, &values);
        }
    }

    /// Propagates the stores of this round up to a fixpoint.
    pub fn settle_values(&mut self, news: u64) {
        let storings = std::mem::take(&mut self.storings);
        let mut found: HashMap<*const Refined, Found> = HashMap::new();
        let mut before = news;
        for _ in 0..MOST_PASSES {
            if self.known.stored.news == before {
                break;
            }
            before = self.known.stored.news;
            for storing in &storings {
                let Value::Term(term) = storing.value else { continue };
                let found_by = found.entry(Rc::as_ptr(&storing.refined)).or_default();
                let values = self.values_by(&storing.refined).of_among(term, found_by);
                let known = self.known.stored.news;
                self.store(storing, values);
                if self.known.stored.news != known {
                    found.clear();
                }
            }
        }
    }

    /// The graph's object for an object of the program.
    pub fn object(&mut self, id: ObjectId) -> events::ObjectId {
        if let Some(&known) = self.objects.get(&id) {
            return known;
        }
        let object = self.known.objects.get(id).clone();
        let name = object.name.clone().unwrap_or_else(|| format!("object {}", id.0));
        let bytes = u32::try_from(object.size.max(1)).unwrap_or(u32::MAX);
        let made = self.builder.object(name, bytes);
        self.objects.insert(id, made);
        let contents = self.snapshot.as_ref().and_then(|memory| memory.get(id)).cloned();
        let pieces: Vec<(u32, u32, Value)> = contents.iter().flat_map(|contents| contents.pieces()).collect();
        for &(offset, bytes, value) in &pieces {
            let value = value.term(self.builder.terms(), 8 * bytes);
            self.builder.initial(made, offset, value);
        }
        let covered = |at: u32| pieces.iter().any(|&(offset, bytes, _)| (offset..offset + bytes).contains(&at));
        for (at, &byte) in object.image.iter().enumerate().filter(|(_, byte)| **byte != 0) {
            if !covered(at as u32) {
                let value = self.builder.terms().bits(8, u128::from(byte));
                self.builder.initial(made, at as u32, value);
            }
        }
        made
    }

    /// The graph's object for the synchronisation in an object.
    pub fn sync(&mut self, id: ObjectId) -> events::ObjectId {
        if let Some(&known) = self.syncs.get(&id) {
            return known;
        }
        let object = self.known.objects.get(id);
        let name = object.name.clone().unwrap_or_else(|| format!("object {}", id.0));
        let bytes = u32::try_from(object.size + 8).unwrap_or(u32::MAX);
        let made = self.builder.object(name, bytes);
        self.syncs.insert(id, made);
        made
    }

    /// The graph's object that tells whether a block has ended: 0 for no.
    pub fn end_of(&mut self, id: ObjectId) -> events::ObjectId {
        if let Some(&known) = self.ends.get(&id) {
            return known;
        }
        let made = self.builder.object(format!("life of object {}", id.0), 1);
        self.ends.insert(id, made);
        made
    }

    /// The graph's object that tells, for each place in an object, whether the lock there was destroyed: 0 for no.
    pub fn life(&mut self, id: ObjectId) -> events::ObjectId {
        if let Some(&known) = self.lives.get(&id) {
            return known;
        }
        let object = self.known.objects.get(id);
        let name = object.name.clone().unwrap_or_else(|| format!("object {}", id.0));
        let bytes = u32::try_from(object.size.max(1)).unwrap_or(u32::MAX);
        let made = self.builder.object(format!("existence of {name}"), bytes);
        self.lives.insert(id, made);
        made
    }

    pub fn input(&mut self, rest: &Rest, bits: u32) -> Term {
        let name = format!("input{}", self.inputs.len());
        let symbol = self.builder.input(name, Sort::Bits(bits));
        let key = rest.place.key(self.code, self.shapes);
        self.inputs.push(Chosen { thread: self.threads[&rest.thread], key, symbol });
        symbol
    }

    /// Other threads may exist from now on: this path's knowledge of shared memory is published.
    pub fn go_live(&mut self, rest: &mut Rest) {
        if std::mem::replace(&mut rest.live, true) {
            return;
        }
        let shared: Vec<ObjectId> =
            rest.memory.objects().map(|(id, _)| id).filter(|&id| self.known.sharing.has_shared(id.into())).collect();
        let certain = rest.guard.is_certain() && self.snapshot.is_none();
        for id in shared {
            let pieces: Vec<(u32, u32, Value)> =
                rest.memory.get(id).into_iter().flat_map(|contents| contents.pieces()).collect();
            for (offset, bytes, value) in pieces {
                let places = vec![(id, Some(u64::from(offset)))];
                let storing = Storing { places, bytes, value, refined: Rc::default(), by: None };
                self.store(&storing, self.values_of(&storing.refined, value));
                let is_shared = self.known.sharing.is_shared(id.into(), u64::from(offset), u64::from(bytes));
                if !certain && is_shared {
                    let object = self.object(id);
                    self.emit(rest, Role::Part, |builder, thread| {
                        let address = builder.address(object, offset);
                        let value = value.term(builder.terms(), 8 * bytes);
                        builder.write(thread, address, value);
                    });
                }
            }
        }
        if certain {
            self.snapshot = Some(rest.memory.clone());
        }
        self.tell_destroyed(rest, certain);
        let counters: Vec<(u64, Value)> = std::mem::take(&mut rest.counters).into_iter().collect();
        for (at, value) in counters {
            let Some((id, offset)) = self.known.objects.resolve(at) else { continue };
            let object = self.sync(id);
            if self.known.onces.contains(&at) && value.as_word() == Some(1) {
                // The thread is inside of the function that runs once, and holds the control.
                self.emit(rest, Role::Part, |builder, thread| {
                    let address = builder.address(object, offset as u32);
                    builder.once(thread, address, SYNC_BYTES);
                });
                continue;
            }
            if let (true, Some(state)) = (self.known.rwlocks.contains(&at), value.as_word()) {
                self.lock_again(rest, (object, offset as u32), state);
                continue;
            }
            if certain {
                let value = value.term(self.builder.terms(), 8 * SYNC_BYTES);
                self.builder.initial(object, offset as u32, value);
                continue;
            }
            self.emit(rest, Role::Part, |builder, thread| {
                let address = builder.address(object, offset as u32);
                let value = value.term(builder.terms(), 8 * SYNC_BYTES);
                builder.write(thread, address, value);
            });
        }
        let is_mutex = |at: &u64| !self.known.rwlocks.contains(at);
        let held = rest.held.iter().filter(|(at, _)| is_mutex(at)).map(|(&at, &levels)| (at, levels));
        let held: Vec<(u64, Value)> = held.collect();
        self.lock_held(rest, held);
        if rest.atomic > 0 {
            self.enter_section(rest);
        }
    }

    /// Takes a read/write lock as it was taken before other threads existed, so that its holder is known.
    fn lock_again(&mut self, rest: &Rest, (object, offset): (events::ObjectId, u32), state: u128) {
        let (writes, times) = if state == u128::from(WRITER) { (true, 1) } else { (false, state) };
        for _ in 0..times {
            self.emit(rest, Role::Part, |builder, thread| {
                let address = builder.address(object, offset);
                match writes {
                    true => builder.write_lock(thread, address, SYNC_BYTES),
                    false => builder.read_lock(thread, address, SYNC_BYTES),
                }
            });
        }
    }

    /// A path that was inside an atomic section before other threads existed is inside it from now on.
    fn enter_section(&mut self, rest: &Rest) {
        match self.sections.get(&rest.thread) {
            None => {
                let begin = self.event(rest, Role::Part, Kind::AtomicBegin);
                self.sections.insert(rest.thread, begin);
            }
            // Until now it has done nothing observable, so that it may as well have begun where the other path did.
            Some(&begin) => {
                let (own, theirs) =
                    (rest.guard.term(self.builder.terms()), self.builder.graph().events[begin.index()].guard);
                let either = self.terms().or2(own, theirs);
                self.builder.change_guard(begin, either);
            }
        }
    }

    /// Mutexes that a path took when no other thread existed.
    fn lock_held(&mut self, rest: &Rest, held: Vec<(u64, Value)>) {
        for (at, levels) in held {
            if let (Some((id, offset)), Some(levels)) = (self.known.objects.resolve(at), levels.as_word()) {
                let (object, recursive) = (self.sync(id), self.kind(at) == 1);
                for _ in 0..levels {
                    self.emit(rest, Role::Part, |builder, thread| {
                        let mutex = builder.address(object, offset as u32);
                        builder.lock(thread, mutex, recursive);
                    });
                }
            }
        }
    }

    /// The kind of a mutex, as its initialisation takes it.
    pub fn kind(&self, at: u64) -> u32 {
        self.known.kinds.get(&at).copied().unwrap_or(0) & 3
    }

    /// Merges a path with another that waits at the same place.
    pub fn join(&mut self, waiting: &mut State, mut other: State) {
        self.mark_flips(&waiting.rest);
        self.mark_flips(&other.rest);
        if waiting.rest.live != other.rest.live {
            let behind = if waiting.rest.live { &mut other.rest } else { &mut waiting.rest };
            self.go_live(behind);
            // That it was not live until now decides how the two are distinguished.
            behind.live = false;
        }
        waiting.join(self.builder.terms(), &self.known.objects, other);
    }
}
