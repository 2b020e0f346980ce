//! A failure and its execution in schema 1.

use events::Extent;
use serde::Serialize;
use serde_json::Value;

use crate::model::{Event, Finding, Found, Input, PathFile, Place, Stuck, Subject};

/// A failing run can have millions of events; these are the last ones.
const EVENTS: usize = 100_000;

/// Longer input is not repeated.
const STDIN_SHOWN: usize = 1024;

#[derive(Serialize)]
pub(super) struct Failure<'a> {
    kind: &'static str,
    thread: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'a str>,
    condition: &'a str,
    /// For stored paths: the values read for the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Read<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<Wait<'a>>,
    /// For a run of a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<StackFrame<'a>>>,
}

#[derive(Serialize)]
struct Read<'a> {
    object: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
struct StackFrame<'a> {
    function: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a Place>,
    library: bool,
}

#[derive(Serialize)]
struct Related<'a> {
    what: &'a str,
    thread: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a Place>,
}

#[derive(Serialize)]
struct Wait<'a> {
    thread: String,
    on: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    object: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a Place>,
    held_by: Vec<String>,
    /// Whether it is part of the cycle, or only waits for one that is.
    in_cycle: bool,
}

#[derive(Serialize)]
pub(super) struct Failing<'a> {
    #[serde(flatten)]
    paths: Option<Paths<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    events_left_out: usize,
    events: &'a [Event],
    /// Ids of the events that the failing condition depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    relevant: Option<&'a [usize]>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'a str>,
}

/// The stored paths that it takes.
#[derive(Serialize)]
struct Paths<'a> {
    run: &'a str,
    paths: Vec<JsonPath<'a>>,
    extent: &'static str,
}

#[derive(Serialize)]
struct JsonPath<'a> {
    thread: String,
    file: &'a str,
    synthesised: bool,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

pub(super) fn failure(finding: &Finding) -> Failure<'_> {
    let circle = finding.cycle_length();
    let frames = finding.at.stack.iter().map(|frame| StackFrame {
        function: &frame.function,
        at: frame.place.as_ref(),
        library: frame.origin != ir::Origin::User,
    });
    Failure {
        kind: finding.kind.name(),
        thread: finding.at.thread.to_string(),
        at: finding.place(),
        function: finding.at.function(),
        condition: &finding.condition,
        values: finding
            .traced
            .as_ref()
            .map(|traced| traced.values.iter().map(|(object, value)| Read { object, value }).collect()),
        related: finding
            .related
            .iter()
            .map(|(what, site)| Related { what, thread: site.thread.to_string(), at: site.place() })
            .collect(),
        cycle: finding.stuck.iter().enumerate().map(|(position, stuck)| wait(stuck, position < circle)).collect(),
        stack: finding.traced.is_none().then(|| frames.collect()),
    }
}

fn wait(stuck: &Stuck, in_cycle: bool) -> Wait<'_> {
    Wait {
        thread: stuck.at.thread.to_string(),
        on: stuck.on.name(),
        object: &stuck.object,
        at: stuck.at.place(),
        held_by: stuck.held_by.iter().map(ToString::to_string).collect(),
        in_cycle,
    }
}

pub(super) fn failing(finding: &Finding) -> Failing<'_> {
    let traced = finding.traced.as_ref();
    let most = if traced.is_some() { usize::MAX } else { EVENTS };
    let left_out = finding.events.len().saturating_sub(most);
    Failing {
        paths: traced.map(|traced| Paths {
            run: subject(&traced.subject),
            paths: traced.paths.iter().map(path).collect(),
            extent: extent(traced.extent),
        }),
        events_left_out: left_out,
        events: &finding.events[left_out..],
        relevant: traced.map(|traced| traced.relevant.as_slice()),
        inputs: finding.inputs.iter().map(input).collect(),
        context_switches: finding.context_switches,
        context_switches_before: finding.context_switches_before,
        replayed: finding.replayed > 0,
        replays: finding.replayed,
        found: finding.found.as_ref().map(Found::name),
        seed: finding.found.as_ref().and_then(Found::seed),
        mode: match &finding.found {
            Some(Found::Solver { mode }) => Some(mode),
            _ => None,
        },
    }
}

fn path(path: &PathFile) -> JsonPath<'_> {
    JsonPath { thread: path.thread.to_string(), file: &path.file, synthesised: path.synthesised }
}

pub(super) fn subject(subject: &Subject) -> &str {
    match subject {
        Subject::Run(id) => id,
        Subject::Merged => "merged",
    }
}

pub(super) fn extent(extent: Extent) -> &'static str {
    match extent {
        Extent::Prefix => "prefix",
        Extent::Whole => "whole",
    }
}

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
