//! Other processes and other code: children, programs executed in this process, loaded libraries.
//!
//! A child is not recorded, and must not modify its parent's record. Functions of the C library that depend on their
//! caller, return twice or are variadic are replaced by assembly.

use core::ffi::{c_char, c_int, c_long, c_void};
use core::sync::atomic::Ordering;

use wire::{PAGE, note, stopped};

use crate::c_library::{self, Strings, real};
use crate::records::{Record, Written};
use crate::slot::{Cursor, recorded};
use crate::system::{EINVAL, ENOMEM, ENOSYS};
use crate::thread::Thread;
use crate::{sequence, spool, system};

/// The calling thread, if it is recorded and this is not a child that shares our memory.
fn this_thread() -> Option<&'static Thread> {
    recorded().filter(|_| spool::recording() && spool::is_own_process()).map(|(_, thread)| thread)
}

/// The C library calls this in the parent after every fork.
///
/// # Safety
/// Called by the C library.
pub unsafe extern "C" fn in_parent() {
    if let Some(thread) = this_thread().filter(|thread| !thread.forking.load(Ordering::Relaxed)) {
        thread.note(note::FORK, 0);
    }
}

/// Detaches the child from all that belongs to the parent.
///
/// # Safety
/// Called by the C library in a child that has just begun, with one thread.
pub unsafe extern "C" fn in_child() {
    if let Some((slot, thread)) = recorded() {
        slot.abandon();
        thread.disown();
    }
    sequence::disown();
    spool::disown();
}

fn fork_with(real: Option<unsafe extern "C" fn() -> c_int>) -> c_int {
    let Some(real) = real else {
        c_library::set_errno(ENOSYS.0);
        return -1;
    };
    let thread = this_thread();
    if let Some(thread) = thread {
        thread.forking.store(true, Ordering::Relaxed);
    }
    // SAFETY: there are no arguments.
    let child = unsafe { real() };
    if child == 0 {
        // SAFETY: we are the child, and have just begun.
        unsafe { in_child() };
    } else if let Some(thread) = thread {
        thread.forking.store(false, Ordering::Relaxed);
        if child > 0 {
            thread.note(note::FORK, child as u64);
        }
    }
    child
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_fork() -> c_int {
    fork_with(real::fork())
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle__Fork() -> c_int {
    fork_with(real::fork_only())
}

/// The child runs on the stack of its parent until it executes another program, so the stack may have changed when the
/// parent continues. So the return address is kept in a register, and our own state in the thread.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_vfork() -> c_int {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "sub rsp, 8",
        ".cfi_def_cfa_offset 16",
        "call {lend}",
        "add rsp, 8",
        ".cfi_def_cfa_offset 8",
        "pop rdi",
        ".cfi_def_cfa_offset 0",
        ".cfi_register rip, rdi",
        "mov eax, 58",
        "syscall",
        "push rdi",
        ".cfi_def_cfa_offset 8",
        ".cfi_offset rip, -8",
        "test eax, eax",
        "jz 2f",
        "mov edi, eax",
        "sub rsp, 8",
        ".cfi_def_cfa_offset 16",
        "call {take_back}",
        "add rsp, 8",
        ".cfi_def_cfa_offset 8",
        "2:",
        "ret",
        ".cfi_endproc",
        lend = sym lend,
        take_back = sym take_back,
    )
}

/// Called before a child borrows this thread's memory: its steps are not recorded.
extern "C" fn lend() {
    let Some(thread) = this_thread() else { return };
    let Some((slot, _)) = recorded() else { return };
    let Cursor { word, end } = slot.cursor();
    thread.borrowed.word.store(word, Ordering::Relaxed);
    thread.borrowed.end.store(end, Ordering::Relaxed);
    thread.borrowed.handlers.store(thread.handlers.depth(), Ordering::Relaxed);
    slot.to_sink();
}

/// Called in the parent when the child has released its memory; returns the result of `vfork`.
extern "C" fn take_back(result: c_int) -> c_int {
    if let Some(thread) = this_thread()
        && let Some((slot, _)) = recorded()
    {
        let word = thread.borrowed.word.load(Ordering::Relaxed);
        let end = thread.borrowed.end.load(Ordering::Relaxed);
        thread.handlers.set_depth(thread.borrowed.handlers.load(Ordering::Relaxed));
        slot.set(Cursor { word, end });
        if result > 0 {
            thread.note(note::FORK, result as u64);
        }
    }
    if result < 0 {
        c_library::set_errno(-result);
        return -1;
    }
    result
}

/// Executes another program. If the call returns, it failed, and recording continues.
fn taken_over(execute: impl FnOnce() -> Option<c_int>) -> c_int {
    let thread = this_thread();
    let said: Option<Written> =
        thread.and_then(|thread| thread.records.put(thread.index(), &Record::note(note::EXEC, 0)));
    if thread.is_some() {
        spool::stop(stopped::EXEC);
    }
    let result = execute();
    if let Some(thread) = thread {
        spool::go_on(stopped::EXEC);
        if let Some(said) = said {
            thread.records.take_back(said);
        }
    }
    result.unwrap_or_else(|| {
        c_library::set_errno(ENOSYS.0);
        -1
    })
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_execve(path: *const c_char, arguments: Strings, variables: Strings) -> c_int {
    // SAFETY: the caller's arguments.
    taken_over(|| real::execve().map(|real| unsafe { real(path, arguments, variables) }))
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_execv(path: *const c_char, arguments: Strings) -> c_int {
    // SAFETY: the caller's arguments.
    taken_over(|| real::execv().map(|real| unsafe { real(path, arguments) }))
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_execvp(path: *const c_char, arguments: Strings) -> c_int {
    // SAFETY: the caller's arguments.
    taken_over(|| real::execvp().map(|real| unsafe { real(path, arguments) }))
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_execvpe(path: *const c_char, arguments: Strings, variables: Strings) -> c_int {
    // SAFETY: the caller's arguments.
    taken_over(|| real::execvpe().map(|real| unsafe { real(path, arguments, variables) }))
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_fexecve(file: c_int, arguments: Strings, variables: Strings) -> c_int {
    // SAFETY: the caller's arguments.
    taken_over(|| real::fexecve().map(|real| unsafe { real(file, arguments, variables) }))
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_execveat(
    folder: c_int,
    path: *const c_char,
    arguments: Strings,
    variables: Strings,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller's arguments.
    taken_over(|| real::execveat().map(|real| unsafe { real(folder, path, arguments, variables, flags) }))
}

/// Functions that take the new program's arguments one by one: their own arguments are put into memory, first those that
/// came in registers, then those on the stack.
macro_rules! execute_list {
    ($($name:ident $with:ident;)*) => {$(
        /// # Safety
        /// As the C library's.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() -> c_int {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "sub rsp, 56",
                ".cfi_def_cfa_offset 64",
                "mov [rsp], rdi",
                "mov [rsp + 8], rsi",
                "mov [rsp + 16], rdx",
                "mov [rsp + 24], rcx",
                "mov [rsp + 32], r8",
                "mov [rsp + 40], r9",
                "mov rdi, rsp",
                "lea rsi, [rsp + 64]",
                "call {with}",
                "add rsp, 56",
                ".cfi_def_cfa_offset 8",
                "ret",
                ".cfi_endproc",
                with = sym $with,
            )
        }
    )*};
}

execute_list! {
    __heddle_execl execute_list;
    __heddle_execlp execute_list_on_path;
    __heddle_execle execute_list_with_variables;
}

/// The arguments of a variadic function.
#[derive(Clone, Copy)]
struct Variadic {
    registers: *const *const c_char,
    stack: *const *const c_char,
}

impl Variadic {
    const REGISTERS: usize = 6;

    /// # Safety
    /// The caller passed at least `index + 1` arguments.
    unsafe fn get(self, index: usize) -> *const c_char {
        // SAFETY: the caller's word for it.
        unsafe {
            match index.checked_sub(Variadic::REGISTERS) {
                None => *self.registers.add(index),
                Some(index) => *self.stack.add(index),
            }
        }
    }

    /// Calls `execute` with the first argument, the following ones up to the null, and the one after it.
    ///
    /// # Safety
    /// The arguments include a null; if `execute` uses the last argument it exists.
    unsafe fn with_list(self, execute: impl FnOnce(*const c_char, Strings, Variadic, usize) -> c_int) -> c_int {
        const USUAL: usize = 256;
        let mut count = 1;
        // SAFETY: the arguments go on until there is a null.
        while !unsafe { self.get(count) }.is_null() {
            count += 1;
        }
        let mut usual = [core::ptr::null::<c_char>(); USUAL];
        let mut list = usual.as_mut_ptr();
        let bytes = (count * size_of::<usize>()).next_multiple_of(PAGE);
        if count > USUAL {
            let Ok(memory) = system::map_memory(bytes) else {
                c_library::set_errno(ENOMEM.0);
                return -1;
            };
            list = memory.cast();
        }
        // SAFETY: the list has room for all of them and the null.
        unsafe {
            for index in 1..=count {
                list.add(index - 1).write(self.get(index));
            }
            let result = execute(self.get(0), list, self, count + 1);
            if count > USUAL {
                system::unmap(list.cast(), bytes);
            }
            result
        }
    }
}

unsafe extern "C" fn execute_list(registers: *const *const c_char, stack: *const *const c_char) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { Variadic { registers, stack }.with_list(|path, list, _, _| __heddle_execv(path, list)) }
}

unsafe extern "C" fn execute_list_on_path(registers: *const *const c_char, stack: *const *const c_char) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { Variadic { registers, stack }.with_list(|path, list, _, _| __heddle_execvp(path, list)) }
}

unsafe extern "C" fn execute_list_with_variables(
    registers: *const *const c_char,
    stack: *const *const c_char,
) -> c_int {
    // SAFETY: the caller's arguments; this one has the variables behind the null.
    unsafe {
        Variadic { registers, stack }
            .with_list(|path, list, all, behind| __heddle_execve(path, list, all.get(behind).cast()))
    }
}

/// The real function examines its return address to choose the search path, so that must be our caller's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_dlopen(_path: *const c_char, _flags: c_int) -> *mut c_void {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rdi",
        ".cfi_def_cfa_offset 16",
        "push rsi",
        ".cfi_def_cfa_offset 24",
        "sub rsp, 8",
        ".cfi_def_cfa_offset 32",
        "call {loading}",
        "add rsp, 8",
        ".cfi_def_cfa_offset 24",
        "pop rsi",
        ".cfi_def_cfa_offset 16",
        "pop rdi",
        ".cfi_def_cfa_offset 8",
        "jmp rax",
        ".cfi_endproc",
        loading = sym loading,
    )
}

/// As `dlopen`, with one more argument in front.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_dlmopen(_space: c_long, _path: *const c_char, _flags: c_int) -> *mut c_void {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rdi",
        ".cfi_def_cfa_offset 16",
        "push rsi",
        ".cfi_def_cfa_offset 24",
        "push rdx",
        ".cfi_def_cfa_offset 32",
        "mov rdi, rsi",
        "mov esi, edx",
        "call {loading}",
        "pop rdx",
        ".cfi_def_cfa_offset 24",
        "pop rsi",
        ".cfi_def_cfa_offset 16",
        "pop rdi",
        ".cfi_def_cfa_offset 8",
        "jmp rax",
        ".cfi_endproc",
        loading = sym loading_apart,
    )
}

fn say_loading(path: *const c_char, flags: c_int) {
    const ONLY_IF_LOADED: c_int = 4;
    if !path.is_null()
        && flags & ONLY_IF_LOADED == 0
        && let Some(thread) = this_thread()
    {
        thread.note(note::LIBRARY, 0);
    }
}

type Open = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void;
type OpenApart = unsafe extern "C" fn(c_long, *const c_char, c_int) -> *mut c_void;

extern "C" fn loading(path: *const c_char, flags: c_int) -> Open {
    unsafe extern "C" fn nothing(_path: *const c_char, _flags: c_int) -> *mut c_void {
        c_library::set_errno(EINVAL.0);
        core::ptr::null_mut()
    }
    say_loading(path, flags);
    real::dlopen().unwrap_or(nothing)
}

extern "C" fn loading_apart(path: *const c_char, flags: c_int) -> OpenApart {
    unsafe extern "C" fn nothing(_space: c_long, _path: *const c_char, _flags: c_int) -> *mut c_void {
        c_library::set_errno(EINVAL.0);
        core::ptr::null_mut()
    }
    say_loading(path, flags);
    real::dlmopen().unwrap_or(nothing)
}
