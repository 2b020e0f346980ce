//! Whether a thread can take its next step: the script of its pending operation tells, up to its first step. And the gate
//! before each operation that others can observe.

use ir::{MutexKind, Primitive};
use semantics::concrete::Word;
use semantics::primitives::thread::{self, Threads};
use semantics::primitives::{Act, Change, Concrete, Engine, Hold, Kind, Patience, Role, Sleep, mutex, operation};

use crate::sync::Sync;
use crate::world::{Pending, Phase, Shared, Stop};

/// Whether a thread can take its next visible step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It waits for another thread.
    Blocked,
    /// It is enabled, with as many choices as the environment has.
    Ready { alternatives: u64 },
    /// It can go, and takes a number of that many bits from the environment.
    Input { bits: u32 },
}

pub const READY: Readiness = Readiness::Ready { alternatives: 1 };

impl Readiness {
    pub fn when(can: bool) -> Readiness {
        if can { READY } else { Readiness::Blocked }
    }
}

/// The readiness of a thread whose pending operation is this.
pub fn of(world: &Shared, thread: usize, primitive: Primitive, args: &[u64; 4], spurious: bool) -> Readiness {
    let mut probe = Probe { world, thread, args, spurious, sync: None };
    let Some((kind, operation)) = operation(primitive) else {
        return match primitive {
            Primitive::InputChoose => Readiness::Input { bits: (args[0] as u32).clamp(1, 64) },
            _ => thread::perform(&mut probe, primitive).and_then(Result::err).unwrap_or(READY),
        };
    };
    probe.sync = world.syncs.get(args[0]);
    // An operation that fails can go.
    let fails = match probe.sync {
        _ if world.status[thread].phase != Phase::Whole => false,
        Some(sync) => sync.kind != kind || sync.destroyed,
        None => kind.must_be_made() || value_at(world, args[0], 1).is_none(),
    };
    if fails || operation.role != Role::Use {
        return READY;
    }
    kind.perform(&mut probe, primitive).err().unwrap_or(READY)
}

impl Shared {
    /// Lets a visible operation pass, or stops before it. Inside an atomic section only a choice stops the thread.
    #[inline]
    pub fn gate(&mut self, pending: Pending) -> Result<(), Stop> {
        if std::mem::take(&mut self.turn.granted) {
            return Ok(());
        }
        if self.status[self.turn.current].atomic_depth > 0 {
            if !self.has_alternatives(&pending) {
                return Ok(());
            }
            self.turn.inside = Some(self.turn.current);
        }
        self.status[self.turn.current].pending = Some(pending);
        Err(Stop::Pause)
    }

    /// Whether the environment chooses how the operation goes.
    fn has_alternatives(&self, pending: &Pending) -> bool {
        let Pending::Primitive { primitive, args } = pending else { return false };
        match of(self, self.turn.current, *primitive, args, false) {
            Readiness::Input { .. } => true,
            Readiness::Ready { alternatives } => alternatives > 1,
            Readiness::Blocked => false,
        }
    }
}

/// The contents of a live location.
pub fn value_at(world: &Shared, at: u64, size: u32) -> Option<Word> {
    let (id, offset) = world.memory.resolve(at)?;
    let object = world.memory.object(id);
    (offset + u64::from(size) <= object.bytes.len() as u64).then(|| object.read(offset, size))
}

/// Stops a script at its first step, with the readiness for it.
struct Probe<'m> {
    world: &'m Shared,
    thread: usize,
    args: &'m [u64; 4],
    spurious: bool,
    /// The object, if it was used before.
    sync: Option<&'m Sync>,
}

impl Concrete for Probe<'_> {}

impl Probe<'_> {
    fn phase(&self) -> Phase {
        self.world.status[self.thread].phase
    }

    fn is_me(&self, holder: u32) -> bool {
        holder as usize == self.thread
    }
}

impl Engine for Probe<'_> {
    type Stop = Readiness;

    fn number(&mut self, index: usize) -> Result<u32, Readiness> {
        Ok(self.args[index] as u32)
    }

    fn parameter(&mut self) -> Result<u32, Readiness> {
        match self.phase() {
            Phase::Kept { parameter, .. } => Ok(parameter),
            _ => Ok(self.sync.map_or(0, |sync| sync.parameter)),
        }
    }

    fn mutex_kind(&mut self) -> Result<MutexKind, Readiness> {
        Ok(self.sync.map_or(MutexKind::Plain, |sync| mutex::kind(sync.parameter)))
    }

    fn access(&mut self, _: Act, change: impl FnOnce(&mut Self, u32) -> Change<Self>) -> Result<u32, Readiness> {
        let word = match self.sync {
            Some(sync) => sync.word,
            None if self.phase() != Phase::Whole => return Err(READY),
            None => 0,
        };
        Err(Readiness::when(change(self, word).enabled))
    }

    fn write(&mut self, _: Act, _: u32) -> Result<(), Readiness> {
        Err(READY)
    }

    fn first(&mut self, act: impl FnOnce(&mut Self) -> Result<u32, Readiness>) -> Result<u32, Readiness> {
        match self.phase() {
            Phase::Whole => act(self),
            Phase::Kept { word, .. } => Ok(word),
            _ => Ok(0),
        }
    }

    fn holds(&mut self) -> Result<bool, Readiness> {
        Ok(self.sync.is_some_and(|sync| sync.holders.as_slice().iter().any(|&holder| self.is_me(holder))))
    }

    fn holds_alone(&mut self) -> Result<bool, Readiness> {
        Ok(self.sync.and_then(Sync::sole_holder).is_some_and(|holder| self.is_me(holder)))
    }

    fn hold(&mut self, _: bool, _: Hold) {}

    fn let_go(&mut self, _: Hold) {}

    fn enter(&mut self, kind: MutexKind, patience: Patience) -> Result<bool, Readiness> {
        let owner = self.sync.and_then(Sync::owner);
        let again = |owner| self.is_me(owner) && kind == MutexKind::Recursive;
        Err(Readiness::when(patience != Patience::Waits || owner.is_none_or(again)))
    }

    fn leave(&mut self, _: MutexKind, _: &'static str) -> Result<(), Readiness> {
        Err(READY)
    }

    fn pass_by(&mut self) -> Result<(), Readiness> {
        Err(READY)
    }

    fn holds_mutex(&mut self) -> Result<bool, Readiness> {
        Err(READY)
    }

    fn was_interrupted(&mut self) -> bool {
        false
    }

    fn fall_asleep(&mut self, _: Sleep) -> Result<(), Readiness> {
        Err(READY)
    }

    fn wake_up(&mut self, sleep: Sleep) -> Result<u32, Readiness> {
        let mutex = self.world.syncs.get(self.args[1]).filter(|sync| sync.kind == Kind::Mutex && !sync.destroyed);
        Err(Readiness::when(match self.phase() {
            Phase::Sleeping => sleep.timed || self.spurious,
            _ => mutex.is_none_or(|mutex| mutex.lets_wake(self.thread as u32)),
        }))
    }

    fn wake(&mut self, all: bool) -> Result<(), Readiness> {
        let sleepers = self.sync.map_or(0, |sync| sync.sleepers.len() as u64);
        Err(Readiness::Ready { alternatives: if all { 1 } else { sleepers.max(1) } })
    }

    fn decide(&mut self, condition: bool) -> Result<bool, Readiness> {
        Ok(condition)
    }

    fn demand(&mut self, condition: bool, _: &'static str) -> Result<(), Readiness> {
        if condition { Ok(()) } else { Err(READY) }
    }

    fn show(&mut self) {}

    fn acquire(&mut self, _: bool, _: bool) {}

    fn release(&mut self) {}

    fn comes_near(&mut self, _: u32) -> bool {
        true
    }
}

impl Threads for Probe<'_> {
    type Stop = Readiness;

    fn thread(&mut self) -> Result<Option<usize>, Readiness> {
        Ok(self.world.thread_of(self.args[0]))
    }

    fn is_caller(&mut self, thread: usize) -> bool {
        thread == self.thread
    }

    fn is_claimed(&mut self, thread: usize) -> Result<bool, Readiness> {
        Ok(self.world.status[thread].claim.is_some())
    }

    fn join(&mut self, thread: usize, patience: Patience) -> Result<bool, Readiness> {
        Err(Readiness::when(patience != Patience::Waits || self.world.status[thread].finished))
    }

    fn detach(&mut self, _: usize) -> Result<(), Readiness> {
        Err(READY)
    }

    fn interrupt(&mut self, _: usize) -> Result<(), Readiness> {
        Err(READY)
    }
}
