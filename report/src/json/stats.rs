//! Sizes and costs in schema 1.

use serde::Serialize;

use super::milliseconds;
use crate::model::{self, Report, Target, Work};

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Stats {
    Program(Box<OfProgram>),
    Traces(OfTraces),
}

#[derive(Serialize)]
pub(super) struct OfProgram {
    #[serde(skip_serializing_if = "is_zero")]
    threads: usize,
    events: usize,
    executions: u64,
    steps: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order_constraints: Option<usize>,
    #[serde(flatten)]
    explained: Option<Size>,
    seconds: Seconds,
}

/// The size of an explanation.
#[derive(Serialize)]
struct Size {
    shared_variables: usize,
    shared_accesses: usize,
    constraints: usize,
    variables: u64,
    clauses: u64,
}

#[derive(Serialize)]
struct Seconds {
    frontend: f64,
    /// The search as a whole, where its parts are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<f64>,
    #[serde(flatten)]
    checked: Option<Checking>,
    #[serde(flatten)]
    explained: Option<Explaining>,
    total: f64,
}

#[derive(Serialize)]
struct Checking {
    symex: f64,
    solve: f64,
    diagnose: f64,
}

#[derive(Serialize)]
struct Explaining {
    symex: f64,
    reduce: f64,
    cause: f64,
    alternate: f64,
}

#[derive(Serialize)]
pub(super) struct OfTraces {
    threads: usize,
    events: usize,
    shared_accesses: usize,
    clauses: u64,
    variables: u64,
    conflicts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
    seconds: TraceSeconds,
}

#[derive(Serialize)]
struct TraceSeconds {
    import: f64,
    simulate: f64,
    encode: f64,
    solve: f64,
    diagnose: f64,
    total: f64,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

pub(super) fn stats(report: &Report) -> Stats {
    match &report.target {
        Target::Program { bounds, .. } => Stats::Program(Box::new(of_program(report, bounds))),
        Target::Traces { .. } => Stats::Traces(of_traces(&report.stats)),
    }
}

fn of_program(report: &Report, bounds: &model::Bounds) -> OfProgram {
    let model::Stats { threads, events, steps, seconds, .. } = &report.stats;
    let checked = report.checked.as_ref();
    let work = report.finding.as_ref().and_then(|finding| finding.explanation.as_ref()?.work);
    OfProgram {
        threads: *threads,
        events: *events,
        executions: bounds.executions,
        steps: *steps,
        iterations: checked.map(|checked| checked.iterations),
        order_constraints: checked.and_then(|checked| checked.order_constraints),
        explained: work.map(size),
        seconds: Seconds {
            frontend: milliseconds(seconds.frontend),
            search: checked.is_none().then(|| milliseconds(seconds.search)),
            checked: checked.map(|checked| Checking {
                symex: milliseconds(checked.seconds.symex),
                solve: milliseconds(checked.seconds.solve),
                diagnose: milliseconds(checked.seconds.diagnose),
            }),
            explained: work.map(explaining),
            total: milliseconds(seconds.total),
        },
    }
}

fn size(work: Work) -> Size {
    let Work { shared_variables, shared_accesses, constraints, variables, clauses, .. } = work;
    Size { shared_variables, shared_accesses, constraints, variables, clauses }
}

fn explaining(work: Work) -> Explaining {
    Explaining {
        symex: milliseconds(work.symex),
        reduce: milliseconds(work.reduce),
        cause: milliseconds(work.cause),
        alternate: milliseconds(work.alternate),
    }
}

fn of_traces(stats: &model::Stats) -> OfTraces {
    let solver = stats.solver.unwrap_or_default();
    let seconds = &stats.seconds;
    OfTraces {
        threads: stats.threads,
        events: stats.events,
        shared_accesses: stats.shared_accesses,
        clauses: solver.clauses,
        variables: solver.variables,
        conflicts: solver.conflicts,
        peak_bytes: stats.peak_bytes,
        seconds: TraceSeconds {
            import: milliseconds(seconds.import),
            simulate: milliseconds(seconds.simulate),
            encode: milliseconds(seconds.encode),
            solve: milliseconds(seconds.solve),
            diagnose: milliseconds(seconds.diagnose),
            total: milliseconds(seconds.total),
        },
    }
}
