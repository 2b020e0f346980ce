//! Findings as one model, and its renderings as text, JSON and graphs: values in, text out. Nothing here opens a file or
//! knows a terminal; the caller says whether colours are wanted and hands over the source lines.

mod named;
pub mod model;
mod tell;
mod words;
pub mod text;
pub mod json;
pub mod dot;

pub use model::*;
pub use tell::{CauseTeller, Circumstances, Speech, Told, context_switches, shared_accesses};
pub use text::TextOptions;
pub use words::{Manner, in_words};
