//! Makes the model of what was found: of a run of the machine (`run`), of an execution of a graph (`graph`), of its
//! diagnosis (`explanation`), and of the causes that checking found (`cause`).

mod run;
mod condition;
pub(crate) mod graph;
mod flow;
mod explanation;
mod cause;

pub use cause::CauseTeller;
pub use explanation::{Speech, Told};
pub use graph::{Circumstances, context_switches, shared_accesses};
