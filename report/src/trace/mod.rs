//! What `heddle explain` says about traces: the failing execution of an event graph with its terms resolved to names, what
//! was tried, and what it cost. `condition` writes terms, `flow` picks the events that matter, `explanation` tells the
//! cause and the execution that does not fail.

mod condition;
mod flow;
pub mod explanation;
mod lanes;
pub mod text;
mod because;
pub mod json;
pub(crate) mod work;
pub mod dot;

use std::collections::{BTreeSet, HashMap};

use events::{Access, Address, Effect, EventGraph, Execution, Extent, Kind, Label, Outcome, Place};
use run::ThreadName;

use crate::model::Verdict;
use crate::stopped::Stopped;
use condition::Names;
use explanation::Explanation;

/// The answer of `explain` about a folder of traces.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceReport {
    pub command: &'static str,
    /// The folder, as the user named it.
    pub traces: String,
    pub verdict: Verdict,
    pub bounds: TraceBounds,
    pub finding: Option<TraceFinding>,
    pub stats: TraceStats,
}

/// What was tried: a verdict says nothing beyond it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceBounds {
    /// Every order was excluded by the solver.
    pub complete: bool,
    /// Complete runs among the traces.
    pub runs: usize,
    /// Runs of which a thread is missing.
    pub incomplete_runs: usize,
    /// Stored paths of all threads.
    pub paths: usize,
    pub attempts: Vec<Attempt>,
    /// Why it ended before everything that was asked for was done.
    pub stopped: Option<Stopped>,
}

/// One question about one graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    pub subject: Subject,
    pub extent: Extent,
    /// Orders that were simulated; `None` where the solver was asked.
    pub simulated: Option<u64>,
    pub answer: Answer,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A run by its id, which is empty where the traces have none.
    Run(String),
    /// All stored paths of each thread.
    Merged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Fails,
    /// Simulation that found nothing.
    NothingFound,
    /// The solver excluded it.
    Impossible,
    Unknown,
}

/// How the failing execution was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    Simulation {
        /// How many orders were tried, this one included.
        orders: u64,
        seed: u64,
    },
    Solver {
        mode: String,
    },
    /// A schedule was given.
    Replay,
}

/// The file of a thread's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFile {
    pub thread: ThreadName,
    pub file: String,
    /// It was made by flipping branches of a run.
    pub synthesised: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// Its position in the execution.
    pub id: usize,
    pub thread: ThreadName,
    pub kind: &'static str,
    pub object: String,
    pub value: String,
    pub at: Option<Place>,
}

/// A failure with the execution that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFinding {
    pub thread: ThreadName,
    pub at: Option<Place>,
    pub condition: String,
    /// The condition's variables with the values that were read for them.
    pub values: Vec<(String, String)>,
    pub subject: Subject,
    pub extent: Extent,
    pub paths: Vec<PathFile>,
    pub events: Vec<TraceEvent>,
    /// Positions of the events that the failing condition depends on, ascending; the failing one is among them.
    pub relevant: Vec<usize>,
    /// What was written and lost: positions of writes that someone overwrote who had read before.
    pub lost: Vec<usize>,
    /// The position of the failing assertion.
    pub failed: usize,
    /// Names of what the relevant events touch.
    pub followed: Vec<String>,
    pub context_switches: usize,
    /// As it was found.
    pub context_switches_before: Option<usize>,
    pub how: How,
    pub replayed: u32,
    /// The schedule's file and the command that replays it.
    pub schedule: Option<(String, String)>,
    /// Why it fails, where that was asked.
    pub explanation: Option<Explanation>,
    /// In one sentence, why that is not told although it was asked.
    pub explanation_missing: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceStats {
    pub threads: usize,
    pub events: usize,
    pub shared_accesses: usize,
    /// Of the last question that the solver was asked; none where it was not.
    pub solver: Option<SolverStats>,
    pub peak_bytes: Option<u64>,
    pub seconds: TraceTiming,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverStats {
    pub variables: u64,
    pub clauses: u64,
    pub conflicts: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceTiming {
    pub import: f64,
    pub simulate: f64,
    pub encode: f64,
    pub solve: f64,
    pub diagnose: f64,
    pub total: f64,
}

/// What is known about a failing execution besides the execution.
#[derive(Clone, Debug)]
pub struct Circumstances {
    pub subject: Subject,
    pub extent: Extent,
    pub paths: Vec<PathFile>,
    pub context_switches_before: Option<usize>,
    pub how: How,
}

impl TraceFinding {
    /// `None` when no assertion failed. The outcome is that of replaying the execution on the graph; `texts` are the
    /// numbers that stand for strings.
    pub fn new(
        graph: &EventGraph,
        execution: &Execution,
        outcome: &Outcome,
        texts: &HashMap<u128, String>,
        circumstances: Circumstances,
    ) -> Option<TraceFinding> {
        let assertion = *outcome.failed.first()?;
        let names = Names::new(graph, texts);
        let failed = execution.steps.iter().position(|step| step.event == assertion)?;
        let mut events = Vec::with_capacity(execution.steps.len());
        for (id, (step, effect)) in execution.steps.iter().zip(&outcome.effects).enumerate() {
            events.push(event(graph, &names, id, graph.events.get(step.event.index())?, effect)?);
        }
        let flow = flow::flow(graph, execution, &outcome.effects, failed);
        let followed: BTreeSet<&String> = flow.relevant.iter().map(|&position| &events[position].object).collect();
        let followed = followed.into_iter().filter(|name| !name.is_empty()).cloned().collect();
        let Kind::Assert { condition } = graph.events[assertion.index()].kind else { return None };
        let values = flow.read.iter().map(|&position| (&events[position].object, &events[position].value));
        Some(TraceFinding {
            thread: events[failed].thread.clone(),
            at: events[failed].at.clone(),
            condition: names.condition(condition),
            values: values.map(|(name, value)| (name.clone(), value.clone())).collect(),
            context_switches: context_switches(&events),
            followed,
            relevant: flow.relevant,
            lost: flow.lost,
            failed,
            events,
            subject: circumstances.subject,
            extent: circumstances.extent,
            paths: circumstances.paths,
            context_switches_before: circumstances.context_switches_before,
            how: circumstances.how,
            replayed: 0,
            schedule: None,
            explanation: None,
            explanation_missing: None,
        })
    }
}

/// How often the thread changes from one event to the next.
pub fn context_switches(events: &[TraceEvent]) -> usize {
    events.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// Accesses to what several threads touch.
pub fn shared_accesses(graph: &EventGraph) -> usize {
    let mut touched: HashMap<u128, BTreeSet<u32>> = HashMap::new();
    let accesses = || {
        graph.events.iter().filter_map(|event| match &event.kind {
            Kind::Access(access) => Some((graph.terms.as_bits(access.address.object)?, event.thread.0)),
            _ => None,
        })
    };
    for (object, thread) in accesses() {
        touched.entry(object).or_default().insert(thread);
    }
    accesses().filter(|(object, _)| touched[object].len() > 1).count()
}

/// An event as the graph has it, with what it did.
pub(crate) fn told(graph: &EventGraph, id: events::EventId, effect: &Effect) -> Option<TraceEvent> {
    let texts = HashMap::new();
    event(graph, &Names::new(graph, &texts), id.index(), graph.events.get(id.index())?, effect)
}

/// What the graph calls the object at an address, where that is certain.
pub(crate) fn object_name(graph: &EventGraph, address: &Address) -> Option<String> {
    let index = graph.terms.as_bits(address.object)?;
    Some(graph.objects.get(index as usize)?.name.clone())
}

fn event(
    graph: &EventGraph,
    names: &Names<'_>,
    id: usize,
    event: &events::Event,
    effect: &Effect,
) -> Option<TraceEvent> {
    let named = |address: &Address| object_name(graph, address).unwrap_or_default();
    let child = |child: &events::ThreadId| graph.threads.get(child.index()).map(|thread| thread.name.to_string());
    let (kind, object, value) = match &event.kind {
        Kind::Start => ("start", String::new(), String::new()),
        Kind::Exit => ("exit", String::new(), String::new()),
        Kind::Fork { child: forked } => ("fork", child(forked)?, String::new()),
        Kind::Join { child: joined } => ("join", child(joined)?, String::new()),
        Kind::Access(access) => (access_kind(access), named(&access.address), access_value(names, access, effect)),
        Kind::Lock { mutex, .. } => ("lock", named(mutex), String::new()),
        Kind::TryLock { mutex, .. } => {
            let taken = matches!(effect, Effect::Synchronised { .. });
            ("try-lock", named(mutex), taken.to_string())
        }
        Kind::Unlock { mutex, .. } => ("unlock", named(mutex), String::new()),
        Kind::Sleep { condition, .. } => ("wait", named(condition), String::new()),
        Kind::Wake { sleep, .. } => match &graph.events.get(sleep.index())?.kind {
            Kind::Sleep { condition, .. } => ("wake", named(condition), String::new()),
            _ => ("wake", String::new(), String::new()),
        },
        Kind::Signal { condition } => ("signal", named(condition), woken(effect)),
        Kind::Broadcast { condition } => ("broadcast", named(condition), woken(effect)),
        Kind::AtomicBegin => ("atomic-begin", String::new(), String::new()),
        Kind::AtomicEnd => ("atomic-end", String::new(), String::new()),
        Kind::Assume { condition } => ("branch", String::new(), names.condition(*condition)),
        Kind::Assert { condition } => ("assert", String::new(), names.condition(*condition)),
        Kind::Await { .. } => ("await", String::new(), String::new()),
        Kind::Cut => ("cut", String::new(), String::new()),
        Kind::End => ("end", String::new(), String::new()),
    };
    let thread = graph.threads.get(event.thread.index())?.name.clone();
    Some(TraceEvent { id, thread, kind, object, value, at: event.place.clone() })
}

fn access_kind(access: &Access) -> &'static str {
    match access.label {
        Label::Read => "read",
        Label::Write => "write",
        Label::Rmw => "rmw",
        Label::SemWait => "sem-wait",
        Label::SemTryWait => "sem-try-wait",
        Label::SemPost => "sem-post",
        Label::ReadLock => "read-lock",
        Label::TryReadLock => "try-read-lock",
        Label::WriteLock => "write-lock",
        Label::TryWriteLock => "try-write-lock",
        Label::RwUnlock => "rw-unlock",
        Label::BarrierArrive => "barrier-arrive",
        Label::BarrierLeave => "barrier-leave",
        Label::Once => "once",
        Label::Spin => "spin",
    }
}

fn access_value(names: &Names<'_>, access: &Access, effect: &Effect) -> String {
    let Effect::Accessed { read, written, .. } = *effect else { return String::new() };
    written.or(read).map_or(String::new(), |word| names.value(access.bytes, word))
}

/// How many a signal or broadcast woke.
fn woken(effect: &Effect) -> String {
    match effect {
        Effect::Notified { woken, .. } => woken.to_string(),
        _ => String::new(),
    }
}
