//! The layouts that instrumented code and the recorder share, as in `frontend-llvm/hooks/hooks.c`.
//!
//! A thread's slot is only changed by that thread, but its signal handlers may run between any two instructions; so the
//! fields are atomic, with relaxed order at no cost.

use core::ffi::{c_char, c_void};
use core::ptr::null_mut;
use core::slice;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering, compiler_fence};

use crate::thread::Thread;

#[repr(C)]
pub struct Program {
    pub identity: [u8; 16],
    pub functions: u32,
    pub flags: u32,
    pub function: *const *const c_void,
    pub slot: Option<unsafe extern "C" fn() -> *mut Slot>,
}

#[repr(C)]
pub struct Slot {
    word: AtomicPtr<u64>,
    end: AtomicPtr<u64>,
    thread: AtomicPtr<Thread>,
    /// The first word is the sink for unrecorded bits. The second is the end of the sink, to which instrumented code
    /// never writes; it holds the thread's index plus one, which is needed even after the rest of the thread is freed.
    sink: [AtomicU64; 2],
}

/// Where a slot writes.
#[derive(Clone, Copy)]
pub struct Cursor {
    pub word: *mut u64,
    pub end: *mut u64,
}

static PROGRAM: AtomicPtr<Program> = AtomicPtr::new(null_mut());

/// True for the first one only.
pub fn set_program(program: &'static Program) -> bool {
    let program = (&raw const *program).cast_mut();
    PROGRAM.compare_exchange(null_mut(), program, Ordering::Release, Ordering::Relaxed).is_ok()
}

impl Slot {
    /// The calling thread's; none as long as the program has not begun.
    #[inline]
    pub fn own() -> Option<&'static Slot> {
        let program = PROGRAM.load(Ordering::Acquire);
        if program.is_null() {
            return None;
        }
        // SAFETY: the program's description lives as long as the program, and the slot as long as the thread, which does
        // not give it to others.
        unsafe { (*program).slot.and_then(|slot| slot().as_ref()) }
    }

    /// The thread that this slot records for.
    #[inline]
    pub fn thread(&self) -> Option<&'static Thread> {
        // SAFETY: a thread is freed only after it was taken out of its slot, by itself.
        unsafe { self.thread.load(Ordering::Relaxed).as_ref() }
    }

    #[inline]
    pub fn is_in_sink(&self) -> bool {
        self.end.load(Ordering::Relaxed).cast_const() == self.sink_end()
    }

    fn sink_end(&self) -> *const u64 {
        (&raw const self.sink[1]).cast()
    }

    /// Stops the recording of this slot.
    pub fn to_sink(&self) {
        self.sink[0].store(1, Ordering::Relaxed);
        self.set(Cursor { word: self.sink[0].as_ptr(), end: self.sink_end().cast_mut() });
    }

    pub fn cursor(&self) -> Cursor {
        Cursor { word: self.word.load(Ordering::Relaxed), end: self.end.load(Ordering::Relaxed) }
    }

    pub fn set(&self, cursor: Cursor) {
        compiler_fence(Ordering::SeqCst);
        self.word.store(cursor.word, Ordering::Relaxed);
        self.end.store(cursor.end, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }

    pub fn give_to(&self, thread: &Thread, index: u32) {
        self.sink[1].store(u64::from(index) + 1, Ordering::Relaxed);
        self.thread.store((&raw const *thread).cast_mut(), Ordering::Relaxed);
    }

    /// The thread is no longer recorded.
    pub fn abandon(&self) {
        self.to_sink();
        self.thread.store(null_mut(), Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }

    /// The index of the thread, also when its record has ended.
    pub fn index(&self) -> Option<u32> {
        self.sink[1].load(Ordering::Relaxed).checked_sub(1).map(|index| index as u32)
    }
}

/// The calling thread with its slot, if it is one that is recorded.
#[inline]
pub fn recorded() -> Option<(&'static Slot, &'static Thread)> {
    let slot = Slot::own()?;
    Some((slot, slot.thread()?))
}

#[repr(C)]
pub struct Buffer {
    at: *const u8,
    length: u64,
}

impl Buffer {
    pub fn of(bytes: &[u8]) -> Buffer {
        Buffer { at: bytes.as_ptr(), length: bytes.len() as u64 }
    }
}

/// The bytes that an answer of the environment came with.
#[derive(Clone, Copy)]
pub enum Buffers<'a> {
    None,
    Given(&'a [Buffer]),
    Arguments(&'a [*const c_char]),
}

impl Buffers<'_> {
    pub fn count(&self) -> usize {
        match self {
            Buffers::None => 0,
            Buffers::Given(buffers) => buffers.len(),
            Buffers::Arguments(arguments) => arguments.len(),
        }
    }

    /// A buffer that is not there has no bytes.
    pub fn get(&self, index: usize) -> &[u8] {
        match self {
            Buffers::None => &[],
            Buffers::Given(buffers) => buffers.get(index).map_or(&[], |buffer| {
                if buffer.at.is_null() {
                    return &[];
                }
                // SAFETY: instrumented code guarantees that these bytes are readable.
                unsafe { slice::from_raw_parts(buffer.at, buffer.length as usize) }
            }),
            Buffers::Arguments(arguments) => arguments.get(index).map_or(&[], |argument| {
                if argument.is_null() {
                    return &[];
                }
                // SAFETY: the arguments of a program are strings of C.
                unsafe { core::ffi::CStr::from_ptr(*argument) }.to_bytes()
            }),
        }
    }
}
