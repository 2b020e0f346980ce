//! Values that outlive a process: schedules (an order of steps) and recorded runs (what one execution left behind).

pub mod thread;
pub mod schedule;

pub use schedule::{Choice, Header, Schedule, Segment};
pub use thread::ThreadName;
