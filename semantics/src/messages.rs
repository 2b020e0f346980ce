//! The failures of instructions and of the runtime's operations, in words. Both engines use these.

use crate::address::SLOT_BITS;

/// The failure at an `unreachable`: the end of a C++ function without `return`, for example.
pub const UNREACHABLE: &str = "code reached that the compiler was promised nobody reaches";
pub const ABORT: &str = "abort";
pub const DIVISION_BY_ZERO: &str = "division by zero";
pub const DIVISION_OVERFLOW: &str = "division overflow";

pub const CONSTANT_WRITTEN: &str = "constant written";
pub const FREED_TWICE: &str = "memory freed twice";
pub const FREED_INSIDE: &str = "free of an address inside a block";
pub const FREED_UNALLOCATED: &str = "free of memory that was not allocated";
pub const THREAD_OF_NO_FUNCTION: &str = "thread created with something that is no function";

pub const UNHELD_RWLOCK: &str = "rwlock unlocked that the thread does not hold";
pub const UNHELD_MUTEX: &str = "mutex unlocked that is not locked";
pub const UNHELD_WAIT: &str = "wait with a mutex that the thread does not hold";

/// A number that is the address of no object: `what` was to be done with the memory there.
pub fn pointer(at: u64, what: &str) -> String {
    let which = if at < 1 << SLOT_BITS { "null pointer" } else { "wild pointer" };
    format!("{which} {what}")
}

/// As [`pointer`], where the number is one of several, or the address may lie beyond the end of its object.
pub fn bad_address(what: &str) -> String {
    format!("bad address {what}")
}

pub fn freed_memory(what: &str) -> String {
    format!("freed memory {what}")
}

pub fn ended_local(what: &str) -> String {
    format!("local variable {what} after its function returned")
}

pub fn out_of_bounds(bytes: u64, what: &str, offset: u64, size: u64) -> String {
    let length = if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
    format!("out of bounds: {length} {what} at offset {offset} of an object of {size} bytes")
}

pub fn no_function(at: u64) -> String {
    if at == 0 { pointer(at, "called") } else { format!("call of {at:#x}, which is no function") }
}

pub fn no_block(at: u64) -> String {
    format!("free of {at:#x}, which is no block")
}

/// Without a status, one that is not zero.
pub fn exit_status(status: Option<i32>) -> String {
    status.map_or("exit status".to_owned(), |status| format!("exit status {status}"))
}

pub fn used_late(noun: &str) -> String {
    format!("{noun} used after it was destroyed")
}

pub fn destroyed_twice(noun: &str) -> String {
    format!("{noun} destroyed twice")
}

pub fn never_made(noun: &str) -> String {
    format!("{noun} used before it was initialised")
}

/// An object is used as if it were of another kind.
pub fn misused(noun: &str, wanted: &str) -> String {
    format!("{noun} used as a {wanted}")
}
