//! The explanation as a graph for Graphviz: the failing execution above the one that passes, a column for each thread, and
//! data flows as arrows.

use std::fmt::Write;

use super::explanation::{AlternateReport, Explanation, LaneRow, Source};
use super::text::{deed, short};
use super::{TraceFinding, TraceReport};

const BEGIN: &str = "digraph heddle {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\"];\n";

/// Both executions of an explanation, if it has another than the failing one.
pub fn render_explanation(explanation: &Explanation) -> Option<String> {
    let AlternateReport { failing_rows, passing_rows, .. } = explanation.alternates.first()?;
    let mut text = BEGIN.to_owned();
    execution(&mut text, "failing", "it fails", "red", failing_rows);
    execution(&mut text, "passing", "it does not fail", "darkgreen", passing_rows);
    text.push_str("}\n");
    Some(text)
}

/// A graph, ending in an end of line; of a report without an alternate, the events that it shows.
pub fn render(report: &TraceReport) -> String {
    let finding = report.finding.as_ref();
    if let Some(graph) = finding.and_then(|finding| render_explanation(finding.explanation.as_ref()?)) {
        return graph;
    }
    let mut text = BEGIN.to_owned();
    if let Some(finding) = finding {
        execution(&mut text, "failing", "it fails", "red", &shown(finding));
    }
    text.push_str("}\n");
    text
}

fn shown(finding: &TraceFinding) -> Vec<LaneRow> {
    let row = |&position: &usize| LaneRow {
        event: finding.events[position].clone(),
        source: None,
        varies: false,
        judges: position == finding.failed,
    };
    finding.relevant.iter().map(row).collect()
}

fn execution(text: &mut String, name: &str, title: &str, colour: &str, rows: &[LaneRow]) {
    let node = |id: usize| format!("{name}{id}");
    let _ = writeln!(text, "  subgraph cluster_{name} {{\n    label=\"{title}\"; color={colour};");
    for row in rows {
        let (verb, what) = deed(&row.event);
        let place = row.event.at.as_ref().map_or(String::new(), short);
        let label = escaped(&format!("T{} {verb} {what}\n{place}", row.event.thread));
        let style = if row.judges { format!(", color={colour}, penwidth=2") } else { String::new() };
        let _ =
            writeln!(text, "    {} [label=\"{label}\", group=\"{}\"{style}];", node(row.event.id), row.event.thread);
    }
    // The order of what is shown; it is thin where the thread changes.
    for pair in rows.windows(2) {
        let style = if pair[0].event.thread == pair[1].event.thread { "solid" } else { "dotted" };
        let _ = writeln!(text, "    {} -> {} [style={style}];", node(pair[0].event.id), node(pair[1].event.id));
    }
    for row in rows {
        if let Some(Source::Write(write)) = &row.source
            && rows.iter().any(|other| other.event.id == write.id)
        {
            let width = if row.varies { 2 } else { 1 };
            let (from, to) = (node(write.id), node(row.event.id));
            let _ = writeln!(text, "    {from} -> {to} [color={colour}, constraint=false, penwidth={width}];");
        }
    }
    text.push_str("  }\n");
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
