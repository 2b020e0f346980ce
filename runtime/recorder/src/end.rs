//! The end of the process, which it records itself.
//!
//! The first note is kept, with these exceptions: a process that is about to exit may still die in another way; and a
//! note made when a handler of the program took over a failure is removed if the handler recovers. So the note is
//! correct if the process ends, and is removed if it continues.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use wire::end;

use crate::c_library::real;
use crate::handlers::{self, Context, Info};
use crate::slot::{Slot, recorded};
use crate::{spool, system, thread};

/// The index of an unrecorded thread.
const NO_THREAD: u32 = u32::MAX;

mod state {
    /// There is no note.
    pub const OPEN: u32 = 0;
    pub const WRITING: u32 = 1;
    /// A handler of the program has got a signal that would have been the end.
    pub const IN_HANDLER: u32 = 2;
    pub const EXITED: u32 = 3;
    /// An assertion failed. Only a handler of the signal that follows can change that.
    pub const ASSERTION: u32 = 4;
    pub const FINAL: u32 = 5;
}

static STATE: AtomicU32 = AtomicU32::new(state::OPEN);
/// The thread that noted it.
static OWNER: AtomicU32 = AtomicU32::new(NO_THREAD);

#[derive(Clone, Copy)]
struct Note<'a> {
    kind: u32,
    code: i32,
    thread: u32,
    address: u64,
    assertion: Option<Assertion<'a>>,
}

#[derive(Clone, Copy)]
struct Assertion<'a> {
    condition: &'a [u8],
    file: &'a [u8],
    line: u32,
}

/// Acquires the right to write. Waits for another writer, but not for ever, since it may be the interrupted thread
/// itself.
fn claim(may_replace: impl Fn(u32) -> bool) -> bool {
    const PATIENCE: u32 = 1000;
    for _ in 0..PATIENCE {
        let present = STATE.load(Ordering::Acquire);
        if present == state::WRITING {
            system::give_way();
        } else if !may_replace(present) {
            return false;
        } else if STATE.compare_exchange(present, state::WRITING, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            return true;
        }
    }
    false
}

fn write(note: &Note<'_>, then: u32, may_replace: impl Fn(u32) -> bool) {
    if !spool::is_own_process() {
        return;
    }
    let Some(header) = spool::header() else { return };
    system::without_signals(|| {
        if !claim(may_replace) {
            return;
        }
        // SAFETY: the header stays mapped, and only the holder of the claim uses these fields.
        unsafe {
            let end = &raw mut (*header).end;
            let kind = AtomicU32::from_ptr(&raw mut (*end).kind);
            kind.store(end::UNKNOWN, Ordering::SeqCst);
            let assertion = note.assertion.unwrap_or(Assertion { condition: b"", file: b"", line: 0 });
            (*end).code = note.code;
            (*end).thread = note.thread;
            (*end).line = assertion.line;
            (*end).address = note.address;
            copy(assertion.file, &raw mut (*end).file);
            copy(assertion.condition, &raw mut (*end).condition);
            kind.store(note.kind, Ordering::Release);
        }
        OWNER.store(note.thread, Ordering::Relaxed);
        STATE.store(then, Ordering::Release);
    });
}

/// # Safety
/// No other thread uses `out`.
unsafe fn copy<const N: usize>(text: &[u8], out: *mut [u8; N]) {
    let length = text.len().min(N);
    // SAFETY: no more is written than there is room for.
    unsafe {
        let out = out.cast::<u8>();
        out.copy_from_nonoverlapping(text.as_ptr(), length);
        out.add(length).write_bytes(0, N - length);
    }
}

/// Removes the thread's note, because it continues.
pub fn take_back(thread: u32) {
    let mine = || OWNER.load(Ordering::Relaxed) == thread && spool::is_own_process();
    let Some(header) = spool::header().filter(|_| mine()) else { return };
    system::without_signals(|| {
        if claim(|present| matches!(present, state::IN_HANDLER | state::ASSERTION) && mine()) {
            // SAFETY: the header stays mapped, and only the holder of the claim uses this field.
            unsafe { AtomicU32::from_ptr(&raw mut (*header).end.kind).store(end::UNKNOWN, Ordering::Release) };
            STATE.store(state::OPEN, Ordering::Release);
        }
    });
}

fn this_thread() -> u32 {
    Slot::own().and_then(Slot::index).unwrap_or(NO_THREAD)
}

fn exited(status: c_int) {
    let mut address = 0;
    if let Some((_, thread)) = recorded() {
        address = thread.handlers.fault().unwrap_or(0);
    }
    let note = Note { kind: end::EXITED, code: status & 0xff, thread: this_thread(), address, assertion: None };
    write(&note, state::EXITED, |present| matches!(present, state::OPEN | state::IN_HANDLER | state::EXITED));
}

fn died(kind: u32, signal: c_int, address: u64) {
    let note = Note { kind, code: signal, thread: this_thread(), address, assertion: None };
    write(&note, state::FINAL, |present| matches!(present, state::OPEN | state::IN_HANDLER | state::EXITED));
}

fn kind_of(signal: c_int, info: *const Info) -> u32 {
    const BY_A_THREAD_OF_OURS: c_int = -6;
    // SAFETY: the kernel gives each handler that asks for it such a structure.
    let (code, sender) = unsafe { info.as_ref() }.map_or((0, 0), |info| (info.code, info.process));
    match signal {
        handlers::QUIT => end::HANG,
        handlers::ABORT if code == BY_A_THREAD_OF_OURS && sender == system::process() => end::ABORT,
        _ => end::SIGNAL,
    }
}

/// A handler of the program takes over a signal that would have ended the process. It need not have requested the
/// sender, which is then unknown; but whether the thread called `abort` is known.
pub fn handed_over(signal: c_int, aborting: bool, address: u64) {
    let kind = match signal {
        handlers::QUIT => end::HANG,
        handlers::ABORT if aborting => end::ABORT,
        _ => end::SIGNAL,
    };
    let note = Note { kind, code: signal, thread: this_thread(), address, assertion: None };
    write(&note, state::IN_HANDLER, |present| present == state::OPEN);
}

/// The handler of `abort` returned, which does not help.
pub fn aborted(address: u64) {
    died(end::ABORT, handlers::ABORT, address);
}

/// The handler for signals that end the process: records the end and then repeats the signal with its default action.
///
/// # Safety
/// Called by the kernel.
pub unsafe extern "C" fn die(signal: c_int, info: *mut Info, context: *mut Context) {
    /// The kernel itself saw the instruction.
    const BY_THE_KERNEL: c_int = 0x80;
    // SAFETY: the kernel gives each handler that asks for it such structures.
    let (context, info_given) = unsafe { (context.as_ref(), info.as_ref()) };
    // A breakpoint is an instruction that was executed; it has one byte.
    let behind = signal == handlers::TRAP && info_given.is_some_and(|info| info.code == BY_THE_KERNEL);
    let address = context.map_or(0, |context| spool::relative(context.instruction) - u64::from(behind));
    // Crash handlers put the default back and send the signal once more: the place is where it came from first.
    let first = recorded().and_then(|(_, thread)| thread.handlers.address_of(signal));
    died(kind_of(signal, info), signal, first.unwrap_or(address));
    system::handle_by_default(signal);
    // SAFETY: the arguments are those from the kernel.
    unsafe { system::send_again(signal, info.cast::<c_void>()) };
}

/// The C library runs it after the program's own functions of this kind.
///
/// # Safety
/// Called by the C library.
pub unsafe extern "C" fn exiting(status: c_int, _data: *mut c_void) {
    exited(status);
    if let Some((_, recorded)) = recorded().filter(|_| spool::is_own_process()) {
        thread::say_if_handler_was_left(recorded);
    }
}

/// The last resort if the C library lacks a required function.
fn trap() -> ! {
    // SAFETY: the instruction is made for this.
    unsafe { core::arch::asm!("ud2", options(noreturn)) }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle__exit(status: c_int) -> ! {
    exited(status);
    // SAFETY: the caller's arguments.
    if let Some(real) = real::exit_at_once() { unsafe { real(status) } } else { trap() }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_quick_exit(status: c_int) -> ! {
    exited(status);
    // SAFETY: the caller's arguments.
    if let Some(real) = real::quick_exit() { unsafe { real(status) } } else { trap() }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_abort() -> ! {
    aborting();
    // SAFETY: there are no arguments.
    if let Some(real) = real::abort() { unsafe { real() } } else { trap() }
}

/// From here on the signal that follows is the end, unless its handler does not come back.
fn aborting() {
    if let Some((_, thread)) = recorded().filter(|_| spool::is_own_process()) {
        thread.handlers.set_aborting(true);
    }
    if handlers::is_ignored(handlers::ABORT) {
        died(end::ABORT, handlers::ABORT, 0);
    }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle___assert_fail(
    condition: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    // SAFETY: the compiler gives strings of C.
    let text = |text: *const c_char| if text.is_null() { &[][..] } else { unsafe { CStr::from_ptr(text) }.to_bytes() };
    let assertion = Some(Assertion { condition: text(condition), file: text(file), line });
    let note = Note { kind: end::ASSERTION, code: handlers::ABORT, thread: this_thread(), address: 0, assertion };
    write(&note, state::ASSERTION, |present| matches!(present, state::OPEN | state::IN_HANDLER | state::EXITED));
    aborting();
    // SAFETY: the caller's arguments.
    if let Some(real) = real::assert_fail() { unsafe { real(condition, file, line, function) } } else { trap() }
}
