//! The contents of a report, independent of its format. Every format is a rendering of [`Report`], which contains all
//! that any of them shows, but neither texts nor the width and the colours of a terminal.

mod event;
mod stopped;
mod cause;
mod explanation;
mod finding;
mod bounds;
mod checked;
mod explored;
mod repaired;
mod synced;
mod caveats;

use ir::Program;
use serde::{Serialize, Serializer};
use vm::{Failure, FailureKind, Site};

use crate::named::named;

pub use bounds::{Answer, Attempt, Bounds, LeftOut, PathBounds, Range, Search};
pub use cause::{Cause, Consequence, InputPart, NeededInput, Order, Reason};
pub use caveats::{Assumption, BeyondSc, Caveats, Weak, WeakOrder};
pub use checked::{CheckTiming, Checked, CutPlace, CutWhat, Given, GivenArguments, GivenStdin};
pub use diagnose::Proof;
pub use event::{Event, EventKind, Frame, Place, Where};
pub use explanation::{
    Alternate, Dataflow, Escape, Explanation, LaneRow, Operation, Presence, Region, Reordered, Source, Work,
};
pub use explored::{Explored, Flip};
pub(crate) use finding::cycle_length;
pub use finding::{Awaited, Finding, Found, Input, PathFile, Stuck, Subject, Traced};
pub use repaired::{
    Cost, Counterexample, Cover, KillSet, Repair, RepairBounds, RepairEdit, RepairLevel, Repaired, Verified,
};
pub use stopped::Stopped;
pub use synced::{Annotation, BrokenSync, Extent, ProvenFor, Sync, SyncKind, SyncRole, Synced};

/// The answer of a command about a program or about traces.
// Many fields: a report is flat, so that each renderer picks the parts that its format shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub command: Command,
    pub target: Target,
    pub verdict: Verdict,
    pub finding: Option<Finding>,
    /// All failures, counted; empty unless they were requested.
    pub counts: Vec<FailureCount>,
    pub unsupported: Vec<Unsupported>,
    /// The results of bounded checking.
    pub checked: Option<Checked>,
    /// The results of the search near recorded runs.
    pub explored: Option<Explored>,
    /// The results of a repair.
    pub repaired: Option<Repaired>,
    /// Home-made synchronisation.
    pub synced: Option<Synced>,
    /// The limits of the verdict.
    pub caveats: Caveats,
    /// An internal contradiction in heddle that made one search method fail. The verdict is that of another one.
    pub defect: Option<String>,
    pub stats: Stats,
}

named! {
    pub enum Command {
        Run = "run",
        Check = "check",
        Explain = "explain",
        Explore = "explore",
        Repair = "repair",
        Sync = "sync",
        Replay = "replay",
    }
}

/// The program or the traces, by the user's name for it, and the bounds.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Program { name: String, bounds: Bounds },
    Traces { folder: String, bounds: PathBounds },
}

impl Report {
    pub fn new(command: Command, target: Target, verdict: Verdict) -> Report {
        Report {
            command,
            target,
            verdict,
            finding: None,
            counts: Vec::new(),
            unsupported: Vec::new(),
            checked: None,
            explored: None,
            repaired: None,
            defect: None,
            synced: None,
            caveats: Caveats::default(),
            stats: Stats::default(),
        }
    }

    /// Why the work ended early.
    pub fn stopped(&self) -> Option<Stopped> {
        match &self.target {
            Target::Program { bounds, .. } => bounds.stopped,
            Target::Traces { bounds, .. } => bounds.stopped,
        }
    }

    /// The same answer, of work that ended early.
    pub fn stopped_by(&self, stopped: Stopped) -> Report {
        let mut report = self.clone();
        match &mut report.target {
            Target::Program { bounds, .. } => bounds.stopped = Some(stopped),
            Target::Traces { bounds, .. } => bounds.stopped = Some(stopped),
        }
        report
    }
}

named! {
    pub enum Verdict {
        Failure = "failure",
        NoneFound = "none-found",
        Inconclusive = "inconclusive",
        /// A failure with a verified repair.
        Repaired = "repaired",
    }
}

/// An unsupported construct, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unsupported {
    pub what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Whether a run reached it; otherwise it only occurs in the program.
    pub reached: bool,
    /// Other places in the user's code with the same construct.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Place>,
}

impl Unsupported {
    /// A construct that a run reached.
    pub fn new(program: &Program, what: &str, site: &Site) -> Unsupported {
        let at = Where::new(program, site);
        Unsupported {
            what: what.to_owned(),
            at: at.place().cloned(),
            function: at.function().map(str::to_owned),
            reached: true,
            elsewhere: Vec::new(),
        }
    }
}

/// Failures of the same kind at the same place, over all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailureCount {
    #[serde(serialize_with = "kind_name")]
    pub kind: FailureKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Place>,
    pub condition: String,
    /// Unknown if equivalent schedules are tried once.
    #[serde(rename = "executions", skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seed: Option<u64>,
    /// The file of its own schedule, if it has one besides the finding's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
}

fn kind_name<S: Serializer>(kind: &FailureKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

impl FailureCount {
    /// A failure in an unknown number of runs.
    pub fn new(program: &Program, failure: &Failure) -> FailureCount {
        FailureCount::at(program, failure.kind, &failure.site, &failure.condition)
    }

    pub fn at(program: &Program, kind: FailureKind, site: &Site, condition: &str) -> FailureCount {
        FailureCount {
            kind,
            at: Where::new(program, site).place().cloned(),
            condition: condition.to_owned(),
            runs: None,
            first_seed: None,
            schedule: None,
        }
    }

    /// Whether both count failures of the same kind at the same place.
    pub fn is_same(&self, other: &FailureCount) -> bool {
        self.kind == other.kind && self.at == other.at && self.condition == other.condition
    }
}

/// Sizes and costs; 0 if a command has no such part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    pub threads: usize,
    pub events: usize,
    /// The steps of all executions together.
    pub steps: u64,
    /// Accesses in stored paths to objects that several threads access.
    pub shared_accesses: usize,
    /// Of the last question to the solver; none without a question.
    pub solver: Option<SolverStats>,
    pub peak_bytes: Option<u64>,
    pub seconds: Timing,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverStats {
    pub variables: u64,
    pub clauses: u64,
    pub conflicts: u64,
}

/// Seconds. Programs have a frontend and a search, traces the parts between.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timing {
    pub frontend: f64,
    pub search: f64,
    pub import: f64,
    pub simulate: f64,
    pub encode: f64,
    pub solve: f64,
    pub diagnose: f64,
    pub total: f64,
}

/// A recorded run that no interleaving reproduces, and the reads responsible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexplained {
    /// As named by the user.
    pub run: String,
    /// Reads whose values no order of the steps explains.
    pub reads: Vec<Event>,
    /// Whether no smaller set of reads suffices.
    pub smallest: bool,
}
