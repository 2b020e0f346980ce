//! The allocator of every process of heddle, which ends the process when the system refuses it memory.

use std::alloc::{GlobalAlloc, Layout, System};

use super::orders::is_worker;
use crate::exit::ExitStatus;

/// The exit status of a worker whose allocation was refused.
pub const REFUSED: u8 = 86;

/// Rust ends a process whose allocation is refused with SIGABRT, like a defect. This allocator ends it with a status of
/// its own.
pub struct Allocator;

// SAFETY: it is the system's allocator with one more look at its answer.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        granted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        granted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        granted(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Ends the process if the allocation failed. No code from here on may allocate or unwind.
#[allow(unsafe_code)]
fn granted(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        let message = "error: the system refuses heddle more memory\n";
        // SAFETY: both calls may be made at any time, and read nothing of ours but the message.
        unsafe {
            if !is_worker() {
                nix::libc::write(2, message.as_ptr().cast(), message.len());
                nix::libc::_exit(ExitStatus::Error as i32);
            }
            nix::libc::_exit(i32::from(REFUSED))
        }
    }
    block
}
