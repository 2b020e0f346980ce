//! One program's line for each method.

use std::path::Path;
use std::time::{Duration, Instant};

use diagnose::{Causes, Diagnosis, Escape, Method, Traces, Wishes, context_switches, diagnose};
use solve::Budget;

use crate::corpus::{Failing, Program, reduced};
use crate::papers::Papers;

const METHODS: [Method; 4] = [Method::Pair, Method::Optimal, Method::Lexicographic, Method::Progressive];

/// Wall seconds that each part gets.
fn limit() -> u64 {
    std::env::var("HEDDLE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

pub fn heading() {
    println!(
        "| program | events | switches | s | cause | s | method | pairs | events in DSP | data flows | in DSP | to grok \
         | OP | DF | BS | CTX | s |"
    );
    println!("|---|---:|---:|---:|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
}

pub fn rows(program: &Program, root: &Path, papers: &Papers) {
    for failing in program.failing(root) {
        let before = context_switches(&failing.graph, &failing.found.execution);
        let started = Instant::now();
        let Some(replayed) = reduced(&failing.graph, &failing.found) else { continue };
        let reduction = seconds(started.elapsed());
        let after = context_switches(&failing.graph, &replayed.execution);
        let first = Failing { found: replayed, ..failing };
        let events = first.found.execution.steps.len();
        let ask = |alternate: Option<Method>| {
            let wishes = Wishes {
                alternate,
                all: false,
                fixed_inputs: !first.merged,
                long: diagnose::Long::default(),
                budget: Budget { time: Some(Duration::from_secs(limit())), ..Budget::default() },
            };
            let started = Instant::now();
            let found = diagnose(&Traces(&first.graph), &first.found, &wishes);
            (found, started.elapsed())
        };
        let (_, causing) = ask(None);
        for method in METHODS {
            let (diagnosis, whole) = ask(Some(method));
            let head = format!(
                "| {} | {events} / {} | {before} → {after} | {reduction}",
                first.name,
                papers.cortex.cell(program.cortex, "events_full"),
            );
            match diagnosis {
                Ok(diagnosis) => {
                    let cause = cause(&diagnosis);
                    let tail = alternate(program, papers, method, &diagnosis);
                    let rest = seconds(whole.saturating_sub(causing));
                    println!("{head} | {cause} | {} | {tail} | {rest} |", seconds(causing));
                }
                Err(error) => println!("{head} | {error} |"),
            }
        }
    }
}

fn cause(diagnosis: &Diagnosis) -> String {
    match &diagnosis.causes {
        Causes::Found(cause) if cause.orders.is_empty() => "inevitable on these paths".to_owned(),
        Causes::Found(cause) => {
            let word = if cause.is_minimal() { "minimal" } else { "kept at limit" };
            format!("{} of {}, {word}", cause.orders.len(), cause.candidates)
        }
        Causes::Chosen(_) => "what was chosen".to_owned(),
        Causes::Unknown(reason) => format!("{reason:?}"),
    }
}

fn alternate(program: &Program, papers: &Papers, method: Method, diagnosis: &Diagnosis) -> String {
    let Some((alternate, projection)) = diagnosis.alternates.first() else {
        let why = match &diagnosis.escape {
            Escape::Excluded => "excluded".to_owned(),
            other => format!("{other:?}"),
        };
        return format!("{}: {why} | {} | | | | | | | |", method.name(), diagnosis.pairs_tried);
    };
    let column = match method {
        Method::Optimal => "ms",
        Method::Lexicographic => "lx",
        Method::Progressive => "pl",
        _ => "heur",
    };
    let (cortex, symbiosis) = (
        |column: &str| papers.cortex.cell(program.cortex, column),
        |column: &str| papers.symbiosis.cell(program.symbiosis, column),
    );
    let either = |one: &str, other: &str| match program.cortex {
        Some(_) => cortex(one),
        None => symbiosis(other),
    };
    let theirs = |criterion: &str| papers.maxsmt.cell(program.maxsmt, &format!("{column}_{criterion}"));
    let metrics = &projection.metrics;
    let proven = match alternate.optimal {
        Some(true) => ", optimal",
        Some(false) => ", not proven",
        None => "",
    };
    format!(
        "{}{proven} | {} / {} | {} / {} | {} / {} | {} / {} | {} / {} | {} / {} | {} / {} | {} / {} | {} / {}",
        alternate.method.name(),
        alternate.pairs_tried,
        symbiosis("alt_pairs"),
        metrics.dsp_events,
        either("events_dpsp", "events_dsp"),
        metrics.dataflows,
        either("dataflows_full", "dataflows_fail"),
        projection.lost.len() + projection.gained.len(),
        either("dataflows_dpsp", "dataflows_dsp"),
        metrics.operations_to_understand,
        symbiosis("ops_to_grok"),
        metrics.operations,
        theirs("OP"),
        metrics.dataflow_variations,
        theirs("DF"),
        metrics.broken_segments,
        theirs("BS"),
        metrics.context_switch_variations,
        theirs("CTX"),
    )
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}
