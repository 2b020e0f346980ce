//! Prefix trees of the decisions of threads, one per thread of a program version, as rows.
//!
//! A tree is a radix tree over bits: a node holds all bits between two forks or ends of paths, so paths share the rows
//! of their common prefix, and a tree has at most twice as many nodes as paths. A path is a thread's bits with the
//! targets of its indirect calls; paths with equal bits end in the same node. Each node has the length of the shortest
//! path below it, so that continuations are found shortest first without visiting the others.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::path::Path as FilePath;

use run::Bits;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{Result, StoreError, of_sqlite};
use crate::packed::Packed;
use crate::schema::RunId;

/// How a path begins.
#[derive(Clone, Copy, Debug)]
pub struct Prefix<'a> {
    pub bits: &'a Bits,
    pub callees: &'a [String],
}

/// A stored path of a thread, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuation {
    pub bits: Bits,
    pub callees: Vec<String>,
    /// A run with this path, which has the thread's inputs.
    pub run: RunId,
}

/// The rows of the trees, through one connection.
pub(crate) struct Trees<'a> {
    pub connection: &'a Connection,
    pub file: &'a FilePath,
    /// Rows that were read or written.
    pub rows: &'a Cell<u64>,
}

#[derive(Clone, Debug)]
struct Node {
    id: i64,
    bits: Packed,
    shortest: usize,
}

/// The next step of the search: the one with the shortest path.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// A path of this length, which ends in the node.
    Path {
        length: usize,
        id: i64,
        node: i64,
    },
    Node {
        shortest: usize,
        id: i64,
        depth: usize,
    },
}

impl Step {
    /// By length; paths before nodes, older ones first.
    fn key(&self) -> (usize, u8, i64) {
        match *self {
            Step::Path { length, id, .. } => (length, 0, id),
            Step::Node { shortest, id, .. } => (shortest, 1, id),
        }
    }
}

impl Trees<'_> {
    fn sql(&self, error: &rusqlite::Error) -> StoreError {
        of_sqlite(self.file, error)
    }

    fn damaged(&self, what: &str) -> StoreError {
        StoreError::Damaged { file: self.file.to_owned(), what: what.to_owned() }
    }

    fn count(&self, rows: usize) {
        self.rows.set(self.rows.get() + rows as u64);
    }

    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<usize> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.sql(&error))?;
        let changed = statement.execute(values).map_err(|error| self.sql(&error))?;
        self.count(changed.max(1));
        Ok(changed)
    }

    fn node_of(&self, id: i64, bits: &[u8], length: i64, shortest: i64) -> Result<Node> {
        let bits = Packed::from_column(bits, length);
        match (bits, usize::try_from(shortest)) {
            (Some(bits), Ok(shortest)) => Ok(Node { id, bits, shortest }),
            _ => Err(self.damaged(&format!("node {id} of a tree"))),
        }
    }

    fn child(&self, parent: i64, first: bool) -> Result<Option<Node>> {
        let sql = "SELECT id, bits, length, shortest FROM node WHERE parent = ?1 AND first = ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.sql(&error))?;
        let row = statement
            .query_row(params![parent, first], |row| {
                Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()
            .map_err(|error| self.sql(&error))?;
        self.count(1);
        let Some((id, bits, length, shortest)) = row else { return Ok(None) };
        let node = self.node_of(id, &bits, length, shortest)?;
        // An empty node, or one that disagrees with its parent, would cause an endless search.
        if node.bits.get(0) != Some(first) {
            return Err(self.damaged(&format!("node {id} of a tree")));
        }
        Ok(Some(node))
    }

    fn root(&self, program: i64, thread: &str) -> Result<Option<i64>> {
        let sql = "SELECT root FROM tree WHERE program = ?1 AND thread = ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.sql(&error))?;
        self.count(1);
        statement.query_row(params![program, thread], |row| row.get(0)).optional().map_err(|error| self.sql(&error))
    }

    fn new_node(&self, parent: Option<i64>, bits: &Packed, shortest: usize) -> Result<i64> {
        let first = parent.and_then(|_| bits.get(0));
        self.execute(
            "INSERT INTO node (parent, first, bits, length, shortest) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![parent, first, bits.bytes, bits.length as i64, shortest as i64],
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Adds a path, unless it is stored already.
    pub fn insert(&self, program: i64, thread: &str, bits: &Bits, callees: &[String], run: i64) -> Result<()> {
        let path = Packed::of(bits);
        let mut at = 0;
        let mut node = match self.root(program, thread)? {
            Some(root) => root,
            None => {
                let root = self.new_node(None, &Packed::default(), path.length)?;
                self.execute("INSERT INTO tree VALUES (?1, ?2, ?3)", params![program, thread, root])?;
                root
            }
        };
        while let Some(first) = path.get(at) {
            let Some(child) = self.child(node, first)? else {
                node = self.new_node(Some(node), &path.slice(at, path.length), path.length)?;
                break;
            };
            let common = child.bits.common(&path, at);
            at += common;
            if common < child.bits.length {
                node = self.split(node, &child, common, path.length)?;
                continue;
            }
            node = child.id;
            if path.length < child.shortest {
                self.execute("UPDATE node SET shortest = ?2 WHERE id = ?1", params![node, path.length as i64])?;
            }
        }
        self.execute(
            "INSERT OR IGNORE INTO path (node, callees, run) VALUES (?1, ?2, ?3)",
            params![node, names_to_column(callees), run],
        )?;
        Ok(())
    }

    /// Inserts a node between a parent and its child, after `common` of the child's bits.
    fn split(&self, parent: i64, child: &Node, common: usize, length: usize) -> Result<i64> {
        let (upper, lower) = (child.bits.slice(0, common), child.bits.slice(common, child.bits.length));
        // Without a parent at first, since the child still has its place.
        let middle = self.new_node(None, &upper, child.shortest.min(length))?;
        self.execute(
            "UPDATE node SET parent = ?2, first = ?3, bits = ?4, length = ?5 WHERE id = ?1",
            params![child.id, middle, lower.get(0), lower.bytes, lower.length as i64],
        )?;
        self.execute("UPDATE node SET parent = ?2, first = ?3 WHERE id = ?1", params![middle, parent, upper.get(0)])?;
        Ok(middle)
    }

    /// The stored paths that begin so, shortest first, and of equal ones the oldest first.
    pub fn continuations(
        &self,
        program: i64,
        thread: &str,
        prefix: Prefix<'_>,
        limit: usize,
    ) -> Result<Vec<Continuation>> {
        let mut found = Vec::new();
        let wanted = Packed::of(prefix.bits);
        let Some((start, depth, shortest)) = self.below(program, thread, &wanted)? else { return Ok(found) };
        let mut steps = BinaryHeap::new();
        let mut seen = HashSet::new();
        let step = Step::Node { shortest, id: start, depth };
        steps.push(Reverse((step.key(), step)));
        while let Some(Reverse((_, step))) = steps.pop().filter(|_| found.len() < limit) {
            match step {
                Step::Path { length, id, node } => {
                    let (callees, run) = self.path(id)?;
                    if callees.starts_with(prefix.callees) {
                        found.push(Continuation { bits: self.whole(node, length)?, callees, run });
                    }
                }
                Step::Node { id, depth, .. } => {
                    if !seen.insert(id) {
                        return Err(self.damaged("a tree has a cycle"));
                    }
                    let paths =
                        self.paths_of(id)?.into_iter().map(|path| Step::Path { length: depth, id: path, node: id });
                    let mut next: Vec<Step> = paths.collect();
                    for first in [false, true] {
                        let child = self.child(id, first)?;
                        next.extend(child.map(|child| Step::Node {
                            shortest: child.shortest,
                            id: child.id,
                            depth: depth + child.bits.length,
                        }));
                    }
                    steps.extend(next.into_iter().map(|step| Reverse((step.key(), step))));
                }
            }
        }
        Ok(found)
    }

    /// The highest node whose path has these bits as prefix: its id, the length of its path, and the shortest below it.
    fn below(&self, program: i64, thread: &str, wanted: &Packed) -> Result<Option<(i64, usize, usize)>> {
        let Some(root) = self.root(program, thread)? else { return Ok(None) };
        let (mut node, mut depth, mut shortest) = (root, 0, 0);
        while let Some(first) = wanted.get(depth) {
            let Some(child) = self.child(node, first)? else { return Ok(None) };
            let common = child.bits.common(wanted, depth);
            if common < child.bits.length && depth + common < wanted.length {
                return Ok(None);
            }
            (node, depth, shortest) = (child.id, depth + child.bits.length, child.shortest);
        }
        Ok(Some((node, depth, shortest)))
    }

    fn paths_of(&self, node: i64) -> Result<Vec<i64>> {
        let sql = "SELECT id FROM path WHERE node = ?1 ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.sql(&error))?;
        let rows = statement.query_map([node], |row| row.get(0)).map_err(|error| self.sql(&error))?;
        let paths = rows.collect::<rusqlite::Result<Vec<i64>>>().map_err(|error| self.sql(&error))?;
        self.count(paths.len());
        Ok(paths)
    }

    fn path(&self, id: i64) -> Result<(Vec<String>, RunId)> {
        let sql = "SELECT callees, run FROM path WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.sql(&error))?;
        let (callees, run): (Vec<u8>, i64) =
            statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).map_err(|error| self.sql(&error))?;
        self.count(1);
        let callees = names_from_column(&callees).ok_or_else(|| self.damaged(&format!("path {id} of a tree")))?;
        Ok((callees, RunId(run)))
    }

    /// The `length` bits from the root to a node.
    fn whole(&self, node: i64, length: usize) -> Result<Bits> {
        let sql = "SELECT parent, bits, length, shortest FROM node WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.sql(&error))?;
        let mut pieces: Vec<Packed> = Vec::new();
        let (mut at, mut left) = (Some(node), length);
        while let Some(id) = at.filter(|_| left > 0) {
            let row =
                statement.query_row([id], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?, row.get(2)?, row.get(3)?)));
            let (parent, bits, length, shortest) = row.map_err(|error| self.sql(&error))?;
            self.count(1);
            let node = self.node_of(id, &bits, length, shortest)?;
            let rest = left.checked_sub(node.bits.length).filter(|_| node.bits.length > 0);
            left = rest.ok_or_else(|| self.damaged(&format!("node {id} of a tree")))?;
            pieces.push(node.bits);
            at = parent;
        }
        if left > 0 {
            return Err(self.damaged(&format!("the path to node {node} of a tree")));
        }
        Ok(pieces.iter().rev().flat_map(Packed::iter).collect())
    }
}

/// Names, each with its length before it.
fn names_to_column(names: &[String]) -> Vec<u8> {
    let mut column = Vec::new();
    for name in names {
        column.extend((name.len() as u32).to_le_bytes());
        column.extend(name.as_bytes());
    }
    column
}

fn names_from_column(mut column: &[u8]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    while !column.is_empty() {
        let (length, rest) = column.split_first_chunk::<4>()?;
        let (name, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        names.push(str::from_utf8(name).ok()?.to_owned());
        column = rest;
    }
    Some(names)
}
