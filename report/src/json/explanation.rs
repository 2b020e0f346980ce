//! The passing execution, and the differences, in schema 1.

use serde::Serialize;

use crate::model::{self, Dataflow, Escape, Event, Explanation, Operation, Region, Reordered};

/// The results of a diagnosis beside the cause.
#[derive(Default, Serialize)]
pub(super) struct Explained<'a> {
    /// Whether these paths can pass.
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
struct Alternate<'a> {
    method: &'static str,
    pairs_tried: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    optimal: Option<bool>,
    other_paths: bool,
    events: &'a [Event],
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
    operations: &'a [Operation],
    dataflow: &'a [Dataflow],
    reordered: &'a [Reordered],
    atomic: &'a [Region],
    /// The last reads of threads that wait for a signal, and the writes that changed those values.
    overlooked: &'a [Event],
    /// The reads whose values the failing condition names, whether they differ or not.
    failing_reads: &'a [Event],
    metrics: Metrics,
}

#[derive(Serialize)]
struct Metrics {
    operations: usize,
    operations_to_understand: usize,
    /// Omitted reads on which the failure does not depend.
    aside: usize,
    dsp_events: usize,
    dataflow_variations: usize,
    broken_segments: usize,
    context_switch_variations: usize,
    /// Of the failing schedule.
    events: usize,
    dataflows: usize,
}

pub(super) fn explained(explanation: &Explanation) -> Explained<'_> {
    let first = explanation.alternates.first();
    let others = explanation.alternates.iter().skip(1);
    Explained {
        passing: Some(explanation.escape).filter(|escape| *escape != Escape::NotAsked).map(Escape::name),
        alternate: first.map(|first| alternate(explanation, first)),
        projection: first.map(projection),
        alternates: others
            .map(|other| Further { alternate: alternate(explanation, other), projection: projection(other) })
            .collect(),
    }
}

fn alternate<'a>(explanation: &Explanation, alternate: &'a model::Alternate) -> Alternate<'a> {
    Alternate {
        method: alternate.method.name(),
        pairs_tried: alternate.pairs_tried,
        optimal: alternate.optimal,
        other_paths: explanation.other_paths,
        events: &alternate.events,
        replayed: true,
        outcome: alternate.outcome.name(),
    }
}

fn projection(alternate: &model::Alternate) -> Projection<'_> {
    let metrics = &alternate.metrics;
    Projection {
        operations: &alternate.operations,
        dataflow: &alternate.dataflow,
        reordered: &alternate.reordered,
        atomic: &alternate.atomic,
        overlooked: &alternate.overlooked,
        failing_reads: &alternate.failing_reads,
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
