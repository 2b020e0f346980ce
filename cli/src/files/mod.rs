//! File access: safe writing of outputs, refused outputs, limits for reading, and the folder of heddle's own files.

mod write;
mod clash;
mod read;
pub mod kept;

pub use clash::{named, refuse_clashes, refuse_inputs};
pub use read::{Limit, read_given, read_named};
pub use write::{is_left_over, is_stream, write, write_new};
