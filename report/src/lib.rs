//! Findings as one model, and its renderings as text, JSON and graphs: values in, text out. No code here opens a file or
//! accesses a terminal; the caller passes whether colours are wanted, and the source lines.
//!
//! The crate uses `vm`, since it renders executions with or without a diagnosis, and comes before `analysis`: a use case
//! answers in this model, and only `cli` knows which rendering is wanted.

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
