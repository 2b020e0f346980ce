//! Primitives: the machine performs them, and what the others can see of it becomes events.

use events::{Choice, EventId, Kind};
use formula::Term;
use ir::{Code, MutexKind, Primitive};
use semantics::concrete::Word;
use semantics::execute::{Halt, Thread};
use vm::sync::{Once, Sync};
use vm::world::Stop;

use crate::bounded::place::SYNC_BYTES;
use crate::dual::Dual;
use crate::terms;
use crate::trace::Turn;
use crate::world::{Tracer, plain};

type Performed = Result<Option<Dual>, Halt<Stop>>;

impl Tracer<'_> {
    pub fn perform(&mut self, thread: &Thread<Dual>, primitive: Primitive, args: &[Dual]) -> Performed {
        let words: Vec<Word> = args.iter().map(|arg| arg.word).collect();
        match primitive {
            Primitive::RecordBit | Primitive::RecordValue => {
                self.shared.perform(thread, primitive, &words)?;
                return Ok(args.first().copied());
            }
            Primitive::AtomicBegin | Primitive::AtomicEnd => {
                let done = self.shared.perform(thread, primitive, &words)?;
                self.section(primitive == Primitive::AtomicBegin);
                return Ok(done.map(|word| Dual::plain(word, 64)));
            }
            Primitive::ProcessAssume => {
                self.shared.perform(thread, primitive, &words)?;
                if let Some(term) = args[0].term {
                    let width = self.trace.terms().width(term);
                    let zero = self.trace.terms().bits(width, 0);
                    let holds = self.trace.terms().ne(term, zero);
                    self.trace.assume(holds, false);
                }
                return Ok(None);
            }
            Primitive::InputClock | Primitive::ThreadSleep | Primitive::ClockPass => {
                return self.tell_time(thread, primitive, args);
            }
            _ => {}
        }
        if self.trace.is_silent() {
            let done = self.shared.perform(thread, primitive, &words)?;
            return Ok(done.map(|word| Dual::plain(word, 64)));
        }
        for arg in args {
            self.trace.pin(arg);
        }
        let waits = waits_for_others(primitive) && self.count(words[0] as u64);
        if waits || primitive == Primitive::ThreadJoin {
            self.trace.end_section();
            self.trace.me().atomic.gap = true;
        }
        let performed = self.perform_noted(thread, primitive, args, &words);
        self.trace.me().atomic.gap = false;
        performed
    }

    /// The machine performs it, and what others can see of it is noted.
    fn perform_noted(
        &mut self,
        thread: &Thread<Dual>,
        primitive: Primitive,
        args: &[Dual],
        words: &[Word],
    ) -> Performed {
        let before = Before::new(self, primitive, words);
        let performed = self.shared.perform(thread, primitive, words);
        let bits = primitive.results().first().map_or(64, |ty| ty.bits());
        match performed {
            Ok(word) => {
                let term = self.done(primitive, words, word, &before);
                let Some(word) = word else { return Ok(None) };
                Ok(Some(match term {
                    Some(term) => {
                        let term = terms::fit(self.trace.terms(), term, bits);
                        self.trace.dual(word, bits, term)
                    }
                    None => Dual::plain(word, bits),
                }))
            }
            Err(halt) => {
                if let (Halt::Stop(stop), Some(address)) = (&halt, args.first()) {
                    self.failing(stop, address, 1);
                }
                if let Halt::Stay(_) = &halt {
                    self.half_done(primitive, words);
                }
                if let (Halt::After(Stop::Ended), Primitive::ThreadExit) = (&halt, primitive) {
                    self.ended(args.first());
                }
                Err(halt)
            }
        }
    }

    fn count(&mut self, at: u64) -> bool {
        let thread = self.trace.current;
        self.trace.found.use_lock(at, thread);
        self.trace.live && self.trace.sharing.is_lock_shared(at)
    }

    fn is_recursive(&self, at: u64) -> bool {
        matches!(self.shared.syncs.get(at), Some(Sync::Mutex(mutex)) if mutex.kind == MutexKind::Recursive)
    }

    fn event(&mut self, kind: Kind, choice: Choice) -> EventId {
        let id = self.trace.prepare();
        let event = self.trace.builder.event(id, kind);
        self.trace.note(event, choice);
        event
    }

    /// Events that the builder makes, the last of which happens now.
    fn built<T>(&mut self, build: impl FnOnce(&mut events::Builder, events::ThreadId) -> T) -> T {
        let id = self.trace.prepare();
        let made = build(&mut self.trace.builder, id);
        let event = self.trace.last_event();
        self.trace.note(event, Choice::Only);
        made
    }

    /// `yes` if the condition holds.
    fn either(&mut self, condition: Term, yes: Code, no: Code) -> Option<Term> {
        let terms = self.trace.terms();
        let (yes, no) = (terms.bits(32, yes as u128), terms.bits(32, no as u128));
        Some(terms.ite(condition, yes, no))
    }

    fn mutex(&mut self, at: u64) -> events::Address {
        self.trace.sync(&self.shared.memory, at)
    }

    /// Two halves: falling asleep and waking, arriving and leaving.
    fn half_done(&mut self, primitive: Primitive, args: &[Word]) {
        let at = args[0] as u64;
        let shared = self.count(at);
        match primitive {
            Primitive::CondWait | Primitive::CondTimedWait => {
                let mutex = args[1] as u64;
                self.count(mutex);
                let asleep = self.trace.me().halfway;
                match asleep {
                    None if self.trace.live => {
                        let (condition, recursive) = (self.mutex(at), self.is_recursive(mutex));
                        let mutex = self.mutex(mutex);
                        let sleep = self.event(Kind::Sleep { condition, mutex, recursive }, Choice::Only);
                        self.trace.me().halfway = Some(sleep);
                    }
                    // It gave up: nobody could have woken it.
                    Some(sleep) if primitive == Primitive::CondTimedWait => {
                        self.trace.gave_up(sleep, Choice::TimedOut);
                    }
                    Some(sleep) => self.trace.gave_up(sleep, Choice::Spurious),
                    None => {}
                }
            }
            Primitive::BarrierWait if shared => self.arrive(at),
            _ => {}
        }
    }

    /// Both halves are made at once; the second happens later.
    fn arrive(&mut self, at: u64) {
        let Some(Sync::Barrier { count, .. }) = self.shared.syncs.get(at) else { return };
        let count = *count;
        let barrier = self.mutex(at);
        let id = self.trace.prepare();
        let before = self.trace.builder.barrier(id, barrier, SYNC_BYTES, count);
        let leave = self.trace.last_event();
        let arrive = EventId(leave.0 - 1);
        self.trace.note(arrive, Choice::Only);
        self.trace.remember(leave);
        self.trace.me().halfway = Some(leave);
        let parties = self.trace.terms().bits(8 * SYNC_BYTES, u128::from(count.max(1)));
        let last = self.trace.terms().bits(8 * SYNC_BYTES, u128::from(count.max(1)) - 1);
        let rest = self.trace.terms().urem(before, parties);
        let is_last = self.trace.terms().eq(rest, last);
        self.trace.me().arrival = Some(is_last);
    }

    /// What the others can see of a primitive that was performed, and what its result depends on.
    fn done(&mut self, primitive: Primitive, args: &[Word], result: Option<Word>, before: &Before) -> Option<Term> {
        let at = args.first().map_or(0, |&word| word as u64);
        let ok = result.is_none_or(|word| word == Code::Ok as Word);
        match primitive {
            Primitive::MutexLock if ok && self.count(at) => {
                let (mutex, recursive) = (self.mutex(at), self.is_recursive(at));
                self.event(Kind::Lock { mutex, recursive }, Choice::Only);
            }
            Primitive::MutexUnlock if ok && self.count(at) => {
                let (mutex, recursive) = (self.mutex(at), self.is_recursive(at));
                let foreign = before.owner != Some(self.trace.current as u32);
                self.event(Kind::Unlock { mutex, recursive, foreign }, Choice::Only);
            }
            // That it holds the mutex already is the thread's own business.
            Primitive::MutexTimedLock if result == Some(Code::Deadlock as Word) => {}
            Primitive::MutexTryLock | Primitive::MutexTimedLock if self.count(at) => {
                let (mutex, recursive) = (self.mutex(at), self.is_recursive(at));
                let taken = self.built(|builder, id| builder.try_lock(id, mutex, recursive));
                let no = if primitive == Primitive::MutexTryLock { Code::Busy } else { Code::TimedOut };
                return self.either(taken, Code::Ok, no);
            }
            Primitive::CondWait | Primitive::CondTimedWait => return self.woken(primitive),
            Primitive::CondSignal | Primitive::CondBroadcast | Primitive::FutexWake | Primitive::FutexWakeAll
                if self.count(at) =>
            {
                let condition = self.mutex(at);
                let choice = before.woken.map_or(Choice::Only, Choice::Wakes);
                let kind = match primitive {
                    Primitive::CondSignal | Primitive::FutexWake => Kind::Signal { condition },
                    _ => Kind::Broadcast { condition },
                };
                self.event(kind, choice);
            }
            Primitive::ThreadCreate => self.forked(args),
            Primitive::ThreadJoin | Primitive::ThreadTryJoin | Primitive::ThreadTimedJoin if ok => self.joined(args),
            Primitive::MemoryAlloc => self.trace.begin_object(result.unwrap_or(0) as u64, args[0] as u64),
            Primitive::InputVariable => self.trace.begin_object(result.unwrap_or(0) as u64, 1 << 12),
            Primitive::MemoryFree if at != 0 => self.freed(at),
            Primitive::FileRead => {
                let length = result.unwrap_or(0) as u64 as i64;
                self.filled(args[1] as u64, length.max(0) as u64);
            }
            Primitive::FloatFormat => {
                let length = (result.unwrap_or(0) as u64).min(args[1] as u64);
                self.filled(at, length);
            }
            _ => return self.counted(primitive, at, args, result),
        }
        None
    }

    /// Semaphores, read/write locks, barriers and once-controls.
    fn counted(&mut self, primitive: Primitive, at: u64, args: &[Word], result: Option<Word>) -> Option<Term> {
        let ok = result.is_none_or(|word| word == Code::Ok as Word);
        let waits =
            matches!(primitive, Primitive::SemWait | Primitive::RwRead | Primitive::RwWrite | Primitive::RwUnlock);
        let is_one = waits
            || matches!(
                primitive,
                Primitive::SemInit
                    | Primitive::SemTryWait
                    | Primitive::SemTimedWait
                    | Primitive::SemPost
                    | Primitive::SemValue
                    | Primitive::RwTryRead
                    | Primitive::RwTimedRead
                    | Primitive::RwTryWrite
                    | Primitive::RwTimedWrite
                    | Primitive::BarrierWait
                    | Primitive::OnceBegin
                    | Primitive::OnceEnd
                    | Primitive::OnceCancel
            );
        if !is_one || (waits && !ok) || !self.count(at) {
            return None;
        }
        let state = self.mutex(at);
        match primitive {
            Primitive::SemInit => {
                let value = self.trace.builder.constant(SYNC_BYTES, args[1] & 0xffff_ffff);
                self.built(|builder, id| builder.write(id, state, value));
            }
            Primitive::SemWait => drop(self.built(|builder, id| builder.sem_wait(id, state, SYNC_BYTES))),
            Primitive::SemPost if matches!(self.shared.syncs.get(at), Some(&Sync::Semaphore(LARGE_COUNT..))) => {
                let posted = self.built(|builder, id| builder.sem_limited_post(id, state, SYNC_BYTES));
                return self.either(posted, Code::Ok, Code::Invalid);
            }
            Primitive::SemPost => drop(self.built(|builder, id| builder.sem_post(id, state, SYNC_BYTES))),
            Primitive::SemValue => return Some(self.built(|builder, id| builder.read(id, state, SYNC_BYTES))),
            Primitive::RwRead => drop(self.built(|builder, id| builder.read_lock(id, state, SYNC_BYTES))),
            Primitive::RwWrite => drop(self.built(|builder, id| builder.write_lock(id, state, SYNC_BYTES))),
            Primitive::RwUnlock => drop(self.built(|builder, id| builder.rw_unlock(id, state, SYNC_BYTES))),
            Primitive::SemTryWait | Primitive::SemTimedWait => {
                let got = self.built(|builder, id| builder.sem_try_wait(id, state, SYNC_BYTES));
                return self.either(got, Code::Ok, failing_code(primitive));
            }
            Primitive::RwTryRead | Primitive::RwTimedRead => {
                let got = self.built(|builder, id| builder.try_read_lock(id, state, SYNC_BYTES));
                return self.either(got, Code::Ok, failing_code(primitive));
            }
            Primitive::RwTryWrite | Primitive::RwTimedWrite => {
                let got = self.built(|builder, id| builder.try_write_lock(id, state, SYNC_BYTES));
                return self.either(got, Code::Ok, failing_code(primitive));
            }
            Primitive::BarrierWait => {
                if self.trace.me().halfway.is_none() {
                    self.arrive(at);
                }
                if let Some(leave) = self.trace.me().halfway.take() {
                    self.trace.order.push(Turn::Event(leave, Choice::Only));
                }
                let is_last = self.trace.me().arrival.take()?;
                return Some(terms::of_bool(self.trace.terms(), is_last));
            }
            Primitive::OnceBegin => {
                let runs = self.built(|builder, id| builder.once(id, state, SYNC_BYTES));
                return Some(terms::of_bool(self.trace.terms(), runs));
            }
            Primitive::OnceEnd => drop(self.built(|builder, id| builder.once_done(id, state, SYNC_BYTES))),
            Primitive::OnceCancel => drop(self.built(|builder, id| builder.once_cancelled(id, state, SYNC_BYTES))),
            _ => {}
        }
        None
    }

    fn woken(&mut self, primitive: Primitive) -> Option<Term> {
        let sleep = self.trace.me().halfway.take()?;
        let id = self.trace.prepare();
        let (kind, choice) = self.trace.wake(sleep, primitive == Primitive::CondTimedWait);
        let timed_out = match kind {
            Kind::Wake { timed_out, .. } => timed_out,
            _ => None,
        };
        let event = self.trace.builder.event(id, kind);
        self.trace.note(event, choice);
        self.either(timed_out?, Code::TimedOut, Code::Ok)
    }

    fn forked(&mut self, args: &[Word]) {
        if !self.trace.live {
            self.trace.live = true;
            self.begin();
        }
        let out = Dual::plain(args[0], 64);
        let handle = self.shared.memory.resolve(out.word as u64);
        if let Some((id, offset)) = handle {
            let word = self.shared.memory.object(id).read(offset, 8);
            self.wrote(plain(8), &out, &Dual::plain(word, 64));
        }
        let number = self.trace.threads.len();
        let name = self.shared.status[number].name.clone();
        let parent = self.trace.prepare();
        let child = self.trace.add_thread(name);
        self.trace.prepare();
        let event = self.trace.builder.fork(parent, child);
        self.trace.note(event, Choice::Only);
    }

    fn joined(&mut self, args: &[Word]) {
        let Some(target) = vm::world::thread_of(self.shared, args[0] as u64) else { return };
        let Some(child) = self.trace.threads.get(target).map(|thread| thread.id) else { return };
        self.event(Kind::Join { child }, Choice::Only);
        let out = Dual::plain(args[1], 64);
        if out.word == 0 {
            return;
        }
        let word = Word::from(self.shared.status[target].result);
        let value = match self.trace.threads[target].result {
            Some((object, _)) => {
                let address = self.trace.builder.address(object, 0);
                let term = self.built(|builder, id| builder.read(id, address, 8));
                self.trace.dual(word, 64, term)
            }
            None => Dual::plain(word, 64),
        };
        self.wrote(plain(8), &out, &value);
    }

    /// The current thread has ended, with what it gives to whoever joins it.
    pub fn ended(&mut self, value: Option<&Dual>) {
        if !self.trace.live {
            return;
        }
        if let Some(value) = value.filter(|value| value.term.is_some()) {
            let object = self.trace.builder.object("result of a thread", 8);
            let address = self.trace.builder.address(object, 0);
            let term = self.trace.term_of(value, 64);
            self.built(|builder, id| builder.write(id, address, term));
            self.trace.me().result = Some((object, value.word));
        }
        self.trace.me().atomic.depth = 0;
        self.trace.end_section();
        let id = self.trace.prepare();
        self.trace.order.push(Turn::Exit(id));
    }

    /// A block ends, or a local of a function that returns. Whoever comes later finds it so.
    pub fn freed(&mut self, at: u64) {
        if !self.trace.live || self.trace.is_silent() {
            return;
        }
        let key = self.trace.key_of(at);
        let thread = self.trace.current;
        self.trace.found.touch(key, 0, 1, thread, false);
        if !self.trace.sharing.is_common(key) {
            return;
        }
        let object = self.trace.end_of(&self.shared.memory, key);
        let address = self.trace.builder.address(object, 0);
        let ended = self.trace.builder.constant(1, 1);
        self.built(|builder, id| builder.write(id, address, ended));
        self.trace.label_block(&self.shared.memory, key.base, "free");
    }

    /// The machine wrote so many bytes that come from outside.
    fn filled(&mut self, at: u64, bytes: u64) {
        let mut offset = 0;
        while offset < bytes {
            let part = (bytes - offset).min(8) as u32;
            let begin = at + offset;
            let Some((id, inside)) = self.shared.memory.resolve(begin) else { return };
            let word = self.shared.memory.object(id).read(inside, part);
            self.wrote(plain(part), &Dual::plain(Word::from(begin), 64), &Dual::plain(word, 8 * part));
            offset += u64::from(part);
        }
    }

    /// There will be a second thread: what is held and counted now is what everything begins with.
    fn begin(&mut self) {
        self.trace.begin_clock(self.shared.clock);
        let objects: Vec<u64> = self.shared.memory.objects().map(|(_, object)| object.base).collect();
        for base in objects {
            let key = self.trace.key_of(base);
            if self.trace.sharing.has_shared(key) {
                self.trace.first_object(&self.shared.memory, key);
            }
        }
        let held: Vec<(u64, Sync)> = self.shared.syncs.iter().map(|(at, sync)| (at, sync.clone())).collect();
        for (at, sync) in held {
            if !self.trace.sharing.is_lock_shared(at) {
                continue;
            }
            let state = self.mutex(at);
            let initial = match sync {
                Sync::Mutex(mutex) => {
                    let recursive = mutex.kind == MutexKind::Recursive;
                    for _ in 0..if mutex.owner.is_some() { mutex.depth } else { 0 } {
                        self.event(Kind::Lock { mutex: state, recursive }, Choice::Only);
                    }
                    0
                }
                Sync::Semaphore(value) => Word::from(value as u32),
                Sync::ReadWrite(lock) if lock.writer.is_some() => Word::from(u32::MAX),
                Sync::ReadWrite(lock) => lock.readers.len() as Word,
                Sync::Once(Once::Done) => 2,
                Sync::Once(Once::Running(_)) => 1,
                _ => 0,
            };
            if initial != 0 {
                let value = self.trace.builder.constant(SYNC_BYTES, initial);
                let object = self.trace.syncs[&at];
                self.trace.builder.initial(object, 0, value);
            }
        }
    }
}

/// A semaphore that holds less than this is never full: no program is followed for so many posts.
const LARGE_COUNT: i32 = 1 << 30;

/// Whether others decide when it happens: it counts even if it never does.
fn waits_for_others(primitive: Primitive) -> bool {
    matches!(
        primitive,
        Primitive::MutexLock
            | Primitive::CondWait
            | Primitive::CondTimedWait
            | Primitive::RwRead
            | Primitive::RwWrite
            | Primitive::SemWait
            | Primitive::BarrierWait
            | Primitive::OnceBegin
    )
}

fn failing_code(primitive: Primitive) -> Code {
    match primitive {
        Primitive::SemTimedWait | Primitive::RwTimedRead | Primitive::RwTimedWrite => Code::TimedOut,
        _ => Code::Busy,
    }
}

/// What must be known of the state before a primitive changes it.
struct Before {
    /// Whose sleep a signal ends.
    woken: Option<EventId>,
    /// Who holds the mutex that is released.
    owner: Option<u32>,
}

impl Before {
    fn new(tracer: &Tracer<'_>, primitive: Primitive, args: &[Word]) -> Before {
        let shared = &tracer.shared;
        let mut before = Before { woken: None, owner: None };
        if matches!(primitive, Primitive::CondSignal | Primitive::FutexWake)
            && let Some(Sync::Condition(waiters)) = shared.syncs.get(args[0] as u64)
        {
            let chosen = (shared.choice as usize).min(waiters.len().saturating_sub(1));
            let sleeper = waiters.get(chosen).and_then(|&thread| tracer.trace.threads.get(thread as usize));
            before.woken = sleeper.and_then(|thread| thread.halfway);
        }
        if primitive == Primitive::MutexUnlock
            && let Some(Sync::Mutex(mutex)) = shared.syncs.get(args[0] as u64)
        {
            before.owner = mutex.owner;
        }
        before
    }
}
