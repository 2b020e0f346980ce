//! Read once: reads a shared value that a function reads several times into a local variable, and uses that.

use std::collections::{BTreeMap, BTreeSet};

use super::regions::node_at;
use super::{Candidate, Given, Kind};
use crate::code::{Code, is_cpp};
use crate::sources::Edit;
use crate::tree::NodeId;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let code = given.code;
    let mut functions: BTreeSet<NodeId> = BTreeSet::new();
    for one in given.facts.all().filter(|one| one.is_access() && one.concurrent) {
        let node = one.frames.first().and_then(|place| node_at(code, place));
        functions.extend(node.and_then(|node| code.tree.function_of(node)));
    }
    let conflicts: Vec<String> = given.facts.conflicts();
    let is_shared = |words: &str| {
        let last = words.rsplit(['.', '>']).next().unwrap_or(words);
        conflicts.iter().any(|family| family.rsplit(['.', '>']).next() == Some(last))
    };
    let mut all = Vec::new();
    for function in functions {
        let mut reads: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
        for id in code.tree.below(function) {
            let node = code.tree.node(id);
            let words = code.text(id).trim().to_owned();
            if matches!(node.kind.as_str(), "DeclRefExpr" | "MemberRefExpr")
                && is_shared(&words)
                && (node.kind == "MemberRefExpr"
                    || code.tree.declaration(&node.refers).is_some_and(|declared| code.tree.is_global(declared)))
                && (words.ends_with(&node.name) && !node.name.is_empty())
            {
                reads.entry(words).or_default().push(id);
            }
        }
        for (words, nodes) in reads {
            all.extend(read_once(code, function, &words, &nodes));
        }
    }
    all
}

fn read_once(code: &Code, function: NodeId, words: &str, nodes: &[NodeId]) -> Option<Candidate> {
    let mut nodes: Vec<NodeId> = nodes.to_vec();
    nodes.sort_by_key(|id| code.range(*id).start);
    nodes.dedup_by_key(|id| code.range(*id).start);
    let in_macro: Vec<&NodeId> = nodes.iter().filter(|id| code.tree.node(**id).in_macro).collect();
    if nodes.len() < 2 || nodes.iter().any(|id| is_written(code, *id)) {
        return None;
    }
    let stretch = code.around(function, &nodes)?;
    let first = *code.statements(&stretch).first()?;
    let name = code.local_name(first, &format!("{}_seen", code.tree.node(nodes[0]).name.trim_matches('_')));
    let file = code.file(first);
    let of_type = if is_cpp(file) { "auto".to_owned() } else { plain(&code.tree.node(nodes[0]).type_name) };
    if of_type.contains(['[', '(']) || of_type.is_empty() {
        return None;
    }
    let space = if of_type.ends_with('*') { "" } else { " " };
    let mut edits = vec![code.before(first, &format!("{of_type}{space}{name} = {words};"))];
    for id in nodes.iter().filter(|id| !code.tree.node(**id).in_macro) {
        edits.push(Edit::replace(file, code.range(*id), name.clone()));
    }
    // An argument of a macro has the extent of the macro, so the words are searched in the macro's text.
    let mut macros: Vec<std::ops::Range<usize>> = in_macro.iter().map(|id| code.range(**id)).collect();
    macros.dedup();
    for range in macros {
        let text = &code.text_of_file(first)[range.clone()];
        for (at, _) in text.match_indices(words) {
            let start = range.start + at;
            edits.push(Edit::replace(file, start..start + words.len(), name.clone()));
        }
    }
    let what = format!("read `{words}` once, and use that value");
    Some(Candidate { kind: Kind::ReadOnce, edits, what, rank: 7 })
}

/// A type without `_Atomic` and `volatile`: a local copy is private.
fn plain(of_type: &str) -> String {
    let of_type = of_type.replace("volatile ", "");
    let inner = of_type.strip_prefix("_Atomic(").and_then(|rest| rest.strip_suffix(')'));
    inner.unwrap_or(of_type.trim_start_matches("_Atomic ")).trim().to_owned()
}

/// Whether an expression is changed, or its address is taken.
pub fn is_written(code: &Code, id: NodeId) -> bool {
    let Some(parent) = code.tree.node(id).parent else { return true };
    let node = code.tree.node(parent);
    match node.kind.as_str() {
        "CallExpr" if node.name.starts_with("operator") && node.name.ends_with('=') => {
            let compares = ["operator==", "operator!=", "operator<=", "operator>="].contains(&node.name.as_str());
            !compares && code.range(id).start == code.range(parent).start
        }
        "BinaryOperator" | "CompoundAssignOperator" => {
            let text = &code.text_of_file(id)[code.range(id).end..code.range(parent).end.max(code.range(id).end)];
            let text = text.trim_start();
            let is_left = code.range(id).start == code.range(parent).start;
            is_left && ((text.starts_with('=') && !text.starts_with("==")) || node.kind == "CompoundAssignOperator")
        }
        "UnaryOperator" => {
            let text = code.text(parent);
            text.contains("++") || text.contains("--") || text.starts_with('&')
        }
        "MemberRefExpr" => !code.text(parent)[code.text(id).len().min(code.text(parent).len())..].starts_with("->"),
        _ => false,
    }
}
