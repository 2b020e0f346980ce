//! The recorder: a static library that is linked into recorded programs and writes down what their threads decide.
//!
//! Instrumented code puts the bits into mapped memory by itself (`frontend-llvm/hooks/hooks.c`) and calls the functions
//! below for everything else; what the program does to its threads, signals and children is seen by interposing the C
//! library. `wire` says what the file looks like. The program must not notice: nothing is taken from its heap, `errno`
//! stays, nothing waits for a lock, so that everything may happen in a signal handler too, and whatever goes wrong ends the
//! recording and not the program.
//!
//! Threads that somebody else makes (timers of the C library, `clone`), and programs without the environment variable
//! `HEDDLE_SPOOL`, write their bits to a word that nobody reads.
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

/// The index of `main` among the functions whose answers are recorded: its arguments are what the environment says first.
const MAIN: u32 = 0;

/// Begins to record, if the environment asks for it.
///
/// # Safety
/// The description is what the instrumented module has, and the program has one thread.
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

/// The thread of a slot, if what it does now is recorded.
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

/// The environment answered.
///
/// # Safety
/// The slot is the calling thread's, and so many buffers are there.
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

/// A function was called whose effects nobody knows.
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

/// Nothing here panics; if it does all the same there is nobody to tell.
#[cfg(heddle_static)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: the instruction is made for this.
    unsafe { core::arch::asm!("ud2", options(noreturn)) }
}
