//! From a failing execution of an event graph to its cause, to an execution that does not fail, and to what differs
//! between the two.

mod flows;
mod diagnosis;

pub use diagnosis::{Alternate, Confirmation, Method};
pub use flows::{Flow, flows};
