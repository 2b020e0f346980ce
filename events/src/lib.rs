//! Guarded event graphs. `replay` defines the meaning of a graph; it shares no code with the encoder, which is tested
//! against it.

mod graph;
mod particle_search;
mod words;
mod builder;
mod scope;
mod text;
mod check;
mod execution;
mod values;
mod memory;
mod foreign_unlocks;
mod machine;
mod deadlock;
mod replay;
mod clash;
mod pages;
mod random;
mod sought;
mod signals;
mod simulate;
mod contention;
mod future_reads;
mod order_search;

pub use builder::Builder;
pub use check::{GraphError, Part, Problem, check};
pub use clash::{Clash, Touch};
pub use deadlock::cycle_from;
pub use execution::{
    Choice, Deadlock, Effect, Execution, Extent, Location, Obstacle, Outcome, Reason, Step, Stuck, Violation,
    zero_inputs,
};
pub use graph::{
    Access, Address, Event, EventGraph, EventId, Hold, Initial, Kind, Label, Object, ObjectId, Place, Thread, ThreadId,
};
pub use machine::{Machine, Plan, State, Status};
pub use order_search::Turns;
pub use replay::replay;
pub use simulate::{Simulated, Simulation};
pub use sought::Sought;
pub use text::{ParseError, parse_graph};
pub use words::Words;
