//! Atomic accesses: combines a load and a store into one operation, replaces a test by the result of the operation, and
//! makes plain variables atomic.
//!
//! Operations are recognised by their text, because macros of `stdatomic.h` leave no calls in the tree. If an object is
//! not atomic, the candidate does not compile and is dropped.

use std::collections::BTreeSet;

use super::regions::node_at;
use super::{Candidate, Given, Kind};
use crate::code::{Code, has_word, is_cpp};
use crate::sources::Edit;
use crate::tree::NodeId;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let code = given.code;
    let mut all = Vec::new();
    let types = atomic_types(given);
    for block in blocks(given) {
        let children = code.children(block);
        for (position, first) in children.iter().enumerate() {
            let second = children.get(position + 1);
            let found = second.and_then(|second| joined(code, *first, *second)).or_else(|| tested(code, *first));
            let Some((edits, object)) = found else { continue };
            let what = format!("make the accesses to `{object}` one atomic operation");
            let plain =
                !edits.iter().any(|edit| code.sources.text(&edit.file)[edit.start..edit.end].contains("atomic_"))
                    && types.iter().any(|(name, _)| object.ends_with(name.as_str()));
            let mut edits = edits;
            if plain {
                let own = types.iter().filter(|(name, _)| object.ends_with(name.as_str()));
                edits.extend(own.flat_map(|(_, edits)| edits.clone()));
                edits.extend(
                    code.including(code.file(*first), if is_cpp(code.file(*first)) { "atomic" } else { "stdatomic.h" }),
                );
            }
            all.push(Candidate { kind: Kind::Atomic, edits, what, rank: if plain { 6 } else { 0 } });
        }
    }
    for (name, edits) in &types {
        let what = format!("make `{name}` atomic");
        all.push(Candidate { kind: Kind::Atomic, edits: edits.clone(), what, rank: 30 });
    }
    all
}

/// Blocks with accesses that can be interleaved.
fn blocks(given: &Given<'_>) -> BTreeSet<NodeId> {
    let code = given.code;
    let mut blocks = BTreeSet::new();
    for one in given.facts.all().filter(|one| one.is_access() && one.concurrent) {
        let Some(mut at) = one.frames.first().and_then(|place| node_at(code, place)) else { continue };
        while let Some((block, _)) = code.tree.statement_of(at) {
            blocks.insert(block);
            at = block;
        }
    }
    blocks
}

/// Integers that conflict, with the change of their declarations.
fn atomic_types(given: &Given<'_>) -> Vec<(String, Vec<Edit>)> {
    let code = given.code;
    let mut all: Vec<(String, Vec<Edit>)> = Vec::new();
    for family in given.facts.conflicts() {
        let name = family.rsplit(['.', '>']).next().unwrap_or(&family).to_owned();
        let declared = code.tree.ids().find(|id| {
            let node = code.tree.node(*id);
            (node.kind == "FieldDecl" || code.tree.is_global(*id)) && node.name == name
        });
        let Some(declared) = declared else { continue };
        let node = code.tree.node(declared);
        let of_type =
            node.type_name.split('[').next().unwrap_or_default().trim().trim_start_matches("volatile ").to_owned();
        const TYPES: &[&str] =
            &["int", "long", "unsigned", "unsigned int", "unsigned long", "bool", "_Bool", "size_t", "short", "char"];
        let text = code.text(declared);
        let Some(at) = text.find(&of_type) else { continue };
        if !TYPES.contains(&of_type.as_str()) || all.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let (file, start) = (code.file(declared), code.range(declared).start + at);
        let cpp = is_cpp(file);
        let new = if cpp { format!("std::atomic<{of_type}>") } else { format!("_Atomic {of_type}") };
        let mut edits = vec![Edit::replace(file, start..start + of_type.len(), new)];
        edits.extend(cpp.then(|| code.including(file, "atomic")).flatten());
        all.push((name, edits));
    }
    all
}

/// Two statements in a row that access one object.
fn joined(code: &Code, first: NodeId, second: NodeId) -> Option<(Vec<Edit>, String)> {
    let file = code.file(first);
    let whole = code.text_of_file(first);
    let text = |id: NodeId| whole[code.statement(id)].trim_end_matches(';').trim().to_owned();
    let cpp = is_cpp(file);
    let (one, other) = (text(first), text(second));
    // v = load(x); store(x, f(v));
    if let (Some((name, loaded, at)), Some((address, value))) = (assigned(code, first), store_of(&other))
        && load_of(&loaded).as_deref() == Some(address.as_str())
    {
        let operation = match step_of(&value, &name) {
            Some((sign, by)) => fetch(cpp, sign, &address, &by),
            None if has_word(&value, &name) => return None,
            None => exchange(cpp, &address, &value),
        };
        return Some((vec![Edit::replace(file, at, operation), code.without(second)], bare(&address)));
    }
    // x -= k; if (load(x) == c)
    if let (Some((address, sign, by)), "IfStmt") = (update_of(&one), code.tree.node(second).kind.as_str()) {
        let condition = *code.children(second).first()?;
        let tested = code.text(condition).to_owned();
        let (left, operator, right) = comparison(&tested)?;
        if load_of(&left).as_deref() == Some(address.as_str()) {
            let before = before_update(&right, sign, &by)?;
            let new = format!("{} {operator} {before}", fetch(cpp, sign, &address, &by));
            let edits = vec![code.without(first), Edit::replace(file, code.range(condition), new)];
            return Some((edits, bare(&address)));
        }
    }
    // if (load(x)) return; store(x, v);   while (load(x)) ; store(x, v);
    if let ("IfStmt" | "WhileStmt", Some((address, value))) = (code.tree.node(first).kind.as_str(), store_of(&other)) {
        let condition = *code.children(first).first()?;
        let tested = code.text(condition).trim().to_owned();
        let (negation, operand) = tested.strip_prefix('!').map_or(("", tested.as_str()), |rest| ("!", rest));
        if load_of(operand).as_deref() == Some(address.as_str()) {
            let new = format!("{negation}{}", exchange(cpp, &address, &value));
            let edits = vec![Edit::replace(file, code.range(condition), new), code.without(second)];
            return Some((edits, bare(&address)));
        }
    }
    // if (load(x) != v) return; x += k;
    if let ("IfStmt", Some((address, sign, by))) = (code.tree.node(first).kind.as_str(), update_of(&other)) {
        let condition = *code.children(first).first()?;
        let tested = code.text(condition).to_owned();
        let (left, operator, right) = comparison(&tested)?;
        if operator == "!=" && load_of(&left).as_deref() == Some(address.as_str()) && is_name(&right) {
            let new = format!("{right} {sign} {by}");
            let swap = match cpp {
                true => format!("!{}.compare_exchange_strong({right}, {new})", bare(&address)),
                false => format!("!atomic_compare_exchange_strong({address}, &{right}, {new})"),
            };
            let edits = vec![Edit::replace(file, code.range(condition), swap), code.without(second)];
            return Some((edits, bare(&address)));
        }
    }
    None
}

/// A test of a variable whose block begins with a change of that variable.
fn tested(code: &Code, statement: NodeId) -> Option<(Vec<Edit>, String)> {
    if !code.tree.is(statement, "IfStmt") {
        return None;
    }
    let file = code.file(statement);
    let cpp = is_cpp(file);
    let children = code.children(statement);
    let (condition, then) = (*children.first()?, *children.get(1)?);
    if !code.tree.is(then, "CompoundStmt") {
        return None;
    }
    let body = code.children(then);
    let change = *body.first()?;
    let text = code.text_of_file(change)[code.statement(change)].trim_end_matches(';').trim().to_owned();
    let tested = code.text(condition).trim().to_owned();
    // if (!x) { x = 1;
    let (negation, operand) = tested.strip_prefix('!').map_or(("", tested.as_str()), |rest| ("!", rest));
    if let Some((address, value)) = store_of(&text)
        && load_of(operand).as_deref() == Some(address.as_str())
    {
        let new = format!("{negation}{}", exchange(cpp, &address, &value));
        return Some((vec![Edit::replace(file, code.range(condition), new), code.without(change)], bare(&address)));
    }
    // if (x > c) { x--; … return; }
    let (left, operator, right) = comparison(&tested)?;
    let (address, sign, by) = update_of(&text)?;
    let leaves = body.last().is_some_and(|last| code.tree.is(*last, "ReturnStmt"));
    if load_of(&left).as_deref() != Some(address.as_str()) || !leaves || children.len() > 2 {
        return None;
    }
    let seen = code.local_name(statement, "seen");
    let object = bare(&address);
    let of_type = if cpp { "auto".to_owned() } else { "__auto_type".to_owned() };
    let load = if cpp { format!("{object}.load()") } else { format!("atomic_load({address})") };
    let swap = match cpp {
        true => format!("{object}.compare_exchange_strong({seen}, {seen} {sign} {by})"),
        false => format!("atomic_compare_exchange_strong({address}, &{seen}, {seen} {sign} {by})"),
    };
    let edits = vec![
        code.before(statement, &format!("{of_type} {seen} = {load};")),
        Edit::replace(file, code.range(statement).start..code.range(statement).start + 2, "while"),
        Edit::replace(file, code.range(condition), format!("{seen} {operator} {right}")),
        code.before(change, &format!("if (!{swap})")),
        Edit::replace(file, code.statement(change), "    continue;"),
    ];
    Some((edits, object))
}

/// The variable that a statement assigns, the value, and its position.
fn assigned(code: &Code, statement: NodeId) -> Option<(String, String, std::ops::Range<usize>)> {
    let range = code.statement(statement);
    let text = &code.text_of_file(statement)[range.clone()];
    let name = match code.tree.node(statement).kind.as_str() {
        "DeclStmt" => match code.children(statement) {
            [variable] => code.tree.node(*variable).name.clone(),
            _ => return None,
        },
        "BinaryOperator" => text.split('=').next()?.trim().to_owned(),
        _ => return None,
    };
    let equals = text.find('=')?;
    if text[equals..].starts_with("==") || !is_name(&name) {
        return None;
    }
    let value = text[equals + 1..].trim_end_matches(';').trim().to_owned();
    let start = range.start + equals + 1 + (text[equals + 1..].len() - text[equals + 1..].trim_start().len());
    Some((name, value.clone(), start..start + value.len()))
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !text.starts_with(|c: char| c.is_numeric())
}

/// A variable, a member or an element, without calls.
fn is_path(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_numeric())
        && text.replace("->", ".").chars().all(|c| c.is_alphanumeric() || "_.[] %".contains(c))
}

/// The arguments of a call of this function, if the text is one.
fn arguments(text: &str, function: &str) -> Option<Vec<String>> {
    let inner = text.trim().strip_prefix(function)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
    let (mut depth, mut parts, mut part) = (0, Vec::new(), String::new());
    for character in inner.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part).trim().to_owned());
                continue;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        part.push(character);
    }
    parts.push(part.trim().to_owned());
    Some(parts)
}

/// The address of the object that an expression reads.
fn load_of(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(arguments) = arguments(text, "atomic_load") {
        return arguments.first().cloned();
    }
    if let Some(object) = text.strip_suffix(".load()") {
        return Some(format!("&{object}"));
    }
    is_path(text).then(|| format!("&{text}"))
}

/// The address and the value of a store.
fn store_of(text: &str) -> Option<(String, String)> {
    if let Some(arguments) = arguments(text, "atomic_store") {
        return Some((arguments.first()?.clone(), arguments.get(1)?.clone()));
    }
    if let Some((object, value)) = text.split_once(".store(") {
        return Some((format!("&{}", object.trim()), value.trim_end_matches(')').to_owned()));
    }
    let (object, value) = text.split_once('=')?;
    let object = object.trim();
    (is_path(object) && !value.starts_with('=')).then(|| (format!("&{object}"), value.trim().to_owned()))
}

/// The address, the sign and the amount of a change.
fn update_of(text: &str) -> Option<(String, char, String)> {
    for (function, sign) in [("atomic_fetch_sub", '-'), ("atomic_fetch_add", '+')] {
        if let Some(arguments) = arguments(text, function) {
            return Some((arguments.first()?.clone(), sign, arguments.get(1)?.clone()));
        }
    }
    let text = text.trim();
    for (mark, sign) in [("--", '-'), ("++", '+')] {
        let object = text.strip_suffix(mark).or_else(|| text.strip_prefix(mark));
        if let Some(object) = object.map(str::trim).filter(|object| is_path(object)) {
            return Some((format!("&{object}"), sign, "1".to_owned()));
        }
    }
    for (mark, sign) in [("-=", '-'), ("+=", '+')] {
        if let Some((object, by)) = text.split_once(mark)
            && is_path(object.trim())
        {
            return Some((format!("&{}", object.trim()), sign, by.trim().to_owned()));
        }
    }
    None
}

/// Of `v + 1` the sign and the amount.
fn step_of(value: &str, name: &str) -> Option<(char, String)> {
    let rest = value.trim().strip_prefix(name)?.trim_start();
    let sign = rest.chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
    Some((sign, rest[1..].trim().to_owned()))
}

fn comparison(text: &str) -> Option<(String, String, String)> {
    for operator in ["==", "!=", "<=", ">=", "<", ">"] {
        if let Some((left, right)) = text.replace("->", "\u{1}").split_once(operator) {
            let back = |text: &str| text.replace('\u{1}', "->").trim().to_owned();
            return Some((back(left), operator.to_owned(), back(right)));
        }
    }
    None
}

/// The old value as an expression of the new one.
fn before_update(after: &str, sign: char, by: &str) -> Option<String> {
    match (after.parse::<i64>(), by.parse::<i64>()) {
        (Ok(after), Ok(by)) => Some(if sign == '-' { after + by } else { after - by }.to_string()),
        _ => Some(format!("{after} {} {by}", if sign == '-' { '+' } else { '-' })),
    }
}

fn bare(address: &str) -> String {
    address.trim_start_matches('&').to_owned()
}

fn exchange(cpp: bool, address: &str, value: &str) -> String {
    match cpp {
        true => format!("{}.exchange({value})", bare(address)),
        false => format!("atomic_exchange({address}, {value})"),
    }
}

fn fetch(cpp: bool, sign: char, address: &str, by: &str) -> String {
    let name = if sign == '-' { "fetch_sub" } else { "fetch_add" };
    match cpp {
        true => format!("{}.{name}({by})", bare(address)),
        false => format!("atomic_{name}({address}, {by})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_recognised_by_their_text() {
        assert_eq!(load_of("atomic_load(&x->n)").as_deref(), Some("&x->n"));
        assert_eq!(load_of("taken[i]").as_deref(), Some("&taken[i]"));
        assert_eq!(load_of("f(x)"), None);
        assert_eq!(store_of("atomic_store(w, 1)"), Some(("w".to_owned(), "1".to_owned())));
        assert_eq!(store_of("x == 1"), None);
        assert_eq!(update_of("p->n--"), Some(("&p->n".to_owned(), '-', "1".to_owned())));
        assert_eq!(step_of("before + 1", "before"), Some(('+', "1".to_owned())));
        assert_eq!(comparison("a->b == 0"), Some(("a->b".to_owned(), "==".to_owned(), "0".to_owned())));
        assert_eq!(before_update("0", '-', "1").as_deref(), Some("1"));
    }
}
