//! Why work ended before it was complete, and how far it had come.

use serde::Serialize;

use crate::model::RunReport;
use crate::text::counted;
use crate::trace::TraceReport;

/// What ended the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Time,
    Memory,
    Interrupted,
    /// The counted work that was allowed.
    Work,
    /// The process that did the work died, or found a contradiction in heddle.
    Crashed,
    /// The first runs were all cut at the step limit.
    TooLong,
    /// The first runs all came to something unsupported.
    Unsupported,
    /// The objects that threads share could not be determined.
    Unsettled,
    SolverFailed,
}

impl Stopped {
    /// The ways in which work can be cut from outside.
    pub const CUTS: [Stopped; 4] = [Stopped::Time, Stopped::Memory, Stopped::Interrupted, Stopped::Crashed];

    pub fn in_words(self) -> &'static str {
        match self {
            Stopped::Time => "the time is over",
            Stopped::Memory => "the memory limit was reached",
            Stopped::Interrupted => "interrupted",
            Stopped::Work => "the limit of work was reached",
            Stopped::Crashed => "heddle crashed",
            Stopped::TooLong => "the first ones did not end",
            Stopped::Unsupported => "the first ones all came to something unsupported",
            Stopped::Unsettled => "what its threads share could not be determined",
            Stopped::SolverFailed => "the solver broke down",
        }
    }

    /// The name in the JSON form of what ran out; `None` where nothing did.
    fn resource(self) -> Option<&'static str> {
        match self {
            Stopped::Time => Some("time"),
            Stopped::Memory => Some("memory"),
            Stopped::Interrupted => Some("interrupted"),
            Stopped::Work => Some("work"),
            Stopped::Crashed => Some("crashed"),
            Stopped::TooLong | Stopped::Unsupported | Stopped::Unsettled | Stopped::SolverFailed => None,
        }
    }
}

/// The JSON form of work that was cut.
#[derive(Serialize)]
pub(crate) struct Exhausted {
    what: &'static str,
    reached: String,
}

impl Exhausted {
    pub(crate) fn of_run(report: &RunReport) -> Option<Exhausted> {
        let what = report.bounds.stopped?.resource()?;
        Some(Exhausted { what, reached: reached(report) })
    }

    pub(crate) fn of_traces(report: &TraceReport) -> Option<Exhausted> {
        let what = report.bounds.stopped?.resource()?;
        let reached = match &report.finding {
            Some(finding) => failure(finding.explanation.is_some()),
            None => counted(report.bounds.attempts.len() as u64, "question"),
        };
        Some(Exhausted { what, reached })
    }
}

/// A report about work that was cut before it had established anything. `reached` names the stage.
pub fn nothing_established(command: &str, stopped: Stopped, reached: &str) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        schema: u32,
        tool: &'static str,
        version: &'static str,
        command: &'a str,
        verdict: &'static str,
        bounds: Bounds,
        exhausted: Option<Exhausted>,
    }
    #[derive(Serialize)]
    struct Bounds {
        complete: bool,
        memory_model: &'static str,
        stopped: &'static str,
    }
    let exhausted = stopped.resource().map(|what| Exhausted { what, reached: reached.to_owned() });
    let version = env!("CARGO_PKG_VERSION");
    let bounds = Bounds { complete: false, memory_model: "sc", stopped: stopped.in_words() };
    let document = Document { schema: 1, tool: "heddle", version, command, verdict: "inconclusive", bounds, exhausted };
    crate::json::pretty(&document)
}

/// The part of the answer that stands.
fn reached(report: &RunReport) -> String {
    let checked = report.checked.as_ref();
    if let Some(finding) = &report.finding {
        let has_causes = checked.is_some_and(|checked| !checked.causes.is_empty());
        return failure(finding.explanation.is_some() || has_causes);
    }
    match checked.and_then(|checked| checked.unroll) {
        Some(unroll) => format!("every order with up to {} of each loop", counted(u64::from(unroll), "round")),
        None => counted(report.bounds.executions, "execution"),
    }
}

fn failure(explained: bool) -> String {
    if explained { "a failure with its cause" } else { "a failure without its cause" }.to_owned()
}
