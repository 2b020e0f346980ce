//! Semaphores. As with locks, the real one is used without waiting.

use core::ffi::c_int;

use crate::c_library::{errno, set_errno};
use crate::system::Time;

use super::c_functions::{self as real, EAGAIN, EINVAL, ETIMEDOUT, Object, replace};
use super::time::{Deadline, REAL_TIME};
use super::turn::Turn;

/// # Safety
/// As the C library's.
unsafe fn wait(turn: Turn<'_>, semaphore: Object, deadline: Option<Deadline>) -> c_int {
    let before = errno();
    // Failed attempts must not change the caller's `errno`.
    let attempt = || {
        // SAFETY: the caller's semaphore.
        if unsafe { real::sem_trywait(semaphore) } == 0 {
            return Some(None);
        }
        Some(Some(errno())).filter(|error| *error != Some(EAGAIN))
    };
    let result = match attempt() {
        Some(result) => result,
        None if deadline.is_some_and(|deadline| !deadline.is_valid()) => Some(EINVAL),
        None => turn.until(deadline, attempt).unwrap_or(Some(ETIMEDOUT)),
    };
    set_errno(result.unwrap_or(before));
    turn.done(if result.is_some() { -1 } else { 0 })
}

replace! {
    fn sem_wait(semaphore: Object) = |turn| wait(turn, semaphore, None);
    fn sem_trywait(semaphore: Object) = |turn| turn.done(real::sem_trywait(semaphore));
    fn sem_timedwait(semaphore: Object, deadline: *const Time) = |turn| {
        wait(turn, semaphore, Deadline::new(REAL_TIME, deadline))
    };
    fn sem_post(semaphore: Object) = |turn| turn.done(real::sem_post(semaphore));
}
