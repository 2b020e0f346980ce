//! The replacement of functions of the C library.
//!
//! The condition variables of C++ are not replaced: a C program has no library for them, and they are implemented by
//! those of C.

use core::ffi::{c_int, c_uint, c_void};

use crate::system::Time;

/// A lock, condition, barrier, semaphore or control of C.
pub type Object = *mut c_void;

pub type Routine = unsafe extern "C" fn();

pub const EAGAIN: c_int = 11;
pub const EBUSY: c_int = 16;
pub const EINVAL: c_int = 22;
pub const ETIMEDOUT: c_int = 110;

// SAFETY: the signatures are those of the GNU C library.
unsafe extern "C" {
    pub fn pthread_mutex_lock(mutex: Object) -> c_int;
    pub fn pthread_mutex_trylock(mutex: Object) -> c_int;
    pub fn pthread_mutex_timedlock(mutex: Object, deadline: *const Time) -> c_int;
    pub fn pthread_mutex_clocklock(mutex: Object, clock: c_int, deadline: *const Time) -> c_int;
    pub fn pthread_mutex_unlock(mutex: Object) -> c_int;
    pub fn pthread_cond_wait(condition: Object, mutex: Object) -> c_int;
    pub fn pthread_cond_timedwait(condition: Object, mutex: Object, deadline: *const Time) -> c_int;
    pub fn pthread_cond_clockwait(condition: Object, mutex: Object, clock: c_int, deadline: *const Time) -> c_int;
    pub fn pthread_cond_signal(condition: Object) -> c_int;
    pub fn pthread_cond_broadcast(condition: Object) -> c_int;
    pub fn pthread_cond_init(condition: Object, attributes: *const c_void) -> c_int;
    pub fn pthread_condattr_init(attributes: *mut c_void) -> c_int;
    pub fn pthread_condattr_setclock(attributes: *mut c_void, clock: c_int) -> c_int;
    pub fn pthread_rwlock_rdlock(lock: Object) -> c_int;
    pub fn pthread_rwlock_tryrdlock(lock: Object) -> c_int;
    pub fn pthread_rwlock_timedrdlock(lock: Object, deadline: *const Time) -> c_int;
    pub fn pthread_rwlock_wrlock(lock: Object) -> c_int;
    pub fn pthread_rwlock_trywrlock(lock: Object) -> c_int;
    pub fn pthread_rwlock_timedwrlock(lock: Object, deadline: *const Time) -> c_int;
    pub fn pthread_rwlock_unlock(lock: Object) -> c_int;
    pub fn pthread_spin_lock(lock: Object) -> c_int;
    pub fn pthread_spin_trylock(lock: Object) -> c_int;
    pub fn pthread_spin_unlock(lock: Object) -> c_int;
    pub fn pthread_barrier_init(barrier: Object, attributes: *const c_void, count: c_uint) -> c_int;
    pub fn pthread_barrier_wait(barrier: Object) -> c_int;
    pub fn pthread_once(control: Object, routine: Routine) -> c_int;
    pub fn sem_wait(semaphore: Object) -> c_int;
    pub fn sem_trywait(semaphore: Object) -> c_int;
    pub fn sem_timedwait(semaphore: Object, deadline: *const Time) -> c_int;
    pub fn sem_post(semaphore: Object) -> c_int;
    pub fn mtx_lock(mutex: Object) -> c_int;
    pub fn mtx_trylock(mutex: Object) -> c_int;
    pub fn mtx_timedlock(mutex: Object, deadline: *const Time) -> c_int;
    pub fn mtx_unlock(mutex: Object) -> c_int;
    pub fn cnd_wait(condition: Object, mutex: Object) -> c_int;
    pub fn cnd_timedwait(condition: Object, mutex: Object, deadline: *const Time) -> c_int;
    pub fn cnd_signal(condition: Object) -> c_int;
    pub fn cnd_broadcast(condition: Object) -> c_int;
}

/// What the functions of `threads.h` return instead of the numbers of `pthread.h`. Their objects are the same.
pub fn as_c11(error: c_int) -> c_int {
    const SUCCESS: c_int = 0;
    const BUSY: c_int = 1;
    const ERROR: c_int = 2;
    const TIMED_OUT: c_int = 4;
    match error {
        0 => SUCCESS,
        EBUSY => BUSY,
        ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

/// Functions that instrumented code calls in the place of those of the C library, under their names with a beginning. The
/// thread has taken its turn, if there are turns; the function's body ends it. Without turns the real function is called.
macro_rules! replace {
    ($(fn $name:ident($($argument:ident: $type:ty),*) = |$turn:ident| $body:expr;)*) => {
        $(
            /// # Safety
            /// As the C library's.
            #[unsafe(export_name = concat!("__heddle_seq_", stringify!($name)))]
            unsafe extern "C" fn $name($($argument: $type),*) -> core::ffi::c_int {
                // SAFETY: the caller's arguments.
                unsafe {
                    match crate::sequence::turn::Turn::own() {
                        Some($turn) => $body,
                        None => crate::sequence::c_functions::$name($($argument),*),
                    }
                }
            }
        )*
    };
}
pub(crate) use replace;
