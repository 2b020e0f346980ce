//! Syntax trees of the user's files from libclang, with the queries that edits need: functions, blocks, statements and
//! their ends.

use std::collections::HashSet;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub usize);

#[derive(Clone, Debug)]
pub struct Node {
    /// As libclang names it: `IfStmt`, `CallExpr`.
    pub kind: String,
    pub file: FileId,
    /// Byte offsets, where macros are expanded.
    pub start: u32,
    pub end: u32,
    /// The offset that debug information names: of a call its function's, of a binary operator the operator's.
    pub at: u32,
    pub name: String,
    pub type_name: String,
    /// The type without its `typedef` names.
    pub canonical: String,
    /// The unified symbol that a reference refers to.
    pub refers: String,
    pub in_macro: bool,
    pub parent: Option<NodeId>,
    pub children: Vec<NodeId>,
}

#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub files: Vec<String>,
    pub nodes: Vec<Node>,
}

impl Tree {
    pub fn file(&mut self, name: &str) -> FileId {
        match self.files.iter().position(|known| known == name) {
            Some(position) => FileId(position),
            None => {
                self.files.push(name.to_owned());
                FileId(self.files.len() - 1)
            }
        }
    }

    pub fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(self.nodes.len());
        if let Some(parent) = node.parent {
            self.nodes[parent.0].children.push(id);
        }
        self.nodes.push(node);
        id
    }

    /// Takes another unit's nodes in, but for headers that are here already.
    pub fn merge(&mut self, other: &Tree) {
        let known: HashSet<String> = self.files.iter().cloned().collect();
        let mut new_ids: Vec<Option<NodeId>> = Vec::with_capacity(other.nodes.len());
        for node in &other.nodes {
            let parent = node.parent.map(|parent| new_ids[parent.0]);
            let file = &other.files[node.file.0];
            let id = match parent {
                Some(None) => None,
                None if known.contains(file) => None,
                _ => {
                    let file = self.file(file);
                    let parent = parent.flatten();
                    Some(self.push(Node { file, parent, children: Vec::new(), ..node.clone() }))
                }
            };
            new_ids.push(id);
        }
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    pub fn is(&self, id: NodeId, kind: &str) -> bool {
        self.nodes[id.0].kind == kind
    }

    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId)
    }

    pub fn file_named(&self, name: &str) -> Option<FileId> {
        let exact = self.files.iter().position(|known| known == name);
        let alike = |known: &&String| is_same_file(known, name);
        exact.or_else(|| self.files.iter().position(|known| alike(&known))).map(FileId)
    }

    /// The node and its descendants, parents before children.
    pub fn below(&self, id: NodeId) -> Vec<NodeId> {
        let mut all = vec![id];
        let mut next = 0;
        while next < all.len() {
            let children = &self.nodes[all[next].0].children;
            all.extend(children);
            next += 1;
        }
        all.sort_unstable();
        all
    }

    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.nodes[id.0].parent, |id| self.nodes[id.0].parent)
    }

    pub fn is_function(&self, id: NodeId) -> bool {
        const KINDS: &[&str] = &[
            "FunctionDecl",
            "CXXMethod",
            "CXXConstructor",
            "CXXDestructor",
            "LambdaExpr",
            "FunctionTemplate",
            "CXXConversion",
        ];
        KINDS.contains(&self.nodes[id.0].kind.as_str()) && self.body(id).is_some()
    }

    /// The block of a function or a lambda expression.
    pub fn body(&self, function: NodeId) -> Option<NodeId> {
        self.nodes[function.0].children.iter().rev().copied().find(|child| self.is(*child, "CompoundStmt"))
    }

    /// The innermost function around a node, itself included.
    pub fn function_of(&self, id: NodeId) -> Option<NodeId> {
        if self.is_function(id) {
            return Some(id);
        }
        self.ancestors(id).find(|id| self.is_function(*id))
    }

    /// The innermost function around an offset.
    pub fn function_at(&self, file: FileId, offset: u32) -> Option<NodeId> {
        let around = |id: &NodeId| {
            let node = self.node(*id);
            node.file == file && (node.start..node.end).contains(&offset) && self.is_function(*id)
        };
        self.ids().filter(around).min_by_key(|id| self.node(*id).end - self.node(*id).start)
    }

    pub fn functions(&self) -> Vec<NodeId> {
        self.ids().filter(|id| self.is_function(*id)).collect()
    }

    /// The nearest block that encloses the node, and the index of its statement that contains the node.
    pub fn statement_of(&self, id: NodeId) -> Option<(NodeId, usize)> {
        let mut below = id;
        for parent in self.ancestors(id) {
            if self.is(parent, "CompoundStmt") {
                let position = self.node(parent).children.iter().position(|child| *child == below)?;
                return Some((parent, position));
            }
            below = parent;
        }
        None
    }

    pub fn is_within(&self, id: NodeId, ancestor: NodeId) -> bool {
        id == ancestor || self.ancestors(id).any(|one| one == ancestor)
    }

    /// The declaration that a symbol has in the user's files, with the widest extent.
    pub fn declaration(&self, symbol: &str) -> Option<NodeId> {
        const KINDS: &[&str] = &["VarDecl", "FieldDecl", "ParmDecl", "FunctionDecl", "CXXMethod"];
        if symbol.is_empty() {
            return None;
        }
        self.ids().find(|id| {
            let node = self.node(*id);
            KINDS.contains(&node.kind.as_str()) && node.refers == symbol
        })
    }

    /// Whether a function is a method of a class, defined inside or outside of it.
    pub fn is_method_of(&self, function: NodeId, class: NodeId) -> bool {
        let symbol = &self.node(class).refers;
        let own = &self.node(function).refers;
        !symbol.is_empty() && own.strip_prefix(symbol.as_str()).is_some_and(|rest| rest.starts_with("@F@"))
    }

    /// Whether a declaration is outside of functions and types.
    pub fn is_global(&self, id: NodeId) -> bool {
        self.is(id, "VarDecl")
            && self.ancestors(id).all(|one| matches!(self.node(one).kind.as_str(), "Namespace" | "LinkageSpec"))
    }
}

/// Whether two names of files mean the same one: one may be relative.
pub fn is_same_file(one: &str, other: &str) -> bool {
    let clean = |name: &str| {
        let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        parts.join("/")
    };
    let (one, other) = (clean(one), clean(other));
    one == other || one.ends_with(&format!("/{other}")) || other.ends_with(&format!("/{one}"))
}

/// The end of a statement with its semicolon: libclang's extents of expressions end before it.
pub fn end_of_statement(text: &str, range: Range<usize>) -> usize {
    let own = text.get(range.clone()).unwrap_or_default().trim_end();
    if own.ends_with(';') {
        return range.end;
    }
    let mut at = range.end;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'*') => match text[at..].find("*/") {
                Some(length) => at += length + 2,
                None => break,
            },
            b';' => return at + 1,
            _ => break,
        }
    }
    range.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_with_their_semicolon() {
        let text = "a = 1 /* one */ ;\nif (a) { b(); }\nint c;";
        assert_eq!(&text[..end_of_statement(text, 0..5)], "a = 1 /* one */ ;");
        assert_eq!(end_of_statement(text, 18..33), 33);
        assert_eq!(end_of_statement(text, 34..40), 40);
    }

    #[test]
    fn files_are_the_same_if_one_name_ends_with_the_other() {
        assert!(is_same_file("a/b.c", "/x/a/b.c") && is_same_file("./b.c", "b.c") && is_same_file("a.c", "a.c"));
        assert!(!is_same_file("ab.c", "b.c") && !is_same_file("x/b.c", "y/b.c"));
    }
}
