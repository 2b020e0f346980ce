//! Values that outlive a process: schedules (an order of steps) and recorded runs (what one execution left behind).

pub mod thread;
mod text;
pub mod recorded;
mod recorded_text;
pub mod schedule;
mod schedule_text;

pub use recorded::{Decisions, Input, Place, ProcessEnd, RecordedRun, ThreadEnd, ThreadRecord};
pub use recorded_text::parse_recorded_run;
pub use schedule::{Choice, Header, Schedule, Segment};
pub use schedule_text::parse_schedule;
pub use text::{TextError, TextError as ScheduleError};
pub use thread::ThreadName;
