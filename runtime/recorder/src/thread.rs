//! A recorded thread, from its birth to its end.
//!
//! The parent allocates the thread's name and memory: the description below, and a stack for signal handlers. The
//! thread itself takes an index and its first two chunks before it runs code of the program. The C library notifies us
//! when it ends, in any way.

use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use wire::{ChunkHeader, PAGE, chunk, ended, note};

use crate::c_library::{self, Start};
use crate::handlers::Handlers;
use crate::records::{Record, Records};
use crate::sequence::{self, Own};
use crate::slot::{Cursor, Slot, recorded};
use crate::system::{self, SignalStack};
use crate::{end, spool};

/// The size for handlers of the program on such a stack: more than programs usually provide.
const SIGNAL_STACK: usize = 64 << 10;
/// The stack lies below the description.
const BLOCK: usize = SIGNAL_STACK + PAGE;
/// The chunk of a thread's bits grows up to this size; then it is used again and again. Larger ones do not stay in the
/// processor's cache, smaller ones are handed over more often.
const LARGEST_BITS: usize = 64 << 10;
/// The number of rounds in which the C library calls destructors of thread-local values.
const DESTRUCTOR_ROUNDS: u32 = 4;

const _: () = assert!(size_of::<Thread>() <= PAGE);

/// The memory of a thread that has ended, for the next one.
static SPARE: AtomicPtr<Thread> = AtomicPtr::new(null_mut());
/// How many threads have taken an index.
static BORN: AtomicU32 = AtomicU32::new(0);
/// The variable of the C library through which we learn that a thread ends, plus one.
static KEY: AtomicU32 = AtomicU32::new(0);

pub struct Thread {
    index: AtomicU32,
    parent: u32,
    /// Which child of its parent it is.
    number: u32,
    start: Option<Start>,
    argument: *mut c_void,
    children: AtomicU32,
    bits: Bits,
    pub records: Records,
    pub handlers: Handlers,
    pub sequence: Own,
    /// Where it wrote before it made a child that shares its memory.
    pub borrowed: Borrowed,
    /// It is making a child, and will say so itself.
    pub forking: AtomicBool,
    ended: AtomicU64,
    rounds: AtomicU32,
}

/// State that a child which shares this thread's memory must not change.
pub struct Borrowed {
    pub word: AtomicPtr<u64>,
    pub end: AtomicPtr<u64>,
    pub handlers: AtomicUsize,
}

/// The chunk that the bits go to.
struct Bits {
    chunk: AtomicPtr<u8>,
    bytes: AtomicUsize,
    piece: AtomicU32,
}

impl Bits {
    /// The words of a chunk.
    ///
    /// # Safety
    /// `bytes` bytes are mapped there.
    unsafe fn words(chunk: *mut u8, bytes: usize) -> Cursor {
        // SAFETY: a chunk is larger than its header.
        unsafe { Cursor { word: chunk.add(size_of::<ChunkHeader>()).cast(), end: chunk.add(bytes).cast() } }
    }

    fn set(&self, chunk: *mut u8, bytes: usize, piece: u32) {
        self.chunk.store(chunk, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        self.piece.store(piece, Ordering::Relaxed);
    }
}

/// The start function of a thread and its argument.
#[repr(C)]
pub struct Task {
    pub start: Option<Start>,
    pub argument: *mut c_void,
}

impl Thread {
    fn allocate(parent: u32, number: u32, task: Task) -> Option<*mut Thread> {
        let mut thread = SPARE.swap(null_mut(), Ordering::Acquire);
        // SAFETY: the block is ours, and its last page is large enough for a thread.
        unsafe {
            if thread.is_null() {
                thread = system::map_memory(BLOCK).ok()?.add(SIGNAL_STACK).cast();
            }
            thread.write(Thread {
                index: AtomicU32::new(0),
                parent,
                number,
                start: task.start,
                argument: task.argument,
                children: AtomicU32::new(0),
                bits: Bits { chunk: AtomicPtr::new(null_mut()), bytes: AtomicUsize::new(0), piece: AtomicU32::new(0) },
                records: Records::new(),
                handlers: Handlers::new(),
                sequence: Own::new(),
                borrowed: Borrowed {
                    word: AtomicPtr::new(null_mut()),
                    end: AtomicPtr::new(null_mut()),
                    handlers: AtomicUsize::new(0),
                },
                forking: AtomicBool::new(false),
                ended: AtomicU64::new(ended::EXITED),
                rounds: AtomicU32::new(0),
            });
            Some(thread)
        }
    }

    /// # Safety
    /// The thread and its signal stack are unused.
    unsafe fn free(thread: *const Thread) {
        let thread = thread.cast_mut();
        if SPARE.compare_exchange(null_mut(), thread, Ordering::Release, Ordering::Relaxed).is_err() {
            // SAFETY: the block was mapped in this way.
            unsafe { system::unmap(thread.cast::<u8>().sub(SIGNAL_STACK), BLOCK) };
        }
    }

    pub fn index(&self) -> u32 {
        self.index.load(Ordering::Relaxed)
    }

    #[inline]
    pub fn put(&self, record: &Record<'_>) {
        self.records.put(self.index(), record);
    }

    pub fn note(&self, what: u64, number: u64) {
        self.put(&Record::note(what, number));
    }

    /// Takes an index and the first chunks, and lets the slot write there. Called by the thread itself.
    fn enter(&self, slot: &Slot) -> bool {
        const FIRST: usize = PAGE;
        if !spool::recording() {
            return false;
        }
        let index = BORN.fetch_add(1, Ordering::Relaxed);
        self.index.store(index, Ordering::Relaxed);
        let Some(bits) = spool::take(2 * FIRST) else { return false };
        let parent = if self.number == 0 { index } else { self.parent };
        let start = self.start.map_or(0, |start| spool::relative(start as usize as u64));
        // SAFETY: each of both chunks has its page. The birth comes first: where there are bits, there is a name for them.
        unsafe {
            let records = bits.add(FIRST);
            spool::describe(records, chunk::RECORDS, index, 0, FIRST);
            self.records.open(records, FIRST);
            self.put(&Record::birth(parent, self.number, start));
            spool::show(records);
            spool::describe(bits, chunk::BITS, index, 0, FIRST);
            let words = Bits::words(bits, FIRST);
            words.word.write(1);
            spool::show(bits);
            self.bits.set(bits, FIRST, 0);
            slot.give_to(self, index);
            slot.set(words);
        }
        self.use_signal_stack();
        if let Some(key) = KEY.load(Ordering::Relaxed).checked_sub(1) {
            c_library::set_thread_key(key, (&raw const *self).cast());
        }
        true
    }

    fn signal_stack(&self) -> *mut u8 {
        // SAFETY: the stack lies below the description, in the same block.
        unsafe { (&raw const *self).cast_mut().cast::<u8>().sub(SIGNAL_STACK) }
    }

    fn use_signal_stack(&self) {
        if system::signal_stack().is_ok_and(|present| present.flags & SignalStack::DISABLED != 0) {
            let stack = SignalStack { at: self.signal_stack(), flags: 0, bytes: SIGNAL_STACK };
            // SAFETY: the block is freed only after the thread has stopped using this stack.
            let _ = unsafe { system::set_signal_stack(stack) };
        }
    }

    /// Whether the thread can do without its signal stack.
    fn leave_signal_stack(&self) -> bool {
        match system::signal_stack() {
            Ok(present) if present.at == self.signal_stack() => {
                // SAFETY: no stack needs no memory.
                unsafe { system::set_signal_stack(SignalStack::NONE) }.is_ok()
            }
            Ok(_) => true,
            Err(_) => false,
        }
    }

    /// The chunk is full: the slot writes to a larger one, or to this one again, or nowhere if there is no space.
    #[cold]
    pub fn next_chunk(&self, slot: &Slot) {
        let (chunk, bytes) = (self.bits.chunk.load(Ordering::Relaxed), self.bits.bytes.load(Ordering::Relaxed));
        let piece = self.bits.piece.load(Ordering::Relaxed) + 1;
        system::without_signals(|| {
            // SAFETY: the chunk is ours; instrumented code asks the slot again before it writes again.
            let next = unsafe {
                if bytes < LARGEST_BITS {
                    self.larger_chunk(chunk, bytes, piece)
                } else {
                    spool::hand_over(chunk).then_some((chunk, bytes))
                }
            };
            let Some((chunk, bytes)) = next else {
                // Records without the bits between them would be misread.
                self.records.end();
                slot.to_sink();
                return;
            };
            self.bits.set(chunk, bytes, piece);
            // SAFETY: the chunk is mapped.
            slot.set(unsafe { Bits::words(chunk, bytes) });
        });
    }

    /// A chunk twice as large as the old one, which stays in the file. Its first word is begun.
    ///
    /// # Safety
    /// The old chunk has no writer any more.
    unsafe fn larger_chunk(&self, old: *mut u8, old_bytes: usize, piece: u32) -> Option<(*mut u8, usize)> {
        let bytes = 2 * old_bytes;
        let chunk = spool::take(bytes)?;
        // SAFETY: both chunks are ours.
        unsafe {
            spool::describe(chunk, chunk::BITS, self.index(), piece, bytes);
            Bits::words(chunk, bytes).word.write(1);
            spool::show(chunk);
            system::unmap(old, old_bytes);
        }
        Some((chunk, bytes))
    }

    /// In a child: instrumented code may still hold the address of the present word in a register. The child's copy of
    /// the page is its own from now on.
    pub fn disown(&self) {
        let (chunk, bytes) = (self.bits.chunk.load(Ordering::Relaxed), self.bits.bytes.load(Ordering::Relaxed));
        if !chunk.is_null() {
            // SAFETY: the chunk is ours; its contents are in the parent's file.
            unsafe { system::map_memory_over(chunk, bytes) };
        }
        let (records, bytes) = self.records.close();
        // SAFETY: the records have no writer any more.
        unsafe { system::unmap(records, bytes) };
    }

    fn close(&self) {
        let bits = self.bits.chunk.swap(null_mut(), Ordering::Relaxed);
        let bits_bytes = self.bits.bytes.load(Ordering::Relaxed);
        let (records, records_bytes) = self.records.close();
        // SAFETY: the chunks are ours, and have no writer any more.
        unsafe {
            if bits.wrapping_add(bits_bytes) == records {
                // Those that a thread begins with lie side by side.
                return system::unmap(bits, bits_bytes + records_bytes);
            }
            system::unmap(bits, bits_bytes);
            system::unmap(records, records_bytes);
        }
    }
}

/// The first thread. It has been running for a while.
pub fn enter_first(slot: &Slot) {
    KEY.store(c_library::thread_key(ending).map_or(0, |key| key + 1), Ordering::Relaxed);
    let task = Task { start: None, argument: null_mut() };
    system::without_signals(|| {
        let Some(thread) = Thread::allocate(0, 0, task) else { return };
        // SAFETY: no other code has a reference to this thread yet.
        unsafe {
            (*thread).sequence.chance.begin();
            if !(*thread).enter(slot) {
                Thread::free(thread);
            }
        }
    });
}

/// A thread that the calling one is about to create, if it is to be recorded: an argument for [`begin`].
pub fn conceive(task: Task) -> Option<*mut Thread> {
    let (_, parent) = recorded().filter(|_| spool::recording() && spool::is_own_process())?;
    let number = parent.children.fetch_add(1, Ordering::Relaxed) + 1;
    let child = Thread::allocate(parent.index(), number, task);
    match child {
        // SAFETY: no other code has a reference to this thread yet.
        Some(child) => unsafe { (*child).sequence.chance.begin_as_child(&parent.sequence.chance, number) },
        None => spool::stop(wire::stopped::NO_MEMORY),
    }
    child
}

/// It could not be created. Its name is free again.
///
/// # Safety
/// The thread was conceived by the calling one, and never began.
pub unsafe fn miscarry(thread: *mut Thread) {
    if let Some((_, parent)) = recorded() {
        parent.children.fetch_sub(1, Ordering::Relaxed);
    }
    // SAFETY: no code has a reference to the thread.
    unsafe { Thread::free(thread) };
}

/// The start function of each recorded thread. It is assembly, so that unwinders find an ordinary frame of C: our own
/// functions have returned before the program's starts.
#[unsafe(naked)]
pub unsafe extern "C" fn begin(_thread: *mut c_void) -> *mut c_void {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "sub rsp, 8",
        ".cfi_def_cfa_offset 16",
        "call {born}",
        "mov rdi, rdx",
        "call rax",
        "mov [rsp], rax",
        "call {returned}",
        "mov rax, [rsp]",
        "add rsp, 8",
        ".cfi_def_cfa_offset 8",
        "ret",
        ".cfi_endproc",
        born = sym born,
        returned = sym returned,
    )
}

// `begin` takes both from the registers in which such a structure is returned.
const _: () = assert!(offset_of!(Task, start) == 0 && offset_of!(Task, argument) == 8 && size_of::<Task>() == 16);

unsafe extern "C" fn born(thread: *mut Thread) -> Task {
    system::without_signals(|| {
        // SAFETY: the parent has made it for us.
        unsafe {
            let task = Task { start: (*thread).start, argument: (*thread).argument };
            let recorded = Slot::own().is_some_and(|slot| (*thread).enter(slot));
            if !recorded {
                Thread::free(thread);
            }
            task
        }
    })
}

extern "C" fn returned() {
    if let Some((_, thread)) = recorded() {
        thread.ended.store(ended::RETURNED, Ordering::Relaxed);
    }
}

/// The C library destroys thread-local values at the end of a thread, in several rounds. The program's destructors are
/// recorded too, so this waits for the last round.
unsafe extern "C" fn ending(thread: *mut c_void) {
    let Some((slot, recorded)) = recorded() else { return };
    if (&raw const *recorded).cast() != thread.cast_const() || !spool::recording() {
        return;
    }
    // A write that was interrupted by cancellation will not be finished.
    recorded.records.forget_writer();
    if recorded.rounds.fetch_add(1, Ordering::Relaxed) + 1 < DESTRUCTOR_ROUNDS {
        if let Some(key) = KEY.load(Ordering::Relaxed).checked_sub(1) {
            c_library::set_thread_key(key, thread);
        }
        return;
    }
    system::without_signals(|| {
        sequence::leave(slot);
        say_if_handler_was_left(recorded);
        recorded.put(&Record::end(recorded.ended.load(Ordering::Relaxed)));
        slot.abandon();
        recorded.close();
        if recorded.leave_signal_stack() {
            // SAFETY: the slot has forgotten the thread, and its signal stack is not used.
            unsafe { Thread::free(recorded) };
        }
    });
}

/// Records that a handler was left by a jump that was not noticed.
pub fn say_if_handler_was_left(thread: &Thread) {
    if let Some(signal) = thread.handlers.forget_all() {
        end::take_back(thread.index());
        thread.note(note::HANDLER_LEFT, u64::from(signal));
    }
}
