//! A section around calls of functions that take the lock themselves: each becomes two, one that takes the lock and calls the other,
//! and one that the new section calls, which holds it already.

use std::collections::BTreeSet;

use super::add_sections::Known;
use super::{Candidate, Kind};
use crate::code::{Code, Stretch, has_word};
use crate::locks::{Act, Api, Lock, Operation};
use crate::sources::{Edit, begins_line, indent_unit, indentation};
use crate::tree::NodeId;

/// The ending of a function whose callers hold the lock.
const ENDING: &str = "_locked";

/// Takes the lock around a stretch that calls functions which take it, too.
pub fn candidate(code: &Code, stretch: &Stretch, known: &Known) -> Option<Candidate> {
    let lock = known.in_function(code, stretch.function)?;
    if lock.api == Api::Verifier {
        return None;
    }
    let section = code.section(stretch, &lock)?.edits;
    let mut renames = Vec::new();
    let mut edits = Vec::new();
    let mut parted = BTreeSet::new();
    for statement in code.statements(stretch) {
        for call in code.tree.below(*statement) {
            if !code.tree.is(call, "CallExpr") || code.tree.node(call).in_macro {
                continue;
            }
            let Some(callee) = called(code, call) else { continue };
            let operations = code.lock_operations(callee);
            if !operations.iter().any(|one| known.is_named(code, one.lock.words.trim_start_matches('&'))) {
                continue;
            }
            // Names are looked up from top to bottom, but for those of members.
            let is_member = code.tree.is(callee, "CXXMethod");
            let is_later = code.range(callee).start >= code.range(stretch.function).start && !is_member;
            if (code.file(callee) != code.file(call) && !is_member) || is_later {
                return None;
            }
            let name = code.fresh(&format!("{}{ENDING}", code.tree.node(callee).name));
            if parted.insert(callee) {
                edits.extend(in_two(code, callee, &operations, &name)?);
            }
            // In `a.b(c)` the function's name precedes the arguments.
            let text = code.text(call);
            let at = code.range(call).start
                + text.find('(').and_then(|end| text[..end].rfind(&code.tree.node(callee).name))?;
            renames.push(Edit::replace(code.file(call), at..at + code.tree.node(callee).name.len(), name));
        }
    }
    edits.extend(merged(code, section, renames));
    let what = format!("hold `{}` from the first access to the last", lock.words.trim_start_matches('&'));
    (!parted.is_empty()).then_some(Candidate { kind: Kind::MergeSections, edits, what, rank: 0 })
}

/// Joins the edits of a section with renamed calls. A section may copy the returned expression in front of its unlock; calls in the
/// copy are renamed, too.
fn merged(code: &Code, section: Vec<Edit>, mut renames: Vec<Edit>) -> Vec<Edit> {
    let mut all = section;
    for edit in &mut all {
        for rename in renames.iter().filter(|rename| rename.file == edit.file) {
            let old = &code.sources.text(&rename.file)[rename.start..rename.end];
            let copies = edit.start == edit.end || (edit.start <= rename.start && rename.end <= edit.end);
            if copies && has_word(&edit.text, old) {
                edit.text = edit.text.replace(&format!("{old}("), &format!("{}(", rename.text));
            }
        }
    }
    let is_replaced = |rename: &Edit| {
        all.iter().any(|edit| edit.file == rename.file && edit.start <= rename.start && rename.end <= edit.end)
    };
    renames.retain(|rename| !is_replaced(rename));
    all.extend(renames);
    all
}

/// The function of the user's that a call calls, with its body.
fn called(code: &Code, call: NodeId) -> Option<NodeId> {
    let (name, refers) = (&code.tree.node(call).name, &code.tree.node(call).refers);
    let is_it = |id: &NodeId| match code.tree.node(*id).kind.as_str() {
        "FunctionDecl" => code.tree.node(*id).name == *name,
        // A body within the class, where nothing has to be declared.
        "CXXMethod" => {
            let parent = code.tree.node(*id).parent;
            let is_inside = parent.is_some_and(|parent| !code.tree.node(parent).kind.contains("Template"));
            is_inside
                && !refers.is_empty()
                && code.tree.node(*id).refers == *refers
                && code.tree.body(*id).is_some_and(|body| code.range(*id).end == code.range(body).end)
                && parent
                    .is_some_and(|parent| matches!(code.tree.node(parent).kind.as_str(), "ClassDecl" | "StructDecl"))
        }
        _ => false,
    };
    code.tree.functions().into_iter().find(is_it)
}

/// The function without the lock under another name, and one under its own that takes the lock around a call of it.
fn in_two(code: &Code, function: NodeId, operations: &[Operation], name: &str) -> Option<Vec<Edit>> {
    let body = code.tree.body(function)?;
    let (own, file) = (code.tree.node(function), code.file(function));
    let text = code.text_of_file(function);
    let lock: &Lock = &operations.first()?.lock;
    let guard = operations.first().filter(|one| one.act == Act::Guard);
    if operations.iter().any(|one| !one.lock.is_same(lock) || (one.act == Act::Guard && operations.len() > 1)) {
        return None;
    }
    // All statements with an effect are within the section.
    let statements = code.children(body);
    let first =
        statements.iter().position(|one| *one == operations[0].statement && operations[0].act != Act::Unlock)?;
    if !statements[..first].iter().all(|one| code.tree.is(*one, "DeclStmt") && code.is_private(*one)) {
        return None;
    }
    let release = statements.iter().rposition(|one| {
        operations.iter().any(|operation| operation.statement == *one && operation.act == Act::Unlock)
    });
    let last = release.or(guard.map(|_| statements.len() - 1))?;
    let is_plain = |one: &NodeId| {
        code.tree.is(*one, "ReturnStmt") && code.children(*one).iter().all(|value| code.is_private(*value))
    };
    if !statements[last + 1..].iter().all(is_plain) {
        return None;
    }
    let signature = &text[code.range(function).start..code.range(body).start];
    let head = signature.trim_end();
    let named = rename(head, &own.name, name)?;
    let is_member = code.tree.is(function, "CXXMethod");
    if is_member && !begins_line(text, code.range(function).start) {
        return None;
    }
    let named = if is_member || head.starts_with("static ") { named } else { format!("static {named}") };
    let result = code.result_type(function)?;
    let parameters: Vec<&str> = code
        .children(function)
        .iter()
        .filter(|child| code.tree.is(**child, "ParmDecl"))
        .map(|child| code.tree.node(*child).name.as_str())
        .collect();
    if parameters.iter().any(|parameter| parameter.is_empty()) || head.contains("...") {
        return None;
    }
    let call = format!("{name}({})", parameters.join(", "));
    let outer = indentation(text, code.range(function).start);
    let unit = &format!("{outer}{}", indent_unit(text));
    let gap = &signature[head.len()..];
    let result_name = if parameters.contains(&"result") { "returned" } else { "result" };
    let lines = match (guard, result.as_str()) {
        (Some(guard), result) => {
            let own = &text[code.statement(guard.statement)];
            let returns = if result == "void" { "" } else { "return " };
            format!("{unit}{own}\n{unit}{returns}{call};\n")
        }
        (None, "void") => format!("{unit}{}\n{unit}{call};\n{unit}{}\n", lock.locking(), lock.unlocking()),
        (None, _) => {
            let local = Code::declared(&result, result_name);
            format!(
                "{unit}{}\n{unit}{local} = {call};\n{unit}{}\n{unit}return {result_name};\n",
                lock.locking(),
                lock.unlocking()
            )
        }
    };
    let wrapper = format!("\n\n{outer}{head}{gap}{{\n{lines}{outer}}}");
    let mut edits = vec![
        Edit::replace(file, code.range(function).start..code.range(function).start + head.len(), named),
        Edit::insert(file, code.range(function).end, wrapper),
    ];
    for operation in operations {
        if !code.tree.is(code.tree.node(operation.statement).parent?, "CompoundStmt") {
            return None;
        }
        edits.push(code.without(operation.statement));
    }
    Some(edits)
}

/// A text with one word replaced.
fn rename(text: &str, word: &str, by: &str) -> Option<String> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let whole =
        |at: &usize| !is_part(text[..*at].chars().next_back()) && !is_part(text[*at + word.len()..].chars().next());
    let at = text.match_indices(word).map(|(at, _)| at).find(whole)?;
    Some(format!("{}{by}{}", &text[..at], &text[at + word.len()..]))
}
