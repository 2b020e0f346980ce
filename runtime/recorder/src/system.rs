//! System calls, made directly instead of through the C library: so they neither change `errno`, nor are cancellation
//! points, nor call functions with which the program replaced the library's.

use core::arch::asm;
use core::ffi::{CStr, c_int, c_void};
use core::ptr::{null_mut, with_exposed_provenance_mut};
use core::sync::atomic::AtomicU32;

use wire::PAGE;

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("programs are recorded on x86-64 Linux only");

/// The kernel's error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

pub const EINTR: Errno = Errno(4);
pub const EAGAIN: Errno = Errno(11);
pub const ENOENT: Errno = Errno(2);
pub const ENOMEM: Errno = Errno(12);
pub const EINVAL: Errno = Errno(22);
pub const EFBIG: Errno = Errno(27);
pub const ENOSYS: Errno = Errno(38);
pub const EOPNOTSUPP: Errno = Errno(95);

mod call {
    pub const CLOSE: usize = 3;
    pub const FSTAT: usize = 5;
    pub const MMAP: usize = 9;
    pub const MPROTECT: usize = 10;
    pub const MUNMAP: usize = 11;
    pub const RT_SIGACTION: usize = 13;
    pub const RT_SIGPROCMASK: usize = 14;
    pub const PREAD: usize = 17;
    pub const PWRITE: usize = 18;
    pub const SCHED_YIELD: usize = 24;
    pub const NANOSLEEP: usize = 35;
    pub const GETPID: usize = 39;
    pub const FCNTL: usize = 72;
    pub const GETCWD: usize = 79;
    pub const SIGALTSTACK: usize = 131;
    pub const GETTID: usize = 186;
    pub const FUTEX: usize = 202;
    pub const CLOCK_GETTIME: usize = 228;
    pub const FADVISE: usize = 221;
    pub const OPENAT: usize = 257;
    pub const NEWFSTATAT: usize = 262;
    pub const FALLOCATE: usize = 285;
    pub const PWRITEV: usize = 296;
    pub const RT_TGSIGQUEUEINFO: usize = 297;
    pub const PRLIMIT: usize = 302;
}

/// # Safety
/// As in the kernel's documentation of the call.
#[inline]
unsafe fn call(number: usize, arguments: [usize; 6]) -> Result<usize, Errno> {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result: isize;
    // SAFETY: these are the registers of the kernel's calling convention, and those that it clobbers are named. The
    // caller is responsible for the effects of the call.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") first,
            in("rsi") second,
            in("rdx") third,
            in("r10") fourth,
            in("r8") fifth,
            in("r9") sixth,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    if (-4095..0).contains(&result) { Err(Errno(-result as i32)) } else { Ok(result as usize) }
}

pub fn process() -> i32 {
    // SAFETY: it touches no memory.
    unsafe { call(call::GETPID, [0; 6]) }.unwrap_or(0) as i32
}

pub fn give_way() {
    // SAFETY: it touches no memory.
    let _ = unsafe { call(call::SCHED_YIELD, [0; 6]) };
}

/// A moment of some clock, or a length of time, as the kernel and the C library have it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    pub seconds: i64,
    pub nanoseconds: i64,
}

impl Time {
    fn of(nanoseconds: u64) -> Time {
        const SECOND: u64 = 1_000_000_000;
        Time { seconds: (nanoseconds / SECOND) as i64, nanoseconds: (nanoseconds % SECOND) as i64 }
    }
}

/// The time of a clock.
pub fn clock(which: c_int) -> Result<Time, Errno> {
    let mut now = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: the structure is the kernel's.
    unsafe { call(call::CLOCK_GETTIME, [which as usize, (&raw mut now).expose_provenance(), 0, 0, 0, 0]) }?;
    Ok(now)
}

/// Sleeps for a while, or until a signal arrives.
pub fn sleep(nanoseconds: u64) {
    let time = Time::of(nanoseconds);
    // SAFETY: the structure is the kernel's.
    let _ = unsafe { call(call::NANOSLEEP, [(&raw const time).expose_provenance(), 0, 0, 0, 0, 0]) };
}

const WAIT_PRIVATELY: usize = 128;
const WAKE_PRIVATELY: usize = 129;

/// Waits for a wake-up at this address, unless it has another value, and at most for a while.
pub fn wait(at: &AtomicU32, value: u32, nanoseconds: u64) {
    let time = Time::of(nanoseconds);
    let (at, time) = (at.as_ptr().expose_provenance(), (&raw const time).expose_provenance());
    // SAFETY: the kernel reads the place and the time.
    let _ = unsafe { call(call::FUTEX, [at, WAIT_PRIVATELY, value as usize, time, 0, 0]) };
}

/// Wakes one thread that waits at this address.
pub fn wake(at: &AtomicU32) {
    // SAFETY: the kernel only takes the address for a name.
    let _ = unsafe { call(call::FUTEX, [at.as_ptr().expose_provenance(), WAKE_PRIVATELY, 1, 0, 0, 0]) };
}

/// Opens a file for reading and writing; a new one is the owner's alone.
pub fn open(path: &CStr, flags: i32) -> Result<c_int, Errno> {
    const HERE: usize = -100_isize as usize;
    const READ_WRITE: i32 = 2;
    let flags = (READ_WRITE | CLOSE_ON_EXEC | flags) as usize;
    // SAFETY: the path is a string of C.
    unsafe { call(call::OPENAT, [HERE, path.as_ptr().expose_provenance(), flags, 0o600, 0, 0]) }
        .map(|file| file as c_int)
}

/// Opens a regular file for reading. Opening other files, such as a FIFO, has side effects.
pub fn open_to_read(path: &CStr) -> Result<c_int, Errno> {
    const HERE: usize = -100_isize as usize;
    const WITHOUT_WAITING: i32 = 0o4000;
    let mut status = [0_u64; 18];
    let arguments = [HERE, path.as_ptr().expose_provenance(), (&raw mut status).expose_provenance(), 0, 0, 0];
    // SAFETY: the path is a string of C, and the kernel's structure has 144 bytes on this machine.
    unsafe { call(call::NEWFSTATAT, arguments) }?;
    if !is_regular(&status) {
        return Err(EINVAL);
    }
    let flags = (CLOSE_ON_EXEC | WITHOUT_WAITING) as usize;
    // SAFETY: the path is a string of C.
    unsafe { call(call::OPENAT, [HERE, path.as_ptr().expose_provenance(), flags, 0, 0, 0]) }.map(|file| file as c_int)
}

/// Reads from this place of a file; how many bytes, none at its end.
pub fn read_at(file: c_int, offset: u64, out: &mut [u8]) -> Result<usize, Errno> {
    let arguments = [file as usize, out.as_mut_ptr().expose_provenance(), out.len(), offset as usize, 0, 0];
    loop {
        // SAFETY: the kernel writes no more than the given length.
        match unsafe { call(call::PREAD, arguments) } {
            Err(EINTR) => {}
            result => return result,
        }
    }
}

/// The size of a file; none if it is no regular one.
pub fn size_of_regular(file: c_int) -> Option<u64> {
    let status = status(file).ok()?;
    is_regular(&status).then_some(status[6])
}

fn is_regular(status: &[u64; 18]) -> bool {
    const KIND: u64 = 0o170000;
    const REGULAR: u64 = 0o100000;
    status[3] & KIND == REGULAR
}

pub const CREATE_NEW: i32 = 0o100 | 0o200;
const CLOSE_ON_EXEC: i32 = 0o2000000;

pub fn close(file: c_int) {
    // SAFETY: it touches no memory; whose file it is the caller knows.
    let _ = unsafe { call(call::CLOSE, [file as usize, 0, 0, 0, 0, 0]) };
}

/// The same file under the lowest free number that is not below `least`.
pub fn duplicate(file: c_int, least: u64) -> Result<c_int, Errno> {
    const DUPLICATE_CLOSE_ON_EXEC: usize = 1030;
    // SAFETY: it touches no memory.
    unsafe { call(call::FCNTL, [file as usize, DUPLICATE_CLOSE_ON_EXEC, least as usize, 0, 0, 0]) }
        .map(|file| file as c_int)
}

/// The identity of a file, independent of its name and descriptor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
}

/// The kernel's `struct stat`, in words: device, inode, links, mode and owner, group, device number, size, and so on.
fn status(file: c_int) -> Result<[u64; 18], Errno> {
    let mut status = [0_u64; 18];
    // SAFETY: the kernel's structure has 144 bytes on this machine.
    unsafe { call(call::FSTAT, [file as usize, (&raw mut status).expose_provenance(), 0, 0, 0, 0]) }?;
    Ok(status)
}

pub fn identity(file: c_int) -> Result<Identity, Errno> {
    let status = status(file)?;
    Ok(Identity { device: status[0], inode: status[1] })
}

/// Disables read-ahead for page faults of the file: its pages were never written.
pub fn do_not_read_ahead(file: c_int) {
    const RANDOM: usize = 1;
    // SAFETY: it touches no memory.
    let _ = unsafe { call(call::FADVISE, [file as usize, 0, 0, RANDOM, 0, 0]) };
}

/// Makes sure that there is space for these bytes of the file.
pub fn allocate(file: c_int, offset: u64, bytes: usize) -> Result<(), Errno> {
    // The kernel would send a signal to a program that goes beyond its limit; that must not come from us.
    if limit(FILE_SIZE).is_some_and(|limit| offset.saturating_add(bytes as u64) > limit) {
        return Err(EFBIG);
    }
    loop {
        // SAFETY: it touches no memory.
        match unsafe { call(call::FALLOCATE, [file as usize, 0, offset as usize, bytes, 0, 0]) } {
            Err(EINTR) => {}
            Err(EOPNOTSUPP | ENOSYS) => return fill(file, offset, bytes),
            result => return result.map(|_| ()),
        }
    }
}

/// The fallback for file systems without reservation: writes zeros.
fn fill(file: c_int, offset: u64, bytes: usize) -> Result<(), Errno> {
    static ZEROS: [u8; PAGE] = [0; PAGE];
    let mut done = 0;
    while done < bytes {
        let length = (bytes - done).min(PAGE);
        let arguments = [file as usize, (&raw const ZEROS).expose_provenance(), length, offset as usize + done, 0, 0];
        // SAFETY: the page is long enough and is only read.
        match unsafe { call(call::PWRITE, arguments) } {
            Ok(written) => done += written,
            Err(EINTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The kernel's `struct iovec`.
#[repr(C)]
pub struct Part {
    pub at: *const u8,
    pub bytes: usize,
}

/// Writes these parts one after the other. Returns the number of bytes written.
///
/// # Safety
/// Each part is readable memory.
pub unsafe fn write_at(file: c_int, offset: u64, parts: &[Part]) -> Result<usize, Errno> {
    let bytes: usize = parts.iter().map(|part| part.bytes).sum();
    // As in `allocate`: the limit may be another one by now.
    if limit(FILE_SIZE).is_some_and(|limit| offset.saturating_add(bytes as u64) > limit) {
        return Err(EFBIG);
    }
    let arguments = [file as usize, parts.as_ptr().expose_provenance(), parts.len(), offset as usize, 0, 0];
    loop {
        // SAFETY: the kernel only reads, and only the caller's bytes.
        match unsafe { call(call::PWRITEV, arguments) } {
            Err(EINTR) => {}
            result => return result,
        }
    }
}

pub const FILE_SIZE: usize = 1;
pub const OPEN_FILES: usize = 7;

/// A resource limit of this process; `None` if it is unlimited.
pub fn limit(which: usize) -> Option<u64> {
    let mut limits = [u64::MAX; 2];
    // SAFETY: the kernel writes two numbers.
    unsafe { call(call::PRLIMIT, [0, which, 0, (&raw mut limits).expose_provenance(), 0, 0]) }.ok()?;
    (limits[0] != u64::MAX).then_some(limits[0])
}

/// Writes the absolute name of the working directory, with a zero behind it; how many bytes, with the zero.
pub fn working_directory(out: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel writes no more than the given length.
    unsafe { call(call::GETCWD, [out.as_mut_ptr().expose_provenance(), out.len(), 0, 0, 0, 0]) }
}

const READABLE: usize = 1;
const WRITABLE: usize = 2;
const SHARED: usize = 1;
const PRIVATE: usize = 2;
const FIXED: usize = 0x10;
const ANONYMOUS: usize = 0x20;
const NO_FILE: usize = usize::MAX;

/// Maps a part of a file, shared.
pub fn map_file(file: c_int, offset: u64, bytes: usize) -> Result<*mut u8, Errno> {
    let arguments = [0, bytes, READABLE | WRITABLE, SHARED, file as usize, offset as usize];
    // SAFETY: the kernel picks unused addresses.
    unsafe { call(call::MMAP, arguments) }.map(with_exposed_provenance_mut)
}

/// Memory of our own, all zeros.
pub fn map_memory(bytes: usize) -> Result<*mut u8, Errno> {
    // SAFETY: the kernel picks unused addresses.
    unsafe { call(call::MMAP, [0, bytes, READABLE | WRITABLE, PRIVATE | ANONYMOUS, NO_FILE, 0]) }
        .map(with_exposed_provenance_mut)
}

/// Replaces a mapping by private memory.
///
/// # Safety
/// The range was mapped by the recorder, and its contents are no longer needed.
pub unsafe fn map_memory_over(at: *mut u8, bytes: usize) {
    let arguments = [at.expose_provenance(), bytes, READABLE | WRITABLE, PRIVATE | ANONYMOUS | FIXED, NO_FILE, 0];
    // SAFETY: the range is ours.
    let _ = unsafe { call(call::MMAP, arguments) };
}

/// # Safety
/// The range was mapped by the recorder, and is unused from now on.
pub unsafe fn unmap(at: *mut u8, bytes: usize) {
    // SAFETY: the range is ours.
    let _ = unsafe { call(call::MUNMAP, [at.expose_provenance(), bytes, 0, 0, 0, 0]) };
}

/// Makes a read-only mapping writable. Returns whether that succeeded.
pub fn allow_writing(at: *mut u8, bytes: usize) -> bool {
    const PAGE: usize = 4096;
    let (first, end) = (at.addr() & !(PAGE - 1), at.addr() + bytes);
    // SAFETY: readable memory stays readable, and no code relies on write protection.
    unsafe { call(call::MPROTECT, [first, end - first, READABLE | WRITABLE, 0, 0, 0]) }.is_ok()
}

const SET_MASK: usize = 2;
const MASK_BYTES: usize = 8;

/// Runs a function with all signals blocked.
pub fn without_signals<T>(run: impl FnOnce() -> T) -> T {
    let (all, mut before) = (u64::MAX, 0_u64);
    let arguments =
        [SET_MASK, (&raw const all).expose_provenance(), (&raw mut before).expose_provenance(), MASK_BYTES, 0, 0];
    // SAFETY: both masks have the kernel's size.
    let blocked = unsafe { call(call::RT_SIGPROCMASK, arguments) }.is_ok();
    let result = run();
    if blocked {
        // SAFETY: both masks have the kernel's size.
        let _ = unsafe {
            call(call::RT_SIGPROCMASK, [SET_MASK, (&raw const before).expose_provenance(), 0, MASK_BYTES, 0, 0])
        };
    }
    result
}

/// Restores a signal's default action.
pub fn handle_by_default(signal: c_int) {
    let default = [0_u64; 4];
    // SAFETY: the kernel's structure has four words: handler, flags, restorer, mask.
    let _ = unsafe {
        call(call::RT_SIGACTION, [signal as usize, (&raw const default).expose_provenance(), 0, MASK_BYTES, 0, 0])
    };
}

/// Sends a signal to the calling thread again, with its original information.
///
/// # Safety
/// `info` is the pointer that the kernel passed to a signal handler.
pub unsafe fn send_again(signal: c_int, info: *const c_void) {
    // SAFETY: the kernel reads its own structure.
    let _ = unsafe {
        let thread = call(call::GETTID, [0; 6]).unwrap_or(0);
        call(call::RT_TGSIGQUEUEINFO, [process() as usize, thread, signal as usize, info.expose_provenance(), 0, 0])
    };
}

/// The kernel's `stack_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SignalStack {
    pub at: *mut u8,
    pub flags: c_int,
    pub bytes: usize,
}

impl SignalStack {
    pub const DISABLED: c_int = 2;
    pub const NONE: SignalStack = SignalStack { at: null_mut(), flags: SignalStack::DISABLED, bytes: 0 };
}

/// The stack on which the calling thread's handlers run if they ask for one.
pub fn signal_stack() -> Result<SignalStack, Errno> {
    let mut present = SignalStack::NONE;
    // SAFETY: the structure is the kernel's.
    unsafe { call(call::SIGALTSTACK, [0, (&raw mut present).expose_provenance(), 0, 0, 0, 0]) }?;
    Ok(present)
}

/// # Safety
/// The memory stays there for as long as the thread uses this stack.
pub unsafe fn set_signal_stack(stack: SignalStack) -> Result<(), Errno> {
    // SAFETY: the structure is the kernel's.
    unsafe { call(call::SIGALTSTACK, [(&raw const stack).expose_provenance(), 0, 0, 0, 0, 0]) }.map(|_| ())
}
