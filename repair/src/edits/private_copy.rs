//! Private copies: a thread gets its own copy of a variable that its creator changes later, and a function returns a
//! copy of the data that its lock protects instead of a reference to it.

use super::{Candidate, Given, Kind};
use crate::code::{Code, has_word, is_cpp};
use crate::sources::{Edit, begins_line, indent_unit, indentation};
use crate::tree::NodeId;

/// Candidates of each sort, at most.
const MOST: usize = 4;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let code = given.code;
    let conflicts = given.facts.conflicts();
    let is_shared = |name: &str| conflicts.iter().any(|family| family.rsplit(['.', '>']).next() == Some(name));
    let mut all = Vec::new();
    let calls = code.tree.ids().filter(|id| {
        let node = code.tree.node(*id);
        node.kind == "CallExpr" && node.name == "pthread_create" && !node.in_macro
    });
    all.extend(calls.filter_map(|call| of_argument(code, call, &is_shared)).take(MOST));
    let lambdas = code.tree.ids().filter(|id| code.tree.is(*id, "LambdaExpr"));
    all.extend(lambdas.flat_map(|lambda| of_capture(code, lambda, &is_shared)).take(MOST));
    let functions = code.tree.functions().into_iter();
    all.extend(functions.filter_map(|function| of_result(code, function, &is_shared)).take(MOST));
    all
}

/// `pthread_create(&threads[i], NULL, work, &i)` with a copy of `i` beside each thread's handle.
fn of_argument(code: &Code, call: NodeId, is_shared: &dyn Fn(&str) -> bool) -> Option<Candidate> {
    let [_, handle, _, _, argument] = code.children(call) else { return None };
    let words = without_casts(code.text(*argument)).strip_prefix('&')?.trim();
    let is_name = !words.is_empty() && words.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name || !is_shared(words) {
        return None;
    }
    let function = code.tree.function_of(call)?;
    let variable = declared(code, function, words)?;
    let of_type = code.tree.node(variable).type_name.clone();
    if of_type.contains(['[', '(', '*']) {
        return None;
    }
    let handle = code.text(*handle).trim().strip_prefix('&')?.trim().to_owned();
    let (array, index) = match handle.split_once('[') {
        Some((array, rest)) => (array.trim().to_owned(), format!("[{rest}")),
        None => (handle, String::new()),
    };
    let threads = declared(code, function, &array)?;
    let text = code.text(threads);
    let sizes = &text[text.find(&array)? + array.len()..];
    let sizes = sizes.split('=').next().unwrap_or_default().trim();
    if sizes.is_empty() != index.is_empty() {
        return None;
    }
    let statement = code.tree.node(threads).parent.filter(|parent| code.tree.is(*parent, "DeclStmt"));
    let name = code.local_name(call, &format!("{words}_of_thread"));
    let file = code.file(call);
    let quality = if statement.is_none() { "static " } else { "" };
    let mut edits = vec![code.after(statement.unwrap_or(threads), &format!("{quality}{of_type} {name}{sizes};"))];
    let copies = format!("{name}{index} = {words};");
    let of_argument = code.range(*argument);
    let by = format!("&{name}{index}");
    let (block, position) = code.tree.statement_of(call)?;
    let own = code.children(block)[position];
    // The call may be the only statement of a loop, which needs braces then.
    match alone(code, call, own) {
        None => {
            edits.push(code.before(own, &copies));
            edits.push(Edit::replace(file, of_argument, by));
        }
        Some(single) => {
            let (whole, range) = (code.text_of_file(single), code.statement(single));
            let (before, after) = (&whole[range.start..of_argument.start], &whole[of_argument.end..range.end]);
            let parent = code.tree.node(single).parent?;
            let indent = indentation(whole, code.range(parent).start);
            let unit = indent_unit(whole);
            let gap = whole[..range.start].trim_end().len();
            let body = format!(" {{\n{indent}{unit}{copies}\n{indent}{unit}{before}{by}{after}\n{indent}}}");
            edits.push(Edit::replace(file, gap..range.end, body));
        }
    }
    let what = format!("give each thread a copy of `{words}`");
    Some(Candidate { kind: Kind::PrivateCopy, edits, what, rank: 1 })
}

/// The statement without braces after a condition or a loop's head that contains a call.
fn alone(code: &Code, call: NodeId, own: NodeId) -> Option<NodeId> {
    if own == call {
        return None;
    }
    let mut below = call;
    for parent in code.tree.ancestors(call) {
        if matches!(code.tree.node(parent).kind.as_str(), "ForStmt" | "WhileStmt" | "DoStmt" | "IfStmt") {
            return (code.children(parent).last() == Some(&below)).then_some(below);
        }
        if parent == own {
            return None;
        }
        below = parent;
    }
    None
}

fn without_casts(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = text.strip_prefix('(') {
        match rest.split_once(')') {
            Some((cast, rest)) if cast.trim_end().ends_with('*') && !rest.is_empty() => text = rest.trim(),
            _ => break,
        }
    }
    text
}

/// A variable that a function can name.
fn declared(code: &Code, function: NodeId, name: &str) -> Option<NodeId> {
    let is_it = |id: &NodeId| code.tree.is(*id, "VarDecl") && code.tree.node(*id).name == name;
    let own = code.tree.below(function).into_iter().find(is_it);
    own.or_else(|| code.tree.ids().filter(is_it).find(|id| code.tree.is_global(*id)))
}

/// A lambda expression that captures by reference a variable that others change captures it by value.
fn of_capture(code: &Code, lambda: NodeId, is_shared: &dyn Fn(&str) -> bool) -> Vec<Candidate> {
    let text = code.text(lambda);
    let Some(list) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(list, _)| list) else {
        return Vec::new();
    };
    let Some(body) = code.tree.body(lambda) else { return Vec::new() };
    let range = code.range(lambda).start..code.range(lambda).start + list.len() + 2;
    let file = code.file(lambda);
    let mut names: Vec<String> = Vec::new();
    for id in code.tree.below(body) {
        let node = code.tree.node(id);
        let is_local = code.tree.declaration(&node.refers).is_none_or(|declared| {
            !code.tree.is_global(declared)
                && !code.tree.is_within(declared, lambda)
                && code.tree.is(declared, "VarDecl")
        });
        if node.kind == "DeclRefExpr" && is_local && is_shared(&node.name) && !names.contains(&node.name) {
            names.push(node.name.clone());
        }
    }
    let captures = |name: &String| -> Option<String> {
        let parts: Vec<&str> = list.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        let own = format!("&{name}");
        if parts.contains(&own.as_str()) {
            let changed = parts.iter().map(|part| if *part == own { name.as_str() } else { part });
            return Some(changed.collect::<Vec<_>>().join(", "));
        }
        (parts.first() == Some(&"&") && !parts.contains(&name.as_str()))
            .then(|| [parts.as_slice(), &[name.as_str()]].concat().join(", "))
    };
    let made = |name: &String| {
        let captured = captures(name)?;
        let edits = vec![Edit::replace(file, range.clone(), format!("[{captured}]"))];
        let what = format!("give the thread a copy of `{name}`");
        Some(Candidate { kind: Kind::PrivateCopy, edits, what, rank: 1 })
    };
    names.iter().filter_map(made).collect()
}

/// A function that returns a reference to the data that its lock protects returns a copy, which its callers keep.
fn of_result(code: &Code, function: NodeId, is_shared: &dyn Fn(&str) -> bool) -> Option<Candidate> {
    let node = code.tree.node(function);
    let body = code.tree.body(function)?;
    let result = code.result_type(function)?;
    if !is_cpp(code.file(function)) || !result.trim_end().ends_with('&') || node.in_macro {
        return None;
    }
    let returns = code.tree.below(body).into_iter().filter(|id| code.tree.is(*id, "ReturnStmt"));
    let returned: Vec<&str> =
        returns.filter_map(|id| code.children(id).first().map(|value| code.text(*value).trim())).collect();
    let last = |words: &str| is_shared(words.rsplit(['.', '>']).next().unwrap_or(words));
    if returned.is_empty() || !returned.iter().all(|words| last(words)) {
        return None;
    }
    let (file, text) = (code.file(function), code.text_of_file(function));
    let start = code.range(function).start;
    let head = &text[start..code.range(body).start];
    let name_at = head.find(&format!("{}(", node.name))?;
    let own_type = head[..name_at].trim_end().strip_suffix('&')?.trim_end();
    let of_value = own_type.replacen("const ", "", 1);
    let space = if of_value.ends_with(['*', '&']) { "" } else { " " };
    let mut edits = vec![Edit::replace(file, start..start + name_at, format!("{of_value}{space}"))];
    for call in code.tree.ids() {
        let one = code.tree.node(call);
        if one.kind != "CallExpr" || one.refers != node.refers || one.in_macro || one.name != node.name {
            continue;
        }
        // A member of the result lives no longer than the copy.
        let Some(parent) = one.parent.filter(|parent| is_member_of_result(code, *parent)) else { continue };
        let (block, position) = code.tree.statement_of(parent)?;
        let statement = code.children(block)[position];
        let is_plain = matches!(
            code.tree.node(statement).kind.as_str(),
            "DeclStmt" | "ReturnStmt" | "CallExpr" | "BinaryOperator"
        );
        let whole = code.text_of_file(statement);
        if !is_plain || !begins_line(whole, code.range(statement).start) {
            return None;
        }
        let copy = code.local_name(call, &format!("{}_copy", node.name));
        if has_word(code.text(statement), &copy) {
            return None;
        }
        edits.push(code.before(statement, &format!("auto {copy} = {};", code.text(call))));
        edits.push(Edit::replace(code.file(call), code.range(call), copy));
    }
    let what = format!("return a copy from `{}`", node.name);
    Some(Candidate { kind: Kind::PrivateCopy, edits, what, rank: 1 })
}

fn is_member_of_result(code: &Code, parent: NodeId) -> bool {
    let mut at = Some(parent);
    while let Some(id) = at {
        match code.tree.node(id).kind.as_str() {
            "MemberRefExpr" => return true,
            "UnexposedExpr" | "ParenExpr" => at = code.tree.node(id).parent,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_are_looked_through() {
        assert_eq!(without_casts("(void *)&i"), "&i");
        assert_eq!(without_casts("&i"), "&i");
        assert_eq!(without_casts("(a)"), "(a)");
    }
}
