//! Routines that are run once. The real function runs them, so that it knows what to do if they end otherwise than by
//! returning; nobody calls it while it would wait for another thread.
//!
//! Whoever comes while the routine runs gets its number when it goes on, and not one more when it arrives: the end of the
//! routine has no number, so whether it was running at some number cannot be told from the numbers.

use core::ffi::c_int;
use core::mem::{offset_of, transmute};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use super::c_functions::{self as real, Object, Routine};
use super::turn::Turn;

/// What the program wants to be run. It belongs to who has the turn.
static ROUTINE: AtomicPtr<()> = AtomicPtr::new(null_mut());

/// What is to be called, and its second argument.
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

/// `call_once` is the same for the C library, but for the result that nobody asks for.
///
/// # Safety
/// As the C library's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn __heddle_seq_call_once(_control: Object, _routine: Routine) {
    core::arch::naked_asm!("jmp {once}", once = sym __heddle_seq_pthread_once)
}

/// The routine that the real function gets: it ends the turn, and then does what the program wants.
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

/// The real function has decided that the routine runs, and everybody can see that.
extern "C" fn begun() -> Routine {
    let routine = ROUTINE.swap(null_mut(), Ordering::Relaxed);
    if let Some(turn) = Turn::own() {
        turn.done(());
    }
    // SAFETY: it is what the program gave us, in the turn that has not ended since.
    unsafe { transmute::<*mut (), Routine>(routine) }
}

/// The turn has not ended yet if there was nothing to run.
extern "C" fn returned() {
    if let Some(turn) = Turn::held()
        && !ROUTINE.swap(null_mut(), Ordering::Relaxed).is_null()
    {
        turn.done(());
    }
}
