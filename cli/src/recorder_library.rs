//! The recorder that is linked into programs, as a static library.

pub static RECORDER: &[u8] = &[];
