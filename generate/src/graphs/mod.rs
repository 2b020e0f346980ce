//! Random event graphs, and brute force, which judges the other engines on them.

mod random_graph;
mod random_handed;
mod with_beginning;
mod brute_force;

pub use ::events::Extent;
pub use brute_force::{Answers, Enumeration, EnumerationError, Merging};
pub use random_graph::random_graph;
pub use random_handed::random_handed;
pub use with_beginning::with_beginning;
