//! The semantics of each primitive on the machine: when it is enabled, its effects, its results.
//!
//! Locks and similar primitives are here; memory blocks, files and the process are in [`crate::host`].

use ir::{Code, MutexKind, Primitive};
use semantics::concrete::Word;
use semantics::execute::{Halt, Thread};

use crate::clock;
use crate::host;
use crate::outcome::FailureKind;
use crate::sync::{Mutex, Once, ReadWrite, Sync};
use crate::threads;
use crate::world::{Pending, Phase, Shared, Stop, fail};

pub type Performed = Result<Option<Word>, Halt<Stop>>;

pub fn code(code: Code) -> Performed {
    Ok(Some(code as Word))
}

/// Executes a primitive. If it blocks, or has only done its first half, the same operation stays pending.
pub fn perform<V: Clone>(world: &mut Shared, thread: &Thread<V>, primitive: Primitive, args: &[Word]) -> Performed {
    let performed = attempt(world, thread, primitive, args);
    if let Err(Halt::Stop(Stop::Blocked) | Halt::Stay(_)) = &performed {
        world.me().pending = Some(pending(primitive, args));
    }
    performed
}

fn attempt<V: Clone>(world: &mut Shared, thread: &Thread<V>, primitive: Primitive, args: &[Word]) -> Performed {
    match primitive {
        Primitive::MutexInit => initialise(world, primitive, args, |args| {
            let kind = mutex_kind(args[1] as u32);
            Sync::Mutex(Mutex { kind, owner: None, depth: 0 })
        }),
        Primitive::CondInit => initialise(world, primitive, args, |_| Sync::Condition(Vec::new())),
        Primitive::RwInit => initialise(world, primitive, args, |_| Sync::ReadWrite(ReadWrite::default())),
        Primitive::SemInit => initialise(world, primitive, args, |args| Sync::Semaphore(args[1] as u32 as i32)),
        Primitive::BarrierInit => {
            initialise(world, primitive, args, |args| Sync::Barrier { count: args[1] as u32, arrived: Vec::new() })
        }
        Primitive::MutexDestroy
        | Primitive::CondDestroy
        | Primitive::RwDestroy
        | Primitive::SemDestroy
        | Primitive::BarrierDestroy => destroy(world, primitive, args),
        Primitive::MutexLock | Primitive::MutexTryLock | Primitive::MutexTimedLock => lock(world, primitive, args),
        Primitive::MutexUnlock => unlock(world, args),
        Primitive::CondWait | Primitive::CondTimedWait => wait(world, primitive, args),
        Primitive::CondSignal | Primitive::CondBroadcast => {
            let at = enter(world, primitive, args)?;
            signal(world, primitive == Primitive::CondBroadcast, at)
        }
        Primitive::FutexWake | Primitive::FutexWakeAll => wake_by_address(world, primitive, args),
        Primitive::RwRead | Primitive::RwTryRead | Primitive::RwTimedRead => read_lock(world, primitive, args),
        Primitive::RwWrite | Primitive::RwTryWrite | Primitive::RwTimedWrite => write_lock(world, primitive, args),
        Primitive::RwUnlock => rw_unlock(world, args),
        Primitive::SemWait | Primitive::SemTryWait | Primitive::SemTimedWait => sem_wait(world, primitive, args),
        Primitive::SemPost => sem_post(world, args),
        Primitive::SemValue => sem_value(world, args),
        Primitive::BarrierWait => barrier_wait(world, args),
        Primitive::OnceBegin => once_begin(world, args),
        Primitive::OnceEnd | Primitive::OnceCancel => once_end(world, primitive, args),
        Primitive::ThreadCreate
        | Primitive::ThreadJoin
        | Primitive::ThreadTryJoin
        | Primitive::ThreadTimedJoin
        | Primitive::ThreadDetach
        | Primitive::ThreadSelf
        | Primitive::ThreadExit
        | Primitive::ThreadYield => threads::perform(world, primitive, args),
        Primitive::ThreadSleep | Primitive::ClockPass | Primitive::InputClock => clock::perform(world, primitive, args),
        _ => host::perform(world, thread, primitive, args),
    }
}

/// The pending operation as the scheduler sees it.
pub fn pending(primitive: Primitive, args: &[Word]) -> Pending {
    let mut words = [0; 4];
    for (word, arg) in words.iter_mut().zip(args) {
        *word = *arg as u64;
    }
    Pending::Primitive { primitive, args: words }
}

/// Stops before a shared object, and then checks that it is live.
fn enter(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Result<u64, Stop> {
    let at = args[0] as u64;
    let what = match primitive {
        Primitive::MutexUnlock | Primitive::RwUnlock => "unlocked",
        Primitive::CondWait | Primitive::CondTimedWait => "waited for",
        Primitive::CondSignal | Primitive::CondBroadcast => "signalled",
        Primitive::SemPost => "posted",
        Primitive::MutexInit
        | Primitive::CondInit
        | Primitive::RwInit
        | Primitive::SemInit
        | Primitive::BarrierInit => "initialised",
        Primitive::SemWait | Primitive::SemTryWait | Primitive::SemTimedWait | Primitive::BarrierWait => "waited for",
        _ => "locked",
    };
    let lies_in = world.memory.resolve(at).map(|(id, _)| id);
    if lies_in.is_some_and(|id| world.is_visible(id) || world.memory.object(id).constant) {
        world.gate(pending(primitive, args))?;
    } else {
        // A lock of the thread's own needs no leave; one that was given to end its waiting is used up.
        world.granted = false;
    }
    world.locate(at, 1, what)?;
    world.me().idle.looked();
    Ok(at)
}

pub fn mutex_kind(word: u32) -> MutexKind {
    match word & 3 {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorCheck,
        _ => MutexKind::Plain,
    }
}

fn misuse(found: &Sync, wanted: &str) -> Stop {
    match found {
        Sync::Destroyed(what) => fail(FailureKind::Memory, format!("{what} used after it was destroyed")),
        other => fail(FailureKind::Memory, format!("{} used as a {wanted}", other.name())),
    }
}

/// The mutex at an address; one that was never initialised takes its kind from the word behind `kind_at`.
fn mutex_at(world: &mut Shared, at: u64, kind_at: u64) -> Result<&mut Mutex, Stop> {
    if world.syncs.get(at).is_none() {
        let kind = match world.memory.resolve(kind_at) {
            Some((id, offset)) if offset + 4 <= world.memory.object(id).bytes.len() as u64 => {
                mutex_kind(world.memory.object(id).read(offset, 4) as u32)
            }
            _ => MutexKind::Plain,
        };
        let mutex = Mutex { kind, owner: None, depth: 0 };
        world.syncs.insert(at, Sync::Mutex(mutex));
    }
    match world.syncs.get_mut(at) {
        Some(Sync::Mutex(mutex)) => Ok(mutex),
        Some(other) => Err(misuse(other, "mutex")),
        None => Err(Stop::Blocked),
    }
}

macro_rules! at {
    ($name:ident, $variant:ident, $ty:ty, $new:expr, $what:literal) => {
        fn $name(world: &mut Shared, at: u64) -> Result<&mut $ty, Stop> {
            if world.syncs.get(at).is_none() {
                world.syncs.insert(at, Sync::$variant($new));
            }
            match world.syncs.get_mut(at) {
                Some(Sync::$variant(found)) => Ok(found),
                Some(other) => Err(misuse(other, $what)),
                None => Err(Stop::Blocked),
            }
        }
    };
}

at!(condition_at, Condition, Vec<u32>, Vec::new(), "condition");
at!(rw_at, ReadWrite, ReadWrite, ReadWrite::default(), "rwlock");
at!(semaphore_at, Semaphore, i32, 0, "semaphore");
at!(once_at, Once, Once, Once::New, "once control");

fn initialise(
    world: &mut Shared,
    primitive: Primitive,
    args: &[Word],
    make: impl FnOnce(&[Word]) -> Sync,
) -> Performed {
    let at = enter(world, primitive, args)?;
    world.syncs.insert(at, make(args));
    world.changed();
    world.touched("init", Some(at));
    Ok(None)
}

fn destroy(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    let at = enter(world, primitive, args)?;
    world.touched("destroy", Some(at));
    let (busy, name) = match world.syncs.get(at) {
        Some(Sync::Destroyed(what)) => {
            return Err(fail(FailureKind::Memory, format!("{what} destroyed twice")).into());
        }
        Some(Sync::Mutex(mutex)) => (mutex.owner.is_some(), "mutex"),
        Some(Sync::Condition(waiters)) => (!waiters.is_empty(), "condition"),
        Some(Sync::ReadWrite(lock)) => (lock.writer.is_some() || !lock.readers.is_empty(), "rwlock"),
        Some(Sync::Barrier { arrived, .. }) => (!arrived.is_empty(), "barrier"),
        Some(other) => (false, other.name()),
        None => match primitive {
            Primitive::MutexDestroy => (false, "mutex"),
            Primitive::CondDestroy => (false, "condition"),
            Primitive::RwDestroy => (false, "rwlock"),
            Primitive::SemDestroy => (false, "semaphore"),
            _ => (false, "barrier"),
        },
    };
    if busy {
        return code(Code::Busy);
    }
    world.syncs.insert(at, Sync::Destroyed(name));
    world.changed();
    code(Code::Ok)
}

fn lock(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    let at = enter(world, primitive, args)?;
    let me = world.current as u32;
    let mutex = mutex_at(world, at, args[1] as u64)?;
    let kind = match primitive {
        Primitive::MutexTryLock => "trylock",
        _ => "lock",
    };
    let taken = match mutex.owner {
        None => {
            mutex.owner = Some(me);
            mutex.depth = 1;
            Code::Ok
        }
        Some(owner) if owner == me && mutex.kind == MutexKind::Recursive => {
            mutex.depth += 1;
            Code::Ok
        }
        Some(owner) if owner == me && mutex.kind == MutexKind::ErrorCheck && primitive != Primitive::MutexTryLock => {
            Code::Deadlock
        }
        Some(_) => match primitive {
            Primitive::MutexTryLock => Code::Busy,
            Primitive::MutexTimedLock => Code::TimedOut,
            _ => return Err(Stop::Blocked.into()),
        },
    };
    if taken == Code::Ok {
        world.order_acquire(at);
    }
    world.touched(kind, Some(at));
    settle(world, taken)
}

/// Counts a change when the operation had an effect.
fn settle(world: &mut Shared, result: Code) -> Performed {
    if result == Code::Ok {
        world.changed();
    }
    code(result)
}

fn unlock(world: &mut Shared, args: &[Word]) -> Performed {
    let at = enter(world, Primitive::MutexUnlock, args)?;
    world.touched("unlock", Some(at));
    world.order_release(at);
    let result = release(world, at, args[1] as u64)?;
    world.changed();
    code(result)
}

fn release(world: &mut Shared, at: u64, kind_at: u64) -> Result<Code, Stop> {
    let me = world.current as u32;
    let mutex = mutex_at(world, at, kind_at)?;
    match mutex.owner {
        None if mutex.kind != MutexKind::Plain => Ok(Code::NotOwner),
        None => Err(fail(FailureKind::Memory, "mutex unlocked that is not locked")),
        Some(owner) if owner != me && mutex.kind != MutexKind::Plain => Ok(Code::NotOwner),
        Some(_) => {
            mutex.depth = mutex.depth.saturating_sub(1);
            if mutex.depth == 0 {
                mutex.owner = None;
            }
            Ok(Code::Ok)
        }
    }
}

/// Falling asleep releases the mutex; then comes a signal, a time-out or a spurious wake-up; then the mutex again.
fn wait(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    let at = enter(world, primitive, args)?;
    let mutex = args[1] as u64;
    let me = world.current as u32;
    match world.me().phase {
        Phase::Woken(result) => {
            let mutex = mutex_at(world, mutex, args[2] as u64)?;
            if !mutex.lets_wake(me) {
                return Err(Stop::Blocked.into());
            }
            mutex.owner = Some(me);
            mutex.depth += 1;
            world.me().phase = Phase::Whole;
            world.order_acquire(args[1] as u64);
            world.order_acquire(at);
            world.changed();
            world.touched("wake", Some(at));
            Ok(Some(result as Word))
        }
        Phase::Sleeping => {
            // Without a signal, the wait timed out, or the wake-up is spurious.
            let result = if primitive == Primitive::CondTimedWait { Code::TimedOut } else { Code::Ok };
            condition_at(world, at)?.retain(|&waiter| waiter != me);
            world.me().phase = Phase::Woken(result as i32);
            world.changed();
            world.touched("timeout", Some(at));
            Err(Halt::Stay(Stop::Pause))
        }
        _ => {
            world.locate(mutex, 1, "waited with")?;
            let held = mutex_at(world, mutex, args[2] as u64)?.owner;
            if held != Some(me) {
                return Err(fail(FailureKind::Memory, "wait with a mutex that the thread does not hold").into());
            }
            condition_at(world, at)?.push(me);
            world.order_release(mutex);
            release(world, mutex, args[2] as u64)?;
            world.me().phase = Phase::Sleeping;
            world.changed();
            world.touched("wait", Some(at));
            Err(Halt::Stay(Stop::Pause))
        }
    }
}

/// Wakes the threads that wait at an address; freed memory there is no error.
fn wake_by_address(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    let at = args[0] as u64;
    let lies_in = world.memory.resolve(at).map(|(id, _)| id);
    if lies_in.is_some_and(|id| world.is_visible(id)) {
        world.gate(pending(primitive, args))?;
    } else {
        world.granted = false;
    }
    if world.locate(at, 1, "signalled").is_err() {
        return Ok(None);
    }
    world.me().idle.looked();
    signal(world, primitive == Primitive::FutexWakeAll, at)
}

fn signal(world: &mut Shared, all: bool, at: u64) -> Performed {
    world.order_release(at);
    let choice = world.choice as usize;
    let waiters = condition_at(world, at)?;
    let woken: Vec<u32> = if all {
        std::mem::take(waiters)
    } else if waiters.is_empty() {
        Vec::new()
    } else {
        vec![waiters.remove(choice.min(waiters.len() - 1))]
    };
    if !woken.is_empty() {
        world.changed();
    }
    for thread in &woken {
        world.status[*thread as usize].phase = Phase::Woken(0);
    }
    world.touched(if all { "broadcast" } else { "signal" }, Some(at));
    if world.events {
        let names: Vec<String> = woken.iter().map(|&thread| world.status[thread as usize].name.to_string()).collect();
        if let Some(touch) = &mut world.touch {
            touch.text =
                if names.is_empty() { "nobody waits".to_owned() } else { format!("wakes {}", names.join(", ")) };
        }
    }
    Ok(None)
}

fn read_lock(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    let at = enter(world, primitive, args)?;
    let me = world.current as u32;
    let lock = rw_at(world, at)?;
    let result = match lock.writer {
        None => {
            lock.readers.push(me);
            Code::Ok
        }
        Some(writer) if writer == me && primitive != Primitive::RwTryRead => Code::Deadlock,
        Some(_) => match primitive {
            Primitive::RwTryRead => Code::Busy,
            Primitive::RwTimedRead => Code::TimedOut,
            _ => return Err(Stop::Blocked.into()),
        },
    };
    if result == Code::Ok {
        world.order_acquire(at);
    }
    world.touched("read-lock", Some(at));
    settle(world, result)
}

fn write_lock(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    let at = enter(world, primitive, args)?;
    let me = world.current as u32;
    let lock = rw_at(world, at)?;
    let result = if lock.writer.is_none() && lock.readers.is_empty() {
        lock.writer = Some(me);
        Code::Ok
    } else if lock.writer == Some(me) && primitive != Primitive::RwTryWrite {
        Code::Deadlock
    } else {
        match primitive {
            Primitive::RwTryWrite => Code::Busy,
            Primitive::RwTimedWrite => Code::TimedOut,
            _ => return Err(Stop::Blocked.into()),
        }
    };
    if result == Code::Ok {
        world.order_acquire(at);
        world.order_acquire(at + READERS);
    }
    world.touched("write-lock", Some(at));
    settle(world, result)
}

/// Readers synchronise with writers only: their releases have a key of their own, next to the lock's.
const READERS: u64 = 1;

fn rw_unlock(world: &mut Shared, args: &[Word]) -> Performed {
    let at = enter(world, Primitive::RwUnlock, args)?;
    let me = world.current as u32;
    world.touched("unlock", Some(at));
    let as_writer = rw_at(world, at)?.writer == Some(me);
    world.order_release(if as_writer { at } else { at + READERS });
    let lock = rw_at(world, at)?;
    if lock.writer == Some(me) {
        lock.writer = None;
    } else if let Some(position) = lock.readers.iter().position(|&reader| reader == me) {
        lock.readers.remove(position);
    } else {
        return Err(fail(FailureKind::Memory, "rwlock unlocked that the thread does not hold").into());
    }
    world.changed();
    code(Code::Ok)
}

fn sem_wait(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    let at = enter(world, primitive, args)?;
    let value = semaphore_at(world, at)?;
    let result = if *value > 0 {
        *value -= 1;
        Code::Ok
    } else {
        match primitive {
            Primitive::SemTryWait => Code::Busy,
            Primitive::SemTimedWait => Code::TimedOut,
            _ => return Err(Stop::Blocked.into()),
        }
    };
    if result == Code::Ok {
        world.order_acquire(at);
    }
    world.touched("sem-wait", Some(at));
    settle(world, result)
}

fn sem_post(world: &mut Shared, args: &[Word]) -> Performed {
    let at = enter(world, Primitive::SemPost, args)?;
    world.order_release(at);
    let value = semaphore_at(world, at)?;
    let result = match value.checked_add(1) {
        Some(more) => {
            *value = more;
            Code::Ok
        }
        None => Code::Invalid,
    };
    world.touched("sem-post", Some(at));
    settle(world, result)
}

fn sem_value(world: &mut Shared, args: &[Word]) -> Performed {
    let at = enter(world, Primitive::SemValue, args)?;
    let value = *semaphore_at(world, at)?;
    world.touched("sem-value", Some(at));
    Ok(Some(Word::from(value as u32)))
}

fn barrier_wait(world: &mut Shared, args: &[Word]) -> Performed {
    let at = enter(world, Primitive::BarrierWait, args)?;
    let me = world.current as u32;
    match world.me().phase {
        Phase::Released => {
            world.me().phase = Phase::Whole;
            world.order_acquire(at);
            world.changed();
            world.touched("barrier", Some(at));
            return Ok(Some(0));
        }
        Phase::Arrived => return Err(Stop::Blocked.into()),
        _ => {}
    }
    let others = match world.syncs.get_mut(at) {
        Some(Sync::Barrier { count, arrived }) => {
            if arrived.len() as u32 + 1 >= *count {
                Some(std::mem::take(arrived))
            } else {
                arrived.push(me);
                None
            }
        }
        Some(other) => return Err(misuse(other, "barrier").into()),
        None => return Err(fail(FailureKind::Memory, "barrier used before it was initialised").into()),
    };
    world.changed();
    world.order_release(at);
    world.touched("barrier", Some(at));
    match others {
        Some(others) => {
            world.order_acquire(at);
            for thread in others {
                world.status[thread as usize].phase = Phase::Released;
            }
            Ok(Some(1))
        }
        None => {
            world.me().phase = Phase::Arrived;
            Err(Halt::Stay(Stop::Pause))
        }
    }
}

fn once_begin(world: &mut Shared, args: &[Word]) -> Performed {
    let at = enter(world, Primitive::OnceBegin, args)?;
    let me = world.current as u32;
    let once = once_at(world, at)?;
    let run = match once {
        Once::New => {
            *once = Once::Running(me);
            true
        }
        Once::Running(_) => return Err(Stop::Blocked.into()),
        Once::Done => false,
    };
    if run {
        world.changed();
    } else {
        world.order_acquire(at);
    }
    world.touched("once", Some(at));
    Ok(Some(Word::from(run)))
}

fn once_end(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    let at = enter(world, primitive, args)?;
    world.order_release(at);
    *once_at(world, at)? = if primitive == Primitive::OnceEnd { Once::Done } else { Once::New };
    world.changed();
    world.touched("once", Some(at));
    Ok(None)
}
