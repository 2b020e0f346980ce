//! Schedules as texts. A header identifies the program with its environment, or the traces.

mod program;
pub(crate) mod traces;

pub use program::{Recorded, recorded, schedule_of_construct};
pub(crate) use program::{confirm, outcome, schedule_of, text_of};
pub use traces::is_of_traces;

/// FNV-1a with 64 bits: enough to notice that a file was edited.
pub fn fingerprint_of_bytes(bytes: &[u8]) -> String {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix))
}
