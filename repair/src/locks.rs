//! Locks as the source writes them: mutexes of POSIX, C11 and C++, read-write locks, semaphores that are used as locks, and the
//! atomic sections of verifiers; where they are taken and released.

use crate::code::{Code, is_header};
use crate::tree::NodeId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Api {
    Posix,
    ReadWrite,
    Read,
    C11,
    Semaphore,
    Verifier,
    /// An atomic flag for which a loop without a body waits.
    Flag,
    /// A mutex of the C++ library.
    Standard,
    /// The same, for reading.
    Shared,
}

impl Api {
    fn exclusive(self) -> Api {
        match self {
            Api::Read => Api::ReadWrite,
            Api::Shared => Api::Standard,
            api => api,
        }
    }
}

const CALLS: &[(&str, Api, Act)] = &[
    ("pthread_mutex_lock", Api::Posix, Act::Lock),
    ("pthread_mutex_unlock", Api::Posix, Act::Unlock),
    ("pthread_rwlock_wrlock", Api::ReadWrite, Act::Lock),
    ("pthread_rwlock_rdlock", Api::Read, Act::Lock),
    ("pthread_rwlock_unlock", Api::ReadWrite, Act::Unlock),
    ("mtx_lock", Api::C11, Act::Lock),
    ("mtx_unlock", Api::C11, Act::Unlock),
    ("sem_wait", Api::Semaphore, Act::Lock),
    ("sem_post", Api::Semaphore, Act::Unlock),
    ("__VERIFIER_atomic_begin", Api::Verifier, Act::Lock),
    ("__VERIFIER_atomic_end", Api::Verifier, Act::Unlock),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Lock,
    Unlock,
    /// An object that unlocks where its block ends.
    Guard,
}

/// A lock in the words of one function: `&s->lock` of C, `lock_` of C++.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lock {
    pub api: Api,
    pub words: String,
    /// Of a mutex of the C++ library, its type; of a flag, the loop that waits for it.
    pub of_type: String,
}

impl Lock {
    pub fn locking(&self) -> String {
        match self.api {
            Api::Posix => format!("pthread_mutex_lock({});", self.words),
            Api::ReadWrite => format!("pthread_rwlock_wrlock({});", self.words),
            Api::Read => format!("pthread_rwlock_rdlock({});", self.words),
            Api::C11 => format!("mtx_lock({});", self.words),
            Api::Semaphore => format!("sem_wait({});", self.words),
            Api::Verifier => "__VERIFIER_atomic_begin();".to_owned(),
            Api::Flag => self.of_type.clone(),
            Api::Standard => format!("{}.lock();", self.words),
            Api::Shared => format!("{}.lock_shared();", self.words),
        }
    }

    pub fn unlocking(&self) -> String {
        match self.api {
            Api::Posix => format!("pthread_mutex_unlock({});", self.words),
            Api::ReadWrite | Api::Read => format!("pthread_rwlock_unlock({});", self.words),
            Api::C11 => format!("mtx_unlock({});", self.words),
            Api::Semaphore => format!("sem_post({});", self.words),
            Api::Verifier => "__VERIFIER_atomic_end();".to_owned(),
            Api::Flag if self.words.starts_with('&') => format!("atomic_flag_clear({});", self.words),
            Api::Flag => format!("{}.clear();", self.words),
            Api::Standard => format!("{}.unlock();", self.words),
            Api::Shared => format!("{}.unlock_shared();", self.words),
        }
    }

    /// Whether both are the same lock in the words of one function.
    pub fn is_same(&self, other: &Lock) -> bool {
        self.api.exclusive() == other.api.exclusive() && self.words == other.words
    }

    /// The same lock, taken exclusively: a read/write lock for writing.
    pub fn exclusive(&self) -> Lock {
        Lock { api: self.api.exclusive(), ..self.clone() }
    }
}

/// A statement that takes or releases a lock.
#[derive(Clone, Debug)]
pub struct Operation {
    pub statement: NodeId,
    pub act: Act,
    pub lock: Lock,
    /// Of a guard, its variable.
    pub guard: String,
}

impl Code {
    /// The operations of a function in the order of its text; those of lambda expressions in it are theirs.
    pub fn lock_operations(&self, function: NodeId) -> Vec<Operation> {
        let Some(body) = self.tree.body(function) else { return Vec::new() };
        let mut found: Vec<Operation> = Vec::new();
        for id in self.tree.below(body) {
            let Some(parent) = self.tree.node(id).parent else { continue };
            let is_statement = matches!(
                self.tree.node(parent).kind.as_str(),
                "CompoundStmt" | "IfStmt" | "ForStmt" | "WhileStmt" | "DoStmt" | "CaseStmt" | "DefaultStmt"
            );
            // A macro that is a statement is one operation, whatever it consists of.
            if !is_statement || self.tree.node(parent).in_macro || self.tree.function_of(id) != Some(function) {
                continue;
            }
            let known = match self.tree.node(id).in_macro {
                true => self.macro_of(id),
                false => self.guard_of(id).or_else(|| self.call_of(id)).or_else(|| self.method_of(id, &found)),
            };
            let known = known.or_else(|| self.flag_of(id, &found));
            found.extend(known);
        }
        found
    }

    /// `pthread_mutex_lock(&lock)` and its like.
    fn call_of(&self, id: NodeId) -> Option<Operation> {
        let call = self.call_in(id).filter(|call| !self.tree.node(*call).in_macro)?;
        self.operation(id, call)
    }

    /// A statement with the one call in it that takes or releases a lock.
    fn operation(&self, statement: NodeId, call: NodeId) -> Option<Operation> {
        let name = self.tree.node(call).name.as_str();
        let (_, api, act) = *CALLS.iter().find(|(known, _, _)| *known == name)?;
        let words = match api {
            Api::Verifier => String::new(),
            _ => self.spelled(*self.children(call).get(1)?)?,
        };
        let lock = Lock { api, words, of_type: String::new() };
        Some(Operation { statement, act, lock, guard: String::new() })
    }

    /// A macro whose expansion takes or releases one lock, and otherwise only ends the program if that fails.
    fn macro_of(&self, id: NodeId) -> Option<Operation> {
        let calls = self.tree.below(id).into_iter().filter(|one| self.tree.is(*one, "CallExpr"));
        let name = |call: &NodeId| self.tree.node(*call).name.as_str();
        let (locks, others): (Vec<NodeId>, Vec<NodeId>) =
            calls.partition(|call| CALLS.iter().any(|(known, _, _)| *known == name(call)));
        const ENDINGS: &[&str] =
            &["abort", "exit", "_exit", "perror", "fprintf", "printf", "__assert_fail", "strerror"];
        match locks.as_slice() {
            [call] if others.iter().all(|other| ENDINGS.contains(&name(other))) => self.operation(id, *call),
            _ => None,
        }
    }

    /// `while (flag.test_and_set()) {}` and `flag.clear()`, in both languages.
    fn flag_of(&self, id: NodeId, known: &[Operation]) -> Option<Operation> {
        let node = self.tree.node(id);
        if node.in_macro {
            return None;
        }
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        let made = |act: Act, words: String, of_type: String| {
            let lock = Lock { api: Api::Flag, words, of_type };
            Some(Operation { statement: id, act, lock, guard: String::new() })
        };
        if node.kind == "WhileStmt" {
            let [condition, body] = self.children(id) else { return None };
            let is_empty = self.tree.is(*body, "NullStmt") || self.children(*body).is_empty();
            let text = squeezed(self.text(*condition));
            let words = match text.strip_prefix("atomic_flag_test_and_set") {
                Some(rest) => {
                    rest.trim_start_matches("_explicit").trim_start_matches('(').split([',', ')']).next()?.to_owned()
                }
                None => text.split_once(".test_and_set(")?.0.to_owned(),
            };
            let loop_text = self.text_of_file(id).get(self.statement(id))?.to_owned();
            return if is_empty { made(Act::Lock, words, loop_text) } else { None };
        }
        let text = squeezed(self.text_of_file(id).get(self.statement(id))?);
        let words = match text.strip_prefix("atomic_flag_clear") {
            Some(rest) => {
                rest.trim_start_matches("_explicit").trim_start_matches('(').split([',', ')']).next()?.to_owned()
            }
            None => text.split_once(".clear(")?.0.to_owned(),
        };
        // Many things have a method of this name.
        let taken = known.iter().find(|one| one.lock.api == Api::Flag && one.lock.words == words)?;
        made(Act::Unlock, words, taken.lock.of_type.clone())
    }

    /// An expression as text, also inside a macro: there only names, members and addresses are known.
    fn spelled(&self, id: NodeId) -> Option<String> {
        let node = self.tree.node(id);
        if !node.in_macro {
            return Some(self.text(id).trim().to_owned());
        }
        let child = || self.children(id).last().copied();
        match node.kind.as_str() {
            "DeclRefExpr" => Some(node.name.clone()),
            "ParenExpr" | "UnexposedExpr" => self.spelled(child()?),
            "UnaryOperator" if node.canonical.ends_with('*') => {
                let operand = child()?;
                let takes = !self.tree.node(operand).canonical.ends_with('*');
                takes.then(|| self.spelled(operand)).flatten().map(|words| format!("&{words}"))
            }
            "MemberRefExpr" => {
                let Some(base) = child() else { return Some(node.name.clone()) };
                let arrow = if self.tree.node(base).canonical.ends_with('*') { "->" } else { "." };
                Some(format!("{}{arrow}{}", self.spelled(base)?, node.name))
            }
            _ => None,
        }
    }

    /// Calls that take or release a lock inside of a macro, which cannot be moved: the first of them.
    pub fn hidden_lock(&self) -> Option<NodeId> {
        let is_hidden = |id: &NodeId| {
            let node = self.tree.node(*id);
            let is_lock = CALLS.iter().any(|(name, api, _)| *name == node.name && *api != Api::Verifier);
            node.kind == "CallExpr" && node.in_macro && is_lock && !self.text(*id).starts_with(&node.name)
        };
        let is_known = |id: NodeId| {
            let function = self.tree.function_of(id);
            let operations = function.map(|function| self.lock_operations(function)).unwrap_or_default();
            operations.iter().any(|one| self.tree.is_within(id, one.statement))
        };
        self.tree.ids().filter(is_hidden).find(|id| !is_known(*id))
    }

    /// The call that a statement is; `(void)` before it does not matter.
    pub fn call_in(&self, id: NodeId) -> Option<NodeId> {
        let node = self.tree.node(id);
        match node.kind.as_str() {
            "CallExpr" if !node.name.is_empty() => Some(id),
            "CStyleCastExpr" | "UnexposedExpr" | "ParenExpr" | "ExprWithCleanups" => {
                self.children(id).last().and_then(|child| self.call_in(*child))
            }
            _ => None,
        }
    }

    /// `std::lock_guard<std::mutex> guard(lock);`
    fn guard_of(&self, id: NodeId) -> Option<Operation> {
        if !self.tree.is(id, "DeclStmt") {
            return None;
        }
        let variable = *self.children(id).first()?;
        let node = self.tree.node(variable);
        let own = node.type_name.trim_start_matches("std::");
        const GUARDS: &[&str] = &["lock_guard", "unique_lock", "scoped_lock", "shared_lock"];
        if !GUARDS.iter().any(|guard| own.starts_with(guard)) {
            return None;
        }
        let text = self.text(variable);
        // The name is at the declaration's location: a type such as `lock_guard` may contain it.
        let name = (node.at as usize).checked_sub(self.range(variable).start)?;
        let after = text.get(name + node.name.len()..)?;
        let words = after.trim().trim_start_matches(['(', '{']).trim_end_matches([')', '}', ';']).trim().to_owned();
        if words.contains(',') || words.is_empty() {
            return None;
        }
        let of_type = own.split_once('<').map_or("std::mutex", |(_, rest)| rest.trim_end_matches('>')).to_owned();
        let api = if own.starts_with("shared_lock") { Api::Shared } else { Api::Standard };
        let lock = Lock { api, words, of_type };
        Some(Operation { statement: id, act: Act::Guard, lock, guard: node.name.clone() })
    }

    /// `lock.lock()`, and `guard.unlock()` of a guard that is known.
    fn method_of(&self, id: NodeId, known: &[Operation]) -> Option<Operation> {
        let call = self.call_in(id)?;
        let (act, api) = match self.tree.node(call).name.as_str() {
            "lock" => (Act::Lock, Api::Standard),
            "unlock" => (Act::Unlock, Api::Standard),
            "lock_shared" => (Act::Lock, Api::Shared),
            "unlock_shared" => (Act::Unlock, Api::Shared),
            _ => return None,
        };
        let member = *self.children(call).first()?;
        let text = self.text(member);
        let words = text.rsplit_once(['.', '>'])?.0.trim_end_matches('-').trim().to_owned();
        if let Some(guard) = known.iter().find(|one| !one.guard.is_empty() && one.guard == words) {
            let lock = guard.lock.clone();
            return Some(Operation { statement: id, act, lock, guard: words });
        }
        let base = *self.children(member).first()?;
        let of_type = self.tree.node(base).type_name.clone();
        is_standard_mutex(&of_type).then(|| Operation {
            statement: id,
            act,
            lock: Lock { api, words, of_type },
            guard: String::new(),
        })
    }

    /// Variables and members that are locks: their node, and how they are used.
    pub fn lock_declarations(&self) -> Vec<(NodeId, Api)> {
        let api = |id: &NodeId| {
            let node = self.tree.node(*id);
            if !matches!(node.kind.as_str(), "VarDecl" | "FieldDecl") || node.type_name.contains('*') {
                return None;
            }
            match node.type_name.trim_start_matches("static ").trim() {
                "pthread_mutex_t" => Some(Api::Posix),
                "pthread_rwlock_t" => Some(Api::ReadWrite),
                "mtx_t" => Some(Api::C11),
                name if is_standard_mutex(name) => Some(Api::Standard),
                _ => None,
            }
        };
        self.tree.ids().filter_map(|id| Some((id, api(&id)?))).collect()
    }

    /// A lock as an expression in a function, if it can be named there.
    pub fn lock_in(&self, declaration: NodeId, api: Api, function: NodeId) -> Option<Lock> {
        let node = self.tree.node(declaration);
        let of_type = node.type_name.trim_start_matches("mutable ").to_owned();
        let address = |path: String| Lock {
            api,
            words: if api == Api::Standard { path } else { format!("&{path}") },
            of_type: of_type.clone(),
        };
        if self.tree.is_global(declaration) {
            return self.is_known_at(declaration, function).then(|| address(node.name.clone()));
        }
        if node.kind != "FieldDecl" {
            let home = self.tree.function_of(declaration)?;
            let encloses = home == function || self.tree.is_within(function, home);
            return (encloses && node.start < self.tree.node(function).end).then(|| address(node.name.clone()));
        }
        let owner = node.parent?;
        let is_member = self.tree.is_within(function, owner) || self.tree.is_method_of(function, owner);
        if is_member && !self.tree.is(function, "LambdaExpr") {
            return Some(address(node.name.clone()));
        }
        let owner_type = self.tree.node(owner).canonical.clone();
        let base = self.base_of_type(function, &owner_type)?;
        Some(address(format!("{base}{}", node.name)))
    }

    /// Whether a function can name a global variable: one of its own file that is declared before it, one that is
    /// declared there, or one of a header.
    fn is_known_at(&self, declaration: NodeId, function: NodeId) -> bool {
        let (own, name) = (self.tree.node(function), &self.tree.node(declaration).name);
        let is_before = |id: NodeId| {
            let node = self.tree.node(id);
            node.file == own.file && node.start < own.start
        };
        let is_again = |id: &NodeId| {
            let node = self.tree.node(*id);
            node.kind == "VarDecl" && node.name == *name && is_before(*id) && self.tree.is_global(*id)
        };
        is_header(self.file(declaration)) && !is_before_in_file(self, function, declaration)
            || is_before(declaration)
            || self.tree.ids().any(|id| is_again(&id))
    }

    /// An expression of a function that leads to an object of this type: `l->`, `journal.`.
    fn base_of_type(&self, function: NodeId, wanted: &str) -> Option<String> {
        let bare = |name: &str| {
            let name = name.replace("const ", "").replace("struct ", "").replace("class ", "");
            name.replace(" const", "").trim().to_owned()
        };
        let wanted = bare(wanted);
        if wanted.is_empty() {
            return None;
        }
        let mut found: Vec<(usize, String)> = Vec::new();
        for id in self.tree.below(function) {
            let node = self.tree.node(id);
            if !matches!(node.kind.as_str(), "DeclRefExpr" | "MemberRefExpr" | "ParmDecl" | "VarDecl") || node.in_macro
            {
                continue;
            }
            let own = bare(&node.canonical);
            let ending = match own.strip_suffix('*').map(str::trim) {
                Some(pointed) if pointed == wanted => "->",
                None if own.trim_end_matches('&').trim() == wanted => ".",
                _ => continue,
            };
            let words = match node.kind.as_str() {
                "ParmDecl" | "VarDecl" => node.name.clone(),
                _ => self.text(id).trim().to_owned(),
            };
            if words.is_empty() || words.contains(['(', '+', '=']) {
                continue;
            }
            found.push((words.len(), format!("{words}{ending}")));
        }
        found.sort();
        found.into_iter().next().map(|(_, words)| words)
    }
}

/// Whether both are in one file, the first before the second.
fn is_before_in_file(code: &Code, one: NodeId, other: NodeId) -> bool {
    let (one, other) = (code.tree.node(one), code.tree.node(other));
    one.file == other.file && one.start < other.start
}

fn is_standard_mutex(name: &str) -> bool {
    let name = name.trim_start_matches("mutable ").trim_start_matches("class ").trim_start_matches("std::");
    matches!(
        name,
        "mutex" | "recursive_mutex" | "timed_mutex" | "recursive_timed_mutex" | "shared_mutex" | "shared_timed_mutex"
    )
}
