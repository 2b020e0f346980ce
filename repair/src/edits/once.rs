//! Initialisation that happens once: an `if` that tests whether an object exists, and makes it, becomes `pthread_once`
//! or `std::call_once`; or the object is made under a local name, and published when it is complete.
//!
//! Only a test for zero, a null pointer or an empty container is such an initialisation, and only if two threads did
//! not take its branch in the run without preemptions: a withdrawal that is guarded by a balance must stay possible a
//! second time.

use std::collections::{BTreeMap, BTreeSet};

use super::add_sections::start_of_declaration;
use super::regions::node_at;
use super::{Candidate, Given, Kind};
use crate::code::{Code, has_word, is_cpp};
use crate::sources::Edit;
use crate::tree::NodeId;

/// Candidates of each sort, at most.
const MOST: usize = 4;

/// The position of the run without preemptions: the first is the failing one.
const UNDISTURBED: usize = 1;

/// Behind the sections that are likely.
const RANK: u32 = 6;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let code = given.code;
    let met = Met::new(given);
    let tests: Vec<NodeId> = code.tree.ids().filter(|id| is_initialisation(code, *id, &met)).collect();
    let mut all: Vec<Candidate> = tests.iter().filter_map(|test| called_once(code, *test)).take(MOST).collect();
    all.extend(tests.iter().filter_map(|test| published_last(code, *test)).take(MOST));
    all
}

/// Families that runs have read and written at nodes, and the nodes at which several threads have written one object in the
/// run without preemptions.
struct Met {
    reads: BTreeMap<NodeId, BTreeSet<String>>,
    writes: BTreeMap<NodeId, BTreeSet<String>>,
    often: BTreeSet<NodeId>,
}

impl Met {
    fn new(given: &Given<'_>) -> Met {
        let mut met = Met { reads: BTreeMap::new(), writes: BTreeMap::new(), often: BTreeSet::new() };
        for (number, run) in given.facts.runs.iter().enumerate() {
            let mut writers: BTreeMap<(NodeId, &str), &str> = BTreeMap::new();
            for one in run.iter().filter(|one| one.is_access() && !one.object.is_empty()) {
                for place in &one.frames {
                    let Some(node) = node_at(given.code, place) else { continue };
                    let set = if one.writes() { &mut met.writes } else { &mut met.reads };
                    set.entry(node).or_default().insert(one.family());
                    if number == UNDISTURBED
                        && one.writes()
                        && *writers.entry((node, one.object.as_str())).or_insert(&one.thread) != one.thread
                    {
                        met.often.insert(node);
                    }
                }
            }
        }
        met
    }

    fn within(code: &Code, sets: &BTreeMap<NodeId, BTreeSet<String>>, node: NodeId) -> BTreeSet<String> {
        code.tree.below(node).iter().filter_map(|id| sets.get(id)).flatten().cloned().collect()
    }
}

/// Whether a node is an `if` that tests for a missing object, and makes it.
fn is_initialisation(code: &Code, id: NodeId, met: &Met) -> bool {
    if !code.tree.is(id, "IfStmt") || code.tree.node(id).in_macro {
        return false;
    }
    let [condition, then] = code.children(id) else { return false };
    if !tests_for_nothing(code.text(*condition)) {
        return false;
    }
    let read = Met::within(code, &met.reads, *condition);
    let written = Met::within(code, &met.writes, *then);
    let flag = Met::within(code, &met.writes, *condition);
    let makes = !read.is_disjoint(&written) || !flag.is_empty();
    let twice = code.tree.below(*then).iter().any(|node| {
        met.often.contains(node) && met.writes.get(node).is_some_and(|families| !families.is_disjoint(&read))
    });
    makes && !twice
}

fn tests_for_nothing(text: &str) -> bool {
    let text = text.trim();
    let ends = ["== 0", "== NULL", "== nullptr", "==0", "==NULL", "==nullptr", ".empty()", "empty()"];
    let is_one = !text.contains("&&") && !text.contains("||");
    is_one && (text.starts_with('!') || ends.iter().any(|end| text.ends_with(end)))
}

/// Whether control stays within a node, but for its end.
fn stays(code: &Code, id: NodeId) -> bool {
    code.tree.below(id).iter().all(|one| {
        !matches!(
            code.tree.node(*one).kind.as_str(),
            "ReturnStmt" | "BreakStmt" | "ContinueStmt" | "GotoStmt" | "LabelStmt"
        )
    })
}

fn called_once(code: &Code, test: NodeId) -> Option<Candidate> {
    let [condition, then] = code.children(test) else { return None };
    let function = code.tree.function_of(test)?;
    let file = code.file(test);
    if !stays(code, *then) || is_of_object(code, function, *condition) {
        return None;
    }
    let wish = code.tree.node(function).name.trim_matches('_').to_owned();
    let wish = if wish.is_empty() || !wish.chars().all(|c| c.is_alphanumeric() || c == '_') { "first" } else { &wish };
    let name = code.fresh(&format!("{wish}_once"));
    let edits = match is_cpp(file) {
        true => call_once(code, test, *then, &name),
        false => pthread_once(code, function, test, *then, &name)?,
    };
    let line = code.sources.line_of(file, code.range(test).start);
    Some(Candidate {
        kind: Kind::Once,
        edits,
        what: format!("run the code guarded by line {line} only once"),
        rank: RANK,
    })
}

/// Whether the test asks for members of the object of a method: each object needs a flag of its own then.
fn is_of_object(code: &Code, function: NodeId, condition: NodeId) -> bool {
    let is_method = code.tree.is(function, "CXXMethod") || code.tree.is(function, "CXXConstructor");
    is_method && code.tree.below(condition).iter().any(|id| code.tree.is(*id, "MemberRefExpr"))
}

fn call_once(code: &Code, test: NodeId, then: NodeId, name: &str) -> Vec<Edit> {
    let file = code.file(test);
    let (start, body) = (code.range(test).start, code.statement(then));
    let mut edits = vec![code.before(test, &format!("static std::once_flag {name};"))];
    let head = format!("std::call_once({name}, [&] ");
    if code.tree.is(then, "CompoundStmt") {
        edits.push(Edit::replace(file, start..body.start, head));
        edits.push(Edit::insert(file, body.end, ");"));
    } else {
        let text = &code.text_of_file(then)[body.clone()];
        edits.push(Edit::replace(file, start..body.end, format!("{head}{{ {text} }});")));
    }
    edits.extend(code.including(file, "mutex"));
    edits
}

fn pthread_once(code: &Code, function: NodeId, test: NodeId, then: NodeId, name: &str) -> Option<Vec<Edit>> {
    let file = code.file(test);
    let at = start_of_declaration(code, code.outermost(function));
    let text = code.text_of_file(then);
    let mut declaration = format!("static pthread_once_t {name} = PTHREAD_ONCE_INIT;\n\n");
    let made = match lone_call(code, then) {
        Some(callee) => callee,
        None => {
            if !is_independent(code, function, then) {
                return None;
            }
            let maker = code.fresh(&name.replace("_once", "_first"));
            let body = &text[code.statement(then)];
            let indent = crate::sources::indentation(text, code.range(test).start);
            let unit = crate::sources::indent_unit(text);
            let lines: String = match code.tree.is(then, "CompoundStmt") {
                true => dedented(body, indent),
                false => format!("{{\n{unit}{}\n}}", body.trim()),
            };
            declaration.push_str(&format!("static void {maker}(void)\n{lines}\n\n"));
            maker
        }
    };
    let call = format!("pthread_once(&{name}, {made});");
    let range = code.range(test).start..code.statement(then).end;
    let mut edits = vec![Edit::insert(file, at, declaration), Edit::replace(file, range, call)];
    edits.extend(code.including(file, "pthread.h"));
    Some(edits)
}

/// A block with so much less indentation on each line.
fn dedented(text: &str, indent: &str) -> String {
    let lines: Vec<&str> = text.lines().map(|line| line.strip_prefix(indent).unwrap_or(line)).collect();
    lines.join("\n")
}

/// The function that a statement calls, if it does nothing else, and has neither parameters nor a result.
fn lone_call(code: &Code, then: NodeId) -> Option<String> {
    let statement = match code.tree.is(then, "CompoundStmt") {
        true => match code.children(then) {
            [one] => *one,
            _ => return None,
        },
        false => then,
    };
    let call = code.call_in(statement).filter(|call| !code.tree.node(*call).in_macro)?;
    let name = &code.tree.node(call).name;
    let is_it = |id: &NodeId| code.tree.is(*id, "FunctionDecl") && code.tree.node(*id).name == *name;
    let callee = code.tree.functions().into_iter().find(is_it)?;
    (code.tree.node(callee).type_name.replace(' ', "") == "void(void)").then(|| name.clone())
}

/// Whether a block uses no locals of its function but its own.
fn is_independent(code: &Code, function: NodeId, then: NodeId) -> bool {
    let is_own = |declared: NodeId| code.tree.is_within(declared, then);
    code.tree.below(then).iter().all(|id| {
        let node = code.tree.node(*id);
        if node.kind != "DeclRefExpr" {
            return true;
        }
        match code.tree.declaration(&node.refers) {
            Some(declared) => is_own(declared) || !code.tree.is_within(declared, function) || declared == function,
            // Locals have no symbol of their own everywhere: their names decide.
            None => !declares(code, function, &node.name) || declares(code, then, &node.name),
        }
    })
}

fn declares(code: &Code, around: NodeId, name: &str) -> bool {
    code.tree.below(around).iter().any(|id| {
        let node = code.tree.node(*id);
        matches!(node.kind.as_str(), "VarDecl" | "ParmDecl") && node.name == name
    })
}

/// `p = make(); p->a = 1;` becomes `T *made = make(); made->a = 1; p = made;`: no thread sees the object before it is
/// complete.
fn published_last(code: &Code, test: NodeId) -> Option<Candidate> {
    let [_, then] = code.children(test) else { return None };
    let blocks = code.tree.below(*then).into_iter().filter(|id| code.tree.is(*id, "CompoundStmt"));
    blocks.filter_map(|block| published(code, block)).next()
}

fn published(code: &Code, block: NodeId) -> Option<Candidate> {
    let children = code.children(block);
    let text = code.text_of_file(block);
    for (position, statement) in children.iter().enumerate() {
        if !code.tree.is(*statement, "BinaryOperator") || code.tree.node(*statement).in_macro {
            continue;
        }
        let [target, _] = code.children(*statement) else { continue };
        let of_type = code.tree.node(*target).canonical.clone();
        let words = code.text(*target).trim().to_owned();
        let rest = text[code.range(*target).end..].trim_start();
        let bare = of_type.replace("volatile", "").trim().to_owned();
        let is_shared = code.tree.is(*target, "MemberRefExpr")
            || code.tree.declaration(&code.tree.node(*target).refers).is_some_and(|one| code.tree.is_global(one));
        if !bare.ends_with('*') || !is_shared || !rest.starts_with('=') || rest.starts_with("==") {
            continue;
        }
        let users: Vec<NodeId> =
            children[position + 1..].iter().copied().take_while(|one| !releases(code, *one)).collect();
        let last = users.iter().rposition(|one| has_word(code.text(*one), words.as_str()))?;
        let name = code.local_name(block, "made");
        let file = code.file(block);
        let declared = match is_cpp(file) {
            true => format!("auto *{name}"),
            false => Code::declared(&bare, &name),
        };
        let mut edits = vec![Edit::replace(file, code.range(*target), declared)];
        for user in &users[..=last] {
            let range = code.statement(*user);
            edits.extend(renamed(file, &text[range.clone()], range.start, &words, &name)?);
        }
        edits.push(code.after(users[last], &format!("{words} = {name};")));
        let what = format!("set `{words}` when the object is complete");
        return Some(Candidate { kind: Kind::Reorder, edits, what, rank: 1 });
    }
    None
}

fn releases(code: &Code, statement: NodeId) -> bool {
    let Some(call) = code.call_in(statement) else { return false };
    code.tree.node(call).name.contains("unlock")
}

/// Replaces every occurrence of some words; none where there is none.
fn renamed(file: &str, text: &str, start: usize, words: &str, by: &str) -> Option<Vec<Edit>> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let edits = text.match_indices(words).filter(|(at, _)| {
        !is_part(text[..*at].chars().next_back()) && !is_part(text[at + words.len()..].chars().next())
    });
    Some(edits.map(|(at, _)| Edit::replace(file, start + at..start + at + words.len(), by)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initialisations_ask_whether_nothing_is_there() {
        for text in ["!ready", "table == NULL", "!atomic_exchange(&built, 1)", "routes.empty()", "is_empty()"] {
            assert!(tests_for_nothing(text), "{text}");
        }
        for text in ["balance >= amount", "!a && !b", "table"] {
            assert!(!tests_for_nothing(text), "{text}");
        }
    }
}
