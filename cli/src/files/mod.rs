//! File access: safe writing of outputs, refused outputs, limits for reading, and the folder of heddle's own files.

mod write;
mod read;
pub mod kept;

pub use read::{Limit, read_given, read_named};
pub(crate) use write::Target;
pub use write::{is_left_over, is_stream, write, write_new};
