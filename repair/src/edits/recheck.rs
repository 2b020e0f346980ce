//! Repeated tests: a condition that was tested before a lock was taken, or in an earlier section of it, is tested once
//! more under the lock.

use super::regions::node_at;
use super::{Candidate, Given, Kind};
use crate::code::Code;
use crate::locks::{Act, Operation};
use crate::sources::{Edit, begins_line, indent_unit, indentation, line_end, line_start};
use crate::tree::NodeId;
use std::collections::BTreeSet;

/// Candidates, at most.
const MOST: usize = 8;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let code = given.code;
    let mut functions: BTreeSet<NodeId> = BTreeSet::new();
    for one in given.facts.all().filter(|one| one.is_access() && one.concurrent) {
        functions.extend(one.frames.iter().filter_map(|place| code.tree.function_of(node_at(code, place)?)));
    }
    let mut all = Vec::new();
    for function in functions {
        let operations = code.lock_operations(function);
        let takes: Vec<&Operation> = operations.iter().filter(|one| one.act != Act::Unlock).collect();
        for (number, second) in takes.iter().enumerate() {
            all.extend(tested_before(code, second, &operations));
            let earlier = takes[..number].iter().rev().find(|one| one.lock.is_same(&second.lock));
            all.extend(earlier.and_then(|first| as_before(code, first, second, &operations)));
        }
    }
    all.truncate(MOST);
    all
}

fn candidate(code: &Code, at: NodeId, edits: Vec<Edit>) -> Candidate {
    let line = code.sources.line_of(code.file(at), code.range(at).start);
    Candidate {
        kind: Kind::Recheck,
        edits,
        what: format!("repeat the test after line {line}, under the lock"),
        rank: 3,
    }
}

/// `if (c) { lock(); … unlock(); }` becomes `if (c) { lock(); if (c) { … } unlock(); }`.
fn tested_before(code: &Code, taken: &Operation, operations: &[Operation]) -> Option<Candidate> {
    let (block, position) = code.tree.statement_of(taken.statement)?;
    if code.children(block)[position] != taken.statement || position != 0 {
        return None;
    }
    let test = code.tree.node(block).parent.filter(|parent| code.tree.is(*parent, "IfStmt"))?;
    let [condition, then] = code.children(test) else { return None };
    if *then != block || code.tree.node(test).in_macro {
        return None;
    }
    let children = code.children(block);
    let releases = |one: &NodeId| {
        operations.iter().any(|operation| {
            operation.statement == *one && operation.act == Act::Unlock && operation.lock.is_same(&taken.lock)
        })
    };
    let end = match taken.act {
        Act::Guard => children.len(),
        _ => children.iter().position(releases)?,
    };
    let (first, last) = (*children.get(1)?, *children.get(end.checked_sub(1)?)?);
    let later: Vec<&NodeId> = children[end..].iter().collect();
    let declares = |id: &NodeId| code.tree.is(*id, "DeclStmt");
    if end < 2 || (children[1..end].iter().any(declares) && later.len() > 1) {
        return None;
    }
    let (file, text) = (code.file(first), code.text_of_file(first));
    let (start, stop) = (code.range(first).start, code.statement(last).end);
    if !begins_line(text, start) {
        return None;
    }
    let (indent, unit) = (indentation(text, start).to_owned(), indent_unit(text));
    let (from, to) = (line_start(text, start), line_end(text, stop));
    let tested = code.text(*condition);
    let mut edits = vec![Edit::insert(file, from, format!("{indent}if ({tested}) {{\n"))];
    let mut at = from;
    for line in text[from..to].split_inclusive('\n') {
        if !line.trim().is_empty() {
            edits.push(Edit::insert(file, at, unit));
        }
        at += line.len();
    }
    edits.push(Edit::insert(file, to, format!("{indent}}}\n")));
    Some(candidate(code, taken.statement, edits))
}

/// The statements of an earlier section up to its last test that leaves the function, once more in the later one.
fn as_before(code: &Code, first: &Operation, second: &Operation, operations: &[Operation]) -> Option<Candidate> {
    let place = |one: &Operation| {
        let (block, position) = code.tree.statement_of(one.statement)?;
        (code.children(block)[position] == one.statement).then_some((block, position))
    };
    let ((block, from), (later, _)) = (place(first)?, place(second)?);
    let children = code.children(block);
    let second_at = children.iter().position(|one| code.tree.is_within(second.statement, *one));
    let until = second_at.unwrap_or(children.len());
    let is_release =
        |one: &&NodeId| operations.iter().any(|operation| operation.statement == **one && operation.act == Act::Unlock);
    let section: Vec<NodeId> = children[from + 1..until].iter().take_while(|one| !is_release(one)).copied().collect();
    let leaves = |one: &NodeId| {
        code.tree.is(*one, "IfStmt") && code.tree.below(*one).iter().any(|id| code.tree.is(*id, "ReturnStmt"))
    };
    let last = section.iter().rposition(leaves)?;
    let (begin, end) = (*section.first()?, section[last]);
    let text = code.text_of_file(begin);
    let copied = &text[code.range(begin).start..code.statement(end).end];
    let own = indentation(text, code.range(begin).start);
    let lines: Vec<String> = copied.lines().map(|line| line.strip_prefix(own).unwrap_or(line).to_owned()).collect();
    let unit = indent_unit(text);
    let declares = section[..=last].iter().any(|one| code.tree.is(*one, "DeclStmt"));
    let lines = match declares && code.tree.is_within(later, block) {
        false => lines,
        true => {
            let moved = lines.iter().map(|line| format!("{unit}{line}"));
            std::iter::once("{".to_owned()).chain(moved).chain(std::iter::once("}".to_owned())).collect()
        }
    };
    Some(candidate(code, second.statement, vec![code.after(second.statement, &lines.join("\n"))]))
}
