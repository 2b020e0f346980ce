//! Paths of threads, and the tree of several paths of one thread.

use std::collections::{BTreeSet, HashSet};

use events::Place;
use run::ThreadName;

use crate::expression::ReadName;
use crate::name::FileName;
use crate::trace::{Action, Item, Marker, Trace};

#[derive(Clone, Debug)]
pub(super) struct Path {
    pub name: FileName,
    pub file: String,
    pub trace: Trace,
    /// Threads that it forks or joins.
    pub needs: BTreeSet<ThreadName>,
}

impl Path {
    pub fn new(name: FileName, file: String, trace: Trace) -> Path {
        let needs = trace.items.iter().filter_map(|item| match &item.action {
            Action::Fork(thread) | Action::Join(thread) => Some(thread.clone()),
            _ => None,
        });
        let needs = needs.collect();
        Path { name, file, trace, needs }
    }

    pub fn run(&self) -> &str {
        self.name.run.as_ref().map_or("", |(run, _)| run)
    }

    fn asserted(&self) -> Option<&Item> {
        self.trace.items.iter().rev().find(|item| matches!(item.action, Action::Assert(_)))
    }

    pub fn asserts(&self) -> bool {
        self.asserted().is_some()
    }

    /// Thread, place and failing direction of the assertion.
    pub fn assertion(&self) -> Option<(&ThreadName, Option<&Place>, bool)> {
        let item = self.asserted()?;
        let failing = *self.trace.bits.last()? != (self.trace.marker == Some(Marker::Passing));
        Some((&self.name.thread, item.place.as_ref(), failing))
    }
}

/// Conditions may name reads of other threads, if these exist. Returns the first path that names a missing one: its
/// index, the line, and the problem.
pub(super) fn missing_foreign_reads(paths: &[Path]) -> Option<(usize, u32, String)> {
    if paths.iter().all(|path| path.trace.foreign.is_empty()) {
        return None;
    }
    let reads = paths.iter().flat_map(|path| &path.trace.items).filter_map(|item| match &item.action {
        Action::Read(read) => Some(read),
        _ => None,
    });
    let reads: HashSet<&ReadName> = reads.collect();
    paths.iter().enumerate().find_map(|(index, path)| {
        let (line, read) = path.trace.foreign.iter().find(|(_, read)| !reads.contains(read))?;
        let message = format!("thread {} has no read {} of {}", read.thread, read.number, read.variable);
        Some((index, *line, message))
    })
}

/// A prefix tree of paths.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    pub nodes: Vec<Node<'a>>,
    /// The node in which each path ends.
    pub ends: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct Node<'a> {
    /// The root has none.
    pub item: Option<&'a Item>,
    pub children: Vec<usize>,
    /// A path ends here.
    pub ends: bool,
}

impl<'a> Tree<'a> {
    pub fn new(paths: impl Iterator<Item = &'a Path>) -> Tree<'a> {
        let root = Node { item: None, children: Vec::new(), ends: false };
        let mut tree = Tree { nodes: vec![root], ends: Vec::new() };
        for path in paths {
            let mut at = 0;
            for item in &path.trace.items {
                let known = tree.nodes[at].children.iter().copied();
                let known = known.into_iter().find(|&child| tree.nodes[child].item == Some(item));
                at = known.unwrap_or_else(|| {
                    let child = tree.nodes.len();
                    tree.nodes.push(Node { item: Some(item), children: Vec::new(), ends: false });
                    tree.nodes[at].children.push(child);
                    child
                });
            }
            tree.nodes[at].ends = true;
            tree.ends.push(at);
        }
        tree
    }
}
