//! Files at the edge: how outputs are written so that nothing is lost, which outputs are refused, how much of a file is
//! read, and the folder in which heddle keeps its own files.

mod write;
mod clash;
mod read;
pub mod kept;

pub use clash::{named, refuse_clashes, refuse_inputs};
pub use read::{Limit, read_given, read_named};
pub use write::{is_left_over, is_stream, write, write_new};
