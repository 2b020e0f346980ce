//! The theory section of a formula: nodes that a model puts into a total order, and the constraints on that order.
//!
//! By definition every node has a position, no two the same, and
//! - the nodes of a chain are in its order, whether they happen or not (no other constraint applies to nodes that do
//!   not happen);
//! - `before(a, b)` is true iff the position of `a` is smaller;
//! - an active read has exactly one chosen source, an inactive one has none. A chosen source implies its term. If it is
//!   a writer, that one writes and comes before the read, and every other writer of the cell that writes (except the
//!   read's own node) comes before it or after the read; if it is the initial value, every such writer comes after the
//!   read;
//! - of two active sections of a lock, one is closed and its `leave` comes before the `enter` of the other;
//! - if a block's literal holds, every node outside of it that happens comes before all of its nodes that happen, or
//!   after all of them;
//! - if a stretch's literal holds, its first node is its last or comes before it, and every other relevant node that
//!   happens comes before the first or after the last. Bystanders are not relevant, nor, if the stretch is of one
//!   chain, are the nodes of that chain.

use crate::term::{Node, Term};

/// The nodes and the constraints on their order.
#[derive(Clone, Debug, Default)]
pub struct Order {
    pub nodes: Vec<NodeInfo>,
    /// Each node is in exactly one chain.
    pub chains: Vec<Vec<Node>>,
    pub cells: Vec<Cell>,
    pub reads: Vec<Read>,
    /// By lock, its sections.
    pub locks: Vec<Vec<Section>>,
    pub blocks: Vec<Block>,
    pub stretches: Vec<Stretch>,
    /// Nodes that may be within any stretch.
    pub bystanders: Vec<Node>,
}

#[derive(Clone, Debug)]
pub struct NodeInfo {
    /// For printing.
    pub name: String,
    pub happens: Term,
}

/// A memory location that is read and written as a whole.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub writers: Vec<Writer>,
}

#[derive(Clone, Copy, Debug)]
pub struct Writer {
    pub node: Node,
    /// Whether it happens and writes this cell.
    pub writes: Term,
}

#[derive(Clone, Debug)]
pub struct Read {
    pub node: Node,
    /// An index into [`Order::cells`].
    pub cell: usize,
    /// Whether it happens and reads this cell.
    pub active: Term,
    /// The reads-from candidates.
    pub sources: Vec<Source>,
}

#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// An index into the cell's writers; none for the initial value.
    pub writer: Option<usize>,
    /// A boolean symbol of its own.
    pub chosen: Term,
    /// The consequence of the choice: the values are equal.
    pub implies: Term,
}

/// A mutual exclusion section: a part of a thread in which it holds a lock.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    pub enter: Node,
    /// None if it never ends.
    pub leave: Option<Node>,
    /// Whether `enter` happens.
    pub active: Term,
    /// Whether `leave` happens; it implies `active`.
    pub closed: Term,
}

/// Nodes that are contiguous if the literal holds.
#[derive(Clone, Debug)]
pub struct Block {
    pub literal: Term,
    pub nodes: Vec<Node>,
}

/// Two nodes without relevant nodes between them if the literal holds.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub literal: Term,
    pub first: Node,
    pub last: Node,
    /// Whether further nodes of the first one's chain may be within.
    pub of_chain: bool,
}
