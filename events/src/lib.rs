//! Guarded event graphs. `replay` is what a graph means: it shares no code with the encoder, whose judge it is.

mod graph;
mod execution;

pub use execution::{
    Choice, Deadlock, Effect, Execution, Extent, Location, Obstacle, Outcome, Reason, Step, Stuck, Violation,
    zero_inputs,
};
pub use graph::{
    Access, Address, Event, EventGraph, EventId, Initial, Kind, Label, Object, ObjectId, Place, Thread, ThreadId,
};
