//! Builds graphs event by event: translates each operation of a program into its events.
//!
//! Synchronisation objects that wait on memory are accesses with terms: those of the scripts in
//! [`semantics::primitives`].

use formula::{Sort, Term, Terms};
use run::ThreadName;
use semantics::primitives::{Change, barrier, once, rwlock, semaphore};

use crate::graph::{
    Access, Address, Event, EventGraph, EventId, Initial, Kind, Label, Object, ObjectId, Place, Thread, ThreadId,
};
use crate::words::Words;

/// Adds events with the current guard and place.
#[derive(Clone, Debug)]
pub struct Builder {
    graph: EventGraph,
    guard: Term,
    place: Option<Place>,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder::new()
    }
}

/// All bits of a word of that many bytes.
fn mask(bytes: u32) -> u128 {
    (1 << (8 * bytes)) - 1
}

/// The effect of an access, depending on the value it reads.
struct Update {
    enabled: Term,
    new: Option<Term>,
    writes: Term,
}

impl Builder {
    pub fn new() -> Builder {
        let graph = EventGraph::default();
        let guard = graph.terms.truth();
        Builder { graph, guard, place: None }
    }

    pub fn terms(&mut self) -> &mut Terms {
        &mut self.graph.terms
    }

    pub fn graph(&self) -> &EventGraph {
        &self.graph
    }

    /// The graph, with an exit at the end of each thread.
    pub fn finish(mut self) -> EventGraph {
        self.guard = self.graph.terms.truth();
        self.place = None;
        for number in 0..self.graph.threads.len() {
            self.event(ThreadId(number as u32), Kind::Exit);
        }
        self.graph
    }

    /// Removes all events but the first `events`.
    pub fn truncate(&mut self, events: usize) {
        for event in self.graph.events.drain(events.min(self.graph.events.len())..) {
            self.graph.threads[event.thread.index()].events.pop();
        }
    }

    pub fn guard(&self) -> Term {
        self.guard
    }

    /// Sets the guard of all events added from now on.
    pub fn set_guard(&mut self, guard: Term) {
        self.guard = guard;
    }

    /// Sets the place of all events added from now on.
    pub fn set_place(&mut self, place: Option<Place>) {
        self.place = place;
    }

    /// Adds a thread with its start event. The first thread is the main thread.
    pub fn thread(&mut self, name: ThreadName) -> ThreadId {
        let id = ThreadId(self.graph.threads.len() as u32);
        self.graph.threads.push(Thread { name, events: Vec::new() });
        let guard = std::mem::replace(&mut self.guard, self.graph.terms.truth());
        self.event(id, Kind::Start);
        self.guard = guard;
        id
    }

    pub fn object(&mut self, name: impl Into<String>, bytes: u32) -> ObjectId {
        let id = ObjectId(self.graph.objects.len() as u32);
        self.graph.objects.push(Object { name: name.into(), bytes, initial: Vec::new() });
        id
    }

    pub fn initial(&mut self, object: ObjectId, offset: u32, value: Term) {
        self.graph.objects[object.index()].initial.push(Initial { offset, value });
    }

    pub fn input(&mut self, name: impl Into<String>, sort: Sort) -> Term {
        let symbol = self.graph.terms.symbol(name, sort);
        self.graph.inputs.push(symbol);
        symbol
    }

    /// A constant address.
    pub fn address(&mut self, object: ObjectId, offset: u32) -> Address {
        let object = self.graph.terms.bits(32, u128::from(object.0));
        let offset = self.graph.terms.bits(32, u128::from(offset));
        Address { object, offset }
    }

    /// A constant of `bytes` bytes.
    pub fn constant(&mut self, bytes: u32, value: u128) -> Term {
        self.graph.terms.bits(8 * bytes, value)
    }

    pub fn event(&mut self, thread: ThreadId, kind: Kind) -> EventId {
        let id = EventId(self.graph.events.len() as u32);
        self.graph.events.push(Event { thread, guard: self.guard, kind, place: self.place.clone() });
        self.graph.threads[thread.index()].events.push(id);
        id
    }

    /// Replaces the kind of an event that was added with a provisional one.
    pub fn set_kind(&mut self, event: EventId, kind: Kind) {
        self.graph.events[event.index()].kind = kind;
    }

    /// Replaces the guard of an event that was added with a provisional one.
    pub fn change_guard(&mut self, event: EventId, guard: Term) {
        self.graph.events[event.index()].guard = guard;
    }

    fn access(
        &mut self,
        thread: ThreadId,
        label: Label,
        address: Address,
        bytes: u32,
        update: impl FnOnce(&mut Terms, Term) -> Update,
    ) -> Term {
        let name = format!("r{}", self.graph.events.len());
        let old = self.graph.terms.symbol(name, Sort::Bits(8 * bytes));
        let Update { enabled, new, writes } = update(&mut self.graph.terms, old);
        self.event(thread, Kind::Access(Access { label, address, bytes, old: Some(old), enabled, new, writes }));
        old
    }

    /// Returns the value read.
    pub fn read(&mut self, thread: ThreadId, address: Address, bytes: u32) -> Term {
        self.spin_labelled(thread, Label::Read, address, bytes, |terms, _| terms.truth())
    }

    /// A read whose value is the symbol `old`.
    pub fn read_into(&mut self, thread: ThreadId, address: Address, old: Term) -> EventId {
        let (enabled, writes) = (self.graph.terms.truth(), self.graph.terms.falsehood());
        let bytes = self.graph.terms.width(old) / 8;
        let access = Access { label: Label::Read, address, bytes, old: Some(old), enabled, new: None, writes };
        self.event(thread, Kind::Access(access))
    }

    /// Writes as many bytes as the value has.
    pub fn write(&mut self, thread: ThreadId, address: Address, value: Term) -> EventId {
        self.write_labelled(thread, Label::Write, address, value)
    }

    fn write_labelled(&mut self, thread: ThreadId, label: Label, address: Address, value: Term) -> EventId {
        let truth = self.graph.terms.truth();
        let bytes = self.graph.terms.width(value) / 8;
        let access = Access { label, address, bytes, old: None, enabled: truth, new: Some(value), writes: truth };
        self.event(thread, Kind::Access(access))
    }

    /// Returns the old value.
    pub fn rmw(
        &mut self,
        thread: ThreadId,
        address: Address,
        bytes: u32,
        new: impl FnOnce(&mut Terms, Term) -> Term,
    ) -> Term {
        self.access(thread, Label::Rmw, address, bytes, |terms, old| {
            let new = Some(new(terms, old));
            Update { enabled: terms.truth(), new, writes: terms.truth() }
        })
    }

    /// Returns the old value; the exchange has happened if that equals `expected`.
    pub fn compare_exchange(&mut self, thread: ThreadId, address: Address, expected: Term, desired: Term) -> Term {
        let bytes = self.graph.terms.width(expected) / 8;
        self.access(thread, Label::Rmw, address, bytes, |terms, old| Update {
            enabled: terms.truth(),
            new: Some(desired),
            writes: terms.eq(old, expected),
        })
    }

    /// Waits until the condition holds for the value at the address; returns that value.
    pub fn spin(
        &mut self,
        thread: ThreadId,
        address: Address,
        bytes: u32,
        until: impl FnOnce(&mut Terms, Term) -> Term,
    ) -> Term {
        self.spin_labelled(thread, Label::Spin, address, bytes, until)
    }

    fn spin_labelled(
        &mut self,
        thread: ThreadId,
        label: Label,
        address: Address,
        bytes: u32,
        until: impl FnOnce(&mut Terms, Term) -> Term,
    ) -> Term {
        self.access(thread, label, address, bytes, |terms, old| Update {
            enabled: until(terms, old),
            new: None,
            writes: terms.falsehood(),
        })
    }

    pub fn sem_post(&mut self, thread: ThreadId, semaphore: Address, bytes: u32) -> Term {
        self.script(thread, Label::SemPost, semaphore, bytes, |words, old| semaphore::add(words, old))
    }

    pub fn sem_wait(&mut self, thread: ThreadId, semaphore: Address, bytes: u32) -> Term {
        self.script(thread, Label::SemWait, semaphore, bytes, |words, old| semaphore::take(words, old))
    }

    /// Returns whether it decremented the semaphore.
    pub fn sem_try_wait(&mut self, thread: ThreadId, semaphore: Address, bytes: u32) -> Term {
        let old =
            self.script(thread, Label::SemTryWait, semaphore, bytes, |words, old| semaphore::try_take(words, old));
        let zero = self.constant(bytes, 0);
        self.graph.terms.ne(old, zero)
    }

    pub fn read_lock(&mut self, thread: ThreadId, lock: Address, bytes: u32) -> Term {
        self.script(thread, Label::ReadLock, lock, bytes, |words, old| rwlock::read(words, old))
    }

    /// Returns whether it acquired the lock.
    pub fn try_read_lock(&mut self, thread: ThreadId, lock: Address, bytes: u32) -> Term {
        let old = self.script(thread, Label::TryReadLock, lock, bytes, |words, old| rwlock::try_read(words, old));
        let writer = self.constant(bytes, u128::from(rwlock::WRITER) & mask(bytes));
        self.graph.terms.ne(old, writer)
    }

    pub fn write_lock(&mut self, thread: ThreadId, lock: Address, bytes: u32) -> Term {
        self.script(thread, Label::WriteLock, lock, bytes, |words, old| rwlock::write(words, old))
    }

    /// Returns whether it acquired the lock.
    pub fn try_write_lock(&mut self, thread: ThreadId, lock: Address, bytes: u32) -> Term {
        let old = self.script(thread, Label::TryWriteLock, lock, bytes, |words, old| rwlock::try_write(words, old));
        let zero = self.constant(bytes, 0);
        self.graph.terms.eq(old, zero)
    }

    /// Releases a writer's lock, or that of one reader. A free lock stays free.
    pub fn rw_unlock(&mut self, thread: ThreadId, lock: Address, bytes: u32) -> Term {
        self.script(thread, Label::RwUnlock, lock, bytes, |words, old| rwlock::end(words, old))
    }

    /// Arrives and leaves; returns the number of arrivals before this one.
    pub fn barrier(&mut self, thread: ThreadId, barrier: Address, bytes: u32, parties: u32) -> Term {
        let before = self.arrive(thread, barrier, bytes);
        self.leave(thread, barrier, bytes, parties, before);
        before
    }

    /// Arrives at a barrier; returns the number of arrivals before this one.
    pub fn arrive(&mut self, thread: ThreadId, barrier: Address, bytes: u32) -> Term {
        self.script(thread, Label::BarrierArrive, barrier, bytes, |words, old| barrier::arrive(words, old))
    }

    /// Leaves a barrier when all parties of its round have arrived.
    pub fn leave(&mut self, thread: ThreadId, barrier: Address, bytes: u32, parties: u32, before: Term) {
        let parties = parties.max(1);
        self.script(thread, Label::BarrierLeave, barrier, bytes, |words, total| {
            barrier::leave(words, total, before, parties)
        });
    }

    /// Returns whether this thread executes the function; it then has to call [`Builder::once_done`].
    pub fn once(&mut self, thread: ThreadId, control: Address, bytes: u32) -> Term {
        let old = self.script(thread, Label::Once, control, bytes, |words, old| once::run(words, old));
        let new = self.constant(bytes, u128::from(once::NEW));
        self.graph.terms.eq(old, new)
    }

    pub fn once_done(&mut self, thread: ThreadId, control: Address, bytes: u32) -> EventId {
        let done = self.constant(bytes, u128::from(once::DONE));
        self.write_labelled(thread, Label::Once, control, done)
    }

    /// The function ended with an exception: the next caller executes it again.
    pub fn once_cancelled(&mut self, thread: ThreadId, control: Address, bytes: u32) -> EventId {
        let again = self.constant(bytes, u128::from(once::NEW));
        self.write_labelled(thread, Label::Once, control, again)
    }

    /// An access with which a script of the runtime changes the word of an object; returns the word before it.
    fn script(
        &mut self,
        thread: ThreadId,
        label: Label,
        address: Address,
        bytes: u32,
        change: impl for<'t> FnOnce(&mut Words<'t>, Term) -> Change<Words<'t>>,
    ) -> Term {
        self.access(thread, label, address, bytes, |terms, old| {
            let mut words = Words { terms, bits: 8 * bytes };
            let Change { enabled, writes, new } = change(&mut words, old);
            let new = (terms.as_bool(writes) != Some(false)).then_some(new);
            Update { enabled, new, writes }
        })
    }

    pub fn fork(&mut self, thread: ThreadId, child: ThreadId) -> EventId {
        self.event(thread, Kind::Fork { child })
    }

    pub fn join(&mut self, thread: ThreadId, child: ThreadId) -> EventId {
        self.event(thread, Kind::Join { child })
    }

    pub fn lock(&mut self, thread: ThreadId, mutex: Address, recursive: bool) -> EventId {
        self.event(thread, Kind::Lock { mutex, recursive })
    }

    pub fn unlock(&mut self, thread: ThreadId, mutex: Address, recursive: bool) -> EventId {
        self.event(thread, Kind::Unlock { mutex, recursive, foreign: false })
    }

    /// An unlock by a thread that may not own the mutex.
    pub fn foreign_unlock(&mut self, thread: ThreadId, mutex: Address) -> EventId {
        self.event(thread, Kind::Unlock { mutex, recursive: false, foreign: true })
    }

    /// Returns whether it acquired the mutex.
    pub fn try_lock(&mut self, thread: ThreadId, mutex: Address, recursive: bool) -> Term {
        let taken = self.graph.terms.symbol(format!("taken{}", self.graph.events.len()), Sort::Bool);
        self.event(thread, Kind::TryLock { mutex, recursive, taken });
        taken
    }

    /// Returns the sleep and the wake.
    pub fn wait(&mut self, thread: ThreadId, condition: Address, mutex: Address, spurious: bool) -> (EventId, EventId) {
        let sleep = self.event(thread, Kind::Sleep { condition, mutex, recursive: false });
        (sleep, self.event(thread, Kind::Wake { sleep, timed_out: None, spurious }))
    }

    /// Returns whether it timed out.
    pub fn timed_wait(&mut self, thread: ThreadId, condition: Address, mutex: Address, spurious: bool) -> Term {
        let sleep = self.event(thread, Kind::Sleep { condition, mutex, recursive: false });
        let timed_out = self.graph.terms.symbol(format!("timed_out{}", self.graph.events.len()), Sort::Bool);
        self.event(thread, Kind::Wake { sleep, timed_out: Some(timed_out), spurious });
        timed_out
    }

    pub fn signal(&mut self, thread: ThreadId, condition: Address) -> EventId {
        self.event(thread, Kind::Signal { condition })
    }

    pub fn broadcast(&mut self, thread: ThreadId, condition: Address) -> EventId {
        self.event(thread, Kind::Broadcast { condition })
    }

    pub fn assume(&mut self, thread: ThreadId, condition: Term) -> EventId {
        self.event(thread, Kind::Assume { condition })
    }

    pub fn assert(&mut self, thread: ThreadId, condition: Term) -> EventId {
        self.event(thread, Kind::Assert { condition })
    }
}
