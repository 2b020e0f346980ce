//! Signal handlers of the program. They run as before, but their steps are not recorded, since they would be mixed with
//! those of the interrupted code.
//!
//! Each handler that the program installs is stored in a table, and the kernel calls [`deliver`] in its place. Signals
//! that would end the process without a handler go to [`end::die`], which is invisible to the program. If a handler is
//! left by a jump, this is noticed at the jump: the thread has not been recorded since the signal, and will not be.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use wire::note;

use crate::c_library::{Handler, real};
use crate::slot::recorded;
use crate::system::{EINVAL, ENOSYS};
use crate::thread::Thread;
use crate::{c_library, end, sequence, spool};

pub const QUIT: c_int = 3;
const ILLEGAL: c_int = 4;
pub const TRAP: c_int = 5;
pub const ABORT: c_int = 6;
const BUS: c_int = 7;
const ARITHMETIC: c_int = 8;
const SEGMENTATION: c_int = 11;
const SYSTEM_CALL: c_int = 31;
/// Signals that mean a failure of the program.
const FATAL: [c_int; 8] = [QUIT, ILLEGAL, TRAP, ABORT, BUS, ARITHMETIC, SEGMENTATION, SYSTEM_CALL];

const DEFAULT: Handler = 0;
const IGNORE: Handler = 1;
const ERROR: Handler = usize::MAX;
const SIGNALS: usize = 65;

const WITH_INFO: c_int = 4;
const ON_STACK: c_int = 0x0800_0000;
const NOT_DEFERRED: c_int = 0x4000_0000;
const RESET: c_int = 0x8000_0000_u32 as c_int;

fn is_fatal(signal: c_int) -> bool {
    FATAL.contains(&signal)
}

/// The beginning of `siginfo_t`.
#[repr(C)]
pub struct Info {
    signal: c_int,
    error: c_int,
    pub code: c_int,
    unused: c_int,
    /// The sender, if there was one.
    pub process: c_int,
}

/// The beginning of `ucontext_t`: the registers of the interrupted code, in the kernel's order.
#[repr(C)]
pub struct Context {
    unused: [u64; 5],
    registers: [u64; 15],
    stack: u64,
    pub instruction: u64,
}

/// The C library's `struct sigaction`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Action {
    handler: Handler,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

impl Action {
    const DEFAULT: Action = Action { handler: DEFAULT, mask: [0; 16], flags: 0, restorer: 0 };

    /// The action that replaces the default for signals that end the process.
    fn to_die() -> Action {
        Action {
            handler: end::die as *const () as usize,
            mask: [u64::MAX; 16],
            flags: WITH_INFO | ON_STACK,
            restorer: 0,
        }
    }
}

/// The program's own action, where the kernel has another one.
struct Entry {
    handler: AtomicUsize,
    /// Whether the handler is for one time only. For a fatal signal this is our business: the kernel would put its own
    /// default there, and not ours.
    once: AtomicBool,
}

static TABLE: [Entry; SIGNALS] =
    [const { Entry { handler: AtomicUsize::new(DEFAULT), once: AtomicBool::new(false) } }; SIGNALS];
/// Whether the program's handlers are kept in the table.
static ACTIVE: AtomicBool = AtomicBool::new(false);

fn entry(signal: c_int) -> Option<&'static Entry> {
    let is_real = ACTIVE.load(Ordering::Relaxed) && signal > 0;
    TABLE.get(signal as usize).filter(|_| is_real)
}

fn deliver_address() -> Handler {
    deliver as *const () as usize
}

fn set(signal: c_int, new: Option<&Action>, old: Option<&mut Action>) -> c_int {
    let Some(real) = real::sigaction() else {
        c_library::set_errno(ENOSYS.0);
        return -1;
    };
    let new = new.map_or(core::ptr::null(), |new| (&raw const *new).cast::<c_void>());
    let old = old.map_or(core::ptr::null_mut(), |old| (&raw mut *old).cast::<c_void>());
    // SAFETY: both have the C library's layout, or are null.
    unsafe { real(signal, new, old) }
}

/// From here on, signals that end the process are noted, and handlers that the program installs are ours to call.
pub fn begin() {
    for signal in FATAL {
        let mut present = Action::DEFAULT;
        // An action set by other code is kept.
        if set(signal, None, Some(&mut present)) == 0 && present.handler == DEFAULT {
            set(signal, Some(&Action::to_die()), None);
        }
    }
    ACTIVE.store(true, Ordering::Relaxed);
}

pub fn is_ignored(signal: c_int) -> bool {
    let mut present = Action::DEFAULT;
    spool::recording() && set(signal, None, Some(&mut present)) == 0 && present.handler == IGNORE
}

/// The handlers that a thread is in, from the first that interrupted it to the one that runs.
pub struct Handlers {
    depth: AtomicUsize,
    frames: [Frame; Handlers::DEEPEST],
    /// A handler was left by a jump.
    left: AtomicBool,
    /// The thread has called `abort`.
    aborting: AtomicBool,
}

struct Frame {
    signal: AtomicU32,
    /// The instruction that was interrupted.
    address: AtomicU64,
    /// Where on the stack [`deliver`] runs.
    at: AtomicUsize,
    /// How far the stack went that was interrupted.
    interrupted: AtomicUsize,
}

impl Frame {
    const fn new() -> Frame {
        Frame {
            signal: AtomicU32::new(0),
            address: AtomicU64::new(0),
            at: AtomicUsize::new(0),
            interrupted: AtomicUsize::new(0),
        }
    }
}

impl Handlers {
    /// More deeply nested handlers are run, but jumps out of them are detected less reliably.
    const DEEPEST: usize = 16;

    pub const fn new() -> Handlers {
        Handlers {
            depth: AtomicUsize::new(0),
            frames: [const { Frame::new() }; Handlers::DEEPEST],
            left: AtomicBool::new(false),
            aborting: AtomicBool::new(false),
        }
    }

    pub fn depth(&self) -> usize {
        self.depth.load(Ordering::Relaxed)
    }

    pub fn set_depth(&self, depth: usize) {
        self.depth.store(depth, Ordering::Relaxed);
    }

    pub fn set_aborting(&self, aborting: bool) {
        self.aborting.store(aborting, Ordering::Relaxed);
    }

    fn enter(&self, signal: c_int, address: u64, at: usize, interrupted: usize) {
        let depth = self.depth();
        // A signal that arrives now uses the frame behind this one.
        self.set_depth(depth + 1);
        if let Some(frame) = self.frames.get(depth) {
            frame.signal.store(signal as u32, Ordering::Relaxed);
            frame.address.store(address, Ordering::Relaxed);
            frame.at.store(at, Ordering::Relaxed);
            frame.interrupted.store(interrupted, Ordering::Relaxed);
        }
    }

    fn frames(&self) -> impl DoubleEndedIterator<Item = &Frame> {
        self.frames.get(..self.depth().min(Handlers::DEEPEST)).unwrap_or(&[]).iter()
    }

    /// Where the first failure happened that a handler has in its hands.
    pub fn fault(&self) -> Option<u64> {
        let is_fault = |frame: &&Frame| is_fatal(frame.signal.load(Ordering::Relaxed) as c_int);
        self.frames().find(is_fault).map(|frame| frame.address.load(Ordering::Relaxed))
    }

    pub fn address_of(&self, signal: c_int) -> Option<u64> {
        let is_signal = |frame: &&Frame| frame.signal.load(Ordering::Relaxed) as c_int == signal;
        self.frames().find(is_signal).map(|frame| frame.address.load(Ordering::Relaxed))
    }

    /// The number of handlers that the thread is in after a jump from `here` to a stack pointer of `target`. It is
    /// still in a handler whose frames contain the target.
    fn depth_after_jump(&self, here: usize, target: usize) -> usize {
        let mut lowest = here;
        let mut depth = self.depth().min(Handlers::DEEPEST);
        for frame in self.frames().rev() {
            if (lowest..frame.at.load(Ordering::Relaxed)).contains(&target) {
                break;
            }
            lowest = frame.interrupted.load(Ordering::Relaxed);
            depth -= 1;
        }
        depth
    }

    /// The thread is in no handler any more. Returns the first signal, if it was in a handler and this is the first
    /// call since.
    pub fn forget_all(&self) -> Option<u32> {
        let first = self.frames().next()?.signal.load(Ordering::Relaxed);
        self.set_depth(0);
        (!self.left.swap(true, Ordering::Relaxed)).then_some(first)
    }
}

/// Runs the program's handler.
///
/// # Safety
/// Called by the kernel.
unsafe extern "C" fn deliver(signal: c_int, info: *mut Info, context: *mut Context) {
    let Some(entry) = entry(signal) else { return };
    let handler = entry.handler.load(Ordering::Relaxed);
    if matches!(handler, DEFAULT | IGNORE | ERROR) {
        return;
    }
    if entry.once.load(Ordering::Relaxed) {
        set(signal, Some(&Action::to_die()), None);
    }
    // SAFETY: the program gave us this function as a handler. One that wants the signal only does not see the rest.
    let run = || unsafe {
        let handler: unsafe extern "C" fn(c_int, *mut Info, *mut Context) = core::mem::transmute(handler);
        handler(signal, info, context);
    };
    let Some((slot, thread)) = recorded() else { return run() };
    let before = slot.cursor();
    slot.to_sink();
    if spool::is_own_process() {
        // SAFETY: the kernel gives each handler the registers of the interrupted code.
        let (address, stack) = unsafe { (spool::relative((*context).instruction), (*context).stack as usize) };
        let depth = thread.handlers.depth();
        thread.handlers.enter(signal, address, (&raw const before).addr(), stack);
        if !thread.handlers.left.load(Ordering::Relaxed) {
            thread.note(note::HANDLER, signal as u64);
        }
        if is_fatal(signal) {
            end::handed_over(signal, thread.handlers.aborting.load(Ordering::Relaxed), address);
        }
        run();
        came_back(thread, signal, address);
        thread.handlers.set_depth(depth);
    } else {
        run();
    }
    // In a child created by the handler the slot has no thread, and is left as it is.
    if slot.thread().is_some() {
        slot.set(before);
    }
}

fn came_back(thread: &Thread, signal: c_int, address: u64) {
    if !is_fatal(signal) {
        return;
    }
    if signal == ABORT && thread.handlers.aborting.load(Ordering::Relaxed) {
        end::aborted(address);
    } else {
        end::take_back(thread.index());
    }
}

/// The thread is about to jump to the state in `environment`.
///
/// # Safety
/// `environment` was filled by the C library's `setjmp`.
unsafe fn jumping(environment: *const c_void) {
    let Some((slot, thread)) = recorded() else { return };
    let handlers = &thread.handlers;
    if handlers.depth() == 0 || !spool::is_own_process() {
        return;
    }
    let here = 0_u8;
    // SAFETY: the caller's word for it.
    let target = unsafe { stack_of(environment) };
    let depth = handlers.depth_after_jump((&raw const here).addr(), target);
    if depth == handlers.depth() {
        return;
    }
    sequence::leave(slot);
    let left_fatal = handlers.frames().skip(depth).any(|frame| is_fatal(frame.signal.load(Ordering::Relaxed) as c_int));
    if left_fatal {
        handlers.set_aborting(false);
        end::take_back(thread.index());
    }
    if depth > 0 {
        handlers.set_depth(depth);
    } else if let Some(signal) = handlers.forget_all() {
        thread.records.forget_writer();
        thread.note(note::HANDLER_LEFT, u64::from(signal));
    }
}

/// The stack pointer saved by `setjmp`. The C library encodes it.
///
/// # Safety
/// `environment` was filled by the C library's `setjmp`.
unsafe fn stack_of(environment: *const c_void) -> usize {
    const STACK: usize = 6;
    let mut stack: usize;
    // SAFETY: the environment has eight words; the guard lies in the block that the thread register points to.
    unsafe {
        stack = environment.cast::<usize>().add(STACK).read();
        core::arch::asm!("ror {0}, 17", "xor {0}, fs:[0x30]", inout(reg) stack, options(nostack, readonly));
    }
    stack
}

/// # Safety
/// As the C library's `longjmp`, of which it is every variant but the checked one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_longjmp(environment: *mut c_void, value: c_int) -> ! {
    // SAFETY: the caller's arguments.
    unsafe {
        jumping(environment);
        match real::longjmp() {
            Some(real) => real(environment, value),
            None => core::arch::asm!("ud2", options(noreturn)),
        }
    }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle___longjmp_chk(environment: *mut c_void, value: c_int) -> ! {
    // SAFETY: the caller's arguments.
    unsafe {
        jumping(environment);
        match real::longjmp_checked() {
            Some(real) => real(environment, value),
            None => core::arch::asm!("ud2", options(noreturn)),
        }
    }
}

/// An action as the program knows it.
fn as_asked(mut found: Action, handler: Handler, once: bool) -> Action {
    if found.handler == end::die as *const () as usize {
        return Action::DEFAULT;
    }
    if found.handler == deliver_address() {
        found.handler = handler;
        found.flags |= if once { RESET } else { 0 };
    }
    found
}

/// The action passed to the kernel, after the table is updated.
fn as_told(signal: c_int, entry: &Entry, mut asked: Action) -> Action {
    match asked.handler {
        DEFAULT if is_fatal(signal) => Action::to_die(),
        DEFAULT | IGNORE => asked,
        handler => {
            let once = is_fatal(signal) && asked.flags & RESET != 0;
            entry.once.store(once, Ordering::Relaxed);
            entry.handler.store(handler, Ordering::Relaxed);
            asked.handler = deliver_address();
            asked.flags &= if once { !RESET } else { !0 };
            asked
        }
    }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_sigaction(signal: c_int, new: *const c_void, old: *mut c_void) -> c_int {
    // SAFETY: the caller gives structures of the C library, or null.
    let (new, old) = unsafe { (new.cast::<Action>().as_ref().copied(), old.cast::<Action>()) };
    let mut found = Action::DEFAULT;
    let Some(entry) = entry(signal) else {
        let result = set(signal, new.as_ref(), Some(&mut found));
        if result == 0 && !old.is_null() {
            // SAFETY: as above.
            unsafe { old.write(found) };
        }
        return result;
    };
    let (handler, once) = (entry.handler.load(Ordering::Relaxed), entry.once.load(Ordering::Relaxed));
    // The table is the parent's if a child shares its memory.
    let is_own = spool::is_own_process();
    let told = new.map(|asked| if is_own { as_told(signal, entry, asked) } else { asked });
    let result = set(signal, told.as_ref(), Some(&mut found));
    if result != 0 {
        if is_own {
            entry.handler.store(handler, Ordering::Relaxed);
            entry.once.store(once, Ordering::Relaxed);
        }
    } else if !old.is_null() {
        // SAFETY: as above.
        unsafe { old.write(as_asked(found, handler, once)) };
    }
    result
}

/// The common part of the older functions: `real` sets a handler and returns the previous one.
fn set_simply(real: unsafe extern "C" fn(c_int, Handler) -> Handler, signal: c_int, handler: Handler) -> Handler {
    /// `SIG_HOLD` of `sigset`, which blocks the signal and keeps the handler.
    const HOLD: Handler = 2;
    let Some(entry) = entry(signal).filter(|_| spool::is_own_process()) else {
        // SAFETY: the caller's arguments.
        return unsafe { real(signal, handler) };
    };
    let before = entry.handler.load(Ordering::Relaxed);
    let once = entry.once.load(Ordering::Relaxed);
    let told = match handler {
        DEFAULT | IGNORE | HOLD | ERROR => handler,
        _ => as_told(signal, entry, Action { handler, ..Action::DEFAULT }).handler,
    };
    // SAFETY: the caller's arguments, or our own function in the place of its.
    let found = unsafe { real(signal, told) };
    if found == ERROR {
        entry.handler.store(before, Ordering::Relaxed);
        entry.once.store(once, Ordering::Relaxed);
        return ERROR;
    }
    if handler == DEFAULT && is_fatal(signal) {
        set(signal, Some(&Action::to_die()), None);
    }
    as_asked(Action { handler: found, ..Action::DEFAULT }, before, once).handler
}

/// # Safety
/// As the C library's `signal`, and its other names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_signal(signal: c_int, handler: Handler) -> Handler {
    real::signal().map_or(ERROR, |real| set_simply(real, signal, handler))
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_sigset(signal: c_int, handler: Handler) -> Handler {
    real::sigset().map_or(ERROR, |real| set_simply(real, signal, handler))
}

/// # Safety
/// As the C library's `sysv_signal`: a handler for one time, which its own signal may interrupt.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_sysv_signal(signal: c_int, handler: Handler) -> Handler {
    if handler == ERROR {
        c_library::set_errno(EINVAL.0);
        return ERROR;
    }
    let new = Action { handler, flags: RESET | NOT_DEFERRED, ..Action::DEFAULT };
    let mut old = Action::DEFAULT;
    // SAFETY: both are structures of the C library.
    let result = unsafe { __heddle_sigaction(signal, (&raw const new).cast(), (&raw mut old).cast()) };
    if result == 0 { old.handler } else { ERROR }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_leave_the_handlers_that_they_come_out_of() {
        let handlers = Handlers::new();
        assert_eq!(handlers.depth_after_jump(0x500, 0x9000), 0);
        // A handler on the interrupted stack, and a nested one on an alternate stack.
        handlers.enter(USER, 1, 0x8000, 0x8800);
        handlers.enter(SEGMENTATION, 2, 0x20000, 0x7000);
        for (target, depth) in [(0x1f000, 2), (0x7800, 1), (0x9000, 0), (0x30000, 0), (0x6000, 0)] {
            assert_eq!(handlers.depth_after_jump(0x1e000, target), depth, "{target:#x}");
        }
        assert_eq!((handlers.fault(), handlers.address_of(USER), handlers.address_of(QUIT)), (Some(2), Some(1), None));
        assert_eq!(handlers.forget_all(), Some(USER as u32));
        assert_eq!((handlers.depth(), handlers.forget_all()), (0, None));
    }

    #[test]
    fn handlers_may_be_nested_more_deeply_than_is_kept() {
        let handlers = Handlers::new();
        for depth in 0..2 * Handlers::DEEPEST {
            handlers.enter(USER, 0, 0x8000 - 0x10 * depth, 0x8001 - 0x10 * depth);
        }
        assert_eq!(handlers.depth(), 2 * Handlers::DEEPEST);
        assert_eq!(handlers.depth_after_jump(0x100, 0x9000), 0);
    }

    const USER: c_int = 10;
}
