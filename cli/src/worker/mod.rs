//! The worker process, which does the work of a command under limits and hands everything that it establishes to its
//! parent. `supervise` is the parent.

pub mod frame;
pub mod memory;
mod orders;
mod allocator;
mod pipe;

pub use allocator::{Allocator, REFUSED};
pub use memory::{default_limit, parse_size, resident};
pub use orders::{Orders, orders_of_parent, take_orders};
pub use pipe::{hand_file_over, hand_over, stage, standing};
