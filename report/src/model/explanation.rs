//! Why a failing execution fails, and how a passing one differs.

use diagnose::{Confirmation, Method, Metrics};
use serde::Serialize;

use super::cause::Cause;
use super::event::Event;
use crate::named::named;

#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub cause: Cause,
    /// The first one is shown.
    pub alternates: Vec<Alternate>,
    pub escape: Escape,
    pub pairs_tried: u32,
    /// The failing paths cannot pass; other stored paths were tried too.
    pub other_paths: bool,
    pub seconds: f64,
    /// For a program's run; traces have this information elsewhere.
    pub work: Option<Work>,
}

/// The size of an explanation, and the time of its parts in seconds.
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
    /// Whether the failing paths can pass.
    pub enum Escape {
        Possible = "possible",
        /// Proven: no order of these paths passes.
        Excluded = "excluded",
        Unknown = "unknown",
        NotAsked = "not-asked",
    }
}

/// A passing execution, and its differences from the failing one.
// Many fields: a report is flat, so that each renderer picks the parts that its format shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternate {
    pub method: Method,
    pub pairs_tried: u32,
    pub optimal: Option<bool>,
    pub outcome: Confirmation,
    /// An event of both executions has the same id in both.
    pub events: Vec<Event>,
    pub operations: Vec<Operation>,
    pub dataflow: Vec<Dataflow>,
    pub reordered: Vec<Reordered>,
    pub atomic: Vec<Region>,
    pub metrics: Metrics,
    /// The number of reads that see a different value and do not affect the failure.
    pub aside: usize,
    /// Changes that threads waiting for a signal have missed, with the writers.
    pub overlooked: Vec<Event>,
    /// The reads whose values the failing condition names.
    pub failing_reads: Vec<Event>,
    /// The rows to show of each execution, in its order.
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
    /// Which of the two executions contains something.
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

/// A part of a thread that should not be interrupted.
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
    /// For a read: the write that it reads from.
    pub source: Option<Source>,
    /// It reads a different value in the other execution.
    pub varies: bool,
    /// It is the assertion.
    pub judges: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Initial,
    Write(Event),
    /// Several writes contribute to it.
    Several,
}
