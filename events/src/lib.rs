//! Guarded event graphs. `replay` defines the meaning of a graph; it shares no code with the encoder, which is tested
//! against it.

mod graph;
mod herd;
mod builder;
mod scope;
mod text;
mod check;
mod execution;
mod values;
mod memory;
mod deadlock;
mod machine;
mod replay;
mod clash;
mod enumerate;
mod pages;
mod random;
mod random_graph;
mod random_handed;
mod random_beginning;
mod signals;
mod simulate;
mod contention;
mod needs;
mod turns;

pub use builder::Builder;
pub use check::{GraphError, Part, Problem, check};
pub use clash::{Clash, Touch};
pub use deadlock::cycle_from;
pub use enumerate::{Answers, Enumeration, EnumerationError, Merging, Sought};
pub use execution::{
    Choice, Deadlock, Effect, Execution, Extent, Location, Obstacle, Outcome, Reason, Step, Stuck, Violation,
    zero_inputs,
};
pub use graph::{
    Access, Address, Event, EventGraph, EventId, Hold, Initial, Kind, Label, Object, ObjectId, Place, Thread, ThreadId,
};
pub use machine::{Machine, Plan, State, Status};
pub use random_beginning::with_beginning;
pub use random_graph::random_graph;
pub use random_handed::random_handed;
pub use replay::replay;
pub use simulate::{Simulated, Simulation};
pub use text::{ParseError, parse_graph};
pub use turns::Turns;
