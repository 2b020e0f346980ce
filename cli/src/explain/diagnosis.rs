//! From a failing execution of recorded paths to its explanation. If the paths that failed cannot pass, and others are
//! stored, the question is asked again of all of them together.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use diagnose::{Causes, DiagnoseError, Diagnosis, Escape, Method, Replayed, Traces, Wishes, diagnose};
use events::{EventGraph, EventId, Kind};
use report::{Explanation, Told};

use crate::args::{AlternateMethod, ExplainArgs, Part};
use crate::budget::Budget;
use crate::exit::Problem;

/// Of one question, where the user says nothing. It bounds the time and does not depend on the machine.
pub const CONFLICTS: u64 = 50_000;

/// Of each part, where the user says nothing: in large traces conflicts are slow.
const PATIENCE: Duration = Duration::from_secs(20);

/// A failing execution of all stored paths together.
pub struct Merged {
    pub graph: EventGraph,
    pub failing: Replayed,
    /// By event, the same one of the straight paths that it takes.
    pub events: HashMap<EventId, EventId>,
}

/// What the parts of a diagnosis may cost.
fn budget(args: &ExplainArgs, budget: &Budget) -> solve::Budget {
    let conflicts = Some(args.conflicts.unwrap_or(CONFLICTS));
    // Time is of each part, the deadline of all.
    solve::Budget { time: budget.part(PATIENCE).left(), ..budget.of_solver(conflicts) }
}

pub fn explanation(
    args: &ExplainArgs,
    budget: &Budget,
    graph: &EventGraph,
    failing: &Replayed,
    texts: &HashMap<u128, String>,
    merged: Option<Merged>,
) -> anyhow::Result<Explanation> {
    let started = Instant::now();
    let positions = failing.positions();
    let next = failing.execution.steps.len();
    let diagnosis = ask(args, budget, graph, failing, true)?;
    if let Some(merged) = merged.filter(|_| is_inevitable(&diagnosis)) {
        let other = ask(args, budget, &merged.graph, &merged.failing, false)?;
        if !is_inevitable(&other) {
            let texts = merged.texts(graph, texts);
            let located = |(&event, straight)| Some((event, *positions.get(straight)?));
            let ids: HashMap<EventId, usize> = merged.events.iter().filter_map(located).collect();
            let told = Told { failing: &merged.failing, diagnosis: &other, ids, next, texts: &texts, speech: None };
            return Ok(Explanation::new(told, true, started.elapsed().as_secs_f64()));
        }
    }
    let told = Told { failing, diagnosis: &diagnosis, ids: positions, next, texts, speech: None };
    Ok(Explanation::new(told, false, started.elapsed().as_secs_f64()))
}

fn is_inevitable(diagnosis: &Diagnosis) -> bool {
    diagnosis.escape == Escape::Excluded || matches!(&diagnosis.causes, Causes::Found(cause) if cause.orders.is_empty())
}

/// How the order that does not fail is looked for.
pub fn method(args: &ExplainArgs) -> Method {
    match args.alternate {
        _ if args.all_alternates => Method::Pair,
        AlternateMethod::Pair => Method::Pair,
        AlternateMethod::Optimal => Method::Optimal,
        AlternateMethod::Lexicographic => Method::Lexicographic,
        AlternateMethod::Progressive => Method::Progressive,
    }
}

fn ask(
    args: &ExplainArgs,
    budget: &Budget,
    graph: &EventGraph,
    failing: &Replayed,
    fixed_inputs: bool,
) -> anyhow::Result<Diagnosis> {
    let wishes = Wishes {
        alternate: Some(method(args)).filter(|_| args.only != Some(Part::Cause)),
        all: args.all_alternates,
        fixed_inputs,
        budget: self::budget(args, budget),
    };
    diagnose(&Traces(graph), failing, &wishes).map_err(|error| match error {
        DiagnoseError::Encode(error) => Problem::error(error.to_string(), "--only schedule needs no diagnosis"),
        error => Problem::bug(error.to_string()),
    })
}

impl Merged {
    /// The numbers that stand for strings here, which are others than on the straight paths.
    fn texts(&self, straight: &EventGraph, texts: &HashMap<u128, String>) -> HashMap<u128, String> {
        let written = |graph: &EventGraph, event: EventId| match &graph.events[event.index()].kind {
            Kind::Access(access) => access.new.and_then(|new| graph.terms.as_bits(new)),
            _ => None,
        };
        let text = |(&event, &twin): (&EventId, &EventId)| {
            Some((written(&self.graph, event)?, texts.get(&written(straight, twin)?)?.clone()))
        };
        self.events.iter().filter_map(text).collect()
    }
}
