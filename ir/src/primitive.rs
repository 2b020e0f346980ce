//! The runtime operations of a program: threads, locks, memory blocks, files, the end of the process.
//!
//! Each has a name, a fixed signature and a meaning that is independent of the source language. A front end maps its
//! library onto them (the C library's models call `__heddle_mutex_lock` for `mutex.lock`), and every engine gives them
//! the same semantics.
//!
//! Operations whose failure the program can observe return a [`Code`].
//!
//! Exceptions are implemented by the models. The IR only has a call with a landing table (`invoke`) and primitives that
//! read the tables of a thread's calls and continue in one of them; the meaning of the tables and the two phases of
//! unwinding are in `frontend-llvm/models/cxx_unwind.cpp`.

use crate::types::Type;

/// The result of a primitive that can fail, as an `i32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    Ok = 0,
    /// Another thread holds it, or it is in use.
    Busy = 1,
    /// The caller holds it already.
    Deadlock = 2,
    TimedOut = 3,
    /// The caller does not hold it.
    NotOwner = 4,
    /// It does not exist, or a limit was exceeded.
    Invalid = 5,
    /// Another thread interrupted the wait.
    Interrupted = 6,
}

/// The kinds of mutex, as in `mutex.init` and in the word behind `kind` (modulo 4; 3 is plain too).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MutexKind {
    Plain = 0,
    Recursive = 1,
    ErrorCheck = 2,
}

const I32: Type = Type::Int(32);
const I64: Type = Type::Int(64);
const PTR: Type = Type::Ptr;

macro_rules! primitives {
    ($($(#[$doc:meta])* $variant:ident = $name:literal ($($arg:ident),*) -> ($($result:ident),*);)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Primitive { $($(#[$doc])* $variant,)* }

        impl Primitive {
            pub const ALL: &[Primitive] = &[$(Primitive::$variant,)*];

            /// The name in the text form, such as `mutex.lock`.
            pub fn name(self) -> &'static str {
                match self { $(Primitive::$variant => $name,)* }
            }

            pub fn arguments(self) -> &'static [Type] {
                match self { $(Primitive::$variant => &[$($arg),*],)* }
            }

            pub fn results(self) -> &'static [Type] {
                match self { $(Primitive::$variant => &[$($result),*],)* }
            }
        }
    };
}

primitives! {
    /// (mutex, kind): kind as in [`MutexKind`].
    MutexInit = "mutex.init" (PTR, I32) -> ();
    MutexDestroy = "mutex.destroy" (PTR) -> (I32);
    /// (mutex, kind word): a mutex that was never initialised takes its kind from the word behind the second pointer; a
    /// null pointer means plain.
    MutexLock = "mutex.lock" (PTR, PTR) -> (I32);
    MutexTryLock = "mutex.trylock" (PTR, PTR) -> (I32);
    /// May time out whenever it cannot acquire the mutex.
    MutexTimedLock = "mutex.timedlock" (PTR, PTR) -> (I32);
    MutexUnlock = "mutex.unlock" (PTR, PTR) -> (I32);

    CondInit = "cond.init" (PTR) -> ();
    CondDestroy = "cond.destroy" (PTR) -> (I32);
    /// (condition, mutex, kind word): two steps, falling asleep (which releases) and acquiring the mutex again.
    CondWait = "cond.wait" (PTR, PTR, PTR) -> (I32);
    CondTimedWait = "cond.timedwait" (PTR, PTR, PTR) -> (I32);
    CondSignal = "cond.signal" (PTR) -> ();
    CondBroadcast = "cond.broadcast" (PTR) -> ();
    /// As `cond.signal` and `cond.broadcast`, by address only: if the memory has been freed, no thread waits.
    FutexWake = "futex.wake" (PTR) -> ();
    FutexWakeAll = "futex.wakeall" (PTR) -> ();

    /// As `cond.wait`, but all levels of a recursive mutex are released, and taken again; and another thread may interrupt
    /// it. A thread that was interrupted before does not fall asleep.
    MonitorWait = "monitor.wait" (PTR, PTR, PTR) -> (I32);

    RwInit = "rwlock.init" (PTR) -> ();
    RwDestroy = "rwlock.destroy" (PTR) -> (I32);
    RwRead = "rwlock.read" (PTR) -> (I32);
    RwTryRead = "rwlock.tryread" (PTR) -> (I32);
    RwTimedRead = "rwlock.timedread" (PTR) -> (I32);
    RwWrite = "rwlock.write" (PTR) -> (I32);
    RwTryWrite = "rwlock.trywrite" (PTR) -> (I32);
    RwTimedWrite = "rwlock.timedwrite" (PTR) -> (I32);
    RwUnlock = "rwlock.unlock" (PTR) -> (I32);

    SemInit = "sem.init" (PTR, I32) -> ();
    SemDestroy = "sem.destroy" (PTR) -> (I32);
    SemWait = "sem.wait" (PTR) -> (I32);
    SemTryWait = "sem.trywait" (PTR) -> (I32);
    SemTimedWait = "sem.timedwait" (PTR) -> (I32);
    SemPost = "sem.post" (PTR) -> (I32);
    SemValue = "sem.value" (PTR) -> (I32);

    BarrierInit = "barrier.init" (PTR, I32) -> ();
    BarrierDestroy = "barrier.destroy" (PTR) -> (I32);
    /// Returns 1 to the thread that arrived last, 0 to the others.
    BarrierWait = "barrier.wait" (PTR) -> (I32);

    LatchInit = "latch.init" (PTR, I32) -> (); LatchDown = "latch.down" (PTR, I32) -> (); LatchWait = "latch.wait" (PTR) -> ();

    /// Returns 1 if the caller must run the initialiser and then call `once.end`, 0 if it is done; waits while another
    /// thread runs it.
    OnceBegin = "once.begin" (PTR) -> (I32);
    OnceEnd = "once.end" (PTR) -> ();
    /// The initialiser did not complete: the next caller runs it.
    OnceCancel = "once.cancel" (PTR) -> ();

    /// (pointer for the handle, start, function, argument): the new thread runs `start(function, argument)`. The handle
    /// is stored before the thread exists, in the same step.
    ThreadCreate = "thread.create" (PTR, PTR, PTR, PTR) -> (I32);
    /// (handle, pointer for the thread's result or null).
    ThreadJoin = "thread.join" (I64, PTR) -> (I32);
    ThreadTryJoin = "thread.tryjoin" (I64, PTR) -> (I32);
    ThreadTimedJoin = "thread.timedjoin" (I64, PTR) -> (I32);
    ThreadDetach = "thread.detach" (I64) -> (I32);
    ThreadSelf = "thread.self" () -> (I64);
    ThreadExit = "thread.exit" (PTR) -> ();
    /// (exception): an exception without a handler that ends its thread only. It is the result of the thread.
    ThreadFail = "thread.fail" (PTR) -> ();
    /// (handle): wakes the thread from a `monitor.wait`, which then returns that; its next one, if it is in none.
    ThreadInterrupt = "thread.interrupt" (I64) -> (I32);
    ThreadYield = "thread.yield" () -> ();
    /// (nanoseconds): a yield after which the virtual clock is at least that much later than at the beginning of the
    /// sleep.
    ThreadSleep = "thread.sleep" (I64) -> ();

    /// A bit to be recorded, passed through: whether a library calls back into the program.
    RecordBit = "record.bit" (I32) -> (I32);
    /// (number, width): a number of 8, 16, 32 or 64 bits to be recorded, passed through.
    RecordValue = "record.value" (I64, I32) -> (I64);
    /// The next operation has a number in the order of all threads, if such an order was recorded. No effect otherwise.
    OrderTicket = "order.ticket" () -> ();

    /// The depth of the thread's call stack, including this function.
    UnwindDepth = "unwind.depth" () -> (I32);
    /// (number of a call, from 0 for the thread's first function): the table of the invoke at which it is suspended, or
    /// null.
    UnwindTable = "unwind.table" (I32) -> (PTR);
    /// (number of a call, pointer, selector): removes all calls above that one, whose invoke continues at its `unwind`
    /// block with the pointer and the selector.
    UnwindLand = "unwind.land" (I32, PTR, I32) -> ();

    /// The steps between the two are one step for the other threads.
    AtomicBegin = "atomic.begin" () -> ();
    AtomicEnd = "atomic.end" () -> ();

    /// (size, alignment, whether it is zeroed). Never fails unless requested.
    MemoryAlloc = "memory.alloc" (I64, I64, I32) -> (PTR);
    MemoryFree = "memory.free" (PTR) -> ();
    /// The size of the allocated block that begins here.
    MemorySize = "memory.size" (PTR) -> (I64);

    ProcessExit = "process.exit" (I32) -> ();
    ProcessAbort = "process.abort" () -> ();
    /// (condition, file, line, function), zero-terminated texts or null: a failed assertion.
    ProcessFail = "process.fail" (PTR, PTR, I32, PTR) -> ();
    /// (type of the exception, a zero-terminated text): an exception without a handler.
    ProcessUncaught = "process.uncaught" (PTR) -> ();
    /// Executions in which the argument is zero are discarded.
    ProcessAssume = "process.assume" (I32) -> ();

    /// (bits): a value that the environment chooses.
    InputChoose = "input.choose" (I32) -> (I64);
    /// The environment variable of that name, or null.
    InputVariable = "input.variable" (PTR) -> (PTR);
    /// Nanoseconds since 1970 on the virtual clock. Each reading is later than the one before it, in any thread.
    InputClock = "input.clock" () -> (I64);
    /// (nanoseconds since 1970): advances the virtual clock to this time, if it is earlier.
    ClockPass = "clock.pass" (I64) -> ();

    /// (path, flags): bits 1 read, 2 write, 4 append, 8 create, 16 truncate, 32 exclusive. A descriptor, or -1.
    FileOpen = "file.open" (PTR, I32) -> (I32);
    FileClose = "file.close" (I32) -> (I32);
    /// (descriptor, buffer, length): the bytes read, 0 at the end, -1 on error.
    FileRead = "file.read" (I32, PTR, I64) -> (I64);
    FileWrite = "file.write" (I32, PTR, I64) -> (I64);
    /// (descriptor, offset, whence 0 begin, 1 here, 2 end): the new position, or -1.
    FileSeek = "file.seek" (I32, I64, I32) -> (I64);
    /// Removes a file; 0, or -1 if it does not exist.
    FileRemove = "file.remove" (PTR) -> (I32);

    /// (buffer, its size, conversion `e` `f` `g` `a` as a character, `A` for the `a` of a long double, precision or -1, whether `#` was given, value): the
    /// digits of the magnitude of a finite value, without sign and padding, as printf writes them. The length of the text.
    FloatFormat = "float.format" (PTR, I64, I32, I32, I32, F80) -> (I64);
    /// (text, length): the value nearest to a decimal or hexadecimal number whose syntax was checked.
    FloatParse = "float.parse" (PTR, I64) -> (F64);
}

const F64: Type = Type::F64;
const F80: Type = Type::F80;

impl Primitive {
    pub fn from_name(name: &str) -> Option<Primitive> {
        Primitive::ALL.iter().copied().find(|primitive| primitive.name() == name)
    }
}
