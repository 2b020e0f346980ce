//! Failures near recorded runs: among all failing executions of a graph with recorded runs and deviations from them,
//! one with the fewest flipped decisions (Cortex: Machado, Lucia, Rodrigues, PPoPP 2016).
//!
//! Deviation: the paper tries one combination of flipped branches after the other, each with a solver question. Here
//! all of them are one formula, and the number of flips is minimised by MaxSAT. The modules stand in the order of a
//! prediction.

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
