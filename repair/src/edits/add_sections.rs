//! Sections around conflicting accesses: with the lock that protects the objects elsewhere, with another lock of the program,
//! or with a new one.

use std::collections::{BTreeMap, BTreeSet};

use super::regions::{self, Group};
use super::{Candidate, Given, Kind};
use crate::code::{Code, is_cpp, is_header};
use crate::locks::{Api, Lock};
use crate::sources::Edit;
use crate::tree::NodeId;

pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut sets = object_sets(given);
    if given.failure == vm::FailureKind::Memory {
        // A block and the pointers to it belong together, and no cause names both.
        sets.reverse();
    }
    for (number, families) in sets.iter().enumerate() {
        let locks = known_locks(given, families);
        let groups = regions::groups(given, families);
        let held = held_in(given, families);
        for (place, group) in groups.iter().enumerate() {
            let base = 9 * place as u32 + 3 * number as u32;
            for (position, lock) in locks.iter().enumerate().take(3) {
                let found = with_known_lock(given.code, group, lock, &held);
                all.extend(found.map(|candidate| Candidate { rank: base + 2 * position as u32, ..candidate }));
            }
            let found = with_new_lock(given, group, families);
            let later = if locks.is_empty() { 1 } else { 5 };
            all.extend(found.map(|candidate| Candidate { rank: base + later, ..candidate }));
        }
    }
    all
}

/// Objects of the causes, with all that conflict, first; then all that conflict.
fn object_sets(given: &Given<'_>) -> Vec<BTreeSet<String>> {
    let conflicts = given.facts.conflicts();
    let of_causes: BTreeSet<String> = given.of_causes.iter().cloned().collect();
    let mut sets: Vec<BTreeSet<String>> = Vec::new();
    let owner = |family: &str| family.rsplit_once(['.', '>']).map(|(owner, _)| owner.to_owned());
    let owners: BTreeSet<String> = of_causes.iter().filter_map(|family| owner(family)).collect();
    let beside = |family: &&String| owner(family).is_some_and(|owner| owners.contains(&owner));
    let with_owner: BTreeSet<String> = of_causes.iter().chain(conflicts.iter().filter(beside)).cloned().collect();
    let everything: BTreeSet<String> = of_causes.iter().cloned().chain(conflicts).collect();
    for set in [of_causes, with_owner, everything] {
        if !set.is_empty() && !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}

/// A lock that the program has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    Declared(NodeId, Api),
    /// As operations of the program name it.
    Named(Lock),
}

impl Known {
    /// Whether events or the source name it like this.
    pub fn is_named(&self, code: &Code, name: &str) -> bool {
        match self {
            Known::Declared(id, _) => last_name(name) == code.tree.node(*id).name,
            Known::Named(lock) => last_name(name) == last_name(lock.words.trim_start_matches('&')),
        }
    }

    /// As an expression in a function, if it can be named there.
    pub fn in_function(&self, code: &Code, function: NodeId) -> Option<Lock> {
        match self {
            Known::Named(lock) => Some(lock.clone()),
            Known::Declared(id, api) => {
                let name = &code.tree.node(*id).name;
                let operations = code.lock_operations(function);
                let is_named = |lock: &Lock| lock.words.rsplit(['&', '.', '>']).next() == Some(name);
                let of_function =
                    operations.iter().map(|one| &one.lock).find(|lock| is_named(lock)).map(Lock::exclusive);
                of_function.or_else(|| code.lock_in(*id, *api, function))
            }
        }
    }
}

/// Locks that are declared by the last words of these names.
pub fn declared_locks<'a>(code: &Code, names: impl Iterator<Item = &'a String>) -> Vec<Known> {
    let declared = code.lock_declarations();
    let mut locks: Vec<Known> = Vec::new();
    for held in names {
        let last = last_name(held);
        let named = declared.iter().filter(|(id, _)| code.tree.node(*id).name == last);
        locks.extend(named.map(|(id, api)| Known::Declared(*id, *api)));
    }
    locks
}

pub fn known_locks(given: &Given<'_>, families: &BTreeSet<String>) -> Vec<Known> {
    let code = given.code;
    let declared = code.lock_declarations();
    let mut locks = declared_locks(code, given.facts.locks_of(families).iter());
    // Then those that are members beside the data.
    let fields = code.tree.ids().filter(|id| code.tree.is(*id, "FieldDecl"));
    let owners: BTreeSet<NodeId> = fields
        .filter(|id| families.iter().any(|family| last_name(family) == code.tree.node(*id).name))
        .filter_map(|id| code.tree.node(id).parent)
        .collect();
    let is_beside = |id: NodeId| code.tree.node(id).parent.is_some_and(|parent| owners.contains(&parent));
    let beside = declared.iter().filter(|(id, _)| code.tree.is(*id, "FieldDecl") && is_beside(*id));
    locks.extend(beside.map(|(id, api)| Known::Declared(*id, *api)));
    let operations: Vec<Lock> =
        code.tree.functions().into_iter().flat_map(|one| code.lock_operations(one)).map(|one| one.lock).collect();
    let special = operations.iter().filter(|lock| matches!(lock.api, Api::Verifier | Api::Semaphore | Api::Flag));
    locks.extend(special.cloned().map(Known::Named));
    locks.extend(declared.iter().map(|(id, api)| Known::Declared(*id, *api)));
    let mut distinct: Vec<Known> = Vec::new();
    for lock in locks {
        if !distinct.contains(&lock) {
            distinct.push(lock);
        }
    }
    distinct
}

/// By function, the names of the locks that are held at all its accesses.
pub fn held_in(given: &Given<'_>, families: &BTreeSet<String>) -> BTreeMap<NodeId, BTreeSet<String>> {
    let code = given.code;
    let mut held: BTreeMap<NodeId, BTreeSet<String>> = BTreeMap::new();
    for access in given.facts.accesses(families) {
        let node = access.frames.first().and_then(|place| regions::node_at(code, place));
        let Some(function) = node.and_then(|node| code.tree.function_of(node)) else { continue };
        let names: BTreeSet<String> = access.held.iter().map(|lock| last_name(lock)).collect();
        held.entry(function).and_modify(|known| known.retain(|name| names.contains(name))).or_insert(names);
    }
    held
}

/// Of `s->locks[2]` the name `locks`.
fn last_name(object: &str) -> String {
    let last = object.rsplit(['.', '>']).next().unwrap_or(object);
    last.split('[').next().unwrap_or(last).to_owned()
}

pub fn with_known_lock(
    code: &Code,
    group: &Group,
    known: &Known,
    held: &BTreeMap<NodeId, BTreeSet<String>>,
) -> Option<Candidate> {
    let mut sections = Vec::new();
    for stretch in group {
        if let Known::Declared(id, _) = known {
            let name = &code.tree.node(*id).name;
            let ends_with = |words: &str| last_name(words.trim_start_matches('&')) == *name;
            let takes = code.lock_operations(stretch.function).iter().any(|one| ends_with(&one.lock.words));
            // Its callers hold the lock.
            if !takes && held.get(&stretch.function).is_some_and(|names| names.contains(name)) {
                continue;
            }
        }
        let lock = known.in_function(code, stretch.function)?;
        sections.push((lock.words.clone(), code.section(stretch, &lock)?));
    }
    let edits: Vec<Edit> = sections.iter().flat_map(|(_, section)| section.edits.clone()).collect();
    let changed = || sections.iter().filter(|(_, section)| !section.edits.is_empty());
    let kind = match () {
        () if edits.is_empty() => return None,
        () if changed().any(|(_, section)| section.had > 1) => Kind::MergeSections,
        () if changed().all(|(_, section)| section.only_releases) => Kind::Unlock,
        () if changed().any(|(_, section)| section.had == 1) => Kind::WidenSection,
        () => Kind::AddSection,
    };
    let words = sections.first().map(|(words, _)| words.trim_start_matches('&').to_owned()).unwrap_or_default();
    let words = if words.is_empty() { "an atomic section".to_owned() } else { format!("`{words}`") };
    let what = match kind {
        Kind::MergeSections => format!("hold {words} from the first access to the last"),
        Kind::Unlock => format!("release {words} on every path out"),
        Kind::WidenSection => format!("hold {words} longer"),
        _ => format!("take {words} around the accesses"),
    };
    Some(Candidate { kind, edits, what, rank: 0 })
}

/// A mutex beside the data, around stretches.
pub fn with_new_lock(given: &Given<'_>, group: &Group, families: &BTreeSet<String>) -> Option<Candidate> {
    let code = given.code;
    let functions: Vec<NodeId> = group.iter().map(|stretch| stretch.function).collect();
    let wish = families.iter().next().map(|family| name_of(family)).unwrap_or_default();
    let (mut edits, lock) = new_lock(code, &functions, &wish)?;
    for stretch in group {
        edits.extend(code.section(stretch, &lock)?.edits);
    }
    let name = lock.words.trim_start_matches('&');
    let what = format!("protect the accesses with a new lock, `{name}`");
    Some(Candidate { kind: Kind::NewLock, edits, what, rank: 0 })
}

fn name_of(family: &str) -> String {
    let last = family.rsplit(['.', '>']).next().unwrap_or(family);
    let word: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let word = word.trim_matches('_');
    if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) { "data".to_owned() } else { word.to_owned() }
}

/// Declares a lock that all these functions can name.
pub fn new_lock(code: &Code, functions: &[NodeId], wish: &str) -> Option<(Vec<Edit>, Lock)> {
    let name = code.fresh(&format!("{wish}_lock"));
    let mut files: Vec<&str> = functions.iter().map(|function| code.file(*function)).collect();
    files.sort_unstable();
    files.dedup();
    let cpp = files.iter().any(|file| is_cpp(file));
    // Declarations in a header are known to the files that include it.
    let headers: Vec<&str> = files.iter().copied().filter(|file| is_header(file)).collect();
    let knows = |file: &str| headers.iter().any(|header| *header != file && code.includes(file, header));
    files.retain(|file| !knows(file));
    if headers.len() > 1 {
        return None;
    }
    let mut edits = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let here = functions.iter().filter(|function| code.file(**function) == *file);
        let at = here.map(|function| start_of_declaration(code, code.outermost(*function))).min()?;
        let declaration = match (cpp, number) {
            (true, _) if is_header(file) => format!("inline std::mutex {name};\n\n"),
            (true, 0) if files.len() == 1 => format!("static std::mutex {name};\n\n"),
            (true, 0) => format!("std::mutex {name};\n\n"),
            (true, _) => format!("extern std::mutex {name};\n\n"),
            (false, _) if is_header(file) => return None,
            (false, 0) if files.len() == 1 => format!("static pthread_mutex_t {name} = PTHREAD_MUTEX_INITIALIZER;\n\n"),
            (false, 0) => format!("pthread_mutex_t {name} = PTHREAD_MUTEX_INITIALIZER;\n\n"),
            (false, _) => format!("extern pthread_mutex_t {name};\n\n"),
        };
        let (at, declaration) = beside_data(code, file, at, wish)
            .map_or((at, declaration.clone()), |beside| (beside, declaration.trim_end().to_owned() + "\n"));
        edits.push(Edit::insert(file, at, declaration));
        edits.extend(code.including(file, if cpp { "mutex" } else { "pthread.h" }));
    }
    let lock = match cpp {
        true => Lock { api: Api::Standard, words: name, of_type: "std::mutex".to_owned() },
        false => Lock { api: Api::Posix, words: format!("&{name}"), of_type: String::new() },
    };
    Some((edits, lock))
}

/// Behind the variable that the lock protects, if it is declared before its users.
fn beside_data(code: &Code, file: &str, before: usize, name: &str) -> Option<usize> {
    let text = code.sources.text(file);
    let is_it = |id: &NodeId| code.tree.node(*id).name == name && code.tree.is_global(*id) && code.file(*id) == file;
    let variable = code.tree.ids().find(is_it)?;
    let end = crate::sources::line_end(text, code.statement(variable).end);
    (end <= before).then_some(end)
}

/// Where a declaration begins, with the comment that belongs to it.
pub fn start_of_declaration(code: &Code, declaration: NodeId) -> usize {
    let text = code.text_of_file(declaration);
    let mut start = crate::sources::line_start(text, code.range(declaration).start);
    while start > 0 {
        let above = crate::sources::line_start(text, start - 1);
        let line = text[above..start].trim();
        if !(line.starts_with("//")
            || line.starts_with("/*")
            || line.starts_with('*')
            || line.ends_with("*/")
            || line.starts_with("template"))
        {
            break;
        }
        start = above;
    }
    start
}
