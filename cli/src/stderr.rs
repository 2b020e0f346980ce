//! Texts on stderr, also before the options are known.

use std::io::{self, Write};

/// Prints to stderr. Errors are ignored, since they cannot be reported.
pub fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
