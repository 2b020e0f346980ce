//! Findings as text and JSON: values in, text out. Nothing here opens a file or knows a terminal; whoever calls says
//! whether colours are wanted and hands over the source lines.

pub mod stopped;
pub mod model;
pub mod relevance;
pub mod snippet;
pub mod style;
pub mod text;
pub mod json;
pub mod trace;
pub mod checked;
pub mod unexplained;
pub mod caveats;

pub use caveats::{Assumption, BeyondSc, Caveats, Weak};
pub use checked::Checked;
pub use model::{
    Bounds, Event, FailureCount, Finding, Found, Frame, Input, Place, Range, RunReport, Search, Stats, Stuck, Timing,
    Unsupported, Verdict, Where,
};
pub use stopped::Stopped;
pub use text::TextOptions;
