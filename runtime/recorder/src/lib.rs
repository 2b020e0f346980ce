//! The recorder: a static library that is linked into recorded programs and records the decisions of their threads.
//!
//! Instrumented code writes bits to mapped memory by itself (`frontend-llvm/hooks/hooks.c`) and calls the functions
//! below for everything else; operations on threads, signals and children are recorded by interposing the C library.
//! `wire` defines the layout of the file. The recorder must be transparent: it uses no heap, preserves `errno` and
//! waits for no lock, so that all its functions are safe in signal handlers, and an error ends the recording and not
//! the program.
//!
//! Threads that are not created by the program (timers of the C library, `clone`), and programs without the environment
//! variable `HEDDLE_SPOOL`, write their bits to a sink.
#![no_std]
#![allow(unsafe_code)]

#[cfg(test)]
extern crate std;

mod system;
mod c_library;
mod spool;
mod slot;
mod records;
mod thread;
mod callees;
mod handlers;
mod end;
mod processes;
mod files;
mod interposed;
mod sequence;

use core::ffi::{c_char, c_int, c_void};
use core::slice;

use wire::Tag;

use records::Record;
use slot::{Buffer, Buffers, Cursor, Program, Slot};
use thread::Thread;

/// The index of `main` among the input functions: its arguments are the first input.
const MAIN: u32 = 0;

/// Starts recording, if the environment requests it.
///
/// # Safety
/// The description is that of the instrumented module, and the program has one thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_rt_start(program: *const Program) {
    // SAFETY: the caller's word for it.
    let Some(program) = (unsafe { program.as_ref() }) else { return };
    if !slot::set_program(program) {
        return;
    }
    let Some(slot) = Slot::own() else { return };
    slot.to_sink();
    c_library::real::find_all();
    sequence::begin_to_perturb(program);
    let Some(path) = c_library::variable(c"HEDDLE_SPOOL") else { return };
    if spool::create(path, program).is_none() {
        return;
    }
    c_library::deny_being_single_threaded();
    files::begin();
    sequence::begin(program);
    callees::write_table(program);
    thread::enter_first(slot);
    handlers::begin();
    c_library::at_exit(end::exiting);
    c_library::at_fork(processes::in_parent, processes::in_child);
}

/// The word is full: the slot gets another one.
///
/// # Safety
/// The slot is the calling thread's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_rt_next(slot: *mut Slot) {
    // SAFETY: the caller's word for it.
    let Some(slot) = (unsafe { slot.as_ref() }) else { return };
    let Some(thread) = slot.thread().filter(|_| !slot.is_in_sink()) else { return slot.to_sink() };
    let Cursor { word, end } = slot.cursor();
    let next = word.wrapping_add(1);
    if next >= end {
        return thread.next_chunk(slot);
    }
    // SAFETY: the word is inside of the chunk.
    unsafe { next.write(1) };
    slot.set(Cursor { word: next, end });
}

/// The thread of a slot, if its current steps are recorded.
///
/// # Safety
/// The slot is the calling thread's.
#[inline]
unsafe fn thread_of(slot: *mut Slot) -> Option<&'static Thread> {
    // SAFETY: the caller's word for it.
    let slot = unsafe { slot.as_ref() }?;
    slot.thread().filter(|_| !slot.is_in_sink())
}

/// A function is called through a pointer.
///
/// # Safety
/// The slot is the calling thread's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_rt_callee(slot: *mut Slot, function: *const c_void) {
    // SAFETY: the caller's word for it.
    if let Some(thread) = unsafe { thread_of(slot) } {
        thread.records.put_number(thread.index(), Tag::Callee, callees::name(function));
    }
}

/// Records an answer of the environment.
///
/// # Safety
/// The slot is the calling thread's, and there are `count` buffers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_rt_input(
    slot: *mut Slot,
    name: u32,
    result: i64,
    count: u32,
    buffers: *const Buffer,
) {
    // SAFETY: the caller's word for it.
    let (thread, buffers) = unsafe {
        let Some(thread) = thread_of(slot) else { return };
        let is_there = count > 0 && !buffers.is_null();
        (thread, if is_there { slice::from_raw_parts(buffers, count as usize) } else { &[] })
    };
    thread.put(&Record::input(name, result, Buffers::Given(buffers)));
}

/// Records a call of a function with unknown effects.
///
/// # Safety
/// The slot is the calling thread's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_rt_unknown(slot: *mut Slot, place: u32, result: i64) {
    // SAFETY: the caller's word for it.
    if let Some(thread) = unsafe { thread_of(slot) } {
        thread.put(&Record::unknown(place, result));
    }
}

/// The program begins, with these arguments.
///
/// # Safety
/// The slot is the calling thread's, and the arguments are those of `main`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_rt_arguments(slot: *mut Slot, count: c_int, arguments: *const *const c_char) {
    // SAFETY: the caller's word for it.
    let (thread, arguments) = unsafe {
        let Some(thread) = thread_of(slot) else { return };
        let is_there = count > 0 && !arguments.is_null();
        (thread, if is_there { slice::from_raw_parts(arguments, count as usize) } else { &[] })
    };
    thread.put(&Record::input(MAIN, i64::from(count), Buffers::Arguments(arguments)));
}

/// No code here panics; a panic could not be reported.
#[cfg(heddle_static)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: the instruction is made for this.
    unsafe { core::arch::asm!("ud2", options(noreturn)) }
}
