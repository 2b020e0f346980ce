//! Critical sections: one lock around a stretch of statements.
//!
//! One transformation covers adding, widening and merging sections, and forgotten unlocks. Every operation on the lock
//! within the stretch is removed, the lock is taken before it, and released after it and before every statement that
//! leaves it. Operations that are already at such a place stay. Stretches grow until they contain whole sections. In
//! C++ a guard takes the lock, and the block ends with it. A lock for reading becomes one for writing.

use crate::code::{Code, Stretch};
use crate::locks::{Act, Api, Lock, Operation};
use crate::sources::{Edit, begins_line, indent_unit, indentation, line_end, line_start};
use crate::tree::NodeId;

/// What became of a stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    pub edits: Vec<Edit>,
    /// Sections of the lock that the stretch had before.
    pub had: usize,
    /// Whether only releases were added: the lock was taken and not released everywhere.
    pub only_releases: bool,
}

impl Code {
    /// Takes a lock around a stretch. `None` where that cannot be written.
    pub fn section(&self, stretch: &Stretch, lock: &Lock) -> Option<Section> {
        let operations: Vec<Operation> = self.lock_operations(stretch.function);
        let same: Vec<&Operation> = operations.iter().filter(|one| one.lock.is_same(lock)).collect();
        let stretch = self.with_whole_sections(*stretch, &same)?;
        if self.statements(&stretch).iter().any(|one| self.tree.node(*one).in_macro && self.range(*one).is_empty()) {
            return None;
        }
        let inside: Vec<&Operation> =
            same.iter().copied().filter(|one| self.contains(&stretch, one.statement)).collect();
        let had = inside.iter().filter(|one| one.act != Act::Unlock).count();
        let edits = match lock.api {
            Api::Standard => self.guarded(&stretch, lock, &inside)?,
            _ => self.locked(&stretch, lock, &inside)?,
        };
        // A guard releases where calls may be left out.
        let by_hand =
            lock.api == Api::Standard && inside.iter().any(|one| one.act == Act::Lock && one.guard.is_empty());
        let adds = |edit: &Edit| !edit.text.is_empty() && !edit.text.contains(&lock.locking());
        let only_releases = (by_hand && had == 1) || (had > 0 && edits.iter().all(adds));
        Some(Section { edits, had, only_releases })
    }

    /// The stretch with every section of the lock that it has a part of.
    fn with_whole_sections(&self, mut stretch: Stretch, same: &[&Operation]) -> Option<Stretch> {
        let mut sections: Vec<Vec<NodeId>> = Vec::new();
        for one in same {
            match (one.act, sections.last_mut()) {
                (Act::Unlock, Some(section)) => section.push(one.statement),
                (Act::Unlock, None) => {}
                _ => sections.push(vec![one.statement]),
            }
        }
        for _ in 0..8 {
            let mut nodes: Vec<NodeId> = self.statements(&stretch).to_vec();
            for section in &sections {
                let begins = |id: &NodeId| self.range(*id).start;
                let (from, to) = (begins(section.first()?), begins(section.last()?));
                let own = self.statements(&stretch);
                let (start, end) = (begins(own.first()?), self.range(*own.last()?).end);
                if from < end && start <= to {
                    nodes.extend(section);
                }
            }
            let wider = self.around(stretch.function, &nodes)?;
            if wider == stretch {
                break;
            }
            stretch = wider;
        }
        Some(stretch)
    }

    /// Calls that take and release.
    fn locked(&self, stretch: &Stretch, lock: &Lock, inside: &[&Operation]) -> Option<Vec<Edit>> {
        let statements = self.statements(stretch);
        let (first, last) = (*statements.first()?, *statements.last()?);
        let exits = self.exits(stretch)?;
        let mut kept: Vec<NodeId> = Vec::new();
        let mut edits = Vec::new();
        let is = |id: NodeId, act: Act| inside.iter().any(|one| one.statement == id && one.act == act);
        let takes = inside.iter().find(|one| one.statement == first && one.act == Act::Lock);
        match takes {
            Some(one) if one.lock.api == lock.api => kept.push(first),
            Some(_) => {
                kept.push(first);
                edits.push(Edit::replace(self.file(first), self.statement(first), lock.locking()));
            }
            None => edits.push(self.before(first, &lock.locking())),
        }
        for exit in &exits {
            let (block, position) = match self.tree.statement_of(*exit) {
                Some((block, position)) if self.children(block)[position] == *exit => (block, position),
                // The only statement of an `if` or a loop without braces.
                _ => {
                    edits.extend(self.leaving_alone(*exit, lock)?);
                    continue;
                }
            };
            match position.checked_sub(1).map(|before| self.children(block)[before]) {
                Some(before) if is(before, Act::Unlock) => kept.push(before),
                _ => edits.extend(self.leaving(*exit, lock)?),
            }
        }
        if is(last, Act::Unlock) {
            kept.push(last);
        } else if !exits.contains(&last) {
            edits.push(self.after(last, &lock.unlocking()));
        }
        for one in inside.iter().filter(|one| !kept.contains(&one.statement)) {
            let parent = self.tree.node(one.statement).parent?;
            if !self.tree.is(parent, "CompoundStmt") {
                return None;
            }
            edits.push(self.without(one.statement));
        }
        Some(edits)
    }

    /// Releases the lock before a statement that leaves the section. What is returned is computed before.
    fn leaving(&self, exit: NodeId, lock: &Lock) -> Option<Vec<Edit>> {
        match self.returned(exit) {
            Some((of_type, value)) => {
                let name = self.local_name(exit, "result");
                let local = Code::declared(&of_type, &name);
                let text = format!("{local} = {};\n{}", self.text(value), lock.unlocking());
                let file = self.file(exit);
                Some(vec![self.before(exit, &text), Edit::replace(file, self.range(value), name)])
            }
            None => Some(vec![self.before(exit, &lock.unlocking())]),
        }
    }

    /// The same for a statement without a block after a condition, which needs braces then.
    fn leaving_alone(&self, exit: NodeId, lock: &Lock) -> Option<Vec<Edit>> {
        let (file, text) = (self.file(exit), self.text_of_file(exit));
        let parent = self.tree.node(exit).parent?;
        let range = self.statement(exit);
        let mut lines = vec![lock.unlocking()];
        match self.returned(exit) {
            Some((of_type, value)) => {
                let name = self.local_name(exit, "result");
                lines.insert(0, format!("{} = {};", Code::declared(&of_type, &name), self.text(value)));
                lines.push(format!("return {name};"));
            }
            None => lines.push(text[range.clone()].to_owned()),
        }
        let indent = indentation(text, self.range(parent).start);
        let unit = indent_unit(text);
        let body: String = lines.iter().map(|line| format!("\n{indent}{unit}{line}")).collect();
        // The brace is on the line of the condition.
        let gap = text[..range.start].trim_end().len();
        Some(vec![Edit::replace(file, gap..range.end, format!(" {{{body}\n{indent}}}"))])
    }

    /// The type and expression that a `return` computes from data that others can change.
    fn returned(&self, exit: NodeId) -> Option<(String, NodeId)> {
        if !self.tree.is(exit, "ReturnStmt") {
            return None;
        }
        let value = *self.children(exit).first()?;
        if self.is_private(value) {
            return None;
        }
        let function = self.tree.function_of(exit)?;
        let of_type = self.result_type(function)?;
        (of_type != "void").then_some((of_type, value))
    }

    /// The return type of a function; none if it cannot be written before a name.
    pub fn result_type(&self, function: NodeId) -> Option<String> {
        let own = &self.tree.node(function).type_name;
        let (result, rest) = own.split_once('(')?;
        (!rest.starts_with('*') && !result.trim().is_empty()).then(|| result.trim().to_owned())
    }

    /// A declaration of a local.
    pub fn declared(of_type: &str, name: &str) -> String {
        let space = if of_type.ends_with(['*', '&']) { "" } else { " " };
        format!("{of_type}{space}{name}")
    }

    /// A name that the function does not use.
    pub fn local_name(&self, id: NodeId, wish: &str) -> String {
        let function = self.tree.function_of(id).unwrap_or(id);
        let text = self.text(function);
        let mut name = wish.to_owned();
        let mut number = 2;
        while crate::code::has_word(text, &name) {
            name = format!("{wish}{number}");
            number += 1;
        }
        name
    }

    /// The statements that leave a stretch before its end. `None` if the control flow cannot be followed.
    pub fn exits(&self, stretch: &Stretch) -> Option<Vec<NodeId>> {
        let mut exits = Vec::new();
        for statement in self.statements(stretch) {
            for id in self.tree.below(*statement) {
                if self.tree.function_of(id) != Some(stretch.function) {
                    continue;
                }
                let leaves = match self.tree.node(id).kind.as_str() {
                    "ReturnStmt" => true,
                    "GotoStmt" | "IndirectGotoStmt" => return None,
                    "BreakStmt" => !self.is_inside_loop(id, *statement, true),
                    "ContinueStmt" => !self.is_inside_loop(id, *statement, false),
                    "CallExpr" => matches!(self.tree.node(id).name.as_str(), "pthread_exit" | "thrd_exit"),
                    "CXXThrowExpr" => !self.is_caught(id, *statement),
                    _ => false,
                };
                if leaves {
                    exits.push(self.whole(id));
                }
            }
        }
        Some(exits)
    }

    /// Whether a `try` within the limit may catch an exception.
    fn is_caught(&self, id: NodeId, limit: NodeId) -> bool {
        let mut around = self.tree.ancestors(id).take_while(|one| self.tree.is_within(*one, limit));
        around.any(|one| self.tree.is(one, "CXXTryStmt"))
    }

    /// An expression with what libclang puts around one that is a statement.
    fn whole(&self, id: NodeId) -> NodeId {
        let wraps =
            |parent: &NodeId| matches!(self.tree.node(*parent).kind.as_str(), "UnexposedExpr" | "ExprWithCleanups");
        self.tree.ancestors(id).take_while(wraps).last().unwrap_or(id)
    }

    fn is_inside_loop(&self, id: NodeId, limit: NodeId, or_switch: bool) -> bool {
        let is_loop = |one: &NodeId| {
            let kind = self.tree.node(*one).kind.as_str();
            matches!(kind, "ForStmt" | "WhileStmt" | "DoStmt" | "CXXForRangeStmt")
                || (or_switch && kind == "SwitchStmt")
        };
        let mut around = self.tree.ancestors(id).take_while(|one| self.tree.is_within(*one, limit));
        around.any(|one| is_loop(&one))
    }

    /// A guard at the beginning, whose block ends with the stretch.
    fn guarded(&self, stretch: &Stretch, lock: &Lock, inside: &[&Operation]) -> Option<Vec<Edit>> {
        let statements = self.statements(stretch);
        let (first, last) = (*statements.first()?, *statements.last()?);
        let children = self.children(stretch.block);
        let any = inside.iter().find(|one| one.act == Act::Guard);
        let known = inside.iter().find(|one| one.act == Act::Guard && one.lock.api == lock.api);
        let name = any.map_or_else(|| self.local_name(first, "guard"), |one| one.guard.clone());
        // The rest is a `return` of a known value, or nothing: the guard may last.
        let rest = &children[(stretch.last + 1).min(children.len())..];
        let lasts =
            rest.iter().all(|one| self.tree.is(*one, "ReturnStmt") || inside.iter().any(|op| op.statement == *one));
        let mut edits = Vec::new();
        let mut kept = Vec::new();
        let declared = known.map(|one| self.text_of_file(one.statement)[self.statement(one.statement)].to_owned());
        let own = declared.unwrap_or_else(|| format!("std::lock_guard<{}> {name}({});", lock.of_type, lock.words));
        let starts_with = known.is_some_and(|one| one.statement == first);
        if !lasts && (starts_with || self.declares_for_later(stretch)) {
            return self.unlocked_early(stretch, lock, inside, &name);
        }
        if starts_with {
            kept.push(first);
        } else if lasts {
            edits.push(self.before(first, &own));
        }
        for one in inside.iter().filter(|one| !kept.contains(&one.statement)) {
            if !self.tree.is(self.tree.node(one.statement).parent?, "CompoundStmt") {
                return None;
            }
            edits.push(self.without(one.statement));
        }
        if !lasts {
            let around = self.braces(first, last, &own, &edits);
            edits.extend(around);
        }
        Some(edits)
    }

    /// Whether a variable that the stretch declares is used behind it.
    fn declares_for_later(&self, stretch: &Stretch) -> bool {
        let children = self.children(stretch.block);
        let later = &children[(stretch.last + 1).min(children.len())..];
        let declared = self.statements(stretch).iter().filter(|one| self.tree.is(**one, "DeclStmt"));
        let mut names = declared.flat_map(|one| self.children(*one)).map(|one| self.tree.node(*one).name.clone());
        names.any(|name| later.iter().any(|one| crate::code::has_word(self.text(*one), &name)))
    }

    /// A `unique_lock` that is released behind the stretch.
    fn unlocked_early(&self, stretch: &Stretch, lock: &Lock, inside: &[&Operation], name: &str) -> Option<Vec<Edit>> {
        let statements = self.statements(stretch);
        let (first, last) = (*statements.first()?, *statements.last()?);
        let mut edits = vec![
            self.before(first, &format!("std::unique_lock<{}> {name}({});", lock.of_type, lock.words)),
            self.after(last, &format!("{name}.unlock();")),
        ];
        for one in inside {
            edits.push(self.without(one.statement));
        }
        Some(edits)
    }

    /// Braces around whole lines, which move in by one level, with a declaration first. `removed` are lines that go.
    fn braces(&self, first: NodeId, last: NodeId, declaration: &str, removed: &[Edit]) -> Vec<Edit> {
        let (file, text) = (self.file(first), self.text_of_file(first));
        let (start, end) = (self.range(first).start, self.statement(last).end);
        if !begins_line(text, start) {
            return vec![Edit::insert(file, start, format!("{{ {declaration} ")), Edit::insert(file, end, " }")];
        }
        let indent = indentation(text, start).to_owned();
        let unit = indent_unit(text);
        let (from, to) = (line_start(text, start), line_end(text, end));
        let mut edits = vec![Edit::insert(file, from, format!("{indent}{{\n{indent}{unit}{declaration}\n"))];
        let mut at = from;
        for line in text[from..to].split_inclusive('\n') {
            let goes = removed.iter().any(|edit| edit.start <= at && at < edit.end);
            if !goes && !line.trim().is_empty() {
                edits.push(Edit::insert(file, at, unit));
            }
            at += line.len();
        }
        edits.push(Edit::insert(file, to, format!("{indent}}}\n")));
        edits
    }
}
