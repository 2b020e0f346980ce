//! Statements in another order: a publication comes last, a thread is created later or joined sooner, and an object is
//! destroyed after its last use. A thread alone must compute the same: no statement is moved across another that it
//! depends on, by the names in the source and by the accesses in runs.

use std::collections::{BTreeMap, BTreeSet};

use report::EventKind;

use super::regions::node_at;
use super::{Candidate, Given, Kind};
use crate::code::{Code, has_word};
use crate::locks::Api;
use crate::sources::{Edit, begins_line, ends_line};
use crate::tree::NodeId;

/// More moves are not tried.
const MOST: usize = 40;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let code = given.code;
    let causes: BTreeSet<&String> = given.of_causes.iter().collect();
    let mut statements: BTreeSet<(NodeId, usize)> = BTreeSet::new();
    let mut of_causes: BTreeSet<(NodeId, usize)> = BTreeSet::new();
    let effects = effects(given);
    for one in given.facts.all().filter(|one| one.concurrent || is_of_threads(one.kind)) {
        for place in &one.frames {
            let Some(at) = node_at(code, place).and_then(|node| code.tree.statement_of(node)) else { continue };
            let mut positions = vec![at];
            // The statements around it, up to the function.
            while let Some(outer) = code.tree.statement_of(positions[positions.len() - 1].0) {
                positions.push(outer);
            }
            let matters = causes.is_empty() || causes.contains(&one.family()) || is_of_threads(one.kind);
            if matters {
                of_causes.extend(&positions);
            }
            statements.extend(positions);
        }
    }
    for (block, _) in statements.clone() {
        let leaving = code.children(block).iter().enumerate().filter(|(_, one)| leaves(code, **one));
        statements.extend(leaving.map(|(position, _)| (block, position)));
    }
    let mut all = Vec::new();
    for (block, first) in &statements {
        for (_, second) in statements.range((*block, first + 1)..(*block, usize::MAX)) {
            if !of_causes.contains(&(*block, *first)) && !of_causes.contains(&(*block, *second)) {
                continue;
            }
            let serial = ends_before(code, code.children(*block)[*first], code.children(*block)[*second]);
            let distance = (second - first) as u32 + if serial { 1000 } else { 0 };
            for (from, to) in [(*first, *second), (*second, *first)] {
                all.extend(checked(code, &effects, *block, from, to).map(|candidate| (distance, candidate)));
            }
        }
    }
    all.sort_by_key(|(distance, _)| *distance);
    let ranked = all.into_iter().take(MOST).enumerate();
    let base = if given.failure == vm::FailureKind::Deadlock { 24 } else { 4 };
    // What lets threads run one after the other is the last resort.
    let rank = |number: usize, distance: u32| base + number as u32 + if distance >= 1000 { 300 } else { 0 };
    ranked.map(|(number, (distance, candidate))| Candidate { rank: rank(number, distance), ..candidate }).collect()
}

/// By statement, its accesses in runs.
pub type Seen = BTreeMap<NodeId, Effects>;

pub fn effects(given: &Given<'_>) -> Seen {
    let code = given.code;
    let mut effects = Seen::new();
    for one in given.facts.all().filter(|one| one.is_access() && !one.object.is_empty()) {
        for place in &one.frames {
            let Some(mut at) = node_at(code, place).and_then(|node| code.tree.statement_of(node)) else { continue };
            loop {
                let own = effects.entry(code.children(at.0)[at.1]).or_default();
                let set = if one.writes() { &mut own.writes } else { &mut own.reads };
                set.insert(one.object.clone());
                let Some(outer) = code.tree.statement_of(at.0) else { break };
                at = outer;
            }
        }
    }
    effects
}

/// Moves a statement of a block to the place of another, if a thread alone then computes the same.
pub fn checked(code: &Code, effects: &Seen, block: NodeId, from: usize, to: usize) -> Option<Candidate> {
    if is_dependent(code, effects, block, from, to) {
        return None;
    }
    moved(code, block, from, to)
}

/// Whether two statements create and join threads: their order decides whether threads run beside each other.
pub fn ends_before(code: &Code, one: NodeId, other: NodeId) -> bool {
    let calls = |statement: NodeId, names: &[&str]| {
        let is_one = |id: &NodeId| {
            let node = code.tree.node(*id);
            let creates = names.contains(&"create") && node.kind == "VarDecl" && node.type_name.contains("thread");
            creates || node.kind == "CallExpr" && names.iter().any(|name| node.name.ends_with(name))
        };
        code.tree.below(statement).iter().any(is_one)
    };
    calls(one, &["create"]) && calls(other, &["join"])
}

/// What a statement reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
}

impl Effects {
    fn conflicts(&self, other: &Effects) -> bool {
        !self.writes.is_disjoint(&other.writes)
            || !self.writes.is_disjoint(&other.reads)
            || !self.reads.is_disjoint(&other.writes)
    }
}

/// Whether one of the statements that would be crossed and the moved one depend on each other.
fn is_dependent(code: &Code, seen: &BTreeMap<NodeId, Effects>, block: NodeId, from: usize, to: usize) -> bool {
    let children = code.children(block);
    let moving = children[from];
    let nothing = Effects::default();
    let (named, met) = (named_effects(code, moving), seen.get(&moving).unwrap_or(&nothing));
    let crossed = children[from.min(to)..=from.max(to)].iter().filter(|one| **one != moving);
    crossed
        .into_iter()
        .any(|one| named.conflicts(&named_effects(code, *one)) || met.conflicts(seen.get(one).unwrap_or(&nothing)))
}

/// The names in the source: variables and members, as they are written.
fn named_effects(code: &Code, statement: NodeId) -> Effects {
    let mut effects = Effects::default();
    for id in code.tree.below(statement) {
        let node = code.tree.node(id);
        let words = || code.text(id).split_whitespace().collect::<String>();
        match node.kind.as_str() {
            "VarDecl" => {
                effects.writes.insert(node.name.clone());
            }
            "DeclRefExpr" | "MemberRefExpr" if !node.in_macro => {
                effects.reads.insert(words());
            }
            "DeclRefExpr" | "MemberRefExpr" => {
                effects.reads.insert(node.name.clone());
            }
            "BinaryOperator" | "CompoundAssignOperator" | "UnaryOperator" => {
                let Some(operand) = code.children(id).first() else { continue };
                let target = code.text(*operand).split_whitespace().collect::<String>();
                let rest = code.text(id).get(code.text(*operand).len()..).unwrap_or_default().trim_start();
                let whole = code.text(id);
                let writes = match node.kind.as_str() {
                    "BinaryOperator" => rest.starts_with('=') && !rest.starts_with("=="),
                    "UnaryOperator" => whole.contains("++") || whole.contains("--") || whole.starts_with('&'),
                    _ => true,
                };
                if writes {
                    effects.writes.insert(target);
                }
            }
            _ => {}
        }
    }
    effects
}

fn is_of_threads(kind: EventKind) -> bool {
    use EventKind::{Barrier, Broadcast, Destroy, Fork, Free, Join, SemPost, SemWait, Signal};
    matches!(kind, Fork | Join | Destroy | Free | SemPost | SemWait | Signal | Broadcast | Barrier)
}

fn leaves(code: &Code, statement: NodeId) -> bool {
    code.tree.is(statement, "IfStmt") && code.tree.below(statement).iter().any(|one| code.tree.is(*one, "ReturnStmt"))
}

/// Moves a statement of a block to the place of another: after it if that comes later.
fn moved(code: &Code, block: NodeId, from: usize, to: usize) -> Option<Candidate> {
    let children = code.children(block);
    let (moving, target) = (children[from], children[to]);
    let text = code.text_of_file(moving);
    let is_lined = |id: NodeId| {
        let range = code.statement(id);
        begins_line(text, range.start) && ends_line(text, range.end)
    };
    let function = code.tree.function_of(moving)?;
    let operations = code.lock_operations(function);
    let locks = |id: NodeId| operations.iter().any(|one| one.statement == id && one.lock.api != Api::Semaphore);
    let crossed = &children[from.min(to)..=from.max(to)];
    // A loop that only waits is a lock, or part of one.
    if crossed.iter().any(|one| spins(code, *one)) {
        return None;
    }
    // An assertion is a specification, and joins may come in any order.
    let joins = |id: NodeId| code.call_in(id).is_some_and(|call| code.tree.node(call).name.ends_with("join"));
    if code.text(moving).starts_with("assert") || crossed.iter().all(|one| joins(*one)) {
        return None;
    }
    // Moves across locks are sections that become wider, which are made elsewhere.
    if !is_lined(moving)
        || !is_lined(target)
        || crossed.iter().any(|one| locks(*one) || declares_for(code, *one, moving))
        || code.tree.is(moving, "ReturnStmt")
        || (to > from && code.tree.is(target, "ReturnStmt"))
        || crossed.iter().any(|one| *one != moving && declares_for(code, moving, *one))
    {
        return None;
    }
    let range = code.lines_of(text, code.statement(moving));
    let file = code.file(moving);
    let there = code.lines_of(text, code.statement(target));
    let at = if to > from { there.end } else { there.start };
    let edits = vec![Edit::insert(file, at, &text[range.clone()]), Edit::replace(file, range, "")];
    let kind = if crossed.iter().any(|one| handles_thread(code, *one)) { Kind::MoveThread } else { Kind::Reorder };
    let words: String = code.text(moving).split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(40).collect();
    let line = code.sources.line_of(file, code.range(target).start);
    let side = if to > from { "behind" } else { "before" };
    Some(Candidate { kind, edits, what: format!("move `{short}` {side} line {line}"), rank: 0 })
}

/// Whether a statement is a loop without a body.
fn spins(code: &Code, statement: NodeId) -> bool {
    let is_empty = |body: &NodeId| match code.tree.node(*body).kind.as_str() {
        "NullStmt" => true,
        "CompoundStmt" => code.children(*body).is_empty(),
        _ => false,
    };
    let is_loop = matches!(code.tree.node(statement).kind.as_str(), "WhileStmt" | "ForStmt");
    is_loop && code.children(statement).last().is_some_and(is_empty)
}

/// Whether a statement declares what another uses.
fn declares_for(code: &Code, statement: NodeId, user: NodeId) -> bool {
    if statement == user || !code.tree.is(statement, "DeclStmt") {
        return false;
    }
    let names = code.children(statement).iter().map(|one| code.tree.node(*one).name.as_str());
    names.filter(|name| !name.is_empty()).any(|name| has_word(code.text(user), name))
}

/// Whether a statement creates, joins or ends something that threads use.
fn handles_thread(code: &Code, statement: NodeId) -> bool {
    const CALLS: &[&str] = &["pthread_create", "pthread_join", "thrd_create", "thrd_join", "join", "free", "detach"];
    code.tree.below(statement).iter().any(|one| {
        let node = code.tree.node(*one);
        let name = node.name.as_str();
        node.kind == "CallExpr" && (CALLS.contains(&name) || name.contains("destroy"))
            || node.kind == "VarDecl" && node.type_name.contains("thread")
    })
}
