//! The report for programs: schema 1. Fields may be added and are never renamed; what does not apply is left out.

use serde::Serialize;
use serde_json::Value;

use crate::caveats::{self, JsonBeyondSc, assumed};
use crate::checked::json as checked;
use crate::model::{Event, Finding, Found, Input, Place, RunReport, Search, Stuck, Where};
use crate::stopped::{Exhausted, Stopped};
use crate::trace::json::{Explained, explained};
use crate::trace::work;

/// A failing run can be millions of events long; these are its last ones.
const EVENTS: usize = 100_000;

/// One JSON document, ending in an end of line.
pub fn render(report: &RunReport) -> String {
    pretty(&document(report))
}

/// A document as text, ending in an end of line.
pub(crate) fn pretty<T: Serialize>(document: &T) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_else(|error| {
        // Every value here is a string, a number or a list of them: there is nothing that JSON cannot hold.
        unreachable!("a report is always representable: {error}")
    });
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    command: &'static str,
    program: &'a str,
    verdict: &'static str,
    bounds: Bounds<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exhausted: Option<Exhausted>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsupported: Vec<Unsupported<'a>>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    causes: Option<Vec<checked::JsonCause<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<FailureCount<'a>>,
    /// Failures of kinds that were not asked for, and ended runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unasked: Vec<FailureCount<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<&'static str>,
    stats: Stats,
}

#[derive(Serialize)]
struct Bounds<'a> {
    complete: bool,
    #[serde(flatten)]
    checked: checked::JsonBounds<'a>,
    executions: u64,
    memory_model: &'static str,
    #[serde(flatten)]
    beyond_sc: JsonBeyondSc<'a>,
    strategy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<[u64; 2]>,
    /// Of the executions, those of an exploration beside runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    explored: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preemptions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<CutJson<'a>>,
    steps: u64,
    executions_cut: u64,
    executions_excluded: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

/// In words, or what a bound cut.
#[derive(Serialize)]
#[serde(untagged)]
enum CutJson<'a> {
    Words(&'a str),
    Place(checked::JsonCut<'a>),
}

#[derive(Serialize)]
struct Unsupported<'a> {
    what: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'a str>,
    reached: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<At<'a>>,
}

#[derive(Serialize)]
pub(crate) struct At<'a> {
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

#[derive(Serialize)]
struct Failure<'a> {
    kind: &'static str,
    thread: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'a str>,
    condition: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<Wait<'a>>,
    stack: Vec<StackFrame<'a>>,
}

#[derive(Serialize)]
struct StackFrame<'a> {
    function: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
    library: bool,
}

#[derive(Serialize)]
struct Related<'a> {
    what: &'a str,
    thread: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
}

#[derive(Serialize)]
struct Wait<'a> {
    thread: String,
    on: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    object: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
    held_by: Vec<String>,
    /// Whether it is part of the circle, or only waits for one that is.
    in_cycle: bool,
}

#[derive(Serialize)]
struct Failing<'a> {
    #[serde(skip_serializing_if = "is_zero")]
    events_left_out: usize,
    events: Vec<JsonEvent<'a>>,
    inputs: Vec<Value>,
    context_switches: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_switches_before: Option<usize>,
    replayed: bool,
    replays: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

#[derive(Serialize)]
pub(crate) struct JsonEvent<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<usize>,
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
struct FailureCount<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
    condition: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    executions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<&'a str>,
}

#[derive(Serialize)]
struct Stats {
    #[serde(skip_serializing_if = "is_zero")]
    threads: usize,
    events: usize,
    executions: u64,
    steps: u64,
    #[serde(flatten)]
    checked: checked::JsonStats,
    #[serde(flatten)]
    explained: Option<work::JsonSize>,
    seconds: Seconds,
}

#[derive(Serialize)]
struct Seconds {
    frontend: f64,
    /// Of what is not told in detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<f64>,
    #[serde(flatten)]
    checked: Option<checked::JsonSeconds>,
    #[serde(flatten)]
    explained: Option<work::JsonSeconds>,
    total: f64,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn document(report: &RunReport) -> Document<'_> {
    let finding = report.finding.as_ref();
    let work = finding.and_then(|finding| finding.explanation.as_ref()?.work);
    Document {
        schema: 1,
        tool: "heddle",
        version: env!("CARGO_PKG_VERSION"),
        command: report.command,
        program: &report.program,
        verdict: report.verdict.name(),
        bounds: bounds(report),
        exhausted: Exhausted::of_run(report),
        unsupported: report.unsupported.iter().map(unsupported).collect(),
        failure: finding.map(failure),
        failing: finding.map(failing),
        schedule: finding.and_then(|finding| finding.schedule.as_ref()).map(|(file, _)| file.as_str()),
        replay: finding.and_then(|finding| finding.schedule.as_ref()).map(|(_, command)| command.as_str()),
        explanation_missing: finding.and_then(|finding| finding.explanation_missing.as_deref()),
        explained: explained(finding.and_then(|finding| finding.explanation.as_ref())),
        causes: report.checked.as_ref().filter(|_| finding.is_some()).map(checked::causes),
        failures: report.counts.iter().map(failure_count).collect(),
        unasked: report.caveats.unasked.iter().map(failure_count).collect(),
        assumptions: assumed(&report.caveats),
        stats: Stats {
            threads: report.stats.threads,
            events: report.stats.events,
            executions: report.bounds.executions,
            steps: report.stats.steps,
            checked: report.checked.as_ref().map(checked::stats).unwrap_or_default(),
            explained: work.map(work::size),
            seconds: Seconds {
                frontend: milliseconds(report.stats.seconds.frontend),
                search: report.checked.is_none().then(|| milliseconds(report.stats.seconds.search)),
                checked: report.checked.as_ref().map(checked::seconds),
                explained: work.map(work::seconds),
                total: milliseconds(report.stats.seconds.total),
            },
        },
    }
}

fn failure_count(count: &crate::model::FailureCount) -> FailureCount<'_> {
    FailureCount {
        kind: count.kind.name(),
        at: count.at.as_ref().map(at),
        condition: &count.condition,
        executions: count.runs,
        first_seed: count.first_seed,
        schedule: count.schedule.as_deref(),
    }
}

/// Seconds with three digits: more would be noise.
pub(crate) fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

fn bounds(report: &RunReport) -> Bounds<'_> {
    let bounds = &report.bounds;
    let words = bounds.left_out.iter().map(|words| CutJson::Words(words));
    let places = report.checked.iter().flat_map(checked::cuts).map(CutJson::Place);
    Bounds {
        complete: bounds.complete,
        checked: report.checked.as_ref().map(|checked| checked::bounds(&report.caveats, checked)).unwrap_or_default(),
        executions: bounds.executions,
        memory_model: "sc",
        beyond_sc: caveats::json(&report.caveats),
        strategy: bounds.search.name(),
        depth: match bounds.search {
            Search::Pct { depth } => Some(depth),
            _ => None,
        },
        explored: match bounds.search {
            Search::Portfolio { explored } if explored > 0 => Some(explored),
            _ => None,
        },
        preemptions: match bounds.search {
            Search::Exhaustive { preemptions, .. } => preemptions,
            _ => None,
        },
        states: bounds.states,
        cut: words.chain(places).collect(),
        seeds: bounds.seeds.map(|seeds| [seeds.first, seeds.last]),
        steps: bounds.step_limit,
        executions_cut: bounds.cut,
        executions_excluded: bounds.excluded,
        stopped: bounds.stopped.map(Stopped::in_words),
    }
}

pub(crate) fn at(place: &Place) -> At<'_> {
    At { file: &place.file, line: place.line, column: (place.column != 0).then_some(place.column) }
}

fn at_of(site: &Where) -> Option<At<'_>> {
    site.place().map(at)
}

fn unsupported(unsupported: &crate::model::Unsupported) -> Unsupported<'_> {
    Unsupported {
        what: &unsupported.what,
        at: unsupported.at.as_ref().map(at),
        function: unsupported.function.as_deref(),
        reached: unsupported.reached,
        elsewhere: unsupported.elsewhere.iter().map(at).collect(),
    }
}

fn failure(finding: &Finding) -> Failure<'_> {
    let named = || {
        let (file, line) = finding.asserted_at.as_ref()?;
        Some(At { file, line: *line, column: None })
    };
    let circle = finding.cycle_length();
    Failure {
        kind: finding.kind.name(),
        thread: finding.at.thread.to_string(),
        at: at_of(&finding.at).or_else(named),
        function: finding.at.function(),
        condition: &finding.condition,
        related: finding
            .related
            .iter()
            .map(|(what, site)| Related { what, thread: site.thread.to_string(), at: at_of(site) })
            .collect(),
        cycle: finding.stuck.iter().enumerate().map(|(position, stuck)| wait(stuck, position < circle)).collect(),
        stack: finding
            .at
            .stack
            .iter()
            .map(|frame| StackFrame {
                function: &frame.function,
                at: frame.place.as_ref().map(at),
                library: frame.origin != ir::Origin::User,
            })
            .collect(),
    }
}

fn wait(stuck: &Stuck, in_cycle: bool) -> Wait<'_> {
    Wait {
        thread: stuck.at.thread.to_string(),
        on: stuck.on,
        object: &stuck.object,
        at: at_of(&stuck.at),
        held_by: stuck.held_by.iter().map(ToString::to_string).collect(),
        in_cycle,
    }
}

fn failing(finding: &Finding) -> Failing<'_> {
    let left_out = finding.events.len().saturating_sub(EVENTS);
    Failing {
        events_left_out: left_out,
        events: finding.events[left_out..].iter().map(event).collect(),
        inputs: finding.inputs.iter().map(input).collect(),
        context_switches: finding.context_switches,
        context_switches_before: finding.context_switches_before,
        replayed: finding.replayed > 0,
        replays: finding.replayed,
        found: finding.found.as_ref().map(|found| match found {
            Found::Undisturbed => "undisturbed",
            Found::Seed(_) => "seed",
            Found::Exploration => "exploration",
            Found::Recorded => "recorded",
            Found::Bounded => "bounded",
        }),
        seed: match finding.found {
            Some(Found::Seed(seed)) => Some(seed),
            Some(Found::Undisturbed | Found::Exploration | Found::Recorded | Found::Bounded) | None => None,
        },
    }
}

pub(crate) fn event(event: &Event) -> JsonEvent<'_> {
    JsonEvent {
        id: Some(event.id),
        thread: event.thread.to_string(),
        kind: event.kind,
        object: &event.object,
        value: &event.value,
        at: event.at.user_place().map(at),
    }
}

/// Input that is longer is not repeated.
const STDIN_SHOWN: usize = 1024;

fn input(input: &Input) -> Value {
    match input {
        Input::Argument(bytes) => match std::str::from_utf8(bytes) {
            Ok(value) => serde_json::json!({"kind": "argument", "value": value}),
            Err(_) => serde_json::json!({"kind": "argument", "escaped": bytes.escape_ascii().to_string()}),
        },
        Input::Variable { name, value } => serde_json::json!({"kind": "variable", "name": name, "value": value}),
        Input::Stdin(bytes) if bytes.len() > STDIN_SHOWN => {
            serde_json::json!({"kind": "stdin", "bytes": bytes.len()})
        }
        Input::Stdin(bytes) => {
            serde_json::json!({"kind": "stdin", "bytes": bytes.len(), "escaped": bytes.escape_ascii().to_string()})
        }
        Input::Choice { thread, step, value } => {
            serde_json::json!({"kind": "choice", "thread": thread.to_string(), "step": step, "value": value})
        }
    }
}
