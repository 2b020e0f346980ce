//! Runs programs: concretely, under a schedule that is given or a strategy that chooses.

pub mod outcome;
pub mod options;
pub mod memory;
pub mod image;
pub mod sync;
pub mod files;
mod races;
pub mod idle;
pub mod world;
mod access;
mod primitives;
mod threads;
pub mod clock;
mod host;
pub mod names;
pub mod callers;
pub mod machine;
mod stuck;
mod record;
pub mod strategy;
mod drive;
mod follower;
mod follow;
mod retrace;
pub mod explore;

pub use drive::{Log, at_end, execute, replay, replay_and_go_on, replay_by};
pub use follow::follow;
pub use follower::{Follower, Observer};
pub use host::{float_of, float_text};
pub use machine::{Datum, Machine, Readiness};
pub use options::{DEFAULT_PROPERTIES, Options};
pub use outcome::{Event, Execution, Failure, FailureKind, Outcome, Site, SiteFrame, UNREACHABLE, Waiting};
pub use retrace::{Effort, retrace};
pub use semantics::code::Code;
pub use semantics::execute::undefined as undefined_function;
pub use stuck::Scope;
