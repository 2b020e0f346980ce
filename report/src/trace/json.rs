//! The report on traces for programs: schema 1, as the other commands have it.

use events::{Extent, Place};
use serde::Serialize;

use super::explanation::{AlternateReport, CauseReport, EscapeReport, Explanation, FlowReport, Presence};
use super::{Answer, Attempt, How, PathFile, Subject, TraceEvent, TraceFinding, TraceReport, TraceStats};
use crate::json::pretty;
use crate::stopped::{Exhausted, Stopped};

/// One JSON document, ending in an end of line.
pub fn render(report: &TraceReport) -> String {
    pretty(&document(report))
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    command: &'static str,
    traces: &'a str,
    verdict: &'static str,
    bounds: Bounds<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exhausted: Option<Exhausted>,
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
    #[serde(flatten)]
    explained: Explained<'a>,
    stats: Stats,
}

/// What a diagnosis found.
#[derive(Serialize)]
pub struct Explained<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    causes: Option<Vec<Cause<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passing: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternate: Option<Alternate<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    projection: Option<Projection<'a>>,
    /// Further ones, each with its projection.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternates: Vec<Further<'a>>,
}

#[derive(Serialize)]
struct Cause<'a> {
    orders: Vec<Order<'a>>,
    minimal: bool,
    candidates: usize,
}

#[derive(Serialize)]
struct Order<'a> {
    before: JsonEvent<'a>,
    after: JsonEvent<'a>,
    reason: &'static str,
}

#[derive(Serialize)]
struct Alternate<'a> {
    method: &'static str,
    pairs_tried: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    optimal: Option<bool>,
    other_paths: bool,
    events: Vec<JsonEvent<'a>>,
    replayed: bool,
    outcome: &'static str,
}

#[derive(Serialize)]
struct Further<'a> {
    alternate: Alternate<'a>,
    projection: Projection<'a>,
}

#[derive(Serialize)]
struct Projection<'a> {
    operations: Vec<Operation<'a>>,
    dataflow: Vec<Dataflow<'a>>,
    reordered: Vec<Reordered<'a>>,
    atomic: Vec<Atomic<'a>>,
    /// What those who wait for a signal looked at last, and who changed it.
    overlooked: Vec<JsonEvent<'a>>,
    metrics: Metrics,
}

#[derive(Serialize)]
struct Operation<'a> {
    #[serde(flatten)]
    event: JsonEvent<'a>,
    #[serde(rename = "in")]
    presence: &'static str,
}

#[derive(Serialize)]
struct Dataflow<'a> {
    /// Without one it is the initial value.
    #[serde(skip_serializing_if = "Option::is_none")]
    write: Option<JsonEvent<'a>>,
    read: JsonEvent<'a>,
    #[serde(rename = "in")]
    presence: &'static str,
}

/// In this order in the failing execution.
#[derive(Serialize)]
struct Reordered<'a> {
    before: JsonEvent<'a>,
    after: JsonEvent<'a>,
}

#[derive(Serialize)]
struct Atomic<'a> {
    first: JsonEvent<'a>,
    last: JsonEvent<'a>,
    interrupted_by: Vec<JsonEvent<'a>>,
}

#[derive(Serialize)]
struct Metrics {
    operations: usize,
    operations_to_understand: usize,
    /// Reads left out that the failure does not depend on.
    aside: usize,
    dsp_events: usize,
    dataflow_variations: usize,
    broken_segments: usize,
    context_switch_variations: usize,
    /// Of the failing schedule.
    events: usize,
    dataflows: usize,
}

#[derive(Serialize)]
struct Bounds<'a> {
    complete: bool,
    memory_model: &'static str,
    runs: usize,
    incomplete_runs: usize,
    paths: usize,
    attempts: Vec<JsonAttempt<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

#[derive(Serialize)]
struct JsonAttempt<'a> {
    subject: &'a str,
    how: &'static str,
    extent: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    orders: Option<u64>,
    answer: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct At<'a> {
    file: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct Failure<'a> {
    kind: &'static str,
    thread: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
    condition: &'a str,
    values: Vec<Read<'a>>,
}

#[derive(Serialize)]
struct Read<'a> {
    object: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
struct Failing<'a> {
    run: &'a str,
    paths: Vec<JsonPath<'a>>,
    extent: &'static str,
    events: Vec<JsonEvent<'a>>,
    /// Ids of the events that the failing condition depends on.
    relevant: &'a [usize],
    inputs: [(); 0],
    context_switches: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_switches_before: Option<usize>,
    replayed: bool,
    replays: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonPath<'a> {
    thread: String,
    file: &'a str,
    synthesised: bool,
}

#[derive(Serialize)]
struct JsonEvent<'a> {
    id: usize,
    thread: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    object: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
}

#[derive(Serialize)]
struct Stats {
    threads: usize,
    events: usize,
    shared_accesses: usize,
    clauses: u64,
    variables: u64,
    conflicts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
    seconds: Seconds,
}

#[derive(Serialize)]
struct Seconds {
    import: f64,
    simulate: f64,
    encode: f64,
    solve: f64,
    diagnose: f64,
    total: f64,
}

/// As every report that explains something has it.
pub fn explained(explanation: Option<&Explanation>) -> Explained<'_> {
    let first = explanation.and_then(|explanation| explanation.alternates.first().map(|first| (explanation, first)));
    Explained {
        causes: explanation.map(causes),
        passing: explanation.and_then(passing),
        alternate: first.map(|(explanation, first)| alternate(explanation, first)),
        projection: first.map(|(_, first)| projection(first)),
        alternates: further(explanation),
    }
}

fn document(report: &TraceReport) -> Document<'_> {
    let finding = report.finding.as_ref();
    let schedule = finding.and_then(|finding| finding.schedule.as_ref());
    let bounds = &report.bounds;
    let explanation = finding.and_then(|finding| finding.explanation.as_ref());
    Document {
        schema: 1,
        tool: "heddle",
        version: env!("CARGO_PKG_VERSION"),
        command: report.command,
        traces: &report.traces,
        verdict: report.verdict.name(),
        bounds: Bounds {
            complete: bounds.complete,
            memory_model: "sc",
            runs: bounds.runs,
            incomplete_runs: bounds.incomplete_runs,
            paths: bounds.paths,
            attempts: bounds.attempts.iter().map(attempt).collect(),
            stopped: bounds.stopped.map(Stopped::in_words),
        },
        exhausted: Exhausted::of_traces(report),
        failure: finding.map(failure),
        failing: finding.map(failing),
        schedule: schedule.map(|(file, _)| file.as_str()),
        replay: schedule.map(|(_, command)| command.as_str()),
        explanation_missing: finding.and_then(|finding| finding.explanation_missing.as_deref()),
        explained: explained(explanation),
        stats: stats(&report.stats),
    }
}

fn stats(stats: &TraceStats) -> Stats {
    let solver = stats.solver.unwrap_or_default();
    let seconds = &stats.seconds;
    Stats {
        threads: stats.threads,
        events: stats.events,
        shared_accesses: stats.shared_accesses,
        clauses: solver.clauses,
        variables: solver.variables,
        conflicts: solver.conflicts,
        peak_bytes: stats.peak_bytes,
        seconds: Seconds {
            import: milliseconds(seconds.import),
            simulate: milliseconds(seconds.simulate),
            encode: milliseconds(seconds.encode),
            solve: milliseconds(seconds.solve),
            diagnose: milliseconds(seconds.diagnose),
            total: milliseconds(seconds.total),
        },
    }
}

/// Seconds with three digits: more would be noise.
pub(super) fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

fn subject(subject: &Subject) -> &str {
    match subject {
        Subject::Run(id) => id,
        Subject::Merged => "merged",
    }
}

fn extent(extent: Extent) -> &'static str {
    match extent {
        Extent::Prefix => "prefix",
        Extent::Whole => "whole",
    }
}

fn attempt(attempt: &Attempt) -> JsonAttempt<'_> {
    JsonAttempt {
        subject: subject(&attempt.subject),
        how: if attempt.simulated.is_some() { "simulation" } else { "solver" },
        extent: extent(attempt.extent),
        orders: attempt.simulated,
        answer: match attempt.answer {
            Answer::Fails => "fails",
            Answer::NothingFound => "nothing-found",
            Answer::Impossible => "impossible",
            Answer::Unknown => "unknown",
        },
        seconds: milliseconds(attempt.seconds),
    }
}

fn at(place: &Place) -> At<'_> {
    At { file: &place.file, line: place.line }
}

fn failure(finding: &TraceFinding) -> Failure<'_> {
    Failure {
        kind: "assertion",
        thread: finding.thread.to_string(),
        at: finding.at.as_ref().map(at),
        condition: &finding.condition,
        values: finding.values.iter().map(|(object, value)| Read { object, value }).collect(),
    }
}

fn failing(finding: &TraceFinding) -> Failing<'_> {
    let (found, seed, mode) = match &finding.how {
        How::Simulation { seed, .. } => (Some("simulation"), Some(*seed), None),
        How::Solver { mode } => (Some("solver"), None, Some(mode.as_str())),
        How::Replay => (None, None, None),
    };
    Failing {
        run: subject(&finding.subject),
        paths: finding.paths.iter().map(path).collect(),
        extent: extent(finding.extent),
        events: finding.events.iter().map(event).collect(),
        relevant: &finding.relevant,
        inputs: [],
        context_switches: finding.context_switches,
        context_switches_before: finding.context_switches_before,
        replayed: finding.replayed > 0,
        replays: finding.replayed,
        found,
        seed,
        mode,
    }
}

/// An inevitable failure has a cause without orders; of one that was not found nothing is listed.
fn causes(explanation: &Explanation) -> Vec<Cause<'_>> {
    match &explanation.cause {
        CauseReport::Orders { orders, minimal, candidates } => {
            let orders = orders.iter().map(|order| Order {
                before: event(&order.before),
                after: event(&order.after),
                reason: order.reason,
            });
            vec![Cause { orders: orders.collect(), minimal: *minimal, candidates: *candidates }]
        }
        CauseReport::Inevitable => vec![Cause { orders: Vec::new(), minimal: true, candidates: 0 }],
        CauseReport::Chosen | CauseReport::Unknown => Vec::new(),
    }
}

/// Whether these paths can pass.
fn passing(explanation: &Explanation) -> Option<&'static str> {
    match explanation.escape {
        EscapeReport::Possible => Some("possible"),
        EscapeReport::Excluded => Some("excluded"),
        EscapeReport::Unknown => Some("unknown"),
        EscapeReport::NotAsked => None,
    }
}

fn alternate<'a>(explanation: &Explanation, alternate: &'a AlternateReport) -> Alternate<'a> {
    Alternate {
        method: alternate.method,
        pairs_tried: alternate.pairs_tried,
        optimal: alternate.optimal,
        other_paths: explanation.other_paths,
        events: alternate.events.iter().map(event).collect(),
        replayed: true,
        outcome: alternate.outcome,
    }
}

fn projection(alternate: &AlternateReport) -> Projection<'_> {
    let metrics = &alternate.metrics;
    Projection {
        operations: alternate
            .operations
            .iter()
            .map(|operation| Operation { event: event(&operation.event), presence: presence(operation.presence) })
            .collect(),
        dataflow: alternate.dataflow.iter().map(dataflow).collect(),
        reordered: alternate
            .reordered
            .iter()
            .map(|(one, other)| Reordered { before: event(one), after: event(other) })
            .collect(),
        atomic: alternate
            .atomic
            .iter()
            .map(|region| Atomic {
                first: event(&region.first),
                last: event(&region.last),
                interrupted_by: region.interrupted_by.iter().map(event).collect(),
            })
            .collect(),
        overlooked: alternate.overlooked.iter().map(event).collect(),
        metrics: Metrics {
            operations: metrics.operations,
            operations_to_understand: metrics.operations_to_understand,
            aside: alternate.aside,
            dsp_events: metrics.dsp_events,
            dataflow_variations: metrics.dataflow_variations,
            broken_segments: metrics.broken_segments,
            context_switch_variations: metrics.context_switch_variations,
            events: metrics.events,
            dataflows: metrics.dataflows,
        },
    }
}

fn further(explanation: Option<&Explanation>) -> Vec<Further<'_>> {
    let Some(explanation) = explanation else { return Vec::new() };
    let others = explanation.alternates.iter().skip(1);
    others.map(|other| Further { alternate: alternate(explanation, other), projection: projection(other) }).collect()
}

fn dataflow(flow: &FlowReport) -> Dataflow<'_> {
    Dataflow { write: flow.write.as_ref().map(event), read: event(&flow.read), presence: presence(flow.presence) }
}

fn presence(presence: Presence) -> &'static str {
    match presence {
        Presence::Failing => "failing",
        Presence::Alternate => "alternate",
        Presence::Both => "both",
    }
}

fn path(path: &PathFile) -> JsonPath<'_> {
    JsonPath { thread: path.thread.to_string(), file: &path.file, synthesised: path.synthesised }
}

fn event(event: &TraceEvent) -> JsonEvent<'_> {
    JsonEvent {
        id: event.id,
        thread: event.thread.to_string(),
        kind: event.kind,
        object: &event.object,
        value: &event.value,
        at: event.at.as_ref().map(at),
    }
}
