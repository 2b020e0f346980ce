//! The turn: a lock of our own, because it must work in signal handlers and must be distinct from the program's locks.
//!
//! It is reentrant, since library functions call back into the program. Owner and depth are one word, which only the
//! owner changes, so its signal handlers see both consistently. An operation that was left by an exception or a jump is
//! noticed at the next one, whose stack pointer is not below it.

use core::hint::spin_loop;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::slot::Slot;
use crate::system;

use super::time::{Deadline, Patience};

/// The owner's slot and the depth in the lowest bits; zero if the turn is free.
static HOLDER: AtomicU64 = AtomicU64::new(0);
const DEPTH_BITS: u32 = 16;
const DEPTH: u64 = (1 << DEPTH_BITS) - 1;
/// Where the holder's stack was when it took its turn for the first time. It belongs to the holder.
static HELD_AT: AtomicUsize = AtomicUsize::new(0);

static WAITING: AtomicU32 = AtomicU32::new(0);
/// Changes whenever the turn becomes free while threads wait.
static FREED: AtomicU32 = AtomicU32::new(0);
/// The previous owner.
static BEFORE: AtomicU64 = AtomicU64::new(0);

fn name(slot: &Slot) -> u64 {
    ((&raw const *slot).addr() as u64) << DEPTH_BITS
}

/// How often the thread has taken its turn.
fn depth(slot: &Slot) -> u64 {
    let holder = HOLDER.load(Ordering::Relaxed);
    if holder & !DEPTH == name(slot) { holder & DEPTH } else { 0 }
}

fn acquire(slot: &Slot, depth: u64, at: usize) {
    const SPINS: u32 = 100;
    const LONGEST_WAIT: u64 = 1_000_000;
    let name = name(slot);
    let attempt = || {
        for _ in 0..SPINS {
            if HOLDER.compare_exchange_weak(0, name | depth, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                HELD_AT.store(at, Ordering::Relaxed);
                return true;
            }
            spin_loop();
        }
        false
    };
    // A thread that returns at once would starve the others.
    if WAITING.load(Ordering::Relaxed) > 0 && BEFORE.load(Ordering::Relaxed) == name {
        system::give_way();
    }
    if attempt() {
        return;
    }
    WAITING.fetch_add(1, Ordering::SeqCst);
    loop {
        let freed = FREED.load(Ordering::SeqCst);
        if attempt() {
            break;
        }
        system::wait(&FREED, freed, LONGEST_WAIT);
    }
    WAITING.fetch_sub(1, Ordering::SeqCst);
}

fn release() {
    BEFORE.store(HOLDER.load(Ordering::Relaxed) & !DEPTH, Ordering::Relaxed);
    HOLDER.store(0, Ordering::SeqCst);
    if WAITING.load(Ordering::SeqCst) > 0 {
        FREED.fetch_add(1, Ordering::SeqCst);
        system::wake(&FREED);
    }
}

/// Waits for the thread's turn. Its stack is at `at`.
pub fn take(slot: &Slot, at: usize) {
    let depth = depth(slot);
    if depth == 0 {
        return acquire(slot, 1, at);
    }
    // A handler may run on another stack.
    let is_handler = slot.thread().is_some_and(|thread| thread.handlers.depth() > 0);
    let is_nested = at < HELD_AT.load(Ordering::Relaxed) || is_handler;
    if is_nested {
        HOLDER.store(name(slot) | (depth + 1), Ordering::Relaxed);
        return;
    }
    for _ in 0..depth {
        super::give_number(slot);
    }
    HOLDER.store(name(slot) | 1, Ordering::Relaxed);
    HELD_AT.store(at, Ordering::Relaxed);
}

/// The thread abandons the operation of its turn.
pub fn give_up(slot: &Slot) {
    if depth(slot) > 0 {
        release();
    }
}

/// The calling thread's turn.
pub struct Turn<'a> {
    slot: &'a Slot,
}

impl Turn<'_> {
    /// For an operation that replaces one of the C library; none if there are no turns.
    #[inline]
    pub fn own() -> Option<Turn<'static>> {
        if super::is_sequenced() { Slot::own().map(Turn::of) } else { None }
    }

    /// None if the thread has not taken its turn.
    pub fn held() -> Option<Turn<'static>> {
        if !super::is_sequenced() {
            return None;
        }
        Slot::own().filter(|slot| depth(slot) > 0).map(|slot| Turn { slot })
    }

    /// The turn that the thread has taken. A handler that was left by a jump may have given it up.
    pub fn of(slot: &Slot) -> Turn<'_> {
        if depth(slot) == 0 {
            let here = 0_u8;
            acquire(slot, 1, (&raw const here).addr());
        }
        Turn { slot }
    }

    /// Numbers a part of the operation that counts as a step of its own.
    pub fn number(&self) {
        super::give_number(self.slot);
    }

    /// The operation happened.
    pub fn done<T>(self, result: T) -> T {
        self.number();
        match depth(self.slot) {
            0 => {}
            1 => release(),
            depth => HOLDER.store(name(self.slot) | (depth - 1), Ordering::Relaxed),
        }
        result
    }

    /// Gives up the turn while this thread waits.
    pub fn outside<T>(&self, wait: impl FnOnce() -> T) -> T {
        let (depth, at) = (depth(self.slot).max(1), HELD_AT.load(Ordering::Relaxed));
        release();
        let result = wait();
        acquire(self.slot, depth, at);
        result
    }

    /// Attempts an operation once per turn until it succeeds. None if the deadline passes first.
    pub fn until<T>(&self, deadline: Option<Deadline>, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
        let mut patience = Patience::new();
        loop {
            if let Some(result) = attempt() {
                return Some(result);
            }
            if deadline.is_some_and(|deadline| deadline.has_passed()) {
                return None;
            }
            self.outside(|| patience.wait());
        }
    }
}
