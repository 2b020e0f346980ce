//! Why a failing execution fails, and what one that does not fail does otherwise.

use diagnose::{Confirmation, Method, Metrics};
use serde::Serialize;

use super::cause::Cause;
use super::event::Event;
use crate::named::named;

#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub cause: Cause,
    /// The first is the one that is told.
    pub alternates: Vec<Alternate>,
    pub escape: Escape,
    pub pairs_tried: u32,
    /// The paths that failed cannot pass; others that are stored were looked at too.
    pub other_paths: bool,
    pub seconds: f64,
    /// Of a program's run; what is known of traces stands elsewhere.
    pub work: Option<Work>,
}

/// What an explanation was made of, and what its parts took in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    pub shared_variables: usize,
    pub shared_accesses: usize,
    pub constraints: usize,
    pub variables: u64,
    pub clauses: u64,
    pub symex: f64,
    pub reduce: f64,
    pub cause: f64,
    pub alternate: f64,
}

named! {
    /// Whether the paths that failed can pass.
    pub enum Escape {
        Possible = "possible",
        /// Proven: no order of these paths passes.
        Excluded = "excluded",
        Unknown = "unknown",
        NotAsked = "not-asked",
    }
}

/// An execution that does not fail, and how it differs from the failing one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternate {
    pub method: Method,
    pub pairs_tried: u32,
    pub optimal: Option<bool>,
    pub outcome: Confirmation,
    /// Events of both executions have the same id in both.
    pub events: Vec<Event>,
    pub operations: Vec<Operation>,
    pub dataflow: Vec<Dataflow>,
    pub reordered: Vec<Reordered>,
    pub atomic: Vec<Region>,
    pub metrics: Metrics,
    /// How many reads get their values from elsewhere and have nothing to do with the failure.
    pub aside: usize,
    /// What those who wait for a signal have overlooked, and who changed it.
    pub overlooked: Vec<Event>,
    /// The reads whose values the failing condition names.
    pub failing_reads: Vec<Event>,
    /// What a reader should see of either, in its order.
    pub failing_rows: Vec<LaneRow>,
    pub passing_rows: Vec<LaneRow>,
    /// Operations that are not among the rows.
    pub left_out: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Operation {
    #[serde(flatten)]
    pub event: Event,
    #[serde(rename = "in")]
    pub presence: Presence,
}

named! {
    /// In which of the two executions something happens.
    pub enum Presence {
        Failing = "failing",
        Alternate = "alternate",
        Both = "both",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dataflow {
    /// `None`: the initial value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Event>,
    pub read: Event,
    #[serde(rename = "in")]
    pub presence: Presence,
}

/// In this order in the failing execution, and in the other one in the alternate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reordered {
    pub before: Event,
    pub after: Event,
}

/// A stretch of a thread that should not be interrupted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Region {
    pub first: Event,
    pub last: Event,
    pub interrupted_by: Vec<Event>,
}

/// An event beside the lanes of the threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneRow {
    pub event: Event,
    /// Of a read: who wrote what it finds.
    pub source: Option<Source>,
    /// Its value comes from elsewhere in the other execution.
    pub varies: bool,
    /// It is the assertion.
    pub judges: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Initial,
    Write(Event),
    /// Several writes have a part in it.
    Several,
}
