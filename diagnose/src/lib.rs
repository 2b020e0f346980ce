//! From a failing execution of an event graph to its cause, to a passing execution, and to the differences between the
//! two. The modules stand in the order of a diagnosis.

mod failure;
mod subject;
mod flows;
mod switches;
mod stuck;
mod passing;
mod question;
mod slice;
mod leads;
mod guide;
mod swap;
mod shown;
mod cause;
mod pair;
mod any;
mod projection;
mod long;
mod diagnosis;
mod twins;
mod unite;
mod metric;
mod nearest;
mod answer;
mod every;
mod order;
mod unexplained;
mod races;

pub use answer::{Answer, Prefer, answer};
pub use cause::{Cause, Causes, Order, Proof};
pub use diagnosis::{
    Alternate, Confirmation, Cost, DiagnoseError, Diagnosis, Escape, Method, Wishes, diagnose, failing_event,
};
pub use every::{
    CutReached, End, Everything, FoundFailure, Heard, InputBit, Part, Progress, Sought, Standstill, cut_reachable,
    every,
};
pub use failure::{Replayed, Wrong};
pub use flows::{Flow, flows};
pub use long::Long;
pub use metric::{Distance, Run, distance, operations};
pub use nearest::{Found, Nearest, NearestError, Paths, nearest};
pub use order::{Hardness, OrderQuestion, Ordered, order, order_by_turns};
pub use passing::{Passing, passing};
pub use projection::{Metrics, Projection, Region, project};
pub use question::Size;
pub use races::{FoundRace, Raced, Races, RacesSought, races};
pub use stuck::stuck_operations;
pub use subject::{Description, Ending, Performed, Subject, Traces};
pub use switches::{context_switches, fewer_switches};
pub use twins::Twins;
pub use unexplained::{Unexplained, unexplained};
pub use unite::{United, unite};
