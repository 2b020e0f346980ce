//! The use cases of heddle: functions from a program, a recorded run or traces, and a [`Budget`], to an [`Answer`].
//!
//! No code here opens a file, accesses a terminal or starts a process. The caller loads the program, handles stages,
//! progress and early answers in an [`Observer`], and writes the contents of an [`Answer`].
//!
//! Each use case is a module with a function of its name:
//!
//! ```text
//! fn search(loaded: &Loaded, settings: &Settings, plan: &search::Plan, context: &Context) -> Result<Answer, Error>
//! fn check(loaded: &Loaded, settings: &Settings, request: &check::Request, context: &Context) -> Result<Answer, Error>
//! ```
//!
//! A new one takes the same `Context`, reports its stages to `context.observer`, checks `context.budget` in long loops,
//! publishes a replayed failure with `established::Established`, and builds its report with [`report::Report::new`].

mod budget;
mod error;
mod guard;
mod answer;
mod observer;
mod context;
mod properties;
mod program;
mod trace_files;
mod candidate;
mod schedule;
mod caveats;
mod established;
pub mod search;
mod bounded;
pub mod check;
pub mod explain;
pub mod explore;
pub mod replay;

pub use ::traces::is_backup;
pub use answer::Answer;
pub use budget::Budget;
pub use context::Context;
pub use error::{Error, ScheduleOf};
pub use guard::keep_panic;
pub use observer::{Observer, Progress, Refused, Silent};
pub use program::{Files, Loaded, Settings, joined};
pub use properties::{KindChoice, Properties};
pub use schedule::{Recorded, fingerprint_of_bytes, is_of_traces, recorded, schedule_of_construct};
pub use trace_files::{Selection, TraceFile, TraceFiles, Unreadable, parse_name};
