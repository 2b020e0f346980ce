//! The functions of the C library that are replaced in recorded programs.
//!
//! The symbols are weak: a program that defines such a function itself keeps its own, whose effects are then not
//! recorded. They exist only in the static library, since the test process of this crate must keep the real ones.

#[cfg(heddle_static)]
macro_rules! interpose {
    ($($name:literal is $function:literal;)*) => {
        $(core::arch::global_asm!(
            concat!(".weak ", $name),
            concat!(".type ", $name, ", @function"),
            concat!(".set ", $name, ", ", $function),
        );)*
    };
}

#[cfg(heddle_static)]
interpose! {
    "pthread_create" is "__heddle_pthread_create";
    "thrd_create" is "__heddle_thrd_create";
    "__assert_fail" is "__heddle___assert_fail";
    "abort" is "__heddle_abort";
    "_exit" is "__heddle__exit";
    "_Exit" is "__heddle__exit";
    "quick_exit" is "__heddle_quick_exit";
    "sigaction" is "__heddle_sigaction";
    "signal" is "__heddle_signal";
    "bsd_signal" is "__heddle_signal";
    "ssignal" is "__heddle_signal";
    "sigset" is "__heddle_sigset";
    "sysv_signal" is "__heddle_sysv_signal";
    "__sysv_signal" is "__heddle_sysv_signal";
    "longjmp" is "__heddle_longjmp";
    "_longjmp" is "__heddle_longjmp";
    "siglongjmp" is "__heddle_longjmp";
    "__longjmp_chk" is "__heddle___longjmp_chk";
    "fork" is "__heddle_fork";
    "_Fork" is "__heddle__Fork";
    "vfork" is "__heddle_vfork";
    "execve" is "__heddle_execve";
    "execv" is "__heddle_execv";
    "execvp" is "__heddle_execvp";
    "execvpe" is "__heddle_execvpe";
    "execl" is "__heddle_execl";
    "execlp" is "__heddle_execlp";
    "execle" is "__heddle_execle";
    "fexecve" is "__heddle_fexecve";
    "execveat" is "__heddle_execveat";
    "fopen" is "__heddle_fopen";
    "fopen64" is "__heddle_fopen64";
    "open" is "__heddle_open";
    "open64" is "__heddle_open64";
    "dlopen" is "__heddle_dlopen";
    "dlmopen" is "__heddle_dlmopen";
}

use core::ffi::{c_int, c_void};

use crate::c_library::{Start, real};
use crate::sequence;
use crate::system::EAGAIN;
use crate::thread::{self, Task};

/// Creates a thread with `create`, whose arguments are the start function and its argument.
fn create_thread(start: Start, argument: *mut c_void, create: impl FnOnce(Start, *mut c_void) -> c_int) -> c_int {
    sequence::creating();
    let Some(child) = thread::conceive(Task { start: Some(start), argument }) else { return create(start, argument) };
    let result = create(thread::begin, child.cast());
    if result != 0 {
        // SAFETY: there is no such thread.
        unsafe { thread::miscarry(child) };
    }
    result
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_pthread_create(
    handle: *mut c_void,
    attributes: *const c_void,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    let Some(real) = real::pthread_create() else { return EAGAIN.0 };
    // SAFETY: the caller's arguments.
    create_thread(start, argument, |start, argument| unsafe { real(handle, attributes, start, argument) })
}

/// The thread's function returns an `int`, which [`thread::begin`] passes on like anything else.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_thrd_create(handle: *mut c_void, start: Start, argument: *mut c_void) -> c_int {
    /// `thrd_error`.
    const ERROR: c_int = 2;
    let Some(real) = real::thrd_create() else { return ERROR };
    // SAFETY: the caller's arguments.
    create_thread(start, argument, |start, argument| unsafe { real(handle, start, argument) })
}
