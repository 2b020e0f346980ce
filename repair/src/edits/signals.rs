//! Orders between threads as the paper realises them: a flag that one side sets, and for which the other waits with a
//! condition variable, or a semaphore that stays open once it was posted. Never a bare signal, which comes too early or
//! too late.

use report::{Cover, Order};

use super::add_sections::start_of_declaration;
use super::regions::node_at;
use super::{Candidate, Given, Kind};
use crate::code::{Code, is_cpp};
use crate::locks::{Act, Api, Lock};
use crate::sources::Edit;
use crate::tree::NodeId;

/// Covers that become candidates.
const COVERS: usize = 10;

/// Larger covers are not realised.
const ORDERS: usize = 4;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let elementary = given.covers.iter().filter(|cover| !cover.composite && cover.orders.len() <= ORDERS);
    let code = given.code;
    // A program that uses semaphores gets one more of them.
    let means = match code.sources.texts.values().any(|text| text.contains("<semaphore.h>")) {
        true => [Means::Semaphore, Means::Condition],
        false => [Means::Condition, Means::Semaphore],
    };
    let mut all = Vec::new();
    for (number, cover) in elementary.take(COVERS).enumerate() {
        for (later, means) in means.iter().enumerate() {
            let rank = 34 + 2 * number as u32 + later as u32;
            all.extend(realised(code, cover, *means).map(|one| Candidate { rank, ..one }));
        }
    }
    all
}

/// How one thread waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    /// A flag, a lock and a condition variable.
    Condition,
    /// A semaphore that each waiter posts for the next.
    Semaphore,
}

fn realised(code: &Code, cover: &Cover, means: Means) -> Option<Candidate> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut what = Vec::new();
    for order in &cover.orders {
        let Some((own, said)) = ordered(code, order, &names, means) else { continue };
        names.push(said.0);
        if !what.contains(&said.1) {
            what.push(said.1);
        }
        for edit in own {
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
    }
    let what = format!("wait until {}", what.join(", and until "));
    (!edits.is_empty()).then_some(Candidate { kind: Kind::SignalWait, edits, what, rank: 0 })
}

/// A flag for one order, with its name and its meaning.
fn ordered(code: &Code, order: &Order, taken: &[String], means: Means) -> Option<(Vec<Edit>, (String, String))> {
    let statement = |place: &report::Place| {
        let (block, position) = code.tree.statement_of(node_at(code, place)?)?;
        Some(code.children(block)[position])
    };
    let (from, to) = (order.before.at.user_place()?, order.after.at.user_place()?);
    let (setter, waiter) = (statement(from)?, statement(to)?);
    let object: String = order
        .before
        .subject()
        .rsplit(['.', '>'])
        .next()
        .unwrap_or_default()
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    let object = if object.is_empty() { "step" } else { object.trim_matches('_') };
    let verb = if order.before.kind == report::EventKind::Read { "read" } else { "written" };
    let mut name = code.fresh(&format!("{object}_{verb}"));
    while taken.contains(&name) {
        name.push('_');
    }
    let file = code.file(setter);
    if file != code.file(waiter) {
        return None;
    }
    let said = format!("line {} has run", from.line);
    let edits = match (means, is_cpp(file)) {
        (Means::Semaphore, _) => semaphore(code, &name, setter, waiter)?,
        (Means::Condition, true) => standard(code, &name, setter, waiter),
        (Means::Condition, false) => posix(code, &name, setter, waiter)?,
    };
    Some((edits, (name, said)))
}

/// The lock that is held at a statement, by the order of the text.
fn held_at(code: &Code, statement: NodeId) -> Option<Lock> {
    let function = code.tree.function_of(statement)?;
    let start = code.range(statement).start;
    let operations = code.lock_operations(function);
    let before = operations.iter().filter(|one| code.range(one.statement).start < start && one.lock.api == Api::Posix);
    let last = before.max_by_key(|one| code.range(one.statement).start)?;
    (last.act == Act::Lock).then(|| last.lock.clone())
}

fn declared_before(code: &Code, setter: NodeId, waiter: NodeId) -> usize {
    [setter, waiter].iter().map(|one| start_of_declaration(code, code.outermost(*one))).min().unwrap_or_default()
}

fn posix(code: &Code, name: &str, setter: NodeId, waiter: NodeId) -> Option<Vec<Edit>> {
    let file = code.file(setter);
    let condition = format!("{name}_changed");
    let own = Lock { api: Api::Posix, words: format!("&{name}_lock"), of_type: String::new() };
    let held = held_at(code, waiter).filter(|lock| !lock.words.contains("->") && !lock.words.contains('.'));
    let lock = held.clone().unwrap_or_else(|| own.clone());
    let mut declarations =
        format!("static int {name};\nstatic pthread_cond_t {condition} = PTHREAD_COND_INITIALIZER;\n");
    if held.is_none() {
        declarations.push_str(&format!("static pthread_mutex_t {name}_lock = PTHREAD_MUTEX_INITIALIZER;\n"));
    }
    declarations.push('\n');
    let at = match &held {
        // Behind the lock that is used.
        Some(_) => declared_before(code, setter, waiter),
        None => declared_before(code, setter, waiter),
    };
    let (locking, unlocking) = (lock.locking(), lock.unlocking());
    let set = format!("{name} = 1;\npthread_cond_broadcast(&{condition});");
    let set = match held_at(code, setter) {
        Some(there) if there.is_same(&lock) => set,
        _ => format!("{locking}\n{set}\n{unlocking}"),
    };
    let unit = crate::sources::indent_unit(code.text_of_file(waiter));
    let wait = format!("while (!{name})\n{unit}pthread_cond_wait(&{condition}, {});", lock.words);
    let wait = if held.is_some() { wait } else { format!("{locking}\n{wait}\n{unlocking}") };
    let mut edits = vec![Edit::insert(file, at, declarations), code.after(setter, &set), code.before(waiter, &wait)];
    edits.extend(code.including(file, "pthread.h"));
    Some(edits)
}

/// A semaphore that is posted after the first statement; each thread that reaches the second waits for it and posts it
/// again.
fn semaphore(code: &Code, name: &str, setter: NodeId, waiter: NodeId) -> Option<Vec<Edit>> {
    let file = code.file(setter);
    let is_main = |function: &NodeId| code.tree.node(*function).name == "main" && code.file(*function) == file;
    let main = code.tree.functions().into_iter().find(is_main)?;
    let first = *code.children(code.tree.body(main)?).first()?;
    let at = declared_before(code, setter, waiter).min(start_of_declaration(code, main));
    let mut edits = vec![
        Edit::insert(file, at, format!("static sem_t {name};\n\n")),
        code.before(first, &format!("sem_init(&{name}, 0, 0);")),
        code.after(setter, &format!("sem_post(&{name});")),
        code.before(waiter, &format!("sem_wait(&{name});\nsem_post(&{name});")),
    ];
    edits.extend(code.including(file, "semaphore.h"));
    Some(edits)
}

fn standard(code: &Code, name: &str, setter: NodeId, waiter: NodeId) -> Vec<Edit> {
    let file = code.file(setter);
    let at = declared_before(code, setter, waiter);
    let declarations = format!(
        "static std::mutex {name}_lock;\nstatic std::condition_variable {name}_changed;\nstatic bool {name};\n\n"
    );
    let unit = crate::sources::indent_unit(code.text_of_file(waiter));
    let set = format!(
        "{{\n{unit}std::lock_guard<std::mutex> guard({name}_lock);\n{unit}{name} = true;\n}}\n{name}_changed.notify_all();"
    );
    let wait = format!(
        "{{\n{unit}std::unique_lock<std::mutex> guard({name}_lock);\n{unit}while (!{name}) {name}_changed.wait(guard);\n}}"
    );
    let mut edits = vec![Edit::insert(file, at, declarations), code.after(setter, &set), code.before(waiter, &wait)];
    edits.extend(code.including(file, "mutex"));
    edits.extend(code.including(file, "condition_variable"));
    edits
}
