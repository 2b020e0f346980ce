//! Executes the scripts of [`semantics::primitives`] on the machine's state.
//!
//! An operation of two steps stays pending between them, with the word of the first in the thread's phase: the script is
//! run again from its beginning, and the first step gives that word.

use ir::{Code, MutexKind};
use semantics::concrete::Word;
use semantics::execute::Halt;
use semantics::messages;
use semantics::primitives::rwlock::WRITER;
use semantics::primitives::{Act, Change, Concrete, Engine, Hold, Kind, Operation, Patience, Sleep, mutex};

use crate::outcome::FailureKind;
use crate::sync::{Holders, Sync};
use crate::world::{Phase, Shared, Stop, fail};

/// Readers synchronise with writers only: their releases have a key of their own, next to the lock's.
const READERS: u64 = 1;

/// An operation of the running thread on the object at an address.
pub struct Performer<'w> {
    pub world: &'w mut Shared,
    pub kind: Kind,
    pub operation: Operation,
    pub args: &'w [Word],
    pub at: u64,
    /// The word of the first step, if the operation has two.
    kept: Option<u32>,
}

impl Concrete for Performer<'_> {}

fn misuse(found: &Sync, wanted: Kind) -> Stop {
    let noun = found.kind.noun();
    let message = if found.destroyed { messages::used_late(noun) } else { messages::misused(noun, wanted.noun()) };
    fail(FailureKind::Memory, message)
}

/// The object at an address, in its initial state if it was never used.
fn object_at(world: &mut Shared, at: u64, kind: Kind, parameter: impl FnOnce(&Shared) -> u32) -> Result<&Sync, Stop> {
    if world.syncs.get(at).is_none() {
        if kind.must_be_made() {
            return Err(fail(FailureKind::Memory, messages::never_made(kind.noun())));
        }
        let parameter = parameter(world);
        world.syncs.insert(at, Sync::new(kind, 0, parameter));
    }
    match world.syncs.get(at) {
        Some(sync) if sync.kind == kind && !sync.destroyed => Ok(sync),
        Some(other) => Err(misuse(other, kind)),
        None => Err(Stop::Blocked),
    }
}

/// A mutex that was never initialised takes its kind from the word behind a pointer.
fn mutex_at(world: &mut Shared, at: u64, kind_at: u64) -> Result<&Sync, Stop> {
    object_at(world, at, Kind::Mutex, |world| match world.memory.resolve(kind_at) {
        Some((id, offset)) if offset + 4 <= world.memory.object(id).bytes.len() as u64 => {
            world.memory.object(id).read(offset, 4) as u32
        }
        _ => 0,
    })
}

/// Takes a mutex once more.
fn take(mutex: &mut Sync, thread: u32) {
    mutex.word += 1;
    mutex.holders = Holders::One(thread);
}

/// Leaves one level of a mutex.
fn give_back(mutex: &mut Sync) {
    mutex.word = mutex.word.saturating_sub(1);
    if mutex.word == 0 {
        mutex.free();
    }
}

impl<'w> Performer<'w> {
    pub fn new(world: &'w mut Shared, kind: Kind, operation: Operation, args: &'w [Word], at: u64) -> Performer<'w> {
        Performer { world, kind, operation, args, at, kept: None }
    }

    fn me(&self) -> u32 {
        self.world.turn.current as u32
    }

    fn phase(&self) -> Phase {
        self.world.status[self.world.turn.current].phase
    }

    fn argument(&self, index: usize) -> u64 {
        self.args[index] as u64
    }

    fn object(&mut self) -> Result<&Sync, Stop> {
        let kind_at = if self.kind == Kind::Mutex { self.argument(1) } else { 0 };
        if self.kind == Kind::Mutex {
            return mutex_at(self.world, self.at, kind_at);
        }
        object_at(self.world, self.at, self.kind, |_| 0)
    }

    fn update(&mut self, at: u64, change: impl FnOnce(&mut Sync)) {
        if let Some(sync) = self.world.syncs.get_mut(at) {
            change(sync);
        }
    }

    fn put(&mut self, word: u32) {
        self.update(self.at, |sync| sync.word = word);
        self.world.changed();
    }

    /// The second step, after the first one was another step of the thread. The object may have ended since.
    fn resume(&mut self, change: impl FnOnce(&mut Self, u32) -> Change<Self>) -> Result<u32, Halt<Stop>> {
        let found = self.world.syncs.get(self.at).filter(|sync| sync.kind == self.kind).map(|sync| sync.word);
        if let Some(word) = found
            && !change(self, word).enabled
        {
            return Err(Stop::Blocked.into());
        }
        self.world.me().phase = Phase::Whole;
        self.world.changed();
        self.show();
        Ok(found.unwrap_or(0))
    }
}

impl Engine for Performer<'_> {
    type Stop = Halt<Stop>;

    fn number(&mut self, index: usize) -> Result<u32, Halt<Stop>> {
        Ok(self.argument(index) as u32)
    }

    fn parameter(&mut self) -> Result<u32, Halt<Stop>> {
        match self.phase() {
            Phase::Kept { parameter, .. } => Ok(parameter),
            _ => Ok(self.object()?.parameter),
        }
    }

    fn mutex_kind(&mut self) -> Result<MutexKind, Halt<Stop>> {
        Ok(mutex::kind(self.object()?.parameter))
    }

    fn access(&mut self, _: Act, change: impl FnOnce(&mut Self, u32) -> Change<Self>) -> Result<u32, Halt<Stop>> {
        if let Phase::Kept { .. } = self.phase() {
            return self.resume(change);
        }
        let Sync { word, parameter, .. } = *self.object()?;
        let Change { enabled, writes, new } = change(self, word);
        if !enabled {
            let Some(word) = self.kept else { return Err(Stop::Blocked.into()) };
            self.world.me().phase = Phase::Kept { word, parameter };
            return Err(Halt::Stay(Stop::Pause));
        }
        self.show();
        if writes {
            self.put(new);
        }
        Ok(word)
    }

    fn write(&mut self, _: Act, word: u32) -> Result<(), Halt<Stop>> {
        self.object()?;
        self.show();
        self.put(word);
        Ok(())
    }

    fn first(&mut self, act: impl FnOnce(&mut Self) -> Result<u32, Halt<Stop>>) -> Result<u32, Halt<Stop>> {
        match self.phase() {
            Phase::Whole => {
                let word = act(self)?;
                self.kept = Some(word);
                Ok(word)
            }
            Phase::Kept { word, .. } => Ok(word),
            _ => Ok(0),
        }
    }

    fn holds(&mut self) -> Result<bool, Halt<Stop>> {
        let me = self.me();
        Ok(self.object()?.holders.as_slice().contains(&me))
    }

    fn holds_alone(&mut self) -> Result<bool, Halt<Stop>> {
        let me = self.me();
        Ok(self.object()?.sole_holder() == Some(me))
    }

    fn hold(&mut self, taken: bool, _: Hold) {
        let me = self.me();
        if taken {
            self.update(self.at, |sync| sync.holders.push(me));
        }
    }

    fn let_go(&mut self, how: Hold) {
        let me = self.me();
        self.update(self.at, |sync| match how {
            Hold::Runs => sync.holders = Holders::Nobody,
            _ => sync.holders.remove(me),
        });
    }

    fn enter(&mut self, kind: MutexKind, patience: Patience) -> Result<bool, Halt<Stop>> {
        let me = self.me();
        let owner = self.object()?.owner();
        let taken = owner.is_none() || (owner == Some(me) && kind == MutexKind::Recursive);
        if !taken && patience == Patience::Waits {
            return Err(Stop::Blocked.into());
        }
        self.show();
        if taken {
            self.update(self.at, |mutex| take(mutex, me));
            self.world.changed();
        }
        Ok(taken)
    }

    fn leave(&mut self, _: MutexKind, otherwise: &'static str) -> Result<(), Halt<Stop>> {
        if self.object()?.word == 0 {
            return Err(fail(FailureKind::Memory, otherwise).into());
        }
        self.update(self.at, give_back);
        self.world.changed();
        Ok(())
    }

    fn pass_by(&mut self) -> Result<(), Halt<Stop>> {
        self.world.changed();
        Ok(())
    }

    fn holds_mutex(&mut self) -> Result<bool, Halt<Stop>> {
        let (me, mutex) = (self.me(), self.argument(1));
        self.world.locate(mutex, 1, "waited with")?;
        let kind_at = self.argument(2);
        Ok(mutex_at(self.world, mutex, kind_at)?.owner() == Some(me))
    }

    fn was_interrupted(&mut self) -> bool {
        let interrupted = self.world.status[self.world.turn.current].interrupted;
        if interrupted {
            self.world.me().interrupted = false;
            self.world.changed();
            self.show();
        }
        interrupted
    }

    fn fall_asleep(&mut self, sleep: Sleep) -> Result<(), Halt<Stop>> {
        let (me, mutex) = (self.me(), self.argument(1));
        self.object()?;
        self.update(self.at, |condition| {
            condition.sleepers.push(me);
            condition.word += 1;
        });
        self.world.order_release(mutex);
        let mut more = 0;
        self.update(mutex, |mutex| {
            if sleep.whole && mutex.word > 1 {
                more = mutex.word - 1;
                mutex.word = 1;
            }
            give_back(mutex);
        });
        self.world.me().own.levels = more;
        self.world.me().phase = Phase::Sleeping;
        self.world.changed();
        self.show();
        Err(Halt::Stay(Stop::Pause))
    }

    fn wake_up(&mut self, sleep: Sleep) -> Result<u32, Halt<Stop>> {
        let (me, mutex, at) = (self.me(), self.argument(1), self.at);
        let Phase::Woken(result) = self.phase() else {
            // Without a signal, the wait timed out, or the wake-up is spurious.
            let result = if sleep.timed { Code::TimedOut } else { Code::Ok };
            self.object()?;
            self.update(at, |condition| {
                condition.sleepers.retain(|&sleeper| sleeper != me);
                condition.word = condition.sleepers.len() as u32;
            });
            self.world.me().phase = Phase::Woken(result as i32);
            self.world.changed();
            self.world.touched("timeout", Some(at));
            return Err(Halt::Stay(Stop::Pause));
        };
        let kind_at = self.argument(2);
        if !mutex_at(self.world, mutex, kind_at)?.lets_wake(me) {
            return Err(Stop::Blocked.into());
        }
        let more = std::mem::take(&mut self.world.me().own.levels);
        self.update(mutex, |mutex| {
            take(mutex, me);
            mutex.word += more;
        });
        self.world.me().phase = Phase::Whole;
        self.world.order_acquire(mutex);
        self.world.order_acquire(at);
        self.world.changed();
        self.world.touched("wake", Some(at));
        Ok(result as u32)
    }

    fn wake(&mut self, all: bool) -> Result<(), Halt<Stop>> {
        let choice = self.world.turn.choice as usize;
        let mut woken = Vec::new();
        if self.object()?.word > 0 {
            self.update(self.at, |condition| {
                let sleepers = &mut condition.sleepers;
                woken = match all {
                    true => std::mem::take(sleepers),
                    false => vec![sleepers.remove(choice.min(sleepers.len() - 1))],
                };
                condition.word = condition.sleepers.len() as u32;
            });
            self.world.changed();
        }
        for &thread in &woken {
            self.world.status[thread as usize].phase = Phase::Woken(0);
        }
        self.show();
        if let Some(touch) = &mut self.world.notes.touch {
            let status = &self.world.status;
            let names: Vec<String> = woken.iter().map(|&thread| status[thread as usize].name.to_string()).collect();
            touch.text =
                if names.is_empty() { "nobody waits".to_owned() } else { format!("wakes {}", names.join(", ")) };
        }
        Ok(())
    }

    fn decide(&mut self, condition: bool) -> Result<bool, Halt<Stop>> {
        Ok(condition)
    }

    fn demand(&mut self, condition: bool, otherwise: &'static str) -> Result<(), Halt<Stop>> {
        if condition { Ok(()) } else { Err(fail(FailureKind::Memory, otherwise).into()) }
    }

    fn show(&mut self) {
        self.world.touched(self.operation.shown, Some(self.at));
    }

    fn acquire(&mut self, condition: bool, is: bool) {
        if condition == is && self.world.races.is_some() {
            self.world.order_acquire(self.at);
            if self.is_written() {
                self.world.order_acquire(self.at + READERS);
            }
        }
    }

    fn release(&mut self) {
        if self.world.races.is_some() {
            let as_reader = self.kind == Kind::ReadWrite && !self.is_written();
            self.world.order_release(if as_reader { self.at + READERS } else { self.at });
        }
    }

    fn comes_near(&mut self, _: u32) -> bool {
        true
    }
}

impl Performer<'_> {
    /// Whether a writer holds the read/write lock.
    fn is_written(&self) -> bool {
        let is_written = |sync: &Sync| sync.kind == Kind::ReadWrite && sync.word == WRITER;
        self.world.syncs.get(self.at).is_some_and(is_written)
    }
}
