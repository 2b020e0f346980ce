//! Texts of LLVM as our own.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};

use inkwell::llvm_sys::core;

/// Copies a message that LLVM allocated, and frees it.
///
/// # Safety
/// `message` is null or a message of LLVM that has no other owner.
pub(super) unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: not null, and LLVM's messages end in zero.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        core::LLVMDisposeMessage(message);
        text
    }
}

/// # Safety
/// `text` is null or points to `length` readable bytes.
pub(super) unsafe fn bytes_to_text(text: *const c_char, length: usize) -> String {
    if text.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
