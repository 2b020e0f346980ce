//! The report for programs: schema 1. Fields may be added and are never renamed; fields that do not apply are left out.

mod finding;
mod cause;
mod explanation;
mod explored;
mod repaired;
mod synced;
mod bounds;
mod stats;

use serde::Serialize;

use crate::model::{
    Assumption, Caveats, Command, FailureCount, Place, Report, Stopped, Target, Unexplained, Unsupported, Verdict,
};
use crate::words::counted;
use bounds::Bounds;
use cause::JsonCause;
use explanation::Explained;
use finding::{Failing, Failure};
use stats::Stats;

/// One JSON document, with a final newline.
pub fn render(report: &Report) -> String {
    pretty(&document(report))
}

/// A report about work that was cut off before it had any result. `reached` names the stage.
pub fn nothing_established(command: &str, stopped: Stopped, reached: &str) -> String {
    let exhausted = stopped.resource().map(|what| Exhausted { what, reached: reached.to_owned() });
    let bounds = Some(Bounds::of_nothing(stopped));
    pretty(&Document { bounds, exhausted, ..Document::new(command, Verdict::Inconclusive) })
}

/// A recorded run that no interleaving explains.
pub fn unexplained(report: &Unexplained) -> String {
    let reads = report.reads.iter().map(|read| Read {
        thread: read.thread().to_string(),
        object: &read.object,
        at: read.at.place(),
    });
    let unexplained = Some(Reads { reads: reads.collect(), smallest: report.smallest });
    let document = Document::new(Command::Explain.name(), Verdict::Inconclusive);
    pretty(&Document { program: Some(&report.run), unexplained, ..document })
}

fn pretty(document: &Document<'_>) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_else(|error| {
        // Every value here is a string, a number or a list of them, which JSON can represent.
        unreachable!("a report is always representable: {error}")
    });
    text.push('\n');
    text
}

// Many fields: one object of the JSON report, whose schema is flat.
#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    command: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traces: Option<&'a str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exhausted: Option<Exhausted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unexplained: Option<Reads<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unsupported: &'a [Unsupported],
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing: Option<Failing<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation_missing: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    causes: Option<Vec<JsonCause<'a>>>,
    #[serde(flatten)]
    explained: Explained<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explore: Option<explored::Explored<'a>>,
    #[serde(flatten)]
    repaired: repaired::Repaired<'a>,
    /// An internal contradiction in heddle that made one search method fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    defect: Option<&'a str>,
    #[serde(flatten)]
    synced: synced::Synced<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    failures: &'a [FailureCount],
    /// Failures of kinds that were not requested, and ended runs.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unasked: &'a [FailureCount],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Stats>,
}

impl<'a> Document<'a> {
    fn new(command: &'a str, verdict: Verdict) -> Document<'a> {
        Document {
            schema: 1,
            tool: "heddle",
            version: env!("CARGO_PKG_VERSION"),
            command,
            program: None,
            traces: None,
            verdict: verdict.name(),
            bounds: None,
            exhausted: None,
            unexplained: None,
            unsupported: &[],
            failure: None,
            failing: None,
            schedule: None,
            replay: None,
            explanation_missing: None,
            causes: None,
            explained: Explained::default(),
            explore: None,
            repaired: repaired::Repaired::default(),
            defect: None,
            synced: synced::Synced::default(),
            failures: &[],
            unasked: &[],
            assumptions: Vec::new(),
            stats: None,
        }
    }
}

/// Work that was cut off.
#[derive(Serialize)]
struct Exhausted {
    what: &'static str,
    reached: String,
}

#[derive(Serialize)]
struct Reads<'a> {
    reads: Vec<Read<'a>>,
    smallest: bool,
}

#[derive(Serialize)]
struct Read<'a> {
    thread: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    object: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a Place>,
}

fn document(report: &Report) -> Document<'_> {
    let finding = report.finding.as_ref();
    let explanation = finding.and_then(|finding| finding.explanation.as_ref());
    let schedule = finding.and_then(|finding| finding.schedule.as_ref());
    let (program, traces) = match &report.target {
        Target::Program { name, .. } => (Some(name.as_str()), None),
        Target::Traces { folder, .. } => (None, Some(folder.as_str())),
    };
    let checked = report.checked.as_ref().filter(|_| finding.is_some());
    Document {
        program,
        traces,
        bounds: Some(bounds::bounds(report)),
        exhausted: exhausted(report),
        unsupported: &report.unsupported,
        failure: finding.map(finding::failure),
        failing: finding.map(finding::failing),
        schedule: schedule.map(|(file, _)| file.as_str()),
        replay: schedule.map(|(_, command)| command.as_str()),
        explanation_missing: finding.and_then(|finding| finding.explanation_missing.as_deref()),
        causes: checked.map(cause::of_checked).or_else(|| explanation.map(cause::of_explanation)),
        explained: explanation.map(explanation::explained).unwrap_or_default(),
        explore: report.explored.as_ref().map(explored::explored),
        repaired: report.repaired.as_ref().map(repaired::repaired).unwrap_or_default(),
        defect: report.defect.as_deref(),
        synced: report.synced.as_ref().map(synced::synced).unwrap_or_default(),
        failures: &report.counts,
        unasked: &report.caveats.unasked,
        assumptions: assumed(&report.caveats),
        stats: Some(stats::stats(report)),
        ..Document::new(report.command.name(), report.verdict)
    }
}

/// The assumptions in words.
fn assumed(caveats: &Caveats) -> Vec<&'static str> {
    caveats.assumptions.iter().copied().map(Assumption::name).collect()
}

fn exhausted(report: &Report) -> Option<Exhausted> {
    let what = report.stopped()?.resource()?;
    Some(Exhausted { what, reached: reached(report) })
}

/// The part of the answer that is established.
fn reached(report: &Report) -> String {
    let checked = report.checked.as_ref();
    if let Some(finding) = &report.finding {
        let has_causes = checked.is_some_and(|checked| !checked.causes.is_empty());
        let explained = finding.explanation.is_some() || has_causes;
        return if explained { "a failure with its cause" } else { "a failure without its cause" }.to_owned();
    }
    match (checked.and_then(|checked| checked.unroll), &report.target) {
        (Some(unroll), _) => format!("every order with up to {} of each loop", counted(u64::from(unroll), "round")),
        (None, Target::Program { bounds, .. }) => counted(bounds.executions, "execution"),
        (None, Target::Traces { bounds, .. }) => counted(bounds.attempts.len() as u64, "question"),
    }
}

/// Seconds with three digits: more would be noise.
fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
