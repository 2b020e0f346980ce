//! The contents of the files that the program opens, before the program can change them.
//!
//! Each name is recorded once, at its first opening: data that the program writes itself is recomputed by a replay.
//! Devices, pipes and kernel file systems are not recorded, and neither are large files.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::slice;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::c_library::{self, real};
use crate::records::Record;
use crate::slot::{Buffer, recorded};
use crate::spool;
use crate::system::{self, ENOENT, ENOSYS};

/// A larger file is not kept.
const LARGEST: u64 = 1 << 20;
/// The largest number of names; later ones are not recorded.
const NAMES: usize = 256;
/// Folders of devices and kernel file systems, which hold no stored data.
const MADE_UP: [&[u8]; 3] = [b"/proc/", b"/sys/", b"/dev/"];

/// The hashes of the names that were kept.
static KEPT: [AtomicU64; NAMES] = [const { AtomicU64::new(0) }; NAMES];

/// Whether recording of files is disabled.
static UNWANTED: AtomicBool = AtomicBool::new(false);

/// Asks the environment whether files are kept.
pub fn begin() {
    let unwanted = c_library::variable(c"HEDDLE_FILES").is_some_and(|text| text == c"no");
    UNWANTED.store(unwanted, Ordering::Relaxed);
}

/// The program is about to open a file.
fn opening(path: *const c_char) {
    if path.is_null() || UNWANTED.load(Ordering::Relaxed) {
        return;
    }
    let is_recorded =
        || recorded().filter(|(slot, _)| !slot.is_in_sink() && spool::recording() && spool::is_own_process());
    let Some((_, thread)) = is_recorded() else { return };
    // SAFETY: the program gives the C library a string.
    let path = unsafe { CStr::from_ptr(path) };
    if MADE_UP.iter().any(|prefix| path.to_bytes().starts_with(prefix)) || !is_new(path.to_bytes()) {
        return;
    }
    let name = Buffer::of(path.to_bytes());
    match system::open_to_read(path) {
        Ok(file) => {
            read(file, |contents| thread.put(&Record::file(true, &[name, Buffer::of(contents)])));
            system::close(file);
        }
        Err(ENOENT) => thread.put(&Record::file(false, &[name, Buffer::of(b"")])),
        Err(_) => {}
    }
}

/// Whether the name was not seen yet; from now on it was.
fn is_new(name: &[u8]) -> bool {
    let hash = name
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let hash = hash.max(1);
    for kept in &KEPT {
        match kept.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return true,
            Err(other) if other == hash => return false,
            Err(_) => {}
        }
    }
    false
}

/// Reads all of a file that is not too large into memory of our own, and gives it away.
fn read(file: c_int, give: impl FnOnce(&[u8])) {
    let Some(size) = system::size_of_regular(file).filter(|&size| size <= LARGEST) else { return };
    // One byte more shows whether it grows.
    let room = size as usize + 1;
    let Ok(memory) = system::map_memory(room) else { return };
    // SAFETY: the range is mapped, and no other code has a reference to it.
    let bytes = unsafe { slice::from_raw_parts_mut(memory, room) };
    if let Some(length) = fill(file, bytes) {
        give(&bytes[..length]);
    }
    // SAFETY: it was mapped above, and is no longer used.
    unsafe { system::unmap(memory, room) };
}

/// How long the file is, if all of it fits and can be read.
fn fill(file: c_int, out: &mut [u8]) -> Option<usize> {
    let mut done = 0;
    while done < out.len() {
        match system::read_at(file, done as u64, &mut out[done..]) {
            Ok(0) => return Some(done),
            Ok(more) => done += more,
            Err(_) => return None,
        }
    }
    None
}

fn open_with(
    real: Option<unsafe extern "C" fn(*const c_char, c_int, c_uint) -> c_int>,
    path: *const c_char,
    flags: c_int,
    mode: c_uint,
) -> c_int {
    let Some(real) = real else {
        c_library::set_errno(ENOSYS.0);
        return -1;
    };
    opening(path);
    // SAFETY: the caller's arguments; without a mode argument, `mode` is not used.
    unsafe { real(path, flags, mode) }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    open_with(real::open(), path, flags, mode)
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    open_with(real::open64(), path, flags, mode)
}

fn open_stream_with(
    real: Option<unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void>,
    path: *const c_char,
    mode: *const c_char,
) -> *mut c_void {
    let Some(real) = real else {
        c_library::set_errno(ENOSYS.0);
        return core::ptr::null_mut();
    };
    opening(path);
    // SAFETY: the caller's arguments.
    unsafe { real(path, mode) }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_fopen(path: *const c_char, mode: *const c_char) -> *mut c_void {
    open_stream_with(real::fopen(), path, mode)
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __heddle_fopen64(path: *const c_char, mode: *const c_char) -> *mut c_void {
    open_stream_with(real::fopen64(), path, mode)
}
