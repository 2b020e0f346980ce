//! The recorder that is linked into programs, as a static library.

pub static RECORDER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libheddle_recorder.a"));
