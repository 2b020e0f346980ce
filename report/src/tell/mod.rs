//! Builds the model from a run of the machine (`run`), from an execution of a graph (`graph`), from its diagnosis
//! (`explanation`), and from the causes of a check (`cause`).

mod run;
mod condition;
pub(crate) mod graph;
mod flow;
mod explanation;
mod cause;

pub use cause::CauseTeller;
pub use explanation::{Speech, Told};
pub use graph::{Circumstances, context_switches, shared_accesses};
