//! The failures of runtime operations, in words.

pub const UNHELD_RWLOCK: &str = "rwlock unlocked that the thread does not hold";
pub const UNHELD_MUTEX: &str = "mutex unlocked that is not locked";
pub const UNHELD_WAIT: &str = "wait with a mutex that the thread does not hold";

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
