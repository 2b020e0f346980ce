//! Deadlocks: ends sections before a thread waits, orders the acquisitions of locks, and releases locks before they are
//! acquired again.

use super::read_once::is_written;
use super::{Candidate, Given, Kind};
use crate::code::{Code, is_cpp};
use crate::locks::{Act, Api, Operation};
use crate::sources::Edit;
use crate::tree::NodeId;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    if !matches!(given.failure, vm::FailureKind::Deadlock | vm::FailureKind::Hang) {
        return Vec::new();
    }
    let code = given.code;
    let mut all = Vec::new();
    for function in code.tree.functions() {
        let operations = code.lock_operations(function);
        all.extend(ordered(code, &operations));
        all.extend(retaken(code, &operations));
        for (number, operation) in operations.iter().enumerate() {
            all.extend(narrowed(code, operation, &operations[number + 1..]));
            all.extend(with_copies(given, operation, &operations[number + 1..]));
        }
    }
    all
}

/// A section that ends before a statement that may wait, and that copies what the statement reads before it ends.
fn with_copies(given: &Given<'_>, taken: &Operation, later: &[Operation]) -> Vec<Candidate> {
    let code = given.code;
    let conflicts = given.facts.conflicts();
    let is_shared = |name: &str| conflicts.iter().any(|family| family.rsplit(['.', '>']).next() == Some(name));
    let Some((block, first)) = place(code, taken.statement) else { return Vec::new() };
    let children = code.children(block);
    let is_release = |id: NodeId| {
        later.iter().find(|one| one.statement == id && one.act == Act::Unlock && one.lock.is_same(&taken.lock))
    };
    let mut all = Vec::new();
    for (position, statement) in children.iter().enumerate().skip(first + 1) {
        let release = children[position..].iter().find_map(|id| is_release(*id));
        if (taken.act == Act::Lock) != release.is_some() || is_release(*statement).is_some() {
            break;
        }
        if code.tree.node(*statement).in_macro || !waits(code, *statement) {
            continue;
        }
        all.extend(released_before(code, taken, release, *statement, &is_shared));
    }
    all
}

fn released_before(
    code: &Code,
    taken: &Operation,
    release: Option<&Operation>,
    statement: NodeId,
    is_shared: &dyn Fn(&str) -> bool,
) -> Option<Candidate> {
    let file = code.file(statement);
    let mut reads: Vec<(String, Vec<NodeId>)> = Vec::new();
    for id in code.tree.below(statement) {
        let node = code.tree.node(id);
        let words = code.text(id).trim().to_owned();
        let is_read = matches!(node.kind.as_str(), "DeclRefExpr" | "MemberRefExpr") && words.ends_with(&node.name);
        if !is_read || node.in_macro || node.name.is_empty() || !is_shared(&node.name) {
            continue;
        }
        match reads.iter_mut().find(|(known, _)| *known == words) {
            Some((_, nodes)) => nodes.push(id),
            None => reads.push((words, vec![id])),
        }
    }
    let mut lines = Vec::new();
    let mut edits = Vec::new();
    for (words, mut nodes) in reads {
        nodes.sort_by_key(|id| code.range(*id).start);
        nodes.dedup_by_key(|id| code.range(*id).start);
        if nodes.iter().any(|id| is_written(code, *id)) {
            return None;
        }
        let node = code.tree.node(*nodes.first()?);
        let name = code.local_name(statement, &format!("{}_copy", node.name.trim_matches('_')));
        lines.push(match is_cpp(file) {
            true => format!("auto {name} = {words};"),
            false => format!("{} = {words};", Code::declared(&node.type_name, &name)),
        });
        edits.extend(nodes.iter().map(|id| Edit::replace(file, code.range(*id), name.clone())));
    }
    if edits.is_empty() {
        return None;
    }
    match release {
        Some(release) => {
            lines.push(taken.lock.unlocking());
            edits.push(code.without(release.statement));
        }
        None => {
            lines.push(format!("{}.unlock();", taken.guard));
            let own = format!("std::unique_lock<{}> {}({});", taken.lock.of_type, taken.guard, taken.lock.words);
            edits.push(Edit::replace(code.file(taken.statement), code.statement(taken.statement), own));
        }
    }
    edits.push(code.before(statement, &lines.join("\n")));
    let line = code.sources.line_of(file, code.range(statement).start);
    let name = taken.lock.words.trim_start_matches('&');
    let what = format!("release `{name}` before line {line}, which then uses copies");
    Some(Candidate { kind: Kind::NarrowSection, edits, what, rank: 3 })
}

fn place(code: &Code, statement: NodeId) -> Option<(NodeId, usize)> {
    let (block, position) = code.tree.statement_of(statement)?;
    (code.children(block)[position] == statement).then_some((block, position))
}

/// One section that ends sooner, begins later, or is gone.
fn narrowed(code: &Code, taken: &Operation, later: &[Operation]) -> Vec<Candidate> {
    let mut all = Vec::new();
    let Some((block, first)) = place(code, taken.statement) else { return all };
    let children = code.children(block);
    let name = taken.lock.words.trim_start_matches('&');
    let make = |edits: Vec<Edit>, what: String, rank: u32| Candidate { kind: Kind::NarrowSection, edits, what, rank };
    if taken.act == Act::Guard {
        for (position, statement) in children.iter().enumerate().skip(first + 1) {
            if !waits(code, *statement) || position == first + 1 {
                continue;
            }
            let line = code.sources.line_of(code.file(*statement), code.range(*statement).start);
            let own = format!("std::unique_lock<{}> {}({});", taken.lock.of_type, taken.guard, taken.lock.words);
            let edits = vec![
                Edit::replace(code.file(taken.statement), code.statement(taken.statement), own),
                code.before(*statement, &format!("{}.unlock();", taken.guard)),
            ];
            all.push(make(edits, format!("release `{name}` before line {line}"), 3));
        }
        all.push(make(vec![code.without(taken.statement)], format!("do not take `{name}` here"), 40));
        return all;
    }
    if taken.act != Act::Lock {
        return all;
    }
    let releases: Vec<&Operation> = later
        .iter()
        .take_while(|one| !(one.act == Act::Lock && one.lock.is_same(&taken.lock)))
        .filter(|one| one.act == Act::Unlock && one.lock.is_same(&taken.lock))
        .collect();
    let same_block = releases.iter().find(|one| place(code, one.statement).is_some_and(|(other, _)| other == block));
    if let Some(release) = same_block {
        let last = place(code, release.statement).map_or(first, |(_, last)| last);
        for (position, statement) in children.iter().enumerate().take(last).skip(first + 1) {
            if !waits(code, *statement) {
                continue;
            }
            let line = code.sources.line_of(code.file(*statement), code.range(*statement).start);
            let (lock, unlock) = (taken.lock.locking(), taken.lock.unlocking());
            // A section without statements protects nothing.
            if position > first + 1 {
                let sooner = vec![code.before(*statement, &unlock), code.without(release.statement)];
                all.push(make(sooner, format!("release `{name}` before line {line}"), 2));
            }
            if position + 1 < last {
                let begins_later = vec![code.after(*statement, &lock), code.without(taken.statement)];
                all.push(make(begins_later, format!("take `{name}` after line {line}"), 3));
            }
            if position > first + 1 && position + 1 < last {
                let split = vec![code.before(*statement, &unlock), code.after(*statement, &lock)];
                all.push(make(split, format!("release `{name}` around line {line}"), 5));
            }
        }
    }
    let mut gone: Vec<Edit> = releases.iter().map(|one| code.without(one.statement)).collect();
    gone.push(code.without(taken.statement));
    all.push(make(gone, format!("do not take `{name}` here"), 40));
    all
}

/// Whether a statement may wait: it locks, joins, waits, or calls something.
fn waits(code: &Code, statement: NodeId) -> bool {
    code.tree.below(statement).iter().any(|one| code.tree.is(*one, "CallExpr"))
}

/// Two locks in the order of their addresses, or in the other order.
fn ordered(code: &Code, operations: &[Operation]) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (number, first) in operations.iter().enumerate().filter(|(_, one)| one.act != Act::Unlock) {
        let between = operations[number + 1..].iter().take_while(|one| one.act != Act::Unlock);
        for second in between.filter(|one| !one.lock.is_same(&first.lock) && one.lock.api == first.lock.api) {
            all.extend(in_order(code, first, second));
        }
    }
    all
}

fn in_order(code: &Code, first: &Operation, second: &Operation) -> Vec<Candidate> {
    let (one, other) = (&first.lock.words, &second.lock.words);
    let file = code.file(first.statement);
    let names = format!("`{}` and `{}`", one.trim_start_matches('&'), other.trim_start_matches('&'));
    let make = |edits, what: String, rank| Candidate { kind: Kind::LockOrder, edits, what, rank };
    let mut all = Vec::new();
    if first.act == Act::Guard {
        if second.act == Act::Guard {
            let both = format!("std::scoped_lock {}({one}, {other});", first.guard);
            let edits =
                vec![Edit::replace(file, code.statement(first.statement), both), code.without(second.statement)];
            all.push(make(edits, format!("take {names} together, without deadlock"), 0));
        }
        return all;
    }
    let whole = |operation: &Operation| {
        // A lock that is taken on a condition moves with it.
        let (block, position) = code.tree.statement_of(operation.statement)?;
        Some(code.children(block)[position])
    };
    let (Some(here), Some(there)) = (whole(first), whole(second)) else { return all };
    let text = code.text_of_file(here);
    if first.lock.api != Api::Verifier && code.tree.node(here).parent == code.tree.node(there).parent && here != there {
        let swapped = vec![code.before(here, &text[code.statement(there)]), code.without(there)];
        all.push(make(swapped, format!("take {names} in the opposite order"), 1));
        let is_low = format!("(uintptr_t){one} < (uintptr_t){other}");
        let low = text[code.statement(here)].replace(one.as_str(), &format!("{is_low} ? {one} : {other}"));
        let call = code.range(second.statement);
        let from = code.statement(there);
        let high = format!("{is_low} ? {other} : {one}");
        let second_text = text[call.clone()].replace(other.as_str(), &high);
        let high = format!("{}{second_text}{}", &text[from.start..call.start], &text[call.end..from.end]);
        let mut edits = vec![Edit::replace(file, code.statement(here), low)];
        edits.push(code.after(here, &high));
        edits.push(code.without(there));
        edits.extend(code.including(file, "stdint.h"));
        all.push(make(edits, format!("take {names} in the order of their addresses"), 0));
    }
    all
}

/// A lock that is taken while it is held is released before.
fn retaken(code: &Code, operations: &[Operation]) -> Vec<Candidate> {
    let mut all = Vec::new();
    for pair in operations.windows(2) {
        let [first, second] = pair else { continue };
        if first.act != Act::Lock || second.act != Act::Lock || !first.lock.is_same(&second.lock) {
            continue;
        }
        let release = |one: &&Operation| {
            one.act == Act::Unlock
                && one.lock.is_same(&second.lock)
                && place(code, one.statement).map(|at| at.0) == place(code, second.statement).map(|at| at.0)
                && code.range(one.statement).start > code.range(second.statement).start
        };
        let name = first.lock.words.trim_start_matches('&');
        let before = code.before(second.statement, &second.lock.unlocking());
        let what = format!("release `{name}` before it is taken again");
        let mut edits = vec![before];
        if let Some(inner) = operations.iter().find(release) {
            edits.push(code.without(inner.statement));
        }
        all.push(Candidate { kind: Kind::NarrowSection, edits, what, rank: 0 });
    }
    all
}
