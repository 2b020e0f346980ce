//! Failures near recorded runs: of all failing executions of a graph that holds recorded runs and what is near to them, one
//! that takes the fewest decisions otherwise than a recorded run did (Cortex: Machado, Lucia, Rodrigues, PPoPP 2016).
//!
//! The paper tries one combination of flipped branches after the other, each with a solver question of its own. Here all of
//! them are one formula, and the number of flips is minimised by MaxSAT. The modules stand in the order in which a prediction
//! is made.

mod near;
mod question;
mod minimise;
mod deepen;
mod stored;

pub use deepen::{DEPTHS, ExploreError, Explored, Passing, Reached, Region};
pub use minimise::{Limits, Nearness, Predicted, Prediction, predict};
pub use near::{FailureSite, Near, near};
pub use question::{Asserted, Change, Decided, Failing, PredictError, Sought, When, by_decision};
pub use stored::{Stored, StoredPaths};
