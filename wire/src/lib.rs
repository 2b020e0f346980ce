//! The layout of run files: what the recorder writes and `run` reads. Both sides compile this crate, so it uses nothing
//! but `core`.
#![no_std]

/// The first bytes of every run file.
pub const MAGIC: [u8; 8] = *b"heddle\0r";
/// Raised whenever the layout changes.
pub const VERSION: u32 = 1;
