//! Mutexes, readers-writer locks and spin locks. The real ones are locked, but without waiting: a thread that does not
//! get one gives up its turn and tries again.

use core::ffi::c_int;

use crate::system::Time;

use super::c_functions::{self as real, EBUSY, EINVAL, ETIMEDOUT, Object, as_c11, replace};
use super::time::{Deadline, PAST, REAL_TIME, is_clock};
use super::turn::Turn;

/// Locks with `attempt`. If another thread owns the lock, `refuse` is the real function with an expired deadline: only
/// that one knows whether the owner is the calling thread, for which the real function would not wait.
fn lock(turn: &Turn<'_>, deadline: Option<Deadline>, attempt: impl Fn() -> c_int, refuse: impl Fn() -> c_int) -> c_int {
    let first = match attempt() {
        EBUSY => refuse(),
        result => result,
    };
    if first != ETIMEDOUT {
        return first;
    }
    if deadline.is_some_and(|deadline| !deadline.is_valid()) {
        return EINVAL;
    }
    let attempt = || Some(attempt()).filter(|result| *result != EBUSY);
    turn.until(deadline, attempt).unwrap_or(ETIMEDOUT)
}

/// Also for a mutex that a condition gives back.
///
/// # Safety
/// As the C library's.
pub unsafe fn lock_mutex(turn: &Turn<'_>, mutex: Object, deadline: Option<Deadline>) -> c_int {
    // SAFETY: the caller's mutex.
    let attempt = || unsafe { real::pthread_mutex_trylock(mutex) };
    // SAFETY: as above.
    let refuse = || unsafe { real::pthread_mutex_timedlock(mutex, &raw const PAST) };
    lock(turn, deadline, attempt, refuse)
}

/// # Safety
/// As the C library's.
unsafe fn lock_to_read(turn: &Turn<'_>, object: Object, deadline: Option<Deadline>) -> c_int {
    // SAFETY: the caller's lock.
    let attempt = || unsafe { real::pthread_rwlock_tryrdlock(object) };
    // SAFETY: as above.
    let refuse = || unsafe { real::pthread_rwlock_timedrdlock(object, &raw const PAST) };
    lock(turn, deadline, attempt, refuse)
}

/// # Safety
/// As the C library's.
unsafe fn lock_to_write(turn: &Turn<'_>, object: Object, deadline: Option<Deadline>) -> c_int {
    // SAFETY: the caller's lock.
    let attempt = || unsafe { real::pthread_rwlock_trywrlock(object) };
    // SAFETY: as above.
    let refuse = || unsafe { real::pthread_rwlock_timedwrlock(object, &raw const PAST) };
    lock(turn, deadline, attempt, refuse)
}

/// # Safety
/// As the C library's.
unsafe fn lock_by_clock(turn: &Turn<'_>, mutex: Object, clock: c_int, deadline: *const Time) -> c_int {
    if !is_clock(clock) {
        return EINVAL;
    }
    // SAFETY: the caller's arguments.
    unsafe { lock_mutex(turn, mutex, Deadline::new(clock, deadline)) }
}

replace! {
    fn pthread_mutex_lock(mutex: Object) = |turn| {
        let result = lock_mutex(&turn, mutex, None);
        turn.done(result)
    };
    fn pthread_mutex_trylock(mutex: Object) = |turn| turn.done(real::pthread_mutex_trylock(mutex));
    fn pthread_mutex_timedlock(mutex: Object, deadline: *const Time) = |turn| {
        let result = lock_mutex(&turn, mutex, Deadline::new(REAL_TIME, deadline));
        turn.done(result)
    };
    fn pthread_mutex_clocklock(mutex: Object, clock: c_int, deadline: *const Time) = |turn| {
        let result = lock_by_clock(&turn, mutex, clock, deadline);
        turn.done(result)
    };
    fn pthread_mutex_unlock(mutex: Object) = |turn| turn.done(real::pthread_mutex_unlock(mutex));

    fn mtx_lock(mutex: Object) = |turn| {
        let result = lock_mutex(&turn, mutex, None);
        turn.done(as_c11(result))
    };
    fn mtx_trylock(mutex: Object) = |turn| turn.done(real::mtx_trylock(mutex));
    fn mtx_timedlock(mutex: Object, deadline: *const Time) = |turn| {
        let result = lock_mutex(&turn, mutex, Deadline::new(REAL_TIME, deadline));
        turn.done(as_c11(result))
    };
    fn mtx_unlock(mutex: Object) = |turn| turn.done(real::mtx_unlock(mutex));

    fn pthread_rwlock_rdlock(lock: Object) = |turn| {
        let result = lock_to_read(&turn, lock, None);
        turn.done(result)
    };
    fn pthread_rwlock_tryrdlock(lock: Object) = |turn| turn.done(real::pthread_rwlock_tryrdlock(lock));
    fn pthread_rwlock_timedrdlock(lock: Object, deadline: *const Time) = |turn| {
        let result = lock_to_read(&turn, lock, Deadline::new(REAL_TIME, deadline));
        turn.done(result)
    };
    fn pthread_rwlock_wrlock(lock: Object) = |turn| {
        let result = lock_to_write(&turn, lock, None);
        turn.done(result)
    };
    fn pthread_rwlock_trywrlock(lock: Object) = |turn| turn.done(real::pthread_rwlock_trywrlock(lock));
    fn pthread_rwlock_timedwrlock(lock: Object, deadline: *const Time) = |turn| {
        let result = lock_to_write(&turn, lock, Deadline::new(REAL_TIME, deadline));
        turn.done(result)
    };
    fn pthread_rwlock_unlock(lock: Object) = |turn| turn.done(real::pthread_rwlock_unlock(lock));

    fn pthread_spin_lock(lock: Object) = |turn| {
        let attempt = || Some(real::pthread_spin_trylock(lock)).filter(|result| *result != EBUSY);
        let result = turn.until(None, attempt).unwrap_or(ETIMEDOUT);
        turn.done(result)
    };
    fn pthread_spin_trylock(lock: Object) = |turn| turn.done(real::pthread_spin_trylock(lock));
    fn pthread_spin_unlock(lock: Object) = |turn| turn.done(real::pthread_spin_unlock(lock));
}
