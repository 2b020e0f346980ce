//! Deadlocks: ends sections before a thread waits, orders the acquisitions of locks, and releases locks before they are
//! acquired again.

use super::{Candidate, Given, Kind};
use crate::code::Code;
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
        }
    }
    all
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
                all.push(make(begins_later, format!("take `{name}` behind line {line}"), 3));
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
            all.push(make(edits, format!("take {names} together, which cannot deadlock"), 0));
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
        all.push(make(swapped, format!("take {names} in the other order"), 1));
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
