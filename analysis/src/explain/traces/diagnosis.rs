//! Explains a failing execution of recorded paths. If the failing paths cannot pass and other paths are stored, all
//! stored paths are diagnosed together.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use diagnose::{Causes, DiagnoseError, Diagnosis, Escape, Replayed, Traces, Wishes, diagnose};
use events::{EventGraph, EventId, Kind};
use report::{Explanation, Told};

use crate::budget::Budget;
use crate::error::Error;
use crate::explain::{CONFLICTS, Part, Request};

/// The default time for each part: conflicts are slow in large traces.
const PATIENCE: Duration = Duration::from_secs(20);

/// A failing execution of all stored paths together.
pub struct Merged {
    pub graph: EventGraph,
    pub failing: Replayed,
    /// By event: the same event on the straight paths of the execution.
    pub events: HashMap<EventId, EventId>,
}

/// The budget of each part of a diagnosis.
fn budget(request: &Request, budget: &Budget) -> solve::Budget {
    let conflicts = Some(request.conflicts.unwrap_or(CONFLICTS));
    // The time is that of each part, the deadline that of all.
    solve::Budget { time: budget.part(PATIENCE).left(), ..budget.of_solver(conflicts) }
}

pub fn explanation(
    request: &Request,
    budget: &Budget,
    graph: &EventGraph,
    failing: &Replayed,
    texts: &HashMap<u128, String>,
    merged: Option<Merged>,
) -> Result<Explanation, Error> {
    let started = Instant::now();
    let positions = failing.positions();
    let next = failing.execution.steps.len();
    let diagnosis = ask(request, budget, graph, failing, true)?;
    if let Some(merged) = merged.filter(|_| is_inevitable(&diagnosis)) {
        let other = ask(request, budget, &merged.graph, &merged.failing, false)?;
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

fn ask(
    request: &Request,
    budget: &Budget,
    graph: &EventGraph,
    failing: &Replayed,
    fixed_inputs: bool,
) -> Result<Diagnosis, Error> {
    let wishes = Wishes {
        alternate: Some(request.method()).filter(|_| request.only != Some(Part::Cause)),
        all: request.all_alternates,
        fixed_inputs,
        long: diagnose::Long::default(),
        budget: self::budget(request, budget),
    };
    diagnose(&Traces(graph), failing, &wishes).map_err(|error| match error {
        DiagnoseError::Encode(error) => Error::NotEncoded(error.to_string()),
        error => Error::bug(error),
    })
}

impl Merged {
    /// The numbers that stand for strings in the merged graph; they differ from those of the straight paths.
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
