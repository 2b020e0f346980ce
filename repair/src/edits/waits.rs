//! Waiting and waking: a condition that is checked again after waking, all waiters woken, and a flag for a signal that may
//! come before its waiter.

use super::{Candidate, Given, Kind};
use crate::code::{Code, is_cpp};
use crate::locks::Lock;
use crate::sources::Edit;
use crate::tree::NodeId;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let code = given.code;
    let waits = calls(code, &["pthread_cond_wait", "pthread_cond_timedwait", "cnd_wait", "wait"]);
    let mut all = Vec::new();
    let loops: Vec<Vec<Edit>> = waits.iter().filter_map(|wait| checked_again(code, *wait)).collect();
    let what = "check the condition again after waking: `while` instead of `if`".to_owned();
    for edits in &loops {
        all.push(Candidate { kind: Kind::WaitLoop, edits: edits.clone(), what: what.clone(), rank: 1 });
    }
    if loops.len() > 1 {
        all.push(Candidate { kind: Kind::WaitLoop, edits: loops.concat(), what, rank: 2 });
    }
    for wait in &waits {
        all.extend(with_condition(code, *wait));
        all.extend(with_flag(code, *wait));
    }
    all.extend(notify_all(code, &given.failure));
    all
}

/// Calls of these functions, as whole statements.
pub fn calls(code: &Code, names: &[&str]) -> Vec<NodeId> {
    let is_one = |id: &NodeId| {
        let node = code.tree.node(*id);
        node.kind == "CallExpr" && names.contains(&node.name.as_str()) && is_condition_call(code, *id)
    };
    code.tree.ids().filter(is_one).collect()
}

/// Methods have the name of many things: only those of conditions count.
fn is_condition_call(code: &Code, call: NodeId) -> bool {
    let name = code.tree.node(call).name.as_str();
    if !matches!(name, "wait" | "notify_one" | "notify_all") {
        return true;
    }
    let Some(member) = code.children(call).first() else { return false };
    let base = code.children(*member).first().map(|base| code.tree.node(*base).type_name.clone());
    base.is_some_and(|name| name.contains("condition_variable"))
}

/// The statement that a call is.
pub fn statement_of_call(code: &Code, call: NodeId) -> NodeId {
    let mut statement = call;
    for parent in code.tree.ancestors(call) {
        if !matches!(
            code.tree.node(parent).kind.as_str(),
            "UnexposedExpr" | "CStyleCastExpr" | "ParenExpr" | "ExprWithCleanups"
        ) {
            break;
        }
        statement = parent;
    }
    statement
}

/// The `if` around a wait becomes a `while`.
fn checked_again(code: &Code, wait: NodeId) -> Option<Vec<Edit>> {
    let statement = statement_of_call(code, wait);
    let parent = code.tree.node(statement).parent?;
    let condition = match code.tree.node(parent).kind.as_str() {
        "IfStmt" => parent,
        "CompoundStmt" if code.children(parent).len() == 1 => code.tree.node(parent).parent?,
        _ => return None,
    };
    if !code.tree.is(condition, "IfStmt") || code.children(condition).len() != 2 {
        return None;
    }
    let start = code.range(condition).start;
    let text = code.text_of_file(condition);
    text[start..].starts_with("if").then(|| vec![Edit::replace(code.file(condition), start..start + 2, "while")])
}

fn is_in_loop(code: &Code, id: NodeId) -> bool {
    let kinds = ["WhileStmt", "ForStmt", "DoStmt"];
    let function = code.tree.function_of(id);
    code.tree
        .ancestors(id)
        .take_while(|one| Some(*one) != function)
        .any(|one| kinds.contains(&code.tree.node(one).kind.as_str()))
}

/// A wait without a condition gets a condition on the variables that its function uses afterwards.
fn with_condition(code: &Code, wait: NodeId) -> Vec<Candidate> {
    let statement = statement_of_call(code, wait);
    if is_in_loop(code, wait) || checked_again(code, wait).is_some() {
        return Vec::new();
    }
    let Some(function) = code.tree.function_of(wait) else { return Vec::new() };
    let mut words: Vec<(String, bool)> = Vec::new();
    for id in code.tree.below(function) {
        let node = code.tree.node(id);
        let is_named = matches!(node.kind.as_str(), "DeclRefExpr" | "MemberRefExpr");
        let scalar =
            matches!(node.canonical.as_str(), "int" | "bool" | "_Bool" | "unsigned int" | "long" | "unsigned long");
        let is_shared = node.kind == "MemberRefExpr"
            || code.tree.declaration(&node.refers).is_some_and(|declaration| code.tree.is_global(declaration));
        let container = node.canonical.contains("vector<")
            || node.canonical.contains("deque<")
            || node.canonical.contains("queue<");
        if is_named && is_shared && (scalar || container) && !node.in_macro {
            let entry = (code.text(id).to_owned(), container);
            if !words.contains(&entry) {
                words.push(entry);
            }
        }
    }
    let test = |(words, container): &(String, bool)| match container {
        true => format!("{words}.empty()"),
        false => format!("!{words}"),
    };
    let looped = |test: String| {
        let file = code.file(statement);
        let text = &code.text_of_file(statement)[code.statement(statement)];
        let indent = crate::sources::indentation(code.text_of_file(statement), code.range(statement).start);
        let unit = crate::sources::indent_unit(code.text_of_file(statement));
        let body = format!("while ({test})\n{indent}{unit}{text}");
        Candidate {
            kind: Kind::WaitLoop,
            edits: vec![Edit::replace(file, code.statement(statement), body)],
            what: format!("wait only while `{test}`, and check it again after waking"),
            rank: 2,
        }
    };
    words.iter().take(4).map(|word| looped(test(word))).collect()
}

/// A flag that the signalling side sets under the waiter's lock, for waits whose signal may come first.
fn with_flag(code: &Code, wait: NodeId) -> Option<Candidate> {
    let statement = statement_of_call(code, wait);
    if is_in_loop(code, wait) {
        return None;
    }
    let function = code.tree.function_of(wait)?;
    let file = code.file(wait);
    let cpp = is_cpp(file);
    let (condition, lock) = parts(code, wait)?;
    let declaration = declared(code, &condition)?;
    let is_field = code.tree.is(declaration, "FieldDecl");
    if is_field && !cpp {
        return None;
    }
    let flag = code.fresh(if cpp && is_field { "is_signalled_" } else { "is_signalled" });
    let line = match (cpp, is_field) {
        (true, true) => format!("bool {flag} = false;"),
        (true, false) => format!("static bool {flag};"),
        _ => format!("static int {flag};"),
    };
    let own = declared(code, &lock.words)?;
    let mut edits = vec![code.after(declaration, &line)];
    let whole = code.text_of_file(statement);
    let range = code.statement(statement);
    let indent = crate::sources::indentation(whole, range.start);
    let unit = crate::sources::indent_unit(whole);
    edits.push(Edit::replace(file, range.clone(), format!("while (!{flag})\n{indent}{unit}{}", &whole[range])));
    let signals = calls(
        code,
        &["pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal", "cnd_broadcast", "notify_one", "notify_all"],
    );
    let last = |words: &str| words.rsplit(['&', '.', '>']).next().unwrap_or(words).trim().to_owned();
    for signal in signals {
        let signalled = condition_words(code, signal)?;
        if last(&signalled) != last(&condition) {
            continue;
        }
        let there = code.tree.function_of(signal)?;
        let held = code.lock_in(own, lock.api, there)?;
        let at = statement_of_call(code, signal);
        let truth = if cpp { "true" } else { "1" };
        let set = match cpp {
            true => format!(
                "{{\n{unit}std::lock_guard<{}> guard({});\n{unit}{flag} = {truth};\n}}",
                held.of_type, held.words
            ),
            false => format!("{}\n{flag} = {truth};\n{}", held.locking(), held.unlocking()),
        };
        let holds = code.lock_operations(there).iter().any(|one| one.lock.is_same(&held));
        edits.push(code.before(at, &if holds { format!("{flag} = {truth};") } else { set }));
    }
    let _ = function;
    let what = format!("remember the signal in `{flag}`, and wait only until it is set");
    Some(Candidate { kind: Kind::WaitLoop, edits, what, rank: 4 })
}

/// The condition and the lock of a wait.
fn parts(code: &Code, wait: NodeId) -> Option<(String, Lock)> {
    let condition = condition_words(code, wait)?;
    let children = code.children(wait);
    let function = code.tree.function_of(wait)?;
    let operations = code.lock_operations(function);
    let name = code.tree.node(wait).name.as_str();
    let words = match name {
        "wait" => code.text(*children.get(1)?),
        _ => code.text(*children.get(2)?),
    };
    let found = operations.into_iter().find(|one| one.guard == words || one.lock.words == words)?;
    Some((condition, found.lock))
}

/// The condition of a wait or a signal, as the source writes it.
pub fn condition_words(code: &Code, call: NodeId) -> Option<String> {
    let children = code.children(call);
    match code.tree.node(call).name.as_str() {
        "wait" | "notify_one" | "notify_all" => {
            let text = code.text(*children.first()?);
            Some(text.rsplit_once(['.', '>'])?.0.trim_end_matches('-').to_owned())
        }
        _ => Some(code.text(*children.get(1)?).to_owned()),
    }
}

/// The declaration of the last name of some words: of `&s->ready` that of `ready`.
pub fn declared(code: &Code, words: &str) -> Option<NodeId> {
    let last = words.rsplit(['&', '.', '>']).next()?.trim();
    code.tree.ids().find(|id| {
        let node = code.tree.node(*id);
        matches!(node.kind.as_str(), "VarDecl" | "FieldDecl") && node.name == last
    })
}

/// All waiters are woken.
fn notify_all(code: &Code, failure: &vm::FailureKind) -> Vec<Candidate> {
    const PAIRS: &[(&str, &str)] = &[
        ("pthread_cond_signal", "pthread_cond_broadcast"),
        ("cnd_signal", "cnd_broadcast"),
        ("notify_one", "notify_all"),
    ];
    let mut all = Vec::new();
    let stuck = matches!(failure, vm::FailureKind::Deadlock | vm::FailureKind::Hang);
    for (one, every) in PAIRS {
        let edits: Vec<Edit> = calls(code, &[one])
            .into_iter()
            .filter_map(|call| {
                let at = code.range(call).start + code.text(call).find(one)?;
                Some(Edit::replace(code.file(call), at..at + one.len(), *every))
            })
            .collect();
        if !edits.is_empty() && stuck {
            let what = "wake all waiting threads".to_owned();
            all.push(Candidate { kind: Kind::Notify, edits, what, rank: 1 });
        }
    }
    all
}
