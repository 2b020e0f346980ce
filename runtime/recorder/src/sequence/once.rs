//! Routines that are run once. The real function runs them, so that it can handle an end without return; no thread
//! calls it while it would wait for another thread.
//!
//! A thread that arrives while the routine runs gets one number when it proceeds, and none at its arrival: the end of
//! the routine has no number, so the numbers could not tell whether it was running at the arrival.

use core::ffi::c_int;
use core::mem::{offset_of, transmute};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use super::c_functions::{self as real, Object, Routine};
use super::turn::Turn;

/// The program's routine. It belongs to the thread that has the turn.
static ROUTINE: AtomicPtr<()> = AtomicPtr::new(null_mut());

/// The function to call, and its second argument.
#[repr(C)]
struct Way {
    once: unsafe extern "C" fn(Object, Routine) -> c_int,
    routine: Routine,
}

const _: () = assert!(offset_of!(Way, once) == 0 && offset_of!(Way, routine) == 8 && size_of::<Way>() == 16);

/// `pthread_once`. None of our own functions may be on the stack while the routine runs: it may end by an exception.
///
/// # Safety
/// As the C library's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn __heddle_seq_pthread_once(_control: Object, _routine: Routine) -> c_int {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rdi",
        ".cfi_def_cfa_offset 16",
        "call {prepare}",
        "mov rdi, [rsp]",
        "mov rsi, rdx",
        "call rax",
        "mov [rsp], rax",
        "call {returned}",
        "mov rax, [rsp]",
        "add rsp, 8",
        ".cfi_def_cfa_offset 8",
        "ret",
        ".cfi_endproc",
        prepare = sym prepare,
        returned = sym returned,
    )
}

/// `call_once` is the same in the C library, except for its unused result.
///
/// # Safety
/// As the C library's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn __heddle_seq_call_once(_control: Object, _routine: Routine) {
    core::arch::naked_asm!("jmp {once}", once = sym __heddle_seq_pthread_once)
}

/// The routine passed to the real function: it ends the turn, and then runs the program's routine.
#[unsafe(naked)]
unsafe extern "C" fn run() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "sub rsp, 8",
        ".cfi_def_cfa_offset 16",
        "call {begun}",
        "add rsp, 8",
        ".cfi_def_cfa_offset 8",
        "jmp rax",
        ".cfi_endproc",
        begun = sym begun,
    )
}

/// Whether the routine runs, by the C library's own reckoning.
///
/// # Safety
/// It is a control of C.
unsafe fn is_running(control: Object) -> bool {
    const RUNNING: u32 = 1;
    const STATES: u32 = 3;
    // SAFETY: a control is a number of this size.
    let control = unsafe { AtomicU32::from_ptr(control.cast()) };
    control.load(Ordering::Acquire) & STATES == RUNNING
}

unsafe extern "C" fn prepare(control: Object, routine: Routine) -> Way {
    if let Some(turn) = Turn::own() {
        // SAFETY: the caller's control.
        turn.until(None, || unsafe { (!is_running(control)).then_some(()) });
        ROUTINE.store(routine as *mut (), Ordering::Relaxed);
        return Way { once: real::pthread_once, routine: run };
    }
    Way { once: real::pthread_once, routine }
}

/// The real function has decided to run the routine, and other threads can see that.
extern "C" fn begun() -> Routine {
    let routine = ROUTINE.swap(null_mut(), Ordering::Relaxed);
    if let Some(turn) = Turn::own() {
        turn.done(());
    }
    // SAFETY: the routine is that of the program, set in the turn that has not ended since.
    unsafe { transmute::<*mut (), Routine>(routine) }
}

/// The turn has not ended yet if there was no routine to run.
extern "C" fn returned() {
    if let Some(turn) = Turn::held()
        && !ROUTINE.swap(null_mut(), Ordering::Relaxed).is_null()
    {
        turn.done(());
    }
}
