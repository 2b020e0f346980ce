//! The explanation as a graph for Graphviz: the failing execution above the passing one, a column for each thread, and
//! data flows as arrows.

use std::fmt::Write;

use crate::model::{Event, Finding, LaneRow, Report, Source, Target, Traced};
use crate::words::{Manner, place_of};

const BEGIN: &str = "digraph heddle {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\"];\n";

/// A graph, with a final newline: both executions of an explanation, or else the events of stored paths that a report
/// shows. `None` for a program without a passing execution.
pub fn render(report: &Report) -> Option<String> {
    let finding = report.finding.as_ref();
    let traced = finding.and_then(|finding| Some((finding, finding.traced.as_ref()?)));
    let mut text = BEGIN.to_owned();
    match (finding.and_then(Finding::alternate), traced) {
        (Some(alternate), _) => {
            execution(&mut text, "failing", "it fails", "red", &alternate.failing_rows);
            execution(&mut text, "passing", "it does not fail", "darkgreen", &alternate.passing_rows);
        }
        (None, Some((finding, traced))) => execution(&mut text, "failing", "it fails", "red", &shown(finding, traced)),
        (None, None) if matches!(report.target, Target::Traces { .. }) => {}
        (None, None) => return None,
    }
    text.push_str("}\n");
    Some(text)
}

fn shown(finding: &Finding, traced: &Traced) -> Vec<LaneRow> {
    let row = |&position: &usize| LaneRow {
        event: finding.events[position].clone(),
        source: None,
        varies: false,
        judges: position == traced.failed,
    };
    traced.relevant.iter().map(row).collect()
}

fn execution(text: &mut String, name: &str, title: &str, colour: &str, rows: &[LaneRow]) {
    let node = |event: &Event| format!("{name}{}", event.id.unwrap_or_default());
    let _ = writeln!(text, "  subgraph cluster_{name} {{\n    label=\"{title}\"; color={colour};");
    for row in rows {
        let thread = row.event.thread();
        let (verb, what) = Manner::Graph.deed(&row.event);
        let label = escaped(&format!("T{thread} {verb} {what}\n{}", place_of(&row.event)));
        let style = if row.judges { format!(", color={colour}, penwidth=2") } else { String::new() };
        let _ = writeln!(text, "    {} [label=\"{label}\", group=\"{thread}\"{style}];", node(&row.event));
    }
    // The order of the rows; dotted where the thread changes.
    for pair in rows.windows(2) {
        let style = if pair[0].event.thread() == pair[1].event.thread() { "solid" } else { "dotted" };
        let _ = writeln!(text, "    {} -> {} [style={style}];", node(&pair[0].event), node(&pair[1].event));
    }
    for row in rows {
        if let Some(Source::Write(write)) = &row.source
            && rows.iter().any(|other| other.event.id == write.id)
        {
            let width = if row.varies { 2 } else { 1 };
            let (from, to) = (node(write), node(&row.event));
            let _ = writeln!(text, "    {from} -> {to} [color={colour}, constraint=false, penwidth={width}];");
        }
    }
    text.push_str("  }\n");
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
