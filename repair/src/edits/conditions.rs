//! Conditions of condition variables: waiters with different predicates get a condition variable each, and a waiter remembers
//! the round in which it began to wait.

use std::collections::BTreeMap;

use super::waits::{calls, condition_words, declared, statement_of_call};
use super::{Candidate, Given, Kind};
use crate::code::{Code, is_cpp};
use crate::sources::{Edit, indent_unit, indentation, line_end};
use crate::tree::NodeId;

const WAITS: &[&str] = &["pthread_cond_wait", "pthread_cond_timedwait", "cnd_wait", "cnd_timedwait", "wait"];
const SIGNALS: &[&str] =
    &["pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal", "cnd_broadcast", "notify_one", "notify_all"];
const BROADCASTS: &[&str] = &["pthread_cond_broadcast", "cnd_broadcast", "notify_all"];

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    if !matches!(given.failure, vm::FailureKind::Deadlock | vm::FailureKind::Hang) {
        return Vec::new();
    }
    let code = given.code;
    let mut waits: BTreeMap<String, Vec<Wait>> = BTreeMap::new();
    for call in calls(code, WAITS) {
        let Some(words) = condition_words(code, call) else { continue };
        let wait = Wait { call, around: loop_around(code, call), words };
        waits.entry(last(&wait.words).to_owned()).or_default().push(wait);
    }
    let mut all: Vec<Candidate> = Vec::new();
    for (name, waits) in &waits {
        all.extend(split(code, name, waits));
        all.extend(waits.iter().filter_map(|wait| rounds(code, name, wait)));
    }
    all
}

struct Wait {
    call: NodeId,
    /// The loop that looks at the predicate.
    around: Option<NodeId>,
    words: String,
}

impl Wait {
    fn predicate(&self, code: &Code) -> String {
        let condition = self.around.and_then(|one| code.children(one).first());
        let words = condition.map_or_else(|| code.text(self.call), |condition| code.text(*condition));
        words.split_whitespace().collect()
    }
}

fn last(words: &str) -> &str {
    words.rsplit(['&', '.', '>']).next().unwrap_or(words).trim()
}

fn loop_around(code: &Code, call: NodeId) -> Option<NodeId> {
    let function = code.tree.function_of(call);
    code.tree
        .ancestors(call)
        .take_while(|one| Some(*one) != function)
        .find(|one| code.tree.is(*one, "WhileStmt") && !code.tree.node(*one).in_macro)
}

/// One condition variable for each predicate. Signals of a function that waits go to the others.
fn split(code: &Code, name: &str, waits: &[Wait]) -> Option<Candidate> {
    let mut predicates: Vec<String> = Vec::new();
    for wait in waits {
        let predicate = wait.predicate(code);
        if !predicates.contains(&predicate) {
            predicates.push(predicate);
        }
    }
    if !(2..=4).contains(&predicates.len()) {
        return None;
    }
    let names: Vec<String> = predicates
        .iter()
        .enumerate()
        .map(|(number, _)| if number == 0 { name.to_owned() } else { code.fresh(&format!("{name}_{}", number + 1)) })
        .collect();
    let mut edits = declarations(code, name, &names[1..])?;
    let mut waiting: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for wait in waits {
        let own = wait.predicate(code);
        let number = predicates.iter().position(|one| *one == own)?;
        if let Some(function) = code.tree.function_of(wait.call) {
            waiting.entry(function).or_default().push(number);
        }
        if number > 0 {
            edits.push(renamed(code, wait.call, name, &names[number])?);
        }
    }
    for signal in calls(code, SIGNALS) {
        if condition_words(code, signal).is_none_or(|words| last(&words) != name) {
            continue;
        }
        let own = code.tree.function_of(signal).and_then(|function| waiting.get(&function));
        let others: Vec<usize> = (0..names.len()).filter(|one| own.is_none_or(|own| !own.contains(one))).collect();
        let targets = if others.is_empty() { (0..names.len()).collect() } else { others };
        edits.extend(signalled(code, signal, name, &names, &targets)?);
    }
    let what = format!("split the condition variable, one for each of: `{}`", predicates.join("`, `"));
    Some(Candidate { kind: Kind::Notify, edits, what, rank: 2 })
}

/// More condition variables beside one, made and destroyed with it.
fn declarations(code: &Code, name: &str, more: &[String]) -> Option<Vec<Edit>> {
    let declaration = declared(code, name)?;
    let statement = code.tree.node(declaration).parent.filter(|parent| code.tree.is(*parent, "DeclStmt"));
    let whole = statement.unwrap_or(declaration);
    let text = code.text_of_file(whole)[code.statement(whole)].to_owned();
    if text.contains(',') && !text.contains('{') {
        return None;
    }
    let mut edits: Vec<Edit> = Vec::new();
    let lines: Vec<String> = more.iter().map(|one| with_name(&text, name, one)).collect::<Option<_>>()?;
    edits.push(code.after(whole, &lines.join("\n")));
    for call in code.tree.ids() {
        let node = code.tree.node(call);
        let of_life = ["pthread_cond_init", "pthread_cond_destroy", "cnd_init", "cnd_destroy"];
        if node.kind != "CallExpr" || !of_life.contains(&node.name.as_str()) || node.in_macro {
            continue;
        }
        let Some(argument) = code.children(call).get(1) else { continue };
        if last(code.text(*argument)) != name {
            continue;
        }
        let statement = statement_of_call(code, call);
        let text = code.text_of_file(statement)[code.statement(statement)].to_owned();
        let lines: Vec<String> = more.iter().map(|one| with_name(&text, name, one)).collect::<Option<_>>()?;
        edits.push(code.after(statement, &lines.join("\n")));
    }
    Some(edits)
}

/// A text with a word replaced, where it first stands alone.
fn with_name(text: &str, word: &str, by: &str) -> Option<String> {
    let at = word_at(text, word)?;
    Some(format!("{}{by}{}", &text[..at], &text[at + word.len()..]))
}

fn word_at(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut found = text.match_indices(word).map(|(at, _)| at);
    found.find(|at| !is_part(text[..*at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
}

/// The name of the condition in a call.
fn renamed(code: &Code, call: NodeId, name: &str, by: &str) -> Option<Edit> {
    let at = code.range(call).start + word_at(code.text(call), name)?;
    Some(Edit::replace(code.file(call), at..at + name.len(), by))
}

fn signalled(code: &Code, signal: NodeId, name: &str, names: &[String], targets: &[usize]) -> Option<Vec<Edit>> {
    let (first, rest) = targets.split_first()?;
    let mut edits = Vec::new();
    if *first > 0 {
        edits.push(renamed(code, signal, name, &names[*first])?);
    }
    if !rest.is_empty() {
        let statement = statement_of_call(code, signal);
        let parent = code.tree.node(statement).parent?;
        if !code.tree.is(parent, "CompoundStmt") {
            return None;
        }
        let text = &code.text_of_file(statement)[code.statement(statement)];
        let lines: Vec<String> = rest.iter().map(|one| with_name(text, name, &names[*one])).collect::<Option<_>>()?;
        edits.push(code.after(statement, &lines.join("\n")));
    }
    Some(edits)
}

/// A barrier or a latch that is used again: the thread that wakes all counts a round, and a waiter continues when its
/// round is over, even if the predicate holds no longer.
fn rounds(code: &Code, name: &str, wait: &Wait) -> Option<Candidate> {
    let around = wait.around?;
    let function = code.tree.function_of(wait.call)?;
    let woken: Vec<NodeId> = calls(code, BROADCASTS)
        .into_iter()
        .filter(|call| code.tree.function_of(*call) == Some(function))
        .filter(|call| condition_words(code, *call).is_some_and(|words| last(&words) == name))
        .collect();
    let broadcast = *woken.first()?;
    let declaration = declared(code, name)?;
    let is_field = code.tree.is(declaration, "FieldDecl");
    let file = code.file(declaration);
    let cpp = is_cpp(file);
    let wish = if cpp && is_field { "generation_" } else { "generation" };
    let round = code.fresh(wish);
    let path = wait.words.trim_start_matches('&');
    let path = format!("{}{round}", &path[..path.len() - last(path).len()]);
    let mine = code.local_name(around, "own_generation");
    let mut edits = Vec::new();
    let line = match (is_field, cpp) {
        (true, true) => format!("unsigned {round} = 0;"),
        (true, false) => format!("unsigned {round};"),
        (false, _) if code.tree.is_global(declaration) => format!("static unsigned {round};"),
        (false, _) => return None,
    };
    let statement = code.tree.node(declaration).parent.filter(|parent| code.tree.is(*parent, "DeclStmt"));
    edits.push(code.after(statement.unwrap_or(declaration), &line));
    if is_field && !cpp {
        edits.extend(zeroed(code, name, &round)?);
    }
    for call in &woken {
        edits.push(counted(code, *call, &format!("{path}++;"))?);
    }
    let (block, at) = code.tree.statement_of(around)?;
    let children = code.children(block);
    let first = children.iter().take(at + 1).find(|one| code.tree.is_within(broadcast, **one));
    edits.push(code.before(*first.unwrap_or(&children[at]), &format!("unsigned {mine} = {path};")));
    let condition = *code.children(around).first()?;
    let tested = code.text(condition);
    let tested = if tested.contains("||") || tested.contains('?') { format!("({tested})") } else { tested.to_owned() };
    edits.push(Edit::replace(code.file(around), code.range(condition), format!("{mine} == {path} && {tested}")));
    let what = "count the rounds, and wait only until the round is over".to_owned();
    Some(Candidate { kind: Kind::WaitLoop, edits, what, rank: 3 })
}

/// Sets a new member to zero where the condition beside it is made.
fn zeroed(code: &Code, name: &str, round: &str) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    for call in calls(code, &["pthread_cond_init", "cnd_init"]) {
        let argument = code.text(*code.children(call).get(1)?).trim();
        if last(argument) == name {
            let path = argument.strip_prefix('&')?;
            let owner = &path[..path.len() - name.len()];
            edits.push(code.after(statement_of_call(code, call), &format!("{owner}{round} = 0;")));
        }
    }
    Some(edits).filter(|edits| !edits.is_empty())
}

/// A statement before a call; with braces if the call is the only statement of its branch.
fn counted(code: &Code, call: NodeId, line: &str) -> Option<Edit> {
    let statement = statement_of_call(code, call);
    let parent = code.tree.node(statement).parent?;
    if code.tree.is(parent, "CompoundStmt") {
        return Some(code.before(statement, line));
    }
    let (text, range) = (code.text_of_file(statement), code.statement(statement));
    let indent = indentation(text, code.range(parent).start);
    let unit = indent_unit(text);
    let gap = text[..range.start].trim_end().len();
    let own = &text[range.clone()];
    let body = format!(" {{\n{indent}{unit}{line}\n{indent}{unit}{own}\n{indent}}}");
    // What follows on the line stays where it is.
    let end = range.end.min(line_end(text, range.end));
    Some(Edit::replace(code.file(statement), gap..end, body))
}
