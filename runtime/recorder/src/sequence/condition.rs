//! Condition variables: a queue of our own instead of the real one's, so that it is known which thread wakes, and there
//! are no spurious wake-ups.
//!
//! A wait has the same parts as in heddle's machine, each with a number of its own: falling asleep, which unlocks the
//! mutex; giving up, if the deadline passes before a signal; and acquiring the mutex again.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::system::Time;

use super::c_functions::{self as real, EINVAL, ETIMEDOUT, Object, as_c11, replace};
use super::locks::lock_mutex;
use super::queue;
use super::time::{Deadline, MONOTONIC, REAL_TIME, is_clock};
use super::turn::Turn;

/// A condition of C has no more words than this.
const WORDS: usize = 16;
/// The word of a condition variable that stores its clock, and the bits of the monotonic one.
static CLOCK_WORD: AtomicUsize = AtomicUsize::new(0);
static CLOCK_BITS: AtomicU32 = AtomicU32::new(0);

/// Determines how the C library stores the clock of a condition variable, by comparing two of them.
pub fn begin() {
    let make = |clock: c_int| {
        let (mut condition, mut attributes) = ([0_u64; WORDS / 2], [0_u64; 2]);
        let (at, with) = ((&raw mut condition).cast::<c_void>(), (&raw mut attributes).cast::<c_void>());
        // SAFETY: there is more room than both need. They are never used, so there is nothing to destroy.
        unsafe {
            real::pthread_condattr_init(with);
            real::pthread_condattr_setclock(with, clock);
            real::pthread_cond_init(at, with);
        }
        condition
    };
    let (one, other) = (make(REAL_TIME), make(MONOTONIC));
    for (index, (one, other)) in one.into_iter().zip(other).enumerate() {
        let bits = one ^ other;
        if bits != 0 {
            let upper = bits > u64::from(u32::MAX);
            CLOCK_WORD.store(2 * index + usize::from(upper), Ordering::Relaxed);
            CLOCK_BITS.store(if upper { (bits >> 32) as u32 } else { bits as u32 }, Ordering::Relaxed);
        }
    }
}

/// # Safety
/// It is a condition of C.
unsafe fn clock_of(condition: Object) -> c_int {
    // SAFETY: the word is inside of each condition; others may change it meanwhile, but not these bits.
    let word = unsafe { AtomicU32::from_ptr(condition.cast::<u32>().add(CLOCK_WORD.load(Ordering::Relaxed))) };
    let bits = word.load(Ordering::Relaxed) & CLOCK_BITS.load(Ordering::Relaxed);
    if bits == 0 { REAL_TIME } else { MONOTONIC }
}

/// # Safety
/// As the C library's.
unsafe fn wait(turn: &Turn<'_>, condition: Object, mutex: Object, deadline: Option<Deadline>) -> c_int {
    if deadline.is_some_and(|deadline| !deadline.is_valid()) {
        return EINVAL;
    }
    // SAFETY: the caller's mutex.
    let unlocked = unsafe { real::pthread_mutex_unlock(mutex) };
    if unlocked != 0 {
        return unlocked;
    }
    let waiter = queue::join(condition);
    turn.number();
    let mut result = 0;
    if let Some(waiter) = waiter {
        turn.outside(|| waiter.sleep(deadline));
        if !waiter.is_woken() {
            queue::leave(waiter);
            result = ETIMEDOUT;
            turn.number();
        }
        queue::give_back(waiter);
    } else {
        // Without memory it wakes at once, which conditions may do, but the recorded order becomes useless.
        super::lose();
    }
    // SAFETY: as above.
    let locked = unsafe { lock_mutex(turn, mutex, None) };
    if locked != 0 { locked } else { result }
}

/// # Safety
/// As the C library's.
unsafe fn timed_wait(
    turn: &Turn<'_>,
    condition: Object,
    mutex: Object,
    clock: Option<c_int>,
    deadline: *const Time,
) -> c_int {
    if clock.is_some_and(|clock| !is_clock(clock)) {
        return EINVAL;
    }
    // SAFETY: the caller's arguments.
    unsafe {
        let clock = clock.unwrap_or_else(|| clock_of(condition));
        wait(turn, condition, mutex, Deadline::new(clock, deadline))
    }
}

/// Code without hooks may wait at the real condition.
///
/// # Safety
/// As the C library's.
unsafe fn signal(condition: Object) -> c_int {
    // SAFETY: the caller's condition.
    if queue::wake_first(condition) { 0 } else { unsafe { real::pthread_cond_signal(condition) } }
}

/// # Safety
/// As the C library's.
unsafe fn broadcast(condition: Object) -> c_int {
    queue::wake_all(condition);
    // SAFETY: the caller's condition.
    unsafe { real::pthread_cond_broadcast(condition) }
}

replace! {
    fn pthread_cond_wait(condition: Object, mutex: Object) = |turn| {
        let result = wait(&turn, condition, mutex, None);
        turn.done(result)
    };
    fn pthread_cond_timedwait(condition: Object, mutex: Object, deadline: *const Time) = |turn| {
        let result = timed_wait(&turn, condition, mutex, None, deadline);
        turn.done(result)
    };
    fn pthread_cond_clockwait(condition: Object, mutex: Object, clock: c_int, deadline: *const Time) = |turn| {
        let result = timed_wait(&turn, condition, mutex, Some(clock), deadline);
        turn.done(result)
    };
    fn pthread_cond_signal(condition: Object) = |turn| turn.done(signal(condition));
    fn pthread_cond_broadcast(condition: Object) = |turn| turn.done(broadcast(condition));

    fn cnd_wait(condition: Object, mutex: Object) = |turn| {
        let result = wait(&turn, condition, mutex, None);
        turn.done(as_c11(result))
    };
    fn cnd_timedwait(condition: Object, mutex: Object, deadline: *const Time) = |turn| {
        let result = timed_wait(&turn, condition, mutex, Some(REAL_TIME), deadline);
        turn.done(as_c11(result))
    };
    fn cnd_signal(condition: Object) = |turn| turn.done(as_c11(signal(condition)));
    fn cnd_broadcast(condition: Object) = |turn| turn.done(as_c11(broadcast(condition)));
}

/// `std::condition_variable::wait(std::unique_lock<std::mutex> &)`. A lock begins with the address of its mutex, and
/// both objects are those of C inside.
///
/// # Safety
/// As the C++ library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __heddle_seq__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(
    condition: Object,
    lock: *const Object,
) {
    // SAFETY: the caller's arguments.
    unsafe { pthread_cond_wait(condition, *lock) };
}

/// `std::condition_variable::notify_one()`.
///
/// # Safety
/// As the C++ library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __heddle_seq__ZNSt18condition_variable10notify_oneEv(condition: Object) {
    // SAFETY: the caller's argument.
    unsafe { pthread_cond_signal(condition) };
}

/// `std::condition_variable::notify_all()`.
///
/// # Safety
/// As the C++ library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __heddle_seq__ZNSt18condition_variable10notify_allEv(condition: Object) {
    // SAFETY: the caller's argument.
    unsafe { pthread_cond_broadcast(condition) };
}
