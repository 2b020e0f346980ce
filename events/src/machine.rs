//! One state of a graph's execution, and its successor steps. `replay` states the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use formula::{Term, Value};

use crate::check::{GraphError, check};
use crate::contention::Uses;
use crate::execution::{Choice, Effect, Extent, Location, Obstacle, Reason, Step, Stuck};
use crate::foreign_unlocks::ForeignUnlocks;
use crate::graph::{Access, Address, Event, EventGraph, EventId, Hold, Kind, ThreadId};
use crate::memory::Memory;
use crate::pages::Pages;
use crate::scope::Scopes;
use crate::values::Values;

/// A well-formed graph, with indexes that its machines need often.
#[derive(Clone, Debug)]
pub struct Plan<'g> {
    pub graph: &'g EventGraph,
    pub(crate) scopes: Scopes,
    /// By event: whether it is an assumption or assertion over symbols that are not all known when its thread reaches
    /// it.
    late: Vec<bool>,
    /// By event, for the begin of an atomic block: the position of the end in its thread's list.
    block_ends: Vec<u32>,
    /// By event: its thread and its position in the thread's list.
    positions: Vec<(ThreadId, u32)>,
    /// By event, for a sleep: the ways in which its wake can happen without a signal.
    impatient: Vec<Vec<Choice>>,
    /// All events that awaits name, sorted.
    watched: Vec<EventId>,
    pub(crate) foreign_unlocks: ForeignUnlocks,
}

impl<'g> Plan<'g> {
    pub fn new(graph: &'g EventGraph) -> Result<Plan<'g>, Vec<GraphError>> {
        check(graph)?;
        let scopes = Scopes::new(graph);
        let mut late = vec![false; graph.events.len()];
        let mut block_ends = vec![0; graph.events.len()];
        let mut positions = vec![(ThreadId(0), 0); graph.events.len()];
        for (number, thread) in graph.threads.iter().enumerate() {
            let mut end = 0;
            for (position, event) in thread.events.iter().enumerate().rev() {
                positions[event.index()] = (ThreadId(number as u32), position as u32);
                match &graph.events[event.index()].kind {
                    Kind::Assume { condition } | Kind::Assert { condition } => {
                        late[event.index()] = !scopes.known(*condition, ThreadId(number as u32), position as u32);
                    }
                    Kind::AtomicEnd => end = position as u32,
                    Kind::AtomicBegin => block_ends[event.index()] = end,
                    _ => {}
                }
            }
        }
        let mut impatient = vec![Vec::new(); graph.events.len()];
        for event in &graph.events {
            if let Kind::Wake { sleep, timed_out, spurious } = event.kind {
                let timed_out = timed_out.map(|_| Choice::TimedOut);
                impatient[sleep.index()] = timed_out.into_iter().chain(spurious.then_some(Choice::Spurious)).collect();
            }
        }
        let rounds = graph.events.iter().filter_map(|event| match &event.kind {
            Kind::Await { round } => Some(round),
            _ => None,
        });
        let watched: BTreeSet<EventId> = rounds.flatten().copied().collect();
        let watched = watched.into_iter().collect();
        let foreign_unlocks = ForeignUnlocks::new(graph);
        Ok(Plan { graph, scopes, late, block_ends, positions, impatient, watched, foreign_unlocks })
    }

    /// Whether some condition can only be evaluated at the end.
    pub fn judges_late(&self) -> bool {
        self.late.contains(&true)
    }

    /// Whether this assumption or assertion is evaluated at the end.
    pub fn is_late(&self, event: EventId) -> bool {
        self.late[event.index()]
    }
}

/// The state of an execution: all that its future depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    memory: Memory,
    threads: Vec<ThreadState>,
    mutexes: BTreeMap<Location, Holding>,
    /// By read/write lock or once-control and thread: acquisitions minus releases, where that is not zero.
    holds: BTreeMap<(Location, ThreadId), i32>,
    /// By symbol.
    symbols: Pages<Option<u128>>,
    /// The thread that is inside an atomic block, and the position of the block's end in its list.
    inside: Option<(ThreadId, u32)>,
    /// In the order in which they happened.
    failed: Vec<EventId>,
    /// Conditions that are evaluated at the end, sorted.
    pending: Vec<EventId>,
    /// In a prefix: the event that ended the process.
    ended: Option<EventId>,
    /// Events named by awaits that might read another value, or acquire their mutex, by now.
    outdated: BTreeSet<EventId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ThreadState {
    forked: bool,
    exited: bool,
    /// Of the next event whose guard holds.
    position: u32,
    last: Option<EventId>,
    asleep: Option<Sleeper>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sleeper {
    sleep: EventId,
    condition: Location,
    mutex: Location,
    signalled: bool,
    /// Why the thread no longer waits for a signal; signals then do not wake it.
    gave_up: Option<Choice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Holding {
    owner: ThreadId,
    depth: u32,
}

/// The next step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    NotForked,
    /// The event can happen, or its happening is a violation. While another thread is inside an atomic block it has to
    /// wait all the same.
    Ready(EventId),
    Blocked(Stuck),
    Finished,
}

#[derive(Clone, Debug)]
pub struct Machine<'p> {
    plan: &'p Plan<'p>,
    extent: Extent,
    state: State,
    values: Values,
}

impl<'p> Machine<'p> {
    /// The state before the first event. The inputs' values are in the order of the graph's inputs.
    pub fn new(plan: &'p Plan<'p>, inputs: &[Value], extent: Extent) -> Result<Machine<'p>, Reason> {
        let graph = plan.graph;
        if inputs.len() != graph.inputs.len() {
            return Err(Reason::Inputs { expected: graph.inputs.len(), found: inputs.len() });
        }
        let mut values = Values::new(&graph.terms);
        for (position, (&input, value)) in graph.inputs.iter().zip(inputs).enumerate() {
            if value.sort() != graph.terms.sort(input) {
                return Err(Reason::InputSort { position });
            }
            values.define(input, word_of(*value));
        }
        let mut memory = Memory::default();
        for (number, object) in graph.objects.iter().enumerate() {
            for initial in &object.initial {
                let location = Location { object: number as u32, offset: initial.offset };
                let word = values.evaluate(&graph.terms, initial.value);
                memory.write(location, graph.terms.width(initial.value) / 8, word);
            }
        }
        let thread = |number| ThreadState { forked: number == 0, exited: false, position: 0, last: None, asleep: None };
        let state = State {
            memory,
            threads: (0..graph.threads.len()).map(thread).collect(),
            holds: BTreeMap::new(),
            mutexes: BTreeMap::new(),
            symbols: Pages::new(graph.terms.symbols().len(), None),
            inside: None,
            failed: Vec::new(),
            pending: Vec::new(),
            ended: None,
            outdated: BTreeSet::new(),
        };
        let mut machine = Machine { plan, extent, state, values };
        for number in 0..graph.threads.len() {
            machine.settle(ThreadId(number as u32));
        }
        Ok(machine)
    }

    pub fn plan(&self) -> &'p Plan<'p> {
        self.plan
    }

    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Machines of one plan, with the same inputs, in equal states have the same future.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// A hash of the state, without the values read that are no longer needed.
    pub(crate) fn digest(&self, uses: &Uses) -> u64 {
        let state = &self.state;
        let mut hasher = DefaultHasher::new();
        (&state.memory, &state.mutexes, state.inside, &state.failed, &state.pending).hash(&mut hasher);
        for thread in &state.threads {
            (thread.forked, thread.exited, thread.position, thread.asleep).hash(&mut hasher);
        }
        for (number, used) in uses.symbols.iter().enumerate() {
            let needed = used.is_some_and(|(thread, last)| last >= state.threads[thread.index()].position);
            if needed && let Some(value) = state.symbols.get(number) {
                (number, value).hash(&mut hasher);
            }
        }
        state.outdated.hash(&mut hasher);
        hasher.finish()
    }

    /// Whether the thread holds a mutex.
    pub(crate) fn holds_any(&self, thread: ThreadId) -> bool {
        self.state.mutexes.values().any(|holding| holding.owner == thread)
    }

    /// The position of the thread's next event whose guard holds.
    pub(crate) fn position(&self, thread: ThreadId) -> u32 {
        self.state.threads[thread.index()].position
    }

    /// The current contents of memory.
    pub(crate) fn read(&self, location: Location, bytes: u32) -> u128 {
        self.state.memory.read(location, bytes)
    }

    /// Whether a condition would hold if a symbol had this value.
    pub(crate) fn suppose(&self, symbol: Term, word: u128, condition: Term) -> bool {
        self.values.suppose(&self.plan.graph.terms, Some(symbol), word, condition) == 1
    }

    /// The part of its list that a thread has behind it, in thousandths.
    pub(crate) fn part(&self, thread: ThreadId) -> u64 {
        let all = self.plan.graph.threads[thread.index()].events.len() as u64;
        u64::from(self.state.threads[thread.index()].position) * 1000 / all.max(1)
    }

    /// Assertions that happened and failed, except those that are evaluated at the end.
    pub fn failed(&self) -> &[EventId] {
        &self.state.failed
    }

    /// The event that ended the process, after which no event can happen.
    pub fn ended(&self) -> Option<EventId> {
        self.state.ended
    }

    /// The thread inside an atomic block; no other thread can take a step.
    pub fn inside(&self) -> Option<ThreadId> {
        self.state.inside.map(|(thread, _)| thread)
    }

    pub fn happened(&self, event: EventId) -> bool {
        let (thread, position) = self.plan.positions[event.index()];
        let passed = self.state.threads[thread.index()].position > position;
        // The guard was evaluated when the thread reached this position.
        passed && self.values.find(&self.plan.graph.terms, self.event(event).guard) == Some(1)
    }

    /// The last event of the thread that happened.
    pub(crate) fn last(&self, thread: ThreadId) -> Option<EventId> {
        self.state.threads[thread.index()].last
    }

    /// The position after the last event of the thread that happened.
    pub(crate) fn behind_last(&self, thread: ThreadId) -> u32 {
        self.last(thread).map_or(0, |last| self.plan.positions[last.index()].1 + 1)
    }

    pub(crate) fn pending(&self) -> &[EventId] {
        &self.state.pending
    }

    /// The value of a symbol, if its event has happened.
    pub fn value(&self, symbol: Term) -> Option<u128> {
        match self.plan.graph.terms.op(symbol) {
            formula::Op::Symbol(symbol) => self.state.symbols.get(symbol.0 as usize),
            _ => None,
        }
    }

    /// The value of a boolean term all of whose symbols have values.
    pub(crate) fn judge(&self, term: Term) -> bool {
        self.values.suppose(&self.plan.graph.terms, None, 0, term) == 1
    }

    /// The value of a bit-vector term, likewise.
    pub(crate) fn word(&self, term: Term) -> u128 {
        self.values.suppose(&self.plan.graph.terms, None, 0, term)
    }

    pub fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.plan.graph.threads.len() as u32).map(ThreadId)
    }

    /// The next event of a thread, whether it can happen or not.
    pub fn next(&self, thread: ThreadId) -> Option<EventId> {
        let position = self.state.threads[thread.index()].position as usize;
        self.plan.graph.threads[thread.index()].events.get(position).copied()
    }

    pub fn status(&self, thread: ThreadId) -> Status {
        if !self.state.threads[thread.index()].forked {
            return Status::NotForked;
        }
        let Some(event) = self.next(thread) else { return Status::Finished };
        match self.obstacle(thread, event) {
            Some(waits_for) => Status::Blocked(Stuck { thread, event, waits_for, certain: true }),
            None => Status::Ready(event),
        }
    }

    fn event(&self, id: EventId) -> &'p Event {
        &self.plan.graph.events[id.index()]
    }

    /// Why the thread's next event is not enabled.
    fn obstacle(&self, thread: ThreadId, event: EventId) -> Option<Obstacle> {
        match &self.event(event).kind {
            Kind::Lock { mutex, recursive } => self.held_against(thread, self.location(mutex), *recursive),
            Kind::Join { child } => {
                (!self.state.threads[child.index()].exited).then_some(Obstacle::Exit { child: *child })
            }
            Kind::Access(access) => {
                let location = self.location(&access.address);
                let waits = |()| Obstacle::Memory { location, holders: self.holders(access, location) };
                (!self.enabled(access, location)).then_some(()).map(waits)
            }
            Kind::Wake { timed_out, spurious, .. } => {
                let sleeper = self.state.threads[thread.index()].asleep?;
                if !sleeper.signalled && timed_out.is_none() && !spurious {
                    return Some(Obstacle::Signal { condition: sleeper.condition });
                }
                self.held_against(thread, sleeper.mutex, self.sleeps_recursively(sleeper.sleep))
            }
            Kind::Await { round } => {
                let again = |looked: &EventId| !self.happened(*looked) || !self.state.outdated.contains(looked);
                round.iter().all(again).then_some(Obstacle::Repetition)
            }
            _ => None,
        }
    }

    /// The threads that own the read/write lock or once-control that an access waits for.
    fn holders(&self, access: &Access, location: Location) -> Vec<ThreadId> {
        if access.hold() != Some(Hold::Acquire) {
            return Vec::new();
        }
        let first = (location, ThreadId(0));
        let own = self.state.holds.range(first..).take_while(|((at, _), _)| *at == location);
        own.filter(|(_, balance)| **balance > 0).map(|((_, thread), _)| *thread).collect()
    }

    fn sleeps_recursively(&self, sleep: EventId) -> bool {
        matches!(self.event(sleep).kind, Kind::Sleep { recursive: true, .. })
    }

    fn held_against(&self, thread: ThreadId, mutex: Location, recursive: bool) -> Option<Obstacle> {
        let holder = self.state.mutexes.get(&mutex)?.owner;
        if recursive && holder == thread { None } else { Some(Obstacle::Mutex { mutex, holder }) }
    }

    /// The location of an address of some thread's next event, which has been evaluated.
    fn location(&self, address: &Address) -> Location {
        let terms = &self.plan.graph.terms;
        let word = |term| self.values.find(terms, term).unwrap_or(0) as u32;
        Location { object: word(address.object), offset: word(address.offset) }
    }

    fn in_bounds(&self, location: Location, bytes: u32) -> bool {
        let object = self.plan.graph.objects.get(location.object as usize);
        object.is_some_and(|object| u64::from(location.offset) + u64::from(bytes) <= u64::from(object.bytes))
    }

    fn enabled(&self, access: &Access, location: Location) -> bool {
        let terms = &self.plan.graph.terms;
        if terms.as_bool(access.enabled) == Some(true) || !self.in_bounds(location, access.bytes) {
            return true;
        }
        let old = self.state.memory.read(location, access.bytes);
        self.values.suppose(terms, access.old, old, access.enabled) == 1
    }

    /// Whether the thread's next event would read a value with which a following assumption fails, or with which its
    /// loop has no side effects.
    pub fn dooms(&self, thread: ThreadId) -> bool {
        /// Assumptions stand near the reads that they constrain.
        const AHEAD: usize = 16;
        let graph = self.plan.graph;
        let position = self.state.threads[thread.index()].position;
        let events = &graph.threads[thread.index()].events[position as usize..];
        let Some(Kind::Access(access)) = events.first().map(|event| &self.event(*event).kind) else { return false };
        let (Some(old), location) = (access.old, self.location(&access.address)) else { return false };
        if !self.in_bounds(location, access.bytes) {
            return true;
        }
        let word = self.state.memory.read(location, access.bytes);
        let known = |term| self.plan.scopes.known(term, thread, position + 1);
        let holds = |term| self.values.suppose(&graph.terms, Some(old), word, term) == 1;
        events.iter().skip(1).take(AHEAD).map(|event| self.event(*event)).any(|event| match event.kind {
            Kind::Assume { condition } => {
                known(condition) && known(event.guard) && holds(event.guard) && !holds(condition)
            }
            Kind::Await { .. } => known(event.guard) && holds(event.guard),
            _ => false,
        })
    }

    /// The choices of the environment for the next event of a thread, which is enabled.
    pub fn choices(&self, event: EventId) -> Vec<Choice> {
        match &self.event(event).kind {
            Kind::Signal { condition } => {
                let condition = self.location(condition);
                let found: Vec<Choice> = self.sleepers(condition).map(|(_, sleep)| Choice::Wakes(sleep)).collect();
                if found.is_empty() { vec![Choice::Only] } else { found }
            }
            // Whether the wait ends before any signal is decided when the thread falls asleep.
            Kind::Sleep { .. } => {
                let ways = self.plan.impatient[event.index()].iter().copied();
                [Choice::Only].into_iter().chain(ways).collect()
            }
            Kind::Wake { sleep, .. } => match self.state.threads[self.event(event).thread.index()].asleep {
                Some(Sleeper { gave_up: Some(way), .. }) => vec![way],
                Some(Sleeper { signalled: false, .. }) => self.plan.impatient[sleep.index()].clone(),
                _ => vec![Choice::Only],
            },
            _ => vec![Choice::Only],
        }
    }

    /// The threads that sleep there and have not been signalled.
    fn sleepers(&self, condition: Location) -> impl Iterator<Item = (usize, EventId)> + '_ {
        let sleeping = move |(number, thread): (usize, &ThreadState)| {
            let sleeper = thread
                .asleep
                .filter(|sleeper| !sleeper.signalled && sleeper.gave_up.is_none() && sleeper.condition == condition)?;
            Some((number, sleeper.sleep))
        };
        self.state.threads.iter().enumerate().filter_map(sleeping)
    }

    /// Whether the thread sleeps there and has not been signalled.
    pub(crate) fn waits_for_signal(&self, thread: ThreadId, condition: Location) -> bool {
        self.sleepers(condition).any(|(number, _)| number == thread.index())
    }

    /// Executes an event, or returns why it cannot happen; the state is then unchanged.
    pub fn step(&mut self, step: Step) -> Result<Effect, Reason> {
        let Some(event) = self.plan.graph.events.get(step.event.index()) else { return Err(Reason::NoSuchEvent) };
        let thread = event.thread;
        if let (Extent::Prefix, Some(&assertion)) = (self.extent, self.state.failed.first()) {
            return Err(Reason::AfterFailure { assertion });
        }
        if let Some(end) = self.state.ended {
            return Err(Reason::AfterEnd { end });
        }
        match self.status(thread) {
            Status::NotForked => return Err(Reason::NotForked),
            Status::Finished => return Err(Reason::Finished),
            Status::Ready(next) if next != step.event => return Err(Reason::NotNext { expected: next }),
            Status::Blocked(stuck) if stuck.event != step.event => {
                return Err(Reason::NotNext { expected: stuck.event });
            }
            Status::Blocked(stuck) => return Err(Reason::Blocked(stuck.waits_for)),
            Status::Ready(_) => {}
        }
        if let Some((owner, _)) = self.state.inside.filter(|(owner, _)| *owner != thread) {
            return Err(Reason::Atomic { owner });
        }
        if step.choice != Choice::Only || matches!(event.kind, Kind::Signal { .. } | Kind::Wake { .. }) {
            let choices = self.choices(step.event);
            if !choices.contains(&step.choice) {
                return Err(Reason::Choice(step.choice));
            }
        }
        let effect = self.perform(thread, step, event)?;
        let state = &mut self.state.threads[thread.index()];
        state.last = Some(step.event);
        state.position += 1;
        self.settle(thread);
        Ok(effect)
    }

    /// Advances to the next event whose guard holds, and evaluates the addresses that it names.
    fn settle(&mut self, thread: ThreadId) {
        let graph = self.plan.graph;
        let events = &graph.threads[thread.index()].events;
        let mut position = self.state.threads[thread.index()].position as usize;
        while let Some(event) = events.get(position) {
            let event = &graph.events[event.index()];
            if self.values.evaluate(&graph.terms, event.guard) == 1 {
                let (first, second) = addresses(&event.kind);
                for address in first.into_iter().chain(second) {
                    self.values.evaluate(&graph.terms, address.object);
                    self.values.evaluate(&graph.terms, address.offset);
                }
                break;
            }
            position += 1;
        }
        self.state.threads[thread.index()].position = position as u32;
        let left = |&(owner, end): &(ThreadId, u32)| owner == thread && (position as u32 > end);
        if self.state.inside.as_ref().is_some_and(left) {
            self.state.inside = None;
        }
    }

    fn perform(&mut self, thread: ThreadId, step: Step, event: &Event) -> Result<Effect, Reason> {
        match &event.kind {
            Kind::Start => {}
            Kind::Exit => self.state.threads[thread.index()].exited = true,
            Kind::Fork { child } => {
                if std::mem::replace(&mut self.state.threads[child.index()].forked, true) {
                    return Err(Reason::ForkedTwice { child: *child });
                }
            }
            Kind::Join { .. } => {}
            Kind::Access(access) => return self.access(thread, access),
            Kind::Lock { mutex, .. } => {
                let mutex = self.location(mutex);
                self.take(thread, mutex);
                return Ok(Effect::Synchronised { mutex });
            }
            Kind::Unlock { mutex, recursive, .. } => {
                let mutex = self.location(mutex);
                self.release(thread, mutex, *recursive);
                return Ok(Effect::Synchronised { mutex });
            }
            Kind::TryLock { mutex, recursive, taken } => {
                let mutex = self.location(mutex);
                let free = self.held_against(thread, mutex, *recursive).is_none();
                self.define(*taken, u128::from(free));
                if !free {
                    return Ok(Effect::Refused { mutex });
                }
                self.take(thread, mutex);
                // A second attempt would fail, so this iteration has a side effect.
                self.state.outdated.insert(step.event);
                return Ok(Effect::Synchronised { mutex });
            }
            Kind::Sleep { condition, mutex, recursive } => {
                let (condition, mutex) = (self.location(condition), self.location(mutex));
                self.release(thread, mutex, *recursive);
                let gave_up = Some(step.choice).filter(|&choice| choice != Choice::Only);
                let sleeper = Sleeper { sleep: step.event, condition, mutex, signalled: false, gave_up };
                self.state.threads[thread.index()].asleep = Some(sleeper);
                return Ok(Effect::Synchronised { mutex });
            }
            Kind::Wake { timed_out, .. } => {
                if let Some(timed_out) = timed_out {
                    self.define(*timed_out, u128::from(step.choice == Choice::TimedOut));
                }
                if let Some(sleeper) = self.state.threads[thread.index()].asleep.take() {
                    self.take(thread, sleeper.mutex);
                    return Ok(Effect::Synchronised { mutex: sleeper.mutex });
                }
            }
            Kind::Signal { condition } => {
                let condition = self.location(condition);
                let woken = self.wake(condition, |sleep| step.choice == Choice::Wakes(sleep));
                return Ok(Effect::Notified { condition, woken });
            }
            Kind::Broadcast { condition } => {
                let condition = self.location(condition);
                let woken = self.wake(condition, |_| true);
                return Ok(Effect::Notified { condition, woken });
            }
            Kind::AtomicBegin => self.state.inside = Some((thread, self.plan.block_ends[step.event.index()])),
            Kind::AtomicEnd => {}
            Kind::Assume { condition } | Kind::Assert { condition } => {
                return self.judge_now(step.event, event, *condition);
            }
            Kind::Await { .. } => return Err(Reason::Idle),
            Kind::Cut => return Err(Reason::Cut),
            Kind::End => {
                if self.extent == Extent::Prefix {
                    self.state.ended = Some(step.event);
                }
            }
        }
        Ok(Effect::Nothing)
    }

    fn judge_now(&mut self, id: EventId, event: &Event, condition: Term) -> Result<Effect, Reason> {
        if self.plan.late[id.index()] {
            let place = self.state.pending.partition_point(|&pending| pending < id);
            self.state.pending.insert(place, id);
            return Ok(Effect::Judged { holds: None });
        }
        let holds = self.values.evaluate(&self.plan.graph.terms, condition) == 1;
        if !holds {
            if matches!(event.kind, Kind::Assume { .. }) {
                return Err(Reason::Assumption);
            }
            self.state.failed.push(id);
        }
        Ok(Effect::Judged { holds: Some(holds) })
    }

    fn access(&mut self, thread: ThreadId, access: &Access) -> Result<Effect, Reason> {
        let terms = &self.plan.graph.terms;
        let location = self.location(&access.address);
        if !self.in_bounds(location, access.bytes) {
            return Err(Reason::OutOfBounds { location, bytes: access.bytes });
        }
        let read = access.old.map(|old| {
            let word = self.state.memory.read(location, access.bytes);
            self.define(old, word);
            word
        });
        let written = access.new.filter(|_| self.values.evaluate(terms, access.writes) == 1);
        let written = written.map(|new| {
            let word = self.values.evaluate(terms, new);
            self.state.memory.write(location, access.bytes, word);
            word
        });
        if written.is_some() {
            self.outdate(thread, Some((location, access.bytes)), None);
            self.change_owner(thread, access, location);
        }
        Ok(Effect::Accessed { location, read, written })
    }

    fn change_owner(&mut self, thread: ThreadId, access: &Access, location: Location) {
        let change = match access.hold() {
            Some(Hold::Acquire) => 1,
            Some(Hold::Release) => -1,
            None => return,
        };
        let balance = self.state.holds.entry((location, thread)).or_insert(0);
        *balance += change;
        if *balance == 0 {
            self.state.holds.remove(&(location, thread));
        }
    }

    fn define(&mut self, symbol: Term, word: u128) {
        self.values.define(symbol, word);
        if let formula::Op::Symbol(symbol) = self.plan.graph.terms.op(symbol) {
            self.state.symbols.set(symbol.0 as usize, Some(word));
        }
    }

    /// Acquires one level; the caller has checked that no other thread owns the mutex.
    fn take(&mut self, thread: ThreadId, mutex: Location) {
        let holding = self.state.mutexes.entry(mutex).or_insert(Holding { owner: thread, depth: 0 });
        holding.depth += 1;
    }

    /// Marks as outdated the reads of other threads where a thread writes, and the failed try-locks of a mutex that is
    /// released.
    fn outdate(&mut self, thread: ThreadId, written: Option<(Location, u32)>, released: Option<Location>) {
        let overlaps = |(one, bytes): (Location, u32), (other, others): (Location, u32)| {
            let end = |at: Location, bytes: u32| u64::from(at.offset) + u64::from(bytes);
            one.object == other.object
                && u64::from(one.offset) < end(other, others)
                && u64::from(other.offset) < end(one, bytes)
        };
        let mut found = Vec::new();
        for &looked in self.plan.watched.iter().filter(|looked| self.happened(**looked)) {
            let event = self.event(looked);
            let meets = match &event.kind {
                Kind::Access(access) => {
                    let place = (self.location(&access.address), access.bytes);
                    event.thread != thread && written.is_some_and(|written| overlaps(written, place))
                }
                Kind::TryLock { mutex, .. } => released == Some(self.location(mutex)),
                _ => false,
            };
            found.extend(meets.then_some(looked));
        }
        self.state.outdated.extend(found);
    }

    fn release(&mut self, thread: ThreadId, mutex: Location, recursive: bool) {
        self.outdate(thread, None, Some(mutex));
        match self.state.mutexes.get_mut(&mutex) {
            Some(holding) if recursive && holding.owner == thread && holding.depth > 1 => holding.depth -= 1,
            _ => {
                self.state.mutexes.remove(&mutex);
            }
        }
    }

    fn wake(&mut self, condition: Location, chosen: impl Fn(EventId) -> bool) -> u32 {
        let woken: Vec<usize> =
            self.sleepers(condition).filter(|(_, sleep)| chosen(*sleep)).map(|(number, _)| number).collect();
        for &number in &woken {
            if let Some(sleeper) = &mut self.state.threads[number].asleep {
                sleeper.signalled = true;
            }
        }
        woken.len() as u32
    }

    /// The event that defines a symbol of this condition that has no value yet, if there is one.
    pub(crate) fn without_value(&self, condition: Term) -> Option<EventId> {
        let graph = self.plan.graph;
        let missing = |symbol: &Term| {
            let definition = self.plan.scopes.definition(graph, *symbol)?;
            self.value(*symbol).is_none().then_some(definition.event)
        };
        graph.terms.free_symbols(condition).iter().find_map(missing)
    }
}

fn word_of(value: Value) -> u128 {
    match value {
        Value::Bool(value) => u128::from(value),
        Value::Bits { width, value } if width < 128 => value & ((1 << width) - 1),
        Value::Bits { value, .. } => value,
    }
}

fn addresses(kind: &Kind) -> (Option<&Address>, Option<&Address>) {
    match kind {
        Kind::Access(access) => (Some(&access.address), None),
        Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } | Kind::TryLock { mutex, .. } => (Some(mutex), None),
        Kind::Sleep { condition, mutex, .. } => (Some(condition), Some(mutex)),
        Kind::Signal { condition } | Kind::Broadcast { condition } => (Some(condition), None),
        _ => (None, None),
    }
}
