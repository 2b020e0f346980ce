//! Values that outlive a process: schedules (an order of steps) and recorded runs (the record of one execution).

pub mod thread;
mod text;
pub mod bits;
pub mod recorded;
mod recorded_text;
pub mod tables;
mod foreign;
mod fields;
pub mod spool;
pub mod file;
pub mod schedule;
mod schedule_text;
mod divergence;

pub use bits::Bits;
pub use divergence::{Divergence, Happened, Item};
pub use file::{ReadRun, RunError, read_run, write_run};
pub use foreign::RUN_MAGIC;
pub use recorded::{
    ARGUMENTS, Cut, Decisions, FILE, Input, Note, Place, ProcessEnd, RecordedRun, STDIN, Taken, ThreadEnd,
    ThreadRecord, case_width,
};
pub use recorded_text::parse_recorded_run;
pub use schedule::{Choice, Header, Schedule, Segment};
pub use schedule_text::parse_schedule;
pub use spool::{Spool, SpoolError, read_spool, spool_identity};
pub use tables::{CallPlace, Tables, is_identity, parse_tables};
pub use text::{TextError, TextError as ScheduleError};
pub use thread::ThreadName;
