//! The spool file: created once, then extended chunk by chunk.
//!
//! Several threads, and their signal handlers, allocate chunks concurrently without a lock: a part of the file belongs
//! to the thread that has added its length to the header's count. Its space is reserved before it is mapped, so a full
//! disk is an error of that call and not a signal at a store.

use core::ffi::{CStr, c_int};
use core::ptr::null_mut;
use core::slice;
use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering, compiler_fence};

use wire::{CHUNK, ChunkHeader, Header, PAGE, state, stopped};

use crate::c_library;
use crate::slot::Program;
use crate::system::{self, Errno, Identity, Part};

/// Null while there is no recording, also in children of the recorded process.
static HEADER: AtomicPtr<Header> = AtomicPtr::new(null_mut());
/// The process that these variables belong to.
static PROCESS: AtomicI32 = AtomicI32::new(0);
static BASE: AtomicU64 = AtomicU64::new(0);

static FILE: AtomicI32 = AtomicI32::new(-1);
static DEVICE: AtomicU64 = AtomicU64::new(0);
static INODE: AtomicU64 = AtomicU64::new(0);
/// The last stretch for which space was reserved: its first page, and in the lower half the page behind it.
static RESERVED: AtomicU64 = AtomicU64::new(0);
/// How much is reserved at once, at least and at most: asking for each small chunk takes longer than filling it.
const RESERVE: core::ops::RangeInclusive<u64> = 64 << 10..=1 << 20;
/// The file's absolute name, or null.
static PATH: AtomicPtr<u8> = AtomicPtr::new(null_mut());
const PATH_BYTES: usize = 2 * PAGE;

#[inline]
pub fn header() -> Option<*mut Header> {
    let header = HEADER.load(Ordering::Relaxed);
    (!header.is_null()).then_some(header)
}

pub fn recording() -> bool {
    header().is_some()
}

/// Whether this is the recorded process. A child that shares its parent's memory is not: its steps before it executes
/// another program must not be recorded.
pub fn is_own_process() -> bool {
    system::process() == PROCESS.load(Ordering::Relaxed)
}

/// An address as records have it.
#[inline]
pub fn relative(address: u64) -> u64 {
    address.wrapping_sub(BASE.load(Ordering::Relaxed))
}

/// Creates the spool. If that is impossible there is no recording; an existing file is left unchanged, and a file
/// without space stays empty.
pub fn create(path: &CStr, program: &Program) -> Option<()> {
    let file = system::open(path, system::CREATE_NEW).ok()?;
    let identity = system::identity(file).ok()?;
    let file = out_of_the_way(file);
    let header = system::allocate(file, 0, PAGE).and_then(|()| system::map_file(file, 0, PAGE));
    let Ok(header) = header.map(<*mut u8>::cast::<Header>) else {
        system::close(file);
        return None;
    };
    BASE.store(c_library::program_base(), Ordering::Relaxed);
    PROCESS.store(system::process(), Ordering::Relaxed);
    FILE.store(file, Ordering::Relaxed);
    DEVICE.store(identity.device, Ordering::Relaxed);
    INODE.store(identity.inode, Ordering::Relaxed);
    remember(path);
    // SAFETY: the page is mapped, is ours, and is larger than a header.
    unsafe {
        (*header).version = wire::VERSION;
        (*header).identity = program.identity;
        (*header).process = PROCESS.load(Ordering::Relaxed) as u32;
        (*header).base = BASE.load(Ordering::Relaxed);
        (*header).allocated = PAGE as u64;
        AtomicU64::from_ptr((&raw mut (*header).magic).cast())
            .store(u64::from_le_bytes(wire::MAGIC), Ordering::Release);
    }
    HEADER.store(header, Ordering::Release);
    Some(())
}

/// The file under a number that the program is not likely to meet: it would otherwise see gaps among its own.
fn out_of_the_way(file: c_int) -> c_int {
    const USUAL: u64 = 1024;
    system::do_not_read_ahead(file);
    let least = system::limit(system::OPEN_FILES).unwrap_or(USUAL).min(USUAL).saturating_sub(8);
    match system::duplicate(file, least) {
        Ok(high) => {
            system::close(file);
            high
        }
        Err(_) => file,
    }
}

/// Keeps the absolute name, for a program that closes all files which it does not know.
fn remember(path: &CStr) {
    let path = path.to_bytes_with_nul();
    let Ok(memory) = system::map_memory(PATH_BYTES) else { return };
    // SAFETY: the memory was mapped with this length.
    let room = unsafe { slice::from_raw_parts_mut(memory, PATH_BYTES) };
    let mut length = 0;
    if path.first() != Some(&b'/') {
        let Ok(directory) = system::working_directory(room) else { return };
        length = directory;
        if let Some(end) = room.get_mut(length - 1) {
            *end = b'/';
        }
    }
    let Some(place) = room.get_mut(length..).and_then(|rest| rest.get_mut(..path.len())) else { return };
    place.copy_from_slice(path);
    PATH.store(memory, Ordering::Release);
}

/// The spool's file descriptor. The program may have closed it, and even have reused the number.
fn file() -> Option<c_int> {
    let known = Identity { device: DEVICE.load(Ordering::Relaxed), inode: INODE.load(Ordering::Relaxed) };
    let is_spool = |file: c_int| system::identity(file) == Ok(known);
    let file = FILE.load(Ordering::Relaxed);
    if is_spool(file) {
        return Some(file);
    }
    let path = PATH.load(Ordering::Acquire);
    if path.is_null() {
        return None;
    }
    // SAFETY: the name was written with a zero behind it, and is never changed.
    let opened = system::open(unsafe { CStr::from_ptr(path.cast()) }, 0).ok()?;
    if !is_spool(opened) {
        system::close(opened);
        return None;
    }
    let opened = out_of_the_way(opened);
    match FILE.compare_exchange(file, opened, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => Some(opened),
        Err(theirs) => {
            system::close(opened);
            Some(theirs)
        }
    }
}

/// A new piece of the file, mapped and all zeros. None when recording has ended, or ends with this.
pub fn take(bytes: usize) -> Option<*mut u8> {
    let (file, offset) = space(bytes)?;
    let chunk: Result<*mut u8, Errno> = system::map_file(file, offset, bytes);
    if chunk.is_err() {
        stop(stopped::NO_MEMORY);
    }
    chunk.ok()
}

/// Space for a chunk: the file, and where in it.
fn space(bytes: usize) -> Option<(c_int, u64)> {
    let header = header()?;
    if matches!(why_stopped(header).load(Ordering::Relaxed), stopped::NO_SPACE | stopped::NO_MEMORY) {
        return None;
    }
    // SAFETY: the header stays mapped; everybody changes this field in this way.
    let allocated = unsafe { AtomicU64::from_ptr(&raw mut (*header).allocated) };
    let Some(file) = file() else {
        stop(stopped::NO_SPACE);
        return None;
    };
    let offset = allocated.fetch_add(bytes as u64, Ordering::Relaxed);
    if reserve(file, offset, bytes).is_err() {
        stop(stopped::NO_SPACE);
        return None;
    }
    Some((file, offset))
}

/// Copies a full chunk to a new place in the file and empties it, so that it becomes the next piece, with one word
/// begun. Returns false if recording has ended, or ends here; the chunk is then unchanged. `wire` explains the order of
/// the steps.
///
/// # Safety
/// The chunk was published, is still mapped, and has no other writer.
pub unsafe fn hand_over(chunk: *mut u8) -> bool {
    const HEADER: usize = size_of::<ChunkHeader>();
    let header = chunk.cast::<ChunkHeader>();
    // SAFETY: a chunk begins with its header, and is as long as that says.
    unsafe {
        let copy = ChunkHeader { state: state::COPY, ..header.read() };
        let (words, bytes) = (chunk.add(HEADER), copy.bytes as usize - HEADER);
        let Some((file, offset)) = space(HEADER + bytes) else { return false };
        let parts = [Part { at: (&raw const copy).cast(), bytes: HEADER }, Part { at: words, bytes }];
        if system::write_at(file, offset, &parts) != Ok(HEADER + bytes) {
            stop(stopped::NO_SPACE);
            return false;
        }
        let counts = AtomicU64::from_ptr(&raw mut (*header).state);
        // The processor keeps the order of stores; the fences keep the compiler from reordering them.
        compiler_fence(Ordering::SeqCst);
        counts.store(state::EMPTIED, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        words.write_bytes(0, bytes);
        words.cast::<u64>().write(1);
        AtomicU32::from_ptr(&raw mut (*header).piece).store(copy.piece + 1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        counts.store(state::ORIGINAL, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }
    true
}

/// Makes sure that there is space for a chunk, and for some of those that will follow it.
fn reserve(file: c_int, offset: u64, bytes: usize) -> Result<(), Errno> {
    const PAGE_BYTES: u64 = PAGE as u64;
    let end = offset + bytes as u64;
    let reserved = RESERVED.load(Ordering::Relaxed);
    let (first, behind) = ((reserved >> 32) * PAGE_BYTES, (reserved & u64::from(u32::MAX)) * PAGE_BYTES);
    if first <= offset && end <= behind {
        return Ok(());
    }
    let ahead = (bytes as u64).max(offset.clamp(*RESERVE.start(), *RESERVE.end())).next_multiple_of(PAGE_BYTES);
    if system::allocate(file, offset, ahead as usize).is_err() {
        return system::allocate(file, offset, bytes);
    }
    let behind = offset + ahead;
    if let (Ok(first), Ok(behind)) = (u32::try_from(offset / PAGE_BYTES), u32::try_from(behind / PAGE_BYTES)) {
        RESERVED.store(u64::from(first) << 32 | u64::from(behind), Ordering::Relaxed);
    }
    Ok(())
}

fn why_stopped<'a>(header: *mut Header) -> &'a AtomicU32 {
    // SAFETY: the header stays mapped; everybody changes this field in this way.
    unsafe { AtomicU32::from_ptr(&raw mut (*header).stopped) }
}

/// Ends the recording with a reason. The first reason is kept.
pub fn stop(why: u32) {
    if let Some(header) = header() {
        let _ = why_stopped(header).compare_exchange(stopped::NOT, why, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Resumes the recording, because its reason did not come true.
pub fn go_on(why: u32) {
    if let Some(header) = header() {
        let _ = why_stopped(header).compare_exchange(why, stopped::NOT, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Writes the header of a chunk. It is invisible until it is published.
///
/// # Safety
/// `at` is the beginning of a page from [`take`], with at least `bytes` bytes.
pub unsafe fn describe(at: *mut u8, kind: u32, thread: u32, piece: u32, bytes: usize) {
    let header = ChunkHeader { magic: 0, kind, thread, piece, bytes: bytes as u64, state: state::ORIGINAL };
    // SAFETY: the page is ours, and large enough.
    unsafe { at.cast::<ChunkHeader>().write(header) };
}

/// # Safety
/// `at` was described.
pub unsafe fn show(at: *mut u8) {
    // SAFETY: the first field of a chunk's header is a number of this size.
    unsafe { AtomicU32::from_ptr(at.cast()).store(CHUNK, Ordering::Release) };
}

/// In a child: the file is its parent's.
pub fn disown() {
    let header = HEADER.swap(null_mut(), Ordering::Relaxed);
    PROCESS.store(system::process(), Ordering::Relaxed);
    if header.is_null() {
        return;
    }
    let known = Identity { device: DEVICE.load(Ordering::Relaxed), inode: INODE.load(Ordering::Relaxed) };
    let file = FILE.swap(-1, Ordering::Relaxed);
    if system::identity(file) == Ok(known) {
        system::close(file);
    }
    // SAFETY: the page was mapped by us, and no thread can reach it any more: a child begins with one thread.
    unsafe { system::unmap(header.cast(), PAGE) };
}
