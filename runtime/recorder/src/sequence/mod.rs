//! The order of all threads' shared operations in programs that are built with hooks, and their perturbation.
//!
//! Such a program calls a hook before and after each operation that other threads can observe
//! (`frontend-llvm/hooks/order.c`). With `HEDDLE_SEQUENCE=1` only one thread at a time has its [`turn`], each operation
//! gets the next number during its turn, and the numbers are recorded. Operations that wait are replaced: no thread may
//! sleep during its turn, so waiting is reimplemented here on top of turns, with the same choices and steps as in
//! heddle's own machine (`vm/src/primitives.rs`, `vm/src/follow.rs`): in a replay of the numbers every lock that was
//! free here is free there. With `HEDDLE_PERTURB=SEED` threads are delayed before their operations ([`perturb`]), and
//! in programs without hooks before they call synchronisation functions ([`imports`]).
//!
//! Code without hooks operates on the real locks, which are used here too. Condition variables and barriers are the
//! exception: a library that was built otherwise does not see the program's waiting threads. Waits are no cancellation
//! points, and no signal ends them.

mod c_functions;
pub mod perturb;
pub mod imports;
mod time;
mod turn;
mod queue;
mod locks;
mod semaphore;
mod condition;
mod barrier;
mod once;

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use wire::flags;

use crate::records::Record;
use crate::slot::{Program, Slot};
use crate::{c_library, spool, thread_of};

use perturb::Chance;
use turn::Turn;

const SEQUENCE: u32 = 1;
const PERTURB: u32 = 2;
/// Threads are held up where they call the C library, for the program has no hooks.
const AT_CALLS: u32 = 4;

/// A flag of the program: its shared operations have hooks.
const HOOKED: u32 = 1;

/// Both bits are set before the program begins; the first one goes in children, which are not recorded.
static MODE: AtomicU32 = AtomicU32::new(0);
/// The last number. It belongs to the thread that has the turn.
static LAST: AtomicU64 = AtomicU64::new(0);
/// A number could not be written, so no other one may follow.
static LOST: AtomicBool = AtomicBool::new(false);

/// The state of a recorded thread.
pub struct Own {
    /// The last of its numbers.
    last: AtomicU64,
    pub chance: Chance,
}

impl Own {
    pub const fn new() -> Own {
        Own { last: AtomicU64::new(0), chance: Chance::new() }
    }
}

/// Disturbs the program, if the environment asks for it.
pub fn begin_to_perturb(program: &Program) {
    let Some(seed) = c_library::variable(c"HEDDLE_PERTURB").and_then(|text| number(text.to_bytes())) else { return };
    perturb::begin(seed);
    if program.flags & HOOKED == 0 {
        imports::begin();
        MODE.fetch_or(AT_CALLS, Ordering::Relaxed);
    } else {
        MODE.fetch_or(PERTURB, Ordering::Relaxed);
    }
}

/// A thread is about to be created, by a function that is the recorder's own.
pub fn creating() {
    if MODE.load(Ordering::Relaxed) & AT_CALLS != 0 {
        imports::disturb_own();
    }
}

/// Gives operations their numbers, if the program has hooks and the environment asks for it. There is a spool, and the
/// program has one thread.
pub fn begin(program: &Program) {
    let is_asked_for = c_library::variable(c"HEDDLE_SEQUENCE").is_some_and(|text| text == c"1");
    if !is_asked_for || program.flags & HOOKED == 0 {
        return;
    }
    let Some(header) = spool::header() else { return };
    // SAFETY: the header stays mapped, and no other code changes this field.
    unsafe { AtomicU32::from_ptr(&raw mut (*header).flags).fetch_or(flags::SEQUENCE, Ordering::Relaxed) };
    condition::begin();
    MODE.fetch_or(SEQUENCE, Ordering::Relaxed);
}

fn number(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

#[inline]
fn is_sequenced() -> bool {
    MODE.load(Ordering::Relaxed) & SEQUENCE != 0
}

/// In a child: its operations have no place in its parent's order.
pub fn disown() {
    MODE.fetch_and(!SEQUENCE, Ordering::Relaxed);
}

/// The thread abandons its operation.
pub fn leave(slot: &Slot) {
    if is_sequenced() {
        turn::give_up(slot);
    }
}

/// The next operation of this thread is about to happen.
///
/// # Safety
/// The slot is the calling thread's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_rt_take(slot: *mut Slot) {
    let mode = MODE.load(Ordering::Relaxed);
    if mode == 0 {
        return;
    }
    // SAFETY: the caller's word for it.
    let Some(slot) = (unsafe { slot.as_ref() }) else { return };
    if mode & PERTURB != 0 {
        perturb::disturb(slot);
    }
    if mode & SEQUENCE != 0 {
        let here = 0_u8;
        turn::take(slot, (&raw const here).addr());
    }
}

/// It happened.
///
/// # Safety
/// The slot is the calling thread's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_rt_done(slot: *mut Slot) {
    if !is_sequenced() {
        return;
    }
    // SAFETY: the caller's word for it.
    if let Some(slot) = unsafe { slot.as_ref() } {
        Turn::of(slot).done(());
    }
}

/// The following numbers would be meaningless.
fn lose() {
    LOST.store(true, Ordering::Relaxed);
}

/// Gives the operation of the thread that has the turn its number. Threads that are not recorded, and handlers, have none.
fn give_number(slot: &Slot) {
    // SAFETY: only the calling thread has the turn.
    let thread = unsafe { thread_of((&raw const *slot).cast_mut()) };
    let Some(thread) = thread.filter(|_| !LOST.load(Ordering::Relaxed)) else { return };
    let number = LAST.load(Ordering::Relaxed) + 1;
    let distance = number - thread.sequence.last.load(Ordering::Relaxed);
    if thread.records.put(thread.index(), &Record::sequence(distance)).is_none() {
        return lose();
    }
    thread.sequence.last.store(number, Ordering::Relaxed);
    LAST.store(number, Ordering::Relaxed);
}
